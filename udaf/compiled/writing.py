"""The module that numba compiles: exact arithmetic, a function per hook, and the loop over the bounds (``looping.py``)."""

import ast
from dataclasses import dataclass

import pyarrow as pa

from inwindow.udaf.compiled.exact import EXACT
from inwindow.udaf.compiled.expressions import B, F, I, Refused
from inwindow.udaf.compiled.looping import Layout, loop_of
from inwindow.udaf.compiled.reading import READ, HookText, NotCompiled, Number, Reading, attributes_of, refused
from inwindow.udaf.compiled.statements import State, Statements
from inwindow.udaf.kinds import DOUBLE, INT, is_float, is_int


@dataclass(frozen=True)
class Program:
    """A generated module, and how it keeps the state."""

    name: str
    source: str
    result: pa.DataType
    inputs: tuple[pa.DataType, ...]
    layout: Layout
    bools: frozenset[str]
    changing: tuple[str, ...]  # the attributes that hooks set
    given: dict[str, Number]


def write(reading: Reading, label: str, types: list[pa.DataType], result: pa.DataType) -> Program:
    """The module for arguments of these types; an error says what cannot be compiled, and where."""
    name = reading.name
    if result not in (DOUBLE, INT):
        raise refused(name, f"its result is {result}, and compiled hooks give a double or a bigint")
    for kind in types:
        if not (is_int(kind) or is_float(kind)):
            why = f"compiled hooks take floats and integers of at most 64 bits, not {kind}"
            raise NotCompiled(f"{label}: {why}: cast the column", why)
    inputs = tuple(INT if is_int(kind) else DOUBLE for kind in types)
    state = State({name: _kind(value) for name, value in reading.given.items()}, _changing(reading))
    functions = _functions(reading, state, [I if kind == INT else F for kind in inputs], F if result == DOUBLE else I)
    layout = Layout.of(state)
    bools = frozenset(name for name, kind in state.types.items() if kind == B)
    source = f"# {name}, by iw.compiled\n{EXACT}\n\n{functions}\n\n{loop_of(state, layout, inputs, result)}"
    return Program(name, source, result, inputs, layout, bools, tuple(state.changing), dict(reading.given))


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
