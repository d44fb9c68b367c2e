"""The calls of hooks that a law makes, and writes down: what a counterexample is made of.

A law is written once, against copies that do what they are told and note it as a line of Python. Where the law breaks,
the lines are the test that shows it::

    moved = steps.copy("moved")          moved = copy.deepcopy(aggregate)
    moved.take([(0.0,), (1.0,)])         moved.initialize(0.0)
                                         moved.iterate(1.0)
    moved.expire((0.0,))                 moved.expire(0.0)
"""

import copy
import inspect
import math
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from inwindow.native._fresh import fresh
from inwindow.native._hooks import float_fields, is_lost
from inwindow.native.compiled import Hooks
from inwindow.testing.equality import same
from inwindow.testing.state import pickled
from inwindow.udaf.contract import PUNT, Aggregate

Tuple = Sequence[Any]


class Broken(Exception):
    """A law does not hold: two results differ, or a hook raised (``error``, in the ``call``)."""

    def __init__(
        self, steps: "Steps", *, given: Any = None, expected: Any = None, call: str = "", error: Exception | None = None
    ) -> None:
        super().__init__(call)
        self.steps, self.given, self.expected, self.call, self.error = steps, given, expected, call, error


@dataclass
class Steps:
    """What a law does with one made-up example, line by line."""

    aggregate: Aggregate
    tolerance: float
    restore: Callable[[], None]  # what the class keeps for all copies, as it was
    lines: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def copy(self, name: str) -> "Copy":
        """A new copy of the aggregate."""
        self.lines.append((f"{name} = copy.deepcopy(aggregate)", ()))
        return Copy(self, name, fresh(self.aggregate))

    def again(self, name: str, of: "Copy") -> "Copy":
        """A copy of a copy, with its state."""
        return self._made(name, of, f"copy.deepcopy({of.name})", copy.deepcopy)

    def pickled(self, name: str, of: "Copy") -> "Copy":
        """A copy whose state has been pickled."""
        return self._made(name, of, f"iw.testing.pickled({of.name})", pickled)

    def _made(self, name: str, of: "Copy", call: str, make: Any) -> "Copy":
        self.lines.append((f"{name} = {call}", ()))
        try:
            made = Copy(self, name, make(of.it))
        except Exception as error:
            raise Broken(self, call=call, error=error) from error
        made.has_begun, made.said = of.has_begun, list(of.said)
        if made.said:
            self.lines.append((f"{name}_said = list({of.name}_said)", ()))
        return made

    def agree(self, given: "Copy | Kept", expected: "Copy | Kept") -> None:
        """Both have the same result, or the law is broken."""
        (a, one), (b, other) = given.result(), expected.result()
        if not same(a, b, self.tolerance):
            tolerance = "" if self.tolerance == 1e-6 else f", tolerance={literal(self.tolerance)}"
            self.lines.append((f"given, expected = {one}, {other}", ()))
            self.lines.append((f"assert iw.testing.same(given, expected{tolerance}), (given, expected)", ()))
            raise Broken(self, given=a, expected=b)


