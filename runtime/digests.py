"""Digests of values and code: equal in every process if the values are equal, and different otherwise.

A checkpoint compares them to know whether a query is the one that wrote it. A ``repr`` is not enough: many objects have no useful
one, arrays leave out their middle, and functions look alike.

====================  =========================================================================================
value                 its digest is made of
====================  =========================================================================================
numbers, texts, dates their type and bits: 1 is not 1.0 nor True, -0.0 is not 0.0
list, dict, set       their items; sets and dicts in no order
array                 its type, shape and bytes
function              its instructions, the constants in them, its defaults, and what it reads by a name: closures, globals,
                      other functions. Not by its name, file or lines, nor by its docstring
class                 its members, and those of the classes that it is derived from
other object          what pickle would make it of
====================  =========================================================================================

For Python's own modules and installed packages only the name counts. Instructions differ between versions of Python.
"""

import builtins
import copyreg
import dis
import enum
import functools
import inspect
import re
import sys
import sysconfig
import types
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.runtime.plain import to_plain

_SCALARS = {type(None), bool, int, float, str, bytes}
_BY_REPR = {Decimal, date, datetime, time, timedelta, range, type(Ellipsis), type(NotImplemented)}
_MEMBERS_OF_PYTHON = {
    "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__",
    "__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__", "__firstlineno__", "__format__", "__match_args__",
    "__module__", "__orig_bases__", "__parameters__", "__qualname__", "__repr__", "__slotnames__", "__static_attributes__",
    "__str__", "__type_params__", "__weakref__", "_abc_impl", "_declared", "_traits",
}  # fmt: skip
_NO_STEP = {"CACHE", "EXTENDED_ARG", "NOP", "PRECALL", "RESUME"}
_BUILT_IN = (types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType,
             types.MethodWrapperType, types.GetSetDescriptorType)  # fmt: skip
_INSTALLED = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]
_PACKAGES = {"inwindow", "numpy", "pandas", "pyarrow", "pyspark", "py4j", "numba", "builtins"}


_ADDRESS = re.compile(" at 0x[0-9a-f]+")


class Undigestible(Exception):
    """An object has no digest, because it cannot be pickled."""


