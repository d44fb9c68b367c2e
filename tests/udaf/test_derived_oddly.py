"""Classes written oddly, with results that a hasty derivation would get wrong: over every frame what the definition gives."""

import math
from collections import Counter, OrderedDict, defaultdict
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import inwindow as iw

NAN = math.nan


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
WINDOWS = [
    iw.rows(2),
    iw.rows(3),
    iw.rows(4, slide=2),
    iw.rows_between(-2, 2),
    iw.rows(6, slide=3),
    iw.rows_between(0, 2),
]


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
        given, afresh = (
            iw.with_columns(table, x=kind()("v").over(one))["x"].to_pylist()
            for one in (window, replace(window, strategy="recompute"))
        )
        assert given == afresh, window


class HighOfTwo(iw.Aggregate):
    def initialize(self, a, b):
        self.high = None
        self.iterate(a, b)

    def iterate(self, a, b):
        if self.high is None or a > self.high:
            self.high = a
        if self.high is None or b > self.high:
            self.high = b

    def terminate(self) -> float:
        return self.high


def test_an_extreme_of_two_columns_with_nan() -> None:
    table = pa.table({"a": [9.0, 1.0, NAN, NAN], "b": [0.0, NAN, 5.0, -3.0]})
    window = iw.rows(3)
    given, afresh = (
        iw.with_columns(table, x=HighOfTwo()("a", "b").over(one))["x"].to_pylist()
        for one in (window, replace(window, strategy="recompute"))
    )
    assert str(given) == str(afresh)


class Pair(iw.WindowAggregate):
    def initialize(self, a, b):
        self.a, self.b = a, b

    def iterate(self, a, b):
        self.a += a
        self.b += b

    def expire(self, a, b):
        self.a -= a
        self.b -= b

    def terminate(self) -> list[float]:
        return [self.a, self.b]


@pytest.mark.parametrize(
    ("a", "b", "rows"),
    [
        ([1e300, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, NAN, 1.0, NAN, 1.0, NAN, 1.0], 3),
        ([1e16] + [1.0] * 60, [1.0] * 5 + [NAN] + [1.0] * 55, 5),
    ],
)
def test_a_nan_in_one_field_hides_nothing_of_another(a: list[float], b: list[float], rows: int) -> None:
    table, window = pa.table({"a": a, "b": b}), iw.rows(rows)
    given, afresh = (
        iw.with_columns(table, x=Pair()("a", "b").over(one))["x"].to_pylist()
        for one in (window, replace(window, strategy="recompute"))
    )
    assert str(given) == str(afresh)


class Unmerged(iw.WindowAggregate):
    """All hooks, over one plain float."""

    def initialize(self, v: float) -> None:
        self.total = v

    def iterate(self, v: float) -> None:
        self.total += v

    def expire(self, v: float) -> None:
        self.total -= v

    def merge(self, later: "Unmerged") -> None:
        self.total += later.total

    def unmerge(self, earliest: "Unmerged") -> None:
        self.total -= earliest.total

    def terminate(self) -> float:
        return self.total


class Outside(iw.WindowAggregate):
    """A field that its own code does not set, so that nobody watches it."""

    def iterate(self, v: float) -> None:
        setattr(self, "total", getattr(self, "total", 0.0) + v)  # noqa: B010

    def expire(self, v: float) -> None:
        setattr(self, "total", getattr(self, "total", 0.0) - v)  # noqa: B010

    def terminate(self) -> float:
        return self.total


def test_what_a_check_says_of_floats() -> None:
    for seed in range(4):
        iw.testing.check(Unmerged(), seed=seed)
    with pytest.raises(iw.testing.BrokenPromise):
        iw.testing.check(Outside(), seed=0)


# Names and targets that are not what they seem


def _around() -> dict[str, Any]:
    """Classes whose hooks have names of this function in them, by the names of built-ins or of another's parameters."""
    set = list  # noqa: A001
    int = lambda: 5  # noqa: A001, E731
    v = 10

    class Lists(iw.Aggregate, returns="bigint"):
        def initialize(self, x):
            self.x = set()
            self.x.append(x)

        def iterate(self, x):
            self.x.append(x)

        def terminate(self):
            return len(self.x)

    class Fives(iw.Aggregate, returns="bigint"):
        def initialize(self, x):
            self.x = defaultdict(int)
            self.x[x] += 1

        def iterate(self, x):
            self.x[x] += 1

        def terminate(self):
            return sum(self.x.values())

    class OfAParameter(iw.Aggregate, returns="bigint"):
        def initialize(self, x):
            self.x = x * v

        def iterate(self, v):
            self.x += v * v

        def terminate(self):
            return self.x

    return {"set": Lists, "int": Fives, "parameter": OfAParameter}


class Twice(iw.Aggregate):
    def initialize(self, v):
        self.a = 0
        self.iterate(v)

    def iterate(self, v):
        self.a, self.a = self.a + v, self.a + 2 * v

    def terminate(self) -> int:
        return self.a


