"""The frame's values themselves: ``collect_list``, ``collect_set``, ``string_agg``."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from inwindow.native.list_partials import Flattened, ListOfPanes, SetOfPanes, TextOfPanes, TextOfPartials
from inwindow.native.lists import CollectList, CollectSet, StringAgg, StringAggDistinct
from inwindow.udaf.applied import Applied, column_text
from inwindow.udaf.built_in import built_in
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.kinds import is_text
from inwindow.udaf.native import Cascade, Native
from inwindow.udaf.traits import KernelTraits

__all__ = [
    "array_agg",
    "collect_list",
    "collect_set",
    "listagg",
    "listagg_distinct",
    "string_agg",
    "string_agg_distinct",
]


def collect_list(column: Any) -> Applied:
    """The values that are not NULL, oldest first; an empty list if there are none.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "c"]})
    >>> iw.with_columns(table, l=iw.collect_list("item").over(iw.rows(2)))["l"].to_pylist()
    [['a'], ['a', 'b'], ['b', 'c']]
    """
    return built_in("collect_list", _collect_list_on, "any column", column, empty=[])


def _collect_list_on(types: list[pa.DataType], ansi: bool) -> Native | None:
    cascade = Cascade(ListOfPanes, lambda: Flattened(CollectList(), None), grows=True)
    return Native(
        _list_of(types[0]), lambda evicts: CollectList(), cascade=cascade, reads="counted", rereads=True, gives="values"
    )


def collect_set(column: Any) -> Applied:
    """The distinct values that are not NULL, in the order of their first place in the frame.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "a", "a"]})
    >>> iw.with_columns(table, s=iw.collect_set("item").over(iw.rows(2)))["s"].to_pylist()
    [['a'], ['a', 'b'], ['b', 'a'], ['a']]
    """
    return built_in(
        "collect_set", _collect_set_on, "any column but maps", column, empty=[], commutative=True,
        kernel=KernelTraits(in_order=True),
    )  # fmt: skip


def _collect_set_on(types: list[pa.DataType], ansi: bool) -> Native | None:
    if pa.types.is_map(types[0]):
        return None
    cascade = Cascade(SetOfPanes, lambda: Flattened(CollectSet(), None), grows=True)
    return Native(
        _list_of(types[0]), lambda evicts: CollectSet(), cascade=cascade, reads="counted", rereads=True, gives="values"
    )


def string_agg(column: Any, delimiter: str | bytes | None = None) -> Applied:
    """The strings (or binaries) that are not NULL, oldest first, joined by ``delimiter``; NULL if there are none.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", None, "c"]})
    >>> iw.with_columns(table, s=iw.string_agg("item", "-").over(iw.rows(3)))["s"].to_pylist()
    ['a', 'a-b', 'a-b', 'b-c']
    """

    def joined(between: pa.Scalar, kind: pa.DataType) -> Native:
        cascade = Cascade(lambda: TextOfPanes(between), lambda: TextOfPartials(between), grows=True)
        return Native(kind, lambda evicts: StringAgg(between), cascade=cascade, reads="counted", rereads=True)

    return _text("string_agg", joined, column, delimiter)


def string_agg_distinct(column: Any, delimiter: str | bytes | None = None) -> Applied:
    """The distinct strings (or binaries), in the order in which they first come in the frame, joined by ``delimiter``.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "a", "c"]})
    >>> iw.with_columns(table, s=iw.string_agg_distinct("item", "-").over(iw.rows(3)))["s"].to_pylist()
    ['a', 'a-b', 'a-b', 'b-a-c']
    """

    def joined(between: pa.Scalar, kind: pa.DataType) -> Native:
        cascade = Cascade(SetOfPanes, lambda: Flattened(StringAggDistinct(between), None), grows=True)
        return Native(kind, lambda evicts: StringAggDistinct(between), cascade=cascade, reads="counted", rereads=True)

    return _text("string_agg_distinct", joined, column, delimiter)


def _text(name: str, joined: Callable[[pa.Scalar, pa.DataType], Native], column: Any, delimiter: Any) -> Applied:
    if delimiter is not None and not isinstance(delimiter, (str, bytes)):
        raise UsageError(
            f"{name}({column_text(column)}, {shown(delimiter)}): the delimiter is a string, or bytes for a binary column"
        )

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        (kind,) = types
        return joined(_delimiter(name, column, delimiter, kind), kind) if is_text(kind) else None

    options = () if delimiter is None else (delimiter,)
    return built_in(name, resolve, "strings and binaries", column, options=options)


def _delimiter(name: str, column: Any, delimiter: str | bytes | None, kind: pa.DataType) -> pa.Scalar:
    is_bytes = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    if delimiter is None:
        delimiter = b"" if is_bytes else ""
    if isinstance(delimiter, bytes) != is_bytes:
        raise UsageError(
            f"{name}({column_text(column)}, {delimiter!r}): the column is of type {kind}: give the delimiter as "
            f"{'bytes' if is_bytes else 'a string'}"
        )
    return pa.scalar(delimiter, kind)


def _list_of(kind: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", kind))


listagg = string_agg
listagg_distinct = string_agg_distinct
array_agg = collect_list
