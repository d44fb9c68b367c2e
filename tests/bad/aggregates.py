"""``iw.aggregate``: a text that cannot be taken; the message shows the place."""

from bad.input import Bad

import inwindow as iw
from inwindow.language.text import StatementError

ROWS = [
    Bad(
        "no text",
        lambda: iw.aggregate(""),
        iw.UsageError,
        "iw.aggregate(''): an aggregate is a text, as in 'CREATE AGGREGATE my_avg(next Real) : Real { ... }'",
    ),
    Bad(
        "a SELECT",
        lambda: iw.aggregate("SELECT 1"),
        StatementError,
        "iw.aggregate: an aggregate begins with CREATE [ALGEBRAIC] [WINDOW] AGGREGATE; AGGREGATE is missing "
        "here (line 1, column 1)\n"
        "  SELECT 1\n"
        "  ^^^^^^",
    ),
    Bad(
        "no name",
        lambda: iw.aggregate("CREATE AGGREGATE (next Real) : Real { }"),
        StatementError,
        "iw.aggregate: the aggregate's name is missing here (line 1, column 18)\n"
        "  CREATE AGGREGATE (next Real) : Real { }\n"
        "                   ^",
    ),
    Bad(
        "no parameters",
        lambda: iw.aggregate("CREATE AGGREGATE a() : Real { ITERATE: {} }"),
        StatementError,
        "iw.aggregate: the parameters: none is there: write (next Real) (line 1, column 19)\n"
        "  CREATE AGGREGATE a() : Real { ITERATE: {} }\n"
        "                    ^^",
    ),
    Bad(
        "no result type",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real) { ITERATE: {} }"),
        StatementError,
        "iw.aggregate: behind the parameters stands the type of the result, as in (next Real) : Real; : is "
        "missing here (line 1, column 31)\n"
        "  CREATE AGGREGATE a(next Real) { ITERATE: {} }\n"
        "                                ^",
    ),
    Bad(
        "an unknown type",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Reel) : Real { ITERATE: {} }"),
        StatementError,
        "iw.aggregate: Reel is no type: write Int, Real, Char(n), String, Boolean, Decimal(p, s), Date, "
        "Timestamp, Interval or Binary (line 1, column 25)\n"
        "  CREATE AGGREGATE a(next Reel) : Real { ITERATE: {} }\n"
        "                          ^^^^",
    ),
    Bad(
        "no brace",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real) : Real INITIALIZE: ITERATE: {}"),
        StatementError,
        "iw.aggregate: behind the type of the result stands { TABLE ...; INITIALIZE: { ... } ITERATE: { ... "
        "} }; { is missing here (line 1, column 38)\n"
        "  CREATE AGGREGATE a(next Real) : Real INITIALIZE: ITERATE: {}\n"
        "                                       ^^^^^^^^^^",
    ),
    Bad(
        "a brace that is not closed",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real) : Real {\n  ITERATE: { INSERT INTO RETURN VALUES (next)"),
        StatementError,
        "iw.aggregate: this { is not closed (line 2, column 12)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES (next)\n"
        "             ^",
    ),
    Bad(
        "no hook",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real) : Real { TABLE t(x Real); }"),
        StatementError,
        "iw.aggregate: a has neither INITIALIZE nor ITERATE, so it never sees a tuple: write both, or "
        "INITIALIZE: ITERATE: { ... } (line 1, column 18)\n"
        "  CREATE AGGREGATE a(next Real) : Real { TABLE t(x Real); }\n"
        "                   ^",
    ),
    Bad(
        "INITIALIZE alone",
        lambda: iw.aggregate(
            "CREATE AGGREGATE a(next Real) : Real { INITIALIZE: { INSERT INTO RETURN VALUES (next) } }"
        ),
        StatementError,
        "iw.aggregate: a has INITIALIZE but no ITERATE: write ITERATE: { } if nothing is done there, or "
        "INITIALIZE: ITERATE: { ... } if both do the same (line 1, column 40)\n"
        "  CREATE AGGREGATE a(next Real) : Real { INITIALIZE: { INSERT INTO RETURN VALUES (next) } }\n"
        "                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a hook twice",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real) : Real { ITERATE: {} INITIALIZE: ITERATE: {} }"),
        StatementError,
        "iw.aggregate: ITERATE is there twice: put all its statements in one block (line 1, column 64)\n"
        "  CREATE AGGREGATE a(next Real) : Real { ITERATE: {} INITIALIZE: ITERATE: {} }\n"
        "                                                                 ^^^^^^^",
    ),
    Bad(
        "an unknown hook",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real) : Real { ITERATE: {} UPDATE: {} }"),
        StatementError,
        "iw.aggregate: UPDATE is not expected here: write TABLE, INITIALIZE, ITERATE, EXPIRE or TERMINATE "
        "(line 1, column 52)\n"
        "  CREATE AGGREGATE a(next Real) : Real { ITERATE: {} UPDATE: {} }\n"
        "                                                     ^^^^^^",
    ),
    Bad(
        "a table twice",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real) : Real { TABLE t(x Real); TABLE t(y Real); ITERATE: {} }"),
        StatementError,
        "iw.aggregate: the table t is declared twice (line 1, column 63)\n"
        "  CREATE AGGREGATE a(next Real) : Real { TABLE t(x Real); TABLE t(y Real); ITERATE: {} }\n"
        "                                                                ^",
    ),
    Bad(
        "nothing returned",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real) : Real { INITIALIZE: ITERATE: { } }"),
        StatementError,
        "a: nothing is returned: write INSERT INTO RETURN ... in TERMINATE or ITERATE (line 1, column 18)\n"
        "  CREATE AGGREGATE a(next Real) : Real { INITIALIZE: ITERATE: { } }\n"
        "                   ^",
    ),
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
        "an unknown table",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { UPDATE state SET x = 1; INSERT INTO RETURN VALUES (next) }\n"
            "}"
        ),
        StatementError,
        "a: there is no table state; there are: s, l, k, inwindow (line 3, column 21)\n"
        "    ITERATE: { UPDATE state SET x = 1; INSERT INTO RETURN VALUES (next) }\n"
        "                      ^^^^^",
    ),
    Bad(
        "an unknown column set",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { UPDATE s SET y = 1; INSERT INTO RETURN VALUES (next) }\n"
            "}"
        ),
        StatementError,
        "a: s has no column y; there are: x, n (line 3, column 27)\n"
        "    ITERATE: { UPDATE s SET y = 1; INSERT INTO RETURN VALUES (next) }\n"
        "                            ^",
    ),
    Bad(
        "a bare SELECT",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { SELECT x FROM s }\n"
            "}"
        ),
        StatementError,
        "iw.aggregate: SELECT is no statement of an aggregate: write INSERT, UPDATE or DELETE on its tables, "
        "or INSERT INTO RETURN ... (line 3, column 14)\n"
        "    ITERATE: { SELECT x FROM s }\n"
        "               ^^^^^^",
    ),
    Bad(
        "not SQL",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { UPDATE s SET x = ; INSERT INTO RETURN VALUES (next) }\n"
            "}"
        ),
        StatementError,
        "iw.aggregate: this is not SQL: something is missing here (line 3, column 29)\n"
        "    ITERATE: { UPDATE s SET x = ; INSERT INTO RETURN VALUES (next) }\n"
        "                              ^",
    ),
    Bad(
        "a drop",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { DROP TABLE s }\n"
            "}"
        ),
        StatementError,
        "iw.aggregate: DROP is no statement of an aggregate: write INSERT, UPDATE or DELETE on its tables, "
        "or INSERT INTO RETURN ... (line 3, column 14)\n"
        "    ITERATE: { DROP TABLE s }\n"
        "               ^^^^",
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
        "text as a number",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES ('a') }\n"
            "}"
        ),
        StatementError,
        "a: the result is double, and 'a' is string: write CAST(... AS double) (line 3, column 41)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES ('a') }\n"
        "                                          ^^^",
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
        "too few values",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO s VALUES (1); INSERT INTO RETURN VALUES (next) }\n"
            "}"
        ),
        StatementError,
        "a: s takes 2 values (x, n), and 1 are given (line 3, column 14)\n"
        "    ITERATE: { INSERT INTO s VALUES (1); INSERT INTO RETURN VALUES (next) }\n"
        "               ^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "two columns returned",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT x, n FROM s }\n"
            "}"
        ),
        StatementError,
        "a: the result has 1 column, and 2 are given (line 3, column 14)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT x, n FROM s }\n"
        "               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "the key is set",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { UPDATE k SET id = 2; INSERT INTO RETURN VALUES (next) }\n"
            "}"
        ),
        StatementError,
        "a: id is the key of k: delete the row and insert another (line 3, column 27)\n"
        "    ITERATE: { UPDATE k SET id = 2; INSERT INTO RETURN VALUES (next) }\n"
        "                            ^^^^^^",
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
        "inserted into inwindow",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO inwindow VALUES (next); INSERT INTO RETURN VALUES (next) }\n"
            "}"
        ),
        StatementError,
        "a: tuples come into inwindow by themselves: drop this INSERT (line 3, column 26)\n"
        "    ITERATE: { INSERT INTO inwindow VALUES (next); INSERT INTO RETURN VALUES (next) }\n"
        "                           ^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "inwindow is updated",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { UPDATE inwindow SET next = 1; INSERT INTO RETURN VALUES (next) }\n"
            "}"
        ),
        StatementError,
        "a: tuples of inwindow cannot be changed, only deleted: keep what changes in a table of its own "
        "(line 3, column 21)\n"
        "    ITERATE: { UPDATE inwindow SET next = 1; INSERT INTO RETURN VALUES (next) }\n"
        "                      ^^^^^^^^^^^^^^^^^^^^^",
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
        "an aggregate that calls itself",
        lambda: iw.aggregate(
            "CREATE AGGREGATE a(next Real) : Real { TABLE l(v Real); INITIALIZE:\n"
            "  ITERATE: { INSERT INTO RETURN SELECT a(v) FROM l }\n"
            "}"
        ),
        StatementError,
        "a: a(...) calls itself, which no aggregate can: keep its earlier results in a table (line 2, column 40)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT a(v) FROM l }\n"
        "                                         ^^^",
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
        "TERMINATE changes a table",
        lambda: iw.aggregate(
            "CREATE AGGREGATE a(next Real) : Real { TABLE l(v Real);\n"
            " INITIALIZE: ITERATE: { INSERT INTO l VALUES (next); }\n"
            " TERMINATE: { DELETE FROM l; INSERT INTO RETURN SELECT sum(v) FROM l; } }"
        ),
        StatementError,
        "a: TERMINATE gives the result and changes no table; do that in ITERATE or EXPIRE (line 3, column "
        "15)\n"
        "   TERMINATE: { DELETE FROM l; INSERT INTO RETURN SELECT sum(v) FROM l; } }\n"
        "                ^^^^^^^^^^^^^",
    ),
    Bad(
        "TERMINATE sees no tuple",
        lambda: iw.aggregate(
            "CREATE AGGREGATE a(next Real) : Real { INITIALIZE: ITERATE: { }\n"
            " TERMINATE: { INSERT INTO RETURN VALUES (next); } }"
        ),
        StatementError,
        "a: there is no column next here (TERMINATE sees no tuple); there are: none (line 2, column 42)\n"
        "   TERMINATE: { INSERT INTO RETURN VALUES (next); } }\n"
        "                                           ^^^^",
    ),
    Bad(
        "TERMINATE and ITERATE return",
        lambda: iw.aggregate(
            "CREATE AGGREGATE a(next Real) : Real { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES (next) }\n"
            " TERMINATE: { INSERT INTO RETURN VALUES (1); } }"
        ),
        StatementError,
        "a: TERMINATE gives the result of each tuple, so what ITERATE returns would not be seen: drop one of "
        "both (line 1, column 40)\n"
        "  CREATE AGGREGATE a(next Real) : Real { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES (next) }\n"
        "                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "inwindow of another width",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE inwindow(a Real, b Real); INITIALIZE: ITERATE: "
            "{ INSERT INTO RETURN VALUES (next) } }"
        ),
        StatementError,
        "a: inwindow has 2 columns, and the aggregate takes 1 values: it holds the arguments, one column for "
        "each (line 1, column 53)\n"
        "  CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE inwindow(a Real, b Real); INITIALIZE: "
        "ITERATE: { INSERT INTO RETURN \n"
        "                                                      ^^^^^^^^",
    ),
    Bad(
        "inwindow of another type",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE inwindow(a String); INITIALIZE: ITERATE: { "
            "INSERT INTO RETURN VALUES (next) } }"
        ),
        StatementError,
        "a: a is string, and the argument that fills it, next, is double: give both the same type (line 1, "
        "column 62)\n"
        "  REATE WINDOW AGGREGATE a(next Real) : Real { TABLE inwindow(a String); INITIALIZE: ITERATE: { "
        "INSERT INTO RETURN VALUES \n"
        "                                                              ^",
    ),
    Bad(
        "two aggregates",
        lambda: iw.aggregate(
            "CREATE AGGREGATE a(next Real) : Real { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES (next) } }; "
            "SELECT 1"
        ),
        StatementError,
        "iw.aggregate: the aggregate has ended before this: iw.aggregate takes one; a Catalog runs scripts "
        "(line 1, column 99)\n"
        "  CREATE AGGREGATE a(next Real) : Real { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES (next) } "
        "}; SELECT 1\n"
        "                                                                                                    "
        "^",
    ),
    Bad(
        "a quotation that is not closed",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES ('a) }\n"
            "}"
        ),
        StatementError,
        "iw.aggregate: this quotation is not closed (line 3, column 41)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES ('a) }\n"
        "                                          ^",
    ),
    Bad(
        "a comma alone",
        lambda: iw.aggregate(";"),
        iw.UsageError,
        "iw.aggregate: the text is empty: write CREATE AGGREGATE name(next Real) : Real { ... }",
    ),
    Bad(
        "RETURN as a table",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real) : Real { TABLE return(x Real); ITERATE: {} }"),
        StatementError,
        "iw.aggregate: RETURN is where results go, and cannot be a table (line 1, column 46)\n"
        "  CREATE AGGREGATE a(next Real) : Real { TABLE return(x Real); ITERATE: {} }\n"
        "                                               ^^^^^^",
    ),
    Bad(
        "two keys",
        lambda: iw.aggregate(
            "CREATE AGGREGATE a(next Real) : Real { TABLE t(x Int PRIMARY KEY, y Int PRIMARY KEY); ITERATE: {} }"
        ),
        StatementError,
        "iw.aggregate: a key of one column is all that a local table has: drop a PRIMARY KEY (line 1, column "
        "67)\n"
        "  CREATE AGGREGATE a(next Real) : Real { TABLE t(x Int PRIMARY KEY, y Int PRIMARY KEY); ITERATE: {} "
        "}\n"
        "                                                                    ^",
    ),
    Bad(
        "a column is missing",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real, , x Real) : Real { ITERATE: {} }"),
        StatementError,
        "iw.aggregate: the parameters: a name is missing between the commas (line 1, column 19)\n"
        "  CREATE AGGREGATE a(next Real, , x Real) : Real { ITERATE: {} }\n"
        "                    ^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a result column without a type",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real) : (low, high Real) { ITERATE: {} }"),
        StatementError,
        "iw.aggregate: the column low of the result lacks its type: write low Real (line 1, column 34)\n"
        "  CREATE AGGREGATE a(next Real) : (low, high Real) { ITERATE: {} }\n"
        "                                   ^^^",
    ),
    Bad(
        "WHERE without a condition",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN VALUES (next) WHERE }\n"
            "}"
        ),
        StatementError,
        "iw.aggregate: WHERE lacks its condition (line 3, column 47)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES (next) WHERE }\n"
        "                                                ^^^^^",
    ),
    Bad(
        "one table twice",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT s.x FROM s, s }\n"
            "}"
        ),
        StatementError,
        "a: s is there twice: give one of them another name, with AS (line 3, column 52)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT s.x FROM s, s }\n"
        "                                                     ^",
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
    Bad(
        "TERMINATE returns nothing",
        lambda: iw.aggregate(
            "CREATE AGGREGATE a(next Real) : Real { TABLE l(v Real); INITIALIZE: ITERATE: { } TERMINATE: { "
            "INSERT INTO l VALUES (1); } }"
        ),
        StatementError,
        "a: TERMINATE gives the result and changes no table; do that in ITERATE or EXPIRE (line 1, column "
        "95)\n"
        "  al { TABLE l(v Real); INITIALIZE: ITERATE: { } TERMINATE: { INSERT INTO l VALUES (1); } }\n"
        "                                                              ^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "no SET",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { UPDATE s SET x; INSERT INTO RETURN VALUES (next) }\n"
            "}"
        ),
        StatementError,
        "a: x: write SET column = value (line 3, column 27)\n"
        "    ITERATE: { UPDATE s SET x; INSERT INTO RETURN VALUES (next) }\n"
        "                            ^",
    ),
    Bad(
        "TABLE in place of SELECT",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT v FROM (TABLE l) AS d }\n"
            "}"
        ),
        StatementError,
        "a: TABLE is not known in an aggregate: write SELECT ... FROM its tables (line 3, column 48)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT v FROM (TABLE l) AS d }\n"
        "                                                 ^^^^^^^",
    ),
    Bad(
        "a GRANT",
        lambda: iw.aggregate(
            "CREATE WINDOW AGGREGATE a(next Real) : Real { TABLE s(x Real, n Int); TABLE l(v Real); TABLE k(id "
            "Int PRIMARY KEY, w Real);\n"
            "  INITIALIZE: { INSERT INTO s VALUES (next, 1); }\n"
            "  ITERATE: { INSERT INTO RETURN SELECT 1 FROM s; INSERT x }\n"
            "}"
        ),
        StatementError,
        "iw.aggregate: INSERT INTO ... is followed by VALUES (...) or SELECT ... (line 3, column 50)\n"
        "    ITERATE: { INSERT INTO RETURN SELECT 1 FROM s; INSERT x }\n"
        "                                                   ^^^^^^^^",
    ),
    Bad(
        "DELETE without FROM",
        lambda: iw.aggregate("CREATE AGGREGATE a(x Real) : Real { INITIALIZE: ITERATE: { DELETE t WHERE v = x; } }"),
        StatementError,
        "iw.aggregate: which table? write INSERT INTO t ..., UPDATE t SET ... or DELETE FROM t ... (line 1, "
        "column 60)\n"
        "  CREATE AGGREGATE a(x Real) : Real { INITIALIZE: ITERATE: { DELETE t WHERE v = x; } }\n"
        "                                                             ^^^^^^^^^^^^^^^^^^^^",
    ),
]
