"""PUNT, end to end: a hook that refuses leaves a ruin behind, and nobody ever looks at it."""

import random
from typing import Any

import pyarrow as pa
import pytest

import inwindow as iw

BY = {"partition_by": "k", "order_by": "t"}
BLOCKING = {
    "rows": iw.rows(7, **BY),
    "range": iw.range(9, **BY),
    "slide": iw.rows(12, slide=4, **BY),
    "range slide": iw.range(9, slide=4, **BY),
    "ahead": iw.rows_between(-3, 2, **BY),
    "behind": iw.rows_between(-5, -2, **BY),
}
EXTENTS = {"hop": iw.hop("t", size=12, every=4), "tumble": iw.tumble("t", size=5), "rows": iw.hop("t", rows=9, every=3)}


class Ids(iw.WindowAggregate, returns="array<bigint>", empty=[]):
    """The frame itself; a third of the tuples it will not let go."""

    def initialize(self, id: int) -> None:
        self.ids = [id]

    def iterate(self, id: int) -> None:
        self.ids.append(id)

    def expire(self, id: int) -> Any:
        assert self.ids.pop(0) == id
        if id % 3 == 0:
            del self.ids  # a ruin: whatever looks at it fails
            return iw.PUNT
        return None

    def terminate(self) -> Any:
        return list(self.ids)


class Panes(Ids, returns="array<bigint>", empty=[]):
    """With panes that it will not let go either."""

    def merge(self, later: Any) -> None:
        self.ids = self.ids + later.ids

    def unmerge(self, earlier: Any) -> Any:
        if earlier.ids[0] % 2 == 0:
            del self.ids
            return iw.PUNT
        self.ids = self.ids[len(earlier.ids) :]
        return None


class Seen(Ids, returns="array<bigint>", empty=[]):
    """With the window's buffer, which must be that of the frame after a PUNT, too."""

    inwindow: iw.InWindow

    def terminate(self) -> Any:
        assert [record.id for record in self.inwindow] == self.ids
        return list(self.ids)


class Running(iw.WindowAggregate, returns="array<bigint>"):
    """Answers as tuples arrive."""

    def iterate(self, id: int) -> Any:
        self.ids = [*getattr(self, "ids", []), id]
        return list(self.ids)

    def expire(self, id: int) -> Any:
        self.ids.remove(id)
        if id % 3 == 0:
            del self.ids
            return iw.PUNT
        return None


class Leaving(iw.WindowAggregate, returns="array<bigint>"):
    """Answers as tuples leave: what stays."""

    def iterate(self, id: int) -> Any:
        self.ids = [*getattr(self, "ids", []), id]

    def expire(self, id: int) -> Any:
        self.ids.remove(id)
        yield list(self.ids)
        if id % 3 == 0:
            del self.ids
            return iw.PUNT  # noqa: B901 - a generator may refuse as well
        return None


def table() -> pa.Table:
    draw = random.Random(5)
    times = sorted(draw.randrange(60) for _ in range(90))
    return pa.table({"k": [draw.choice("ab") for _ in times], "t": times, "id": list(range(len(times)))})


def batches() -> list[pa.Table]:
    return [table().slice(at, 13) for at in range(0, len(table()), 13)]


def by_id(given: pa.Table) -> list[Any]:
    return [row["x"] for row in given.sort_by("id").to_pylist()]


@pytest.mark.parametrize("kind", [Ids, Panes, Seen])
@pytest.mark.parametrize("name", BLOCKING)
def test_frames(name: str, kind: type) -> None:
    applied = kind()("id").over(BLOCKING[name])
    expected = by_id(iw.testing.reference(table(), x=applied))
    assert by_id(iw.with_columns(table(), x=applied)) == expected
    ordered = table().sort_by([("k", "ascending"), ("t", "ascending")])
    reader = pa.RecordBatchReader.from_batches(ordered.schema, ordered.to_batches(max_chunksize=7))
    assert by_id(iw.with_columns(reader, x=applied).read_all()) == expected
    stream = iw.testing.replay(batches(), lambda df: iw.with_columns(df, x=applied), delay=0, until=10**6).table
    given = dict(zip(stream["id"].to_pylist(), stream["x"].to_pylist(), strict=True))
    assert given.items() <= dict(enumerate(expected)).items() and len(given) >= len(expected) - 4


@pytest.mark.parametrize("kind", [Ids, Panes])
@pytest.mark.parametrize("name", EXTENTS)
def test_extents(name: str, kind: type) -> None:
    query = lambda data: iw.group_by(data, "k").window(EXTENTS[name]).agg(x=kind()("id"))  # noqa: E731
    expected = iw.testing.reference(iw.group_by(table(), "k").window(EXTENTS[name]), x=kind()("id")).to_pylist()
    assert sorted(map(repr, query(table()).to_pylist())) == sorted(map(repr, expected))
    stream = iw.testing.replay(batches(), query, delay=0, until=10**6).table.to_pylist()
    missing = 0 if name != "rows" else 6  # counted extents that are not full stay open
    assert {repr(row) for row in stream} <= {*map(repr, expected)} and len(stream) >= len(expected) - missing


@pytest.mark.parametrize("name", ["rows", "range"])
def test_hooks_that_answer_as_tuples_arrive(name: str) -> None:
    applied = Running()("id").over(BLOCKING[name])
    whole = by_id(iw.with_columns(table(), x=applied))
    frames = by_id(iw.with_columns(table(), x=Ids()("id").over(iw.rows(7, **BY))))
    if name == "rows":
        assert whole == frames  # what is refused is folded afresh, what has left is gone: the frame, in order
    stream = iw.testing.replay(batches(), lambda df: iw.with_columns(df, x=applied), delay=0, until=10**6).table
    assert by_id(stream) == whole


def test_active_expiration() -> None:
    window = iw.range(9, active_expiration=True, **BY)
    query = lambda data: iw.select(data, "id", x=Leaving()("id").over(window))  # noqa: E731
    whole = by_id(query(table()))
    assert by_id(iw.testing.replay(batches(), query, delay=0, until=10**6).table) == whole
    rows = table().to_pylist()
    for row, stays in zip(rows, whole, strict=True):
        own = [other for other in rows if other["k"] == row["k"]]
        gone = row["t"] + 9
        expected = [other["id"] for other in own if other["t"] <= gone and other["id"] > row["id"]]
        assert stays == expected
