"""A scene as SVG: one strip per snapshot, the tuples on it, the frame behind them; under all of them the axis.

Tuples differ not only by colour but also by shape: filled, hollow, crossed out, ringed. Colours follow the reader's light or dark
scheme, and the picture has its own background, so that it fits any page.
"""

import math
import textwrap
from collections import Counter
from html import escape
from pathlib import Path

from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.drawing import svg
from inwindow.windows.drawing.scene import Scene, Snapshot

_WIDTH, _MARGIN = 760, 40
_STRIP, _DOT = 30, 5.0  # height of a strip of single tuples, radius of a tuple
_DOTS = 90  # more tuples than this are a band, not dots
_CHARACTERS = 86  # of a line of the title

STYLE = """
.iw-ground{fill:#fff;stroke:#d0d7de}.iw-title{font:13px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1f2328}
.iw-said{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#1f2328}.iw-axis{
font:11px system-ui,'DejaVu Sans',sans-serif;fill:#59636e}
.iw-line{stroke:#afb8c1;fill:none}.iw-frame{fill:#d4e6fc;stroke:#4a8fe0}.iw-in{fill:#1f6feb;stroke:#1f6feb}
.iw-out{fill:#fff;stroke:#818b98}.iw-gone{stroke:#cf222e;stroke-width:2;fill:none}.iw-current{stroke:#1f2328;stroke-width:2;fill:none}
.iw-pane{stroke:#9a6700;stroke-width:1.5;stroke-dasharray:3 2}.iw-slot{stroke:#818b98;stroke-width:1.5;stroke-dasharray:1 3}
.iw-now{stroke:#cf222e;stroke-width:1.5}
@media(prefers-color-scheme:dark){.iw-ground{fill:#0d1117;stroke:#3d444d}.iw-title,.iw-said{fill:#f0f6fc}.iw-axis{fill:#9198a1}
.iw-line{stroke:#656c76}.iw-frame{fill:#14305a;stroke:#388bfd}.iw-in{fill:#58a6ff;stroke:#58a6ff}.iw-out{fill:#0d1117;stroke:#9198a1}
.iw-gone{stroke:#ff7b72}.iw-current{stroke:#f0f6fc}.iw-pane{stroke:#d29922}.iw-slot{stroke:#9198a1}.iw-now{stroke:#ff7b72}}
""".strip()


class Drawing:
    """A picture of a window: shows itself in a notebook; ``str()`` is SVG, :meth:`save` writes it to a file.

    >>> import inwindow as iw
    >>> drawing = iw.rows(3, slide=2).draw()
    >>> str(drawing)[:4], drawing.scene.snapshots[0].said
    ('<svg', 'tuple 4 yields: 3 tuples in the frame, 1 has left')
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, as SVG."""
        if Path(path).suffix.lower() != ".svg":
            raise UsageError(
                f"save({shown(str(path))}): a drawing is SVG: give a name that ends with .svg (a browser, Inkscape or "
                "rsvg-convert makes a PNG of it)"
            )
        Path(path).write_text(str(self) + "\n", encoding="utf-8")

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<drawing of {self.scene.title}>"

    def __str__(self) -> str:
        return _Canvas(self.scene).drawn()