class Copy:
    """A copy of the aggregate that folds tuples."""

    def __init__(self, steps: Steps, name: str, it: Any) -> None:
        self.steps, self.name, self.it = steps, name, it
        self.has_begun = False
        self.said: list[Any] = []  # by the hooks of a class without terminate
        self.peaks: dict[Any, float] = {}  # of its float fields
        self.is_blocking = hasattr(it, "terminate")

    def take(self, rows: Sequence[Tuple]) -> "Copy":
        """Tuples arrive: initialize for the first, iterate for the others, if both are written."""
        for row in rows:
            hook = "iterate" if self.has_begun else "initialize"
            if not hasattr(self.it, hook):
                hook = "initialize" if self.has_begun else "iterate"
            self.has_begun = True
            answer = self._call(hook, tuple(row))
            if not self.is_blocking:
                self.said.append(answer)
        return self

    def tried(self, row: Tuple) -> str | None:
        """A tuple that should be refused; None if it is, else the call that took it."""
        names = ("iterate", "initialize") if self.has_begun else ("initialize", "iterate")
        hook = next(name for name in names if hasattr(self.it, name))
        step = (f"{self.name}.{hook}(%s)", tuple(row))
        try:
            answer = getattr(self.it, hook)(*row)
            if inspect.isgenerator(answer):
                step = (f"list({step[0]})", step[1])
                list(answer)
        except Exception:
            self.steps.lines.append((f"with contextlib.suppress(Exception): {step[0]}", step[1]))
            return None
        self.steps.lines.append(step)
        return line(*step)

    def expire(self, row: Tuple) -> bool:
        """The oldest tuple leaves; False if the hook refuses."""
        return self._call("expire", tuple(row)) is not PUNT

    def is_poisoned(self, rows: Sequence[Tuple]) -> bool:
        """Whether a NaN or an infinity is left in a float field that the tuples at hand do not put there: the framework
        folds such a frame afresh, unless the class says ``rebase=False``."""
        traits = self.steps.aggregate._traits
        if traits is None or not traits.rebase:
            return False
        odd = {
            place: value
            for place, value in float_fields(self.it, self.steps.aggregate).items()
            if not math.isfinite(value)
        }
        if not odd:
            return False
        afresh = Copy(Steps(self.steps.aggregate, 0.0, self.steps.restore), "", fresh(self.steps.aggregate)).take(rows)
        of_rows = float_fields(afresh.it, self.steps.aggregate)
        return not same(odd, {place: of_rows[place] for place in odd if place in of_rows}, 0.0)

    def has_lost_digits(self) -> bool:
        """Whether a float field has become tiny against what it has been: there, too, the framework folds the frame afresh."""
        traits = self.steps.aggregate._traits
        if traits is None or not traits.rebase:
            return False
        return any(
            is_lost(value, self.peaks.get(place, 0.0))
            for place, value in float_fields(self.it, self.steps.aggregate).items()
        )

    def merge(self, later: "Copy") -> "Copy":
        """A later run is merged in."""
        self._call("merge", (later,))
        return self

    def unmerge(self, earlier: "Copy") -> bool:
        """Take out the earliest run; False if the hook refuses."""
        return self._call("unmerge", (earlier,)) is not PUNT

    def terminate(self) -> None:
        """Call terminate, and ignore the result."""
        if self.is_blocking:
            self._call("terminate", ())

    def result(self) -> tuple[Any, str]:
        """The result now, and the expression that gives it."""
        if not self.is_blocking:
            return list(self.said), f"{self.name}_said"
        call = f"{self.name}.terminate()"
        try:
            return self.it.terminate(), call
        except Exception as error:
            self.steps.lines.append((call, ()))
            raise Broken(self.steps, call=call, error=error) from error

    def keep(self, name: str) -> "Kept":
        """The result now, for later."""
        value, call = self.result()
        self.steps.lines.append((f"{name} = copy.deepcopy({call})", ()))
        return Kept(name, copy.deepcopy(value))

    def _call(self, hook: str, arguments: tuple[Any, ...]) -> Any:
        self.steps.lines.append((f"{self.name}.{hook}(%s)", arguments))
        given = [argument.it if isinstance(argument, Copy) else argument for argument in arguments]
        try:
            answer = getattr(self.it, hook)(*given)
            if inspect.isgenerator(answer):
                template, _ = self.steps.lines.pop()
                self.steps.lines.append((f"list({template})", arguments))
                answer = list(answer)
                answer = PUNT if any(one is PUNT for one in answer) else answer
        except Exception as error:
            raise Broken(self.steps, call=line(*self.steps.lines[-1]), error=error) from error
        if hook in ("initialize", "iterate", "merge"):
            for place, value in float_fields(self.it, self.steps.aggregate).items():
                if math.isfinite(value):
                    self.peaks[place] = max(self.peaks.get(place, 0.0), abs(value))
        if not self.is_blocking and hook in ("initialize", "iterate"):
            template, _ = self.steps.lines.pop()
            if not self.said:
                self.steps.lines.append((f"{self.name}_said = []", ()))
            self.steps.lines.append((f"{self.name}_said.append({template})", arguments))
        return answer


@dataclass
class Kept:
    """A result that was kept."""

    name: str
    value: Any

    def result(self) -> tuple[Any, str]:
        """The result and its name."""
        return self.value, self.name


def line(template: str, arguments: tuple[Any, ...]) -> str:
    """A step as Python."""
    if "%s" not in template:
        return template
    return template % ", ".join(
        argument.name if isinstance(argument, Copy) else literal(argument) for argument in arguments
    )


def literal(value: Any) -> str:
    """A value as Python writes it, in any module.

    >>> from decimal import Decimal
    >>> literal([float("nan"), 1.0]), literal({"a": Decimal(1)}), literal((float("-inf"),))
    ("[float('nan'), 1.0]", "{'a': Decimal('1')}", "(float('-inf'),)")
    """
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value!r}')"
    if type(value) is list:
        return f"[{', '.join(map(literal, value))}]"
    if type(value) is tuple:
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if type(value) is dict:
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    return repr(value)


def expression_of(aggregate: Any) -> str:
    """The aggregate as it was made, as far as its attributes tell: ``TopK(k=10)``."""
    kind = type(aggregate)
    inner = getattr(getattr(aggregate, "aggregator", None), "it", None)
    if hasattr(kind, "_spoken"):
        return f"iw.udaf({expression_of(inner)})"
    if isinstance(getattr(aggregate, "it", None), Hooks):
        return f"with_hooks({_of_c(aggregate.it)})"
    attributes = {name: value for name, value in getattr(aggregate, "__dict__", {}).items() if name != "_arguments"}
    if kind.__init__ is object.__init__:
        return f"{kind.__name__}()"
    arguments = {}
    for name, parameter in inspect.signature(kind.__init__).parameters.items():
        if name in attributes and attributes[name] is not parameter.default:
            arguments[name] = attributes[name]
    return f"{kind.__name__}({', '.join(f'{name}={literal(value)}' for name, value in arguments.items() if name != 'self')})"


def _of_c(it: Hooks) -> str:
    """An object of a cdef class, whose attributes Python does not see."""
    try:
        if repr(type(it)()) == repr(it):
            return f"{type(it).__name__}()"
    except TypeError:  # it has parameters
        pass
    return f"pickle.loads({pickle.dumps(it)!r})"
