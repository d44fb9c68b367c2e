"""The rounds of a seed: each has a number, and draws one trial. Who runs which of them changes nothing in any of them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import find_spec

from inwindow.testing.fuzz.compiling import draw_compiling
from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.emissions import draw_emissions
from inwindow.testing.fuzz.extents import draw_extents
from inwindow.testing.fuzz.frames import draw_frames, draw_ordering
from inwindow.testing.fuzz.points import draw_points
from inwindow.testing.fuzz.relations import draw_relations
from inwindow.testing.fuzz.stream_drawing import draw_streams
from inwindow.testing.fuzz.texts import draw_texts
from inwindow.testing.fuzz.trial import Trial
from inwindow.udaf.errors import UsageError


@dataclass(frozen=True)
class Family:
    """What is tried: how a trial is drawn, and how often."""

    drawn: Callable[[Draw], Trial]
    weight: int
    says: str
    needs: tuple[str, ...] = ()  # packages; where one is missing, the family is not drawn unless it is asked for
    asked: bool = False  # it is drawn only where it is asked for: to compile a class takes five seconds


# A new thing to try adds a row.
FAMILIES: dict[str, Family] = {
    "frames": Family(draw_frames, 8, "frames on tables and readers, by every strategy"),
    "extents": Family(draw_extents, 3, "extents and whole groups, on tables and readers"),
    "ordering": Family(draw_ordering, 2, "tasks that sort, spill and put results back in order"),
    "emissions": Family(draw_emissions, 1, "rows of yields, emissions and expirations"),
    "points": Family(draw_points, 2, "point in time, by every strategy"),
    "streams": Family(draw_streams, 3, "streams: disorder, cuts, watermarks, restarts, unions"),
    "temporal": Family(draw_relations, 2, "temporal operators on relations"),
    "compiled": Family(draw_compiling, 1, "classes that numba compiles, by every strategy", ("numba",), asked=True),
    "texts": Family(draw_texts, 2, "queries as SQL, with aggregates in ESL", ("duckdb", "sqlglot")),
}


def families(names: str | None) -> tuple[str, ...]:
    """The families of ``--only frames,streams``; without it those whose packages are there."""
    if names is None:
        return tuple(name for name, its in FAMILIES.items() if not its.asked and all(map(find_spec, its.needs)))
    chosen = tuple(name.strip() for name in names.split(","))
    for name in chosen:
        if name not in FAMILIES:
            raise UsageError(f"fuzz: --only {names}: {name!r} is not known: there are {', '.join(FAMILIES)}")
    return tuple(name for name in FAMILIES if name in chosen)


@dataclass(frozen=True)
class Round:
    """One trial of a seed."""

    seed: int
    number: int
    family: str
    trial: Trial

    @property
    def digest(self) -> int:
        """A number that follows from all that was drawn."""
        said = f"{self.number} {self.family} {self.trial!r}"
        return int.from_bytes(blake2b(said.encode(), digest_size=8).digest(), "little")


def round_of(seed: int, number: int, names: Iterable[str]) -> Round:
    """A round: the same for the same seed, number and families, on every machine."""
    weights = [(name, FAMILIES[name].weight) for name in names]
    name = Draw(seed, number).weighed(weights)
    return Round(seed, number, name, FAMILIES[name].drawn(Draw(seed, number, name)))
