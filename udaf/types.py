"""Result types: from a DDL string, a Spark DataType or a Python annotation to an Arrow type.

>>> arrow_type("array<double>")
ListType(list<element: double>)
>>> arrow_type(int)
DataType(int64)
"""

import dataclasses
import difflib
import re
import types
import typing
from collections.abc import Callable, Hashable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.udaf.errors import DefinitionError, shown
from inwindow.udaf.unpacked import unpacked_type

# Spark's TIMESTAMP is an instant; in Arrow that is a timestamp with a zone.
_INSTANT = pa.timestamp("us", tz="UTC")

_BY_NAME: dict[str, pa.DataType] = {
    "boolean": pa.bool_(), "bool": pa.bool_(),
    "tinyint": pa.int8(), "byte": pa.int8(),
    "smallint": pa.int16(), "short": pa.int16(),
    "int": pa.int32(), "integer": pa.int32(),
    "bigint": pa.int64(), "long": pa.int64(),
    "float": pa.float32(), "real": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(), "binary": pa.binary(),
    "date": pa.date32(), "time": pa.time64("us"),
    "timestamp": _INSTANT, "timestamp_ltz": _INSTANT, "timestamp_ntz": pa.timestamp("us"),
    "decimal": pa.decimal128(10, 0), "dec": pa.decimal128(10, 0), "numeric": pa.decimal128(10, 0),
    "void": pa.null(),
}  # fmt: skip

_TIMES = {0: pa.time32("s"), 3: pa.time32("ms"), 6: pa.time64("us")}

_BY_ANNOTATION: dict[Any, pa.DataType] = {
    float: pa.float64(),
    int: pa.int64(),
    str: pa.string(),
    bool: pa.bool_(),
    bytes: pa.binary(),
    datetime: _INSTANT,
    date: pa.date32(),
    time: pa.time64("us"),
    timedelta: pa.duration("us"),
    Decimal: pa.decimal128(38, 18),
}

_TOKEN = re.compile(r"\s*(`(?:[^`]|``)+`|[A-Za-z_]\w*|\d+|[<>(),:])")


def arrow_type(returns: Any) -> pa.DataType:
    """The Arrow type for ``returns``: DDL text, a Spark DataType, an Arrow type or an annotation."""
    if isinstance(returns, pa.DataType):
        _check_made(returns)
        return returns
    if isinstance(returns, str):
        return _Ddl(returns).read()
    if hasattr(returns, "simpleString"):  # a pyspark.sql.types.DataType, without importing pyspark
        return _Ddl(returns.simpleString()).read()
    return _from_annotation(returns)


def _check_made(kind: pa.DataType) -> None:
    """Check that Arrow can make columns of the type from Python values, and take rows of them."""
    try:
        pa.array([None], kind).take(pa.array([0]))
    except pa.ArrowException:
        plain = unpacked_type(kind.value_type if pa.types.is_dictionary(kind) else kind)
        like = pa.float64() if plain == kind else plain
        raise DefinitionError(
            f"Arrow makes no column of type {kind} of Python values: declare a plain type, such as {like}"
        ) from None


def _from_annotation(annotation: Any) -> pa.DataType:
    if isinstance(annotation, Hashable) and annotation in _BY_ANNOTATION:
        return _BY_ANNOTATION[annotation]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        inner = [a for a in arguments if a is not type(None)]
        if len(inner) == 1:
            return _from_annotation(inner[0])
    elif origin in (list, tuple, set, frozenset) and arguments and arguments[-1] in (arguments[0], ...):
        return pa.list_(pa.field("element", _from_annotation(arguments[0])))
    elif origin is dict:
        return pa.map_(_from_annotation(arguments[0]), _from_annotation(arguments[1]))
    elif typing.get_origin(annotation) is typing.Annotated:
        return _from_annotation(arguments[0])
    elif is_record(annotation):
        try:
            hints = typing.get_type_hints(annotation)
            return pa.struct([pa.field(name, _from_annotation(hints[name])) for name in record_fields(annotation)])
        except (NameError, KeyError, RecursionError) as error:
            why = f"its field {error} has no type" if isinstance(error, KeyError) else str(error)
            raise DefinitionError(f"cannot make a struct of {annotation.__name__}: {why}") from None
    raise DefinitionError(
        f"cannot make a column type of {shown(annotation)}: use float, int, str, bool, bytes, datetime, date, time, Decimal, "
        "list[...], dict[...], a dataclass or a NamedTuple, or DDL text such as returns='array<double>'"
    )


