"""Partials of the shards of a hot key: a first job makes them, and later shards start with them.

::

    tuples, in any order     shard 1: t t t t   shard 2: t t t   ...      a shard is a pane: runtime/panes_first.py
    partials                 1 p, 1 p, 2 p, 2 p, 2 p, ...                 some for each shard: one per task and buffer
    carried into shard 3     1 p, 1 p, 2 p, 2 p, 2 p

The pass reads the same data again, later. So both sum a *digest*, a hash of each tuple's values. If the sums differ, the data have
changed, and an error says so (:mod:`inwindow.runtime.shards`).
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.hot_keys import prefix_steps
from inwindow.optimizer.plan import Carried, Pass
from inwindow.optimizer.planning import plan_groups
from inwindow.runtime.buffer import Buffer
from inwindow.runtime.panes_first import PanesFirst
from inwindow.runtime.reserved import DIGEST, SHARD
from inwindow.udaf.builtins import sum as sum_of
from inwindow.windows.spec import Hop

DIGEST_BITS = 30  # so that the sum over a shard fits into 64 bits


def panes_of_shards(work: Pass, schema: pa.Schema) -> PanesFirst:
    """The pass that makes partials: the digest, and the steps that start with partials, with shards as panes.

    ``schema`` has SHARD and DIGEST, and for errors in hooks the keys and order columns, because a user knows nothing of shards.
    """
    over = plan_groups(schema, (), Hop(SHARD, 1, 1), {DIGEST: sum_of(DIGEST)})
    steps = [replace(step, sentinel=None) for step in prefix_steps(work)]
    its = replace(over, steps=(*over.steps, *steps))
    reported = replace(its, partition_by=work.partition_by, order_by=work.order_by)
    return PanesFirst.of(its, schema, reported if calls_hooks(work) else None)


def calls_hooks(work: Pass) -> bool:
    """Whether the user's hooks make the partials."""
    return any(step.implementation.native is None for step in prefix_steps(work))


def carried(panes: PanesFirst, partials: pa.Table, first_shards: list[int]) -> Carried:
    """The partials with which each shard starts. ``first_shards``: the first of each key, and the number after the last."""
    partials = partials.take(pc.sort_indices(partials[SHARD])).combine_chunks()
    (batch,) = partials.to_batches() or [pa.RecordBatch.from_pylist([], panes.schema)]
    at = np.searchsorted(batch.column(SHARD).to_numpy(), np.arange(first_shards[-1] + 1)).tolist()
    begins = [0]
    digests: list[int | None] = [None]
    sums = _digests(panes, batch, at)
    for first, following in zip(first_shards, first_shards[1:], strict=False):
        begins += [at[first]] * (following - first)
        digests += [*sums[first : following - 1], None]  # nothing starts with the partials of a key's last shard
    columns = {}
    for step, merging, its in zip(panes.work.steps, panes.merging.steps, panes.partials, strict=True):
        columns[step.name] = its.unpacked([batch.column(name) for name in merging.arguments])
    del columns[DIGEST]
    return Carried(columns, tuple(begins), (0, *at[1:-1]), DIGEST, tuple(digests))


def _digests(panes: PanesFirst, batch: pa.RecordBatch, at: list[int]) -> list[int]:
    """The sum over each shard, by its number."""
    sums = [0] * len(at)
    filled = [number for number in range(len(at) - 1) if at[number] < at[number + 1]]
    if filled:
        buffer = Buffer()
        evaluator = panes.partials[0].evaluator(list(panes.merging.steps[0].arguments), buffer)
        buffer.append(batch)
        start, end = (np.array([at[number + more] for number in filled]) for more in (0, 1))
        for number, total in zip(filled, evaluator.evaluate(start, end).to_pylist(), strict=True):
            sums[number] = total
    return sums
