"""Classes compiled by numba, over every window and by every strategy: some tuples by both, the others by the compiled loop."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from inwindow.runtime import compiled_hooks
from inwindow.testing.fuzz import tables, windows
from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.frames import KEYS, Frames, over
from inwindow.testing.fuzz.kinds import COMPILED, KINDS
from inwindow.testing.fuzz.orders import ORDERS
from inwindow.testing.fuzz.trial import Difference, Trial

_CHECKED = 16  # tuples that both compute


@dataclass(frozen=True)
class Compiling(Frames):
    """Frames whose classes are compiled."""

    def _given(self, source: pa.Table, applied: dict[str, Any]) -> dict[str, list[Any]]:
        with at_once():
            return super()._given(source, applied)

    def test(self, difference: Difference, name: str) -> str:
        text = super().test(difference, name)
        text = text.replace("    given = iw.", "    with at_once():\n        given = iw.")
        return text.replace(
            "    table = ", "    from inwindow.testing.fuzz.compiling import at_once\n\n    table = ", 1
        )


@contextmanager
def at_once() -> Iterator[None]:
    """The compiled loop takes over after a few tuples."""
    before, compiled_hooks.CHECKED = compiled_hooks.CHECKED, _CHECKED
    try:
        yield
    finally:
        compiled_hooks.CHECKED = before


def draw_compiling(draw: Draw) -> Trial:
    """A table of up to 40 partitions, two to four aggregates over one or two windows."""
    order = ORDERS[draw.one(list(ORDERS))]
    at = windows.place(draw, KEYS)
    its = [windows.window(draw, order, at) for _ in range(draw.between(1, 2))]
    overs = tuple(over(draw.one(list(COMPILED)), draw.one(its), draw.once_in(4)) for _ in range(draw.between(2, 4)))
    columns = sorted({name for one in overs for name in KINDS[one.kind].columns} | {"ok"})
    drawn = tables.table(draw, order, columns, draw.between(24, 64))
    return Compiling(drawn, overs, draw.one((0, 0, 0, len(drawn) // 3 + 1, -(len(drawn) // 4 + 1))))
