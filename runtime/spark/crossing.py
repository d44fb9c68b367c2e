"""The columns that a pass sends from Spark to Python, and the result columns that come back."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T

from inwindow.optimizer.hot_keys import Cut
from inwindow.optimizer.plan import Pass
from inwindow.runtime.query import Query
from inwindow.runtime.reserved import DIGEST, HALO, PREFIX, SHARD
from inwindow.runtime.shard_partials import DIGEST_BITS
from inwindow.runtime.spark import worker
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.observations import found_results, observed
from inwindow.runtime.spark.plans import needed
from inwindow.runtime.spark.session import Session as SparkSession
from inwindow.runtime.spark.session import aliased, functions_of, is_connect, quoted
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.shuffles import Shuffle
from inwindow.runtime.spark.types import AsItIs, Result, result_of, to_spark
from inwindow.windows.spec import Session


def results_of(columns: Columns, work: Pass) -> list[Result]:
    """The results of a pass's steps, with their Spark types."""
    return [result_of(step, [columns.cast(name) for name in step.arguments]) for step in work.steps]


def results_by_title(columns: Columns, query: Query, work: Pass) -> dict[str, Result]:
    """The columns of a part's rows, by their titles."""
    found = dict(zip((step.name for step in work.steps), results_of(columns, work), strict=True))
    for title in query.titles:
        if title in query.passed:
            found[title] = columns.handed_through(query.passed[title])
        elif title in query.keys:
            found[title] = columns.handed_through(title)
        elif title == query.emitted_at:
            assert work.key is not None
            found[title] = Result.of(AsItIs(to_spark(work.key.type)))
        elif title not in query.aggregates:
            found[title] = _bounds(work) if title == "window" else _edge(work)
    return {title: found[title] for title in query.titles}


def _bounds(work: Pass) -> Result:
    """The struct with the extent's bounds. Bounds in time have the mark of Spark's own windows, so F.window_time accepts them."""
    mark = "spark.sessionWindow" if isinstance(work.extent, Session) else "spark.timeWindow"
    bound = pa.int64() if work.key is None else work.key.bound_type
    its = to_spark(pa.struct([("start", bound), ("end", bound)]))
    return Result(AsItIs(its), its, nullable=False, metadata=None if work.key is None else {mark: True})


def _edge(work: Pass) -> Result:
    assert work.key is not None
    return Result.of(AsItIs(to_spark(work.key.bound_type)))


def struct_of(results: list[Result]) -> T.StructType:
    """The struct that Python returns: its fields are named by their positions."""
    fields = [T.StructField(f"_{i}", result.crosses, result.nullable) for i, result in enumerate(results)]
    return T.StructType(fields)


def crossing(
    columns: Columns, names: list[str], work: Pass, shuffle: Shuffle | None = None
) -> tuple[list[Any], pa.Schema]:
    """The Spark columns that go to Python, and the schema in which they arrive."""
    schema = columns.schema()
    fields = [schema.field(name) for name in names]
    handed = [columns.crossing(name) for name in names]
    if shuffle is not None and isinstance(shuffle.cut, Cut):
        F = columns.session.F
        handed = [F.col(SHARD), F.col(HALO), *handed]
        fields = [pa.field(SHARD, pa.int32()), pa.field(HALO, pa.int8()), *fields]
        if shuffle.carried is not None:
            handed.append(digest(columns, work))
            fields.append(pa.field(DIGEST, pa.int64()))
    if not handed:  # a count of tuples reads no column, but needs one to count
        handed, fields = [columns.session.expr("1")], [pa.field(f"{PREFIX}nothing", pa.int32())]
    return handed, pa.schema(fields)


def digest(columns: Columns, work: Pass) -> Any:
    """A hash of the values that a pass reads. Spark cannot hash all nested values, so for these only whether they are NULL."""
    F, schema = columns.session.F, columns.schema()
    read = [
        columns.crossing(name).isNull() if pa.types.is_nested(schema.field(name).type) else columns.crossing(name)
        for name in needed(work)
    ]
    return F.xxhash64(*read).bitwiseAND(F.lit((1 << DIGEST_BITS) - 1))


def mapped_in_arrow(df: Any, handed: list[Any], job: worker.Job, output: list[Result]) -> Any:
    """``mapInArrow`` over columns, named by their positions on both sides; findings of sentinels become observed metrics."""
    sent = df.select(*[aliased(column, f"_{i}") for i, column in enumerate(handed)])
    if is_connect(sent):  # otherwise PySpark asks the server for the names
        sent._cached_schema = T.StructType([T.StructField(f"_{i}", T.NullType()) for i in range(len(handed))])
    return mapped(sent, job, output)


def mapped(sent: Any, job: worker.Job, output: list[Result]) -> Any:
    """The same over all columns."""
    found = found_results(job.task.works)
    made = sent.mapInArrow(worker.map_function(shipped(job)), struct_of([*output, *found]))
    if not found:
        return made
    F = functions_of(made)
    return observed(made, job.task.works, [F.col(f"_{len(output) + i}") for i in range(len(found))], F)


def inlined(
    df: Any, handed: list[Any], job: worker.Job, rows: pa.Schema, session: SparkSession, output: list[Result]
) -> Any:
    """The same by an Arrow UDF that gives lists of rows: what it takes is not weighed (``rows_in_lists.py``)."""
    F, kind = session.F, T.ArrayType(struct_of(output))
    udf = F.arrow_udf(worker.list_function(shipped(job), rows), kind).asNondeterministic()
    return df.select(udf(*handed).alias("rows")).select(F.inline("rows"))


def titled(mapped: Any, results: Mapping[str, Result], order: Sequence[str], session: SparkSession) -> Any:
    """Give columns their names and the requested order."""
    return mapped.select(*named(results, order, session))


def named(results: Mapping[str, Result], order: Sequence[str], session: SparkSession, first: int = 0) -> list[Any]:
    """Returned columns, from the position ``first`` on, under their names and in the requested order."""
    made = {}
    for at, (name, result) in enumerate(results.items(), first):
        text = result.text(f"`_{at}`")
        if result.metadata is not None:
            made[name] = result.finished(session.expr(f"`_{at}`"), session.F).alias(name, metadata=result.metadata)
        elif text is not None:
            made[name] = session.expr(f"{text} AS {quoted(name)}")
        else:
            made[name] = aliased(result.finished(session.expr(f"`_{at}`"), session.F), name)
    return [made[name] for name in order]
