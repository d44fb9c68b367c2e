"""ones_in_window, priority_sample, frequent_items through the front door: their guarantees over every frame and batch cut."""

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.against_definition import cut, expected_column, expected_groups, sorted_for
from samples.streams import CUTS, ORDERS, tables, windows

import inwindow as iw
from inwindow.optimizer.planning import plan_windows
from inwindow.optimizer.rules import RULES

FRAMES = ("rows", "trailing rows", "range", "trailing range", "groups", "trailing groups", "landmark")
FLAGS = st.sampled_from([True, True, False, None])
ITEMS = st.sampled_from(["a", "a", "b", "c", "", None])
EXTENTS = [
    iw.tumble("t", size=4),
    iw.hop("t", size=6, every=4),
    iw.session("t", gap=2),
    iw.cumulate("t", size=6, every=2),
]


class Frame(iw.WindowAggregate, returns="array<string>", empty=()):
    """The frame itself."""

    def iterate(self, value):
        self.values = [*getattr(self, "values", []), str(value)]

    def expire(self, value):
        self.values.pop(0)

    def terminate(self):
        return list(self.values)


def ones(got: Any, frame: list[str], eps: float) -> None:
    true = frame.count("True")
    assert abs(got - true) <= eps * true


def sample(got: Any, frame: list[str], k: int) -> None:
    assert len(got) == (k if frame else 0)
    assert set(got) <= set(frame)


def frequent(got: Any, frame: list[str], support: float) -> None:
    true, shown = Counter(frame), {row["item"]: row["count"] for row in got}
    assert {item for item, count in true.items() if count >= support * len(frame)} <= set(shown)
    assert all(count >= true[item] for item, count in shown.items())
    assert [row["count"] for row in got] == sorted(shown.values(), reverse=True)


SYNOPSES: dict[str, tuple[Any, Any, pa.DataType, Any]] = {
    "ones_in_window": (
        lambda: iw.ones_in_window("v", 0.3), lambda got, frame: ones(got, frame, 0.3), pa.bool_(), FLAGS
    ),
    "priority_sample": (
        lambda: iw.priority_sample("v", 3, seed=5), lambda got, frame: sample(got, frame, 3), pa.string(), ITEMS
    ),
    "frequent_items": (
        lambda: iw.frequent_items("v", 0.4), lambda got, frame: frequent(got, frame, 0.4), pa.string(), ITEMS
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SYNOPSES)
@given(data=st.data())
def test_guarantees_hold_and_cuts_do_not_matter(name: str, data: st.DataObject) -> None:
    ours, holds, kind, values = SYNOPSES[name]
    order = data.draw(st.sampled_from(list(ORDERS)))
    table = data.draw(tables(order, values=values, kind=kind))
    window = data.draw(windows(order, FRAMES))
    applied, reference = ours().over(window), Frame()("v").over(window)
    if data.draw(st.booleans()):
        applied, reference = applied.filter("ok"), reference.filter("ok")
    table = sorted_for(table, window)
    frames = expected_column(table, reference, Frame())
    case = plan_windows(table.schema, {"x": applied})[0].steps[0].case
    for strategy in [rule.name for rule in RULES if rule.applies(case)]:
        forced = applied.over(window, strategy=strategy)
        whole = iw.with_columns(cut(table, 100), x=forced).read_all().column("x").to_pylist()
        for got, frame in zip(whole, frames, strict=True):
            assert (got is None) == (frame is None)
            if frame is not None:
                holds(got, list(frame))
        assert iw.with_columns(cut(table, data.draw(CUTS)), x=forced).read_all().column("x").to_pylist() == whole
        if name == "priority_sample":
            assert iw.with_columns(table, x=applied)["x"].to_pylist() == whole  # whatever the strategy


@pytest.mark.parametrize("name", SYNOPSES)
@given(data=st.data())
def test_extents(name: str, data: st.DataObject) -> None:
    ours, holds, kind, values = SYNOPSES[name]
    table = data.draw(tables("int32", values=values, kind=kind))
    extent = data.draw(st.sampled_from(EXTENTS))
    table = sorted_for(table, iw.unbounded(partition_by="k", order_by="t"))
    results = [
        iw.group_by(cut(table, size), "k").window(extent).agg(x=ours()).read_all().column("x").to_pylist()
        for size in (100, data.draw(CUTS))
    ]
    expected = expected_groups(table, ("k",), extent, Frame()("v"), Frame())
    assert results[0] == results[1]
    for got, (*_, frame) in zip(results[0], expected, strict=True):
        holds(got, list(frame or []))
