"""TERMINATE that returns many rows: a list for a frame, rows in a catalog."""

from typing import Any

import pyarrow as pa
import pytest

import inwindow as iw

BIDS = pa.table({"t": [1, 2, 3, 4, 5], "item": ["a", "b", "b", "c", "c"], "price": [1.0, 2.0, 4.0, None, 3.0]})
TOP = """
CREATE AGGREGATE top2(item String) : (what String, n Int) {
    TABLE counts(what String, n Int);
    INITIALIZE: ITERATE: {
        UPDATE counts SET n = n + 1 WHERE what = item;
        INSERT INTO counts SELECT item, 1 WHERE NOT EXISTS (SELECT * FROM counts WHERE what = item);
    }
    TERMINATE: { INSERT INTO RETURN SELECT what, n FROM counts ORDER BY n DESC, what LIMIT 2; }
}"""
PRICES = """
CREATE AGGREGATE prices(next Real) : Real CALLED ON NULL INPUT {
    TABLE seen(v Real);
    INITIALIZE: ITERATE: { INSERT INTO seen VALUES (next); }
    TERMINATE: {
        INSERT INTO RETURN SELECT v FROM seen WHERE v > 1 OR v IS NULL;
        INSERT INTO RETURN VALUES (-1), (-2) WHERE (SELECT count(*) FROM seen) > 2;
    }
}"""


@pytest.fixture
def catalog() -> iw.Catalog:
    made = iw.Catalog(bids=BIDS)
    made.run("CREATE STREAM bid(t int, item string, price real) ORDER BY t SOURCE 'bids';" + TOP + PRICES)
    return made


def top(what: str, n: int) -> dict[str, Any]:
    return {"what": what, "n": n}


def test_a_list_for_each_frame() -> None:
    found = iw.with_columns(BIDS, x=iw.aggregate(TOP)()("item").over(iw.rows(3)))["x"].to_pylist()
    assert found == [
        [top("a", 1)], [top("a", 1), top("b", 1)], [top("b", 2), top("a", 1)], [top("b", 2), top("c", 1)],
        [top("c", 2), top("b", 1)],
    ]  # fmt: skip


def test_several_statements_and_where() -> None:
    found = iw.with_columns(BIDS, x=iw.aggregate(PRICES)()("price").over(iw.rows(3)))["x"].to_pylist()
    assert found == [[], [2.0], [2.0, 4.0, -1.0, -2.0], [2.0, 4.0, None, -1.0, -2.0], [4.0, None, 3.0, -1.0, -2.0]]


def test_rows_of_a_group(catalog: iw.Catalog) -> None:
    assert catalog.run("SELECT top2(item) AS best FROM bid")["best"].to_pylist() == [top("b", 2), top("c", 2)]
    found = catalog.run("SELECT item, prices(price) AS p FROM bid GROUP BY item ORDER BY item, p DESC NULLS FIRST")
    assert found.to_pydict() == {"item": ["b", "b", "c", "c"], "p": [4.0, 2.0, None, 3.0]}


def test_rows_of_a_window(catalog: iw.Catalog) -> None:
    found = catalog.run("SELECT t, prices(price) OVER (ROWS 1 PRECEDING) AS p FROM bid WHERE t < 4")
    assert found.to_pydict() == {"t": [2, 3, 3], "p": [2.0, 2.0, 4.0]}  # none of the first: 1.0 is not returned
    slid = catalog.run("SELECT t, top2(item) OVER (ROWS 2 PRECEDING SLIDE 3) AS b FROM bid")
    assert slid.to_pydict() == {"t": [3, 3], "b": [top("b", 2), top("a", 1)]}


def test_rows_that_hold_for_a_while(catalog: iw.Catalog) -> None:
    found = catalog.cql("SELECT prices(price) AS p FROM bid[ROWS 2]").to_pylist()
    assert [(row["p"], row["since"], row["until"]) for row in found] == [
        (2.0, 2, 3), (2.0, 3, 4), (4.0, 3, 4), (4.0, 4, 5), (None, 4, 5), (None, 5, None), (3.0, 5, None),
    ]  # fmt: skip


MISTAKES = [
    ("SELECT top2(item), prices(price) FROM bid", "top2(item) and prices(price) both return many rows"),
    ("SELECT top2(item) OVER (), prices(price) OVER () FROM bid", "top2(item) and prices(price) both return many rows"),
    (
        "CREATE WINDOW AGGREGATE a(x Real) : Real { INITIALIZE: ITERATE: { INSERT INTO RETURN SELECT prices(x) FROM inwindow; } }",
        "prices returns many rows, and here one value is wanted",
    ),
    (
        "CREATE AGGREGATE a(x Real) : Real { TABLE s(v Real); INITIALIZE: ITERATE: { INSERT INTO s VALUES (x); } "
        "TERMINATE: { INSERT INTO RETURN SELECT v FROM s; DELETE FROM s; } }",
        "TERMINATE gives the result and changes no table",
    ),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_mistakes(catalog: iw.Catalog, text: str, message: str) -> None:
    with pytest.raises(iw.UsageError, match="line 1, column") as raised:
        catalog.run(text)
    assert message in str(raised.value)
