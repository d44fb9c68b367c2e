"""Values picked by their place in the frame: ``first``, ``last``, ``nth_value``."""

from typing import Any

import pyarrow as pa

from inwindow.native._picks import Pick
from inwindow.native._totals import Count
from inwindow.native.list_partials import FirstFew, Flattened
from inwindow.udaf.applied import Applied, column_text
from inwindow.udaf.built_in import built_in, check_flag
from inwindow.udaf.builtins import joins
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.kinds import INT
from inwindow.udaf.native import Cascade, Native, own_panes

__all__ = ["any_value", "first", "first_value", "last", "last_value", "nth_value"]


def first(column: Any, ignorenulls: bool = False) -> Applied:
    """The first value of the frame; with ``ignorenulls`` the first that is not NULL.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "c"]})
    >>> iw.with_columns(table, f=iw.first("item").over(iw.rows(2)))["f"].to_pylist()
    ['a', 'a', 'b']
    """
    return _pick("first", 1, column, ignorenulls)


def any_value(column: Any, ignoreNulls: bool = False) -> Applied:  # noqa: N803 - as PySpark spells it
    """Some value of the frame, always the first one; with ``ignoreNulls`` one that is not NULL.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": [None, "b", "c"]})
    >>> iw.with_columns(table, x=iw.any_value("item", ignoreNulls=True).over(iw.rows(2)))["x"].to_pylist()
    [None, 'b', 'b']
    """
    check_flag(f"any_value({column_text(column)}", ignoreNulls, "ignoreNulls")
    return _pick("any_value", 1, column, ignoreNulls)


def last(column: Any, ignorenulls: bool = False) -> Applied:
    """The last value of the frame; with ``ignorenulls`` the last that is not NULL.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", None, "c"]})
    >>> iw.with_columns(table, l=iw.last("item", ignorenulls=True).over(iw.rows(2)))["l"].to_pylist()
    ['a', 'a', 'c']
    """
    return _pick("last", -1, column, ignorenulls)


def nth_value(column: Any, offset: int, ignoreNulls: bool = False) -> Applied:  # noqa: N803 - as PySpark spells it
    """The value of the frame's ``offset``-th tuple, counted from 1; NULL if the frame has fewer.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "c"]})
    >>> iw.with_columns(table, second=iw.nth_value("item", 2).over(iw.rows(2)))["second"].to_pylist()
    [None, 'b', 'c']
    """
    if isinstance(offset, bool) or not isinstance(offset, int) or not 0 < offset < 2**31:
        raise UsageError(
            f"nth_value({column_text(column)}, {shown(offset)}): the offset counts the frame's tuples from 1: give a positive int"
        )
    check_flag(f"nth_value({column_text(column)}, {offset}", ignoreNulls, "ignoreNulls")

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        cascade = Cascade(lambda: FirstFew(offset), lambda: Flattened(Pick(offset), None))
        return Native(
            types[0], lambda evicts: Pick(offset), cascade=cascade, reads="counted" if ignoreNulls else "all",
            gives="a value",
        )  # fmt: skip

    options = (offset, True) if ignoreNulls else (offset,)
    nulls = "skip" if ignoreNulls else "pass"
    return built_in("nth_value", resolve, "any column", column, options=options, nulls=nulls)


def _pick(name: str, place: int, column: Any, ignorenulls: bool) -> Applied:
    check_flag(f"{name}({column_text(column)}", ignorenulls, "ignorenulls")

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        cascade = own_panes(lambda evicts: Pick(place))
        found = Native(
            types[0], lambda evicts: Pick(place), cascade=cascade, reads="counted" if ignorenulls else "all",
            gives="a value",
        )  # fmt: skip
        return joins.picks(found, Native(INT, lambda evicts: Count(), reads="marks"), latest=place < 0)

    nulls = "skip" if ignorenulls else "pass"
    return built_in(name, resolve, "any column", column, options=(True,) if ignorenulls else (), nulls=nulls)


first_value = first
last_value = last
