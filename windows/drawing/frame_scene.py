"""The scene of a frame: three successive yields, or under active expiration three tuples that leave."""

import math
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.windows.bounds import Framing, LandmarkFraming, ScopeFraming, framing_of
from inwindow.windows.drawing.scene import Scene, Snapshot, Stream, counted
from inwindow.windows.holes import HoledFraming, counts_peers
from inwindow.windows.interval import negated
from inwindow.windows.panes import RowPanes
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.slots import RowSlots, Slots, ValueSlots, slots_of
from inwindow.windows.spec import Frame, Groups, Landmark, Range, Rows, Window


def yields(window: Window, values: pa.Array) -> Scene:
    """The frames of three successive yield tuples."""
    counts = isinstance(window.frame, Rows) and not window.slides_by_values and not counts_peers(window)
    by_number = not window.order_by or counts
    stream = Stream(values, None if by_number else window.order_by[0], window.describe())
    sequence, slots = stream.sequence, slots_of(window, stream.key)
    at = slots.yields(sequence, 0, sequence.end)
    framing = framing_of(window.frame, stream.key)
    start, end = framing.bounds(sequence, at)
    holes = _holes(framing, window, sequence, at)
    snapshots = []
    for i in _three(window, at, start, end, sequence.end, holes):
        held = range(int(start[i]), int(end[i]))
        left = range(int(start[i - 1]), min(held.start, int(end[i - 1]))) if i else range(0)
        gone = f", {len(left):,} {'has' if len(left) == 1 else 'have'} left" if left else ""
        hole = holes[i] & frozenset(held)
        said = f"{stream.name(int(at[i]))} yields: {counted(range(len(held) - len(hole)))} in the frame{gone}"
        low, high = _reach(window.frame, framing, stream, int(at[i]), held)
        snapshots.append(Snapshot(said, held.start, held.stop, low, high, int(at[i]), left, hole=hole))
    return stream.scene(
        window.describe(), snapshots, panes=_panes(window.frame, slots, stream), slots=_slots(slots, stream)
    )


def _holes(framing: Framing, window: Window, sequence: Sequence, at: Positions) -> list[frozenset[int]]:
    """What EXCLUDE leaves out at each yield."""
    if window.exclude is None:
        return [frozenset()] * len(at)
    first, last = HoledFraming(framing, window).holes(sequence, at)
    spared = window.exclude == "ties"
    return [
        frozenset(range(low, high)) - ({own} if spared else set())
        for low, high, own in zip(first.tolist(), last.tolist(), at.tolist(), strict=True)
    ]


