"""Columns of every type that Arrow has, each with three values that stand to one another as 1, 2, 3 do."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


class Celsius(pa.ExtensionType):
    """Somebody's own type over doubles."""

    def __init__(self) -> None:
        super().__init__(pa.float64(), "tests.celsius")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, serialized: bytes) -> "Celsius":
        return cls()


class Tag(pa.ExtensionType):
    """Somebody's own type over a dictionary."""

    def __init__(self) -> None:
        super().__init__(pa.dictionary(pa.int8(), pa.string()), "tests.tag")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, serialized: bytes) -> "Tag":
        return cls()


@dataclass(frozen=True)
class Kind:
    """A type: its values for 1, 2 and 3, their distance where there is one, and how an array is made of them."""

    family: str
    type: pa.DataType
    values: tuple[Any, Any, Any]
    step: Any = None
    build: Callable[[Sequence[Any]], pa.Array] | None = None
    numbers: tuple[Any, Any, Any] = (1, 2, 3)

    @property
    def name(self) -> str:
        """Short enough for a table."""
        text = str(self.type).replace(", ordered=0", "").replace("extension", "").replace("indices=", "")
        return text.replace("values=", "").replace("item: ", "").replace("run_ends: ", "")

    def column(self, pattern: Sequence[int | None]) -> pa.Array:
        """The values of a pattern of 1, 2, 3 and NULL."""
        values = [None if number is None else self.values[number - 1] for number in pattern]
        return pa.array(values, self.type) if self.build is None else self.build(values)

    def integers(self, pattern: Sequence[int | None]) -> pa.Array:
        """The integers that the values stand for."""
        return pa.array([None if number is None else self.numbers[number - 1] for number in pattern], pa.int64())


def _coded(family: str, values: tuple[Any, Any, Any], kind: pa.DataType, step: Any = None, **more: Any) -> Kind:
    """A dictionary of the values."""
    index = more.pop("index", pa.int32())
    entries = list(dict.fromkeys(values)) if not isinstance(values[0], (list, dict)) else list(values)

    def build(given: Sequence[Any]) -> pa.Array:
        codes = [None if value is None else entries.index(value) for value in given]
        return pa.DictionaryArray.from_arrays(pa.array(codes, index), pa.array(entries, kind))

    return Kind(family, pa.dictionary(index, kind), values, step, build, **more)


def _stored(
    kind: Any, values: tuple[Any, Any, Any], stored: tuple[Any, Any, Any], step: Any = None, **more: Any
) -> Kind:
    """An extension type of the stored values."""

    def build(given: Sequence[Any]) -> pa.Array:
        plain = [None if value is None else stored[values.index(value)] for value in given]
        if pa.types.is_dictionary(kind.storage_type):
            storage = pa.array(plain).dictionary_encode().cast(kind.storage_type)
        else:
            storage = pa.array(plain, kind.storage_type)
        return pa.ExtensionArray.from_storage(kind, storage)

    return Kind("extension", kind, values, step, build, **more)


def _dense(values: Sequence[Any]) -> pa.Array:
    types, offsets = pa.array([0] * len(values), pa.int8()), pa.array(range(len(values)), pa.int32())
    return pa.UnionArray.from_dense(types, offsets, [pa.array(values, pa.int64()), pa.array([], pa.string())])


def _sparse(values: Sequence[Any]) -> pa.Array:
    types = pa.array([0] * len(values), pa.int8())
    return pa.UnionArray.from_sparse(types, [pa.array(values, pa.int64()), pa.nulls(len(values), pa.string())])


def _runs(values: Sequence[Any]) -> pa.Array:
    return pc.run_end_encode(pa.array(values))


def _listed(build: Callable[[Sequence[Any]], pa.Array]) -> Callable[[Sequence[Any]], pa.Array]:
    """Lists of one value each, of what ``build`` makes."""

    def made(values: Sequence[Any]) -> pa.Array:
        offsets = pa.array(np.append(0, np.cumsum([value is not None for value in values])), pa.int32())
        items = build([value[0] for value in values if value is not None])
        return pa.ListArray.from_arrays(offsets, items, mask=pa.array([value is None for value in values]))

    return made


