"""The known forms of a field: what undoes a tuple, what merges two runs, what undoes a merge; or why not.

Each form has its algebra. A sum is a group: a term is taken out by its inverse. A maximum is a semilattice: two merge, and none
comes out. A list is a queue, for tuples leave in the order in which they came.
"""

import ast
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from inwindow.udaf.derive.pure import KEYS, ORDERED
from inwindow.udaf.derive.source import Cannot
from inwindow.udaf.derive.updates import Update

Code = list[str]


@dataclass(frozen=True)
class No:
    """A hook that a form does not give, and why."""

    why: str


@dataclass
class Form:
    """A field of self, ``x``. Methods give lines of Python, with ``self``, ``later`` and ``earlier`` in them."""

    x: str
    has_start: bool = False
    start: Any = None
    commutes = True
    grows = False  # with the frame: a state for each tuple of a frame would be its square
    terminate_sees = ""  # "order": terminate must not show the order; "contents": must only read

    @property
    def hidden(self) -> str:
        """A field that the window version has beside it, if it needs one."""
        return ""

    def begin(self) -> Code:
        """The hidden field of a state that has seen nothing."""
        return []

    def step(self, update: Update) -> Code | None:
        """What iterate does in the window version; None: what the user wrote."""
        return None

    def beside(self, update: Update) -> Code:
        """What is done beside what the user wrote."""
        return []

    def first(self, update: Update) -> Code:
        """What initialize does with the hidden fields."""
        return self.step(update) or self.beside(update)

    def undo(self, update: Update) -> Code | No:
        """What expire does."""
        return No("")

    def merge(self) -> Code | No:
        """What merge does."""
        return No("")

    def unmerge(self) -> Code | No:
        """What unmerge does."""
        return No("")

    def _from(self, neutral: Any) -> bool:
        return not self.has_start or (self.start == neutral and type(self.start) in (int, float, bool))


class Total(Form):
    """A sum of integers: exact, whatever comes and goes."""

    def undo(self, update: Update) -> Code | No:
        """The inverse."""
        return [f"self.{self.x} {'-' if update.does == 'add' else '+'}= {ast.unparse(update.value)}"]

    def merge(self) -> Code | No:
        """The sum of both, if they begin at 0."""
        return [f"self.{self.x} += later.{self.x}"] if self._from(0) else self._twice()

    def unmerge(self) -> Code | No:
        """The difference."""
        return [f"self.{self.x} -= earlier.{self.x}"] if self._from(0) else self._twice()

    def _twice(self) -> No:
        return No(f"self.{self.x} begins at {self.start!r}, which a merge would count twice")


class FloatTotal(Total):
    """A sum of floats: kept exactly beside the field, which is that sum rounded. See :mod:`inwindow.native._exact`."""

    @property
    def hidden(self) -> str:
        """The exact sum."""
        return f"_{self.x}_sum"

    def begin(self) -> Code:
        """Nothing, or the start."""
        return [f"self.{self.hidden} = ExactSum({repr(self.start) if self.has_start else ''})"]

    def step(self, update: Update) -> Code:
        """The field is what the exact sum is, rounded."""
        return [f"self.{self.x} = self.{self.hidden}.add({self._signed(update)})"]

    def _signed(self, update: Update) -> str:
        text = ast.unparse(update.value)
        return text if update.does == "add" else f"-({text})"

    def undo(self, update: Update) -> Code | No:
        """Out of the exact sum."""
        return [
            f"self.{self.x} = self.{self.hidden}.take({self._signed(update)})",
            f"if self.{self.x} is None:",
            "    return PUNT",
        ]

    def merge(self) -> Code | No:
        """The exact sum of both."""
        return [f"self.{self.x} = self.{self.hidden}.merge(later.{self.hidden})"] if self._from(0) else self._twice()

    def unmerge(self) -> Code | No:
        """Out of the exact sum."""
        if not self._from(0):
            return self._twice()
        return [
            f"self.{self.x} = self.{self.hidden}.unmerge(earlier.{self.hidden})",
            f"if self.{self.x} is None:",
            "    return PUNT",
        ]


