"""The keywords of every frame, ``iw.rows(3, partition_by="item", slide=10)``, as type checkers and ``help()`` see them.

They are written here once. A function that takes ``**options: Unpack[FrameOptions]`` refuses any other keyword under mypy and
pyright; ``shows_options`` gives it a signature with all of them, which IPython completes.
"""

import inspect
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Literal, Protocol, TypedDict, TypeVar

import numpy as np

from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.interval import Interval
from inwindow.windows.spec import Exclude, Final, Order, Unit


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
