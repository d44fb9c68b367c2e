"""States of streams as this version writes them, kept: later versions must read them. ``python tests/stream/kept_states.py``

A file per version of the format: ``kept/version_7.json``. Do not write a file again once its version has been released.
"""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa

import inwindow as iw
from inwindow.runtime import sealed
from inwindow.runtime.stream import log
from inwindow.runtime.stream.replay_stream import Stream

KEPT = Path(__file__).parent / "kept"
BY = {"partition_by": "k", "order_by": "t"}
TABLE = pa.table(
    {
        "k": pa.array(["a", "b", None] * 20),
        "t": pa.array([1_700_000_000_000_000 + 1_000_000 * n for n in range(60)], pa.timestamp("us", "UTC")),
        "v": pa.array([None if n % 7 == 0 else float(n % 11) for n in range(60)]),
    }
)
CUT, DONE, END = 40, 1_700_000_035_000_000, 1_700_000_999_000_000  # tuples before the state; the watermarks
FRAME, GROWING = iw.range("20 seconds", **BY), iw.unbounded(**BY)


def frames(df: Any) -> Any:
    return iw.with_columns(df, s=iw.sum("v").over(FRAME), m=iw.median("v").over(iw.rows(4, **BY)))


def states(df: Any) -> Any:
    applied = {
        "s": iw.sum("v"),
        "sd": iw.stddev("v"),
        "n": iw.count("v"),
        "top": iw.max("v"),
        "all": iw.collect_list("v"),
    }
    numbered = {"row": iw.row_number().over(GROWING), "before": iw.lag("v").over(GROWING)}
    return iw.with_columns(df, **{name: one.over(GROWING) for name, one in applied.items()}, **numbered)


def grouped(extent: Any) -> Callable[[Any], Any]:
    return lambda df: iw.group_by(df, "k").window(extent).agg(n=iw.count(), s=iw.sum("v"))


QUERIES: dict[str, Callable[[Any], Any]] = {
    "frames": frames,
    "states": states,
    "tumble": grouped(iw.tumble("t", "30 seconds")),
    "session": grouped(iw.session("t", gap="5 seconds")),
    "counted": grouped(iw.tumble("t", rows=7)),
    "filled": grouped(iw.tumble("t", "2 seconds", fill="previous", quiet="1 minute")),
}


def bucket(name: str) -> Any:
    return QUERIES[name](Stream(TABLE.schema)).bucket()


def written() -> dict[str, Any]:
    """Each query's state: a head, and its chunks."""
    made = {}
    for name in QUERIES:
        its = bucket(name)
        its.begin(3)
        its.step(TABLE.slice(0, CUT), DONE)
        with patch.object(log, "FULL", 400):
            changed = its.changed()
        chunks = {str(number): base64.b64encode(one).decode() for number, one in changed.chunks.items()}
        made[name] = {"head": base64.b64encode(changed.head).decode(), "chunks": chunks}
    return made


if __name__ == "__main__":
    (KEPT / f"version_{sealed.VERSION}.json").write_text(json.dumps(written(), indent=1) + "\n", encoding="utf-8")
