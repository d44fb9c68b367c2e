"""A task's tuples in any order, and results back: in memory and over runs on disk, of every type that can be ordered."""

import datetime as dt
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.planning import plan_windows
from inwindow.runtime import scratch
from inwindow.runtime.arrivals import ROW, ROW_FIELD, Arrivals, Results, numbered
from inwindow.runtime.memory_budget import allowed, bytes_of
from inwindow.runtime.row_operators import WithColumns
from inwindow.runtime.scratch import ScratchFile, Spool
from inwindow.windows.reference_order import Row, in_order
from inwindow.windows.spec import Order

DAY = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
KINDS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "integer": (pa.int64(), st.integers(-3, 3)),
    "small": (pa.int8(), st.integers(-128, 127)),
    "large": (pa.uint64(), st.sampled_from([0, 1, 2**63, 2**64 - 1])),
    "real": (pa.float64(), st.sampled_from([0.0, -0.0, 1.5, -2.5, float("inf"), float("nan")])),
    "text": (pa.string(), st.text("aé\x00", max_size=3)),
    "bytes": (pa.binary(), st.binary(max_size=2)),
    "cents": (pa.decimal128(10, 2), st.integers(-300, 300).map(lambda n: Decimal(n) / 100)),
    "wide": (pa.decimal128(38, 0), st.sampled_from([Decimal(n) for n in (-(10**37), 0, 7, 10**37)])),
    "day": (pa.date32(), st.integers(0, 9).map(lambda n: DAY.date() + dt.timedelta(n))),
    "instant": (pa.timestamp("us", "UTC"), st.integers(0, 9).map(lambda n: DAY + dt.timedelta(seconds=n))),
    "flag": (pa.bool_(), st.booleans()),
    "pair": (
        pa.struct([("a", pa.int64()), ("b", pa.string())]),
        st.fixed_dictionaries({"a": st.none() | st.integers(0, 1), "b": st.none() | st.sampled_from("xy")}),
    ),
    "listed": (pa.list_(pa.float64()), st.lists(st.sampled_from([0.0, -0.0, 1.0, float("nan")]), max_size=2)),
}  # fmt: skip


@st.composite
def tasks(draw: st.DrawFn) -> tuple[pa.Table, Pass, int]:
    """Tuples with NULLs and ties, what to order them by, and how many come at a time."""
    keys = draw(st.lists(st.sampled_from(list(KINDS)), max_size=2, unique=True))
    orders = draw(st.lists(st.sampled_from(list(KINDS)), max_size=2, unique=True))
    rows = draw(st.integers(1, 60))
    columns = {
        name: pa.array(draw(st.lists(st.none() | KINDS[name][1], min_size=rows, max_size=rows)), KINDS[name][0])
        for name in dict.fromkeys([*keys, *orders])
    }
    by = tuple(Order(name, draw(st.booleans()), draw(st.booleans())) for name in orders)
    table = pa.table({**columns, "id": pa.array(range(rows))})
    return table, Pass(tuple(keys), by, (), None, None, False), draw(st.integers(1, 20))


def ordered(table: pa.Table, work: Pass, size: int, budget: int) -> tuple[list[int], list[int]]:
    """The rows in order, and as they come back."""
    spilled: list[int] = []
    arrivals = Arrivals(work, budget, spilled.append)
    for batch in numbered(table.to_batches(max_chunksize=size)):
        arrivals.add(batch)
    given = [batch.select([ROW, "id"]) for batch in arrivals.in_order()]
    assert (arrivals.runs is not None) == bool(spilled)
    results = Results(given[0].schema, arrivals.rows, budget, spilled.append)
    for batch in given:
        results.add(batch)
    back = [value for batch in results.in_order_of_arrival() for value in batch.column(0).to_pylist()]
    return [value for batch in given for value in batch["id"].to_pylist()], back


@given(tasks(), st.sampled_from([40, 200, 900]))
def test_runs_on_disk_are_the_order_in_memory(task: tuple[pa.Table, Pass, int], budget: int) -> None:
    table, work, size = task
    whole, back = ordered(table, work, size, 1 << 30)
    in_runs, back_from_disk = ordered(table, work, size, budget)
    assert in_runs == whole
    assert back == back_from_disk == list(range(len(table)))


@given(tasks(), st.sampled_from([100, 1 << 30]))
def test_equal_keys_are_one_stretch_in_the_order_of_the_definition(
    task: tuple[pa.Table, Pass, int], budget: int
) -> None:
    table, work, size = task
    rows = table.to_pylist()
    order, _ = ordered(table, work, size, budget)
    keys = [repr([rows[at][name] for name in work.partition_by]).replace("-0.0", "0.0") for at in order]
    begins = [at for at in range(len(keys)) if at == 0 or keys[at - 1] != keys[at]]
    assert len(begins) == len(set(keys))
    for begin, end in zip(begins, [*begins[1:], len(keys)], strict=True):
        its = [Row((*(rows[at][o.column] for o in work.order_by),), (at,)) for at in sorted(order[begin:end])]
        assert order[begin:end] == [row.args[0] for row in in_order(its, work.order_by)]


