"""``iw.sql``: a statement that cannot be taken; the message shows the place. What Spark says comes at its place, too."""

from typing import Any

from bad.input import Bad

from inwindow.language.sql.statement import read
from inwindow.language.text import StatementError


def sql(text: str) -> Any:
    """Read a statement, as ``iw.sql`` does first; ``my_avg`` is registered."""
    return read(text, {"my_avg"}, {"avg", "sum", "count", "max"})


ROWS = [
    Bad(
        "no SELECT",
        lambda: sql("INSERT INTO t SELECT my_avg(price) OVER (ROWS 9 PRECEDING) FROM bids"),
        StatementError,
        "iw.sql takes one SELECT, and this begins with INSERT: write iw.sql(spark, 'SELECT "
        "...').write.insertInto('table') (line 1, column 1)\n"
        "  INSERT INTO t SELECT my_avg(price) OVER (ROWS 9 PRECEDING) FROM bids\n"
        "  ^^^^^^",
    ),
    Bad(
        "FROM first",
        lambda: sql("FROM bids SELECT my_avg(price) OVER (ROWS 9 PRECEDING)"),
        StatementError,
        "iw.sql takes one SELECT, and this begins with FROM: write SELECT first, then FROM (line 1, column "
        "1)\n"
        "  FROM bids SELECT my_avg(price) OVER (ROWS 9 PRECEDING)\n"
        "  ^^^^",
    ),
    Bad(
        "two statements",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) FROM bids; SELECT 1"),
        StatementError,
        "iw.sql takes one statement, and a second one begins here (line 1, column 55)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) FROM bids; SELECT 1\n"
        "                                                        ^",
    ),
    Bad(
        "a UNION",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) FROM bids UNION ALL SELECT 1"),
        StatementError,
        "iw.sql: beside UNION, a window of ours stands in a SELECT of its own: write SELECT *, ... OVER (...)"
        " AS w FROM (... UNION ...) (line 1, column 56)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) FROM bids UNION ALL SELECT 1\n"
        "                                                         ^^^^^",
    ),
    Bad(
        "nothing selected",
        lambda: sql("SELECT FROM bids ORDER BY my_avg(price) OVER (ROWS 9 PRECEDING)"),
        StatementError,
        "iw.sql: the select list is empty: write SELECT columns FROM ... (line 1, column 1)\n"
        "  SELECT FROM bids ORDER BY my_avg(price) OVER (ROWS 9 PRECEDING)\n"
        "  ^^^^^^",
    ),
    Bad(
        "SORT BY",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) FROM bids SORT BY item"),
        StatementError,
        "iw.sql: SORT BY is not supported beside a window of ours: use ORDER BY, or the DataFrame's own "
        "repartition and sortWithinPartitions (line 1, column 56)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) FROM bids SORT BY item\n"
        "                                                         ^^^^^^^",
    ),
    Bad(
        "LIMIT of an expression",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) FROM bids LIMIT 5 + 5"),
        StatementError,
        "iw.sql: LIMIT is a number that is written out: LIMIT 10 (line 1, column 62)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) FROM bids LIMIT 5 + 5\n"
        "                                                               ^^^^^",
    ),
    Bad(
        "an empty QUALIFY",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS a FROM bids QUALIFY"),
        StatementError,
        "iw.sql: QUALIFY lacks an expression (line 1, column 61)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS a FROM bids QUALIFY\n"
        "                                                              ^^^^^^^",
    ),
    Bad(
        "ORDER BY a comma",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS a FROM bids ORDER BY a,"),
        StatementError,
        "iw.sql: ORDER BY lacks an expression (line 1, column 71)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS a FROM bids ORDER BY a,\n"
        "                                                                        ^",
    ),
    Bad(
        "more than ORDER BY ALL",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS a FROM bids ORDER BY ALL + 1"),
        StatementError,
        "iw.sql: ORDER BY ALL takes only a direction: ASC, DESC, NULLS FIRST (line 1, column 74)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS a FROM bids ORDER BY ALL + 1\n"
        "                                                                           ^",
    ),
    Bad(
        "a quotation that is not closed",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS 'a FROM bids"),
        StatementError,
        "iw.sql: this quotation is not closed (line 1, column 49)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS 'a FROM bids\n"
        "                                                  ^",
    ),
    Bad(
        "a comment that is not closed",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) /* FROM bids"),
        StatementError,
        "iw.sql: this comment is not closed (line 1, column 46)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) /* FROM bids\n"
        "                                               ^",
    ),
    Bad(
        "a parenthesis that is not closed",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING FROM bids"),
        StatementError,
        "iw.sql: this ( is not closed (line 1, column 27)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING FROM bids\n"
        "                            ^",
    ),
    Bad(
        "what is not SQL",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS a, + FROM bids"),
        StatementError,
        "iw.sql: the select list cannot be read: give each item an alias, with AS (line 1, column 8)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS a, + FROM bids\n"
        "         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "several names for a result",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS (a, b) FROM bids"),
        StatementError,
        "iw.sql: an item with a window of ours has one alias (line 1, column 8)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS (a, b) FROM bids\n"
        "         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "GROUP BY a result",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS a FROM bids GROUP BY 1"),
        StatementError,
        "iw.sql: item 1 is a, and groups cannot be made by the result of a window (line 1, column 70)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING) AS a FROM bids GROUP BY 1\n"
        "                                                                       ^",
    ),
    Bad(
        "a window in WHERE",
        lambda: sql("SELECT item FROM bids WHERE my_avg(price) OVER (ROWS 9 PRECEDING) > 3"),
        StatementError,
        "iw.sql: my_avg(price) is inside WHERE, but a window of ours stands in a select list, ORDER BY or "
        "QUALIFY: compute it in a subquery, as in FROM (SELECT *, ... OVER (...) AS w FROM ...), and read its"
        " column (line 1, column 29)\n"
        "  SELECT item FROM bids WHERE my_avg(price) OVER (ROWS 9 PRECEDING) > 3\n"
        "                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a window in a subquery",
        lambda: sql("SELECT item FROM (SELECT item, my_avg(price) OVER (ROWS 9 PRECEDING) AS a FROM bids)"),
        StatementError,
        "iw.sql: my_avg(price) is inside a subquery, but a window of ours stands in a select list, ORDER BY "
        "or QUALIFY: compute it in a subquery, as in FROM (SELECT *, ... OVER (...) AS w FROM ...), and read "
        "its column (line 1, column 32)\n"
        "  SELECT item FROM (SELECT item, my_avg(price) OVER (ROWS 9 PRECEDING) AS a FROM bids)\n"
        "                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a window in a window",
        lambda: sql("SELECT my_avg(my_avg(price) OVER (ROWS 9 PRECEDING)) OVER (ROWS 9 PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: my_avg(price) is inside the call of my_avg(my_avg(price) OVER (ROWS 9 PRECEDING)): compute "
        "the inner one in a subquery, as in FROM (SELECT *, ... OVER (...) AS w FROM ...), and read its "
        "column (line 1, column 15)\n"
        "  SELECT my_avg(my_avg(price) OVER (ROWS 9 PRECEDING)) OVER (ROWS 9 PRECEDING) FROM bids\n"
        "                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a window in another function of rows",
        lambda: sql("SELECT sum(my_avg(price) OVER (ROWS 9 PRECEDING)) FROM bids"),
        StatementError,
        "iw.sql: my_avg(price) is inside the call of another function, SUM(), but a window of ours stands in "
        "a select list, ORDER BY or QUALIFY: compute it in a subquery, as in FROM (SELECT *, ... OVER (...) "
        "AS w FROM ...), and read its column (line 1, column 12)\n"
        "  SELECT sum(my_avg(price) OVER (ROWS 9 PRECEDING)) FROM bids\n"
        "             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "no window",
        lambda: sql("SELECT my_avg(price) FROM bids"),
        StatementError,
        "iw.sql: my_avg(...) lacks its window: write OVER (PARTITION BY ... ORDER BY ... ROWS 49 PRECEDING) "
        "behind it; for GROUP BY, write iw.group_by(df, 'key').agg(...) of the aggregate in Python (line 1, column 8)\n"
        "  SELECT my_avg(price) FROM bids\n"
        "         ^^^^^^^^^^^^^",
    ),
    Bad(
        "SLIDE on a function of Spark's",
        lambda: sql("SELECT rank() OVER (ORDER BY ts ROWS 9 PRECEDING SLIDE 5) FROM bids"),
        StatementError,
        "iw.sql: rank is no aggregate of inwindow, so its window takes no SLIDE; register an aggregate with "
        'iw.register(spark, "rank", ...) (line 1, column 8)\n'
        "  SELECT rank() OVER (ORDER BY ts ROWS 9 PRECEDING SLIDE 5) FROM bids\n"
        "         ^^^^",
    ),
    Bad(
        "a misspelt name",
        lambda: sql("SELECT my_agv(price) OVER (ORDER BY ts ROWS 9 PRECEDING SLIDE 5) FROM bids"),
        StatementError,
        "iw.sql: my_agv is no aggregate of inwindow, so its window takes no SLIDE; did you mean my_avg? "
        'register an aggregate with iw.register(spark, "my_agv", ...) (line 1, column 8)\n'
        "  SELECT my_agv(price) OVER (ORDER BY ts ROWS 9 PRECEDING SLIDE 5) FROM bids\n"
        "         ^^^^^^",
    ),
    Bad(
        "an argument that is missing",
        lambda: sql("SELECT my_avg(price,) OVER (ROWS 9 PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: my_avg(...): an argument is missing (line 1, column 8)\n"
        "  SELECT my_avg(price,) OVER (ROWS 9 PRECEDING) FROM bids\n"
        "         ^^^^^^",
    ),
    Bad(
        "a star as the argument",
        lambda: sql("SELECT my_avg(*) OVER (ROWS 9 PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: my_avg(*): name the columns; only count(*) takes a star (line 1, column 15)\n"
        "  SELECT my_avg(*) OVER (ROWS 9 PRECEDING) FROM bids\n"
        "                ^",
    ),
    Bad(
        "FILTER without WHERE",
        lambda: sql("SELECT my_avg(price) FILTER (price > 3) OVER (ROWS 9 PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: write FILTER (WHERE condition) (line 1, column 30)\n"
        "  SELECT my_avg(price) FILTER (price > 3) OVER (ROWS 9 PRECEDING) FROM bids\n"
        "                               ^^^^^^^^^",
    ),
]
