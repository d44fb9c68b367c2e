"""Random relations with validity: few instants, so that ends meet, tie and contain one another; some NULL, some empty."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

KINDS: dict[str, tuple[pa.DataType, Any]] = {
    "int64": (pa.int64(), lambda n: n),
    "int32": (pa.int32(), lambda n: n - 5),
    "uint64": (pa.uint64(), lambda n: 2**63 + n - 4),
    "far": (pa.int64(), lambda n: 2**63 - 1 if n > 11 else -(2**63) if n < 1 else n),  # the values that stand for NULL
    "date": (pa.date32(), lambda n: date(1969, 12, 28) + timedelta(days=n)),
    "us": (pa.timestamp("us"), lambda n: datetime(1970, 1, 1) + timedelta(seconds=n - 4)),
    "zone": (pa.timestamp("ms", "Europe/Vienna"), lambda n: datetime(2026, 3, 29, tzinfo=UTC) + timedelta(hours=n)),
    "decimal": (pa.decimal128(12, 2), lambda n: Decimal(n - 4).scaleb(-2)),
    "wide": (pa.decimal128(30, 2), lambda n: Decimal(n - 4).scaleb(-2) + 10**20),
}
Rows = list[tuple[tuple[Any, ...], Any, Any]]


@st.composite
def rows(draw: Any, width: int = 1, most: int = 7, ends: bool = True) -> Rows:
    """Rows of numbers: values, since, until in 0 .. 12, None for NULL ends."""
    result = []
    for _ in range(draw(st.integers(0, most))):
        values = tuple(draw(st.sampled_from([None, 0, 1, 2])) for _ in range(width))
        since, until = sorted([draw(st.integers(0, 12)), draw(st.integers(0, 12))])
        result.append(
            (
                values,
                None if ends and draw(st.integers(0, 9)) == 0 else since,
                None if ends and draw(st.integers(0, 9)) == 0 else until,
            )
        )
    return result


def table(its: Rows, kind: str, names: tuple[str, ...] = ("v",)) -> pa.Table:
    """The rows as a table."""
    ends, made = KINDS[kind]
    columns = {name: pa.array([values[at] for values, *_ in its], pa.int64()) for at, name in enumerate(names)}
    for at, name in ((1, "since"), (2, "until")):
        columns[name] = pa.array([None if row[at] is None else made(row[at]) for row in its], ends)
    return pa.table(columns)


def in_kind(its: Rows, kind: str) -> Rows:
    """The rows with ends as the table gives them."""
    made = KINDS[kind][1]
    return [(v, None if s is None else made(s), None if u is None else made(u)) for v, s, u in its]


def rows_of(given: pa.Table) -> Rows:
    """A result as rows."""
    names = [name for name in given.column_names if name not in ("since", "until")]
    return [(tuple(row[name] for name in names), row["since"], row["until"]) for row in given.to_pylist()]
