"""What came of the window queries of other databases' regression suites, and the table of it in docs/sql.md."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from unittest.mock import patch

from samples.databases import duck, kept, sqlite
from samples.suites import Asked, Case, Rows, Suite, answer, bag, equal, suite, tables

import inwindow as iw
from inwindow.language import catalog as catalogs

DATABASES: dict[str, Callable[[Suite], Asked]] = {"postgres": kept, "sqlite": sqlite, "duckdb": duck}
BEGIN, END = "[//]: # (begin: the suites' table)", "[//]: # (end: the suites' table)"
TITLES = {
    "postgres": "PostgreSQL, `window.sql`",
    "sqlite": "SQLite, `window1.test` to `windowB.test`",
    "duckdb": "DuckDB, `window/*.test`",
}
COLUMNS = ["queries", "same rows", "of these by inwindow alone", "both refuse", "not expressible", "other rows"]


@dataclass(frozen=True)
class Outcome:
    """What came of a query: equal, both refuse, no (only we refuse it), differs; what we said or gave; who ran its windows."""

    case: Case
    kind: str
    said: str = ""
    is_ours: bool = False


@cache
def outcomes(name: str) -> Sequence[Outcome]:
    """Run a suite."""
    its = suite(name)
    ask, catalog = DATABASES[name](its), iw.Catalog(tables(its))
    return [outcome(catalog, case, ask(case.text)) for case in its.cases]


def outcome(catalog: iw.Catalog, case: Case, theirs: Rows | None) -> Outcome:
    """Run a query, and hold it against the database's rows."""
    try:
        with _calls() as ours:
            rows = answer(catalog, case)
    except iw.InWindowError as error:
        return Outcome(case, "both refuse" if theirs is None else "no", str(error).splitlines()[0])
    if theirs is None:
        return Outcome(case, "differs", "the database refuses it")
    if equal(rows, theirs):
        return Outcome(case, "equal", is_ours=sum(ours) >= case.windows)
    return Outcome(case, "differs", f"ours {bag(rows)[:5]}, not {bag(theirs)[:5]}")


@contextmanager
def _calls() -> Iterator[list[int]]:
    """How many windows inwindow runs."""
    counts: list[int] = []
    run = catalogs.run

    def counted(engine: object, statement: object, registered: object) -> object:
        counts.append(len(statement.calls))  # type: ignore[attr-defined]
        return run(engine, statement, registered)  # type: ignore[arg-type]

    with patch.object(catalogs, "run", counted):
        yield counts


def table() -> str:
    """A row for each suite, then why queries are not expressible or give other rows."""
    lines = ["| | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    why: dict[str, Counter[str]] = {"no": Counter(), "differs": Counter()}
    for name in DATABASES:
        counts = Counter(one.kind for one in outcomes(name))
        ours = sum(one.is_ours for one in outcomes(name))
        numbers = [counts.total(), counts["equal"], ours, counts["both refuse"], counts["no"], counts["differs"]]
        lines.append(f"| {TITLES[name]} | " + " | ".join(f"{number:,}" for number in numbers) + " |")
        for one in outcomes(name):
            if one.kind in why:
                why[one.kind][dict(one.case.marks)[one.case.mark]] += 1
    said = {"no": "Not expressible", "differs": "Other rows"}
    for kind, reasons in why.items():
        lines += ["", f"| {said[kind]} | queries |", "|---|---|"]
        lines += [
            f"| {reason} | {count} |" for reason, count in sorted(reasons.items(), key=lambda one: (-one[1], one[0]))
        ]
    return "\n".join(lines)
