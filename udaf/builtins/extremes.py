"""Smallest and largest: ``min``, ``max``, and the values beside them: ``min_by``, ``max_by``."""

from typing import Any, Literal

import pyarrow as pa

from inwindow.native._extremes import FloatExtreme, IntExtreme
from inwindow.native.extremes import Extreme, ExtremeBy, ExtremeOfPartials
from inwindow.udaf.applied import Applied
from inwindow.udaf.built_in import Resolve, built_in
from inwindow.udaf.builtins import joins
from inwindow.udaf.kinds import DOUBLE, INT, back_to, is_float, is_ordered, is_whole
from inwindow.udaf.native import Cascade, Native, own_panes

__all__ = ["max", "max_by", "min", "min_by"]

Op = Literal["min", "max"]
_ORDERED = "what can be ordered"
STILL_IN = "the values that may still become the extreme: few, unless the values run one way"


def min(column: Any) -> Applied:
    """The smallest value; NaN is larger than everything.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [3, 1, 2, 4]})
    >>> iw.with_columns(table, low=iw.min("price").over(iw.rows(2)))["low"].to_pylist()
    [3, 1, 1, 2]
    """
    return built_in("min", _extreme_on("min"), _ORDERED, column, commutative=True)


def max(column: Any) -> Applied:
    """The largest value; NaN is larger than everything.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["b", "c", "a"]})
    >>> iw.with_columns(table, high=iw.max("item").over(iw.rows(2)))["high"].to_pylist()
    ['b', 'c', 'c']
    """
    return built_in("max", _extreme_on("max"), _ORDERED, column, commutative=True)


def max_by(column: Any, ord: Any) -> Applied:
    """The value of ``column`` in the tuple with the largest ``ord``; if there are several such tuples, in the latest.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "c"], "price": [3.0, 5.0, 4.0]})
    >>> iw.with_columns(table, best=iw.max_by("item", "price").over(iw.rows(2)))["best"].to_pylist()
    ['a', 'b', 'b']
    """
    return built_in(
        "max_by", _extreme_by_on("max"), "a column and what can be ordered", column, ord, parameters=("column", "ord")
    )


def min_by(column: Any, ord: Any) -> Applied:
    """The value of ``column`` in the tuple with the smallest ``ord``; if there are several such tuples, in the latest.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "c"], "price": [3.0, 5.0, 4.0]})
    >>> iw.with_columns(table, cheap=iw.min_by("item", "price").over(iw.rows(2)))["cheap"].to_pylist()
    ['a', 'a', 'c']
    """
    return built_in(
        "min_by", _extreme_by_on("min"), "a column and what can be ordered", column, ord, parameters=("column", "ord")
    )


def _extreme_on(op: Op) -> Resolve:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        (kind,) = types
        if is_whole(kind) or is_float(kind):
            extreme, inner = (FloatExtreme, DOUBLE) if is_float(kind) else (IntExtreme, INT)
            cascade = own_panes(lambda evicts: extreme(op, evicts=evicts))
            found = Native(
                kind, lambda evicts: extreme(op, evicts=evicts), inner, back_to(kind), cascade,
                keeps=STILL_IN, gives="a value",
            )  # fmt: skip
            return joins.extremes(found, op)
        if not is_ordered(kind):
            return None
        cascade = Cascade(
            lambda: Extreme(op, kind, evicts=False),
            lambda: ExtremeOfPartials(op, kind),
            sliding=lambda evicts: Extreme(op, kind, evicts=evicts),
        )
        return Native(
            kind, lambda evicts: Extreme(op, kind, evicts=evicts), cascade=cascade, reads="counted", gives="a value"
        )

    return resolve


def _extreme_by_on(op: Op) -> Resolve:
    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        kind, ordering = types
        if not is_ordered(ordering):
            return None
        cascade = Cascade(
            lambda: ExtremeBy(op, ordering, evicts=False),
            lambda: ExtremeOfPartials(op, ordering),
            sliding=lambda evicts: ExtremeBy(op, ordering, evicts=evicts),
        )
        return Native(
            kind, lambda evicts: ExtremeBy(op, ordering, evicts=evicts), cascade=cascade, reads="all",
            gives="a value",
        )  # fmt: skip

    return resolve
