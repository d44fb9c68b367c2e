"""Functions with a frame of their own: ``lag``, ``row_number``, ``rank``. A window gives them partitions, order and slide.

::

    lag(x, 2)        ROWS BETWEEN 2 PRECEDING AND 2 PRECEDING
    row_number()     ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    rank()           GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING, and one more
    ntile(4)         ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
"""

from dataclasses import replace

from inwindow.udaf.errors import UsageError
from inwindow.udaf.traits import OwnFrame
from inwindow.windows.spec import Groups, Range, Rows, Window

WRITE = "iw.unbounded(partition_by='item', order_by='ts')"
_SAYS_NOTHING = (
    Rows(None, 0),
    Range(None, 0),
    Rows(None, None),
    Range(None, None),
)  # iw.unbounded(), and SQL's defaults


def in_own_frame(label: str, window: Window, frame: OwnFrame) -> Window:
    """The window with the function's frame; an error if the window has one that means something else."""
    counted, lower, upper = frame
    own = Rows(lower, upper) if counted == "rows" else Groups(lower, upper)
    if window.frame not in (*_SAYS_NOTHING, own):
        raise UsageError(
            f"{label} has a frame of its own, and takes of a window only partitions and order, so {window.describe()} cannot be "
            f"meant: write .over({WRITE}), or a Spark window without a frame{_instead(label)}"
        )
    if isinstance(own, Groups) and not window.order_by:
        raise UsageError(f"{label} compares order values, but {window.describe()} has no order: add order_by='...'")
    if window.exclude is not None:
        raise UsageError(f"{label}: exclude={window.exclude!r} is for aggregates of frames: drop it")
    if window.min_count is not None:
        raise UsageError(f"{label}: {no_count(window.min_count)}")
    unit = window.slide_by if window.slide is None else window.slide_unit
    return replace(window, frame=own, slide_by=unit)


def no_count(count: int) -> str:
    """Why there is no ``min_count`` for such a function."""
    return f"min_count={count} is for aggregates of frames: drop it; with too few tuples lag and lead give default="


def _instead(label: str) -> str:
    name = label.partition("(")[0]
    if name in ("rank", "dense_rank", "percent_rank", "cume_dist"):
        return (
            f"; for the rank of a value among those of a frame, name the column: iw.{name}('price').over(iw.rows(100))"
        )
    if name == "row_number":
        return "; how many tuples a frame holds is iw.count()"
    return "; a value at another place of a frame is iw.first, iw.last or iw.nth_value" if name != "ntile" else ""
