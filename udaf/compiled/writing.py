"""The module that numba compiles: exact arithmetic, a function per hook, and the loop over the bounds.

The loop is that of ``native/_hooks.Delta``: what leaves is expired, what comes is iterated, and a frame that shares nothing with
the one before begins afresh. The state is a handful of local variables; between calls it lies in two arrays, doubles and integers::

    floats     1.0 (which no optimizer can see), the float attributes, the largest that each has been
    integers   the int and bool attributes
    place      lo, hi, count as in Delta; then what it takes to look

Where floats are subtracted the loop looks at them: a frame is folded afresh if a float is NaN or infinite, if it is small against
what it has been, or if very many tuples have left. Where that does not help it is not done again until the tuple that is in the
way (the last that made it so in a fold that begins anew behind each such one; the last that was large) has left, or an infinity.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from inwindow.udaf.compiled.exact import EXACT
from inwindow.udaf.compiled.expressions import B, F, I, Refused
from inwindow.udaf.compiled.reading import READ, HookText, Number, Reading, attributes_of, refused
from inwindow.udaf.compiled.statements import State, Statements
from inwindow.udaf.errors import UsageError
from inwindow.udaf.kinds import DOUBLE, INT, is_float, is_int


@dataclass(frozen=True)
class Program:
    """A generated module, and how it keeps the state."""

    name: str
    source: str
    result: pa.DataType
    inputs: tuple[pa.DataType, ...]
    floats: tuple[str, ...]  # attributes in the array of doubles, from index 1 on
    integers: tuple[str, ...]
    bools: frozenset[str]
    changing: frozenset[str]
    given: dict[str, Number]


def write(reading: Reading, label: str, types: list[pa.DataType], result: pa.DataType) -> Program:
    """The module for arguments of these types; an error says what cannot be compiled, and where."""
    name = reading.name
    if result not in (DOUBLE, INT):
        raise refused(name, f"its result is {result}, and compiled hooks give a double or a bigint")
    for kind in types:
        if not (is_int(kind) or is_float(kind)):
            raise UsageError(
                f"{label}: compiled hooks take floats and integers of at most 64 bits, not {kind}: cast the column"
            )
    inputs = tuple(INT if is_int(kind) else DOUBLE for kind in types)
    state = State({name: _kind(value) for name, value in reading.given.items()}, _changing(reading))
    functions = _functions(reading, state, [I if kind == INT else F for kind in inputs], F if result == DOUBLE else I)
    floats = tuple(name for name, kind in state.types.items() if kind == F)
    integers = tuple(name for name, kind in state.types.items() if kind != F)
    bools = frozenset(name for name, kind in state.types.items() if kind == B)
    loop = _loop(state, inputs, result, floats, integers)
    source = f"# {name}, by iw.compiled\n{EXACT}\n\n{functions}\n\n{loop}"
    return Program(
        name, source, result, inputs, floats, integers, bools, frozenset(state.changing), dict(reading.given)
    )


def _kind(value: Number) -> str:
    return type(value).__name__


def _changing(reading: Reading) -> list[str]:
    """The attributes that some hook sets."""
    found: dict[str, None] = {}
    for hook in reading.hooks.values():
        attributes = attributes_of(hook.tree, hook.parameters[0])
        found |= dict.fromkeys(name for name, is_set in attributes.items() if is_set)
    return list(found)


def _functions(reading: Reading, state: State, kinds: list[str], result: str) -> str:
    state.born = set(state.types)
    hooks = dict(reading.hooks)
    texts: dict[str, list[str]] = {}
    for name in (name for name in READ if name in hooks):
        if name != "initialize":
            _all_born(reading, state)
        texts[name] = _written(reading.name, hooks[name], state, kinds, result)
    for name, other in (("initialize", "iterate"), ("iterate", "initialize")):  # one stands in for the other
        if name not in texts:
            texts[name], hooks[name] = texts[other], hooks[other]
    if "expire" not in texts:
        refuses = "".join(f"s_{name}, " for name in state.changing)
        texts["expire"], hooks["expire"] = (
            [f"return ({refuses}True,)"],
            hooks["iterate"],
        )  # where frames move it is not used
    return "\n\n\n".join(_function(name, hooks[name], state, texts[name]) for name in READ)


def _function(name: str, hook: HookText, state: State, lines: list[str]) -> str:
    values = [] if name == "terminate" else [f"v_{name}" for name in hook.parameters[1:]]
    return "\n".join([f"@_njit\ndef {name}({', '.join(_given(state, values))}):", *(f"    {line}" for line in lines)])


def _all_born(reading: Reading, state: State) -> None:
    for name in state.changing:
        if name not in state.born:
            its = "initialize does not always set" if "initialize" in reading.hooks else "there is no initialize to set"
            raise refused(
                reading.name,
                f"{its} self.{name}, so that it may have no value: set it there, or in __init__, to a number",
            )


def _written(name: str, hook: HookText, state: State, kinds: list[str], result: str) -> list[str]:
    try:
        statements = Statements(hook, state, kinds, result)
        lines = statements.written()
    except Refused as refusal:
        line = hook.line + getattr(refusal.node, "lineno", 1) - 1
        code = (ast.get_source_segment(hook.text, refusal.node) or ast.unparse(refusal.node)).splitlines()[0]
        raise refused(name, f"{hook.name}, line {line}, `{code}`: {refusal.why}") from None
    if hook.name == "initialize":
        state.born = set.intersection(*statements.ends) if statements.ends else state.born
    return lines


def _given(state: State, values: list[str]) -> list[str]:
    return [*(f"s_{name}" for name in state.changing), *(f"c_{name}" for name in state.constant), "_one", *values]


# The loop

_LOOP = """\
def _loop(
    RESULT, COLUMNS, seen, base, start, end, place, fresh_floats, fresh_integers, floats, integers, valid, afresh, gives, looks
):
    lo, hi, count = place[0], place[1], place[2]
    since, bad_left, odd, small = place[3], place[4], place[5], place[6]
    large = -1
    has_seen = len(seen) > 0
    _one = fresh_floats[0]
    LOAD_CONSTANTS
    LOAD_STATE
    for i in range(len(start)):
        first, last = start[i], end[i]
        if gives and i > 0 and first == start[i - 1] and last == end[i - 1]:
            out[i], valid[i] = out[i - 1], valid[i - 1]
            continue
        if afresh or first >= hi:
            lo = hi = first
            count = 0
        elif first > lo:
            for p in range(lo, first):
                if has_seen and seen[p - base] == 0:
                    continue
                count -= 1
                if count == 0:
                    break
                since += 1
                if INFINITE:
                    bad_left = 1
                TAKEN = expire(GIVEN)
                if punts:
                    count = 0
                    hi = first
                    break
            lo = first
        for again in range(2):
            for p in range(hi, last):
                if has_seen and seen[p - base] == 0:
                    continue
                BEFORE
                if count == 0:
                    since = bad_left = 0
                    LOAD_FRESH
                    TAKEN = initialize(GIVEN)
                else:
                    TAKEN = iterate(GIVEN)
                count += 1
                PEAKS
                if LARGE:
                    large = p
            hi = max(hi, last)
            if not looks or count == 0 or (since == 0 and again == 0):
                break
            is_odd = ODD
            is_small = SMALL
            if again == 1:
                small = large if is_small else small
                if is_odd:
                    KEEP
                    n = 0
                    for p in range(first, last):
                        if has_seen and seen[p - base] == 0:
                            continue
                        if n == 0:
                            LOAD_FRESH
                            TAKEN = initialize(GIVEN)
                        else:
                            TAKEN = iterate(GIVEN)
                        n += 1
                        if ODD:
                            NOTE
                            n = 0
                    BACK
                    odd = last - 1
                    GUARD
                break
            due = is_odd and (bad_left == 1 or first > odd)
            due = due or (is_small and first > small) or (since >= OFTEN and since >= 16 * count)
            if not due:
                break
            count = 0
            hi = first
        if gives:
            if count == 0:
                valid[i] = 2
            else:
                out[i], is_null = terminate(KNOWN)
                valid[i] = 0 if is_null else 1
    place[0], place[1], place[2] = lo, hi, count
    place[3], place[4], place[5], place[6] = since, bad_left, odd, small
    STORE_STATE


