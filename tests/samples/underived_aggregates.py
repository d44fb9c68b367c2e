"""Classes with initialize, iterate and terminate alone, from which hooks must not be derived.

``UNDERIVED``: name -> (aggregate, its columns, why not).
"""

import functools
import math
import statistics
from collections import defaultdict
from typing import Any

import pyarrow as pa
from samples.derived_aggregates import FLAG, FLOAT, INT, TEXT, MyAvg, Truths

import inwindow as iw

WEIGHTS = {"a": 2.0}


class Base(iw.Aggregate, abstract=True):
    """A total, for those below."""

    def initialize(self, value):
        self.total = value

    def iterate(self, value):
        self.total += value

    def terminate(self) -> float:
        return self.total


class Welford(iw.Aggregate):
    """Reads what changes."""

    def initialize(self, value):
        self.mean, self.n = value, 1

    def iterate(self, value):
        self.n += 1
        self.mean += (value - self.mean) / self.n

    def terminate(self) -> float:
        return self.mean


class Decayed(Base):
    """Scales its state."""

    def iterate(self, value):
        self.total = 0.9 * self.total + value


class Switched(Base):
    """A branch on the state."""

    def iterate(self, value):
        if self.total < 100:
            self.total += value


class OtherStart(Base):
    """The first tuple counts otherwise."""

    def initialize(self, value):
        self.total = value * 2


class Impure(Base):
    """Calls what is on no list."""

    def iterate(self, value):
        self.total += functools.reduce(max, [value])


class Lookup(Base):
    """Reads a global that can change."""

    def iterate(self, value):
        self.total += value * WEIGHTS["a"]


class Shadowed(Base):
    """Calls a method of its own."""

    def iterate(self, value):
        self.total += self.twice(value)

    def twice(self, value):
        """Not looked into."""
        return 2 * value


class Upward(Base):
    """super()."""

    def iterate(self, value):
        super().iterate(value)


class Loop(Base):
    """A loop."""

    def iterate(self, value):
        for part in (value, value):
            self.total += part


class Attempt(Base):
    """try."""

    def iterate(self, value):
        try:  # noqa: SIM105
            self.total += value
        except TypeError:
            pass


def logged(function: Any) -> Any:
    """A decorator."""

    @functools.wraps(function)
    def wrapper(self, value):
        return function(self, value)

    return wrapper


class Decorated(Base):
    """Another function in the hook's place."""

    @logged
    def iterate(self, value):
        self.total += value


class Lambda(Base):
    """No def."""

    iterate = lambda self, value: setattr(self, "total", self.total + value)  # noqa: E731


class Slotted(Base):
    """Slots."""

    __slots__ = ("total",)

    def terminate(self) -> float:
        return self.total


class Property(Base):
    """total is computed."""

    def initialize(self, value):
        self.kept = value

    def iterate(self, value):
        self.total += value

    @property
    def total(self):
        """Not a plain field."""
        return self.kept

    @total.setter
    def total(self, value):
        self.kept = value


class Watched(Base):
    """Sees each setting."""

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Sorting(iw.Aggregate):
    """terminate changes the state."""

    def initialize(self, value):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def terminate(self) -> float:
        self.values.sort()
        return self.values[0]


class Resetting(Base):
    """terminate sets the state."""

    def terminate(self) -> float:
        self.total = round(self.total, 2)
        return self.total


class Mode(iw.Aggregate):
    """Of ties the first: the order of the dict shows."""

    def initialize(self, word):
        self.counts = {word: 1}

    def iterate(self, word):
        self.counts[word] = self.counts.get(word, 0) + 1

    def terminate(self) -> str:
        return max(self.counts, key=self.counts.get)


class PerKey(iw.Aggregate):
    """A sum by key may be 0 though the key is there."""

    def initialize(self, word, value):
        self.sums = {word: value}

    def iterate(self, word, value):
        self.sums[word] = self.sums.get(word, 0) + value

    def terminate(self) -> int:
        return len(self.sums)


