"""A slide of at least the frame is a tumble, however it is written and whatever ``final=`` says (docs/semantics.md, Slides)."""

from datetime import date, timedelta
from typing import Any

import pyarrow as pa
import pytest
from samples.against_definition import expected_column

import inwindow as iw


class Seen(iw.WindowAggregate):
    """Without ``terminate``: what it has seen since it started, less what has left."""

    def initialize(self, value: int) -> str:
        self.seen = [value]
        return str(self.seen)

    def iterate(self, value: int) -> str:
        self.seen.append(value)
        return str(self.seen)

    def expire(self, value: int) -> None:
        self.seen.remove(value)


@pytest.mark.parametrize(
    ("window", "is_tumble"),
    [
        (iw.rows(3, order_by="t", slide=3, final="emit"), True), (iw.rows(2, order_by="t", slide=5, final="emit"), True),
        (iw.rows(3, order_by="t", slide=3), True), (iw.rows(3, order_by="t", slide=2, final="emit"), False),
        (iw.range("2 days", order_by="t", slide="1 day"), False), (iw.range("2 days", order_by="t", slide="2 days"), True),
        (iw.range(2, order_by="t", slide="1 day"), False), (iw.range(2, order_by="t", slide="2 days"), True),
        (iw.range("2 days", order_by="t", slide=1), False), (iw.range("2 days", order_by="t", slide=2), True),
        (iw.range("1 month", order_by="t", slide="30 days"), False), (iw.range("1 month", order_by="t", slide="31 days"), True),
        (iw.range("1 month", order_by="t", slide=30), False),
    ],
)  # fmt: skip
def test_what_is_a_tumble(window: Any, is_tumble: bool) -> None:
    days = [date(2026, 1, 1) + timedelta(n) for n in (0, 1, 2, 3, 5, 6, 8, 29, 30, 31, 58, 59, 60, 61)]
    table = pa.table({"t": days, "v": range(len(days))})
    applied = Seen()("v").over(window)
    explained = str(iw.explain(table, x=applied))
    assert ("strategy  tumble" in explained) == is_tumble
    assert "no buffer" not in explained
    assert iw.with_columns(table, x=applied)["x"].to_pylist() == expected_column(table, applied, Seen())
    # A class with terminate gives the result without the slide: in another way where two frames may share tuples.
    total = iw.sum("v").over(window)
    assert "strategy  tumble" not in str(iw.explain(table, x=total)) or window.final == "drop"
