"""The scene of extents: three successive ones, and the panes that they are made of."""

from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.udaf.errors import UsageError
from inwindow.windows.drawing.scene import Scene, Snapshot, Stream, counted
from inwindow.windows.extent_bounds import Extents, Numbered
from inwindow.windows.extent_framings import extents_of
from inwindow.windows.interval import exact
from inwindow.windows.panes import ExtentPanes
from inwindow.windows.spec import Cumulate, Extent, Hop, Order, Session

_MOST = 20_000  # extents that a tuple may lie in


def extents(extent: Extent, values: pa.Array) -> Scene:
    """Three successive extents near the middle of the stream."""
    if isinstance(extent, Session) and extent.has_own_ends:
        raise UsageError(
            f"draw: {extent.describe()}: tuples last as long as the data say: draw iw.session(..., gap=...) of one size"
        )
    _check_count(extent)
    by_number = isinstance(extent, Hop) and extent.rows
    stream = Stream(values, None if by_number else Order(extent.on), extent.describe(), first=0)
    if isinstance(extent, Hop):
        extent = replace(extent, scope="partition")  # the picture is of one partition: its numbers are the stream's
    found = extents_of(extent, stream.key).advance(stream.sequence)
    assert found.begins is not None and found.finishes is not None
    begins, finishes = stream.places_of(found.begins), stream.places_of(found.finishes)
    snapshots = []
    for i in _three(extent, begins, found.end, stream.places):
        held = range(int(found.start[i]), int(found.end[i]))
        bounds = ", ".join(stream.text(keys[i : i + 1]) for keys in (found.begins, found.finishes))
        snapshots.append(Snapshot(f"[{bounds}): {counted(held)}", held.start, held.stop, begins[i], finishes[i]))
    return stream.scene(extent.describe(), snapshots, half_open=True, panes=_panes(extent, stream, found))


def _check_count(extent: Extent) -> None:
    if isinstance(extent, Session):
        return
    if exact(extent.size) > _MOST * exact(extent.every):
        raise UsageError(
            f"draw: in {extent.describe()} a tuple lies in more than {_MOST:,} extents, too many for a picture: draw one of a "
            "larger every"
        )


def _three(extent: Extent, begins: list[float], end: Any, places: list[float]) -> range:
    """Whole ones near the middle; of a cumulation, with the same start."""
    count = len(begins)

    def merit(i: int) -> tuple[bool, bool, int]:
        same_start = not isinstance(extent, Cumulate) or begins[i] == begins[i + 2]
        inside = begins[i] >= places[0] - 0.5 and bool(end[i + 2] < len(places))
        return same_start, inside, -abs(2 * i + 3 - count)

    best = max(range(count - 2), key=merit, default=0)
    return range(best, min(best + 3, count))


def _panes(extent: Extent, stream: Stream, found: Extents) -> tuple[float, ...]:
    """The edges of overlapping extents: those that part two tuples of different panes."""
    framing = extents_of(extent, stream.key)
    if not isinstance(framing, Numbered) or isinstance(extent, Session) or exact(extent.every) >= exact(extent.size):
        return ()
    assert found.begins is not None and found.finishes is not None
    places = stream.places
    begins = ExtentPanes(framing).begins(stream.sequence, 0, stream.sequence.end)
    parted = [(places[i - 1], places[i]) for i in begins if i]
    edges = sorted({*stream.places_of(found.begins), *stream.places_of(found.finishes)})
    return tuple(edge for edge in edges if any(low < edge <= high for low, high in parted))
