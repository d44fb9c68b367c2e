"""From a frame to bounds: for each tuple the half-open range of positions ``[start, end)`` that it sees.

This is the central idea of the code: every kind of frame becomes two int64 arrays that never move backwards. A *framing* answers
two questions about the held sequence:

- ``ready``: up to which position are frames complete? (No later tuple can be in a complete frame.)
- ``bounds``: the frames of the tuples at given positions, which must all be ready.

::

    order key   10   12   12   15 | 21          RANGE 3 PRECEDING .. CURRENT ROW
    start        0    0    0    1 |  4          a bar: 21 has arrived, so 15 has no more peers
    end          1    3    3    4 |  ?          21 itself waits: another 21 may follow
"""

import traceback
from itertools import pairwise
from typing import Any, ClassVar, Protocol

import numpy as np

from inwindow.native._bounds import edges, row_frames
from inwindow.udaf.errors import DataError, HookError, UsageError
from inwindow.udaf.pythonic import pythonic
from inwindow.windows.interval import Size, is_negative
from inwindow.windows.order_key import PLAIN, Keys, OrderKey
from inwindow.windows.sequence import Positions, Sequence
from inwindow.windows.spec import Frame, Groups, Landmark, Range, Rows, Scope
from inwindow.windows.stateful import Stateful
from inwindow.windows.window_checks import has_offset

Bounds = tuple[Positions, Positions]


class Framing(Protocol):
    """Turns a frame into bounds."""

    def ready(self, sequence: Sequence, cursor: int) -> int:
        """The position before which all frames are complete; those before ``cursor`` were complete already."""

    def bounds(self, sequence: Sequence, at: Positions) -> Bounds:
        """Start and end of the frames of the tuples at ascending positions, all of them ready."""

    def state(self) -> Any:
        """The state that must survive between batches."""

    def restore(self, state: Any) -> None:
        """Continue from a state."""


def framing_of(frame: Frame, key: OrderKey | None) -> Framing:
    """The framing of a frame; ``key`` is the order key, if the frame needs distances."""
    if isinstance(frame, Rows):
        return RowsFraming(frame)
    if isinstance(frame, Range):
        return RangeFraming(frame, key)
    if isinstance(frame, Groups):
        return GroupsFraming(frame)
    assert key is not None
    if isinstance(frame, Landmark):
        return LandmarkFraming(frame, key)
    assert isinstance(frame, Scope)  # planning has refused all others
    return ScopeFraming(frame, key)


def needs_distances(frame: Frame) -> bool:
    """Whether a frame does arithmetic on order values."""
    return isinstance(frame, (Landmark, Scope)) or (isinstance(frame, Range) and has_offset(frame))


class RowsFraming(Stateful):
    """ROWS: positions plus offsets, clamped to the partition."""

    def __init__(self, frame: Rows) -> None:
        self.lower, self.upper = frame.lower, frame.upper

    def ready(self, sequence: Sequence, cursor: int) -> int:
        """``upper`` tuples must have followed, or the partition must have ended."""
        if self.upper is None:
            return sequence.closed
        return max(sequence.closed, sequence.end - max(self.upper, 0))

    def bounds(self, sequence: Sequence, at: Positions) -> Bounds:
        return row_frames(at, sequence.partition_starts, sequence.end, self.lower, self.upper)


