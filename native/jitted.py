"""The driver of hooks that numba has compiled: it calls the generated loop, checks it, and knows the way back to plain hooks.

::

    roll ---> first rows: both, compared ---> the loop ---> results
                 | differ                       | Bail: an integer passes 64 bits, a hook raises
                 v                              v
               error                          the plain hooks, from the state of before this call; and from there on

A call that bails has changed nothing, so doing it over by the plain hooks gives what they would have given all along. Where
floats are subtracted, frames are folded afresh by a rule of the loop's own (udaf/compiled/writing.py); the check leaves it out.
"""

import logging
import struct
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from inwindow.native._fresh import fresh
from inwindow.native._hooks import Delta, Recompute
from inwindow.native.positions import Positions
from inwindow.udaf.contract import PUNT
from inwindow.udaf.errors import InWindowError

Mask = npt.NDArray[np.uint8] | None
CHECKED = 256  # rows that are computed by both
_ALL_SEEN = np.zeros(0, dtype=np.uint8)
_PLACE = np.array([0, 0, 0, 0, 0, -1, -1])  # lo, hi, count; then of what makes a frame be folded afresh
_log = logging.getLogger("inwindow")


class Differs(InWindowError):
    """The compiled hooks gave another result than the plain ones."""


class Jitted:
    """Delta, unbounded, tumble and recompute (``afresh``), by one generated loop.

    Invariant between frames: that of ``_hooks.Delta``, for ``place`` = (lo, hi, count) and the state in the two arrays.
    """

    def __init__(self, roll: Any, bail: type[Exception], program: Any, plain: Any, *, afresh: bool, empty: Any) -> None:
        self.loop, self.bail, self.program, self.prototype = roll, bail, program, plain
        self.afresh, self.empty = afresh, empty
        self.first = self._arrays(program.given)
        self.live = tuple(array.copy() for array in self.first)
        self.place = _PLACE.copy()
        traits = plain._traits
        self.looks = bool(program.floats) and not afresh and "expire" in traits.hooks and traits.rebase
        self.is_checked = False
        self.plain: Any = None  # the plain driver, once the loop has bailed

    def _arrays(self, values: dict[str, Any]) -> tuple[Any, Any]:
        floats = [
            1.0,
            *(float(values.get(name, 0.0)) for name in self.program.floats),
            *([0.0] * len(self.program.floats)),
        ]
        return np.array(floats), np.array([int(values.get(name, 0)) for name in self.program.integers], dtype=np.int64)

    def roll(self, values: Any, base: int, start: Positions, end: Positions, seen: Mask) -> pa.Array:
        """The result of each frame [start[i], end[i])."""
        if self.plain is None and not self.is_checked and len(start):
            self._check(values, base, start, end, seen)
        if self.plain is None:
            out, valid = self._space(len(start))
            if self._runs(out, values, base, seen, start, end, valid, True):
                return self._column(out, valid)
        result: pa.Array = self.plain.roll(_lists(values), base, seen, start, end)
        return result

    def absorb(self, values: Any, base: int, start: int, end: int, seen: Mask) -> None:
        """Fold one frame without a result."""
        if self.plain is None:
            out, valid = self._space(0)
            bounds = np.array([start], dtype=np.int64), np.array([end], dtype=np.int64)
            if self._runs(out, values, base, seen, *bounds, valid, False):
                return
        self.plain.absorb(_lists(values), base, seen, start, end)

    # The loop

    def _runs(
        self, out: Any, values: Any, base: int, seen: Mask, start: Positions, end: Positions, valid: Any, gives: bool
    ) -> bool:
        """Run the loop on the live state; False where it bails."""
        try:
            self._call(out, values, base, seen, start, end, self.place, self.live, valid, gives, self.looks)
        except self.bail:
            self._fall_back()
            return False
        return True

    def _call(
        self, out: Any, values: Any, base: int, seen: Mask, start: Positions, end: Positions, place: Any, live: Any, valid: Any,
        gives: bool, looks: bool,
    ) -> None:  # fmt: skip
        length = len(values[0])
        if len(start):
            read = (
                int(start[0])
                if self.afresh or start[0] >= place[1]
                else int(place[0] if start[0] > place[0] else place[1])
            )
            if end.max() > max(base + length, place[1]) or (read < base and end.max() > read):
                raise RuntimeError(f"internal error: [{read}, {end.max()}) is not held, but [{base}, {base + length})")
        columns = [_numbers(column) for column in values]
        mask = _ALL_SEEN if seen is None else seen
        self.loop(out, *columns, mask, base, start, end, place, *self.first, *live, valid, self.afresh, gives, looks)

    def _space(self, count: int) -> tuple[Any, Any]:
        return np.zeros(count, self.program.result.to_pandas_dtype()), np.zeros(count, dtype=np.uint8)

    def _column(self, out: Any, valid: Any) -> pa.Array:
        if self.empty is not None:
            out[valid == 2] = self.empty
            valid[valid == 2] = 1
        return pa.array(out, mask=None if (valid == 1).all() else valid != 1)

    # The way back

    def _fall_back(self) -> None:
        _log.warning(
            "%s: compiled hooks cannot go on (an integer passes 64 bits, or a hook raises): the Python hooks take over",
            self.program.name,
        )
        self.plain = self._plain_driver(self.looks)
        self.plain.restore(() if self.afresh else self._as_plain(self.place, self.live))

    def _plain_driver(self, rebase: bool = False) -> Any:
        mode: Any = "double" if pa.types.is_float64(self.program.result) else "int64"
        if self.afresh:
            return Recompute(self.prototype, result=mode, empty=self.empty)
        return Delta(self.prototype, result=mode, empty=self.empty, punt=PUNT, rebase=rebase)

    def _as_plain(self, place: Any, live: Any) -> tuple[Any, ...]:
        """The state as that of a plain driver."""
        lo, hi, count = place[:3].tolist()
        aggregate = None
        if count:
            aggregate = fresh(self.prototype)
            vars(aggregate).update(self._attributes(live))
            aggregate = vars(aggregate)
        return lo, hi, count, aggregate, ((), None)

    def _attributes(self, live: Any) -> dict[str, Any]:
        floats, integers = (array.tolist() for array in live)
        named = dict(zip(self.program.floats, floats[1:], strict=False)) | dict(
            zip(self.program.integers, integers, strict=True)
        )
        return {
            name: bool(value) if name in self.program.bools else value
            for name, value in named.items()
            if name in self.program.changing
        }

    # The check

    def _check(self, values: Any, base: int, start: Positions, end: Positions, seen: Mask) -> None:
        """Both on the first rows, each from a fresh state; an error if they differ."""
        self.is_checked = True
        stop = int(start[0]) + CHECKED
        count = int(np.searchsorted(end, stop, side="right"))
        start, end = (start[: max(count, 1)].copy(), np.minimum(end[: max(count, 1)], stop))
        out, valid = self._space(len(start))
        place, live = _PLACE.copy(), tuple(array.copy() for array in self.first)
        place[:2] = start[0]
        try:
            self._call(out, values, base, seen, start, end, place, live, valid, True, False)
            plain = self._plain_driver()
            first = int(start[0]) - base
            few = [column.slice(first, CHECKED) for column in values]
            rolled = plain.roll(
                _lists(few),
                int(start[0]),
                None if seen is None else np.ascontiguousarray(seen[first : first + CHECKED]),
                start,
                end,
            )
        except Exception:  # the run itself will come to it, and tell of it
            return
        given, expected = self._column(out, valid).to_pylist(), rolled.to_pylist()
        for frame, (one, other) in enumerate(zip(given, expected, strict=True)):
            if _bits(one) != _bits(other):
                raise Differs(self._said(frame, one, other, given, plain, live))

    def _said(self, frame: int, one: Any, other: Any, given: list[Any], plain: Any, live: Any) -> str:
        name = self.program.name
        its = {} if self.afresh else plain.state()[3] or {}
        moved = [
            f"self.{attribute} is {value!r}, not {its[attribute]!r}"
            for attribute, value in self._attributes(live).items()
            if attribute in its and _bits(value) != _bits(its[attribute])
        ]
        hooks = "initialize, iterate or expire" if moved else "terminate"
        return (
            f"iw.compiled({name}()): in frame {frame} the compiled hooks give {one!r}, the Python hooks {other!r}: {hooks} is not "
            f"compiled to the same arithmetic{' (' + ', '.join(moved) + ')' if moved else ''}; use {name}() without iw.compiled, "
            "and please report the class"
        )

    # To be pickled

    def state(self) -> Any:
        """What the next call builds on."""
        if self.plain is not None:
            return "plain", self.plain.state()
        return "compiled", (self.place.copy(), *(array.copy() for array in self.live))

    def restore(self, state: Any) -> None:
        """The inverse of :meth:`state`."""
        kind, its = state
        if kind == "plain":
            self.plain = self._plain_driver(self.looks)
            self.plain.restore(its)
        else:
            self.plain = None
            place, *live = its
            self.place, self.live = place.copy(), tuple(array.copy() for array in live)


def _numbers(column: pa.Array) -> Any:
    """The values' buffer; what a NULL holds is not read."""
    dtype = np.float64 if pa.types.is_float64(column.type) else np.int64
    buffer = column.buffers()[1]
    if buffer is None or not len(column):
        return np.zeros(len(column), dtype)
    return np.frombuffer(buffer, dtype, len(column), column.offset * 8)


def _lists(values: Any) -> list[list[Any]]:
    return [column.to_pylist() for column in values]


def _bits(value: Any) -> Any:
    """Equal where two results are the same to the last bit; one NaN is as good as another."""
    if isinstance(value, float):
        return "NaN" if value != value else struct.pack("d", value)
    return value
