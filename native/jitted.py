"""The loop that numba has compiled of a class's hooks, and its state: at any time that of the plain driver.

::

    _hooks.Delta   -- take(state()) -->   Loop      at the tuple at which the compiled hooks take over
    _hooks.Delta   <-- restore(given()) --  Loop    where they cannot go on, and where a state is stored

A call that bails has changed nothing, so doing it over by the plain hooks gives what they would have given all along. One that
stops has done the frames before the one that it stops at.
"""

import struct
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native import Positions
from inwindow.native._fresh import changed, fresh, resumed
from inwindow.native._hooks import float_fields

Mask = npt.NDArray[np.uint8] | None
_REST = ((-1, False, 0.0),)  # of a field of which nothing is known: large, has_marker, marker
_ALL_SEEN = np.zeros(0, dtype=np.uint8)
_LEFT, _SINCE, _EMPTY, _PUNTS, _REBASED = range(3, 8)  # of the places, behind lo, hi and count


class Bailed(Exception):
    """The compiled hooks cannot go on: an integer passes 64 bits, or a hook raises."""


class Unlike(Exception):
    """A state that the loop cannot hold; at all, or ``yet``: a float is being weighed."""

    def __init__(self, why: str, *, yet: bool = False) -> None:
        super().__init__(why)
        self.yet = yet


