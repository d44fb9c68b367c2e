"""The loop that numba compiles: the loop of ``native/_hooks.Delta``, with the state in local variables.

Tuples that leave are expired, new tuples are iterated, and a frame that shares no tuple with the one before starts anew.
Between calls the state is in arrays::

    floats, integers   1.0 (which no optimizer can see) and the float attributes; the int and bool attributes
    place              lo, hi, count, as in Delta; tuples that have left, those since the last fold, as in `significance.pyx`;
                       whether the frame has been empty; how many frames were folded afresh: by PUNT, and by the rule
    peaks              of the float attributes that hooks change

If hooks subtract floats, the loop notices when a float may have lost its digits. Then it stops before that frame, returns the
number of finished frames, and the Python hooks do the rest. The loop folds a frame again by itself only after very many tuples
have left, which happens to every class.

What a hook raises is caught in the loop, which then returns -1: an exception that leaves a function of numba's takes along, for
ever, a reference to each array that the function has.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from inwindow.udaf.compiled.expressions import B
from inwindow.udaf.compiled.statements import State
from inwindow.udaf.kinds import DOUBLE

_LOOP = """\
_LOST = 2.0**-20
_OFTEN = 65536


def _loop(
    out, valid, COLUMNS, seen, base, start, end, fresh_floats, fresh_integers, floats, integers, place, peaks, afresh, gives, looks
):
    lo, hi, count, left, since, empty = place[0], place[1], place[2], place[3], place[4], place[5]
    has_seen = len(seen) > 0
    _one = fresh_floats[0]
    done = len(start)
    LOAD_CONSTANTS
    LOAD_STATE
    LOAD_PEAKS
    try:
        for i in range(len(start)):
            first, last = start[i], end[i]
            if gives and i > 0 and first == start[i - 1] and last == end[i - 1]:
                out[i], valid[i] = out[i - 1], valid[i - 1]
                continue
            was_lo, was_hi, was_count, was_left, was_since, was_empty = lo, hi, count, left, since, empty
            KEEP
            is_odd = False
            if afresh or first >= hi:
                lo = hi = first
                count = left = since = 0
                empty = 1
            elif first > lo:
                is_next = False
                for p in range(lo, first):
                    if has_seen and seen[p - base] == 0:
                        continue
                    count -= 1
                    if count == 0:
                        left = since = 0
                        empty = 1
                        break
                    left += 1
                    since += 1
                    if left == 1:
                        FORGET_PEAKS
                    if is_next or left == 1:
                        GROW_PEAKS
                    is_next = True
                    TAKEN = expire(GIVEN)
                    if punts:
                        is_odd = looks
                        place[6] += 1
                        count = 0
                        hi = first
                        break
                lo = first
            for again in range(2):
                for p in range(hi, last):
                    if has_seen and seen[p - base] == 0:
                        continue
                    if count == 0:
                        LOAD_FRESH
                        TAKEN = initialize(GIVEN)
                    else:
                        TAKEN = iterate(GIVEN)
                    count += 1
                    if again == 1:
                        GROW_PEAKS
                hi = max(hi, last)
                if again == 1 or not looks or left == 0 or count == 0:
                    break
                LOOK_AT_PEAKS
                if is_odd or since < _OFTEN or since < 16 * count:
                    break
                place[7] += 1
                since = count = 0
                hi = first
                FORGET_PEAKS
            if is_odd:
                lo, hi, count, left, since, empty = was_lo, was_hi, was_count, was_left, was_since, was_empty
                BACK
                done = i
                break
            if gives:
                if count == 0:
                    valid[i] = 2
                else:
                    out[i], is_null = terminate(KNOWN)
                    valid[i] = 0 if is_null else 1
    except Exception:  # a hook's, or Bail
        return -1
    place[0], place[1], place[2], place[3], place[4], place[5] = lo, hi, count, left, since, empty
    STORE_STATE
    STORE_PEAKS
    return done


def _array(kind, readonly):
    return types.Array(kind, 1, "C", readonly=readonly)


roll = njit(
    types.int64(
        SIGNATURE
    ),
    cache=True, error_model="numpy", nogil=True,
)(_loop)
"""
_LOOKED = """\
z_{0} = abs(s_{0})
if z_{0} < p_{0}:
    is_odd = is_odd or z_{0} < p_{0} * _LOST
elif z_{0} < _inf:
    p_{0} = z_{0}
