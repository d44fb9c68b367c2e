"""A trial: what one round of the fuzzer tries; and a difference, what it finds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Difference:
    """A result that is not that of the definition, or an error in place of results."""

    where: str  # the way in which it was run
    given: Any
    expected: Any
    within: float = 0.0
    error: str | None = None


class Trial(Protocol):
    """What one round tries. All its parts are plain data: its text is the same on every machine."""

    @property
    def cases(self) -> int:
        """How many partitions (streams, relations) times aggregates with their windows."""

    @property
    def streams(self) -> int:
        """How many streams are run."""

    def difference(self) -> Difference | None:
        """Run it in every way, and compare."""

    def smaller(self) -> Iterator["Trial"]:
        """The same with less, the best guesses first."""

    def test(self, difference: Difference, name: str) -> str:
        """A test that fails as this does, to be pasted."""


def attempt(run: Any) -> tuple[Any, str | None]:
    """What a run gives, or what it raises."""
    try:
        return run(), None
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
