"""Arrow data that come from outside: refused if an offset or an index leads out of its buffers, before anything follows it.

::

    offsets     0 9 2 3        A text has the bytes from its offset to the next. pyarrow itself checks only the last one, so
    bytes       a b c          whoever reads the first text reads memory that belongs to somebody else, or crashes.

pyarrow's full validation finds all this, but it also decodes each text and goes through each entry of a list's values, once for
each slice: 3 ns a text. Here it is 0.1 ns a text, and nothing for numbers. What is wrong and leads nowhere is not looked for:
texts that are no UTF-8, decimals with too many digits. Types that few use are validated in full: they are unpacked anyway.

Buffers that do not begin at a multiple of 8 bytes (a file that is mapped, a part of a message) are copied to where they do. Chunks
without rows are left out, so that nothing has to ask whether an array has buffers.
"""

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native.dictionaries import has_dictionary, rebuilt
from inwindow.udaf.errors import DataError

_ALIGNED = 8


def sound(data: Any, where: str) -> Any:
    """A table or a reader with the same rows, or a DataError that names the column; of a reader each batch, as it comes."""
    if isinstance(data, pa.RecordBatchReader):
        return pa.RecordBatchReader.from_batches(data.schema, _batches(data, where))
    for at, (field, column) in enumerate(zip(data.schema, data.columns, strict=True)):
        for chunk in column.chunks:
            _check(chunk, field.name, where)
        filled = [chunk if _is_plain(chunk) else _copied(chunk) for chunk in column.chunks if len(chunk)]
        if len(filled) < column.num_chunks or any(map(operator.is_not, filled, column.chunks)):
            data = data.set_column(at, field, pa.chunked_array(filled, field.type))
    return data


def _batches(reader: pa.RecordBatchReader, where: str) -> Iterator[pa.RecordBatch]:
    for batch in reader:
        yield from sound(pa.Table.from_batches([batch]), where).to_batches()


def _check(values: pa.Array, name: str, where: str) -> None:
    try:
        if values.offset < 0:  # pyarrow follows it
            raise pa.ArrowInvalid(f"it begins at value {values.offset}")
        values.validate()  # the sizes of its buffers: costs the same for each length
        check(values)
    except pa.ArrowException as error:
        raise DataError(
            f"{where}: the Arrow buffers of column {name!r} are wrong: {error}: who made them has to make them anew "
            "(table.validate(full=True) looks for such faults)"
        ) from None


def check(values: pa.Array) -> None:
    """An ArrowInvalid where an offset, an index or a child leads out of an array that ``validate()`` accepts."""
    kind, is_ = values.type, pa.types
    if not len(values) or is_.is_null(kind):
        return
    if isinstance(values, pa.ExtensionArray):
        check(values.storage)
    elif is_.is_dictionary(kind):
        check(values.dictionary)
        _check_indices(values.indices, len(values.dictionary))
    elif is_.is_struct(kind):
        for at in range(kind.num_fields):
            check(values.field(at))
    elif is_.is_string(kind) or is_.is_binary(kind) or is_.is_large_string(kind) or is_.is_large_binary(kind):
        data = values.buffers()[2]
        _span(values, 0 if data is None else data.size)
    elif is_.is_list(kind) or is_.is_large_list(kind) or is_.is_map(kind):
        first, last = _span(values, len(values.values))
        _check_child(values.values, first, last)
    elif is_.is_fixed_size_list(kind):
        first, last = values.offset * kind.list_size, (values.offset + len(values)) * kind.list_size
        if last > len(values.values):
            raise pa.ArrowInvalid(f"its lists end at value {last}, of {len(values.values)}")
        _check_child(values.values, first, last)
    elif not (is_.is_primitive(kind) or is_.is_decimal128(kind) or is_.is_fixed_size_binary(kind)):
        values.validate(full=True)


def _check_child(child: pa.Array, first: int, last: int) -> None:
    """The values of lists; all of them if they are decoded, for then those of no list are, too."""
    check(child if has_dictionary(child.type) else child.slice(first, last - first))


def _check_indices(indices: pa.Array, count: int) -> None:
    if indices.null_count:  # what was said when it was made; here they are counted
        indices = pa.Array.from_buffers(indices.type, len(indices), indices.buffers(), -1, indices.offset)
    ends = pc.min_max(indices)  # of NULLs they are not read
    low, high = ends["min"].as_py(), ends["max"].as_py()
    if low is not None and (low < 0 or high >= count):
        raise pa.ArrowInvalid(f"the indices of its dictionary are from {low} to {high}, but there are {count} entries")


def _span(values: pa.Array, size: int) -> tuple[int, int]:
    """What the offsets span, of so many bytes or values."""
    wide = (
        pa.types.is_large_list(values.type)
        or pa.types.is_large_string(values.type)
        or pa.types.is_large_binary(values.type)
    )
    width: Any = np.int64 if wide else np.int32
    offsets: npt.NDArray[np.int64] = np.frombuffer(
        values.buffers()[1], width, len(values) + 1, values.offset * width().itemsize
    )
    first, last = int(offsets[0]), int(offsets[-1])
    wrong = offsets[1:] < offsets[:-1]
    if first < 0 or last > size or wrong.any():
        at = int(np.argmax(wrong)) if wrong.any() else len(values) - 1
        raise pa.ArrowInvalid(f"value {at} is from {offsets[at]} to {offsets[at + 1]}, of {size}")
    return first, last


def _is_plain(values: pa.Array) -> bool:
    """Whether its buffers are aligned, and there: pyarrow's ``nbytes`` crashes where an array without values has none."""
    aligned = all(buffer is None or not buffer.size or buffer.address % _ALIGNED == 0 for buffer in values.buffers())
    return aligned and not _has_empty(values)


def _has_empty(values: pa.Array) -> bool:
    """Whether a child, at any depth, has no values, or a dictionary is not plain."""
    if not len(values):
        return True
    kind, is_ = values.type, pa.types
    if isinstance(values, pa.ExtensionArray):
        return _has_empty(values.storage)
    if is_.is_dictionary(kind):
        return not _is_plain(values.dictionary)  # whose buffers are not among those of the array
    if is_.is_struct(kind):
        return any(_has_empty(values.field(at)) for at in range(kind.num_fields))
    return (is_.is_list(kind) or is_.is_large_list(kind) or is_.is_map(kind)) and _has_empty(values.values)


def _copied(values: pa.Array) -> pa.Array:
    """The same values in memory of their own."""
    values = rebuilt(values, _with_buffers)
    return pa.concat_arrays([values, values.slice(0, 0)])


def _with_buffers(values: pa.Array) -> pa.Array:
    """pyarrow also crashes where it joins texts that have no values and no offsets."""
    if not pa.types.is_dictionary(values.type):
        return values if len(values) else pa.nulls(0, values.type)
    if not len(values.dictionary):
        return pa.nulls(len(values), values.type)
    entries = _copied(values.dictionary)
    return pa.DictionaryArray.from_arrays(values.indices, entries, ordered=values.type.ordered, safe=False)