else:
    is_odd = True"""


@dataclass(frozen=True)
class Layout:
    """The places of the attributes in the arrays of the state."""

    fields: tuple[str, ...]  # the floats that hooks change: floats[1], floats[2], ...
    constants: tuple[str, ...]  # the other floats, after them
    integers: tuple[str, ...]  # ints and bools

    @classmethod
    def of(cls, state: State) -> "Layout":
        """The layout of a state whose types are known."""
        floats = [name for name, kind in state.types.items() if kind == "float"]
        return cls(
            tuple(name for name in floats if name in state.changing),
            tuple(name for name in floats if name not in state.changing),
            tuple(name for name, kind in state.types.items() if kind != "float"),
        )

    @property
    def floats(self) -> tuple[str, ...]:
        """All floats; the first has index 1."""
        return self.fields + self.constants

    def place(self, name: str) -> str:
        """The place of an attribute."""
        if name in self.floats:
            return f"floats[{1 + self.floats.index(name)}]"
        return f"integers[{self.integers.index(name)}]"


def loop_of(state: State, layout: Layout, inputs: tuple[pa.DataType, ...], result: pa.DataType) -> str:
    """The text of the loop, and of the functions that it calls, except the hooks."""

    def load(name: str, prefix: str, of: str) -> str:
        return f"{prefix}_{name} = {of}{layout.place(name)}{' != 0' if state.types[name] == B else ''}"

    def store(name: str) -> str:
        value = f"s_{name}"
        return f"{layout.place(name)} = {value if name in layout.fields else f'int({value})'}"

    fields = layout.fields
    columns = [f"a{index}" for index in range(len(inputs))]
    known = ", ".join([*(f"s_{name}" for name in state.changing), *(f"c_{name}" for name in state.constant), "_one"])
    return _filled(_LOOP, {
        "COLUMNS": ", ".join(columns),
        "LOAD_CONSTANTS": [load(name, "c", "fresh_") for name in state.constant],
        "LOAD_STATE": [load(name, "s", "") for name in state.changing],
        "LOAD_FRESH": [load(name, "s", "fresh_") for name in state.changing],
        "STORE_STATE": [store(name) for name in state.changing],
        "LOAD_PEAKS": [f"p_{name} = peaks[{at}]" for at, name in enumerate(fields)],
        "STORE_PEAKS": [f"peaks[{at}] = p_{name}" for at, name in enumerate(fields)],
        "FORGET_PEAKS": [f"p_{name} = 0.0" for name in fields],
        "GROW_PEAKS": [f"p_{name} = max(p_{name}, abs(s_{name})) if s_{name} - s_{name} == 0.0 else p_{name}" for name in fields],
        "LOOK_AT_PEAKS": [line for name in fields for line in _LOOKED.format(name).splitlines()],
        "KEEP": [*(f"b_{name} = s_{name}" for name in state.changing), *(f"q_{name} = p_{name}" for name in fields)],
        "BACK": [*(f"s_{name} = b_{name}" for name in state.changing), *(f"p_{name} = q_{name}" for name in fields)],
        "TAKEN": "".join(f"s_{name}, " for name in state.changing) + ("punts" if state.changing else "punts,"),
        "GIVEN": ", ".join([known, *(f"{column}[p - base]" for column in columns)]),
        "KNOWN": known,
        "SIGNATURE": [f"{one}," for one in _signature(inputs, result)],
    })  # fmt: skip


def _signature(inputs: tuple[pa.DataType, ...], result: pa.DataType) -> Iterable[str]:
    """The types of the loop's parameters, in their order."""

    def array(kind: str, readonly: bool = False) -> str:
        return f"_array(types.{kind}, {readonly})"

    yield array("float64" if result == DOUBLE else "int64")
    yield array("uint8")
    for kind in inputs:
        yield array("float64" if kind == DOUBLE else "int64", True)
    yield array("uint8", True)
    yield "types.int64"
    yield from [array("int64", True)] * 2
    yield from [array("float64"), array("int64")] * 2
    yield from [array("int64"), array("float64")]
    yield from ["types.boolean"] * 3


def _filled(text: str, words: dict[str, str | list[str]]) -> str:
    """A line that is one word becomes its lines; other words are replaced where they stand."""
    lines = []
    for line in text.splitlines():
        several = words.get(line.strip())
        if isinstance(several, list):
            indent = line[: len(line) - len(line.lstrip())]
            lines += [f"{indent}{one}" for one in several] or [f"{indent}pass"]
        else:
            lines.append(re.sub(r"\b[A-Z_]{3,}\b", lambda match: str(words.get(match[0], match[0])), line))
    return "\n".join(lines) + "\n"
