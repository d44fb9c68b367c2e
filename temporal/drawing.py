"""``draw``: relations as a picture, a bar for each row from its ``since`` to its ``until``, on one axis of time.

A bar without an end on the right is a row that holds for ever; on the left, one that always did. What is drawn are the tables that
are given: a picture of a result is drawn by the operator that made it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.native._sweep import FOR_EVER, NEVER_BEGAN
from inwindow.runtime.dataframes import dataframe
from inwindow.temporal.relation import Relation, relations
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.drawing import svg
from inwindow.windows.drawing.picture import STYLE, Drawing
from inwindow.windows.drawing.scale import Tick, ticks

_WIDTH, _LEFT, _RIGHT, _ROW, _BAR = 760, 150, 40, 22, 12
_LETTERS = 16  # of what is said of a row
_MOST = 60  # rows of a picture: more of them are not to be read
_WHERE = "temporal.draw"


def draw(**tables: Any) -> Drawing:
    """Draw tables or frames of pandas and Polars, one under the other: a bar for each row. An argument's name is its title.

    >>> import pyarrow as pa, inwindow as iw
    >>> from inwindow import temporal
    >>> visits = pa.table({"who": ["ann", "bob"], "since": [1, 3], "until": [9, 5]})
    >>> picture = temporal.draw(visits=visits, busy=temporal.aggregate(visits, n=iw.count()))
    >>> picture, str(picture).count('class="iw-frame"')
    (<drawing of visits, busy>, 5)
    """
    if not tables:
        raise UsageError(f"{_WHERE}() was given no table: write temporal.draw(visits=visits)")
    read = {title: _read(title, table) for title, table in tables.items()}
    rows = sum(map(len, read.values()))
    if rows > _MOST:
        raise UsageError(
            f"{_WHERE}: {rows:,} rows are more than can be seen: draw at most {_MOST}, such as those of one key"
        )
    return RelationDrawing(read)


def _read(title: str, table: Any) -> pa.Table:
    """A table; one of a frame of pandas, Polars or another library."""
    if isinstance(table, pa.Table):
        return table
    on_spark = type(table).__module__.startswith("pyspark.")  # it may be large: the user collects it
    frame = None if on_spark else dataframe(table, f"{_WHERE}({title}=...)")
    if frame is None:
        raise UsageError(
            f"{_WHERE}({title}={shown(table)}): give a table or a frame of pandas or Polars; of a DataFrame of Spark, "
            f"temporal.draw({title}=df.toArrow())"
        )
    return frame.data


class RelationDrawing(Drawing):
    """A picture of relations; as a drawing of a window, it shows itself in a notebook."""

    def __init__(self, tables: Mapping[str, pa.Table]) -> None:
        self.titles = list(tables)
        self.relations = relations(list(tables.values()), _WHERE, names=self.titles)

    def __repr__(self) -> str:
        return f"<drawing of {', '.join(self.titles)}>"

    def __str__(self) -> str:
        low, high = self._view()
        span = high - low

        def x(key: int) -> float:
            return _LEFT + (key - low) / span * (_WIDTH - _LEFT - _RIGHT)

        parts: list[str] = []
        y = 24.0
        for title, its in zip(self.titles, self.relations, strict=True):
            parts.append(svg.label(20, y, title, class_="iw-title"))
            y += 10
            for said, since, until in _bars(its):
                parts += [svg.label(32, y + _BAR, said, class_="iw-said"), *_bar(x, since, until, y)]
                y += _ROW
            y += 20
        y -= 8
        parts.append(svg.line(_LEFT - 12, y, _WIDTH - _RIGHT + 12, y, class_="iw-line"))
        for tick in self._ticks(low, high):
            parts.append(svg.line(x(int(tick.place)), y, x(int(tick.place)), y + 4, class_="iw-line"))
            parts.append(svg.label(x(int(tick.place)), y + 16, tick.text, class_="iw-axis", text_anchor="middle"))
        height = round(y + 28)
        ground = svg.element("rect", class_="iw-ground", x=0.5, y=0.5, width=_WIDTH - 1, height=height - 1, rx=6)
        about = [svg.title(", ".join(self.titles)), svg.element("style", STYLE)]
        return svg.document(_WIDTH, height, *about, ground, *parts, role="img")

    def _ticks(self, low: int, high: int) -> list[Tick]:
        """None where keys are not the ends themselves."""
        instants = self.relations[0].instants
        kind = instants.kind
        plain = instants.ranked is None and not pa.types.is_decimal(kind) and not pa.types.is_uint64(kind)
        return ticks(low, high, pa.date32() if pa.types.is_date(kind) else kind, 1) if plain else []

    def _view(self) -> tuple[int, int]:
        """The first and the last end, and an instant more on either side."""
        keys = np.concatenate([end for its in self.relations for end in (its.intervals.since, its.intervals.until)])
        ends = keys[(keys != NEVER_BEGAN) & (keys != FOR_EVER)]
        if not len(ends):
            return 0, 1
        room = max(int(ends.max() - ends.min()) // 20, 1)
        return int(ends.min()) - room, int(ends.max()) + room


def _bars(its: Relation) -> Iterator[tuple[str, int, int]]:
    """The values of each row, and its ends as keys."""
    intervals = its.intervals
    for row, since, until in zip(intervals.row, intervals.since, intervals.until, strict=True):
        values = [its.table.column(name)[int(row)].as_py() for name in its.columns]
        said = ", ".join("NULL" if value is None else str(value) for value in values)
        yield said if len(said) <= _LETTERS else f"{said[: _LETTERS - 1]}…", int(since), int(until)


def _bar(x: Any, since: int, until: int, top: float) -> list[str]:
    """A bar; where it has no end, it reaches to the edge, and there is an arrow."""
    left = _LEFT - 12 if since == NEVER_BEGAN else x(since)
    right = _WIDTH - _RIGHT + 12 if until == FOR_EVER else x(until)
    bar = svg.element("rect", class_="iw-frame", x=left, y=top + 2, width=max(right - left, 1.0), height=_BAR, rx=2)
    arrows = []
    for at, way in ((left, -1) if since == NEVER_BEGAN else (right, 0), (right, 1) if until == FOR_EVER else (left, 0)):
        if way:
            middle = top + 2 + _BAR / 2
            arrows.append(svg.path([(at, middle - 5), (at + 7 * way, middle), (at, middle + 5)], class_="iw-current"))
    return [bar, *arrows]
