"""``min_count=``: the definition under every strategy, pandas' min_periods, streams, and extents."""

from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.against_definition import cut, expected_column, sorted_for
from samples.ids import Ids, IdsExpire, IdsMerge, IdsWithBase
from samples.plain_builtins import Median, Sum
from samples.streams import CUTS, tables, windows

import inwindow as iw
from inwindow.optimizer.rules import RULES

FRAMES = ("rows", "trailing rows", "range", "trailing range", "groups", "landmark")
HOURS = pd.date_range("2026-01-01", periods=40, freq="min")


def given_by(table: pa.Table, one: Any, window: Any, least: int, strategy: str | None, size: int) -> list[Any] | None:
    """The results by a strategy; None where it does not apply."""
    try:
        iw.explain(table, x=one.over(window, strategy=strategy))
    except iw.StrategyError:
        return None
    applied = one.over(window, strategy=strategy, min_count=least)
    return iw.with_columns(cut(table, size), x=applied).read_all().column("x").to_pylist()


@pytest.mark.parametrize("order", ["int64", "timestamp"])
@given(data=st.data())
def test_every_strategy_gives_what_the_definition_gives(order: str, data: st.DataObject) -> None:
    prototype, column = data.draw(st.sampled_from([(Ids(), "id"), (IdsMerge(), "id"), (IdsExpire(), "v")]))
    table = data.draw(tables(order, values=st.one_of(st.integers(0, 9), st.none()), kind=pa.int64()))
    window = data.draw(windows(order, FRAMES))
    least, size = data.draw(st.integers(1, 4)), data.draw(CUTS)
    applied = prototype(column).over(window, min_count=least)
    if data.draw(st.booleans()):
        applied = applied.filter("ok")
    table = sorted_for(table, window)
    expected = [list(e) if isinstance(e, tuple) else e for e in expected_column(table, applied, prototype)]
    one = prototype(column) if applied.condition is None else prototype(column).filter("ok")
    for strategy in (None, *(its.name for its in RULES)):
        found = given_by(table, one, window, least, strategy, size)
        assert found is None or found == expected, strategy


@pytest.mark.parametrize(("ours", "plain"), [(iw.sum, Sum), (iw.median, Median)])
@given(data=st.data())
def test_built_ins(ours: Any, plain: Any, data: st.DataObject) -> None:
    table = data.draw(tables("int64", values=st.one_of(st.integers(-5, 5).map(float), st.none())))
    window = data.draw(windows("int64", FRAMES))
    applied = ours("v").over(window, min_count=data.draw(st.integers(1, 4)))
    table = sorted_for(table, window)
    found = iw.with_columns(cut(table, data.draw(CUTS)), x=applied).read_all().column("x").to_pylist()
    assert found == expected_column(table, applied, plain())


@pytest.mark.parametrize("least", [1, 2, 5])
@pytest.mark.parametrize("name", ["sum", "mean", "min", "median", "var"])
def test_pandas_min_periods(name: str, least: int) -> None:
    rng = np.random.default_rng(least)
    values = pd.Series(np.where(rng.random(40) < 0.3, np.nan, rng.integers(0, 9, 40) / 2), index=HOURS)
    table = pa.table({"ts": pa.array(HOURS), "v": pa.array(values, from_pandas=True)})
    ours = {"mean": iw.avg, "var": iw.var_samp}.get(name) or getattr(iw, name)
    for window, rolling in (
        (iw.rows(5, order_by="ts", min_count=least), values.rolling(5, min_periods=least)),
        (iw.range("4 minutes", order_by="ts", min_count=least), values.rolling("5min", min_periods=least)),
    ):
        found = iw.with_columns(table, x=ours("v").over(window))["x"].to_pylist()
        expected = getattr(rolling, name)().tolist()
        assert all(
            (a is None and b != b) or a == pytest.approx(b, abs=1e-9) for a, b in zip(found, expected, strict=True)
        )


@pytest.mark.parametrize(
    "one", [iw.avg("v"), iw.count("v"), iw.collect_list("v"), IdsWithBase()("v"), IdsMerge()("v")], ids=str
)
@pytest.mark.parametrize(
    "window",
    [
        iw.rows(4, partition_by="k", order_by="ts"),
        iw.unbounded(partition_by="k", order_by="ts"),
        iw.rows(6, partition_by="k", order_by="ts", slide=2),
    ],
    ids=str,
)
def test_on_a_stream_as_in_a_batch(one: Any, window: Any) -> None:
    rng = np.random.default_rng(3)
    table = pa.table(
        {
            "k": pa.array(rng.integers(0, 3, 40).astype(str)),
            "ts": pa.array(HOURS.to_numpy().astype("datetime64[us]")),
            "v": pa.array(rng.integers(0, 9, 40), mask=rng.random(40) < 0.3),
        }
    )
    batches = [table.slice(0, 7), table.slice(7, 1), table.slice(8, 20), table.slice(28)]
    applied = one.over(window, min_count=3)
    given_rows = iw.testing.replay(batches, lambda df: iw.with_columns(df, x=applied), until=datetime(2027, 1, 1)).table
    batch = iw.with_columns(table, x=applied)
    assert sorted(map(str, given_rows.to_pylist())) == sorted(map(str, batch.to_pylist()))


@pytest.mark.parametrize(
    "extent",
    [iw.tumble("t", size=4), iw.hop("t", size=6, every=2), iw.session("t", gap=2), iw.hop("t", rows=4, every=2), None],
    ids=str,
)
def test_extents_and_groups(extent: Any) -> None:
    rng = np.random.default_rng(5)
    table = pa.table(
        {
            "k": pa.array(rng.integers(0, 3, 60).astype(str)),
            "t": pa.array(np.sort(rng.integers(0, 60, 60))),
            "v": pa.array(rng.integers(0, 9, 60), mask=rng.random(60) < 0.3),
        }
    )
    grouped = iw.group_by(table, "k") if extent is None else iw.group_by(table, "k").window(extent)
    found = grouped.agg(
        n=iw.count("v"),
        m=iw.count("v").min_count(3),
        a=iw.avg("v").min_count(3),
        b=IdsMerge()("v").min_count(3),
        plain=iw.avg("v"),
    )
    for row in found.to_pylist():
        enough = row["n"] >= 3
        assert (row["m"], row["a"]) == ((row["n"], row["plain"]) if enough else (None, None))
        assert (row["b"] is not None) == enough
