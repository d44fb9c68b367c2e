"""Sessions in which each tuple has its own end: in a column (``until``), or by a gap in a column.

::

    since  1          4      6                20        each tuple keeps its session open until its own end
    until     9         5         11             21     the latest end so far counts, not the end of the newest tuple
    session  [1 ------------------ 11)        [20, 21)

A tuple that begins exactly at the end of a session is in it, because intervals that meet form one run. A tuple is in no session
if its beginning or its gap is NULL, or if it ends where it begins. If its ``until`` is NULL, it never ends, and neither does
its session.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._bounds import shifted
from inwindow.udaf.errors import DataError, UnknownColumnError, UsageError
from inwindow.windows.extent_bounds import ExtentFraming, Extents, first_beyond
from inwindow.windows.neighbours import Mask
from inwindow.windows.order_key import PLAIN, Keys, OrderKey
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.spec import Session

_NEVER = np.iinfo(np.int64).max  # the key of an end that does not come


def check_own_ends(extent: Session, schema: pa.Schema, key: OrderKey) -> None:
    """Check that the column of ends or gaps fits the column of beginnings."""
    for name in own_columns(extent):
        if name not in schema.names:
            raise UnknownColumnError(f"session: there is no column {name!r}: there are {', '.join(schema.names)}")
    if key.is_float:
        raise UsageError(
            f"session({key.column!r}, ...) is of type {key.type}: ends are exact: cast it to an integer or a decimal"
        )
    if extent.until is not None and schema.field(extent.until).type != key.type:
        raise UsageError(
            f"session: until={extent.until!r} is of type {schema.field(extent.until).type}, but {key.column!r} of type {key.type}: "
            "cast one of them"
        )
    if extent.own_gap is not None:
        kind = schema.field(extent.own_gap).type
        is_time = pa.types.is_timestamp(key.type)
        if is_time != pa.types.is_duration(kind) or not (is_time or pa.types.is_integer(kind) or kind == key.type):
            wanted = "a duration (a day-time interval)" if is_time else f"an integer, or of type {key.type}"
            raise UsageError(
                f"session: gap={extent.own_gap!r} is of type {kind}, but with {key.column!r} of type {key.type} it must be "
                f"{wanted}: cast it"
            )


def own_columns(extent: object) -> tuple[str, ...]:
    """The columns besides the attribute that an extent is made of."""
    if not isinstance(extent, Session):
        return ()
    return tuple(name for name in (extent.until, extent.own_gap) if name is not None)


class OwnEnds(ExtentFraming):
    """Maximal runs of tuples: each begins no later than the latest end of the tuples before it."""

    kept = ("seen", "open", "last")

    def __init__(self, extent: Session, key: OrderKey) -> None:
        super().__init__()
        self.extent, self.key = extent, key
        self.gap = 0 if not extent.gap else int(key.exact_distance(extent.gap, what="session: gap"))
        self.ends_taken: list[Keys] = []  # of tuples that were not introduced yet
        self.last: tuple[int, Keys | None] = (-1, None)  # the newest tuple's block, and until when its session is open

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read besides the beginning."""
        return own_columns(self.extent)

    def lasting(self, batch: pa.RecordBatch) -> Mask:
        """Which tuples are in a session; their ends are kept, until the tuples are introduced."""
        lasts, end = self.lasting_until(batch)
        self.ends_taken.append(shifted(end[lasts], self.gap) if self.gap else end[lasts])
        return lasts

    def lasting_until(self, batch: pa.RecordBatch) -> tuple[Mask, Keys]:
        """Which tuples are in a session, and the own end of each."""
        begin, side = self.key.read(batch.column(self.extent.on))
        end = self._ends(batch, begin)
        wrong = (begin > end) & (side == PLAIN) if self.extent.until is not None else np.zeros(len(begin), dtype=bool)
        if wrong.any():
            row = int(np.argmax(wrong))
            since, until = (batch.column(name)[row].as_py() for name in (self.extent.on, self.extent.until))
            raise DataError(
                f"session: a tuple is from {since} until {until}, but it cannot end before it begins: swap the ends, or filter "
                "such tuples out"
            )
        lasts: Mask = (begin < end) & (side == PLAIN)
        return lasts, end

    def _ends(self, batch: pa.RecordBatch, begin: Keys) -> Keys:
        if self.extent.until is not None:
            ends, side = self.key.read(batch.column(self.extent.until))
            return np.where(side == PLAIN, ends, _NEVER)
        assert self.extent.own_gap is not None
        gaps = batch.column(self.extent.own_gap)
        if pa.types.is_duration(gaps.type):
            gaps = pc.cast(gaps, pa.duration(self.key.type.unit)).view(pa.int64())
        elif pa.types.is_decimal(gaps.type):
            gaps = pa.array(
                OrderKey("gap", gaps.type).ascending_keys(gaps), mask=pc.is_null(gaps).to_numpy(zero_copy_only=False)
            )
        length = np.maximum(pc.fill_null(pc.cast(gaps, pa.int64()), 0).to_numpy(), 0)
        ends = begin + length
        return np.where(ends < begin, _NEVER, ends)

    def introduce(self, sequence: Sequence, at: Positions) -> Extents | None:
        """A session begins with a partition, or behind all ends before it."""
        if not len(at):
            return None
        keys, (block, _) = sequence.keys_at(at), sequence.blocks(at)
        ends, self.ends_taken = np.concatenate(self.ends_taken), []
        last_block, last_open = self.last
        fresh = np.append(block[:1] != last_block, block[1:] != block[:-1])
        if last_open is not None and not fresh[0]:
            ends[0] = max(ends[0], last_open[0])
        ends = _running_maximum(ends, np.flatnonzero(fresh))
        before = np.concatenate([keys[:1] if last_open is None else last_open, ends[:-1]])
        starts = np.flatnonzero(fresh | (keys > before))
        self.last = (int(block[-1]), ends[-1:])
        if len(self.open.start):  # how long the tuples before the first beginning keep the open session open
            cut = int(starts[0]) if len(starts) else len(keys)
            if cut > 0:
                self.open.finishes = ends[cut - 1 : cut]
        newest = np.append(starts[1:], len(keys))[: len(starts)] - 1
        return Extents(at[starts], at[starts], keys[starts], ends[newest])

    def ends(self, sequence: Sequence, block_end: Positions) -> Positions:
        """The first tuple that begins behind the session's end."""
        return first_beyond(sequence, self.open, block_end, after=True)

    def bounds_of(self, keys: Keys) -> pa.Array:
        """Begins or finishes as a column; NULL where a session does not end."""
        endless = keys == _NEVER
        if not endless.any():
            return self.key.bounds_of(keys)
        bounds = self.key.bounds_of(np.where(endless, 0, keys))
        return pc.if_else(pa.array(endless), pa.scalar(None, bounds.type), bounds)


def _running_maximum(ends: Keys, begins: Positions) -> Keys:
    """The latest end so far, from each of some positions on."""
    if not begins.any():  # none but the first position
        return np.maximum.accumulate(ends)
    # Ranks cannot overflow: the ranks of a partition are above all ranks of the one before.
    order = np.argsort(ends, kind="stable")
    rank = np.empty(len(ends), dtype=np.int64)
    rank[order] = np.arange(len(ends))
    number = np.zeros(len(ends), dtype=np.int64)
    number[begins] = 1
    lifted = rank + np.cumsum(number) * len(ends)
    return ends[order][np.maximum.accumulate(lifted) % len(ends)]
