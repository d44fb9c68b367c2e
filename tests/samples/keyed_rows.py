"""Forty tuples of one key, with a column of each kind, and the key and order of windows over them."""

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

ROWS = 40
TABLE = pa.table(
    {
        "k": ["a"] * ROWS,
        "t": range(ROWS),
        "id": range(ROWS),
        "v": [float(i % 7) for i in range(ROWS)],
        "s": [f"é{i % 5}" for i in range(ROWS)],
        "at": pa.array([datetime(2026, 1, 1 + i % 9, tzinfo=UTC) for i in range(ROWS)], pa.timestamp("us", "UTC")),
    }
)
BY: dict[str, Any] = {"partition_by": "k", "order_by": "t"}
