"""The built-in aggregates, named as in ``pyspark.sql.functions``, with the same result types and NULL rules.

Adding one: its kernels by type in ``kernels.py``, a function here, and a row in the test table.
"""

from typing import Any

from inwindow.native.positions import First, Last
from inwindow.udaf import kernels
from inwindow.udaf.applied import Applied, apply
from inwindow.udaf.errors import UsageError
from inwindow.udaf.kernels import BuiltIn
from inwindow.udaf.traits import Traits
from inwindow.udaf.twins import Largest, Smallest

_NUMBERS = "integers, floats and decimals"
_ORDERED = "numbers, strings, binaries, booleans, dates and times"


def _traits(name: str, *, parameters: tuple[str, ...] | None = ("value",), **more: Any) -> Traits:
    arity = None if parameters is None else len(parameters)
    return Traits(name, parameters or (), arity, None, has_expire=True, native=True, **more)


def count(*columns: Any) -> Applied:
    """How many tuples have no NULL among ``columns``; all tuples for ``count()`` and ``count("*")``.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [3.0, None, 5.0]})
    >>> iw.with_columns(table, n=iw.count("price").over(iw.rows(2)))["n"].to_pylist()
    [1, 1, 1]
    """
    columns = () if len(columns) == 1 and isinstance(columns[0], str) and columns[0] == "*" else columns
    return apply(BuiltIn(_traits("count", parameters=None, empty=0), kernels.count_on, "any columns"), columns)


def count_distinct(*columns: Any) -> Applied:
    """How many distinct values, or combinations of values, without NULLs.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "a", "a"]})
    >>> iw.with_columns(table, n=iw.count_distinct("item").over(iw.rows(2)))["n"].to_pylist()
    [1, 2, 2, 1]
    """
    if not columns:
        raise UsageError("count_distinct() needs a column: write count_distinct('item'), or count() for the tuples")
    return apply(
        BuiltIn(_traits("count_distinct", parameters=None, empty=0), kernels.count_distinct_on, "plain columns"),
        columns,
    )


def sum(column: Any) -> Applied:
    """The sum; exact for integers and decimals, compensated for floats.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1e16, 1.0, -1e16, 1.0]})
    >>> iw.with_columns(table, s=iw.sum("price").over(iw.unbounded()))["s"].to_pylist()
    [1e+16, 1e+16, 1.0, 2.0]
    """
    return apply(
        BuiltIn(_traits("sum", commutative=True), kernels.sum_on, "integers, floats, decimals and durations"), (column,)
    )


def avg(column: Any) -> Applied:
    """The average, as a double (a decimal for decimals).

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1, 2, 6]})
    >>> iw.with_columns(table, a=iw.avg("price").over(iw.rows(2)))["a"].to_pylist()
    [1.0, 1.5, 4.0]
    """
    return apply(BuiltIn(_traits("avg", commutative=True), kernels.avg_on, _NUMBERS), (column,))


def min(column: Any) -> Applied:
    """The smallest value; NaN is larger than everything.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [3, 1, 2, 4]})
    >>> iw.with_columns(table, low=iw.min("price").over(iw.rows(2)))["low"].to_pylist()
    [3, 1, 1, 2]
    """
    return apply(BuiltIn(_traits("min", commutative=True), kernels.extreme_on("min", Smallest), _ORDERED), (column,))


def max(column: Any) -> Applied:
    """The largest value; NaN is larger than everything.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["b", "c", "a"]})
    >>> iw.with_columns(table, high=iw.max("item").over(iw.rows(2)))["high"].to_pylist()
    ['b', 'c', 'c']
    """
    return apply(BuiltIn(_traits("max", commutative=True), kernels.extreme_on("max", Largest), _ORDERED), (column,))


def _moment(name: kernels.Moment, column: Any) -> Applied:
    return apply(BuiltIn(_traits(name, commutative=True), kernels.moments_on(name), _NUMBERS), (column,))


def var_samp(column: Any) -> Applied:
    """The sample variance; NULL over a single value.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0, 5.0]})
    >>> iw.with_columns(table, v=iw.var_samp("price").over(iw.rows(2)))["v"].to_pylist()
    [None, 2.0, 2.0]
    """
    return _moment("var_samp", column)


def var_pop(column: Any) -> Applied:
    """The population variance.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0, 5.0]})
    >>> iw.with_columns(table, v=iw.var_pop("price").over(iw.rows(2)))["v"].to_pylist()
    [0.0, 1.0, 1.0]
    """
    return _moment("var_pop", column)


def stddev_samp(column: Any) -> Applied:
    """The sample standard deviation; NULL over a single value.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0]})
    >>> iw.with_columns(table, s=iw.stddev_samp("price").over(iw.rows(2)))["s"].to_pylist()
    [None, 1.4142135623730951]
    """
    return _moment("stddev_samp", column)


def stddev_pop(column: Any) -> Applied:
    """The population standard deviation.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0]})
    >>> iw.with_columns(table, s=iw.stddev_pop("price").over(iw.rows(2)))["s"].to_pylist()
    [0.0, 1.0]
    """
    return _moment("stddev_pop", column)


def median(column: Any) -> Applied:
    """The exact median, between the two middle values where there are two.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 9.0, 2.0, 3.0]})
    >>> iw.with_columns(table, m=iw.median("price").over(iw.rows(3)))["m"].to_pylist()
    [1.0, 5.0, 2.0, 3.0]
    """
    return apply(BuiltIn(_traits("median", order_statistics=True), kernels.median_on, _NUMBERS), (column,))


def first(column: Any, ignorenulls: bool = False) -> Applied:
    """The first value of the frame; with ``ignorenulls`` the first that is not NULL.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "c"]})
    >>> iw.with_columns(table, f=iw.first("item").over(iw.rows(2)))["f"].to_pylist()
    ['a', 'a', 'b']
    """
    return _pick("first", First, column, ignorenulls)


def last(column: Any, ignorenulls: bool = False) -> Applied:
    """The last value of the frame; with ``ignorenulls`` the last that is not NULL.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", None, "c"]})
    >>> iw.with_columns(table, l=iw.last("item", ignorenulls=True).over(iw.rows(2)))["l"].to_pylist()
    ['a', 'a', 'c']
    """
    return _pick("last", Last, column, ignorenulls)


def _pick(name: str, kernel: Any, column: Any, ignorenulls: bool) -> Applied:
    if not isinstance(ignorenulls, bool):
        raise UsageError(f"{name}({column}, {ignorenulls!r}): the second argument is ignorenulls, True or False")
    nulls = "skip" if ignorenulls else "pass"
    return apply(
        BuiltIn(_traits(name, nulls=nulls), kernels.picked_on(kernel, not ignorenulls), "any column"), (column,)
    )


def collect_list(column: Any) -> Applied:
    """The values that are not NULL, oldest first; an empty list where there are none.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "c"]})
    >>> iw.with_columns(table, l=iw.collect_list("item").over(iw.rows(2)))["l"].to_pylist()
    [['a'], ['a', 'b'], ['b', 'c']]
    """
    return apply(BuiltIn(_traits("collect_list", empty=[]), kernels.collect_list_on, "any column"), (column,))


mean = avg
variance = var_samp
stddev = std = stddev_samp
