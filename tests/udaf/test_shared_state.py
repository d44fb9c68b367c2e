"""State in the class body is an error; constants there are none; what ``__init__`` makes is each copy's own."""

import copy
import dataclasses
import logging
import pickle
import re
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from samples.shared_states import REFUSED, Last, Pushed

import inwindow as iw


@pytest.mark.parametrize("define", REFUSED, ids=lambda define: define.__name__)
def test_state_in_the_class_is_refused(define: Any) -> None:
    with pytest.raises(iw.DefinitionError, match="which all partitions and calls share") as raised:
        define()
    assert re.match(r"A[.:]|A: Above\.|A: Mixin\.", str(raised.value)), raised.value


# Constants


class Weights(Last):
    """Tables that are only read, in all ways in which one reads."""

    TABLE = {"a": 2, "b": 3}
    NAMES = ["a", "b"]
    KNOWN = {1, 2}
    GRID = np.array([1.0, 2.0])
    ROWS = ((1, 2), (3, 4))
    FROZEN = MappingProxyType({"a": 1})
    PATTERN = re.compile("a+")
    LOG = logging.getLogger("inwindow.tests")
    NESTED = {"a": {"b": 1}}
    UNUSED: ClassVar[list[int]] = []

    def initialize(self, v):
        self.last = 0
        self.iterate(v)

    def iterate(self, v):
        table = self.TABLE
        for name in self.NAMES:
            self.last += table[name] * self.TABLE.get(name, 0)
        self.last += v in self.KNOWN and len(self.KNOWN)
        self.last += int(self.GRID.sum() + self.GRID[0]) + sum(row[0] for row in self.ROWS)
        self.last += sum(count for count in self.TABLE.values()) + self.NESTED["a"]["b"]
        self.last += max(self.TABLE, key=self.TABLE.get) == "b"
        *names, last = [*self.NAMES, "c"]
        self.last += len(names) + len(f"{self.NAMES}") + len(sorted(self.NAMES)[0]) + len(self.TABLE or {}) + bool(last)
        self.last += 1 if self.PATTERN.match("a") else 0
        self.LOG.debug("seen %s", v)
        self.last += getattr(self, "more", 0) + len(",".join(self.NAMES)) + len({**self.TABLE, "c": 1})
        self.last += np.interp(1.0, xp=self.GRID, fp=self.GRID) > 0 and self.worth("a")
        self.own = copy.deepcopy(self.NESTED)
        self.own["a"]["b"] += 1
        if not isinstance(self.TABLE, dict):
            raise TypeError(v)

    def worth(self, name, *, table={"a": 1}, more=[]):  # noqa: B006
        return table[name] + len(more)


class Default(Last):
    """What each object makes anew."""

    values: ClassVar[list[int]] = []
    held: list[int] = []
    named: dict[int, int] = {}

    def __init__(self):
        self.named = {}

    def initialize(self, v):
        self.last, self.values = v, [v]
        self.held = list(self.held)
        self.iterate(v)

    def iterate(self, v):
        self.values.append(v)
        self.named[v] = v
        self.last = len(self.values)


@dataclasses.dataclass
class Data(Last):
    """A dataclass's own lists."""

    values: list[int] = dataclasses.field(default_factory=list)

    def iterate(self, v):
        self.values.append(v)
        self.last = len(self.values)


def registered(kinds: list[Any]) -> Any:
    """A class that is noted, outside of its hooks."""

    class Registered(Last):
        kinds_known = kinds

        @classmethod
        def register(cls, kind):
            cls.kinds_known.append(kind)

    return Registered


@pytest.mark.parametrize("kind", [Weights, Default, Data, registered([])], ids=lambda kind: kind.__name__)
def test_constants_and_defaults_are_none(kind: Any) -> None:
    table = pa.table({"k": ["a", "a", "b", "b"], "v": [1, 2, 1, 2]})
    first, second = (iw.group_by(table, "k").agg(x=kind()("v"))["x"].to_pylist() for _ in range(2))
    assert first == second and first[0] == first[1]


def test_a_class_that_is_sent_by_value_is_not_asked_again() -> None:
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    space: dict[str, Any] = {"iw": iw, "Last": Last}

    class Above(Last):
        TABLE = {"a": 1}

        def iterate(self, v):
            self.last = self.TABLE["a"] + v

    class Below(Above):
        def terminate(self) -> int:
            return self.last + self.TABLE["a"]

    made = pickle.loads(cloudpickle.dumps(Below))
    assert made is not None and space
    it = made()
    it.iterate(2)
    assert it.terminate() == 4


# What is made in __init__


class Made(iw.Aggregate):
    """A list, a dict of lists and an object of its own, made once by the user."""

    def __init__(self, given: Any) -> None:
        self.values, self.nested, self.pushed, self.given = [], {"a": [[]]}, Pushed(), given
        self.also = self.values

    def iterate(self, v):
        self.values.append(v)
        self.nested["a"][0].append(v)
        self.pushed.push(v)
        self.given.append(v)

    def terminate(self) -> str:
        return f"{self.values} {self.also} {self.nested} {self.pushed.values} {self.given}"


class Merging(Made):
    def merge(self, later):
        for v in later.values:
            self.iterate(v)


class Expiring(Made, iw.WindowAggregate):
    def expire(self, v):
        for its in (self.values, self.nested["a"][0], self.pushed.values, self.given):
            its.pop(0)


@pytest.mark.parametrize("kind", [Made, Merging, Expiring], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "window",
    [
        iw.rows(2, partition_by="k"), iw.rows(2, partition_by="k", slide=2), iw.unbounded(partition_by="k"),
        iw.rows(4, partition_by="k", slide=2), iw.rows(2, partition_by="k", strategy="recompute"),
    ],
    ids=str,
)  # fmt: skip
def test_what_init_makes_is_each_partitions_own(kind: Any, window: Any) -> None:
    given: list[int] = []
    aggregate = kind(given)
    table = pa.table({"k": [*"aabbab"], "v": [1, 2, 1, 2, 3, 3]})
    found = [iw.with_columns(table, x=aggregate("v").over(window)) for _ in range(2)]
    assert found[0] == found[1]
    by_key = [
        [x for k, x in zip(table["k"].to_pylist(), found[0]["x"].to_pylist(), strict=True) if k == key] for key in "ab"
    ]
    assert by_key[0] == by_key[1]
    assert given == [] and aggregate.values == [] and aggregate.nested == {"a": [[]]} and aggregate.pushed.values == []
    assert copy.deepcopy(aggregate).terminate() == aggregate.terminate()


def test_groups_and_extents_too() -> None:
    aggregate = Made([])
    table = pa.table({"k": [*"aabb"], "t": [0, 1, 0, 1], "v": [1, 2, 1, 2]})
    for _ in range(2):
        one, other = iw.group_by(table, "k").agg(x=aggregate("v"))["x"].to_pylist()
        assert one == other == "[1, 2] [1, 2] {'a': [[1, 2]]} [1, 2] [1, 2]"
        hops = iw.group_by(table, "k").window(iw.hop("t", size=2, every=1)).agg(x=aggregate("v"))["x"].to_pylist()
        assert hops[:3] == hops[3:]
