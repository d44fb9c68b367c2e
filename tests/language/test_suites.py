"""The window queries of PostgreSQL's, SQLite's and DuckDB's regression suites, through iw.sql, against those databases' rows."""

import pytest
from samples.suites import NAMES, kept, key, outcome, suite, tables

import inwindow as iw


@pytest.mark.parametrize("name", NAMES)
def test_queries_of_other_databases(name: str) -> None:
    """Each query gives the database's rows, or what its mark says; a mark that is no longer true goes."""
    its, rows = suite(name), kept(name)
    assert [key(case) for case in its.cases if key(case) not in rows] == [], (
        f"ask: python tests/language/suites.py {name}"
    )
    catalog = iw.Catalog(tables(its))
    surprises = []
    for case in its.cases:
        found = outcome(catalog, case, rows[key(case)])
        expected = [case.mark] if case.mark else ["equal", "both refuse"]
        if found.kind not in expected and case.mark != "waits":
            surprises.append(f"{key(case)}\n    {found.kind}, not {' or '.join(expected)}: {found.said}")
    assert not surprises, f"{len(surprises)} of {len(its.cases)}:\n" + "\n".join(surprises)
