"""What a class compares its arguments with: the numbers, texts and dates that its code, its parameters and its tables name.

A fault at 13 shows if 13 is drawn. So the pools of ``values.py`` have what the class itself names, and its neighbours.
"""

import dataclasses
import enum
import functools
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, MethodWrapperType
from typing import Any

from inwindow.udaf.contract import Aggregate, WindowAggregate
from inwindow.udaf.shared_state import written
from inwindow.udaf.source.names import codes_of

MOST = 40  # of many, each would be drawn too seldom
_PLAIN = (int, float, str, bytes, Decimal, date, timedelta)
_OURS = (Aggregate, WindowAggregate, object)


def constants_of(aggregate: Any) -> list[Any]:
    """The constants of an aggregate: of its parameters, its class, its hooks and what they call."""
    inner = getattr(getattr(aggregate, "aggregator", None), "it", None)  # of a Spark Aggregator
    found: dict[tuple[type, str], Any] = {}
    for it in (aggregate, inner):
        for value in _named_by(it):
            if isinstance(value, _PLAIN) and not isinstance(value, bool):
                found.setdefault((type(value), repr(value)), value)
    return list(found.values())[:MOST]


def _named_by(it: Any) -> Iterator[Any]:
    for value in getattr(it, "__dict__", {}).values():
        yield from _given(value)
    bases = [base for base in type(it).__mro__ if base not in _OURS]
    functions = [function for base in bases for value in vars(base).values() for function in written(value)]
    for base in bases:
        for name, value in vars(base).items():
            if not name.startswith("_"):
                yield from _flat(value)
    for function in functions:
        yield from _of_function(function, {base.__module__ for base in bases}, set())


def _given(value: Any) -> Iterator[Any]:
    """The constants in a parameter: its content; the names of a function; the arguments of a partial or a method."""
    for one in _flat(value):
        if isinstance(one, FunctionType):
            yield from _of_function(one, {one.__module__}, set())
        elif isinstance(one, functools.partial):
            yield from _given([one.func, *one.args, *one.keywords.values()])
        elif isinstance(one, (MethodType, MethodWrapperType, BuiltinMethodType)):
            yield from _given([one.__self__, getattr(one, "__func__", None)])
        elif dataclasses.is_dataclass(one) and not isinstance(one, type):
            yield from _flat(vars(one) if hasattr(one, "__dict__") else ())
        else:
            yield one


def _of_function(function: FunctionType, modules: set[str], known: set[int]) -> Iterator[Any]:
    """The constants, defaults and outer variables of a function; and those of functions of its module that it names."""
    if id(function) in known:
        return
    known.add(id(function))
    for code in codes_of(function.__code__):
        for one in code.co_consts:
            if not isinstance(one, CodeType) and one != function.__doc__:
                yield from _flat(one)
    yield from _flat([*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()])
    names = {name for code in codes_of(function.__code__) for name in code.co_names}
    outside = [function.__globals__[name] for name in sorted(names & function.__globals__.keys())]
    for cell in function.__closure__ or ():
        try:
            outside.append(cell.cell_contents)
        except ValueError:
            continue
    for value in outside:
        if isinstance(value, FunctionType):
            if value.__module__ in modules:
                yield from _of_function(value, modules, known)
        elif isinstance(value, type):
            yield from _flat([*vars(value).values()] if value.__module__ in modules else ())
        else:
            yield from _given(value)


def _flat(value: Any, depth: int = 3) -> Iterator[Any]:
    """A value, or its members."""
    if isinstance(value, enum.Enum):
        yield value.value
    elif isinstance(value, Mapping) and depth:
        for key, item in value.items():
            yield from _flat(key, depth - 1)
            yield from _flat(item, depth - 1)
    elif isinstance(value, (list, tuple, set, frozenset)) and depth:
        for item in value:
            yield from _flat(item, depth - 1)
    else:
        yield value
