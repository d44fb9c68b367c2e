"""CQL on streams of Spark: the queries of the paper, and others, give the rows of the batch run, which are worked by hand."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import inwindow as iw

START = datetime(2026, 1, 1, tzinfo=UTC)
#  minute       0         1         2         3         6         7         9
#  Open         1 (50)    2 (150)   3 (200)
#  Bid                    1: 60               1: 70     2: 160
#  Close                                      1                   2         3
#  Register     ann (CA)  bob (NY)            bob (CA)
#  Deregister                                                     ann
DATA: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "Open": (
        "item_id bigint, seller_id string, start_price double, ts timestamp",
        [(1, "ann", 50.0, 0), (2, "bob", 150.0, 1), (3, "bob", 200.0, 2)],
    ),
    "Bid": ("item_id bigint, bid_price double, ts timestamp", [(1, 60.0, 1), (1, 70.0, 3), (2, 160.0, 6)]),
    "Close": ("item_id bigint, ts timestamp", [(1, 3), (2, 7), (3, 9)]),
    "Register": (
        "user_id string, name string, state string, ts timestamp",
        [("ann", "Ann", "CA", 0), ("bob", "Bob", "NY", 1), ("bob", "Bob", "CA", 3)],
    ),
    "Deregister": ("user_id string, ts timestamp", [("ann", 7)]),
}
LAST = 1000  # a row of each stream that lets its time go on


def rows_of(name: str) -> list[tuple[Any, ...]]:
    ddl, rows = DATA[name]
    kinds = {"bigint": 99, "double": 0.0, "string": "nobody", "timestamp": LAST}
    last = tuple(kinds[part.split()[1]] for part in ddl.split(", "))
    return [(*row[:-1], START + timedelta(minutes=row[-1])) for row in [*rows, last]]


DECLARED = """
    CREATE STREAM Open(item_id int, seller_id string, start_price real, ts timestamp) ORDER BY ts SOURCE 'src_Open';
    CREATE STREAM Bid(item_id int, bid_price real, ts timestamp) ORDER BY ts SOURCE 'src_Bid';
    CREATE STREAM Close(item_id int, ts timestamp) ORDER BY ts SOURCE 'src_Close';
    CREATE STREAM Register(user_id string, name string, state string, ts timestamp) ORDER BY ts SOURCE 'src_Register';
    CREATE STREAM Deregister(user_id string, ts timestamp) ORDER BY ts SOURCE 'src_Deregister';
