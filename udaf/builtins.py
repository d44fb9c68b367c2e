"""The built-in aggregates, named as in ``pyspark.sql.functions``, with the same result types and NULL rules.

A built-in resolves itself on argument types: to a kernel, or to its twin (a Python class) where a type has none.
Adding one: a function below, and a row in the test table.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._counts import Count, CountOfPartials
from inwindow.native._distinct import FloatDistinct, IntDistinct, ObjectDistinct
from inwindow.native._extremes import FloatExtreme, IntExtreme
from inwindow.native._moments import FloatMoments, MomentsOfPartials
from inwindow.native._ranks import Quantile
from inwindow.native._sums import FloatSum, FloatSumOfPartials, IntSum, IntSumOfPartials
from inwindow.native.positions import CollectList, First, Last
from inwindow.udaf.applied import Applied, apply
from inwindow.udaf.errors import UsageError
from inwindow.udaf.native import Cascade, Implementation, Native
from inwindow.udaf.traits import Traits
from inwindow.udaf.twins import DecimalAvg, DecimalSum, Largest, Smallest

_INT, _DOUBLE = pa.int64(), pa.float64()
Resolved = Native | tuple[Any, pa.DataType]  # a kernel; or a twin and its result type


@dataclass(frozen=True)
class BuiltIn:
    """A built-in: what the optimizer knows without types, and how it resolves on them."""

    traits: Traits
    resolve: Callable[[list[pa.DataType], bool], Resolved | None]
    accepts: str

    def on(self, label: str, types: list[pa.DataType], ansi: bool) -> Implementation:
        """The implementation over arguments of these types."""
        resolved = self.resolve(types, ansi)
        if resolved is None:
            raise UsageError(
                f"{label}: {self.traits.name} is for {self.accepts}, not {', '.join(map(str, types))}: cast the column"
            )
        if isinstance(resolved, Native):
            traits = replace(self.traits, result=resolved.result, has_merge=resolved.cascade is not None)
            return Implementation(traits, resolved.result, native=resolved)
        twin, result = resolved
        its = twin._traits
        traits = replace(its, name=self.traits.name, parameters=its.parameters, result=result)
        return Implementation(traits, result, aggregate=twin)


def _traits(name: str, *, parameters: tuple[str, ...] | None = ("value",), **more: Any) -> Traits:
    arity = None if parameters is None else len(parameters)
    return Traits(name, parameters or (), arity, None, has_expire=True, native=True, **more)


# Which types have which kernel


def _is_int(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) and not pa.types.is_uint64(kind))


def _is_decimal(kind: pa.DataType) -> bool:
    return bool(pa.types.is_decimal128(kind))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or _is_decimal(kind))


def _is_integer_inside(kind: pa.DataType) -> bool:
    return bool(
        _is_int(kind) or pa.types.is_date32(kind) or pa.types.is_timestamp(kind) or pa.types.is_time(kind)
        or pa.types.is_duration(kind) or pa.types.is_boolean(kind)
    )  # fmt: skip


def _back_to(kind: pa.DataType) -> Callable[[pa.Array], pa.Array]:
    """From the kernel's int64 or double to the argument's own type."""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return lambda result: pc.cast(result, kind, safe=False)
    if kind.bit_width == 32:
        return lambda result: pc.cast(result, pa.int32()).view(kind)
    return lambda result: result.view(kind)


def _sum(types: list[pa.DataType], ansi: bool) -> Resolved | None:
    (kind,) = types
    if _is_int(kind) or pa.types.is_duration(kind):
        result = kind if pa.types.is_duration(kind) else _INT
        return Native(
            result, lambda evicts: IntSum("sum", ansi=ansi), _INT, _back_to(result),
            Cascade(lambda: IntSum("sum", ansi=ansi), lambda: IntSumOfPartials("sum", ansi=ansi)),
        )  # fmt: skip
    if pa.types.is_floating(kind):
        return _float_sum("sum")
    if _is_decimal(kind):
        result = pa.decimal128(min(38, kind.precision + 10), kind.scale)
        return DecimalSum(result, ansi), result
    return None


def _avg(types: list[pa.DataType], ansi: bool) -> Resolved | None:
    (kind,) = types
    if _is_int(kind):
        return Native(
            _DOUBLE, lambda evicts: IntSum("avg"), _INT,
            cascade=Cascade(lambda: IntSum("avg"), lambda: IntSumOfPartials("avg")),
        )  # fmt: skip
    if pa.types.is_floating(kind):
        return _float_sum("avg")
    if _is_decimal(kind):
        result = pa.decimal128(min(38, kind.precision + 4), min(38, kind.scale + 4))
        return DecimalAvg(result, ansi), result
    return None


def _float_sum(op: str) -> Native:
    return Native(
        _DOUBLE, lambda evicts: FloatSum(op), _DOUBLE,
        cascade=Cascade(lambda: FloatSum(op), lambda: FloatSumOfPartials(op)),
    )  # fmt: skip


class _ExtremeOfPanes:
    """Level one of min and max: the partial of a pane is its result."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.absorb, self.state, self.restore = kernel.absorb, kernel.state, kernel.restore

    def roll_partials(self, *arguments: Any) -> tuple[pa.Array]:
        """One column: the extremes."""
        return (self.kernel.roll(*arguments),)


