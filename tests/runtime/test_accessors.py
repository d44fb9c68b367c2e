"""``df.iw`` is the same calls, on frames of the libraries that are imported."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import inwindow as iw
from inwindow.runtime.accessors import Calls

COLUMNS = {"k": ["a", "b", "a", "a"], "t": [1, 2, 3, 4], "v": [1.0, 2.0, 4.0, 8.0]}
AVG = iw.avg("v").over(iw.rows(2, partition_by="k", order_by="t"))
SLIDE = iw.sum("v").over(iw.rows(4, slide=2))
FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame(COLUMNS, index=[7, 3, 5, 4]),
    "polars": pl.DataFrame(COLUMNS),
    "polars, lazy": pl.LazyFrame(COLUMNS),
}


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """Nothing stays registered behind a test."""
    iw.add_accessors()
    yield
    for frame in (pd.DataFrame, pl.DataFrame, pl.LazyFrame):
        if getattr(frame, "iw", None) is not None:
            delattr(frame, "iw")
        getattr(frame, "_accessors", set()).discard("iw")


def same(one: Any, other: Any) -> None:
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other)
    else:
        assert type(one) is type(other)
        assert_frame_equal(one, other)


@pytest.mark.parametrize("df", FRAMES.values(), ids=FRAMES)
def test_a_method_is_the_call(df: Any) -> None:
    same(df.iw.with_columns(avg=AVG), iw.with_columns(df, avg=AVG))
    same(df.iw.with_columns(AVG), iw.with_columns(df, AVG))
    same(df.iw.select("t", total=SLIDE), iw.select(df, "t", total=SLIDE))
    same(df.iw.group_by("k").agg(n=iw.count()), iw.group_by(df, "k").agg(n=iw.count()))
    by_day = df.iw.group_by("k").window(iw.tumble("t", size=2))
    same(by_day.agg(n=iw.count()), iw.group_by(df, "k").window(iw.tumble("t", size=2)).agg(n=iw.count()))
    assert str(df.iw.explain(avg=AVG)) == str(iw.explain(df, avg=AVG))


def test_options_go_through_and_their_names_may_be_results() -> None:
    df, labels = FRAMES["pandas"], pd.DataFrame({"k": ["a"], "t": [4]})
    window = iw.range(5, partition_by="k", order_by="t")
    of = iw.sum("v").over(window)
    same(labels.iw.with_columns(s=of, of=df), iw.with_columns(labels, s=of, of=df))
    same(df.iw.with_columns(of=of), iw.with_columns(df, of=of))


def test_it_says_what_it_has() -> None:
    assert repr(FRAMES["polars"].iw) == (
        "iw of a DataFrame: .with_columns(...), .select(...), .group_by(...) or .explain(...)"
    )


def test_again_is_nothing(recwarn: pytest.WarningsRecorder) -> None:
    iw.add_accessors()
    assert pd.DataFrame.iw is Calls and not recwarn.list


def test_another_accessor_of_that_name_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other: ...

    monkeypatch.setattr(pd.DataFrame, "iw", Other)
    message = r"pandas.DataFrame.iw is there already, of .*: write iw.with_columns\(df, ...\)"
    with pytest.raises(iw.UsageError, match=message):
        iw.add_accessors()


def test_no_library_is_imported_for_it() -> None:
    code = """
import sys
import inwindow as iw
try:
    iw.add_accessors()
except iw.UsageError as error:
    print(error)
print([name for name in ("pandas", "polars", "pyspark") if name in sys.modules])
import polars
iw.add_accessors()
print("pandas" in sys.modules, polars.DataFrame({"a": [1]}).iw)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "add_accessors(): none of pandas, polars, pyspark.pandas is imported yet: import it, then call add_accessors()",
        "[]",
        "False iw of a DataFrame: .with_columns(...), .select(...), .group_by(...) or .explain(...)",
    ]
