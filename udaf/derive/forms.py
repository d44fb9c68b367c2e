"""Choose the form of a field from the updates in its hooks."""

import ast
import math
from collections import Counter, defaultdict
from typing import Any

from inwindow.udaf.derive.containers import Counts, Members, Queue
from inwindow.udaf.derive.extremes import Extreme, FloatExtreme
from inwindow.udaf.derive.form import Form
from inwindow.udaf.derive.hook import Cannot
from inwindow.udaf.derive.pure import KEYS, ORDERED
from inwindow.udaf.derive.sums import FloatTotal, Product, Total, zero_of
from inwindow.udaf.derive.terms import First
from inwindow.udaf.derive.updates import Update


def form_of(x: str, updates: list[Update], first: First) -> Form:
    """The form of a field, from its updates in iterate and its start."""
    has_start, start = first.has_start, first.start
    operations = {update.does for update in updates}
    kinds = {update.kind for update in updates}
    if operations <= {"add", "sub"}:
        return _sum(x, updates, first)
    if len(operations) > 1:
        raise Cannot(f"self.{x} is changed in more than one way: {', '.join(sorted(operations))}")
    (does,) = operations
    if does == "mul":
        if not kinds <= {int, bool} or (has_start and type(start) is not int):
            raise Cannot(f"self.{x} is a product of {_named(kinds)}: only integers divide without a remainder")
        form = Product(x, has_start, start)
        if not has_start and bool in kinds:
            form.terminate_sees = "bool"
        return form
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
        if kinds == {tuple} and len({ast.dump(update.value) for update in updates}) > 1:
            raise Cannot(f"self.{x} is a set of several kinds of tuples, of which equal ones may differ")
        return Members(x, has_start, start)
    raise Cannot(f"self.{x} is changed by an update of no known form")


def _sum(x: str, updates: list[Update], first: First) -> Form:
    kinds = {update.kind for update in updates}
    begins = {type(first.start)} if first.has_start else {kind for _, update in first.terms for kind in update.leaves}
    of = kinds | begins
    if of <= {int, bool}:
        form = Total(x, first.has_start, first.start)
        form.terminate_sees = "bool" if bool in begins else ""
        return form
    if kinds == {float} and of <= {float, int}:
        has_start, start = (True, zero_of(x, first)) if first.is_late(updates) else (first.has_start, first.start)
        if has_start and abs(start) <= 2**53 and repr(start) != "-0.0":
            return FloatTotal(x, True, start)
        if not has_start and of == {float}:
            return FloatTotal(x)
    raise Cannot(f"self.{x} is a sum of {_named(of)}: only sums of integers, or of floats, are undone exactly")


def _extreme(x: str, sign: str, updates: list[Update], kinds: set[Any], has_start: bool, start: Any) -> Form:
    from_none = updates[0].from_none
    if any(update.from_none is not from_none for update in updates):
        raise Cannot(f"self.{x} is changed in more than one way")
    if has_start and start is not None and (type(start) not in (int, float, bool, str) or start != start):
        raise Cannot(f"self.{x} does not begin at a number")
    if has_start and start is None and not from_none:
        raise Cannot(f"self.{x} begins at None, which is not compared")
    is_like_no_value = type(start) is float and math.isinf(start)
    if "=" in sign and start is not None and not is_like_no_value and kinds - ({type(start)} & set(KEYS)):
        raise Cannot(f"self.{x} may begin at a value that is equal to {start!r}, where it began, and differs")
    if kinds == {float}:
        if not all(update.keeps_first for update in updates):
            raise Cannot(f"`max(value, self.{x})` begins anew at a NaN: write max(self.{x}, value)")
        if len(updates) > 1:
            raise Cannot(f"self.{x} is an extreme of several floats of a tuple, of which one may be NaN")
        return FloatExtreme(x, has_start, start, sign=sign, from_none=from_none)
    if None in kinds or not kinds <= set(ORDERED) or not (len(kinds) == 1 or kinds <= {int, bool}):
        raise Cannot(f"self.{x} is an extreme of {_named(kinds)}, whose order is not known to be total")
    if kinds <= {int, bool} and has_start and type(start) is float and not math.isinf(start):
        raise Cannot(f"self.{x} is an extreme of integers and a float")
    form = Extreme(x, has_start, start, sign=sign, from_none=from_none)
    form.commutes = len(kinds) == 1 and kinds <= set(KEYS)  # equal values are identical
    return form


def _counts(x: str, updates: list[Update], has_start: bool, start: Any) -> Form:
    is_plain = type(start) in (dict, Counter) or (type(start) is defaultdict and start.default_factory is int)
    if has_start and (not is_plain or start):
        raise Cannot(f"self.{x} does not begin as an empty dict, Counter or defaultdict(int)")
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
