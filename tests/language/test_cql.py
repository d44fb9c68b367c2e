"""The queries of the CQL paper (6.1 to 6.7, and the equivalences of 6.4 and 7.2) as they are printed, outputs worked by hand.

Time is in hours. The auctions::

    hour       0         1         2         3         6         7         9
    Open       1 (50)    2 (150)   3 (200)
    Bid                  1: 60               1: 70     2: 160
    Close                                    1                   2         3
    Register   ann (CA)  bob (NY)            bob (CA)
    Deregister                                                   ann
"""

from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

import inwindow as iw

OPEN = pa.table(
    {"item_id": [1, 2, 3], "seller_id": ["ann", "bob", "bob"], "start_price": [50.0, 150.0, 200.0], "ts": [0, 1, 2]}
)
BID = pa.table({"item_id": [1, 1, 2], "bid_price": [60.0, 70.0, 160.0], "ts": [1, 3, 6]})
CLOSE = pa.table({"item_id": [1, 2, 3], "ts": [3, 7, 9]})
REGISTER = pa.table(
    {"user_id": ["ann", "bob", "bob"], "name": ["Ann", "Bob", "Bob"], "state": ["CA", "NY", "CA"], "ts": [0, 1, 3]}
)
DEREGISTER = pa.table({"user_id": ["ann"], "ts": [7]})
STREAMS = """
    CREATE STREAM Open(item_id int, seller_id string, start_price real, ts int) ORDER BY ts SOURCE 'o';
    CREATE STREAM Bid(item_id int, bid_price real, ts int) ORDER BY ts SOURCE 'b';
    CREATE STREAM Close(item_id int, ts int) ORDER BY ts SOURCE 'c';
    CREATE STREAM Register(user_id string, name string, state string, ts int) ORDER BY ts SOURCE 'r';
    CREATE STREAM Deregister(user_id string, ts int) ORDER BY ts SOURCE 'd';
"""


@pytest.fixture
def catalog() -> iw.Catalog:
    made = iw.Catalog(o=OPEN, b=BID, c=CLOSE, r=REGISTER, d=DEREGISTER)
    made.run(STREAMS)
    return made


def rows(table: Any) -> list[tuple[Any, ...]]:
    """Rows in an order of their own: by time, then by values."""
    found = [tuple(row.values()) for row in table.to_pylist()]
    return sorted(found, key=lambda row: (str(row[-1]), str(row)))


QUERY_6_1 = "Select * From Open Where start_price > 100"


def test_query_6_1_stream_filter(catalog: iw.Catalog) -> None:
    found = catalog.cql(QUERY_6_1)
    assert found.column_names == ["item_id", "seller_id", "start_price", "at"]
    assert rows(found) == [(2, "bob", 150.0, 1), (3, "bob", 200.0, 2)]
    expanded = "Select Rstream(*) From Open[Now] Where start_price > 100"  # with Istream in the paper: the same, there is a key
    assert rows(catalog.cql(expanded)) == rows(found)
    assert rows(catalog.cql(expanded.replace("Rstream", "Istream"))) == rows(found)
    assert catalog.explain_cql(QUERY_6_1) == [
        "[RANGE UNBOUNDED] and ISTREAM are [NOW] and RSTREAM (window reduction)",
    ]


QUERY_6_2 = """
Select Count(*) From Bid[Range 1 Hour]
Where item_id >= 100 and item_id <= 200
"""


def test_query_6_2_sliding_window_aggregate(catalog: iw.Catalog) -> None:
    #  bids of items 1 to 2, of the last 2 (both ends): at 1, 3, 6
    #  1 [1,4)   1 [3,6)   2 [6,9)
    text = QUERY_6_2.replace("Range 1 Hour", "Range 2").replace("100", "1").replace("200", "2")
    found = catalog.cql(text)
    assert found.column_names[1:] == ["since", "until"]
    assert rows(found.select([0, 1, 2])) == rows(pa.table({"n": [1, 2, 1], "since": [1, 3, 4], "until": [3, 4, 9]}))
    assert rows(catalog.cql(text.replace("Count(*)", "Istream(Count(*))"))) == [(1, 1), (2, 3), (1, 4)]
    assert rows(catalog.cql(text.replace("Count(*)", "Rstream(Count(*)) Every 3"))) == [(2, 3), (1, 6)]


