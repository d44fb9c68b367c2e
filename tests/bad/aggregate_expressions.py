"""``iw.aggregate``: SELECTs and expressions that make no sense; the message shows the place."""

from bad.input import Bad

import inwindow as iw
from inwindow.language.text import StatementError

ROWS = [
    Bad(
        "an unknown column",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { UPDATE s SET x = x + nxt; INSERT INTO RETURN VALUES (next) }\n"
            "}"
        ),
        StatementError,
        "a: there is no column nxt here; did you mean next? there are: x, n, next (line 3, column 35)\n"
        "    ITERATE: { UPDATE s SET x = x + nxt; INSERT INTO RETURN VALUES (next) }\n"
        "                                    ^^^",
    ),
    Bad(
        "an unknown function",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES (eval(next)) }\n"
            "}"
        ),
        StatementError,
        "a: eval(...) is not known in an aggregate; an aggregate of yours is created before this one; there are: "
        "abs, ceil, char_length, coalesce, concat, exp, floor, greatest, ifnull, least, length, ln, lower, nullif, nvl, pow, "
        "power, round, sqrt, substr, substring, trim, upper (line 3, column 41)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES (eval(next)) }\n"
        "                                          ^^^^^^^^^",
    ),
    Bad(
        "text plus a number",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES (next + 'a') }\n"
            "}"
        ),
        StatementError,
        "a: next + 'a': double and string do not go together (line 3, column 41)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES (next + 'a') }\n"
        "                                          ^^^^^^^^^^",
    ),
    Bad(
        "a number compared with text",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT x FROM s WHERE x > 'a' }\n"
            "}"
        ),
        StatementError,
        "a: x > 'a': double is not compared with string: write a CAST (line 3, column 55)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT x FROM s WHERE x > 'a' }\n"
        "                                                        ^^^^^^^",
    ),
    Bad(
        "a number as a condition",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT x FROM s WHERE x }\n"
            "}"
        ),
        StatementError,
        "a: x is double, and a condition is wanted: write a comparison (line 3, column 55)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT x FROM s WHERE x }\n"
        "                                                        ^",
    ),
    Bad(
        "an aggregate in WHERE",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT x FROM s WHERE max(x) > 1 }\n"
            "}"
        ),
        StatementError,
        "a: max(...) is an aggregate: write (SELECT max(...) FROM table) (line 3, column 55)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT x FROM s WHERE max(x) > 1 }\n"
        "                                                        ^^^^^",
    ),
    Bad(
        "a column beside an aggregate",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT v, max(v) FROM l }\n"
            "}"
        ),
        StatementError,
        "a: v is neither in GROUP BY nor inside an aggregate (line 3, column 40)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT v, max(v) FROM l }\n"
        "                                         ^",
    ),
    Bad(
        "oldest has no such column",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES (oldest().price) }\n"
            "}"
        ),
        StatementError,
        "a: oldest() has no column price; there are: next (line 3, column 41)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES (oldest().price) }\n"
        "                                          ^^^^^^^^^^^^^^",
    ),
    Bad(
        "two columns for IN",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT x FROM s WHERE n IN (SELECT id, w FROM k) }\n"
            "}"
        ),
        StatementError,
        "a: IN (SELECT ...): the SELECT gives 2 columns, and one is wanted (line 3, column 55)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT x FROM s WHERE n IN (SELECT id, w FROM k) }\n"
        "                                                        ^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a column of two tables",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT x FROM s a, s b }\n"
            "}"
        ),
        StatementError,
        "a: x is a column of several tables: write the table before it (line 3, column 40)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT x FROM s a, s b }\n"
        "                                         ^",
    ),
    Bad(
        "a window inside",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT sum(v) OVER (ORDER BY v) FROM l }\n"
            "}"
        ),
        StatementError,
        "a: SUM(v) OVER (...): a window inside of an aggregate is a subquery over the rows before, as in (SELECT count(*) FROM t "
        "AS earlier WHERE earlier.a <= t.a) (line 3, column 40)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT sum(v) OVER (ORDER BY v) FROM l }\n"
        "                                         ^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a month",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT x FROM s WHERE next > INTERVAL 1 MONTH }\n"
            "}"
        ),
        StatementError,
        "a: INTERVAL '1' MONTH: a month has no fixed length; write days (line 3, column 14)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT x FROM s WHERE next > INTERVAL 1 MONTH }\n"
        "               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "oldest without a window",
        lambda: iw.aggregate(
            "CREATE AGGREGATE a(next Real) : Real { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES (oldest()); } }"
        ),
        StatementError,
        "a: oldest() is of a window: write CREATE WINDOW AGGREGATE (line 1, column 90)\n"
        "  CREATE AGGREGATE a(next Real) : Real { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES "
        "(oldest()); } }\n"
        "                                                                                           ^^^^^^",
    ),
    Bad(
        "oldest of two",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(x Real, y Real) : Real { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES "
            "(oldest()); } }"
        ),
        StatementError,
        "a: oldest() has 2 columns: write oldest().x (line 1, column 102)\n"
        "  CREATE WINDOW AGGREGATE a(x Real, y Real) : Real { INITIALIZE: ITERATE: { INSERT INTO RETURN "
        "VALUES (oldest()); } }\n"
        "                                                                                                    "
        "   ^^^^^^",
    ),
    Bad(
        "USING what is not there",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT v FROM l JOIN k USING (id) }\n"
            "}"
        ),
        StatementError,
        "a: USING (id): no table before it has this column (line 3, column 63)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT v FROM l JOIN k USING (id) }\n"
        "                                                                ^^",
    ),
    Bad(
        "HAVING alone",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT v FROM l HAVING v > 1 }\n"
            "}"
        ),
        StatementError,
        "a: HAVING needs GROUP BY or an aggregate: write WHERE (line 3, column 56)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT v FROM l HAVING v > 1 }\n"
        "                                                         ^^^^^",
    ),
    Bad(
        "LIMIT of text",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT v FROM l LIMIT 'a' }\n"
            "}"
        ),
        StatementError,
        "a: LIMIT is a whole number: write LIMIT 10 (line 3, column 55)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT v FROM l LIMIT 'a' }\n"
        "                                                        ^^^",
    ),
    Bad(
        "an aggregate of two values",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT sum(v, v) FROM l }\n"
            "}"
        ),
        StatementError,
        "iw.aggregate: this is not SQL: the number of provided arguments (2) is greater than the maximum "
        "number of supported arguments (1) (line 3, column 48)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT sum(v, v) FROM l }\n"
        "                                                 ^",
    ),
    Bad(
        "a sum of text",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT sum('a') FROM l }\n"
            "}"
        ),
        StatementError,
        "a: sum(...) is for numbers, and 'a' is string (line 3, column 40)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT sum('a') FROM l }\n"
        "                                         ^^^^^^^",
    ),
    Bad(
        "a value of two columns",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES ((SELECT id, w FROM k)) }\n"
            "}"
        ),
        StatementError,
        "a: a SELECT that is a value gives one column, and this gives 2 (line 3, column 49)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES ((SELECT id, w FROM k)) }\n"
        "                                                  ^^^^^^^^^^^^",
    ),
    Bad(
        "a star beside an aggregate",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT *, count(*) FROM l }\n"
            "}"
        ),
        StatementError,
        "a: a star does not go with an aggregate: write count(*), or name the columns (line 3, column 40)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT *, count(*) FROM l }\n"
        "                                         ^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a cast that is not known",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES (CAST(TRUE AS DATE)) }\n"
            "}"
        ),
        StatementError,
        "a: CAST(TRUE AS DATE): boolean cannot be cast to date in an aggregate (line 3, column 14)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES (CAST(TRUE AS DATE)) }\n"
        "               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a cast to a strange type",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES (CAST(next AS MAP<INT, INT>)) }\n"
            "}"
        ),
        StatementError,
        "a: CAST(... AS MAP<INT, INT>): write Int, Real, String, Boolean, Decimal(p, s), Date or Timestamp "
        "(line 3, column 46)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES (CAST(next AS MAP<INT, INT>)) }\n"
        "                                               ^^^^",
    ),
    Bad(
        "a field of a column",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES (abs(next).x) }\n"
            "}"
        ),
        StatementError,
        "a: ABS(next).x is not known: write oldest().column, or table.column (line 3, column 41)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES (abs(next).x) }\n"
        "                                          ^^^^^^^^^^^",
    ),
    Bad(
        "text divided",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES (next / 'a') }\n"
            "}"
        ),
        StatementError,
        "a: next / 'a': double cannot be divided by string (line 3, column 41)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES (next / 'a') }\n"
        "                                          ^^^^^^^^^^",
    ),
    Bad(
        "a star as a value",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT abs(s.*) FROM s }\n"
            "}"
        ),
        StatementError,
        "a: a star stands alone in a select list (line 3, column 44)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT abs(s.*) FROM s }\n"
        "                                             ^^^",
    ),
    Bad(
        "a date that is none",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES (CAST('x' AS DATE)) }\n"
            "}"
        ),
        StatementError,
        "a: 'x' is no date: write it as '2006-11-05' (line 3, column 46)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES (CAST('x' AS DATE)) }\n"
        "                                               ^^^",
    ),
    Bad(
        "a number is joined to text",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES ('a' || next) }\n"
            "}"
        ),
        StatementError,
        "a: || and concat join text, and double is none: write CAST(... AS String) (line 3, column 14)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES ('a' || next) }\n"
        "               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
]
