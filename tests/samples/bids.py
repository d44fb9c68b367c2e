"""A few bids, and a result over them as a list."""

import pyarrow as pa

import inwindow as iw

BIDS = pa.table(
    {
        "item": ["a", "b", "a", "b", "a"],
        "ts": [5, 1, 2, 3, 4],
        "price": [1.0, 2.0, 3.0, None, 6.0],
        "big one": [True, False, None, True, True],
    }
)
BY_ITEM = iw.rows(2, partition_by="item", order_by="ts")


def column(applied: iw.Applied, table: pa.Table = BIDS) -> list:
    """The result over the table."""
    return iw.with_columns(table, x=applied)["x"].to_pylist()
