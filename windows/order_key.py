"""Order columns as ascending keys, with which frames and slots compute.

A RANGE distance needs a number, so the order column becomes an int64 (integers, dates in days, timestamps in
their unit, decimals unscaled), a double, or a 128-bit integer (decimals of more than 18 digits). A descending
order inverts the key (``~x``, which keeps distances and cannot overflow), so all other code sees ascending keys.
NULLs and NaNs have no distance to anything: their rows are marked, and form separate blocks.

If only peers matter (several order columns, strings), the key is the number of the peer group.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.native._bounds import shifted
from inwindow.udaf.errors import DataError, UsageError, shown
from inwindow.windows.grid import floor_multiple, whole
from inwindow.windows.interval import EXACT, Interval, Size, exact, is_negative, negated
from inwindow.windows.literals import TICKS, Literals, is_time
from inwindow.windows.spec import Order

Keys = npt.NDArray[Any]
PLAIN = 0  # the side of a tuple whose order value is a number; see OrderKey.read
_DAY = 86_400_000_000
_INT64 = np.iinfo(np.int64)
_FAR = 12 * 10**9  # months: further than any calendar


@dataclass(frozen=True)
class OrderKey:
    """How one order column of type ``type`` becomes keys, and a user's sizes and values become distances."""

    column: str
    type: pa.DataType
    ascending: bool = True
    nulls_first: bool = True
    zone: str = "UTC"  # of literals that have none, for a column of instants

    @property
    def is_wide(self) -> bool:
        """Whether keys are 128 bits: decimals of more than 18 digits."""
        return bool(pa.types.is_decimal(self.type) and self.type.precision > 18)

    @property
    def is_float(self) -> bool:
        """Whether keys are doubles."""
        return bool(pa.types.is_floating(self.type))

    @property
    def is_time(self) -> bool:
        """Whether distances are times rather than numbers."""
        return is_time(self.type)

    @property
    def room(self) -> tuple[Any, Any]:
        """The lowest and the highest key that a bound of an extent may have, as :attr:`bound_type`."""
        if self.is_float:
            most = float(np.finfo(self.type.to_pandas_dtype()).max)
            return -most, most
        most = int(np.iinfo(np.int32).max if pa.types.is_date(self.type) else _INT64.max)
        return -most - 1, most

    def read(self, values: pa.Array) -> tuple[Keys, npt.NDArray[np.int8]]:
        """The keys of an array, and for each row whether it sorts before, among or after the numbers.

        The side of a number is PLAIN; NULLs and NaNs (whose key is 0) are before (< 0) or after (> 0).
        """
        side = np.zeros(len(values), dtype=np.int8)
        keys = self.ascending_keys(values)
        if self.is_float:
            side[np.isnan(keys)] = 1 if self.ascending else -1
        if values.null_count:
            side[pc.is_null(values).to_numpy(zero_copy_only=False)] = -2 if self.nulls_first else 2
        if self.is_float:
            keys = np.where(side == PLAIN, keys, 0.0) + 0.0  # -0.0 is 0.0
            return (keys if self.ascending else 0.0 - keys), side
        keys = keys if self.ascending else ~keys
        if side.any():
            keys = keys.copy()
            keys[side != PLAIN] = 0
        return keys, side

    def ascending_keys(self, values: pa.Array) -> Keys:
        if self.is_float:
            return _numbers(pc.cast(values, pa.float64()), np.float64)
        if pa.types.is_decimal(self.type):
            if self.is_wide:
                raw = np.frombuffer(values.buffers()[1] or b"", dtype=np.int64).reshape(-1, 2)
                return raw[values.offset : values.offset + len(values)]
            words = np.frombuffer(values.buffers()[1] or b"", dtype=np.int64)  # the low word holds 18 digits
            return words[2 * values.offset : 2 * (values.offset + len(values)) : 2]
        if pa.types.is_date64(self.type):
            values = pc.cast(values, pa.date32())
        if pa.types.is_uint64(self.type):
            return (_numbers(values, np.uint64) ^ np.uint64(1 << 63)).view(np.int64)
        width = values.type.bit_width
        if pa.types.is_integer(self.type):
            return _numbers(pc.cast(values, pa.int64()), np.int64)
        return _numbers(values.view(pa.int32() if width == 32 else pa.int64()), np.int64)

    # Distances

    def distance(self, size: Size, *, up: bool, what: str) -> Any:
        """A size in units of the key; a fraction of a unit is rounded up or down."""
        if isinstance(size, Interval):
            self._check_time(size, what)
            ticks = (1, _DAY) if pa.types.is_date(self.type) else (TICKS[self.type.unit], 1_000_000)
            units = Fraction(size.microseconds * ticks[0], ticks[1])
        elif pa.types.is_timestamp(self.type) or pa.types.is_duration(self.type):
            size = negated(size) if is_negative(size) else size
            raise UsageError(
                f"{what} is the number {size}, but the order column {self.column!r} is a {self.type}: give a time, as "
                f"in '{size} seconds' or timedelta(seconds={size})"
            )
        elif self.is_float:
            try:
                return float(size)
            except OverflowError:
                raise UsageError(
                    f"{what}={shown(size)} is beyond the doubles of the column {self.column!r}: give a smaller one"
                ) from None
        else:
            units = exact(size) * (Fraction(10) ** self.type.scale if pa.types.is_decimal(self.type) else 1)
        return math.ceil(units) if up else math.floor(units)

    def exact_distance(self, size: Size, *, what: str) -> Any:
        """A size that must be a whole number of the key's units: slides and extents."""
        if isinstance(size, Interval) and size.months:
            self._check_time(size, what)
            raise UsageError(f"{what}={size}: months differ in length; give days, or group by a month column instead")
        down, up = (self.distance(size, up=up, what=what) for up in (False, True))
        if down != up or down == 0:
            raise UsageError(
                f"{what}={size} is finer than the column {self.column!r} of type {self.type} can tell apart: use a "
                "whole number of its units, or cast the column"
            )
        if not self.is_wide and up > self.room[1]:
            raise UsageError(f"{what}={size} is larger than the column {self.column!r} of type {self.type} can hold")
        return up

    def _check_time(self, size: Interval, what: str) -> None:
        if not self.is_time:
            size = -size if size.is_negative else size
            raise UsageError(
                f"{what} is a time, {size}, but the order column {self.column!r} is of type {self.type}: give a number in "
                "the column's unit, or order by a timestamp or a date"
            )

    def value(self, literal: Any, *, what: str, up: bool | None = None) -> Any:
        """The ascending key of a literal order value (``since=``, ``origin=``, the result of a scope)."""
        keys, side = OrderKey(self.column, self.type).read(self.array([literal], what=what, up=up))
        if side[0] != PLAIN:
            raise UsageError(f"{what}={literal!r} is not an order value: NULL and NaN lie nowhere in the order")
        return keys[0]

    def array(self, literals: list[Any], *, what: str, up: bool | None = None) -> pa.Array:
        """Literals as an Arrow array that :meth:`read` reads; see :class:`Literals`."""
        return Literals(self.column, self.type, self.zone).array(literals, what=what, up=up)

    # Moving keys

    def moved(self, keys: Keys, offset: Size, *, lower: bool, what: str) -> Keys:
        """The targets of a RANGE bound: ``keys`` moved by ``offset`` in the direction of the order."""
        if offset == 0:
            return keys
        if isinstance(offset, Interval) and offset.months:
            return self._moved_by_months(keys, offset, lower=lower, what=what)
        # ts >= t - 1.5 units is ts >= ceil(t - 1.5); ts <= t - 1.5 is ts <= floor(t - 1.5).
        return shifted(keys, self.distance(offset, up=lower, what=what))

    def _moved_by_months(self, keys: Keys, offset: Interval, *, lower: bool, what: str) -> Keys:
        self._check_time(offset, what)
        if pa.types.is_duration(self.type):
            raise UsageError(
                f"{what}: months need a date or a timestamp, but the order column {self.column!r} is a {self.type}"
            )
        is_date = pa.types.is_date(self.type)
        unit = "D" if is_date else self.type.unit
        signed = offset if self.ascending else -offset
        times = (keys if self.ascending else ~keys).astype(np.int64).view(f"datetime64[{unit}]")
        days = times.astype("datetime64[D]")
        months = days.astype("datetime64[M]")
        day_of_month = (days - months.astype("datetime64[D]")).astype(np.int64)
        moved = months + np.timedelta64(max(-_FAR, min(signed.months, _FAR)), "M")
        last_day = ((moved + np.timedelta64(1, "M")).astype("datetime64[D]") - moved.astype("datetime64[D]")).astype(
            np.int64
        ) - 1
        moved_days = moved.astype("datetime64[D]") + np.minimum(day_of_month, last_day)
        if not is_date:  # beyond 64 bits the target saturates
            most = _INT64.max // (_DAY // 1_000_000 * TICKS[unit]) - 1
            moved_days = np.clip(moved_days.astype(np.int64), -most, most).astype("datetime64[D]")
        result = (moved_days.astype(f"datetime64[{unit}]") + (times - days)).view(np.int64)
        if signed.microseconds:
            up = lower == self.ascending  # the keys are in the column's own direction here
            result = shifted(result, self.distance(Interval(0, signed.microseconds), up=up, what=what))
        return result if self.ascending else ~result

    def overflows(self, keys: Keys, offset: Size) -> npt.NDArray[np.bool_] | None:
        """Which keys moved by ``offset`` leave int64, so that the target saturates; None if no key can."""
        if self.is_float or self.is_wide or (isinstance(offset, Interval) and offset.months):
            return None
        distance = self.distance(offset, up=True, what="offset")
        limit = (_INT64.max if distance > 0 else _INT64.min) - distance
        if not _INT64.min <= limit <= _INT64.max:
            return np.ones(len(keys), dtype=bool)
        over: npt.NDArray[np.bool_] = keys > limit if distance > 0 else keys < limit
        return over if over.any() else None

    def original(self, keys: Keys) -> Keys:
        """Keys in the column's own direction: undoes the inversion of a descending order."""
        if self.ascending:
            return keys
        return 0.0 - keys if self.is_float else ~keys

    def slots(self, keys: Keys, slide: Size, origin: Any, *, what: str = "slide") -> npt.NDArray[Any]:
        """The number of the slot [origin + k*slide, origin + (k+1)*slide) that each key lies in."""
        keys, step, begin = self.original(keys), self.exact_distance(slide, what=what), self.origin(origin)
        self.check_steps(keys, step, begin, bounds=False)
        return floor_multiple(keys, step, begin)

    def check_steps(self, keys: Keys, step: Any, origin: Any, *, bounds: bool) -> None:
        """Check that floats can represent steps that far from the origin, and from 0, as different numbers.

        With ``bounds`` the ends of steps are values of the column's type, which may be a short float; else they are doubles.
        """
        keys = keys[np.isfinite(keys)] if self.is_float else keys[:0]
        if not len(keys):
            return
        bits = np.finfo(self.type.to_pandas_dtype() if bounds else np.float64).nmant + 1
        for edge in (float(keys.min()), float(keys.max())):
            if max(abs(edge), abs(float(origin)), abs(edge - float(origin))) > step * 2.0**bits:
                raise DataError(
                    f"{self.column!r} = {edge} with origin {float(origin)}: so far out, a float of {bits} bits does not tell one "
                    f"multiple of {step} from the next: give a larger size, or an origin nearer to the values"
                )

    def origin(self, origin: Any) -> Any:
        """The key of the origin: the epoch, or 0, unless given."""
        if origin is not None:
            return self.value(origin, what="origin")
        return self.value(0, what="origin") if pa.types.is_uint64(self.type) else 0

    @property
    def bound_type(self) -> pa.DataType:
        """The type of an extent's start and end: wide enough for a start before the smallest value."""
        if pa.types.is_integer(self.type):
            return pa.int64()
        if pa.types.is_decimal(self.type):
            return pa.decimal128(38, self.type.scale)
        return self.type

    def bounds_of(self, keys: Keys) -> pa.Array:
        """Starts or ends of extents, as :attr:`bound_type`."""
        if pa.types.is_integer(self.type):
            return pa.array(keys)
        return OrderKey(self.column, self.bound_type).column_of(keys)

    def bound_keys(self, bounds: pa.Array) -> Keys:
        """The inverse of :meth:`bounds_of`."""
        kind = pa.decimal128(18, self.type.scale) if pa.types.is_decimal(self.type) else self.bound_type
        return OrderKey(self.column, kind).read(bounds.cast(kind))[0]

    def column_of(self, keys: Keys) -> pa.Array:
        """Ascending keys as an Arrow array of the column's type (the start and end of extents)."""
        if self.is_float:
            return pc.cast(pa.array(keys), self.type)
        if pa.types.is_decimal(self.type):
            return pa.array([Decimal(whole(key)).scaleb(-self.type.scale, EXACT) for key in keys], self.type)
        if pa.types.is_uint64(self.type):
            return pa.array(keys.view(np.uint64) ^ np.uint64(1 << 63))
        if pa.types.is_integer(self.type):
            return pc.cast(pa.array(keys), self.type, safe=False)
        if pa.types.is_date64(self.type):
            return pc.cast(pa.array(keys.astype(np.int32)).view(pa.date32()), self.type)
        narrow = self.type.bit_width == 32
        return pa.array(keys.astype(np.int32) if narrow else keys).view(self.type)

    def times_of(self, keys: Keys) -> pa.Array:
        """As :meth:`column_of`, for times at which tuples leave: a time beyond the type becomes its last value."""
        if pa.types.is_decimal(self.type):
            return self.column_of(
                np.array([min(whole(key), 10**self.type.precision - 1) for key in keys], dtype=object)
            )
        if pa.types.is_integer(self.type) and self.type.bit_width < 64:
            keys = np.minimum(keys, np.iinfo(self.type.to_pandas_dtype()).max)
        return self.column_of(np.minimum(keys, np.iinfo(np.int32).max) if pa.types.is_date(self.type) else keys)


