"""Which framing an extent has: the one place that knows all kinds."""

from dataclasses import replace

from inwindow.windows.calendar_extents import (
    CalendarCumulations,
    CalendarHops,
    even_grid,
    local_origin,
    zoned_clock,
)
from inwindow.windows.extent_bounds import CountedHops, Cumulations, ExtentFraming, Hops, Sessions, WholeGroups
from inwindow.windows.interval import Interval
from inwindow.windows.order_key import OrderKey
from inwindow.windows.own_ends import OwnEnds
from inwindow.windows.spec import Cumulate, Extent, Hop, Session


def extents_of(extent: Extent | None, key: OrderKey | None) -> ExtentFraming | WholeGroups:
    """The framing of an extent; None is the whole group."""
    if extent is None:
        return WholeGroups()
    if isinstance(extent, Hop) and extent.rows:
        return CountedHops(extent) if extent.scope == "partition" else Hops(extent, key)
    if isinstance(extent, Session):
        assert key is not None
        return OwnEnds(extent, key) if extent.has_own_ends else Sessions(extent, key)
    if key is None:  # numbers of tuples
        assert isinstance(extent, Hop)
        return Hops(extent, key)
    clock = zoned_clock(extent, key)
    has_months = any(isinstance(size, Interval) and size.months for size in (extent.size, extent.every))
    if clock is not None and not has_months and (offset := even_grid(extent)) is not None:
        made = _plain(replace(extent, origin=None), key)
        made.origin = local_origin(extent, key, clock) - offset * clock.ticks // 1_000_000
        return made
    if clock is None and not has_months:
        return _plain(extent, key)
    return CalendarHops(extent, key, clock) if isinstance(extent, Hop) else CalendarCumulations(extent, key, clock)


def _plain(extent: Hop | Cumulate, key: OrderKey) -> Hops | Cumulations:
    return Hops(extent, key) if isinstance(extent, Hop) else Cumulations(extent, key)
