"""What somebody who knows pandas, Polars, Spark or Flink tries first: it works, or the error says what to write."""

import copy
import pickle
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import inwindow as iw
from inwindow.udaf import guesses
from inwindow.windows.options import OverOptions

DATA = {"item": ["a", "a", "b"], "ts": [1, 2, 3], "x": [1.0, 2.0, 3.0], "y": [0.0, 1.0, 2.0], "condition": [True] * 3}
HERE = {"iw": iw, "df": pa.table(DATA), "window": iw.rows(2, order_by="ts"), "condition": "condition"}


class MyAvg(iw.Aggregate):
    def iterate(self, value: float) -> float:
        return value


@pytest.mark.parametrize("name", [name for name in guesses.NAMES if name != "aggregator"])
def test_what_is_written_for_a_guessed_name_can_be_written(name: str) -> None:
    made = eval(guesses.NAMES[name], dict(HERE))
    if isinstance(made, iw.Applied):
        over = made if made.window is not None else made.over(HERE["window"])
        assert iw.with_columns(HERE["df"], a=over).num_rows == 3


def test_guessed_names_are_no_public_ones() -> None:
    """A public name wins: its guess would never be read."""
    public = {name.replace("_", "").casefold() for name in iw.__all__}
    assert public & {*guesses.NAMES, *guesses.ELSEWHERE} == set()


@pytest.mark.parametrize("table", [guesses.OF_APPLIED, guesses.OF_WINDOW, guesses.OF_GROUPED])
def test_what_is_written_for_a_guessed_method_can_be_written(table: dict[str, str]) -> None:
    before = "iw.group_by(df, 'item')" if table is guesses.OF_GROUPED else "iw.avg('x')"
    for text in table.values():
        if "..." not in text and "MyAvg" not in text:
            eval(before + text if text.startswith(".") else text, dict(HERE))


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("quantile", "write iw.percentile('x', 0.5)"),
        ("n_unique", "write iw.count_distinct('x')"),
        ("ewm", "write iw.ewm_avg('x', alpha=0.1).over(iw.unbounded(order_by='ts'))"),
        ("averge", "write iw.avg('x')"),
        ("rowsBetween", "did you mean iw.rows_between?"),
        ("groupBy", "did you mean iw.group_by?"),
        ("countDistinct", "did you mean iw.count_distinct?"),
        ("window", "write iw.tumble('ts', size='1 hour')"),
        ("Window", "write iw.rows(50, partition_by='item', order_by='ts'), or take pyspark.sql.Window"),
    ],
)
def test_a_guessed_name(name: str, answer: str) -> None:
    with pytest.raises(iw.InWindowError) as caught:
        getattr(iw, name)
    assert str(caught.value) == f"module 'inwindow' has no attribute {name!r}: {answer}"
    assert not hasattr(iw, name)


def test_a_slide_has_two_names() -> None:
    assert iw.rows(3, every=2) == iw.rows(3, slide=2)
    assert iw.range(3, order_by="ts", every=2) == iw.range(3, order_by="ts", slide=2)
    assert iw.hop("ts", size=4, slide=2) == iw.hop("ts", size=4, every=2)
    assert iw.cumulate("ts", 4, slide=2) == iw.cumulate("ts", 4, 2)
    over = iw.avg("x").over(iw.rows(3, slide=5), every=2)
    assert over.window == iw.rows(3, slide=2)
    assert "every" in OverOptions.__annotations__


# An aggregate where another library wants a column of its own

APPLIED = iw.avg("x").over(iw.rows(2))


def assigned(frame: Any) -> None:
    frame["a"] = APPLIED


@pytest.mark.parametrize(
    ("library", "call"),
    [
        ("pandas", lambda: assigned(pd.DataFrame(DATA))),
        ("pandas", lambda: pd.DataFrame(DATA).assign(a=APPLIED)),
        ("pandas", lambda: pd.DataFrame(DATA).groupby("item").agg(APPLIED)),
        ("pandas", lambda: pd.Series([1.0]) + APPLIED),
        ("polars", lambda: pl.DataFrame(DATA).with_columns(a=APPLIED)),
        ("polars", lambda: pl.DataFrame(DATA).lazy().select("item", APPLIED)),
        ("polars", lambda: pl.col("x") + APPLIED),
    ],
)
def test_an_aggregate_is_no_column(library: str, call: Any) -> None:
    with pytest.raises(iw.UsageError) as caught:
        call()
    assert str(caught.value) == (
        f"avg(x) over (rows between 1 preceding and current row) is an aggregate of inwindow, no column of {library}: write "
        "iw.with_columns(df, a=...), or iw.select(df, ...), or iw.group_by(df, ...).agg(...)"
    )


def test_an_aggregate_goes_through_the_libraries_own_pipes() -> None:
    for frame in (pd.DataFrame(DATA), pl.DataFrame(DATA)):
        assert frame.pipe(iw.with_columns, a=APPLIED)["a"].to_list() == [1.0, 1.5, 2.5]


def test_an_aggregate_is_copied_and_pickled() -> None:
    assert APPLIED.__class__ is type(APPLIED) is iw.Applied
    for made in (copy.deepcopy(APPLIED), pickle.loads(pickle.dumps(APPLIED))):
        assert repr(made) == repr(APPLIED)
    assert pickle.loads(pickle.dumps(iw.avg)) is iw.avg
    assert not hasattr(APPLIED, "__array__")
