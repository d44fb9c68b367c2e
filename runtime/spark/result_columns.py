"""``with_columns`` on Spark: passes over the same keys are ONE iterator-style Arrow UDF over the columns that they need.

The UDF gives one struct; all other columns stay in Spark. It is declared non-deterministic, because Spark would otherwise move
filters and sorts through it. A sample of all rows is put above it, because Spark would otherwise move a LIMIT below it, and the
worker would miss tuples that results depend on. A filter above it would also work, but then the UDF would run even if nobody reads
its results.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.hot_keys import Cut
from inwindow.optimizer.plan import Pass
from inwindow.runtime.arrivals import ROW
from inwindow.runtime.query import Query
from inwindow.runtime.reserved import HALO, PREFIX, SHARD
from inwindow.runtime.spark import worker
from inwindow.runtime.spark.clustering import with_clustering
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import crossing, mapped, results_of, struct_of
from inwindow.runtime.spark.failed_lists import guarding
from inwindow.runtime.spark.failed_rows import counted, failed_results, remember
from inwindow.runtime.spark.observations import found_results, observed
from inwindow.runtime.spark.plans import SparkPlan, needed
from inwindow.runtime.spark.session import is_connect, quoted
from inwindow.runtime.spark.shard_partials import with_partials
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.shuffles import Shuffle
from inwindow.runtime.spark.types import Result, cast_of
from inwindow.runtime.tasks import ResultColumns
from inwindow.udaf.errors import UsageError


def with_result_columns(plan: SparkPlan) -> Any:
    """The data with a column per aggregate."""
    columns = plan.columns
    df, clustering = columns.df, columns.clustering
    by = _by_udf if columns.session.has_iterator_udf else _by_map
    results: dict[str, tuple[str, Result]] = {}
    titles: list[str] = []
    failures, lists, counts = guarding(plan.passes), [], []
    if failures is not None and failures.collects and not columns.session.has_iterator_udf:
        raise UsageError(
            f"with_columns(on_error='collect'): bad tuples come beside results of an Arrow UDF, but {columns.session.why_no_udf}"
            ": write on_error='skip', or iw.select"
        )
    for works, shuffle in plan.crossings():
        title = f"{PREFIX}result_{len(titles)}"
        shuffle = with_partials(shuffle, columns, works[0])
        its = _Crossing.of(columns, plan.query, works, shuffle)
        df, count = by(shuffle.done(df, columns, works[0]), its, title)
        results |= its.named(quoted(title))
        counts.append(count)
        if guarding(works) is not None:
            lists.append(columns.session.expr(f"{quoted(title)}.`_{len(its.results)}`"))
        if isinstance(shuffle.cut, Cut):
            df = df.where(columns.session.F.col(HALO) == 0).drop(SHARD, HALO)
        clustering = shuffle.leaves(clustering, works[0])
        titles.append(title)
    replaced = {name.casefold() for name in plan.query.aggregates}
    kept = [name for name in columns.names if name.casefold() not in replaced]
    made = _finished(df, columns, plan.query, results, titles)

    def finished(given: Any) -> Any:
        return _finished(given, columns, plan.query, results, titles)

    return with_clustering(remember(made, columns, failures, df, lists, counts, finished), clustering, kept)


def _finished(
    df: Any, columns: Columns, query: Query, results: Mapping[str, tuple[str, Result]], titles: list[str]
) -> Any:
    """The columns of the data, then the results; a result with the name of a column replaces it."""
    session, names = columns.session, list(query.aggregates)
    dropped = [*titles, *columns.computed]
    texts = {name: result.text(place) for name, (place, result) in results.items()}
    replaces = {name.casefold() for name in names} & {name.casefold() for name in columns.names}
    if not replaces and None not in texts.values() and not is_connect(df):  # fewer calls of the JVM; Sail has no EXCEPT
        return df.selectExpr(
            f"* EXCEPT ({', '.join(map(quoted, dropped))})", *(f"{texts[name]} AS {quoted(name)}" for name in names)
        )
    made = {name: results[name][1].finished(session.expr(results[name][0]), session.F) for name in names}
    return df.withColumns(made).drop(*dropped)


@dataclass(frozen=True)
class _Crossing:
    """Passes after one shuffle: their columns cross to Python, and back, once."""

    columns: Columns
    works: list[Pass]
    task: ResultColumns
    handed: dict[str, Any]  # Spark columns, by the names under which they arrive
    schema: pa.Schema
    results: list[Result]  # the results of the passes, one pass after the other

    @classmethod
    def of(cls, columns: Columns, query: Query, works: list[Pass], shuffle: Shuffle) -> "_Crossing":
        """Each pass reads some of the columns."""
        handed: dict[str, Any] = {}
        fields: dict[str, pa.Field] = {}
        parts, reads = [], []
        for work in works:
            its, schema = crossing(columns, needed(work), work, shuffle)
            handed |= zip(schema.names, its, strict=True)
            fields |= {field.name: field for field in schema}
            parts.append(query.verb.part(query, shuffle.worked(work), (ROW,)))
            reads.append(tuple(schema.names))
        results = [result for work in works for result in results_of(columns, work)]
        return cls(
            columns, works, ResultColumns(tuple(parts), tuple(reads)), handed, pa.schema(list(fields.values())), results
        )

    def named(self, struct: str) -> dict[str, tuple[str, Result]]:
        """The results by name, each with its field of the returned struct, as SQL."""
        names = (step.name for work in self.works for step in work.steps)
        pairs = zip(names, self.results, strict=True)
        return {name: (f"{struct}.`_{at}`", result) for at, (name, result) in enumerate(pairs)}


def _by_udf(df: Any, its: _Crossing, title: str) -> tuple[Any, Any]:
    """The data with a struct of results, by an iterator-style Arrow UDF; and a function that says how often hooks raised."""
    session = its.columns.session
    failures = guarding(its.works)
    failed = failed_results(its.columns, failures, new_rows=False)
    fields = [*its.results, *failed, *found_results(its.works)]
    job = shipped(worker.Job(its.task, its.schema, session.memory, failures is not None))
    udf = session.F.arrow_udf(worker.scalar_function(job), struct_of(fields)).asNondeterministic()
    df = df.withColumn(title, udf(*its.handed.values()))
    found = [session.expr(f"{quoted(title)}.`_{at}`") for at in range(len(its.results) + len(failed), len(fields))]
    column = session.expr(f"{quoted(title)}.`_{len(its.results)}`")
    df, count = counted(observed(df, its.works, found, session.F), column, its.columns, failures)
    return df.sample(1.0, 0), count  # all rows: a LIMIT stays above it


def _by_map(df: Any, its: _Crossing, title: str) -> tuple[Any, Any]:
    """The same by ``mapInArrow``, to which all columns go: used if an Arrow UDF is not possible (``Session.why_no_udf``)."""
    session = its.columns.session
    fields = df.schema.fields
    names = [f"{PREFIX}kept_{at}" for at in range(len(fields))]  # the user's names may occur twice
    handed = {f"{PREFIX}handed_{at}": column for at, column in enumerate(its.handed.values())}
    apart = df.withColumns(handed).toDF(*names, *handed)
    casts, kinds = zip(*[cast_of(field.dataType, field.name, session.zone) for field in fields], strict=True)
    kept = [cast.out(session.column(name)) for cast, name in zip(casts, names, strict=True)]
    sent = [*map(session.column, handed), *kept]
    schema = pa.schema([*its.schema, *map(pa.field, names, kinds)])
    job = worker.Job(replace(its.task, kept=len(fields)), schema, session.memory)
    through = [Result.of(cast, field.nullable) for cast, field in zip(casts, fields, strict=True)]
    made = mapped(
        apart.select(*[column.alias(f"_{at}") for at, column in enumerate(sent)]), job, [*through, *its.results]
    )
    F = session.F
    back = [
        r.finished(F.col(f"_{at}"), F).alias(field.name)
        for at, (r, field) in enumerate(zip(through, fields, strict=True))
    ]
    struct = F.struct(*[F.col(f"_{len(fields) + at}").alias(f"_{at}") for at in range(len(its.results))])
    return made.select(*back, struct.alias(title)), lambda: 0
