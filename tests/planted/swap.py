"""Plant a fault after inwindow is imported: the functions that it changes get other code, as to import takes long."""

import gc
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType

from .fault import ROOT, Fault


def swap(fault: Fault) -> bool:
    """Whether it could be done: not where the fault is outside of functions, and not in a kernel."""
    if fault.is_compiled or fault.module not in sys.modules:
        return False
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    pairs = _changed(*(compile(one, fault.file, "exec", dont_inherit=True) for one in (text, fault.planted())))
    its = [one for one in gc.get_objects() if isinstance(one, FunctionType) and one.__module__ == fault.module]
    found = [(function, new) for old, new in pairs or () for function in its if function.__code__ == old]
    if not pairs or len(found) < len(pairs) or any(old.co_freevars != new.co_freevars for old, new in pairs):
        return False
    for function, new in found:
        function.__code__ = new
    return True


def _changed(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]] | None:
    """The functions of a module or class that differ; None where something else does."""
    before, after = list(_inside(old)), list(_inside(new))
    if _own(old) != _own(new) or [one.co_name for one in before] != [one.co_name for one in after]:
        return None
    found = []
    for one, other in zip(before, after, strict=True):
        if _all(one) == _all(other):
            continue
        if one.co_flags & 1:  # CO_OPTIMIZED: a function; a class's body is none
            if one.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
                return None
            found.append((one, other))
        elif (deeper := _changed(one, other)) is None:
            return None
        else:
            found += deeper
    return found


def _inside(code: CodeType) -> Iterator[CodeType]:
    return (one for one in code.co_consts if isinstance(one, CodeType))


def _own(code: CodeType) -> tuple[object, ...]:
    """What it does, whatever its lines are, without what is inside of it."""
    constants = tuple(repr(one) for one in code.co_consts if not isinstance(one, CodeType))
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_exceptiontable


def _all(code: CodeType) -> tuple[object, ...]:
    return _own(code), tuple(_all(one) for one in _inside(code))