def expirations(window: Window, values: pa.Array) -> Scene:
    """Three tuples that leave, at their time + size: the window then is the mirrored frame, without earlier ties."""
    frame = window.frame
    assert isinstance(frame, Range) and frame.lower is not None
    stream = Stream(values, window.order_by[0], window.describe())
    sequence, key, at = stream.sequence, stream.key, stream.everyone
    assert key is not None
    _, end = framing_of(Range(0, negated(frame.lower)), key).bounds(sequence, at)
    leaves = key.moved(sequence.keys, negated(frame.lower), lower=False, what="size")
    first = max(min(sequence.end // 3, sequence.end - 3), 0)
    snapshots = []
    for i in range(first, min(first + 3, sequence.end)):
        stay = counted(range(i + 1, int(end[i])))
        said = f"{stream.text(leaves[i : i + 1])}: {stream.name(i)} leaves, {stay} stay{'s' if int(end[i]) == i + 2 else ''}"
        low, now = stream.places[i], stream.places_of(leaves[i : i + 1])[0]
        snapshots.append(Snapshot(said, i, int(end[i]), low, now, i, now=now))
    return stream.scene(window.describe(), snapshots, active=True)


def _reach(frame: Any, framing: Framing, stream: Stream, at: int, held: range) -> tuple[float, float]:
    """The frame's bounds on the axis: distances from the current tuple, not the outermost tuples in it."""
    key, sequence = stream.key, stream.sequence
    if key is None:
        lower, upper = frame.lower, frame.upper
        return (
            -math.inf if lower is None else max(at + lower, 0) + 0.5,
            math.inf if upper is None else min(at + upper, sequence.end - 1) + 1.5,
        )
    if isinstance(frame, (Rows, Groups)):  # tuples are counted, or groups of them, on an axis of order values
        return (stream.places[held.start], stream.places[held.stop - 1]) if held else (math.inf, -math.inf)
    own = sequence.keys_at(np.array([at]))

    def place(keys: Any) -> float:
        return stream.places_of(keys)[0]

    def moved(offset: Any, *, lower: bool) -> float:
        return place(own if offset == 0 else key.moved(own, offset, lower=lower, what="bound"))

    if isinstance(frame, Range):
        low = -math.inf if frame.lower is None else moved(frame.lower, lower=True)
        return low, math.inf if frame.upper is None else moved(frame.upper, lower=False)
    if isinstance(framing, LandmarkFraming):
        since, until = framing.since, framing.until
        return (-math.inf if since is None else place(since)), min(
            place(own), math.inf if until is None else place(until)
        )
    assert isinstance(framing, ScopeFraming)
    nth = slice(at - framing.base, at - framing.base + 1)
    return (-math.inf if framing.frame.lower is None else place(framing.lower[nth])), place(framing.upper[nth])


def _three(window: Window, at: Any, start: Any, end: Any, tuples: int, holes: list[frozenset[int]]) -> range:
    """The three successive yields that show most: moving and whole frames, near the middle."""
    count = len(start)
    if count <= 3:
        return range(count)
    if window.final == "emit" and window.slide is not None:
        return range(count - 3, count)
    freezes = isinstance(window.frame, Landmark) and window.frame.until is not None

    def merit(i: int) -> tuple[int, int, int, int]:
        frames = {(int(start[j]), int(end[j]), holes[j]) for j in range(i, i + 3)}
        frozen = freezes and at[i + 1] < end[i + 1] == end[i + 2] <= at[i + 2]
        whole = sum(int(end[j] > start[j]) for j in range(i, i + 3)) + int(start[i] > 0) + int(end[i + 2] < tuples)
        left_out = sum(map(len, holes[i : i + 3]))
        return 4 if frozen else len(frames), left_out, whole, -abs(2 * i + 3 - count)

    near = range(count - 2) if count < 200 else range(count - 12, count - 2)
    best = max(near, key=merit)
    return range(best, best + 3)


def _slots(slots: Slots, stream: Stream) -> tuple[float, ...]:
    """Where slots end, on the axis."""
    key, places = stream.key, stream.places
    if isinstance(slots, RowSlots):
        ends = range(slots.slide, len(places) + (key is None), slots.slide)
        return tuple(number + 0.5 if key is None else (places[number - 1] + places[number]) / 2 for number in ends)
    if not isinstance(slots, ValueSlots):
        return ()
    assert key is not None
    step, origin = key.exact_distance(slots.slide, what="slide"), key.origin(slots.origin)
    own = key.original(stream.sequence.keys)
    first, last = (math.floor((float(edge) - origin) / step) for edge in (min(own[0], own[-1]), max(own[0], own[-1])))
    sign = 1 if key.ascending else -1
    return (
        tuple(sorted(sign * float(origin + k * step) for k in range(first + 1, last + 1))) if last - first < 200 else ()
    )


def _panes(frame: Frame, slots: Slots, stream: Stream) -> tuple[float, ...]:
    """Between tuples of different panes: of a ROWS frame with two bounds that slides by fewer tuples than it holds."""
    if not isinstance(frame, Rows) or not isinstance(slots, RowSlots) or frame.lower is None or frame.upper is None:
        return ()
    if slots.emit_final or frame.upper - frame.lower + 1 <= slots.slide:
        return ()
    begins = RowPanes(frame.lower, frame.upper, slots.slide).begins(stream.sequence, 0, stream.sequence.end)
    return tuple(float(position) + 0.5 for position in begins if position)
