"""The terms that a tuple adds to a field, in a form in which two hooks can be compared.

A field can be undone or merged if the first tuple does the same to a *start* as each further tuple does to the field::

    initialize:  self.total = value              the start: nothing      its term: total + value
    iterate:     self.total += value             the same term

    initialize:  self.high = value if value > 0 else 0
    iterate:     if value > 0: self.high += value          the same term, if value > 0; from 0

A term is (conditions, operation, value, key), with locals replaced by their values.
"""

import ast
import itertools
from collections import Counter, defaultdict
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from inwindow.udaf.derive.hook import Cannot
from inwindow.udaf.derive.updates import Local, Steps, Update

_numbers = itertools.count()
Conditions = tuple[tuple[str, bool], ...]
Term = tuple[Conditions, str, str, str]
_EMPTY: dict[Any, Any] = {defaultdict: lambda: defaultdict(int)}  # the constructors that a type alone does not give


class _Inlined(ast.NodeTransformer):
    def __init__(self, known: dict[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, it: ast.Name) -> ast.expr:
        return deepcopy(self.known[it.id]) if it.id in self.known else it


def terms_of(steps: Steps) -> dict[str, list[tuple[Conditions, Update]]]:
    """For each field its updates in order, with their conditions; values have no locals."""
    found: dict[str, list[tuple[Conditions, Update]]] = {}
    _walk(steps, (), {}, found)
    return found


def _walk(steps: Steps, conditions: Conditions, known: dict[str, ast.expr], found: dict[str, Any]) -> None:
    def inlined(it: ast.expr | None) -> Any:
        return None if it is None else _Inlined(known).visit(deepcopy(it))

    for step in steps:
        if isinstance(step, Local):
            known[step.name] = inlined(step.value)
        elif isinstance(step, Update):
            update = replace(step, value=inlined(step.value), key=inlined(step.key))
            found.setdefault(update.field, []).append((conditions, update))
        else:
            test = inlined(step.test)
            either, other = dict(known), dict(known)
            _walk(step.then, (*conditions, (ast.dump(test), True)), either, found)
            _walk(step.otherwise, (*conditions, (ast.dump(test), False)), other, found)
            for name in either.keys() | other.keys():
                if name in either and name in other and ast.dump(either[name]) == ast.dump(other[name]):
                    known[name] = either[name]
                elif name in either and name in other:
                    known[name] = ast.IfExp(test, either[name], other[name])
                else:
                    known[name] = ast.Name(f"{name} of {next(_numbers)}", ast.Load())  # it is like no other


def alike(entries: list[tuple[Conditions, Update]], others: list[tuple[Conditions, Update]]) -> bool:
    """Whether both have the same terms; terms that append must have the same order."""
    if any(update.does == "append" for _, update in entries):
        return [keys_of([entry]) for entry in entries] == [keys_of([other]) for other in others]
    return keys_of(entries) == keys_of(others)


def keys_of(entries: list[tuple[Conditions, Update]]) -> "Counter[Term]":
    """The terms of a field, each to be compared with others."""
    found: Counter[Term] = Counter()
    for conditions, update in entries:
        for more, sign, value in parts_of(update.value, update.does):
            key = "" if update.key is None else ast.dump(update.key)
            found[(tuple(sorted({*conditions, *more})), sign, ast.dump(value), key)] += 1
    return found


def parts_of(value: ast.expr, does: str) -> list[tuple[Conditions, str, ast.expr]]:
    """A sum's term, split at ``a if c else b``, without zeros and double negations."""
    if does not in ("add", "sub"):
        return [((), does, value)]
    if isinstance(value, ast.IfExp):
        test = ast.dump(value.test)
        return [
            (((test, way), *more), sign, part)
            for way, its in ((True, value.body), (False, value.orelse))
            for more, sign, part in parts_of(its, does)
        ]
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "int" and isinstance(value.args[0], ast.Compare):
        return [((), does, value.args[0])]  # int(a > b) adds the same as a > b
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        return parts_of(value.operand, "sub" if does == "add" else "add")
    if is_zero(value):
        return []
    return [((), does, value)]


def is_zero(it: ast.expr) -> bool:
    """Whether the expression is a literal 0, with or without a sign."""
    its = it.operand if isinstance(it, ast.UnaryOp) and isinstance(it.op, ast.USub) else it
    return isinstance(its, ast.Constant) and type(its.value) in (int, float) and its.value == 0


@dataclass
class First:
    """How initialize makes a field: the start (or none) and the first terms."""

    has_start: bool = False
    start: Any = None
    terms: list[tuple[Conditions, Update]] = field(default_factory=list)
    is_set: bool = False  # False: it starts at the value from `__init__`
    is_replaced: bool = False  # a first term replaces the start

    def is_late(self, step: list[Update]) -> bool:
        """Whether the first tuple may leave it at a 0 that stands there, or set it to a value without that 0 before it."""
        values = {ast.dump(update.value) for update in step}
        is_added = any(not conditions and ast.dump(update.value) in values for conditions, update in self.terms)
        return self.is_replaced or not (self.has_start or is_added)


def firsts_of(entries: list[tuple[Conditions, Update]], does: str) -> list[First]:
    """The ways to read initialize for a field, if iterate ``does`` this to it.

    A constant is a start; but in a sum it may also be a first term: ``self.count = 1``.
    """
    readings = [_first(entries, does, constants_start=True)]
    if does in ("add", "sub"):
        readings.append(_first(entries, does, constants_start=False))
    return readings


def _first(entries: list[tuple[Conditions, Update]], does: str, *, constants_start: bool) -> First:
    first = First()
    adds = does in ("add", "sub")
    for conditions, update in entries:
        if update.does in ("empty", "set") or update.is_new:
            at_zero = first.has_start and type(first.start) in (int, float) and first.start == 0
            if conditions and (not adds or first.terms and not all(more for more, _ in first.terms)):
                raise Cannot(f"self.{update.field} begins in more than one way")
            if conditions and first.has_start and not at_zero:
                raise Cannot(f"self.{update.field} begins in more than one way")
            if conditions and not _exclude(
                conditions, [more for more, its in entries if its is not update and its.does == "set"]
            ):
                raise Cannot(f"self.{update.field} is set twice in initialize, under conditions that may both hold")
            if not conditions:
                first = First(is_set=True)
            first.is_set = True
        if update.does == "empty":
            first.has_start, first.start = True, _EMPTY.get(update.kind, update.kind)() if update.kind else None
        elif update.does == "set" and not conditions and constants_start and _is_constant(update.value):
            first.has_start, first.start = True, _constant(update.value)
        elif update.does == "set":
            first.is_replaced = first.has_start
            first.terms.append((conditions, replace(update, does="add" if adds else does)))
        else:
            first.terms.append((conditions, update))
    return first


def _exclude(conditions: Conditions, others: list[Conditions]) -> bool:
    """Whether of these ways at most one is taken, besides one that always is."""
    turned = {(test, not way) for test, way in conditions}
    return all(not more or turned & {*more} for more in others)


def _is_constant(it: ast.expr) -> bool:
    try:
        _constant(it)
    except ValueError:
        return False
    return True


def _constant(it: ast.expr) -> Any:
    """A number that stands there; infinities as ``math.inf`` or ``float("-inf")``."""
    text = ast.unparse(it)
    for sign, rest in ((-1, text[1:]), (1, text)):
        if (sign == 1 or text.startswith("-")) and rest in ("math.inf", "float('inf')"):
            return sign * float("inf")
    if text in ("float('-inf')",):
        return float("-inf")
    return ast.literal_eval(it)
