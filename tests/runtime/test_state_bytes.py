"""The bytes of a state: data and no code; whatever is changed in them is found; what `__init__` was given is not in them."""

import pickle
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from samples.ids import Ids, IdsExpire, IdsInWindow, IdsMerge, Live, Running
from samples.replays import replayed

import inwindow as iw
from inwindow.optimizer.planning import plan_groups, plan_windows
from inwindow.runtime import sealed
from inwindow.runtime.group_operator import GroupOperator
from inwindow.runtime.operator import Operator
from inwindow.runtime.plain import from_plain, in_stream, to_plain
from inwindow.runtime.row_operators import WithColumns
from inwindow.runtime.state_bytes import to_bytes
from inwindow.runtime.stream import log, storage
from inwindow.runtime.stream.replay_stream import Stream

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


class Reading:
    """What only pickle knows."""

    def __init__(self, value: int) -> None:
        self.value = value


class Keeps(iw.Aggregate, returns="bigint"):
    """A state that is no data."""

    def iterate(self, id):
        self.last = Reading(id)

    def terminate(self):
        return self.last.value


Window: dict[str, Any] = {"partition_by": "k", "order_by": "t"}
APPLIED: dict[str, iw.Applied] = {
    "sum": iw.sum("v").over(iw.rows(5, **Window)),
    "sum in panes": iw.sum("v").over(iw.rows(8, slide=4, **Window)),
    "exact sum": iw.sum("v").over(iw.range(5, **Window)),
    "max": iw.max("v").over(iw.rows(5, **Window)),
    "median": iw.median("v").over(iw.rows(5, **Window)),
    "variance": iw.stddev_samp("v").over(iw.rows(5, **Window)),
    "distinct": iw.count_distinct("s").over(iw.rows(5, **Window)),
    "mode": iw.mode("at").over(iw.rows(5, **Window)),
    "list": iw.collect_list("at").over(iw.rows(5, **Window)),
    "set": iw.collect_set("s").over(iw.rows(5, **Window)),
    "frequent": iw.frequent_items("s", 0.2).over(iw.rows(9, **Window)),
    "sample": iw.priority_sample("v", 3).over(iw.rows(9, **Window)),
    "correlation": iw.corr("v", "id").over(iw.rows(9, slide=3, **Window)),
    "max_by": iw.max_by("s", "v").over(iw.rows(9, **Window)),
    "delta": IdsExpire()("id").over(iw.rows(5, **Window)),
    "derived": Ids()("id").over(iw.rows(5, **Window)),
    "two stacks": IdsMerge()("id").over(iw.rows(5, **Window)),
    "panes of hooks": IdsMerge()("id").over(iw.rows(8, slide=4, **Window)),
    "inwindow": IdsInWindow()("id").over(iw.rows(5, **Window)),
    "answers": Running()("id").over(iw.unbounded(**Window)),
    "lives": Live()("id").over(iw.rows(5, **Window)),
    "pickled": Keeps()("id").over(iw.unbounded(**Window)),
}


def operator(name: str) -> Operator:
    """A fresh one."""
    (work,) = plan_windows(TABLE.schema, {"x": APPLIED[name]})
    return WithColumns(work, TABLE.schema, ())


def state_of(name: str) -> bytes:
    """After some tuples."""
    made = operator(name)
    for start in range(0, ROWS, 10):
        made.process(TABLE.slice(start, 10).combine_chunks().to_batches()[0])
    return made.state()


def changed(state: bytes, random: Random) -> list[bytes]:
    """Every byte is another once; cut off anywhere; made longer; pieces of it twice, or elsewhere."""
    made = [state[:at] + bytes([state[at] ^ random.randint(1, 255)]) + state[at + 1 :] for at in range(len(state))]
    made += [state[:length] for length in range(0, len(state), 7)] + [state[:-1], state[1:]]
    made += [state + b"\0", state + state, state + state[-1:], b"\0" + state]
    for _ in range(50):
        a, b = sorted(random.sample(range(len(state)), 2))
        made.append(state[:a] + state[b:] + state[a:b])
        made.append(state[:a] + bytes(b - a) + state[b:])
    return [one for one in made if one != state]


def refused(restore: Callable[[bytes], None], states: list[bytes]) -> None:
    """All of them."""
    for one in states:
        with pytest.raises(iw.StateError):
            restore(one)


@pytest.mark.parametrize("name", APPLIED)
def test_a_changed_state_of_an_operator_is_refused(name: str) -> None:
    state = state_of(name)
    again = operator(name)
    with patch.object(pickle, "loads", side_effect=AssertionError("unpickled")):
        refused(again.restore, changed(state, Random(1)))
    again.restore(state)
    again.restore(bytearray(state))
    again.restore(memoryview(state))