class FloatProduct(iw.Aggregate):
    """Division rounds, and by 0 is none."""

    def initialize(self, value):
        self.product = value

    def iterate(self, value):
        self.product *= value

    def terminate(self) -> float:
        return self.product


class FloatSet(iw.Aggregate):
    """0.0 and -0.0 are one member, and differ."""

    def initialize(self, value):
        self.values = {value}

    def iterate(self, value):
        self.values.add(value)

    def terminate(self) -> int:
        return len(self.values)


class ResetsAtNaN(iw.Aggregate):
    """max(value, self.high) is value at a NaN."""

    def initialize(self, value):
        self.high = value

    def iterate(self, value):
        self.high = max(value, self.high)

    def terminate(self) -> float:
        return self.high


class Sometimes(iw.Aggregate):
    """Which tuple set it is not known."""

    def __init__(self):
        self.last = 0.0

    def iterate(self, value):
        if value > 0:
            self.last = value

    def terminate(self) -> float:
        return self.last


class Nested(Base):
    """A return inside of two branches: what comes behind them is not reached."""

    def initialize(self, value):
        self.total = self.n = 0
        self.iterate(value)

    def iterate(self, value):
        if value > 0:
            if value > 5:
                return
            self.total += value
        self.n += 1


class Turned(iw.Aggregate):
    """The first tuple is appended in another order."""

    def initialize(self, value, ok):
        self.values = []
        self.values.append(float(ok))
        self.values.append(value)

    def iterate(self, value, ok):
        self.values.append(value)
        self.values.append(float(ok))

    def terminate(self) -> float:
        return self.values[0]


class HalfKnown(Base):
    """A local that is set on one way alone, and not as in the other hook."""

    def initialize(self, value):
        if value > 0:
            part = value * 2
        self.total = part

    def iterate(self, value):
        if value > 0:
            part = value
        self.total += part


class MaybeNone(iw.Aggregate, nulls="pass"):
    """A first None is a result."""

    def initialize(self, value):
        self.total = value

    def iterate(self, value):
        self.total += value

    def terminate(self) -> float:
        return self.total


class Asking(iw.Aggregate):
    """Reading a defaultdict makes a key."""

    def __init__(self):
        self.counts = defaultdict(int)

    def iterate(self, word):
        self.counts[word] += 1

    def terminate(self) -> int:
        return self.counts["a"]


class Texts(iw.Aggregate):
    """A text has no inverse."""

    def initialize(self, word):
        self.text = word

    def iterate(self, word):
        self.text += word

    def terminate(self) -> str:
        return self.text


class Rest(iw.Aggregate):
    """Any number of values."""

    def iterate(self, *values):
        self.total = sum(values)

    def terminate(self) -> float:
        return self.total


class Private(iw.Aggregate):
    """Python writes these names otherwise."""

    def initialize(self, value):
        self.__total = value

    def iterate(self, value):
        self.__total += value

    def terminate(self) -> float:
        return self.__total


class Off(MyAvg, derive=False):
    """As the user says."""


class Spells(iw.Aggregate):
    """Statistics of a list are looked at, numpy's shuffle would not be."""

    def initialize(self, value):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def terminate(self) -> float:
        return statistics.fmean(_same(self.values))


def _same(values: Any) -> Any:
    return values


class OwnExpire(iw.WindowAggregate):
    """An expire of its own: nothing is derived beside it."""

    def initialize(self, value):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def expire(self, value):
        if not math.isfinite(self.total):
            return iw.PUNT
        self.total -= value
        self.count -= 1
        return None

    def terminate(self) -> float:
        return self.total / self.count


class OwnMerge(iw.Aggregate):
    """A merge of its own, nothing is derived beside it."""

    def initialize(self, value):
        self.total = value

    def iterate(self, value):
        self.total += value

    def merge(self, later):
        self.total += later.total

    def terminate(self) -> int:
        return self.total


class FirstOrZero(iw.Aggregate):
    """A first -0.0 is -0.0, after a 0.0 it is 0.0."""

    def initialize(self, value):
        self.low = value if value < 1 else 0.0

    def iterate(self, value):
        if value < 1:
            self.low += value

    def terminate(self) -> float:
        return self.low


