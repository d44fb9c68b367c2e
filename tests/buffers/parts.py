"""An Arrow array taken apart: type, length, offset, count of NULLs, buffers, children. Each may be changed before it is made."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa


@dataclass
class Parts:
    """``buffers`` are bytes, or None; a buffer begins ``shifts[k]`` bytes behind a multiple of 8."""

    type: pa.DataType
    length: int
    offset: int
    null_count: int
    buffers: list[bytes | None]
    shifts: list[int]
    children: list["Parts"] = field(default_factory=list)
    dictionary: "Parts | None" = None

    def all(self) -> list["Parts"]:
        """These parts, and those of children and dictionaries."""
        inner = [*self.children, *([self.dictionary] if self.dictionary else [])]
        return [self, *(part for one in inner for part in one.all())]


def parts_of(values: pa.Array) -> Parts:
    """The parts of an array whose buffers are small."""
    kind = values.type
    if isinstance(values, pa.ExtensionArray):
        inner = parts_of(values.storage)
        return Parts(kind, inner.length, inner.offset, inner.null_count, inner.buffers, inner.shifts, inner.children)
    children, dictionary = [], None
    if pa.types.is_dictionary(kind):
        dictionary, own = parts_of(values.dictionary), values.indices.buffers()
    elif pa.types.is_run_end_encoded(kind):
        children, own = [parts_of(values.run_ends), parts_of(values.values)], [None]
    elif pa.types.is_union(kind):
        children = [parts_of(values.field(at)) for at in range(kind.num_fields)]
        own = values.buffers()[: 3 if kind.mode == "dense" else 2]
    elif pa.types.is_struct(kind):
        children = [parts_of(values.field(at)) for at in range(kind.num_fields)]
        own = [None if not values.null_count else pa.array(values.is_valid()).buffers()[1]]
        return Parts(kind, len(values), 0, values.null_count, list(map(_bytes, own)), [0], children)
    elif pa.types.is_nested(kind):
        children = [parts_of(values.values)]
        views = pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind)
        own = values.buffers()[: 3 if views else 1 if pa.types.is_fixed_size_list(kind) else 2]
    else:
        own = values.buffers()
    buffers = list(map(_bytes, own))
    return Parts(kind, len(values), values.offset, values.null_count, buffers, [0] * len(buffers), children, dictionary)


def made(parts: Parts) -> pa.Array:
    """The array; what pyarrow refuses here raises its error."""
    buffers = [_placed(content, shift) for content, shift in zip(parts.buffers, parts.shifts, strict=True)]
    kind = parts.type.storage_type if isinstance(parts.type, pa.BaseExtensionType) else parts.type
    if parts.dictionary is not None:
        indices = pa.Array.from_buffers(kind.index_type, parts.length, buffers, parts.null_count, parts.offset)
        return pa.DictionaryArray.from_arrays(indices, made(parts.dictionary), ordered=kind.ordered, safe=False)
    children = [made(child) for child in parts.children]
    if pa.types.is_map(kind) and children[0].field(0).null_count:
        raise pa.ArrowInvalid("keys of a map have no NULLs: from_buffers aborts the process")
    values = pa.Array.from_buffers(kind, parts.length, buffers, parts.null_count, parts.offset, children)
    return pa.ExtensionArray.from_storage(parts.type, values) if kind != parts.type else values


def _bytes(buffer: pa.Buffer | None) -> bytes | None:
    return None if buffer is None else buffer.to_pybytes()


def _placed(content: bytes | None, shift: int) -> pa.Buffer | None:
    """Memory of exactly this size, so that a sanitizer sees who reads behind it."""
    if content is None:
        return None
    memory = np.empty(len(content) + shift, np.uint8)
    memory[shift:] = np.frombuffer(content, np.uint8)
    return pa.py_buffer(memory).slice(shift)
