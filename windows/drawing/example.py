"""An example stream to draw a window over: about a dozen tuples with different distances, two of them at the same time.

It is measured in *units*, a fraction of the window, so that any size gives a readable picture::

    RANGE 10 minutes     unit = 2.5 minutes      12:00   12:02   12:03:45   12:07:30 ...
    ROWS 49 PRECEDING    no values: as many tuples as three yields need
"""

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.udaf.doubles import doubles
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.holes import counts_peers
from inwindow.windows.interval import Interval, Size
from inwindow.windows.spec import Cumulate, Extent, Groups, Hop, Landmark, Range, Rows, Scope, Session, Window

_BEATS = (0.0, 0.8, 1.5, 3.0, 3.4, 4.0, 4.0, 5.2, 6.5, 7.0, 8.6, 9.0, 10.3, 11.0, 12.5)  # in units; 4.0 twice
_BURSTS = (0.0, 0.3, 0.5, 0.9, 2.2, 2.6, 3.1, 5.0, 5.4, 6.2, 8.0, 8.3)  # in gaps: four sessions
_NOON = datetime(2026, 5, 1, 12)
_DAY = 86_400_000_000
_GRAINS = [m * s for m in (1, 1_000, 1_000_000) for s in (1, 5, 15, 50, 100)] + [
    60_000_000 * minutes for minutes in (1, 5, 15, 60)
]  # microseconds: values are round, as people write them
MOST = 2_000_000  # tuples of a picture


def example(window: Window | Extent) -> pa.Array:
    """Order values of an example stream for the window; for counts of tuples, their numbers."""
    if isinstance(window, Hop) and window.rows:
        return _numbers(int(window.size) + 3 * int(window.every) + 2, window.describe())  # type: ignore[arg-type]
    if isinstance(window, Session) and window.has_own_ends:
        raise UsageError(
            f"draw: {window.describe()}: tuples last as long as the data say: draw iw.session(..., gap=...) of one size"
        )
    if isinstance(window, Session):
        return _beats(window.gap, 1, _BURSTS, whole=isinstance(window.gap, int))
    if isinstance(window, (Hop, Cumulate)):
        steps = 3 if isinstance(window, Hop) else 1
        whole = all(isinstance(size, (int, Interval)) for size in (window.size, window.every, window.origin or 0))
        beats = _beats(_sum(window.size, *[window.every] * steps), 9 + steps, start=window.origin, whole=whole)
        if window.timezone is None:
            return beats
        return pc.assume_timezone(beats, window.timezone, ambiguous="earliest", nonexistent="earliest")
    if window.slides_across and isinstance(window.frame, (Rows, Range)):
        return _across(window, window.frame)
    if isinstance(window.frame, Rows) and counts_peers(window):
        return _for_groups(window, Groups(window.frame.lower, window.frame.upper))
    if isinstance(window.frame, Rows):
        return _numbers(_needed(window, window.frame), window.describe())
    if isinstance(window.frame, Groups):
        return _for_groups(window, window.frame)
    if isinstance(window.frame, Range):
        return _for_range(window, window.frame)
    if isinstance(window.frame, Landmark):
        return _for_landmark(window, window.frame)
    assert isinstance(window.frame, Scope)
    return _for_scope(window.frame)


def read(values: Any, window: Window | Extent) -> pa.Array:
    """A user's order values, in the order of the window; for a table, the values of its order column."""
    if isinstance(values, str):
        raise UsageError(f"draw({values!r}): a drawing is written to a file by .draw().save({values!r})")
    if isinstance(values, (dict, pa.RecordBatchReader)) or hasattr(values, "columns"):
        values = _column(_table(values), window)
    try:
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        array = values if isinstance(values, pa.Array) else pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise UsageError(
            f"draw(values={shown(values)}): give order values, as a list or an Arrow array, or a table that has them"
        ) from None
    if pa.types.is_decimal(array.type):
        array = doubles(array)
    if pa.types.is_float16(array.type):
        array = pc.cast(array, pa.float64())
    ascending = not isinstance(window, Window) or not window.order_by or window.order_by[0].ascending
    try:
        array = array.take(pc.sort_indices(array, sort_keys=[("", "ascending" if ascending else "descending")]))
    except pa.ArrowException:
        raise UsageError(
            f"draw(values=...): values of type {array.type} cannot be put in order: give numbers, dates or timestamps"
        ) from None
    _check_values(array)
    return array


def _check_values(array: pa.Array) -> None:
    """Check that the sorted values can be placed on a readable axis."""
    if (
        not len(array)
        or array.null_count
        or (pa.types.is_floating(array.type) and not pc.all(pc.is_finite(array)).as_py())
    ):
        raise UsageError(
            "draw(values=...): give at least one order value, and no NULL, NaN or infinity: they have no place on an axis"
        )
    if len(array) > MOST:
        raise UsageError(f"draw(values=...): {len(array)} tuples are too many for a picture; at most {MOST}")
    try:
        ends = array[0].as_py(), array[-1].as_py()
    except (OverflowError, ValueError):
        raise UsageError("draw(values=...): some values are beyond the calendar: leave them out") from None
    if isinstance(ends[0], float) and math.isinf(ends[1] - ends[0]):
        raise UsageError(f"draw(values=...): {ends[0]} and {ends[1]} are too far apart for one axis")


