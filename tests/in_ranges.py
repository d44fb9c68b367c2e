"""Cut a local table into ranges with halos, as Spark's expressions do: plain comparisons with cuts, lows and highs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native.levels import ranks as ranks_of
from inwindow.optimizer.hot_keys import in_ranges
from inwindow.optimizer.plan import Halo, Pass
from inwindow.runtime.halo import HaloCheck
from inwindow.runtime.operator import Operator
from inwindow.runtime.ordering import order_levels, permutation
from inwindow.runtime.panes_first import PaneReducer
from inwindow.runtime.reserved import DIGEST, HALO, RANGE
from inwindow.runtime.shard_frames import CarriedCheck
from inwindow.runtime.shard_partials import carried, panes_of_ranges
from inwindow.windows.shards import Ranges


def memberships(values: pa.Array, ranges: Ranges) -> Iterator[tuple[int, int, int]]:
    """(row, range, mark) of every copy of every row."""
    bounds = [*ranges.cuts, *ranges.lows, *ranges.highs]
    if pa.types.is_floating(values.type):
        values = values.cast(pa.float64())
    literals = pa.array([None if bound is None else bound.as_py() for bound in bounds], values.type)
    both = pa.chunked_array([pa.concat_arrays([values, literals])])
    ranks = ranks_of(order_levels(both, ranges.order), len(both)).tolist()
    cuts, lows, highs = (ranks[len(values) :][i * len(ranges.cuts) : (i + 1) * len(ranges.cuts)] for i in range(3))
    for row, rank in enumerate(ranks[: len(values)]):
        own = sum(rank >= cut for cut in cuts)
        last = sum(low is None or rank >= its for low, its in zip(ranges.lows, lows, strict=True))
        first = own
        if ranges.reach.looks_ahead:
            first = sum(high is not None and rank > its for high, its in zip(ranges.highs, highs, strict=True))
        for number in range(first, last + 1):
            yield row, number, int(np.sign(own - number))


def halo_of(cut: list[Ranges]) -> Halo:
    """What the halos must have: range 0 is for what is not cut."""
    before = [0, *(count for ranges in cut for count in ranges.rows_before)]
    after = [0, *(count for ranges in cut for count in ranges.rows_after)]
    return Halo(RANGE, HALO, tuple(before), tuple(after))


def with_halos(table: pa.Table, work: Pass, cut: dict[Any, Ranges]) -> pa.Table:
    """The table with each row in its range and in the halos of others, sorted; ``cut`` is by key, None if there is none."""
    keys = table.column(work.partition_by[0]).to_pylist() if work.partition_by else [None] * len(table)
    rows, numbers, marks, base = [], [], [], 1
    for key, ranges in cut.items():
        its = [row for row, other in enumerate(keys) if other == key]
        values = table.column(work.order_by[0].column).take(pa.array(its, pa.int64())).combine_chunks()
        for row, number, mark in memberships(values, ranges):
            rows.append(its[row])
            numbers.append(base + number)
            marks.append(mark)
        base += ranges.count
    others = [row for row, key in enumerate(keys) if key not in cut]
    made = table.take(pa.array(rows + others, pa.int64()))
    made = made.append_column(RANGE, pa.array(numbers + [0] * len(others), pa.int32()))
    made = made.append_column(HALO, pa.array(marks + [0] * len(others), pa.int8()))
    order = permutation(made, in_ranges(work, halo_of(list(cut.values()))))
    return made if order is None else made.take(pa.array(order))


def begun(pieces: pa.Table, work: Pass, halo: Halo, first_ranges: list[int], rows: int) -> tuple[pa.Table, Halo]:
    """The pieces with a digest, and the halo with partials of ranges: made of ``rows`` tuples at a time, in another order."""
    pieces = pieces.append_column(DIGEST, pc.cast(pc.add(pieces["id"], 7), pa.int64()))
    panes = panes_of_ranges(work, pieces.schema)
    carried_on = pc.invert(pc.is_in(pieces[RANGE], pa.array([first - 1 for first in first_ranges], pa.int32())))
    its = pieces.filter(pc.and_(carried_on, pc.equal(pieces[HALO], 0)))
    its = its.take(pc.sort_indices(pc.bit_wise_xor(its["id"], 5))).combine_chunks()
    given = PaneReducer(panes, rows=rows).run(iter(its.to_batches(max_chunksize=rows)))
    partials = pa.Table.from_batches(given, panes.schema)
    return pieces, replace(halo, carried=carried(panes, partials, first_ranges))


def run(operator: Operator, table: pa.Table, size: int) -> pa.Table:
    """All that the operator gives, over batches of ``size`` rows; halos are counted."""
    halo = operator.work.halo
    checks: list[HaloCheck | CarriedCheck] = [] if halo is None else [HaloCheck(halo)]
    if halo is not None and halo.carried is not None:
        checks.append(CarriedCheck(halo, halo.carried))
    given = []
    for start in range(0, len(table), size):
        batch = table.slice(start, size).combine_chunks().to_batches()[0]
        for check in checks:
            check(batch)
        given.append(operator.process(batch))
    for check in checks:
        check.finish()
    return pa.Table.from_batches([*given, operator.finish()])
