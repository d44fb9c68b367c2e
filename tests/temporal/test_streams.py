"""On a stream every operator gives the rows of the batch run, each once time has come far enough; with restarts, too."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.replays import replayed
from samples.temporal_cases import KINDS
from samples.temporal_streams import bag, check, cut_streams, decided, on_time

import inwindow as iw
from inwindow import temporal
from inwindow.runtime.stream.replay_stream import Stream


class Longest(iw.Aggregate, derive=False):
    """It depends on the order in which rows began, and is folded afresh."""

    def initialize(self, value):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def terminate(self) -> str:
        return str(self.values)


ONE = {
    "coalesce": lambda a: temporal.coalesce(a, by="v"),
    "distinct": temporal.distinct,
    "latest": lambda a: temporal.distinct(a, by="k", keep="latest"),
    "count": lambda a: temporal.aggregate(a, by="k", n=iw.count("v")),
    "lists": lambda a: temporal.aggregate(a, seen=iw.collect_list("v"), first=iw.first("k")),
    "class": lambda a: temporal.aggregate(a, by=["k"], x=Longest()("v"), top=iw.max("v")),
}


@pytest.mark.parametrize("name", ONE)
@given(case=cut_streams(), restarts=st.booleans())
def test_one_relation(name: str, case: Any, restarts: bool) -> None:
    check(case, ONE[name], restarts)


@pytest.mark.parametrize("operator", [temporal.istream, temporal.dstream])
@given(case=cut_streams(), restarts=st.booleans())
def test_changes(operator: Any, case: Any, restarts: bool) -> None:
    check(case, operator, restarts, lambda rows, last: decided(rows, last, "at"))


@pytest.mark.parametrize("name", ["difference", "intersect", "max_union"])
@given(case=cut_streams(sides=2), restarts=st.booleans())
def test_two_relations(name: str, case: Any, restarts: bool) -> None:
    kind, batches, marks, last = case
    same = [(a, b.rename_columns(a.column_names)) for a, b in batches]
    check((kind, same, marks, last), getattr(temporal, name), restarts)


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("condition", [None, "during", pc.field("v") > pc.field("w")], ids=["", "during", "v > w"])
@settings(max_examples=settings.default.max_examples // 2)
@given(case=cut_streams(sides=2, nulls=False), restarts=st.booleans())
def test_join(how: str, condition: Any, case: Any, restarts: bool) -> None:
    def is_decided(rows: pa.Table, last: Any) -> pa.Table:
        """A pair when both have begun, a fragment when it has ended."""
        pairs = [row.get("v") is not None and row.get("w") is not None for row in rows.to_pylist()]
        ended = [end is not None and end < last for end in rows["until"].to_pylist()]
        begun = [since < last for since in rows["since"].to_pylist()]
        mask = [b if pair else e for pair, e, b in zip(pairs, ended, begun, strict=True)]
        return rows.filter(pa.array(mask, pa.bool_()))

    check(case, lambda a, b: temporal.join(a, b, on="k", how=how, condition=condition), restarts, is_decided)


WINDOWS = {
    "rows": iw.rows(2, partition_by="k", order_by="t"),
    "rows, lagging": iw.rows_between(-3, -1, partition_by="k", order_by="t"),
    "unbounded rows, lagging": iw.rows_between(None, -2, order_by="t"),
}


@pytest.mark.parametrize("name", WINDOWS)
@given(case=cut_streams(), restarts=st.booleans())
def test_windows_that_count(name: str, case: Any, restarts: bool) -> None:
    kind, batches, marks, last = case
    batches = [(table.drop_columns(["until"]).rename_columns(["v", "k", "t"]),) for (table,) in batches]
    found = replayed(
        [table for (table,) in batches],
        lambda a: temporal.window(a, WINDOWS[name]),
        restarts,
        watermarks=marks,
        until=last,
    )
    wanted = temporal.window(on_time([table for (table,) in batches], marks, "t"), WINDOWS[name])
    end = "since" if name.startswith("unbounded") else "until"
    assert bag(found.table) == bag(decided(wanted, last, end))


@given(case=cut_streams(), restarts=st.booleans())
def test_sessions(case: Any, restarts: bool) -> None:
    kind, batches, marks, last = case
    gap = {"date": "2 days", "us": "2 seconds", "zone": "2 hours"}.get(kind, 2)
    batches = [table.drop_columns(["until"]).rename_columns(["v", "k", "t"]) for (table,) in batches]
    window = iw.session("t", gap=gap)
    found = replayed(batches, lambda a: temporal.window(a, window, by="k"), restarts, watermarks=marks, until=last)
    wanted = temporal.window(on_time(batches, marks, "t"), window, by="k")
    assert bag(found.table) == bag(decided(wanted, last))


@given(case=cut_streams(), restarts=st.booleans(), hops=st.booleans())
def test_a_window_and_what_is_made_of_it(case: Any, restarts: bool, hops: bool) -> None:
    """The watermark of the tuples' time is that of the relation."""
    kind, batches, _, _ = case
    if kind != "us":
        return
    batches = [table.drop_columns(["until"]).rename_columns(["v", "k", "t"]) for (table,) in batches]
    window = iw.hop("t", size="4 seconds", every="2 seconds") if hops else iw.range("3 seconds", order_by="t")

    def query(a: Any) -> Any:
        return temporal.aggregate(temporal.window(a, window), by="k", n=iw.count(), top=iw.max("v"))

    moment = KINDS[kind][1]
    found = replayed(batches, query, restarts, delay="20 seconds", until=moment(100))  # nothing is late
    assert bag(found.table) == bag(query(pa.concat_tables(batches)))