class OneStatement(iw.Aggregate):
    """A statement that sets two fields is done once, by what name its argument goes, and under a condition."""

    def initialize(self, x):
        self.total, self.n = 0.0, 0
        self.iterate(x)

    def iterate(self, v):
        if v > 0:
            self.total, self.n = self.total + v / 2, self.n + 1

    def terminate(self) -> str:
        return f"{self.total} {self.n}"


class ManyTrue(iw.Aggregate):
    def initialize(self, v):
        self.n = v > 3

    def iterate(self, v):
        self.n += v > 3

    def terminate(self) -> str:
        return str(self.n)


class AllTrue(ManyTrue):
    def iterate(self, v):
        self.n *= v > 3


class TrueFromTheStart(ManyTrue):
    def initialize(self, v):
        self.n = False
        self.iterate(v)

    def iterate(self, v):
        if v > 3:
            self.n += 1


class AnotherZero(iw.Aggregate):
    """0.0 over tuples of which the first adds nothing; -0.0 over those of which it does."""

    def initialize(self, v):
        self.a = v / -8 if v < 5 else 0

    def iterate(self, v):
        if v < 5:
            self.a += v / -8

    def terminate(self) -> str:
        return str(self.a)


class Rounded(iw.Aggregate):
    def initialize(self, v):
        self.a = round(v / 2, None)

    def iterate(self, v):
        self.a += round(v / 2, None)

    def terminate(self) -> str:
        return str(self.a)


class Same(iw.Aggregate):
    """`is` of values that are copied on their way."""

    def initialize(self, v):
        self.first = self.last = v * 1000
        self.n = 0 if v is v + 0 else 1

    def iterate(self, v):
        self.last = v * 1000

    def terminate(self) -> bool:
        return self.first is self.last


class Cached(iw.Aggregate):
    """terminate keeps what it has seen, in no field of its own."""

    def __init__(self):
        self.cache = {}

    def initialize(self, v):
        self.n = v

    def iterate(self, v):
        self.n += v

    def terminate(self) -> int:
        self.cache[len(self.cache)] = self.n
        return len(self.cache)


class Bound(Cached):
    """A method that is an attribute of the object."""

    def __init__(self):
        self.show = self.bump

    def bump(self):
        self.n += 1
        return self.n

    def terminate(self) -> int:
        return self.show()


class Inner(iw.Aggregate):
    """A name that is another one inside of a lambda."""

    def initialize(self, v):
        self.c = {v: 1}

    def iterate(self, v):
        self.c[v] = self.c.get(v, 0) + 1

    def terminate(self) -> list[int]:
        return (lambda sorted: sorted(self.c))(list)


class Shown(iw.Aggregate):
    """A list that iterate never fills, and terminate does."""

    def initialize(self, v):
        self.log, self.n = [], 1

    def iterate(self, v):
        self.n += 1

    def terminate(self) -> int:
        self.log.append(self.n)
        return len(self.log)


class Compared(iw.Aggregate):
    """A factor that binds less than what is asked of it."""

    def initialize(self, v):
        self.p = v == 4 or 9

    def iterate(self, v):
        self.p *= v == 4 or 9

    def terminate(self) -> str:
        return f"{self.p + 0}"


_left = 3


class Hidden(iw.Aggregate):
    """A global by the name of a variable of the derived hooks."""

    def initialize(self, v):
        self.c, self.n = {v: 1}, _left

    def iterate(self, v):
        self.c[v] = self.c.get(v, 0) + 1
        self.n += _left

    def terminate(self) -> int:
        return self.n


@pytest.mark.parametrize(
    "kind",
    [
        *_around().values(), Twice, OneStatement, ManyTrue, AllTrue, TrueFromTheStart, AnotherZero, Rounded, Same, Cached, Bound,
        Inner, Shown, Hidden, Compared,
    ],
    ids=lambda kind: kind.__name__,
)  # fmt: skip
def test_names_and_targets_are_what_they_are(kind: Any) -> None:
    table = pa.table({"v": [4, 4, 9, 0, 9, 4, 4, 1, 0, 0, -1, 6, 4]})
    for window in WINDOWS:
        given, afresh = (
            iw.with_columns(table, x=kind()("v").over(one))["x"].to_pylist()
            for one in (window, replace(window, strategy="recompute"))
        )
        assert repr(given) == repr(afresh), window


class Kind(iw.Aggregate):
    """Which dict it is, and whether two are one, is the object's alone: nothing is kept of another's."""

    def __init__(self, start, shared):
        self.c, self.d = start(), start()
        if shared:
            self.d = self.c

    def iterate(self, v):
        self.c[v] += 1
        self.d[-v] += 1

    def terminate(self) -> str:
        return f"{len(self.c)} {sum(self.c.values())}"


def test_each_object_is_read_for_itself() -> None:
    table = pa.table({"v": [4, 4, 9, 0, 9, 4]})
    for start in (lambda: defaultdict(int), lambda: defaultdict(lambda: 1)):
        for shared in (False, True):
            given, afresh = (
                iw.with_columns(table, x=Kind(start, shared)("v").over(iw.rows(3, strategy=one)))["x"].to_pylist()
                for one in (None, "recompute")
            )
            assert given == afresh
