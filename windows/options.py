"""The keywords of every frame, ``iw.rows(3, partition_by="item", slide=10)``, as type checkers and ``help()`` see them.

They are written here once. A function that takes ``**options: Unpack[FrameOptions]`` refuses any other keyword under mypy and
pyright; ``shows_options`` gives it a signature with all of them, which IPython completes.
"""

import inspect
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Literal, Protocol, TypedDict, TypeVar, get_args

import numpy as np

from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.interval import Interval, Size, count_of, is_positive, size_of
from inwindow.windows.spec import COUNTED, Exclude, Final, Frame, Order, Unit, unit_of


class SparkColumn(Protocol):
    """A ``pyspark.sql.Column``, without an import of pyspark."""

    def isNull(self) -> Any:
        """A method that Spark's columns have, and names and orders do not."""


Columns = str | SparkColumn | Sequence[str | SparkColumn] | None
Orders = str | Order | SparkColumn | Sequence[str | Order | SparkColumn] | None
Distance = int | float | Decimal | str | timedelta | np.timedelta64 | np.number[Any] | Interval


class FrameOptions(TypedDict, total=False):
    """The options of every frame; ``iw.rows`` explains each of them."""

    partition_by: Columns
    order_by: Orders
    slide: Distance | None
    every: Distance | None  # the same, as extents call it
    slide_by: Unit | None
    origin: Any  # an order value: a number, a date, a moment
    final: Final
    active_expiration: bool
    strategy: str | None
    min_count: int | None
    exclude: Exclude | Literal["no others"] | None


class LaidOver(FrameOptions, total=False):
    """The options of ``over()`` besides a window: each of them replaces the window's own."""

    lag: Distance | None


class OverOptions(LaidOver, total=False):
    """The same, and the sentinel."""

    sentinel: Any  # a share of the results, or an iw.Sentinel


def one_slide(slide: Any, every: Any) -> Any:
    """A slide has two names: ESL's for frames, and ``every``, that of extents. Either is taken everywhere."""
    if slide is not None and every is not None:
        raise UsageError(f"slide={shown(slide)} and every={shown(every)} say the same: give one of them")
    return every if slide is None else slide


Function = TypeVar("Function", bound=Callable[..., Any])


def shows_options(options: type[Any], defaults: dict[str, Any]) -> Callable[[Function], Function]:
    """Give a function that takes ``**options`` a signature with the name of each option.

    >>> @shows_options(FrameOptions, {"final": "drop"})
    ... def rows(size: int, **options: Any) -> None: ...
    >>> list(inspect.signature(rows).parameters)[:4]
    ['size', 'partition_by', 'order_by', 'slide']
    """

    def shown(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=kind)
            for name, kind in options.__annotations__.items()
        ]
        function.__signature__ = signature.replace(parameters=[*own, *named])  # type: ignore[attr-defined]  # functions have one
        return function

    return shown


def hole_of(exclude: Any) -> Exclude | None:
    """What ``exclude=`` says."""
    said = " ".join(exclude.lower().split()) if isinstance(exclude, str) else exclude
    if said is None or said == "no others":
        return None
    for one in get_args(Exclude):
        if said == one:
            return one
    raise UsageError(
        f"exclude={shown(exclude)} is not known: a frame leaves out the tuple itself ('current row'), the tuple and its peers "
        "('group'), its peers without it ('ties'), or nothing ('no others')"
    )


def slide_of(frame: Frame, slide: Any, unit: Any) -> Size | None:
    """What ``slide=`` and ``slide_by=`` say for this frame."""
    if unit is not None and (not isinstance(unit, str) or unit not in ("rows", "range", "groups")):
        raise UsageError(
            f"slide_by={shown(unit)} is not known: a slide counts tuples ('rows') or groups of peers ('groups'), or is a "
            "distance in order values ('range')"
        )
    if slide is None:
        if unit is not None:
            raise UsageError(f"slide_by={unit!r} says what slide= counts: give slide= with it, or drop it")
        return None
    slide = size_of(slide, "slide")
    if not is_positive(slide):
        raise UsageError(f"slide={slide}: a slide must be > 0 (it is the distance between two yield tuples)")
    if isinstance(slide, Interval) and unit in ("rows", "groups"):
        raise UsageError(
            f"slide={slide} is a time, but slide_by={unit!r} counts {COUNTED[unit]}: give a number, or slide_by='range'"
        )
    counted = unit or unit_of(frame)
    counts = counted != "range"
    if counts and not isinstance(slide, (int, Interval)):
        raise UsageError(
            f"slide={slide} is not a whole number of {COUNTED[counted]}; for a distance in order values give slide_by='range', "
            "or a time"
        )
    return count_of(slide, "slide") if counts and isinstance(slide, int) else slide
