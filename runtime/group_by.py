"""``group_by(...)``: groups, with or without extents, and their aggregates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.optimizer.planning import plan_groups
from inwindow.optimizer.stream import plan_stream_groups
from inwindow.runtime.call_arguments import columns_of, named_aggregates, or_column
from inwindow.runtime.dataframes import DataFrame
from inwindow.runtime.failed import run_guarded
from inwindow.runtime.group_operator import GroupOperator
from inwindow.runtime.lateness import lateness_of
from inwindow.runtime.places import place_of
from inwindow.runtime.query import Part, Place, Query, Verb
from inwindow.runtime.save import SAVE
from inwindow.runtime.select import selected
from inwindow.runtime.stream.bucket import Bucket
from inwindow.runtime.stream.extent_bucket import extent_bucket
from inwindow.udaf.applied import Applied, column_text, is_expression
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.failures import OnErrorMode, failures_of
from inwindow.udaf.guesses import OF_GROUPED, unknown_attribute
from inwindow.windows.frames import unbounded, window_of
from inwindow.windows.options import Orders
from inwindow.windows.spec import Cumulate, Extent, Hop, Order, Session, Window, extent_name


@dataclass(frozen=True)
class Groups(Part):
    """A row per group, or per group and extent."""

    early: bool = False

    def operator(self, schema: pa.Schema) -> GroupOperator:
        return GroupOperator(self.work, schema)

    def bucket(self, schema: pa.Schema, zone: str = "UTC") -> Bucket:
        return extent_bucket(self.work, schema, early=self.early, zone=zone)


class Aggregating(Verb):
    """Aggregates of whole groups, or of the extents of each group."""

    rows = "groups"

    def passes(self, query: Query, schema: pa.Schema, **planning: Any) -> list[Pass]:
        orders = query.order_by
        return [plan_groups(schema, query.keys, query.extent, query.aggregates, order_by=orders, **planning)]

    def stream_pass(self, query: Query, schema: pa.Schema, **planning: Any) -> Pass:
        orders = query.order_by
        return plan_stream_groups(schema, query.keys, query.extent, query.aggregates, order_by=orders, **planning)

    def part(self, query: Query, work: Pass, passed: Sequence[str] = ()) -> Groups:
        return Groups(work, tuple(passed), query.early)

    def titles(self, query: Query) -> list[str]:
        return [*query.keys, *([] if query.extent is None else ["window"]), *query.aggregates]


AGG = Aggregating()


@dataclass(frozen=True)
class Grouped:
    """Data grouped by keys; see :func:`group_by`."""

    place: Place
    keys: tuple[Any, ...]
    order_by: tuple[Order, ...] = ()
    extent: Extent | None = None
    early: bool = False

    if not TYPE_CHECKING:  # a type checker would take any name

        def __getattr__(self, name: str) -> Any:
            raise unknown_attribute("group_by(...)", name, OF_GROUPED)

    def __repr__(self) -> str:
        keys = ", ".join(map(repr, self.keys))
        order = f" order by {', '.join(order.describe() for order in self.order_by)}" if self.order_by else ""
        window = "" if self.extent is None else f" window {self.extent.describe()}"
        return f"group_by({keys}){order}{window} of a {self._kind()}: .agg(...) or .emit(...)"

    def _kind(self) -> str:
        """The data's type; a frame of another library does not become a table for it."""
        return type(self.place.frame if isinstance(self.place, DataFrame) else self.place.data).__name__

    def window(self, extent: Extent, *, early: bool = False) -> "Grouped":
        """Cut each group into extents: ``iw.hop``, ``iw.tumble``, ``iw.cumulate`` or ``iw.session``.

        On a stream the row of an extent comes once it is final. With ``early=True`` it comes in every micro-batch that has a tuple
        for it: a later row of the same key and window replaces an earlier one (Spark's update mode).
        """
        if not isinstance(extent, (Hop, Cumulate, Session)):
            given = extent.describe() if isinstance(extent, Window) else shown(extent)
            raise UsageError(
                f"window({given}) is not an extent: use iw.tumble, iw.hop, iw.cumulate or iw.session (a frame such as "
                "iw.rows goes into .over(...) of iw.with_columns)"
            )
        if self.order_by:
            raise UsageError(
                f"group_by(order_by=...) and window(): the tuples of an extent are ordered by {extent.on!r}; drop order_by="
            )
        if early and isinstance(extent, Hop) and extent.fill is not None:
            raise UsageError(
                f"window({extent.describe()}, early=True): a filled row is one without tuples, and an early row comes with them: "
                "drop early= or fill="
            )
        if early and (isinstance(extent, Session) or (isinstance(extent, Hop) and extent.rows)):
            raise UsageError(
                f"window({extent.describe()}, early=True): the bounds of a {extent_name(extent)} are known only when it is "
                "whole, so an early row could not be replaced by a later one: drop early="
            )
        return Grouped(self.place, self.keys, self.order_by, extent, early)

    def agg(
        self,
        *applied: Applied,
        on_error: OnErrorMode | Applied = "fail",
        allowed_lateness: Any = None,
        **named: Applied,
    ) -> Any:
        """A row per group, or per group and extent: keys, ``window`` (start, end), aggregates.

        ``on_error=`` is that of :func:`inwindow.with_columns`. On a stream, ``allowed_lateness="5 minutes"`` takes tuples that are
        up to so far behind the watermark: the row of a window that they change comes again, with the next ``iw_revision``, or as
        ``iw_withdrawn``. On batch data it has no effect.
        """
        named, on_error = or_column(named, "on_error", on_error, "fail")
        failures = failures_of(on_error, "agg")
        named, lateness = or_column(named, "allowed_lateness", allowed_lateness, None)
        bound = lateness_of(lateness, "agg")
        aggregates = named_aggregates(applied, named, "agg")
        if not aggregates:
            raise UsageError("agg() was given no aggregate: write agg(total=iw.sum('x'))")
        clash = {*self.keys, *(["window"] if self.extent else [])} & set(aggregates)
        if clash:
            raise UsageError(f"agg() would give the column {clash.pop()!r} twice: name the aggregate otherwise")
        if self.extent and "window" in self.keys:
            raise UsageError("agg() would give the column 'window' twice, as a key and as the extent: rename the key")
        query = replace(self.query(aggregates, "agg"), lateness=bound)
        return run_guarded(self.place, query, failures)

    def partials(self, *applied: Applied, **named: Applied) -> Any:
        """Panes to store: keys, ``start``, ``end``, and for each aggregate a column that :func:`iw.saved` rolls later.

        The extents are those of ``iw.tumble``; any extent whose bounds are bounds of panes can be rolled from them.
        """
        aggregates = named_aggregates(applied, named, "partials")
        extent = self.extent
        if not isinstance(extent, Hop) or extent.every != extent.size or extent.rows or extent.fill is not None:
            given = "no window" if extent is None else extent.describe()
            raise UsageError(
                f"partials() of {given}: panes are extents side by side, of times or numbers: write .window(iw.tumble(...)), "
                "without rows= and fill="
            )
        if not aggregates:
            raise UsageError("partials() was given no aggregate: write partials(total=iw.sum('x'))")
        clash = [name for name in (*self.keys, *aggregates) if name in ("start", "end")] or list(
            {*self.keys} & {*aggregates}
        )
        if clash:
            raise UsageError(
                f"partials() would give the column {clash[0]!r} twice: name the key or the aggregate otherwise"
            )
        return self.place.run(Query(SAVE, "partials", aggregates, keys=self.keys, extent=extent))

    def query(self, aggregates: Mapping[str, Applied], where: str) -> Query:
        """The query of ``agg`` with these aggregates."""
        return Query(
            AGG, where, aggregates, keys=self.keys, extent=self.extent, early=self.early, order_by=self.order_by
        )

    def emit(
        self,
        *columns: Any,
        on_error: OnErrorMode | Applied = "fail",
        allowed_lateness: Any = None,
        **named: Applied,
    ) -> Any:
        """A row per emission of a base aggregate without ``terminate``: keys, columns of the tuple, the emitted value.

        ``on_error=`` and ``allowed_lateness=`` are those of :func:`inwindow.with_columns`.
        """
        if self.extent is not None:
            raise UsageError(
                "emit() is for groups without window(...): an extent gives its results with agg(...), of aggregates that have a "
                "terminate"
            )
        named, on_error = or_column(named, "on_error", on_error, "fail")
        failures = failures_of(on_error, "emit")
        named, lateness = or_column(named, "allowed_lateness", allowed_lateness, None)
        bound, over = lateness_of(lateness, "emit"), {}
        listed = [name for column in columns for name in columns_of(column, self.place)]
        kept = [column for column in listed if isinstance(column, str)]
        self.place.check((*self.keys, *kept), "emit")
        aggregates = named_aggregates(tuple(column for column in listed if not isinstance(column, str)), named, "emit")
        if not aggregates:
            raise UsageError("emit() was given no aggregate: write emit('ts', name=decayed('price'))")
        for name, one in aggregates.items():
            if one.window is not None:
                raise UsageError(
                    f"emit({name}={one.label}) has a window of its own, {one.window.describe()}, but emit() runs over the whole "
                    "group: drop .over(...), or use iw.select"
                )
            if one.traits.has_terminate and not one.traits.online:
                raise UsageError(
                    f"emit({name}={one.label}): {one.traits.name} is blocking (it has a terminate): use agg(...) for one "
                    "row per group"
                )
            over[name] = one.over(unbounded(partition_by=self.keys, order_by=self.order_by))
        extra = [column for column in kept if column not in self.keys]
        return selected(self.place, (*self.keys, *extra), over, failures=failures, lateness=bound)


