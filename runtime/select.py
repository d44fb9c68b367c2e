"""``select``: a row per yield tuple, emission or expiration, with some of its columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.optimizer.planning import plan_windows
from inwindow.optimizer.stream import plan_stream
from inwindow.runtime.call_arguments import EmittedAt, check_titles, columns_of, or_column
from inwindow.runtime.failed import run_guarded
from inwindow.runtime.lateness import lateness_of
from inwindow.runtime.places import HotKeys, check_hot_keys, place_of
from inwindow.runtime.query import Part, Place, Query, Verb, single_pass
from inwindow.runtime.row_operators import Select
from inwindow.runtime.stream.row_bucket import RowBucket
from inwindow.udaf.applied import Applied
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.failures import Failures, OnErrorMode, failures_of
from inwindow.windows.interval import Size
from inwindow.windows.spec import Window


@dataclass(frozen=True)
class SomeRows(Part):
    """A row wherever some aggregate gives a result."""

    emitted_at: str | None = None

    def operator(self, schema: pa.Schema) -> Select:
        return Select(self.work, schema, self.passed, self.emitted_at)

    def bucket(self, schema: pa.Schema, zone: str = "UTC") -> RowBucket:
        return RowBucket(self.work, schema, self.passed, every_row=False, emitted_at=self.emitted_at, zone=zone)


class Selecting(Verb):
    """All aggregates over one partitioning and order."""

    rows = "some tuples"

    def passes(self, query: Query, schema: pa.Schema, **planning: Any) -> list[Pass]:
        return [single_pass(plan_windows(schema, query.aggregates, **planning), query.where)]

    def stream_pass(self, query: Query, schema: pa.Schema, **planning: Any) -> Pass:
        return plan_stream(schema, query.aggregates, query.where, **planning)

    def part(self, query: Query, work: Pass, passed: Sequence[str] = ()) -> SomeRows:
        return SomeRows(work, tuple(passed), query.emitted_at)

    def titles(self, query: Query) -> list[str]:
        return [*super().titles(query), *([] if query.emitted_at is None else [query.emitted_at])]


SELECT = Selecting()


@says_what_it_takes
def select(
    data: Any,
    *items: Any,
    hot_keys: HotKeys | Applied = "auto",
    on_error: OnErrorMode | Applied = "fail",
    allowed_lateness: Any = None,
    **named: Any,
) -> Any:
    """Rows only for yield tuples (with a slide), emissions (hooks that return or yield) or expirations.

    Items are column names, :func:`emitted_at` and aggregates, by position (with ``alias``) or by name; ``"*"`` is all columns.
    ``hot_keys=``, ``on_error=`` and ``allowed_lateness=`` are those of :func:`with_columns`; with the last, as a tuple may have
    several rows, these have ``iw_part``, too.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"ts": [1, 2, 3, 4, 5], "price": [1.0, 2.0, 3.0, 4.0, 5.0]})
    >>> iw.select(table, "ts", total=iw.sum("price").over(iw.rows(4, slide=2))).to_pydict()
    {'ts': [2, 4], 'total': [3.0, 10.0]}
    """
    named, search = or_column(named, "hot_keys", hot_keys, "auto")
    named, on_error = or_column(named, "on_error", on_error, "fail")
    named, lateness = or_column(named, "allowed_lateness", allowed_lateness, None)
    check_hot_keys(search, "select")
    failures = failures_of(on_error, "select")
    return selected(place_of(data, "select"), items, named, search, failures, lateness_of(lateness, "select"))


def selected(
    place: Place,
    items: tuple[Any, ...],
    named: dict[str, Any],
    hot_keys: str = "auto",
    failures: Failures | None = None,
    lateness: Size | None = None,
) -> Any:
    its = _Selection(place)
    listed = [name for item in items for name in columns_of(item, place)]
    check_titles(named, "select")
    for name, item in [*((None, item) for item in listed), *named.items()]:
        its.add(name, item)
    its.check()
    time = its.times[0] if its.times else None
    query = Query(SELECT, "select", its.applied, its.passed, tuple(its.order), emitted_at=time, hot_keys=hot_keys)
    return run_guarded(place, replace(query, lateness=lateness), failures)


@dataclass
class _Selection:
    """The items of a select, by kind."""

    place: Place
    passed: dict[str, Any] = field(default_factory=dict)
    applied: dict[str, Applied] = field(default_factory=dict)
    times: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)

    def add(self, name: str | None, item: Any) -> None:
        """The next item, under its own name or a given one."""
        if isinstance(item, Applied):
            title = name or item.output_name
            self.applied[title] = item
        elif isinstance(item, EmittedAt):
            title = name or item.name
            self.times.append(title)
        else:
            column = self.place.item(item)
            if column is None:
                raise _no_item(name, item)
            title = name or column[0]
            self.passed[title] = column[1]
        self.order.append(title)

    def check(self) -> None:
        """Check that the items can make rows together."""
        if len(self.times) > 1:
            raise UsageError(
                f"select() has emitted_at() {len(self.times)} times ({', '.join(self.times)}): once is enough"
            )
        if len(set(self.order)) < len(self.order):
            twice = next(name for name in self.order if self.order.count(name) > 1)
            raise UsageError(f"select() gives the column {twice!r} twice: use alias() to rename one of them")
        if not self.applied:
            raise UsageError("select() was given no aggregate: for columns alone use the table's own select()")
        _check_yields(self.applied, self.times)


def _no_item(name: str | None, item: Any) -> UsageError:
    given = f"{name}={shown(item)}" if name else shown(item)
    if name == "of":
        return UsageError(
            f"select({given}): results at the rows of another table are made by iw.with_columns(labels, of=events)"
        )
    return UsageError(f"select({given}): an item is a column name, an aggregate over a window, or iw.emitted_at()")


def _slots(window: Window | None) -> tuple[str, ...] | None:
    """Which tuples yield, as text: the slide, what it counts, where its slots begin, and how they end."""
    if window is None or window.slide is None:
        return None
    if window.slides_by_rows:
        return window.slots, *(["final='emit'"] if window.final == "emit" else [])
    return window.slots, *([] if window.origin is None else [f"origin {window.origin}"])


def _check_yields(applied: Mapping[str, Applied], times: list[str]) -> None:
    windows = {name: one.window for name, one in applied.items()}
    slides = {name: _slots(window) for name, window in windows.items()}
    if len(set(slides.values())) > 1:
        raise UsageError(
            "select() gives a row per yield tuple, so all its windows must have the same slide; got "
            + ", ".join(f"{name}: {'none' if slide is None else ', '.join(slide)}" for name, slide in slides.items())
        )
    active = {name: window.frame if window and window.active_expiration else None for name, window in windows.items()}
    if len(set(active.values())) > 1:
        raise UsageError(
            "select() mixes windows with and without active expiration, or of different sizes; their rows appear at "
            "different times: use one select() for each"
        )
    if times and None in active.values():
        raise UsageError(
            "emitted_at() is the time at which a tuple leaves: it needs active_expiration=True on the window"
        )
    many = [name for name, one in applied.items() if one.traits.emits_many]
    if len(many) > 1:
        raise UsageError(
            f"select() has {len(many)} aggregates that yield any number of values per tuple ({', '.join(many)}): which "
            "of them would make the rows? Use one select() for each"
        )
