"""Names, targets and objects that are not what they seem: over every frame what the definition gives."""

from collections import defaultdict
from typing import Any

import pyarrow as pa
import pytest
from samples.derived_or_afresh import WINDOWS, derived_or_afresh

import inwindow as iw


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
        given, afresh = derived_or_afresh(lambda: kind()("v"), window, table)
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