class _Canvas:
    """The layout of one scene, from top to bottom."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        low, high = scene.view
        span = (high - low) or max(1.0, abs(high) * 1e-9)
        self.low, self.high = low - span * 0.02, high + span * 0.02
        self.dots = len(scene.places) <= _DOTS
        self.radius = min(_DOT, max(2.0, 0.4 * (_WIDTH - 2 * _MARGIN) / max(len(scene.places), 1)))
        ties = max(Counter(scene.places).values(), default=1)
        self.rise = min(2 * self.radius + 2, 40 / max(ties - 1, 1)) if self.dots else 0.0  # of a tuple above its tie
        self.strip = _STRIP + (ties - 1) * self.rise
        self.parts: list[str] = []

    def x(self, place: float) -> float:
        """The x of a place on the axis; places beyond it are at its edge."""
        share = (min(max(place, self.low), self.high) - self.low) / (self.high - self.low)
        return round(_MARGIN + share * (_WIDTH - 2 * _MARGIN), 1)

    def drawn(self) -> str:
        """The whole picture."""
        scene, y = self.scene, 30.0
        for line in textwrap.wrap(scene.title, _CHARACTERS) or [""]:
            self.text("iw-title", 20, y, line)
            y += 18
        y += 8
        for one in scene.snapshots:
            y = self.snapshot(one, y)
        if not scene.snapshots:
            self.text("iw-said", 20, y + 10, "no tuple yields")
            y += 30
        y = self.axis(y)
        y = self.legend(y)
        height = round(y + 4)
        said = escape(". ".join(one.said for one in scene.snapshots))
        ground = svg.element("rect", class_="iw-ground", x=0.5, y=0.5, width=_WIDTH - 1, height=height - 1, rx=6)
        about = [svg.title(scene.title), svg.element("desc", said), svg.element("style", STYLE)]
        return svg.document(_WIDTH, height, *about, ground, *self.parts, role="img")

    def snapshot(self, one: Snapshot, y: float) -> float:
        """Draw the text, then the strip; return the top of the next one."""
        base = y + 18 + self.strip - _STRIP / 2  # of tuples without ties
        parts, self.parts = self.parts, []
        self.text("iw-said", 20, y + 10, one.said)
        self.line("iw-line", _MARGIN, base, _WIDTH - _MARGIN, base)
        self.frame(one, y + 18, base)
        self.edges(y + 16, base + 15)
        if self.dots:
            self.tuples(one, base)
        elif one.current is not None:
            self.ring(self.x(self.scene.places[one.current]), base)
        if one.now is not None:
            self.upright("iw-now", self.x(one.now), y + 18, base + 13)
        current = "" if one.current is None else one.current
        self.parts = [*parts, svg.element("g", *self.parts, class_="iw-snapshot", data_current=current)]
        return base + _STRIP / 2 + 12

    def frame(self, one: Snapshot, top: float, base: float) -> None:
        """The bar from bound to bound; if both bounds are inclusive, it reaches around its last tuples."""
        if one.start >= one.end and one.low > one.high:
            return
        pad = (
            0.0 if self.scene.half_open or not self.dots or self.scene.axis_name == "tuple number" else self.radius + 3
        )
        left = max(self.x(one.low) - pad, _MARGIN - 12) if math.isfinite(one.low) else _MARGIN - 12
        if one.high == one.now and not self.scene.active:
            pad = 0.0  # a row of another table sees no tuple of the same time
        right = min(self.x(one.high) + pad, _WIDTH - _MARGIN + 12) if math.isfinite(one.high) else _WIDTH - _MARGIN + 12
        width, height = max(right - left, 1.0), base + 13 - top - 2
        self.add("rect", "iw-frame", x=left, y=top + 2, width=width, height=height, rx=3)

    def tuples(self, one: Snapshot, base: float) -> None:
        """Each tuple in its place; one at the same place as the one before it stands above."""
        above = 0
        for i, place in enumerate(self.scene.places):
            above = above + 1 if i and place == self.scene.places[i - 1] else 0
            x, y = self.x(place), round(base - above * self.rise, 1)
            leaves = self.scene.active and i == one.current
            inside = one.start <= i < one.end and i not in one.hole and not leaves
            kind = "iw-in" if inside else "iw-out"
            self.add("circle", kind, data_tuple=i, cx=x, cy=y, r=self.radius)
            if i in one.left or leaves:
                d = self.radius if self.radius < _DOT else self.radius + 1
                self.cross(x, y, d, data_left=i)
            elif i == one.current:
                self.ring(x, y)

    def ring(self, x: float, y: float) -> None:
        """Around the tuple that yields."""
        self.add("circle", "iw-current", cx=x, cy=y, r=self.radius + 3)

    def edges(self, top: float, bottom: float) -> None:
        """The ends of slots and panes, across a strip."""
        for kind, edges in (("iw-slot", self.scene.slots), ("iw-pane", self.scene.panes)):
            shown = [edge for edge in edges if self.low < edge < self.high]
            if len(shown) > _DOTS / 2:
                continue
            for edge in shown:
                self.upright(kind, self.x(edge), top, bottom)

    def axis(self, y: float) -> float:
        """Ticks and their texts; at the right what they count."""
        self.line("iw-line", _MARGIN - 12, y, _WIDTH - _MARGIN + 12, y)
        for tick in self.scene.axis:
            x = self.x(tick.place)
            self.upright("iw-line", x, y, y + 4)
            half = 3.5 * len(tick.text) + 4
            self.text("iw-axis", min(max(x, half), _WIDTH - half), y + 16, tick.text, "middle")
        self.text("iw-axis", _WIDTH - 20, y + 31, self.scene.axis_name, "end")
        return y + 31

    def legend(self, y: float) -> float:
        """The signs that this picture has."""
        body, x = "".join(self.parts), 20.0
        said = "leaves" if self.scene.active else "left since the yield before"
        for kind, text in (
            ("iw-in", "in the frame" if not self.scene.half_open else "in the extent"),
            ("iw-current", "yields"), ("iw-gone", said), ("iw-pane", "panes"), ("iw-slot", "slots"),
            ("iw-now", "its time to leave" if self.scene.active else "the row's time"),
        ):  # fmt: skip
            if f'class="{kind}"' not in body:
                continue
            self.sign(kind, x + 6, y - 4)
            self.text("iw-axis", x + 18, y, text)
            x += 18 + 6.6 * len(text) + 18
        return y + 10

    def sign(self, kind: str, x: float, y: float) -> None:
        """One sign of the legend."""
        if kind == "iw-gone":
            self.cross(x, y, 5.0)
        elif kind in ("iw-pane", "iw-slot", "iw-now"):
            self.upright(kind, x, y - 6, y + 6)
        else:
            self.add("circle", kind, cx=x, cy=y, r=5 if kind == "iw-in" else 6)

    def text(self, kind: str, x: float, y: float, text: str, anchor: str = "start") -> None:
        """A line of text."""
        self.parts.append(svg.label(x, y, text, class_=kind, text_anchor=anchor))

    def cross(self, x: float, y: float, d: float, **attributes: svg.Value) -> None:
        """Over a tuple that has left."""
        way = f"M{x - d:.1f} {y - d:.1f}l{2 * d:.1f} {2 * d:.1f}m0 {-2 * d:.1f}l{-2 * d:.1f} {2 * d:.1f}"
        self.add("path", "iw-gone", **attributes, d=way)

    def upright(self, kind: str, x: float, top: float, bottom: float) -> None:
        """A line from the top down."""
        self.line(kind, x, top, x, bottom)

    def line(self, kind: str, x1: float, y1: float, x2: float, y2: float) -> None:
        """A straight line."""
        self.parts.append(svg.line(x1, y1, x2, y2, class_=kind))

    def add(self, tag: str, kind: str, **attributes: svg.Value) -> None:
        """An element of a kind, which has its style."""
        self.parts.append(svg.element(tag, class_=kind, **attributes))
