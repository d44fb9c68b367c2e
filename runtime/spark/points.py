"""Results at points in time on Spark: a union of events and points, shuffled and sorted like the data of any pass.

::

    events   user ts price               1        union by name; missing columns are NULL
    points   user ts         label ...   0   ->   shuffle by user   ->   mapInArrow, which orders by user, ts, marker
                                                  and only the points come out, with all their columns

The marker puts points before the events of the same time. Memory is bounded by the frames, as in every pass.
"""

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyspark
from pyspark.errors import PySparkException

from inwindow.optimizer.columns import check_columns
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.points import in_both_tables, plan_points
from inwindow.optimizer.strategy import No
from inwindow.runtime.point_operator import EveryPoint
from inwindow.runtime.query import Query
from inwindow.runtime.reserved import EVENT, PREFIX
from inwindow.runtime.spark.analysis import ask_quietly
from inwindow.runtime.spark.clustering import Clustering, with_clustering
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import mapped, results_of, titled
from inwindow.runtime.spark.naming import named_only
from inwindow.runtime.spark.plans import SparkPlan, needed
from inwindow.runtime.spark.session import is_connect
from inwindow.runtime.spark.shuffles import Shuffle
from inwindow.runtime.spark.worker import Job
from inwindow.runtime.tasks import InOrder
from inwindow.udaf.errors import UsageError
from inwindow.windows.spec import Window


def plan_at(points: Columns, events: Columns, query: Query) -> SparkPlan:
    """The passes over the events, each with the points in its input."""
    if is_connect(points.df) != is_connect(events.df):
        raise UsageError("with_columns(of=...): one DataFrame is of Spark Connect, the other is not: use one session")
    check_columns(pa.schema([pa.field(name, pa.null()) for name in points.names]), points.names, "with_columns(of=...)")
    _check_names(events, query)
    named = named_only(events, query.aggregates)
    labels = ", ".join(one.label for one in query.aggregates.values())
    where = f"the rows at which {labels} is wanted"
    for one in named.values():
        if one.window is not None:
            position_columns = [*one.window.partition_by, *(order.column for order in one.window.order_by)]
            for name in position_columns:
                if not events.is_named(name):
                    raise UsageError(
                        f"with_columns(of=...): {name} is an expression, but the other rows must have this key or time too: make "
                        "it a column of both, and give its name"
                    )
                with in_both_tables():
                    points.name(name, where)
            points.check_position_columns(position_columns, where)
    passes = plan_points(points.schema(), events.schema(), named, **events.session.planning)
    uncut = No("a shard of events would need the points that fall into it")
    shuffles = [Shuffle(True, uncut)] * len(passes)
    crossing = "results at the other rows; mapInArrow, on the union of both,"
    return SparkPlan(query.over(named), events, passes, shuffles, crossing)


def _check_names(events: Columns, query: Query) -> None:
    """Check that the events have the keys and the time that are given by name."""
    for one in query.aggregates.values():
        if isinstance(one.window, Window):
            with in_both_tables():
                for name in (*one.window.partition_by, *(order.column for order in one.window.order_by)):
                    if isinstance(name, str):
                        events.name(name, f"the table in of=, for {one.label}")


def rows_at(points: Columns, plan: SparkPlan) -> Any:
    """The points with a column per aggregate over the events."""
    names, F, aggregates = points.names, points.session.F, plan.query.aggregates
    df: Any = points.df
    clustering: Clustering = ()
    made: dict[str, str] = {}
    for at, work in enumerate(plan.passes):
        its = {step.name: f"{PREFIX}result_{at}_{i}" for i, step in enumerate(work.steps)}
        df = _pass(Columns(df, points.session), plan.columns, work, list(its.values()))
        made |= its
        clustering = work.partition_by
    added = df.withColumns({name: F.col(made[name]) for name in aggregates}).drop(*made.values())
    replaced = {name.casefold() for name in aggregates}
    return with_clustering(added, clustering, [name for name in names if name.casefold() not in replaced])


def _pass(points: Columns, events: Columns, work: Pass, titles: list[str]) -> Any:
    """The points with the results of one pass, under these titles."""
    F = points.session.F
    read, position_columns = needed(work), [points.name(name, "with_columns(of=...)") for name in work.position_columns]
    whole = points.names
    kept = Columns(points.df, points.session)
    for name in whole:
        kept.name(name, "with_columns(of=...), which hands all columns to Python")
    tuples = [events.crossing(name).alias(f"_e{i}") for i, name in enumerate(read)]
    sent_points = [points.crossing(name).alias(f"_e{read.index(name)}") for name in dict.fromkeys(position_columns)]
    sent_points += [kept.crossing(name).alias(f"_s{i}") for i, name in enumerate(whole)]
    both = events.df.select(*tuples, F.lit(1).cast("tinyint").alias("_m")).unionByName(
        points.df.select(*sent_points, F.lit(0).cast("tinyint").alias("_m")), allowMissingColumns=True
    )
    _check_analysed(both)
    sent = [*(f"_e{i}" for i in range(len(read))), "_m", *(f"_s{i}" for i in range(len(whole)))]
    together = _together(both, work, read, F).select(*sent)

    passed = [f"{PREFIX}kept_{i}" for i in range(len(whole))]
    fields = [events.schema().field(name) for name in read] + [pa.field(EVENT, pa.int8())]
    fields += [pa.field(name, kind) for name, kind in zip(passed, kept.schema().types, strict=True)]
    job = Job(InOrder(EveryPoint(work, tuple(passed))), pa.schema(fields), events.session.memory)
    through = [kept.handed_through(name) for name in whole]
    results = [*through, *results_of(events, work)]
    made = mapped(together, job, results)
    metadata = {field.name: field.metadata for field in points.df.schema.fields if field.metadata}
    through = [replace(result, metadata=metadata.get(name)) for result, name in zip(through, whole, strict=True)]
    named = dict(zip([*whole, *titles], [*through, *results[len(whole) :]], strict=True))
    return titled(made, named, list(named), points.session)


def _check_analysed(both: Any) -> None:
    """Connect (Spark 4.1 to 4.3) cannot unite a plan with itself if a select computes a column from another new column."""
    if not is_connect(both):
        return
    try:
        ask_quietly(lambda: both.schema)
    except PySparkException as error:
        if "LateralColumnAliasReference" not in str(error):
            raise
        raise UsageError(
            "with_columns(of=...): a select of the data makes a column, and of that another one, which Spark Connect "
            f"{pyspark.__version__} cannot unite with itself: make them one after the other, as in df.withColumn('w', "
            "...).withColumn('x', F.col('w') + 1)"
        ) from None


def _together(both: Any, work: Pass, read: list[str], F: Any) -> Any:
    """Bring the rows of a key to one task."""
    keys = [F.col(f"_e{read.index(name)}") for name in work.partition_by]
    # The literal, as in shuffles.py: so Spark does not use a partitioning of a join or an aggregate instead of ours.
    return both.repartition(*keys, F.lit(0)) if keys else both.repartition(1)