def _table(values: Any) -> pa.Table:
    """Anything that has columns as a table."""
    kind = type(values)
    if kind.__module__.startswith("pyspark."):
        raise UsageError(
            "draw(values=...): a Spark DataFrame is not here: give a part of it, as in df.limit(1000).toArrow()"
        )
    if isinstance(values, pa.RecordBatchReader):
        return values.read_all()
    try:
        return values if isinstance(values, pa.Table) else pa.table(values)
    except (pa.ArrowException, TypeError, ValueError, AttributeError):
        raise UsageError(
            f"draw(values=...): {kind.__module__}.{kind.__name__} is no Arrow table: give pyarrow.table(df), or a list of "
            "order values"
        ) from None


def _column(table: pa.Table, window: Window | Extent) -> Any:
    if isinstance(window, Window) and not window.order_by:
        return range(table.num_rows)
    column = window.order_by[0].column if isinstance(window, Window) else window.on
    if not isinstance(column, str):
        raise UsageError(
            f"draw: the order of {window.describe()} is an expression: give its values, as a list or an Arrow array"
        )
    if table.column_names.count(column) > 1:
        raise UsageError(
            f"draw: the table has {table.column_names.count(column)} columns {column!r}: rename them apart"
        )
    if column not in table.column_names:
        raise UsageError(
            f"draw: the table has no column {column!r}; there are {', '.join(map(repr, table.column_names))}"
        )
    return table[column]


def _numbers(count: int, window: str) -> pa.Array:
    if count > MOST:
        raise UsageError(
            f"draw: {window} is over {count} tuples, too many for a picture: draw a smaller one of its shape"
        )
    return pa.array(range(count), pa.int64())


def _needed(window: Window, frame: Rows) -> int:
    """Tuples for three yields with whole frames, and one or two beyond."""
    back, ahead, slide = max(-(frame.lower or 0), 0), max(frame.upper or 0, 0), int(window.slide or 1)  # type: ignore[arg-type]
    count = back + ahead + 3 * slide + 2
    return count + (count % slide == 0) if window.final == "emit" else max(count, 8)


def _for_groups(window: Window, frame: Groups) -> pa.Array:
    """Groups of one, two and three peers; by the beats, where the window slides by order values."""
    if window.slides_by_values:
        return _across(window, Rows(frame.lower, frame.upper))
    count = _needed(window, Rows(frame.lower, frame.upper))
    _numbers(2 * count, window.describe())  # or it is too many
    values = [float(at) for at in range(1, count + 1) for _ in range((1, 2, 1, 3)[at % 4])]
    return _cast(values, pa.int64(), _descends(window))


def _across(window: Window, frame: Rows | Range) -> pa.Array:
    """For a frame of tuples that slides by time, or the reverse: the beats, repeated as often as needed."""
    if isinstance(frame, Rows):
        size, count = window.slide, max(-(frame.lower or 0), 0) + max(frame.upper or 0, 0) + 12
    else:
        size, count = max((frame.lower, frame.upper), key=lambda bound: 0 if bound is None else _exact(bound)), 0
        count = 4 * int(window.slide or 1)  # type: ignore[arg-type]
    _numbers(count, window.describe())  # or it is too many
    rounds = math.ceil(count / len(_BEATS)) or 1
    beats = [13.0 * turn + beat for turn in range(rounds) for beat in _BEATS]
    return _beats(size or 1, 4, beats, start=window.origin, whole=isinstance(size, int), descends=_descends(window))


def _for_range(window: Window, frame: Range) -> pa.Array:
    sizes = [size for size in (frame.lower, frame.upper, window.slide) if size is not None and size != 0]
    if not sizes:
        return _positions_of(_BEATS, 0, pa.int64(), _descends(window))
    reach = max(map(_exact, sizes), default=Decimal(1))
    if frame.lower is not None and frame.upper is not None:
        reach = max(reach, abs(_exact(frame.lower) - _exact(frame.upper))) if _opposite(frame) else reach
    like: Size = Interval(0, int(reach)) if any(isinstance(size, Interval) for size in sizes) else reach
    whole = all(isinstance(size, (int, Interval)) for size in sizes)
    return _beats(like, 4, start=window.origin, whole=whole, descends=_descends(window))


def _opposite(frame: Range) -> bool:
    signs = [size.is_negative if isinstance(size, Interval) else size < 0 for size in (frame.lower, frame.upper)]  # type: ignore[operator]
    return signs[0] != signs[1]


def _descends(window: Window) -> bool:
    return bool(window.order_by) and not window.order_by[0].ascending


