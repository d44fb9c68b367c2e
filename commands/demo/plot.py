"""A chart with time along the bottom, as inline SVG: its colours are those of the page, by class."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from inwindow.windows.drawing import svg

_WIDTH, _HEIGHT = 760, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 16, 26, 24
_HIGH = _HEIGHT - _TOP - _BOTTOM
_PIXELS = _WIDTH - _LEFT - _RIGHT
_STEPS = [1, 5, 10, 30, 60, 300, 600, 1200, 1800, 3600, 7200, 21600]  # between ticks, in seconds


class Plot:
    """Seconds since the epoch to the right, values upwards, or named rows downwards.

    >>> plot = Plot((0, 3600), (0, 10), "price")
    >>> plot.line(np.array([0.0, 3600.0]), np.array([0.0, 10.0]))
    >>> '<path d="M70.0 206.0L744.0 26.0" class="line"/>' in plot.picture("an hour")
    True
    """

    def __init__(
        self, x: tuple[float, float], y: tuple[float, float], what: str, names: Sequence[str] | None = None
    ) -> None:
        self.low, self.high = x if x[1] > x[0] else (x[0] - 1, x[1] + 1)
        self.levels = levels(*y) if names is None else [0.0, y[1]]
        self.what, self.names = what, names
        self.parts: list[str] = []

    def x(self, seconds: Any) -> Any:
        """The place of a time."""
        return _LEFT + (seconds - self.low) / (self.high - self.low) * _PIXELS

    def y(self, value: Any) -> Any:
        """The place of a value."""
        return _TOP + _HIGH * (1 - (value - self.levels[0]) / (self.levels[-1] - self.levels[0]))

    def dots(self, times: Any, values: Any) -> None:
        """A dot for each."""
        self.parts += [svg.element("circle", class_="dot", cx=x, cy=y, r=1.8) for x, y in self.places(times, values)]

    def line(self, times: Any, values: Any) -> None:
        """A line through all, in order of time; where there are more than pixels, the smallest and the largest value of each."""
        self.parts.append(svg.path(thinned(list(self.places(times, values))), class_="line"))

    def points(self, times: Any, values: Any) -> None:
        """A point for each."""
        self.parts += [svg.element("circle", class_="point", cx=x, cy=y, r=3) for x, y in self.places(times, values)]

    def segment(self, start: float, end: float, value: float) -> None:
        """A level from a time to another."""
        y = self.y(value)
        self.parts.append(svg.path([(self.x(start), y), (self.x(end), y)], class_="line"))
        self.points(np.array([end]), np.array([value]))

    def bar(self, start: float, end: float, row: int, said: str) -> None:
        """A bar in a named row."""
        step = _HIGH / self.levels[-1]
        left, top, width = float(self.x(start)), _TOP + row * step + 2, float(max(self.x(end) - self.x(start), 1.5))
        self.parts.append(
            svg.element("rect", svg.title(said), class_="bar", x=left, y=top, rx=2, width=width, height=step - 4)
        )

    def wait(self, start: float, end: float, value: float, said: str) -> None:
        """A line from a time to another, with a mark at its end."""
        y = self.y(value)
        line = svg.line(self.x(start), y, self.x(end), y, class_="wait")
        mark = svg.element("circle", class_="alarm", cx=self.x(end), cy=y, r=3)
        self.parts.append(svg.element("g", svg.title(said), line, mark))

    def places(self, times: Any, values: Any) -> Any:
        """The places of points."""
        return zip(self.x(times).tolist(), self.y(values).tolist(), strict=True)

    def picture(self, said: str) -> str:
        """The whole chart."""
        parts = [svg.label(_LEFT, 14, self.what, class_="name")]
        if self.names is None:
            for tick in self.levels:
                kind = "axis" if tick == self.levels[0] else "grid"
                parts.append(svg.line(_LEFT, self.y(tick), _WIDTH - _RIGHT, self.y(tick), class_=kind))
                parts.append(text(_LEFT - 8, self.y(tick) + 4, f"{tick:,.4g}" if tick < 1e4 else f"{tick:,.0f}", "end"))
        else:
            for row, name in enumerate(self.names):
                parts.append(text(_LEFT - 8, _TOP + (row + 0.5) * _HIGH / self.levels[-1] + 4, name, "end"))
            base = _TOP + _HIGH
            parts.append(svg.line(_LEFT, base, _WIDTH - _RIGHT, base, class_="axis"))
        for tick, label in ticks(self.low, self.high):
            parts.append(text(self.x(tick), _HEIGHT - 6, label, "middle"))
        return svg.document(_WIDTH, _HEIGHT, *parts, *self.parts, role="img", aria_label=said)


def thinned(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Keep the smallest and the largest value of each pixel, if there are more points than that.

    >>> len(thinned([(x / 100, x % 7) for x in range(1000)]))
    20
    """
    if len(places) <= 2 * _PIXELS and len(places) < 1000:
        return places
    columns: dict[int, list[tuple[float, float]]] = {}
    for place in places:
        columns.setdefault(int(place[0]), []).append(place)
    kept = []
    for column in columns.values():
        ends = {min(column, key=lambda place: place[1]), max(column, key=lambda place: place[1])}
        kept += sorted(ends)
    return kept


def levels(low: float, high: float) -> list[float]:
    """Round values, from one below to one above, six at most.

    >>> levels(0, 4100), levels(262, 405)
    ([0.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0], [250.0, 300.0, 350.0, 400.0, 450.0])
    """
    reach = (high - low) or abs(high) or 1.0
    size = 10.0 ** np.floor(np.log10(reach / 5))
    step = next(size * k for k in (1, 2, 2.5, 5, 10) if reach / (size * k) <= 5)
    first, last = int(np.floor(low / step)), int(np.ceil(high / step))
    return [float(step * k) for k in range(first, max(last, first + 1) + 1)]


def ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Round times, eight at most.

    >>> ticks(0, 7200)
    [(0, '00:00'), (1200, '00:20'), (2400, '00:40'), (3600, '01:00'), (4800, '01:20'), (6000, '01:40'), (7200, '02:00')]
    """
    step = next((step for step in _STEPS if (high - low) / step <= 8), _STEPS[-1])
    first = -int(-low // step) * step
    times = range(first, int(high) + 1, step)
    form = "%H:%M" if step >= 60 else "%H:%M:%S"
    return [(time, datetime.fromtimestamp(time, UTC).strftime(form)) for time in times]


def text(x: float, y: float, words: str, anchor: str) -> str:
    """A label of an axis."""
    return svg.label(x, y, words, class_="tick", text_anchor=anchor)
