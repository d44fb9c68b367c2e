"""``valid``: the rows that hold at the times of another table's rows, as a window."""

from collections.abc import Sequence
from typing import Any

from inwindow.temporal.names import check_name
from inwindow.udaf.errors import UsageError
from inwindow.windows.frames import window_of
from inwindow.windows.spec import Valid, Window

_WHERE = "temporal.valid"


def valid(
    since: str = "since",
    until: str = "until",
    *,
    partition_by: str | Sequence[str] = (),
    order_by: str,
    strategy: Any = None,
) -> Window:
    """The rows of ``of=`` that hold at the time ``order_by`` of each row: for :func:`inwindow.with_columns`.

    ``since`` and ``until`` are columns of ``of=``. ``order_by`` is a column of the rows that get the results. Both tables have the
    keys. This is a join as of a date: what was the price then?

    >>> import pyarrow as pa, inwindow as iw
    >>> from inwindow import temporal
    >>> prices = pa.table({"item": ["a", "a"], "price": [5, 6], "since": [1, 4], "until": [4, None]})
    >>> sales = pa.table({"item": ["a", "a", "b"], "ts": [3, 4, 9]})
    >>> then = temporal.valid(partition_by="item", order_by="ts")
    >>> iw.with_columns(sales, price=iw.last("price").over(then), of=prices)["price"].to_pylist()
    [5, 6, None]
    """
    check_name(since, _WHERE, "since")
    check_name(until, _WHERE, "until")
    base = window_of(Window(Valid(since, until)), partition_by=partition_by, order_by=order_by, strategy=strategy)
    if len(base.order_by) != 1 or not base.order_by[0].ascending:
        raise UsageError(f"{_WHERE}(order_by={order_by!r}): write the one column that says when a row is")
    return base
