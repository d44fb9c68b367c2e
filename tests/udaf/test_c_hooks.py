"""A ``cdef class`` as a user writes it: the template project builds, and gives what the same class in Python gives."""

import copy
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.c_project import built, imported
from samples.replays import replayed

import inwindow as iw
from inwindow.runtime.stream.replay_stream import Stream
from inwindow.testing import replay
from inwindow.testing.steps import expression_of
from inwindow.udaf.compiled.c_hooks import with_hooks

FLOATS = st.none() | st.sampled_from([0.0, -0.0, 1.0, 0.1, 3.0, -7.25, 1e300, math.nan, math.inf, -math.inf])
WINDOWS = [
    iw.rows(3, order_by="t"), iw.unbounded(order_by="t"), iw.range(2, order_by="t"),
    iw.rows(2, order_by="t", slide=3), iw.rows_between(-1, 2, order_by="t"), iw.rows_between(-3, -2, order_by="t"),
]  # fmt: skip


class PyAvg(iw.WindowAggregate):
    """As MyAvg in examples/compiled_project."""

    def initialize(self, value):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def expire(self, value):
        if not math.isfinite(self.total):
            return iw.PUNT
        self.total -= value
        self.count -= 1
        return None

    def terminate(self) -> float:
        return self.total / self.count

    def merge(self, later):
        self.total += later.total
        self.count += later.count


class PyDecayed(iw.Aggregate):
    """As Decayed."""

    def __init__(self, half_life):
        self.factor, self.total = math.exp(-0.6931471805599453 / half_life), 0.0

    def iterate(self, value):
        self.total = self.total * self.factor + value

    def terminate(self) -> float:
        return self.total


@pytest.fixture(scope="module")
def c(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return imported(tmp_path_factory.mktemp("c"))


def same(one: Any, other: Any) -> bool:
    """To the last bit."""
    return list(map(repr, one)) == list(map(repr, other))


@given(st.lists(FLOATS, max_size=30), st.sampled_from(WINDOWS), st.sampled_from([1, 7, 100]))
def test_every_bit_is_that_of_the_python_class(
    c: ModuleType, values: list[float | None], window: Any, size: int
) -> None:
    table = pa.table({"t": pa.array(range(len(values)), pa.int64()), "v": pa.array(values, pa.float64())})
    for mine, its in ((c.MyAvg(), PyAvg()), (c.Decayed(2.5), PyDecayed(2.5))):
        given, expected = (
            iw.with_columns(
                pa.RecordBatchReader.from_batches(table.schema, table.to_batches(size)), x=a("v").over(window)
            )
            for a in (mine, its)
        )
        assert same(given.read_all()["x"].to_pylist(), expected.read_all()["x"].to_pylist())


def test_extents_filters_and_keys(c: ModuleType) -> None:
    table = pa.table({"k": [0, 1] * 50, "t": range(100), "v": [math.sin(i) for i in range(100)]})
    for extent in (iw.tumble("t", size=10), iw.hop("t", size=20, every=5), iw.session("t", gap=2)):
        given, expected = (
            iw.group_by(table, "k").window(extent).agg(x=a("v").filter(pa.compute.field("v") > 0))
            for a in (c.MyAvg(), PyAvg())
        )
        assert given.drop(["x"]).equals(expected.drop(["x"]))
        assert given["x"].to_pylist() == pytest.approx(expected["x"].to_pylist(), abs=1e-12)  # delta here, panes there


@pytest.mark.parametrize("strategy", ["pane-cascade", "two-stacks", "delta", "recompute"])
def test_every_strategy(c: ModuleType, strategy: str) -> None:
    table = pa.table({"v": [math.sin(i) if i % 7 else None for i in range(100)]})
    given, expected = (
        iw.with_columns(table, x=a("v").over(iw.rows(10, slide=5), strategy=strategy))["x"].to_pylist()
        for a in (c.MyAvg(), PyAvg())
    )
    assert same(given, expected)


def test_several_columns_null_results_and_integers(c: ModuleType) -> None:
    table = pa.table({"p": [1.0, 3.0, 5.0, None], "n": pa.array([0, 1, 3, 4], pa.int32())})
    made = iw.with_columns(table, a=c.Vwap()("p", "n").over(iw.rows(2)), b=c.Odd()("n").over(iw.rows(2)))
    assert made["a"].to_pylist() == [None, 3.0, 4.5, 5.0] and made["b"].to_pylist() == [0, 1, 2, 1]
    assert made["b"].type == pa.int64()
    empty = iw.with_columns(table, b=c.Odd()("n").over(iw.rows_between(-3, -3)))["b"].to_pylist()
    assert empty == [0, 0, 0, 0]


def test_states_go_on_elsewhere(c: ModuleType) -> None:
    table = pa.table({"t": range(40), "k": [0, 1] * 20, "v": [math.sin(i) for i in range(40)]})
    k: Any = {"partition_by": "k", "order_by": "t"}
    batches = [table.slice(0, 13), table.slice(13, 14), table.slice(27)]
    for window in (iw.unbounded(**k), iw.rows(3, **k), iw.range(5, **k)):
        given, expected = (
            replay(batches, lambda df, a=a, w=window: iw.with_columns(df, x=a("v").over(w)), until=1000).table.sort_by(
                "t"
            )
            for a in (c.MyAvg(), PyAvg())
        )
        assert given.equals(expected)


def test_states_are_data_and_parameters_are_the_querys(c: ModuleType) -> None:
    table = pa.table({"t": range(40), "k": [0, 1] * 20, "v": [math.sin(i) for i in range(40)]})
    batches = [table.slice(start, 8) for start in range(0, 40, 8)]
    window = iw.unbounded(partition_by="k", order_by="t")
    for mine, plain in ((c.MyAvg(), PyAvg()), (c.Decayed(2.0), PyDecayed(2.0))):
        with patch.object(pickle, "dumps", side_effect=AssertionError("pickled")):
            given = replayed(batches, lambda df, a=mine: iw.with_columns(df, x=a("v").over(window)), True, until=1000)
        expected = iw.with_columns(table, x=plain("v").over(window))
        assert same(given.table.sort_by("t")["x"].to_pylist(), expected.sort_by("t")["x"].to_pylist())

    def bucket(half_life: float) -> Any:
        applied = {"x": c.Decayed(half_life)("v").over(window)}
        return iw.with_columns(Stream(table.schema), **applied).bucket()

    bucket(2.0).restore(bucket(2.0).state())
    with pytest.raises(iw.StateError, match="the parameter it of x"):
        bucket(3.0).restore(bucket(2.0).state())


def test_copies_pickles_and_their_names(c: ModuleType) -> None:
    decayed = c.Decayed(2.0)
    for again in (copy.deepcopy(decayed), pickle.loads(pickle.dumps(decayed))):
        assert repr(again) == repr(decayed) != repr(c.Decayed(3.0))
    table = pa.table({"v": [1.0, 2.0]})
    code = "import pickle, sys, inwindow as iw, pyarrow as pa\nw = pickle.load(sys.stdin.buffer)\n"
    code += "print(iw.with_columns(pa.table({'v': [1.0, 2.0]}), x=w('v').over(iw.rows(2)))['x'].to_pylist())"
    path = os.pathsep.join([str(Path(iw.__file__).parent.parent), str(Path(c.__file__).parent)])
    run = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(decayed), env={**os.environ, "PYTHONPATH": path},
                         capture_output=True, check=True)  # fmt: skip
    assert run.stdout.decode().strip() == str(iw.with_columns(table, x=decayed("v").over(iw.rows(2)))["x"].to_pylist())


