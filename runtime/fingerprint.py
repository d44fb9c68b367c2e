"""The fingerprint of a plan: a list of parts. A state stores it, and a message names the parts in which another query differs.

A part is a name, a short text for messages, and a digest (`digests.py`) if the text does not say everything::

    the window of avg      (rows between 2 preceding and current row)
    the parameter k of avg  10                                          6f1c0e2b5d9a7c31
    MyAvg.iterate           code                                        0a41...
    LIMIT, read by MyAvg    5                                           83d2...

It does not contain what may change: the number of buckets, and the session's time zone if no result depends on it.
"""

import copyreg
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.native.instants import has_instants, in_utc
from inwindow.optimizer.plan import Pass, Step
from inwindow.runtime.digests import Digester, Undigestible, digest, functions_in, members
from inwindow.runtime.expressions import shown_name
from inwindow.udaf.compiled.c_hooks import CMachine
from inwindow.udaf.contract import Aggregate, WindowAggregate
from inwindow.udaf.derive.version import written_of
from inwindow.udaf.errors import StateError, UsageError, shown
from inwindow.windows.spec import Landmark, Scope, Session

Part = tuple[str, str]  # the text; the digest, or ""
Fingerprint = Mapping[str, Part]

_CODE = "code"
_PYTHON = "the version of Python"
_LATENESS = "the allowed lateness"
_AGGREGATE = "the aggregate of "
_OURS = (Aggregate, WindowAggregate, object)


def fingerprint(work: Pass, schema: pa.Schema | None = None, zone: str = "UTC", rows: str = "") -> dict[str, Part]:
    """The parts of a plan and of its input columns; ``rows`` says what the output has a row for."""
    parts = dict(_of_pass(work))
    if rows:
        parts["the rows"] = rows, ""
    for step in work.steps:
        _join(parts, parts_of_step(step))
    if schema is not None:
        parts |= {f"{_TYPE_OF}{shown_name(field.name)}": (str(in_utc(field.type)), "") for field in schema}
        if _shows_the_zone(work, schema):
            parts["the time zone of the session"] = zone, ""
    parts[_PYTHON] = "{}.{}".format(*sys.version_info[:2]), ""
    return parts


_OF_ALL = (
    "the rows",
    "the keys",
    "the order",
    "the extents",
    "the results",
    "the time zone of the session",
    _PYTHON,
    _LATENESS,
)
_TYPE_OF = "the type of the column "


def is_of_a_step(name: str) -> bool:
    """Whether a part belongs to single aggregates."""
    return name not in _OF_ALL and not name.startswith(_TYPE_OF)


IN_A_CHECKPOINT = (
    "the state in this checkpoint belongs to other aggregates or windows, and would be misread",
    "go on with the query that wrote it, or give the changed one a new checkpointLocation",
)
OF_AN_OPERATOR = (
    "this state is not of this operator",
    "state can only be restored into the same aggregates over the same windows",
)


def check(found: Any, here: Fingerprint, saying: tuple[str, str]) -> None:
    """Check that the state belongs to this plan; otherwise a StateError lists the differences."""
    there: Fingerprint = {name: (str(said), str(its)) for name, (said, its) in dict(found).items()}
    differing = list(_differences(there, here))
    if differing:
        lines = "\n".join(f"  {one}" for one in differing)
        raise StateError(f"{saying[0]}:\n{lines}\n{saying[1]}")


def described(found: Any) -> str:
    """The query to which a state belongs, in one line."""
    parts = {name: str(said) for name, (said, _) in dict(found).items()}
    results = [name.removeprefix(_AGGREGATE) for name in parts if name.startswith(_AGGREGATE)]
    said = [
        f"{name} = {parts[_AGGREGATE + name]}{_over(parts.get(f'the window of {name}', ''))}" for name in results
    ] or [parts.get("the rows", "")]
    over = {"per": parts["the keys"], "ordered by": parts["the order"], "over": parts.get("the extents", "none")}
    return "; ".join([*said, *(f"{word} {its}" for word, its in over.items() if its != "none")])


def _over(window: str) -> str:
    return f" over {window}" if window else ""


