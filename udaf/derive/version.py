"""The window version of a class: a subclass of the user's class with the derived hooks."""

import ast
import inspect
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, cast
from weakref import WeakKeyDictionary

import pyarrow as pa

from inwindow.native._exact import ExactSum
from inwindow.udaf.constant import is_constant
from inwindow.udaf.contract import Aggregate, WindowAggregate
from inwindow.udaf.derive import looking, writing
from inwindow.udaf.derive.fields import Fields
from inwindow.udaf.derive.form import Form, No
from inwindow.udaf.derive.hook import Cannot
from inwindow.udaf.derive.kept import Oldest
from inwindow.udaf.derive.pure import Kind, kind_of_type
from inwindow.udaf.derive.updates import Update, every


@dataclass(frozen=True)
class Derivation:
    """The hooks that were derived for an aggregate, and why others were not."""

    hooks: dict[str, str] = field(default_factory=dict)  # their text, by name
    why_not: dict[str, str] = field(default_factory=dict)  # for the missing hooks
    version: type[Aggregate] | None = None
    names: tuple[tuple[Any, str, Any], ...] = ()  # the values of the names in the hooks

    def of(self, aggregate: Aggregate) -> Aggregate:
        """The window version of an aggregate, configured like it."""
        if self.version is None:
            return aggregate
        made = object.__new__(self.version)
        made.__dict__.update(aggregate.__dict__)
        for name, start in getattr(self.version, "_begins", {}).items():
            made.__dict__[name] = start()
        return made


_known: "WeakKeyDictionary[Any, dict[Any, Derivation]]" = WeakKeyDictionary()


def derive(aggregate: Aggregate, types: list[pa.DataType]) -> Derivation:
    """The hooks that follow from those of an aggregate, over columns of these types.

    Done once for a class and types; or once for the object, if it has attributes that can change.

    >>> import inwindow as iw
    >>> class MyAvg(iw.Aggregate):                          # ESL, example 7
    ...     def initialize(self, value): self.total, self.count = value, 1
    ...     def iterate(self, value): self.total += value; self.count += 1
    ...     def terminate(self) -> float: return self.total / self.count
    >>> derived = derive(MyAvg(), [pa.int64()])
    >>> print(derived.hooks["expire"])                      # example 12
    def expire(self, value):
        self.total -= value
        self.count -= 1
    >>> print(derived.hooks["merge"])
    def merge(self, later):
        self.total += later.total
        self.count += later.count
    """
    traits = aggregate._traits
    assert traits is not None
    wanted = ["expire", "merge", "unmerge"]
    if traits.hooks & {*wanted} or not traits.has_terminate:
        return Derivation()  # the user has written one of them, so nothing is derived
    if not aggregate._declared.derive:
        return Derivation(why_not=dict.fromkeys(wanted, "derive=False"))
    if hasattr(type(aggregate), "_spoken"):
        return Derivation(why_not=dict.fromkeys(wanted, "the buffer of a Spark Aggregator is not looked into"))
    kind = type(aggregate)
    kinds = tuple(kind_of_type(one) for one in types)
    holder: Any = kind if all(map(is_constant, vars(aggregate).values())) else aggregate
    is_itself = holder is kind or kind.__hash__ is object.__hash__
    found = _known.setdefault(holder, {}) if is_itself else {}
    written = tuple(inspect.getattr_static(kind, hook, None) for hook in ("initialize", "iterate", "terminate"))
    at = kinds, _facts(aggregate), tuple((id(hook), getattr(hook, "__code__", None)) for hook in written)
    known = found.get(at)
    if known is None or not all(_still(hook.known(name), value) for hook, name, value in known.names):
        try:
            known = _Version(aggregate, kinds, wanted).derived()
        except Cannot as reason:
            known = Derivation(why_not=dict.fromkeys(wanted, str(reason)))
        found[at] = known
    return known


def _still(found: tuple[bool, Any], value: Any) -> bool:
    """Whether a name still has the same value and type: 1.0 is not 1."""
    return found == (True, value) and type(found[1]) is type(value)


