"""``select`` and ``group_by``: rows for yields, emissions or groups, made by ``mapInArrow`` after the shuffle."""

from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T

from inwindow.runtime.panes_first import PanesFirst
from inwindow.runtime.query import Part
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import (
    crossing,
    inlined,
    mapped,
    mapped_in_arrow,
    named,
    results_by_title,
    titled,
)
from inwindow.runtime.spark.failed_lists import guarding
from inwindow.runtime.spark.failed_rows import BESIDE, counted, failed_results, remember
from inwindow.runtime.spark.plans import SparkPlan, needed
from inwindow.runtime.spark.shard_partials import with_partials
from inwindow.runtime.spark.shuffles import Shuffle
from inwindow.runtime.spark.types import AsItIs, Result, to_spark
from inwindow.runtime.spark.worker import Job
from inwindow.runtime.tasks import InOrder, MergePartials, OneRow, Partials


def new_rows(plan: SparkPlan) -> Any:
    columns, query = plan.columns, plan.query
    (work,), (shuffle,) = plan.passes, plan.shuffles
    shuffle = with_partials(shuffle, columns, work)
    sources = list(query.passed.values())
    handed, schema = crossing(columns, list(dict.fromkeys([*needed(work), *sources])), work, shuffle)
    part = query.verb.part(query, shuffle.worked(work), sources)
    results, failures = results_by_title(columns, query, work), guarding([work])
    if failures is not None:  # a row of bad tuples alone has no results
        results = {title: replace(result, nullable=True) for title, result in results.items()}
    output = [*results.values(), *failed_results(columns, failures, new_rows=True)]
    tells = failures is not None
    if plan.panes_first:
        made = _panes_first(columns, part, handed, schema, output)
    else:
        df = shuffle.done(columns.df, columns, work)
        if query.verb.rows == "groups" and not work.partition_by and work.extent is None:
            made = _one_row(df, columns, handed, schema, part, output, tells)
        else:
            made = mapped_in_arrow(df, handed, Job(InOrder(part), schema, columns.session.memory, tells), output)
    if not tells:
        return titled(made, results, query.order or list(results), columns.session)
    F = columns.session.F
    failed, real = (F.col(f"_{len(results) + at}") for at in (0, 1))
    seen, count = counted(made, failed, columns, failures)
    order = query.order or list(results)
    given = titled(seen.where(real), results, order, columns.session)

    def finished(df: Any) -> Any:
        return df.select(*named(results, order, columns.session), BESIDE)

    return remember(given, columns, failures, made, [failed], [count], finished, real)


def _panes_first(columns: Columns, part: Part, handed: list[Any], schema: pa.Schema, results: list[Result]) -> Any:
    """Make partials of the tuples before any shuffle; then shuffle the partials like data, and run the extents over them."""
    plan = PanesFirst.of(part.work, schema)
    travelling = [columns.handed_through(name) for name in plan.bundles.keys]
    travelling.append(Result.of(AsItIs(to_spark(pa.binary()))))
    job, sent = Job(Partials(plan), schema), plan.bundles.sent
    if columns.session.has_iterator_udf:
        partials = inlined(columns.df, handed, job, sent, columns.session, travelling)
    else:
        partials = mapped_in_arrow(columns.df, handed, job, travelling)
    names = sent.names
    partials = titled(partials, dict(zip(names, travelling, strict=True)), names, columns.session)
    kinds = [T.StructField(name, its.cast.kind) for name, its in zip(names, travelling, strict=True)]
    their = Columns(partials, columns.session, T.StructType(kinds))
    for name in names:
        their.name(name, "group_by")
    handed, schema = crossing(their, names, plan.merging)
    merging = Job(MergePartials(replace(part, work=plan.merging), plan), schema, columns.session.memory)
    return mapped_in_arrow(Shuffle(needed=True).done(partials, their, plan.merging), handed, merging, results)


def _one_row(
    df: Any,
    columns: Columns,
    handed: list[Any],
    schema: pa.Schema,
    part: Part,
    results: list[Result],
    tells: bool,
) -> Any:
    """All tuples in one task, with one extra row so that the task also starts without tuples."""
    F = columns.session.F
    sent = df.select(*[column.alias(f"_{i}") for i, column in enumerate(handed)], F.lit(True).alias("real"))
    nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in sent.schema.fields[:-1]]
    none = df.sparkSession.range(1).select(*nothing, F.lit(False).alias("real"))
    job = Job(OneRow(part), schema.append(pa.field(f"{PREFIX}real", pa.bool_())), columns.session.memory, tells)
    return mapped(sent.unionAll(none).coalesce(1), job, results)
