"""Scopes: the user's own bounds, checked while running."""

import math
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.against_definition import cut, expected_column, sorted_for
from samples.ids import IdsAll, IdsExpire, IdsMerge
from samples.streams import CUTS, ORDERS, tables

import inwindow as iw

# name -> (order types, lower, upper); all never decrease
NUMBERS = ("int64", "int32", "double")
SCOPES: dict[str, tuple[tuple[str, ...], Any, Any]] = {
    "grid": (NUMBERS, lambda t: math.floor(t / 5) * 5, None),
    "grid ahead": (NUMBERS, None, lambda t: math.floor(t / 4) * 4 + 3),
    "band that grows": (NUMBERS, lambda t: t - max(0, t) / 2 if t > 4 else 2, lambda t: t + 1),
    "behind": (NUMBERS, lambda t: t - 4, lambda t: t - 2),
    "the day so far": (("timestamp",), lambda t: datetime(t.year, t.month, t.day), None),
    "an hour ahead": (
        ("timestamp",),
        lambda t: t,
        lambda t: t + timedelta(seconds=2) if t.year < 9999 else datetime(9999, 12, 31, 1),
    ),
}


@pytest.mark.parametrize("name", SCOPES)
@given(data=st.data())
def test_scopes_are_what_the_definition_says(name: str, data: st.DataObject) -> None:
    orders, lower, upper = SCOPES[name]
    order = data.draw(st.sampled_from(orders))
    lower, upper = (typed(function, order) for function in (lower, upper))
    table = data.draw(tables(order))
    if order != "timestamp":
        table = table.filter(
            pa.array([t is None or t != t or abs(t) < 100 for t in table.column("t").to_pylist()], pa.bool_())
        )
    slide = data.draw(st.one_of(st.none(), ORDERS[order][3]))
    window = iw.scope(
        lower=lower, upper=upper, order_by="t", partition_by=data.draw(st.sampled_from([(), ("k",)])), slide=slide
    )
    prototype = data.draw(st.sampled_from([IdsExpire, IdsMerge, IdsAll]))()
    applied = prototype("id").over(window)
    table = sorted_for(table, window)
    ours = iw.with_columns(cut(table, data.draw(CUTS)), x=applied).read_all()
    expected = expected_column(table, applied, prototype)
    assert ours.column("x").to_pylist() == [list(e) if isinstance(e, tuple) else e for e in expected]


def typed(function: Any, order: str) -> Any:
    """Integer columns want integer bounds."""
    if function is None or order not in ("int64", "int32"):
        return function
    return lambda t: math.ceil(function(t))


def test_a_scope_over_wide_decimals() -> None:
    wide = pa.table({"t": pa.array([Decimal(1), Decimal(10**27 + 3)], pa.decimal128(38, 10)), "v": [1, 2]})
    own = iw.scope(lower=lambda t: t, order_by="t")
    assert iw.with_columns(wide, s=iw.sum("v").over(own))["s"].to_pylist() == [1, 2]