def _within(build: Callable[[Sequence[Any]], pa.Array]) -> Callable[[Sequence[Any]], pa.Array]:
    """Structs of one field, of what ``build`` makes."""

    def made(values: Sequence[Any]) -> pa.Array:
        field = build([None if value is None else value["a"] for value in values])
        return pa.StructArray.from_arrays([field], names=["a"], mask=pa.array([value is None for value in values]))

    return made


INT, TEXT = pa.int64(), pa.string()
THREE, ABC = (1, 2, 3), ("a", "b", "c")
FLOATS, DECIMALS = (1.0, 2.0, 3.0), (Decimal(1), Decimal(2), Decimal(3))
HALVES = tuple(map(np.float16, THREE))
FLAGS = {"values": (False, True, True), "numbers": (1, 2, 2)}
DAYS = tuple(date(2026, 3, day) for day in THREE)
HOURS = tuple(time(hour) for hour in THREE)
NAIVE = tuple(datetime(2026, 3, day) for day in THREE)
AWARE = tuple(moment.replace(tzinfo=UTC) for moment in NAIVE)
SPANS = tuple(timedelta(days=day) for day in THREE)
LISTS, STRUCTS = ([1], [2], [3]), ({"a": 1}, {"a": 2}, {"a": 3})
MAPS = ([("a", 1)], [("a", 2)], [("a", 3)])
LETTERS = ([*["a"]], ["b"], ["c"])
UNITS = ("s", "ms", "us", "ns")
MAP = pa.map_(TEXT, INT)
RUNS = pa.run_end_encoded(pa.int32(), INT)