class _ExtremeOfPartials:
    """Level two of min and max: the same kernel again."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.state, self.restore = kernel.state, kernel.restore

    def roll(self, partials: tuple[pa.Array], *arguments: Any) -> pa.Array:
        """The extremes of extremes."""
        return self.kernel.roll(partials[0], *arguments)


def _extreme(op: str, twin: Any) -> Callable[[list[pa.DataType], bool], Resolved | None]:
    def resolve(types: list[pa.DataType], ansi: bool) -> Resolved | None:
        (kind,) = types
        if _is_integer_inside(kind) or pa.types.is_floating(kind):
            kernel, inner = (FloatExtreme, _DOUBLE) if pa.types.is_floating(kind) else (IntExtreme, _INT)
            return Native(
                kind, lambda evicts: kernel(op, evicts=evicts), inner, _back_to(kind),
                Cascade(lambda: _ExtremeOfPanes(kernel(op, evicts=False)), lambda: _ExtremeOfPartials(kernel(op))),
            )  # fmt: skip
        if _is_number(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
            return twin(), kind
        return None

    return resolve


def _moments(op: str) -> Callable[[list[pa.DataType], bool], Resolved | None]:
    def resolve(types: list[pa.DataType], ansi: bool) -> Resolved | None:
        if not _is_number(types[0]):
            return None
        return Native(
            _DOUBLE, lambda evicts: FloatMoments(op), _DOUBLE,
            cascade=Cascade(lambda: FloatMoments(op), lambda: MomentsOfPartials(op)),
        )  # fmt: skip

    return resolve


def _count(types: list[pa.DataType], ansi: bool) -> Resolved | None:
    return Native(
        _INT, lambda evicts: Count(), cascade=Cascade(Count, CountOfPartials), marks=True
    )


def _count_distinct(types: list[pa.DataType], ansi: bool) -> Resolved | None:
    if len(types) == 1 and _is_integer_inside(types[0]):
        return Native(_INT, lambda evicts: IntDistinct(evicts=evicts), _INT)
    if len(types) == 1 and pa.types.is_floating(types[0]):
        return Native(_INT, lambda evicts: FloatDistinct(evicts=evicts), _DOUBLE)
    if not types or any(pa.types.is_nested(kind) for kind in types):
        return None
    return Native(_INT, lambda evicts: ObjectDistinct(evicts=evicts), objects=True)


def _median(types: list[pa.DataType], ansi: bool) -> Resolved | None:
    return Native(_DOUBLE, lambda evicts: Quantile(0.5), _DOUBLE) if _is_number(types[0]) else None


def _picked(kernel: Any, sees_nulls: bool) -> Callable[[list[pa.DataType], bool], Resolved | None]:
    return lambda types, ansi: Native(
        types[0], lambda evicts: kernel(), takes_seen=True, sees_nulls=sees_nulls
    )


def _collect_list(types: list[pa.DataType], ansi: bool) -> Resolved | None:
    result = pa.list_(pa.field("element", types[0]))
    return Native(result, lambda evicts: CollectList(), takes_seen=True, rereads=True)


_NUMBERS = "integers, floats and decimals"
_ORDERED = "numbers, strings, binaries, booleans, dates and times"


def count(*columns: Any) -> Applied:
    """How many tuples have no NULL among ``columns``; all tuples for ``count()`` and ``count("*")``.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [3.0, None, 5.0]})
    >>> iw.with_columns(table, n=iw.count("price").over(iw.rows(2)))["n"].to_pylist()
    [1, 1, 1]
    """
    columns = () if columns == ("*",) else columns
    return apply(BuiltIn(_traits("count", parameters=None, empty=0), _count, "any columns"), columns)


def count_distinct(*columns: Any) -> Applied:
    """How many distinct values, or combinations of values, without NULLs.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "a", "a"]})
    >>> iw.with_columns(table, n=iw.count_distinct("item").over(iw.rows(2)))["n"].to_pylist()
    [1, 2, 2, 1]
    """
    return apply(BuiltIn(_traits("count_distinct", parameters=None, empty=0), _count_distinct, "plain columns"), columns)


def sum(column: Any) -> Applied:
    """The sum; exact for integers and decimals, compensated for floats.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1e16, 1.0, -1e16, 1.0]})
    >>> iw.with_columns(table, s=iw.sum("price").over(iw.unbounded()))["s"].to_pylist()
    [1e+16, 1e+16, 1.0, 2.0]
    """
    return apply(BuiltIn(_traits("sum", commutative=True), _sum, f"{_NUMBERS} and durations"), (column,))


def avg(column: Any) -> Applied:
    """The average, as a double (a decimal for decimals).

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1, 2, 6]})
    >>> iw.with_columns(table, a=iw.avg("price").over(iw.rows(2)))["a"].to_pylist()
    [1.0, 1.5, 4.0]
    """
    return apply(BuiltIn(_traits("avg", commutative=True), _avg, _NUMBERS), (column,))


def min(column: Any) -> Applied:
    """The smallest value; NaN is larger than everything.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [3, 1, 2, 4]})
    >>> iw.with_columns(table, low=iw.min("price").over(iw.rows(2)))["low"].to_pylist()
    [3, 1, 1, 2]
    """
    return apply(BuiltIn(_traits("min", commutative=True), _extreme("min", Smallest), _ORDERED), (column,))


def max(column: Any) -> Applied:
    """The largest value; NaN is larger than everything.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["b", "c", "a"]})
    >>> iw.with_columns(table, high=iw.max("item").over(iw.rows(2)))["high"].to_pylist()
    ['b', 'c', 'c']
    """
    return apply(BuiltIn(_traits("max", commutative=True), _extreme("max", Largest), _ORDERED), (column,))


def _moment(name: str, op: str, column: Any) -> Applied:
    return apply(BuiltIn(_traits(name, commutative=True), _moments(op), _NUMBERS), (column,))


def var_samp(column: Any) -> Applied:
    """The sample variance; NULL over a single value.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0, 5.0]})
    >>> iw.with_columns(table, v=iw.var_samp("price").over(iw.rows(2)))["v"].to_pylist()
    [None, 2.0, 2.0]
    """
    return _moment("var_samp", "var_samp", column)


def var_pop(column: Any) -> Applied:
    """The population variance.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0, 5.0]})
    >>> iw.with_columns(table, v=iw.var_pop("price").over(iw.rows(2)))["v"].to_pylist()
    [0.0, 1.0, 1.0]
    """
    return _moment("var_pop", "var_pop", column)


def stddev_samp(column: Any) -> Applied:
    """The sample standard deviation; NULL over a single value.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0]})
    >>> iw.with_columns(table, s=iw.stddev_samp("price").over(iw.rows(2)))["s"].to_pylist()
    [None, 1.4142135623730951]
    """
    return _moment("stddev_samp", "stddev_samp", column)


def stddev_pop(column: Any) -> Applied:
    """The population standard deviation.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 3.0]})
    >>> iw.with_columns(table, s=iw.stddev_pop("price").over(iw.rows(2)))["s"].to_pylist()
    [0.0, 1.0]
    """
    return _moment("stddev_pop", "stddev_pop", column)


def median(column: Any) -> Applied:
    """The exact median, between the two middle values where there are two.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"price": [1.0, 9.0, 2.0, 3.0]})
    >>> iw.with_columns(table, m=iw.median("price").over(iw.rows(3)))["m"].to_pylist()
    [1.0, 5.0, 2.0, 3.0]
    """
    return apply(BuiltIn(_traits("median", order_statistics=True), _median, _NUMBERS), (column,))


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
    return apply(BuiltIn(_traits(name, nulls=nulls), _picked(kernel, not ignorenulls), "any column"), (column,))


def collect_list(column: Any) -> Applied:
    """The values that are not NULL, oldest first; an empty list where there are none.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"item": ["a", "b", "c"]})
    >>> iw.with_columns(table, l=iw.collect_list("item").over(iw.rows(2)))["l"].to_pylist()
    [['a'], ['a', 'b'], ['b', 'c']]
    """
    return apply(BuiltIn(_traits("collect_list", empty=[]), _collect_list, "any column"), (column,))


mean = avg
variance = var_samp
stddev = std = stddev_samp
