"""``iw.aggregate``: unknown statements, and wrong changes of tables; the message shows the place."""

from bad.input import Bad

import inwindow as iw
from inwindow.language.text import StatementError

ROWS = [
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
        "RETURN as a table",
        lambda: iw.aggregate("CREATE AGGREGATE a(next Real) : Real { TABLE return(x Real); ITERATE: {} }"),
        StatementError,
        "iw.aggregate: RETURN is where results go, and cannot be a table (line 1, column 46)\n"
        "  CREATE AGGREGATE a(next Real) : Real { TABLE return(x Real); ITERATE: {} }\n"
        "                                               ^^^^^^",
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