KINDS = [
    *(Kind("integer", kind, THREE, 1) for kind in (pa.int8(), pa.int16(), pa.int32(), INT)),
    *(Kind("integer", kind, THREE, 1) for kind in (pa.uint8(), pa.uint16(), pa.uint32())),
    Kind("uint64", pa.uint64(), THREE, 1),
    Kind("half float", pa.float16(), HALVES, 1),
    *(Kind("float", kind, FLOATS, 1) for kind in (pa.float32(), pa.float64())),
    *(Kind("decimal", kind, DECIMALS, 1) for kind in (pa.decimal32(7, 2), pa.decimal64(15, 2), pa.decimal128(10, 2))),
    Kind("wide decimal", pa.decimal128(38, 2), DECIMALS, 1),
    Kind("decimal256", pa.decimal256(50, 2), DECIMALS, 1),
    Kind("bool", pa.bool_(), **FLAGS),  # type: ignore[arg-type]
    Kind("null", pa.null(), (None, None, None), numbers=(None, None, None)),
    *(Kind("text", kind, ABC) for kind in (TEXT, pa.large_string(), pa.string_view())),
    *(Kind("binary", kind, (b"aa", b"bb", b"cc")) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())),
    Kind("fixed binary", pa.binary(2), (b"aa", b"bb", b"cc")),
    *(Kind("date", kind, DAYS, "1 day") for kind in (pa.date32(), pa.date64())),
    *(Kind("time", kind, HOURS, "1 hour") for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"))),
    *(Kind("timestamp", pa.timestamp(unit), NAIVE, "1 day") for unit in UNITS),
    *(Kind("timestamp", pa.timestamp(unit, zone), AWARE, "1 day") for unit in UNITS for zone in ("UTC", "Europe/Berlin")),
    *(Kind("duration", pa.duration(unit), SPANS, "1 day") for unit in UNITS),
    Kind("interval", pa.month_day_nano_interval(), tuple(pa.MonthDayNano([0, day, 0]) for day in THREE)),  # type: ignore[arg-type]
    *(Kind("list", kind(INT), LISTS) for kind in (pa.list_, pa.large_list, pa.list_view, pa.large_list_view)),
    Kind("list", pa.list_(INT, 1), LISTS),
    Kind("list", pa.list_(TEXT), LETTERS),
    Kind("list", pa.list_(pa.string_view()), LETTERS),
    Kind("list", pa.list_(pa.float64()), ([1.0], [2.0], [3.0])),
    Kind("list", pa.list_(pa.list_(INT)), ([[1]], [[2]], [[3]])),
    Kind("list", pa.list_(pa.struct({"a": INT})), ([STRUCTS[0]], [STRUCTS[1]], [STRUCTS[2]])),
    Kind("list", pa.list_(pa.dictionary(pa.int32(), TEXT)), LETTERS),
    Kind("struct", pa.struct({"a": INT}), STRUCTS),
    Kind("struct", pa.struct({"a": pa.struct({"b": TEXT})}), tuple({"a": {"b": letter}} for letter in ABC)),  # type: ignore[arg-type]
    Kind("struct", pa.struct({"a": pa.string_view()}), tuple({"a": letter} for letter in ABC)),  # type: ignore[arg-type]
    Kind("struct", pa.struct({"a": pa.list_(INT)}), tuple({"a": one} for one in LISTS)),  # type: ignore[arg-type]
    Kind("struct", pa.struct({"a": pa.dictionary(pa.int32(), TEXT)}), tuple({"a": letter} for letter in ABC)),  # type: ignore[arg-type]
    Kind("struct", pa.struct({"a": RUNS}), STRUCTS, None, _within(_runs)),
    Kind("struct", pa.struct([]), ({}, {}, {}), numbers=(1, 1, 1)),
    Kind("map", MAP, MAPS),
    _coded("dictionary of texts", ABC, TEXT),
    _coded("dictionary of texts", ABC, TEXT, index=pa.int8()),
    _coded("dictionary of texts", ABC, pa.large_string()),
    _coded("dictionary of texts", (b"a", b"b", b"c"), pa.binary()),
    _coded("dictionary of texts", ABC, pa.string_view()),
    _coded("dictionary of numbers", THREE, INT, 1, index=pa.uint16()),
    _coded("dictionary of numbers", FLOATS, pa.float64(), 1),
    _coded("dictionary of numbers", DECIMALS, pa.decimal128(10, 2), 1),
    _coded("dictionary of times", NAIVE, pa.timestamp("us"), "1 day"),
    _coded("dictionary of times", DAYS, pa.date32(), "1 day"),
    _coded("dictionary of times", SPANS, pa.duration("us"), "1 day"),
    _coded("dictionary of times", HOURS, pa.time64("us"), "1 hour"),
    _coded("dictionary of flags", FLAGS["values"], pa.bool_(), numbers=FLAGS["numbers"]),
    _coded("dictionary, unpacked", HALVES, pa.float16(), 1),
    _coded("dictionary, unpacked", LISTS, pa.list_(INT)),
    _coded("dictionary, unpacked", STRUCTS, pa.struct({"a": INT})),
    _coded("dictionary, unpacked", MAPS, MAP),
    Kind("run ends", RUNS, THREE, 1, _runs),
    Kind("run ends", pa.run_end_encoded(pa.int32(), TEXT), ABC, None, _runs),
    Kind("union", _dense(THREE).type, THREE, 1, _dense),
    Kind("union", _sparse(THREE).type, THREE, 1, _sparse),
    Kind("union", pa.list_(_dense(THREE).type), LISTS, None, _listed(_dense)),
    Kind("union", pa.struct({"a": _sparse(THREE).type}), STRUCTS, None, _within(_sparse)),
    _stored(pa.json_(), ("1", "2", "3"), ("1", "2", "3")),
    _stored(pa.uuid(), tuple(uuid.UUID(int=n) for n in THREE), tuple(uuid.UUID(int=n).bytes for n in THREE)),  # type: ignore[arg-type]
    _stored(pa.bool8(), FLAGS["values"], (0, 1, 1), numbers=FLAGS["numbers"]),
    _stored(pa.fixed_shape_tensor(INT, [1]), LISTS, LISTS),
    _stored(pa.opaque(INT, "theirs", "them"), THREE, THREE, 1),
    _stored(Celsius(), FLOATS, FLOATS, 1),
    _stored(Tag(), ABC, ABC),
    Kind(
        "extension", pa.list_(Celsius()), ([1.0], [2.0], [3.0]), None,
        _listed(lambda values: pa.ExtensionArray.from_storage(Celsius(), pa.array(values, pa.float64()))),
    ),
]  # fmt: skip
