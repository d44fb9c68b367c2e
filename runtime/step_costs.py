"""What each aggregate of a call costs: CPU time, measured where a bucket of a stream asks for it, and nowhere else."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import thread_time_ns
from typing import Any

_SPENT: ContextVar[dict[str, int] | None] = ContextVar("_SPENT", default=None)


@contextmanager
def measured() -> Iterator[dict[str, int]]:
    """The nanoseconds of CPU time that steps take meanwhile, in this thread, by the names of their results."""
    spent: dict[str, int] = {}
    before = _SPENT.set(spent)
    try:
        yield spent
    finally:
        _SPENT.reset(before)


def spending(name: str, action: Callable[..., Any], *arguments: Any) -> Any:
    """Call into a step; its time counts, if somebody measures.

    >>> with measured() as spent:
    ...     spending("total", sum, range(10_000))
    49995000
    >>> list(spent), spent["total"] > 0
    (['total'], True)
    """
    spent = _SPENT.get()
    if spent is None:
        return action(*arguments)
    began = thread_time_ns()
    try:
        return action(*arguments)
    finally:
        spent[name] = spent.get(name, 0) + thread_time_ns() - began
