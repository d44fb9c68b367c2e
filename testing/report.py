"""What is said of an aggregate: that it keeps its promises, or which one it breaks, with a test that shows it."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inwindow.testing.steps import expression_of, line
from inwindow.udaf.contract import Aggregate, base_of
from inwindow.udaf.errors import InWindowError, shown

if TYPE_CHECKING:
    from inwindow.testing.search import Found

_MODULES = {
    "contextlib": "import contextlib", "copy": "import copy",
    "datetime": "import datetime", "Decimal": "from decimal import Decimal",
    "np": "import numpy as np", "pa": "import pyarrow as pa", "iw": "import inwindow as iw",
    "pickle": "import pickle", "with_hooks": "from inwindow.udaf.compiled.c_hooks import with_hooks",
}  # fmt: skip


@dataclass(frozen=True)
class Report:
    """The report of :func:`inwindow.testing.check` about an aggregate that keeps its promises, as far as was tried."""

    name: str
    laws: tuple[str, ...]
    examples: int

    def __str__(self) -> str:
        return f"{self.name} keeps its promises: {', '.join(self.laws)}"


class BrokenPromise(InWindowError, AssertionError):
    """A law does not hold for an aggregate; ``test`` is a test that shows it, to be pasted.

    ``aggregate``, ``law`` and ``hook`` say what is broken, ``tuples`` on which input, ``given`` and ``expected`` how.
    """

    aggregate: str
    law: str
    hook: str
    tuples: list[Any]
    given: str
    expected: str
    advice: str
    test: str

    def __init__(self, message: str, **said: Any) -> None:
        super().__init__(message)
        self.__dict__.update(said)


def broken_promise(aggregate: Aggregate, found: "Found") -> BrokenPromise:
    """The error for a broken law."""
    broken, law = found.broken, found.law
    name = type(aggregate).__name__
    tuples = [row if len(row) != 1 else row[0] for row in _tuples(found)]
    odd = "" if _is_plain(tuples) else (_STAYS if law.hook in ("expire", "unmerge") else "") + _FINITE
    said = {
        "aggregate": name,
        "law": law.name,
        "hook": _hook(found),
        "tuples": tuples,
        "given": f"{broken.call} raised {type(broken.error).__name__}: {broken.error}"
        if broken.error
        else _result(broken.given),
        "expected": "a result" if broken.error else _result(broken.expected),
        "advice": law.advice + odd,
        "test": test_of(aggregate, found),
    }
    given = said["given"] if broken.error else f"{said['given']}, expected {said['expected']}"
    message = (
        f"{name} breaks a promise: {law.name} (see `{said['hook']}`)\n  tuples   {shown(tuples)}\n  given    {given}\n"
    )
    return BrokenPromise(f"{message}  {said['advice']}\n\n{said['test']}", **said)


def _result(value: Any) -> str:
    return re.sub(r"iw\.testing\.Rehashed\((.*?), \d\)", r"\1", shown(value))


_STAYS = (
    " Here a NaN, an infinity or an overflow stays behind: keep floats in fields of their own, which are watched (self.total), "
    "without rebase=False; or return iw.PUNT where the state is not finite (if not math.isfinite(self.total): return iw.PUNT)."
)
_FINITE = " If your data have no NaN, no infinities and no such large numbers, say so: check(..., finite=True)."


def _is_plain(tuples: list[Any]) -> bool:
    return not re.search(r"\b(nan|inf)\b|1e\+308", repr(tuples))


def _tuples(found: "Found") -> list[Any]:
    """The tuples of the example that the test needs."""
    rows = found.example.rows
    if hasattr(found.example, "over"):
        return [(key, at, *values) for key, at, values in rows]
    taken = max((int(number) for number in _taken(found)), default=len(rows))
    return list(rows[:taken])


def _taken(found: "Found") -> list[int]:
    """How many tuples the copies took, at most, one by one."""
    counts: dict[str, int] = {}
    for template, _ in found.broken.steps.lines:
        for match in re.finditer(r"(\w+)\.(initialize|iterate)\(", template):
            counts[match[1]] = counts.get(match[1], 0) + 1
    return [max(counts.values())] if counts and found.law.hook == "expire" else []


def _hook(found: "Found") -> str:
    """The hook that raised, else the one that the law is about."""
    call = re.search(r"\.(initialize|iterate|expire|merge|unmerge|terminate)\(", found.broken.call)
    return call[1] if found.broken.error and call else found.law.hook


def test_of(aggregate: Aggregate, found: "Found") -> str:
    """A test that fails because of the law, as Python code."""
    lines = [f"aggregate = {expression_of(aggregate)}", *(line(*step) for step in found.broken.steps.lines)]
    body = "\n".join(f"    {text}" for text in lines)
    imports = [text for name, text in _MODULES.items() if re.search(rf"\b{name}\b[.(]", body)]
    if re.search(r"window = (Window|Hop|Cumulate|Session)\(", body):
        imports.append("from inwindow.windows.spec import Cumulate, Hop, Order, Range, Rows, Session, Window")
    others = [aggregate] if "base_version" not in body else [aggregate, base_of(aggregate)]
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(aggregate).__name__).lower()
    title = f"test_{snake}_{found.law.name.replace(' ', '_')}".replace("'", "")
    where = [_import_of(one) for one in others]
    return "\n".join([*imports, *where, "", "", f"def {title}():", body, ""])


test_of.__test__ = False  # type: ignore[attr-defined]  # pytest takes it for a test where it is imported


def _import_of(aggregate: Any) -> str:
    inner = getattr(getattr(aggregate, "aggregator", None), "it", None)
    kind = type(inner if hasattr(type(aggregate), "_spoken") else aggregate)
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
        return f"# {kind.__name__} is the class that was checked: paste this where it is defined"
    return f"from {kind.__module__} import {kind.__qualname__.partition('.')[0]}"
