"""The scene of results at points in time: what the rows of another table see of these tuples (``of=``)."""

import math
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.drawing.scale import label
from inwindow.windows.drawing.scene import Scene, Snapshot, Stream, counted
from inwindow.windows.interval import is_positive
from inwindow.windows.points import bounds_at, point_framing_of, points_of
from inwindow.windows.spec import Groups, Range, Rows, Window

_MOST = 12  # points of a picture


def points(window: Window, values: pa.Array, at: Any) -> Scene:
    """The frames of points at these times, in their order."""
    _check(window)
    stream = Stream(values, window.order_by[0], window.describe())
    key, sequence = stream.key, stream.sequence
    assert key is not None
    times = _times(at, values.type)
    before = np.searchsorted(sequence.keys, key.read(times)[0], side="left")
    found = points_of(key, times, before, before > 0)
    start, end = bounds_at(point_framing_of(window.frame, key), sequence, found)
    snapshots = []
    for i, now in enumerate(stream.places_of(found.keys)):
        held = range(int(start[i]), int(end[i]))
        low, high = (stream.places[held.start], stream.places[held.stop - 1]) if held else (math.inf, -math.inf)
        if isinstance(window.frame, Range):
            low, high = (_moved(window.frame.lower, found.keys[i : i + 1], stream, now, -math.inf, lower=True),
                         _moved(window.frame.upper, found.keys[i : i + 1], stream, now, now, lower=False))  # fmt: skip
        said = f"a row at {label(times[i].as_py(), day=stream.days)} sees {counted(held)} before it"
        snapshots.append(Snapshot(said, held.start, held.stop, low, high, now=now))
    return stream.scene(f"{window.describe()} at the rows of another table", snapshots)


def _moved(offset: Any, keys: Any, stream: Stream, now: float, unbounded: float, *, lower: bool) -> float:
    if offset is None or offset == 0:
        return unbounded if offset is None else now
    assert stream.key is not None
    return stream.places_of(stream.key.moved(keys, offset, lower=lower, what="bound"))[0]


def _check(window: Window) -> None:
    frame = window.frame
    ahead = isinstance(frame, (Rows, Range, Groups)) and (frame.upper is None or is_positive(frame.upper))
    if ahead or window.slide is not None or window.active_expiration:
        raise UsageError(
            f"draw(at=...): {window.describe()} slides, expires actively or looks ahead, which a row of another table cannot"
        )
    if window.exclude is not None:
        raise UsageError(
            f"draw(at=...): {window.describe()} leaves out the current tuple or its peers, but a row of another table is no tuple: "
            "drop exclude="
        )
    if len(window.order_by) != 1 or not window.order_by[0].ascending:
        raise UsageError(f"draw(at=...): {window.describe()} needs one ascending order column: add order_by='...'")


def _times(at: Any, kind: pa.DataType) -> pa.Array:
    try:
        times = pa.array(sorted(at), kind)
    except (pa.ArrowException, TypeError, ValueError):
        raise UsageError(f"draw(at={shown(at)}): give a list of times of the type {kind}, as the values are") from None
    if not 0 < len(times) <= _MOST:
        raise UsageError(f"draw(at=...): {len(times)} times; a picture has 1 to {_MOST}")
    return times
