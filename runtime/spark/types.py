"""Spark's types as Arrow's and back; and the few types that Arrow cannot carry, as columns that it can."""

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
    T.VariantType: pa.struct([pa.field("value", pa.binary(), False), pa.field("metadata", pa.binary(), False)]),
}
_BACK: dict[pa.DataType, T.DataType] = {
    kind: of() for of, kind in _PLAIN.items() if of not in (T.CharType, T.VarcharType, T.VariantType)
}


class CannotCross(Exception):
    """Arrow has no such type; ``args[0]`` is Spark's."""


def to_arrow(kind: T.DataType, zone: str) -> pa.DataType:
    """The Arrow type in which Spark hands a column to Python; ``zone`` is the session's time zone.

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
class Months:
    """A year-month interval crosses as its number of months: Arrow's own type for it is one that pyarrow lacks."""

    kind: T.DataType

    def out(self, column: Any) -> Any:
        """As a column of integers."""
        return column.cast("interval month").cast("int")

    def back(self, column: Any) -> Any:
        """As the interval again."""
        return column.cast("interval month").cast(self.kind)


@dataclass(frozen=True)
class AsText:
    """An interval of months, days and microseconds crosses as text, to be handed through: it cannot be compared."""

    kind: T.DataType

    def out(self, column: Any) -> Any:
        """As a string."""
        return column.cast("string")

    def back(self, column: Any) -> Any:
        """As the interval again."""
        return column.cast(self.kind)


@dataclass(frozen=True)
class AsItIs:
    """The type crosses by itself."""

    kind: T.DataType

    def out(self, column: Any) -> Any:
        """The column."""
        return column

    def back(self, column: Any) -> Any:
        """The column."""
        return column


Ferry = Months | AsText | AsItIs


def ferry_of(kind: T.DataType, name: str, zone: str) -> tuple[Ferry, pa.DataType]:
    """How a column crosses, and the Arrow type in which it arrives."""
    if isinstance(kind, T.YearMonthIntervalType):
        return Months(kind), pa.int32()
    if isinstance(kind, T.CalendarIntervalType):
        return AsText(kind), pa.string()
    try:
        return AsItIs(kind), to_arrow(kind, zone)
    except CannotCross as error:
        raise UsageError(
            f"the column {name!r} is of type {kind.simpleString()}, and Spark cannot hand {error.args[0].simpleString()} to "
            "Python: cast it, to a string or to a number"
        ) from None


@dataclass(frozen=True)
class Result:
    """A step's result on Spark's side: its type, and what makes a column of it."""

    ferry: Ferry  # from what crosses (or the elements of it) to the result
    crosses: T.DataType
    never_null: bool = False
    nullable: bool = True  # of what crosses
    metadata: dict[str, Any] | None = None

    @classmethod
    def of(cls, ferry: Ferry, nullable: bool = True) -> "Result":
        """A column that comes back as it was."""
        return cls(ferry, _crossing(ferry), nullable=nullable)

    def finished(self, column: Any, F: ModuleType) -> Any:
        """The result column, of Spark's type and nullability, from the field that came back."""
        if isinstance(self.ferry, AsText) and not self.nullable:  # a cast may fail, says Spark: this one does not
            return F.coalesce(self.ferry.back(column), F.make_interval())
        if isinstance(self.crosses, T.ArrayType) and not isinstance(self.ferry, AsItIs):
            column = F.transform(column, self.ferry.back)
        else:
            column = self.ferry.back(column)
        if not self.never_null:
            return column
        # The operator never gives NULL here; Spark does not know it, and says so by the column's nullability.
        if not isinstance(self.crosses, T.ArrayType):
            return F.coalesce(column, F.lit(0).cast(self.crosses))
        listed = self.crosses if isinstance(self.ferry, AsItIs) else T.ArrayType(self.ferry.kind, False)
        return F.coalesce(column, F.array().cast(listed))


def _crossing(ferry: Ferry) -> T.DataType:
    return {Months: T.IntegerType(), AsText: T.StringType()}.get(type(ferry), ferry.kind)


# What can be said of year-month intervals by their numbers of months.
_OF_MONTHS = {"count", "count_distinct", "sum"}


def result_of(step: Step, arguments: list[Ferry]) -> Result:
    """A step's result type: a picked value keeps its argument's Spark type, the rest is told by the Arrow type."""
    native = step.implementation.native
    its = step.case.traits
    slides = step.case.window is not None and step.case.window.slide is not None
    never_null = native is not None and its.empty is not None and not slides
    if native is not None and native.gives == "a value":
        return Result.of(arguments[0])
    if native is not None and native.gives == "values":
        element = _crossing(arguments[0])
        listed = T.ArrayType(element, isinstance(element, T.NullType))  # Arrow has no nulls that are never NULL
        if isinstance(arguments[0], AsItIs):
            return Result(AsItIs(listed), listed, never_null)
        return Result(arguments[0], listed, never_null)
    if native is not None and its.name not in _OF_MONTHS:
        for ferry in arguments:
            if isinstance(ferry, Months):
                raise UsageError(
                    f"{step.label}: {its.name} is not for {ferry.kind.simpleString()}: cast the column, to its number of months"
                )
    kind = to_spark(step.implementation.result)
    if its.name == "sum" and native is not None and isinstance(arguments[0], Months):
        return Result(arguments[0], kind)
    return Result(AsItIs(kind), kind, never_null)
