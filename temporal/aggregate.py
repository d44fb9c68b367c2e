"""``aggregate``: any aggregate of the rows that hold at the same time: how many there are, their sum, ...

::

    a  x=5  [1 ------- 6)
    b  x=2       [4 ------- 9)
    sum(x)  5 [1,4)  7 [4,6)  2 [6,9)          a row per change; no row while nothing holds
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._sweep import joined, mark_changes, news, pieces
from inwindow.optimizer.plan import Pass
from inwindow.runtime.call_arguments import named_aggregates
from inwindow.runtime.dictionaries import canonical_keys, readable
from inwindow.runtime.expressions import compute_arguments
from inwindow.runtime.intervals import Keys, Rows
from inwindow.runtime.operations import carried_out
from inwindow.runtime.reports import shown_scalar
from inwindow.runtime.sweep import Sweep
from inwindow.runtime.sweep_plan import plan_sweep, sweep_of
from inwindow.temporal.names import names_of
from inwindow.temporal.relation import ENDS, Relation, check_relation, check_values, relation
from inwindow.temporal.stitched import Stitched
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.neighbours import changes

Data = TypeVar("Data")
Marks: TypeAlias = npt.NDArray[np.uint8]
_WHERE = "temporal.aggregate"


def aggregate(
    data: Data, *applied: Applied, by: str | Iterable[str] | None = None, coalesce: bool = True, **named: Applied
) -> Data:
    """Aggregates of the rows that hold, per value of the columns ``by``: a row per change of a result.

    A row is valid as long as its results stay the same. With ``coalesce=False`` there is a row for each time in which the same rows
    hold. While nothing holds, there is no row.

    >>> import pyarrow as pa, inwindow as iw
    >>> from inwindow import temporal
    >>> sessions = pa.table({"host": ["h", "h"], "mb": [5, 2], "since": [1, 4], "until": [6, 9]})
    >>> temporal.aggregate(sessions, by="host", n=iw.count(), mb=iw.sum("mb")).to_pylist()[1]
    {'host': 'h', 'n': 2, 'mb': 7, 'since': 4, 'until': 6}
    """
    return carried_out(holding(applied, by, coalesce, named), data)


def holding(applied: tuple[Any, ...], by: Any, coalesce: Any, named: dict[str, Any]) -> "Holding":
    """The operator for a call of aggregate or explain."""
    aggregates = named_aggregates(applied, named, _WHERE)
    for one in aggregates.values():
        if one.least is not None:
            raise UsageError(
                f"{_WHERE}: {one.label} has min_count={one.least}: add n=iw.count(...) to the aggregates, and keep the rows with "
                f"n >= {one.least}"
            )
    if not aggregates:
        raise UsageError(f"{_WHERE}() was given no aggregate: write temporal.aggregate(data, n=iw.count())")
    if not isinstance(coalesce, bool):
        raise UsageError(f"{_WHERE}(coalesce={shown(coalesce)}): write True or False")
    keys = names_of(by, _WHERE, "by") or ()
    for name in (*keys, *ENDS):
        if name in aggregates:
            raise UsageError(f"{_WHERE}() would give the column {name!r} twice: name the aggregate otherwise")
    return Holding(keys, tuple(aggregates.items()), coalesce)


@dataclass(frozen=True)
class Holding(Stitched):
    """Pieces of time, and the results of each."""

    by: tuple[str, ...]
    aggregates: tuple[tuple[str, Applied], ...]
    coalesce: bool
    planning: Any = None  # ANSI mode and time zone of a session
    name = "aggregate"
    steps = "one sort by since and one by until, then a sweep over both"

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """Rows with equal values in ``by`` are aggregated together."""
        self.planned(schemas[0])
        return [self.by]

    def over(self, *sides: Any) -> "Holding":
        """The operator over names; arguments and filters may be Spark expressions."""
        (columns,) = sides
        named = columns.applied(dict(self.aggregates))
        return replace(self, aggregates=tuple(named.items()), planning=columns.session.planning)

    def reads(self, schema: pa.Schema) -> list[str]:
        """Keys, ends, arguments and filters."""
        applied = [one for _, one in self.aggregates]
        read = [*self.by, *ENDS, *(name for one in applied for name in one.columns)]
        read += [one.condition for one in applied if one.condition is not None]
        return list(dict.fromkeys(read))

    def source(self, name: str, schemas: tuple[pa.Schema, ...]) -> tuple[int, str] | None:
        """Keys and ends come from the input; results are computed."""
        return (0, name) if name in (*self.by, *ENDS) else None

    def planned(self, schema: pa.Schema) -> tuple[Pass, Any]:
        """The steps, and the expressions to compute first; raises the errors that do not depend on data."""
        check_relation(schema, _WHERE)
        check_values(schema, self.by, _WHERE)
        named, computed = compute_arguments(dict(self.aggregates))
        return plan_sweep(computed.schema(schema), self.by, named, _WHERE, **(self.planning or {})), computed

    def check_stream(self, *schemas: pa.Schema) -> None:
        """Without ``coalesce``, rows that are cut at watermarks cannot be joined again."""
        if not self.coalesce:
            raise UsageError(
                f"{_WHERE}(coalesce=False) on a stream: rows would be cut wherever the watermark happened to be: drop coalesce="
            )

    def looks_at_order(self, *schemas: pa.Schema) -> bool:
        """Lists, the first one, and classes that do not say that order is no matter."""
        return not all(step.case.traits.commutative for step in self.planned(schemas[0])[0].steps)

    def matched(self, *schemas: pa.Schema) -> tuple[str, ...]:
        """At an instant there is one row for a value of the keys."""
        return self.by

    def compared(self, *schemas: pa.Schema) -> tuple[str, ...]:
        """The results."""
        return tuple(name for name, _ in self.aggregates)

    def work(self, *schemas: pa.Schema) -> Pass:
        """The aggregates."""
        return self.planned(schemas[0])[0]

    def as_text(self) -> str:
        """The keys."""
        return repr(replace(self, aggregates=(), planning=None))

    def run(self, *tables: pa.Table) -> pa.Table:
        """Sort both ends, sweep, and join equal neighbours."""
        (table,) = tables
        work, computed = self.planned(table.schema)
        its = relation(table, _WHERE)
        sweep = sweep_of(its.numbered(self.by), computed.onto(table), readable(computed.schema(table.schema)), work)
        begin, finish, start, end = pieces(sweep.group, sweep.since, sweep.until)

        def frame_text(frame: int) -> str:
            return self._told(
                its, sweep.row(end[frame : frame + 1] - 1)[0], begin[frame : frame + 1], finish[frame : frame + 1]
            )

        results = [sweep.results(step, work, start, end, frame_text) for step in work.steps]
        if self.coalesce and len(begin):
            new = news(sweep.group, begin, finish, end)
            for column in results:
                _mark(column, new)
            if not new.all():
                results = [column.filter(pa.array(new.view(bool))) for column in results]
                begin, finish, end = joined(new, begin, finish, end)
        columns = {}
        if self.by:
            columns = _keys(table, self.by, sweep, end)
        columns |= {step.name: column for step, column in zip(work.steps, results, strict=True)}
        return its.with_ends(pa.table(columns), begin, finish)

    def _told(self, its: Relation, row: int, begin: Keys, finish: Keys) -> str:
        since, until = (its.instants.column(end)[0] for end in (begin, finish))
        keys = [f"{name}={shown_scalar(its.table.column(name)[int(row)])}" for name in self.by]
        of = f" of {', '.join(keys)}" if keys else ""
        first = "" if since.as_py() is None else f" from {shown_scalar(since)}"
        last = "" if until.as_py() is None else f" until {shown_scalar(until)}"
        return f", for what holds{first}{last}{of}"


def _mark(results: pa.Array, new: Marks) -> None:
    """Where a result is another than the one before."""
    if results.null_count == 0 and (pa.types.is_int64(results.type) or pa.types.is_float64(results.type)):
        mark_changes(results.to_numpy(), new)
    else:
        new |= changes([results], None)


def _keys(table: pa.Table, by: tuple[str, ...], sweep: Sweep, end: Rows) -> dict[str, pa.Array]:
    """The keys of results: each group's are looked up once."""
    group = sweep.group
    first = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
    rows = np.zeros(int(group[-1]) + 1 if len(group) else 0, dtype=np.int64)  # by the group's number; groups ascend
    rows[group[first]] = sweep.row(first)
    whose = group[end - 1] if len(end) else end
    return {name: _key(table, name, pa.array(rows)).take(pa.array(whose)) for name in by}


def _key(table: pa.Table, name: str, rows: pa.Array) -> pa.Array:
    taken = table.column(name).take(rows)
    return canonical_keys(taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken)
