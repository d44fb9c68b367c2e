"""Classes that iw.compiled takes: each with something that a compiler may get wrong."""

import math
from math import floor

import inwindow as iw

SCALE = 0.1


class MyAvg(iw.WindowAggregate, rebase=False):
    """The paper's example 12. Over integers its total may pass 64 bits."""

    def initialize(self, value):
        self.total, self.count = value, 1

    def iterate(self, value):
        self.total += value
        self.count += 1

    def expire(self, value):
        self.total -= value
        self.count -= 1

    def terminate(self) -> float:
        return self.total / self.count


class Decayed(iw.WindowAggregate, rebase=False):
    """Parameters, PUNT, NULL, branches, early returns, powers, chained and swapped assignments."""

    factor = 0.5

    def __init__(self, alpha, floor=-1e300):
        self.alpha, self.floor, self.label = alpha, floor, "not a number, but no hook asks"

    def initialize(self, value):
        """A docstring."""
        self.mean = self.last = value
        self.square: float = value**2
        self.n, self.rising = 1, True
        self.low, self.high = value, value

    def iterate(self, value):
        delta = value - self.mean
        self.mean += self.alpha * delta
        self.square = self.square * self.factor + value**2 * SCALE + delta * -2.5
        self.rising = self.last <= value if self.rising else not (self.last > value or value != value)
        self.low, self.high = (min(self.high, value, self.low), max(self.low, value))
        self.last = value
        self.n += 1

    def expire(self, value):
        if math.isnan(value) or not math.isfinite(self.square):
            return iw.PUNT
        self.n -= 1
        if value < self.floor:
            return None
        self.square -= value**2 * self.factor
        return None

    def terminate(self) -> float:
        if self.n < 2:
            return None
        if self.rising and self.low < self.high:
            return math.sqrt(abs(self.square)) + self.low
        if 0.0 < self.mean <= 1e6 < self.square:
            return self.n
        return self.mean**3 - self.square**0.5 / 3 if self.square >= 0 and self.mean > -1e9 else -self.high


class Arithmetic(iw.Aggregate, returns="bigint", empty=-1):
    """Integers and floats, and what Python does where they meet."""

    def __init__(self):
        self.quotient = 0.0
        self.rest = 0.0
        self.whole = 1
        self.product = 1
        self.flag = False

    def iterate(self, x, i, j):
        if j != 0:
            self.whole += i // j - i % j
            self.rest += i / j
        if x != 0:
            self.quotient = (i // x) + (x % i if i else x // 2.0)
            self.rest += x // (j + 0.5) - x % -3.5 + x % 7
        self.product = self.product * (-i) if abs(self.product) < 1000 else i * j
        self.flag = self.flag or i < x or x == j
        if -1e15 < x < 1e15:
            self.whole += floor(x) - math.ceil(x) + int(x) + (i**2 + j**3 if abs(i) < 99 and abs(j) < 99 else +True)
        assert self.whole != 7, "seven"

    def terminate(self):
        if math.isnan(self.rest):
            return None
        if self.flag:
            return self.whole + self.product
        return self.whole + (1 if self.quotient < self.rest else -1) * bool(self.product) + int(self.flag)


class Roots(iw.WindowAggregate, rebase=False):
    """Loops: Newton's square roots, and a sum of powers."""

    steps = 4

    def initialize(self, value):
        self.total, self.rounds = 0.0, 0
        self.count = 1

    def iterate(self, value):
        self.count += 1
        root = 1.0
        while abs(root * root - value) > 1e-9 and root < 1e9:
            root = (root + value / root) / 2
            self.rounds += 1
            if self.rounds % 50 == 0:
                break
        self.total += root

    def expire(self, value):
        self.count -= 1
        for i in range(1, self.steps):
            if i == 2:
                continue
            for j in range(i):
                self.total -= value * j / i
        if self.count < 0:
            raise ValueError("never")

    def terminate(self) -> float:
        return self.total + self.rounds


class Maths(iw.Aggregate):
    """Functions of math, with the errors that Python raises."""

    def initialize(self, x):
        self.total = 0.0
        self.x = x

    def iterate(self, x):
        self.total += math.exp(-abs(x)) + math.atan2(x, self.x) + math.copysign(0.25, x) + math.tanh(x)
        if x > 0:
            self.total += math.log(x) + math.log1p(x) + math.sqrt(x) + math.log10(x) + x**0.1 + math.pow(x, -0.5)
        if x < -5:
            self.total = math.sqrt(x)  # raises
        if x > 1e3:
            self.total = math.exp(x)  # raises
        self.total += math.sin(x) * math.fmod(x, 0.7) + math.cos(x) / (1.0 + x * x)
        self.x = x

    def terminate(self) -> float:
        return self.total
