"""Kinds of argument types for kernels: which are stored as integers, which as doubles, and how to convert results back."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

INT, DOUBLE = pa.int64(), pa.float64()
_MOST_DIGITS = 18  # of a decimal that is a 64-bit integer inside


def is_int(kind: pa.DataType) -> bool:
    """An integer that fits int64."""
    return bool(pa.types.is_integer(kind) and not pa.types.is_uint64(kind))


def is_float(kind: pa.DataType) -> bool:
    """A float of any width."""
    return bool(pa.types.is_floating(kind))


def is_decimal(kind: pa.DataType) -> bool:
    """A decimal of at most 38 digits, as in Spark."""
    return bool(pa.types.is_decimal128(kind))


def is_number(kind: pa.DataType) -> bool:
    """A type that can be cast to a double."""
    return bool(pa.types.is_integer(kind)) or is_float(kind) or is_decimal(kind)


def is_text(kind: pa.DataType) -> bool:
    """A string or a binary."""
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    )  # fmt: skip


def is_whole(kind: pa.DataType) -> bool:
    """A type stored as a 64-bit integer of the same order: integers, dates, times, booleans, decimals of up to 18 digits."""
    return bool(
        is_int(kind) or pa.types.is_date32(kind) or pa.types.is_timestamp(kind) or pa.types.is_time(kind)
        or pa.types.is_duration(kind) or pa.types.is_boolean(kind)
        or (is_decimal(kind) and kind.precision <= _MOST_DIGITS)
    )  # fmt: skip


def is_ordered(kind: pa.DataType) -> bool:
    """Whether Spark orders such values: all but maps and intervals of months, at any depth."""
    if pa.types.is_map(kind) or kind == pa.month_day_nano_interval():
        return False
    return all(is_ordered(kind.field(at).type) for at in range(kind.num_fields))


def back_to(kind: pa.DataType) -> Callable[[pa.Array], pa.Array]:
    """From a kernel's int64 or double to the argument's own type.

    >>> back_to(pa.decimal128(5, 2))(pa.array([150, None, -1])).to_pylist()
    [Decimal('1.50'), None, Decimal('-0.01')]
    """
    if pa.types.is_integer(kind) or is_float(kind) or pa.types.is_boolean(kind):
        return lambda result: pc.cast(result, kind, safe=False)
    if is_decimal(kind):
        return lambda result: _widened(result, kind)
    if kind.bit_width == 32:
        return lambda result: pc.cast(result, pa.int32()).view(kind)
    return lambda result: result.view(kind)


def _widened(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Unscaled 64-bit integers as decimals, whose integers have 128 bits."""
    low = pc.fill_null(values, 0).to_numpy()
    words = np.stack([low, low >> 63], axis=1)
    validity = None if not values.null_count else pc.is_valid(values).buffers()[1]
    return pa.Array.from_buffers(kind, len(values), [validity, pa.py_buffer(words)])
