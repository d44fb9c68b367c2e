"""A partition cut by its order into shards, and for each shard its halo: the tuples outside of it that its frames see.

::

    order values     1 2 2 3 | 5 5 6 8 | 9 9 11          cuts 5 and 9: a border never lies between peers
    RANGE 2 PREC.          3 | 5 5 6 8                   shard 1 with its halo: 5 - 2 <= value < 5
    ROWS 1 FOLL.               5 5 6 8 | 9 9             at least one tuple after it, judging by the sample

The quality of the cuts depends on the sample, but results are right for any cuts. For a distance the halo is arithmetic. For a
count it ends at a sampled value so far away that enough *sampled* tuples lie in between. These are tuples of the data, so the data
have at least as many (:mod:`inwindow.runtime.shards` counts them again).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.windows.grid import grid
from inwindow.windows.interval import Interval, Size, is_negative, is_positive
from inwindow.windows.order_key import Keys, OrderKey
from inwindow.windows.spec import Order, Range, Rows, Window

# Adding months may swap times of a month's last days, such as 30 March, 10:00, and 31 March, 9:00, less a month.
_SWAPPED = Interval(0, 4 * 86_400_000_000)


@dataclass(frozen=True)
class Reach:
    """How far the frames of some windows reach from their tuple, in tuples and in distances."""

    rows_before: int = 0
    rows_after: int = 0
    before: tuple[Size, ...] = ()  # all < 0
    after: tuple[Size, ...] = ()  # all > 0

    @property
    def looks_ahead(self) -> bool:
        """Whether some frame reaches beyond its tuple and its peers."""
        return bool(self.rows_after > 0 or self.after)

    @classmethod
    def of(cls, windows: Iterable[Window]) -> "Reach":
        """The largest reach of ROWS and RANGE frames; frames from the partition's start need no halo there."""
        rows_before = rows_after = 0
        before, after = set(), set()
        for window in windows:
            frame = window.frame
            assert isinstance(frame, (Rows, Range)) and frame.upper is not None
            if isinstance(frame, Rows):
                rows_before, rows_after = max(rows_before, -(frame.lower or 0)), max(rows_after, frame.upper)
                continue
            if frame.lower is not None and frame.lower != 0 and is_negative(frame.lower):
                before.add(frame.lower)
            if frame.upper != 0 and is_positive(frame.upper):
                after.add(frame.upper)
        return cls(rows_before, rows_after, tuple(before), tuple(after))


@dataclass(frozen=True)
class Shards:
    """Shards 0, 1, 2, ... of a partition; all values are order values of its column (doubles for a column of floats)."""

    order: Order
    sample: pa.Array  # sorted, without NULLs and NaNs
    cuts: tuple[pa.Scalar, ...]  # shard i + 1 begins with the peers of cuts[i]
    lows: tuple[pa.Scalar | None, ...]  # where the halo before shard i + 1 begins; None: with the partition
    highs: tuple[pa.Scalar | None, ...]  # the last value of the halo behind shard i; None: the partition's last
    reach: Reach
    doubled: float  # how many tuples are in halos, as a share of the partition, in the sample

    @property
    def count(self) -> int:
        """How many shards."""
        return len(self.cuts) + 1

    @property
    def rows_before(self) -> list[int]:
        """How many tuples the halo before each shard must have."""
        return [0, *(0 if low is None else self.reach.rows_before for low in self.lows)]

    @property
    def rows_after(self) -> list[int]:
        """How many tuples the halo behind each shard must have."""
        return [*(0 if high is None else self.reach.rows_after for high in self.highs), 0]


class Sampled:
    """Sorted order values of a partition; NULLs and NaNs before and after them are only counted."""

    def __init__(self, values: pa.Array, order: Order) -> None:
        self.order = order
        null = pc.is_null(values)
        nan = pc.fill_null(pc.is_nan(values), False) if pa.types.is_floating(values.type) else null
        nulls, nans = null.true_count, (nan.true_count if pa.types.is_floating(values.type) else 0)
        self.before = (nulls if order.nulls_first else 0) + (0 if order.ascending else nans)
        self.total = len(values)
        plain = values.filter(pc.invert(pc.or_(null, nan)))
        if pa.types.is_floating(values.type):
            plain = pc.add(pc.cast(plain, pa.float64()), 0.0)  # -0.0 is 0.0
        direction = "ascending" if order.ascending else "descending"
        self.plain = plain.take(pc.array_sort_indices(plain, order=direction))
        self.behind = self.total - self.before - len(plain)
        self.begins = np.zeros(0, dtype=np.int64)  # where peers begin
        if len(plain):
            new = pc.not_equal(self.plain.slice(1), self.plain.slice(0, len(plain) - 1))
            self.begins = np.append(0, np.flatnonzero(new.to_numpy(zero_copy_only=False)) + 1)

    def borders(self, count: int) -> list[int]:
        """Where to cut into ``count`` shards of about equal size, as indices of ``plain``; fewer if many values are equal."""
        chosen: set[int] = set()
        for number in range(1, count):
            target = number * self.total // count - self.before
            if not len(self.begins):
                break
            at = int(np.searchsorted(self.begins, target, side="right")) - 1
            near = [int(self.begins[i]) for i in (at, at + 1) if 0 <= i < len(self.begins)]
            border = min(near, key=lambda index: abs(index - target), default=0)
            if border + self.before > 0:
                chosen.add(border)
        return sorted(chosen)


