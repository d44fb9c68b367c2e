"""``allowed_lateness=``: how far behind the watermark of a stream a tuple may be, and still correct rows that were given."""

from collections.abc import Sequence
from typing import Any

from inwindow.optimizer.plan import Pass
from inwindow.runtime.query import Query
from inwindow.runtime.stream.row_names import added_columns
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.interval import Interval, Size, is_negative, size_of


def lateness_of(value: Any, where: str) -> Size | None:
    """The bound that a user wrote; None for none. It is checked on batch data, too, where it changes nothing."""
    if value is None:
        return None
    size = size_of(value, "allowed_lateness")
    if is_negative(size):
        raise UsageError(
            f"{where}(allowed_lateness={shown(value)}): a tuple is late or it is not: give a bound of 0 or more, as in '5 minutes'"
        )
    if isinstance(size, Interval) and size.months:
        raise UsageError(
            f"{where}(allowed_lateness={shown(value)}): months differ in length, so that the bound could go backwards: give days"
        )
    return size


def revised_titles(query: Query, work: Pass, titles: Sequence[str]) -> list[str]:
    """The columns that rows get in addition, after a check that a query may give rows that replace others."""
    if query.lateness is None:
        return []
    its = f"{query.where}(allowed_lateness={shown(query.lateness)})"
    if not work.order_by:
        raise UsageError(f"{its}: without order_by= tuples are taken as they arrive, and none is late: drop it")
    if query.early:
        raise UsageError(
            f"{its} with window(early=True): an early row is replaced before the window ends, a late tuple replaces rows after it: "
            "drop one of the two"
        )
    modes = [one.failures.mode for one in query.aggregates.values() if one.failures is not None]
    if modes:
        raise UsageError(
            f"{its} with on_error={modes[0]!r}: a tuple on which a hook raises would be reported for each row that is corrected: "
            "drop one of the two"
        )
    added = added_columns(query.verb.rows)
    clash = [title for title in titles if title.casefold() in added]
    if clash:
        raise UsageError(f"{its}: it adds the column {clash[0]!r}, which is there already: rename that")
    return added