def test_the_state_of_another_operator_is_refused() -> None:
    states = {name: state_of(name) for name in APPLIED}
    for name in APPLIED:
        refused(operator(name).restore, [state for other, state in states.items() if other != name])


@pytest.mark.parametrize("name", APPLIED)
def test_only_what_is_no_data_is_pickled(name: str) -> None:
    with patch.object(pickle, "dumps", wraps=pickle.dumps) as pickled:
        state_of(name)
    assert pickled.called == (name == "pickled")


def test_states_of_extents_are_data() -> None:
    applied = {"x": IdsMerge()("id"), "n": iw.count(), "hi": iw.max("v"), "d": iw.count_distinct("s")}
    for extent in (iw.hop("t", size=7, every=3), iw.session("t", gap=2), iw.tumble("t", rows=3), None):
        work = plan_groups(TABLE.schema, ("k",), extent, applied)
        one = GroupOperator(work, TABLE.schema)
        one.process(TABLE.slice(0, 20).combine_chunks().to_batches()[0])
        with patch.object(pickle, "dumps", side_effect=AssertionError("pickled")):
            state = one.state()
        refused(GroupOperator(work, TABLE.schema).restore, changed(state, Random(1)))
        other = GroupOperator(work, TABLE.schema)
        other.restore(state)
        rest = TABLE.slice(20).combine_chunks().to_batches()[0]
        assert [b.to_pylist() for b in (one.process(rest), one.finish())] == [
            b.to_pylist() for b in (other.process(rest), other.finish())
        ]


# Streams


def query(df: Any) -> Any:
    """What is held, what is remembered, and what is pickled."""
    grows = iw.unbounded(**Window)
    applied = {"x": Running()("id").over(grows), "y": Keeps()("id").over(grows)}
    return iw.with_columns(df, n=iw.count().over(iw.range(9, **Window)), **applied)


def test_a_changed_state_of_a_stream_is_refused() -> None:
    def bucket() -> Any:
        return query(Stream(TABLE.schema)).bucket()

    one, again = bucket(), bucket()
    one.step(TABLE.slice(0, 30), None)
    one.step(TABLE.slice(30), 25)
    with patch.object(pickle, "loads", side_effect=AssertionError("unpickled")):
        refused(again.restore, changed(one.state(), Random(1)))
    with patch.object(log, "FULL", 200):
        stored = one.changed()
    assert stored.chunks
    for at, chunk in stored.chunks.items():
        for other in changed(chunk, Random(2)):
            with pytest.raises(iw.StateError):
                again.restore(stored.head, {**stored.chunks, at: other}.__getitem__)
    refused(lambda head: again.restore(head, stored.chunks.__getitem__), changed(stored.head, Random(3)))
    bucket().restore(stored.head, stored.chunks.__getitem__)


def test_a_chunk_of_before_is_refused() -> None:
    made = query(Stream(TABLE.schema)).bucket()
    with patch.object(log, "FULL", 200):
        made.step(TABLE.slice(0, 10), 10)
        older = made.changed()
        again = query(Stream(TABLE.schema)).bucket()
        again.step(TABLE.slice(1, 9), 10)
        newer = again.changed()
    assert older.chunks.keys() == newer.chunks.keys()
    with pytest.raises(iw.StateError, match="is another's"):
        query(Stream(TABLE.schema)).bucket().restore(newer.head, older.chunks.__getitem__)


class Bomb:
    """What runs where it is unpickled."""

    went_off = False

    def __reduce__(self) -> Any:
        return _go_off, ()


def _go_off() -> None:
    Bomb.went_off = True


@pytest.mark.parametrize("name", ["sum", "median", "delta"])
def test_bytes_that_somebody_made_run_nothing(name: str) -> None:
    """Not as they are, and not with a checksum that fits where no class of the user's is."""
    made = operator(name)
    forged = [pickle.dumps(Bomb()), b"inwindow" + pickle.dumps(Bomb()), pickle.dumps({"version": 1, "plan": Bomb()})]
    forged.append(sealed.sealed(sealed.OPERATOR, pickle.dumps(Bomb())))
    forged.append(sealed.sealed(sealed.OPERATOR, len(pickle.dumps(Bomb())).to_bytes(8, "little"), pickle.dumps(Bomb())))
    if name != "delta":
        forged.append(sealed.sealed(sealed.OPERATOR, to_bytes([made.fingerprint, Bomb(), 1, 2, 3, 4], trusted=True)))
    refused(made.restore, forged)
    refused(query(Stream(TABLE.schema)).bucket().restore, [*forged, sealed.sealed(sealed.STREAM, pickle.dumps(Bomb()))])
    assert not Bomb.went_off


