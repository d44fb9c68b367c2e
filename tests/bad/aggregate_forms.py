"""``iw.aggregate``: texts whose outer form is wrong: parameters, tables, hooks, the result; the message shows the place."""

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
        "a number of many digits",
        lambda: iw.aggregate(
            "CREATE AGGREGATE a(next Real) : Real { TABLE l(v Real); INITIALIZE:\n"
            f"  ITERATE: {{ INSERT INTO RETURN VALUES ({'9' * 60}) }}\n"
            "}"
        ),
        StatementError,
        "a: 99999999999999999999... is no number: SQL has 38 digits (line 2, column 41)\n"
        "    ITERATE: { INSERT INTO RETURN VALUES (999999999999999999999999999999999999999999999999999999999999) }\n"
        "               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
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
]
