"""When a tuple is in a window: the instants T at which the frame contains it, as [since, until), for every kind of window.

::

    tuple at t      range(d)       [t, t + d]              rows(n)      [t, the time of the n-th next tuple)
    landmark        [t, for ever)  if t is between both    unbounded    [t, for ever)
    scope           the instants T with lower(T) <= t <= upper(T)
    hop, tumble     the ends of the extents that hold t    session      [t, the end of its session)

With a slide, the window changes only at multiples of the slide: both ends move up to the next multiple. Times are the integers of
:class:`OrderKey`; a tuple that is never in the window gets since >= until.
"""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from inwindow.native._bounds import shifted
from inwindow.native._sweep import FOR_EVER, NEVER_BEGAN, runs
from inwindow.runtime.intervals import Keys, Rows
from inwindow.temporal.scopes import first_instants
from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Interval, Size, negated
from inwindow.windows.order_key import OrderKey
from inwindow.windows.spec import (
    Cumulate,
    Extent,
    Groups,
    Hop,
    Landmark,
    Range,
    Scope,
    Session,
    Unit,
    Window,
    extent_name,
)
from inwindow.windows.spec import Rows as RowsFrame

_WHERE = "temporal.window"


@dataclass(frozen=True)
class Tuples:
    """Tuples in the order of (partition, time): their times, and where the partition of each begins and ends."""

    key: OrderKey
    time: Keys
    group: Rows
    begins: Rows
    ends: Rows

    @classmethod
    def of(cls, key: OrderKey, time: Keys, group: Rows) -> "Tuples":
        """``group`` is the number of each tuple's partition."""
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
        count = np.diff(np.append(starts, len(group)))
        return cls(key, time, group, np.repeat(starts, count), np.repeat(starts + count, count))

    def time_at(self, position: Rows) -> Keys:
        """The time of a position; before the partition it is its first time, and after the partition never."""
        inside = np.clip(position, self.begins, self.ends - 1)
        return np.where(position >= self.ends, FOR_EVER, self.time[inside] if len(self.time) else self.time)

    def moved(self, size: Size, *, up: bool, plus: int = 0) -> Keys:
        """Times moved by a size; a fraction of a unit is rounded up or down."""
        units = distance(self.key, size, up=up) + plus
        return shifted(self.time, units) if units else self.time


def distance(key: OrderKey, size: Size, *, up: bool) -> int:
    """A size in units of the column; a fraction of a unit is rounded up or down."""
    if isinstance(size, Interval) and size.months:
        raise UsageError(
            f"{_WHERE}: {size}: months differ in length, so that which instants see a tuple would depend on the day: give days"
        )
    zero = size.is_zero if isinstance(size, Interval) else size == 0
    return 0 if zero else int(key.distance(size, up=up, what=f"{_WHERE}: size"))


Ends = tuple[Keys, Keys]


def ends_of_window(window: Window, tuples: Tuples) -> Ends:
    """When each tuple is in the frame."""
    frame = window.frame
    if isinstance(frame, RowsFrame):
        return _rows(frame, window, tuples)
    if isinstance(frame, Groups):
        return _groups(frame, window, tuples)
    if isinstance(frame, Range):
        since = (
            np.full(len(tuples.time), NEVER_BEGAN)
            if frame.upper is None
            else tuples.moved(negated(frame.upper), up=True)
        )
        until = _for_ever(tuples) if frame.lower is None else tuples.moved(negated(frame.lower), up=False, plus=1)
    elif isinstance(frame, Landmark):
        since, until = _landmark(frame, tuples)
    else:
        assert isinstance(frame, Scope)
        since, until = _scope(frame, tuples)
    return _slid(since, until, window, tuples)


def ends_of_extent(extent: Extent, tuples: Tuples) -> Ends:
    """When each tuple is in the extent that ended last; for sessions, in the open session."""
    time, key = tuples.time, tuples.key
    if isinstance(extent, Session):
        if extent.has_own_ends:
            raise UsageError(
                f"{_WHERE}: {extent.describe()}: its tuples say themselves how long they last: name these columns with "
                "temporal.with_validity(data, since=..., until=...)"
            )
        if extent.days and pa.types.is_timestamp(key.type) and key.type.tz is not None:
            raise UsageError(
                f"{_WHERE}: the gap of {extent.describe()} has days of the calendar, which differ in length: write hours"
            )
        open_until = shifted(time, key.exact_distance(extent.gap, what="session: gap"))
        first, end = runs(tuples.group, time, open_until)
        return time, np.repeat(end, np.diff(np.append(first, len(time))))
    if isinstance(extent, Hop) and extent.rows:
        counted = Window(RowsFrame(1 - int(extent.size), 0), slide=extent.every)  # type: ignore[arg-type]
        return _rows(counted.frame, counted, tuples)  # type: ignore[arg-type]
    name = extent_name(extent)
    if isinstance(extent, Hop) and extent.fill is not None:
        raise UsageError(
            f"{_WHERE}: {extent.describe()}: fill= gives rows to extents without tuples, and here rows are tuples: drop it"
        )
    if extent.timezone is not None or any(
        isinstance(size, Interval) and size.months for size in (extent.size, extent.every)
    ):
        raise UsageError(
            f"{_WHERE}: {extent.describe()}: extents by the calendar are for iw.group_by(...).window(...): here give sizes in days "
            "or less, and no timezone="
        )
    every = key.exact_distance(extent.every, what=f"{name}: every")
    size, origin = key.exact_distance(extent.size, what=f"{name}: size"), int(key.origin(extent.origin))
    if isinstance(extent, Cumulate):
        return _next_multiple(time, every, origin), _next_multiple(_next_multiple(time, size, origin), every, origin)
    ends = origin + size % every  # extents end there, and at all multiples of every from there
    return _next_multiple(time, every, ends), _next_multiple(shifted(time, size), every, ends)


