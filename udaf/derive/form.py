"""The form of a field: it gives the lines that undo a tuple, merge two runs and undo a merge, or says why it cannot.

Each form has its algebra. A sum is a group: a term is undone by its inverse (`sums.py`). A maximum is a semilattice: two can be
merged, but none can be undone (`extremes.py`). A counting dict is a sum for each key, and a list is a queue, because tuples
leave in the order in which they came (`containers.py`).
"""

from dataclasses import dataclass
from typing import Any

from inwindow.udaf.derive.updates import Update

Code = list[str]


@dataclass(frozen=True)
class No:
    """A hook that a form cannot give, and why."""

    why: str


@dataclass
class Form:
    """A field of self, ``x``. Methods give lines of Python, with ``self``, ``later`` and ``earlier`` in them."""

    x: str
    has_start: bool = False
    start: Any = None
    commutes = True
    grows = False  # whether the state grows with the frame: a state for each tuple would need quadratic memory
    terminate_sees = ""  # what terminate must not show or do: see `looking.py`

    @property
    def hidden(self) -> str:
        """The hidden field that the window version needs for this field, if any."""
        return ""

    def begin(self) -> Code:
        """The start of the hidden field, before any tuple."""
        return []

    def step(self, update: Update) -> Code | None:
        """The lines of iterate in the window version; None: the user's own."""
        return None

    def beside(self, update: Update) -> Code:
        """Lines in addition to the user's own."""
        return []

    def first(self, update: Update) -> Code:
        """The lines of initialize for the hidden field."""
        return self.step(update) or self.beside(update)

    def undo(self, update: Update) -> Code | No:
        """The lines of expire."""
        return No("")

    def merge(self) -> Code | No:
        """The lines of merge."""
        return No("")

    def unmerge(self) -> Code | No:
        """The lines of unmerge."""
        return No("")

    def _from(self, neutral: Any) -> bool:
        return not self.has_start or (self.start == neutral and type(self.start) in (int, float, bool))