def shards_of(
    sample: Sampled, count: int, reach: Reach, key: OrderKey | None, slot: tuple[Size, Any] | None = None
) -> Shards | None:
    """About ``count`` shards; None if the order values have no border.

    ``key`` is the order key, if there are distances. ``slot`` is (slide, origin), if tuples yield by slots of order values:
    then every border is a border of a slot.
    """
    borders = sample.borders(count)
    if key is None:
        cuts: list[Any] = [sample.plain[at] for at in borders]
        lows = [_at(sample.plain, at - reach.rows_before) for at in borders]
        highs = [_at(sample.plain, at + reach.rows_after - 1) for at in borders]
        first = [max(at - reach.rows_before, 0) for at in borders]
        last = [min(at + reach.rows_after, len(sample.plain)) for at in borders]
    else:
        keys, _ = key.read(sample.plain)
        edges = keys[borders]
        if slot is not None:
            begins = grid(key.slots(edges, *slot), key.exact_distance(slot[0], what="slide"), key.origin(slot[1]))
            edges = np.unique(begins[begins <= edges])  # near the end of 64 bits one may wrap around
            borders = np.searchsorted(keys, edges).tolist()
        cuts = [_value(key, edge) for edge in edges]
        kept = [i for i, at in enumerate(borders) if at + sample.before > 0 and cuts[i] is not None]
        borders, cuts, edges = [borders[i] for i in kept], [cuts[i] for i in kept], edges[kept]
        low, high = _halo(keys, edges, borders, reach, key)
        lows = [_value(key, k) if at >= reach.rows_before else None for k, at in zip(low, borders, strict=True)]
        enough = len(keys) - reach.rows_after
        highs = [_value(key, k) if at <= enough else None for k, at in zip(high, borders, strict=True)]
        first = np.searchsorted(keys, low).tolist()
        last = np.searchsorted(keys, high, side="right").tolist()
    if not cuts or not all(map(_can_be_said, cuts)):
        return None
    doubled = 0
    for i, at in enumerate(borders):
        doubled += at - first[i] if lows[i] is not None else at + sample.before
        if reach.looks_ahead:
            doubled += last[i] - at if highs[i] is not None else len(sample.plain) - at + sample.behind
    return Shards(sample.order, sample.plain, tuple(cuts), tuple(lows), tuple(highs), reach, doubled / sample.total)


def _halo(keys: Keys, edges: Keys, borders: list[int], reach: Reach, key: OrderKey) -> tuple[Keys, Keys]:
    """The first key of the halo before each edge, and the last key of the halo after it; both ascend."""
    at = np.array(borders, dtype=np.int64)
    low = [edges, keys[np.maximum(at - reach.rows_before, 0)]]
    low += [_moved(key, edges, offset, back=True) for offset in reach.before]
    high = [edges, keys[np.clip(at + reach.rows_after - 1, 0, len(keys) - 1)]]
    high += [_moved(key, edges, offset, back=False) for offset in reach.after]
    lowest, highest = np.minimum.reduce(low), np.maximum.reduce(high)
    return np.minimum.accumulate(lowest[::-1])[::-1], np.maximum.accumulate(highest)


def _moved(key: OrderKey, edges: Keys, offset: Size, *, back: bool) -> Keys:
    moved = key.moved(edges, offset, lower=back, what="the frame's bound")
    if isinstance(offset, Interval) and offset.months:
        moved = key.moved(moved, -_SWAPPED if back else _SWAPPED, lower=back, what="the frame's bound")
    return moved


def _value(key: OrderKey, edge: Any) -> pa.Scalar | None:
    """A key as an order value; None if it is beyond the type, or the years 1 to 9999, and so beyond all tuples."""
    original = key.original(np.array([edge]))
    if key.is_float:
        return pa.scalar(float(original[0]))
    try:
        value = key.column_of(original)
    except (pa.ArrowException, ArithmeticError):
        return None
    return value[0] if key.read(value)[0][0] == edge and _can_be_said(value[0]) else None


def _can_be_said(value: pa.Scalar) -> bool:
    """Whether Python can represent the value; it has no dates after the year 9999."""
    try:
        value.as_py()
    except (OverflowError, ValueError):
        return False
    return True


def _at(values: pa.Array, index: int) -> pa.Scalar | None:
    return values[index] if 0 <= index < len(values) else None
