"""Reading a statement: which calls are ours, what is Spark's, and errors that point at their place. No Spark."""

import sys
from decimal import Decimal

import pytest

import inwindow as iw
from inwindow.language.sql.expressions import Expression, Piece, Result, Verbatim
from inwindow.language.sql.statement import Made, Statement, read
from inwindow.language.text import Source, tokens_of
from inwindow.windows.interval import Interval
from inwindow.windows.spec import Frame, Groups, Range, Rows

OURS = {"my_avg", "alarm"}
BUILT_IN = {"avg", "sum", "count", "max"}
MINUTE = 60_000_000


def taken(text: str) -> Statement:
    statement = read(text, OURS, BUILT_IN)
    assert statement is not None
    return statement


def parts(statement: Statement, expression: Expression) -> list[str]:
    """An expression as text: pieces in [], results in {}."""
    shown = []
    for part in expression:
        match part:
            case Verbatim():
                shown.append(statement.source[part.span].strip())
            case Piece():
                shown.append(f"[{statement.source[part.span]}]")
            case Result():
                shown.append(f"{{{part.call.label}}}")
    return shown


def item(statement: Statement, number: int) -> Made:
    made = statement.items[number]
    assert isinstance(made, Made)
    return made


FRAMES: list[tuple[str, Frame]] = [
    ("", Range(None, None)),
    ("ORDER BY ts", Range(None, 0)),
    ("ROWS 49 PRECEDING", Rows(-49, 0)),
    ("rows unbounded preceding", Rows(None, 0)),
    ("ROWS CURRENT ROW", Rows(0, 0)),
    ("ORDER BY t GROUPS 3 PRECEDING", Groups(-3, 0)),
    ("ORDER BY t groups between unbounded preceding and 1 following", Groups(None, 1)),
    ("ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING", Rows(-3, -1)),
    ("ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", Rows(0, None)),
    ("ORDER BY ts RANGE 10 PRECEDING", Range(-10, 0)),
    ("ORDER BY ts RANGE 5 MINUTES PRECEDING", Range(Interval(0, -5 * MINUTE), 0)),
    ("ORDER BY ts RANGE INTERVAL '5' MINUTE PRECEDING", Range(Interval(0, -5 * MINUTE), 0)),
    ("ORDER BY ts RANGE INTERVAL 1 HOUR 30 MINUTES PRECEDING", Range(Interval(0, -90 * MINUTE), 0)),
    ("ORDER BY ts RANGE BETWEEN INTERVAL '2' MONTHS PRECEDING AND CURRENT ROW", Range(Interval(-2), 0)),
    ("ORDER BY ts RANGE BETWEEN 1e0 PRECEDING AND 2 FOLLOWING", Range(-1.0, 2)),
    ("ORDER BY ts RANGE BETWEEN '5 minutes'::interval PRECEDING AND CURRENT ROW", Range(Interval(0, -5 * MINUTE), 0)),
    ("ORDER BY ts RANGE CAST('5 minutes' AS INTERVAL) PRECEDING", Range(Interval(0, -5 * MINUTE), 0)),
    ("ORDER BY ts RANGE CAST(2 AS decimal(9, 2)) PRECEDING", Range(-2, 0)),
    ("ORDER BY ts RANGE 2::decimal(9, 2) PRECEDING", Range(-2, 0)),
    ("ORDER BY ts RANGE BETWEEN (2::int8) PRECEDING AND 1.5::float8 FOLLOWING", Range(-2, 1.5)),
    # A number is never UNBOUNDED, not even those that PySpark takes for it; and all its digits count.
    ("ORDER BY ts RANGE 9223372036854775808 PRECEDING", Range(-(2**63), 0)),
    ("ORDER BY ts RANGE BETWEEN 6e19 PRECEDING AND 9223372036854775807 FOLLOWING", Range(-6e19, 2**63 - 1)),
    ("ROWS BETWEEN 9223372036854775808 PRECEDING AND 9223372036854775807 FOLLOWING", Rows(-(2**62), 2**62)),
    (f"ORDER BY ts RANGE {'123456789' * 4}.25 PRECEDING", Range(Decimal(f"-{'123456789' * 4}.25"), 0)),
]


@pytest.mark.parametrize(("clause", "frame"), FRAMES, ids=[clause or "nothing" for clause, _ in FRAMES])
def test_frames(clause: str, frame: Frame) -> None:
    (call,) = taken(f"SELECT my_avg(price) OVER ({clause}) FROM bids").calls
    assert call.over.frame == frame


