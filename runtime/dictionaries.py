"""Dictionary-encoded columns (pandas' categoricals): read as their values, but passed through as dictionaries.

::

    the data have      c dictionary<string>, v int64
    a pass reads       c string, v int64                        keys, order, arguments, filters: a dictionary is its values
    passes through     __inwindow_given_c dictionary<string>    columns that pass through, keys of groups

Both columns exist from the entry on, so operators, kernels and hooks never see a dictionary.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native.dictionaries import entries_of, has_dictionary, is_or_has, plain, plain_type, rebuilt
from inwindow.native.equality import canonical, codes_of
from inwindow.runtime.reserved import PREFIX

_GIVEN = f"{PREFIX}given_"


def readable(schema: pa.Schema) -> pa.Schema:
    """The schema that operators see for data with this schema."""
    given = [field for field in schema if has_dictionary(field.type)]
    if not given:
        return schema
    plain_fields = [field.with_type(plain_type(field.type)) for field in schema]
    return pa.schema([*plain_fields, *(field.with_name(_GIVEN + field.name) for field in given)])


def as_given(schema: pa.Schema, name: str) -> str:
    """The name under which the original column of a readable schema exists."""
    return _GIVEN + name if _GIVEN + name in schema.names else name


def given_fields(schema: pa.Schema, names: Sequence[str]) -> list[pa.Field]:
    return [schema.field(as_given(schema, name)).with_name(name) for name in names]


def read_column(table: pa.Table, name: str) -> pa.Array:
    """A column of the readable schema, in one piece."""
    column, as_it_came = table.column(name.removeprefix(_GIVEN)), name.startswith(_GIVEN)
    values = _whole(column if as_it_came or column.num_chunks == 1 else plain(column))
    return values if as_it_came else plain(values)


def rows_of(column: pa.ChunkedArray, rows: pa.Array) -> Any:
    """Some rows of a column that passes through."""
    return (_whole(column) if has_dictionary(column.type) else column).take(rows)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    return together(column.chunks) if column.num_chunks else pa.nulls(0, column.type)


def as_read(data: Any, names: Collection[str]) -> Any:
    """A table or batch with these columns of the readable schema added, if it lacks them."""
    for at, field in enumerate(data.schema):
        if has_dictionary(field.type):
            given = data.column(at)
            if _GIVEN + field.name in names:
                data = data.append_column(_GIVEN + field.name, given)
            if field.name in names:
                data = data.set_column(at, field.name, plain(given))
    return data


def together(arrays: Sequence[pa.Array]) -> pa.Array:
    """Join arrays. Arrow cannot unify dictionaries that contain a NULL or nested values, so we do it."""
    try:
        return pa.concat_arrays(arrays)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        kind = arrays[0].type
        if pa.types.is_dictionary(kind):
            entries = pa.concat_arrays(list(map(entries_of, arrays)))
            return encoded(pa.concat_arrays(list(map(plain, arrays))), entries, kind)
        if pa.types.is_struct(kind):
            fields = [together([one.field(at) for one in arrays]) for at in range(kind.num_fields)]
            return pa.StructArray.from_arrays(fields, fields=list(kind), mask=_nulls(arrays))
        if not pa.types.is_list(kind) and not pa.types.is_large_list(kind):
            raise
        lengths = np.concatenate([pc.fill_null(pc.list_value_length(one), 0).to_numpy() for one in arrays])
        offsets = pa.array(np.append(0, np.cumsum(lengths)), pa.int64() if pa.types.is_large_list(kind) else pa.int32())
        made = pa.LargeListArray if pa.types.is_large_list(kind) else pa.ListArray
        return made.from_arrays(offsets, together([one.flatten() for one in arrays]), type=kind, mask=_nulls(arrays))


def _nulls(arrays: Sequence[pa.Array]) -> pa.Array:
    return pa.concat_arrays([one.is_null() for one in arrays])


def encoded(values: pa.Array, entries: pa.Array, kind: pa.DataType) -> pa.Array:
    """Encode plain values, which are all among the entries. The dictionary has each entry once, and no NULL."""
    codes = codes_of(rebuilt(pa.concat_arrays([entries, values]), _bits))  # here -0.0 differs from 0.0
    its, values_codes = codes[: len(entries)], codes[len(entries) :]
    valid = np.flatnonzero(entries.is_valid())
    first = valid[np.sort(np.unique(its[valid], return_index=True)[1])]
    place = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.int64)
    place[its[first]] = np.arange(len(first))
    indices = pa.array(place[values_codes], mask=values.is_null().to_numpy(zero_copy_only=False))
    dictionary = entries.take(pa.array(first)).cast(kind.value_type)
    return pa.DictionaryArray.from_arrays(indices.cast(kind.index_type), dictionary, ordered=kind.ordered)


def _bits(values: pa.Array) -> pa.Array:
    return values.view(f"int{values.type.bit_width}") if pa.types.is_floating(values.type) else values


def encoded_as(given: pa.Table, table: pa.Table, sources: Mapping[str, str | None]) -> pa.Table:
    """The table with columns encoded again that were dictionaries in another table; ``sources`` says which they are.

    Dictionaries within lists and structs stay plain.
    """
    for at, name in enumerate(table.column_names):
        source = sources.get(name)
        kind = None if source is None else given.schema.field(source).type
        if kind is None or not pa.types.is_dictionary(kind):
            continue
        entries = pa.concat_arrays([pa.nulls(0, plain_type(kind)), *map(entries_of, given.column(source).chunks)])
        chunks = [encoded(chunk, entries, kind) for chunk in table.column(at).chunks]
        table = table.set_column(at, name, pa.chunked_array(chunks, kind))
    return table


def canonical_keys(values: pa.Array) -> pa.Array:
    """Keys of groups in their original type, with 0.0 for -0.0, as in Spark's groups."""
    if not is_or_has(plain_type(values.type), pa.types.is_floating):
        return values
    return rebuilt(values, _one_zero)


def _one_zero(values: pa.Array) -> pa.Array:
    its = canonical(values)
    return encoded(its, canonical(entries_of(values)), values.type) if pa.types.is_dictionary(values.type) else its