_PARSE = "; texts that are times become timestamps with pandas.to_datetime, on Spark with F.to_timestamp"


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def order_key(order: Order, kind: pa.DataType, *, what: str, zone: str = "UTC") -> OrderKey:
    """The key of an order column for distances in its values; an error if the type has no distances."""
    numeric = (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal128(kind)
        or pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_duration(kind)
    )  # fmt: skip
    if not numeric:
        raise UsageError(
            f"{what} needs distances in the order column {order.column!r}, but {kind} has none: order by a number, a date or "
            f"a timestamp, or count tuples (ROWS, rows=){_PARSE if _is_text(kind) else ''}"
        )
    return OrderKey(order.column, kind, order.ascending, order.nulls_first, zone)


def _numbers(values: pa.Array, dtype: Any) -> Keys:
    # The memory under a NULL may contain anything; the caller marks the row and sets its key to 0.
    raw = np.frombuffer(values.buffers()[1] or b"", dtype=_width(values))
    return raw[values.offset : values.offset + len(values)].astype(dtype, copy=False)


def _width(values: pa.Array) -> Any:
    if pa.types.is_floating(values.type):
        return np.float64
    if pa.types.is_uint64(values.type):
        return np.uint64
    return np.int32 if values.type.bit_width == 32 else np.int64
