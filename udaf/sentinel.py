"""The sentinel: it folds a share of a job's results again from the tuples, and compares.

Its settings travel with the plan. Its findings come back: in the same process at once, from Spark's workers as observed metrics
(``runtime/spark/observations.py``).
"""

import math
import warnings
from dataclasses import dataclass
from decimal import Decimal
from threading import Lock
from typing import Any

from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.types import record_values

TOLERANCE = 1e-6


@dataclass(frozen=True)
class Deviation:
    """A result that differs from the fold of the frame's tuples: its place, the given and the expected value."""

    aggregate: str
    place: str  # key and order value of the tuple with which the frame ends
    given: str
    expected: str
    size: float  # the relative difference; infinite if rounding cannot explain it

    def __str__(self) -> str:
        return f"{self.aggregate} gave {self.given} for the frame that ends at {self.place}, but its tuples give {self.expected}"


@dataclass
class Found:
    """What a sentinel has found so far, or since it was last asked."""

    checked: int = 0
    deviations: int = 0
    punts: int = 0
    rebased: int = 0
    largest: Deviation | None = None

    def __add__(self, other: "Found") -> "Found":
        both = [one for one in (self.largest, other.largest) if one is not None]
        largest = max(both, key=lambda one: one.size, default=None)
        return Found(**{name: getattr(self, name) + getattr(other, name) for name in COUNTS}, largest=largest)


COUNTS = ("checked", "deviations", "punts", "rebased")


class Sentinel:
    """For :meth:`Applied.sentinel`: recompute a share of the results in the job itself, and count those that deviate.

    - ``share``: of the results, 0 to 1. Which ones is decided by a hash of order value and frame: the same in each run.
    - ``tolerance``: floats are the same up to ``tolerance * max(|result|, |largest argument in the frame|)``; all else exactly.
    - ``fails=True``: the first deviation fails the job, with an error that names aggregate, key, order value and both results.

    ``checked``, ``deviations`` and ``largest`` say what was found so far; ``punts`` and ``rebased`` how many frames were folded
    afresh because ``expire`` or ``unmerge`` refused, or a float had lost its digits. On Spark all that once an action has run.

    >>> import pyarrow as pa, inwindow as iw
    >>> class Total(iw.WindowAggregate):
    ...     def iterate(self, value): self.total = getattr(self, "total", 0) + value
    ...     def expire(self, value): self.total -= value + (value > 8)               # wrong for 9 alone
    ...     def terminate(self) -> int: return self.total
    >>> sentinel = iw.Sentinel(share=1)
    >>> table = pa.table({"day": [1, 2, 3, 4], "value": [1, 9, 2, 3]})
    >>> total = Total()("value").over(iw.rows(2, order_by="day"), sentinel=sentinel)
    >>> iw.with_columns(table, total=total)["total"].to_pylist()
    [1, 10, 11, 4]
    >>> sentinel.checked, sentinel.deviations
    (4, 1)
    >>> print(sentinel.largest)
    Total(value) gave 4 for the frame that ends at day=4, but its tuples give 5
    """

    def __init__(self, share: float, *, tolerance: float = TOLERANCE, fails: bool = False) -> None:
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share <= 1:
            raise UsageError(
                f"Sentinel({shown(share)}): give a share of the results, such as 0.001; at most 1, which is all"
            )
        if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not 0 <= tolerance < math.inf:
            raise UsageError(f"Sentinel(tolerance={shown(tolerance)}): give a small positive number, such as 1e-6")
        if not isinstance(fails, bool):
            raise UsageError(f"Sentinel(fails={shown(fails)}): write True or False")
        self.share, self.tolerance, self.fails = float(share), float(tolerance), fails
        self._tells = False  # the first deviation, by a warning: nobody else would
        self._found = Found()
        self._lock = Lock()  # calls in several threads may share a sentinel
        self._elsewhere: list[Any] = []  # what Spark observes

    def __repr__(self) -> str:
        return f"Sentinel({self.share:g}, tolerance={self.tolerance:g}{', fails=True' if self.fails else ''})"

    def __getstate__(self) -> dict[str, Any]:
        """Its settings, not its findings: on a worker it starts empty."""
        return {"share": self.share, "tolerance": self.tolerance, "fails": self.fails, "tells": self._tells}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["share"], tolerance=state["tolerance"], fails=state["fails"])  # type: ignore[misc]
        self._tells = state["tells"]

    def __deepcopy__(self, memo: Any) -> "Sentinel":
        return self

    @property
    def checked(self) -> int:
        """How many results were folded afresh."""
        return self._all().checked

    @property
    def deviations(self) -> int:
        """How many of them differed from the result that was given."""
        return self._all().deviations

    @property
    def largest(self) -> Deviation | None:
        """The largest deviation; None if there is none."""
        return self._all().largest

    @property
    def punts(self) -> int:
        """How many frames were folded afresh since a hook returned ``iw.PUNT``; of all results, not of the share."""
        return self._all().punts

    @property
    def rebased(self) -> int:
        """How many frames were folded afresh since a float field had lost what it should hold; of all results."""
        return self._all().rebased

    def _all(self) -> Found:
        return sum((found() for found in self._elsewhere), self._found)

    def take(self) -> Found:
        """The findings of this process since the last call."""
        with self._lock:
            found, self._found = self._found, Found()
        return found

    def note(self, found: Found) -> None:
        """Add findings."""
        with self._lock:
            self._found = self._found + found
            tells = bool(found.deviations) and self._tells
            self._tells &= not tells
        if tells:
            warnings.warn(
                f"{found.largest}; give sentinel=iw.Sentinel({self.share:g}) to count deviations, or fails=True to end the job",
                UserWarning,
                stacklevel=2,
            )

    def elsewhere(self, found: Any) -> None:
        """A function that says what was found by other processes."""
        self._elsewhere.append(found)


def sentinel_of(given: Any) -> Sentinel:
    """The given sentinel, or a new one for a share."""
    if isinstance(given, Sentinel):
        return given
    made = Sentinel(given)
    made._tells = True
    return made


def distance(given: Any, expected: Any, scale: float) -> float:
    """How far two results are apart: 0.0 if they are the same; relative to themselves and ``scale`` for floats; else infinite.

    >>> distance(1.0, 1.5, 0.0), distance([1, None], [1, None], 0.0), distance(1, 2, 0.0), distance(float("nan"), float("nan"), 1.0)
    (0.3333333333333333, 0.0, inf, 0.0)
    """
    return _distance(record_values(given), record_values(expected), scale)


def _distance(a: Any, b: Any, scale: float) -> float:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        pairs = zip(a, b, strict=False)
        return max((_distance(x, y, scale) for x, y in pairs), default=0.0) if len(a) == len(b) else math.inf
    if isinstance(a, dict) and isinstance(b, dict):
        return max((_distance(a[key], b[key], scale) for key in a), default=0.0) if a.keys() == b.keys() else math.inf
    if isinstance(a, (float, Decimal)) and isinstance(b, (float, Decimal)):
        if a == b or (a != a and b != b):
            return 0.0
        apart, size = abs(float(a) - float(b)), max(abs(float(a)), abs(float(b)), scale)
        return apart / size if math.isfinite(apart) and math.isfinite(size) else math.inf
    return 0.0 if a == b and (a is None) == (b is None) else math.inf
