"""Tuples that lie in very many extents: memory is that of the rows given at a time, not of all extents of all tuples."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import inwindow as iw
from inwindow.runtime import group_operator
from inwindow.windows import extent_bounds

SPARSE = pa.table(
    {
        "k": np.repeat(["a", "b", "c", None], 25),
        "t": np.tile(np.arange(25) * 700 + 3, 4),
        "d": np.tile(np.arange(25) * 70.0 + 0.3, 4),
        "v": np.arange(100),
    }
)
EXTENTS = {
    "hop": iw.hop("t", size=500, every=1),
    "hop that overlaps the next tuple": iw.hop("t", size=1500, every=2),
    "hop over doubles": iw.hop("d", size=50, every=0.1),
    "cumulate": iw.cumulate("t", size=2000, every=4),
    "count": iw.hop("t", rows=600, every=1),
}


@pytest.mark.parametrize("extent", EXTENTS.values(), ids=list(EXTENTS))
@pytest.mark.parametrize("keys", [("k",), ()])
def test_a_reader_gives_them_in_pieces(extent: Any, keys: tuple[str, ...], monkeypatch: Any) -> None:
    table = SPARSE if keys else SPARSE.sort_by("t")

    def rows() -> list[pa.RecordBatch]:
        reader = table.to_reader(max_chunksize=64)
        return list(iw.group_by(reader, *keys).window(extent).agg(n=iw.sum("v"), last=iw.last("v")))

    whole = pa.Table.from_batches(rows())
    at_once = 2000
    monkeypatch.setattr(group_operator, "CELLS", at_once)
    monkeypatch.setattr(group_operator, "_MANY", 10)
    pieces = rows()
    assert pa.Table.from_batches(pieces).to_pylist() == whole.to_pylist()
    # A piece gives what it introduces, and what was still open before it.
    assert max(map(len, pieces)) <= 2 * at_once
    assert len(whole) < 4 * at_once or len(pieces) > 3


def test_a_table_is_fed_in_pieces(monkeypatch: Any) -> None:
    expected = iw.group_by(SPARSE, "k").window(EXTENTS["hop"]).agg(n=iw.sum("v"))
    found: list[int] = []
    interval = extent_bounds.Hops.interval
    monkeypatch.setattr(extent_bounds.Hops, "interval", lambda self, n: found.append(len(n)) or interval(self, n))
    monkeypatch.setattr(group_operator, "CELLS", 2000)
    assert iw.group_by(SPARSE, "k").window(EXTENTS["hop"]).agg(n=iw.sum("v")).equals(expected)
    assert max(found) <= 2000


@pytest.mark.parametrize(
    "extent",
    [iw.hop("t", size=10**6, every=1), iw.cumulate("t", size=10**6, every=1), iw.hop("t", rows=10**6, every=1)],
    ids=["hop", "cumulate", "count"],
)
def test_a_stream_finds_those_that_close_now(extent: Any, monkeypatch: Any) -> None:
    batches = [pa.table({"k": range(20), "t": np.arange(20) + start}) for start in (0, 100, 200)]
    found: list[int] = []
    for kind in (extent_bounds.Hops, extent_bounds.Cumulations):
        interval = kind.interval
        monkeypatch.setattr(kind, "interval", lambda self, n, f=interval: found.append(len(n)) or f(self, n))
    replayed = iw.testing.replay(batches, lambda df: iw.group_by(df, "k").window(extent).agg(n=iw.count()))
    assert max(found) < 10_000  # of twenty million that the tuples lie in
    counted = "rows" in extent.describe()
    assert all(counted or row["window"]["end"] <= 219 for row in replayed.table.to_pylist())


def test_as_many_as_are_allowed_over_a_table() -> None:
    three = pa.table({"t": [1, 2, 3]})
    given = iw.group_by(three).window(iw.hop("t", size=10**6, every=1)).agg(n=iw.count())
    assert len(given) == 10**6 + 2
    assert given["n"].value_counts().to_pylist() == [
        {"values": 1, "counts": 2}, {"values": 2, "counts": 2}, {"values": 3, "counts": 10**6 - 2}
    ]  # fmt: skip
    with pytest.raises(iw.UsageError, match="each tuple would be in 1000000000 extents; use a larger every"):
        iw.hop("t", size=10**9, every=1)
    with pytest.raises(iw.UsageError, match="each tuple would be in 1000000000 extents; use a larger every"):
        iw.hop("t", rows=10**9, every=1, scope="stream")
    with pytest.raises(iw.UsageError, match="each tuple would be in 1000000001 extents; use a larger every"):
        iw.cumulate("t", size=10**9 + 1, every=1)


# Sizes that a float cannot hold beside the values


FLOATS = pa.table(
    {
        "d": [0.0, 1.5, -3.0],
        "f": pa.array([0.0, 1.5, -3.0], pa.float32()),
        "day": pa.array([1, 2, 3], pa.int32()).cast(pa.date32()),
    }
)


def sized(column: str, size: Any) -> list[Any]:
    return [
        lambda: iw.group_by(FLOATS).window(iw.tumble(column, size=size)).agg(n=iw.count()),
        lambda: iw.group_by(FLOATS).window(iw.hop(column, size=size * 2, every=size)).agg(n=iw.count()),
        lambda: iw.group_by(FLOATS).window(iw.cumulate(column, size=size * 2, every=size)).agg(n=iw.count()),
        lambda: iw.group_by(FLOATS).window(iw.session(column, gap=size)).agg(n=iw.count()),
        lambda: iw.select(FLOATS, column, n=iw.count().over(iw.range(size, slide=size, order_by=column))),
    ]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("column", ["d", "f"])
@pytest.mark.parametrize("size", [5e-324, 1e-323, 1e-300, 1e-20])
def test_sizes_that_vanish_beside_the_values(column: str, size: float) -> None:
    for call in sized(column, size):
        with pytest.raises(iw.DataError, match=f"'{column}' = .*does not tell one multiple of {size} from the next"):
            call()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e-9, 1.0, 1e15, 1e300, 8e307])
def test_sizes_that_do_not(size: float) -> None:
    """Every value is within its extent, and in one of them alone."""
    given = iw.group_by(FLOATS).window(iw.tumble("d", size=size)).agg(low=iw.min("d"), high=iw.max("d"), n=iw.count())
    assert sum(given["n"].to_pylist()) == 3
    for row in given.to_pylist():
        assert row["window"]["start"] <= row["low"] <= row["high"] < row["window"]["end"]
    for call in sized("d", size):
        call()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("origin", [5e-324, 1e-300, 1e15, 1e300])
def test_origins_far_from_the_size(origin: float) -> None:
    extent = iw.tumble("d", size=1.0, origin=origin)
    if origin == 1e300:
        with pytest.raises(iw.DataError, match="or an origin nearer to the values"):
            iw.group_by(FLOATS).window(extent).agg(n=iw.count())
    else:
        assert sum(iw.group_by(FLOATS).window(extent).agg(n=iw.count())["n"].to_pylist()) == 3


def test_sizes_beyond_the_type() -> None:
    for column, size in (("f", 1e39), ("d", 10**309), ("day", 2**32), ("day", "5000000000 days")):
        with pytest.raises(iw.UsageError, match="is larger than the column|is beyond the doubles"):
            iw.group_by(FLOATS).window(iw.tumble(column, size=size)).agg(n=iw.count())