class RangeFraming(Stateful):
    """RANGE: two walks over the order keys; peers are always together."""

    kept = ("reached",)

    def __init__(self, frame: Range, key: OrderKey | None) -> None:
        self.lower, self.upper, self.key = frame.lower, frame.upper, key
        self.reached = (0, 0)  # the newest bounds

    def ready(self, sequence: Sequence, cursor: int) -> int:
        """A tuple is complete once a key beyond its upper bound has arrived, or its block has ended."""
        if self.upper is None:
            return sequence.closed
        return _ready_by_key(sequence, cursor, lambda at: self._targets(sequence, at, self.upper, lower=False))

    def bounds(self, sequence: Sequence, at: Positions) -> Bounds:
        """First key >= current + lower; first key > current + upper."""
        first, last = sequence.partitions(at)
        start = first if self.lower is None else self._edge(sequence, at, self.lower, lower=True)
        end = last if self.upper is None else self._edge(sequence, at, self.upper, lower=False)
        if len(at):
            # Bounds never move backwards, although Mar 30, 10:00 and Mar 31, 9:00 are both a month after Feb 28.
            start, end = np.maximum(start, self.reached[0]), np.maximum(end, self.reached[1])
            self.reached = int(start[-1]), int(end[-1])
        return start, np.maximum(start, end)

    def _edge(self, sequence: Sequence, at: Positions, offset: Size, *, lower: bool) -> Positions:
        edge = _search(sequence, at, self._targets(sequence, at, offset, lower=lower), after=not lower)
        over = None if self.key is None or offset == 0 else self.key.overflows(sequence.keys_at(at), offset)
        if over is not None:
            # A target beyond the type saturates, but no key is that large: all or none of the block is within reach.
            plain = sequence.plain_at(at)
            first, last = sequence.blocks(at)
            edge = np.where(over if plain is None else over & plain, first if is_negative(offset) else last, edge)
        return edge

    def _targets(self, sequence: Sequence, at: Positions, offset: Size | None, *, lower: bool) -> Keys:
        keys = sequence.keys_at(at)
        if offset is None or offset == 0 or self.key is None:
            return keys
        targets = self.key.moved(keys, offset, lower=lower, what="the frame's bound")
        return _peers_where_not_plain(sequence, at, targets)


class GroupsFraming(Stateful):
    """GROUPS: two walks over the numbers of peer groups, which count from 0 in each partition."""

    def __init__(self, frame: Groups) -> None:
        self.lower, self.upper = frame.lower, frame.upper

    def ready(self, sequence: Sequence, cursor: int) -> int:
        """A tuple is complete once a group behind its upper bound has begun, or its partition has ended."""
        if self.upper is None or sequence.ended or not len(sequence.partition_starts):
            return sequence.closed
        first = max(sequence.closed, cursor, sequence.base)
        groups = sequence.groups[first - sequence.base :]
        begun = int(np.searchsorted(groups, sequence.groups[-1] - self.upper)) if len(groups) else 0
        return max(min(first + begun, sequence.end), cursor)

    def bounds(self, sequence: Sequence, at: Positions) -> Bounds:
        """First tuple of the lower group; first tuple behind the upper one."""
        start, end = sequence.partitions(at)
        groups = sequence.groups[at - sequence.base]
        low = np.maximum(start, sequence.base)
        last = end
        if self.lower is not None:
            start = edges(sequence.groups, sequence.base, groups + self.lower, low, last, False)
        if self.upper is not None:
            end = edges(sequence.groups, sequence.base, groups + self.upper, low, last, True)
        return np.minimum(start, end), end


