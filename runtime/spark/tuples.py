"""``with_columns`` on a Spark DataFrame: passes over the same keys are ONE iterator-style Arrow UDF over the columns they need.

The UDF gives one struct; Spark keeps all other columns. It is non-deterministic to Spark, or filters and sorts would move
through it (labs.md A2, trap A). A sample of all rows stands above it, or a LIMIT would move below it (trap B), and take from the
worker what results depend on; unlike a filter it is no reason to run the UDF where nobody reads its results.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa

from inwindow.optimizer.hot_keys import Cut
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.planning import plan_windows
from inwindow.runtime.arrivals import ROW_FIELD
from inwindow.runtime.reserved import HALO, PREFIX, RANGE
from inwindow.runtime.spark import worker
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import crossing, named_only, results_of, struct_of
from inwindow.runtime.spark.observed import found_results, observed
from inwindow.runtime.spark.placed import marked
from inwindow.runtime.spark.plans import SparkPlan, needed
from inwindow.runtime.spark.range_partials import begun
from inwindow.runtime.spark.row_jobs import RowJob, RowJobs
from inwindow.runtime.spark.shipping import shipped
from inwindow.runtime.spark.shuffles import Shuffle, in_order_of_sharing
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
    planned.warn_of_one_task()
    df, F, placed = columns.df, columns.session.F, columns.placed
    by = _by_udf if columns.session.has_iterator_udf else _by_map
    results: dict[str, Any] = {}
    titles: list[str] = []
    for works, shuffle in planned.crossings():
        its = f"{PREFIX}result_{len(titles)}"
        shuffle = begun(shuffle, columns, works[0])
        crossing_ = _Crossing.of(columns, works, shuffle)
        df = by(shuffle.done(df, columns, works[0]), crossing_, its)
        results |= crossing_.named(F.col(its))
        if isinstance(shuffle.cut, Cut):
            df = df.where(F.col(HALO) == 0).drop(RANGE, HALO)
        placed = shuffle.leaves(placed, works[0])
        titles.append(its)
    added = df.withColumns({name: results[name] for name in applied})
    whole = added.drop(*titles, *columns.computed)
    replaced = {name.casefold() for name in applied}
    return marked(whole, placed, [name for name in columns.names if name.casefold() not in replaced])


@dataclass(frozen=True)
class _Crossing:
    """Passes over rows that lie together: to Python and back once."""

    columns: Columns
    works: list[Pass]
    handed: dict[str, Any]  # Spark columns, by the names under which they arrive
    schema: pa.Schema
    jobs: tuple[RowJob, ...]
    parts: list[list[Result]]  # what comes back of each pass: a result per step, then what sentinels have found

    @classmethod
    def of(cls, columns: Columns, works: list[Pass], shuffle: Shuffle) -> "_Crossing":
        """Each pass reads some of the columns."""
        handed: dict[str, Any] = {}
        fields: dict[str, pa.Field] = {}
        jobs = []
        for work in works:
            its, schema = crossing(columns, needed(work), work, shuffle)
            handed |= zip(schema.names, its, strict=True)
            fields |= {field.name: field for field in schema}
            jobs.append(RowJob(shuffle.worked(work), schema.append(ROW_FIELD), columns.session.memory))
        parts = [[*results_of(columns, work), *found_results(work)] for work in works]
        return cls(columns, works, handed, pa.schema(list(fields.values())), tuple(jobs), parts)

    def job(self, kept: pa.Schema | None = None) -> bytes:
        """What workers run; ``kept`` columns arrive behind the others and go through."""
        schema = self.schema if kept is None else pa.schema([*self.schema, *kept])
        return shipped(RowJobs(self.works[0], schema, self.jobs, 0 if kept is None else len(kept)))

    @property
    def fields(self) -> list[Result]:
        """What comes back of all passes."""
        return [field for part in self.parts for field in part]

    def observed(self, df: Any, fields: list[Any]) -> Any:
        """The DataFrame, with what sentinels find in the workers."""
        F, rest = self.columns.session.F, iter(fields)
        for work, part in zip(self.works, self.parts, strict=True):
            its = list(islice(rest, len(part)))
            df = observed(df, work, its[len(work.steps) :], F)
        return df

    def named(self, struct: Any) -> dict[str, Any]:
        """The results by name, as Spark columns of the struct that came back."""
        named: dict[str, Any] = {}
        first = 0
        for work, part in zip(self.works, self.parts, strict=True):
            for at, (step, result) in enumerate(zip(work.steps, part, strict=False), first):
                named[step.name] = result.finished(struct[f"_{at}"], self.columns.session.F)
            first += len(part)
        return named


def _by_udf(df: Any, its: _Crossing, title: str) -> Any:
    """The data with a struct of results, by an iterator-style Arrow UDF."""
    F, fields = its.columns.session.F, its.fields
    udf = F.arrow_udf(worker.scalar_function(its.job()), struct_of(fields)).asNondeterministic()
    df = df.select("*", udf(*its.handed.values()).alias(title))
    df = its.observed(df, [F.col(title)[f"_{at}"] for at in range(len(fields))])
    return df.sample(1.0, 0)  # all rows: a LIMIT stays above it


def _by_map(df: Any, its: _Crossing, title: str) -> Any:
    """The same by ``mapInArrow``, which hands over all columns: for Spark 4.0, which has no Arrow UDFs."""
    F, fields = its.columns.session.F, its.fields
    whole: list[str] = df.columns
    kept = Columns(df, its.columns.session)
    for name in whole:
        kept.name(name, "with_columns on Spark 4.0, which hands all columns to Python")
    names = [f"{PREFIX}kept_{at}" for at in range(len(whole))]
    kinds = pa.schema([pa.field(name, kind) for name, kind in zip(names, kept.schema().types, strict=True)])
    handed = [*its.handed.values(), *map(kept.crossing, whole)]
    sent = df.select(*[column.alias(f"_{at}") for at, column in enumerate(handed)])
    through = [kept.handed_through(name) for name in whole]
    mapped = sent.mapInArrow(worker.map_function(its.job(kinds)), struct_of([*through, *fields]))
    mapped = its.observed(mapped, [F.col(f"_{at}") for at in range(len(whole), len(whole) + len(fields))])
    back = [r.finished(F.col(f"_{at}"), F).alias(name) for at, (r, name) in enumerate(zip(through, whole, strict=True))]
    struct = F.struct(*[F.col(f"_{len(whole) + at}").alias(f"_{at}") for at in range(len(fields))])
    return mapped.select(*back, struct.alias(title))
