"""The window queries of PostgreSQL's, SQLite's and DuckDB's regression suites, through iw.sql, against those databases' rows."""

from collections.abc import Callable

import pytest
from samples.databases import duck, kept, sqlite
from samples.suites import Asked, Suite, one_line, outcome, suite, tables

import inwindow as iw

DATABASES = {"postgres": kept, "sqlite": sqlite, "duckdb": duck}


@pytest.mark.parametrize(("name", "database"), DATABASES.items(), ids=DATABASES)
def test_queries_of_other_databases(name: str, database: Callable[[Suite], Asked]) -> None:
    """Each query gives the database's rows, or what its mark says; a mark that is no longer true goes."""
    its = suite(name)
    ask, catalog, surprises = database(its), iw.Catalog(tables(its)), []
    for case in its.cases:
        found = outcome(catalog, case, ask(case.text))
        expected = [case.mark] if case.mark else ["equal", "both refuse"]
        if found.kind not in expected and case.mark != "waits":
            surprises.append(f"{one_line(case.text)}\n    {found.kind}, not {' or '.join(expected)}: {found.said}")
    assert not surprises, f"{len(surprises)} of {len(its.cases)}:\n" + "\n".join(surprises)