class Product(Form):
    """A product of integers: divided by a factor that is no 0, without a remainder."""

    def undo(self, update: Update) -> Code | No:
        """Division; a 0 is refused."""
        factor = ast.unparse(update.value)
        return [f"if {factor} == 0:", "    return PUNT", f"self.{self.x} //= {factor}"]

    def merge(self) -> Code | No:
        """The product of both, if they begin at 1."""
        if not self._from(1):
            return No(f"self.{self.x} begins at {self.start!r}, by which a merge would multiply twice")
        return [f"self.{self.x} *= later.{self.x}"]

    def unmerge(self) -> Code | No:
        """Division."""
        if not self._from(1):
            return No(f"self.{self.x} begins at {self.start!r}, by which a merge would multiply twice")
        return [f"if earlier.{self.x} == 0:", "    return PUNT", f"self.{self.x} //= earlier.{self.x}"]


@dataclass
class Extreme(Form):
    """A maximum or a minimum: whether a value takes its place is asked with ``sign``."""

    sign: str = ">"
    from_none: bool = False

    def undo(self, update: Update) -> Code | No:
        """No inverse."""
        return No(f"self.{self.x} is an extreme: when it leaves, the next one is not in the state")

    def merge(self) -> Code | No:
        """That of both; of equals the one that one run would have kept."""
        if not self.from_none:
            return [f"if later.{self.x} {self.sign} self.{self.x}:", f"    self.{self.x} = later.{self.x}"]
        return [
            f"if later.{self.x} is not None and (self.{self.x} is None or later.{self.x} {self.sign} self.{self.x}):",
            f"    self.{self.x} = later.{self.x}",
        ]

    def unmerge(self) -> Code | No:
        """No inverse."""
        return No(f"self.{self.x} is an extreme, which cannot be taken back")


class FloatExtreme(Extreme):
    """One of floats. A NaN stays if it came first, and is passed over if not: so what came behind it is kept beside."""

    commutes = False

    @property
    def hidden(self) -> str:
        """The extreme of what came after a first NaN; None if nothing did."""
        return f"_{self.x}_rest"

    def begin(self) -> Code:
        """Nothing came yet."""
        return [f"self.{self.hidden} = None"]

    def first(self, update: Update) -> Code:
        """Nothing comes behind the first."""
        return []

    def beside(self, update: Update) -> Code:
        """Costs a comparison, where there is no NaN."""
        value = ast.unparse(update.value)
        return [
            f"if self.{self.x} != self.{self.x} and {value} == {value}:",
            *self._rest_of(value, "    "),
        ]

    def _rest_of(self, value: str, indent: str) -> Code:
        return [
            f"{indent}if self.{self.hidden} is None or {value} {self.sign} self.{self.hidden}:",
            f"{indent}    self.{self.hidden} = {value}",
        ]

    def merge(self) -> Code | No:
        """What is no NaN in the later run, as if it came as one value."""
        lines = [
            f"rest = later.{self.hidden} if later.{self.x} != later.{self.x} else later.{self.x}",
            "if rest is not None:",
            f"    if rest {self.sign} self.{self.x}:",
            f"        self.{self.x} = rest",
            f"    if self.{self.x} != self.{self.x}:",
            *self._rest_of("rest", "        "),
        ]
        if not self.from_none:
            return lines
        return [
            f"if self.{self.x} is None:",
            f"    self.{self.x}, self.{self.hidden} = later.{self.x}, later.{self.hidden}",
            "else:",
            *(f"    {line}" for line in lines),
        ]


class Newest(Form):
    """What the newest tuple says."""

    commutes = False

    def undo(self, update: Update) -> Code | No:
        """The newest is never the one that leaves."""
        return []

    def merge(self) -> Code | No:
        """The later run's."""
        return [f"self.{self.x} = later.{self.x}"]

    def unmerge(self) -> Code | No:
        """The newest is in no earlier run."""
        return []