"""
USERS = """Select user_id, name, state From Register[Partition By user_id Rows 1]
           Where user_id Not In (Select * From Deregister)"""
# Worked by hand, in whole minutes: [RANGE 2 MINUTES] holds a tuple of minute 1 until a microsecond after minute 3. What holds for
# ever has no end, and does not come out.
QUERIES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "6.1": ("Select item_id, start_price From Open Where start_price > 100", [(2, 150.0, 1), (3, 200.0, 2)]),
    "6.2": ("Select Count(*) As n From Bid[Range 2 Minutes] Where item_id >= 1", [(1, 1, 3), (2, 3, 3), (1, 3, 5), (1, 6, 8)]),
    "6.2 as it changes": (
        "Select Istream(Count(*) As n) From Bid[Range 2 Minutes] Where item_id >= 1",
        [(1, 1), (2, 3), (1, 3), (1, 6)],
    ),
    "6.2 by item": (
        "Select Dstream(item_id, Max(bid_price) As high) From Bid[Range 2 Minutes] Group By item_id",
        [(1, 60.0, 3), (1, 70.0, 5), (2, 160.0, 8)],
    ),
    "6.3": (
        "Select * From Open Where item_id Not In (Select * From Close)",
        [(1, "ann", 50.0, 0, 3), (2, "bob", 150.0, 1, 7), (3, "bob", 200.0, 2, 9)],
    ),
    "6.3 with windows": (
        "Select item_id From Open[Range 30 Minutes] Where item_id Not In (Select item_id From Close[Range 60 Minutes])",
        [(1, 0, 3), (2, 1, 7), (3, 2, 9)],
    ),
    "6.4": (USERS, [("bob", "Bob", "NY", 1, 3), ("ann", "Ann", "CA", 0, 7)]),
    "6.4 as it changes": (
        USERS.replace("user_id, name, state", "Istream(user_id, state)"),
        [("ann", "CA", 0), ("bob", "NY", 1), ("bob", "CA", 3)],
    ),
    "6.5": (
        f"""Select Istream(Open.*) From Open[Now], ({USERS}) As Users Where seller_id = user_id and state = 'CA'""",
        [(1, "ann", 50.0, 0)],
    ),
    "6.5 unbounded": (
        f"""Select Istream(Open.*) From Open, ({USERS}) As Users Where seller_id = user_id and state = 'CA'""",
        [(1, "ann", 50.0, 0), (2, "bob", 150.0, 3), (3, "bob", 200.0, 3)],
    ),
    "6.6": (
        "Select Istream(Close.item_id) From Close[Now], Open[Range 5 Minutes] Where Close.item_id = Open.item_id",
        [(1, 3)],
    ),
    "6.6 by RSTREAM": (
        "Select Rstream(Close.item_id) From Close[Now], Open[Range 5 Minutes] Where Close.item_id = Open.item_id",
        [(1, 3)],
    ),
    "6.7": (
        """Select Istream(Close.item_id, P.price)
           From Close[Now],
             ((Select item_id, bid_price as price From Bid)
             Union
             (Select item_id, start_price as price From Open))
             [Partition By item_id Rows 1] As P
           Where Close.item_id = P.item_id""",
        [(1, 70.0, 3), (2, 160.0, 7), (3, 200.0, 9)],
    ),
    "6.4.1": ("Select Rstream(*) From Close[Now], Bid[Now] Where Close.item_id = Bid.item_id", [(1, 1, 70.0, 3)]),
    "6.4.2": (
        "Select Istream(Distinct *) From (Istream(Select item_id From Bid[Range 2 Minutes]))[Range Unbounded]",
        [(1, 1), (2, 6)],
    ),
    "7.2.1": (
        "Select Istream(item_id, start_price * 2 As p) From Open[Range Unbounded] Where start_price < 180",
        [(1, 100.0, 0), (2, 300.0, 1)],
    ),
    "7.2.1 reduced": (
        "Select Rstream(item_id, start_price * 2 As p) From Open[Now] Where start_price < 180",
        [(1, 100.0, 0), (2, 300.0, 1)],
    ),
    "7.2.2 inside": (
        "Select Count(*) As n From (Select * From Bid Where item_id <> 2)[Range 2 Minutes]",
        [(1, 1, 3), (2, 3, 3), (1, 3, 5)],
    ),
    "7.2.2 outside": (
        "Select Count(*) As n From Bid[Range 2 Minutes] Where item_id <> 2",
        [(1, 1, 3), (2, 3, 3), (1, 3, 5)],
    ),
    "union": (
        "Select item_id From Bid[Range 1 Minute] Union All Select item_id From Open[Range 1 Minute]",
        [(1, 0, 1), (1, 1, 2), (2, 1, 2), (3, 2, 3), (1, 3, 4), (2, 6, 7)],
    ),
    "except": (
        "Select item_id From Open[Range 4 Minutes] Except Select item_id From Close[Range 1 Minute]",
        [(1, 0, 3), (2, 1, 5), (3, 2, 6)],
    ),
    "rows": ("Select item_id, bid_price From Bid[Rows 2]", [(1, 60.0, 1, 6)]),
    "groups of rows": (
        "Select item_id, Count(*) As n From Bid[Rows 2] Group By item_id",
        [(1, 1, 1, 3), (1, 2, 3, 6)],
    ),
    "between two": (
        "Select Istream(Bid.item_id, bid_price - start_price As more) From Bid[Range 1 Minute], Open[Range 2 Minutes] "
        "Where Bid.item_id = Open.item_id And bid_price > start_price",
        [(1, 10.0, 1)],
    ),
    "istream": ("Select Istream(item_id) From Bid[Range 4 Minutes]", [(1, 1), (1, 3), (2, 6)]),
    "rstream": (
        "Select Rstream(item_id) Every 1 Minute From Bid[Range 1 Minute]",
        [(1, 1), (1, 2), (1, 3), (1, 4), (2, 6), (2, 7)],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each stream's rows in a folder of its own."""
    folder = tmp_path_factory.mktemp("streams")
    for name in DATA:
        (folder / name).mkdir()
        pq.write_table(table_of(name), folder / name / "rows.parquet")
    return folder


