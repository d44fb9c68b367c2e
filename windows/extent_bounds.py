"""From an extent to bounds: which extents exist, and the positions ``[start, end)`` of each.

The first tuple that lies in an extent *introduces* it, so the start is known from then on. It is *complete* when a tuple at or
after its end has arrived, or its block has ended::

    hop(size=10, every=5)        t = 3            t = 12           t = 21
    introduces                   [-5,5) [0,10)    [5,15) [10,20)   [15,25) [20,30)
    completes                                     [-5,5) [0,10)    [5,15) [10,20)

Tuples with a NULL (as in Spark), NaN or infinite attribute are in no extent.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import timezone
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._bounds import edges, shifted
from inwindow.udaf.errors import DataError, UsageError
from inwindow.udaf.pythonic import text_of
from inwindow.udaf.zones import zone_of
from inwindow.windows.clock import Clock
from inwindow.windows.grid import added, floor_multiple, grid
from inwindow.windows.interval import Size
from inwindow.windows.literals import TICKS
from inwindow.windows.order_key import Keys, OrderKey
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.spec import Cumulate, Hop, Session, extent_name
from inwindow.windows.stateful import Stateful

_INT64 = np.iinfo(np.int64)
CELLS = 1 << 22  # new extents that are found at a time: some 200 MB


@dataclass
class Extents:
    """Extents in order: their positions, and their bounds as keys of the attribute (None: the whole group)."""

    start: Positions
    end: Positions
    begins: Keys | None
    finishes: Keys | None

    def where(self, which: Any) -> "Extents":
        """Some of the extents."""
        return Extents(*(None if column is None else column[which] for column in self.columns()))  # type: ignore[arg-type]

    def split(self, count: int) -> "tuple[Extents, Extents]":
        """The first ``count`` extents, and the others."""
        return self.where(slice(count)), self.where(slice(count, None))

    def positions(self) -> Positions:
        """Those that lie in some extent."""
        if not len(self.start):
            return self.start
        depth = np.zeros(int(self.end.max()) + 1, dtype=np.int64)
        np.add.at(depth, self.start, 1)
        np.add.at(depth, self.end, -1)
        return np.flatnonzero(np.cumsum(depth))

    def joined(self, later: "Extents") -> "Extents":
        """These extents, then later ones."""
        if not len(self.start):
            return later
        pairs = zip(self.columns(), later.columns(), strict=True)
        return Extents(*(None if a is None else np.concatenate([a, b]) for a, b in pairs))  # type: ignore[arg-type]

    def columns(self) -> tuple[Any, ...]:
        """The four columns."""
        return self.start, self.end, self.begins, self.finishes


class ExtentFraming(Stateful, ABC):
    """The extents of a sequence: :meth:`advance` gives those that have become complete, in order."""

    kept: ClassVar[tuple[str, ...]] = ("seen", "open")
    reach: Any = 0  # the largest distance of an extent's bound from a tuple in it
    step: Any = 0  # how far apart extents are, at least
    origin: Any = 0  # where they are counted from
    per_tuple = 1  # how many extents a tuple may lie in

    def __init__(self) -> None:
        self.seen = 0  # tuples before this position have introduced their extents
        self.open = Extents(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), None, None)

    def advance(self, sequence: Sequence) -> Extents:
        """The extents that have become complete."""
        if self.seen < sequence.end:
            at = self._countable(sequence)
            self._check_room(sequence, at)
            introduced = self.introduce(sequence, at)
            self.seen = sequence.end
            if introduced is not None:
                self.open = self.open.joined(introduced)
        if not len(self.open.start):
            return self.open
        _, block_end = sequence.blocks(np.maximum(self.open.start, sequence.base))
        end = self.ends(sequence, block_end)
        complete = sequence.ended | (end < sequence.end) | (block_end < sequence.end)
        self.open.end = end
        done, self.open = self.open.split(int(complete.sum()))
        return done

    def _countable(self, sequence: Sequence) -> Positions:
        """The new tuples that can lie in extents: those whose attribute is not NULL, NaN or infinite."""
        at = np.arange(self.seen, sequence.end)
        plain = sequence.plain_at(at)
        at = at if plain is None else at[plain]
        if sequence.keys.dtype == np.float64:
            at = at[np.isfinite(sequence.keys_at(at))]
        return at

    def _check_room(self, sequence: Sequence, at: Positions) -> None:
        if sequence.key is not None and len(at):
            self.check_room(sequence.key, sequence.keys_at(at))

    def check_room(self, key: OrderKey, keys: Keys) -> None:
        """Check that the bounds of a tuple's extents are different values of its attribute's type."""
        low, high = key.room
        for extreme in (keys.min(), keys.max()):
            if not low + self.reach <= extreme.item() <= high - self.reach:
                value = key.column_of(np.array([extreme]))[0]
                raise DataError(
                    f"{key.column!r} = {text_of(value)} is so close to the end of its type, {key.type}, that an "
                    "extent around it would have no bounds: filter such tuples out, or make the value NULL"
                )
        key.check_steps(keys, self.step, self.origin, bounds=True)

    @property
    def next_start(self) -> int:
        """The position before which no later extent starts."""
        return int(self.open.start[0]) if len(self.open.start) else self.seen

    @abstractmethod
    def introduce(self, sequence: Sequence, at: Positions) -> Extents | None:
        """The extents whose first tuple is among the new tuples at these positions."""

    @abstractmethod
    def ends(self, sequence: Sequence, block_end: Positions) -> Positions:
        """The end of each open extent, as far as the arrived tuples show it."""


class WholeGroups(Stateful):
    """One extent per partition: a plain GROUP BY. It has no attribute; a group is complete when its partition ends."""

    kept = ("seen",)
    per_tuple = 1

    def __init__(self) -> None:
        self.seen = 0  # partitions before this position have been emitted

    def advance(self, sequence: Sequence) -> Extents:
        """The partitions that have ended."""
        starts = sequence.partition_starts[sequence.partition_starts >= self.seen]
        ends = np.append(starts[1:], sequence.end)
        count = len(starts) if sequence.ended else max(len(starts) - 1, 0)
        if count:
            self.seen = int(ends[count - 1])
        return Extents(starts[:count], ends[:count], None, None)

    @property
    def next_start(self) -> int:
        """The position before which no later group starts."""
        return self.seen


class Numbered(ExtentFraming):
    """Extents with running numbers: a tuple lies in the extents lowest(t) .. highest(t)."""

    kept: ClassVar[tuple[str, ...]] = ("seen", "open", "last")
    has_holes = False  # whether a key may lie in no extent

    def __init__(self) -> None:
        super().__init__()
        self.last = (-1, 0)  # the block of the newest tuple, and the highest extent it introduced
        self.since: Any = None  # of extents that finish at ``since`` or before, and after ``until``, nothing is asked:
        self.until: Any = None  # one key for all partitions, or one for each

    def introduce(self, sequence: Sequence, at: Positions) -> Extents | None:
        """Each tuple introduces the extents that it lies in and the tuple before it did not."""
        if not len(at):
            return None
        keys = self.keys(sequence, at)
        lowest, highest = self.numbers(keys)
        block, _ = sequence.blocks(at)
        known = np.empty_like(highest)  # the highest number introduced before, within the block
        known[1:], known[0] = highest[:-1], self.last[1]
        fresh = np.append(block[:1] != self.last[0], block[1:] != block[:-1])
        first = np.where(fresh, lowest, np.maximum(lowest, known + 1))
        self.last = (int(block[-1]), highest[-1])
        if self.since is not None:
            first = np.maximum(first, self._first_after(self.since, sequence, at))
        if self.until is not None:
            highest = np.minimum(highest, self._first_after(self.until, sequence, at) - 1)
        count = np.maximum(highest - first + 1, 0).astype(np.int64)
        start = np.repeat(at, count)
        offset = np.arange(len(start)) - np.repeat(np.cumsum(count) - count, count)
        begins, finishes = self.interval(np.repeat(first, count) + offset)
        return Extents(start, start, begins, finishes)

    def _first_after(self, key: Any, sequence: Sequence, at: Positions) -> Any:
        """The first extent that finishes after a key: the first that holds it."""
        first = self.numbers(np.atleast_1d(np.asarray(key, dtype=sequence.keys.dtype)))[0]
        return first[np.searchsorted(sequence.partition_starts, at, side="right") - 1] if np.ndim(key) else first

    def fresh(self, keys: Keys, begins: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """How many extents each tuple introduces, or more; ``begins`` where a partition does."""
        _, highest = self.numbers(keys)
        grows = np.append(self.per_tuple, np.diff(highest))
        grows = np.where(
            begins | ~(grows >= 0), self.per_tuple, np.minimum(grows, self.per_tuple)
        )  # NaN: an infinite key
        return grows.astype(np.int64)

    def ends(self, sequence: Sequence, block_end: Positions) -> Positions:
        return first_beyond(sequence, self.open, block_end)

    def keys(self, sequence: Sequence, at: Positions) -> Keys:
        """The attribute's values at the given positions."""
        return sequence.keys_at(at)

    @abstractmethod
    def numbers(self, keys: Keys) -> tuple[Any, Any]:
        """The lowest and the highest extent that holds each key."""

    @abstractmethod
    def interval(self, numbers: Any) -> tuple[Keys, Keys]:
        """The bounds [begin, finish) of extents."""

    @abstractmethod
    def panes(self, keys: Keys) -> Any:
        """A number per key that changes exactly where an extent begins or finishes."""


