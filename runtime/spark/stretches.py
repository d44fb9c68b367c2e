"""Relations cut by time, in Spark: a copy of a row for each stretch that it is in, a task per stretch; results joined at the cuts.

::

    k since until     first..last             k since until stretch        parts that touch a cut
    a 4     9         1..2              ->    a 4     9     1        ->    all to one task, and joined there;
                                              a 4     9     2              other rows are as they are
    b 7     8         0..0                    b 7     8     0 (in a task by the hash of b)

The columns are numbers from comparisons with literals, computed in the pass that the shuffle needs anyway.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from inwindow.optimizer.hot_keys import HASH
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.strategy import No
from inwindow.runtime.intervals import SINCE, UNTIL
from inwindow.runtime.operation import NUMBER, Operation
from inwindow.runtime.places import check_hot_keys_said
from inwindow.runtime.reserved import PREFIX, STRETCH
from inwindow.runtime.sides import Sides
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import mapped
from inwindow.runtime.spark.operation_columns import sent_of
from inwindow.runtime.spark.sample import LARGE, Source, changes_each_time, cores_of, rows_of
from inwindow.runtime.spark.shards import by_number, hash_of, literal, passed
from inwindow.runtime.spark.types import Cast, Result, to_spark
from inwindow.runtime.spark.worker import Job
from inwindow.runtime.stretch_tasks import AtCuts, OnStretches
from inwindow.runtime.stretches import Stretches, stretches_of
from inwindow.windows.spec import Order

OPTION = "spark.inwindow.hotKeys"  # of the session: auto (a sample where it is cheap), sample (in any case), off
_FIRST, _LAST, _OWN, _TASK = (f"{PREFIX}{name}" for name in ("first", "last", "number", "task"))


def stretches_for(
    operation: Operation, sides: Sequence[Columns], schemas: Sequence[pa.Schema], keys: Sequence[tuple[str, ...]]
) -> Stretches | No:
    """Where to cut which keys, or why not."""
    if not sides[0].session.is_spark:
        return No("not looked for outside Spark")
    asked = sides[0].df.sparkSession.conf.get(OPTION, "auto")
    check_hot_keys_said(asked, f"{operation.where}: {OPTION}={asked!r}")
    if asked == "off":
        return No("switched off")
    whole = operation.why_whole(*schemas)
    if whole:
        return No(f"{operation.name} {whole}")
    rows = [rows_of(side) for side in sides]
    if asked == "auto":
        if None in rows:
            return No(_not_looked("Spark does not know how many rows there are"))
        total = sum(count or 0 for count in rows)
        if total < LARGE:
            return No(_not_looked(f"there are only about {total:,.0f} rows"))
    sources = [Source.of(side, _ends_of(names), count) for side, names, count in zip(sides, keys, rows, strict=True)]
    if asked == "auto":
        dear = next(filter(None, (source.dear() for source in sources)), "")
        if dear:
            return No(_not_looked(dear))
    samples = [source.sample() for source in sources]
    return stretches_of(_as_one(samples, rows, keys), keys[0], cores_of(sides[0].df))


def _not_looked(why: str) -> str:
    return f"not looked for: {why}; {OPTION}=sample looks for them"


def _ends_of(names: tuple[str, ...]) -> Pass:
    return Pass(names, (Order(SINCE), Order(UNTIL)), (), None, None, False)


def _as_one(samples: Sequence[pa.Table], rows: Sequence[float | None], keys: Sequence[tuple[str, ...]]) -> pa.Table:
    """One sample of all sides, with the same share of the rows of each."""
    rates = [len(one) / max(count or len(one), len(one), 1) for one, count in zip(samples, rows, strict=True)]
    least = min([rate for rate in rates if rate > 0], default=1.0)
    parts: list[pa.Table] = []
    for one, rate, names in zip(samples, rates, keys, strict=True):
        thin = one.slice(0, round(len(one) * least / rate)) if rate > 0 else one  # in no order: a part is a sample, too
        named = thin.select([HASH, *names, SINCE, UNTIL]).rename_columns([HASH, *keys[0], SINCE, UNTIL])
        parts.append(named if not parts else named.cast(parts[0].schema))
    return pa.concat_tables(parts)


def cut_by_time(
    operation: Operation,
    sides: Sequence[Columns],
    layout: Sides,
    keys: Sequence[tuple[str, ...]],
    schemas: Sequence[pa.Schema],
    results: Mapping[str, Result],
    result: pa.Schema,
    cut: Stretches,
) -> Any:
    """The results, in columns named by position: the results of stretches, joined at the cuts."""
    F, session = sides[0].session.F, sides[0].session
    in_tasks, tasks, schema = _in_tasks(operation, sides, layout, keys, cut)
    output = list(results.values())
    if not operation.has_parts:
        return mapped(in_tasks, Job(OnStretches(operation, layout, cut.bounds, result), schema, session.memory), output)
    marked = pa.schema([*result, *operation.marks, pa.field(STRETCH, pa.int32())])
    beside_results = [Result.of(Cast.of(to_spark(field.type))) for field in list(marked)[len(result) :]]
    at_cuts = Job(AtCuts(operation, layout.schemas, cut.bounds, result), marked, session.memory)

    def made_of(gives: Any, columns: pa.Schema, its: list[Result]) -> Any:
        return mapped(
            in_tasks, Job(OnStretches(operation, layout, cut.bounds, columns, gives), schema, session.memory), its
        )

    if not operation.looks_at_order(*schemas) and not changes_each_time(in_tasks):
        # Both read one shuffle. Sweeping twice is cheaper than handing all results to Python once more.
        touching = made_of("touching", marked, [*output, *beside_results]).repartition(1)
        return made_of("whole", result, output).union(mapped(touching, at_cuts, output))
    made = made_of("all", marked, [*output, *beside_results])
    at = f"_{len(marked) - 1}"
    placed = made.select("*", (F.spark_partition_id() + 1).alias(_TASK))
    placed = by_number(placed, tasks + 1, F.when(F.col(at) > 0, 0).otherwise(F.col(_TASK)), F).drop(_TASK)
    return mapped(placed, at_cuts, output)


def _in_tasks(
    operation: Operation, sides: Sequence[Columns], layout: Sides, keys: Sequence[tuple[str, ...]], cut: Stretches
) -> tuple[Any, int, pa.Schema]:
    """A copy of a row for each stretch that it is in, a task per stretch; how many tasks there are, and the copies' schema."""
    F = sides[0].session.F
    beside: list[Callable[[int, Mapping[str, Any]], Any]] = [
        lambda number, _: _stretch(sides[number], keys[number], cut, SINCE, F).alias(_FIRST),
        lambda number, _: _stretch(sides[number], keys[number], cut, UNTIL, F).alias(_LAST),
    ]
    if operation.is_numbered:
        beside.append(lambda *_: F.monotonically_increasing_id().alias(_OWN))
    sent = sent_of(sides, layout, *beside)
    width = len(layout.schema)
    # A row that ends before it begins is in one stretch, whose task says so.
    copies = F.explode_outer(F.when(F.col(_FIRST) < F.col(_LAST), F.sequence(_FIRST, _LAST)))
    copied = sent.select("*", copies.alias(_TASK))
    number = F.coalesce(F.col(_TASK), F.col(_FIRST))
    handed = [f"_{at}" for at in range(width)] + [number.alias(f"_{width}")]
    schema = layout.schema.append(pa.field(STRETCH, pa.int32()))
    if operation.is_numbered:
        handed.append(F.col(_OWN).alias(f"_{width + 1}"))
        schema = schema.append(pa.field(NUMBER, pa.int64()))
    by = [F.col(f"_{layout.schema.names.index(known)}") for known in layout.known or ()]
    stretches = cut.first_numbers[-1] - 1
    task, tasks = F.col(f"_{width}") - 1, stretches
    if by:
        others = F.pmod(F.hash(*by), F.lit(cut.others)) + stretches
        task, tasks = F.when(F.col(f"_{width}") == 0, others).otherwise(task), stretches + cut.others
    return by_number(copied.select(*handed), tasks, task, F), tasks, schema


def _stretch(side: Columns, names: tuple[str, ...], cut: Stretches, end: str, F: Any) -> Any:
    """The first stretch of a row (by ``since``), or the last (by ``until``); 0 if its key is not cut."""
    value, its = side.crossing(end), hash_of(side, _ends_of(names))
    number: Any = F
    for key, base in zip(cut.keys, cut.first_numbers, strict=False):
        cuts = [literal(bound, F) for bound in key.cuts]
        inside = passed(cuts, partial(_before, value), F)
        without = 0 if end == SINCE else len(cuts)  # NULL: it always held, or holds for ever
        number = number.when(its == key.hash, F.when(value.isNull(), F.lit(without)).otherwise(inside) + base)
    return number.otherwise(0)


def _before(value: Any, bound: Any) -> Any:
    return value < bound
