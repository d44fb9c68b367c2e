"""A first job on Spark: partials of the shards of hot keys, made without a shuffle or a sort."""

from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.hot_keys import Cut, prefix_steps
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.strategy import No
from inwindow.runtime.reserved import DIGEST, SHARD
from inwindow.runtime.shard_partials import calls_hooks, carried, panes_of_shards
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import digest, mapped_in_arrow, titled
from inwindow.runtime.spark.plans import needed
from inwindow.runtime.spark.shards import shard_numbers
from inwindow.runtime.spark.shuffles import Shuffle
from inwindow.runtime.spark.types import AsItIs, Result, to_spark
from inwindow.runtime.spark.worker import Job
from inwindow.runtime.tasks import Partials

_MOST = 1 << 26  # bytes of partials that are sent to every task


def with_partials(shuffle: Shuffle, columns: Columns, work: Pass) -> Shuffle:
    """Add to the shuffle the partials with which its shards start, if needed: a job that reads the tuples of the hot keys."""
    cut = shuffle.cut
    if not isinstance(cut, Cut) or not cut.by_prefix:
        return shuffle
    schema = columns.schema()
    own, _, _ = shard_numbers(columns, work, cut)
    begins = replace(work, steps=prefix_steps(work))
    names = needed(begins if calls_hooks(work) else replace(begins, partition_by=(), order_by=()))
    handed = [own, digest(columns, work), *map(columns.crossing, names)]
    fields = [pa.field(SHARD, pa.int32()), pa.field(DIGEST, pa.int64()), *(schema.field(name) for name in names)]
    panes = panes_of_shards(work, pa.schema(fields))
    job = Job(Partials(panes), pa.schema(fields))
    results = {field.name: Result.of(AsItIs(to_spark(field.type))) for field in panes.bundles.sent}
    last = [first - 1 for first in cut.first_shards]  # not carried anywhere; 0 stands for tuples of other keys
    mapped = mapped_in_arrow(columns.df.where(~own.isin(last)), handed, job, list(results.values()))
    sent: Any = titled(mapped, results, list(results), columns.session).toArrow().cast(panes.bundles.sent)
    partials = pa.Table.from_batches(map(panes.bundles.opened, sent.to_batches()), panes.schema)
    if partials.nbytes > _MOST:
        # The state of such a class grows with its tuples, and every task would get all of it.
        return replace(shuffle, cut=No(f"partials of shards have {partials.nbytes >> 20} MB, too much to begin with"))
    return replace(shuffle, carried=carried(panes, partials.cast(panes.schema), cut.first_shards))
