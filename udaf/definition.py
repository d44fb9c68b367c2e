"""Read and validate an aggregate class when it is defined; all mistakes in a definition are found here."""

import difflib
import dis
import inspect
import typing
from typing import Any

import pyarrow as pa

from inwindow.udaf.errors import DefinitionError, shown
from inwindow.udaf.source.names import codes_of
from inwindow.udaf.traits import HOOKS, PROMISES, Declared, Traits
from inwindow.udaf.types import arrow_type, fitting, record_values

_MISSPELT = {
    "init": "initialize", "initialise": "initialize", "update": "iterate", "step": "iterate", "reduce": "iterate",
    "accumulate": "iterate", "add": "iterate", "remove": "expire",
    "inverse": "expire", "retract": "expire", "evict": "expire", "finish": "terminate", "finalize": "terminate",
    "value": "terminate", "combine": "merge",
}  # fmt: skip

_ELSEWHERE = {"retract": "expire", "inverse": "expire", "evict": "expire", "combine": "merge"}  # hooks of other systems

_SELVES = ("self", "this", "me")
_ANSWERING = {"initialize", "iterate", "expire"}  # hooks that give the results of tuples, if there is no terminate


def read_traits(cls: type, declared: Declared) -> Traits:
    """Read and validate an aggregate class; a :class:`DefinitionError` says what to change."""
    name = cls.__name__
    hooks = {hook: inspect.getattr_static(cls, hook) for hook in HOOKS if hasattr(cls, hook)}
    _check_methods(name, hooks)
    _check_spelling(cls, hooks)
    step = "iterate" if "iterate" in hooks else "initialize"
    if step not in hooks:
        raise DefinitionError(
            f"{name} has neither `iterate` nor `initialize`, so it would never see a tuple: "
            f"write `def iterate(self, value)`{_other_words(cls, hooks)}"
        )
    _check_self(name, hooks)
    parameters, arity = _parameters(name, step, hooks[step])
    for other in ("initialize", "expire"):
        if other in hooks and other != step:
            _same_arity(name, other, hooks[other], step, arity)
    for fixed, count, spelling in (
        ("terminate", 0, "self"),
        ("merge", 1, "self, later"),
        ("unmerge", 1, "self, earlier"),
    ):
        if fixed in hooks and _parameters(name, fixed, hooks[fixed])[1] not in (count, None):
            raise DefinitionError(f"{name}.{fixed} must be written `def {fixed}({spelling})`")
    if "terminate" in hooks and inspect.isgeneratorfunction(hooks["terminate"]):
        raise DefinitionError(
            f"{name}.terminate yields; it gives one result for a frame: return it (a list for several values), or "
            "drop `terminate` and yield from `iterate`"
        )
    if "unmerge" in hooks and "merge" not in hooks:
        raise DefinitionError(f"{name} has `unmerge` but no `merge` to undo: write `def merge(self, later)`")
    _check_keywords(name, declared, hooks, arity)
    _check_returns(cls, hooks)
    result = _result_type(cls, declared, hooks)
    _check_empty(name, declared.empty, result)
    return Traits(
        name=name,
        parameters=parameters,
        arity=arity,
        result=result,
        hooks=frozenset(hooks),
        yielding=frozenset(hook for hook in _ANSWERING & hooks.keys() if inspect.isgeneratorfunction(hooks[hook])),
        silent=frozenset(hook for hook in _ANSWERING & hooks.keys() if gives_nothing(cls, hooks[hook])),
        promises=_promises(declared, hooks),
        reads_inwindow=_annotates_inwindow(cls),
        base=declared.base,
        nulls=declared.nulls,
        empty=declared.empty,
    )


def _check_methods(name: str, hooks: dict[str, Any]) -> None:
    for hook, definition in hooks.items():
        if isinstance(definition, (staticmethod, classmethod, type)) or not callable(definition):
            raise DefinitionError(f"{name}.{hook} must be a plain method: write `def {hook}(self, ...)`")
        if inspect.iscoroutinefunction(definition) or inspect.isasyncgenfunction(definition):
            raise DefinitionError(f"{name}.{hook} is async; hooks are plain methods: write `def {hook}(self, ...)`")


def _promises(declared: Declared, hooks: dict[str, Any]) -> frozenset[str]:
    kept = {promise for promise in PROMISES if getattr(declared, promise)}
    return frozenset(kept if "expire" in hooks else kept - {"expire_any_order"})


def _check_self(name: str, hooks: dict[str, Any]) -> None:
    """Find a hook without ``self``: its only parameter is the value, unless the class uses that name for ``self``."""
    firsts = {hook: _first_parameter(definition) for hook, definition in hooks.items()}
    for hook in ("initialize", "iterate", "expire"):
        first, alone = firsts.get(hook, ("self", False))
        if alone and first not in _SELVES and not first.startswith("_") and firsts.get("terminate", ("",))[0] != first:
            raise DefinitionError(f"{name}.{hook} takes no `self`: write `def {hook}(self, {first})`")