class Oldest(Form):
    """What the first tuple said."""

    commutes = False

    def undo(self, update: Update) -> Code | No:
        """The second tuple is not in the state."""
        return No(f"self.{self.x} is what the first tuple said: what the next one says is not in the state")

    def merge(self) -> Code | No:
        """The earlier run's."""
        return []

    def unmerge(self) -> Code | No:
        """The second run's is gone."""
        return No(f"self.{self.x} is what the first tuple said")


class Fixed(Form):
    """What initialize sets to a constant, and nothing changes."""

    def undo(self, update: Update) -> Code | No:
        """Nothing."""
        return []

    def merge(self) -> Code | No:
        """Nothing."""
        return []

    def unmerge(self) -> Code | No:
        """Nothing."""
        return []


class Counts(Form):
    """How many times each key came."""

    grows = True
    terminate_sees = "order"

    def _less(self, key: str, count: str) -> Code:
        return [
            f"_left = self.{self.x}.get({key}, 0) - {count}",
            "if _left > 0:",
            f"    self.{self.x}[{key}] = _left",
            "elif _left == 0:",
            f"    del self.{self.x}[{key}]",
            "else:",
            "    return PUNT",
        ]

    def undo(self, update: Update) -> Code | No:
        """One less; a key of which none is left goes, as if it had never come."""
        assert update.key is not None
        return self._less(ast.unparse(update.key), ast.unparse(update.value))

    def merge(self) -> Code | No:
        """The sums, in the order in which keys first came."""
        return [
            f"for key, count in later.{self.x}.items():",
            f"    self.{self.x}[key] = self.{self.x}.get(key, 0) + count",
        ]

    def unmerge(self) -> Code | No:
        """The differences."""
        return [
            f"for key, count in earlier.{self.x}.items():",
            *(f"    {line}" for line in self._less("key", "count")),
        ]


class Members(Form):
    """A set: how many times each member came is kept beside it."""

    grows = True
    terminate_sees = "order"

    @property
    def hidden(self) -> str:
        """How many times each came."""
        return f"_{self.x}_counts"

    def begin(self) -> Code:
        """None came yet."""
        return [f"self.{self.hidden} = {{}}"]

    def beside(self, update: Update) -> Code:
        """One more."""
        member = ast.unparse(update.value)
        return [f"self.{self.hidden}[{member}] = self.{self.hidden}.get({member}, 0) + 1"]

    def _less(self, member: str, count: str) -> Code:
        return [
            f"_left = self.{self.hidden}.get({member}, 0) - {count}",
            "if _left > 0:",
            f"    self.{self.hidden}[{member}] = _left",
            "elif _left == 0:",
            f"    del self.{self.hidden}[{member}]",
            f"    self.{self.x}.discard({member})",
            "else:",
            "    return PUNT",
        ]

    def undo(self, update: Update) -> Code | No:
        """One less; the last one goes."""
        return self._less(ast.unparse(update.value), "1")

    def merge(self) -> Code | No:
        """The union."""
        return [
            f"self.{self.x} |= later.{self.x}",
            f"for key, count in later.{self.hidden}.items():",
            f"    self.{self.hidden}[key] = self.{self.hidden}.get(key, 0) + count",
        ]

    def unmerge(self) -> Code | No:
        """What is in the earlier run alone goes."""
        return [
            f"for key, count in earlier.{self.hidden}.items():",
            *(f"    {line}" for line in self._less("key", "count")),
        ]


class Queue(Form):
    """A list to which tuples are appended: they leave it at the other end."""

    grows = True
    commutes = False
    terminate_sees = "contents"

    def undo(self, update: Update) -> Code | No:
        """The oldest."""
        return [f"del self.{self.x}[0]"]

    def merge(self) -> Code | No:
        """One behind the other."""
        return [f"self.{self.x}.extend(later.{self.x})"]

    def unmerge(self) -> Code | No:
        """As many as the earlier run has."""
        return [f"del self.{self.x}[:len(earlier.{self.x})]"]


