"""The figures' plots: valid SVG, with every point inside its axes and every label there."""

import doctest
import xml.etree.ElementTree as ET

import pytest

from benchmarks import plot
from benchmarks.plot import HEIGHT, WIDTH, Axis, Line, Panel, picture

NS = "{http://www.w3.org/2000/svg}"


def test_examples() -> None:
    assert doctest.testmod(plot).failed == 0


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    "points", [[(1, 1)], [(1, 0.003), (40_000, 7e6)], [(3, 999), (5, 1001)], [(10, 40), (100, 60)]], ids=str
)
def test_every_point_is_inside_the_axes(points: list[tuple[float, float]], log: bool) -> None:
    panel = Panel(
        "a < b & c", Axis("slide, tuples", log), Axis("µs", log), [Line("one", points), Line("two", points[:1])]
    )
    root = ET.fromstring(picture([panel, panel]))
    groups = root.findall(f"{NS}g")
    assert len(groups) == 2
    for group in groups:
        circles = [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in group.findall(f"{NS}circle")]
        inside = [(x, y) for x, y in circles if y >= 0]
        assert len(inside) == len(points) + 1
        assert len(circles) - len(inside) == 2  # the legend stands above
        assert all(0 <= x <= WIDTH and y <= HEIGHT for x, y in inside)
        texts = [text.text for text in group.findall(f"{NS}text")]
        assert {"a < b & c", "one", "two", "slide, tuples" + " (log)" * log, "µs" + " (log)" * log} <= set(texts)
        assert len(texts) >= 5 + 4  # and two ticks on each axis at least


def test_a_linear_axis_begins_at_nothing_and_a_log_axis_at_a_power_of_ten() -> None:
    for log, first in ((False, "0"), (True, "1")):
        drawn = picture([Panel("t", Axis("x", log), Axis("y", log), [Line("l", [(2, 2), (70, 70)])])])
        (group,) = ET.fromstring(drawn).findall(f"{NS}g")
        assert [t.text for t in group.findall(f"{NS}text")][1] == first