def test_examples_of_the_esl_paper() -> None:
    (call,) = taken(
        "SELECT itemID, sum(bid.price)\nOVER(PARTITION BY itemID\nROWS 49 PRECEDING SLIDE 10)\nFROM Bid"
    ).calls
    assert (call.label, call.over.frame, call.over.slide) == ("sum(bid.price)", Rows(-49, 0), 10)
    (call,) = taken(
        "SELECT tagid, alarm(tagid, tagtype) OVER (ORDER BY tagtime RANGE 5 SECONDS PRECEDING ACTIVE EXPIRATION) FROM r"
    ).calls
    assert call.over.active_expiration
    assert call.over.slide is None


@pytest.mark.parametrize(
    "slide", ["SLIDE 5 MINUTES", "SLIDE INTERVAL 5 MINUTES", "slide interval '5' minute", "SLIDE '5 minutes'"]
)
def test_slides_in_time(slide: str) -> None:
    (call,) = taken(f"SELECT sum(price) OVER (ORDER BY ts RANGE 1 HOUR PRECEDING {slide}) FROM bids").calls
    assert call.over.slide == Interval(0, 5 * MINUTE)


@pytest.mark.parametrize(
    ("clause", "hole"),
    [
        ("ROWS 9 PRECEDING EXCLUDE CURRENT ROW", "current row"),
        ("ROWS BETWEEN 9 PRECEDING AND 2 FOLLOWING exclude group SLIDE 2", "group"),
        ("RANGE 5 PRECEDING EXCLUDE TIES", "ties"),
        ("GROUPS 5 PRECEDING EXCLUDE NO OTHERS", None),
    ],
)
def test_holes(clause: str, hole: str | None) -> None:
    (call,) = taken(f"SELECT sum(price) OVER (PARTITION BY exclude ORDER BY group {clause}) FROM bids").calls
    assert call.over.exclude == hole
    assert call.over.written_frame is not None


@pytest.mark.parametrize(
    ("clause", "slide", "unit"),
    [
        ("RANGE 300 SECONDS PRECEDING SLIDE 5 ROWS", 5, "rows"),
        ("RANGE 300 SECONDS PRECEDING slide 1 row", 1, "rows"),
        ("ROWS 999 PRECEDING SLIDE 10 RANGE", 10, "range"),
        ("GROUPS 9 PRECEDING SLIDE 2", 2, None),
        ("ROWS 999 PRECEDING SLIDE 2 GROUPS", 2, "groups"),
        ("ROWS 999 PRECEDING SLIDE 5 MINUTES", Interval(0, 5 * MINUTE), None),
        ("ROWS BETWEEN 9 PRECEDING AND 1 PRECEDING SLIDE 10 ROWS", 10, "rows"),
    ],
)
def test_slides_by_another_attribute(clause: str, slide: int | Interval, unit: str | None) -> None:
    (call,) = taken(f"SELECT sum(price) OVER (ORDER BY ts {clause}) FROM bids").calls
    assert (call.over.slide, call.over.slide_by) == (slide, unit)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT avg(price) OVER (PARTITION BY item ORDER BY ts ROWS 49 PRECEDING) FROM bids",
        "SELECT slide, sum(price) OVER (ORDER BY slide) FROM bids",
        "SELECT sum(price) OVER (PARTITION BY active ORDER BY slide, expiration) FROM bids",
        "SELECT 'my_avg(price) OVER ()' AS t -- my_avg(price) OVER ()",
        "SELECT other.my_avg(price) OVER (ORDER BY ts) FROM bids",
        "SELECT my_avg(row_number() OVER (PARTITION BY item ORDER BY ts), item, price) FROM bids",
        "SELECT 1; SELECT 2",
        "CREATE TABLE t (a int)",
        "",
    ],
)
def test_what_is_sparks_is_left_to_spark(text: str) -> None:
    assert read(text, OURS, BUILT_IN) is None


