"""Round numbers and times for an axis: a tick every 1, 2 or 5 times a power of ten, or every 15 minutes."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pyarrow as pa

_MOST = 9  # ticks of an axis
_SECOND = 1_000_000
_TIMES = [
    *(_SECOND * step for step in (1, 2, 5, 10, 15, 30)),
    *(60 * _SECOND * step for step in (1, 2, 5, 10, 15, 30)),
    *(3600 * _SECOND * step for step in (1, 2, 3, 6, 12)),
    *(86400 * _SECOND * step for step in (1, 2, 7, 14, 28)),
]
_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


@dataclass(frozen=True)
class Tick:
    """A mark on the axis, and what is written under it."""

    place: float
    text: str


def spans_days(values: pa.Array) -> bool:
    """Whether times are of more than one day."""
    first, last = values[0].as_py(), values[-1].as_py()
    return isinstance(first, datetime) and first.date() != last.date()


def ticks(low: float, high: float, kind: pa.DataType, sign: int) -> list[Tick]:
    """Ticks between two places of an axis; ``sign`` is -1 where it runs downwards."""
    first, last = sorted((sign * low, sign * high))
    step = _step(last - first, kind)
    numbers = range(math.ceil(first / step), math.floor(last / step) + 1)
    marks = [number * step for number in numbers]
    texts = [_text(mark, kind) for mark in marks]
    return sorted((Tick(sign * float(m), t) for m, t in zip(marks, texts, strict=True) if t), key=lambda one: one.place)


def _step(span: float, kind: pa.DataType) -> float:
    return next(step for step in _steps(kind) if span / step < _MOST)


def _steps(kind: pa.DataType) -> Iterator[float]:
    """Round distances in units of the axis, ever larger."""
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        per_second = _PER_SECOND[kind.unit]
        for exponent in range(-6, 0):
            yield from (step for m in (1, 2, 5) if (step := m * 10**exponent * per_second) >= 1)
        yield from (step * per_second / _SECOND for step in _TIMES if step * per_second >= _SECOND)
        first = 56 * 86400.0 * per_second
    elif pa.types.is_date(kind):
        yield from (1, 2, 7, 14, 28)
        first = 56.0
    else:
        whole = pa.types.is_integer(kind)
        for exponent in range(0 if whole else -12, 300):
            yield from (m * 10**exponent if exponent >= 0 else m / 10**-exponent for m in (1, 2, 5))
        return
    while True:
        yield first
        first *= 2


def _text(mark: float, kind: pa.DataType) -> str:
    try:
        return label(_value(mark, kind))
    except (OverflowError, ValueError, pa.ArrowInvalid):  # Python's calendar ends before the axis does
        return ""


def _value(mark: float, kind: pa.DataType) -> Any:
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return pa.scalar(int(mark), pa.int64()).cast(kind).as_py()
    if pa.types.is_date(kind):
        return pa.scalar(int(mark), pa.int32()).cast(pa.date32()).as_py()
    return mark


def label(value: Any, *, day: bool = False) -> str:
    """A short text for an order value; ``day``: a time says its day, too.

    >>> label(datetime(2026, 5, 1, 12, 5)), label(datetime(2026, 5, 1)), label(datetime(2026, 5, 1), day=True)
    ('12:05', 'May 1', 'May 1 00:00')
    >>> label(7.0), label(2500)
    ('7', '2,500')
    """
    if isinstance(value, datetime):
        if day:
            return f"{value:%b} {value.day} {label(value) if value.time() != datetime.min.time() else '00:00'}"
        if value.time() == datetime.min.time():
            return f"{value:%b} {value.day}"
        if value.second == value.microsecond == 0:
            return f"{value:%H:%M}"
        return f"{value:%H:%M:%S}" + (f".{value.microsecond:06}".rstrip("0") if value.microsecond else "")
    if isinstance(value, date):
        return f"{value:%b} {value.day}"
    if isinstance(value, float):
        return f"{value:,.10g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