def test_the_watermark_is_that_of_the_tuples_own_time() -> None:
    """A hop is seen when it has ended: later than its tuples, which must not make others late."""
    batches = [pa.table({"t": [11]}), pa.table({"t": [9]}), pa.table({"t": [60]})]
    window = iw.hop("t", size=10, every=10)
    found = iw.testing.replay(batches, lambda a: temporal.aggregate(temporal.window(a, window), n=iw.count()), delay=2)
    assert found.watermarks == [None, 9, 9, 58]
    assert [len(late) for late in found.late] == [0, 0, 0, 0]
    assert found.table.to_pylist() == [{"n": 1, "since": 10, "until": 30}]


def test_state_is_let_go() -> None:
    """What has ended is no longer held, however long the stream is."""
    batches = [pa.table({"v": [n, n], "since": [n, n], "until": [n + 3, n + 5]}) for n in range(0, 400, 4)]
    sizes = []

    def query(a: Any) -> Any:
        return temporal.aggregate(a, n=iw.count(), s=iw.sum("v"))

    plan = query(Stream(batches[0].schema))
    bucket = plan.bucket()
    for number, table in enumerate(batches):
        piece = plan.stream.arrived((table,))[0].table
        bucket.step(piece.combine_chunks().to_batches()[0], 4 * number)
        sizes.append((bucket.live, bucket.waiting, len(bucket.state())))
    assert max(live for live, _, _ in sizes) <= 6
    assert max(size for *_, size in sizes[50:]) <= max(size for *_, size in sizes[:50]) + 64


@pytest.mark.parametrize("name", ["coalesce", "join"])
def test_a_bad_row_is_an_error_in_every_turn(name: str) -> None:
    batches = [pa.table({"k": [1], "since": [n], "until": [n + 3]}) for n in (0, 5, 10)]
    batches.append(pa.table({"k": [1], "since": [20], "until": [15]}))
    batches.append(pa.table({"k": [1], "since": [40], "until": [50]}))
    query = {"coalesce": lambda a: temporal.coalesce(a), "join": lambda a, b: temporal.join(a, b, on="k")}[name]
    given = batches if name == "coalesce" else [(batch, batch) for batch in batches]
    with pytest.raises(iw.DataError, match="is from 20 until 15, but it cannot end before it begins"):
        iw.testing.replay(given, query)