class Hops(Numbered):
    """Extent k is [origin + k*every, origin + k*every + size)."""

    def __init__(self, extent: Hop, key: OrderKey | None) -> None:
        super().__init__()
        if key is None:
            self.size, self.every, self.origin = int(extent.size), int(extent.every), 0  # type: ignore[arg-type]
        else:
            self.size = _exact(key, extent.size, f"{extent_name(extent)}: size")
            self.every = _exact(key, extent.every, f"{extent_name(extent)}: every")
            self.origin = key.origin(extent.origin)
            self.reach = self.size if key.is_float else self.size + self.every  # of 64 bits, also on the way
        self.step, self.per_tuple = self.every, math.ceil(self.size / self.every)
        self.has_holes = self.size < self.every

    def numbers(self, keys: Keys) -> tuple[Any, Any]:
        highest = floor_multiple(keys, self.every, self.origin)
        if keys.dtype == np.float64:
            lowest = np.floor((keys - self.origin - self.size) / self.every) + 1
            lowest -= grid(lowest - 1, self.every, self.origin, self.size) > keys
            return lowest + (grid(lowest, self.every, self.origin, self.size) <= keys), highest
        # floor((t - size) / every), computed from the remainder of t, so that t - size cannot overflow.
        remainder = (keys - np.int64(self.every) * highest) - np.int64(self.origin)
        return highest + (remainder - self.size) // self.every + 1, highest

    def interval(self, numbers: Any) -> tuple[Keys, Keys]:
        return grid(numbers, self.every, self.origin), grid(numbers, self.every, self.origin, self.size)

    def panes(self, keys: Keys) -> Any:
        """How many edges lie at or before each key."""
        number = floor_multiple(keys, self.every, self.origin)
        if self.size % self.every != 0:
            number = number + self.numbers(keys)[0]
        return number


