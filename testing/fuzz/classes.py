"""Classes as users write them, one per set of hooks: what each means is plain, so a wrong frame or a lost tuple shows.

Most keep the numbers of their tuples: a wrong order, a tuple too many, a state that two frames share, all show. The meaning of
each as a function of the tuples in its frame is in ``class_kinds.py``.
"""

import itertools
import types
from typing import Any, NamedTuple

from inwindow.native._inwindow import InWindow
from inwindow.udaf.compiled.numba_hooks import compiled
from inwindow.udaf.contract import PUNT, Aggregate, WindowAggregate

__all__ = ["compiled"]  # as texts name it

_LIST = "array<bigint>"

# --- Every set of hooks ---------------------------------------------------------------------------------------


def _initialize(self: Any, id: int | None) -> None:
    self.ids = [id]


def _iterate(self: Any, id: int | None) -> None:
    self.ids = [*getattr(self, "ids", []), id]


def _expire(self: Any, id: int | None) -> None:
    oldest = self.ids.pop(0)
    assert oldest == id, (oldest, id)


def _remove(self: Any, id: int | None) -> None:
    self.ids.remove(id)


def _merge(self: Any, later: Any) -> None:
    self.ids = self.ids + later.ids


def _unmerge(self: Any, earlier: Any) -> None:
    assert self.ids[: len(earlier.ids)] == earlier.ids
    self.ids = self.ids[len(earlier.ids) :]


def _terminate(self: Any) -> list[int | None]:
    return list(self.ids)


def _sorted(self: Any) -> list[int | None]:
    return sorted(self.ids, key=lambda id: (id is not None, id or 0))


def is_refused(id: int | None) -> bool:
    """Whether a picky class refuses a tuple."""
    return id is not None and id % 5 == 3


def _refusing(hook: Any) -> Any:
    """The hook, which raises on some tuples after it has changed the state."""

    def refusing(self: Any, id: int | None) -> None:
        hook(self, id)
        if is_refused(id):
            raise ValueError(f"{id} is refused")

    return refusing


def _made(hooks: tuple[str, ...], options: dict[str, Any], *, picky: bool = False) -> type:
    in_any_order = options.get("commutative", False)
    written = {
        "initialize": _initialize, "iterate": _iterate, "expire": _remove if in_any_order else _expire, "merge": _merge,
        "unmerge": _unmerge, "terminate": _sorted if in_any_order else _terminate,
    }  # fmt: skip
    name = "".join(word.capitalize() for word in (*hooks, *(o for o in options if options[o] and o != "nulls")))
    name += "Null" if options.get("nulls") == "pass" else ""
    if picky:
        name = f"Picky{name}"
        written |= {hook: _refusing(written[hook]) for hook in ("initialize", "iterate")}
    base = WindowAggregate if "expire" in hooks else Aggregate
    body = {hook: written[hook] for hook in (*hooks, "terminate")} | {"__module__": __name__}
    return types.new_class(name, (base,), {"returns": _LIST, **options}, lambda namespace: namespace.update(body))


def _every_set(*, picky: bool = False) -> list[type]:
    beginnings = (("iterate",), ("initialize", "iterate"))
    undone = ((), ("expire",), ("merge",), ("expire", "merge"), ("merge", "unmerge"), ("expire", "merge", "unmerge"))
    found = []
    for begins, more in itertools.product(beginnings, undone):
        hooks = (*begins, *more)
        found.append(_made(hooks, {}, picky=picky))
        found.append(_made(hooks, {"nulls": "pass", "empty": (-1,)}, picky=picky))
        if "merge" in more:
            found.append(_made(hooks, {"commutative": True}, picky=picky))
        if "expire" in more:
            found.append(_made(hooks, {"commutative": True, "expire_any_order": True}, picky=picky))
    return found


HOOK_SETS = {one.__name__: one for one in _every_set()}
PICKY_SETS = {one.__name__: one for one in _every_set(picky=True)}  # they raise on some tuples
globals().update(HOOK_SETS | PICKY_SETS)

# --- Classes that read the window, prune it, refuse to undo, restart ------------------------------------------


class Ids(Aggregate, returns=_LIST):
    def initialize(self, id: int) -> None:
        self.ids = [id]

    def iterate(self, id: int) -> None:
        self.ids.append(id)

    def terminate(self) -> list[int]:
        return list(self.ids)


class IdsPunt(WindowAggregate, returns=_LIST):
    """Refuses to undo every third tuple."""

    def iterate(self, id: int) -> None:
        self.ids = [*getattr(self, "ids", []), id]

    def expire(self, id: int) -> Any:
        if id % 3 == 0:
            return PUNT
        self.ids.pop(0)
        return None

    def terminate(self) -> list[int]:
        return list(self.ids)


class IdsInWindow(WindowAggregate, returns=_LIST):
    """No state but the window's buffer."""

    inwindow: InWindow

    def iterate(self, id: int) -> None:
        pass

    def expire(self, id: int) -> None:
        assert self.inwindow.oldest().id == id

    def terminate(self) -> list[int]:
        return [record.id for record in self.inwindow]


class IdsNaive(WindowAggregate, returns=_LIST):
    """Reads the buffer, has no expire."""

    inwindow: InWindow

    def iterate(self, id: int) -> None:
        self.last = id

    def terminate(self) -> list[int]:
        return [record.id for record in self.inwindow]


class IdsWithBase(IdsPunt, returns=_LIST, base=Ids):
    """A window version beside a base version."""


