"""The states of a class as typed columns, where the class says what its attributes are::

    class Mean(iw.Aggregate):               partial_0: struct<total: double, count: bigint>
        total: float
        count: int

Without such annotations, nobody knows the types before there are states, and states are bytes (states.py). So they are if hooks
are derived: then there are other attributes, too.
"""

import typing
from typing import Any

import pyarrow as pa

from inwindow.native._fresh import changed, resumed
from inwindow.udaf.contract import Aggregate, WindowAggregate
from inwindow.udaf.derive.version import written_of
from inwindow.udaf.errors import DataError, shown

_TYPES = {float: pa.float64(), int: pa.int64(), str: pa.string(), bool: pa.bool_(), bytes: pa.binary()}
_OURS = (Aggregate, WindowAggregate, object)


def type_of_state(aggregate: Any) -> pa.StructType | None:
    """The struct of a class's state; None if its class does not say all of it, in plain types."""
    if written_of(aggregate) is not aggregate:
        return None
    written = [its for its in reversed(type(aggregate).__mro__) if its not in _OURS]
    names = [name for its in written for name in vars(its).get("__annotations__", {})]
    try:
        hints = typing.get_type_hints(type(aggregate))
    except Exception:  # names that only a type checker knows
        return None
    fields = {name: _TYPES.get(hints[name]) for name in names}
    if not fields or None in fields.values():
        return None
    return pa.struct(list(fields.items()))


def typed(aggregates: list[Any], prototype: Any, kind: pa.StructType) -> pa.Array:
    """States as a column; None, for no tuple seen, is NULL."""
    return pa.array([None if one is None else _values(one, prototype, kind) for one in aggregates], kind)


def _values(aggregate: Any, prototype: Any, kind: pa.StructType) -> dict[str, Any]:
    name, names = type(aggregate).__name__, [one.name for one in kind]
    given = changed(aggregate, prototype)
    others = sorted(map(str, set(given) - set(names))) if isinstance(given, dict) else ["of its slots"]
    if others:
        raise DataError(
            f"partials(): {name} annotates its state, {', '.join(names)}, but hooks have set the attribute {others[0]!r}: annotate "
            "all of it, with float, int, str, bool or bytes, or nothing"
        )
    values = {one.name: getattr(aggregate, one.name, None) for one in kind}
    for one in kind:
        if not _fits(values[one.name], one.type):
            raise DataError(
                f"partials(): {name}.{one.name} is {shown(values[one.name])}, which is no {one.type}, as its class annotates it: "
                "annotate what it is"
            )
    return values


def _fits(value: Any, kind: pa.DataType) -> bool:
    """Whether the value comes back equal."""
    try:
        back = pa.array([value], kind)[0].as_py()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return bool(back == value or (back != back and value != value))


def untyped(prototype: Any, column: pa.Array) -> list[Any]:
    """The aggregates of a column of states."""
    return [None if one is None else resumed(prototype, one) for one in column.to_pylist()]