def _facts(aggregate: Aggregate) -> tuple[Any, ...]:
    """The attributes of an aggregate that may change the outcome."""
    plain = (int, float, str, bool, type(None))
    of_class = [
        (name, value)
        for base in type(aggregate).__mro__ if base not in (Aggregate, WindowAggregate, object)
        for name, value in vars(base).items() if name not in ("__dict__", "__weakref__")
    ]  # fmt: skip
    code = tuple((name, id(value)) for name, value in of_class if type(value) not in plain)
    return code, tuple(
        (name, type(value), repr(value) if type(value) in plain else len(value) if hasattr(value, "__len__") else None)
        for name, value in (*(one for one in of_class if type(one[1]) in plain), *aggregate.__dict__.items())
    )


def written_of(aggregate: Aggregate) -> Aggregate:
    """The aggregate as the user wrote it."""
    written = getattr(type(aggregate), "_written", None)
    if written is None:
        return aggregate
    made = object.__new__(written)
    hidden = type(aggregate)._begins  # type: ignore[attr-defined]
    made.__dict__.update({name: value for name, value in aggregate.__dict__.items() if name not in hidden})
    return made


class _Version:
    def __init__(self, aggregate: Aggregate, kinds: tuple[Kind, ...], wanted: list[str]) -> None:
        self.aggregate, self.kind, self.wanted, self.traits = aggregate, type(aggregate), wanted, aggregate._traits
        self.fields = Fields(aggregate, kinds)
        self.step, self.begin, self.end = self.fields.step, self.fields.begin, self.fields.end
        self.steps, self.first, self.pures = self.fields.steps, self.fields.first, self.fields.pures

    def derived(self) -> Derivation:
        """The version, with the hooks that can be derived."""
        its = self.fields.forms()
        why_not: dict[str, str] = {}
        bodies: dict[str, list[ast.stmt]] = {}
        try:
            looking.looks(self.end, self.aggregate, {form.x: form.terminate_sees for form in its.values()})
        except Cannot as reason:
            return Derivation(why_not=dict.fromkeys(self.wanted, str(reason)))
        hidden = [form.hidden for form in its.values() if form.hidden]
        for name in hidden:
            if hasattr(self.kind, name) or name in its or name in self.aggregate.__dict__:
                raise Cannot(f"self.{name} is a field already")
        self._expire(its, bodies, why_not)
        self._merge(its, bodies, why_not)
        if not bodies:
            return Derivation(why_not=why_not)
        if hidden and self._keeps_hidden(bodies, its):
            bodies = {**self._with_hidden(its), **bodies}
        elif self._constants():
            bodies = {**self._with_hidden({}), **bodies}
        return self._made(bodies, why_not, its)

    def _expire(self, its: dict[str, Form], bodies: dict[str, Any], why_not: dict[str, str]) -> None:
        for step in every(self.steps):
            if isinstance(step, Update):
                code = its[step.field].undo(step)
                if isinstance(code, No):
                    why_not["expire"] = code.why
                    return
        for form in its.values():
            if isinstance(form, Oldest):
                why_not["expire"] = (
                    f"self.{form.x} is what the first tuple said: what the next one says is not in the state"
                )
                return

        def undone(update: Update) -> list[ast.stmt]:
            code = its[update.field].undo(update)
            assert isinstance(code, list)
            return writing.parsed(code, self.step.me, update.node)

        bodies["expire"] = writing.following(self.steps, undone)

    def _merge(self, its: dict[str, Form], bodies: dict[str, Any], why_not: dict[str, str]) -> None:
        has_expire = "expire" in bodies
        for hook in ("merge", "unmerge"):
            if "merge" in why_not:
                why_not[hook] = why_not["merge"]
                continue
            lines: list[str] = []
            for form in its.values():
                code = form.merge() if hook == "merge" else form.unmerge()
                if form.grows and not has_expire:
                    code = No(
                        f"self.{form.x} grows with the frame, and without an expire each of its states would be held"
                    )
                if isinstance(code, No):
                    why_not[hook] = code.why
                    break
                lines += code
            else:
                bodies[hook] = writing.parsed(lines, "self") if lines else [ast.Pass()]

    def _keeps_hidden(self, bodies: dict[str, Any], its: dict[str, Form]) -> bool:
        names = {form.hidden for form in its.values() if form.hidden}
        used = {
            node.attr
            for body in bodies.values()
            for one in body
            for node in ast.walk(one)
            if isinstance(node, ast.Attribute)
        }
        return bool(names & used)

    def _with_hidden(self, its: dict[str, Form]) -> dict[str, list[ast.stmt]]:
        """Initialize and iterate, with the hidden fields."""
        me = self.step.me

        def stepped(update: Update) -> list[ast.stmt]:
            form = its.get(update.field)
            code = form.step(update) if form else None
            if code is not None:
                return writing.parsed(code, me, update.node)
            beside = writing.parsed(form.beside(update), me, update.node) if form else []
            shared = sum(1 for one in every(self.steps) if isinstance(one, Update) and one.node is update.node) > 1
            return [*(writing.plain(update, me) if shared else [update.node]), *beside]

        def begun(update: Update) -> list[ast.stmt]:
            form = its.get(update.field)
            return writing.parsed(form.first(update), me, update.node) if form and form.hidden else []

        bodies = {self.step.name: writing.following(self.steps, stepped)}
        if self.begin is not None:
            written = writing.following(self.first, writing.as_written())
            starts = [line for form in its.values() for line in form.begin()]
            bodies["initialize"] = [
                *written,
                *writing.parsed(starts, me, self.begin.tree),
                *writing.following(self.steps, begun),
            ]
        return bodies

    def _constants(self) -> dict[str, Any]:
        """Names of constants. All hooks of the version use their present values."""
        return {
            name: value
            for pure in self.pures
            for name, value in pure.names.items()
            if not isinstance(value, ModuleType) and not callable(value)
        }

    def _made(self, bodies: dict[str, Any], why_not: dict[str, str], its: dict[str, Form]) -> Derivation:
        names: dict[str, Any] = {}
        held = []
        for pure in self.pures:
            for name, value in pure.names.items():
                if names.setdefault(name, value) is not value:
                    raise Cannot(f"{name} is one thing in initialize and another in iterate")
                held.append((pure.hook, name, value))
        texts: dict[str, str] = {}
        functions: dict[str, Any] = {}
        for hook in ("initialize", "iterate", "expire", "merge", "unmerge"):
            if hook not in bodies:
                continue
            other = {"merge": ("self", "later"), "unmerge": ("self", "earlier")}.get(hook)
            parameters = other or (self.step.me, *self.step.parameters)
            functions[hook], texts[hook] = writing.function(hook, parameters, bodies[hook], self.step, names)
        assert self.traits is not None
        hooks = {"merge": "commutative", "expire": "expire_any_order"}  # if no field knows of an order, neither do they
        commute = all(form.commutes for form in its.values())
        keywords = {keyword: True for hook, keyword in hooks.items() if hook in bodies and commute}
        uses_hidden = self.step.name in bodies
        begins = {
            form.hidden: _Begin(form.begin()[0])
            for form in its.values()
            if form.hidden and self.begin is None and uses_hidden
        }
        bases = (self.kind,) if issubclass(self.kind, WindowAggregate) else (self.kind, WindowAggregate)
        kind, make = self.kind, cast(Any, type)
        space: dict[str, Any] = {"_written": kind, "_begins": begins, **functions}
        space |= {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__}
        version = make(kind.__name__, bases, space, **keywords)
        version._traits = replace(version._traits, derived=frozenset(texts))
        return Derivation(texts, why_not, version, tuple(held))


@dataclass(frozen=True)
class _Begin:
    """The start of a hidden field, for an aggregate without initialize: the field exists before the first tuple."""

    code: str

    def __call__(self) -> Any:
        return eval(self.code.partition(" = ")[2], {"ExactSum": ExactSum})
