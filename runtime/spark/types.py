"""Spark's types as Arrow types and back; and how columns of types that Arrow lacks are cast to cross to Python."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T

from inwindow.optimizer.plan import Step
from inwindow.udaf.errors import UsageError

_PLAIN: dict[type, pa.DataType] = {
    T.NullType: pa.null(),
    T.BooleanType: pa.bool_(),
    T.ByteType: pa.int8(),
    T.ShortType: pa.int16(),
    T.IntegerType: pa.int32(),
    T.LongType: pa.int64(),
    T.FloatType: pa.float32(),
    T.DoubleType: pa.float64(),
    T.StringType: pa.string(),
    T.CharType: pa.string(),
    T.VarcharType: pa.string(),
    T.BinaryType: pa.binary(),
    T.DateType: pa.date32(),
    T.TimestampNTZType: pa.timestamp("us"),
    T.DayTimeIntervalType: pa.duration("us"),
}
_BACK: dict[pa.DataType, T.DataType] = {
    kind: of() for of, kind in _PLAIN.items() if of not in (T.CharType, T.VarcharType)
}
_SHAPE = pa.struct([pa.field("srid", pa.int32(), False), pa.field("wkb", pa.binary(), False)])
# These occur only in results that are a value of an argument. Some exist from Spark 4.1 on.
_PLAIN[T.VariantType] = pa.struct([pa.field("value", pa.binary(), False), pa.field("metadata", pa.binary(), False)])
_PLAIN |= {
    getattr(T, name): kind
    for name, kind in (("TimeType", pa.time64("ns")), ("GeometryType", _SHAPE), ("GeographyType", _SHAPE))
    if hasattr(T, name)
}
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 6}  # digits of the seconds in a TIME


class CannotCross(Exception):
    """Arrow has no such type; ``args[0]`` is the Spark type."""


def to_arrow(kind: T.DataType, zone: str) -> pa.DataType:
    """The Arrow type in which Spark sends a column to Python; ``zone`` is the session's time zone.

    >>> to_arrow(T.ArrayType(T.TimestampType()), "Europe/Rome")
    ListType(list<element: timestamp[us, tz=Europe/Rome]>)
    """
    if type(kind) in _PLAIN:
        return _PLAIN[type(kind)]
    match kind:
        case T.TimestampType():
            return pa.timestamp("us", tz=zone)
        case T.DecimalType():
            return pa.decimal128(kind.precision, kind.scale)
        case T.ArrayType():
            return pa.list_(pa.field("element", to_arrow(kind.elementType, zone), kind.containsNull))
        case T.MapType():
            item = pa.field("value", to_arrow(kind.valueType, zone), kind.valueContainsNull)
            return pa.map_(to_arrow(kind.keyType, zone), item)
        case T.StructType():
            return pa.struct([pa.field(f.name, to_arrow(f.dataType, zone), f.nullable) for f in kind.fields])
        case T.UserDefinedType():
            return to_arrow(kind.sqlType(), zone)
    raise CannotCross(kind)


def to_spark(kind: pa.DataType) -> T.DataType:
    """The Spark type of a result.

    >>> to_spark(pa.list_(pa.field("element", pa.decimal128(10, 2))))
    ArrayType(DecimalType(10,2), True)
    """
    if kind in _BACK:
        return _BACK[kind]
    if pa.types.is_timestamp(kind):
        return T.TimestampNTZType() if kind.tz is None else T.TimestampType()
    if pa.types.is_time(kind) and hasattr(T, "TimeType"):
        return T.TimeType(_DIGITS[kind.unit])
    if pa.types.is_decimal(kind):
        return T.DecimalType(kind.precision, kind.scale)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return T.ArrayType(to_spark(kind.value_type), kind.value_field.nullable)
    if pa.types.is_map(kind):
        return T.MapType(to_spark(kind.key_type), to_spark(kind.item_type), kind.item_field.nullable)
    if pa.types.is_struct(kind):
        return T.StructType([T.StructField(f.name, to_spark(f.type), f.nullable) for f in kind])
    raise UsageError(f"Spark has no type for a result of type {kind}: declare another with returns=")


@dataclass(frozen=True)
class Cast:
    """How a column crosses: by a chain of casts if its own type cannot, and back by the same chain.

    An interval of years and months crosses as its number of months, because pyarrow lacks Arrow's type for it. An interval that
    mixes months, days and seconds crosses as text, only to pass through. The same holds in lists, maps and structs. A TIME comes
    back with six digits, whatever it had: both are nanoseconds inside.
    """

    kind: T.DataType
    by: tuple[T.DataType, ...] = ()
    is_compared: bool = True  # the crossing values compare like Spark's values

    @classmethod
    def of(cls, kind: T.DataType) -> "Cast":
        first = _with_leaves(kind, _castable)
        last = _with_leaves(first, _as_number)
        by = tuple(dict.fromkeys(one for one in (first, last) if one != kind))
        return cls(kind, by, not any(isinstance(leaf, T.CalendarIntervalType) for leaf in leaves(kind)))

    @property
    def crosses(self) -> T.DataType:
        return _with_leaves(self.by[-1] if self.by else self.kind, _of_six_digits)

    def out(self, column: Any) -> Any:
        for kind in self.by:
            column = column.cast(kind)
        return column

    def back(self, column: Any) -> Any:
        """The column in its own type again. Spark marks an interval in a list, which was text, as nullable."""
        if self.crosses == self.kind:
            return column
        for kind in self.by[-2::-1]:
            column = column.cast(kind)
        return column.cast(self.kind if self.is_compared else _nullable(self.kind))


class AsItIs(Cast):
    """The type needs no cast."""


def leaves(kind: T.DataType) -> Iterator[T.DataType]:
    """The innermost types of a type.

    >>> [leaf.simpleString() for leaf in leaves(T.MapType(T.StringType(), T.ArrayType(T.ByteType())))]
    ['string', 'tinyint']
    """
    match kind:
        case T.ArrayType():
            yield from leaves(kind.elementType)
        case T.MapType():
            yield from leaves(kind.keyType)
            yield from leaves(kind.valueType)
        case T.StructType():
            for field in kind.fields:
                yield from leaves(field.dataType)
        case T.UserDefinedType():
            yield from leaves(kind.sqlType())
        case _:
            yield kind


def _with_leaves(kind: T.DataType, made: Callable[[T.DataType], T.DataType]) -> T.DataType:
    """The type, with its innermost types replaced."""
    match kind:
        case T.ArrayType():
            return T.ArrayType(_with_leaves(kind.elementType, made), kind.containsNull)
        case T.MapType():
            key, value = (_with_leaves(one, made) for one in (kind.keyType, kind.valueType))
            return T.MapType(key, value, kind.valueContainsNull)
        case T.StructType():
            return T.StructType(
                [T.StructField(f.name, _with_leaves(f.dataType, made), f.nullable, f.metadata) for f in kind.fields]
            )
    return made(kind)


def _castable(kind: T.DataType) -> T.DataType:
    """The type to which an interval is cast first."""
    if isinstance(kind, T.YearMonthIntervalType):
        return T.YearMonthIntervalType(T.YearMonthIntervalType.MONTH, T.YearMonthIntervalType.MONTH)
    return T.StringType() if isinstance(kind, T.CalendarIntervalType) else kind


def _as_number(kind: T.DataType) -> T.DataType:
    return T.IntegerType() if isinstance(kind, T.YearMonthIntervalType) else kind


def _of_six_digits(kind: T.DataType) -> T.DataType:
    return T.TimeType(6) if type(kind).__name__ == "TimeType" else kind


def _nullable(kind: T.DataType) -> T.DataType:
    match kind:
        case T.ArrayType():
            return T.ArrayType(_nullable(kind.elementType), True)
        case T.MapType():
            return T.MapType(kind.keyType, _nullable(kind.valueType), True)
        case T.StructType():
            return T.StructType([T.StructField(f.name, _nullable(f.dataType), True, f.metadata) for f in kind.fields])
    return kind


def cast_of(kind: T.DataType, name: str, zone: str) -> tuple[Cast, pa.DataType]:
    """The cast of a column, and the Arrow type in which it arrives."""
    cast = Cast.of(kind)
    try:
        return cast, to_arrow(cast.crosses, zone)
    except CannotCross as error:
        raise UsageError(
            f"the column {name!r} is of type {kind.simpleString()}, and Spark cannot hand {error.args[0].simpleString()} to "
            "Python: cast it, to a string or to a number"
        ) from None


@dataclass(frozen=True)
class Result:
    """A step's result on the Spark side: its type, and how the column is made."""

    cast: Cast  # from the crossing type (or its elements) to the result's
    crosses: T.DataType
    never_null: bool = False
    of_many: bool = False  # the result is a list of such values
    nullable: bool = True  # whether the crossing column is nullable
    metadata: dict[str, Any] | None = None

    @classmethod
    def of(cls, cast: Cast, nullable: bool = True) -> "Result":
        """The result for a column that comes back unchanged."""
        return cls(cast, cast.crosses, nullable=nullable)

    def text(self, column: str) -> str | None:
        """The result column as SQL over the returned field; None if SQL has no name for its types."""
        if self.cast.crosses != self.cast.kind or (self.never_null and self.of_many):
            return None
        if not self.never_null:
            return column
        if isinstance(self.crosses, T.ArrayType):
            return None
        nothing = "X''" if isinstance(self.crosses, T.BinaryType) else f"cast(0 as {self.crosses.simpleString()})"
        return f"coalesce({column}, {nothing})"

    def finished(self, column: Any, F: ModuleType) -> Any:
        """The result column with Spark's type and nullability, from the returned field."""
        if isinstance(self.cast.kind, T.CalendarIntervalType) and not self.nullable:
            # Spark marks a cast as nullable because it may fail; this one does not.
            return F.coalesce(self.cast.back(column), F.make_interval())
        each = self.of_many and self.cast.crosses != self.cast.kind
        column = F.transform(column, self.cast.back) if each else self.cast.back(column)
        if not self.never_null:
            return column
        # The operator never gives NULL here, but Spark does not know that: make the column non-nullable.
        if isinstance(self.cast.kind, T.ArrayType) and not self.of_many:
            return F.coalesce(column, F.array().cast(self.cast.kind))
        if not self.of_many:
            return F.coalesce(column, F.lit(b"" if isinstance(self.crosses, T.BinaryType) else 0).cast(self.crosses))
        listed = T.ArrayType(self.cast.kind, isinstance(self.cast.kind, T.NullType))
        return F.coalesce(column, F.array().cast(listed))


