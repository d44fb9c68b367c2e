"""``iw.sql``: a window that cannot be taken, in OVER or in WINDOW."""

from bad.input import Bad
from bad.statements import sql

from inwindow.language.text import StatementError

ROWS = [
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
