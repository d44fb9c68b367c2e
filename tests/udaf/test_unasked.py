"""Plain classes are compiled without being asked: when, and that no bit differs, wherever in the tuples the loop takes over."""

import logging
import math
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.numba_classes import Arithmetic, Decayed, MyAvg

import inwindow as iw
from inwindow.optimizer.planning import plan_windows
from inwindow.runtime.compiled_hooks import NumbaEvaluator
from inwindow.runtime.row_operators import WithColumns
from inwindow.udaf.compiled import due, numba_hooks
from inwindow.udaf.compiled import unasked as unasked_module

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


# When, and where not


def runs(aggregate: Any, window: Any = None, columns: str = "v") -> str:
    """What explain says that runs."""
    table = table_of(v=([1.0], pa.float64()), i=([1], pa.int64()), s=(["x"], pa.string()))
    over = window or iw.rows(2, order_by="t")
    return iw.explain(table, x=aggregate(*columns).over(over)).as_data()["passes"][0]["results"][0]["runs"]


class Evaluators(list[Any]):
    """Those that are made while it is there, and whether their loops have the state."""

    def __enter__(self) -> "Evaluators":
        made = NumbaEvaluator.__init__

        def init(evaluator: Any, *given: Any, **named: Any) -> None:
            made(evaluator, *given, **named)
            self.append(evaluator)

        self.patch = patch.object(NumbaEvaluator, "__init__", init)
        self.patch.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self.patch.stop()

    @property
    def loops(self) -> list[bool]:
        return [one.is_loops for one in self]


FEW = table_of(v=([1.0, 2.0, 4.0, 3.0] * 25, pa.float64()))


def test_tuples_are_counted_over_calls_and_by_class() -> None:
    ours, others = MyAvg()("v").over(iw.rows(2)), Looked()("v").over(iw.rows(2))
    with compiled_after(250), Evaluators() as made:
        for _ in range(4):
            iw.with_columns(FEW, x=ours)
        iw.with_columns(FEW, x=others)
    assert made.loops == [False, False, False, True, False]  # it is looked at as a batch comes


def test_from_the_cache_it_comes_sooner(folder: Path) -> None:
    code = """
import sys, numpy as np, pyarrow as pa, inwindow as iw
sys.path.insert(0, %r)
from samples.numba_classes import MyAvg
from inwindow.udaf.compiled import due
due.AFTER, before = int(sys.argv[1]), due.loaded
due.loaded = lambda source: print("loaded after", due._counts[source]) or before(source)
iw.with_columns(pa.table({"v": np.arange(400_000.0)}), x=MyAvg()("v").over(iw.rows(3)))
print("numba" in sys.modules)
"""
    path = os.pathsep.join([str(Path(iw.__file__).parent.parent), str(Path(__file__).parents[1])])

    def printed(after: int) -> list[str]:
        command = [sys.executable, "-c", code % str(Path(__file__).parents[1]), str(after)]
        run = subprocess.run(command, capture_output=True, text=True, check=True,
                             env={**os.environ, "PYTHONPATH": path, "INWINDOW_CACHE": str(folder / "sooner")})  # fmt: skip
        return run.stdout.splitlines()

    assert printed(NEVER) == ["False"]
    first, second = printed(300_000), printed(NEVER)
    assert first[0] > "loaded after 3" and second[0] < "loaded after 2" and first[1:] == second[1:] == ["True"]


class Declined(MyAvg, compile=False):
    """Who has written so, and what is derived from it."""


class Declining(Declined):
    pass


class Texts(iw.Aggregate):
    def initialize(self, v):
        self.longest = v

    def iterate(self, v):
        self.longest = max(self.longest, v, key=len)

    def terminate(self) -> str:
        return self.longest


class Widens(iw.Aggregate, derive=False):
    """An int that becomes a float."""

    def initialize(self, v):
        self.total = 0

    def iterate(self, v):
        self.total += v

    def terminate(self) -> float:
        return self.total


def test_explain_says_what_runs_and_why() -> None:
    compiled = "called from Cython; compiled by numba after 1,000,000 tuples"
    assert runs(MyAvg()) == f"Python hooks of MyAvg, {compiled}"
    assert runs(MyAvg(), columns="i") == f"Python hooks of MyAvg, {compiled}"
    for aggregate, columns, why in (
        (Declined(), "v", "compile=False"),
        (Declining(), "v", "compile=False"),
        (
            Widens(),
            "v",
            f"iterate, line {Widens.iterate.__code__.co_firstlineno + 1}, `self.total`: self.total is an int",
        ),
        (Texts(), "s", "its result is string, and compiled hooks give a double or a bigint"),
    ):
        window = iw.unbounded(order_by="t")
        assert f"called from Cython; not compiled: {why}" in runs(aggregate, window, columns)
    assert runs(MyAvg(), iw.rows(2, order_by="t"), "s").endswith("integers of at most 64 bits, not string")
    with patch.object(unasked_module, "numba_version", lambda: None):
        assert runs(MyAvg()).endswith("not compiled: numba is not installed")


def test_what_is_declined_stays() -> None:
    with compiled_after(0), Evaluators() as made:
        iw.with_columns(FEW, x=Declined()("v").over(iw.rows(2)), y=Widens()("v").over(iw.unbounded()))
    assert not made
    with pytest.raises(iw.UsageError, match="Declined is declared with compile=False: drop one of the two"):
        iw.compiled(Declined())


