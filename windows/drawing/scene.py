"""The content of a picture, without any drawing: the places of tuples on an axis, and the frames.

A *snapshot* is a window at one moment: at a yield, at an expiration, or one extent. It names tuples by position.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.windows.drawing.scale import Tick, label, spans_days, ticks
from inwindow.windows.order_key import Keys, order_key
from inwindow.windows.sequence import Sequence
from inwindow.windows.spec import Order


@dataclass(frozen=True)
class Snapshot:
    """One moment: the tuples [start, end) but those of ``hole`` are in the frame, those of ``left`` were at the moment before."""

    said: str
    start: int
    end: int
    low: float  # the frame's bounds on the axis; infinite where it has none
    high: float
    current: int | None = None  # the tuple that yields, or that leaves
    left: range = range(0)
    now: float | None = None  # the time of an expiration
    hole: frozenset[int] = frozenset()  # what EXCLUDE leaves out


@dataclass(frozen=True)
class Scene:
    """A window over a stream: the places of its tuples, three snapshots, and where panes and slots end."""

    title: str
    values: list[Any]
    places: list[float]
    snapshots: list[Snapshot]
    view: tuple[float, float]
    axis: list[Tick]
    axis_name: str
    half_open: bool = False
    panes: tuple[float, ...] = ()
    slots: tuple[float, ...] = ()
    active: bool = False


class Stream:
    """The values to draw over, as a sequence that has ended, laid along an axis.

    The axis is that of the order values, or, without an order, of tuple numbers from ``first`` on.
    """

    def __init__(self, values: pa.Array, order: Order | None, what: str, *, first: int = 1) -> None:
        self.values, self.first = values, first
        self.key = None if order is None else order_key(order, values.type, what=what)
        self.sequence = Sequence(self.key, peers=True, groups=order is not None)
        self.sequence.append([], [] if order is None else [values], len(values))
        self.sequence.ended = True
        self.everyone = np.arange(len(values))
        self.days = self.key is not None and spans_days(values)

    @cached_property
    def places(self) -> list[float]:
        """Where the tuples are on the axis."""
        return (
            [float(i + self.first) for i in range(len(self.values))]
            if self.key is None
            else self.places_of(self.sequence.keys)
        )

    def places_of(self, keys: Keys) -> list[float]:
        """Where keys are on the axis; the bounds of row numbers lie between two tuples."""
        if self.key is None:
            return [float(number) - 0.5 for number in keys]
        sign = 1 if self.key.ascending else -1
        return [sign * float(number) for number in self.key.original(keys)]

    def name(self, at: int) -> str:
        """A tuple as a snapshot names it: by its number, or its order value."""
        if self.key is None:
            return f"tuple {at + 1:,}"
        return f"tuple at {label(self.values[at].as_py(), day=self.days)}"

    def text(self, keys: Keys) -> str:
        """A key as text."""
        if self.key is None:
            return f"{int(keys[0]):,}"
        try:
            return label(self.key.column_of(self.key.original(keys))[0].as_py(), day=self.days)
        except (OverflowError, ValueError):  # Python's calendar ends before Arrow's
            return "beyond the calendar"

    def scene(self, title: str, snapshots: list[Snapshot], **more: Any) -> Scene:
        """The scene of these snapshots, with an axis that shows all of them."""
        view = _view(self.places, snapshots)
        if self.key is None:
            axis, name = ticks(max(view[0], self.first), view[1], pa.int64(), 1), "tuple number"
        else:
            axis, name = ticks(*view, self.key.type, 1 if self.key.ascending else -1), str(self.key.column)
        return Scene(title, self.values.to_pylist(), self.places, snapshots, view, axis, name, **more)


def _view(places: list[float], snapshots: Iterable[Snapshot]) -> tuple[float, float]:
    """The range of the axis: the tuples and the frames' bounds, but no bound further away than the width of the tuples."""
    low, high = min(places), max(places)
    room = (high - low) or math.inf
    ends = [
        min(max(edge, low - room), high + room)
        for one in snapshots
        for edge in (one.low, one.high)
        if math.isfinite(edge)
    ]
    return min([low, *ends]), max([high, *ends])


def counted(held: range) -> str:
    """How many tuples, in words.

    >>> counted(range(1))
    '1 tuple'
    """
    return f"{len(held):,} tuple{'' if len(held) == 1 else 's'}"
