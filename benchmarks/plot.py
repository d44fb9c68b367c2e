"""Line plots as SVG, for the papers' figures: axes with ticks and units, log or linear, a legend, several panels side by side.

No dependency, and the same text for the same numbers, so that a figure's diff is its news. A panel::

    title
    - o - a line's name          the legend stands above the axes, so that it hides nothing
    y |   . o
      | o
      +--------- x

>>> line = Line("panes", [(1, 5.0), (1000, 40.0)])
>>> drawn = picture([Panel("Sum", Axis("slide, tuples", log=True), Axis("million tuples/s"), [line])])
>>> drawn.startswith("<svg"), drawn.count("<circle")
(True, 3)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from inwindow.windows.drawing import svg

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
# Okabe and Ito's colours, that all can tell apart; and dashes, for print in grey.
STYLES = [
    ("#0072B2", ""), ("#D55E00", "7 3"), ("#009E73", "2 3"), ("#CC79A7", "9 3 2 3"), ("#56606B", "4 4"), ("#E69F00", "1 2"),
]  # fmt: skip
INK, PALE = "#222222", "#dddddd"
DARK = {
    "white": "#0d1117",
    INK: "#f0f6fc",
    PALE: "#30363d",
    "#0072B2": "#56B4E9",
    "#56606B": "#9198a1",
}  # on dark pages
WIDTH, HEIGHT = 360, 250  # of a panel's axes
LEFT, RIGHT, TOP, BOTTOM, ENTRY = 74, 22, 34, 54, 17  # around them; the height of a legend's entry


@dataclass(frozen=True)
class Axis:
    """What is measured, in which unit; linear axes begin at 0."""

    title: str
    log: bool = False


@dataclass(frozen=True)
class Line:
    """One contender's (x, y)."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """Lines over a pair of axes."""

    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line]


@dataclass(frozen=True)
class _Scale:
    """From a value to a place between 0 and 1, and where the ticks are."""

    low: float
    high: float
    log: bool
    ticks: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float], log: bool) -> "_Scale":
        if log:
            low, high = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
            high = max(high, low + 1)
            digits = (1, 2, 5) if high - low <= 2 else (1,)
            ticks = tuple(d * 10.0**power for power in range(low, high + 1) for d in digits)
            return cls(low, high, True, tuple(tick for tick in ticks if tick <= 10.0**high * 1.001))
        most = max(*values, 0) or 1
        step = 10.0 ** math.floor(math.log10(most))
        step = next(s for s in (step / 5, step / 2, step, step * 2) if most / s <= 6)
        count = math.ceil(most / step - 1e-9)
        return cls(0, count * step, False, tuple(step * k for k in range(count + 1)))

    def at(self, value: float) -> float:
        place = math.log10(value) if self.log else value
        return (place - self.low) / (self.high - self.low)


def number(value: float) -> str:
    """A tick's label.

    >>> [number(v) for v in (0, 0.25, 5, 40_000, 2e6, 1.5e9, 1e-4)]
    ['0', '0.25', '5', '40k', '2M', '1.5G', '0.0001']
    """
    if value and abs(value) < 1e-4:
        return f"{value:.0e}"
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{unit}"
    return f"{value:.4g}"


def picture(panels: Sequence[Panel]) -> str:
    """The panels side by side."""
    head = TOP + ENTRY * max(len(panel.lines) for panel in panels)
    wide, high = LEFT + WIDTH + RIGHT, head + HEIGHT + BOTTOM
    parts = [
        svg.element("rect", width=wide * len(panels), height=high, fill="white"),
        svg.element("style", f"@media(prefers-color-scheme:dark){{{''.join(map(_dark, DARK))}}}"),
    ]
    names = list(dict.fromkeys(line.name for panel in panels for line in panel.lines))
    styles = {name: STYLES[index % len(STYLES)] for index, name in enumerate(names)}  # the same in all panels
    for index, panel in enumerate(panels):
        place = f"translate({index * wide + LEFT} {head})"
        parts.append(svg.element("g", *(f"\n{part}" for part in _panel(panel, head, styles)), transform=place))
    font = {"font_family": "DejaVu Sans, Helvetica, Arial, sans-serif", "font_size": 12}
    return svg.document(wide * len(panels), high, *(f"\n{part}" for part in parts), "\n", **font) + "\n"


def save(name: str, panels: Sequence[Panel]) -> Path:
    """Write ``docs/figures/name.svg``."""
    FIGURES.mkdir(exist_ok=True)
    path = FIGURES / f"{name}.svg"
    path.write_text(picture(panels))
    return path


def _panel(panel: Panel, head: int, styles: dict[str, tuple[str, str]]) -> list[str]:
    points = [point for line in panel.lines for point in line.points]
    x, y = (_Scale.of([p[i] for p in points], axis.log) for i, axis in enumerate((panel.x, panel.y)))
    parts = [_text(0, 18 - head, panel.title, font_size=14, font_weight="bold")]
    for tick in x.ticks:
        at = WIDTH * x.at(tick)
        parts += [_line(at, 0, at, HEIGHT, PALE), _text(at, HEIGHT + 17, number(tick), text_anchor="middle")]
    for tick in y.ticks:
        at = HEIGHT * (1 - y.at(tick))
        parts += [_line(0, at, WIDTH, at, PALE), _text(-8, at + 4, number(tick), text_anchor="end")]
    parts += [_line(0, HEIGHT, WIDTH, HEIGHT, INK), _line(0, 0, 0, HEIGHT, INK)]
    scales = [" (log)" if axis.log else "" for axis in (panel.x, panel.y)]
    parts.append(_text(WIDTH / 2, HEIGHT + 40, panel.x.title + scales[0], text_anchor="middle"))
    turned = f"translate({-LEFT + 16} {HEIGHT / 2}) rotate(-90)"
    parts.append(_text(0, 0, panel.y.title + scales[1], text_anchor="middle", transform=turned))
    for index, line in enumerate(panel.lines):
        colour, dash = styles[line.name]
        its = {"fill": "none", "stroke": colour, "stroke_width": "2"} | ({"stroke_dasharray": dash} if dash else {})
        places = [(WIDTH * x.at(a), HEIGHT * (1 - y.at(b))) for a, b in sorted(line.points)]
        parts.append(svg.element("polyline", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in places), **its))
        parts += [svg.element("circle", cx=a, cy=b, r=3, fill=colour) for a, b in places]
        above = 36 - head + ENTRY * index
        parts += [
            svg.element("polyline", points=f"0,{above} 30,{above}", **its),
            svg.element("circle", cx=15, cy=above, r=3, fill=colour),
        ]
        parts.append(_text(38, above + 4, line.name))
    return parts


def _dark(colour: str) -> str:
    return f'[fill="{colour}"]{{fill:{DARK[colour]}}}[stroke="{colour}"]{{stroke:{DARK[colour]}}}'


def _text(x: float, y: float, text: str, **its: svg.Value) -> str:
    return svg.label(x, y, text, fill=INK, **its)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return svg.line(x1, y1, x2, y2, stroke=colour)