# Aggregates that work on year-month intervals as numbers of months.
_OF_MONTHS = {"count", "count_distinct", "sum"}


def result_of(step: Step, arguments: list[Cast]) -> Result:
    """A step's result type: a picked value keeps its argument's Spark type; otherwise it follows from the Arrow type."""
    native = step.implementation.native
    its = step.case.traits
    slides = step.case.window is not None and step.case.window.slide is not None
    never_null = native is not None and its.empty is not None and not slides and step.least is None
    if native is not None and native.gives == "a value":
        return Result.of(arguments[0])
    if native is not None and native.gives == "values":
        element = arguments[0].crosses
        listed = T.ArrayType(element, isinstance(element, T.NullType))  # Arrow's null type is always nullable
        return Result(arguments[0], listed, never_null, of_many=True)
    if native is not None and its.name not in _OF_MONTHS:
        for cast in arguments:
            if isinstance(cast.kind, T.YearMonthIntervalType):
                raise UsageError(
                    f"{step.label}: {its.name} is not for {cast.kind.simpleString()}: cast the column, to its number of months"
                )
    kind = to_spark(step.implementation.result)
    if its.name == "sum" and native is not None and isinstance(arguments[0].kind, T.YearMonthIntervalType):
        return Result(arguments[0], kind)
    cast = Cast.of(kind)
    return Result(cast, cast.crosses, never_null)