def test_the_statement_is_taken_apart() -> None:
    statement = taken("""
        WITH x AS (SELECT 1) SELECT /*+ BROADCAST(i) */ DISTINCT b.*, count(1) OVER v AS n,
          my_avg(b.price + 1) FILTER (WHERE b.price > 3) OVER w * 2 + round(i.q, 1) AS z  -- ours
        FROM bids b JOIN items i ON b.k IS NOT DISTINCT FROM i.k WHERE window.start > 1 GROUP BY ALL HAVING n > 1
        WINDOW w AS (PARTITION BY f(b.item), b.k ORDER BY ts DESC, offset NULLS LAST ROWS 3 PRECEDING), v AS (w)
        QUALIFY z > 3 ORDER BY 1 DESC, abs(z) NULLS LAST, sum(price) LIMIT 5 OFFSET 3;
    """)
    source = statement.source
    assert [source[span] for span in statement.head][1:] == ["/*+ BROADCAST(i) */"]
    assert statement.distinct
    assert [source[span].split()[0] for span in statement.body] == ["FROM", "WHERE", "GROUP", "HAVING"]
    assert [source[span].split()[0] for span in statement.definitions] == ["w", "v"]
    assert parts(statement, item(statement, 2).expression) == ["{my_avg(b.price + 1)}", "* 2 +", "[round(i.q, 1)]"]
    assert item(statement, 2).title == "z"
    (call,) = statement.calls
    assert call.condition is not None
    assert source[call.condition] == "b.price > 3"
    assert [source[span] for span in call.over.partition_by] == ["f(b.item)", "b.k"]
    orders = [(source[key.expression], key.ascending, key.nulls_first) for key in call.over.order_by]
    assert orders == [("ts", False, False), ("offset", True, False)]
    assert [(key.position, key.ascending, key.nulls_first) for key in statement.order_by] == [
        (1, False, False), (None, True, False), (None, True, True),
    ]  # fmt: skip
    assert [parts(statement, key.expression) for key in statement.order_by[1:]] == [
        ["abs(", "[z]", ")"],
        ["[sum(price)]"],
    ]
    assert statement.qualify is not None
    assert parts(statement, statement.qualify) == ["[z]", "> 3"]
    assert (statement.limit, statement.offset) == (5, 3)


EXPRESSIONS = [
    ("my_avg(x) OVER ()", ["{my_avg(x)}"]),
    ("round(my_avg(x) OVER (), d)", ["round(", "{my_avg(x)}", ",", "[d]", ")"]),
    ("CAST(my_avg(x) OVER () AS decimal(10, 2))", ["CAST(", "{my_avg(x)}", "AS decimal(10, 2))"]),
    ("my_avg(x) OVER () - sum(x) OVER (ORDER BY t)", ["{my_avg(x)}", "-", "[sum(x) OVER (ORDER BY t)]"]),
    ("(SELECT max(q) FROM t) - my_avg(x) OVER ()", ["[(SELECT max(q) FROM t)]", "-", "{my_avg(x)}"]),
    ("k IN (SELECT q FROM t) AND my_avg(x) OVER () > 1", ["[k]", "IN", "(SELECT q FROM t)", "AND", "{my_avg(x)}", "> 1"]),
    ("CASE WHEN k IN (1, j) THEN my_avg(x) OVER () END",
     ["CASE WHEN", "[k]", "IN (1,", "[j]", ") THEN", "{my_avg(x)}", "END"]),
    ("my_avg(x) OVER () + window.start + `a b`", ["{my_avg(x)}", "+", "[window.start]", "+", "[`a b`]"]),
    ("count(*) * my_avg(x) OVER ()", ["[count(*)]", "*", "{my_avg(x)}"]),
    ("my_avg(x) OVER () > INTERVAL '5' MINUTE", ["{my_avg(x)}", "> INTERVAL '5' MINUTE"]),
]  # fmt: skip


@pytest.mark.parametrize(("written", "wanted"), EXPRESSIONS, ids=[written for written, _ in EXPRESSIONS])
def test_expressions_are_cut(written: str, wanted: list[str]) -> None:
    statement = taken(f"SELECT {written} FROM bids")
    assert parts(statement, item(statement, 0).expression) == wanted
    named = taken(f"SELECT a, {written} AS `my name`, b FROM bids")
    assert parts(named, item(named, 1).expression) == wanted
    assert item(named, 1).title == "my name"


def test_a_column_may_have_the_name_of_a_clause() -> None:
    statement = taken(
        "SELECT range, offset, window.end, my_avg(slide) OVER (PARTITION BY active, rows ORDER BY offset ROWS 3 PRECEDING) a "
        "FROM kafka WHERE offset > 3 GROUP BY slide, offset ORDER BY offset DESC, window LIMIT 5"
    )
    (call,) = statement.calls
    assert [statement.source[span] for span in call.over.partition_by] == ["active", "rows"]
    assert call.over.frame == Rows(-3, 0)
    assert [statement.source[key.span] for key in statement.order_by] == ["offset", "window"]
    assert (statement.limit, statement.offset) == (5, None)