def _differences(there: Fingerprint, here: Fingerprint) -> Iterator[str]:
    other_python = there.get(_PYTHON) != here.get(_PYTHON)
    has_code = any(said == _CODE for said, _ in there.values())
    aggregates = [name for name in there if name.startswith(_AGGREGATE)]
    others = any(there[name] != here.get(name) for name in aggregates)
    for name in [*there, *(name for name in here if name not in there)]:
        before, now = there.get(name), here.get(name)
        if before == now or (before and now and before[1] and before[1] == now[1]):
            continue
        if other_python and (_CODE in (before and before[0], now and now[0]) or (name == _PYTHON and not has_code)):
            continue  # the digests are those of another version of Python
        if before is None or now is None:
            if others:
                continue  # the parts of a different aggregate differ anyway
            side, its = ("the query", now) if before is None else ("the state", before)
            yield f"{name} is only in {side}{'' if its is None or its[0] == _CODE else f': {its[0]}'}"
        elif before[0] == now[0]:
            yield f"{name} has changed" + ("" if before[0] == _CODE else f" (both are shown as {now[0]})")
        else:
            yield f"{name}: {before[0]} in the state, {now[0]} in the query"
            if name == _PYTHON:
                yield "whose instructions differ, so that nobody can tell whether hooks and functions are the same"


def _of_pass(work: Pass) -> Iterator[tuple[str, Part]]:
    yield "the keys", (", ".join(work.partition_by) or "none", "")
    yield "the order", (", ".join(order.describe() for order in work.order_by) or "none", "")
    if work.extent is not None:
        yield "the extents", (work.extent.describe(), digest([Digester().digest_of(work.extent)]))
    yield "the results", (", ".join(step.name for step in work.steps), "")


def parts_of_step(step: Step) -> dict[str, Part]:
    """The parts of an aggregate over its window, and of its class."""
    of = f"of {step.name}"
    window, traits = step.case.window, step.case.traits
    parts: dict[str, Part] = {
        f"{_AGGREGATE}{step.name}": (step.label, digest([step.label, Digester().digest_of(traits.options)])),
        f"the arguments {of}": (_shown_names(step.arguments), digest(step.arguments)),
        f"the filter {of}": (_shown_names(filter(None, [step.condition])), digest([step.condition])),
        f"the result type {of}": (str(in_utc(step.implementation.result)), ""),
        f"the strategy {of}": (f"{'compiled ' if isinstance(step.machine, CMachine) else ''}{step.strategy}", ""),
        f"the options {of}": (f"nulls={traits.nulls!r}, empty={shown(traits.empty)}", digest([
            Digester().digest_of([traits.nulls, traits.empty])
        ])),
    }  # fmt: skip
    if step.failures is not None:
        parts[f"on_error {of}"] = "not 'fail'", ""
    if step.least is not None:
        parts[f"min_count {of}"] = str(step.least), ""
    if window is not None:
        plain = replace(window, partition_by=(), order_by=(), strategy=None)
        said = plain.describe()
        said += "" if window.origin is None else f" origin {shown(window.origin)}"
        said += "" if window.final == "drop" else f" final {window.final}"
        if isinstance(window.frame, Scope):
            for side in ("lower", "upper"):
                parts |= _of_functions({f"{side}= of the scope {of}": getattr(window.frame, side)}, Digester())
            plain = replace(plain, frame=Scope())
        parts[f"the window {of}"] = said, digest([_digest_of(Digester(), plain, f"the window {of}")])
    if step.implementation.aggregate is not None:
        _join(parts, _of_aggregate(step, written_of(step.implementation.aggregate)))
        if type(step.prototype) is not type(step.implementation.aggregate):
            _join(parts, _of_aggregate(step, written_of(step.prototype)))
        derived = step.implementation.derived
        parts[f"the derived hooks {of}"] = ", ".join(derived) or "none", digest([derived[name] for name in derived])
    return parts


def version_of(step: Step, types: Sequence[pa.DataType], form: int) -> str:
    """A text that names an aggregate; it changes with its parameters, the code of its class, and the form of its states."""
    label = f"{step.case.traits.name}({', '.join(str(in_utc(kind)) for kind in types)})"
    aggregate = step.implementation.aggregate
    if aggregate is None:
        options = digest([Digester().digest_of(step.case.traits.options)])
        return f"{label}{f' options {options[:12]}' if step.case.traits.options else ''} format {form}"
    written = written_of(aggregate)
    own = getattr(type(written), "saved_version", None)
    if own is not None:
        return f"{label} version {own}"
    parts = dict(_of_aggregate(step, written))
    derived = sorted(step.implementation.derived.items())  # derived hooks keep attributes of their own
    code = digest([*(f"{name} {said} {its}" for name, (said, its) in sorted(parts.items())), *map(str, derived)])
    return f"{label} code {code[:16]} of Python {sys.version_info[0]}.{sys.version_info[1]}"


