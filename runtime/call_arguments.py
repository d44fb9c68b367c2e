"""The arguments of a call: aggregates and columns, by position and by name; or an error that says what to write."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inwindow.runtime.query import Place
from inwindow.udaf import builtins
from inwindow.udaf.applied import Applied
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.guesses import near_option
from inwindow.udaf.traits import HOOKS
from inwindow.windows.spec import Window

_OPTIONS = ("on_error", "allowed_lateness", "hot_keys")  # of calls that take aggregates by any name


@dataclass(frozen=True)
class EmittedAt:
    """The emission time as a column of :func:`select`; see :func:`emitted_at`."""

    name: str = "emitted_at"

    def alias(self, name: str) -> "EmittedAt":
        if not isinstance(name, str) or not name:
            raise UsageError(f"emitted_at().alias({shown(name)}) is not a column name: write alias('name')")
        return EmittedAt(name)


@says_what_it_takes
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
    check_titles(named, where)
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
            if isinstance(one, dict):
                raise UsageError(
                    f"{given}{shown(one)}): give the names as keywords, with two stars before the dict: **{{...}}"
                )
            if type(one).__name__ == "Column":
                raise UsageError(
                    f"{given}{shown(one)}) is Spark's own: leave it to df.withColumn or groupBy().agg, or take ours, such as iw.avg"
                )
            raise UsageError(
                f"{given}{one.describe() if isinstance(one, Window) else shown(one)}) is not an aggregate applied to columns: "
                f"{_instead(one)}{_option(name)}"
            )
        key = name or one.output_name
        if key in result:
            raise UsageError(f"{where}() gives the column {key!r} twice: use alias() to rename one of them")
        result[key] = one
    return result


def _option(name: str | None) -> str:
    """The option that was perhaps meant."""
    near = near_option(name, _OPTIONS) if name else None
    return f"; if you mean the option, write {near}=" if near else ""


def _instead(one: Any) -> str:
    """What to write, by what was given."""
    kind = one if isinstance(one, type) else type(one)
    if any(callable(getattr(kind, hook, None)) for hook in HOOKS):
        return f"derive {kind.__name__} from iw.WindowAggregate, and write {kind.__name__}()('price')"
    name = getattr(one, "__name__", "")
    if inspect.isfunction(one) and getattr(builtins, name, None) is one:
        return f"write iw.{name}('price'), with .over(window) where one is needed"
    return "write my_avg('price'), with .over(window) where one is needed"


def columns_of(item: Any, place: Place) -> list[Any]:
    """An item of ``select``; ``"*"`` is all columns, as in Spark."""
    if isinstance(item, (list, tuple)):
        return [name for one in item for name in columns_of(one, place)]
    return place.names() if isinstance(item, str) and item == "*" else [item]


def check_titles(named: Mapping[str, Any], where: str) -> None:
    """Check that each result has a name."""
    if "" in named:
        raise UsageError(f"{where}(**{{'': {shown(named[''])}}}): '' is not a column name")


def or_column(named: dict[str, Any], option: str, given: Any, default: Any) -> tuple[dict[str, Any], Any]:
    """An aggregate under the name ``of`` or ``hot_keys`` is a result column of that name; anything else is the option."""
    return ({**named, option: given}, default) if isinstance(given, Applied) else (named, given)
