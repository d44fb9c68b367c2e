"""The prompt of ``inwindow sql``: statements over several lines, mistakes, names that are completed."""

from collections.abc import Callable

import pyarrow as pa
import pytest

import inwindow as iw
from inwindow.commands.prompt import completed, prompt

TRADES = pa.table({"symbol": ["A", "B", "A"], "price": [1.0, 2.0, 4.0]})


def typed(*lines: str | type[BaseException]) -> list[str]:
    """What is written for lines; an exception is raised in the place of a line."""
    left, out = list(lines), list[str]()

    def read(mark: str) -> str:
        if not left:
            raise EOFError
        line = left.pop(0)
        if not isinstance(line, str):
            raise line
        out.append(mark)
        return line

    shown: Callable[[pa.Table], str] = lambda table: str(table.to_pydict())  # noqa: E731
    prompt(iw.Catalog(trades=TRADES), shown, read, out.append)
    return out[1:]


def test_a_statement_over_lines() -> None:
    out = typed(
        "SELECT max(price) OVER (PARTITION BY symbol", "ROWS 1 PRECEDING) AS m FROM trades;", "exit", "not read"
    )
    assert out[:2] == ["inwindow> ", "     ...> "] and out[-1] == "inwindow> "
    assert out[2] == "{'m': [1.0, 2.0, 4.0]}"


def test_an_aggregate_is_one_statement() -> None:
    out = typed(
        "CREATE AGGREGATE low(next Real) : Real {",
        "TABLE s(v Real);",
        "INITIALIZE: { INSERT INTO s VALUES (next); } ITERATE: { UPDATE s SET v = next WHERE next < v; }",
        "TERMINATE: { INSERT INTO RETURN SELECT v FROM s; }",
        "}",
        "SELECT low(price) AS l FROM trades",
        "",
    )
    assert "done" in out and "{'l': [1.0]}" in out


def test_mistakes_do_not_end_it() -> None:
    out = typed("SELECT prise FROM trades;", "SELECT", KeyboardInterrupt, ";", "SELECT count(*) AS n FROM trades;")
    assert out[1].startswith("Catalog.run: DuckDB says") and out[1].endswith("^^^^^")
    assert "{'n': [3]}" in out


@pytest.mark.parametrize(
    ("start", "word"), [("tra", "trades"), ("PRI", "price"), ("part", "PARTITION BY"), ("xyz", None)]
)
def test_names_are_completed(start: str, word: str | None) -> None:
    catalog = iw.Catalog(trades=TRADES)
    assert completed(catalog, start, 0) == word
    assert completed(catalog, start, 1) is None
