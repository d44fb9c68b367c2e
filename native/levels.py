"""Columns of any type as levels, which the kernel sorts by: arrays of numbers or bytes that compare as the values do.

::

    numbers, times, decimals, texts, bytes     as they are
    dictionary                                 its values are numbered, rows have their numbers
    struct                                     whether it is NULL, then its fields; NULLs first
    list                                       bytes: the numbers of its values, one behind the other

Equal values have equal levels: NULL and NULL, NaN and NaN, -0.0 and 0.0, at any depth. How parts of values are numbered is up to
the caller: *ranks* compare as the values do, whatever other rows there are; *numbers* in the order of first appearance
are faster, and tell values apart.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._order import Levels

Level = tuple[pa.Array, bool, bool]  # values, ascending, NULLs first
Numbers = npt.NDArray[np.int64]
_SOME = 1000  # rows by which texts are judged
_SHORT = 96  # bits of texts that are as fast as their numbers
Numbering = Callable[[Sequence[Level], int], Numbers]


def ranks(levels: Sequence[Level], rows: int) -> Numbers:
    """A number per row that compares as its levels do."""
    return Levels(levels).ranks()[0] if levels else np.zeros(rows, dtype=np.int64)


def numbers(levels: Sequence[Level], rows: int) -> Numbers:
    """A number per row, in the order of first appearance."""
    return Levels(levels).numbers()[0] if levels else np.zeros(rows, dtype=np.int64)


def as_levels(
    values: pa.Array, ascending: bool = True, nulls_first: bool = True, number: Numbering = ranks
) -> list[Level]:
    """What to sort by for these values.

    >>> as_levels(pa.array([{"a": 1.5}, None]), ascending=False)[0][0].to_pylist()
    [1, None]
    """
    kind, is_ = values.type, pa.types
    if is_.is_null(kind):
        return []
    if isinstance(kind, pa.BaseExtensionType):
        return as_levels(values.storage, ascending, nulls_first, number)
    if is_.is_run_end_encoded(kind):
        return as_levels(pc.run_end_decode(values), ascending, nulls_first, number)
    if is_.is_dictionary(kind):
        return as_levels(_of_dictionary(values, number), ascending, nulls_first, number)
    if is_.is_struct(kind):
        there = pa.array(np.ones(len(values), dtype=np.uint8), mask=_nulls(values)) if values.null_count else None
        made: list[Level] = [] if there is None else [(there, ascending, nulls_first)]
        for index in range(kind.num_fields):
            made += as_levels(pc.struct_field(values, index), ascending, ascending, number)
        return made
    if is_.is_union(kind):
        values = pa.array([repr(_canonical(value)) for value in values.to_pylist()], pa.large_string())
    elif is_.is_nested(kind):
        values = _as_bytes(values, number)
    elif is_.is_boolean(kind):
        values = pc.cast(values, pa.uint8())
    elif is_.is_string_view(kind) or is_.is_binary_view(kind):
        values = pc.cast(values, pa.large_binary())
    elif kind == pa.month_day_nano_interval():  # has no order, but equal ones have the same bytes
        values = pa.Array.from_buffers(pa.binary(16), len(values), values.buffers(), offset=values.offset)
    return [(values, ascending, nulls_first)]


def coded(level: Level, number: Numbering) -> Level:
    """Long texts as numbers, as keys repeat: those that vary in a few bytes alone are sorted as fast as they are."""
    values, ascending, nulls_first = level
    if not (_has_offsets(values.type) or pa.types.is_fixed_size_binary(values.type)):
        return level
    if Levels([(values.slice(0, _SOME), ascending, nulls_first)]).bits <= _SHORT:
        return level
    encoded = pc.dictionary_encode(values)
    codes = encoded.indices if number is numbers else _of_dictionary(encoded, number)
    return codes, ascending, nulls_first


def _of_dictionary(values: pa.DictionaryArray, number: Numbering) -> pa.Array:
    """Numbers of the dictionary's values; NULL where the index is, or the value."""
    its = values.dictionary
    if len(its) > len(values):
        its, at = its.take(values.indices), None
    else:
        at = values.indices
    numbered = pa.array(number(as_levels(its, number=number), len(its)), mask=_nulls(its))
    return numbered if at is None else numbered.take(at)


def _as_bytes(values: pa.Array, number: Numbering) -> pa.Array:
    """Lists as bytes that compare as they do: element by element, the shorter first; a NULL in a list is the smallest."""
    if pa.types.is_map(values.type):
        entries = pa.struct([values.type.key_field, values.type.item_field])
        values = values.cast(pa.list_(pa.field("entries", entries, nullable=False)))
    inner = pc.list_flatten(values)
    numbered = number(as_levels(inner, number=number), len(inner))
    width = next(width for width in (1, 2, 4, 8) if numbered.max(initial=0) < 1 << 8 * width - 1)
    lengths = pc.fill_null(pc.list_value_length(values), 0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]) * width
    data = pa.py_buffer(numbered.astype(f">u{width}"))
    validity = pa.array(~_nulls(values)).buffers()[1] if values.null_count else None
    return pa.Array.from_buffers(pa.large_binary(), len(values), [validity, pa.py_buffer(offsets), data])


def is_list(kind: pa.DataType) -> bool:
    """Whether values are lists, but no maps."""
    return bool(pa.types.is_nested(kind) and not pa.types.is_map(kind) and hasattr(kind, "value_type"))


def _has_offsets(kind: pa.DataType) -> bool:
    is_ = pa.types
    return bool(is_.is_string(kind) or is_.is_binary(kind) or is_.is_large_string(kind) or is_.is_large_binary(kind))


def _nulls(values: pa.Array) -> npt.NDArray[np.bool_]:
    nulls: npt.NDArray[np.bool_] = pc.is_null(values).to_numpy(zero_copy_only=False)
    return nulls


def _canonical(value: Any) -> Any:
    """The same text for equal values."""
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, dict):
        return {name: _canonical(its) for name, its in value.items()}
    return [_canonical(its) for its in value] if isinstance(value, (list, tuple)) else value
