"""The form of a field, and what it gives: lines that undo a tuple, merge two runs, undo a merge; or why not.

Each form has its algebra. A sum is a group: a term is taken out by its inverse (`sums.py`). A maximum is a semilattice: two merge,
and none comes out (`extremes.py`). A dict that counts is a sum for each key, a list is a queue, for tuples leave in the order
in which they came (`containers.py`).
"""

from dataclasses import dataclass
from typing import Any

from inwindow.udaf.derive.updates import Update

Code = list[str]


@dataclass(frozen=True)
class No:
    """A hook that a form does not give, and why."""

    why: str


@dataclass
class Form:
    """A field of self, ``x``. Methods give lines of Python, with ``self``, ``later`` and ``earlier`` in them."""

    x: str
    has_start: bool = False
    start: Any = None
    commutes = True
    grows = False  # with the frame: a state for each tuple of a frame would be its square
    terminate_sees = ""  # what terminate must not show, or do: see `looking.py`

    @property
    def hidden(self) -> str:
        """A field that the window version has beside it, if it needs one."""
        return ""

    def begin(self) -> Code:
        """The hidden field of a state that has seen nothing."""
        return []

    def step(self, update: Update) -> Code | None:
        """What iterate does in the window version; None: what the user wrote."""
        return None

    def beside(self, update: Update) -> Code:
        """What is done beside what the user wrote."""
        return []

    def first(self, update: Update) -> Code:
        """What initialize does with the hidden fields."""
        return self.step(update) or self.beside(update)

    def undo(self, update: Update) -> Code | No:
        """What expire does."""
        return No("")

    def merge(self) -> Code | No:
        """What merge does."""
        return No("")

    def unmerge(self) -> Code | No:
        """What unmerge does."""
        return No("")

    def _from(self, neutral: Any) -> bool:
        return not self.has_start or (self.start == neutral and type(self.start) in (int, float, bool))
