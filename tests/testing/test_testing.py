"""``iw.testing`` and ``inwindow check`` from outside: what can be given, what is said, what is refused."""

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.against_definition import expected_column, expected_groups
from samples.broken_aggregates import ForgetsToCountDown, MeanOfMedians
from samples.broken_numbers import PoisonedByNaN
from samples.ids import IdsAll, IdsExpire, LongestInWindow, Running
from samples.kept_aggregates import GuardedTotal, SparkMean, TopK, Total, WeightedMean
from samples.streams import tables, windows

import inwindow as iw
from inwindow.commands.main import main
from inwindow.testing.values import arguments_of


class Untold(iw.WindowAggregate):
    """Says nothing of its argument."""

    def iterate(self, text):
        self.letters = getattr(self, "letters", 0) + len(text.strip())

    def expire(self, text):
        self.letters -= len(text.strip())

    def terminate(self) -> int:
        return self.letters


class CountsTuplesEver(iw.WindowAggregate):
    """Reads the buffer, so that only whole tables tell, and never counts down."""

    inwindow: iw.InWindow

    def iterate(self, value: int):
        self.count = getattr(self, "count", 0) + 1

    def expire(self, value):
        pass

    def terminate(self) -> int:
        return self.count


def kinds(aggregate: iw.Aggregate, values: object = None) -> list[pa.DataType]:
    return [argument.kind for argument in arguments_of(aggregate, values)]


def test_values_come_from_annotations_from_the_user_or_from_trying() -> None:
    assert kinds(WeightedMean()) == [pa.float64(), pa.float64()]
    assert kinds(WeightedMean(), [int, "decimal(5,2)"]) == [pa.int64(), pa.decimal128(5, 2)]
    assert kinds(Total(), datetime) == [pa.timestamp("us")]
    assert kinds(Untold()) == [pa.string()]
    assert kinds(Total(), "decimal(38,30)") == [pa.decimal128(38, 30)]  # more digits than Python's context has
    iw.testing.check(Untold, examples=10)


def test_a_strategy_of_whole_tuples() -> None:
    rows = st.integers(1, 9).flatmap(lambda weight: st.tuples(st.just(float(weight)), st.just(float(weight))))
    iw.testing.check(WeightedMean(), values=rows, examples=10)


def test_finite_data_are_no_reason_to_accuse() -> None:
    with pytest.raises(iw.testing.BrokenPromise, match=r"check\(..., finite=True\)") as caught:
        iw.testing.check(PoisonedByNaN())
    assert caught.value.law == "expire undoes iterate"
    assert any(not math.isfinite(value) for value in caught.value.tuples)
    assert "return iw.PUNT" in str(caught.value)
    iw.testing.check(PoisonedByNaN(), finite=True, examples=10)


def test_a_broken_promise_is_an_assertion_error_and_ours() -> None:
    with pytest.raises(AssertionError) as caught:
        iw.testing.check(ForgetsToCountDown(), seed=0)
    broken = caught.value
    assert isinstance(broken, iw.InWindowError)
    assert (broken.aggregate, broken.law, broken.hook) == ("ForgetsToCountDown", "expire undoes iterate", "expire")
    assert broken.given == "0.5" and broken.expected == "1.0"
    assert str(broken).startswith(
        "ForgetsToCountDown breaks a promise: expire undoes iterate (see `expire`)\n  tuples   ["
    )
    assert "from samples.broken_aggregates import ForgetsToCountDown\n" in broken.test and broken.test in str(broken)


def test_the_window_that_is_given_is_the_one_that_is_tried() -> None:
    for window in (
        iw.rows(3, slide=2),
        iw.range(4, order_by="ts"),
        iw.hop("ts", size=6, every=2),
        iw.rows_between(-2, 1),
    ):
        assert iw.testing.check(LongestInWindow(), values=int, window=window, examples=10).laws[-1:] == (
            "every strategy gives the definition's result",
        )
    for window, said in (
        (iw.range("5 minutes", order_by="ts"), "give sizes as numbers"),
        (iw.landmark(since=3, order_by="ts"), "give iw.rows"),
    ):
        with pytest.raises(iw.UsageError, match=said):
            iw.testing.check(Total(), window=window)


@pytest.mark.parametrize("window", [iw.rows(3), iw.rows(4, slide=2), iw.hop("ts", size=6, every=2)], ids=repr)
def test_the_test_for_a_given_window_can_be_pasted(window: object) -> None:
    with pytest.raises(iw.testing.BrokenPromise) as caught:
        iw.testing.check(CountsTuplesEver(), window=window, seed=6)
    pasted: dict = {}
    exec(caught.value.test, pasted)
    with pytest.raises(AssertionError):
        pasted["test_counts_tuples_ever_every_strategy_gives_the_definitions_result"]()


def test_what_may_be_given() -> None:
    assert iw.testing.check(SparkMean(), finite=True, examples=5).name == "SparkMean"
    assert iw.testing.check(iw.udaf(SparkMean()), finite=True, examples=5).name == "SparkMean"
    assert iw.testing.check(TopK(k=1)("v"), examples=5).name == "TopK"
    with pytest.raises(iw.testing.BrokenPromise, match=r"aggregate = iw.udaf\(MeanOfMedians\(\)\)"):
        iw.testing.check(MeanOfMedians)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"aggregate": iw.avg("v")}, "a built-in has no hooks of yours"),
        ({"aggregate": 3}, r"check\(3\): give an aggregate"),
        ({"examples": 0}, r"examples=0\): give a number of examples"),
        ({"tolerance": -1}, "small positive number"),
        ({"values": [float, int]}, "values= has 2 of 1 arguments"),
        ({"values": "flaot"}, "give a Hypothesis strategy"),
    ],
)
def test_what_may_not_be_given(options: dict, said: str) -> None:
    with pytest.raises(iw.UsageError, match=said):
        iw.testing.check(**{"aggregate": Total(), **options})


