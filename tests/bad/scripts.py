"""``iw.Catalog``: a script that cannot be taken; the message shows the place."""

from typing import Any

import pyarrow as pa
from bad.input import Bad

import inwindow as iw
from inwindow.language.text import StatementError


def script(text: str) -> Any:
    """Run a script where there are a table, a stream and two aggregates."""
    catalog = iw.Catalog(bids=pa.table({"item": ["a"], "price": [1.0], "ts": [1]}))
    catalog.run("""
        CREATE STREAM Bid(item string, price real, ts int) ORDER BY ts SOURCE 'bids';
        CREATE AGGREGATE my_avg(x Real) : Real {
            TABLE t(s Real);
            INITIALIZE: { INSERT INTO t VALUES (x); } ITERATE: { }
            TERMINATE: { INSERT INTO RETURN SELECT s FROM t; }
        }
        CREATE AGGREGATE online(x Real) : Real { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES (x); } }
    """)
    return catalog.run(text)


def of(text: str, dialect: str) -> Any:
    """Run a script of another database."""
    return iw.Catalog(bids=pa.table({"price": [1.0], "ts": [1]})).run(text, dialect=dialect)


ROWS = [
    Bad(
        "a dialect that is not there",
        lambda: of("SELECT price FROM bids", "postgresql"),
        iw.UsageError,
        "Catalog.run(dialect='postgresql'): there is no such dialect; did you mean 'postgres'? they are "
        "sqlglot's, as 'postgres', 'sqlite', 'duckdb', 'mysql', 'snowflake' and 'bigquery'",
    ),
    Bad(
        "SLIDE in another dialect",
        lambda: of("SELECT avg(price) OVER (ORDER BY ts ROWS 9 PRECEDING SLIDE 5) FROM bids", "postgres"),
        StatementError,
        "Catalog.run: this is not SQL of postgres: expecting ); SLIDE, ACTIVE EXPIRATION, streams and "
        "aggregates are written without dialect= (line 1, column 54)\n"
        "  SELECT avg(price) OVER (ORDER BY ts ROWS 9 PRECEDING SLIDE 5) FROM bids\n"
        "                                                       ^^^^^",
    ),
    Bad(
        "a quotation that is open in another dialect",
        lambda: of("SELECT 'price FROM bids", "sqlite"),
        StatementError,
        "Catalog.run: this is not SQL of sqlite: a quotation or a comment is not closed (line 1, column 1)\n"
        "  SELECT 'price FROM bids\n"
        "  ^",
    ),
    Bad(
        "what has no translation",
        lambda: of("SELECT price FROM bids FOR UPDATE", "postgres"),
        iw.UsageError,
        "Catalog.run: postgres says here what has no translation to Spark's SQL (Locking reads using 'FOR "
        "UPDATE/SHARE' are not supported): write that part in Spark's dialect, without dialect=",
    ),
    Bad(
        "no statement",
        lambda: script("GRANT ALL"),
        StatementError,
        "Catalog.run: GRANT is no statement of a catalog: write CREATE, SELECT, INSERT, DROP, SHOW or "
        "DESCRIBE (line 1, column 1)\n"
        "  GRANT ALL\n"
        "  ^^^^^",
    ),
    Bad(
        "a stream without columns",
        lambda: script("CREATE STREAM s"),
        StatementError,
        "Catalog.run: write CREATE STREAM s(column type, ...) ORDER BY column SOURCE 'name' (line 1, column "
        "8)\n"
        "  CREATE STREAM s\n"
        "         ^^^^^^",
    ),
    Bad(
        "a stream without types",
        lambda: script("CREATE STREAM s(a) SOURCE 'bids'"),
        StatementError,
        "Catalog.run: a column has a name and a type, as in price real (line 1, column 17)\n"
        "  CREATE STREAM s(a) SOURCE 'bids'\n"
        "                  ^",
    ),
    Bad(
        "a stream in the order of nothing",
        lambda: script("CREATE STREAM s(price real) ORDER BY t SOURCE 'bids'"),
        StatementError,
        "Catalog.run: t is no column of s; it has: price (line 1, column 38)\n"
        "  CREATE STREAM s(price real) ORDER BY t SOURCE 'bids'\n"
        "                                       ^",
    ),
    Bad(
        "a word too many",
        lambda: script("CREATE STREAM s(price real) FROM bids"),
        StatementError,
        "Catalog.run: FROM is not expected here: write ORDER BY column, then SOURCE 'name' (line 1, column "
        "29)\n"
        "  CREATE STREAM s(price real) FROM bids\n"
        "                              ^^^^",
    ),
    Bad(
        "no name",
        lambda: script("CREATE STREAM (price real)"),
        StatementError,
        "Catalog.run: a name is missing here (line 1, column 15)\n  CREATE STREAM (price real)\n                ^",
    ),
    Bad(
        "other columns",
        lambda: script("CREATE STREAM s(a, b) AS SELECT price FROM bids"),
        StatementError,
        "Catalog.run: s has 2 columns, and the SELECT gives 1 (line 1, column 16)\n"
        "  CREATE STREAM s(a, b) AS SELECT price FROM bids\n"
        "                 ^",
    ),
    Bad(
        "nothing behind AS",
        lambda: script("CREATE STREAM s AS"),
        StatementError,
        "Catalog.run: a SELECT is missing behind AS (line 1, column 17)\n  CREATE STREAM s AS\n                  ^^",
    ),
    Bad(
        "a column beside an aggregate",
        lambda: script("SELECT item, my_avg(price) FROM bids"),
        StatementError,
        "Catalog.run: a column beside an aggregate is in GROUP BY, or the aggregate has a window: write OVER "
        "(...) (line 1, column 1)\n"
        "  SELECT item, my_avg(price) FROM bids\n"
        "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "base and online",
        lambda: script("SELECT my_avg(price), online(price) FROM bids"),
        StatementError,
        "Catalog.run: aggregates with and without TERMINATE do not make the same rows: use a SELECT for each "
        "(line 1, column 1)\n"
        "  SELECT my_avg(price), online(price) FROM bids\n"
        "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a union of base aggregates",
        lambda: script("SELECT my_avg(price) FROM bids UNION SELECT 1"),
        StatementError,
        "Catalog.run: a call without OVER stands in one SELECT (line 1, column 1)\n"
        "  SELECT my_avg(price) FROM bids UNION SELECT 1\n"
        "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "DISTINCT of a base aggregate",
        lambda: script("SELECT DISTINCT my_avg(price) FROM bids"),
        StatementError,
        "Catalog.run: DISTINCT does not go with an aggregate of yours: CREATE STREAM or VIEW of the SELECT, "
        "and select from that (line 1, column 1)\n"
        "  SELECT DISTINCT my_avg(price) FROM bids\n"
        "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "dropped twice",
        lambda: script("DROP AGGREGATE nothing"),
        StatementError,
        "Catalog.run: there is no aggregate nothing (line 1, column 16)\n"
        "  DROP AGGREGATE nothing\n"
        "                 ^^^^^^^",
    ),
    Bad(
        "a table of the catalog is changed",
        lambda: script(
            "CREATE AGGREGATE a(x Real) : Real { INITIALIZE: ITERATE: { DELETE FROM bids; INSERT INTO RETURN "
            "VALUES (x); } }"
        ),
        StatementError,
        "a: bids is a table of the catalog, which an aggregate only reads (line 1, column 72)\n"
        "  CREATE AGGREGATE a(x Real) : Real { INITIALIZE: ITERATE: { DELETE FROM bids; INSERT INTO RETURN "
        "VALUES (x); } }\n"
        "                                                                         ^^^^",
    ),
    Bad(
        "non-blocking over a table",
        lambda: script(
            "CREATE AGGREGATE a(x Real) : Real { TABLE t(v Real); INITIALIZE: ITERATE: { INSERT INTO RETURN "
            "SELECT online(v) FROM t; } }"
        ),
        StatementError,
        "a: online has no TERMINATE, so it gives no result for a table of rows (line 1, column 103)\n"
        "  t(v Real); INITIALIZE: ITERATE: { INSERT INTO RETURN SELECT online(v) FROM t; } }\n"
        "                                                              ^^^^^^^^",
    ),
    Bad(
        "an aggregate of other arguments",
        lambda: script(
            "CREATE AGGREGATE a(x Real) : Real { TABLE t(v Real); INITIALIZE: ITERATE: { INSERT INTO RETURN "
            "SELECT my_avg(v, v) FROM t; } }"
        ),
        StatementError,
        "a: my_avg takes 1 values, and is given 2 (line 1, column 103)\n"
        "  t(v Real); INITIALIZE: ITERATE: { INSERT INTO RETURN SELECT my_avg(v, v) FROM t; } }\n"
        "                                                              ^^^^^^^^^^^",
    ),
    Bad(
        "an unknown column",
        lambda: script("SELECT prise FROM bids"),
        StatementError,
        'Catalog.run: DuckDB says: Binder Error: Referenced column "prise" not found in FROM clause! '
        'There are: "price" (line 1, column 8)\n'
        "  SELECT prise FROM bids\n"
        "         ^^^^^",
    ),
    Bad(
        "a strange window",
        lambda: script("Select * From Bid[Rows 0]"),
        StatementError,
        "Catalog.run: a window is [RANGE 5 HOURS], [RANGE UNBOUNDED], [NOW], [ROWS 10] or [PARTITION BY key "
        "ROWS 1] (line 1, column 18)\n"
        "  Select * From Bid[Rows 0]\n"
        "                   ^^^^^^^^",
    ),
    Bad(
        "a bracket",
        lambda: script("Select * From Bid[Range 2"),
        StatementError,
        "Catalog.run: this [ is not closed (line 1, column 18)\n  Select * From Bid[Range 2\n                   ^",
    ),
    Bad(
        "nothing in ISTREAM",
        lambda: script("Select Istream() From Bid"),
        StatementError,
        "Catalog.run: ISTREAM(...) stands around the select list: write ISTREAM(*) (line 1, column 8)\n"
        "  Select Istream() From Bid\n"
        "         ^^^^^^^",
    ),
    Bad(
        "PARTITION BY of time",
        lambda: script("Select * From Bid[Partition By item Range 2]"),
        StatementError,
        "Catalog.run: PARTITION BY counts tuples: write [PARTITION BY key ROWS 1] (line 1, column 18)\n"
        "  Select * From Bid[Partition By item Range 2]\n"
        "                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "EVERY of ISTREAM",
        lambda: script("Select Istream(*) Every 2 From Bid"),
        StatementError,
        "Catalog.run: EVERY is how often RSTREAM looks: write RSTREAM(*) EVERY 1 MINUTE (line 1, column 19)\n"
        "  Select Istream(*) Every 2 From Bid\n"
        "                    ^^^^^",
    ),
    Bad(
        "RSTREAM at every instant",
        lambda: script("Select Rstream(*) From Bid[Range 2]"),
        StatementError,
        "Catalog.run: RSTREAM gives all rows at every instant: say how often, as in RSTREAM(*) EVERY 1 "
        "MINUTE (line 1, column 8)\n"
        "  Select Rstream(*) From Bid[Range 2]\n"
        "         ^^^^^^^",
    ),
    Bad(
        "not a SELECT",
        lambda: script("Select Istream(item) From (Values (1)) [Now] As v"),
        StatementError,
        "Catalog.run: VALUES (1) AS v is no stream or table (line 1, column 36)\n"
        "  Select Istream(item) From (Values (1)) [Now] As v\n"
        "                                     ^^^^^^^^^^^^^^",
    ),
    Bad(
        "no FROM",
        lambda: script("Select Istream(1)"),
        StatementError,
        "Catalog.run: a SELECT of CQL reads a stream or a relation: write FROM (line 1, column 16)\n"
        "  Select Istream(1)\n"
        "                 ^",
    ),
    Bad(
        "IN of two columns",
        lambda: script("Select * From Bid[Now] Where item In (Select item, price From Bid)"),
        StatementError,
        "Catalog.run: IN (SELECT ...) compares one column, and the SELECT gives item, price (line 1, column "
        "30)\n"
        "  Select * From Bid[Now] Where item In (Select item, price From Bid)\n"
        "                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a union of other widths",
        lambda: script("Select item From Bid[Now] Union Select item, price From Bid"),
        StatementError,
        "Catalog.run: UNION: 1 columns on the left, 2 on the right (line 1, column 8)\n"
        "  Select item From Bid[Now] Union Select item, price From Bid\n"
        "         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "an order",
        lambda: script("Select * From Bid[Now] Order By 1"),
        StatementError,
        "Catalog.run: ORDER is not known in CQL: select from the result (line 1, column 8)\n"
        "  Select * From Bid[Now] Order By 1\n"
        "         ^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a window on a table",
        lambda: script("Select * From bids[Now]"),
        StatementError,
        "Catalog.run: bids has no timestamp, so it takes no window: CREATE STREAM bids ... ORDER BY column "
        "(line 1, column 15)\n"
        "  Select * From bids[Now]\n"
        "                ^^^^",
    ),
    Bad(
        "a window on a relation",
        lambda: script("Select n From (Select Count(*) As n From Bid[Now])[Range 2] As P"),
        StatementError,
        "Catalog.run: a window stands behind a stream, and this subquery is a relation that does not only "
        "grow: write ISTREAM, DSTREAM or RSTREAM around its select list (line 1, column 23)\n"
        "  Select n From (Select Count(*) As n From Bid[Now])[Range 2] As P\n"
        "                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "an outer join",
        lambda: script("Select * From Bid[Now] Left Join bids On 1 = 1"),
        StatementError,
        "Catalog.run: joins of CQL are written FROM a, b WHERE ..., or JOIN ... ON (line 1, column 34)\n"
        "  Select * From Bid[Now] Left Join bids On 1 = 1\n"
        "                                   ^^^^^^^^^^^^^",
    ),
    Bad(
        "a subquery elsewhere",
        lambda: script("Select * From Bid[Now] Where price > (Select max(price) From Bid)"),
        StatementError,
        "Catalog.run: price > (SELECT MAX(price) FROM Bid): subqueries stand in FROM, IN and NOT IN (line 1, "
        "column 30)\n"
        "  Select * From Bid[Now] Where price > (Select max(price) From Bid)\n"
        "                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a star of groups",
        lambda: script("Select *, Count(*) From Bid[Now]"),
        StatementError,
        "Catalog.run: a star does not go with GROUP BY or an aggregate (line 1, column 8)\n"
        "  Select *, Count(*) From Bid[Now]\n"
        "         ^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "PARTITION BY nothing known",
        lambda: script("Select * From Bid[Partition By seller Rows 1]"),
        StatementError,
        "Catalog.run: PARTITION BY seller: the stream has: item, price (line 1, column 1)\n"
        "  Select * From Bid[Partition By seller Rows 1]\n"
        "  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    Bad(
        "a function of a table",
        lambda: script("Select * From Bid[Now], Lateral (Select 1) x"),
        StatementError,
        "Catalog.run: LATERAL (SELECT 1) AS x is no stream or table (line 1, column 41)\n"
        "  Select * From Bid[Now], Lateral (Select 1) x\n"
        "                                          ^^^^",
    ),
    Bad(
        "no script",
        lambda: iw.Catalog().run(""),
        iw.UsageError,
        "Catalog.run(''): a script is a text of statements, as in 'SELECT ...; SELECT ...;'",
    ),
    Bad(
        "no such aggregate",
        lambda: iw.Catalog().aggregate("nothing"),
        iw.UsageError,
        "Catalog.aggregate('nothing'): there is no such aggregate; there are: none",
    ),
    Bad(
        "no place",
        lambda: iw.Catalog(3),
        iw.UsageError,
        "Catalog(3): give a SparkSession, or a dict of Arrow tables",
    ),
    Bad(
        "no table",
        lambda: iw.Catalog(t=3),
        iw.UsageError,
        "the table 't' is 3: give an Arrow table, or what becomes one (pandas, Polars, DuckDB)",
    ),
    Bad(
        "a strange file",
        lambda: iw.Catalog().add_file("t", "t.txt"),
        iw.UsageError,
        "t.txt: the ending says how it is read; known are .parquet, .csv, .json, .orc",
    ),
    Bad(
        "no stream",
        lambda: iw.Catalog(t=pa.table({"x": [1]})).cql("Select * From t"),
        StatementError,
        "Catalog.cql: no stream with a timestamp is known: write CREATE STREAM ... ORDER BY column (line 1, "
        "column 1)\n"
        "  Select * From t\n"
        "  ^^^^^^^^^^^^^^^",
    ),
]
