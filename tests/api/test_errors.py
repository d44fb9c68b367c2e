"""Bad input gets a clear error, on the caller's side: what the user wrote, the exception, its whole message.

The tables are in ``tests/bad/``, one file per way of going wrong; ``test_odd_input.py`` tries what is in no table.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from bad import (
    aggregate_expressions,
    aggregate_forms,
    aggregate_statements,
    built_ins,
    calls,
    checks,
    classes,
    columns,
    compiled,
    drawings,
    extents,
    frames,
    guesses,
    hooks,
    keywords,
    on_errors,
    over,
    pairs,
    places,
    points,
    results,
    saved,
    scopes,
    scripts,
    sentinels,
    sessions,
    statements,
    stream_states,
    streams,
    temporal,
    temporal_windows,
    watermarks,
)
from bad.input import TABLE, Bad, MyAvg

import inwindow as iw

TABLES = (
    classes,
    keywords,
    guesses,
    frames,
    scopes,
    sentinels,
    on_errors,
    points,
    streams,
    stream_states,
    watermarks,
    extents,
    saved,
    temporal,
    temporal_windows,
    sessions,
    columns,
    pairs,
    places,
    calls,
    built_ins,
    compiled,
    hooks,
    results,
    statements,
    over,
    aggregate_expressions,
    aggregate_forms,
    aggregate_statements,
    scripts,
    drawings,
    checks,
)
ROWS = [
    pytest.param(row, id=f"{table.__name__.removeprefix('bad.')}: {row.what}") for table in TABLES for row in table.ROWS
]


def plain(message: str) -> str:
    """Without the numbers of lines, the folders of files, and the marks that Python puts under a line."""
    lines = [line for line in message.split("\n") if line.strip("~^ ")]
    return re.sub(r'File ".*?(\w+\.py)", line \d+', r'File "\1"', "\n".join(lines))


@pytest.mark.parametrize("row", ROWS)
def test_message(row: Bad) -> None:
    with pytest.raises(iw.InWindowError) as caught:
        outcome = row.call()
        if isinstance(outcome, pa.RecordBatchReader):
            outcome.read_all()
    assert plain(str(caught.value)) == plain(row.message)
    assert type(caught.value) is row.error


@pytest.mark.parametrize("row", ROWS)
def test_nothing_of_ours_shows(row: Bad) -> None:
    with pytest.raises(iw.InWindowError) as caught:
        row.call()
    message = str(caught.value)
    assert not re.search(r"0x[0-9a-f]{6}|/(runtime|udaf|windows|optimizer|native)/|\.pyx", message)
    assert len(message) < 1000
    # "During handling of the above exception, ..." would bring back what the message has left out.
    assert caught.value.__context__ is None or caught.value.__suppress_context__


# Completeness: what the code can say is tried above, or has its cause and fix on the page

ROOT = Path(__file__).parents[2]
ROOMS = ("api", "udaf", "windows", "optimizer", "native", "runtime", "temporal", "language", "testing", "commands")
RAISED = {name for name in dir(iw) if name.endswith("Error")} | {"StatementError", "NotAppliedError"}
SAYS = {"error", "_error"}  # methods of readers of text, which add the place


def said_in(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The messages of a file: lines, and the literal parts of each that are longer than a word or two."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        if getattr(node.func, "id", None) in RAISED or getattr(node.func, "attr", None) in SAYS:
            words = [part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)]
            parts = [" ".join(part.split()) for part in words if isinstance(part, str)]
            yield node.lineno, [part for part in parts if len(part) >= 12]


def test_every_message_is_tried_or_explained() -> None:
    """A new message needs a row in a table of ``bad/``, or one on the page of errors that quotes a part of it."""
    listed = " ".join(" ".join(row.values[0].message for row in ROWS).split())
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    quoted = [part for part in re.findall(r"`([^`\n]{10,})`", page) if " " in part]
    missing = []
    for file in (file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))):
        if file.name.startswith("reference"):  # the definition is for tests
            continue
        for line, parts in said_in(file):
            longest = max(parts, key=len, default="")
            if longest not in listed and not any(one in part for one in quoted for part in parts):
                missing.append(f"{file.relative_to(ROOT)}:{line}: {longest}")
    assert missing == []


def test_every_kind_of_error_has_its_section() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    kinds = [name for name in iw.__all__ if name.endswith("Error") and name != "InWindowError"]
    assert [name for name in kinds if not re.search(rf"^###? {name}: ", page, re.MULTILINE)] == []


# What is no error: numpy's numbers are numbers


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint16])
def test_numpy_integers_count(kind: Any) -> None:
    three, one = kind(3), kind(1)
    assert iw.rows(three, lag=one, slide=three) == iw.rows(3, lag=1, slide=3)
    assert iw.rows_between(-int(three), one) == iw.rows_between(-3, 1)
    assert iw.range(three, lag=one, slide=one, order_by="t") == iw.range(3, lag=1, slide=1, order_by="t")
    assert iw.tumble("t", rows=three) == iw.tumble("t", rows=3)
    assert iw.hop("t", size=three, every=one) == iw.hop("t", size=3, every=1)
    over = iw.landmark(since=three, order_by="t")
    assert over_table(over) == over_table(iw.landmark(since=3, order_by="t"))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_numpy_floats_are_numbers(kind: Any) -> None:
    assert iw.range(kind(2.5), slide=kind(0.5), order_by="price") == iw.range(2.5, slide=0.5, order_by="price")
    assert over_table(iw.landmark(since=kind(2.5), order_by="price")) == over_table(
        iw.landmark(since=2.5, order_by="price")
    )
    assert over_table(iw.scope(lower=lambda t: kind(t / 2), order_by="t")) == over_table(
        iw.scope(lower=lambda t: t / 2, order_by="t")
    )


def test_numpy_times_are_times() -> None:
    assert iw.range(np.timedelta64(5, "m"), order_by="ts") == iw.range("5 minutes", order_by="ts")
    assert iw.range(np.timedelta64(2, "Y"), order_by="ts") == iw.range("2 years", order_by="ts")
    assert iw.tumble("ts", size=np.timedelta64(1, "D")) == iw.tumble("ts", size="1 day")
    assert over_table(iw.landmark(since=np.datetime64("2026-03-01T12:00:05"), order_by="ts")) == over_table(
        iw.landmark(since="2026-03-01 12:00:05", order_by="ts")
    )


@pytest.mark.parametrize(("value", "returns"), [(np.int32(3), int), (np.float32(3), float), (np.int64(3), "smallint")])
def test_numpy_numbers_are_results(value: Any, returns: Any) -> None:
    assert results.gives(value, returns)["a"].to_pylist() == [3] * 4


def over_table(window: Any) -> list[Any]:
    return iw.with_columns(TABLE, a=MyAvg()("price").over(window))["a"].to_pylist()


# A landmark, or a scope's value, between two values of the column is taken as it is


def test_between_two_values() -> None:
    assert over_table(iw.landmark(since=4.5, order_by="t")) == over_table(iw.landmark(since=5, order_by="t"))
    assert over_table(iw.landmark(until=5.5, order_by="t")) == over_table(iw.landmark(until=5, order_by="t"))
    downwards = iw.landmark(since=5.5, order_by=iw.desc("t"))
    assert over_table(downwards) == over_table(iw.landmark(since=5, order_by=iw.desc("t")))
    halves = iw.scope(lower=lambda t: t / 2, upper=lambda t: t - 0.5, order_by="t")
    assert over_table(halves) == [None, 1.0, None, 6.0]


def test_as_many_tuples_as_you_like() -> None:
    assert over_table(iw.rows(10**30)) == over_table(iw.unbounded())
    assert over_table(iw.rows_between(10**30, None)) == [None] * 4
    assert over_table(iw.range(10**30, order_by="t")) == over_table(iw.unbounded(order_by="t"))
    assert over_table(iw.range("9999999 years", order_by="ts")) == over_table(iw.unbounded(order_by="ts"))


# String views, as Polars gives them, are strings


def test_string_views() -> None:
    table = pa.table({"item": pa.array(["a", "b", "a"], pa.string_view()), "n": [1, 2, 3]})
    assert iw.group_by(table, "item").agg(n=iw.max("n")).to_pylist() == [{"item": "a", "n": 3}, {"item": "b", "n": 2}]
    ordered = iw.with_columns(table.to_reader(), last=iw.last("item").over(iw.rows(1))).read_all()
    assert ordered["last"].to_pylist() == ["a", "b", "a"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [pa.dictionary(pa.int8(), pa.string()), pa.large_string(), pa.binary()])
def test_orders_without_distances(kind: pa.DataType) -> None:
    table = pa.table({"item": pa.array(["b", "a", None]).cast(kind), "n": [1, 2, 3]})
    last = iw.with_columns(table, last=iw.last("n").over(iw.range_between(None, None, order_by=iw.desc("item"))))
    assert last["last"].to_pylist() == [3, 3, 3]


class Inverses(iw.Aggregate):
    """Its panes are folded as tuples arrive, before there is an extent to give out."""

    def initialize(self, v):
        self.n = 1 / v

    def iterate(self, v):
        self.n += 1 / v

    def merge(self, later):
        self.n += later.n

    def terminate(self) -> float:
        return self.n


def test_an_error_in_a_pane_is_told_with_its_tuple() -> None:
    table = pa.table({"t": [1, 2, 3, 9], "v": [1.0, 0.0, 2.0, 3.0]})
    with pytest.raises(iw.HookError, match=r"Inverses.initialize\(0.0\) raised ZeroDivisionError(.|\n)*at t=2"):
        iw.group_by(table).window(iw.hop("t", size=4, every=2)).agg(x=Inverses()("v"))
