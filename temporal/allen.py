"""Allen's relations between two intervals, as conditions of a join.

::

    a equals b        |-----|      a starts b      |---|        a during b       |---|        a overlaps b   |-----|
                      |-----|                      |-----|                     |-------|                        |-----|
    started_by, contains, overlapped_by, finishes and finished_by are the others of intervals that hold together.

Intervals that have no instant in common (before, meets, after, met_by) are never partners: a join is valid where both hold.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inwindow.runtime.intervals import Keys

Test = Callable[[Keys, Keys, Keys, Keys], Any]


@dataclass(frozen=True)
class Allen:
    """One of Allen's relations between [since, until) on the left and on the right."""

    name: str

    def __call__(self, since: Keys, until: Keys, right_since: Keys, right_until: Keys) -> Any:
        """Which pairs are so related; of pairs that have an instant in common."""
        return _TESTS[self.name](since, until, right_since, right_until)


_TESTS: dict[str, Test] = {
    "equals": lambda s, u, rs, ru: (s == rs) & (u == ru),
    "starts": lambda s, u, rs, ru: (s == rs) & (u < ru),
    "started_by": lambda s, u, rs, ru: (s == rs) & (u > ru),
    "finishes": lambda s, u, rs, ru: (s > rs) & (u == ru),
    "finished_by": lambda s, u, rs, ru: (s < rs) & (u == ru),
    "during": lambda s, u, rs, ru: (s > rs) & (u < ru),
    "contains": lambda s, u, rs, ru: (s < rs) & (u > ru),
    "overlaps": lambda s, u, rs, ru: (s < rs) & (u < ru),
    "overlapped_by": lambda s, u, rs, ru: (s > rs) & (u > ru),
}
NAMES = tuple(_TESTS)
APART = ("before", "after", "meets", "met_by")