class Inverses(iw.WindowAggregate):
    def initialize(self, v):
        self.total = 1.0 / v

    def iterate(self, v):
        self.total += 1.0 / v

    def expire(self, v):
        self.total -= 1.0 / v

    def terminate(self) -> float:
        return self.total


@pytest.mark.parametrize("after", [0, 3, 30])
def test_errors_are_those_of_the_hooks(after: int) -> None:
    """The hook, its arguments, the key and the row."""
    table = table_of(v=([2.0] * 11 + [0.0] + [2.0] * 11, pa.float64()))
    ours, theirs = both(after, table, 5, Inverses(), "v", iw.rows(3, partition_by="k", order_by="t"))
    assert ours == theirs and ours[0] == "HookError"
    assert "ZeroDivisionError" in ours[1] and "(0.0)" in ours[1] and "k=" in ours[1].replace(" ", "")


def _scaled(scale: float, name: str = "Scaled") -> Any:
    class Scaled(iw.Aggregate):
        def iterate(self, v):
            self.total = v * scale

        def initialize(self, v):
            self.total = v * scale

        def terminate(self) -> float:
            return self.total

    return Scaled


def test_classes_of_one_name_and_code_have_programs_of_their_own() -> None:
    with compiled_after(0):
        given = [iw.with_columns(FEW, x=_scaled(by)()("v").over(iw.unbounded()))["x"][1].as_py() for by in (2.0, 3.0)]
    assert given == [4.0, 6.0]


def test_a_class_that_has_changed_is_read_anew() -> None:
    kind = _scaled(2.0)
    window = iw.unbounded(order_by="t")
    with compiled_after(0), Evaluators() as made:
        assert outcome(FEW, 100, kind(), "v", window)[:2] == ["2.0", "4.0"]
        kind.iterate = kind.initialize = _scaled(5.0).iterate
        kind.initialize.__name__ = "iterate"
        assert outcome(FEW, 100, kind(), "v", window)[:2] == ["5.0", "10.0"]
    assert made.loops[:1] == [True]


def test_where_the_hooks_are_others_they_run() -> None:
    """A plan that was made of another version of the class, as a worker may have it."""
    kind = _scaled(2.0)
    (work,) = plan_windows(FEW.schema, {"x": kind()("v").over(iw.unbounded(order_by="t"))})
    kind.iterate = kind.initialize = _scaled(5.0).iterate
    with compiled_after(0), Evaluators() as made:
        operator = WithColumns(work, FEW.schema, [])
        assert operator.process(FEW.combine_chunks().to_batches()[0]).column(0)[1].as_py() == 10.0
    assert made.loops == [False]


def test_states_are_those_of_the_python_hooks() -> None:
    """Taken up by whatever runs there, in the midst of what has to be looked after."""
    values = [1.0, 1e16, 2.0, 3.0, math.nan, 1.0, 4.0, 1e17, 5.0, 0.1, 0.2, 0.3, math.inf, 1.0, 2.0, 3.0, 4.0, 5.0]
    table = table_of(v=(values, pa.float64())).sort_by("t").combine_chunks()
    (work,) = plan_windows(table.schema, {"x": Looked()("v").over(iw.rows(3, order_by="t"))})

    def run(kinds: list[int]) -> tuple[list[Any], list[bytes]]:
        given, states, state = [], [], None
        for at, after in enumerate(kinds):
            with compiled_after(after):
                operator = WithColumns(work, table.schema, [])
                if state is not None:
                    operator.restore(state)
                given += operator.process(table.slice(at, 1).to_batches()[0]).column(0).to_pylist()
                state = operator.state()
                states.append(state)
        return list(map(repr, given)), states

    plain = run([NEVER] * len(values))
    assert run([0] * len(values)) == plain
    assert run([0, NEVER] * (len(values) // 2)) == plain


def test_a_fault_of_the_compiler_leaves_the_python_hooks(caplog: pytest.LogCaptureFixture) -> None:
    real = due.loaded

    def slipped(source: str) -> Any:
        assert "return _div(" in source
        return real(source.replace("return _div(", "return -_div("))

    caplog.set_level(logging.INFO, "inwindow")
    with compiled_after(0), Evaluators() as made, patch.object(due, "loaded", slipped):
        ours = outcome(FEW, 10, MyAvg(), "v", iw.rows(2, order_by="t"))
    assert made.loops == [False] and "in frame 0 the compiled hooks give -1.0, the Python hooks 1.0" in caplog.text
    assert ours[:2] == ["1.0", "1.5"]


def test_a_plan_travels() -> None:
    """To a worker, with what was read and written here."""
    (work,) = plan_windows(FEW.schema, {"x": MyAvg()("v").over(iw.rows(2, order_by="t"))})
    there = pickle.loads(pickle.dumps(work))
    assert there.steps[0].machine.program == work.steps[0].machine.program and not there.steps[0].machine.asked


def test_threads_compile_it_once() -> None:
    calls = []

    def slowly(source: str) -> Any:
        calls.append(source)
        time.sleep(0.05)
        return real(source)

    real = due.loaded
    with compiled_after(0), patch.object(due, "loaded", slowly), ThreadPoolExecutor(4) as pool:
        given = list(
            pool.map(lambda _: iw.with_columns(FEW, x=MyAvg()("v").over(iw.rows(2)))["x"].to_pylist(), range(8))
        )
    assert len(calls) == 1 and all(one == given[0] for one in given)