class Loop:
    """Delta, unbounded, tumble and recompute (``afresh``), by one generated loop; ``looks`` where floats are looked after."""

    def __init__(self, module: Any, program: Any, prototype: Any, *, afresh: bool, looks: bool, empty: Any) -> None:
        self.module, self.program, self.prototype, self.empty = module, program, prototype, empty
        self.fields = program.layout.fields
        self.afresh, self.looks = afresh, looks and bool(self.fields)
        values = [program.given.get(name, 0) for name in program.layout.floats]
        self.first = (
            np.array([1.0, *map(float, values)]),
            np.array([int(program.given.get(name, 0)) for name in program.layout.integers], dtype=np.int64),
        )
        count = len(self.fields)
        self.floats, self.integers = (array.copy() for array in self.first)
        self.place, self.peaks = np.zeros(8, dtype=np.int64), np.zeros(count)
        self.guard, self.rest = -1, _REST * count  # what else the watch knows, until the frame has been empty

    @property
    def state(self) -> tuple[Any, ...]:
        """The arrays that a call changes."""
        return self.floats, self.integers, self.place, self.peaks

    @property
    def counts(self) -> tuple[int, int]:
        """How many frames were folded afresh: by the hook's wish, and by ours."""
        return int(self.place[_PUNTS]), int(self.place[_REBASED])

    # Frames

    def roll(self, values: Any, base: int, start: Positions, end: Positions, seen: Mask) -> pa.Array:
        """The results of frames [start[i], end[i]): of all, or of those before the first that Python hooks must do."""
        out = np.empty(len(start), self.program.result.to_pandas_dtype())
        valid = np.empty(len(start), dtype=np.uint8)
        done = self._call(out, valid, values, base, start, end, seen, True)
        return self._column(out[:done], valid[:done])

    def absorb(self, values: Any, base: int, start: int, end: int, seen: Mask) -> bool:
        """Fold one frame without a result; False if Python hooks must do it."""
        out, valid = np.empty(0, self.program.result.to_pandas_dtype()), np.empty(0, dtype=np.uint8)
        bounds = np.array([start], dtype=np.int64), np.array([end], dtype=np.int64)
        return self._call(out, valid, values, base, *bounds, seen, False) == 1

    def _call(
        self, out: Any, valid: Any, values: Any, base: int, start: Positions, end: Positions, seen: Mask, gives: bool
    ) -> int:
        if not len(start):
            return 0
        self._check_held(base, base + len(values[0]), start, end)
        before = [array.copy() for array in self.state]
        columns = [_numbers(column) for column in values]
        held = *columns, _ALL_SEEN if seen is None else seen, base
        done: int = self.module.roll(
            out, valid, *held, start, end, *self.first, *self.state, self.afresh, gives, self.looks
        )
        if done < 0:
            for array, its in zip(self.state, before, strict=True):
                array[:] = its
            raise Bailed
        return done

    def _check_held(self, base: int, until: int, start: Positions, end: Positions) -> None:
        """The loop reads what it is told to: nothing that is not held."""
        lo, hi = self.place[:2].tolist()
        first, last = int(start[0]), int(end.max())
        if not self.afresh and first < hi:
            first = lo if first > lo else hi  # what leaves is read once more
        if last > max(until, hi) or (first < base and last > first):
            raise RuntimeError(f"internal error: [{first}, {last}) is not held, but [{base}, {until})")

    def _column(self, out: Any, valid: Any) -> pa.Array:
        if valid.all() and valid.max(initial=1) == 1:
            return pa.array(out)
        if self.empty is not None:
            out[valid == 2] = self.empty
            valid[valid == 2] = 1
        return pa.array(out, mask=valid != 1)

    # The state, as that of a plain driver

    def take(self, state: Any) -> None:
        """Go on from the state of a plain driver; :class:`Unlike` where it cannot be held."""
        self.place[:_PUNTS] = 0
        if self.afresh:
            return
        if self.looks:
            self._check_constants()
        lo, hi, count, frozen, _ = state[:5]
        self.place[:3] = lo, hi, count
        if count:
            aggregate = resumed(self.prototype, frozen)
            for name in self.program.changing:
                self._put(name, getattr(aggregate, name, None))
        if len(state) > 5:
            left, _, since, guard, fields = state[5]
            self._take_watch(left, since, guard, {name: its for name, index, *its in fields if index < 0})

    def _put(self, name: str, value: Any) -> None:
        layout = self.program.layout
        if name in layout.fields:
            if type(value) is not float:
                raise Unlike(f"{name} is {value!r}")
            self.floats[1 + layout.fields.index(name)] = value
            return
        if type(value) is not (bool if name in self.program.bools else int) or not -(2**63) <= value < 2**63:
            raise Unlike(f"{name} is {value!r}")
        self.integers[layout.integers.index(name)] = value

    def _take_watch(self, left: int, since: int, guard: int, known: dict[str, Any]) -> None:
        if not self.looks or not known.keys() >= set(self.fields):
            raise Unlike("other fields are looked at")
        fields = [known[name] for name in self.fields]
        if any(precise for _, _, _, precise, *_ in fields):
            raise Unlike("a field is small against what is in the frame", yet=True)
        self.place[_LEFT], self.place[_SINCE], self.guard = left, since, guard
        self.peaks[:] = [peak for _, peak, *_ in fields]
        self.rest = tuple((large, has_marker, marker) for *_, large, has_marker, marker in fields)

    def _check_constants(self) -> None:
        """A number that no hook changes never makes a frame be folded afresh, unless it is NaN or infinite."""
        for (name, _), value in float_fields(self.prototype, self.prototype).items():
            if name not in self.fields and not np.isfinite(value):
                raise Unlike(f"{name} is {value!r}")

    def given(self) -> Any:
        """The state of a plain driver that has come so far."""
        if self.afresh:
            return ()
        lo, hi, count, left, since, empty = self.place[:6].tolist()
        aggregate = None
        if count:
            aggregate = fresh(self.prototype)
            for name, value in self.attributes().items():
                setattr(aggregate, name, value)
        state = lo, hi, count, changed(aggregate, self.prototype), ((), None)
        if not self.looks or not left:
            return state
        guard, rest = (-1, _REST * len(self.fields)) if empty else (self.guard, self.rest)
        fields = [
            (name, -1, value, peak, True, False, *its)
            for name, value, peak, its in zip(
                self.fields, self.floats[1:].tolist(), self.peaks.tolist(), rest, strict=False
            )
        ]
        return *state, (left, 1 << left.bit_length(), since, guard, fields)

    def attributes(self) -> dict[str, Any]:
        """What hooks have set."""
        layout, floats, integers = self.program.layout, self.floats.tolist(), self.integers.tolist()
        values = dict(zip(layout.floats, floats[1:], strict=True)) | dict(zip(layout.integers, integers, strict=True))
        bools = self.program.bools
        return {name: bool(values[name]) if name in bools else values[name] for name in self.program.changing}


def bits(value: Any) -> Any:
    """Equal where two numbers are the same to the last bit; one NaN is as good as another."""
    if isinstance(value, float):
        return "NaN" if value != value else struct.pack("d", value)
    return type(value), value


def _numbers(column: pa.Array) -> Any:
    """The values' buffer; what a NULL holds is not read."""
    dtype = np.float64 if pa.types.is_float64(column.type) else np.int64
    buffer = column.buffers()[1]
    if buffer is None or not len(column):
        return np.zeros(len(column), dtype)
    return np.frombuffer(buffer, dtype, len(column), column.offset * 8)
