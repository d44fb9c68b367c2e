"""``iw.compiled``: every bit is that of the plain hooks, or the plain hooks run; what cannot be compiled says so."""

import gc
import importlib
import inspect
import linecache
import logging
import math
import os
import pickle
import subprocess
import sys
import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.numba_classes import Arithmetic, Decayed, Maths, MyAvg, Roots

import inwindow as iw
from inwindow.native.jitted import Bailed, Loop
from inwindow.testing import replay
from inwindow.udaf.compiled.aggregate import CompiledAggregate
from inwindow.udaf.compiled.caching import loaded

FLOATS = st.none() | st.sampled_from(
    [0.0, -0.0, 1.0, 0.1, 3.0, -2.5, 1e-310, 1e16, -1e16, 1e200, math.nan, math.inf, -math.inf]
)
INTS = st.none() | st.sampled_from([0, 1, -1, 2, 3, -7, 10, 2**31, -(2**31) - 1, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)])
NEAR = st.none() | st.sampled_from([0.0, 1.0, 0.1, 3.0, -2.5, math.nan, math.inf, -math.inf])
SMALL = st.none() | st.integers(-20, 20)
WINDOWS = [iw.rows(3, order_by="t"), iw.unbounded(order_by="t"), iw.rows(2, order_by="t", slide=3), iw.range(2, order_by="t"),
           iw.rows_between(-1, 2, order_by="t"), iw.rows_between(-3, -2, order_by="t")]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INWINDOW_CACHE", str(tmp_path_factory.mktemp("compiled")))
        loaded.cache_clear()  # an earlier test may have loaded the same program from another folder
        yield Path(os.environ["INWINDOW_CACHE"])


def outcome(table: pa.Table, size: int, aggregate: Any, columns: str, window: Any) -> list[str]:
    """The results to the last bit; or the error."""
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(size))
    try:
        return [
            repr(x) for x in iw.with_columns(reader, x=aggregate(*columns).over(window)).read_all()["x"].to_pylist()
        ]
    except iw.InWindowError as error:
        return [type(error).__name__, str(error)]


def table_of(**columns: tuple[list[Any], pa.DataType]) -> pa.Table:
    length = min(len(values) for values, _ in columns.values())
    arrays = {name: pa.array(values[:length], kind) for name, (values, kind) in columns.items()}
    return pa.table({"t": pa.array(range(length), pa.int64()), **arrays})


@given(
    st.lists(FLOATS, max_size=25),
    st.sampled_from(WINDOWS),
    st.sampled_from([1, 7, 100]),
    st.sampled_from([MyAvg(), Decayed(0.3)]),
)
def test_floats(values: list[Any], window: Any, size: int, aggregate: Any) -> None:
    table = table_of(v=(values, pa.float64()))
    assert outcome(table, size, iw.compiled(aggregate), "v", window) == outcome(table, size, aggregate, "v", window)


@given(st.lists(INTS | SMALL, max_size=25), st.sampled_from(WINDOWS), st.sampled_from([1, 7, 100]))
def test_integers_of_any_size(values: list[Any], window: Any, size: int) -> None:
    table = table_of(v=(values, pa.int64()))
    assert outcome(table, size, iw.compiled(MyAvg()), "v", window) == outcome(table, size, MyAvg(), "v", window)


@given(
    st.lists(FLOATS, max_size=20),
    st.lists(INTS | SMALL, max_size=20),
    st.lists(SMALL, max_size=20),
    st.sampled_from(WINDOWS),
)
def test_where_integers_and_floats_meet(x: list[Any], i: list[Any], j: list[Any], window: Any) -> None:
    table = table_of(x=(x, pa.float64()), i=(i, pa.int64()), j=(j, pa.int64()))
    assert outcome(table, 7, iw.compiled(Arithmetic()), "xij", window) == outcome(table, 7, Arithmetic(), "xij", window)


@given(st.lists(st.floats(-6, 2000) | FLOATS, max_size=20), st.sampled_from(WINDOWS))
def test_math(values: list[Any], window: Any) -> None:
    table = table_of(v=(values, pa.float64()))
    assert outcome(table, 7, iw.compiled(Maths()), "v", window) == outcome(table, 7, Maths(), "v", window)


@given(st.lists(st.floats(0.1, 1e6) | st.sampled_from([0.0, -1.0]), max_size=20), st.sampled_from(WINDOWS))
def test_loops(values: list[Any], window: Any) -> None:
    table = table_of(v=(values, pa.float64()))
    assert outcome(table, 7, iw.compiled(Roots()), "v", window) == outcome(table, 7, Roots(), "v", window)