def test_titles() -> None:
    statement = taken(
        "SELECT my_avg( price ) OVER (ORDER BY ts)  *  2, MY_AVG(b.price) FILTER (WHERE x) OVER () FROM bids b"
    )
    assert [item(statement, i).title for i in (0, 1)] == ["my_avg(price) * 2", "MY_AVG(b.price)"]


def test_named_windows() -> None:
    statement = taken(
        "SELECT my_avg(x) OVER w, max(x) OVER (v SLIDE 10), sum(x) OVER s, rank() OVER w FROM t "
        "WINDOW w AS (PARTITION BY k), v AS (ORDER BY slide ROWS 49 PRECEDING), s AS (v SLIDE 10)"
    )
    assert [call.label for call in statement.calls] == ["my_avg(x)", "max(x)", "sum(x)"]
    assert [call.over.slide for call in statement.calls] == [None, 10, 10]
    assert len(statement.definitions) == 2  # Spark could not read s
    assert taken("SELECT my_avg(x) OVER w FROM t WINDOW w AS (v ORDER BY x), v AS (PARTITION BY k)").definitions == ()
    (call,) = taken("SELECT my_avg(x) OVER w FROM t WINDOW v AS (PARTITION BY k), w AS v QUALIFY x > 1").calls
    assert len(call.over.partition_by) == 1


