"""Watermarks that go by the clock, too: tuples that are too far ahead, and streams that are silent."""

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw

SCHEMA = pa.schema([("t", pa.int64()), ("id", pa.int64())])
ROWS = st.lists(st.integers(-3, 12) | st.just(50) | st.none(), max_size=5)
WINDOW = iw.range(4, order_by="t")
AGGREGATES = {"n": iw.count().over(WINDOW), "ids": iw.collect_list("id").over(WINDOW)}


def tables(batches: list[tuple[list[int | None], ...]]) -> list[tuple[pa.Table, ...]]:
    """A table for each stream of each micro-batch; ids number all tuples."""
    number, made = 0, []
    for batch in batches:
        its = []
        for times in batch:
            its.append(pa.table([times, range(number, number + len(times))], SCHEMA))
            number += len(times)
        made.append(tuple(its))
    return made


@given(
    st.lists(st.tuples(ROWS, ROWS), min_size=1, max_size=5),
    st.lists(st.sampled_from([0, 1, 2, 3, 4, -40, 40]), min_size=5, max_size=5),  # a clock may jump, and back
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
    st.sampled_from([None, 1, 6]),
    st.tuples(st.sampled_from([None, 1, 5]), st.sampled_from([None, 3])),
)
def test_watermarks_go_by_the_newest_time_and_the_clock(
    cuts: list[Any], steps: list[int], delays: tuple[int, int], ahead: int | None, idles: tuple[Any, Any]
) -> None:
    """Of each stream max(its newest time, clock - idle) - delay, and the smallest; what is far ahead is late, all else as ever."""
    batches = tables(cuts)
    clocks = [sum(steps[: at + 1]) for at in range(len(batches))]

    def query(one: Any, other: Any) -> Any:
        one = iw.with_watermark(one, "t", delays[0], ahead=ahead, idle=idles[0])
        other = iw.with_watermark(other, "t", delays[1], ahead=ahead, idle=idles[1])
        return iw.outputs(iw.with_columns(iw.union(one, other, order_by="t"), **AGGREGATES))

    replayed = iw.testing.replay(batches, query, clock=clocks, until=1000)
    reached: list[list[int]] = [[], []]
    passed, late = None, []
    on_time: list[pa.Table] = []
    for batch, clock, watermark, output in zip(batches, clocks, replayed.watermarks, replayed.batches, strict=False):
        assert watermark == (min(map(max, reached)) if all(reached) else None)
        for its, delay, idle, table in zip(reached, delays, idles, batch, strict=True):
            counts = [t for t in table["t"].to_pylist() if t is not None and (ahead is None or t <= clock + ahead)]
            its += [t - delay for t in counts] + ([] if idle is None else [clock - idle - delay])
        both = pa.concat_tables(batch)
        fits = [
            t is not None and (passed is None or t >= passed) and (ahead is None or t <= clock + ahead)
            for t in both["t"].to_pylist()
        ]
        on_time.append(both.filter(pa.array(fits, pa.bool_())))
        came = both.filter(pa.array([not one for one in fits], pa.bool_())).to_pylist()
        assert [row["late"] for row in output.to_pylist() if row["kind"] == "late"] == came
        late += came
        passed = watermark if watermark is not None else passed
    expected = iw.with_columns(pa.concat_tables(on_time), **AGGREGATES).to_pylist()
    rows = [row["row"] for row in replayed.table.to_pylist() if row["kind"] == "row"]
    assert sorted(map(repr, rows)) == sorted(map(repr, expected))
    assert sorted(map(repr, iw.late(replayed).to_pylist())) == sorted(map(repr, late))
    assert iw.outputs(replayed).equals(replayed.table)


def test_batch_data_need_no_watermark() -> None:
    table = pa.table({"t": [1, 2058]})
    assert iw.with_watermark(table, "t", 0, ahead=10) is table


def test_a_clock_of_instants() -> None:
    times = pa.array([0, 60, 10**9], pa.timestamp("s", "UTC"))
    batches = [pa.table({"t": times}), pa.table({"t": times[:1]})]

    def query(df: Any) -> Any:
        return iw.with_columns(
            iw.with_watermark(df, "t", "10 seconds", ahead="1 hour"), n=iw.count().over(iw.rows(9, order_by="t"))
        )

    replayed = iw.testing.replay(batches, query, clock=times[1].as_py())
    assert [mark and mark.timestamp() for mark in replayed.watermarks] == [None, 50, 50]
    assert iw.late(replayed)["t"].to_pylist() == [times[2].as_py()]