def is_record(annotation: Any) -> bool:
    """Whether a class is a dataclass or a NamedTuple: its instances become structs."""
    return isinstance(annotation, type) and (
        dataclasses.is_dataclass(annotation) or (issubclass(annotation, tuple) and hasattr(annotation, "_fields"))
    )


def record_fields(record: Any) -> list[str]:
    """The field names of a dataclass or NamedTuple."""
    if dataclasses.is_dataclass(record):
        return [field.name for field in dataclasses.fields(record)]
    return list(record._fields)


def record_values(value: Any) -> Any:
    """A hook's answer as plain Python, copied: dataclasses and NamedTuples become dicts, at any depth."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: record_values(getattr(value, name)) for name in record_fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: record_values(item) for name, item in zip(value._fields, value, strict=True)}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [record_values(item) for item in value]
    if isinstance(value, dict):
        return {key: record_values(item) for key, item in value.items()}
    if isinstance(value, bytearray):
        return bytes(value)
    return value.copy() if isinstance(value, np.ndarray) else value


Fits = Callable[[Any], bool]


def fitting(kind: pa.DataType) -> Fits:
    """Whether a plain Python value fits the type of a column exactly; Arrow itself would cut 1.5 to an integer.

    >>> fits = fitting(pa.list_(pa.int32()))
    >>> fits([1, None]), fits([1.5]), fits(1)
    (True, False, False)
    """
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _fitting_list(fitting(kind.value_type))
    if pa.types.is_struct(kind):
        return _fitting_struct({field.name: fitting(field.type) for field in kind})
    if pa.types.is_map(kind):
        return _fitting_map(fitting(kind.key_type), fitting(kind.item_type))
    naive = pa.types.is_timestamp(kind) and kind.tz is None
    for is_kind, accepted, but_not in _VALUES:
        if is_kind(kind):
            return lambda value: (
                value is None
                or (
                    isinstance(value, accepted)
                    and not isinstance(value, but_not)
                    and not (naive and getattr(value, "tzinfo", None))
                )
            )
    return lambda value: True


def _fitting_list(item_fits: Fits) -> Fits:
    def fits(value: Any) -> bool:
        if isinstance(value, np.ndarray):
            value = value.tolist()
        plural = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
        return value is None or (plural and all(map(item_fits, value)))

    return fits


def _fitting_struct(fields: dict[str, Fits]) -> Fits:
    def fits(value: Any) -> bool:
        return value is None or (
            isinstance(value, dict) and all(name in fields and fields[name](item) for name, item in value.items())
        )

    return fits


def _fitting_map(key_fits: Fits, item_fits: Fits) -> Fits:
    def fits(value: Any) -> bool:
        pairs = value.items() if isinstance(value, dict) else value  # or as Arrow itself gives a map
        return value is None or (
            isinstance(value, (dict, list))
            and all(map(_is_pair, pairs))
            and all(key is not None and key_fits(key) and item_fits(item) for key, item in pairs)
        )

    return fits


_VALUES: tuple[tuple[Any, tuple[type, ...], tuple[type, ...]], ...] = (
    (pa.types.is_boolean, (bool, np.bool_), ()),
    (pa.types.is_integer, (int, np.integer), (bool, np.timedelta64)),
    (pa.types.is_floating, (int, float, np.integer, np.floating), (bool, np.timedelta64)),
    (pa.types.is_decimal, (int, Decimal), (bool,)),
    (pa.types.is_string, (str,), ()),
    (pa.types.is_large_string, (str,), ()),
    (pa.types.is_binary, (bytes, bytearray, memoryview), ()),
    (pa.types.is_date, (date,), (datetime,)),
    (pa.types.is_time, (time,), ()),
    (pa.types.is_timestamp, (datetime, np.datetime64), ()),
    (pa.types.is_duration, (timedelta, np.timedelta64), ()),
)


def plain_for(kind: pa.DataType) -> Callable[[Any], Any]:
    """The function that makes plain Python of a hook's answer, for a column of this type.

    As in PySpark, a plain tuple may stand for a struct, and a Decimal is rounded (half up) to the column's scale.

    >>> plain_for(arrow_type("struct<a:int,b:string>"))((1, "x"))
    {'a': 1, 'b': 'x'}
    >>> plain_for(arrow_type("decimal(5,2)"))(Decimal(4) / 3)
    Decimal('1.33')
    """
    if pa.types.is_decimal(kind):
        return lambda value: _rounded(value, kind.scale) if isinstance(value, Decimal) else value
    if pa.types.is_map(kind):
        return _map_values
    if not pa.types.is_struct(kind):
        return record_values
    names = [field.name for field in kind]

    def plain(value: Any) -> Any:
        if type(value) is tuple and len(value) == len(names):
            value = dict(zip(names, value, strict=True))
        return record_values(value)

    return plain


def _map_values(value: Any) -> Any:
    """A map as plain Python: a dict, or a list of pairs as hooks are given."""
    if isinstance(value, list) and all(map(_is_pair, value)):
        return [(record_values(key), record_values(item)) for key, item in value]
    return record_values(value)


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2


def _rounded(value: Decimal, scale: int) -> Decimal:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent >= -scale:  # NaN and infinities are refused later
        return value
    return value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, Context(prec=80))


class _Ddl:
    """A reader of Spark's DDL type strings, by recursive descent."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        position = 0
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            if not match:
                raise self._error()
            self.tokens.append(match[1])
            position = match.end()
        self.next = 0

    def read(self) -> pa.DataType:
        """One type, or the fields of a struct as in ``"a int, b string"``."""
        start = self.next
        if len(self.tokens) > 1 and self.tokens[1] not in "<(" and self.tokens[0].lower() != "interval":
            fields = self._fields(end=None)
            result = pa.struct(fields)
        else:
            self.next = start
            result = self._type()
        if self.next != len(self.tokens):
            raise self._error()
        return result

    def _type(self) -> pa.DataType:
        name = self._take().lower()
        if name == "array":
            self._expect("<")
            element = self._type()
            self._expect(">")
            return pa.list_(pa.field("element", element))
        if name == "map":
            self._expect("<")
            key = self._type()
            self._expect(",")
            value = self._type()
            self._expect(">")
            return pa.map_(key, value)
        if name == "struct":
            self._expect("<")
            return pa.struct(self._fields(end=">"))
        if name in ("decimal", "dec", "numeric") and self._peek() == "(":
            self._expect("(")
            precision, scale = self._number(), 0
            if self._peek() == ",":
                self._expect(",")
                scale = self._number()
            self._expect(")")
            if not 1 <= precision <= 38 or scale > precision:
                raise DefinitionError(
                    f"{self.text!r}: a decimal has 1 to 38 digits, and no more of them after the point"
                )
            return pa.decimal128(precision, scale)
        if name == "time" and self._peek() == "(":
            self._expect("(")
            digits = self._number()
            self._expect(")")
            if digits not in _TIMES:
                raise DefinitionError(f"{self.text!r}: a time has 0, 3 or 6 digits of a second")
            return _TIMES[digits]
        if name == "interval":  # Spark's day-time interval
            while self._peek() is not None and self._peek() not in (",", ">"):
                if self._take().lower() not in ("day", "hour", "minute", "second", "to"):
                    raise self._error()
            return pa.duration("us")
        if name not in _BY_NAME:
            raise self._error()
        return _BY_NAME[name]

    def _fields(self, end: str | None) -> list[pa.Field]:
        fields = []
        while True:
            name = self._take()
            if self._peek() == ":":
                self._expect(":")
            fields.append(pa.field(name.strip("`").replace("``", "`"), self._type()))
            if self._peek() == ",":
                self._expect(",")
                continue
            if end is not None:
                self._expect(end)
            return fields

    def _peek(self) -> str | None:
        return self.tokens[self.next] if self.next < len(self.tokens) else None

    def _take(self) -> str:
        token = self._peek()
        if token is None:
            raise self._error()
        self.next += 1
        return token

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise self._error()

    def _number(self) -> int:
        token = self._take()
        if not token.isdecimal():
            raise self._error()
        return int(token)

    def _error(self) -> DefinitionError:
        close = difflib.get_close_matches(self.text.lower(), _BY_NAME, 1) if self.text.isidentifier() else []
        return DefinitionError(
            f"{shown(self.text)} is not a type: {f'did you mean {close[0]!r}? ' if close else ''}write DDL such as 'double', "
            "'array<string>', 'decimal(10,2)' or 'struct<a:int,b:string>'"
        )
