"""What is asked for, as it was written: aggregates and columns by position and by name; or an error that says what to write."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inwindow.udaf.applied import Applied
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.spec import Window


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


def named_aggregates(applied: tuple[Any, ...], named: Mapping[str, Any], where: str) -> dict[str, Applied]:
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


def columns_of(item: Any, place: Any) -> list[Any]:
    """An item of ``select``; ``"*"`` is all columns, as in Spark."""
    return place.names() if isinstance(item, str) and item == "*" else [item]


def selected(place: Any, items: tuple[Any, ...], named: dict[str, Any]) -> Any:
    columns: dict[str, Any] = {}
    applied: dict[str, Applied] = {}
    times: list[str] = []
    ordered: list[str] = []
    listed = [name for item in items for name in columns_of(item, place)]
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


def _check_titles(named: Mapping[str, Any], where: str) -> None:
    if "" in named:
        raise UsageError(f"{where}(**{{'': {shown(named[''])}}}): '' is not a column name")


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