def _join(parts: dict[str, Part], more: Mapping[str, Part]) -> None:
    """Add parts; if two classes have the same name, a part combines both."""
    for name, part in more.items():
        known = parts.get(name, part)
        parts[name] = part if known == part else (part[0], digest([*known, *part]))


def _shown_names(names: Iterable[str]) -> str:
    return ", ".join(shown(shown_name(name)).strip("'") for name in names) or "none"


# The user's aggregates


def _of_aggregate(step: Step, aggregate: Any) -> dict[str, Part]:
    """An aggregate's parameters, and the hooks, methods and attributes of its class."""
    kind, of = type(aggregate), f"of {step.name}"
    digester = Digester(kind)
    parts: dict[str, Part] = {}
    for name, value in _parameters(aggregate).items():
        what = f"the parameter {name} {of}"
        parts[what] = shown(value), digest([_digest_of(digester, value, what)])
    for its in kind.__mro__:
        if its not in _OURS:
            if digester.is_own(its.__module__):
                _join(parts, _of_functions({f"{its.__name__}.{name}": one for name, one in members(its)}, digester))
            else:
                parts[f"the class {its.__qualname__}"] = f"{its.__module__}.{its.__qualname__}", ""
    return parts


def _parameters(aggregate: Any) -> dict[str, Any]:
    """All attributes of an aggregate before the first tuple."""
    given = dict(getattr(aggregate, "__dict__", {}))
    for name in copyreg._slotnames(type(aggregate)):  # type: ignore[attr-defined]
        if hasattr(aggregate, name):
            given[name] = getattr(aggregate, name)
    given.pop("_arguments", None)  # the arguments of `__init__`, kept for a base version, which has its own digest
    return given


def _of_functions(given: Mapping[str, Any], digester: Digester) -> dict[str, Part]:
    """The code of functions, and each value that they read by name; for other members, their values."""
    parts: dict[str, Part] = {}
    read: dict[str, list[bytes]] = {}
    values: dict[str, Any] = {}
    for name, member in given.items():
        inner = functions_in(member)
        plain = [one for one in inner if hasattr(one, "__code__")]
        if not inner or len(plain) < len(inner):
            parts[name] = shown(member), digest([digester.digest_or_type(member)])
            continue
        parts[name] = _CODE, digest([type(member).__name__, *(part for one in plain for part in digester.code_of(one))])
        for one in plain:
            for its, value in digester.names_read_by(one).items():
                read.setdefault(its, []).append(digester.digest_or_type(value))
                values[its] = value
    by = " and ".join(sorted({name.partition(".")[0] for name in given}))
    for its, digests in read.items():
        said = _CODE if functions_in(values[its]) or isinstance(values[its], type) else shown(values[its])
        parts[f"{its}, which is read by {by}"] = said, digest(sorted(set(digests)))
    return parts


def _digest_of(digester: Digester, value: Any, what: str) -> bytes:
    try:
        return digester.digest_of(value)
    except Undigestible as untold:
        inner = type(untold.args[0]).__name__
        raise UsageError(
            f"{what}: its value cannot be told from another, by a state that is read later: a {inner} cannot be pickled; give the "
            "class a __reduce__, or a __repr__ that says all that matters"
        ) from None


# Time zones


def _shows_the_zone(work: Pass, schema: pa.Schema) -> bool:
    """Whether a result may depend on the session's time zone: by the local form of an instant, or by literals without a zone."""
    timed = work.key is not None and has_instants(work.key.type)
    if timed and (isinstance(work.extent, Session) or getattr(work.extent, "origin", None) is not None):
        return True
    for step in work.steps:
        window = step.case.window
        if timed and window is not None and (window.origin is not None or isinstance(window.frame, (Landmark, Scope))):
            return True
        if step.implementation.aggregate is not None:
            if any(name not in schema.names for name in step.arguments):
                return True  # a computed column: its type is not known here
            kinds = [schema.field(name).type for name in step.arguments]
            if any(map(has_instants, [*kinds, step.implementation.result])):
                return True
    return False
