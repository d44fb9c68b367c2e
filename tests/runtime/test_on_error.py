"""``on_error=``: a tuple on which a hook raises is left out as FILTER leaves it out, under every strategy, in every window."""

import math
import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.against_definition import cut, expected_column, expected_groups, expected_rows, sorted_for
from samples.ids import Doubling, Ids
from samples.picky import LEAVING, WITH_TERMINATE, WITHOUT, PickyDoubling, PickyIds, is_refused
from samples.streams import CUTS, tables, windows

import inwindow as iw
from inwindow.optimizer.rules import RULES
from inwindow.runtime import guarded
from inwindow.windows.reference_hooks import takes

FRAMES = ("rows", "trailing rows", "range", "trailing range", "groups", "landmark")
ENDING_HERE = ("trailing rows", "trailing range")


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(guarded, "_FIRST", 2)
    yield


def drawn(data: st.DataObject, order: str) -> pa.Table:
    """A table with hidden tuples: those that pass no filter, and those that the hooks do not take."""
    table = data.draw(tables(order, values=st.one_of(st.integers(0, 19), st.none()), kind=pa.int64()))
    table = table.set_column(table.schema.get_field_index("id"), "id", table["v"])
    taken = [ok and not is_refused(id) for ok, id in zip(table["ok"].to_pylist(), table["id"].to_pylist(), strict=True)]
    return table.append_column("taken", pa.array([bool(one) for one in taken]))


def listed(values: list[Any]) -> list[Any]:
    return [list(one) if isinstance(one, tuple) else one for one in values]


def check_failed(result: Any, table: pa.Table) -> None:
    """Each tuple at most once, and only those that the hooks do not take."""
    letters = iw.failed(result)
    letters = letters.read_all().to_pylist() if isinstance(letters, pa.RecordBatchReader) else letters.to_pylist()
    assert all(is_refused(one["tuple"]["id"]) and one["hook"] in ("initialize", "iterate") for one in letters)
    given = [one["id"] for one in table.to_pylist() if one["ok"] and is_refused(one["id"])]
    assert len(letters) <= len(given)


@pytest.mark.parametrize("part", [0, 1])
@given(data=st.data())
def test_frames_by_every_strategy(part: int, data: st.DataObject) -> None:
    picky, plain = data.draw(st.sampled_from(WITH_TERMINATE[part::2]))
    order = data.draw(st.sampled_from(["int64", "timestamp"]))
    table, window = drawn(data, order), data.draw(windows(order, FRAMES))
    table = sorted_for(table, window)
    expected = listed(expected_column(table, plain("id").filter("taken").over(window), plain))
    size = data.draw(CUTS)
    for strategy in (None, *(its.name for its in RULES)):
        one = picky("id").filter("ok").over(window, strategy=strategy)
        try:
            iw.explain(table, x=one)
        except iw.StrategyError:
            continue
        result = iw.with_columns(cut(table, size), x=one, on_error="collect")
        assert listed(result.read_all()["x"].to_pylist()) == expected, strategy
        check_failed(result, table)


@given(data=st.data())
def test_classes_without_terminate(data: st.DataObject) -> None:
    picky, plain = data.draw(st.sampled_from(WITHOUT))
    table, window = drawn(data, "int64"), data.draw(windows("int64", ENDING_HERE))
    table = sorted_for(table, window)
    expected = listed(expected_column(table, plain("id").filter("taken").over(window), plain))
    result = iw.with_columns(cut(table, data.draw(CUTS)), x=picky("id").filter("ok").over(window), on_error="collect")
    assert listed(result.read_all()["x"].to_pylist()) == expected
    check_failed(result, table)


@given(data=st.data())
def test_what_was_yielded_before_a_hook_raised_is_not_emitted(data: st.DataObject) -> None:
    table, window = drawn(data, "int64"), data.draw(windows("int64", ENDING_HERE))
    table = sorted_for(table.append_column("row", pa.array(range(len(table)))), window)
    table = table.set_column(table.schema.get_field_index("row"), "row", pa.array(range(len(table))))
    expected = list(expected_rows(table, Doubling()("id").filter("taken").over(window), Doubling()))
    given = iw.select(table, "row", x=PickyDoubling()("id").filter("ok").over(window), on_error="skip")
    assert sorted(zip(*given.to_pydict().values(), strict=True)) == sorted(expected)