def form_of(x: str, updates: list[Update], has_start: bool, start: Any) -> Form:
    """The form of a field, by what iterate does to it."""
    operations = {update.does for update in updates}
    kinds = {update.kind for update in updates}
    if operations <= {"add", "sub"}:
        return _sum(x, kinds, has_start, start)
    if len(operations) > 1:
        raise Cannot(f"self.{x} is changed in more than one way: {', '.join(sorted(operations))}")
    (does,) = operations
    if does == "mul":
        if not kinds <= {int, bool} or (has_start and type(start) is not int):
            raise Cannot(f"self.{x} is a product of {_named(kinds)}: only integers divide without a remainder")
        return Product(x, has_start, start)
    if does in "<=>=":
        return _extreme(x, does, updates, kinds, has_start, start)
    if does == "count":
        return _counts(x, updates, has_start, start)
    if does in ("append", "put"):
        if has_start and (type(start) is not (list if does == "append" else set) or start):
            raise Cannot(f"self.{x} does not begin empty")
        if does == "append":
            if None in kinds:
                raise Cannot(f"self.{x} is a list of {_named(kinds)}")
            return Queue(x, has_start, start)
        if not kinds <= {*KEYS, tuple} or len(kinds) > 1:
            raise Cannot(f"self.{x} is a set of {_named(kinds)}, of which equal ones may differ")
        return Members(x, has_start, start)
    raise Cannot(f"self.{x} is changed by an update of no known form")


def _sum(x: str, kinds: set[Any], has_start: bool, start: Any) -> Form:
    of = {*kinds, *([type(start)] if has_start else [])}
    if of <= {int, bool}:
        return Total(x, has_start, start)
    if kinds == {float} and (not has_start or (type(start) in (int, float) and abs(start) <= 2**53)):
        return FloatTotal(x, has_start, start)
    raise Cannot(f"self.{x} is a sum of {_named(of)}: only sums of integers, or of floats, are undone exactly")


def _extreme(x: str, sign: str, updates: list[Update], kinds: set[Any], has_start: bool, start: Any) -> Form:
    from_none = updates[0].from_none
    if any(update.from_none is not from_none for update in updates):
        raise Cannot(f"self.{x} is changed in more than one way")
    if has_start and start is not None and (type(start) not in (int, float, bool, str) or start != start):
        raise Cannot(f"self.{x} does not begin at a number")
    if has_start and start is None and not from_none:
        raise Cannot(f"self.{x} begins at None, which is not compared")
    if kinds == {float}:
        if not all(update.keeps_first for update in updates):
            raise Cannot(f"`max(value, self.{x})` begins anew at a NaN: write max(self.{x}, value)")
        return FloatExtreme(x, has_start, start, sign=sign, from_none=from_none)
    if None in kinds or not kinds <= set(ORDERED) or not (len(kinds) == 1 or kinds <= {int, bool}):
        raise Cannot(f"self.{x} is an extreme of {_named(kinds)}, whose order is not known to be total")
    if kinds <= {int, bool} and has_start and type(start) is float and not math.isinf(start):
        raise Cannot(f"self.{x} is an extreme of integers and a float")
    form = Extreme(x, has_start, start, sign=sign, from_none=from_none)
    form.commutes = len(kinds) == 1 and kinds <= set(KEYS)  # equal ones are alike: whichever came first
    return form


def _counts(x: str, updates: list[Update], has_start: bool, start: Any) -> Form:
    if has_start and (not isinstance(start, dict) or start):
        raise Cannot(f"self.{x} does not begin empty")
    for update in updates:
        one = update.value
        if not (isinstance(one, ast.Constant) and type(one.value) is int and one.value > 0):
            raise Cannot(f"self.{x} sums by key: a sum of 0 does not say whether its tuples have left")
        if update.key_kind not in (*KEYS, tuple):
            raise Cannot(f"self.{x} has keys of {_named({update.key_kind})}, of which equal ones may differ")
    if len({ast.dump(update.key) if update.key_kind is tuple else update.key_kind for update in updates}) > 1:  # type: ignore[arg-type]
        raise Cannot(f"self.{x} has keys of several types")
    form = Counts(x, has_start, start)
    if isinstance(start, defaultdict):
        form.terminate_sees = "keys"
    return form


def _named(kinds: set[Any]) -> str:
    return " and ".join(sorted("a type that is not known" if kind is None else f"{kind.__name__}" for kind in kinds))