class Digester:
    """Makes digests of values; the code of ``home``'s package counts even if the package is installed."""

    def __init__(self, home: type | None = None) -> None:
        self.home = None if home is None else home.__module__.partition(".")[0]
        self.within: list[Any] = []  # the objects that we are inside of, to notice an object that contains itself
        self.known: dict[int, tuple[Any, bytes]] = {}

    def digest_of(self, value: Any) -> bytes:
        kind = type(value)
        if kind in _SCALARS:
            return _digest(b"plain", *_plain([value]))
        if id(value) in self.known:
            return self.known[id(value)][1]
        for above, one in enumerate(reversed(self.within)):
            if one is value:
                return _digest(b"within", above)
        self.within.append(value)
        try:
            made = _digest(kind.__name__, *self._parts(value, kind))
        except RecursionError:
            raise Undigestible(value) from None
        finally:
            self.within.pop()
        self.known[id(value)] = value, made  # keeps the value alive, so that no other object gets its address
        return made

    def _parts(self, value: Any, kind: type) -> Iterable[Any]:
        if kind in (list, tuple):
            return self._items(value)
        if kind in (dict, types.MappingProxyType):
            return sorted(self._items(value.items()))
        if kind in (set, frozenset):
            return sorted(self._items(value))
        if kind in _BY_REPR:
            return [repr(value)]
        if isinstance(value, np.ndarray):
            its = (
                [self.digest_of(one) for one in value.ravel().tolist()] if value.dtype.hasobject else [value.tobytes()]
            )
            return [str(value.dtype), repr(value.shape), *its]
        if kind.__module__.startswith("pyarrow"):
            return self._of_arrow(value)
        if isinstance(value, types.CodeType):
            return self.code(value)
        return self._of_callable(value) or self._of_object(value)

    def _items(self, items: Iterable[Any]) -> list[bytes]:
        """A digest, or the bytes, of each."""
        items = list(items)
        flat = all(
            type(one) in _SCALARS or (type(one) is tuple and all(type(its) in _SCALARS for its in one)) for one in items
        )
        return _plain(items) if flat else [self.digest_of(one) for one in items]

    def _of_arrow(self, value: Any) -> Iterable[Any]:
        if isinstance(value, (pa.Table, pa.RecordBatch)):
            return [str(value.schema), *(self.digest_of(column) for column in value.columns)]
        if isinstance(value, (pa.Array, pa.ChunkedArray)):
            return [str(value.type), self.digest_of(value.to_pylist())]
        if isinstance(value, pa.Scalar):
            return [str(value.type), self.digest_of(value.as_py())]
        if isinstance(value, (pa.DataType, pa.Schema, pa.Field)):
            return [str(value)]
        return self._of_object(value)

    # Functions and classes

    def _of_callable(self, value: Any) -> list[Any] | None:
        """The digest of a function, a class, a module or a wrapper of a function; None for other objects."""
        if isinstance(value, types.FunctionType):
            return self._of_function(value)
        if isinstance(value, type):
            return self._of_class(value)
        if isinstance(value, types.ModuleType):
            return [value.__name__]
        if isinstance(value, types.MethodType):
            return [self.digest_of(value.__func__), self.digest_of(value.__self__)]
        if isinstance(value, _BUILT_IN):
            on = getattr(value, "__self__", None)
            return [value.__qualname__, b"" if on is None or isinstance(on, types.ModuleType) else self.digest_of(on)]
        if isinstance(value, types.MemberDescriptorType):
            return [value.__name__]
        if isinstance(value, enum.Enum):
            return [type(value).__qualname__, value.name, self.digest_of(value.value)]
        inner = functions_in(value)
        return [self.digest_of(one) for one in inner] or None

    def _of_function(self, function: Any) -> list[Any]:
        if not self.is_own(function.__module__):
            return [function.__module__, function.__qualname__]
        read = self.names_read_by(function)
        return [
            *self.code_of(function),
            *(part for name in sorted(read) for part in (name, self.digest_or_type(read[name]))),
        ]

    def code_of(self, function: Any) -> list[Any]:
        """The digest of a function's code, without the values that it reads by names."""
        its = {name: one for name, one in vars(function).items() if not name.startswith("__")}
        return [
            *self.code(function.__code__), self.digest_of(function.__defaults__), self.digest_of(function.__kwdefaults__),
            *(part for name in sorted(its) for part in (name, self.digest_or_type(its[name]))),
        ]  # fmt: skip

    def code(self, code: types.CodeType) -> list[Any]:
        """The instructions, without line numbers."""
        steps: list[dis.Instruction] = []
        number: dict[int, int] = {}  # of the step at an offset, or behind it
        for step in dis.get_instructions(code):
            number[step.offset] = len(steps)
            if step.opname not in _NO_STEP:
                steps.append(step)
        arguments = code.co_argcount + code.co_kwonlyargcount
        made: list[Any] = [
            code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, self.digest_of(code.co_varnames[:arguments]),
            code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR | inspect.CO_COROUTINE),
        ]  # fmt: skip
        for step in steps:
            made.append(step.opname)
            if step.opcode in dis.hasconst:  # argval has none for the names of keywords
                made.append(self.digest_of(code.co_consts[step.arg or 0]))
            elif step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
                made.append(number.get(step.argval, len(steps)))
            else:
                made.append(step.argval)
        return [*made, getattr(code, "co_exceptiontable", b"")]

    def names_read_by(self, function: Any) -> dict[str, Any]:
        """The values that a function reads by name from outside: closures, globals, the user's modules."""
        found: dict[str, Any] = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if name != "__class__":
                found[name] = _content(cell)
        names, attributes, imported = _names_in(function.__code__)
        modules = {name: sys.modules[name] for name in imported if name in sys.modules}
        for name in names:
            if name in function.__globals__:
                found[name] = function.__globals__[name]
            elif not hasattr(builtins, name):
                found[name] = _Missing
        pending = sorted([*found.items(), *modules.items()], key=lambda its: its[0])
        known: set[str] = set()
        while pending:  # a module may be within a module: package.settings.LIMIT
            name, module = pending.pop()
            if isinstance(module, types.ModuleType) and self.is_own(module.__name__) and module.__name__ not in known:
                known.add(module.__name__)
                read = {f"{name}.{one}": vars(module)[one] for one in sorted(attributes & vars(module).keys())}
                found |= read
                pending += read.items()
        return found

    def _of_class(self, kind: type) -> list[Any]:
        if not self.is_own(kind.__module__):
            return [kind.__module__, kind.__qualname__]
        parts: list[Any] = [kind.__name__, self.digest_of(type(kind))]
        for its in kind.__mro__:
            parts.append(its.__name__)
            if self.is_own(its.__module__):
                parts += [part for name, one in members(its) for part in (name, self.digest_or_type(one))]
        return parts

    def digest_or_type(self, value: Any) -> bytes:
        """The digest; for an object without one (a lock, a session), the digest of its type."""
        try:
            return self.digest_of(value)
        except Undigestible:
            return _digest(b"untold", type(value).__qualname__)

    def is_own(self, module: str | None) -> bool:
        """Whether a module is the user's: not part of Python, and not of an installed package."""
        package = (module or "").partition(".")[0]
        if self.home is not None and package == self.home != "inwindow":
            return True
        return package not in _PACKAGES and package not in sys.stdlib_module_names and not _is_installed(module or "")

    # Other objects

    def _of_object(self, value: Any) -> Iterator[Any]:
        """The digest of what pickle would store; if it cannot be pickled, of a repr that describes it."""
        try:
            by_type = copyreg.dispatch_table.get(type(value))
            reduced = value.__reduce_ex__(4) if by_type is None else by_type(value)
            if isinstance(reduced, str):
                return iter([type(value).__module__, reduced])
            how, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
            listed = None if items is None else list(items)
            mapped = None if pairs is None else list(pairs) if isinstance(value, OrderedDict) else dict(pairs)
            return iter([self.digest_of(one) for one in (how, arguments, state, listed, mapped)])
        except Exception as error:
            text = _telling_repr(value)
            if not text:
                raise Undigestible(value) from error
            return iter([text])


