"""Types that represent the same values differently. No Arrow kernels here, because `import inwindow` does not load them."""

import pyarrow as pa


def unpacked_type(kind: pa.DataType) -> pa.DataType:
    """The plain type of the same values, at any depth: most Arrow kernels do not support views, run ends and short decimals.

    A dictionary stays a dictionary if Arrow can compare and join dictionaries of its values.

    >>> unpacked_type(pa.list_(pa.string_view())), unpacked_type(pa.dictionary(pa.int8(), pa.list_(pa.bool_())))
    (ListType(list<item: string>), ListType(list<item: bool>))
    """
    is_ = pa.types
    if kind in (pa.string_view(), pa.binary_view()):
        return pa.string() if kind == pa.string_view() else pa.binary()
    if is_.is_decimal32(kind) or is_.is_decimal64(kind):
        return pa.decimal128(kind.precision, kind.scale)
    if is_.is_run_end_encoded(kind):
        return unpacked_type(kind.value_type)
    if is_.is_dictionary(kind):
        values = unpacked_type(kind.value_type)
        odd = values != kind.value_type or is_.is_nested(values) or is_.is_float16(values) or is_.is_null(values)
        return values if odd else kind
    if not is_.is_nested(kind) or is_.is_union(kind):
        return kind
    children = [kind.field(at) for at in range(kind.num_fields)]
    inner = [child.with_type(unpacked_type(child.type)) for child in children]
    if is_.is_struct(kind):
        return pa.struct(inner) if inner != children else kind
    if is_.is_map(kind):
        entry = inner[0].type
        return pa.map_(entry.field(0), entry.field(1), kind.keys_sorted) if inner != children else kind
    if is_.is_fixed_size_list(kind):
        return pa.list_(inner[0], kind.list_size)
    return pa.large_list(inner[0]) if is_.is_large_list(kind) or is_.is_large_list_view(kind) else pa.list_(inner[0])


def has_union(kind: pa.DataType) -> bool:
    """Whether a type has a union at some depth: Arrow neither marks NULL in unions nor compares them."""
    if pa.types.is_union(kind):
        return True
    if isinstance(kind, pa.BaseExtensionType):
        return has_union(kind.storage_type)
    return any(has_union(kind.field(at).type) for at in range(kind.num_fields))
