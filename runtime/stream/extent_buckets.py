"""A bucket that gives a row per (partition, extent), once no tuple of the extent can still come.

::

    watermark          before                 now
    extents        [ ........ )  gone
                       [ ........ )           closes: its tuples are sorted and folded, once
                            [ ........ )      open: its tuples are held, as they came

An extent [start, end) closes when the watermark reaches its end; a session when it has passed it, for a tuple at its
end joins. An extent that counts tuples closes with its last tuple.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.plan import Pass
from inwindow.runtime.group_operator import GroupOperator
from inwindow.runtime.ordering import order_levels, permutation, sorted_by
from inwindow.runtime.stream.bucket import Bucket, whole
from inwindow.runtime.stream.log import Log
from inwindow.runtime.stream.waiting import OWN, WaitingBucket
from inwindow.runtime.unpacked import empty_table
from inwindow.windows.extent_bounds import Extents, Numbered, Sessions, extents_of
from inwindow.windows.order_key import Keys, OrderKey
from inwindow.windows.sequence import Positions
from inwindow.windows.spec import Hop, Order, Session


class ClosingGroups(GroupOperator):
    """The extents whose end lies in (since, until], partition by partition; the others are not evaluated.

    With ``fresh``, a mark per tuple, those that hold a marked tuple are: early results, and corrections of them.
    """

    def __init__(self, work: Pass, schema: pa.Schema, since: Any, until: Any, fresh: Any = None) -> None:
        super().__init__(work, schema)
        self.framing: Any
        self.since, self.until, self.fresh = since, until, fresh
        self.cut: Numbered | None = None
        if isinstance(self.framing, Numbered) and fresh is None:
            self.cut = self.framing  # the others are not so much as found: a tuple may lie in very many
            self.cut.since, self.cut.until = since, until
        self.open_from: Positions | None = None  # per tuple's position: what extents that are still open hold

    def over(self, table: pa.Table) -> pa.RecordBatch:
        """The rows of the extents that close, over tuples in order, all of them at once."""
        self._append(whole(table))
        self.sequence.ended = True
        return self._advance()

    def complete(self) -> Extents:
        """Those that close; of the others, what they hold is noted."""
        extents = super().complete()
        assert extents.finishes is not None
        since, until = (self._at(extents.start, bound) for bound in (self.since, self.until))
        # Of a session, a tuple at its end may still come when the watermark has reached it, but not passed it.
        lingers = int(isinstance(self.work.extent, Session))
        is_open = extents.finishes + lingers > until
        self.open_from = _in_some(extents, is_open, self.sequence.end) if self.cut is None else self._in_open(self.cut)
        if self.fresh is None:
            gives = ~is_open if since is None else ~is_open & (extents.finishes + lingers > since)
        else:
            before = np.append(0, np.cumsum(self.fresh))
            gives = before[extents.end] > before[extents.start]
            gives &= True if since is None else extents.finishes > since
        return Extents(*(None if column is None else column[gives] for column in extents.columns()))  # type: ignore[arg-type]

    def _in_open(self, framing: Numbered) -> Positions:
        """The tuples whose last extent is still open."""
        at = np.arange(self.sequence.end)
        lowest, highest = framing.numbers(framing.keys(self.sequence, at))
        last: Positions = np.flatnonzero(
            (lowest <= highest) & (framing.interval(highest)[1] > self._at(at, self.until))
        )
        return last

    def _at(self, positions: Positions, bound: Any) -> Any:
        """A bound that each partition has its own of, for the partitions of some positions."""
        if not np.ndim(bound):
            return bound
        return np.asarray(bound)[np.searchsorted(self.sequence.partition_starts, positions, side="right") - 1]


def _in_some(extents: Extents, which: npt.NDArray[np.bool_], count: int) -> Positions:
    """The positions that lie in some of the extents."""
    held = np.zeros(count + 1, dtype=np.int64)
    np.add.at(held, extents.start[which], 1)
    np.add.at(held, extents.end[which], -1)
    return np.flatnonzero(np.cumsum(held)[:-1])


class ExtentBucket(Bucket):
    """Extents by time: tuples are held as they came, and put in order when an extent that holds them closes."""

    rows = "one for each extent"

    def __init__(self, work: Pass, schema: pa.Schema, **at: Any) -> None:
        log = Log(pa.schema([*schema, pa.field(OWN, pa.int64())]), OWN)  # numbered as they came
        super().__init__(work, schema, "group_by().window()", log, **at)
        assert work.key is not None
        self.framing: Any = extents_of(work.extent, work.key)
        self.schema = GroupOperator(work, schema).schema

    def begin(self, label: int | None = None) -> None:
        """No extent has been closed."""
        super().begin(label)
        self.closed: int | None = None  # the watermark at which extents were closed last

    @property
    def waiting(self) -> int:
        """All that is held waits for its extents to end."""
        return len(self.held)

    @property
    def live(self) -> int:
        """All that is held is in an open extent."""
        return len(self.held)

    def take(self, table: pa.Table, times: Keys) -> pa.RecordBatch:
        """Hold the tuples; close what the watermark has reached."""
        if len(table):
            self.held = pa.concat_tables([self.held, self.numbered(table)])
        if self.done is None or self.done == self.closed or not len(self.held):
            self.closed = self.done
            return whole(empty_table(self.schema))
        since, self.closed = self.closed, self.done
        closing, staying = self._cut()
        table = self.held if closing is None else self.held.filter(pa.array(closing))
        rows = whole(empty_table(self.schema))
        order = open_rows = None
        if len(table):
            order = permutation(table, self.work)
            table = table if order is None else table.take(pa.array(order))
            operator = ClosingGroups(self.work, self.columns, since, self.done)
            rows = operator.over(table.select(self.columns.names))
            open_rows = operator.open_from
        if staying is not None:
            self.held = self.held.filter(pa.array(staying)).combine_chunks()
        elif open_rows is not None:
            self.held = self.held.take(pa.array(open_rows if order is None else np.sort(order[open_rows])))
        return rows

    def numbered(self, table: pa.Table) -> pa.Table:
        """New tuples, to be held behind the others."""
        after = pc.max(self.held.column(OWN)).as_py()
        numbers = np.arange(len(table)) + (0 if after is None else after + 1)
        return self.log.addressed(table.append_column(OWN, pa.array(numbers)))

    def _cut(self) -> tuple[npt.NDArray[np.bool_] | None, npt.NDArray[np.bool_] | None]:
        """Which held tuples are in an extent that closes now, and which in one that stays open; None: only the order will say."""
        if isinstance(self.framing, Sessions):
            return None, None
        keys, _ = self.times(self.held)
        assert self.work.key is not None
        if len(keys):
            self.framing.check_room(self.work.key, keys)
        lowest, highest = self.framing.numbers(keys)
        within = lowest <= highest
        first, last = self.framing.interval(lowest)[1], self.framing.interval(highest)[1]
        return within & (first <= self.done), within & (last > self.done)

    def tables(self) -> dict[str, pa.Table]:
        """How far extents have been closed."""
        return {"closed": pa.table({"closed": pa.array([self.closed], pa.int64())})}

    def take_tables(self, tables: dict[str, pa.Table]) -> None:
        """The inverse of :meth:`tables`."""
        self.closed = tables["closed"].column(0)[0].as_py()


class CountedExtentBucket(WaitingBucket):
    """Extents of tuples counted within the keys: the number of a tuple in its partition is the attribute."""

    rows = "one for each extent"

    def __init__(self, work: Pass, schema: pa.Schema, **at: Any) -> None:
        super().__init__(work, schema, "group_by().window()", **at)
        extent = work.extent
        assert isinstance(extent, Hop)
        number = Order(OWN)
        self.counted = pa.schema([*schema, pa.field(OWN, pa.int64())])
        self.counting = replace(
            work, order_by=(number,), extent=replace(extent, on=OWN, rows=False), key=OrderKey(OWN, pa.int64())
        )
        self.framing: Any = extents_of(self.counting.extent, self.counting.key)
        self.schema = GroupOperator(work, schema).schema

    def take(self, table: pa.Table, times: Keys) -> pa.RecordBatch:
        """Number the ripe tuples; close the extents that they fill."""
        fresh, _ = self.released(table, times)
        if not len(fresh):
            return whole(empty_table(self.schema))
        order = permutation(fresh, self.work)
        fresh = fresh if order is None else fresh.take(pa.array(order))
        which = self.memory.numbers_of(fresh)
        starts = np.flatnonzero(np.append(True, which[1:] != which[:-1]))
        sizes = np.diff(np.append(starts, len(which)))
        before = self.memory.next_of(which[starts])
        own = np.arange(len(which)) + np.repeat(before - starts, sizes)
        keys = self.memory.keys_of(whole(fresh), starts)
        self.memory.update(
            which[starts], keys, before + sizes, before, [None] * len(starts), np.ones(len(starts), dtype=bool)
        )
        fresh = self.log.addressed(fresh.append_column(OWN, pa.array(own)))
        return self._close(pa.concat_tables([self.held, fresh]))

    def _close(self, table: pa.Table) -> pa.RecordBatch:
        which = self.memory.numbers_of(table)
        # By remembered keys: held tuples may come back in any order of them.
        order = sorted_by([(pa.array(which), True, True), *order_levels(table.column(OWN), Order(OWN))])
        if order is not None:
            table, which = table.take(pa.array(order)), which[order]
        starts = np.flatnonzero(np.append(True, which[1:] != which[:-1]))
        since, until = self.memory.need_of(which[starts]), self.memory.next_of(which[starts])
        operator = ClosingGroups(self.counting, self.counted, since, until)
        rows = operator.over(table.select(self.counted.names))
        assert operator.open_from is not None
        self.held = table.take(pa.array(operator.open_from))
        keys = self.memory.keys_of(whole(table), starts)
        self.memory.update(which[starts], keys, until, until, [None] * len(starts), np.ones(len(starts), dtype=bool))
        return rows.cast(self.schema) if rows.schema != self.schema else rows


class UpdatedExtentBucket(ExtentBucket):
    """Extents by time, given whenever a tuple has come for them: early results and corrections; the last one is final."""

    rows = "one for each extent, and early ones"

    def take(self, table: pa.Table, times: Keys) -> pa.RecordBatch:
        """Hold the tuples; give the extents that they are in; let go of what the watermark has closed."""
        fresh = np.repeat([False, True], [len(self.held), len(table)])
        held = pa.concat_tables([self.held, self.numbered(table)])
        since, self.closed = self.closed, self.done
        if not len(held):
            return whole(empty_table(self.schema))
        order = permutation(held, self.work)
        if order is not None:
            held, fresh = held.take(pa.array(order)), fresh[order]
        operator = ClosingGroups(self.work, self.columns, since, _NEVER if self.done is None else self.done, fresh)
        rows = operator.over(held.select(self.columns.names))
        assert operator.open_from is not None
        self.held = held if self.done is None else held.take(pa.array(operator.open_from))
        return rows


_NEVER = np.iinfo(np.int64).min


def extent_bucket(work: Pass, schema: pa.Schema, *, early: bool = False, **at: Any) -> Bucket:
    """The bucket of a pass over extents; ``early`` where their results are wanted before they are final."""
    return kind_of(work, early=early)(work, schema, **at)


def kind_of(work: Pass, *, early: bool) -> type[Bucket]:
    """The class of its buckets."""
    if isinstance(work.extent, Hop) and work.extent.rows:
        return CountedExtentBucket
    return UpdatedExtentBucket if early else ExtentBucket
