"""What ``__init__`` was given is in no state, however large it is; what hooks change of it is each key's own."""

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
from samples.keyed_rows import BY, ROWS, TABLE
from samples.replays import replayed

import inwindow as iw
from inwindow.optimizer.planning import plan_windows
from inwindow.runtime.operator import Operator
from inwindow.runtime.plain import to_plain
from inwindow.runtime.row_operators import WithColumns
from inwindow.runtime.stream.replay_stream import Stream

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
    window = iw.range(5, active_expiration=True, **BY) if active else iw.unbounded(**BY)

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
        "two stacks": iw.rows(5, **BY),
        "delta": iw.rows(5, **BY),
        "unbounded": iw.unbounded(**BY),
        "panes": iw.rows(8, slide=4, **BY),
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
    window = iw.unbounded(**BY)
    run = lambda restarts: replayed(  # noqa: E731
        batches, lambda df: iw.with_columns(df, x=kind()("id").over(window)), restarts, until=999
    )
    got, expected = run(True).table, run(False).table
    assert got.sort_by("t").to_pylist() == expected.sort_by("t").to_pylist()
    assert len(got) == len(ids)


def test_plain_states_need_no_pickle() -> None:
    odd = Odd()
    assert to_plain([vars(odd)]) != [None]
