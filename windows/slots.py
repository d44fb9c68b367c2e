"""Which tuples yield: the last tuple of each slot (ESL, section 5.1), whatever the frame (window-ids, Q3 and Q5).

::

    SLIDE 3 ROWS         t t t | t t t | t t          slots of 3 tuples, from the partition's first
    yields                   ^       ^    (^ final="emit")
    SLIDE 10 RANGE       [0..10): 1 4 9   [10..20): none   [20..30): 21 22
    yields                          ^                                    ^
    SLIDE 2 GROUPS       1 1 2 | 5 7 7 | 9          slots of 2 groups of peers
    yields                   ^       ^
"""

from typing import Any, Protocol

import numpy as np

from inwindow.windows.order_key import OrderKey
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.spec import Window


class Slots(Protocol):
    """The rule that picks the yield tuples."""

    def ready(self, sequence: Sequence) -> int:
        """The position before which it is known which tuples yield."""

    def yields(self, sequence: Sequence, first: int, last: int) -> Positions:
        """The yield tuples among the positions [first, last), which must all be ready."""


def slots_of(window: Window, key: OrderKey | None) -> Slots:
    """The slots of a window; without a slide every tuple yields."""
    if window.slide is None:
        return EveryTuple()
    if window.slides_by_rows:
        return RowSlots(int(window.slide), window.final == "emit")  # type: ignore[arg-type]
    if window.slides_by_groups:
        return GroupSlots(int(window.slide), window.final == "emit")  # type: ignore[arg-type]
    assert key is not None
    return ValueSlots(key, window.slide, window.origin)


class EveryTuple:
    """No slide: every tuple yields."""

    def ready(self, sequence: Sequence) -> int:
        return sequence.end

    def yields(self, sequence: Sequence, first: int, last: int) -> Positions:
        return np.arange(first, last)


class RowSlots:
    """Slots of ``slide`` tuples, from the partition's first tuple; an unfilled last slot yields on request."""

    def __init__(self, slide: int, emit_final: bool) -> None:
        self.slide, self.emit_final = slide, emit_final

    def ready(self, sequence: Sequence) -> int:
        """All arrived tuples; except the newest if it matters whether it is the last of its partition."""
        return max(sequence.closed, sequence.end - 1) if self.emit_final else sequence.end

    def yields(self, sequence: Sequence, first: int, last: int) -> Positions:
        fill = sequence.every(self.slide, self.slide - 1, first, last)
        if not self.emit_final:
            return fill
        return np.union1d(fill, sequence.lasts(first, last))

    def next_yield(self, sequence: Sequence, cursor: int) -> int:
        """The position of the next yield tuple from ``cursor`` on, arrived or not."""
        start = int(sequence.partition_starts[-1]) if len(sequence.partition_starts) else 0
        if self.emit_final or cursor < start:
            return cursor
        return start + ((cursor - start) // self.slide + 1) * self.slide - 1


class GroupSlots:
    """Slots of ``slide`` groups of peers, from the partition's first group; the last tuple of the last group yields."""

    def __init__(self, slide: int, emit_final: bool) -> None:
        self.slide, self.emit_final = slide, emit_final

    def ready(self, sequence: Sequence) -> int:
        """Whether the newest tuple is its group's last is known when the next one arrives."""
        return sequence.end if sequence.ended else max(sequence.closed, sequence.end - 1)

    def yields(self, sequence: Sequence, first: int, last: int) -> Positions:
        at = np.arange(first, last)
        groups = sequence.groups[first - sequence.base : min(last + 1, sequence.end) - sequence.base]
        ends_partition = np.zeros(len(at), dtype=bool)
        ends_partition[sequence.lasts(first, last) - first] = True
        is_last = ends_partition.copy()
        is_last[: len(groups) - 1] |= groups[1:] != groups[:-1]
        fills = (groups[: len(at)] + 1) % self.slide == 0
        return at[is_last & (fills | (ends_partition & self.emit_final))]


class ValueSlots:
    """Slots [origin + k*slide, origin + (k+1)*slide) of order values; each non-empty one yields."""

    def __init__(self, key: OrderKey, slide: Any, origin: Any) -> None:
        self.key, self.slide, self.origin = key, slide, origin

    def ready(self, sequence: Sequence) -> int:
        """All tuples except the newest: whether it is the last of its slot is known only when the next one arrives."""
        return sequence.end if sequence.ended else max(sequence.closed, sequence.end - 1)

    def yields(self, sequence: Sequence, first: int, last: int) -> Positions:
        """The tuples whose successor lies in another slot, or in another block."""
        if first >= last:
            return np.zeros(0, dtype=np.int64)
        at = np.arange(first, last)
        looked_at = np.arange(first, min(last + 1, sequence.end))
        slot = self.key.slots(sequence.keys_at(looked_at), self.slide, self.origin)
        is_last = sequence.blocks(at)[1] == at + 1
        is_last[: len(looked_at) - 1] |= np.asarray(slot[1:] != slot[:-1], dtype=bool)
        return at[is_last]