class LandmarkFraming(Stateful):
    """since <= value <= min(current, until), in the order of the partition: bounds that stand still.

    Each bound is found once per partition and kept, because later the tuples around it may be forgotten. NULLs and NaNs sort before
    or after all landmarks.
    """

    kept = ("found",)

    def __init__(self, frame: Landmark, key: OrderKey) -> None:
        self.since = _constant(key, frame.since, "since")
        self.until = _constant(key, frame.until, "until")
        self.found: dict[str, tuple[int, int]] = {}  # bound -> (partition start, position)

    def ready(self, sequence: Sequence, cursor: int) -> int:
        """Peers must be complete, as for RANGE ... CURRENT ROW."""
        return _ready_by_key(sequence, cursor, sequence.keys_at)

    def bounds(self, sequence: Sequence, at: Positions) -> Bounds:
        """The landmarks, clamped to the tuples seen so far."""
        start, _ = sequence.partitions(at)
        end = _search(sequence, at, sequence.keys_at(at), after=True)
        if self.since is not None:
            start = self._edge(sequence, at, self.since, "since", end, after=False)
        if self.until is not None:
            end = np.minimum(end, self._edge(sequence, at, self.until, "until", end, after=True))
        return np.minimum(start, end), end

    def _edge(
        self, sequence: Sequence, at: Positions, landmark: Keys, bound: str, end: Positions, *, after: bool
    ) -> Positions:
        """The landmark's position; any position from ``end`` on if the landmark is after all tuples that the frame can see."""
        edge = _search(sequence, at, np.repeat(landmark, len(at), axis=0), after=after)
        partition, _ = sequence.partitions(at)
        block, block_end = sequence.blocks(at)
        side = sequence.sides_at(at)
        if side is not None:
            edge[side < PLAIN] = end[side < PLAIN]  # the landmark is still to come
            edge[side > PLAIN] = block[side > PLAIN]  # unless there are numbers before
        # One search per partition: what was found first holds for all later tuples of it.
        for first in np.flatnonzero(np.append(True, partition[1:] != partition[:-1])) if len(at) else ():
            own = slice(first, first + int(np.searchsorted(partition[first:], partition[first], side="right")))
            known = self.found.get(bound, (-1, -1))
            passed = (
                (edge[own] < block_end[own]) if side is None else (edge[own] < block_end[own]) & (side[own] >= PLAIN)
            )
            if known[0] != partition[first] and side is not None and side[own.stop - 1] > PLAIN:
                # With a slide this may be the first look at the partition, and the numbers lie before it.
                behind = own.start + int(np.searchsorted(side[own], PLAIN, side="right"))
                edge[behind : own.stop] = self._among_numbers(
                    sequence, partition[first], block[behind], landmark, after
                )
            if known[0] == partition[first]:
                edge[own] = known[1]
            elif passed.any():
                position = int(edge[own][np.argmax(passed)])
                edge[own] = np.where(np.maximum.accumulate(passed), position, edge[own])
                self.found[bound] = (int(partition[first]), position)
        return edge

    def _among_numbers(self, sequence: Sequence, start: int, end: int, landmark: Keys, after: bool) -> int:
        """The landmark's position among the numbers of a partition that holds the positions [start, end); ``end`` without any."""
        blocks = sequence.block_starts[(sequence.block_starts >= start) & (sequence.block_starts <= end)]
        for first, last in pairwise(blocks.tolist()):
            low, high = np.array([max(first, sequence.base)]), np.array([last])
            side = sequence.sides_at(low) if low < high else None
            if side is not None and side[0] == PLAIN:
                return int(edges(sequence.keys, sequence.base, landmark, low, high, after)[0])
        return end