class CountedHops(Hops):
    """Hops over the row number in the partition."""

    def __init__(self, extent: Hop) -> None:
        super().__init__(extent, None)

    def keys(self, sequence: Sequence, at: Positions) -> Keys:
        return at - sequence.partitions(at)[0]

    def ends(self, sequence: Sequence, block_end: Positions) -> Positions:
        assert self.open.finishes is not None and self.open.begins is not None
        partition, _ = sequence.partitions(np.maximum(self.open.start, sequence.base))
        return np.minimum(partition + self.open.finishes, block_end)


class Cumulations(Numbered):
    """Extent k grows from origin + (k // steps) * size; its end is (k % steps + 1) * every further on."""

    def __init__(self, extent: Cumulate, key: OrderKey) -> None:
        super().__init__()
        self.size = _exact(key, extent.size, "cumulate: size")
        self.every = _exact(key, extent.every, "cumulate: every")
        self.origin = key.origin(extent.origin)
        self.steps = self.per_tuple = round(self.size / self.every)
        self.reach, self.step = self.size, self.every

    def numbers(self, keys: Keys) -> tuple[Any, Any]:
        whole = floor_multiple(keys, self.size, self.origin)
        step = floor_multiple(keys, self.every, self.origin)
        return np.clip(step, whole * self.steps, (whole + 1) * self.steps - 1), (whole + 1) * self.steps - 1

    def interval(self, numbers: Any) -> tuple[Keys, Keys]:
        return grid(numbers // self.steps, self.size, self.origin), grid(numbers + 1, self.every, self.origin)

    def panes(self, keys: Keys) -> Any:
        return self.numbers(keys)[0]


class Sessions(ExtentFraming):
    """Maximal runs of tuples at most ``gap`` apart: each tuple keeps its session open until its time + gap, inclusive."""

    kept = ("seen", "open", "last")

    def __init__(self, extent: Session, key: OrderKey) -> None:
        super().__init__()
        self.gap = _exact(key, extent.gap, "session: gap")
        self.reach, self.step = math.ceil(self.gap), self.gap
        self.last: tuple[int, Keys | None] = (-1, None)  # the newest tuple's block, and until when its session is open
        self.clock = clock_of(extent, key)
        self.days, self.rest = extent.days, self.gap
        if self.clock is not None:
            day = self.clock.ticks * 86_400
            self.reach, self.rest = self.reach + 3 * day, self.gap - self.days * day

    def introduce(self, sequence: Sequence, at: Positions) -> Extents | None:
        """A session begins with a block, or more than ``gap`` after the tuple before."""
        if not len(at):
            return None
        keys = sequence.keys_at(at)
        block, _ = sequence.blocks(at)
        last_block, last_open = self.last
        fresh = np.append(block[:1] != last_block, block[1:] != block[:-1])
        until = self._open_until(keys, fresh, last_open)
        before = np.concatenate([keys[:1] if last_open is None else last_open, until[:-1]])
        begins = fresh | (keys > before)
        self.last = (int(block[-1]), until[-1:])
        # The finish of the session before each beginning is now known from its last tuple.
        starts = np.flatnonzero(begins)
        if len(self.open.start):
            cut = int(starts[0]) if len(starts) else len(keys)
            if cut > 0:
                self.open.finishes = until[cut - 1 : cut]
        ends = np.append(starts[1:], len(keys))[: len(starts)] - 1
        return Extents(at[starts], at[starts], keys[starts], until[ends])

    def _open_until(self, keys: Keys, fresh: Any, last_open: Keys | None) -> Keys:
        """Until when each tuple's session is open, judging by the tuples up to it."""
        if self.clock is None:
            return added(keys, self.gap)
        until = shifted(self.clock.days_later(keys, self.days), self.rest)
        if last_open is not None and not fresh[0]:
            until[0] = max(until[0], last_open[0])
        if ((until[1:] < until[:-1]) & ~fresh[1:]).any():
            # Where clocks skip an hour, an earlier tuple may keep its session open for longer than a later one.
            for own in np.split(until, np.flatnonzero(fresh)):
                np.maximum.accumulate(own, out=own)
        return until

    def ends(self, sequence: Sequence, block_end: Positions) -> Positions:
        return first_beyond(sequence, self.open, block_end, after=True)


def clock_of(extent: Session, key: OrderKey) -> Clock | None:
    """The clock for the days of a gap; None if a day is 24 hours."""
    if not extent.days or not pa.types.is_timestamp(key.type) or key.type.tz is None:
        return None
    try:
        zone = zone_of(key.type.tz)
    except UsageError:
        raise UsageError(
            f"session: gap has {extent.days} day{'s' if extent.days > 1 else ''} of the calendar, but the time zone "
            f"{key.type.tz!r} of {key.column!r} is not known to Python: write '{24 * extent.days} hours', or name a zone of the tz "
            "database"
        ) from None
    return None if isinstance(zone, timezone) else Clock(zone, TICKS[key.type.unit])


def _exact(key: OrderKey, size: Size, option: str) -> Any:
    return key.exact_distance(size, what=option)


def first_beyond(sequence: Sequence, extents: Extents, block_end: Positions, *, after: bool = False) -> Positions:
    """For each extent the first tuple at or after its finish."""
    assert extents.finishes is not None
    low = np.maximum(extents.start, sequence.base)
    return edges(sequence.keys, sequence.base, extents.finishes, low, block_end, after)
