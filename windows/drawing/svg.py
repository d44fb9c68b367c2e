"""SVG as text: the one writer of elements, for the drawings of windows, the charts of the demo and the plots of benchmarks.

>>> element("circle", class_="dot", cx=1 / 3, r=3)
'<circle class="dot" cx="0.3" r="3"/>'
>>> element("g", label(4, 8.0, "a < b", text_anchor="end"), data_row=1)
'<g data-row="1"><text x="4" y="8.0" text-anchor="end">a &lt; b</text></g>'
"""

from collections.abc import Iterable
from html import escape

Value = str | int | float
Point = tuple[float, float]


def element(tag: str, *content: str, **attributes: Value) -> str:
    """An element. Content is SVG; ``class_`` is the attribute class, ``stroke_width`` is stroke-width; floats get one digit."""
    its = "".join(f' {name.rstrip("_").replace("_", "-")}="{written(value)}"' for name, value in attributes.items())
    return f"<{tag}{its}>{''.join(content)}</{tag}>" if content else f"<{tag}{its}/>"


def label(x: float, y: float, words: str, **attributes: Value) -> str:
    """A line of text."""
    return element("text", escape(words, quote=False), x=x, y=y, **attributes)


def title(words: str) -> str:
    """What a reader sees when it points at the element around it."""
    return element("title", escape(words, quote=False))


def line(x1: float, y1: float, x2: float, y2: float, **attributes: Value) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def path(points: Iterable[Point], **attributes: Value) -> str:
    """A line through points."""
    return element("path", d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), **attributes)


def document(width: float, height: float, *content: str, **attributes: Value) -> str:
    """The whole picture, as large as its coordinates."""
    place: dict[str, Value] = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
    return element("svg", *content, xmlns="http://www.w3.org/2000/svg", **place, **attributes)


def written(value: Value) -> str:
    """The value of an attribute."""
    return f"{value:.1f}" if isinstance(value, float) else escape(str(value))