def _for_landmark(window: Window, frame: Landmark) -> pa.Array:
    """From three units before the landmark, or the first of two, to four behind the last."""
    marks = [_moment(mark) for mark in (frame.since, frame.until) if mark is not None]
    if window.slide is not None and window.slides_by_values:
        unit: Any = _exact(window.slide) / 2
    elif len(marks) == 2 and marks[0] != marks[1]:
        unit = abs(_number(marks[1]) - _number(marks[0])) / 5
    elif isinstance(marks[0], date):
        unit = Decimal(2 if not isinstance(marks[0], datetime) else _DAY // 24)
    else:
        unit = max(Decimal(10) ** (math.floor(math.log10(abs(marks[0]))) if marks[0] else 0), Decimal(2))
    kind = _kind(marks[0])
    first = min(_number(mark) for mark in marks) - 4 * unit
    beats = [float(first + Decimal(beat) * unit) for beat in _BEATS]
    return _cast(beats, kind, _descends(window))


def _for_scope(frame: Scope) -> pa.Array:
    """Try which values the functions accept: whole numbers or timestamps."""
    kinds = (_positions_of([3 * beat for beat in _BEATS], 0, pa.int64()), _beats(Interval(0, 2 * 3_600_000_000), 4))
    for values in kinds:
        try:
            for t in values.to_pylist():
                for function in (frame.lower, frame.upper):
                    if function is not None:
                        function(t)
        except Exception:  # whatever a user's function may raise for a value of another type
            continue
        return values
    raise UsageError(
        "draw: the functions of this scope take neither whole numbers nor datetimes: give order values that they take, "
        "as in draw([0.5, 1.5, 2.5])"
    )


def _beats(
    size: Any,
    units: int,
    beats: Sequence[float] = _BEATS,
    *,
    start: Any = None,
    whole: bool = True,
    descends: bool = False,
) -> pa.Array:
    """The beats, where ``size`` is so many units; times for an interval, numbers for a number."""
    exact = _exact(size)
    if isinstance(size, Interval):
        first = (
            _number(_moment(start)) if start is not None else _number(_NOON if exact < _DAY else _NOON.replace(hour=0))
        )
        unit = float(exact) / units
        grain = max((grain for grain in _GRAINS if grain <= unit / 5), default=1)
        places = [float(first) + round(beat * unit / grain) * grain for beat in beats]
        return _cast(places, pa.timestamp("us"), descends)
    whole = whole and exact == int(exact) and 2 <= exact < 1 << 60  # beyond, beats have no place in 64 bits
    first = Decimal(str(start)) if start is not None else Decimal(0)
    places = [float(first) + beat * float(exact) / units for beat in beats]
    return _cast(places, pa.int64() if whole else pa.float64(), descends)


def _positions_of(beats: Sequence[float], first: float, kind: pa.DataType, descends: bool = False) -> pa.Array:
    return _cast([first + beat for beat in beats], kind, descends)


def _cast(places: list[float], kind: pa.DataType, descends: bool) -> pa.Array:
    if pa.types.is_floating(kind):
        spread = max(places) - min(places) or 1.0
        digits = max(0, 2 - math.floor(math.log10(spread)))
        places = [round(place, digits) for place in places]
    else:
        places = [round(place) for place in places]
    places.sort(reverse=descends)
    if pa.types.is_date32(kind):
        return pa.array(places, pa.int32()).view(kind)
    if pa.types.is_timestamp(kind):
        return pa.array(places, pa.int64()).view(kind)
    return pa.array(places, kind)


def _sum(*sizes: Size) -> Any:
    if isinstance(sizes[0], Interval):
        return Interval(0, sum(int(_exact(size)) for size in sizes))
    return sum(map(_exact, sizes))


def _exact(size: Size) -> Decimal:
    """A size in microseconds, where it is a time, without its sign; a month has 30 days here."""
    if isinstance(size, Interval):
        return abs(Decimal(size.months * 30 * _DAY + size.microseconds))
    return abs(Decimal(str(size)))


def _moment(mark: Any) -> Any:
    """A landmark or an origin as a number, a date or a datetime."""
    return datetime.fromisoformat(mark) if isinstance(mark, str) else mark


def _kind(mark: Any) -> pa.DataType:
    if isinstance(mark, datetime):
        return pa.timestamp("us", tz="UTC" if mark.tzinfo is not None else None)
    if isinstance(mark, date):
        return pa.date32()
    return pa.int64() if isinstance(mark, int) else pa.float64()


def _number(mark: Any) -> Decimal:
    """The place of a value on the axis: microseconds or days since the epoch, or the number itself."""
    if isinstance(mark, datetime):
        return Decimal(pa.scalar(mark, pa.timestamp("us")).value if mark.tzinfo is None else pa.scalar(mark).value)
    if isinstance(mark, date):
        return Decimal(pa.scalar(mark, pa.date32()).value)
    return Decimal(str(mark))
