"""Classes that iw.compiled refuses: what it would not compute to the last bit as Python does."""

import inspect
import math
from collections import deque
from typing import Any

from bad.classes import define
from bad.input import TABLE, Bad, MyAvg

import inwindow as iw
from inwindow.udaf.errors import NotAppliedError


class Base(iw.Aggregate, abstract=True):
    """What the classes here share."""

    def initialize(self, v):
        self.total = 0.0

    def iterate(self, v):
        self.total += v

    def terminate(self) -> float:
        return self.total


class Uncompiled(Base, compile=False):
    def terminate(self) -> float:
        return self.total


class Widens(Base):
    def initialize(self, v):
        self.total = 0


class ListState(Base):
    def initialize(self, v):
        self.total, self.values = 0.0, [v]


class DequeState(Base):
    def __init__(self):
        self.values = deque()

    def iterate(self, v):
        self.values.append(v)


class NoneState(Base):
    def initialize(self, v):
        self.total = None


class Text(Base):
    def initialize(self, v):
        self.total, self.name = 0.0, "text"


class Late(Base):
    def iterate(self, v):
        self.late = v


class Sometimes(Base):
    def initialize(self, v):
        if v > 0:
            self.total = v


class Unset(Base):
    def initialize(self, v):
        if v > 0:
            x = 1.0
        self.total = x


class Writes(Base):
    def terminate(self) -> float:
        self.total = 0.0
        return 1.0


class CallsMethod(Base):
    def iterate(self, v):
        self.total += self.half(v)

    def half(self, v):
        return v / 2


class CallsSuper(Base):
    def iterate(self, v):
        super().iterate(v)


class Loops(Base):
    def iterate(self, v):
        for digit in str(v):
            self.total += int(digit)


class Tries(Base):
    def iterate(self, v):
        try:
            self.total += 1 / v
        except ZeroDivisionError:
            self.total = 0.0


class Rounds(Base):
    def iterate(self, v):
        self.total += round(v, 2)


class Either(Base):
    def iterate(self, v):
        self.total += 1 if v > 0 else 2.0


class Operand(Base):
    def iterate(self, v):
        self.total += v or 1.0


class Wide(Base):
    def iterate(self, v):
        self.total += 2**70 * v


class BigNumber(Base):
    def iterate(self, v):
        self.total += v * 99999999999999999999


class WideConstant(Base):
    scale = 2**70

    def iterate(self, v):
        self.total += v * self.scale


class Bits(Base):
    def iterate(self, v):
        self.total += int(v) << 2


class Hypot(Base):
    def iterate(self, v):
        self.total += math.hypot(v, 1.0)


class IsNone(Base):
    def iterate(self, v):
        if v is not None:
            self.total += v


class Answers(Base):
    def iterate(self, v):
        return v


class Truth(Base):
    def terminate(self) -> float:
        return self.total > 0


class TextResult(Base, returns="string"):
    def terminate(self):
        return "text"


class PassesNulls(Base, nulls="pass"):
    def terminate(self) -> float:
        return self.total


class Counts(iw.Aggregate):
    def initialize(self):
        self.n = 1

    def iterate(self):
        self.n += 1

    def terminate(self) -> int:
        return self.n


class Emits(iw.Aggregate):
    def iterate(self, v) -> float:
        return v


class SetsSelf(Base):
    def iterate(self, v):
        self.total += v
        self = 2.0


class ShadowsABuiltIn(Base):
    def iterate(self, v):
        abs = 2.0
        self.total += abs(v)


SCALE = 3.0


class ReadsBeforeItSets(Base):
    def iterate(self, v):
        SCALE, self.total = 2.0, self.total + SCALE  # noqa: F821, F823, F841


class NamesOfAClass(Base):
    def initialize(self, v):
        self.__total = self.total = 0.0


class NamesOfASubclass(NamesOfAClass):
    def iterate(self, v):
        self.__total = v


class HooksOfTheObject(Base):
    def __init__(self):
        self.iterate = self.other

    def other(self, v):
        self.total += 2 * v


class ReadsWindow(iw.WindowAggregate):
    inwindow: iw.InWindow

    def iterate(self, v):
        pass

    def terminate(self) -> float:
        return self.inwindow.oldest().v


def refused(cls: Any, why: str, hook: str = "", code: str = "") -> Bad:
    """A class, and what is said of it: of a line of a hook, or of all."""
    name = cls.__name__
    place = ""
    if hook:
        lines, first = inspect.getsourcelines(getattr(cls, hook))
        line = first + max(number for number, text in enumerate(lines) if code in text)
        place = f"{hook}, line {line}, `{code}`: "
    return Bad(
        f"compiled: {name}",
        lambda: iw.explain(TABLE, x=iw.compiled(cls())(*["price"] * (cls._traits.arity or 0)).over(iw.rows(2))),
        iw.UsageError,
        f"iw.compiled({name}()): {place}{why}; without iw.compiled, {name} runs as it is",
    )


