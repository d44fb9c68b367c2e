"""Classes written oddly, with results that a hasty derivation would get wrong: over every frame what the definition gives."""

from collections import Counter, OrderedDict, defaultdict
from typing import Any

import pyarrow as pa
import pytest
from samples.derived_or_afresh import WINDOWS, derived_or_afresh

import inwindow as iw


class Level(iw.Aggregate):
    """A field that is a property."""

    @property
    def level(self):
        return self._level

    @level.setter
    def level(self, value):
        self._level = min(value, 100)

    def initialize(self, v):
        self.level = v

    def iterate(self, v):
        self.level += v

    def terminate(self) -> int:
        return self._level


class Keep(iw.Aggregate):
    """A container that is made anew."""

    def initialize(self, v):
        self.last = [v]

    def iterate(self, v):
        self.last = [v]

    def terminate(self) -> int:
        return len(self.last)


class KeepSet(iw.Aggregate):
    def initialize(self, v):
        self.last = {v}

    def iterate(self, v):
        self.last = {v}

    def terminate(self) -> int:
        return len(self.last)


class KeepDict(iw.Aggregate):
    def initialize(self, v):
        self.last = {v: 1}

    def iterate(self, v):
        self.last = {v: 1}

    def terminate(self) -> int:
        return len(self.last)


class Smooth(iw.Aggregate):
    """A dict that is more than a dict."""

    def __init__(self):
        self.counts = defaultdict(lambda: 1)

    def iterate(self, v):
        self.counts[v] += 1

    def terminate(self) -> int:
        return sum(self.counts.values())


class Lenient(Counter):
    def __missing__(self, key):
        return 5


class Missing(Smooth):
    def __init__(self):
        self.counts = Lenient()


class Capped(OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        if len(self) > 2:
            self.popitem(last=False)


class Recent(iw.Aggregate):
    def __init__(self):
        self.counts = Capped()

    def iterate(self, v):
        self.counts[v] = self.counts.get(v, 0) + 1

    def terminate(self) -> int:
        return sum(self.counts.values())


class Alias(iw.Aggregate):
    """Two names of one object."""

    def initialize(self, v):
        self.x = self.y = set()
        self.iterate(v)

    def iterate(self, v):
        self.x.add(v)
        self.y.add(v % 3)

    def terminate(self) -> int:
        return len(self.x)


class AliasOfInit(iw.Aggregate):
    def __init__(self):
        self.x = self.y = []

    def iterate(self, v):
        self.x.append(v)
        self.y.append(v % 3)

    def terminate(self) -> int:
        return len(self.x)


class Begin(iw.Aggregate):
    """Set twice, at times."""

    def initialize(self, v):
        if v > 0:
            self.n = v
        else:
            self.n = 0
        if v > 5:
            self.n = v

    def iterate(self, v):
        if v > 0:
            self.n += v
        if v > 5:
            self.n += v

    def terminate(self) -> int:
        return self.n


class Leak(iw.Aggregate):
    """A look at the order of a dict by the side."""

    def initialize(self, v):
        self.counts = {v: 1}

    def iterate(self, v):
        self.counts[v] = self.counts.get(v, 0) + 1

    def terminate(self) -> list[int]:
        keys = []
        all(keys.append(key) is None for key in self.counts)
        return keys


class Walrus(Leak):
    def terminate(self) -> int:
        so_far = 0
        return sum((so_far := 2 * so_far + n) for n in self.counts.values())


class WalrusInTest(Leak):
    def terminate(self) -> int:
        return last if sum(1 for key in self.counts if (last := key) is not None) else -1


class NoteInTest(Leak):
    def terminate(self) -> list[int]:
        keys = []
        sum(1 for key in self.counts if keys.append(key))
        return keys


class OtherName(iw.Aggregate):
    """A dict that can be asked by another name, too."""

    def __init__(self):
        self.counts = {}
        self.others = [self.counts]

    def iterate(self, v):
        self.counts[v] = self.counts.get(v, 0) + 1

    def terminate(self) -> list[int]:
        return list(self.others[0])


class TwoNames(OtherName):
    def __init__(self):
        self.counts = self.same = {}

    def terminate(self) -> list[int]:
        return list(self.same)


class Tuples(iw.Aggregate):
    """A set of tuples that are equal and differ: which of them is in it depends on what came first."""

    def __init__(self):
        self.members = set()

    def iterate(self, v):
        if v > 4:
            self.members.add((1, v > 6))
        else:
            self.members.add((1, v % 2))

    def terminate(self) -> str:
        return str(sorted(self.members))


class Truths(Tuples):
    """The same of integers and of booleans that come out of `&`."""

    def iterate(self, v):
        if v > 4:
            self.members.add((v > 6) & (v < 50))
        else:
            self.members.add(v % 2)


v = 10


class Names(iw.Aggregate):
    """What is a parameter here is a global there."""

    def initialize(self, w):
        self.total = w * v

    def iterate(self, v):
        self.total += v * v

    def terminate(self) -> int:
        return self.total


VALUES = [60, 60, 30, 5, -2, 7, 1, 7, 0, 3, 2, 3, 4, 60]


@pytest.mark.parametrize(
    "kind",
    [
        Level, Keep, KeepSet, KeepDict, Smooth, Missing, Recent, Alias, AliasOfInit, Begin, Leak, Walrus, Names,
        WalrusInTest, NoteInTest, OtherName, TwoNames, Tuples, Truths,
    ],
)  # fmt: skip
def test_as_the_definition_has_it(kind: Any) -> None:
    table = pa.table({"v": VALUES})
    for window in WINDOWS:
        given, afresh = derived_or_afresh(lambda: kind()("v"), window, table)
        assert given == afresh, window