@given(st.lists(st.floats(-1e3, 1e3), min_size=40, max_size=80))
def test_products_and_sums_are_not_fused(values: list[float]) -> None:
    table = table_of(v=(values, pa.float64()))
    assert outcome(table, 100, iw.compiled(Decayed(0.3)), "v", WINDOWS[0]) == outcome(
        table, 100, Decayed(0.3), "v", WINDOWS[0]
    )


class Looked(MyAvg, rebase=True):
    """Whose frames may be folded afresh."""


@given(
    st.lists(NEAR | st.sampled_from([1e16, -1e16, 3.5]), max_size=40),
    st.sampled_from([2, 5]),
    st.sampled_from([1, 7, 100]),
)
def test_nothing_stays_of_what_has_left(values: list[Any], rows: int, size: int) -> None:
    """A NaN, an infinity, a number so large that the others vanish beside it: folded afresh where the Python hooks are."""
    table, window = table_of(v=(values, pa.float64())), iw.rows(rows, order_by="t")
    assert outcome(table, size, iw.compiled(Looked()), "v", window) == outcome(table, size, Looked(), "v", window)


def test_an_infinity_and_a_nan_leave_no_trace() -> None:
    values = [1.0, math.inf, 2.0, 3.0, math.nan, 4.0, 5.0, 6.0, -math.inf, math.inf, 7.0, 8.0, 9.0]
    table, window = table_of(v=(values, pa.float64())), iw.rows(3, order_by="t")
    afresh = outcome(table, 100, Looked(), "v", replace(window, strategy="recompute"))
    assert outcome(table, 100, iw.compiled(Looked()), "v", window) == afresh
    assert outcome(table, 100, iw.compiled(MyAvg()), "v", window)[4:] == ["nan"] * (len(values) - 4)


class Two(iw.WindowAggregate):
    """A NaN in one field says nothing of the other."""

    def initialize(self, a, b):
        self.a, self.b = a, b

    def iterate(self, a, b):
        self.a += a
        self.b += b

    def expire(self, a, b):
        self.a -= a
        self.b -= b

    def terminate(self) -> float:
        return self.a


class Other(Two):
    def terminate(self) -> float:
        return self.b


COLUMN = st.lists(st.sampled_from([1.0, 2.0, 4.0, math.nan, math.nan, math.inf, -math.inf]), min_size=12, max_size=12)


@given(COLUMN, COLUMN, st.sampled_from([2, 4]))
def test_a_nan_in_one_field_says_nothing_of_another(a: list[float], b: list[float], rows: int) -> None:
    table, window = table_of(a=(a, pa.float64()), b=(b, pa.float64())), iw.rows(rows, order_by="t")
    for of in (Two(), Other()):
        afresh = outcome(table, 100, of, "ab", replace(window, strategy="recompute"))
        assert outcome(table, 100, iw.compiled(of), "ab", window) == afresh == outcome(table, 100, of, "ab", window)


class Squares(iw.WindowAggregate):
    def initialize(self, v):
        self.total = v * v

    def iterate(self, v):
        self.total += v * v

    def expire(self, v):
        self.total -= v * v

    def terminate(self) -> float:
        return float(self.total)


def test_a_product_that_passes_64_bits_is_seen_behind_the_first_rows() -> None:
    table = table_of(v=([1] * 300 + [2**40 + 1, 3, 5, 7], pa.int64()))
    window = iw.rows(3, order_by="t")
    assert outcome(table, 400, iw.compiled(Squares()), "v", window) == outcome(table, 400, Squares(), "v", window)


class Level(iw.Aggregate):
    @property
    def level(self):
        return self._level

    @level.setter
    def level(self, value):
        self._level = min(value, 100.0)

    def initialize(self, v):
        self.level = v

    def iterate(self, v):
        self.level += v

    def terminate(self) -> float:
        return self.level


def test_a_property_is_refused() -> None:
    table = table_of(v=([1.0], pa.float64()))
    with pytest.raises(iw.UsageError, match="self.level is a property, which is called when it is read or set"):
        iw.with_columns(table, x=iw.compiled(Level())("v").over(iw.unbounded(order_by="t")))
    assert "self.level" in str(iw.explain(table, x=Level()("v").over(iw.rows(3)))).partition("underived")[2]


def _by_other_names() -> Any:
    max = min  # noqa: A001
    scale = 3.0

    class Named(iw.Aggregate):
        """Arguments by position alone, a name of the function around it, a parameter by the name of a built-in."""

        def initialize(this, abs, /):
            this.low = this.total = abs

        def iterate(it, float, /):
            it.low = max(it.low, float)
            it.total += float * scale

        def terminate(self, /) -> float:
            return self.low + self.total

    return Named