class ScopeFraming(Stateful):
    """lower(t) <= value <= upper(t): the user's functions, called once per distinct order value."""

    kept: ClassVar[tuple[str, ...]] = ("base", "end", "lower", "upper", "last")

    def __init__(self, frame: Scope, key: OrderKey) -> None:
        self.frame, self.key = frame, key
        self.base = self.end = 0  # the positions that the targets below are for
        self.lower = self.upper = np.zeros(0, dtype=np.int64)
        self.last: dict[str, tuple[int, Any, Any, int]] = {}  # option -> (block, t, value, its key)

    def ready(self, sequence: Sequence, cursor: int) -> int:
        """A key beyond upper(t) must have arrived, or the block must have ended."""
        self._evaluate(sequence)
        return _ready_by_key(sequence, cursor, lambda at: self.upper[at - self.base])

    def bounds(self, sequence: Sequence, at: Positions) -> Bounds:
        self._evaluate(sequence)
        end = _search(sequence, at, self.upper[at - self.base], after=True)
        if self.frame.lower is None:
            start, _ = sequence.partitions(at)
        else:
            start = _search(sequence, at, self.lower[at - self.base], after=False)
        return np.minimum(start, end), end

    def farthest(self, sequence: Sequence) -> Keys:
        """upper(t) of the held tuples, as keys."""
        self._evaluate(sequence)
        return self.upper

    def _evaluate(self, sequence: Sequence) -> None:
        if self.end < sequence.end:
            at = np.arange(max(self.end, sequence.base), sequence.end)
            keys = sequence.keys_at(at)
            blocks, _ = sequence.blocks(at)
            fresh = np.ones(len(at), dtype=bool)
            fresh[1:] = (blocks[1:] != blocks[:-1]) | _differ(keys[1:], keys[:-1])
            distinct, group = np.flatnonzero(fresh), np.cumsum(fresh) - 1
            for option, function in (("lower", self.frame.lower), ("upper", self.frame.upper)):
                targets = keys
                if function is not None:
                    values = pythonic(self.key.column_of(self.key.original(keys[distinct])), repr(self.key.column))
                    plain = sequence.plain_at(at[distinct])
                    targets = self._call(option, function, values, keys[distinct], blocks[distinct], plain)[group]
                held = getattr(self, option)[max(sequence.base - self.base, 0) :]
                setattr(self, option, np.concatenate([held, targets]) if len(held) else targets)
            self.end = sequence.end
            self.base = self.end - len(self.upper)

    def _call(self, option: str, function: Any, values: list[Any], keys: Keys, blocks: Any, plain: Any) -> Keys:
        results: list[Any] = []
        for index, t in enumerate(values):
            if plain is not None and not plain[index]:
                results.append(None)  # a NULL or NaN sees its peers
                continue
            try:
                results.append(function(t))
            except Exception as error:
                theirs = traceback.format_list(traceback.extract_tb(error.__traceback__)[1:])
                said = f"scope({option}=...): {option}({t!r}) raised {type(error).__name__}: {error}"
                raise HookError("\n".join([said, *(line.rstrip("\n") for line in theirs)])) from None
        targets, side = self.key.read(self._values(option, values, results))
        targets = targets.copy()
        for index, (t, value) in enumerate(zip(values, results, strict=True)):
            if plain is not None and not plain[index]:
                targets[index] = keys[index]
                continue
            if side[index] != PLAIN:
                raise UsageError(
                    f"scope({option}=...): {option}({t!r}) = {value!r} is no order value: NULL and NaN lie nowhere in the order"
                )
            whole = _as_int(targets[index])
            block, earlier, its_value, its_key = self.last.get(option, (-1, None, None, 0))
            if block == blocks[index] and whole < its_key:
                raise DataError(
                    f"scope({option}=...) goes backwards: {option}({earlier!r}) = {its_value!r} but then "
                    f"{option}({t!r}) = {value!r}; both functions of a scope must never decrease along the order"
                )
            self.last[option] = (int(blocks[index]), t, value, whole)
        return targets

    def _values(self, option: str, values: list[Any], results: list[Any]) -> Any:
        """The results as order values; a value between two order values is rounded into the frame."""
        up = (option == "lower") == self.key.ascending
        try:
            return self.key.array(results, what=f"scope({option}=...)", up=up)
        except UsageError:
            for t, value in zip(values, results, strict=True):  # which one is it?
                self.key.array([value], what=f"scope({option}=...): {option}({t!r})", up=up)
            raise


def _ready_by_key(sequence: Sequence, cursor: int, upper: Any) -> int:
    """The first tuple of the open block whose upper target has not been passed by the newest key."""
    if sequence.ended or not len(sequence.block_starts):
        return sequence.end
    first = max(int(sequence.block_starts[-1]), cursor)
    if first >= sequence.end or not sequence.ends_plain:
        return min(first, sequence.end)  # NULLs and NaNs are peers of what may still come
    at = np.arange(first, sequence.end)
    low, high = np.array([first]), np.array([sequence.end])
    return int(edges(upper(at), first, sequence.last_key, low, high, False)[0])


def _search(sequence: Sequence, at: Positions, targets: Keys, *, after: bool) -> Positions:
    low, high = sequence.blocks(at)
    return edges(sequence.keys, sequence.base, targets, np.maximum(low, sequence.base), high, after)


def _peers_where_not_plain(sequence: Sequence, at: Positions, targets: Keys) -> Keys:
    plain = sequence.plain_at(at)
    if plain is not None and not plain.all():
        targets = targets.copy()
        targets[~plain] = 0  # all keys of such a block are 0
    return targets


def _constant(key: OrderKey, literal: Any, option: str) -> Keys | None:
    if literal is None:
        return None
    value = key.value(literal, what=f"landmark: {option}", up=(option == "since") == key.ascending)
    return np.asarray([value if key.ascending else (0.0 - value if key.is_float else ~value)])


def _differ(a: Keys, b: Keys) -> Any:
    return (a != b).any(axis=1) if a.ndim == 2 else a != b


def _as_int(key: Any) -> Any:
    return key if np.ndim(key) == 0 else (int(key[1]) << 64) + int(key.view(np.uint64)[0])
