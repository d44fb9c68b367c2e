"""The drawings of the pages, each of the window that its page shows: ``python docs/figures/draw.py`` makes them anew.

``tests/docs/test_docs.py`` compares the files with what this would make.
"""

from pathlib import Path
from typing import Any

import inwindow as iw

DRAWINGS = {
    "rows": iw.rows(3, partition_by="item", order_by="ts"),
    "rows-slide": iw.rows(6, order_by="i", slide=3),
    "rows-between": iw.rows_between(-1, 1, order_by="ts"),
    "rows-tumble": iw.rows(4, order_by="ts", slide=4),
    "range": iw.range("5 minutes", partition_by="item", order_by="ts"),
    "range-slide": iw.range("10 minutes", order_by="ts", slide="5 minutes"),
    "range-lag": iw.range(20, lag=20, order_by="minute"),
    "groups": iw.groups(2, partition_by="item", order_by="day"),
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
EVENTS, LABELS = [1, 4, 5, 9, 9, 12, 14, 17], [5, 9, 16]


def drawing(name: str) -> Any:
    """The drawing of a name; of a window at the rows of another table, too."""
    if name == "point-in-time":
        return iw.range(5, partition_by="user", order_by="ts").draw(EVENTS, at=LABELS)
    return DRAWINGS[name].draw()


def path(name: str) -> Path:
    """Where a drawing lies."""
    return Path(__file__).parent / f"window-{name}.svg"


if __name__ == "__main__":
    for name in [*DRAWINGS, "point-in-time"]:
        drawing(name).save(path(name))