def test_names_are_what_they_are() -> None:
    table = pa.table({"v": [3.0, 4.5, 1.25, 8.0, -2.0, 7.5] * 3})
    named = _by_other_names()
    for window in (iw.rows(3), iw.unbounded(), iw.rows(4, slide=4)):
        plain, compiled = (
            iw.with_columns(table, x=one("v").over(window))["x"].to_pylist() for one in (named(), iw.compiled(named()))
        )
        assert plain == compiled


def test_a_source_that_has_changed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = inspect.getsource(MyAvg)
    file = tmp_path / "has_changed.py"
    file.write_text(f"import inwindow as iw\n\n\n{text}")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("has_changed")
    file.write_text(f"import inwindow as iw\n\n\n{text.replace('+= value', '+= 2 * value')}")
    linecache.checkcache()
    with pytest.raises(iw.UsageError, match="the source of iterate is not that of the code that runs"):
        iw.compiled(module.MyAvg())


@pytest.mark.parametrize(("rows", "size"), [(10, 50_000), (5_000, 1 << 20)])
def test_many_expirations_and_a_large_number_lose_no_digits(rows: int, size: int) -> None:
    values = [1e17, *(0.1 * (n % 7) for n in range(200_000))]
    table, window = table_of(v=(values, pa.float64())), iw.rows(rows, order_by="t")
    ours = outcome(table, size, iw.compiled(Looked()), "v", window)
    assert ours == outcome(table, size, Looked(), "v", window)
    afresh = iw.with_columns(table, x=iw.avg("v").over(window))["x"].to_pylist()
    assert all(math.isclose(float(one), other, rel_tol=1e-9) for one, other in zip(ours, afresh, strict=True))


def test_the_plain_hooks_take_over_where_integers_pass_64_bits(caplog: pytest.LogCaptureFixture) -> None:
    values = [2**62, 2**62, 2**62, 1, 1, 1, 5]
    table = table_of(v=(values, pa.int64()))
    with caplog.at_level(logging.WARNING, "inwindow"):
        assert outcome(table, 2, iw.compiled(MyAvg()), "v", iw.rows(2)) == outcome(table, 2, MyAvg(), "v", iw.rows(2))
    assert len(caplog.records) == 1 and "MyAvg: compiled hooks cannot go on" in caplog.text


@pytest.mark.parametrize("window", [iw.rows(2), iw.unbounded()], ids=str)
def test_a_call_that_bails_keeps_no_array(window: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception that leaves a function of numba's keeps its arrays for ever: with on_error= a worker would grow and grow."""
    given: list[weakref.ref[Any]] = []
    bailed = []
    call = Loop._call

    def watched(loop: Loop, *arguments: Any) -> int:
        given.extend(weakref.ref(one) for one in (*arguments, *loop.state) if isinstance(one, np.ndarray))
        try:
            return call(loop, *arguments)
        except Bailed:
            bailed.append(loop)
            raise

    monkeypatch.setattr(Loop, "_call", watched)
    table = table_of(v=([2**62, 2**62, 1, 2, 3], pa.int64()))
    for on_error in ("fail", "skip"):
        iw.with_columns(table, x=iw.compiled(MyAvg())("v").over(window), on_error=on_error)
    assert bailed and given
    bailed.clear()
    gc.collect()
    assert [one() for one in given if one() is not None] == []


def test_a_result_that_does_not_fit_is_told_as_usual() -> None:
    x, i, j = [0.0, 0.0, 0.0], [1, 2**62, 2**62], [0, 1, 1]
    table = table_of(x=(x, pa.float64()), i=(i, pa.int64()), j=(j, pa.int64()))
    given = outcome(table, 2, iw.compiled(Arithmetic()), "xij", WINDOWS[0])
    assert given == outcome(table, 2, Arithmetic(), "xij", WINDOWS[0])
    assert given[0] == "ResultTypeError"


def test_states_go_on_and_other_strategies_use_the_plain_hooks() -> None:
    table = pa.table({"t": range(40), "k": [0, 1] * 20, "v": [math.sin(i) for i in range(40)]})
    k: Any = {"partition_by": "k", "order_by": "t"}
    batches = [table.slice(0, 13), table.slice(13, 14), table.slice(27)]
    for window in (iw.unbounded(**k), iw.rows(3, **k)):
        given, expected = (
            replay(batches, lambda df, a=a, w=window: iw.with_columns(df, x=a("v").over(w)), until=1000).table.sort_by(
                "t"
            )
            for a in (iw.compiled(MyAvg()), MyAvg())
        )
        assert given.equals(expected)
    for extent in (iw.tumble("t", size=10), iw.hop("t", size=20, every=5)):
        given, expected = (
            iw.group_by(table, "k").window(extent).agg(x=a("v").filter(pa.compute.field("v") > 0))
            for a in (iw.compiled(MyAvg()), MyAvg())
        )
        assert given.equals(expected)


def test_another_process_needs_neither_the_source_nor_to_compile(folder: Path) -> None:
    table = table_of(v=([1.0, 2.0, 4.0], pa.float64()))
    code = (
        "import pickle, sys\n"
        "compiled = pickle.load(sys.stdin.buffer)\n"
        "import numba.core.dispatcher as d\n"
        "d._FunctionCompiler.compile = None\n"  # whoever compiles, fails
        "import inwindow as iw, pyarrow as pa\n"
        "t = pa.table({'v': [1.0, 2.0, 4.0]})\n"
        "print(iw.with_columns(t, x=compiled('v').over(iw.rows(2)))['x'].to_pylist())"
    )
    expected = outcome(table, 9, iw.compiled(MyAvg()), "v", iw.rows(2))
    path = os.pathsep.join([str(Path(iw.__file__).parent.parent), str(Path(__file__).parents[1])])
    run = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(iw.compiled(MyAvg())), capture_output=True,
                         env={**os.environ, "PYTHONPATH": path})  # fmt: skip
    assert run.stdout.decode().strip() == f"[{', '.join(expected)}]", run.stderr.decode()
    assert [path.suffix for path in folder.iterdir() if path.is_file()].count(".tmp") == 0


