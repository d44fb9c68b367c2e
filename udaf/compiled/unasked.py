"""Compile a plain class by default: its machine, or the reason why the Python hooks run.

Reading and compiling a class takes some milliseconds. So the outcome is kept with the class, as long as its hooks, the
attributes of its objects and the values of its names stay the same.
"""

from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

import pyarrow as pa

from inwindow.udaf.compiled.caching import numba_version
from inwindow.udaf.compiled.numba_hooks import NumbaHooks, NumbaMachine
from inwindow.udaf.compiled.reading import READ, NotCompiled, Reading, given_of, is_still, read
from inwindow.udaf.contract import Aggregate

Outcome = NumbaMachine | str


@dataclass
class _Known:
    """The result of reading and compiling a class."""

    hooks: list[object]
    reading: Reading | str
    machines: dict[tuple[str, ...], Outcome] = field(
        default_factory=dict
    )  # by the types' texts: not all types have a hash


_known: WeakKeyDictionary[type, _Known] = WeakKeyDictionary()


def unasked(aggregate: Aggregate, types: list[pa.DataType]) -> Outcome:
    """The machine for arguments of these types; or the reason why Python hooks run."""
    if not aggregate._declared.compile:
        return "compile=False"
    if numba_version() is None:
        return "numba is not installed"
    if any(hook in getattr(aggregate, "__dict__", {}) for hook in READ):
        return "a hook is an attribute of the object, not a method of its class"
    known = _of(aggregate)
    key = tuple(map(str, types))
    outcome = known.machines.get(key)
    if outcome is None:
        outcome = known.machines[key] = _outcome(aggregate, known.reading, types)
    return outcome


def _of(aggregate: Aggregate) -> _Known:
    kind = type(aggregate)
    hooks: list[object] = [getattr(kind, hook, None) for hook in READ]
    known = _known.get(kind)
    if known is None or known.hooks != hooks or not _is_the_same(aggregate, known.reading):
        known = _known[kind] = _Known(hooks, _read(aggregate))
    return known


def _is_the_same(aggregate: Aggregate, reading: Reading | str) -> bool:
    if isinstance(reading, str):
        return True
    try:
        given = given_of(aggregate, reading.attributes)
    except NotCompiled:
        return False
    return repr(given) == repr(reading.given) and is_still(reading, type(aggregate))


def _read(aggregate: Aggregate) -> Reading | str:
    try:
        return read(aggregate)
    except NotCompiled as refusal:
        return refusal.why
    except Exception as error:  # the user has not asked for this: if anything fails, the Python hooks run
        return f"{type(error).__name__}: {error}"


def _outcome(aggregate: Aggregate, reading: Reading | str, types: list[pa.DataType]) -> Outcome:
    if isinstance(reading, str):
        return reading
    try:
        return replace(NumbaHooks(reading).machine(aggregate, "", types), asked=False)
    except NotCompiled as refusal:
        return refusal.why
    except Exception as error:
        return f"{type(error).__name__}: {error}"
