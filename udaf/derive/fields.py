"""Read the hooks of an aggregate: how initialize and iterate set each field, and which form the field therefore has."""

import ast
import copy
from collections.abc import Iterable
from typing import Any

from inwindow.udaf.contract import Aggregate, WindowAggregate
from inwindow.udaf.derive import terms
from inwindow.udaf.derive.extremes import FloatExtreme
from inwindow.udaf.derive.form import Form
from inwindow.udaf.derive.forms import form_of
from inwindow.udaf.derive.hook import Cannot, Hook, read
from inwindow.udaf.derive.kept import Fixed, Newest, Oldest
from inwindow.udaf.derive.pure import Kind, Pure, value_of
from inwindow.udaf.derive.sums import FloatTotal
from inwindow.udaf.derive.updates import Reader, Steps, fields_of, renamed, ways_of

_OWN_WAYS = (
    "__slots__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__copy__", "__deepcopy__", "__reduce__",
    "__reduce_ex__", "__getstate__", "__setstate__", "__init_subclass__", "__new__",
)  # fmt: skip


class Fields:
    """The hooks of an aggregate as steps, and the form of each field."""

    def __init__(self, aggregate: Aggregate, kinds: tuple[Kind, ...]) -> None:
        self.aggregate, self.kind = aggregate, type(aggregate)
        self.traits = aggregate._traits
        assert self.traits is not None
        self._check_class()
        step = "iterate" if "iterate" in self.traits.hooks else "initialize"
        self.step = read(self.kind, step)
        self.begin = read(self.kind, "initialize") if step == "iterate" and "initialize" in self.traits.hooks else None
        self.end = read(self.kind, "terminate")
        if len(self.step.parameters) != len(kinds):
            raise Cannot(f"{step} takes any number of values")
        self._check_names()
        changing = fields_of(self.step) | (fields_of(self.begin) if self.begin else set())
        self.pures: list[Pure] = []
        reader = self._reader(self.step, kinds, frozenset(changing), None)
        self.steps: Steps = reader.body()
        self.first: Steps = []
        if self.begin is not None:
            again = self._reader(self.step, kinds, frozenset(changing), None)
            self.first = self._reader(self.begin, kinds, frozenset(changing), again).body()
            # In the parameter names of iterate, so that both can be compared.
            self.first = renamed(self.first, self.begin, self.step)

    def _reader(self, hook: Hook, kinds: tuple[Kind, ...], changing: frozenset[str], step: Reader | None) -> Reader:
        pure = Pure(hook, self.aggregate, dict(zip(hook.parameters, kinds, strict=True)), changing)
        self.pures.append(pure)
        return Reader(hook, pure, step)

    def _check_names(self) -> None:
        """Check that names of derived lines, and of parameters, do not clash with names that the user's hooks use."""
        if self.begin is not None:
            for one, other in ((self.begin, self.step), (self.step, self.begin)):
                code = one.function.__code__
                for name in sorted({*code.co_names, *code.co_freevars} & {*other.locals}):
                    if one.known(name)[0]:
                        raise Cannot(f"{name} is a variable of {other.name}, and something else in {one.name}")
        for hook in (self.step, self.begin):
            taken = hook.locals - {hook.me} if hook else set()
            for name in taken & {"_left", "self", "PUNT", "ExactSum"}:
                raise Cannot(f"{hook.name if hook else ''} has a variable {name}")

    def _check_class(self) -> None:
        assert self.traits is not None
        if self.traits.reads_inwindow:
            raise Cannot("it reads inwindow")
        own = self.traits.hooks & self.aggregate.__dict__.keys()
        if own:
            raise Cannot(f"{min(own)} is an attribute of the object")
        if type(self.kind) is not type:
            raise Cannot("its class has a metaclass")
        for base in self.kind.__mro__:
            if base in (Aggregate, WindowAggregate, object):
                continue
            way = next((name for name in _OWN_WAYS if name in vars(base)), None)
            if way is not None:
                raise Cannot(f"{base.__name__} has {way}")

    def forms(self) -> dict[str, Form]:
        """The form of each field, by name."""
        by_step, by_first = terms.terms_of(self.steps), terms.terms_of(self.first)
        for name in sorted({*by_step, *by_first}):
            of_class = next((vars(base)[name] for base in self.kind.__mro__ if name in vars(base)), None)
            if callable(of_class) or hasattr(type(of_class), "__set__") or hasattr(type(of_class), "__get__"):
                raise Cannot(f"self.{name} is a method or a property")
        self._check_starts(by_step)
        found = {}
        for name in {**by_first, **by_step}:
            found[name] = self._form(name, by_step.get(name, []), by_first.get(name, []))
            if isinstance(found[name], (FloatTotal, FloatExtreme)):
                self._check_nulls(name, by_step[name])
        return found

    def _check_starts(self, changing: Iterable[str]) -> None:
        """Check that a container has only one name: uses by another name would not be seen."""
        its = self.aggregate.__dict__
        starts = [its[name] for name in changing if isinstance(its.get(name), (list, set, dict))]
        if not starts:
            return
        reached: dict[int, Any] = {}
        named = [value for value in its.values() if any(value is start for start in starts)]
        copy.deepcopy([value for value in its.values() if not any(value is start for start in starts)], reached)
        if len(named) > len({*map(id, starts)}) or any(id(start) in reached for start in starts):
            raise Cannot("two of its fields begin as one object")

    def _check_nulls(self, name: str, step: list[Any]) -> None:
        """With ``nulls="pass"`` check that a field of floats cannot start as None: the hook must test for it."""
        assert self.traits is not None
        if self.traits.nulls != "pass":
            return
        for conditions, update in step:
            for value in ways_of(update.value):
                if isinstance(value, ast.Name) and not any(_asks(test, way, value.id) for test, way in conditions):
                    raise Cannot(
                        f"self.{name} may become None: {value.id} is not asked for with `if {value.id} is not None`"
                    )

    def _form(self, name: str, step: list[Any], first: list[Any]) -> Form:
        updates = [update for _, update in step]
        if not updates:
            return self._of_first(name, first)
        if any(update.does in ("set", "empty") for update in updates):
            return self._newest(name, step, first)
        if any(update.is_new for update in updates):
            raise Cannot(f"self.{name} is made anew by iterate")
        if self.begin is None:
            return form_of(name, updates, terms.First(True, value_of_start(self.aggregate, name)))
        if not first:
            raise Cannot(f"initialize does not set self.{name}: a first tuple is not one more")
        for reading in terms.firsts_of(first, updates[0].does):
            if terms.alike(reading.terms, step):
                if not reading.is_set:
                    reading.has_start, reading.start = True, value_of_start(self.aggregate, name)
                return form_of(name, updates, reading)
        raise Cannot(f"initialize does not do to self.{name} what iterate does: a first tuple is not one more")

    def _of_first(self, name: str, first: list[Any]) -> Form:
        (conditions, update), *more = first
        if more or conditions or update.does not in ("set", "empty"):
            raise Cannot(f"self.{name} is changed by initialize alone")
        if update.kind is None:
            raise Cannot(f"self.{name} is of a type that is not known")
        reads = {node.id for node in ast.walk(update.value) if isinstance(node, ast.Name)}
        known = {self.step.me, *(outside for pure in self.pures for outside in pure.names)}
        form = Fixed(name) if reads <= known else Oldest(name)
        form.terminate_sees = "contents" if update.does == "empty" else ""
        return form

    def _newest(self, name: str, step: list[Any], first: list[Any]) -> Form:
        (conditions, update), *more = step
        if more or conditions or update.does != "set":
            raise Cannot(f"self.{name} is set only at times: whether by the tuple that leaves is not known")
        if self.begin is not None and not terms.alike(first, step):
            raise Cannot(f"initialize does not set self.{name} to what iterate does")
        if update.kind is None:
            raise Cannot(f"self.{name} is of a type that is not known")
        return Newest(name)


def _asks(test: str, way: bool, name: str) -> bool:
    """Whether a value cannot be None after this outcome of a test."""
    none = {
        ast.dump(ast.parse(f"{name} is None", mode="eval").body): False,
        ast.dump(ast.parse(f"{name} is not None", mode="eval").body): True,
    }
    return none.get(test) is way


def value_of_start(aggregate: Aggregate, name: str) -> Any:
    """The value of a field before the first tuple, from ``__init__`` or the class."""
    if name in aggregate.__dict__:
        if any(name in vars(base) and hasattr(vars(base)[name], "__get__") for base in type(aggregate).__mro__):
            raise Cannot(f"self.{name} is no plain attribute")
        return aggregate.__dict__[name]
    return value_of(aggregate, name)