class Doubled(Base):
    """The second of the two stays."""

    def iterate(self, value):
        self.total, self.total = self.total + value, self.total + 2 * value


_space: dict[str, Any] = {"iw": iw}
exec(
    "class Unread(iw.Aggregate):\n"
    "    def initialize(self, value): self.total = value\n"
    "    def iterate(self, value): self.total += value\n"
    "    def terminate(self) -> float: return self.total\n",
    _space,
)

UNDERIVED: dict[str, tuple[iw.Aggregate, list[pa.DataType], str]] = {
    "welford": (Welford(), [FLOAT], "iterate reads self.mean, which changes"),
    "decayed": (Decayed(), [FLOAT], "iterate reads self.total, which changes"),
    "switched": (Switched(), [FLOAT], "iterate reads self.total, which changes"),
    "other start": (OtherStart(), [FLOAT], "initialize does not do to self.total what iterate does"),
    "impure": (Impure(), [FLOAT], "is not proven pure"),
    "lookup": (Lookup(), [FLOAT], "iterate reads WEIGHTS, which is no constant"),
    "own method": (Shadowed(), [FLOAT], "iterate calls self.twice, which is not proven pure"),
    "super": (Upward(), [FLOAT], "of no known form"),
    "loop": (Loop(), [FLOAT], "iterate has a `for`"),
    "try": (Attempt(), [FLOAT], "iterate has a `try`"),
    "decorated": (Decorated(), [FLOAT], "iterate is not a plain function"),
    "lambda": (Lambda(), [FLOAT], "iterate is not written as a method"),
    "slots": (Slotted(), [FLOAT], "Slotted has __slots__"),
    "property": (Property(), [FLOAT], "self.total"),
    "setattr": (Watched(), [FLOAT], "Watched has __setattr__"),
    "sorting": (Sorting(), [FLOAT], "terminate may change self.values"),
    "resetting": (Resetting(), [FLOAT], "terminate sets self.total"),
    "mode": (Mode(), [TEXT], "terminate may show the order of self.counts"),
    "sums by key": (PerKey(), [TEXT, INT], "self.sums sums by key"),
    "product of floats": (FloatProduct(), [FLOAT], "only integers divide without a remainder"),
    "set of floats": (FloatSet(), [FLOAT], "of which equal ones may differ"),
    "max that resets": (ResetsAtNaN(), [FLOAT], "begins anew at a NaN"),
    "set at times": (Sometimes(), [FLOAT], "is set only at times"),
    "a return in two branches": (Nested(), [FLOAT], "`return` in iterate"),
    "another order": (Turned(), [FLOAT, FLAG], "initialize does not do to self.values what iterate does"),
    "a local of one way": (HalfKnown(), [FLOAT], "initialize does not do to self.total what iterate does"),
    "a first None": (MaybeNone(), [FLOAT], "self.total may become None"),
    "a defaultdict that is asked": (Asking(), [TEXT], "terminate may make a key of self.counts"),
    "half floats": (MyAvg(), [pa.float16()], "only sums of integers, or of floats"),
    "texts": (Texts(), [TEXT], "self.text is a sum of str"),
    "decimals": (MyAvg(), [pa.decimal128(10, 2)], "only sums of integers, or of floats"),
    "any number of values": (Rest(), [FLOAT], "takes any number of values"),
    "private names": (Private(), [FLOAT], "names that begin with `__`"),
    "derive=False": (Off(), [FLOAT], "derive=False"),
    "a list that is passed on": (Spells(), [FLOAT], "terminate may change self.values"),
    "a sum of bools that shows": (Truths(), [FLOAT], "self.n is True or False over one tuple and an integer over more"),
    "a first value or 0.0": (
        FirstOrZero(),
        [FLOAT],
        "self.low begins at 0, or at what the first tuple says, which may be -0.0",
    ),
    "a field set twice": (Doubled(), [FLOAT], "in iterate sets a field twice"),
    "no source": (_space["Unread"](), [FLOAT], "the source of iterate cannot be read"),
}