@given(data=st.data())
def test_active_expiration(data: st.DataObject) -> None:
    picky, plain = data.draw(st.sampled_from(LEAVING))
    table = drawn(data, "int32")
    window = iw.range(data.draw(st.integers(0, 6)), partition_by="k", order_by="t", active_expiration=True)
    table = sorted_for(table.append_column("row", pa.array(range(len(table)))), window)
    table = table.set_column(table.schema.get_field_index("row"), "row", pa.array(range(len(table))))
    expected = [
        (row, at, value) for row, at, value in expected_rows(table, plain("id").filter("taken").over(window), plain)
    ]
    given = iw.select(table, "row", iw.emitted_at(), x=picky("id").filter("ok").over(window), on_error="skip")
    assert sorted(map(repr, zip(*given.to_pydict().values(), strict=True))) == sorted(map(repr, expected))


@given(data=st.data())
def test_extents(data: st.DataObject) -> None:
    picky, plain = data.draw(st.sampled_from(WITH_TERMINATE))
    table = drawn(data, "int32")
    extent = data.draw(st.sampled_from([iw.tumble("t", size=4), iw.hop("t", size=6, every=2), iw.session("t", gap=2)]))
    expected = expected_groups(table, ("k",), extent, plain("id").filter("taken"), plain)
    result = iw.group_by(table, "k").window(extent).agg(x=picky("id").filter("ok"), on_error="collect")
    rows = [(one["k"], one["window"]["start"], one["window"]["end"], one["x"]) for one in result.to_pylist()]
    expected = [(*one[:3], *listed(list(one[3:]))) for one in expected]
    assert sorted(map(repr, rows)) == sorted(map(repr, expected))
    check_failed(result, table)


@given(data=st.data())
def test_the_definition_of_a_bad_tuple(data: st.DataObject) -> None:
    for picky, _ in WITH_TERMINATE:
        id = data.draw(st.integers(0, 19))
        assert takes(picky, (id,)) == (not is_refused(id))


class Root(iw.WindowAggregate):
    """A result that there is not: of a negative sum; or that does not fit."""

    def initialize(self, v):
        self.total = v

    def iterate(self, v):
        self.total += v

    def expire(self, v):
        self.total -= v

    def terminate(self) -> float:
        return "seven" if self.total == 7 else math.sqrt(self.total)


def rooted(values: list[float]) -> float | None:
    return None if sum(values) < 0 or sum(values) == 7 else math.sqrt(sum(values))