def table_of(name: str) -> pa.Table:
    columns = [part.split()[0] for part in DATA[name][0].split(", ")]
    return pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows_of(name)])


def catalogs(spark: Any, files: Path) -> tuple[iw.Catalog, iw.Catalog]:
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    tables, streams = {}, {}
    for name, (ddl, _) in DATA.items():
        tables[f"src_{name}"] = table_of(name)
        stream = spark.readStream.schema(ddl).parquet(str(files / name))
        streams[f"src_{name}"] = stream.withWatermark("ts", "0 seconds")
    local, there = iw.Catalog(tables), iw.Catalog(spark, **streams)
    for catalog in (local, there):
        catalog.run(DECLARED)
    return local, there


def plain(rows: Any) -> list[tuple[Any, ...]]:
    """Rows without those of the end, and times without their zone."""
    shown = [
        tuple(value.astimezone(UTC) if isinstance(value, datetime) and value.tzinfo else value for value in row)
        for row in rows
    ]
    shown = [
        tuple(one.replace(tzinfo=UTC) if isinstance(one, datetime) and one.tzinfo is None else one for one in row)
        for row in shown
    ]
    last = START + timedelta(minutes=LAST - 100)
    return sorted(
        row
        for row in shown
        if None not in row and all(not isinstance(value, datetime) or value < last for value in row)
    )


def in_minutes(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Times as whole minutes."""
    minute = timedelta(minutes=1)
    return sorted(tuple((one - START) // minute if isinstance(one, datetime) else one for one in row) for row in rows)


@pytest.mark.parametrize("name", QUERIES)
def test_a_stream_gives_the_rows_of_the_batch(spark: Any, files: Path, tmp_path: Path, name: str) -> None:
    query, by_hand = QUERIES[name]
    local, there = catalogs(spark, files)
    expected = plain(row.values() for row in local.cql(query).to_pylist())
    assert in_minutes(expected) == sorted(by_hand)
    made = there.cql(query)
    assert made.isStreaming
    writer = made.writeStream.format("parquet").option("path", str(tmp_path / "out"))
    writer = writer.option("checkpointLocation", str(tmp_path / "cp")).trigger(availableNow=True)
    writer.start().awaitTermination()
    found = spark.read.schema(made.schema).parquet(str(tmp_path / "out")).collect()
    assert plain(found) == expected


MISTAKES = [
    (
        "Select Istream(Bid.item_id, bid_price / start_price As more) From Bid, Open Where Bid.item_id = Open.item_id",
        "stands between two operators that hold rows, and a query on a stream has columns, comparisons, and + - * of whole",
    ),
    (
        "Select Istream(many_prices(bid_price) As p) From Bid[Range 2 Minutes] Group By item_id",
        "an aggregate of many rows stands between two operators that hold rows",
    ),
]
MANY = """
    CREATE AGGREGATE many_prices(next Real) : Real {
        TABLE seen(v Real);
        INITIALIZE: ITERATE: { INSERT INTO seen VALUES (next); }
        TERMINATE: { INSERT INTO RETURN SELECT v FROM seen; }
    }
"""


@pytest.mark.parametrize(("query", "message"), MISTAKES)
def test_what_cannot_be_put_together(spark: Any, files: Path, query: str, message: str) -> None:
    _, there = catalogs(spark, files)
    there.run(MANY)
    with pytest.raises(iw.UsageError, match="line 1, column") as raised:
        there.cql(query)
    assert message in str(raised.value)
