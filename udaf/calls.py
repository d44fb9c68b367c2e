"""Calls of public functions with wrong arguments: our error says which arguments the function takes."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from inwindow.udaf.errors import InWindowError, UsageError, shown
from inwindow.udaf.guesses import BOUNDED, instead_of_option, near_option

Function = TypeVar("Function", bound=Callable[..., Any])


def says_what_it_takes(function: Function) -> Function:
    """The function, in which Python's TypeError for wrong arguments becomes a UsageError.

    >>> @says_what_it_takes
    ... def session(on, *, gap): ...
    >>> session("t", timeout=9)
    Traceback (most recent call last):
      ...
    inwindow.udaf.errors.UsageError: session('t', timeout=9): there is no 'timeout' here; write gap=; it takes session(on, *, gap)
    """

    @wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except TypeError as error:
            if not isinstance(error, InWindowError):
                _check(called, args, keywords)
            raise

    return cast(Function, called)


def _check(function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **keywords)
    except TypeError as error:
        problem = str(error)
    else:
        return
    parameters = signature.parameters.values()
    named = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    is_open = any(one.kind is one.VAR_KEYWORD for one in parameters)
    unknown = next((name for name in keywords if name not in named and not is_open), None)
    if unknown is not None:
        near = near_option(unknown, named)
        write = f"write {near}=" if near and near not in keywords else instead_of_option(unknown)
        problem = f"there is no {unknown!r} here" + (f"; {write}" if write else "")
    said = ", ".join([*map(shown, args), *(f"{name}={shown(value)}" for name, value in keywords.items())])
    name = function.__name__
    if name in BOUNDED and len(args) == 2:
        problem = f"with both bounds it is iw.{BOUNDED[name]}({shown(args[0])}, {shown(args[1])})"
    raise UsageError(f"{name}({said}): {problem}; it takes {name}({_written(signature)})") from None


def _written(signature: inspect.Signature) -> str:
    """The parameters without their types."""
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))[1:-1]
