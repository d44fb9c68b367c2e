"""Classes with initialize, iterate and terminate alone: from which hooks can be derived.

``DERIVED``: name -> (aggregate, its columns, the hooks that it gets).
"""

import math
from collections import Counter, defaultdict
from math import log1p

import pyarrow as pa

import inwindow as iw

SCALE = 2.5
INT, FLOAT, TEXT, FLAG = pa.int64(), pa.float64(), pa.string(), pa.bool_()


class MyAvg(iw.Aggregate):
    """ESL, example 7."""

    def initialize(self, value):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def terminate(self) -> float:
        return self.total / self.count


class Signs(iw.Aggregate, nulls="pass", returns="struct<plus:double,minus:double,nulls:bigint>"):
    """Branches on the argument, an early return."""

    def initialize(self, value):
        self.plus = self.minus = 0.0
        self.nulls = 0
        self.iterate(value)

    def iterate(self, value):
        if value is None:
            self.nulls += 1
            return
        if value > 0:
            self.plus += value
        else:
            self.minus -= value

    def terminate(self):
        return (self.plus, self.minus, self.nulls)


class Moments(iw.Aggregate):
    """Locals and sums of powers, begun in __init__."""

    def __init__(self, origin=0):
        self.origin = origin
        self.n = self.s = self.q = 0

    def iterate(self, value):
        off = value - self.origin
        square = off * off
        self.n += 1
        self.s = self.s + off
        self.q = square + self.q

    def terminate(self) -> float:
        return self.q - self.s * self.s / self.n


class LogMean(iw.Aggregate):
    """Calls of pure functions, by two names, and a constant."""

    def initialize(self, value):
        self.logs = log1p(abs(value)) * SCALE
        self.roots = math.sqrt(abs(value))
        self.n = 1

    def iterate(self, v):
        self.logs += log1p(abs(v)) * SCALE
        self.roots += math.sqrt(abs(v))
        self.n += 1

    def terminate(self) -> float:
        return (self.logs + self.roots) / self.n


class Share(iw.Aggregate):
    """A first tuple by `a if c else b`, the others by a branch."""

    def initialize(self, value):
        self.above = value if value > 1 else 0
        self.all = value

    def iterate(self, value):
        if value > 1:
            self.above += value
        self.all += value

    def terminate(self) -> float:
        return float(self.above) - float(self.all)


class Above(iw.Aggregate, empty=0):
    """The tutorial's, with a parameter."""

    def __init__(self, limit):
        self.limit = limit

    def initialize(self, value):
        self.count = int(value > self.limit)

    def iterate(self, value):
        self.count += value > self.limit

    def terminate(self) -> int:
        return self.count


class Spread(iw.Aggregate):
    """The tutorial's first."""

    def initialize(self, price):
        self.low = self.high = price

    def iterate(self, price):
        self.low, self.high = min(self.low, price), max(self.high, price)

    def terminate(self) -> float:
        return self.high - self.low


class Beyond(iw.Aggregate):
    """An extreme by comparison, from None."""

    def __init__(self):
        self.best = None

    def iterate(self, value):
        if self.best is None or value >= self.best:
            self.best = value

    def terminate(self) -> float:
        return self.best


class LongestName(iw.Aggregate):
    """An extreme of integers made of texts."""

    def initialize(self, name):
        self.longest = len(name.strip())

    def iterate(self, name):
        self.longest = max(self.longest, len(name.strip()))

    def terminate(self) -> int:
        return self.longest


class Product(iw.Aggregate, returns="decimal(38,0)"):
    """Of integers."""

    def initialize(self, value):
        self.product = value % 7 - 2

    def iterate(self, value):
        self.product *= value % 7 - 2

    def terminate(self):
        return self.product % 10**30


class Peak(iw.Aggregate):
    """How often the most frequent one came: any dict."""

    def initialize(self, word):
        self.counts = {word: 1}

    def iterate(self, word):
        self.counts[word] = self.counts.get(word, 0) + 1

    def terminate(self) -> int:
        return max(self.counts.values()) + sum(n * n for n in self.counts.values())


class Entropy(iw.Aggregate):
    """A Counter under a key that is computed."""

    def initialize(self, word):
        self.counts = Counter()
        self.counts[word.lower(), len(word)] += 1

    def iterate(self, word):
        self.counts[word.lower(), len(word)] += 1

    def terminate(self) -> float:
        return float(sum(n * n for n in self.counts.values())) + len(self.counts)