def test_query_6_2_over_hours_of_timestamps() -> None:
    start = datetime(2026, 1, 1)
    bids = pa.table(
        {"item_id": [100, 150, 300], "ts": [start, start + timedelta(minutes=30), start + timedelta(minutes=40)]}
    )
    catalog = iw.Catalog(b=bids)
    catalog.run("CREATE STREAM Bid(item_id int, ts timestamp) ORDER BY ts SOURCE 'b'")
    found = catalog.run(QUERY_6_2)  # a window in brackets: run takes it for CQL
    assert found.column(0).to_pylist() == [1, 2, 1]
    assert found["since"].to_pylist()[:2] == [start, start + timedelta(minutes=30)]


QUERY_6_3 = """
Select * From Open
Where item_id Not In (Select * From Close)
"""


def test_query_6_3_stream_subquery(catalog: iw.Catalog) -> None:
    found = catalog.cql(QUERY_6_3)
    assert rows(found) == [(1, "ann", 50.0, 0, 3), (2, "bob", 150.0, 1, 7), (3, "bob", 200.0, 2, 9)]
    assert catalog.explain_cql(QUERY_6_3) == ["Open [RANGE UNBOUNDED] (default)", "Close [RANGE UNBOUNDED] (default)"]


QUERY_6_4 = """
Select user_id, name, state
From Register[Partition By user_id Rows 1]
Where user_id Not In
      (Select * From Deregister)
"""


def test_query_6_4_derived_relation(catalog: iw.Catalog) -> None:
    assert rows(catalog.cql(QUERY_6_4)) == [
        ("bob", "Bob", "NY", 1, 3),
        ("ann", "Ann", "CA", 0, 7),
        ("bob", "Bob", "CA", 3, None),
    ]


QUERY_6_5 = """
Select Istream(Open.*) From Open[Now], User
Where seller_id = id and state = 'CA'
"""


def test_query_6_5_relation_stream_join(catalog: iw.Catalog) -> None:
    #  ann was of CA at 0; bob was of NY at 1 and 2
    user = catalog.cql(QUERY_6_4).rename_columns(["id", "name", "state", "since", "until"])
    catalog.engine.register("User", user)
    assert rows(catalog.cql(QUERY_6_5)) == [(1, "ann", 50.0, 0)]
    moved = QUERY_6_5.replace("Open[Now]", "Open")  # unbounded: when bob moves to CA, his auctions of before come
    assert rows(catalog.cql(moved)) == [(1, "ann", 50.0, 0), (2, "bob", 150.0, 3), (3, "bob", 200.0, 3)]


QUERY_6_6 = """
Select Istream(Close.item_id)
From Close[Now], Open[Range 5 Hours]
Where Close.item_id = Open.item_id
"""


def test_query_6_6_windowed_stream_join(catalog: iw.Catalog) -> None:
    #  item   open   close
    #  1      0      3       within 5
    #  2      1      7
    #  3      2      9
    text = QUERY_6_6.replace("5 Hours", "5")
    assert rows(catalog.cql(text)) == [(1, 3)]
    assert rows(catalog.cql(text.replace("Range 5", "Range 6"))) == [(1, 3), (2, 7)]
    assert rows(catalog.run(text)) == [(1, 3)]


QUERY_6_7 = """
Select Istream(Close.item_id, P.price)
From Close[Now],
  ((Select item_id, bid_price as price
   From Bid)
  Union
  (Select item_id, start_price as price
   From Open))
  [Partition By item_id Rows 1] As P
Where Close.item_id = P.item_id
"""


def test_query_6_7_complex_from_clause(catalog: iw.Catalog) -> None:
    assert rows(catalog.cql(QUERY_6_7)) == [(1, 70.0, 3), (2, 160.0, 7), (3, 200.0, 9)]
    unbounded = QUERY_6_7.replace("Close[Now]", "Close")  # the same by what auctions are
    assert rows(catalog.cql(unbounded)) == rows(catalog.cql(QUERY_6_7))
    assert "ISTREAM of P (default: it only grows)" in catalog.explain_cql(QUERY_6_7)


