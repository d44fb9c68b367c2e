"""Which values are equal: the one notion that all who compare keys and distinct values share. It is that of Spark's grouping.

NULL equals NULL, NaN equals NaN whatever its bits, -0.0 equals 0.0: at any depth of lists and structs, for floats of any width.
A dictionary is its values. Lists are equal if their values are, one by one; structs, field by field.

::

    values      -0.0   0.0   NaN   NaN'  NULL     [1.0, -0.0]   [1.0, 0.0]
    canonical    0.0   0.0   NaN   NaN   NULL     [1.0, 0.0]    [1.0, 0.0]       equal values are the same bits
    codes         0     0     1     1     2            0             0           equal values are the same number
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native.dictionaries import entries_of, is_or_has, plain, rebuilt

Codes = npt.NDArray[np.int64]


def canonical(values: pa.Array) -> pa.Array:
    """The values without dictionaries, of equal ones all the same: no -0.0, and one NaN.

    >>> str(canonical(pa.array([[-0.0, 1.0], None]))[0])
    '[0.0, 1.0]'
    """
    values = plain(values)
    return rebuilt(values, _one_zero) if is_or_has(values.type, pa.types.is_floating) else values


def _one_zero(values: pa.Array) -> pa.Array:
    if not pa.types.is_floating(values.type):
        return values
    floats = values.to_numpy(zero_copy_only=False) + values.type.to_pandas_dtype()(0)  # -0.0 + 0.0 is 0.0
    floats[np.isnan(floats)] = np.nan
    mask = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
    return pa.array(floats, values.type, mask=mask)


def codes_of(values: pa.Array) -> Codes:
    """A number per value, from 0, in no order: equal numbers, equal values.

    >>> codes_of(pa.array([[float("nan")], [0.0], [-0.0], None, [float("nan")], None])).tolist()
    [0, 1, 1, 2, 0, 2]
    """
    if pa.types.is_dictionary(values.type):  # an entry is looked at once, not for each of its indices
        entries = entries_of(values)
        entries = pa.concat_arrays([entries, pa.nulls(1, entries.type)])
        return codes_of(entries)[values.indices.fill_null(len(entries) - 1).to_numpy()]
    values = canonical(values)
    if pa.types.is_struct(values.type):
        return codes_of_rows([values.is_null(), *values.flatten()])
    offsets = _offsets(values)
    if offsets is not None:
        return _encoded(_as_bytes(values, offsets))
    if pa.types.is_float16(values.type):
        values = pc.cast(values, pa.float32())
    return _encoded(values)


def codes_of_rows(columns: Sequence[pa.Array]) -> Codes:
    """A number per row of some columns, in the order in which rows first appear: equal numbers, equal rows.

    >>> codes_of_rows([pa.array([7, 5, 7, 7]), pa.array(["x", "x", None, "x"])]).tolist()
    [0, 1, 2, 0]
    """
    numbers = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        its = codes_of(column)
        numbers = numbers * (int(its.max(initial=0)) + 1) + its
        numbers = _encoded(pa.array(numbers))  # dense again, so that the product never overflows
    return numbers


def hashable(value: Any) -> Any:
    """A Python value, as Arrow gives it, as something that can be a key of a dict: equal where the values are."""
    if isinstance(value, dict):
        return tuple((name, hashable(item)) for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(map(hashable, value))
    return "NaN" if isinstance(value, (float, np.floating)) and value != value else value


def _encoded(values: pa.Array) -> Codes:
    if pa.types.is_null(values.type):
        return np.zeros(len(values), dtype=np.int64)
    try:
        encoded = values.dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:  # maps, unions and what else Arrow has no hash for
        known: dict[Any, int] = {}
        return np.array([known.setdefault(hashable(value), len(known)) for value in values.to_pylist()], dtype=np.int64)
    codes: Codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def _offsets(values: pa.Array) -> Codes | None:
    """Where each list begins in ``values.values``, and the last one ends; None for what is no list."""
    if pa.types.is_fixed_size_list(values.type):
        return (np.arange(len(values) + 1, dtype=np.int64) + values.offset) * values.type.list_size
    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        offsets: Codes = values.offsets.to_numpy().astype(np.int64)
        return offsets
    return None


def _as_bytes(lists: pa.Array, offsets: Codes) -> pa.Array:
    """Each list as the bytes of its values' codes: Arrow has a hash for those."""
    codes = codes_of(lists.values.slice(offsets[0], offsets[-1] - offsets[0]))
    valid = np.packbits(lists.is_valid().to_numpy(zero_copy_only=False), bitorder="little")
    starts = (offsets - offsets[0]) * codes.itemsize
    buffers = [pa.py_buffer(part) for part in (valid, starts, codes)]
    return pa.Array.from_buffers(pa.large_binary(), len(lists), buffers)
