"""What is given on the command line: numbers, and ``module:name`` of an aggregate."""

import os
import sys
from argparse import ArgumentTypeError
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Any

from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import InWindowError, UsageError


def count(text: str) -> int:
    """A whole number of at least 1, also written as ``1e6`` or ``100,000``.

    >>> count("1e6"), count("100,000")
    (1000000, 100000)
    """
    try:
        number = float(text.replace(",", "").replace("_", ""))
    except ValueError:
        number = 0.0
    if not 1 <= number < 1e18 or number != int(number):
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 on: write 100000 or 1e5")
    return int(number)


def aggregates(target: str, command: str) -> list[tuple[str, Any]]:
    """The aggregate ``module:name``; for a module alone, all aggregates that it defines."""
    module_name, _, path = target.partition(":")
    module = imported(module_name)
    if path:
        return [(target, attribute(module, path, f"{command} {target}"))]
    found = [
        (f"{module_name}:{name}", kind)
        for name, kind in vars(module).items()
        if isinstance(kind, type)
        and issubclass(kind, Aggregate)
        and kind._traits
        and kind.__module__ == module.__name__
    ]
    if not found:
        raise UsageError(f"{command} {target}: the module defines no aggregate; name one: {command} {target}:MyAvg")
    return found


def imported(name: str) -> Any:
    """A module of the installation or of the current folder; or a file of Python, by its path."""
    here = os.getcwd()
    if name.endswith(".py"):
        if not Path(name).is_file():
            raise UsageError(f"{name}: there is no such file")
        here, name = str(Path(name).resolve().parent), Path(name).stem
    if here not in sys.path:
        sys.path.insert(0, here)  # as `python -m` has it
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            if not (error.name or "").startswith(name.partition(".")[0]):
                raise
            module, _, last = name.rpartition(".")
            raise UsageError(
                f"No module named {name!r}, here or installed: write {module}:{last}, if that is a class in it"
            ) from None
        raise UsageError(f"No module named {name!r}, here or installed: write module:MyAvg, as in an import") from None
    except ImportError:
        raise
    except Exception as error:  # what the module itself does: a class written wrong, a syntax error, ...
        raise UsageError(f"{name} cannot be imported: {_told(error)}") from error


def _told(error: Exception) -> str:
    """The exception of an import, and its line in the module."""
    said = str(error) if isinstance(error, InWindowError) else f"{type(error).__name__}: {error}"
    line = next((at for at in reversed(extract_tb(error.__traceback__)) if at.name == "<module>"), None)
    if line is None or isinstance(error, SyntaxError):  # that says where it is by itself
        return said
    return f"{said} ({Path(line.filename).name}, line {line.lineno})"


def attribute(module: Any, path: str, where: str) -> Any:
    """The object at a dotted path in a module."""
    found = module
    for name in path.split("."):
        if not hasattr(found, name):
            hint = ": make an instance in the module, and name that" if "(" in path else ""
            close = [] if hint else get_close_matches(name, vars(found), 1)
            near = f"; did you mean {close[0]!r}?" if close else ""
            raise UsageError(
                f"{where}: {getattr(found, '__name__', found)!r} has no {path if hint else name!r}{hint}{near}"
            )
        found = getattr(found, name)
    return found