def test_errors_name_the_hook_and_the_tuple(c: ModuleType) -> None:
    table = pa.table({"k": [7, 7], "t": [1, 2], "p": [1.0, 2.0], "n": [1.0, -3.0]})
    with pytest.raises(iw.HookError) as raised:
        iw.with_columns(table, x=c.Vwap()("p", "n").over(iw.rows(2, partition_by="k", order_by="t")))
    assert str(raised.value).startswith(
        "Vwap.iterate(2.0, -3.0) raised ValueError: a negative volume\n  in Vwap(p, n), at k=7, t=2"
    )
    with pytest.raises(iw.UsageError) as refused:
        iw.explain(pa.table({"p": ["a"]}), x=c.MyAvg()("p").over(iw.rows(2)))
    assert str(refused.value) == "MyAvg(p): the C hooks of MyAvg take floats and integers, not string: cast the column"
    with pytest.raises(iw.UsageError, match="the C hooks of Odd take integers of at most 64 bits, not double"):
        iw.explain(table, x=c.Odd()("p").over(iw.rows(2)))

    class Mine(c.MyAvg):  # type: ignore[name-defined, misc]
        def iterate(self, value: float) -> None: ...

    with pytest.raises(
        iw.DefinitionError, match=r"Mine.iterate is a Python method, .*: write `cdef ... iterate\(self, ...\)`"
    ):
        Mine()("p")


def test_counterexamples_can_be_pasted(c: ModuleType) -> None:
    for one in (c.MyAvg(), c.Decayed(2.5)):
        text = expression_of(with_hooks(one))
        again = eval(text, {"with_hooks": with_hooks, "pickle": pickle, "MyAvg": c.MyAvg})
        assert repr(again.it) == repr(one), text


def test_explain_says_what_runs(c: ModuleType) -> None:
    table = pa.table({"v": [1.0]})
    assert "runs      compiled: C hooks of MyAvg, a cdef class" in str(
        iw.explain(table, x=c.MyAvg()("v").over(iw.rows(2)))
    )
    slide = str(iw.explain(table, x=c.MyAvg()("v").over(iw.rows(10, slide=2))))
    assert (
        "strategy  delta" in slide and "also      pane-cascade: possible too" in slide and "compiled: C hooks" in slide
    )
    panes = str(iw.explain(table, x=c.MyAvg()("v").over(iw.rows(10, slide=2), strategy="pane-cascade")))
    assert (
        "pane-cascade" in panes
        and "Python hooks of MyAvg, called from Cython; not compiled: pane-cascade has no compiled loop" in panes
    )


def test_the_project_keeps_its_own_promises(tmp_path: Path, c: ModuleType) -> None:
    project = built(Path(c.__file__).parent.parent)
    path = os.pathsep.join([str(Path(iw.__file__).parent.parent), str(project)])
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(project), str(project)],
                         env={**os.environ, "PYTHONPATH": path}, cwd=tmp_path, capture_output=True, text=True)  # fmt: skip
    assert run.returncode == 0, run.stdout