@pytest.mark.parametrize("name", ["sum", "median", "delta"])
def test_bytes_with_a_checksum_that_are_no_state_are_refused(name: str) -> None:
    made, random = operator(name), Random(5)
    junk: list[Any] = [None, 1, "a", [], (), {}, [1, 2, 3], (1, 2, 3), {"a": 1}, np.arange(3), 1 << 80, float("nan")]
    for _ in range(200):
        content = to_bytes(
            [made.fingerprint, *(random.choice(junk) for _ in range(random.randint(0, 7)))], trusted=False
        )
        with pytest.raises(iw.StateError):
            made.restore(sealed.sealed(sealed.OPERATOR, content))


def test_arrays_that_point_elsewhere_are_refused() -> None:
    words = pa.array([f"word {i}" for i in range(10, 30)])
    offset, code = (14).to_bytes(4, "little"), (7).to_bytes(4, "little")
    for values, right in ((words, offset), (words.dictionary_encode(), code)):
        batch = pa.record_batch([values], ["s"])
        content = in_stream(batch)
        at = content.rindex(right)
        changed = content[:at] + b"\xff\xff\xff\x0f" + content[at + 4 :]
        (plain,) = to_plain([batch])
        assert plain is not None and content in plain
        with pytest.raises(pa.ArrowInvalid):
            storage.from_bytes(changed)
        with pytest.raises(pa.ArrowInvalid):
            from_plain([plain.replace(content, changed)])


# Parameters


class Lookup(iw.Aggregate, returns="double"):
    """A frame that grows, with a table of what each value weighs."""

    def __init__(self, table: Any) -> None:
        self.table, self.limit = table, 3.5

    def initialize(self, v):
        self.total = self.table[int(v)]

    def iterate(self, v):
        self.total += self.table[int(v)]

    def terminate(self):
        return self.total


class Answers(iw.Aggregate, returns="double"):
    """The same, tuple by tuple."""

    def __init__(self, table: Any) -> None:
        self.table, self.total = table, 0.0

    def iterate(self, v):
        self.total += self.table[int(v)]
        return self.total


class Departs(iw.WindowAggregate, returns="double"):
    """The same, as tuples leave."""

    def __init__(self, table: Any) -> None:
        self.table, self.total = table, 0.0

    def iterate(self, v):
        self.total += self.table[int(v)]

    def expire(self, v):
        self.total -= self.table[int(v)]
        return self.total


class Slots(iw.Aggregate, returns="double"):
    """The same, in slots."""

    __slots__ = ("table", "total")

    def __init__(self, table: Any) -> None:
        self.table, self.total = table, 0.0

    def iterate(self, v):
        self.total += self.table[int(v)]
        return self.total


class Weights:
    """A parameter that is an object."""

    def __init__(self, weights: Any) -> None:
        self.weights = weights

    def __getitem__(self, at: int) -> float:
        value: float = self.weights[at]
        return value


