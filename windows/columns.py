"""The columns of a window: keys by name, an order by name or direction."""

from typing import Any

from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.spark_spec import read_order
from inwindow.windows.spec import Order


def listed(columns: Any) -> list[Any]:
    """Columns as a list, whether one was given or several."""
    if columns is None:
        return []
    if isinstance(columns, (list, tuple)):
        return list(columns)
    return [columns]


def named(column: Any, option: str) -> Any:
    """A column's name; or a Spark Column, for a plan for Spark."""
    if isinstance(column, str) or type(column).__module__.startswith("pyspark.sql"):
        return column
    hint = ", iw.asc('name'), iw.desc('name')" if option == "order_by" else ""
    raise UsageError(f"{option}={shown(column)} is not a column: give a name{hint}, or a list of them")


def order_of(column: Any) -> Order:
    """The order by a column, or as said by ``asc`` and ``desc``."""
    if isinstance(column, Order):
        return column
    if type(column).__module__.startswith("pyspark.sql") and type(column).__name__ == "Column":
        return read_order(column)
    return Order(named(column, "order_by"))


def _ordered(column: Any, ascending: bool, nulls_first: Any) -> Order:
    if not isinstance(nulls_first, bool):
        raise UsageError(
            f"{'asc' if ascending else 'desc'}({column!r}): nulls_first={shown(nulls_first)}: write True or False"
        )
    return Order(named(column, "order_by"), ascending, nulls_first)


@says_what_it_takes
def asc(column: str, *, nulls_first: bool = True) -> Order:
    """Ascending order for ``order_by=``, NULLs first unless said otherwise.

    >>> asc("ts")
    Order(column='ts', ascending=True, nulls_first=True)
    """
    return _ordered(column, True, nulls_first)


@says_what_it_takes
def desc(column: str, *, nulls_first: bool = False) -> Order:
    """Descending order for ``order_by=``, NULLs last unless said otherwise.

    >>> from inwindow.windows.frames import rows
    >>> rows(3, order_by=desc("ts")).describe()
    '(order by ts desc rows between 2 preceding and current row)'
    """
    return _ordered(column, False, nulls_first)
