"""A dictionary is its values: what is read of an array that Arrow holds as numbers of the entries of a dictionary.

::

    indices     0 1 NULL 2           The NULL is there twice: as an index, and as the entry 1. Only the plain array has all
    dictionary  "a" NULL "b"         of them in its validity, and a kernel for its type. So nothing computes on indices.
    plain       "a" NULL NULL "b"

Dictionaries may also stand within lists and structs.
"""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_OWN_BUFFERS = ((pa.types.is_fixed_size_list, 1), (pa.types.is_list_view, 3), (pa.types.is_large_list_view, 3))


def has_dictionary(kind: pa.DataType) -> bool:
    """Whether values of this type are held in a dictionary, at any depth."""
    return is_or_has(kind, pa.types.is_dictionary)


def is_or_has(kind: pa.DataType, is_it: Callable[[pa.DataType], bool]) -> bool:
    """Whether this is a type of some sort, or has one within it."""
    if is_it(kind):
        return True
    return any(is_or_has(kind.field(at).type, is_it) for at in range(kind.num_fields))


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type of the values themselves.

    >>> plain_type(pa.list_(pa.dictionary(pa.int8(), pa.string())))
    ListType(list<item: string>)
    """
    return plain(pa.nulls(0, kind)).type if has_dictionary(kind) else kind


def plain(values: Any) -> Any:
    """An array, or a chunked one, without dictionaries.

    >>> plain(pa.DictionaryArray.from_arrays([0, 1, None], ["a", None])).to_pylist()
    ['a', None, None]
    """
    if not has_dictionary(values.type):
        return values
    if isinstance(values, pa.ChunkedArray):
        return pa.chunked_array(map(plain, values.chunks), plain_type(values.type))
    return rebuilt(values, _decoded)


def _decoded(values: pa.Array) -> pa.Array:
    return entries_of(values).take(values.indices) if pa.types.is_dictionary(values.type) else values


def entries_of(values: pa.DictionaryArray) -> pa.Array:
    """The entries of a dictionary, plain; those that are views as strings, for Arrow takes no rows of views."""
    entries = plain(values.dictionary)
    if entries.type == pa.string_view():
        return pc.cast(entries, pa.string())
    return pc.cast(entries, pa.binary()) if entries.type == pa.binary_view() else entries


def rebuilt(values: pa.Array, leaf: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """The same lists and structs over other arrays: ``leaf`` makes them of those that are no list and no struct."""
    kind = values.type
    if pa.types.is_struct(kind) and kind.num_fields:
        fields = [rebuilt(values.field(at), leaf) for at in range(kind.num_fields)]
        types = [kind.field(at).with_type(field.type) for at, field in enumerate(fields)]
        return pa.StructArray.from_arrays(fields, fields=types, mask=values.is_null())
    over = _over(kind)
    if over is None:
        return leaf(values)
    child = rebuilt(values.values, leaf)  # the whole of it: offsets stay as they are
    own = next((count for is_it, count in _OWN_BUFFERS if is_it(kind)), 2)
    return pa.Array.from_buffers(
        over(child.type), len(values), values.buffers()[:own], values.null_count, values.offset, children=[child]
    )


def _over(kind: pa.DataType) -> Callable[[pa.DataType], pa.DataType] | None:
    """What makes the type of a list over other values; None for a type that is no list."""
    is_ = pa.types
    if is_.is_map(kind):
        return lambda entries: pa.map_(entries.field(0), entries.field(1), kind.keys_sorted)
    if is_.is_fixed_size_list(kind):
        return lambda child: pa.list_(kind.value_field.with_type(child), kind.list_size)
    for is_it, made in (
        (is_.is_list, pa.list_), (is_.is_large_list, pa.large_list),
        (is_.is_list_view, pa.list_view), (is_.is_large_list_view, pa.large_list_view),
    ):  # fmt: skip
        if is_it(kind):
            return lambda child, made=made: made(kind.value_field.with_type(child))  # type: ignore[misc]
    return None