def _telling_repr(value: Any) -> str:
    """A repr that describes the value; "" for a repr with only a type and an address."""
    try:
        text = repr(value)
    except Exception:  # the user's
        return ""
    return "" if text.startswith("<") or _ADDRESS.search(text) else text


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """The members that a class body defines, without docstrings and the like."""
    generated = "__dataclass_fields__" in vars(kind)
    for name, one in sorted(vars(kind).items()):
        code = getattr(one, "__code__", None)
        by_dataclass = generated and name.startswith("__") and code is not None and code.co_filename == "<string>"
        if name not in _MEMBERS_OF_PYTHON and not by_dataclass:
            yield name, one


def functions_in(member: Any) -> list[Any]:
    """The functions in a member of a class; none if it is a value."""
    if isinstance(member, types.FunctionType):
        return [member]
    if isinstance(member, (staticmethod, classmethod)):
        return [member.__func__]
    if isinstance(member, property):
        return [one for one in (member.fget, member.fset, member.fdel) if one is not None]
    if isinstance(member, functools.cached_property):
        return [member.func]
    if isinstance(member, (functools.partial, functools.partialmethod)):
        return [member.func, member.args, member.keywords]
    if type(member).__module__.startswith("numba") and hasattr(member, "py_func"):
        return [member.py_func]
    if isinstance(member, functools._lru_cache_wrapper):
        return [member.__wrapped__]
    return []


class _Missing:
    """A name without a value yet."""


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # an empty cell
        return _Missing


def _names_in(code: types.CodeType) -> tuple[set[str], set[str], set[str]]:
    """The globals that code (with its inner functions) reads and never sets; all its names; the modules that it imports."""
    read: set[str] = set()
    written: set[str] = set()
    imported: set[str] = set()
    attributes = set(code.co_names)
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
            read.add(step.argval)
        elif step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            written.add(step.argval)
        elif step.opname == "IMPORT_NAME":
            imported.add(step.argval)
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            inner, names, modules = _names_in(one)
            read |= inner
            attributes |= names
            imported |= modules
    return read - written, attributes, imported


@functools.cache
def _is_installed(module: str) -> bool:
    its = sys.modules.get(module)
    file = getattr(its, "__file__", None)
    if file is None:
        return module in sys.builtin_module_names
    return any(Path(file).resolve().is_relative_to(place) for place in _INSTALLED)


def _plain(values: list[Any]) -> list[bytes]:
    """The bytes of a scalar; for a text that is not valid Unicode, those of its repr."""
    return [
        repr(value).encode() if content is None else content
        for value, content in zip(values, to_plain(values), strict=True)
    ]


def _digest(*parts: Any) -> bytes:
    made = blake2b(digest_size=8)
    for part in parts:
        content = part if isinstance(part, bytes) else str(part).encode("utf-8", "backslashreplace")
        made.update(len(content).to_bytes(8, "little"))
        made.update(content)
    return made.digest()


def digest(parts: Iterable[Any]) -> str:
    """One digest of several, as text."""
    return _digest(*parts).hex()
