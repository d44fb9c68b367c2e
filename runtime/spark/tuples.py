"""``with_columns`` on a Spark DataFrame: each pass is ONE iterator-style Arrow UDF over the columns it needs.

The UDF gives one struct; Spark keeps all other columns. It is non-deterministic to Spark, or filters and sorts would move
through it (labs.md A2, trap A). Where a frame looks ahead, ``struct IS NOT NULL`` stands above it, or a LIMIT would move
below it (trap B). Each pass is a ``select`` of its own: two orderings in one would both be planned below both UDFs.
"""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from inwindow.optimizer.hot_keys import Cut
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.planning import plan_windows
from inwindow.runtime.reserved import HALO, PREFIX, RANGE
from inwindow.runtime.spark import worker
from inwindow.runtime.spark.carriers import Carrier, in_order_of_sharing
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import (
    crossing,
    mapped_in_arrow,
    named_only,
    results_of,
    struct_of,
)
from inwindow.runtime.spark.observed import found_results, observed
from inwindow.runtime.spark.placed import marked
from inwindow.runtime.spark.plans import SparkPlan, needed
from inwindow.runtime.spark.range_partials import begun
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.types import Result
from inwindow.udaf.applied import Applied


def plan(columns: Columns, applied: Mapping[str, Applied], hot_keys: str = "off") -> SparkPlan:
    """The passes of aggregates over windows, in the order in which they will run."""
    named = named_only(columns, applied)
    passes = in_order_of_sharing(plan_windows(columns.schema(), named, **columns.session.planning))
    return SparkPlan.of(columns, passes, hot_keys)


def with_columns(columns: Columns, applied: Mapping[str, Applied], hot_keys: str = "off") -> Any:
    """The data with a column per aggregate."""
    planned = plan(columns, applied, hot_keys)
    df, F = columns.df, columns.session.F
    planned.warn_of_one_task()
    one_pass = _udf_pass if columns.session.has_iterator_udf else _map_pass
    results: dict[str, Any] = {}
    placed = columns.placed
    for at, (work, carrier) in enumerate(zip(planned.passes, planned.carriers, strict=True)):
        carrier = begun(carrier, columns, work)
        its = f"{PREFIX}result_{at}"
        made = results_of(columns, work)
        df = one_pass(carrier.placed(df, columns, work), columns, work, carrier, made, its)
        for index, (step, result) in enumerate(zip(work.steps, made, strict=True)):
            results[step.name] = result.finished(F.col(its)[f"_{index}"], F)
        if isinstance(carrier.cut, Cut):
            df = df.where(F.col(HALO) == 0).drop(RANGE, HALO)
        placed = carrier.leaves(placed, work)
    added = df.withColumns({name: results[name] for name in applied})
    whole = added.drop(*[f"{PREFIX}result_{at}" for at in range(len(planned.passes))], *columns.computed)
    replaced = {name.casefold() for name in applied}
    return marked(whole, placed.within([name for name in columns.names if name.casefold() not in replaced]))


def _udf_pass(df: Any, columns: Columns, work: Pass, carrier: Carrier, results: list[Result], its: str) -> Any:
    """The data with a struct of the pass's results, by an iterator-style Arrow UDF."""
    F = columns.session.F
    handed, schema = crossing(columns, needed(work), work, carrier)
    job = shipped(worker.RowJob(carrier.worked(work), schema, carrier.numbered))
    found = found_results(work)
    udf = F.arrow_udf(worker.scalar_function(job), struct_of([*results, *found])).asNondeterministic()
    df = df.select("*", udf(*handed).alias(its))
    df = observed(df, work, [F.col(its)[f"_{len(results) + i}"] for i in range(len(found))], F)
    looks_ahead = any(step.case.window is None or step.case.window.looks_ahead for step in work.steps)
    return df.where(F.col(its).isNotNull()) if looks_ahead else df  # a LIMIT must not cut off what results depend on


def _map_pass(df: Any, columns: Columns, work: Pass, carrier: Carrier, results: list[Result], its: str) -> Any:
    """The same by ``mapInArrow``, which hands over all columns: for Spark 4.0, which has no Arrow UDFs."""
    F = columns.session.F
    whole: list[str] = df.columns
    kept = Columns(df, columns.session)
    for name in whole:
        kept.name(name, "with_columns on Spark 4.0, which hands all columns to Python")
    handed, schema = crossing(columns, needed(work), work, carrier)
    names = [f"{PREFIX}kept_{i}" for i in range(len(whole))]
    fields = [pa.field(name, kind) for name, kind in zip(names, kept.schema().types, strict=True)]
    job = shipped(worker.RowJob(carrier.worked(work), pa.schema([*schema, *fields]), carrier.numbered, tuple(names)))
    handed += [kept.crossing(name) for name in whole]
    through = [kept.handed_through(name) for name in whole]
    mapped = mapped_in_arrow(df, handed, job, [*through, *results], work)
    back = [r.finished(F.col(f"_{i}"), F).alias(name) for i, (r, name) in enumerate(zip(through, whole, strict=True))]
    struct = F.struct(*[F.col(f"_{len(whole) + i}").alias(f"_{i}") for i in range(len(results))])
    return mapped.select(*back, struct.alias(its))
