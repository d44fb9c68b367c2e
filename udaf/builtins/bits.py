"""Truth and bits: ``bool_and``, ``bool_or``, ``bit_and``, ``bit_or``, ``bit_xor``."""

from dataclasses import replace
from typing import Any, Literal

import pyarrow as pa

from inwindow.native._extremes import IntExtreme
from inwindow.native._monoids import BitAggregate
from inwindow.native._truth import Truth
from inwindow.udaf.applied import Applied
from inwindow.udaf.built_in import built_in
from inwindow.udaf.builtins import joins
from inwindow.udaf.kinds import INT, back_to, is_int
from inwindow.udaf.native import Kernel, Native, own_panes

__all__ = ["bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "every", "some"]


DECIDING = "the positions of the last value and of the last one that decides"


def bool_and(column: Any) -> Applied:
    """Whether all values are true.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"ok": [True, False, True, True]})
    >>> iw.with_columns(table, x=iw.bool_and("ok").over(iw.rows(2)))["x"].to_pylist()
    [True, False, False, True]
    """
    return _truth("bool_and", "and", column)


def bool_or(column: Any) -> Applied:
    """Whether some value is true.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"ok": [True, False, False, True]})
    >>> iw.with_columns(table, x=iw.bool_or("ok").over(iw.rows(2)))["x"].to_pylist()
    [True, True, False, True]
    """
    return _truth("bool_or", "or", column)


def bit_and(column: Any) -> Applied:
    """The bits that all values have.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"flags": [7, 6, 3]})
    >>> iw.with_columns(table, x=iw.bit_and("flags").over(iw.rows(2)))["x"].to_pylist()
    [7, 6, 2]
    """
    return _bits("bit_and", "and", column)


def bit_or(column: Any) -> Applied:
    """The bits that some value has.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"flags": [1, 2, 4]})
    >>> iw.with_columns(table, x=iw.bit_or("flags").over(iw.rows(2)))["x"].to_pylist()
    [1, 3, 6]
    """
    return _bits("bit_or", "or", column)


def bit_xor(column: Any) -> Applied:
    """The bits that an odd number of values have.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"flags": [1, 3, 7]})
    >>> iw.with_columns(table, x=iw.bit_xor("flags").over(iw.rows(2)))["x"].to_pylist()
    [1, 2, 4]
    """
    return _bits("bit_xor", "xor", column)


def _truth(name: str, op: Literal["and", "or"], column: Any) -> Applied:
    def extreme(evicts: bool) -> Kernel:  # false is below true
        return IntExtreme("min" if op == "and" else "max", evicts=evicts)

    def kernel(evicts: bool) -> Kernel:  # where nothing leaves a frame, an extreme takes half the time
        return Truth(op) if evicts else extreme(False)

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        if not pa.types.is_boolean(types[0]):
            return None
        cascade = replace(own_panes(kernel), sliding=extreme)  # two positions are no partial
        found = Native(types[0], kernel, INT, back_to(types[0]), cascade, keeps=DECIDING)
        return joins.extremes(found, "min" if op == "and" else "max")

    return built_in(name, resolve, "booleans", column, commutative=True)


def _bits(name: str, op: Literal["and", "or", "xor"], column: Any) -> Applied:
    def kernel(evicts: bool) -> Kernel:
        return BitAggregate(op, evicts=evicts)

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        (kind,) = types
        if not is_int(kind):
            return None
        return joins.bits(Native(kind, kernel, INT, back_to(kind), own_panes(kernel)), op)

    return built_in(name, resolve, "integers", column, commutative=True)


every = bool_and
some = bool_or
