"""The drawings of the pages, each of the window that its page shows: ``python docs/figures/draw.py`` makes them anew.

``tests/docs/test_docs.py`` compares the files with what this would make.
"""

from pathlib import Path
from typing import Any

import pyarrow as pa

import inwindow as iw
from inwindow import temporal

DRAWINGS = {
    "rows": iw.rows(3, partition_by="item", order_by="ts"),
    "rows-slide": iw.rows(6, order_by="i", slide=3),
    "rows-between": iw.rows_between(-1, 1, order_by="ts"),
    "rows-tumble": iw.rows(4, order_by="ts", slide=4),
    "range": iw.range("5 minutes", partition_by="item", order_by="ts"),
    "range-slide": iw.range("10 minutes", order_by="ts", slide="5 minutes"),
    "range-lag": iw.range(20, lag=20, order_by="minute"),
    "groups": iw.groups(2, partition_by="item", order_by="day"),
    "exclude": iw.rows_between(-2, 2, order_by="ts", exclude="current row"),
    "exclude-ties": iw.range(10, order_by="minute", exclude="ties"),
    "unbounded": iw.unbounded(partition_by="item", order_by="ts"),
    "landmark": iw.landmark(since=20, until=40, order_by="minute"),
    "scope": iw.scope(lower=lambda t: t // 10 * 10, order_by="t"),
    "active-expiration": iw.range("5 seconds", order_by="tagtime", active_expiration=True),
    "tumble": iw.tumble("ts", size="1 hour"),
    "hop": iw.hop("ts", size="1 hour", every="20 minutes"),
    "cumulate": iw.cumulate("ts", size="1 day", every="6 hours"),
    "session": iw.session("ts", gap="30 minutes"),
    "counts": iw.hop("ts", rows=10, every=4),
}
VISITS = pa.table({"who": ["ann", "bob", "bob"], "room": ["A", "A", "A"], "since": [1, 3, 7], "until": [9, 5, 13]})
LAMPS = pa.table({"room": ["A", "A"], "lamp": ["on", "off"], "since": [0, 4], "until": [4, None]})
BIDS = pa.table({"ts": [1, 3, 4, 9], "price": [5, 7, 6, 4]})
RELATIONS: dict[str, dict[str, Any]] = {
    "relation-aggregate": {
        "visits": VISITS,
        "aggregate": temporal.aggregate(VISITS, by="room", n=iw.count()),
        "coalesce": temporal.coalesce(VISITS, by="room"),
    },
    "relation-join": {
        "visits": VISITS,
        "lamps": LAMPS,
        "join": temporal.join(VISITS, LAMPS, on="room").select(["who", "lamp", "since", "until"]),
    },
    "relation-window": {
        "rows 2": temporal.window(BIDS, iw.rows(2, order_by="ts")),
        "range 2": temporal.window(BIDS, iw.range(2, order_by="ts")),
        "highest bid": temporal.aggregate(temporal.window(BIDS, iw.range(2, order_by="ts")), high=iw.max("price")),
    },
}
EVENTS, LABELS = [1, 4, 5, 9, 9, 12, 14, 17], [5, 9, 16]


def drawing(name: str) -> Any:
    """The drawing of a name; of a window at the rows of another table, too."""
    if name == "point-in-time":
        return iw.range(5, partition_by="user", order_by="ts").draw(EVENTS, at=LABELS)
    return temporal.draw(**RELATIONS[name]) if name in RELATIONS else DRAWINGS[name].draw()


def path(name: str) -> Path:
    """Where a drawing lies."""
    return Path(__file__).parent / f"{name if name in RELATIONS else f'window-{name}'}.svg"


if __name__ == "__main__":
    for name in [*DRAWINGS, *RELATIONS, "point-in-time"]:
        drawing(name).save(path(name))
