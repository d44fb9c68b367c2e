"""Buckets that emit a row per (partition, extent), once no tuple of the extent can still arrive.

::

    watermark          before                 now
    extents        [ ........ )  closed before
                       [ ........ )           closes now: its tuples are sorted and folded, once
                            [ ........ )      open: its tuples are held in the order of arrival

A frontier (`windows/frontier.py`) says which extents close, and which tuples the open extents hold. An extent that counts tuples
closes with its last tuple.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.plan import Pass
from inwindow.runtime.dictionaries import canonical_keys
from inwindow.runtime.group_operator import GroupOperator
from inwindow.runtime.guard import hiding
from inwindow.runtime.guarded import Guarded
from inwindow.runtime.ordering import partition_numbers, sorted_by
from inwindow.runtime.reserved import hidden_of
from inwindow.runtime.stream.bucket import Bucket, whole
from inwindow.runtime.stream.log import Log
from inwindow.runtime.stream.waiting import OWN, WaitingBucket
from inwindow.windows.extent_bounds import Extents, Numbered, Sessions
from inwindow.windows.extent_framings import extents_of
from inwindow.windows.frontier import Closing, due_and_open
from inwindow.windows.neighbours import Mask
from inwindow.windows.order_key import Keys, OrderKey
from inwindow.windows.own_ends import OwnEnds
from inwindow.windows.sequence import OpenSequence, Positions
from inwindow.windows.spec import Hop, Order

_RUNS = (Sessions, OwnEnds)  # extents whose bounds depend on the tuples in them


class ClosingGroups(GroupOperator):
    """Evaluates the extents that a frontier gives, and no others, over tuples of several partitions, one after the other."""

    def __init__(self, work: Pass, schema: pa.Schema, closing: Closing) -> None:
        extent = work.extent
        if isinstance(extent, Hop) and extent.fill is not None:
            work = replace(work, extent=replace(extent, fill=None))  # the bucket fills
        super().__init__(work, schema)
        self.closing = closing
        self.open_tuples: Positions = np.zeros(
            0, dtype=np.int64
        )  # the tuples that open extents hold, if only the extents say so
        if isinstance(self.framing, Numbered) and closing.fresh is None:
            # The other extents are not even computed: a tuple may lie in very many.
            self.framing.since, self.framing.until = closing.since, closing.until

    def rows_over(self, batch: pa.RecordBatch, sequence: OpenSequence) -> pa.RecordBatch:
        """The rows of the extents, over all tuples at once."""
        self.buffer.append(batch)
        self.sequence = sequence
        self.sequence.ended = True
        if isinstance(self.framing, OwnEnds):
            self.framing.lasting(batch)  # all of them last: the bucket holds no others
        starts = sequence.partition_starts
        self.keys.append(starts, [canonical_keys(batch.column(name).take(pa.array(starts))) for name in self.given])
        return self._advance()

    def hidden(self) -> dict[str, list[int]]:
        """For each step, the positions on which its hooks have raised."""
        pairs = zip(self.work.steps, self.evaluators, strict=True)
        return {hidden_of(step.name): its.guard.take_hidden() for step, its in pairs if isinstance(its, Guarded)}

    def complete(self) -> Extents:
        extents = super().complete()
        if isinstance(self.framing, _RUNS):
            self.open_tuples = extents.where(self.closing.is_open(extents, self.sequence)).positions()
        return extents.where(self.closing.gives(extents, self.sequence))


def side_by_side(work: Pass, number: Positions, keys: Keys) -> OpenSequence:
    """The sequence of tuples in the order of partition numbers and order keys."""
    starts = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
    own = np.arange(len(number)) - np.repeat(starts, np.diff(np.append(starts, len(number))))
    return OpenSequence(work.key, work.peers, own, starts, [], keys)


def unhidden(table: pa.Table, flags: tuple[str, ...]) -> pa.Table:
    """New tuples, which no hook has seen."""
    for flag in flags:
        table = table.append_column(flag, pa.array(np.zeros(len(table), dtype=bool)))
    return table


def with_flags(table: pa.Table, flag: str, more: Mask) -> pa.Table:
    """The tuples, of which some more have a flag."""
    at = table.schema.get_field_index(flag)
    return table.set_column(at, flag, pa.array(table.column(flag).to_numpy() | more))


class ExtentBucket(Bucket):
    """Extents by time: tuples are held as they arrived, and sorted when an extent that contains them closes."""

    rows = "one for each extent"
    can_evolve = True

    def __init__(self, work: Pass, schema: pa.Schema, **at: Any) -> None:
        self.hiding = hiding(work)
        marks = [pa.field(name, pa.bool_()) for name in self.hiding]
        log = Log(pa.schema([*schema, pa.field(OWN, pa.int64()), *marks]), OWN, self.hiding)  # numbered as they came
        super().__init__(work, schema, "group_by().window()", log, **at)
        assert work.key is not None
        self.framing: Any = extents_of(work.extent, work.key)
        self.schema = GroupOperator(work, schema).schema

    def begin(self, label: int | None = None) -> None:
        super().begin(label)
        self.closed: int | None = None  # the watermark at which extents were closed last
        self.hidden: dict[
            str, list[int]
        ] = {}  # by the column that says so: numbers of tuples on which hooks have raised

    @property
    def waiting(self) -> int:
        """All held tuples: they wait for their extents to end."""
        return len(self.held)

    @property
    def live(self) -> int:
        """All held tuples: they are in open extents."""
        return len(self.held)

    def take(self, table: pa.Table, times: Keys) -> pa.RecordBatch:
        """Hold the tuples; close the extents that the watermark has reached."""
        if isinstance(self.framing, OwnEnds) and len(table):
            lasts, _ = self.framing.lasting_until(whole(table))
            table, times = table.filter(pa.array(lasts)), times[lasts]
        since, self.closed = self.closed, self.done
        if self.done is None or self.done == since or not (len(self.held) or len(table)):
            self.held = pa.concat_tables([self.held, self.numbered(table)]) if len(table) else self.held
            return self.no_rows
        times = np.append(self.times(self.held)[0], times)
        held = pa.concat_tables([self.held, self.numbered(table)])
        closing = Closing(since, self.done, lingers=isinstance(self.framing, _RUNS))
        if isinstance(self.framing, _RUNS):
            rows, staying = self._close(held, times, closing)
            self.held = self.hide(held.take(pa.array(np.sort(staying))))
            return rows
        due, is_open = self._due_and_open(times, self.done)
        rows, _ = self._close(held.filter(pa.array(due)), times[due], closing)
        self.held = self.hide(held.filter(pa.array(is_open)).combine_chunks())
        return rows

    def numbered(self, table: pa.Table) -> pa.Table:
        """New tuples with their numbers, to be held after the others."""
        after = pc.max(self.held.column(OWN)).as_py()
        numbers = np.arange(len(table)) + (0 if after is None else after + 1)
        return self.log.addressed(unhidden(table.append_column(OWN, pa.array(numbers)), self.hiding))

    def hide(self, held: pa.Table) -> pa.Table:
        """The tuples to be held, with what is known of hooks that have raised on them."""
        for flag, numbers in self.hidden.items():
            its = np.isin(held.column(OWN).to_numpy(), np.array(numbers, dtype=np.int64))
            held = with_flags(held, flag, its)
        self.hidden = {}
        return held

    def _due_and_open(self, times: Keys, until: int) -> tuple[Mask, Mask]:
        assert self.work.key is not None
        if len(times):
            self.framing.check_room(self.work.key, times)
        return due_and_open(self.framing, times, until)

    def _close(self, table: pa.Table, times: Keys, closing: Closing) -> tuple[pa.RecordBatch, Positions]:
        """The rows of the extents that the frontier gives, and which tuples open sessions hold."""
        if not len(table):
            return self.no_rows, np.zeros(0, dtype=np.int64)
        by = self.work.partition_by
        number = partition_numbers([table.column(name) for name in by]) if by else np.zeros(len(table), dtype=np.int64)
        order = sorted_by([(pa.array(number), True, True), (pa.array(times), True, True)])
        if order is not None:
            table, number, times, closing = (
                table.take(pa.array(order)),
                number[order],
                times[order],
                closing.over(order),
            )
        operator = ClosingGroups(self.work, self.columns, closing)
        batch = whole(table.select([*self.columns.names, *self.hiding]))
        rows = operator.rows_over(batch, side_by_side(self.work, number, times))
        own = table.column(OWN).to_numpy()
        for flag, its in operator.hidden().items():
            self.hidden.setdefault(flag, []).extend(own[its].tolist())
        return rows, operator.open_tuples if order is None else order[operator.open_tuples]

    def tables(self) -> dict[str, pa.Table]:
        return {"closed": pa.table({"closed": pa.array([self.closed], pa.int64())})}

    def take_tables(self, tables: dict[str, pa.Table]) -> None:
        self.closed = tables["closed"].column(0)[0].as_py()


class CountedExtentBucket(WaitingBucket):
    """Extents of tuples counted within the keys: the number of a tuple in its partition is the attribute."""

    rows = "one for each extent"
    can_evolve = True

    def __init__(self, work: Pass, schema: pa.Schema, **at: Any) -> None:
        self.hiding = hiding(work)
        super().__init__(work, schema, "group_by().window()", self.hiding, **at)
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
        """Number the tuples that the watermark has passed; close the extents that they fill."""
        fresh, times = self.released(table, times)
        if not len(fresh):
            return self.no_rows
        which = self.memory.numbers_of(fresh)
        order = sorted_by([(pa.array(which), True, True), (pa.array(times), True, True)])
        if order is not None:
            fresh, which = fresh.take(pa.array(order)), which[order]
        starts = np.flatnonzero(np.append(True, which[1:] != which[:-1]))
        sizes = np.diff(np.append(starts, len(which)))
        before = self.memory.next_of(which[starts])
        own = np.arange(len(which)) + np.repeat(before - starts, sizes)
        self._remember(fresh, which, starts, before + sizes, before)
        fresh = self.log.addressed(unhidden(fresh.append_column(OWN, pa.array(own)), self.hiding))
        return self._close(pa.concat_tables([self.held, fresh]))

    def _close(self, table: pa.Table) -> pa.RecordBatch:
        # By the numbers of remembered keys: the keys of held tuples may come back in any order.
        which, own = self.memory.numbers_of(table), table.column(OWN).to_numpy()
        order = sorted_by([(pa.array(which), True, True), (pa.array(own), True, True)])
        if order is not None:
            table, which, own = table.take(pa.array(order)), which[order], own[order]
        sequence = side_by_side(self.counting, which, own)
        starts = sequence.partition_starts
        since, until = self.memory.need_of(which[starts]), self.memory.next_of(which[starts])
        _, is_open = due_and_open(self.framing, own, self.memory.next_of(which))
        operator = ClosingGroups(self.counting, self.counted, Closing(since, until))
        rows = operator.rows_over(whole(table.select([*self.counted.names, *self.hiding])), sequence)
        for flag, its in operator.hidden().items():
            hidden = np.zeros(len(table), dtype=bool)
            hidden[its] = True
            table = with_flags(table, flag, hidden)
        self.held = table.filter(pa.array(is_open))
        self._remember(table, which, starts, until, until)
        return rows.cast(self.schema) if rows.schema != self.schema else rows

    def _remember(
        self, table: pa.Table, which: Positions, starts: Positions, counts: Positions, closed: Positions
    ) -> None:
        """Remember for each key how many tuples it has had, and how many when extents were last closed."""
        keys, every = self.memory.keys_of(whole(table), starts), np.ones(len(starts), dtype=bool)
        self.memory.update(which[starts], keys, counts, closed, [None] * len(starts), every)


class UpdatedExtentBucket(ExtentBucket):
    """Extents by time, emitted each time they get a tuple: early results and corrections; the last row is final."""

    rows = "one for each extent, and early ones"

    def take(self, table: pa.Table, times: Keys) -> pa.RecordBatch:
        """Hold the tuples; emit the extents that contain them; forget the extents that the watermark has closed."""
        since, self.closed = self.closed, self.done
        fresh = np.repeat([False, True], [len(self.held), len(table)])
        times = np.append(self.times(self.held)[0], times)
        held = pa.concat_tables([self.held, self.numbered(table)])
        until = _NEVER if self.done is None else self.done
        rows, _ = self._close(held, times, Closing(since, until, fresh=fresh))
        self.held = self.hide(held if self.done is None else held.filter(pa.array(self._due_and_open(times, until)[1])))
        return rows


_NEVER = np.iinfo(np.int64).min
