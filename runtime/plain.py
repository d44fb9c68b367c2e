"""Values as bytes that are data, not code: further types besides numbers, texts, tuples, lists and dicts.

``native/_plain.pyx`` has the format. For each further type there is a letter here, and how to make a plain value of it and back.
Reading calls only the functions in this file, whoever made the bytes.
"""

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

from inwindow.native._exact import ExactSum
from inwindow.native._plain import as_bytes, from_bytes, known
from inwindow.windows.extent_bounds import Extents
from inwindow.windows.growing_array import GrowingArray

_PARTS = 12  # the parts of an exact sum
_NUMBERS = "biufcmMSU"  # the kinds of NumPy types that contain only bytes
_FACTORIES: dict[Any, str] = {one: one.__name__ for one in (int, float, bool, str, bytes, list, dict, set, tuple)}
_FACTORIES |= {deque: "deque", Counter: "Counter", None: ""}
_Type = tuple[
    type, bytes, Callable[[Any], Any], Callable[[Any], Any]
]  # the type, its letter, to a plain value, and back
_FACTORY_OF = {name: one for one, name in _FACTORIES.items()}


def to_plain(values: list[Any]) -> list[bytes | None]:
    """The bytes of each value; None for a value that is not plain."""
    return as_bytes(values)


def from_plain(contents: list[bytes]) -> list[Any]:
    """The values again. Bytes that are not values raise a ValueError, or an error of the types."""
    return from_bytes(contents)


def _raised(factory: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda its: factory(*its)


# Numbers and times


def _big(value: int) -> bytes:
    return value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)


def _zone(zone: tzinfo | None) -> Any:
    """A time zone as a plain value; None for a zone that must be pickled."""
    if zone is None:
        return ()
    if zone is UTC:
        return "UTC", None
    if type(zone) is timezone:
        offset = zone.utcoffset(None)
        return "offset", (offset.days, offset.seconds, offset.microseconds), zone.tzname(None)
    return ("name", zone.key) if type(zone) is ZoneInfo and zone.key is not None else None


def _zone_of(said: tuple[Any, ...]) -> tzinfo | None:
    if not said:
        return None
    kind, its, *name = said
    if kind == "UTC":
        return UTC
    if kind == "name":
        return ZoneInfo(its)
    made = timezone(timedelta(*its))
    return made if made.tzname(None) == name[0] else timezone(timedelta(*its), name[0])


def _moment(value: datetime | time) -> Any:
    zone = _zone(value.tzinfo)
    return None if zone is None else (value.replace(tzinfo=None).__reduce_ex__(4)[1][0], zone)


def _datetime_of(its: tuple[bytes, Any]) -> datetime:
    zone = _zone_of(its[1])
    moment: datetime = _DATETIME(_of_length(its[0], 10))
    return moment if zone is None else moment.replace(tzinfo=zone)


def _time_of(its: tuple[bytes, Any]) -> time:
    zone = _zone_of(its[1])
    moment: time = _TIME(_of_length(its[0], 6))
    return moment if zone is None else moment.replace(tzinfo=zone)


def _of_length(content: bytes, length: int) -> bytes:
    if not isinstance(content, bytes) or len(content) != length:
        raise ValueError("the bytes of a state have no time where one should be")
    return content


_DATETIME: Any = datetime  # the constructor accepts the bytes that pickle uses
_TIME: Any = time
_VALUES: list[_Type] = [
    (int, b"i", _big, lambda its: int.from_bytes(its, "little", signed=True)),
    (complex, b"j", lambda value: (value.real, value.imag), _raised(complex)),
    (Decimal, b"D", str, Decimal),
    (Fraction, b"r", lambda value: (value.numerator, value.denominator), _raised(Fraction)),
    (date, b"a", lambda value: value.toordinal(), date.fromordinal),
    (datetime, b"m", _moment, _datetime_of),
    (time, b"h", _moment, _time_of),
    (timedelta, b"l", lambda value: (value.days, value.seconds, value.microseconds), _raised(timedelta)),
    (UUID, b"U", lambda value: value.bytes, lambda its: UUID(bytes=its)),
    (range, b"R", lambda value: (value.start, value.stop, value.step), _raised(range)),
    (pa.MonthDayNano, b"M", tuple, pa.MonthDayNano),
]
for _kind, _letter, _lower, _lift in _VALUES:
    known(_kind, _letter, _lower, _lift, changes=False)