_NUMBERS = "hooks may use numbers and math"
ROWS = [
    refused(
        Widens,
        "self.total is an int in initialize and a float here, and compiled code has one type for it: "
        "write 0.0 for 0, float(...) everywhere",
        "iterate",
        "self.total",
    ),
    refused(ListState, f"a list is not compiled; {_NUMBERS}", "initialize", "[v]"),
    refused(DequeState, f"this is not compiled; {_NUMBERS}", "iterate", "self.values.append(v)"),
    refused(NoneState, f"None is not a number; {_NUMBERS}", "initialize", "None"),
    refused(Text, f"a str is not a number; {_NUMBERS}", "initialize", '"text"'),
    refused(
        Late,
        "initialize does not always set self.late, so that it may have no value: set it there, or in __init__, to a number",
    ),
    refused(
        Sometimes,
        "initialize does not always set self.total, so that it may have no value: set it there, or in __init__, to a number",
    ),
    refused(Unset, "x may have no value here", "initialize", "x"),
    refused(Writes, "terminate sets self.total, but must not change the state", "terminate", "self.total"),
    refused(CallsMethod, "self.half is a method: write what it does into the hook", "iterate", "self.half(v)"),
    refused(CallsSuper, f"this is not compiled; {_NUMBERS}", "iterate", "super().iterate(v)"),
    refused(
        Loops,
        "loops are compiled over range(n) and range(first, last) alone",
        "iterate",
        "str(v)",
    ),
    refused(
        Tries,
        "this statement is not compiled; hooks may use assignments, if, for, while, return, raise and assert",
        "iterate",
        "try:",
    ),
    refused(
        Rounds,
        "round is not compiled as it is called here: it would not give Python's result to the last bit",
        "iterate",
        "round(v, 2)",
    ),
    refused(Either, "this is an int or a float: make both the same", "iterate", "1 if v > 0 else 2.0"),
    refused(Operand, "`and` and `or` of numbers give one of them: write `x if x else y`", "iterate", "v or 1.0"),
    refused(
        Wide, "a power of an integer is compiled for the exponents 1 to 4 alone: write float(...)", "iterate", "2**70"
    ),
    refused(BigNumber, "99999999999999999999 does not fit 64 bits", "iterate", "99999999999999999999"),
    refused(
        WideConstant,
        "self.scale is no number of 64 bits, or may have no value yet: set it in `initialize` or `__init__`, to a number",
        "iterate",
        "self.scale",
    ),
    refused(
        Bits, "LShift works on bits, which Python's integers have any number of: not compiled", "iterate", "int(v) << 2"
    ),
    refused(
        Hypot,
        "math.hypot is not compiled as it is called here: it would not give Python's result to the last bit",
        "iterate",
        "math.hypot(v, 1.0)",
    ),
    refused(
        IsNone, "`is` and `in` are for objects: compiled hooks have numbers, and never None", "iterate", "v is not None"
    ),
    refused(
        Answers, "iterate returns a value, which nobody reads, as the class has a terminate", "iterate", "return v"
    ),
    refused(Truth, "terminate gives a bool, which the result type does not take", "terminate", "return self.total > 0"),
    refused(TextResult, "its result is string, and compiled hooks give a double or a bigint"),
    Bad(
        "compiled: NULLs passed",
        lambda: iw.explain(TABLE, x=iw.compiled(PassesNulls())("price").over(iw.rows(2))),
        iw.UsageError,
        "PassesNulls(price): nulls='pass' gives hooks None, and compiled hooks take numbers alone: use nulls='skip', or the class "
        "as it is",
    ),
    Bad(
        "compiled: of a text",
        lambda: iw.explain(TABLE, x=iw.compiled(MyAvg())("item").over(iw.rows(2))),
        iw.UsageError,
        "MyAvg(item): compiled hooks take floats and integers of at most 64 bits, not string: cast the column",
    ),
    Bad(
        "compiled: declared otherwise",
        lambda: iw.compiled(Uncompiled()),
        iw.UsageError,
        "iw.compiled(Uncompiled()): Uncompiled is declared with compile=False: drop one of the two",
    ),
    Bad(
        "compiled: a class",
        lambda: iw.compiled(MyAvg),
        iw.UsageError,
        "compiled(MyAvg): make one first: iw.compiled(MyAvg())",
    ),
    Bad(
        "compiled: applied",
        lambda: iw.compiled(MyAvg()("price")),
        iw.UsageError,
        "compiled(MyAvg(price)): compile the aggregate, then apply it: iw.compiled(MyAvg())('price')",
    ),
    Bad(
        "compiled: a built-in",
        lambda: iw.compiled(iw.sum),
        iw.UsageError,
        "compiled(<function sum>): give an instance of a class of yours, as in iw.compiled(MyAvg()); built-ins and cdef classes "
        "are machine code already",
    ),
    Bad(
        "compiled: without its source",
        lambda: iw.compiled(define("def iterate(self, v): self.x = v\ndef terminate(self) -> float: return self.x")()),
        iw.UsageError,
        "iw.compiled(A()): the source of iterate cannot be read (it was typed at a prompt, or made by exec): put the class into a "
        "file; without iw.compiled, A runs as it is",
    ),
    Bad(
        "compiled: not applied",
        lambda: iw.compiled(MyAvg()).over(iw.rows(2)),
        NotAppliedError,
        "iw.compiled(MyAvg()).over(...): it is not applied to columns yet: write iw.compiled(MyAvg())('price').over(window)",
    ),
    refused(SetsSelf, "self is the aggregate, and is not set to a number", "iterate", "self"),
    refused(ShadowsABuiltIn, f"this call is not compiled; {_NUMBERS}", "iterate", "abs(v)"),
    refused(ReadsBeforeItSets, "SCALE is not a number that is known here", "iterate", "SCALE"),
    refused(NamesOfASubclass, "initialize has names that begin with `__`, to which Python adds the name of a class"),
    refused(HooksOfTheObject, "iterate is an attribute of the object, not a method of its class"),
    refused(Counts, "Counts takes no columns"),
    refused(Emits, "Emits has no terminate, and compiled loops give a result per frame"),
    refused(ReadsWindow, "ReadsWindow reads inwindow, which compiled hooks do not have"),
]
