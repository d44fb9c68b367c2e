"""Sessions of intervals, and of tuples that have a gap of their own, with any aggregate; in batches of any size."""

from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw
from inwindow import temporal

INTERVALS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 20), st.one_of(st.none(), st.integers(0, 8))), max_size=12
)


def runs(rows: list[tuple[int, int, Any]], gap: int = 0) -> list[tuple[int, int, list[Any]]]:
    """Sorted by their beginning; what begins before all ends so far (and the gap) joins."""
    result: list[tuple[int, int, list[Any]]] = []
    for since, until, value in sorted(rows, key=lambda row: row[0]):
        if result and since <= result[-1][1]:
            begin, end, values = result[-1]
            result[-1] = begin, max(end, until + gap), [*values, value]
        else:
            result.append((since, until + gap, [value]))
    return result


@given(INTERVALS, st.sampled_from([0, 2]), st.integers(1, 12))
def test_runs_of_intervals(rows: list[tuple[str, int, int | None]], gap: int, size: int) -> None:
    for_ever = 10**6
    its = [(k, s, for_ever if d is None else s + d, n) for n, (k, s, d) in enumerate(rows)]
    data = pa.table(
        {
            "k": pa.array([row[0] for row in its], pa.string()),
            "since": pa.array([row[1] for row in its], pa.int64()),
            "until": pa.array([None if row[2] == for_ever else row[2] for row in its], pa.int64()),
            "n": pa.array([row[3] for row in its], pa.int64()),
        }
    )
    session = iw.session("since", gap or None, until="until")
    wanted = {
        (k, begin, None if end >= for_ever else end, tuple(sorted(values)))
        for k in "ab"
        for begin, end, values in runs([(s, u, n) for key, s, u, n in its if key == k and s < u], gap)
    }
    ordered = data.sort_by([("k", "ascending"), ("since", "ascending")])
    reader = pa.RecordBatchReader.from_batches(ordered.schema, ordered.to_batches(size))
    for given_ in (data, reader):
        found = iw.group_by(given_, "k").window(session).agg(every=iw.collect_list("n"))
        found = found.read_all() if isinstance(found, pa.RecordBatchReader) else found
        assert {
            (row["k"], row["window"]["start"], row["window"]["end"], tuple(sorted(row["every"])))
            for row in found.to_pylist()
        } == wanted
    if not gap and len(data):
        islands = temporal.coalesce(data, by="k").to_pylist()
        assert {(row["k"], row["since"], row["until"]) for row in islands} == {row[:3] for row in wanted}


@given(INTERVALS)
def test_each_tuple_has_its_own_gap(rows: list[tuple[str, int, int | None]]) -> None:
    data = pa.table(
        {
            "ts": pa.array([datetime(2026, 1, 1) + timedelta(minutes=s) for _, s, _ in rows], pa.timestamp("us")),
            "gap": pa.array([None if d is None else timedelta(minutes=d) for *_, d in rows], pa.duration("s")),
        }
    )
    found = iw.group_by(data).window(iw.session("ts", gap="gap")).agg(n=iw.count()).to_pylist()
    wanted = runs([(s, s + d, None) for _, s, d in rows if d])
    start = datetime(2026, 1, 1)
    assert [
        ((r["window"]["start"] - start).seconds // 60, (r["window"]["end"] - start).seconds // 60, r["n"])
        for r in found
    ] == [(begin, end, len(values)) for begin, end, values in wanted]


def test_a_longer_interval_holds_others() -> None:
    """Where LAG of the previous end is wrong: the second one ends before the third begins, the first does not."""
    shifts = pa.table({"since": [1, 2, 6], "until": [9, 4, 11], "pay": [5.0, 7.0, 1.0]})
    found = iw.group_by(shifts).window(iw.session("since", until="until")).agg(pay=iw.sum("pay"))
    assert found.to_pylist() == [{"window": {"start": 1, "end": 11}, "pay": 13.0}]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: iw.session("a"), "session() needs a gap="),
        (lambda: iw.session("a", until=5), "session(until=5): write the name of a column"),
    ],
)
def test_said(make: Any, said: str) -> None:
    with pytest.raises(iw.UsageError) as caught:
        make()
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("session", "said"),
    [
        (iw.session("since", until="x"), "until='x' is of type double, but 'since' of type int64"),
        (iw.session("since", until="no"), "there is no column 'no'"),
        (
            iw.session("since", gap="x"),
            "gap='x' is of type double, but with 'since' of type int64 it must be an integer",
        ),
        (iw.session("x", until="x"), "ends are exact: cast it"),
    ],
)
def test_columns_that_do_not_fit(session: Any, said: str) -> None:
    data = pa.table({"since": [1], "until": [3], "x": [0.5]})
    with pytest.raises(iw.UsageError, match=said):
        iw.group_by(data).window(session).agg(n=iw.count())


def test_an_interval_that_ends_before_it_begins() -> None:
    with pytest.raises(iw.DataError, match="a tuple is from 9 until 3, but it cannot end before it begins"):
        iw.group_by(pa.table({"since": [9], "until": [3]})).window(iw.session("since", until="until")).agg(n=iw.count())
