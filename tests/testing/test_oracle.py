"""The oracle for other engines: those that are installed here give the definition's results, but for what is known of them."""

import json
import sys
from pathlib import Path

import pytest

from inwindow.testing.oracle import upstream
from inwindow.testing.oracle.asking import Engine
from inwindow.testing.oracle.cases import Call, Case, Framed
from inwindow.testing.oracle.command import main
from inwindow.testing.oracle.comparing import agrees, difference
from inwindow.testing.oracle.dialects import DIALECTS
from inwindow.testing.oracle.drawing import draw_case
from inwindow.testing.oracle.known import class_of
from inwindow.testing.oracle.meaning import Wanted, expected
from inwindow.testing.oracle.report import page
from inwindow.testing.oracle.running import Found, Tally, attempt, run, shrunk
from inwindow.testing.oracle.sources import SOURCES
from inwindow.testing.oracle.sql import query
from inwindow.testing.oracle.tables import Column, Table
from inwindow.windows.spec import Order


@pytest.mark.parametrize("name", ["duckdb", "sqlite", "polars"])
def test_an_engine_gives_what_the_definition_gives(name: str) -> None:
    dialect = DIALECTS[name]
    engine, tally = Engine([sys.executable, "python_sqlite" if name == "sqlite" else name]), Tally()
    try:
        unknown = [
            (number, shrunk(engine, dialect, found).text)
            for number, found in run(engine, dialect, 9, range(100), tally)
            if class_of(name, found) is None
        ]
    finally:
        engine.stop()
    assert not unknown
    assert tally.same > {"duckdb": 200, "sqlite": 30, "polars": 10}[name]


def test_cases_are_always_the_same_and_have_no_peers_that_show() -> None:
    assert [query(draw_case(5, n), DIALECTS["duckdb"]) for n in range(50)] == [
        query(draw_case(5, n), DIALECTS["duckdb"]) for n in range(50)
    ]


def test_a_larger_table_has_the_same_functions() -> None:
    case = draw_case(1, 7, rows=300)
    assert len(case.table) >= 300 and len(expected(case)) == len(case.table)


def test_a_planted_fault_is_found_and_made_small() -> None:
    """max in place of sum, by the dialect."""
    dialect = DIALECTS["duckdb"]
    wrong = type(dialect)(
        "duckdb", types=dialect.types, functions={**dialect.functions, "sum": "max({0})"}, ignores_inside=True
    )
    framed = Framed((), (Order("t"), Order("id")), "rows", -3, 0)
    rows = range(8)
    table = Table(
        (Column("id", "bigint", tuple(rows)), Column("t", "int", tuple(rows)), Column("v", "bigint", tuple(rows)))
    )
    case = Case(table, (Call("sum(v)", framed), Call("row_number()", Framed((), framed.orders))))
    engine = Engine([sys.executable, "duckdb"])
    try:
        found = attempt(engine, wrong, case)
        assert isinstance(found, Found)
        small = shrunk(engine, wrong, found)
    finally:
        engine.stop()
    assert len(small.case.table) == 2 and len(small.case.calls) == 1, small.text


def test_rows_that_are_missing_are_a_difference() -> None:
    case = draw_case(1, 20)
    wanted = expected(case)
    given = [[number, *(one.value for one in its)] for number, its in wanted.items()]
    assert difference(given, wanted) is None
    assert difference(given[1:], wanted) is not None


def test_the_command_keeps_figures_and_prints_their_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "figures.json"
    assert main(["duckdb", "--queries", "20", "--keep", str(kept)]) == 0
    assert json.loads(kept.read_text())["duckdb"]["queries"] == 20
    capsys.readouterr()
    assert main(["--table", str(kept)]) == 0
    assert "| duckdb |" in capsys.readouterr().out


PAGE = Path(__file__).parents[2] / "docs" / "oracle.md"


def test_the_page_says_what_the_figures_say() -> None:
    """Made by `python -m inwindow.testing.oracle --table docs/oracle.json`."""
    kept = json.loads(PAGE.with_suffix(".json").read_text())
    begin, end = "[//]: # (begin: the oracle's figures)\n", "[//]: # (end: the oracle's figures)"
    assert PAGE.read_text().split(begin)[1].split(end)[0].strip() == page(kept).strip()


def test_sources_are_of_faults_that_are_there() -> None:
    assert SOURCES.keys() <= {bug.title for bug in upstream.BUGS}


def test_what_faults_should_give_is_what_duckdb_gives() -> None:
    engine = Engine([sys.executable, "duckdb"])
    try:
        for bug in upstream.BUGS:
            today = bug.answer(engine) if bug.portable else bug.expected
            assert len(today) == len(bug.expected), bug.title
            for row, wanted in zip(today, bug.expected, strict=True):
                assert all(agrees(one, Wanted(other, 1e-12)) for one, other in zip(row, wanted, strict=True)), bug.title
    finally:
        engine.stop()


def test_a_fault_is_there_or_gone() -> None:
    crash = next(bug for bug in upstream.BUGS if isinstance(bug.given, str))
    wrong = next(bug for bug in upstream.BUGS if not isinstance(bug.given, str))
    assert upstream.holds(crash, f"SomeError: {crash.given}. Sorry") and not upstream.holds(crash, crash.expected)
    assert upstream.holds(wrong, list(wrong.given)) and not upstream.holds(wrong, wrong.expected)