@given(
    values=st.lists(st.integers(-9, 9), min_size=1, max_size=20), size=st.integers(1, 4), cuts=CUTS, peers=st.booleans()
)
def test_a_result_that_there_is_not_is_null(values: list[int], size: int, cuts: int, peers: bool) -> None:
    at = [index // 2 if peers else index for index in range(len(values))]
    table = pa.table({"t": at, "v": values})
    window = iw.range(size, order_by="t")
    held = [[v for u, v in zip(at, values, strict=True) if t - size <= u <= t] for t in at]
    for strategy in ("delta", "recompute"):
        result = iw.with_columns(cut(table, cuts), x=Root()("v").over(window, strategy=strategy), on_error="collect")
        assert result.read_all()["x"].to_pylist() == [rooted(its) for its in held]
        letters = iw.failed(result).read_all().to_pylist()
        assert {one["tuple"]["t"] for one in letters} == {
            t for t, its in zip(at, held, strict=True) if rooted(its) is None
        }
        assert {one["hook"] for one in letters} <= {"terminate"}


class Expires(iw.WindowAggregate, returns="array<bigint>"):
    """Raises where a multiple of 3 leaves, after it has changed its state."""

    def iterate(self, v):
        self.seen = [*getattr(self, "seen", []), v]

    def expire(self, v):
        gone = self.seen.pop(0)
        assert gone == v
        if v % 3 == 0:
            self.seen.append(-1)
            raise RuntimeError(v)

    def terminate(self):
        return list(self.seen)


class Merges(iw.Aggregate, returns="array<bigint>"):
    """Raises where it is merged with what begins with a multiple of 4."""

    def iterate(self, v):
        self.seen = [*getattr(self, "seen", []), v]

    def merge(self, later):
        self.seen = self.seen + later.seen
        if later.seen[0] % 4 == 0:
            raise RuntimeError(later.seen)

    def terminate(self):
        return list(self.seen)


@pytest.mark.parametrize(("one", "hook"), [(Expires(), "expire"), (Merges(), "merge")])
@given(values=st.lists(st.integers(0, 9), min_size=1, max_size=20), size=st.integers(1, 5), cuts=CUTS)
def test_a_frame_is_folded_afresh_where_the_way_to_it_raises(
    one: Any, hook: str, values: list[int], size: int, cuts: int
) -> None:
    table = pa.table({"t": range(len(values)), "v": values})
    result = iw.with_columns(cut(table, cuts), x=one("v").over(iw.rows(size, order_by="t")), on_error="collect")
    assert result.read_all()["x"].to_pylist() == [values[max(i + 1 - size, 0) : i + 1] for i in range(len(values))]
    assert {letter["hook"] for letter in iw.failed(result).read_all().to_pylist()} <= {hook}


def test_a_merge_of_panes_that_raises_has_no_way_back() -> None:
    table = pa.table({"t": range(12), "v": [4] * 12})
    with pytest.raises(iw.HookError, match="Merges.merge"):
        iw.with_columns(table, x=Merges()("v").over(iw.rows(4, order_by="t", slide=2)), on_error="skip")


class Rising(iw.Aggregate):
    """Whether it takes a tuple depends on the tuples before."""

    def initialize(self, v):
        self.last, self.count = v, 1
        return v

    def iterate(self, v) -> int:
        last, self.last = self.last, v
        self.count += 1
        if v < last:
            raise ValueError(f"{v} after {last}")
        return v * 100 + self.count


@given(values=st.lists(st.integers(0, 9), max_size=30), cuts=CUTS)
def test_a_hook_that_refuses_by_its_state_has_the_state_of_before(values: list[int], cuts: int) -> None:
    expected: list[Any] = []
    last, count = -1, 0
    for v in values:
        taken = v >= last
        last, count = (v, count + 1) if taken else (last, count)
        expected.append((v * 100 + count if count > 1 else v) if taken else None)
    table = pa.table({"v": pa.array(values, pa.int64())})
    result = iw.with_columns(cut(table, cuts), x=Rising()("v"), on_error="collect")
    assert result.read_all()["x"].to_pylist() == expected
    assert [one["tuple"]["v"] for one in iw.failed(result).read_all().to_pylist()] == [
        v for v, x in zip(values, expected, strict=True) if x is None
    ]


class Stops(iw.Aggregate):
    def iterate(self, v):
        raise self.error

    def terminate(self) -> int:
        return 1

    def __init__(self, error):
        self.error = error


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_what_ends_a_program_ends_it(error: type[BaseException]) -> None:
    with pytest.raises((error, iw.HookError)) as raised:
        iw.with_columns(pa.table({"v": [1]}), x=Stops(error)("v").over(iw.rows(2)), on_error="skip")
    assert isinstance(getattr(raised.value, "error", raised.value), error)


def test_letters_of_several_aggregates_have_the_columns_of_all() -> None:
    table = pa.table({"k": ["a", "b"], "t": [1, 2], "id": [3, 8], "v": [-1.0, 4.0]})
    ids = PickyIds()("id").over(iw.rows(2, partition_by="k", order_by="t"))
    result = iw.with_columns(
        table, ids=ids, root=Root()("v").over(iw.rows(1)), n=iw.count().over(iw.unbounded()), on_error="collect"
    )
    assert iw.failed(result).drop_columns(["message", "call"]).to_pylist() == [
        {
            "aggregate": "ids",
            "hook": "initialize",
            "key": "k='a'",
            "time": "1",
            "tuple": {"k": "a", "t": 1, "id": 3, "v": None},
        },
        {
            "aggregate": "ids",
            "hook": "initialize",
            "key": "k='b'",
            "time": "2",
            "tuple": {"k": "b", "t": 2, "id": 8, "v": None},
        },
        {
            "aggregate": "root",
            "hook": "terminate",
            "key": "",
            "time": None,
            "tuple": {"k": None, "t": None, "id": None, "v": -1.0},
        },
    ]
    assert result["n"].to_pylist() == [1, 2]


def test_pandas_and_polars_get_their_own_frames() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = {"id": [1, 3, 4]}
    for made in (pd.DataFrame(rows, index=[7, 8, 9]), pl.DataFrame(rows)):
        result = iw.with_columns(made, x=PickyIds()("id").over(iw.rows(2)), on_error="collect")
        assert [list(one) for one in result["x"]] == [[1], [1], [4]]
        letters = iw.failed(result)
        assert type(letters) is type(made) and list(letters["hook"]) == ["iterate"]


def test_skipped_tuples_are_counted_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    iw.with_columns(pa.table({"id": [1, 3, 4, 8]}), x=PickyIds()("id").over(iw.rows(2)), on_error="skip")
    assert caplog.messages == ["with_columns(on_error='skip'): hooks raised 2 times"]


def test_outputs_of_a_table() -> None:
    table = pa.table({"id": [1, 3, 4]})
    result = iw.with_columns(table, x=PickyIds()("id").over(iw.rows(2)), on_error="collect")
    outputs = iw.outputs(result)
    assert outputs.column_names == ["kind", "row", "failed"] and outputs["kind"].to_pylist() == ["row"] * 3 + ["failed"]
    assert outputs["row"].to_pylist() == [*result.to_pylist(), None]
    assert outputs["failed"].to_pylist() == [None, None, None, *iw.failed(result).to_pylist()]
    with pytest.raises(
        iw.UsageError, match="on batch data no tuple is late.*, but for bad tuples with on_error='collect'"
    ):
        iw.outputs(iw.with_columns(table, x=PickyIds()("id").over(iw.rows(2)), on_error="skip"))


def test_an_aggregate_may_be_called_on_error() -> None:
    result = iw.with_columns(pa.table({"id": [1, 2]}), on_error=Ids()("id").over(iw.rows(2)))
    assert result["on_error"].to_pylist() == [[1], [1, 2]]


def test_at_points_of_another_table() -> None:
    events = pa.table({"t": [1, 2, 3, 4], "id": [1, 3, 5, 8]})
    points = pa.table({"t": [2, 4, 9]})
    ids = PickyIds()("id").over(iw.range(5, order_by="t"))
    result = iw.with_columns(points, x=ids, of=events, on_error="collect")
    assert result["x"].to_pylist() == [[1], [1, 5], None]
    assert [one["tuple"] for one in iw.failed(result).to_pylist()] == [{"t": 2, "id": 3}, {"t": 4, "id": 8}]


@pytest.mark.parametrize(
    ("mode", "said"), [("skip", "counted"), ("collect", r"iw\.failed\(result\) has it"), ("fail", None)]
)
def test_explain_says_it(mode: str, said: str | None) -> None:
    table = pa.table({"t": [1], "id": [1]})
    plans = [
        iw.explain(table, x=PickyIds()("id").over(iw.rows(2)), n=iw.count().over(iw.rows(2)), on_error=mode),
        iw.explain(iw.group_by(table).window(iw.tumble("t", size=3)), x=PickyIds()("id"), on_error=mode),
    ]
    for plan in plans:
        rows = re.findall(r"^ +on_error +(.*)", str(plan), re.MULTILINE)
        assert len(rows) == (said is not None) and all(re.search(said or "", row) for row in rows)
    assert (
        iw.explain(table, on_error=Ids()("id").over(iw.rows(2))).as_data()["passes"][0]["results"][0]["name"]
        == "on_error"
    )
