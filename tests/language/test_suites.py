"""The window queries of PostgreSQL's, SQLite's and DuckDB's regression suites, through iw.sql, against those databases' rows."""

from pathlib import Path

import pytest
from samples.suite_table import BEGIN, DATABASES, END, outcomes, table
from samples.suites import one_line


@pytest.mark.parametrize("name", DATABASES)
def test_queries_of_other_databases(name: str) -> None:
    """Each query gives the database's rows, or what its mark says; a mark that is no longer true goes."""
    surprises = []
    for found in outcomes(name):
        case = found.case
        expected = [case.mark] if case.mark else ["equal", "both refuse"]
        if found.kind not in expected:
            surprises.append(f"{one_line(case.text)}\n    {found.kind}, not {' or '.join(expected)}: {found.said}")
    assert not surprises, f"{len(surprises)} of {len(outcomes(name))}:\n" + "\n".join(surprises)


def test_the_table_in_the_docs(write: bool) -> None:
    """``pytest tests/language/test_suites.py --write`` writes it."""
    page = Path(__file__).parents[2] / "docs" / "sql.md"
    before, rest = page.read_text().split(BEGIN)
    was, after = rest.split(END)
    now = f"\n\n{table()}\n\n"
    if write:
        page.write_text(f"{before}{BEGIN}{now}{END}{after}")
    else:
        assert was == now
