"""Classes whose hooks or result type are written wrong: each is refused where it is defined."""

from collections import namedtuple
from collections.abc import Iterator
from textwrap import indent
from typing import Any

from bad.input import Bad

import inwindow as iw

GOOD = "def iterate(self, v): pass\ndef terminate(self) -> float: return 0.0\n"
Untyped = namedtuple("Untyped", "low high")


def define(body: str, parent: Any = iw.Aggregate, **keywords: Any) -> Any:
    """``class A(parent, **keywords)`` with the body given."""
    names = {"iw": iw, "Iterator": Iterator, "Untyped": Untyped, "parent": parent, "keywords": keywords}
    exec("class A(parent, **keywords):\n" + indent(body, "    "), names)
    return names["A"]


# State in the class body: the hooks are read, so they stand in this file.


def with_a_list() -> Any:
    class A(iw.Aggregate):
        values = []

        def iterate(self, v):
            self.values.append(v)

        def terminate(self) -> float:
            return max(self.values)

    return A


def with_a_table_that_is_passed_on() -> Any:
    class Above(iw.Aggregate, abstract=True):
        TABLE = {"a": 1}

    class A(Above):
        def iterate(self, v):
            self.x = define(self.TABLE)

        def terminate(self) -> float:
            return self.x

    return A


def with_a_count_of_the_class() -> Any:
    class A(iw.Aggregate):
        seen = 0

        def iterate(self, v):
            type(self).seen += 1

        def terminate(self) -> int:
            return self.seen

    return A


def with_a_set_by_a_text() -> Any:
    class A(iw.Aggregate):
        seen = set()

        def iterate(self, v):
            getattr(self, "seen").add(v)  # noqa: B009

        def terminate(self) -> int:
            return 0

    return A


def with_a_default() -> Any:
    class A(iw.Aggregate):
        def iterate(self, v):
            self.keep(v)

        def keep(self, v, seen=[]):  # noqa: B006
            seen.append(v)

        def terminate(self) -> int:
            return 0

    return A