# Containers


def _from_factory(its: tuple[str, tuple[Any, ...]]) -> Any:
    return defaultdict(_FACTORY_OF[its[0]], its[1])


def _with_factory(value: Any) -> Any:
    try:
        name = _FACTORIES.get(value.default_factory)
    except TypeError:  # a value without a hash
        name = None
    return None if name is None else (name, tuple(value.items()))


def _counter(its: tuple[Any, ...]) -> Any:
    made: Any = Counter()
    dict.update(made, its)
    return made


known(frozenset, b"z", tuple, frozenset, changes=False)
_CONTAINERS: list[_Type] = [
    (set, b"e", tuple, set),
    (bytearray, b"B", bytes, lambda its: bytearray(b"") + its),
    (deque, b"d", lambda value: (tuple(value), value.maxlen), _raised(deque)),
    (defaultdict, b"f", _with_factory, _from_factory),
    (OrderedDict, b"o", lambda value: None if vars(value) else tuple(value.items()), OrderedDict),
    (Counter, b"c", lambda value: None if vars(value) else tuple(value.items()), _counter),
]
for _kind, _letter, _lower, _lift in _CONTAINERS:
    known(_kind, _letter, _lower, _lift, changes=True)


# Arrays


def _array(value: Any) -> Any:
    if value.dtype.kind not in _NUMBERS:
        return None
    return value.dtype.str, value.shape, value.tobytes()


def _array_of(its: tuple[str, tuple[int, ...], bytes]) -> Any:
    kind = np.dtype(its[0])
    if kind.kind not in _NUMBERS:
        raise ValueError(f"the bytes of a state have an array of {kind}")
    return np.frombuffer(its[2], kind).reshape(its[1]).copy()


def _scalar_of(its: tuple[str, bytes]) -> Any:
    return _array_of((its[0], (), its[1]))[()]


def _grown(value: GrowingArray) -> Any:
    return _array(value.held)


def _grown_of(its: tuple[str, tuple[int, ...], bytes]) -> GrowingArray:
    made = GrowingArray()
    made.append(_array_of(its))
    return made


def in_stream(batch: pa.RecordBatch) -> bytes:
    """A batch as Arrow bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _batch_of(content: bytes) -> pa.RecordBatch:
    with pa.ipc.open_stream(pa.py_buffer(content)) as reader:
        batch = reader.read_next_batch()
    batch.validate(full=True)  # otherwise Arrow would follow wrong offsets to other memory
    return batch


def _arrow(values: pa.Array) -> bytes:
    return in_stream(pa.RecordBatch.from_arrays([values], [""]))


known(np.ndarray, b"n", _array, _array_of, changes=True)
known(GrowingArray, b"g", _grown, _grown_of, changes=True)
known(pa.RecordBatch, b"b", in_stream, _batch_of, changes=False)
for _kind in {type(np.zeros((), letter)[()]) for letter in "?bhilqBHILQefdFDUSmM"}:
    known(_kind, b"s", lambda value: (value.dtype.str, value.tobytes()), _scalar_of, changes=False)


def _kinds(above: type) -> list[type]:
    below: list[type] = above.__subclasses__()
    return [kind for its in below if its is not pa.ExtensionArray for kind in (its, *_kinds(its))]


for _kind in _kinds(pa.Array):
    known(_kind, b"p", _arrow, lambda content: _batch_of(content).column(0), changes=False)


# Ours: exact sums of derived hooks, extents that are open


def _exact_of(its: tuple[Any, ...]) -> ExactSum:
    if len(its[0]) > _PARTS:
        raise ValueError("the bytes of a state have too large a sum")
    made: ExactSum = _RESTORED(*its)
    return made


_RESTORED: Any = ExactSum().__reduce__()[0]
known(ExactSum, b"x", lambda value: value.__reduce__()[1], _exact_of, changes=True)
known(Extents, b"E", Extents.columns, _raised(Extents), changes=True)
