"""Streams of relations, drawn: what has been decided on them is what the batch run gives of the rows that were not late."""

from collections import Counter
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from samples.replays import replayed
from samples.temporal_cases import KINDS

TYPES = st.sampled_from(["int64", "date", "us", "zone", "decimal"])
FAR = 13  # all ends are at 12, or before


@st.composite
def cut_streams(draw: Any, sides: int = 1, nulls: bool = True) -> Any:
    """(kind, micro-batches, their watermarks, the last watermark); the numbers are instants."""
    kind = draw(TYPES)
    values = [None, 0, 1, 2] if nulls else [0, 1, 2]
    moment = KINDS[kind][1]
    tables = []
    count = draw(st.integers(1, 4))
    for side in range(sides):
        batches = []
        for _ in range(count):
            rows = draw(
                st.lists(st.tuples(st.sampled_from(values), st.integers(0, 12), st.integers(0, 12)), max_size=5)
            )
            ends = [(min(a, b), None if draw(st.integers(0, 9)) == 0 else max(a, b)) for _, a, b in rows]
            batches.append(
                pa.table(
                    {
                        ("v", "w")[side]: pa.array([v for v, *_ in rows], pa.int64()),
                        "k": pa.array([draw(st.sampled_from(["a", "b"])) for _ in rows], pa.string()),
                        "since": pa.array([moment(a) for a, _ in ends], KINDS[kind][0]),
                        "until": pa.array([None if b is None else moment(b) for _, b in ends], KINDS[kind][0]),
                    }
                )
            )
        tables.append(batches)
    marks = sorted(draw(st.lists(st.integers(0, 12), min_size=count, max_size=count)))
    last = draw(st.sampled_from([max(marks), FAR]))
    return kind, list(zip(*tables, strict=True)), [moment(mark) for mark in marks], moment(last)


def on_time(batches: list[pa.Table], marks: list[Any], column: str = "since") -> pa.Table:
    """The rows that begin no earlier than the watermark before theirs."""
    kept, passed = [], None
    for table, mark in zip(batches, marks, strict=True):
        kept.append(
            table
            if passed is None
            else table.filter(pa.array([t >= passed for t in table[column].to_pylist()], pa.bool_()))
        )
        passed = mark
    return pa.concat_tables(kept)


def bag(table: pa.Table) -> Counter[str]:
    return Counter(str(sorted(row.items())) for row in table.to_pylist())


def decided(table: pa.Table, last: Any, name: str = "until") -> pa.Table:
    """What has ended before the last watermark."""
    return table.filter(pa.array([end is not None and end < last for end in table[name].to_pylist()], pa.bool_()))


def check(case: Any, query: Any, restarts: bool, is_decided: Any = decided) -> None:
    _, batches, marks, last = case
    given_ = batches if len(batches[0]) > 1 else [table for (table,) in batches]
    found = replayed(given_, query, restarts, watermarks=marks, until=last)
    wanted = query(*(on_time(list(side), marks) for side in zip(*batches, strict=True)))
    assert bag(found.table) == bag(is_decided(wanted, last))