class Slipped:
    """A compiler with a fault: some text of its programs is another."""

    def __init__(self, compiler: Any, old: str, new: str) -> None:
        self.compiler, self.old, self.new = compiler, old, new

    def machine(self, *given: Any) -> Any:
        machine = self.compiler.machine(*given)
        assert self.old in machine.program.source
        return replace(
            machine, program=replace(machine.program, source=machine.program.source.replace(self.old, self.new))
        )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "s_total = (s_total - v_value)",
            "s_total = (s_total + v_value)",
            r"initialize, iterate or expire is not .*self.total is",
        ),
        ("return _div(", "return -_div(", "terminate is not compiled to the same arithmetic; use MyAvg"),
    ],
)
def test_a_fault_of_the_compiler_is_found(old: str, new: str, said: str) -> None:
    good = iw.compiled(MyAvg())
    table = table_of(v=([1.0, 2.0, 4.0, 8.0], pa.float64()))
    faulty = CompiledAggregate(good.plain, Slipped(good.compiler, old, new))
    with pytest.raises(
        iw.InWindowError, match=rf"iw.compiled\(MyAvg\(\)\): in frame \d the compiled hooks give .*{said}"
    ):
        iw.with_columns(table, x=faulty("v").over(iw.rows(2)))


def test_explain_and_check_know_it() -> None:
    table = table_of(v=([1.0], pa.float64()))
    assert "runs      compiled: hooks of MyAvg, by numba; its first rows are checked" in str(
        iw.explain(table, x=iw.compiled(MyAvg())("v").over(iw.rows(2)))
    )
    iw.testing.check(iw.compiled(MyAvg()), finite=True, examples=10)


def test_one_file_per_program(folder: Path) -> None:
    table = table_of(v=([1.0], pa.float64()))
    program = iw.explain(table, x=iw.compiled(MyAvg())("v").over(iw.rows(2))).passes[0].steps[0].machine.program
    assert loaded(program.source) is loaded(program.source)
    assert Path(loaded(program.source).__file__).parent == folder


def test_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("inwindow.udaf.compiled.numba_hooks"), "numba_version", lambda: None)
    with pytest.raises(ImportError, match=r'pip install "inwindow\[compiled\]"$'):
        iw.compiled(MyAvg())


def test_numba_is_not_imported_until_it_runs() -> None:
    code = """
import sys, pyarrow as pa, inwindow as iw
sys.path.insert(0, %r)
from samples.numba_classes import MyAvg
iw.explain(pa.table({'v': [1.0]}), x=iw.compiled(MyAvg())('v').over(iw.rows(2)))
print('numba' in sys.modules)
"""
    path = str(Path(iw.__file__).parent.parent)
    run = subprocess.run([sys.executable, "-c", code % str(Path(__file__).parents[1])], capture_output=True, text=True, check=True,
                         env={**os.environ, "PYTHONPATH": path})  # fmt: skip
    assert run.stdout.strip() == "False"


def test_the_definition_is_that_of_the_plain_hooks() -> None:
    table = table_of(v=([1.0, 2.0, 4.0], pa.float64()))
    over = iw.compiled(MyAvg())("v").over(iw.rows(2, order_by="t"))
    assert iw.testing.reference(table, x=over).equals(iw.with_columns(table, x=over))
