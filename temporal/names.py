"""Column names from the user: one, several, or none."""

from collections.abc import Iterable
from typing import Any

from inwindow.udaf.errors import UsageError, shown


def names_of(given: str | Iterable[str] | None, where: str, option: str) -> tuple[str, ...] | None:
    """The names; None if none were given."""
    if given is None:
        return None
    if isinstance(given, str):
        return (given,)
    names = tuple(given) if isinstance(given, Iterable) else (given,)
    for name in names:
        check_name(name, where, option)
        if names.count(name) > 1:
            raise UsageError(f"{where}({option}=...): {name!r} is there twice")
    return names


def check_name(name: Any, where: str, option: str) -> None:
    """A name is text."""
    if not isinstance(name, str):
        raise UsageError(f"{where}({option}={shown(name)}): write the name of a column")
