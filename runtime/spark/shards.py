"""A partition cut into shards, in Spark: which shards a row is in, copies for halos, and a task for each shard.

::

    k ts          own first..last                shard mark
    a 4           1   1..1            a 4        1      0      in the task of shard 1
    a 9           2   1..2      ->    a 9        1      1      in the halo of shard 1
                                      a 9        2      0
    b 7           0                   b 7        0      0      in a task by the hash of b

All this is done by comparisons with literals below the shuffle, which exists anyway: the data are evaluated once.
"""

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import types as T

from inwindow.optimizer.hot_keys import Cut
from inwindow.optimizer.plan import Pass
from inwindow.runtime.reserved import HALO, PREFIX, SHARD
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.labels import balanced
from inwindow.windows.shards import Shards

_OWN, _COPIES = f"{PREFIX}own", f"{PREFIX}copies"


def hash_of(columns: Columns, work: Pass) -> Any:
    """A number for a partition; NULL with NULL, NaN with NaN, -0.0 with 0.0, as Spark groups."""
    F = columns.session.F
    keys = [part for name in work.partition_by for part in _hashed(columns.column(name), columns.kind(name), F)]
    return F.xxhash64(*keys) if keys else F.lit(0).cast("bigint")


def _hashed(value: Any, kind: T.DataType, F: ModuleType) -> list[Any]:
    """What to hash for a value. Spark's hash skips NULLs, so ('a', NULL) and (NULL, 'a') would be equal without this."""
    if isinstance(kind, T.StructType):
        fields = [_hashed(value.getField(field.name), field.dataType, F) for field in kind]
        return [value.isNull(), *(part for parts in fields for part in parts)]
    if isinstance(kind, T.ArrayType):
        element = kind.elementType
        return [value.isNull(), F.transform(value, lambda its: F.xxhash64(*_hashed(its, element, F)))]
    return [value.isNull(), value]


def in_tasks(df: Any, columns: Columns, work: Pass, cut: Cut) -> Any:
    """The rows, each in its shard and in the halos of others, a task for each shard; with the columns SHARD and HALO."""
    F = columns.session.F
    own, first, last = shard_numbers(columns, work, cut)
    copies = F.explode_outer(
        F.when(first != last, F.sequence(first, last))
    )  # most rows are in one shard: no array for them
    copied = df.withColumn(_OWN, own).select("*", copies.alias(_COPIES))
    number = F.coalesce(F.col(_COPIES), F.col(_OWN))
    marked = copied.withColumns({SHARD: number, HALO: F.signum(F.col(_OWN) - number).cast("tinyint")})
    return _tasks(marked.drop(_OWN, _COPIES), columns, work, cut.first_shards[-1] - 1, cut.others)


def shard_numbers(columns: Columns, work: Pass, cut: Cut) -> list[Any]:
    """A row's own shard, and the first and the last shard that contain it, as Spark columns; 0 if its partition is not cut."""
    F = columns.session.F
    value, its = columns.crossing(work.order_by[0].column), hash_of(columns, work)
    numbers: list[Any] = [F, F, F]  # of own, first, last: F.when(...).when(...)
    for key, base in zip(cut.keys, cut.first_shards, strict=False):
        of_key = _shard_numbers(value, key.shards, F)
        numbers = [so_far.when(its == key.hash, at + base) for so_far, at in zip(numbers, of_key, strict=True)]
    return [number.otherwise(0) for number in numbers]


def _tasks(df: Any, columns: Columns, work: Pass, shards: int, others: int) -> Any:
    """A task for each shard; other keys go to the other tasks, by their hash."""
    F = columns.session.F
    task, tasks = F.col(SHARD) - 1, shards
    if work.partition_by:
        keys = F.hash(*[columns.column(name) for name in work.partition_by])
        task, tasks = F.when(F.col(SHARD) == 0, F.pmod(keys, F.lit(others)) + shards).otherwise(task), shards + others
    return by_number(df, tasks, task, F)


def by_number(df: Any, tasks: int, task: Any, F: ModuleType) -> Any:
    """Each row in the task of its number."""
    if has_tasks_by_number(df):
        return df.repartitionById(tasks, task)
    labels = F.array(*map(F.lit, balanced(tasks, tasks)))
    return df.repartition(tasks, F.element_at(labels, task + 1))


def has_tasks_by_number(df: Any) -> bool:
    """Whether Spark sends rows to the task that we name (from 4.1 on), not by a hash."""
    return hasattr(df, "repartitionById")


def _shard_numbers(value: Any, shards: Shards, F: ModuleType) -> list[Any]:
    """A row's own shard, and the first and the last shard that contain it, as Spark columns that count from 0."""
    up = shards.order.ascending
    cuts, lows, highs = ([literal(bound, F) for bound in bounds] for bounds in (shards.cuts, shards.lows, shards.highs))
    open_lows = sum(low is None for low in lows)  # the first ones: lows ascend

    def before(bound: Any) -> Any:
        return value < bound if up else value > bound

    def up_to(bound: Any) -> Any:
        return value <= bound if up else value >= bound

    own = passed(cuts, before, F)
    last = passed(lows[open_lows:], before, F, open_lows)
    first = passed([high for high in highs if high is not None], up_to, F) if shards.reach.looks_ahead else own
    if not shards.order.nulls_first:
        return [own, first, last]  # a comparison with NULL is not true, so NULL is after all cuts
    nulls = [0, 0, open_lows]
    return [
        F.when(value.isNull(), F.lit(at)).otherwise(place) for place, at in zip([own, first, last], nulls, strict=True)
    ]


def passed(bounds: Sequence[Any], before: Callable[[Any], Any], F: ModuleType, base: int = 0) -> Any:
    """``base`` plus the number of ascending bounds that are <= the value: a binary search as nested conditions."""
    if not bounds:
        return F.lit(base)
    middle = len(bounds) // 2
    below, above = passed(bounds[:middle], before, F, base), passed(bounds[middle + 1 :], before, F, base + middle + 1)
    return F.when(before(bounds[middle]), below).otherwise(above)


def literal(bound: pa.Scalar | None, F: ModuleType) -> Any:
    if bound is None:
        return None
    kind = bound.type
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return F.timestamp_micros(F.lit(bound.value))
    plain = bound.as_py()
    if pa.types.is_timestamp(kind):
        return F.lit(plain.isoformat(" ")).cast("timestamp_ntz")  # lit() would put it into the session's time zone
    if pa.types.is_decimal(kind):
        return F.lit(plain).cast(f"decimal({kind.precision}, {kind.scale})")
    return F.lit(float(np.float64(plain))) if pa.types.is_floating(kind) else F.lit(plain)
