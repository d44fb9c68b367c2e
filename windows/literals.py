"""Order values from the user (``since=``, ``origin=``, results of a scope's functions) as values of the order column."""

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.zones import aware
from inwindow.windows.interval import EXACT

TICKS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_INT64 = np.iinfo(np.int64)
_EPOCH = datetime(1970, 1, 1)


def is_time(kind: pa.DataType) -> bool:
    """Whether distances between values are times rather than numbers."""
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_duration(kind))


@dataclass(frozen=True)
class Literals:
    """Converts what a user may write for a value of a column."""

    column: str
    type: pa.DataType
    zone: str  # the zone of literals without one, for a column of instants

    def array(self, literals: list[Any], *, what: str, up: bool | None = None) -> pa.Array:
        """Literals as an Arrow array; dates and timestamps may be ISO strings.

        A literal between two values of the column, or beyond them, is rounded ``up`` or down; an error if ``up`` is not given.
        """
        for literal in literals:
            aware = isinstance(literal, datetime) and literal.tzinfo is not None
            if aware and pa.types.is_timestamp(self.type) and self.type.tz is None:
                raise UsageError(
                    f"{what} = {literal!r} has a time zone, but the order column {self.column!r} has none: give a datetime "
                    "without one"
                )
        try:
            return pa.array([self._literal(literal, up) for literal in literals], self._literal_type)
        except (pa.ArrowException, TypeError, ValueError, ArithmeticError):
            listed = literals[0] if len(literals) == 1 else literals
            raise UsageError(
                f"{what} = {shown(listed)} is no value of the order column {self.column!r} of type {self.type}: write "
                f"{self._wanted}"
            ) from None

    @property
    def _literal_type(self) -> pa.DataType:
        narrow = pa.types.is_integer(self.type) and not pa.types.is_uint64(self.type)
        return pa.int64() if narrow else pa.float64() if pa.types.is_float16(self.type) else self.type

    @property
    def _wanted(self) -> str:
        if pa.types.is_date(self.type):
            return "a date, or ISO text such as '2026-01-31'"
        if pa.types.is_timestamp(self.type):
            return "a datetime, or ISO text such as '2026-01-31 12:00'"
        if is_time(self.type):
            return "a timedelta"
        if pa.types.is_decimal(self.type):
            return f"a number of at most {self.type.scale} digits after the point"
        return "a number" if pa.types.is_floating(self.type) else "a whole number (of 64 bits)"

    def _literal(self, literal: Any, up: bool | None) -> Any:
        if isinstance(literal, (np.datetime64, np.timedelta64)):
            literal = literal.astype("M8[us]" if isinstance(literal, np.datetime64) else "m8[us]").item()
        elif isinstance(literal, np.generic):
            literal = literal.item()
        elif isinstance(literal, pa.Scalar):
            literal = literal.as_py()
        if literal is None:
            return None
        if is_time(self.type):
            return self._moment(literal, up)
        if isinstance(literal, bool) or not isinstance(literal, (int, float, Decimal)):
            raise TypeError("not a number")
        if pa.types.is_floating(self.type):
            return float(literal)
        scale = self.type.scale if pa.types.is_decimal(self.type) else 0
        scaled = EXACT.scaleb(Decimal(str(literal) if isinstance(literal, float) else literal), scale)
        whole = int(scaled.to_integral_value(ROUND_CEILING if up else ROUND_FLOOR))
        if up is None and whole != scaled:
            raise ValueError("between two values")
        if pa.types.is_decimal(self.type):
            return EXACT.scaleb(Decimal(whole), -scale)
        least = 0 if pa.types.is_uint64(self.type) else _INT64.min
        most = 2**64 - 1 if pa.types.is_uint64(self.type) else _INT64.max
        return max(whole, least) if up else min(whole, most) if up is False else whole

    def _moment(self, literal: Any, up: bool | None) -> Any:
        if isinstance(literal, str):
            literal = (date if pa.types.is_date(self.type) else datetime).fromisoformat(literal)
        if pa.types.is_duration(self.type):
            return self._ticks(literal, up)
        if not isinstance(literal, date):
            raise TypeError("not a time")
        if not isinstance(literal, datetime):
            literal = datetime(literal.year, literal.month, literal.day)
        if pa.types.is_timestamp(self.type) and self.type.tz is not None:
            literal = aware(literal, self.zone)
        if literal.tzinfo is not None:
            literal = literal.astimezone(UTC).replace(tzinfo=None)
        if pa.types.is_timestamp(self.type):
            return self._ticks(literal - _EPOCH, up)
        day = literal.date()
        if up is None and literal != datetime(day.year, day.month, day.day):
            raise ValueError("between two values")
        return day + timedelta(days=1) if up and literal != datetime(day.year, day.month, day.day) else day

    def _ticks(self, since_epoch: timedelta, up: bool | None) -> int:
        ticks = Fraction(since_epoch // timedelta(microseconds=1) * TICKS[self.type.unit], 1_000_000)
        whole = math.ceil(ticks) if up else math.floor(ticks)
        if up is None and whole != ticks:
            raise ValueError("between two values")
        return whole
