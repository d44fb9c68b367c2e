"""Cut a local table into shards with halos, as Spark's expressions do: plain comparisons with cuts, lows and highs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native.levels import ranks as ranks_of
from inwindow.optimizer.hot_keys import in_shards
from inwindow.optimizer.plan import Halo, Pass
from inwindow.runtime.operator import Operator
from inwindow.runtime.ordering import order_levels, permutation
from inwindow.runtime.panes_first import PaneReducer
from inwindow.runtime.reserved import DIGEST, HALO, SHARD
from inwindow.runtime.shard_partials import carried, panes_of_shards
from inwindow.runtime.shards import DigestCheck, HaloCheck
from inwindow.windows.shards import Shards


def memberships(values: pa.Array, shards: Shards) -> Iterator[tuple[int, int, int]]:
    """(row, shard, mark) of every copy of every row."""
    bounds = [*shards.cuts, *shards.lows, *shards.highs]
    if pa.types.is_floating(values.type):
        values = values.cast(pa.float64())
    literals = pa.array([None if bound is None else bound.as_py() for bound in bounds], values.type)
    both = pa.chunked_array([pa.concat_arrays([values, literals])])
    ranks = ranks_of(order_levels(both, shards.order), len(both)).tolist()
    cuts, lows, highs = (ranks[len(values) :][i * len(shards.cuts) : (i + 1) * len(shards.cuts)] for i in range(3))
    for row, rank in enumerate(ranks[: len(values)]):
        own = sum(rank >= cut for cut in cuts)
        last = sum(low is None or rank >= its for low, its in zip(shards.lows, lows, strict=True))
        first = own
        if shards.reach.looks_ahead:
            first = sum(high is not None and rank > its for high, its in zip(shards.highs, highs, strict=True))
        for number in range(first, last + 1):
            yield row, number, int(np.sign(own - number))


def halo_of(cut: list[Shards]) -> Halo:
    """What the halos must have: shard 0 is for what is not cut."""
    before = [0, *(count for shards in cut for count in shards.rows_before)]
    after = [0, *(count for shards in cut for count in shards.rows_after)]
    return Halo(SHARD, HALO, tuple(before), tuple(after))


def with_halos(table: pa.Table, work: Pass, cut: dict[Any, Shards]) -> pa.Table:
    """The table with each row in its shard and in the halos of others, sorted; ``cut`` is by key, None if there is none."""
    keys = table.column(work.partition_by[0]).to_pylist() if work.partition_by else [None] * len(table)
    rows, numbers, marks, base = [], [], [], 1
    for key, shards in cut.items():
        its = [row for row, other in enumerate(keys) if other == key]
        values = table.column(work.order_by[0].column).take(pa.array(its, pa.int64())).combine_chunks()
        for row, number, mark in memberships(values, shards):
            rows.append(its[row])
            numbers.append(base + number)
            marks.append(mark)
        base += shards.count
    others = [row for row, key in enumerate(keys) if key not in cut]
    made = table.take(pa.array(rows + others, pa.int64()))
    made = made.append_column(SHARD, pa.array(numbers + [0] * len(others), pa.int32()))
    made = made.append_column(HALO, pa.array(marks + [0] * len(others), pa.int8()))
    order = permutation(made, in_shards(work, halo_of(list(cut.values()))))
    return made if order is None else made.take(pa.array(order))


def begun(pieces: pa.Table, work: Pass, halo: Halo, first_shards: list[int], rows: int) -> tuple[pa.Table, Halo]:
    """The pieces with a digest, and the halo with partials of shards: made of ``rows`` tuples at a time, in another order."""
    pieces = pieces.append_column(DIGEST, pc.cast(pc.add(pieces["id"], 7), pa.int64()))
    panes = panes_of_shards(work, pieces.schema)
    carried_on = pc.invert(pc.is_in(pieces[SHARD], pa.array([first - 1 for first in first_shards], pa.int32())))
    its = pieces.filter(pc.and_(carried_on, pc.equal(pieces[HALO], 0)))
    its = its.take(pc.sort_indices(pc.bit_wise_xor(its["id"], 5))).combine_chunks()
    given = PaneReducer(panes, rows=rows).run(iter(its.to_batches(max_chunksize=rows)))
    partials = pa.Table.from_batches(given, panes.schema)
    return pieces, replace(halo, carried=carried(panes, partials, first_shards))


def run(operator: Operator, table: pa.Table, size: int) -> pa.Table:
    """All that the operator gives, over batches of ``size`` rows; halos are counted."""
    halo = operator.work.halo
    checks: list[HaloCheck | DigestCheck] = [] if halo is None else [HaloCheck(halo)]
    if halo is not None and halo.carried is not None:
        checks.append(DigestCheck(halo, halo.carried))
    given = []
    for start in range(0, len(table), size):
        batch = table.slice(start, size).combine_chunks().to_batches()[0]
        for check in checks:
            check(batch)
        given.append(operator.process(batch))
    for check in checks:
        check.finish()
    return pa.Table.from_batches([*given, operator.finish()])