BAD = [
    ("SELECT my_agv(p) OVER (ROWS 3 PRECEDING SLIDE 2) FROM t", "my_agv is no aggregate .* did you mean my_avg?", "my_agv"),
    ("SELECT row_number() OVER (ROWS 3 PRECEDING SLIDE 2) FROM t", "takes no SLIDE", "row_number"),
    ("SELECT my_avg(p) FROM t", "lacks its window", "my_avg(p)"),
    ("SELECT my_avg(p) OVER (ORDER BY ts ROWS 3 PRECEDING SLIDE 0) FROM t", "a slide must be > 0", "0"),
    ("SELECT my_avg(p) OVER (ORDER BY ts SLIDE 10) FROM t", "SLIDE needs a frame", "SLIDE"),
    ("SELECT my_avg(p) OVER (ROWS 3 PRECEDING SLIDE) FROM t", "SLIDE lacks its size", "SLIDE"),
    ("SELECT my_avg(p) OVER (ROWS 3 PRECEDING SLIDE 5 MINUTES) FROM t", "SLIDE 5 minutes is a distance .* before ROWS", "ROWS"),
    ("SELECT my_avg(p) OVER (ORDER BY t ROWS 3 PRECEDING SLIDE 2.5) FROM t", "counts tuples.* SLIDE 2.5 RANGE", "SLIDE"),
    ("SELECT my_avg(p) OVER (ORDER BY t RANGE 3 PRECEDING SLIDE 2.5 ROWS) FROM t", "a whole number", "2.5"),
    ("SELECT my_avg(p) OVER (ORDER BY t RANGE 3 PRECEDING SLIDE 2 MINUTES ROWS) FROM t", "a whole number", "2 MINUTES"),
    ("SELECT my_avg(p) OVER (ORDER BY t RANGE 3 PRECEDING SLIDE ROWS) FROM t", "SLIDE lacks its size", "SLIDE"),
    ("SELECT my_avg(p) OVER (ORDER BY t SLIDE 10 ROWS 49 PRECEDING) FROM t", "ROWS comes too late", "ROWS"),
    ("SELECT max(p) OVER (ORDER BY t RANGE 9 PRECEDING SLIDE 1.5 GROUPS) FROM t", "is a whole number", "1.5"),
    ("SELECT my_avg(p) OVER (ROWS 3 PRECEDING SLIDE 2 SLIDE 3) FROM t", "SLIDE is there twice", "SLIDE 3"),
    ("SELECT my_avg(p) OVER (ORDER BY t RANGE 3 PRECEDING SLIDE 2 ACTIVE EXPIRATION) FROM t", "one of them", "ACTIVE"),
    ("SELECT my_avg(p) OVER (ROWS 3 PRECEDING ACTIVE EXPIRATION) FROM t", "needs a RANGE frame", "ROWS"),
    ("SELECT my_avg(p) OVER (ORDER BY t DESC RANGE 3 PRECEDING ACTIVE EXPIRATION) FROM t", "ascending", "ACTIVE"),
    ("SELECT my_avg(p) OVER (ORDER BY ts ACTIVE EXPIRATION) FROM t", "needs a frame", "ACTIVE"),
    ("SELECT my_avg(p) OVER (ROWS 3 PRECEDING ORDER BY ts) FROM t", "ORDER BY comes too late", "ORDER BY"),
    ("SELECT my_avg(p) OVER (ROWS 5 MINUTES PRECEDING) FROM t", "ROWS counts tuples", "5 MINUTES"),
    ("SELECT my_avg(p) OVER (ROWS 1.5 PRECEDING) FROM t", "ROWS counts tuples", "1.5"),
    ("SELECT my_avg(p) OVER (ROWS n PRECEDING) FROM t", "written out", "n P"),
    ("SELECT my_avg(p) OVER (ROWS -3 PRECEDING) FROM t", "not negative", "-3"),
    ("SELECT my_avg(p) OVER (ROWS 3) FROM t", "a bound is UNBOUNDED PRECEDING", "3)"),
    ("SELECT my_avg(p) OVER (ROWS 3 FOLLOWING) FROM t", "BETWEEN CURRENT ROW AND 3 FOLLOWING", "3 F"),
    ("SELECT my_avg(p) OVER (ROWS BETWEEN 1 FOLLOWING AND 2 PRECEDING) FROM t", "swap them", "ROWS"),
    ("SELECT my_avg(p) OVER (ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM t", "swap them", "BETWEEN"),
    ("SELECT my_avg(p) OVER (GROUPS 2 PRECEDING) FROM t", "write ORDER BY before", "GROUPS"),
    ("SELECT max(p) OVER (ORDER BY t GROUPS 1.5 PRECEDING) FROM t", "GROUPS counts groups of peers", "1.5"),
    ("SELECT my_avg(p) OVER (RANGE 5 MINUTES PRECEDING) FROM t", "write ORDER BY before RANGE", "RANGE"),
    ("SELECT my_avg(p) OVER (ORDER BY t EXCLUDE TIES) FROM t", "EXCLUDE needs a frame before it", "EXCLUDE"),
    ("SELECT my_avg(p) OVER (ORDER BY t ROWS 3 PRECEDING EXCLUDE PEERS) FROM t", "one of CURRENT ROW, GROUP", "PEERS"),
    ("SELECT my_avg(p) OVER (ORDER BY t ROWS 3 PRECEDING EXCLUDE) FROM t", "EXCLUDE is followed by", "EXCLUDE"),
    ("SELECT my_avg(p) OVER (ORDER BY t ROWS 3 PRECEDING SLIDE 2 EXCLUDE TIES) FROM t", "EXCLUDE comes too late", "EXCLUDE"),
    ("SELECT my_avg(p) OVER (ORDER BY a, b RANGE 5 PRECEDING) FROM t", "2 order columns", "RANGE"),
    ("SELECT my_avg(p) OVER (ORDER BY t RANGE 5 PARSECS PRECEDING) FROM t", "'PARSECS' is no unit", "5 PARSECS"),
    ("SELECT my_avg(p) OVER (ORDER BY t RANGE INTERVAL '1:30' HOUR TO MINUTE PRECEDING) FROM t", "1 HOUR 30", "INTERVAL"),
    ("SELECT my_avg(p) OVER (PARTION BY item) FROM t", "cannot begin with 'PARTION BY item'", "PARTION"),
    ("SELECT my_avg(p) OVER (PARTITION BY ORDER BY ts) FROM t", "PARTITION BY lacks", "PARTITION"),
    ("SELECT my_avg(p) OVER w FROM t WINDOW v AS ()", "no window 'w'; there are: v", "w FROM"),
    ("SELECT my_avg(p) OVER (v ORDER BY x) FROM t WINDOW v AS (ORDER BY y)", "already in the named window", "ORDER BY x"),
    ("SELECT my_avg(*) OVER () FROM t", "only count", "*"),
    ("SELECT my_avg(p,) OVER () FROM t", "an argument is missing", "my_avg"),
    ("SELECT my_avg(p) FILTER (x) OVER () FROM t", "FILTER .WHERE", "x)"),
    ("SELECT my_avg(p) OVER (ORDER BY ts FROM t", r"this \( is not closed", "(ORDER"),
    ("SELECT my_avg(p) OVER (), 'abc FROM t", "quotation is not closed", "'abc"),
    ("SELECT my_avg(my_avg(p) OVER ()) OVER () FROM t", "inside the call of", "my_avg(p)"),
    ("SELECT sum(my_avg(p) OVER ()) FROM t", "inside the call of another function", "my_avg"),
    ("SELECT lag(x) OVER (ORDER BY my_avg(p) OVER ()) FROM t", "inside the call of another function", "my_avg"),
    ("SELECT transform(a, x -> my_avg(x) OVER ()) FROM t", "inside the call of another function", "my_avg"),
    ("SELECT a FROM t WHERE my_avg(p) OVER () > 3", "inside WHERE", "my_avg"),
    ("SELECT a FROM t GROUP BY my_avg(p) OVER ()", "inside GROUP BY", "my_avg"),
    ("SELECT a FROM t HAVING my_avg(p) OVER () > 3", "inside HAVING", "my_avg"),
    ("SELECT a FROM t JOIN u ON my_avg(p) OVER () > 3", "inside a JOIN", "my_avg"),
    ("SELECT * FROM (SELECT my_avg(p) OVER () FROM t)", "inside a subquery", "my_avg"),
    ("WITH x AS (SELECT my_avg(p) OVER () FROM t) SELECT * FROM x", "inside a subquery", "my_avg"),
    ("SELECT (SELECT my_avg(p) OVER () FROM t)", "inside a subquery", "my_avg"),
    ("SELECT a, my_avg(p) OVER () FROM t GROUP BY 2", "groups cannot be made", "2"),
    ("SELECT my_avg(p) OVER () FROM t; SELECT 2", "takes one statement", ";"),
    ("SELECT my_avg(p) OVER () FROM t UNION ALL SELECT 2", "beside UNION", "UNION"),
    ("INSERT INTO s SELECT my_avg(p) OVER () FROM t", "begins with INSERT: write .*insertInto", "INSERT"),
    ("CREATE STREAM s AS SELECT my_avg(p) OVER () FROM t", "createOrReplaceTempView", "CREATE"),
    ("FROM t SELECT my_avg(p) OVER ()", "SELECT first, then FROM", "FROM"),
    ("FROM t |> SELECT my_avg(p) OVER ()", "a SELECT of its own", "|>"),
    ("SELECT my_avg(p) OVER () FROM t SORT BY x", "SORT BY is not supported", "SORT"),
    ("SELECT my_avg(p) OVER () FROM t LIMIT n", "LIMIT is a number", "n"),
    ("SELECT my_avg(p) OVER () a b FROM t", "this is not SQL: this is not expected here; what only Spark", "b FROM"),
    ("SELECT my_avg(p) OVER () + FROM t", "something is missing here", "FROM"),
    ("SELECT my_avg(p) OVER () FROM", "expected table name", "FROM"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "at"), BAD, ids=[text for text, _, _ in BAD])
