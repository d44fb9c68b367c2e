"""Comparing each row with the one before it: where partitions begin, where peers end, whether input is sorted.

Equality is that of :mod:`inwindow.native.equality`; values that Arrow can compare are compared here without copies.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native.equality import codes_of
from inwindow.native.levels import as_levels, is_list, ranks
from inwindow.udaf.unpacked import has_union
from inwindow.windows.spec import Order

Mask = npt.NDArray[np.bool_]


def is_comparable(kind: pa.DataType) -> bool:
    """Whether values of a type can be compared for equality; Arrow has types that it cannot compare.

    >>> is_comparable(pa.struct({"a": pa.string()})), is_comparable(pa.float16())
    (True, False)
    """
    if has_union(kind) or _has_extension(kind):
        return False
    if pa.types.is_struct(kind):
        return all(is_comparable(field.type) for field in kind)
    if pa.types.is_nested(kind) or pa.types.is_null(kind):
        return True
    return _has_kernel(lambda none: (pc.equal(none, none), pc.dictionary_encode(none)), kind)


def is_sortable(kind: pa.DataType) -> bool:
    """Whether values of a type can be sorted; lists and structs can, as in Spark, if the values in them can.

    >>> is_sortable(pa.struct({"a": pa.list_(pa.string())})), is_sortable(pa.map_(pa.string(), pa.int64()))
    (True, False)
    """
    if pa.types.is_null(kind):
        return True
    if not is_comparable(kind):
        return False
    if pa.types.is_struct(kind):
        return all(is_sortable(field.type) for field in kind)
    if is_list(kind):
        return is_sortable(kind.value_type)
    return _has_kernel(pc.rank, kind)


def _has_extension(kind: pa.DataType) -> bool:
    own = isinstance(kind, pa.BaseExtensionType)
    return own or any(_has_extension(kind.field(at).type) for at in range(kind.num_fields))


def _has_kernel(compute: Callable[[pa.Array], object], kind: pa.DataType) -> bool:
    try:
        compute(pa.nulls(0, kind))
    except pa.ArrowNotImplementedError:
        return False
    return True


def changes(columns: Sequence[pa.Array], last: Sequence[pa.Array] | None) -> Mask:
    """Which rows differ from the row before in some column; ``last`` holds the row before the first.

    >>> import pyarrow as pa
    >>> changes([pa.array([1, 1, None, None, 2])], None).tolist()
    [True, False, True, False, True]
    """
    n = len(columns[0])
    changed = np.zeros(n, dtype=bool)
    for column in columns:
        changed[1:] |= ~_same(column.slice(1), column.slice(0, max(n - 1, 0)))
    if n:
        changed[0] = last is None or not all(
            _same(column.slice(0, 1), before)[0] for column, before in zip(columns, last, strict=True)
        )
    return changed


def _same(a: pa.Array, b: pa.Array) -> Mask:
    if pa.types.is_struct(a.type):
        same = _mask(pc.is_null(a)) == _mask(pc.is_null(b))
        for index in range(a.type.num_fields):
            same &= _same(pc.struct_field(a, index), pc.struct_field(b, index))
        return same
    if pa.types.is_nested(a.type):
        codes = codes_of(pa.concat_arrays([a, b]))
        return codes[: len(a)] == codes[len(a) :]
    if pa.types.is_null(a.type):
        return np.ones(len(a), dtype=bool)
    equal = pc.equal(a, b)
    same = _mask(pc.fill_null(equal, False)) if equal.null_count else _mask(equal)
    if a.null_count or b.null_count:
        same = same | (_mask(pc.is_null(a)) & _mask(pc.is_null(b)))
    if pa.types.is_floating(a.type):
        same = same | (_nan(a) & _nan(b))
    return same


def descents(partition_columns: Sequence[pa.Array], order_columns: Sequence[pa.Array], orders: Sequence[Order]) -> Mask:
    """Which rows (from the second on) are out of order after the row before.

    Partition columns must ascend (with NULLs on either end), order columns must follow their :class:`Order`.
    """
    n = max(len((*partition_columns, *order_columns)[0]) - 1, 0)
    undecided, wrong = np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
    for column in partition_columns:
        below, same = _compared(column, n)
        wrong |= undecided & below & ~(_null_step(column, n))
        undecided &= same
    for column, order in zip(order_columns, orders, strict=True):
        below, same = _compared(column, n)
        before, after = _nulls(column, n)
        descends = below if order.ascending else ~below & ~same
        descends = np.where(before == after, descends, before != order.nulls_first)
        wrong |= undecided & descends
        undecided &= same
    return wrong


def _compared(column: pa.Array, n: int) -> tuple[Mask, Mask]:
    """(row is below the one before, row is the same as the one before); NaN is above everything."""
    after, before = column.slice(1), column.slice(0, n)
    same = _same(after, before)
    if pa.types.is_null(column.type):
        return np.zeros(n, dtype=bool), same
    if pa.types.is_nested(column.type):
        rank = ranks(as_levels(column), len(column))
        return rank[1:] < rank[:-1], rank[1:] == rank[:-1]
    less = pc.fill_null(pc.less(after, before), False)
    below = _mask(less) & ~same
    if pa.types.is_floating(column.type):
        below |= _nan(before) & ~_nan(after)
    return below, same


def _nulls(column: pa.Array, n: int) -> tuple[Mask, Mask]:
    null = _mask(pc.is_null(column))
    return null[:n], null[1:]


def _null_step(column: pa.Array, n: int) -> Mask:
    before, after = _nulls(column, n)
    return before != after


def _nan(a: pa.Array) -> Mask:
    return _mask(pc.fill_null(pc.is_nan(a), False))


def _mask(a: Any) -> Mask:
    mask: Mask = a.to_numpy(zero_copy_only=False)
    return mask
