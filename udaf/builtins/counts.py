"""How many: ``count``, ``count_distinct``."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._distinct import FloatDistinct, IntDistinct, ObjectDistinct
from inwindow.native._totals import Count, IntSum
from inwindow.native.list_partials import Flattened
from inwindow.udaf.applied import Applied, column_text
from inwindow.udaf.built_in import built_in
from inwindow.udaf.builtins import joins
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.kinds import DOUBLE, INT, is_float, is_whole
from inwindow.udaf.native import Cascade, Native, own_panes

__all__ = ["approx_count_distinct", "count", "count_distinct", "count_if"]


def count(*columns: Any) -> Applied:
    """How many tuples have no NULL among ``columns``; all tuples for ``count()`` and ``count("*")``.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [3.0, None, 5.0]})
    >>> iw.with_columns(table, n=iw.count("price").over(iw.rows(2)))["n"].to_pylist()
    [1, 1, 1]
    """
    columns = () if len(columns) == 1 and isinstance(columns[0], str) and columns[0] == "*" else columns
    return built_in("count", _count_on, "any columns", *columns, parameters=None, empty=0, commutative=True)


def _count_on(types: list[pa.DataType], ansi: bool) -> Native | None:
    counts = Native(INT, lambda evicts: Count(), cascade=own_panes(lambda evicts: Count()), reads="marks", swept=Count)
    return joins.sums(counts)


def count_if(column: Any) -> Applied:
    """How many tuples have ``True`` there; 0 for none.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"late": [True, None, False, True]})
    >>> iw.with_columns(table, n=iw.count_if("late").over(iw.rows(2)))["n"].to_pylist()
    [1, 1, 0, 1]
    """
    return built_in("count_if", _count_if_on, "booleans", column, empty=0, commutative=True)


def _count_if_on(types: list[pa.DataType], ansi: bool) -> Native | None:
    def kernel(evicts: bool) -> IntSum:
        return IntSum("sum", ansi=True)

    if not pa.types.is_boolean(types[0]):
        return None
    return joins.sums(Native(INT, kernel, INT, _none_is_0, own_panes(kernel), swept=lambda: kernel(True)))


def _none_is_0(sums: Any) -> pa.Array:
    return pc.fill_null(sums, 0)


def approx_count_distinct(column: Any, rsd: float | None = None) -> Applied:
    """How many distinct values, without NULLs. Exact, and so within any ``rsd``, the relative error that Spark allows.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "a", "a"]})
    >>> iw.with_columns(table, n=iw.approx_count_distinct("item").over(iw.rows(2)))["n"].to_pylist()
    [1, 2, 2, 1]
    """
    if rsd is not None and (isinstance(rsd, bool) or not isinstance(rsd, (int, float)) or not 0 < rsd < 1):
        raise UsageError(
            f"approx_count_distinct({column_text(column)}, rsd={shown(rsd)}): write a relative error between 0 and 1; the result "
            "is exact, whatever it is"
        )
    return built_in("approx_count_distinct", _count_distinct_on, "any column", column, empty=0, commutative=True)


def count_distinct(*columns: Any) -> Applied:
    """How many distinct values, or combinations of values, without NULLs.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "a", "a"]})
    >>> iw.with_columns(table, n=iw.count_distinct("item").over(iw.rows(2)))["n"].to_pylist()
    [1, 2, 2, 1]
    """
    if not columns:
        raise UsageError("count_distinct() needs a column: write count_distinct('item'), or count() for the tuples")
    return built_in(
        "count_distinct", _count_distinct_on, "any columns", *columns, parameters=None, empty=0, commutative=True
    )


def _count_distinct_on(types: list[pa.DataType], ansi: bool) -> Native | None:
    if len(types) == 1 and (is_whole(types[0]) or is_float(types[0])):
        kernel, inner = (FloatDistinct, DOUBLE) if is_float(types[0]) else (IntDistinct, INT)
        cascade = Cascade(lambda: kernel(evicts=False), lambda: Flattened(kernel()), grows=True)
        return Native(INT, lambda evicts: kernel(evicts=evicts), inner, cascade=cascade, evicts_any=True)
    return Native(INT, lambda evicts: ObjectDistinct(evicts=evicts), reads="objects", evicts_any=True)
