"""A script in SQL: streams, an aggregate of one's own, windows and a query of CQL.

Covers: `iw.Catalog`, `iw.aggregate`'s CREATE AGGREGATE with a table that has a key, CREATE STREAM, SLIDE, CQL's windows

Scenario: bids on items. Which bidder has bid most often in the last six bids on each item, asked at every third one; and, as a
relation whose rows hold for a while, how many bids of the last minute there are.

Prints::

    vase    30  bob
    lamp   100  carl
    vase   110  ann

    lamp  from   20 until   40: 1
    lamp  from   40 until   81: 2
    lamp  from   81 until  100: 1
    lamp  from  100 until  101: 2
    lamp  from  101 until  161: 1
"""

import pyarrow as pa

import inwindow as iw

bids = pa.table({
    "item": ["vase", "vase", "lamp", "vase", "lamp", "vase", "vase", "lamp", "vase"],
    "bidder": ["ann", "bob", "ann", "bob", "carl", "ann", "carl", "carl", "carl"],
    "ts": [0, 10, 20, 30, 40, 70, 90, 100, 110],
})  # fmt: skip

catalog = iw.Catalog({"bids": bids})
eager = catalog.run("""
    CREATE STREAM Bid(item char(10), bidder char(10), ts int) ORDER BY ts SOURCE 'bids';

    CREATE AGGREGATE most_eager(bidder String) : String
    {
      TABLE counts(who String, n Int);
      INITIALIZE: ITERATE: {
        UPDATE counts SET n = n + 1 WHERE who = bidder;
        INSERT INTO counts SELECT bidder, 1 WHERE NOT EXISTS (SELECT * FROM counts WHERE who = bidder);
      }
      TERMINATE: { INSERT INTO RETURN SELECT who FROM counts ORDER BY n DESC, who LIMIT 1; }
    }

    SELECT item, ts, most_eager(bidder) OVER (PARTITION BY item ROWS 5 PRECEDING SLIDE 3) AS eager FROM Bid;
""")
for row in eager.to_pylist():
    print("{item}  {ts:4}  {eager}".format(**row))

print()
for row in catalog.run("SELECT item, Count(*) AS n FROM Bid [RANGE 60] WHERE item = 'lamp' GROUP BY item").to_pylist():
    print("{item}  from {since:4} until {until:4}: {n}".format(**row))
