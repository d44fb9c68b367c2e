"""The drawings of the pages, each of the window that its page shows: ``python docs/figures/draw.py`` makes them anew.

``tests/test_docs.py`` compares the files with what this would make.
"""

from pathlib import Path

import inwindow as iw

BAND = iw.landmark(since=20, until=40, order_by="minute")
DRAWINGS = {
    "rows": iw.rows(3, partition_by="item", order_by="ts"),
    "rows-slide": iw.rows(6, order_by="i", slide=3),
    "rows-between": iw.rows_between(-1, 1, order_by="ts"),
    "rows-tumble": iw.rows(4, order_by="ts", slide=4),
    "range": iw.range("5 minutes", partition_by="item", order_by="ts"),
    "range-slide": iw.range("10 minutes", order_by="ts", slide="5 minutes"),
    "range-lag": iw.range(20, lag=20, order_by="minute"),
    "unbounded": iw.unbounded(partition_by="item", order_by="ts"),
    "landmark": BAND,
    "scope": iw.scope(lower=lambda t: t // 10 * 10, order_by="t"),
    "active-expiration": iw.range("5 seconds", order_by="tagtime", active_expiration=True),
    "tumble": iw.tumble("ts", size="1 hour"),
    "hop": iw.hop("ts", size="1 hour", every="20 minutes"),
    "cumulate": iw.cumulate("ts", size="1 day", every="6 hours"),
    "session": iw.session("ts", gap="30 minutes"),
    "counts": iw.hop("ts", rows=10, every=4),
}


def path(name: str) -> Path:
    """Where a drawing lies."""
    return Path(__file__).parent / f"window-{name}.svg"


if __name__ == "__main__":
    for name, window in DRAWINGS.items():
        window.draw().save(path(name))