def _array(kind, readonly):
    return types.Array(kind, 1, "C", readonly=readonly)


roll = njit(
    types.void(
        SIGNATURE
    ),
    cache=True, error_model="numpy", nogil=True,
)(_loop)
"""


def _loop(
    state: State,
    inputs: tuple[pa.DataType, ...],
    result: pa.DataType,
    floats: tuple[str, ...],
    integers: tuple[str, ...],
) -> str:
    def load(name: str, prefix: str, of: str) -> str:
        where = f"floats[{1 + floats.index(name)}]" if name in floats else f"integers[{integers.index(name)}]"
        value = f"{of}{where}" + (" != 0" if state.types[name] == B else "")
        return f"{prefix}_{name} = {value}"

    def store(name: str) -> str:
        if name in floats:
            return f"floats[{1 + floats.index(name)}] = s_{name}"
        return f"integers[{integers.index(name)}] = int(s_{name})"

    columns = [f"a{index}" for index in range(len(inputs))]
    real = [f"{column}[p - base]" for column, kind in zip(columns, inputs, strict=True) if kind == DOUBLE]
    watched = [name for name in floats if name in state.changing]
    peaks = {name: f"floats[{1 + len(floats) + floats.index(name)}]" for name in watched}
    known = ", ".join(_given(state, []))
    kinds = ["types.float64" if kind == DOUBLE else "types.int64" for kind in inputs]
    whole, double, byte = "types.int64", "types.float64", "types.uint8"
    signature = [
        f"_array({double if result == DOUBLE else whole}, False)", *(f"_array({kind}, True)" for kind in kinds),
        f"_array({byte}, True)", whole, f"_array({whole}, True)", f"_array({whole}, True)", f"_array({whole}, False)",
        f"_array({double}, False)", f"_array({whole}, False)", f"_array({double}, False)", f"_array({whole}, False)",
        f"_array({byte}, False)", "types.boolean", "types.boolean", "types.boolean",
    ]  # fmt: skip
    words = {
        "RESULT": "out",
        "COLUMNS": ", ".join(columns),
        "LOAD_CONSTANTS": [load(name, "c", "fresh_") for name in state.constant],
        "LOAD_STATE": [
            *(load(name, "s", "") for name in state.changing),
            *(f"p_{name} = {peak}" for name, peak in peaks.items()),
        ],
        "LOAD_FRESH": [
            *(load(name, "s", "fresh_") for name in state.changing),
            *(f"p_{name} = 0.0" for name in watched),
        ],
        "STORE_STATE": [
            *(store(name) for name in state.changing),
            *(f"{peak} = p_{name}" for name, peak in peaks.items()),
        ],
        "PEAKS": [
            f"p_{name} = max(p_{name}, abs(s_{name}) if s_{name} - s_{name} == 0.0 else 0.0)" for name in watched
        ],
        "BEFORE": [f"b_{name} = s_{name}" for name in watched],
        "LARGE": _any(f"abs(s_{name} - b_{name}) > p_{name} * 2.0**-20" for name in watched),
        "INFINITE": _any(f"abs({value}) == _inf" for value in real),
        "KEEP": [
            *(f"t_{name}, l_{name}, q_{name} = s_{name}, -1, p_{name}" for name in watched),
            *(f"t_{name} = s_{name}" for name in state.changing if name not in watched),
        ],
        "NOTE": [
            f"l_{name} = p if s_{name} != s_{name} or (t_{name} == t_{name} and s_{name} - s_{name} != 0.0) else l_{name}"
            for name in watched
        ],
        "BACK": [*(f"s_{name} = t_{name}" for name in state.changing), *(f"p_{name} = q_{name}" for name in watched)],
        "GUARD": [
            f"odd = min(odd, l_{name}) if s_{name} - s_{name} != 0.0 and l_{name} >= 0 else odd" for name in watched
        ],
        "ODD": _any(f"s_{name} - s_{name} != 0.0" for name in watched),
        "SMALL": _any(f"abs(s_{name}) < p_{name} * 2.0**-20" for name in watched),
        "OFTEN": "65536",
        "TAKEN": "".join(f"s_{name}, " for name in state.changing) + ("punts" if state.changing else "punts,"),
        "GIVEN": ", ".join([known, *(f"{column}[p - base]" for column in columns)]),
        "KNOWN": known,
        "SIGNATURE": [f"{one}," for one in signature],
    }
    lines = []
    for line in _LOOP.splitlines():
        several = words.get(line.strip())
        if isinstance(several, list):
            indent = line[: len(line) - len(line.lstrip())]
            lines += [f"{indent}{one}" for one in several] or [f"{indent}pass"]
        else:
            lines.append(re.sub(r"\b[A-Z_]{3,}\b", lambda match: str(words.get(match[0], match[0])), line))
    return "\n".join(lines) + "\n"


def _any(conditions: Iterable[str]) -> str:
    return " or ".join(f"({one})" for one in conditions) or "False"
