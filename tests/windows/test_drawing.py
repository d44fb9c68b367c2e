"""Drawings show what the definition says: which tuples are in which frame; and they are pictures that one can read."""

import math
import re
import xml.etree.ElementTree as ET
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.streams import windows

import inwindow as iw
from inwindow.windows import reference, reference_points
from inwindow.windows.spec import Cumulate, Hop, Window

SVG = "{http://www.w3.org/2000/svg}"
WINDOWS = {
    "rows": iw.rows(5, partition_by="item", order_by="ts"),
    "rows with a lag": iw.rows(3, lag=2),
    "rows on both sides": iw.rows_between(-1, 1),
    "rows before": iw.rows_between(-3, -2),
    "rows from here": iw.rows_between(0, None),
    "rows, all": iw.rows_between(None, None),
    "rows without the current one": iw.rows_between(-2, 2, exclude="current row"),
    "rows without peers": iw.rows_between(-3, 1, order_by="t", exclude="group"),
    "range without ties": iw.range(10, order_by="t", exclude="ties"),
    "all rows without ties, no order": iw.rows_between(None, None, exclude="ties"),
    "slide of rows": iw.rows(50, order_by="ts", slide=10),
    "slide with odd panes": iw.rows(7, slide=5),
    "tumble of rows": iw.rows(4, slide=4),
    "tumble that skips": iw.rows(3, slide=7),
    "slide with an unfilled end": iw.rows(6, slide=4, final="emit"),
    "slide with many tuples": iw.rows(4000, slide=1000),
    "unbounded": iw.unbounded(partition_by="item", order_by="ts"),
    "unbounded by time": iw.unbounded(order_by="ts", slide="1 hour"),
    "range of time": iw.range("5 minutes", order_by="ts"),
    "range of numbers": iw.range(10, order_by="t"),
    "range of fractions": iw.range(0.5, order_by="t"),
    "range of months": iw.range("1 month", order_by="ts"),
    "range with a lag": iw.range(20, lag=20, order_by="t"),
    "range downwards": iw.range(10, order_by=iw.desc("t")),
    "range on both sides": iw.range_between("-1 hour", "10 minutes", order_by="ts"),
    "range of peers": iw.range_between(None, 0, order_by="t"),
    "range of all": iw.range_between(None, None),
    "slide of a range": iw.range("10 minutes", order_by="ts", slide="5 minutes", origin=datetime(2026, 5, 1, 0, 2)),
    "slide of a range of numbers": iw.range(2.5, order_by="t", slide=0.5),
    "tuples by time": iw.rows(5, order_by="ts", slide="10 minutes"),
    "tuples by numbers, both ways": iw.rows_between(-2, 2, order_by="t", slide=4, slide_by="range"),
    "time by tuples": iw.range("5 minutes", order_by="ts", slide=4, slide_by="rows"),
    "landmark by tuples": iw.landmark(since=20, order_by="t", slide=3, slide_by="rows"),
    "active expiration": iw.range("5 seconds", order_by="ts", active_expiration=True),
    "landmark since": iw.landmark(since=datetime(2026, 1, 1), order_by="ts"),
    "landmark with a zone": iw.landmark(since=datetime(2026, 1, 1, tzinfo=UTC), order_by="ts"),
    "landmark until": iw.landmark(until=date(2026, 3, 1), order_by="day"),
    "landmarks": iw.landmark(since=20, until=40, order_by="t"),
    "landmarks of fractions, sliding": iw.landmark(since=0.5, until=2.5, order_by="t", slide=0.5),
    "scope": iw.scope(lower=lambda t: t // 10 * 10, order_by="t"),
    "scope of two functions": iw.scope(lower=lambda t: t / 2, upper=lambda t: t + 2, order_by="t"),
    "scope of time": iw.scope(lower=lambda t: t.replace(minute=0, second=0, microsecond=0), order_by="ts"),
    "tumble": iw.tumble("ts", size="1 hour"),
    "tumble of tuples": iw.tumble("ts", rows=6, scope="stream"),
    "hop": iw.hop("ts", size="1 hour", every="20 minutes"),
    "hop with an odd size": iw.hop("t", size=7, every=5),
    "hop of small steps": iw.hop("ts", size="6 hours", every="1 minute"),
    "hop of fractions": iw.hop("t", size=1.5, every=0.5, origin=0.25),
    "hop that skips": iw.hop("t", size=3, every=5),
    "hop of tuples": iw.hop("ts", rows=10, every=4),
    "hop of many tuples": iw.hop("ts", rows=1000, every=10),
    "cumulate": iw.cumulate("ts", size="1 day", every="6 hours"),
    "cumulate by small steps": iw.cumulate("ts", size="1 day", every="1 hour"),
    "session": iw.session("ts", gap="30 minutes"),
    "session of numbers": iw.session("t", gap=5),
}  # fmt: skip
NAMES = pytest.mark.parametrize("name", WINDOWS)


def rows_of(values: list[Any]) -> list[reference.Row]:
    return [reference.Row((value,), (i,)) for i, value in enumerate(values)]


class Held(iw.WindowAggregate):
    """Says what stays when a tuple leaves."""

    inwindow: iw.InWindow

    def iterate(self, i: int) -> None:
        pass

    def expire(self, i: int) -> str:
        return str([one[0] for one in self.inwindow])


def expected(window: Any, values: list[Any]) -> list[list[int]]:
    """The definition's frames, at each yield, expiration or extent."""
    rows = rows_of(values)
    if not isinstance(window, Window):
        return [held for _, _, held in reference.extents(window, rows)]
    if window.active_expiration:
        return [eval(said)[1:] for _, _, said in reference.expirations(Held(), window, rows)]
    frames = reference.frames(window, rows)
    return [frames[i] for i in reference.yields(window, rows)]


def drawn(drawing: Any) -> list[list[int]]:
    """Per snapshot, the tuples that are drawn as in the frame."""
    return [
        [int(dot.get("data-tuple")) for dot in group.iter(f"{SVG}circle") if dot.get("class") == "iw-in"]
        for group in ET.fromstring(str(drawing)).iter(f"{SVG}g")
    ]


def check(window: Any, drawing: Any) -> None:
    """The frames drawn are three successive ones of the definition, or all where there are fewer."""
    frames = drawn(drawing)
    wanted = expected(window, drawing.scene.values)
    assert len(frames) == min(3, len(wanted))
    assert any(wanted[i : i + len(frames)] == frames for i in range(len(wanted) + 1))


@NAMES
def test_marked_tuples_are_those_of_the_definition(name: str) -> None:
    window = WINDOWS[name]
    drawing = window.draw()
    if "many" not in name:  # those are bands, not dots
        check(window, drawing)
    assert [one.end - one.start for one in drawing.scene.snapshots] != [0, 0, 0]
    assert len(drawing.scene.snapshots) == 3


@given(st.data())
def test_any_window_over_any_values(data: st.DataObject) -> None:
    order = data.draw(st.sampled_from(["int64", "double", "date", "timestamp"]))
    kinds = ("rows", "range", "landmark", "trailing range")
    window = data.draw(windows(order, kinds, holes=data.draw(st.booleans())))
    values = {
        "int64": st.integers(-6, 12), "double": st.integers(-6, 12).map(lambda i: i / 2),
        "date": st.integers(-3, 9).map(lambda d: date.fromordinal(719163 + d)),
        "timestamp": st.integers(0, 40).map(lambda s: datetime(2026, 3, 1, 0, 0, s)),
    }[order]  # fmt: skip
    drawing = window.draw(data.draw(st.lists(values, min_size=1, max_size=12)))
    check(window, drawing)
    readable(drawing)


@given(st.lists(st.integers(-20, 40), min_size=1, max_size=14), st.integers(1, 9), st.integers(1, 9), st.booleans())
def test_any_extent_over_any_values(values: list[int], size: int, every: int, counted: bool) -> None:
    extents = [iw.hop("t", rows=size, every=every) if counted else iw.hop("t", size=size, every=every)]
    extents += [iw.session("t", gap=size), iw.cumulate("t", size=size * every, every=every)]
    for extent in extents:
        if isinstance(extent, Hop) and extent.every > extent.size and counted and len(values) <= extent.size:
            continue
        drawing = extent.draw(values)
        frames, wanted = drawn(drawing), expected(extent, drawing.scene.values)
        assert any(wanted[i : i + len(frames)] == frames for i in range(len(wanted) + 1))


@given(st.data())
def test_at_the_rows_of_another_table(data: st.DataObject) -> None:
    window = data.draw(
        windows("int64", ("trailing rows", "trailing range", "trailing groups", "landmark"), slides=False)
    )
    small = st.integers(-6, 12)
    values, at = data.draw(st.lists(small, min_size=1, max_size=12)), data.draw(st.lists(small, min_size=1, max_size=4))
    try:
        drawing = window.draw(values, at=at)
    except iw.UsageError as error:
        assert "needs one ascending order column" in str(error) or "looks ahead" in str(error)
        return
    rows = rows_of(drawing.scene.values)
    assert drawn(drawing) == reference_points.frames_at(window, rows, sorted(at))
    readable(drawing)


@NAMES
def test_left_are_those_of_the_frame_before(name: str) -> None:
    window = WINDOWS[name]
    if not isinstance(window, Window) or window.active_expiration:
        return
    scene = window.draw().scene
    for before, after in zip(scene.snapshots, scene.snapshots[1:], strict=False):
        gone = {*range(before.start, before.end)} - {*range(after.start, after.end)}
        assert {*after.left} == gone


def readable(drawing: Any) -> None:
    """Well-formed, and nothing outside the picture; texts by a width that fonts stay below."""
    root = ET.fromstring(str(drawing))
    width, height = map(float, root.get("viewBox").split()[2:])
    boxes = []
    for one in root.iter():
        at = {key: float(value) for key, value in one.attrib.items() if re.fullmatch(r"-?[\d.]+", value)}
        if one.tag == f"{SVG}circle":
            boxes.append((at["cx"] - at["r"], at["cy"] - at["r"], at["cx"] + at["r"], at["cy"] + at["r"]))
        elif one.tag == f"{SVG}rect":
            boxes.append((at["x"], at["y"], at["x"] + at["width"], at["y"] + at["height"]))
        elif one.tag == f"{SVG}line":
            boxes.append((at["x1"], at["y1"], at["x2"], at["y2"]))
        elif one.tag == f"{SVG}text":
            long = len(one.text or "") * (8.0 if one.get("class") == "iw-title" else 6.8)
            left = at["x"] - long * {"start": 0, "middle": 0.5, "end": 1}[one.get("text-anchor", "start")]
            boxes.append((left, at["y"] - 12, left + long, at["y"] + 4))
    for left, top, right, bottom in boxes:
        assert all(map(math.isfinite, (left, top, right, bottom)))
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, (left, top, right, bottom)


def overlaps(root: ET.Element) -> list[tuple[str, str]]:
    """Texts on one line that run into each other."""
    spans = []
    for one in root.iter(f"{SVG}text"):
        long = len(one.text or "") * (8.0 if one.get("class") == "iw-title" else 6.8)
        left = float(one.get("x", 0)) - long * {"start": 0, "middle": 0.5, "end": 1}[one.get("text-anchor", "start")]
        spans.append((float(one.get("y", 0)), left, left + long, one.text or ""))
    spans.sort()
    return [
        (a[3], b[3]) for a, b in zip(spans, spans[1:], strict=False) if b[0] - a[0] < 10 and b[1] < a[2] and a[1] < b[2]
    ]


@NAMES
def test_is_readable(name: str) -> None:
    drawing = WINDOWS[name].draw()
    readable(drawing)
    assert overlaps(ET.fromstring(str(drawing))) == []


@NAMES
def test_panes_lie_where_the_tuples_of_two_panes_part(name: str) -> None:
    scene = WINDOWS[name].draw().scene
    cut = {sum(edge > place for place in scene.places) for edge in scene.panes}
    starts = {edge for one in scene.snapshots for edge in (one.start, one.end)}
    if scene.panes:  # each frame is a run of whole panes
        assert starts - {0, len(scene.places)} <= cut


def test_slides_and_overlapping_extents_have_panes_and_no_others() -> None:
    cascades = ("slide of rows", "slide with odd", "slide with many", "hop", "cumulate")
    for name, window in WINDOWS.items():
        assert bool(window.draw().scene.panes) == (name.startswith(cascades) and "skips" not in name), name


def test_of_values_of_ones_own(tmp_path: Path) -> None:
    drawing = iw.range(5, order_by="t").draw(pa.chunked_array([[7, 1], [3]]))
    assert drawing.scene.values == [1, 3, 7]
    assert str(iw.range(5, order_by="t").draw(pa.table({"t": [7, 1, 3]}))) == str(drawing)
    assert len(iw.rows(2).draw(pa.table({"v": ["a", "b", "c"]})).scene.values) == 3
    drawing.save(tmp_path / "window.svg")
    assert (tmp_path / "window.svg").read_text() == f"{drawing}\n" == f"{drawing._repr_svg_()}\n"
    assert iw.range(5, order_by=iw.desc("t")).draw([1, 3]).scene.values == [3, 1]


def test_of_an_applied_aggregate_and_of_every_kind() -> None:
    assert iw.avg("v").over(iw.rows(2)).window.draw().scene.title == iw.rows(2).describe()
    assert all(hasattr(kind, "draw") for kind in (Window, Hop, Cumulate))


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: iw.range(5, order_by="t").draw([1, None]), "no NULL, NaN or infinity: they have no place on an axis"),
        (lambda: iw.range(5, order_by="t").draw([]), "give at least one order value"),
        (
            lambda: iw.range(5, order_by="t").draw(3),
            "draw(values=3): give order values, as a list or an Arrow array, or a table",
        ),
        (lambda: iw.range(5, order_by="t").draw(pa.table({"u": [1]})), "the table has no column 't'; there are 'u'"),
        (lambda: iw.rows(10**9).draw(), "too many for a picture: draw a smaller one of its shape"),
        (lambda: iw.hop("t", size="1 day", every="1 s").draw(), "more than 20,000 extents, too many for a picture"),
        (lambda: iw.scope(lower=lambda t: t["a"], order_by="t").draw(), "give order values that they take"),
        (lambda: iw.range(5, order_by="t", slide=2).draw([1], at=[1]), "slides, expires actively or looks ahead"),
        (lambda: iw.range(5, order_by="t").draw([1], at=["a"]), "give a list of times of the type int64"),
        (lambda: iw.range(5, order_by="t").draw([1], at=[]), "0 times; a picture has 1 to 12"),
        (lambda: iw.tumble("t", size=5).draw([1], at=[1]), "is an extent; rows of another table see frames"),
        (lambda: iw.range("5 minutes", order_by="t").draw([1, 2]), "give a number in the column's unit"),
        (lambda: iw.range(5, order_by="t").draw(["a"]), "needs distances in the order column 't', but string has none"),
    ],
)
def test_what_cannot_be_drawn_is_said(draw: Any, said: str) -> None:
    with pytest.raises(iw.UsageError, match=re.escape(said)):
        draw()
