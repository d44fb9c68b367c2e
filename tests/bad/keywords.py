"""Class keywords, and Spark Aggregators, that are written wrong."""

from typing import Any

from bad.classes import GOOD, define
from bad.input import TABLE, Bad, Decayed, MyAvg, Unlike

import inwindow as iw


class SparkMean:
    """A Spark Aggregator, with methods put in the place of its own."""

    def __init__(self, **others: Any) -> None:
        vars(self).update(others)

    def zero(self):
        return 0.0, 0

    def reduce(self, buffer, value):
        return buffer[0] + value, buffer[1] + 1

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]

    def finish(self, buffer):
        return buffer[0] / buffer[1]

    def outputType(self):
        return "double"


def no_merge(a):
    """Takes one argument."""


def no_number(buffer):
    """Gives a string."""
    return "mean"


ROWS = [
    # Class keywords
    Bad(
        "a keyword that is not known",
        lambda: define(GOOD, comutative=True),
        iw.DefinitionError,
        "A: unknown class keyword 'comutative': known are returns, nulls, empty, algebraic, commutative, derive, "
        "rebase, compile and, for a WindowAggregate, base and expire_any_order",
    ),
    Bad(
        "nulls= that is not known",
        lambda: define(GOOD, nulls="ignore"),
        iw.DefinitionError,
        "A: nulls='ignore' is not known: use nulls='skip' (no hook sees a tuple with a NULL) or "
        "nulls='pass' (hooks get None)",
    ),
    Bad(
        "algebraic= that is no bool",
        lambda: define(GOOD, algebraic="yes"),
        iw.DefinitionError,
        "A: algebraic='yes': write True or False",
    ),
    Bad(
        "compile= that is no bool",
        lambda: define(GOOD, compile="never"),
        iw.DefinitionError,
        "A: compile='never': write True or False",
    ),
    Bad(
        "rebase= that is no bool",
        lambda: define(GOOD, rebase=1000),
        iw.DefinitionError,
        "A: rebase=1000: write True or False",
    ),
    Bad(
        "algebraic=True without a result",
        lambda: iw.explain(
            TABLE,
            x=define("def iterate(self, v): self.x = v", returns="double", algebraic=True)()("price").over(
                iw.rows(4, slide=2)
            ),
        ),
        iw.UsageError,
        "A: algebraic=True without a terminate gives, under a slide, what `iterate` answers for the frame's last tuple, but its "
        "`iterate` answers nothing: return the result from it, or write `def terminate(self)`",
    ),
    Bad(
        "algebraic=True without a terminate, of another type",
        lambda: iw.explain(
            TABLE,
            x=define("def iterate(self, v) -> int: return 1", algebraic=True)()("price").over(iw.rows(4, slide=2)),
        ),
        iw.UsageError,
        "A(price): algebraic=True feeds the result of a pane (int64) to `iterate` as if it were a tuple, but its argument is "
        "double: make the types equal (cast the column, or returns=), or write `def merge(self, later)` instead",
    ),
    Bad(
        "algebraic=True of two values",
        lambda: define("def iterate(self, v, w): pass\ndef terminate(self) -> float: return 0.0", algebraic=True),
        iw.DefinitionError,
        "A: algebraic=True feeds the result of a pane to `iterate` as if it were a tuple, but `iterate` "
        "takes 2 values: write `def merge(self, later)` instead",
    ),
    Bad(
        "empty= of another type",
        lambda: define(GOOD, empty="none"),
        iw.DefinitionError,
        "A: empty='none' does not fit the result type double",
    ),
    Bad(
        "empty= that would be cut",
        lambda: define(GOOD, empty=0.5, returns="int"),
        iw.DefinitionError,
        "A: empty=0.5 does not fit the result type int32",
    ),
    Bad(
        "base= of a base aggregate",
        lambda: define(GOOD, base=MyAvg),
        iw.DefinitionError,
        "A: base= is for an iw.WindowAggregate; this class is a base aggregate",
    ),
    Bad(
        "base= of no aggregate",
        lambda: define(GOOD, iw.WindowAggregate, base=int),
        iw.DefinitionError,
        "A: base=<class 'int'> must be an aggregate class (or an instance of one)",
    ),
    Bad(
        "base= of a built-in",
        lambda: define(GOOD, iw.WindowAggregate, base=iw.sum),
        iw.DefinitionError,
        "A: base=<function sum> must be an aggregate class (or an instance of one)",
    ),
    Bad(
        "base= that takes other values",
        lambda: define(
            "def iterate(self, v, w): pass\ndef terminate(self) -> float: return 0.0", iw.WindowAggregate, base=MyAvg
        ),
        iw.DefinitionError,
        "A takes 2 argument(s) but its base MyAvg takes 1: the base version must take the same arguments",
    ),
    Bad(
        "base= that returns another type",
        lambda: define(GOOD, iw.WindowAggregate, base=MyAvg, returns="int"),
        iw.DefinitionError,
        "A returns int32 but its base MyAvg returns double: the base version must return the same type",
    ),
    Bad(
        "base= that gives no result",
        lambda: define(GOOD, iw.WindowAggregate, base=Decayed),
        iw.DefinitionError,
        "A has a terminate but its base Decayed has none: the base version gives a frame's result too, so"
        " write `def terminate(self)` in it",
    ),
    Bad(
        "base= that is configured in another way",
        lambda: iw.with_columns(TABLE, a=Unlike()("price").over(iw.unbounded())),
        iw.DefinitionError,
        "Unlike: its base Configured cannot be configured as Unlike was (Configured.__init__() missing 1 "
        "required positional argument: 'k'): give both the same parameters of `__init__`, or write "
        "base=Configured(...)",
    ),
    # Spark's Aggregator
    Bad(
        "the class instead of an instance",
        lambda: iw.udaf(SparkMean),
        iw.DefinitionError,
        "udaf(SparkMean) takes an instance: write iw.udaf(SparkMean())",
    ),
    Bad(
        "something else",
        lambda: iw.udaf(3),
        iw.DefinitionError,
        "udaf(int()): an Aggregator has zero, reduce, merge and finish, but int lacks zero, reduce, merge, finish",
    ),
    Bad(
        "one of our own",
        lambda: iw.udaf(MyAvg()),
        iw.DefinitionError,
        "udaf(MyAvg()): this is an aggregate of inwindow already: drop iw.udaf",
    ),
    Bad(
        "a method is missing",
        lambda: iw.udaf(SparkMean(merge=None)),
        iw.DefinitionError,
        "udaf(SparkMean()): an Aggregator has zero, reduce, merge and finish, but SparkMean lacks merge",
    ),
    Bad(
        "a method takes other values",
        lambda: iw.udaf(SparkMean(merge=no_merge)),
        iw.DefinitionError,
        "udaf(SparkMean()): SparkMean.merge must be written `def merge(self, a, b)`",
    ),
    Bad(
        "reduce takes no value",
        lambda: iw.udaf(SparkMean(reduce=no_merge)),
        iw.DefinitionError,
        "udaf(SparkMean()): SparkMean.reduce must be written `def reduce(self, buffer, value)`",
    ),
    Bad(
        "no output type",
        lambda: iw.udaf(SparkMean(outputType=None)),
        iw.DefinitionError,
        "udaf(SparkMean()): SparkMean has no outputType; return a Spark DataType or DDL text from it",
    ),
    Bad(
        "an output type that is none",
        lambda: iw.udaf(SparkMean(outputType="flaot")),
        iw.DefinitionError,
        "udaf(SparkMean()): outputType: 'flaot' is not a type: did you mean 'float'? write DDL such as "
        "'double', 'array<string>', 'decimal(10,2)' or 'struct<a:int,b:string>'",
    ),
    Bad(
        "finish does not fit the output type",
        lambda: iw.udaf(SparkMean(finish=no_number)),
        iw.DefinitionError,
        "udaf(SparkMean()): finish(zero()) gives 'mean', which does not fit its outputType double",
    ),
]
