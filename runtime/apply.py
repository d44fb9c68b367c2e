"""Putting aggregates to work: ``with_columns``, ``select``, ``group_by``, on whatever kind of data is given.

The result is of the same kind: a table gives a table, a reader gives a reader.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from inwindow.optimizer.explain import Explanation
from inwindow.runtime import local
from inwindow.runtime.reserved import check_names
from inwindow.udaf.applied import Applied
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.frames import unbounded, window_of
from inwindow.windows.spec import Cumulate, Extent, Hop, Order, Session, Window, extent_name

HOT_KEYS = ("auto", "sample", "off")  # how to look for partitions that hold most of the tuples
Data = TypeVar("Data")  # a pyspark DataFrame (classic or Connect), pyarrow.Table or pyarrow.RecordBatchReader


@dataclass(frozen=True)
class EmittedAt:
    """The emission time as a column of :func:`select`; see :func:`emitted_at`."""

    name: str = "emitted_at"

    def alias(self, name: str) -> "EmittedAt":
        """Name the column."""
        if not isinstance(name, str) or not name:
            raise UsageError(f"emitted_at().alias({shown(name)}) is not a column name: write alias('name')")
        return EmittedAt(name)


def emitted_at() -> EmittedAt:
    """In :func:`select` with active expiration: the time at which a tuple left its window.

    >>> import pyarrow as pa, inwindow as iw
    >>> class Leaves(iw.WindowAggregate):
    ...     def iterate(self, v): pass
    ...     def expire(self, v) -> str: return f"{v} left"
    >>> window = iw.range(10, order_by="t", active_expiration=True)
    >>> table = pa.table({"t": [1, 5], "v": ["a", "b"]})
    >>> iw.select(table, iw.emitted_at().alias("at"), what=Leaves()("v").over(window)).to_pylist()
    [{'at': 11, 'what': 'a left'}, {'at': 15, 'what': 'b left'}]
    """
    return EmittedAt()


def with_columns(data: Data, *applied: Applied, of: Any = None, hot_keys: Any = "auto", **named: Applied) -> Data:
    """The data with a column per aggregate; never changes the number of rows.

    Over a window with a slide, tuples that do not yield get NULL.

    With ``of=`` the aggregates are over *its* tuples, and the data only say where results are wanted: a row at time t
    gets what was known before t, and nothing at t or later (point in time). Keys and order columns have the same names in both.

    On a Spark DataFrame, ``hot_keys=`` says whether partitions that hold most of the tuples are cut into ranges, which run in
    parallel: where a sample is cheap (``"auto"``), after a sample in any case (``"sample"``), or not (``"off"``).

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "a"], "price": [1.0, 5.0, 3.0]})
    >>> window = iw.rows(2, partition_by="item")
    >>> iw.with_columns(table, avg2=iw.avg("price").over(window), hi=iw.max("price").over(window)).to_pydict()
    {'item': ['a', 'b', 'a'], 'price': [1.0, 5.0, 3.0], 'avg2': [1.0, 5.0, 2.0], 'hi': [1.0, 5.0, 3.0]}
    >>> labels = pa.table({"user": ["ann", "ann", "bob"], "ts": [5, 9, 9]})
    >>> clicks = pa.table({"user": ["ann", "ann", "ann"], "ts": [1, 4, 5], "price": [1.0, 3.0, 8.0]})
    >>> window = iw.range(5, partition_by="user", order_by="ts")
    >>> iw.with_columns(labels, spent=iw.sum("price").over(window), of=clicks)["spent"].to_pylist()
    [4.0, 11.0, None]
    """
    named, of = _or_column(named, "of", of, None)
    named, hot_keys = _or_column(named, "hot_keys", hot_keys, "auto")
    place = _place(data, "with_columns", hot_keys)
    aggregates = _named(applied, named, "with_columns")
    if not aggregates:
        raise UsageError("with_columns() was given no aggregate: write with_columns(df, name=iw.avg('x').over(window))")
    if of is not None:
        events = _events(place, of, "with_columns")
        at_points: Data = place.at_points(events, aggregates)
        return at_points
    for name, one in aggregates.items():
        _check_kept_rows(name, one)
    result: Data = place.with_columns(aggregates)
    return result


def select(data: Data, *items: Any, hot_keys: Any = "auto", **named: Any) -> Data:
    """Only the yield tuples (with a slide), emissions (hooks that return or yield) or expirations, and their columns.

    Items are column names, :func:`emitted_at` and aggregates, by position (with ``alias``) or by name; ``"*"`` is all columns.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"ts": [1, 2, 3, 4, 5], "price": [1.0, 2.0, 3.0, 4.0, 5.0]})
    >>> iw.select(table, "ts", total=iw.sum("price").over(iw.rows(4, slide=2))).to_pydict()
    {'ts': [2, 4], 'total': [3.0, 10.0]}
    """
    named, hot_keys = _or_column(named, "hot_keys", hot_keys, "auto")
    return _selected(_place(data, "select", hot_keys), items, named)


def _selected(place: Any, items: tuple[Any, ...], named: dict[str, Any]) -> Any:
    columns: dict[str, Any] = {}
    applied: dict[str, Applied] = {}
    times: list[str] = []
    ordered: list[str] = []
    listed = [name for item in items for name in _columns(item, place)]
    _check_titles(named, "select")
    for name, item in [*((None, item) for item in listed), *named.items()]:
        ordered.append(_place_item(name, item, place, columns, applied, times))
    if len(times) > 1:
        raise UsageError(f"select() has emitted_at() {len(times)} times ({', '.join(times)}): once is enough")
    if len(set(ordered)) < len(ordered):
        twice = next(name for name in ordered if ordered.count(name) > 1)
        raise UsageError(f"select() gives the column {twice!r} twice: use alias() to rename one of them")
    if not applied:
        raise UsageError("select() was given no aggregate: for columns alone use the table's own select()")
    _check_yields(applied, times)
    return place.select(columns, applied, times[0] if times else None, ordered)


@dataclass(frozen=True)
class Grouped:
    """Data grouped by keys; see :func:`group_by`."""

    place: Any
    keys: tuple[Any, ...]
    order_by: tuple[Order, ...] = ()
    extent: Extent | None = None
    early: bool = False

    def __repr__(self) -> str:
        keys = ", ".join(map(repr, self.keys))
        order = f" order by {', '.join(order.describe() for order in self.order_by)}" if self.order_by else ""
        window = "" if self.extent is None else f" window {self.extent.describe()}"
        return f"group_by({keys}){order}{window} of a {type(self.place.data).__name__}: .agg(...) or .emit(...)"

    def window(self, extent: Extent, *, early: bool = False) -> "Grouped":
        """Cut each group into extents: ``iw.hop``, ``iw.tumble``, ``iw.cumulate`` or ``iw.session``.

        On a stream an extent's row comes once it is final. With ``early=True`` it comes with every micro-batch that has a tuple
        for it, and again when there are more: a later row of a key and window replaces an earlier one (Spark's update mode).
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
        if early and (isinstance(extent, Session) or (isinstance(extent, Hop) and extent.rows)):
            raise UsageError(
                f"window({extent.describe()}, early=True): the bounds of a {extent_name(extent)} are known only when it is "
                "whole, so an early row could not be replaced by a later one: drop early="
            )
        return Grouped(self.place, self.keys, self.order_by, extent, early)

    def agg(self, *applied: Applied, **named: Applied) -> Any:
        """A row per group, or per group and extent: keys, ``window`` (start, end), aggregates."""
        aggregates = _named(applied, named, "agg")
        if not aggregates:
            raise UsageError("agg() was given no aggregate: write agg(total=iw.sum('x'))")
        clash = {*self.keys, *(["window"] if self.extent else [])} & set(aggregates)
        if clash:
            raise UsageError(f"agg() would give the column {clash.pop()!r} twice: name the aggregate otherwise")
        if self.extent and "window" in self.keys:
            raise UsageError("agg() would give the column 'window' twice, as a key and as the extent: rename the key")
        place = self.place.with_early_results() if self.early else self.place
        return place.groups(self.keys, self.extent, aggregates, self.order_by)

    def emit(self, *columns: Any, **named: Applied) -> Any:
        """A row per emission of a base aggregate without ``terminate``: keys, columns of the tuple, what it emitted."""
        if self.extent is not None:
            raise UsageError(
                "emit() is for groups without window(...): an extent gives its results with agg(...), of aggregates that have a "
                "terminate"
            )
        over = {}
        listed = [name for column in columns for name in _columns(column, self.place)]
        kept = [column for column in listed if isinstance(column, str)]
        self.place.check((*self.keys, *kept), "emit")
        aggregates = _named(tuple(column for column in listed if not isinstance(column, str)), named, "emit")
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
        return _selected(self.place, (*self.keys, *extra), over)


def group_by(data: Any, *keys: str, order_by: Any = ()) -> Grouped:
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
    place = _place(data, "group_by")
    listed = tuple(keys[0]) if len(keys) == 1 and isinstance(keys[0], (list, tuple)) else keys
    for key in listed:
        if not isinstance(key, str):
            raise UsageError(f"group_by({shown(key)}): a key is a column name")
    for key in listed:
        if listed.count(key) > 1:
            raise UsageError(f"group_by() is given the key {key!r} twice")
    return Grouped(place, listed, window_of(unbounded(order_by=order_by)).order_by)


def late(result: Any) -> Any:
    """The tuples that came behind the watermark, too late for a result on a stream: ESL's out-of-order stream.

    ``result`` is what :func:`with_columns`, :func:`select` or ``agg`` gave for a streaming DataFrame, or what was replayed. On
    Spark the late tuples are a streaming DataFrame of their own, of the columns that the query reads, to be written by a query
    of its own. A tuple without a time (NULL) is late, too.

    >>> import pyarrow as pa, inwindow as iw
    >>> batches = [pa.table({"t": [1, 9]}), pa.table({"t": [12]}), pa.table({"t": [2, 14]})]
    >>> window = iw.range(5, order_by="t")
    >>> result = iw.testing.replay(batches, lambda df: iw.with_columns(df, n=iw.count().over(window)), delay=3)
    >>> iw.late(result).to_pydict()
    {'t': [2]}
    """
    from inwindow.runtime.stream.replay import Replayed

    if isinstance(result, Replayed):
        return pa.concat_tables(result.late)
    if type(result).__module__.startswith("pyspark.sql."):
        from inwindow.runtime.spark.streams import late_tuples

        tuples = late_tuples(result)
        if tuples is not None:
            return tuples
    raise UsageError(
        f"late({type(result).__name__}): late tuples are those of a stream: give the very result of iw.with_columns, iw.select or "
        "iw.group_by(...).agg on a streaming DataFrame, before any select or filter on it"
    )


def _place(data: Any, where: str, hot_keys: Any = "auto") -> Any:
    """Where the data are, as what can run on them: a ``Table``, a ``Reader``, or Spark's ``Frame``."""
    _check_hot_keys(hot_keys, where)
    if isinstance(data, local.Local):
        return data  # a stream that is replayed
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        return local.Table(_with_plain_types(data, where))
    if isinstance(data, pa.RecordBatchReader):
        return local.Reader(_with_plain_types(data, where))
    kind = f"{type(data).__module__}.{type(data).__qualname__}".removeprefix("builtins.")
    if kind.startswith("pyspark.sql.") and kind.endswith(".DataFrame"):
        from inwindow.runtime.spark.frames import Frame

        return Frame.of(data, where, hot_keys)
    if kind.startswith("pandas.") and kind.endswith(".DataFrame"):
        raise UsageError(f"{where}: got a pandas DataFrame; give pyarrow.Table.from_pandas(df)")
    if kind in ("list", "dict"):
        write = "pyarrow.Table.from_pylist(rows)" if kind == "list" else "pyarrow.table(columns)"
        raise UsageError(f"{where}: got a {kind}; give {write}")
    if kind in ("polars.dataframe.frame.DataFrame", "polars.lazyframe.frame.LazyFrame"):
        name = kind.rpartition(".")[2]
        collect = ".collect()" if name == "LazyFrame" else ""
        raise UsageError(f"{where}: got a Polars {name}; give df{collect}.to_arrow()")
    if hasattr(data, "__arrow_c_stream__") and hasattr(data, "columns"):  # DuckDB and others
        raise UsageError(f"{where}: got a {kind}; give pyarrow.table(df)")
    if kind == "inwindow.runtime.stream.replay.Query":
        raise UsageError(
            f"{where} on the result of another call on a stream: a query is one call: give it all aggregates, with one "
            "partitioning and order, or replay the rows of the first one"
        )
    raise UsageError(f"{where}: got a {kind}; give a pyspark DataFrame, a pyarrow.Table or a pyarrow.RecordBatchReader")


def _or_column(named: dict[str, Any], option: str, given: Any, default: Any) -> tuple[dict[str, Any], Any]:
    """``of=`` is the other table, ``hot_keys=`` a word; but an aggregate is a result column that happens to be called so."""
    return ({**named, option: given}, default) if isinstance(given, Applied) else (named, given)


def _check_hot_keys(hot_keys: Any, where: str) -> None:
    if not isinstance(hot_keys, str) or hot_keys not in HOT_KEYS:
        raise UsageError(
            f"{where}(hot_keys={shown(hot_keys)}): write 'auto' (look for hot keys where a sample is cheap), 'sample' (look in "
            "any case) or 'off'"
        )


def _events(place: Any, of: Any, where: str) -> Any:
    """What is given as ``of=``, of the same kind as the data."""
    events = _place(of, f"{where}(of=...)")
    if isinstance(place, local.Reader) or isinstance(events, local.Reader):
        raise UsageError(
            f"{where}(of=...): a reader cannot be sorted together with another table: give pyarrow.Tables (reader.read_all())"
        )
    if isinstance(place, local.Local) != isinstance(events, local.Local):
        raise UsageError(
            f"{where}(of=...): one is a {type(place.data).__name__}, the other a {type(events.data).__name__}: give both as "
            "tables, or both as DataFrames"
        )
    return events


def _with_plain_types(data: Any, where: str) -> Any:
    """String views (as Polars gives) as strings: Arrow cannot take rows of views. The names are not ours."""
    check_names(data.schema.names, where)
    fields = []
    for field in data.schema:
        if pa.types.is_run_end_encoded(field.type):
            raise UsageError(
                f"{where}: the column {field.name!r} is run-end encoded: decode it first, with pyarrow.compute.run_end_decode"
            )
        view = field.type in (pa.string_view(), pa.binary_view())
        fields.append(
            field.with_type(pa.string() if field.type == pa.string_view() else pa.binary()) if view else field
        )
    schema = pa.schema(fields, data.schema.metadata)
    return data if schema == data.schema else data.cast(schema)


def _columns(item: Any, place: Any) -> list[Any]:
    """An item of ``select``; ``"*"`` is all columns, as in Spark."""
    return place.names() if isinstance(item, str) and item == "*" else [item]


def _check_titles(named: Mapping[str, Any], where: str) -> None:
    if "" in named:
        raise UsageError(f"{where}(**{{'': {shown(named[''])}}}): '' is not a column name")


def _named(applied: tuple[Any, ...], named: Mapping[str, Any], where: str) -> dict[str, Applied]:
    result: dict[str, Applied] = {}
    _check_titles(named, where)
    for name, one in [*((None, one) for one in applied), *named.items()]:
        if not isinstance(one, Applied):
            given = f"{where}({name or ''}{'=' if name else ''}"
            if isinstance(one, Aggregate):
                it = type(one).__name__
                raise UsageError(f"{given}{it}()): {it} is not applied to columns yet: call it, as in {it}()('price')")
            if isinstance(one, type) and issubclass(one, Aggregate):
                it = one.__name__
                raise UsageError(f"{given}{it}): {it} is a class: make one and apply it, as in {it}()('price')")
            if isinstance(one, EmittedAt):
                raise UsageError(
                    f"{given}emitted_at()): the time at which a tuple leaves is a column of iw.select, over a window with "
                    "active_expiration=True"
                )
            if type(one).__name__ == "Column":
                raise UsageError(
                    f"{given}{shown(one)}) is Spark's own: leave it to df.withColumn or groupBy().agg, or take ours, such as iw.avg"
                )
            raise UsageError(
                f"{given}{one.describe() if isinstance(one, Window) else shown(one)}) is not an aggregate applied to columns: "
                "write my_avg('price'), with .over(window) where one is needed"
            )
        key = name or one.output_name
        if key in result:
            raise UsageError(f"{where}() gives the column {key!r} twice: use alias() to rename one of them")
        result[key] = one
    return result


def _place_item(
    name: str | None,
    item: Any,
    place: Any,
    columns: dict[str, Any],
    applied: dict[str, Applied],
    times: list[str],
) -> str:
    if isinstance(item, Applied):
        applied[name or item.output_name] = item
        return name or item.output_name
    if isinstance(item, EmittedAt):
        times.append(name or item.name)
        return times[-1]
    passed = place.item(item)
    if passed is not None:
        columns[name or passed[0]] = passed[1]
        return name or str(passed[0])
    given = f"{name}={shown(item)}" if name else shown(item)
    if name == "of":
        raise UsageError(
            f"select({given}): results at the rows of another table are made by iw.with_columns(labels, of=events)"
        )
    raise UsageError(f"select({given}): an item is a column name, an aggregate over a window, or iw.emitted_at()")


def _check_kept_rows(name: str, one: Applied) -> None:
    if one.window is not None and one.window.active_expiration:
        raise UsageError(
            f"{name}={one.label}: active expiration emits when tuples leave, not when they arrive: use iw.select"
        )
    if one.traits.emits_many:
        raise UsageError(
            f"{name}={one.label}: {one.traits.name} yields any number of values per tuple, but with_columns keeps the "
            "number of rows: use iw.select, or return a list"
        )


def _slots(window: Window | None) -> tuple[str, ...] | None:
    """Which tuples yield, as text: the slide, what it counts, where its slots begin and how they end."""
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


def explain(data: Any, *applied: Applied, of: Any = None, hot_keys: Any = "auto", **named: Applied) -> Explanation:
    """What each expression would do on the data: the strategy, why, why not the others, time and memory per tuple.

    With ``hot_keys=`` as for :func:`with_columns`, which takes a sample of a DataFrame where that would.

    Of groups, ``explain(iw.group_by(...).window(...), n=...)`` says what their ``agg(n=...)`` would do; with ``of=``, what
    :func:`with_columns` would do with it.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 2.0]})
    >>> print(iw.explain(table, s=iw.sum("price").over(iw.rows(40000, slide=10000))))
    pass 1 of 1: no partitioning, arrival order; one aggregate
    <BLANKLINE>
      s = sum(price) (rows between 39999 preceding and current row slide 10000)
        strategy  pane-cascade
        why       `sum` has merge
        why not   unbounded: not possible, tuples leave the frame
        why not   tumble: not possible, frames overlap
        time      O(1) per tuple, O(1) merges per pane
        memory    5 partials
        runs      native kernel
        result    double
    <BLANKLINE>
    local: a table is sorted once per pass and fed in slices; a reader must come sorted
    """
    named, of = _or_column(named, "of", of, None)
    named, hot_keys = _or_column(named, "hot_keys", hot_keys, "auto")
    expressions = _named(applied, named, "explain")
    if not expressions:
        given = "no data" if isinstance(data, Applied) else "no aggregate"
        raise UsageError(f"explain() was given {given}: write explain(df, name=iw.avg('x').over(window))")
    if isinstance(data, Grouped):
        if of is not None:
            raise UsageError(
                "explain(of=...): groups are not evaluated at the rows of another table: drop of=, or group_by"
            )
        return data.place.explain_groups(data.keys, data.extent, expressions, data.order_by)
    place = local.Local(data) if isinstance(data, pa.Schema) else _place(data, "explain", hot_keys)
    if of is not None:
        events = _events(place, of, "explain")
        return place.explain_at_points(events, expressions)
    return place.explain(expressions)