def _for_ever(tuples: Tuples) -> Keys:
    return np.full(len(tuples.time), FOR_EVER)


def _rows(frame: RowsFrame, window: Window, tuples: Tuples) -> Ends:
    """From the tuple with which it enters to the tuple that pushes it out; with a slide, at the next yield."""
    at = np.arange(len(tuples.time))
    enter = tuples.begins if frame.upper is None else np.maximum(at - frame.upper, tuples.begins)
    leave = tuples.ends if frame.lower is None else at - frame.lower + 1
    if window.slides_by_rows:
        enter, leave = (_next_yield(position, window, tuples) for position in (enter, leave))
        return tuples.time_at(enter), tuples.time_at(leave)
    return _slid(tuples.time_at(enter), tuples.time_at(leave), window, tuples)


def _groups(frame: Groups, window: Window, tuples: Tuples) -> Ends:
    """A frame of groups of peers is one of rows over the first tuples of all groups."""
    if window.slides_by_rows:
        raise UsageError(
            f"{_WHERE}: {window.describe()} counts groups of peers and slides by tuples: slide by groups, or by time"
        )
    new = np.append(True, (tuples.time[1:] != tuples.time[:-1]) | (tuples.group[1:] != tuples.group[:-1]))
    first = np.flatnonzero(new[: len(tuples.time)])
    slide_by: Unit | None = "rows" if window.slides_by_groups else window.slide_by
    counted = replace(window, frame=RowsFrame(frame.lower, frame.upper), slide_by=slide_by)
    ends = _rows(
        RowsFrame(frame.lower, frame.upper), counted, Tuples.of(tuples.key, tuples.time[first], tuples.group[first])
    )
    count = np.diff(np.append(first, len(tuples.time)))
    return np.repeat(ends[0], count), np.repeat(ends[1], count)


def _next_yield(position: Rows, window: Window, tuples: Tuples) -> Rows:
    """The first tuple at or after a position that is the last of its slot."""
    slide = int(window.slide)  # type: ignore[arg-type]
    position = np.maximum(position, tuples.begins)
    found = position + (slide - 1 - (position - tuples.begins)) % slide
    if window.final == "emit":
        found = np.where((found >= tuples.ends) & (position < tuples.ends), tuples.ends - 1, found)
    return found


def _landmark(frame: Landmark, tuples: Tuples) -> Ends:
    inside = np.ones(len(tuples.time), dtype=bool)
    if frame.since is not None:
        inside &= tuples.time >= tuples.key.value(frame.since, what="landmark: since", up=True)
    if frame.until is not None:
        inside &= tuples.time <= tuples.key.value(frame.until, what="landmark: until", up=False)
    return np.where(inside, tuples.time, FOR_EVER), _for_ever(tuples)


def _scope(frame: Scope, tuples: Tuples) -> Ends:
    distinct, back = np.unique(tuples.time, return_inverse=True)
    since, until = distinct, np.full(len(distinct), FOR_EVER)
    if frame.upper is not None:
        since = first_instants(frame.upper, "upper", distinct, tuples.key)
    if frame.lower is not None:
        until = first_instants(frame.lower, "lower", distinct, tuples.key)
    return since[back], until[back]


def _slid(since: Keys, until: Keys, window: Window, tuples: Tuples) -> Ends:
    """Both ends at the next instant at which the window moves."""
    if window.slide is None:
        return since, until
    if window.slides_by_rows:
        return _at_yields(since, window, tuples), _at_yields(until, window, tuples)
    key = tuples.key
    step, origin = key.exact_distance(window.slide, what="slide"), int(key.origin(window.origin))
    return tuple(_next_multiple(end - 1, step, origin, end) for end in (since, until))  # type: ignore[return-value]


def _at_yields(ends: Keys, window: Window, tuples: Tuples) -> Keys:
    """The time of the partition's first yield tuple at or after an end."""
    at = np.arange(len(tuples.time))
    yields = at[_next_yield(at, window, tuples) == at]
    moved = np.full(len(ends), FOR_EVER)
    for first in np.unique(tuples.begins):
        own = slice(int(first), int(tuples.ends[first]))
        times = tuples.time[yields[(yields >= own.start) & (yields < own.stop)]]
        found = np.searchsorted(times, ends[own])
        moved[own] = np.where(found < len(times), np.append(times, FOR_EVER)[np.minimum(found, len(times))], FOR_EVER)
    return moved


def _next_multiple(time: Keys, step: int, origin: int, given: Keys | None = None) -> Keys:
    """The first multiple of the step after a time; missing ends stay missing (``given`` says which exist)."""
    given = time if given is None else given
    endless = (given == NEVER_BEGAN) | (given == FOR_EVER)
    inside = np.where(endless, origin, time)
    found = origin + ((inside - origin) // step + 1) * step
    return np.where(endless, given, np.where(found < inside, FOR_EVER, found))