def test_errors_point_at_their_place(text: str, message: str, at: str) -> None:
    lines = f"-- a comment\n\n   {text}"
    with pytest.raises(iw.UsageError, match=message) as caught:
        read(lines, OURS, BUILT_IN)
    shown = str(caught.value).split("\n")
    assert "(line 3, column " in shown[0], shown
    assert len(shown) == 3
    column = shown[2].index("^")
    assert shown[1][column:].startswith(at.rstrip(")")) or text.endswith(at), shown
    assert caught.value.__cause__ is None


def test_an_error_shows_the_line() -> None:
    with pytest.raises(iw.UsageError) as caught:
        read(
            "SELECT item,\n  my_avg(price) OVER (ORDER BY ts ROWS 3 PRECEDING SLIDE 0) AS a\nFROM bids", OURS, BUILT_IN
        )
    assert str(caught.value) == (
        "iw.sql: SLIDE 0: a slide must be > 0; it is the distance between two rows (line 2, column 58)\n"
        "    my_avg(price) OVER (ORDER BY ts ROWS 3 PRECEDING SLIDE 0) AS a\n"
        "                                                           ^"
    )


def test_a_long_line_is_cut() -> None:
    with pytest.raises(iw.UsageError) as caught:
        read(f"SELECT {'a, ' * 200} my_avg(p) FROM t", OURS, BUILT_IN)
    _, line, marks = str(caught.value).split("\n")
    assert len(line) < 130
    assert line[marks.index("^") :].startswith("my_avg(p)")


def test_sqlglot_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(iw.UsageError, match=r"pip install 'inwindow\[sql\]'"):
        read("SELECT 1", OURS, BUILT_IN)


def test_places_are_those_of_the_text() -> None:
    source = Source("SELECT 'é😀', `a``b`, 5L\n-- c\nFROM t")
    assert [source[token.span] for token in tokens_of(source)][-2:] == ["FROM", "t"]