class Known(iw.Aggregate):
    """A dict, asked first."""

    def __init__(self):
        self.seen = {}
        self.per_length = defaultdict(int)

    def iterate(self, word):
        if word in self.seen:
            self.seen[word] += 1
        else:
            self.seen[word] = 1
        self.per_length[len(word)] += 2

    def terminate(self) -> int:
        return len(self.seen) * 100 + len(self.per_length)


class Initials(iw.Aggregate):
    """A defaultdict, and a question about its keys."""

    def initialize(self, word):
        self.counts = defaultdict(int)
        self.counts[word[:1]] += 1

    def iterate(self, word):
        self.counts[word[:1]] += 1

    def terminate(self) -> int:
        return sum(count for key, count in self.counts.items() if key.isalpha() and len(key) == 1)


class Distinct(iw.Aggregate):
    """A set."""

    def initialize(self, word):
        self.words = {word}

    def iterate(self, word):
        self.words.add(word)

    def terminate(self) -> list[str]:
        return sorted(self.words)


class Median(iw.Aggregate):
    """A list."""

    def initialize(self, value):
        self.values = [value]

    def iterate(self, value):
        self.values.append(value)

    def terminate(self) -> float:
        ordered = sorted(self.values)
        return ordered[len(ordered) // 2] + len(self.values)


class Change(iw.Aggregate):
    """The newest against the oldest."""

    def initialize(self, value):
        self.first = value
        self.last = value

    def iterate(self, value):
        self.last = value

    def terminate(self) -> float:
        return self.last - self.first


class Last(iw.Aggregate):
    """The newest, and a constant."""

    def initialize(self, value):
        self.unit, self.last, self.count = "m", value, 1

    def iterate(self, value):
        self.last = value
        self.count += 1

    def terminate(self) -> str:
        return f"{self.last} {self.unit} {self.count}"


class Weighted(iw.Aggregate):
    """Two columns, of two types."""

    def initialize(self, value, ok):
        self.total, self.weight = value * 2 if ok else 0.0, 1 if ok else 0

    def iterate(self, value, ok):
        self.total += value * 2 if ok else 0.0
        self.weight += 1 if ok else 0

    def terminate(self) -> float:
        return self.total + self.weight


class Inherited(MyAvg):
    """The hooks of a class above it; terminate calls it, which is none of ours."""

    def iterate(self, value):
        self.total += value
        self.count += 1


class Truths(iw.Aggregate):
    """True over one tuple, 2 over two: it shows."""

    def initialize(self, value):
        self.n = value > 1

    def iterate(self, value):
        self.n += value > 1

    def terminate(self) -> str:
        return str(self.n)


class TruthsShare(Truths, returns="double"):
    """The same, computed with."""

    def terminate(self):
        return self.n / 2 + (self.n > 1)


ALL = ("expire", "merge", "unmerge")
DERIVED: dict[str, tuple[iw.Aggregate, list[pa.DataType], tuple[str, ...]]] = {
    "average": (MyAvg(), [FLOAT], ALL),
    "average of integers": (MyAvg(), [INT], ALL),
    "signs": (Signs(), [FLOAT], ALL),
    "moments": (Moments(), [FLOAT], ALL),
    "moments of integers": (Moments(3), [INT], ALL),
    "logs": (LogMean(), [FLOAT], ALL),
    "share": (Share(), [FLOAT], ALL),
    "share of integers": (Share(), [INT], ALL),
    "above": (Above(1), [FLOAT], ALL),
    "spread": (Spread(), [FLOAT], ("merge",)),
    "spread of integers": (Spread(), [INT], ("merge",)),
    "beyond": (Beyond(), [FLOAT], ("merge",)),
    "beyond of integers": (Beyond(), [INT], ("merge",)),
    "longest name": (LongestName(), [TEXT], ("merge",)),
    "product": (Product(), [INT], ALL),
    "peak": (Peak(), [TEXT], ALL),
    "entropy": (Entropy(), [TEXT], ALL),
    "known": (Known(), [TEXT], ALL),
    "initials": (Initials(), [TEXT], ALL),
    "distinct": (Distinct(), [TEXT], ALL),
    "median": (Median(), [FLOAT], ALL),
    "change": (Change(), [FLOAT], ("merge",)),
    "last": (Last(), [INT], ALL),
    "weighted": (Weighted(), [FLOAT, FLAG], ALL),
    "inherited": (Inherited(), [FLOAT], ALL),
    "bools that are computed with": (TruthsShare(), [FLOAT], ALL),
}