LARGE = [float(i) for i in range(10_000)]
TABLES = {
    "list": lambda: list(LARGE),
    "dict": lambda: dict(enumerate(LARGE)),
    "array": lambda: np.array(LARGE),
    "tuple": lambda: tuple(LARGE),
    "object": lambda: Weights(dict(enumerate(LARGE))),
    "deque": lambda: deque(LARGE),
    "nested": lambda: {i: [i] for i in range(2000)},
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", [Lookup, Answers, Departs, Slots])
def test_parameters_are_not_in_the_state_of_a_key(kind: Any, table: str) -> None:
    if table == "nested":
        Weighs = {"nested": lambda: Weights(TABLES["nested"]())}[table]
        with patch.object(Weights, "__getitem__", lambda self, at: float(self.weights[at][0])):
            return _small(kind, Weighs)
    return _small(kind, TABLES[table])


def _small(kind: Any, table: Callable[[], Any]) -> None:
    keys, active = 6, kind is Departs
    window = iw.range(5, active_expiration=True, **Window) if active else iw.unbounded(**Window)

    def bucket() -> Any:
        stream = Stream(TABLE.schema)
        applied = {"x": kind(table())("v").over(window)}
        return (iw.select(stream, "k", **applied) if active else iw.with_columns(stream, **applied)).bucket()

    def tuples(at: int) -> pa.Table:
        return pa.table(
            {
                name: pa.array([_value(name, at, key) for key in range(keys)], TABLE.schema.field(name).type)
                for name in TABLE.schema.names
            }
        )

    one, rows, same = bucket(), [], []
    whole = bucket()
    for at in range(4):
        rows.append(one.step(tuples(at), at).rows.to_pylist())
        same.append(whole.step(tuples(at), at).rows.to_pylist())
        state = one.state()
        assert len(state) < 8_000
        one = bucket()
        one.restore(state)
    rows.append(one.step(None, 99).rows.to_pylist())
    same.append(whole.step(None, 99).rows.to_pylist())
    assert rows == same and any(rows)


def _value(name: str, at: int, key: int) -> Any:
    return {
        "k": f"key {key}",
        "t": at,
        "id": at,
        "v": float(at + key),
        "s": "",
        "at": datetime(2026, 1, 1, tzinfo=UTC),
    }[name]


@pytest.mark.parametrize("name", ["two stacks", "delta", "unbounded", "panes"])
def test_parameters_are_not_in_the_state_of_an_operator(name: str) -> None:
    class Merges(Lookup):
        def merge(self, later):
            self.total += later.total

    class Expires(Lookup, iw.WindowAggregate):
        def expire(self, v):
            self.total -= self.table[int(v)]

    windows = {
        "two stacks": iw.rows(5, **Window),
        "delta": iw.rows(5, **Window),
        "unbounded": iw.unbounded(**Window),
        "panes": iw.rows(8, slide=4, **Window),
    }
    kind = Expires if name == "delta" else Merges

    def made() -> Operator:
        (work,) = plan_windows(TABLE.schema, {"x": kind(list(LARGE))("v").over(windows[name])})
        return WithColumns(work, TABLE.schema, ())

    one, rows = made(), []
    for start in range(0, ROWS, 3):
        rows += one.process(TABLE.slice(start, 3).combine_chunks().to_batches()[0]).column("x").to_pylist()
        state = one.state()
        assert len(state) < 10_000
        one = made()
        one.restore(state)
    rows += one.finish().column("x").to_pylist()
    assert rows == iw.with_columns(TABLE, x=kind(list(LARGE))("v").over(windows[name]))["x"].to_pylist()


# Parameters that hooks change: each key has its own


class Odd(iw.Aggregate, returns="string"):
    """All that hooks may do with what `__init__` has set: each answer shows the whole state."""

    def __init__(self) -> None:
        self.table = {"a": [1], "b": [2]}
        self.other = self.table["b"]
        self.first: Any = None
        self.gone = [1, 2]
        self.counts = Counter({"x": 1})
        self.array = np.zeros(3)
        self.names = {"p", "q"}
        self.zero = 0.0
        self.nan = float("nan")
        self.price = Decimal("1.0")
        self.grouped = defaultdict(list)
        self.recent: Any = deque([0], maxlen=3)
        self.whole = 1
        self.pair = ([1], [1])
        self.twice = [self.pair[0], self.pair[0]]

    def iterate(self, id):
        step = id % 14
        if step == 0:
            self.first = self.table["a"]  # shares it with the table
        elif step == 1 and self.first is not None:
            self.first.append(id)
        elif step == 2:
            self.other.append(id)  # is in the table, too
        elif step == 3:
            self.__dict__.pop("gone", None)
        elif step == 4:
            self.array[id % 3] += id
        elif step == 5:
            self.counts["y"] += 1
        elif step == 6:
            self.names = {"q", "p"}
        elif step == 7:
            self.zero, self.whole = -0.0, True
        elif step == 8:
            self.price = Decimal("1.00")
        elif step == 9:
            self.grouped[id % 2].append(id)
            self.recent.append(id)
        elif step == 10:
            self.table = {"b": self.table["b"], "a": self.table["a"]}
        elif step == 11:
            self.other = list(self.other)  # equal, and no longer the table's
        elif step == 12:
            self.twice = [list(self.pair[0]), self.pair[0]]
        else:
            self.twice[0].append(id)
        shown = {name: value for name, value in vars(self).items() if name != "said"}
        return repr({**shown, "names": sorted(self.names)}) + repr(self.first is self.table["a"])


class OddFolded(Odd, returns="string"):
    """The same with a terminate: a frame that grows."""

    def iterate(self, id):
        self.said = Odd.iterate(self, id)

    def terminate(self):
        return self.said


@pytest.mark.parametrize("kind", [Odd, OddFolded])
@pytest.mark.parametrize("seed", range(12))
def test_what_hooks_change_is_each_keys_own(kind: Any, seed: int) -> None:
    random = Random(seed)
    ids = [random.randrange(14 * 20) for _ in range(60)]
    tuples = pa.table({"k": [random.choice("abc") for _ in ids], "t": range(len(ids)), "id": ids})
    cuts = sorted(random.sample(range(len(ids)), 12))
    batches = [tuples.slice(a, b - a) for a, b in pairwise([0, *cuts, len(ids)])]
    window = iw.unbounded(**Window)
    run = lambda restarts: replayed(  # noqa: E731
        batches, lambda df: iw.with_columns(df, x=kind()("id").over(window)), restarts, until=999
    )
    got, expected = run(True).table, run(False).table
    assert got.sort_by("t").to_pylist() == expected.sort_by("t").to_pylist()
    assert len(got) == len(ids)


def test_plain_states_need_no_pickle() -> None:
    odd = Odd()
    assert to_plain([vars(odd)]) != [None]