class Longest(Aggregate, returns="bigint", algebraic=True):
    """Algebraic without merge: the largest result of panes is the result."""

    def initialize(self, id: int) -> None:
        self.top = id

    def iterate(self, id: int) -> None:
        self.top = max(self.top, id)

    def terminate(self) -> int:
        return self.top


class LongestInWindow(WindowAggregate, returns="bigint", algebraic=True):
    """Prunes the buffer (ESL, example 16)."""

    inwindow: InWindow

    def iterate(self, id: int) -> None:
        self.inwindow.delete(lambda record: record.id <= id, keep_newest=True)

    def expire(self, id: int) -> None:
        assert self.inwindow.oldest().id == id

    def terminate(self) -> int:
        oldest: int = self.inwindow.oldest().id
        return oldest


# --- Numbers ---------------------------------------------------------------------------------------------------


class MyAvg(WindowAggregate):
    """Example 12 of the ESL paper. Its total watches for what cannot be undone."""

    def initialize(self, value: float) -> None:
        self.total, self.count = value, 1

    def iterate(self, value: float) -> None:
        self.total += value
        self.count += 1

    def expire(self, value: float) -> None:
        self.total -= value
        self.count -= 1

    def terminate(self) -> float:
        return self.total / self.count


class Mean(Aggregate):
    """Expire and merge are derived."""

    def initialize(self, value: float) -> None:
        self.total, self.count = value, 1

    def iterate(self, value: float) -> None:
        self.total += value
        self.count += 1

    def terminate(self) -> float:
        return self.total / self.count


class Highest(Aggregate):
    """Expire and merge are derived: of an extreme, and of a count under a condition."""

    def initialize(self, value: float) -> None:
        self.top, self.above = value, 1 if value > 2 else 0

    def iterate(self, value: float) -> None:
        self.top = max(self.top, value)
        if value > 2:
            self.above += 1

    def terminate(self) -> float:
        return self.top * 100 + self.above


class Spread(Aggregate, empty=-1.0):
    """By merge alone."""

    def initialize(self, value: float) -> None:
        self.low = self.high = value

    def iterate(self, value: float) -> None:
        self.low, self.high = min(self.low, value), max(self.high, value)

    def merge(self, later: "Spread") -> None:
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)

    def terminate(self) -> float:
        return self.high - self.low


class Candle(NamedTuple):
    """A result with several fields."""

    low: float
    high: float
    tuples: int


class Candles(Aggregate):
    """Its result is a struct."""

    def initialize(self, price: float) -> None:
        self.low, self.high, self.count = price, price, 1

    def iterate(self, price: float) -> None:
        self.low, self.high, self.count = min(self.low, price), max(self.high, price), self.count + 1

    def merge(self, later: "Candles") -> None:
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)
        self.count += later.count

    def terminate(self) -> Candle:
        return Candle(self.low, self.high, self.count)


class Products(WindowAggregate):
    """Two arguments."""

    def iterate(self, one: float, other: float) -> None:
        self.total = getattr(self, "total", 0.0) + one * other

    def expire(self, one: float, other: float) -> None:
        self.total -= one * other

    def terminate(self) -> float:
        return self.total


class Odds(WindowAggregate):
    """Whole numbers, a condition and a remainder, which numba compiles."""

    def initialize(self, value: int) -> None:
        self.total, self.odd = value, 0
        if value % 2 == 1:
            self.odd = 1

    def iterate(self, value: int) -> None:
        self.total += value
        if value % 2 == 1:
            self.odd += 1

    def expire(self, value: int) -> None:
        self.total -= value
        self.odd -= value % 2

    def terminate(self) -> int:
        return self.total * 100 + self.odd


# --- Without terminate: a result at each tuple -------------------------------------------------------------------


class Running(Aggregate, returns=_LIST):
    """All that it has ever seen."""

    def initialize(self, id: int) -> list[int]:
        self.ids = [id]
        return list(self.ids)

    def iterate(self, id: int) -> list[int] | None:
        self.ids.append(id)
        return list(self.ids) if id % 4 else None


class RunningOr(Running, returns=_LIST, empty=(-1,)):
    """With a value for frames in which no hook saw a tuple."""


class Live(WindowAggregate, returns=_LIST):
    """Prunes the buffer, and shows it and what has expired."""

    inwindow: InWindow

    def __init__(self) -> None:
        self.gone: list[int] = []

    def iterate(self, id: int) -> list[int]:
        if id % 5 == 0:
            self.inwindow.delete(lambda record: record.id % 2 == 1, keep_newest=True)
        return [*self.gone, -1, *(record.id for record in self.inwindow)]

    def expire(self, id: int) -> None:
        assert self.inwindow.oldest().id == id
        self.gone.append(id)


class Doubling(Aggregate, returns="bigint"):
    """Yields any number of values per tuple."""

    def iterate(self, id: int) -> Any:
        for number in range(id % 3):
            yield id * 10 + number


class Leaving(WindowAggregate, returns=_LIST):
    """For active expiration: what leaves, and what is left."""

    inwindow: InWindow

    def iterate(self, id: int) -> None:
        if id % 5 == 0:
            self.inwindow.delete(lambda record: record.id % 3 == 1)

    def expire(self, id: int) -> list[int] | None:
        if id % 4 == 3:
            return None
        return [id, -1, *(record.id for record in self.inwindow)]


class LeavingTwice(Leaving, returns="bigint"):
    """Yields as many values as the window holds."""

    def expire(self, id: int) -> Any:
        for record in self.inwindow:
            yield record.id
