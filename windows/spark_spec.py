"""Read a ``pyspark.sql.WindowSpec``: classic (through the JVM) and Connect (plain Python).

A spec has no public accessors, so this reads its internals; if a field is missing, that is an error, never a guess. A column that
is a plain name is read as that name, so that a Spark window also works on an Arrow table; anything else stays a Spark Column.
"""

import re
import sys
from typing import Any, TypeVar

from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Size
from inwindow.windows.spec import Frame, Order, Range, Rows, Window

_PRECEDING, _FOLLOWING = -(1 << 63), (1 << 63) - 1  # Window.unboundedPreceding and Window.unboundedFollowing
_Bound = TypeVar("_Bound", int, Size)


def read_window_spec(spec: Any) -> Window:
    """The window of a PySpark WindowSpec; without a frame, SQL's default applies."""
    try:
        partition_by, order_by, frame = (
            _read_connect(spec) if ".connect." in type(spec).__module__ else _read_classic(spec)
        )
    except (AttributeError, KeyError) as error:
        raise UsageError(
            f"cannot read this version's WindowSpec ({error}): write the window with iw.rows or iw.range"
        ) from error
    if frame is None:
        frame = Range(None, 0) if order_by else Rows(None, None)
    return Window(frame, tuple(partition_by), tuple(order_by))


def read_order(column: Any) -> Order:
    """A Spark Column as an order: ``F.desc("ts")`` says how to sort by ``ts``, ``F.col("ts")`` does not."""
    if ".connect." in type(column).__module__:
        expression = column._expr
        return _connect_order(expression) if type(expression).__name__ == "SortOrder" else Order(column)
    node = getattr(column, "_jc", None) and column._jc.node()
    return _classic_order(node) if node is not None and _kind(node) == "SortOrder" else Order(column)


def bound_of(bound: _Bound, *, lower: bool) -> _Bound | None:
    """A bound in PySpark's notation: its integers for UNBOUNDED become None, any other size stays.

    >>> bound_of(-(1 << 63), lower=True), bound_of(-sys.maxsize, lower=True), bound_of(sys.maxsize, lower=False)
    (None, None, None)
    >>> bound_of(-(1 << 62), lower=True), bound_of(-(2.0**63), lower=True)
    (-4611686018427387904, -9.223372036854776e+18)
    """
    if not isinstance(bound, int):
        return bound
    if lower and bound == _FOLLOWING:
        raise UsageError(
            "a frame cannot start at UNBOUNDED FOLLOWING: give the lower bound first, as in rowsBetween(-9, 0)"
        )
    if not lower and bound == _PRECEDING:
        raise UsageError(
            "a frame cannot end at UNBOUNDED PRECEDING: give the lower bound first, as in rowsBetween(-9, 0)"
        )
    # PySpark also takes -sys.maxsize, as old programs write it.
    return None if bound in ((_PRECEDING, -sys.maxsize) if lower else (_FOLLOWING,)) else bound


def _frame(is_rows: bool, lower: int, upper: int) -> Frame:
    bounds = bound_of(lower, lower=True), bound_of(upper, lower=False)
    return Rows(*bounds) if is_rows else Range(*bounds)


# Spark Connect: the spec is a Python object.


def _read_connect(spec: Any) -> tuple[list[Any], list[Order], Frame | None]:
    frame = spec._frame
    return (
        [_connect_column(expression) for expression in spec._partitionSpec],
        [_connect_order(expression) for expression in spec._orderSpec],
        frame and _frame(bool(frame._isRowFrame), int(_connect_bound(frame._start)), int(_connect_bound(frame._end))),
    )


def _connect_order(expression: Any) -> Order:
    return Order(_connect_column(expression._child), bool(expression._ascending), bool(expression._nullsFirst))


def _connect_bound(bound: Any) -> Any:
    return getattr(bound, "_value", bound)


def _connect_column(expression: Any) -> Any:
    if type(expression).__name__ == "ColumnReference" and getattr(expression, "_plan_id", None) is None:
        name = str(expression._unparsed_identifier)
        if name.isidentifier():
            return name
        if re.fullmatch("`(?:[^`]|``)+`", name):
            return name[1:-1].replace("``", "`")
    from pyspark.sql.connect.column import Column

    return Column(expression)  # type: ignore[operator, unused-ignore]


# Classic: the spec is a JVM object; a dummy over it shows its tree.


def _read_classic(spec: Any) -> tuple[list[Any], list[Order], Frame | None]:
    from pyspark.sql import functions as F

    node = F.lit(1).over(spec)._jc.node().windowSpec()  # type: ignore[operator, attr-defined, unused-ignore]
    frame = node.frame()
    return (
        [_classic_column(column) for column in _items(node.partitionColumns())],
        [_classic_order(order) for order in _items(node.sortColumns())],
        None if frame.isEmpty() else _classic_frame(frame.get()),
    )


def _classic_order(node: Any) -> Order:
    ascending = _kind(node.sortDirection()).startswith("Asc")
    return Order(_classic_column(node.child()), ascending, _kind(node.nullOrdering()) == "NullsFirst")


def _classic_frame(frame: Any) -> Frame:
    return _frame(_kind(frame.frameType()) == "Row", _classic_bound(frame.lower()), _classic_bound(frame.upper()))


def _classic_bound(bound: Any) -> int:
    kind = _kind(bound)
    if kind == "Value":
        return int(bound.value().value())
    return {"UnboundedPreceding": _PRECEDING, "CurrentRow": 0, "UnboundedFollowing": _FOLLOWING}[kind]


def _classic_column(node: Any) -> Any:
    if _kind(node) == "UnresolvedAttribute":
        parts = _items(node.nameParts())
        if len(parts) == 1:
            return str(parts[0])
    from pyspark import SparkContext
    from pyspark.sql import Column

    context = SparkContext._active_spark_context
    assert context is not None and context._jvm is not None
    return Column(getattr(context._jvm, "org.apache.spark.sql.Column")(node))  # type: ignore[call-arg, unused-ignore]


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(index) for index in range(sequence.size())]


def _kind(node: Any) -> str:
    # Scala's singletons print as an address; their class has the name.
    return str(node.getClass().getSimpleName()).rstrip("$")
