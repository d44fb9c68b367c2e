"""Which kernel a built-in has on which types; a twin (a Python class) for the types that have none.

Each function answers for one family of built-ins: argument types in, :class:`Native` or a twin out; None where the
built-in is not defined on such arguments.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._counts import Count, CountOfPartials
from inwindow.native._distinct import FloatDistinct, IntDistinct, ObjectDistinct
from inwindow.native._extremes import FloatExtreme, IntExtreme
from inwindow.native._integers import IntSum, IntSumOfPartials
from inwindow.native._moments import FloatMoments, MomentsOfPartials
from inwindow.native._ranks import Quantile
from inwindow.native._sums import FloatSum, FloatSumOfPartials
from inwindow.native.positions import CollectList
from inwindow.udaf.errors import UsageError
from inwindow.udaf.native import Cascade, Implementation, Native
from inwindow.udaf.traits import Traits
from inwindow.udaf.twins import DecimalAvg, DecimalSum

_INT, _DOUBLE = pa.int64(), pa.float64()
Resolved = Native | tuple[Any, pa.DataType]  # a kernel; or a twin and its result type
Moment = Literal["var_pop", "var_samp", "stddev_pop", "stddev_samp"]
Resolve = Callable[[list[pa.DataType], bool], Resolved | None]


@dataclass(frozen=True)
class BuiltIn:
    """A built-in: what the optimizer knows without types, and how it resolves on them."""

    traits: Traits
    resolve: Resolve
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


def sum_on(types: list[pa.DataType], ansi: bool) -> Resolved | None:
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


def avg_on(types: list[pa.DataType], ansi: bool) -> Resolved | None:
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


def _float_sum(op: Literal["sum", "avg"]) -> Native:
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


def extreme_on(op: Literal["min", "max"], twin: Any) -> Resolve:
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


def moments_on(op: Moment) -> Resolve:
    def resolve(types: list[pa.DataType], ansi: bool) -> Resolved | None:
        if not _is_number(types[0]):
            return None
        return Native(
            _DOUBLE, lambda evicts: FloatMoments(op), _DOUBLE,
            cascade=Cascade(lambda: FloatMoments(op), lambda: MomentsOfPartials(op)),
        )  # fmt: skip

    return resolve


def count_on(types: list[pa.DataType], ansi: bool) -> Resolved | None:
    return Native(_INT, lambda evicts: Count(), cascade=Cascade(Count, CountOfPartials), marks=True)


def count_distinct_on(types: list[pa.DataType], ansi: bool) -> Resolved | None:
    if len(types) == 1 and _is_integer_inside(types[0]):
        return Native(_INT, lambda evicts: IntDistinct(evicts=evicts), _INT)
    if len(types) == 1 and pa.types.is_floating(types[0]):
        return Native(_INT, lambda evicts: FloatDistinct(evicts=evicts), _DOUBLE)
    if not types or any(pa.types.is_nested(kind) for kind in types):
        return None
    return Native(_INT, lambda evicts: ObjectDistinct(evicts=evicts), objects=True)


def median_on(types: list[pa.DataType], ansi: bool) -> Resolved | None:
    return Native(_DOUBLE, lambda evicts: Quantile(0.5), _DOUBLE) if _is_number(types[0]) else None


def picked_on(kernel: Any, sees_nulls: bool) -> Resolve:
    return lambda types, ansi: Native(types[0], lambda evicts: kernel(), takes_seen=True, sees_nulls=sees_nulls)


def collect_list_on(types: list[pa.DataType], ansi: bool) -> Resolved | None:
    result = pa.list_(pa.field("element", types[0]))
    return Native(result, lambda evicts: CollectList(), takes_seen=True, rereads=True)