def _first_parameter(definition: Any) -> tuple[str, bool]:
    """Its name, and whether it is the only one."""
    try:
        parameters = list(inspect.signature(definition).parameters.values())
    except ValueError:
        return "self", False
    plain = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return (plain[0], len(parameters) == 1) if plain else ("self", False)


def _check_spelling(cls: type, hooks: dict[str, Any]) -> None:
    """Find a misspelt hook: a method with nearly the name of a hook that is missing."""
    for method, definition in vars(cls).items():
        if method in HOOKS or method.startswith("_") or not inspect.isfunction(definition):
            continue
        for hook in difflib.get_close_matches(method.casefold(), HOOKS, 1, 0.85):
            if hook not in hooks and method != f"{hook}d":  # an `expired` may be a helper
                raise DefinitionError(
                    f"{cls.__name__}.{method} is no hook; is it meant to be `{hook}`? (the hooks are {', '.join(HOOKS)})"
                )
        meant = _ELSEWHERE.get(method)
        if meant and meant not in hooks and {"iterate", "initialize"} & hooks.keys() and not _is_called(cls, method):
            raise DefinitionError(
                f"{cls.__name__}.{method} is no hook, and no hook calls it: is it meant to be `{meant}`? (if you call it "
                f"yourself, name it otherwise; the hooks are {', '.join(HOOKS)})"
            )
        if "iterate" not in hooks and "initialize" in hooks and _MISSPELT.get(method) == "iterate":
            raise DefinitionError(
                f"{cls.__name__} has `initialize` but no `iterate`, so `initialize` would be called for every tuple, and "
                f"`{method}` never: is `{method}` meant to be `iterate`?"
            )


def _is_called(cls: type, method: str) -> bool:
    """Whether another function of the class names a method."""
    others = (one for name, one in vars(cls).items() if inspect.isfunction(one) and name != method)
    return any(method in code.co_names for one in others for code in codes_of(one.__code__))


def _other_words(cls: type, hooks: dict[str, Any]) -> str:
    """A hint about methods with the names that other libraries use for hooks."""
    near = [(other, hook) for other, hook in _MISSPELT.items() if other in vars(cls) and hook not in hooks]
    return "".join(f"; is `{other}` meant to be `{hook}`?" for other, hook in near)


def _parameters(name: str, hook: str, definition: Any) -> tuple[tuple[str, ...], int | None]:
    try:
        parameters = list(inspect.signature(definition).parameters.values())
    except ValueError:
        raise DefinitionError(f"{name}.{hook} must be a plain method: write `def {hook}(self, ...)`") from None
    if not parameters:
        raise DefinitionError(f"{name}.{hook} takes no `self`: write `def {hook}(self, ...)`")
    names: list[str] = []
    for parameter in parameters[1:]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            return (*names, parameter.name), None
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
            raise DefinitionError(
                f"{name}.{hook} has the keyword parameter {parameter.name!r}; hooks are called with the tuple's values "
                "by position: make it a plain parameter, or a parameter of `__init__`"
            )
        names.append(parameter.name)
    return tuple(names), len(names)


def _same_arity(name: str, other: str, definition: Any, step: str, arity: int | None) -> None:
    names, count = _parameters(name, other, definition)
    if count is not None and arity is not None and count != arity:
        raise DefinitionError(
            f"{name}.{other} takes {count} value{'s' if count != 1 else ''} ({', '.join(names) or 'none'}) but "
            f"{step} takes {arity}: every tuple goes in and out with the same values, so give both the same parameters"
        )


def _check_keywords(name: str, declared: Declared, hooks: dict[str, Any], arity: int | None) -> None:
    for keyword in ("algebraic", "commutative", "derive", "rebase", "compile", "expire_any_order"):
        value = getattr(declared, keyword)
        if not isinstance(value, bool):
            raise DefinitionError(f"{name}: {keyword}={shown(value)}: write True or False")
    if not isinstance(declared.nulls, str) or declared.nulls not in ("skip", "pass"):
        raise DefinitionError(
            f"{name}: nulls={shown(declared.nulls)} is not known: use nulls='skip' (no hook sees a tuple with a NULL) "
            "or nulls='pass' (hooks get None)"
        )
    if declared.algebraic and "merge" not in hooks and arity not in (1, None):
        raise DefinitionError(
            f"{name}: algebraic=True feeds the result of a pane to `iterate` as if it were a tuple, but `iterate` takes "
            f"{arity} values: write `def merge(self, later)` instead"
        )


