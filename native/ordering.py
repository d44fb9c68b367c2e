"""Columns of any type as something that a kernel of :mod:`inwindow.native._extremes_at` can order, as Spark orders them.

::

    int64, timestamps, doubles, decimals, texts      as they are
    smaller numbers, booleans, dates, unsigned       an int64 or a double that ranks the same
    lists, structs, whatever else                    a list of Python keys: comparable()
"""

import math
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._extremes_at import ExtremeAt, ObjectExtremeAt

Op = Literal["min", "max"]
_NULL, _NAN = (0,), (2,)  # in a list or struct; any other value is (1, it)
_SIGN = np.iinfo(np.int64).min


def is_plain(kind: pa.DataType) -> bool:
    """Whether the kernel reads such arrays as they are."""
    is_ = pa.types
    return bool(
        is_.is_int64(kind) or is_.is_float64(kind) or is_.is_decimal128(kind)
        or is_.is_string(kind) or is_.is_binary(kind) or is_.is_large_string(kind) or is_.is_large_binary(kind)
        or is_.is_temporal(kind) and kind.bit_width == 64
    )  # fmt: skip


def is_small(kind: pa.DataType) -> bool:
    """Whether values become int64 or double."""
    is_ = pa.types
    return bool(
        is_.is_integer(kind) or is_.is_floating(kind) or is_.is_boolean(kind)
        or is_.is_temporal(kind) and kind.bit_width == 32
    )  # fmt: skip


def kernel_for(op: Op, kind: pa.DataType) -> ExtremeAt | ObjectExtremeAt:
    """The kernel that orders :func:`ordered` values of this type."""
    return ExtremeAt(op) if is_plain(kind) or is_small(kind) else ObjectExtremeAt(op)


def ordered(values: pa.Array) -> Any:
    """The values as the kernel of their type takes them."""
    kind = values.type
    if is_plain(kind):
        return values
    if not is_small(kind):
        return [comparable(value) for value in values.to_pylist()]
    if pa.types.is_uint64(kind):
        return pc.bit_wise_xor(values.view(pa.int64()), _SIGN)
    if pa.types.is_floating(kind):
        return pc.cast(values, pa.float64())
    return pc.cast(values.view(pa.int32()) if pa.types.is_temporal(kind) else values, pa.int64())


def comparable(value: Any) -> Any:
    """A key that ``<`` orders as Spark orders the value; None is None.

    In lists and structs (dicts) a NULL is the smallest, NaN the largest; lists compare element by element and the
    shorter first, structs field by field.

    >>> comparable([1.5]) < comparable([1.5, None]) < comparable([1.5, 0.0]) < comparable([math.nan])
    True
    """
    if isinstance(value, dict):
        return tuple(_inner(part) for part in value.values())
    if isinstance(value, (list, tuple)):
        return tuple(_inner(part) for part in value)
    if isinstance(value, float):
        return _inner(value)
    return value


def _inner(value: Any) -> tuple[Any, ...]:
    if value is None:
        return _NULL
    if isinstance(value, float):
        return _NAN if math.isnan(value) else (1, value)
    return 1, comparable(value)
