"""A streaming DataFrame as a place: tuples are packed, a stateful operator runs over buckets, and rows are unpacked.

Spark's operator does not see the event-time column (it is inside the packed bytes), so it drops no late tuples. We find them
by the watermark that has been processed, count them in the query's progress, and offer them as a stream (:func:`late_tuples`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pyarrow as pa

from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass, failures_in
from inwindow.optimizer.stream import described_stream, resumes
from inwindow.runtime.lateness import revised_titles
from inwindow.runtime.query import Place, Query
from inwindow.runtime.reserved import AHEAD, check_names
from inwindow.runtime.spark import stream_job
from inwindow.runtime.spark.buckets import StreamJob
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import crossing, results_by_title
from inwindow.runtime.spark.failed_rows import kind_of, remember_stream
from inwindow.runtime.spark.frame import AnyFrame, Frame
from inwindow.runtime.spark.labels import labels_for
from inwindow.runtime.spark.naming import over_names
from inwindow.runtime.spark.plans import needed
from inwindow.runtime.spark.session import Session
from inwindow.runtime.spark.stateful import operator_of
from inwindow.runtime.spark.stream_job import check_query, check_time, hash_of, job_of, partitions_of, stateful, turned
from inwindow.runtime.spark.stream_kinds import Kind, in_kinds
from inwindow.runtime.spark.stream_plans import check_before
from inwindow.runtime.spark.stream_results import StreamCall, tracked
from inwindow.runtime.spark.turn_output import FAILED, LATE, ROW
from inwindow.runtime.spark.types import AsItIs, Result, to_spark
from inwindow.runtime.spark.watermarks import is_ahead
from inwindow.runtime.stream.evolution import Changes
from inwindow.runtime.stream.late_bucket import LateRows, late_work
from inwindow.runtime.stream.revising_bucket import Revising
from inwindow.runtime.stream.row_names import TYPES
from inwindow.runtime.stream.state_rows import BY_SPARK, check_place, check_rows
from inwindow.runtime.stream.watermarks import BOUND
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.interval import Interval

_LATE, _OUTPUTS, _CONTINUED = "_inwindow_late", "_inwindow_outputs", "_inwindow_continued"


@dataclass(frozen=True)
class StreamFramePlan:
    """A query over names, with its only pass."""

    frame: "StreamFrame"
    columns: Columns
    query: Query
    work: Pass
    ahead: int | None  # a tuple further ahead of the clock is late; in microseconds
    is_behind_state: bool  # of a step of Spark's before the call

    def with_clock(self, handed: list[Any], job: StreamJob) -> tuple[list[Any], StreamJob]:
        """Tell the workers which tuples are too far ahead of the clock, if there is a bound."""
        if self.ahead is None:
            return handed, job
        far = is_ahead(self.columns.column(self.work.order_by[0].column), self.ahead, self.columns.session.F)
        return [*handed, far], replace(job, beside=pa.schema([(AHEAD, pa.bool_())]))

    def _about_late(self) -> list[str]:
        """What becomes of late tuples, in words."""
        if not self.work.order_by:
            return []
        failures = failures_in(self.work)
        kinds = "rows, late tuples and bad tuples" if failures and failures.collects else "rows and late tuples"
        given = f"iw.outputs(result) gives {kinds} from one operator"
        read = {*needed(self.work), *self.query.passed.values()}
        more = [name for name in self.columns.names if name not in read]
        if more and self.query.verb.rows != "every tuple":
            given += f", to which then also {', '.join(more)} cross"
        lines = [f"  late: {given}"]
        if self.ahead is not None:
            lines.append(
                f"  ahead: a tuple more than {Interval(0, self.ahead)} ahead of the clock is late, and moves no watermark"
            )
        return lines

    @property
    def explanation(self) -> Explanation:
        said = "\n".join(
            [described_stream(self.work, early=self.query.early, lateness=self.query.lateness), *self._about_late()]
        )
        return Explanation(
            [self.work],
            f"{said}\n{stream_job.described(self.frame.session_conf, keyed=bool(self.work.partition_by))}",
            on_states=resumes,
        )


@dataclass(frozen=True)
class Made:
    """A query as a job of buckets."""

    plan: StreamFramePlan
    query: Query
    job: StreamJob
    handed: list[Any]  # the columns that cross to it
    rows: Kind

    @property
    def columns(self) -> Columns:
        return self.plan.columns


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
        where = "group_by().window()" if query.verb.rows == "groups" else query.where
        ahead = self.check_stream(columns, work, where)
        alone = not operator_of(self.session_conf).goes_with_others
        behind = self.data.isStreaming and check_before(self.data, where, timed=bool(work.order_by), alone=alone)
        revised_titles(query, work, query.order or query.titles)
        return StreamFramePlan(self, columns, query, work, ahead, behind)

    def made(self, query: Query) -> "Made":
        """The job of the buckets, and what crosses to it."""
        plan = self.plan(query)
        columns, query, work = plan.columns, plan.query, plan.work
        if query.verb.rows == "every tuple":
            query = _keeping_columns(columns, query)
        sources = tuple(query.passed.values())
        handed, schema = crossing(columns, list(dict.fromkeys([*needed(work), *sources])), work)
        part, results = query.verb.part(query, work, sources), results_by_title(columns, query, work)
        order = query.order or tuple(results)
        if query.lateness is not None:
            added = revised_titles(query, work, order)
            part, order = Revising.of(part, query.lateness, query.verb.rows), (*order, *added)
            results |= {name: Result.of(AsItIs(to_spark(TYPES[name]))) for name in added}
        handed, job = plan.with_clock(handed, job_of(part, schema, self.session.zone))
        return Made(plan, query, job, handed, Kind(results, order))

    def run(self, query: Query) -> Any:
        """The result as a streaming DataFrame, which knows its late tuples."""
        made = self.made(query)
        timed = bool(made.job.part.work.order_by)
        where = "group_by().window()" if query.verb.rows == "groups" else query.where
        alone = timed and not operator_of(self.session_conf).goes_with_others
        call = StreamCall.new(where, timed=timed, alone=alone, is_behind_state=made.plan.is_behind_state)
        return self._rows(made, call)

    def _rows(self, made: "Made", call: StreamCall, start: Any = None) -> Any:
        """The rows; ``start`` has the states with which the buckets begin."""
        sent, kind = self.sent(made.columns, made.handed, made.job), made.rows
        whole = stateful(sent, made.job, kind.results, kind.order, str(call.metrics), self.session, start)
        setattr(whole, _LATE, cache(lambda: self._late(made, call, start)))
        setattr(whole, _OUTPUTS, cache(lambda: self._outputs(made.columns, made.handed, made.job, kind, call, start)))
        remember_stream(whole, lambda: self._failed(made, call, start))
        setattr(whole, _CONTINUED, lambda rows, changes: self._continued(made, call, rows, changes))
        return tracked(whole, call)

    def _continued(self, made: "Made", call: StreamCall, rows: Any, changes: Changes) -> Any:
        """The same, beginning with a state, or with that of a changed query."""
        start = None if rows is None else self._checked(rows, made.job)
        return self._rows(replace(made, job=replace(made.job, changes=changes)), call, start)

    def _checked(self, rows: Any, job: StreamJob) -> Any:
        """The rows of a state, if they fit the buckets of this stream."""
        if not hasattr(rows, "isStreaming"):
            raise UsageError(f"continued(start={shown(rows)}): give a DataFrame with what iw.state_of has given")
        check_rows(rows.columns, rows, "continued")
        labels = labels_for(partitions_of(self.session_conf), keyed=bool(job.part.work.partition_by))
        first = rows.select("buckets", "placed_by").limit(1).collect()
        check_place([row.asDict() for row in first], BY_SPARK, len(labels))
        return rows

    def _outputs(
        self, columns: Columns, handed: list[Any], job: StreamJob, rows: Kind, call: StreamCall, start: Any
    ) -> Any:
        """Rows and late tuples of one operator: the same query, to whose workers whole tuples cross."""
        names = [columns.name(name, "outputs") for name in columns.names]
        beside = [name for name in names if name not in job.schema.names]
        more, schema = crossing(columns, beside, job.part.work) if beside else ([], pa.schema([]))
        failed = failed_of(columns, job.part.work)
        kinds = {ROW: rows, LATE: Kind({name: columns.handed_through(name) for name in names}, names), **failed}
        job = replace(
            job,
            beside=pa.schema([*job.beside, *schema]),
            kinds={ROW: None, LATE: tuple(names), **dict.fromkeys(failed)},
        )
        given = turned(self.sent(columns, [*handed, *more], job), job, str(call.metrics), self.session, start)
        return tracked(in_kinds(given, kinds, job, self.session), replace(call, where=f"outputs() of {call.where}"))

    def _failed(self, made: "Made", call: StreamCall, start: Any) -> Any:
        """The tuples on which hooks raise, computed separately."""
        kinds = failed_of(made.columns, made.job.part.work)
        if not kinds:
            return None
        job = replace(made.job, kinds=dict.fromkeys(kinds))
        sent = self.sent(made.columns, made.handed, job)
        given = in_kinds(turned(sent, job, f"{call.metrics}_failed", self.session, start), kinds, job, self.session)
        return tracked(given.select(f"{FAILED}.*"), replace(call, where=f"failed() of {call.where}"))

    def _late(self, made: "Made", call: StreamCall, start: Any) -> Any:
        """The late tuples, computed separately: so whole rows cross to Python only if the user wants them."""
        if start is not None:
            raise UsageError(
                f"late() of {call.where} that begins with a state: late tuples alone know nothing of the history: take iw.outputs, "
                "which gives them beside the rows"
            )
        columns, work = made.columns, made.job.part.work
        names = [columns.name(name, "late") for name in columns.names]
        results = {name: columns.handed_through(name) for name in (*names, *work.position_columns)}
        handed, schema = crossing(columns, list(results), work)
        job = job_of(LateRows(late_work(work), bound=made.query.lateness), schema, self.session.zone)
        handed, job = made.plan.with_clock(handed, job)
        sent = self.sent(columns, handed, job)
        late = stateful(sent, job, results, names, f"{call.metrics}_late", self.session)
        return tracked(late, replace(call, where=f"late() of {call.where}"))

    def sent(self, columns: Columns, handed: list[Any], job: StreamJob) -> Any:
        """The columns that go to Python, and a hash of the keys."""
        keys = [columns.crossing(name) for name in dict.fromkeys(job.part.work.partition_by)]
        return columns.df.select(
            *[column.alias(f"_{i}") for i, column in enumerate(handed)], hash_of(keys, self.session).alias("hash")
        )

    def check_stream(self, columns: Columns, work: Pass, where: str) -> int | None:
        """The stream has a watermark on its time, or an error; the session's settings suit a stream, or a warning.

        Returns how far ahead of the clock a tuple may be.
        """
        check_query(self.data, self.session, where, stacklevel=5)
        if not work.order_by:
            return None
        return check_time(columns, work.order_by[0].column, where).get(BOUND)

    @property
    def session_conf(self) -> Any:
        return self.data.sparkSession.conf


def _keeping_columns(columns: Columns, query: Query) -> Query:
    """The query with all columns of the data; a result with the name of a column replaces it."""
    replaced = {name.casefold() for name in query.aggregates}
    kept = [columns.name(name, query.where) for name in columns.names if name.casefold() not in replaced]
    order = [name for name in columns.names if name.casefold() not in replaced or name in query.aggregates]
    return replace(query, passed={name: name for name in kept}, order=tuple(dict.fromkeys([*order, *query.aggregates])))


def failed_of(columns: Columns, work: Pass) -> dict[str, Kind]:
    """The kind of the tuples on which hooks raised, if the call collects them."""
    failures = failures_in(work)
    return {FAILED: kind_of(columns, failures)} if failures is not None and failures.collects else {}


def late_tuples(df: Any) -> Any:
    """The tuples that were late for a result of :class:`StreamFrame`; None for any other DataFrame."""
    late = vars(df).get(_LATE)
    return None if late is None else late()


def outputs_of(df: Any) -> Any:
    """All that the operator of a result of :class:`StreamFrame` gives, by kind; None for any other DataFrame."""
    outputs = vars(df).get(_OUTPUTS)
    return None if outputs is None else outputs()


def continued_from(df: Any, rows: Any, changes: Changes) -> Any:
    """A result of :class:`StreamFrame` that begins with a state; None for any other DataFrame."""
    made = vars(df).get(_CONTINUED)
    return None if made is None else made(rows, changes)


_INSTEAD: ContextVar[type[StreamFrame] | None] = ContextVar("instead", default=None)


@contextmanager
def instead_of_frames(kind: type[StreamFrame]) -> Iterator[None]:
    """While this is open, batch DataFrames are places of this kind."""
    token = _INSTEAD.set(kind)
    try:
        yield
    finally:
        _INSTEAD.reset(token)


def place_of_frame(df: Any, where: str) -> Place:
    schema = df.schema
    check_names([field.name for field in schema.fields], where)
    kind = StreamFrame if df.isStreaming else _INSTEAD.get() or Frame
    return kind(df, Session.of(df), schema)
