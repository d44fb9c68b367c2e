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
    Bad(
        "a window that is not defined",
        lambda: sql("SELECT my_avg(price) OVER w FROM bids WINDOW v AS (ROWS 9 PRECEDING)"),
        StatementError,
        "iw.sql: there is no window 'w'; there are: v (line 1, column 27)\n"
        "  SELECT my_avg(price) OVER w FROM bids WINDOW v AS (ROWS 9 PRECEDING)\n"
        "                            ^",
    ),
    Bad(
        "another word at the beginning",
        lambda: sql("SELECT my_avg(price) OVER (GROUP BY item ROWS 9 PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: OVER (...) cannot begin with 'GROUP BY item': write PARTITION BY, ORDER BY, ROWS, RANGE or GROUPS, "
        "SLIDE or ACTIVE EXPIRATION, in this order (line 1, column 28)\n"
        "  SELECT my_avg(price) OVER (GROUP BY item ROWS 9 PRECEDING) FROM bids\n"
        "                             ^^^^^^^^",
    ),
    Bad(
        "ORDER BY twice",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ORDER BY id ROWS 9 PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: ORDER BY is there twice (line 1, column 40)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ORDER BY id ROWS 9 PRECEDING) FROM bids\n"
        "                                         ^^^^^^^^",
    ),
    Bad(
        "more than a named window's frame",
        lambda: sql(
            "SELECT my_avg(price) OVER (w ROWS 4 PRECEDING) FROM bids WINDOW w AS (ORDER BY ts ROWS 9 PRECEDING)"
        ),
        StatementError,
        "iw.sql: the window w has a frame, so it cannot be the beginning of another: define one without its "
        "frame, and write the frames behind its name (line 1, column 30)\n"
        "  SELECT my_avg(price) OVER (w ROWS 4 PRECEDING) FROM bids WINDOW w AS (ORDER BY ts ROWS 9 PRECEDING)\n"
        "                               ^^^^",
    ),
    Bad(
        "a window that is defined twice",
        lambda: sql("SELECT my_avg(price) OVER w FROM bids WINDOW w AS (ORDER BY ts), w AS (ORDER BY id)"),
        StatementError,
        "iw.sql: the window w is defined twice (line 1, column 66)\n"
        "  SELECT my_avg(price) OVER w FROM bids WINDOW w AS (ORDER BY ts), w AS (ORDER BY id)\n"
        "                                                                   ^",
    ),
    Bad(
        "PARTITION BY behind a named window",
        lambda: sql("SELECT my_avg(price) OVER (w PARTITION BY item) FROM bids WINDOW w AS (ORDER BY ts)"),
        StatementError,
        "iw.sql: PARTITION BY cannot be added to the window w: write it into the definition of w (line 1, "
        "column 30)\n"
        "  SELECT my_avg(price) OVER (w PARTITION BY item) FROM bids WINDOW w AS (ORDER BY ts)\n"
        "                               ^^^^^^^^^^^^",
    ),
    Bad(
        "ORDER BY again beside a named window",
        lambda: sql("SELECT my_avg(price) OVER (w ORDER BY id ROWS 9 PRECEDING) FROM bids WINDOW w AS (ORDER BY ts)"),
        StatementError,
        "iw.sql: ORDER BY is already in the named window (line 1, column 30)\n"
        "  SELECT my_avg(price) OVER (w ORDER BY id ROWS 9 PRECEDING) FROM bids WINDOW w AS (ORDER BY ts)\n"
        "                               ^^^^^^^^",
    ),
    Bad(
        "an order that comes too late",
        lambda: sql("SELECT my_avg(price) OVER (ROWS 9 PRECEDING ORDER BY ts) FROM bids"),
        StatementError,
        "iw.sql: ORDER BY comes too late: the order is PARTITION BY, ORDER BY, ROWS, RANGE or GROUPS, EXCLUDE, then "
        "SLIDE or ACTIVE EXPIRATION (line 1, column 45)\n"
        "  SELECT my_avg(price) OVER (ROWS 9 PRECEDING ORDER BY ts) FROM bids\n"
        "                                              ^^^^^^^^",
    ),
    Bad(
        "an empty PARTITION BY",
        lambda: sql("SELECT my_avg(price) OVER (PARTITION BY ORDER BY ts) FROM bids"),
        StatementError,
        "iw.sql: PARTITION BY lacks an expression (line 1, column 28)\n"
        "  SELECT my_avg(price) OVER (PARTITION BY ORDER BY ts) FROM bids\n"
        "                             ^^^^^^^^^^^^",
    ),
    Bad(
        "GROUPS",
        lambda: sql("SELECT my_avg(price) OVER (GROUPS 9 PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: GROUPS counts groups of equal order values: write ORDER BY before the frame (line 1, column 28)\n"
        "  SELECT my_avg(price) OVER (GROUPS 9 PRECEDING) FROM bids\n"
        "                             ^^^^^^",
    ),
    Bad(
        "EXCLUDE of something else",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 PRECEDING EXCLUDE PEERS) FROM bids"),
        StatementError,
        "iw.sql: EXCLUDE is followed by one of CURRENT ROW, GROUP, TIES, NO OTHERS (line 1, column 65)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 PRECEDING EXCLUDE PEERS) FROM bids\n"
        "                                                                  ^^^^^",
    ),
    Bad(
        "EXCLUDE without a frame",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts EXCLUDE TIES) FROM bids"),
        StatementError,
        "iw.sql: EXCLUDE needs a frame before it: write ROWS BETWEEN 9 PRECEDING AND 9 FOLLOWING EXCLUDE CURRENT ROW (line 1, "
        "column 40)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts EXCLUDE TIES) FROM bids\n"
        "                                         ^^^^^^^",
    ),
    Bad(
        "ROWS without a bound",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS) FROM bids"),
        StatementError,
        "iw.sql: ROWS lacks its bounds: write ROWS 49 PRECEDING (line 1, column 40)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS) FROM bids\n"
        "                                         ^^^^",
    ),
    Bad(
        "BETWEEN one bound",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS BETWEEN 9 PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: write BETWEEN a bound AND a bound (line 1, column 45)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS BETWEEN 9 PRECEDING) FROM bids\n"
        "                                              ^^^^^^^",
    ),
    Bad(
        "bounds the wrong way round",
        lambda: sql(
            "SELECT my_avg(price) OVER (ORDER BY ts ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM bids"
        ),
        StatementError,
        "iw.sql: the lower bound lies after the upper bound; swap them (line 1, column 45)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM "
        "bids\n"
        "                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a frame that begins here",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 FOLLOWING) FROM bids"),
        StatementError,
        "iw.sql: a frame begins here and ends at the current row: write ROWS BETWEEN CURRENT ROW AND 9 "
        "FOLLOWING (line 1, column 45)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 FOLLOWING) FROM bids\n"
        "                                              ^^^^^^^^^^^",
    ),
    Bad(
        "a misspelt bound",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 PRECEEDING) FROM bids"),
        StatementError,
        "iw.sql: ROWS: a bound is UNBOUNDED PRECEDING, 5 PRECEDING, CURRENT ROW, 5 FOLLOWING or UNBOUNDED "
        "FOLLOWING (line 1, column 45)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 PRECEEDING) FROM bids\n"
        "                                              ^^^^^^^^^^^^",
    ),
    Bad(
        "a time in ROWS",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS 5 MINUTES PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: ROWS counts tuples, and 5 MINUTES is no count: write ROWS 49 PRECEDING, or RANGE for a "
        "distance in the order value (line 1, column 45)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS 5 MINUTES PRECEDING) FROM bids\n"
        "                                              ^^^^^^^^^",
    ),
    Bad(
        "a bound without its size",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: ROWS: a bound lacks its size: write 10, 5 MINUTES, INTERVAL 5 MINUTES or INTERVAL '5' "
        "MINUTE (line 1, column 45)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS PRECEDING) FROM bids\n"
        "                                              ^^^^^^^^^",
    ),
    Bad(
        "an expression as a bound",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS 5 + 4 PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: ROWS: a bound is a number or an interval that is written out: 10, 5 MINUTES, INTERVAL 5 "
        "MINUTES or INTERVAL '5' MINUTE (line 1, column 45)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS 5 + 4 PRECEDING) FROM bids\n"
        "                                              ^^^^^",
    ),
    Bad(
        "a negative bound",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS -9 PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: ROWS: a bound is not negative: PRECEDING and FOLLOWING say on which side it lies (line 1, "
        "column 45)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS -9 PRECEDING) FROM bids\n"
        "                                              ^^",
    ),
    Bad(
        "an interval of two units by TO",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts RANGE INTERVAL '1:30' HOUR TO MINUTE PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: RANGE: a bound: write an interval with its units, as in INTERVAL 1 HOUR 30 MINUTES (line 1, "
        "column 46)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts RANGE INTERVAL '1:30' HOUR TO MINUTE PRECEDING) FROM bids\n"
        "                                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "an interval of no unit",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts RANGE 5 FORTNIGHTS PRECEDING) FROM bids"),
        StatementError,
        "iw.sql: RANGE: a bound: '5 FORTNIGHTS' is not an interval ('FORTNIGHTS' is no unit): write a number "
        "and a unit, as in '5 minutes', '1 day 12 hours' or '3 months' (units: microseconds to weeks, "
        "months, years) (line 1, column 46)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts RANGE 5 FORTNIGHTS PRECEDING) FROM bids\n"
        "                                               ^^^^^^^^^^^^",
    ),
    Bad(
        "SLIDE without a frame",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts SLIDE 5) FROM bids"),
        StatementError,
        "iw.sql: SLIDE needs a frame before it: write ROWS 49 PRECEDING SLIDE 10 (tuples) or RANGE 5 MINUTES "
        "PRECEDING SLIDE 1 MINUTE (distances in the order value) (line 1, column 40)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts SLIDE 5) FROM bids\n"
        "                                         ^^^^^",
    ),
    Bad(
        "SLIDE 0",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 PRECEDING SLIDE 0) FROM bids"),
        StatementError,
        "iw.sql: SLIDE 0: a slide must be > 0; it is the distance between two rows (line 1, column 63)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 PRECEDING SLIDE 0) FROM bids\n"
        "                                                                ^",
    ),
    Bad(
        "half a tuple",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 PRECEDING SLIDE 2.5) FROM bids"),
        StatementError,
        "iw.sql: over ROWS, SLIDE counts tuples: write SLIDE 10, not SLIDE 2.5; or SLIDE 2.5 RANGE, a "
        "distance in the order value (line 1, column 57)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 PRECEDING SLIDE 2.5) FROM bids\n"
        "                                                          ^^^^^",
    ),
    Bad(
        "half a tuple, in ROWS",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts RANGE 9 PRECEDING SLIDE 2.5 ROWS) FROM bids"),
        StatementError,
        "iw.sql: SLIDE 2.5 ROWS: a count of tuples is a whole number, as in SLIDE 10 ROWS (line 1, column "
        "64)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts RANGE 9 PRECEDING SLIDE 2.5 ROWS) FROM bids\n"
        "                                                                 ^^^",
    ),
    Bad(
        "RANGE without ORDER BY",
        lambda: sql("SELECT my_avg(price) OVER (PARTITION BY item RANGE 9 PRECEDING SLIDE 5) FROM bids"),
        StatementError,
        "iw.sql: RANGE bounds and slides are distances in the order value: write ORDER BY before RANGE (line "
        "1, column 46)\n"
        "  SELECT my_avg(price) OVER (PARTITION BY item RANGE 9 PRECEDING SLIDE 5) FROM bids\n"
        "                                               ^^^^^",
    ),
    Bad(
        "SLIDE and ACTIVE EXPIRATION",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts RANGE 9 PRECEDING SLIDE 5 ACTIVE EXPIRATION) FROM bids"),
        StatementError,
        "iw.sql: ACTIVE EXPIRATION takes the place of SLIDE: write one of them (line 1, column 66)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts RANGE 9 PRECEDING SLIDE 5 ACTIVE EXPIRATION) FROM bids\n"
        "                                                                   ^^^^^^",
    ),
    Bad(
        "ACTIVE EXPIRATION without a frame",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ACTIVE EXPIRATION) FROM bids"),
        StatementError,
        "iw.sql: ACTIVE EXPIRATION needs a frame before it: write RANGE 5 SECONDS PRECEDING ACTIVE "
        "EXPIRATION (line 1, column 40)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ACTIVE EXPIRATION) FROM bids\n"
        "                                         ^^^^^^",
    ),
    Bad(
        "ACTIVE EXPIRATION of ROWS",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 PRECEDING ACTIVE EXPIRATION) FROM bids"),
        StatementError,
        "iw.sql: ACTIVE EXPIRATION needs a RANGE frame that ends at the current row, so that each tuple "
        "leaves at a known time: write RANGE 5 SECONDS PRECEDING ACTIVE EXPIRATION (line 1, column 40)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts ROWS 9 PRECEDING ACTIVE EXPIRATION) FROM bids\n"
        "                                         ^^^^",
    ),
    Bad(
        "a word behind ACTIVE EXPIRATION",
        lambda: sql("SELECT my_avg(price) OVER (ORDER BY ts RANGE 9 PRECEDING ACTIVE EXPIRATION 5) FROM bids"),
        StatementError,
        "iw.sql: after ACTIVE EXPIRATION nothing more may come (line 1, column 76)\n"
        "  SELECT my_avg(price) OVER (ORDER BY ts RANGE 9 PRECEDING ACTIVE EXPIRATION 5) FROM bids\n"
        "                                                                             ^",
    ),
]