ROWS = [
    Bad(
        "a list as a default",
        with_a_default,
        iw.DefinitionError,
        "A.keep has a list as the default of seen, which all partitions and calls share, and changes it, or may, in "
        "`seen.append(v)`: make it in `initialize`, on self",
    ),
    Bad(
        "a list in the class body",
        with_a_list,
        iw.DefinitionError,
        "A.values is a list in the class body, which all partitions and calls share, and `iterate` changes it, or may, in "
        "`self.values.append(v)`: make it in `initialize`, on self; or, if it is a constant, make it a tuple",
    ),
    Bad(
        "a dict in the body of the class above, passed on",
        with_a_table_that_is_passed_on,
        iw.DefinitionError,
        "A: Above.TABLE is a dict in the class body, which all partitions and calls share, and `iterate` changes it, or may, in "
        "`self.x = define(self.TABLE)`: make it in `initialize`, on self; or, if it is a constant, make it a "
        "types.MappingProxyType",
    ),
    Bad(
        "a set in the class body, by a text",
        with_a_set_by_a_text,
        iw.DefinitionError,
        "A.seen is a set in the class body, which all partitions and calls share, and `iterate` names it, by a text: make it in "
        "`initialize`, on self; or, if it is a constant, make it a frozenset",
    ),
    Bad(
        "an array in the class body, where no source is",
        lambda: define(
            "import numpy\nw = numpy.ones(3)\ndef iterate(self, v): self.w += v\ndef terminate(self) -> float: return 0.0"
        ),
        iw.DefinitionError,
        "A.w is a ndarray in the class body, which all partitions and calls share, and `iterate` names it, and its source "
        "cannot be read: make it in `initialize`, on self; or, if it is a constant, say so with setflags(write=False)",
    ),
    Bad(
        "a number that is set in the class",
        with_a_count_of_the_class,
        iw.DefinitionError,
        "A.iterate sets type(self).seen, an attribute of the class, which all partitions and calls share: keep state on self",
    ),
    # Hooks
    Bad(
        "initialize, and another word for iterate",
        lambda: define(
            "def initialize(self, v): pass\ndef update(self, v): pass\ndef terminate(self) -> float: return 0.0"
        ),
        iw.DefinitionError,
        "A has `initialize` but no `iterate`, so `initialize` would be called for every tuple, and `update` never: is "
        "`update` meant to be `iterate`?",
    ),
    Bad(
        "no hooks",  # an empty class may be meant as a base: it is an error to use it
        lambda: define("pass")(),
        iw.DefinitionError,
        "A has no hooks: derive a class from it, with `def iterate(self, value)`, and instantiate that",
    ),
    Bad(
        "no hook that sees tuples",
        lambda: define("def terminate(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A has neither `iterate` nor `initialize`, so it would never see a tuple: write `def iterate(self, value)`",
    ),
    Bad(
        "other words for them",
        lambda: define("def update(self, v): pass\ndef finish(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A has neither `iterate` nor `initialize`, so it would never see a tuple: write `def "
        "iterate(self, value)`; is `update` meant to be `iterate`?; is `finish` meant to be `terminate`?",
    ),
    Bad(
        "other words for terminate",
        lambda: define("def iterate(self, v): pass\ndef finalize(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A does not say what it returns: annotate the result, as in `def iterate(self, value) -> float`, "
        "or write class A(..., returns='double'); is `finalize` meant to be `terminate`?",
    ),
    Bad(
        "iterate misspelt",
        lambda: define("def itterate(self, v): pass\ndef terminate(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A.itterate is no hook; is it meant to be `iterate`? (the hooks are initialize, iterate, expire, "
        "terminate, merge, unmerge)",
    ),
    Bad(
        "terminate misspelt",
        lambda: define("def iterate(self, v): pass\ndef terminat(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A.terminat is no hook; is it meant to be `terminate`? (the hooks are initialize, iterate, "
        "expire, terminate, merge, unmerge)",
    ),
    Bad(
        "expire misspelt",
        lambda: define(GOOD + "def expires(self, v): pass", iw.WindowAggregate),
        iw.DefinitionError,
        "A.expires is no hook; is it meant to be `expire`? (the hooks are initialize, iterate, expire, "
        "terminate, merge, unmerge)",
    ),
    Bad(
        "initialize in British",
        lambda: define(GOOD + "def initialise(self, v): pass"),
        iw.DefinitionError,
        "A.initialise is no hook; is it meant to be `initialize`? (the hooks are initialize, iterate, "
        "expire, terminate, merge, unmerge)",
    ),
    Bad(
        "a capital",
        lambda: define("def Iterate(self, v): pass\ndef terminate(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A.Iterate is no hook; is it meant to be `iterate`? (the hooks are initialize, iterate, expire, "
        "terminate, merge, unmerge)",
    ),
    Bad(
        "expire takes fewer values",
        lambda: define(GOOD + "def expire(self): pass", iw.WindowAggregate),
        iw.DefinitionError,
        "A.expire takes 0 values (none) but iterate takes 1: every tuple goes in and out with the same "
        "values, so give both the same parameters",
    ),
    Bad(
        "expire takes more values",
        lambda: define(GOOD + "def expire(self, v, w): pass", iw.WindowAggregate),
        iw.DefinitionError,
        "A.expire takes 2 values (v, w) but iterate takes 1: every tuple goes in and out with the same "
        "values, so give both the same parameters",
    ),
    Bad(
        "initialize takes other values",
        lambda: define(GOOD + "def initialize(self, v, w): pass"),
        iw.DefinitionError,
        "A.initialize takes 2 values (v, w) but iterate takes 1: every tuple goes in and out with the "
        "same values, so give both the same parameters",
    ),
    Bad(
        "merge takes nothing",
        lambda: define(GOOD + "def merge(self): pass"),
        iw.DefinitionError,
        "A.merge must be written `def merge(self, later)`",
    ),
    Bad(
        "unmerge takes two",
        lambda: define(GOOD + "def merge(self, later): pass\ndef unmerge(self, a, b): pass"),
        iw.DefinitionError,
        "A.unmerge must be written `def unmerge(self, earlier)`",
    ),
    Bad(
        "unmerge without merge",
        lambda: define(GOOD + "def unmerge(self, earlier): pass"),
        iw.DefinitionError,
        "A has `unmerge` but no `merge` to undo: write `def merge(self, later)`",
    ),
    Bad(
        "terminate takes a value",
        lambda: define("def iterate(self, v): pass\ndef terminate(self, v) -> float: return v"),
        iw.DefinitionError,
        "A.terminate must be written `def terminate(self)`",
    ),
    Bad(
        "no self",
        lambda: define("def iterate(): pass\ndef terminate(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A.iterate takes no `self`: write `def iterate(self, ...)`",
    ),
    Bad(
        "no self, but a value",
        lambda: define("def iterate(v): pass\ndef terminate(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A.iterate takes no `self`: write `def iterate(self, v)`",
    ),
    Bad(
        "no self in the one hook",
        lambda: define("def iterate(v) -> float: return v"),
        iw.DefinitionError,
        "A.iterate takes no `self`: write `def iterate(self, v)`",
    ),
    Bad(
        "a keyword parameter",
        lambda: define("def iterate(self, *, v): pass\ndef terminate(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A.iterate has the keyword parameter 'v'; hooks are called with the tuple's values by position: "
        "make it a plain parameter, or a parameter of `__init__`",
    ),
    Bad(
        "an async hook",
        lambda: define("async def iterate(self, v): pass\ndef terminate(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A.iterate is async; hooks are plain methods: write `def iterate(self, ...)`",
    ),
    Bad(
        "a static hook",
        lambda: define("@staticmethod\ndef iterate(v): pass\ndef terminate(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A.iterate must be a plain method: write `def iterate(self, ...)`",
    ),
    Bad(
        "a hook that is a value",
        lambda: define("iterate = None\ndef terminate(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A.iterate must be a plain method: write `def iterate(self, ...)`",
    ),
    Bad(
        "a hook that is a class",
        lambda: define("iterate = dict\ndef terminate(self) -> float: return 0.0"),
        iw.DefinitionError,
        "A.iterate must be a plain method: write `def iterate(self, ...)`",
    ),
    Bad(
        "terminate yields",
        lambda: define("def iterate(self, v): pass\ndef terminate(self) -> float: yield 0.0"),
        iw.DefinitionError,
        "A.terminate yields; it gives one result for a frame: return it (a list for several values), or "
        "drop `terminate` and yield from `iterate`",
    ),
    Bad(
        "expire in a base aggregate",
        lambda: define(GOOD + "def expire(self, v): pass"),
        iw.DefinitionError,
        "A has an `expire` hook, which only a window aggregate has: derive it from iw.WindowAggregate",
    ),
    Bad(
        "inwindow in a base aggregate",
        lambda: define(GOOD + "inwindow: iw.InWindow"),
        iw.DefinitionError,
        "A has `inwindow`, which only a window aggregate has: derive it from iw.WindowAggregate",
    ),
    Bad(
        "inwindow of another type",
        lambda: define(GOOD + "inwindow: list", iw.WindowAggregate),
        iw.DefinitionError,
        "A.inwindow is the window's buffer: annotate it `inwindow: iw.InWindow`",
    ),
    Bad(
        "an instance of Aggregate itself",
        lambda: iw.Aggregate(),
        iw.DefinitionError,
        "Aggregate has no hooks: derive a class from it, with `def iterate(self, value)`, and instantiate that",
    ),
    # The result type
    Bad(
        "no annotation",
        lambda: define("def iterate(self, v): pass\ndef terminate(self): return 0.0"),
        iw.DefinitionError,
        "A does not say what it returns: annotate the result, as in `def terminate(self) -> float`, or "
        "write class A(..., returns='double')",
    ),
    Bad(
        "no annotation of a non-blocking class",
        lambda: define("def iterate(self, v): return v"),
        iw.DefinitionError,
        "A does not say what it returns: annotate the result, as in `def iterate(self, value) -> float`, "
        "or write class A(..., returns='double')",
    ),
    Bad(
        "terminate forgotten",
        lambda: define("def initialize(self, v): self.total = v\ndef iterate(self, v): self.total += v"),
        iw.DefinitionError,
        "A does not say what it returns: annotate the result, as in `def iterate(self, value) -> float`, "
        "or write class A(..., returns='double'); or is a `def terminate(self) -> float` missing? (without one, "
        "results are what the other hooks return)",
    ),
    Bad(
        "None as an annotation",
        lambda: define("def iterate(self, v): pass\ndef terminate(self) -> None: pass"),
        iw.DefinitionError,
        "A does not say what it returns: annotate the result, as in `def terminate(self) -> float`, or "
        "write class A(..., returns='double')",
    ),
    Bad(
        "an annotation that is no column type",
        lambda: define("def iterate(self, v): pass\ndef terminate(self) -> object: pass"),
        iw.DefinitionError,
        "A.terminate: cannot make a column type of <class 'object'>: use float, int, str, bool, bytes, "
        "datetime, date, time, Decimal, list[...], dict[...], a dataclass or a NamedTuple, or DDL text such as "
        "returns='array<double>'",
    ),
    Bad(
        "an annotation misspelt",
        lambda: define("def iterate(self, v): pass\ndef terminate(self) -> 'flaot': return 0.0"),
        iw.DefinitionError,
        "A.terminate: 'flaot' is not a type: did you mean 'float'? write DDL such as 'double', "
        "'array<string>', 'decimal(10,2)' or 'struct<a:int,b:string>'",
    ),
    Bad(
        "a list of what?",
        lambda: define("def iterate(self, v): pass\ndef terminate(self) -> list: return []"),
        iw.DefinitionError,
        "A.terminate: cannot make a column type of <class 'list'>: use float, int, str, bool, bytes, "
        "datetime, date, time, Decimal, list[...], dict[...], a dataclass or a NamedTuple, or DDL text such as "
        "returns='array<double>'",
    ),
    Bad(
        "a list instead of an annotation",
        lambda: define("def iterate(self, v): pass\ndef terminate(self) -> [int]: return []"),
        iw.DefinitionError,
        "A.terminate: cannot make a column type of [<class 'int'>]: use float, int, str, bool, bytes, "
        "datetime, date, time, Decimal, list[...], dict[...], a dataclass or a NamedTuple, or DDL text such as "
        "returns='array<double>'",
    ),
    Bad(
        "a named tuple without types",
        lambda: define("def iterate(self, v): pass\ndef terminate(self) -> Untyped: pass"),
        iw.DefinitionError,
        "A.terminate: cannot make a struct of Untyped: its field 'low' has no type",
    ),
    Bad(
        "a generator that is said to return",
        lambda: define("def iterate(self, v) -> int: yield v"),
        iw.DefinitionError,
        "A.iterate yields, so its annotation `-> int` does not fit: write what it yields, as in `-> Iterator[int]`",
    ),
    Bad(
        "a generator of what?",
        lambda: define("def iterate(self, v) -> Iterator: yield v"),
        iw.DefinitionError,
        "A.iterate yields, so its annotation `-> Iterator` does not fit: write what it yields, as in `-> "
        "Iterator[float]`",
    ),
    Bad(
        "returns= that is no type",
        lambda: define(GOOD, returns="flaot"),
        iw.DefinitionError,
        "A(returns=...): 'flaot' is not a type: did you mean 'float'? write DDL such as 'double', "
        "'array<string>', 'decimal(10,2)' or 'struct<a:int,b:string>'",
    ),
    Bad(
        "returns= that ends too early",
        lambda: define(GOOD, returns="array<int"),
        iw.DefinitionError,
        "A(returns=...): 'array<int' is not a type: write DDL such as 'double', 'array<string>', "
        "'decimal(10,2)' or 'struct<a:int,b:string>'",
    ),
    Bad(
        "returns= of a number",
        lambda: define(GOOD, returns=3),
        iw.DefinitionError,
        "A(returns=...): cannot make a column type of 3: use float, int, str, bool, bytes, datetime, "
        "date, time, Decimal, list[...], dict[...], a dataclass or a NamedTuple, or DDL text such as "
        "returns='array<double>'",
    ),
    Bad(
        "returns= of a list",
        lambda: define(GOOD, returns=[float]),
        iw.DefinitionError,
        "A(returns=...): cannot make a column type of [<class 'float'>]: use float, int, str, bool, "
        "bytes, datetime, date, time, Decimal, list[...], dict[...], a dataclass or a NamedTuple, or DDL text "
        "such as returns='array<double>'",
    ),
    Bad(
        "returns= of a time of other digits",
        lambda: define(GOOD, returns="time(4)"),
        iw.DefinitionError,
        "A(returns=...): 'time(4)': a time has 0, 3 or 6 digits of a second",
    ),
    Bad(
        "returns= of too many digits",
        lambda: define(GOOD, returns="decimal(50,2)"),
        iw.DefinitionError,
        "A(returns=...): 'decimal(50,2)': a decimal has 1 to 38 digits, and no more of them after the point",
    ),
    Bad(
        "returns= of more digits after the point than there are",
        lambda: define(GOOD, returns="decimal(5,10)"),
        iw.DefinitionError,
        "A(returns=...): 'decimal(5,10)': a decimal has 1 to 38 digits, and no more of them after the point",
    ),
]