def _check_empty(name: str, empty: Any, result: pa.DataType) -> None:
    if empty is None:
        return  # NULL fits everything; and the first pa.array() of a process imports pandas, where there is one
    try:
        value = record_values(empty)
        if fitting(result)(value):
            pa.array([value], result)
            return
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass
    raise DefinitionError(f"{name}: empty={shown(empty)} does not fit the result type {result}")


def gives_nothing(cls: type, hook: Any) -> bool:
    """Whether a hook certainly returns nothing, by its bytecode: it returns, and every return is a bare one."""
    if not inspect.isfunction(hook) or inspect.isgeneratorfunction(hook):
        return False
    return _return_annotation(cls, hook) in _NO_ANNOTATION and has_no_return(hook)


_NO_ANNOTATION = (inspect.Signature.empty, None, type(None))


def has_no_return(hook: Any) -> bool:
    """Whether a function's code has no ``return`` with a value, and no ``raise`` in place of one."""
    steps = list(dis.get_instructions(hook))
    ends = [at for at, step in enumerate(steps) if step.opname.startswith("RETURN_")]
    return bool(ends) and all(_is_bare_end(steps, at) for at in ends)


def _check_returns(cls: type, hooks: dict[str, Any]) -> None:
    """A hook that is said to give a result has a ``return``; one whose body is ``...`` may be meant for a class below."""
    givers = (
        ["terminate"]
        if "terminate" in hooks
        else [hook for hook in ("initialize", "iterate", "expire") if hook in hooks]
    )
    functions = [hooks[hook] for hook in givers]
    if not all(inspect.isfunction(one) and not inspect.isgeneratorfunction(one) for one in functions):
        return
    said = [hook for hook in givers if _return_annotation(cls, hooks[hook]) not in _NO_ANNOTATION]
    if said and all(has_no_return(one) and one.__code__.co_names for one in functions):
        raise DefinitionError(
            f"{cls.__name__}.{said[-1]} is said to give a result, and has no `return`: every result would be NULL"
        )


def _is_bare_end(steps: list[dis.Instruction], at: int) -> bool:
    end, before = steps[at], steps[at - 1]
    if end.opname == "RETURN_CONST":
        return end.argval is None
    # A jump to the return itself would bring another value.
    return before.opname == "LOAD_CONST" and before.argval is None and not end.is_jump_target


def _annotates_inwindow(cls: type) -> bool:
    for base in cls.__mro__:
        annotation = vars(base).get("__annotations__", {}).get("inwindow")
        if annotation is not None:
            if "InWindow" not in str(annotation):
                raise DefinitionError(
                    f"{cls.__name__}.inwindow is the window's buffer: annotate it `inwindow: iw.InWindow`"
                )
            return True
    return False


def _result_type(cls: type, declared: Declared, hooks: dict[str, Any]) -> pa.DataType:
    if declared.returns is not None:
        try:
            return arrow_type(declared.returns)
        except DefinitionError as error:
            raise DefinitionError(f"{cls.__name__}(returns=...): {error}") from None
    giver = "terminate" if "terminate" in hooks else "iterate" if "iterate" in hooks else "initialize"
    candidates = [giver] if "terminate" in hooks else [h for h in ("iterate", "initialize", "expire") if h in hooks]
    for hook in candidates:
        annotation = _return_annotation(cls, hooks[hook])
        if annotation in (inspect.Signature.empty, None, type(None)):
            continue
        if inspect.isgeneratorfunction(hooks[hook]):
            arguments = typing.get_args(annotation)
            if not arguments:
                of = getattr(annotation, "__name__", annotation)
                raise DefinitionError(
                    f"{cls.__name__}.{hook} yields, so its annotation `-> {of}` does not fit: write what it yields, as in "
                    f"`-> Iterator[{of if annotation in (float, int, str, bool) else 'float'}]`"
                )
            annotation = arguments[0]
        try:
            return arrow_type(annotation)
        except DefinitionError as error:
            raise DefinitionError(f"{cls.__name__}.{hook}: {error}") from None
    raise DefinitionError(
        f"{cls.__name__} does not say what it returns: annotate the result, as in `def {giver}(self"
        f"{'' if giver == 'terminate' else ', value'}) -> float`, or write class {cls.__name__}(..., returns='double')"
        + (_other_words(cls, hooks) or _forgotten(cls, hooks))
    )


def _forgotten(cls: type, hooks: dict[str, Any]) -> str:
    """A hint that `terminate` is missing, if no other hook gives anything."""
    if "terminate" in hooks or not all(gives_nothing(cls, hook) for hook in hooks.values()):
        return ""
    return "; or is a `def terminate(self) -> float` missing? (without one, results are what the other hooks return)"


def _return_annotation(cls: type, hook: Any) -> Any:
    try:
        return typing.get_type_hints(hook).get("return", inspect.Signature.empty)
    except Exception:
        # A name that only the type checker knows, or DDL text; the annotation itself may still be a plain type.
        return inspect.signature(hook).return_annotation
