"""A streaming DataFrame as a place: tuples are packed, a stateful operator runs over buckets, and rows are unpacked.

Spark's operator does not see the event-time column (it is inside the packed bytes), so it drops no late tuples. We find them
by the watermark that has been processed, count them in the query's progress, and offer them as a stream (:func:`late_tuples`).
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pyarrow as pa

from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.stream import described_stream, resumes
from inwindow.runtime.query import Place, Query
from inwindow.runtime.reserved import check_names
from inwindow.runtime.spark import stream_job
from inwindow.runtime.spark.buckets import LATE, ROW, StreamJob
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import crossing, results_by_title
from inwindow.runtime.spark.frame import AnyFrame, Frame
from inwindow.runtime.spark.naming import over_names
from inwindow.runtime.spark.plans import needed
from inwindow.runtime.spark.session import Session
from inwindow.runtime.spark.stateful import operator_of
from inwindow.runtime.spark.stream_job import check_query, check_time, hash_of, job_of, stateful, turned
from inwindow.runtime.spark.stream_kinds import Kind, in_kinds
from inwindow.runtime.spark.stream_plans import check_before
from inwindow.runtime.spark.stream_results import StreamCall, tracked
from inwindow.runtime.stream.late_bucket import LateRows, late_work
from inwindow.udaf.errors import UsageError

_LATE, _OUTPUTS = "_inwindow_late", "_inwindow_outputs"


@dataclass(frozen=True)
class StreamFramePlan:
    """A query over names, with its only pass."""

    frame: "StreamFrame"
    columns: Columns
    query: Query
    work: Pass
    is_behind_state: bool  # of a step of Spark's before the call

    @property
    def explanation(self) -> Explanation:
        said = described_stream(self.work, early=self.query.early)
        return Explanation(
            [self.work],
            f"{said}\n{stream_job.described(self.frame.session_conf, keyed=bool(self.work.partition_by))}",
            on_states=resumes,
        )


class StreamFrame(AnyFrame):
    """A streaming DataFrame."""

    def plan(self, query: Query) -> StreamFramePlan:
        """The only pass, after checking that the session suits it."""
        if query.of is not None:
            raise UsageError(
                "with_columns(of=...) on a stream: results at points in time need all events before them, and a stream has no such "
                "moment: use batch DataFrames"
            )
        columns = self.columns()
        query = over_names(columns, query)
        work = query.verb.stream_pass(query, columns.schema(), **self.session.planning)
        behind = self._check(columns, work, "group_by().window()" if query.verb.rows == "groups" else query.where)
        return StreamFramePlan(self, columns, query, work, behind)

    def run(self, query: Query) -> Any:
        """The result as a streaming DataFrame, which knows its late tuples."""
        plan = self.plan(query)
        columns, query, work = plan.columns, plan.query, plan.work
        if query.verb.rows == "every tuple":
            query = _keeping_columns(columns, query)
        sources = tuple(query.passed.values())
        handed, schema = crossing(columns, list(dict.fromkeys([*needed(work), *sources])), work)
        job = job_of(query.verb.part(query, work, sources), schema, self.session.zone)
        results = results_by_title(columns, query, work)
        timed = bool(work.order_by)
        where = "group_by().window()" if query.verb.rows == "groups" else query.where
        alone = timed and not operator_of(self.session_conf).goes_with_others
        call = StreamCall.new(where, timed=timed, alone=alone, is_behind_state=plan.is_behind_state)
        order = query.order or tuple(results)
        whole = stateful(self._sent(columns, handed, job), job, results, order, str(call.metrics), self.session)
        setattr(whole, _LATE, cache(lambda: self._late(columns, work, call)))
        setattr(whole, _OUTPUTS, cache(lambda: self._outputs(columns, handed, job, Kind(results, order), call)))
        return tracked(whole, call)

    def _outputs(self, columns: Columns, handed: list[Any], job: StreamJob, rows: Kind, call: StreamCall) -> Any:
        """Rows and late tuples of one operator: the same query, to whose workers whole tuples cross."""
        names = [columns.name(name, "outputs") for name in columns.names]
        beside = [name for name in names if name not in job.schema.names]
        more, schema = crossing(columns, beside, job.part.work) if beside else ([], pa.schema([]))
        kinds = {ROW: rows, LATE: Kind({name: columns.handed_through(name) for name in names}, names)}
        job = replace(job, beside=schema, kinds={ROW: None, LATE: tuple(names)})
        given = turned(self._sent(columns, [*handed, *more], job), job, str(call.metrics), self.session)
        return tracked(in_kinds(given, kinds, job, self.session), replace(call, where=f"outputs() of {call.where}"))

    def _late(self, columns: Columns, work: Pass, call: StreamCall) -> Any:
        """The late tuples, computed separately: so whole rows cross to Python only if the user wants them."""
        names = [columns.name(name, "late") for name in columns.names]
        results = {name: columns.handed_through(name) for name in (*names, *work.position_columns)}
        handed, schema = crossing(columns, list(results), work)
        job = job_of(LateRows(late_work(work)), schema, self.session.zone)
        sent = self._sent(columns, handed, job)
        late = stateful(sent, job, results, names, f"{call.metrics}_late", self.session)
        return tracked(late, replace(call, where=f"late() of {call.where}"))

    def _sent(self, columns: Columns, handed: list[Any], job: StreamJob) -> Any:
        """The columns that go to Python, and a hash of the keys."""
        keys = [columns.crossing(name) for name in dict.fromkeys(job.part.work.partition_by)]
        return columns.df.select(
            *[column.alias(f"_{i}") for i, column in enumerate(handed)], hash_of(keys, self.session).alias("hash")
        )

    def _check(self, columns: Columns, work: Pass, where: str) -> bool:
        """The stream has a watermark on its time, or an error; the session's settings suit a stream, or a warning.

        Whether a stateful step of Spark's stands before the call.
        """
        check_query(self.data, self.session, where, stacklevel=5)
        if work.order_by:
            check_time(columns, work.order_by[0].column, where)
        alone = not operator_of(self.session_conf).goes_with_others
        return check_before(self.data, where, timed=bool(work.order_by), alone=alone)

    @property
    def session_conf(self) -> Any:
        return self.data.sparkSession.conf


def _keeping_columns(columns: Columns, query: Query) -> Query:
    """The query with all columns of the data; a result with the name of a column replaces it."""
    replaced = {name.casefold() for name in query.aggregates}
    kept = [columns.name(name, query.where) for name in columns.names if name.casefold() not in replaced]
    order = [name for name in columns.names if name.casefold() not in replaced or name in query.aggregates]
    return replace(query, passed={name: name for name in kept}, order=tuple(dict.fromkeys([*order, *query.aggregates])))


def late_tuples(df: Any) -> Any:
    """The tuples that were late for a result of :class:`StreamFrame`; None for any other DataFrame."""
    late = vars(df).get(_LATE)
    return None if late is None else late()


def outputs_of(df: Any) -> Any:
    """All that the operator of a result of :class:`StreamFrame` gives, by kind; None for any other DataFrame."""
    outputs = vars(df).get(_OUTPUTS)
    return None if outputs is None else outputs()


def place_of_frame(df: Any, where: str) -> Place:
    schema = df.schema
    check_names([field.name for field in schema.fields], where)
    kind = StreamFrame if df.isStreaming else Frame
    return kind(df, Session.of(df), schema)
