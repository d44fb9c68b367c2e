"""Plain classes are compiled without being asked: when, and that no bit differs, wherever in the tuples the loop takes over."""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba_classes import Arithmetic, Decayed, MyAvg

import inwindow as iw
from inwindow.udaf.compiled import due, numba_hooks

NEVER = 10**9
FLOATS = [0.0, -0.0, 1.0, 0.1, 3.5, -2.5, 1e-310, 1e16, -1e16, 3e200, math.nan, math.inf, -math.inf]
INTS = [0, 1, -1, 3, -7, 2**31, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)]
CALM = st.lists(st.none() | st.sampled_from([0.0, -0.0, 1.0, 0.1, 3.0, -2.5, 1e-310, 7.0]), max_size=12)
WILD = st.lists(st.none() | st.sampled_from(FLOATS), max_size=25)
VALUES = st.lists(CALM | WILD, max_size=4).map(lambda parts: [value for part in parts for value in part])
SIZES = st.sampled_from([1, 3, 7, 100])
WINDOWS = st.sampled_from([
    iw.rows(2, order_by="t"), iw.rows(5, order_by="t"), iw.rows(4, partition_by="k", order_by="t"), iw.unbounded(order_by="t"),
    iw.rows(3, order_by="t", slide=3), iw.range(2, order_by="t"), iw.rows_between(-1, 2, order_by="t"),
    iw.rows_between(-3, -2, order_by="t"), iw.rows(3, order_by="t", strategy="recompute"),
])  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patching:
        patching.setenv("INWINDOW_CACHE", str(tmp_path_factory.mktemp("compiled")))
        yield Path(os.environ["INWINDOW_CACHE"])


@contextmanager
def compiled_after(tuples: int) -> Iterator[None]:
    """In a process that has seen no class yet."""
    forgotten = {"_counts": {}, "_modules": {}, "_given_up": set()}
    with (
        patch.multiple(due, AFTER=tuples, AFTER_IF_ON_DISK=tuples, **forgotten),
        patch.object(numba_hooks, "_checked", set()),
    ):
        yield


class Looked(MyAvg, rebase=True):
    """Whose frames may be folded afresh."""


class Forgets(Decayed, rebase=True):
    """The same of many fields, with PUNT."""


class Marked(iw.WindowAggregate):
    """An infinity that is meant, beside floats that go up and down; fed by some tuples alone."""

    def __init__(self, scale):
        self.scale = scale

    def initialize(self, a, b):
        self.low, self.up, self.total, self.any = math.inf, 0.0, a * self.scale, a > b
        if b > 0:
            self.up = b

    def iterate(self, a, b):
        self.total += a * self.scale
        if b > 0:
            self.up += b
        if a > 1e12:
            self.low = min(self.low, a)
        self.any = self.any or a > b

    def expire(self, a, b):
        if a > 1e100:
            return iw.PUNT
        self.total -= a * self.scale
        if b > 0:
            self.up -= b
        return None

    def terminate(self) -> float:
        if self.any:
            return self.total + self.up
        return self.up - self.total if self.low > 1e15 else None


def table_of(**columns: tuple[list[Any], pa.DataType]) -> pa.Table:
    length = min(len(values) for values, _ in columns.values())
    arrays = {name: pa.array(values[:length], kind) for name, (values, kind) in columns.items()}
    keys = pa.array([at * at % 7 // 3 for at in range(length)])
    return pa.table({"t": pa.array(range(length), pa.int64()), "k": keys, **arrays}).sort_by([("k", "ascending")])


def outcome(table: pa.Table, size: int, aggregate: Any, columns: str, window: Any) -> list[str]:
    """The results to the last bit; or the error."""
    table = table if window.partition_by else table.sort_by("t")
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(size))
    try:
        made = iw.with_columns(reader, x=aggregate(*columns).over(window)).read_all()["x"].to_pylist()
        return [repr(x) for x in made]
    except iw.InWindowError as error:
        return [type(error).__name__, str(error)]


def both(tuples: int, *asked: Any) -> tuple[list[str], list[str]]:
    """What is given where the loop takes over after so many tuples, and by the Python hooks."""
    with compiled_after(tuples):
        ours = outcome(*asked)
    with compiled_after(NEVER):
        return ours, outcome(*asked)


AFTER = st.sampled_from([0, 1, 2, 3, 5, 8, 13, 20])


@given(AFTER, VALUES, SIZES, st.sampled_from([Looked(), Forgets(0.3), MyAvg(), Decayed(0.5)]), WINDOWS)
def test_floats(after: int, values: list[Any], size: int, aggregate: Any, window: Any) -> None:
    ours, theirs = both(after, table_of(v=(values, pa.float64())), size, aggregate, "v", window)
    assert ours == theirs


@given(AFTER, VALUES, VALUES, SIZES, WINDOWS)
def test_fields_that_are_meant_to_be_infinite(after: int, a: list[Any], b: list[Any], size: int, window: Any) -> None:
    table = table_of(a=(a, pa.float64()), b=(b, pa.float64()))
    ours, theirs = both(after, table, size, Marked(2.0), "ab", window)
    assert ours == theirs


@given(AFTER, st.lists(st.none() | st.sampled_from(INTS) | st.integers(-5, 5), max_size=30), SIZES, WINDOWS)
def test_integers_of_any_size(after: int, values: list[Any], size: int, window: Any) -> None:
    ours, theirs = both(after, table_of(v=(values, pa.int64())), size, Looked(), "v", window)
    assert ours == theirs


@given(AFTER, VALUES, st.lists(st.none() | st.integers(-5, 5), max_size=30),
       st.lists(st.none() | st.sampled_from(INTS), max_size=30), SIZES, WINDOWS)  # fmt: skip
def test_where_integers_and_floats_meet(
    after: int, x: list[Any], i: list[Any], j: list[Any], size: int, window: Any
) -> None:
    table = table_of(x=(x, pa.float64()), i=(i, pa.int64()), j=(j, pa.int64()))
    ours, theirs = both(after, table, size, Arithmetic(), "xij", window)
    assert ours == theirs