@says_what_it_takes
def group_by(data: Any, *keys: str | Sequence[str], order_by: Orders = ()) -> Grouped:
    """Group the data, for base aggregates: ``.agg(...)``, ``.window(extent).agg(...)``, ``.emit(...)``.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "a"], "t": [1, 2, 12], "price": [1.0, 5.0, 3.0]})
    >>> iw.group_by(table, "item").agg(iw.avg("price").alias("p")).to_pydict()
    {'item': ['a', 'b'], 'p': [2.0, 5.0]}
    >>> by_ten = iw.group_by(table, "item").window(iw.tumble("t", size=10))
    >>> by_ten.agg(n=iw.count()).to_pylist()[1]
    {'item': 'a', 'window': {'start': 10, 'end': 20}, 'n': 1}
    >>> str(iw.explain(by_ten, n=iw.count())).splitlines()[2:4]
    ['  n = count() (tumble t size 10)', '    strategy  tumble']
    """
    place = place_of(data, "group_by")
    listed = tuple(keys[0]) if len(keys) == 1 and isinstance(keys[0], (list, tuple)) else keys
    for key in listed:
        if isinstance(key, Extent):
            its = f"iw.{extent_name(key)}(...)"
            raise UsageError(
                f"group_by({its}): an extent is no key: write iw.group_by(df, keys).window({its}).agg(...)"
            )
        if not isinstance(key, str):
            hint = f": write {column_text(key)!r}" if is_expression(key) and column_text(key).isidentifier() else ""
            if "window(" in str(key):
                hint = ", and an extent goes into .window(iw.tumble('ts', size='1 hour')) behind group_by(...)"
            raise UsageError(f"group_by({shown(key)}): a key is a column name{hint}")
    for key in listed:
        if listed.count(key) > 1:
            raise UsageError(f"group_by() is given the key {key!r} twice")
    return Grouped(place, listed, window_of(unbounded(order_by=order_by)).order_by)
