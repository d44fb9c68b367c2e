"""What can be wrong in a window, whatever its data."""

from typing import Any

from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Interval, Size
from inwindow.windows.spec import Groups, Landmark, Range, Rows, Scope, Window


def check_frame(window: Window) -> None:
    """Check that bounds, order, slide and active expiration go together."""
    frame = window.frame
    if isinstance(frame, (Rows, Range, Groups)):
        _check_bounds(window, frame.lower, frame.upper)
    if isinstance(frame, Groups) and not window.order_by:
        raise UsageError(
            f"{window.describe()} counts groups of peers, tuples with equal order values: add order_by='...'"
        )
    if window.slides_by_groups and not window.order_by:
        raise UsageError(
            f"{window.describe()} slides by groups of peers, tuples with equal order values: add order_by='...'"
        )
    needs_order = isinstance(frame, (Landmark, Scope)) or window.slides_by_values
    needs_order |= isinstance(frame, Range) and (has_offset(frame) or window.active_expiration)
    if needs_order and not window.order_by:
        raise UsageError(f"{window.describe()} needs an order column: add order_by='...'")
    if needs_order and len(window.order_by) > 1:
        what, instead = ("its bounds are distances", "a ROWS frame")
        if isinstance(frame, Rows):
            what, instead = ("its slide is a distance", "a slide in tuples")
        elif isinstance(frame, Groups):
            what, instead = ("its slide is a distance", "a slide in groups")
        raise UsageError(
            f"{window.describe()} has {len(window.order_by)} order columns, but {what} in the order "
            f"value, which needs exactly one: use one order column, or {instead}"
        )
    if window.active_expiration:
        if not isinstance(frame, Range) or frame.lower is None or not window.ends_at_current:
            raise UsageError(
                f"active expiration needs a RANGE frame that ends at the current tuple, so that each tuple leaves at a "
                f"known time; got {window.describe()}: use iw.range(size, order_by=..., active_expiration=True)"
            )
        if window.slide is not None:
            raise UsageError(
                "active_expiration=True takes the place of slide= (arrivals emit nothing): give one of them"
            )
        if window.exclude is not None:
            raise UsageError(
                f"active expiration gives results when tuples leave, and exclude={window.exclude!r} is of one that arrives: "
                "give one of them"
            )
        if not window.order_by[0].ascending:
            raise UsageError("active expiration follows time forward: order_by must be ascending")
    if window.origin is not None and not window.slides_by_values:
        raise UsageError("origin= places the slots of a RANGE slide: give slide= in order values with it, or drop it")


def _check_bounds(window: Window, lower: Any, upper: Any) -> None:
    if lower is None or upper is None:
        return
    if isinstance(lower, Interval) != isinstance(upper, Interval) and 0 not in (lower, upper):
        raise UsageError(f"{window.describe()} mixes a distance in time with a number: give both in the same unit")
    low, high = (_comparable(bound) for bound in (lower, upper))
    if low > high:
        raise UsageError(f"{window.describe()}: the lower bound lies after the upper bound; swap them")


def _comparable(bound: Size) -> Any:
    # Months have 28 to 31 days; 30 decides whether two bounds are the wrong way round.
    return bound.months * 30 * 86_400_000_000 + bound.microseconds if isinstance(bound, Interval) else bound


def has_offset(frame: Range) -> bool:
    """Whether a bound is a distance, rather than UNBOUNDED or CURRENT ROW."""
    return any(bound is not None and bound != 0 for bound in (frame.lower, frame.upper))