def test_results_over_many_levels_of_runs() -> None:
    """More runs than are merged at once, and results that are larger than the tuples."""
    rows = 47_500
    draws = np.random.default_rng(5)
    table = pa.table({"k": draws.integers(0, 3, rows), "t": draws.permutation(rows), "v": draws.random(rows)})
    window = iw.rows(30, partition_by="k", order_by="t")
    applied = {"s": iw.sum("v").over(window), "l": iw.collect_list("t").over(window)}
    (work,) = plan_windows(table.schema, applied)
    arrivals = Arrivals(work, 15_000, lambda _: None)
    for batch in numbered(table.to_batches(max_chunksize=500)):
        arrivals.add(batch)
    assert arrivals.runs is not None and [len(level) for level in arrivals.runs.levels] == [31, 2]
    operator = WithColumns(work, table.schema.append(ROW_FIELD), (ROW,))
    results = Results(operator.schema, rows, 15_000, lambda _: None)
    for batch in operator.over(arrivals.in_order()):
        results.add(batch)
    given = pa.Table.from_batches(results.in_order_of_arrival())
    assert given == iw.with_columns(table, **applied).select(["s", "l"]).cast(given.schema)


def test_tuples_in_order_are_given_on_as_they_came() -> None:
    table = pa.table({"k": [1, 1, 2], "t": [1, 2, 1]})
    arrivals = Arrivals(Pass(("k",), (Order("t"),), (), None, None, False), 1 << 20, lambda _: None)
    for batch in table.to_batches(max_chunksize=2):
        arrivals.add(batch)
    (given,) = arrivals.in_order()
    assert arrivals.in_place and given.to_pydict() == table.to_pydict()


def test_nothing_comes_of_nothing() -> None:
    arrivals = Arrivals(Pass(("k",), (), (), None, None, False), 1 << 20, lambda _: None)
    assert list(arrivals.in_order()) == []
    assert list(Results(pa.schema([ROW_FIELD]), 0, 1 << 20, lambda _: None).in_order_of_arrival()) == []


# Files


def test_a_killed_process_leaves_no_file(tmp_path: Path) -> None:
    script = (
        "import os, pyarrow as pa; from inwindow.runtime.scratch import ScratchFile\n"
        "file = ScratchFile(pa.schema([('v', pa.int64())])); file.write(pa.record_batch({'v': pa.array(range(100000))}))\n"
        "assert file.written == 800000; os.kill(os.getpid(), 9)"
    )
    its = {**os.environ, "SPARK_LOCAL_DIRS": str(tmp_path)}
    assert subprocess.run([sys.executable, "-c", script], env=its, check=False).returncode == -9
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """/dev/full takes nothing."""
    monkeypatch.setattr(scratch, "_made", lambda: open("/dev/full", "w+b", buffering=0))  # noqa: SIM115
    with pytest.raises(iw.ScratchError, match=r"took 0 MB of a file and then no more .*spark\.inwindow\.memory"):
        ScratchFile(pa.schema([("v", pa.int64())])).write(pa.record_batch({"v": pa.array(range(100_000))}))


def test_a_folder_that_takes_no_file_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "folder", lambda: "/nowhere")
    with pytest.raises(iw.ScratchError, match="no file can be made in the scratch folder /nowhere"):
        ScratchFile(pa.schema([("v", pa.int64())]))


def test_a_spool_gives_back_what_it_was_given() -> None:
    table = pa.table({"v": range(1000), "s": [f"row {number}" for number in range(1000)]})
    for budget in (1, 5000, 1 << 20):
        spool = Spool(table.schema, budget, lambda _: None)
        for batch in table.to_batches(max_chunksize=90):
            spool.add(batch)
        assert pa.Table.from_batches(spool.batches()) == table


# The budget


@pytest.mark.parametrize("text", ["", "much", "64 apples", "-1g", "1k", "0"])
def test_a_size_that_is_none(text: str) -> None:
    with pytest.raises(iw.UsageError, match=r"spark\.inwindow\.memory=.* is not a size of at least 1m"):
        bytes_of(text)


def test_the_budget_is_a_share_of_what_spark_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    assert allowed(5) == 5
    assert allowed(None) == 64 << 20
    monkeypatch.setenv("PYSPARK_EXECUTOR_MEMORY_MB", "1024")
    assert allowed(None) == 128 << 20
    monkeypatch.setenv("PYSPARK_EXECUTOR_MEMORY_MB", "-1")
    assert allowed(None) == 64 << 20