def test_6_4_1_chronicles_join_of_now(catalog: iw.Catalog) -> None:
    text = "Select Rstream(*) From Close[Now], Bid[Now] Where Close.item_id = Bid.item_id"
    assert rows(catalog.cql(text)) == [(1, 1, 70.0, 3)]


def test_6_4_2_tapestry(catalog: iw.Catalog) -> None:
    #  the set-union of Q over all instants: Q is which items have a bid of the last 2
    text = """
        Select Istream(Distinct *)
        From (Istream(Select item_id From Bid[Range 2]))[Range Unbounded]
    """
    assert rows(catalog.cql(text)) == [(1, 1), (2, 6)]


def test_7_2_1_window_reduction(catalog: iw.Catalog) -> None:
    one = "Select Istream(item_id, start_price * 2) From Open[Range Unbounded] Where start_price < 180"
    other = "Select Rstream(item_id, start_price * 2) From Open[Now] Where start_price < 180"
    assert rows(catalog.cql(one)) == rows(catalog.cql(other)) == [(1, 100.0, 0), (2, 300.0, 1)]


def test_7_2_2_filters_and_windows_commute(catalog: iw.Catalog) -> None:
    inside = "Select Count(*) From (Select * From Bid Where item_id >= 1 and item_id <= 1) [Range 2]"
    outside = "Select Count(*) From Bid[Range 2] Where item_id >= 1 and item_id <= 1"
    assert rows(catalog.cql(inside)) == rows(catalog.cql(outside))


def test_groups_and_having(catalog: iw.Catalog) -> None:
    text = "Select item_id, Max(bid_price) As high From Bid Group By item_id Having Count(*) > 1"
    assert catalog.cql(text).to_pylist() == [{"item_id": 1, "high": 70.0, "since": 3, "until": None}]


def test_an_aggregate_of_the_catalog(catalog: iw.Catalog) -> None:
    catalog.run("""
        CREATE AGGREGATE spread(next Real) : Real {
            TABLE seen(v Real);
            INITIALIZE: { INSERT INTO seen VALUES (next); }
            ITERATE: { INSERT INTO seen VALUES (next); }
            TERMINATE: { INSERT INTO RETURN SELECT max(v) - min(v) FROM seen; }
        }
    """)
    found = catalog.cql("Select spread(bid_price) As s From Bid[Range 2]")
    assert found.to_pylist() == [
        {"s": 0.0, "since": 1, "until": 3},
        {"s": 10.0, "since": 3, "until": 4},
        {"s": 0.0, "since": 4, "until": 9},
    ]


MISTAKES = [
    ("Select * From Bid[Range 1 Huor]", "is not an interval"),
    ("Select * From Bid[Rows 0]", "a window is [RANGE 5 HOURS]"),
    ("Select * From Bid[Range 2", "is not closed"),
    ("Select Istream() From Bid", "stands around the select list"),
    ("Select Istream( , ) From Bid[Now]", "stands around the select list"),
    ("Select Istream( + ) From Bid[Now]", "stands around the select list"),
    ("Select Rstream(*) From Bid[Range 2]", "say how often, as in RSTREAM(*) EVERY 1 MINUTE"),
    ("Select nothing From Bid", "there is no column nothing; there are: item_id, bid_price"),
    ("Select item_id From Bid, Open", "item_id is a column of several tables"),
    ("Select P.n From (Select Count(*) As n From Bid)[Range 2] As P", "does not only grow: write ISTREAM"),
    ("Select * From Bid Order By 1", "ORDER is not known in CQL"),
    ("Select * From Bid Where item_id In (Select item_id, start_price From Open)", "compares one column"),
    ("Select * From Bids[Now]", "has no timestamp"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[text for text, _ in MISTAKES])
def test_mistakes(catalog: iw.Catalog, text: str, message: str) -> None:
    with pytest.raises(iw.UsageError) as raised:
        catalog.cql(text)
    assert message in str(raised.value) and "(line 1, column " in str(raised.value)