def test_without_hypothesis_it_says_how_to_get_it() -> None:
    code = """
import sys
sys.modules["hypothesis"] = None  # as if it were not installed
import inwindow as iw
class Total(iw.Aggregate):
    def iterate(self, value: int): self.total = getattr(self, "total", 0) + value
    def terminate(self) -> int: return self.total
assert iw.testing.same(0.1 + 0.2, 0.3)
try:
    iw.testing.check(Total())
except ImportError as error:
    print(error)
"""
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'inwindow[testing]'" in printed


# reference


@given(data=st.data())
def test_reference_is_the_definition(data: st.DataObject) -> None:
    table = data.draw(tables("int64"))
    aggregate = data.draw(st.sampled_from([IdsAll, IdsExpire]))()
    applied = aggregate("id").over(data.draw(windows("int64", ("rows", "range"))))
    ours = iw.testing.reference(table, x=applied)
    assert repr(ours.drop_columns("x").to_pylist()) == repr(table.to_pylist())
    assert ours["x"].to_pylist() == iw.with_columns(table, x=applied)["x"].to_pylist()


def test_reference_of_groups_and_filters() -> None:
    table = pa.table({"k": ["a", "b", "a"], "t": [1, 2, 7], "id": [1, 2, 3], "ok": [True, None, True]})
    applied, extent = IdsAll()("id").filter("ok"), iw.hop("t", size=4, every=2)
    groups = iw.group_by(table, "k").window(extent)
    ours = iw.testing.reference(groups, x=applied)
    assert ours.to_pylist() == groups.agg(x=applied).to_pylist()
    found = [(row["k"], row["window"]["start"], row["window"]["end"], row["x"]) for row in ours.to_pylist()]
    assert found == [tuple(map(_listed, row)) for row in expected_groups(table, ("k",), extent, applied, IdsAll())]
    running = Running()("id").over(iw.rows(2, order_by="t"))
    assert iw.testing.reference(table, x=running)["x"].to_pylist() == expected_column(table, running, Running())


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def test_reference_refuses_what_it_has_no_definition_of() -> None:
    table = pa.table({"v": [1.0]})
    for call, said in (
        (lambda: iw.testing.reference(table, x=iw.avg("v").over(iw.rows(2))), "not a class of yours"),
        (lambda: iw.testing.reference([1], x=Total()("v").over(iw.rows(2))), "takes a pyarrow.Table"),
        (lambda: iw.testing.reference(iw.group_by(table), x=Total()("v")), "with a window"),
    ):
        with pytest.raises(iw.UsageError, match=said):
            call()


# The command line


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "to_be_checked.py").write_text(
        "import inwindow as iw\n"
        "from hypothesis import strategies as st\n"
        "prices = st.sampled_from([1.0, 2.5])\n"
        "class Right(iw.WindowAggregate):\n"
        "    def initialize(self, value): self.total = value\n"
        "    def iterate(self, value): self.total += value\n"
        "    def expire(self, value): self.total -= value\n"
        "    def terminate(self) -> float: return self.total\n"
        "class Wrong(Right):\n"
        "    def expire(self, value): pass\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield "to_be_checked"
    sys.modules.pop("to_be_checked", None)


def test_the_exit_code_says_how_it_went(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--examples", "20", "--seed", "1"]
    assert main(["check", f"{module}:Right", "--finite", *few]) == 0
    assert "Right: kept, 8 laws\n  hooks take every value\n" in capsys.readouterr().out
    assert main(["check", f"{module}:Right", "--values", f"{module}:prices", *few]) == 0
    assert main(["check", module, "--finite", *few]) == 1
    printed = capsys.readouterr().out
    assert "Right: kept" in printed and "Wrong breaks a promise: expire undoes iterate" in printed
    assert f"from {module} import Wrong" in printed


def test_json_is_an_object_per_line(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", module, "--finite", "--json", "--examples", "20"]) == 1
    right, wrong = map(json.loads, capsys.readouterr().out.splitlines())
    assert right["outcome"] == "kept" and "expire undoes iterate" in right["laws"]
    assert wrong["outcome"] == "broken" and wrong["law"] == "expire undoes iterate"
    compile(wrong["test"], "pasted", "exec")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{0}:Nothing"], "has no 'Nothing'"),
        (["no_such_module:A"], "No module named 'no_such_module'"),
        (["json"], "the module defines no aggregate"),
        (["{0}:prices"], "give an aggregate"),
        (["{0}:Right", "--values", "float,int"], "values= has 2 of 1 arguments"),
    ],
)
def test_what_cannot_be_checked_is_exit_code_2(
    module: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *(argument.format(module) for argument in arguments)]) == 2
    printed = capsys.readouterr()
    assert said in printed.out + printed.err


def test_help_names_the_subcommands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    for arguments in (["--help"], ["check", "--help"]):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 0
    assert "exit code: 0 all promises kept" in capsys.readouterr().out


def test_it_is_also_a_module(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "inwindow.commands", "--version"], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == f"inwindow {iw.__version__}"


def test_guarded_totals_are_whole() -> None:
    """The class that the pages show as the cure."""
    assert iw.testing.check(GuardedTotal(), examples=20).name == "GuardedTotal"
