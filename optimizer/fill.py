"""Whether what fills the gaps of extents fits the results."""

from collections.abc import Iterable

import pyarrow as pa

from inwindow.optimizer.plan import Step
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.spec import Fill


def check_fill(fill: Fill, steps: Iterable[Step]) -> None:
    """Check the results that are NULL without tuples: lines are for doubles, and a value must be of the result's type."""
    for step in steps:
        kind = step.implementation.result
        if step.case.traits.empty is not None:
            continue
        if fill.how == "linear" and not pa.types.is_floating(kind):
            raise UsageError(
                f"{step.label}: fill='linear' is for doubles, and its result is of type {kind}: cast its argument, or write "
                "fill='previous'"
            )
        if fill.how == "value":
            try:
                pa.array([fill.value]).cast(kind)
            except (pa.ArrowException, TypeError, ValueError):
                raise UsageError(
                    f"{step.label}: fill={shown(fill.value)} is no value of its result's type, {kind}"
                ) from None
