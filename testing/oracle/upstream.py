"""Faults of other engines that the oracle found, as they can be reported: a query, what comes, what should come, and why.

``python -m inwindow.testing.oracle ENGINE --bugs`` runs those of an engine again. Rows are in the order of their first column.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from math import inf, nan
from typing import Any

from inwindow.testing.oracle.asking import Engine
from inwindow.testing.oracle.sources import SOURCES, Source

Rows = list[tuple[Any, ...]]
SEARCHED = "20 November 2026"


@dataclass(frozen=True)
class Bug:
    """A fault: ``sql`` gives ``given`` (a text: the error's words) where it should give ``expected``."""

    engine: str
    version: str
    title: str
    sql: str
    given: Rows | str
    expected: Rows
    why: str
    settings: str = ""  # statements that are run first
    also: str = ""  # other engines with the same fault
    portable: bool = True  # other engines understand the query
    known: str = ""  # where it has been reported

    def answer(self, engine: Engine) -> Rows | str:
        """What an engine gives today."""
        said = engine.ask(self.sql)
        if said.rows is None:
            return said.error
        return sorted(map(tuple, said.rows), key=lambda row: (row[0] is None, row[0] or 0))


def holds(bug: Bug, today: Rows | str) -> bool:
    """Whether the fault is still there."""
    if isinstance(bug.given, str) or isinstance(today, str):
        return isinstance(bug.given, str) and isinstance(today, str) and bug.given in today
    return repr(today) == repr(bug.given)


def of(engine: str) -> list[Bug]:
    """The faults of an engine."""
    return [bug for bug in BUGS if bug.engine == engine]


def pages() -> Iterator[str]:
    """The faults as Markdown."""
    for number, bug in enumerate(BUGS, 1):
        yield f"### {number}. {bug.engine} {bug.version}: {bug.title}\n"
        first = f"{bug.settings};\n" if bug.settings else ""
        yield f"```sql\n{first}{bug.sql};\n```\n"
        yield f"| | |\n|---|---|\n| given | `{shown(bug.given)}` |\n| expected | `{shown(bug.expected)}` |\n"
        notes = [bug.why, f"Also in {bug.also}." if bug.also else "", f"Known as {bug.known}." if bug.known else ""]
        its = SOURCES.get(bug.title, Source())
        near = "" if bug.known else f"No report found ({SEARCHED}){f'; {its.near}' if its.near else ''}."
        yield " ".join(filter(None, [*notes, its.text, near])) + "\n"


def shown(rows: Rows | str) -> str:
    """Rows on one line."""
    return rows if isinstance(rows, str) else ", ".join(map(repr, rows))


_DATAFUSION = "55.0.0"

BUGS = (
    Bug(
        "datafusion",
        _DATAFUSION,
        "`OVER (w)` forgets the order and the partitions of `w`",
        (
            "SELECT a, count(*) OVER (w) AS x, count(*) OVER w AS y FROM (VALUES (1), (2)) AS c(a) WINDOW w AS "
            "(ORDER BY a)"
        ),
        [(1, 2, 1), (2, 2, 2)],
        [(1, 1, 1), (2, 2, 2)],
        (
            "SQL:2011, 7.11 window clause: a window specification with an existing window name takes its "
            "partitioning and its ordering. Nothing is reported, and `OVER (w ROWS ...)` is wrong in the same way."
        ),
    ),
    Bug(
        "datafusion",
        _DATAFUSION,
        "array_agg in the order of another window",
        (
            "SELECT a, array_agg(a) OVER (ORDER BY a) AS x, row_number() OVER (ORDER BY a DESC) AS y FROM (VALUES "
            "(1), (2), (3)) AS c(a)"
        ),
        [(1, [1], 3), (2, [2, 1], 2), (3, [3, 2, 1], 1)],
        [(1, [1], 3), (2, [1, 2], 2), (3, [1, 2, 3], 1)],
        (
            "The frame is an ordered set of rows, in the order of its own window. Alone, the call is right; beside a "
            "window of the other direction it runs on that window's sort, reversed."
        ),
        also="string_agg",
    ),
    Bug(
        "datafusion",
        _DATAFUSION,
        "bit_xor is 0 after its values have left",
        (
            "SELECT a, bit_xor(b) OVER (ORDER BY a ROWS BETWEEN CURRENT ROW AND CURRENT ROW) AS x FROM (VALUES (1, "
            "5), (2, NULL)) AS c(a, b)"
        ),
        [(1, 5), (2, 0)],
        [(1, 5), (2, None)],
        (
            "SQL:2011, 10.9 aggregate function: of no values the result of a set function other than COUNT is the "
            "null value. The first row decides: without it the second gives NULL."
        ),
        also="Sail 0.7.2",
    ),
    Bug(
        "datafusion",
        _DATAFUSION,
        "stddev_pop is NaN over equal values",
        (
            "SELECT a, stddev_pop(b) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM (VALUES "
            "(1, 0.0e0), (2, 1.25e0), (3, 1.25e0)) AS c(a, b)"
        ),
        [(1, 0.0), (2, 0.625), (3, nan)],
        [(1, 0.0), (2, 0.625), (3, 0.0)],
        (
            "The standard deviation of 1.25 and 1.25 is 0. What has left is subtracted from a running sum of "
            "squares, which becomes negative; after 1e9 has left, var_pop of 1 and 2 is 64. (Issue 13247 says that "
            "NaN is seen, without a query.)"
        ),
        also="Sail 0.7.2",
    ),
    Bug(
        "datafusion",
        _DATAFUSION,
        "an infinity stays after its row has left",
        (
            "SELECT a, sum(b) OVER (ORDER BY a ROWS BETWEEN CURRENT ROW AND CURRENT ROW) AS x, avg(b) OVER (ORDER BY "
            "a ROWS BETWEEN CURRENT ROW AND CURRENT ROW) AS y FROM (VALUES (1, CAST('Infinity' AS DOUBLE)), (2, "
            "1e0)) AS c(a, b)"
        ),
        [(1, inf, inf), (2, nan, nan)],
        [(1, inf, inf), (2, 1.0, 1.0)],
        (
            "The frame of the second row holds 1 alone. Infinity is subtracted from infinity, and all later rows are "
            "NaN."
        ),
        also="Sail 0.7.2",
    ),
    Bug(
        "datafusion",
        _DATAFUSION,
        "NULL order values: the end of a batch cuts their peers",
        (
            "SELECT id, count(*) OVER (ORDER BY t NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS "
            "x FROM (VALUES (1, NULL), (2, NULL), (3, NULL), (4, 5)) AS c(id, t)"
        ),
        [(1, 2), (2, 2), (3, 3), (4, 3)],
        [(1, 3), (2, 3), (3, 3), (4, 3)],
        (
            "SQL:2011, 7.11, general rules of RANGE: where the sort key of the current row is null, a bound with an "
            "offset is that of its peers, and rows whose sort key is null are in no other frame's offset. The result "
            "depends on `batch_size`: rows are given out before all their peers have come."
        ),
        settings="SET datafusion.execution.batch_size = 2",
    ),
    Bug(
        "datafusion",
        _DATAFUSION,
        "regr_r2 of a constant y is NULL",
        "SELECT a, regr_r2(b, a) OVER () AS x FROM (VALUES (1e0, 4e0), (2e0, 4e0)) AS c(a, b)",
        [(1.0, None), (2.0, None)],
        [(1.0, 1.0), (2.0, 1.0)],
        (
            "SQL:2011, 10.9: REGR_R2 is null where all x are equal, else 1 where all y are equal. An aggregate's "
            "fault, in GROUP BY too."
        ),
    ),
    Bug(
        "datafusion",
        _DATAFUSION,
        "lead with IGNORE NULLS does not reach over a NULL",
        (
            "SELECT a, lead(b, 2) IGNORE NULLS OVER (ORDER BY a) AS x FROM (VALUES (1, 10), (2, 20), (3, 30), (4, "
            "40), (5, NULL), (6, NULL), (7, 70)) AS c(a, b)"
        ),
        [(1, 30), (2, 40), (3, None), (4, None), (5, None), (6, None), (7, None)],
        [(1, 30), (2, 40), (3, 70), (4, None), (5, None), (6, None), (7, None)],
        "Behind row 3 are 40 and 70.",
        also="Sail 0.7.2",
        portable=False,
        known="apache/datafusion#25471",
    ),
    Bug(
        "sail",
        "0.7.2",
        "RANGE over dates takes rows of any age",
        (
            "SELECT a, count(*) OVER (ORDER BY a RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW) AS x FROM "
            "(VALUES (DATE '2026-03-02'), (DATE '2026-03-15')) AS c(a)"
        ),
        [(date(2026, 3, 2), 1), (date(2026, 3, 15), 2)],
        [(date(2026, 3, 2), 1), (date(2026, 3, 15), 1)],
        (
            "SQL:2011, 7.11: the frame holds the rows from one day before. `1 PRECEDING`, which Spark counts in days, is "
            "wrong in the same way; timestamps and months are right. Spark 4.3 and DataFusion 55 give what is expected."
        ),
    ),
    Bug(
        "sail",
        "0.7.2",
        "a frame without ORDER BY is an internal error",
        (
            "SELECT a, sum(a) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS x FROM (VALUES "
            "(1), (2)) AS c(a)"
        ),
        "Internal error: ORDER BY column cannot be empty",
        [(1, 3), (2, 3)],
        (
            "Without an order all rows are peers, so that this is the default frame; Spark 4.3 gives the rows. The "
            "message says itself that it is a fault."
        ),
    ),
    Bug(
        "clickhouse",
        "26.9.2.1",
        "lag and lead do not heed IGNORE NULLS",
        (
            "SELECT a, lag(b, 1) IGNORE NULLS OVER (ORDER BY a) AS x FROM values('a Int32, b Nullable(Int32)', (1, "
            "10), (2, NULL), (3, 30))"
        ),
        [(1, None), (2, 10), (3, None)],
        [(1, None), (2, 10), (3, 10)],
        (
            "SQL:2011, 6.10: with IGNORE NULLS the rows whose value is null are left out. Neither an error nor a "
            "warning says that the clause has no effect."
        ),
        portable=False,
    ),
    Bug(
        "clickhouse",
        "26.9.2.1",
        "nth_value does not heed IGNORE NULLS",
        (
            "SELECT a, nth_value(b, 2) IGNORE NULLS OVER (ORDER BY a) AS x FROM values('a Int32, b Nullable(Int32)', "
            "(1, 10), (2, NULL), (3, 30))"
        ),
        [(1, None), (2, None), (3, None)],
        [(1, None), (2, None), (3, 30)],
        "SQL:2011, 6.10, as above; first_value and last_value heed the clause.",
        portable=False,
    ),
    Bug(
        "clickhouse",
        "26.9.2.1",
        "NULL order values are in frames of numbers",
        (
            "SELECT a, count(*) OVER (ORDER BY a NULLS LAST RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS x FROM "
            "values('a Nullable(Int32)', (0), (1), (5), (NULL), (NULL))"
        ),
        [(0, 2), (1, 2), (5, 3), (None, 3), (None, 3)],
        [(0, 2), (1, 2), (5, 1), (None, 2), (None, 2)],
        (
            "SQL:2011, 7.11, general rules of RANGE: where the sort key of the current row is null, a bound with an "
            "offset is that of its peers, and rows whose sort key is null are in no other frame's offset. The row of "
            "5 counts the NULLs, that of 1 does not; PostgreSQL 18.4 gives what is expected."
        ),
        portable=False,
    ),
    Bug(
        "spark",
        "4.3.0",
        "FILTER (WHERE false) over a window is an internal error",
        "SELECT a, sum(a) FILTER (WHERE 1 = 0) OVER (ORDER BY a) AS x FROM (VALUES (1), (2)) AS c(a)",
        "[INTERNAL_ERROR] Unsupported window function: null",
        [(1, None), (2, None)],
        (
            "SQL:2011, 10.9 aggregate function: of no values the result of a set function other than COUNT is the "
            "null value. The optimizer replaces the call by a literal NULL, which no window can run; also where it "
            "finds out that a condition such as `v IS NULL` is never true. FILTER over windows is new (SPARK-55702)."
        ),
    ),
    Bug(
        "sqlite",
        "3.54.1",
        "group_concat forgets an empty text at the front of a frame",
        (
            "SELECT a, group_concat(b, ',') OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM "
            "(SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, '' UNION ALL SELECT 3, 'y') AS c"
        ),
        [(1, "x"), (2, "x,"), (3, "y")],
        [(1, "x"), (2, "x,"), (3, ",y")],
        (
            "The documentation: the concatenation of all values that are not NULL, and a separator between all of them; "
            "without a window `group_concat` of '' and 'y' is ',y'. Once what is left in the frame is the empty text, the "
            "next value gets no separator. PostgreSQL's string_agg gives what is expected."
        ),
        also="Turso 0.8.3",
    ),
    Bug(
        "turso",
        "0.8.3",
        "group_concat of an empty text is NULL after other values have left",
        (
            "SELECT a, group_concat(b, ',') OVER (ORDER BY a ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS x FROM "
            "(SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, '') AS c"
        ),
        [(1, "x,"), (2, None)],
        [(1, "x,"), (2, "")],
        "The frame of the second row holds a value that is not NULL; SQLite 3.54.1 gives the empty text.",
    ),
    Bug(
        "turso",
        "0.8.3",
        "group_concat over empty texts and NULLs ends the process",
        (
            "SELECT a, group_concat(b, ',') OVER (ORDER BY a ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS x FROM (SELECT 1 "
            "AS a, 'a' AS b UNION ALL SELECT 2, '' UNION ALL SELECT 3, NULL UNION ALL SELECT 4, '' UNION ALL SELECT 5, '') "
            "AS c"
        ),
        "ended with -6",
        [(1, None), (2, "a"), (3, "a,"), (4, ""), (5, "")],
        (
            "The thread panics with `internal error: entered unreachable code: GroupConcat accumulator is Text after a "
            "non-NULL xStep`, and the process aborts."
        ),
    ),
    Bug(
        "hyper",
        "0.0.26963",
        "variances of large numbers are 0",
        "SELECT a, var_pop(b) OVER () AS x FROM (VALUES (1, 1000000001.75e0), (2, 1000000000.0e0)) AS c(a, b)",
        [(1, 0.0), (2, 0.0)],
        [(1, 0.765625), (2, 0.765625)],
        (
            "The textbook's difference of two sums has no digits left. The exact result is a double; PostgreSQL and "
            "DuckDB give it. An aggregate's fault, in GROUP BY too."
        ),
    ),
    Bug(
        "polars",
        "2.1.0",
        "cume_dist of the last row is not 1",
        (
            "SELECT count(*) AS n FROM (SELECT cume_dist() OVER (ORDER BY a) AS x FROM (VALUES (1), (2), (3), (4), "
            "(5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), "
            "(23), (24), (25), (26), (27), (28), (29), (30), (31), (32), (33), (34), (35), (36), (37), (38), (39), "
            "(40), (41), (42), (43), (44), (45), (46), (47), (48), (49)) AS c(a)) AS q WHERE x = 1"
        ),
        [(0,)],
        [(1,)],
        (
            "SQL:2011, 6.10: CUME_DIST is NP/NR, here 49/49. Polars gives 0.9999999999999999, the product of 49 and "
            "of 1/49, so that a condition `= 1` finds nothing for 49, 98, 103, ... rows. percent_rank is a product, "
            "too: 3/5 is 0.6000000000000001."
        ),
    ),
)
