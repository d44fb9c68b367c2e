"""Calls over windows as one writes them in SQL, read and applied to the columns of a schema.

The reading is that of ``iw.sql``; here all calls are ours, built-ins without SLIDE too, and arguments are columns.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from inwindow.language.sql.calls import Call, Names, call_end, find_calls
from inwindow.language.sql.windows import BUILT_IN, Windows
from inwindow.language.text import Source, Span, Token, Tokens, span_of, split, tokens_of
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import UsageError
from inwindow.windows import extents
from inwindow.windows.spec import Extent

_DECIMAL = re.compile(r"\d*\.\d+")
_SIZES = {"tumble": ["size"], "hop": ["size", "every"], "cumulate": ["size", "every"], "session": ["gap"]}


@dataclass
class Columns:
    """The columns of the data, by the text that names them; a condition becomes a boolean column of its own."""

    source: Source
    schema: pa.Schema
    conditions: set[Span] = field(default_factory=set)

    def column(self, span: Span) -> str:
        """The column that a piece of the text names: exactly, or else whatever its case."""
        text = self.source.on_one_line(span)
        if span in self.conditions:
            if text not in self.schema.names:
                self.schema = self.schema.append(pa.field(text, pa.bool_()))
            return text
        if len(tokens_of(Source(text))) > 1:
            raise self.source.error(
                f"iw.sql: {text} is no column; explain knows the types of columns alone, so name one (or add it to the file)",
                span,
            )
        name = text.strip("`")
        alike = [known for known in self.schema.names if known.casefold() == name.casefold()]
        return alike[0] if name not in self.schema.names and len(alike) == 1 else name


def read_calls(
    texts: Sequence[str], schema: pa.Schema, classes: Mapping[str, Any], *, in_groups: bool = False
) -> tuple[list[Applied], pa.Schema]:
    """Each call applied, and the schema with the conditions in it; those of groups have no OVER.

    >>> schema = pa.schema({"price": pa.float64(), "ts": pa.int64()})
    >>> read_calls(["avg(price) over (order by ts rows 49 preceding) as avg50"], schema, {})[0]
    [avg(price) over (order by ts rows between 49 preceding and current row) as avg50]
    """
    found = []
    for text in map(_with_over, texts) if in_groups else texts:
        source = Source(text)
        tokens = tokens_of(source)
        if not tokens:
            raise UsageError("explain: a call is empty: write 'avg(price) over (order by ts rows 49 preceding)'")
        if tokens[0].says("SELECT"):
            raise source.error("explain takes the calls of a SELECT alone: avg(price) over (...) as a", tokens[0].span)
        opened: list[Token] = []
        for token in tokens:
            if token.says("("):
                opened.append(token)
            elif token.says(")") and opened:
                opened.pop()
        if opened:
            raise source.error("explain: a parenthesis is not closed", opened[-1].span)
        for part in split(tokens):
            if not part:
                raise source.error("explain: a call is missing beside this comma", span_of(tokens))
            one, schema = _read(source, part, schema, classes)
            found.append(one)
    return [replace(one, window=None) for one in found] if in_groups else found, schema


def read_extent(text: str) -> Extent:
    """An extent by its name, its column, and its sizes.

    >>> read_extent("hop(ts, 1 hour, 10 minutes)").describe(), read_extent("tumble(t, 0.5)").describe()
    ('(hop ts size 1 hour every 10 minutes)', '(tumble t size 0.5)')
    """
    found = re.fullmatch(r"\s*(\w+)\s*\((.*)\)\s*", text)
    name = found[1].lower() if found else ""
    column, *sizes = [part.rpartition("=")[2].strip(" '\"") for part in found[2].split(",")] if found else [""]
    if name not in _SIZES or not column or len(sizes) != len(_SIZES[name]):
        raise UsageError(
            f"explain --window {text!r}: write tumble(ts, 1 hour), hop(ts, 1 hour, 10 minutes), cumulate(ts, 1 day, 1 hour) or "
            "session(ts, 5 minutes)"
        )
    make: Any = getattr(extents, name)
    given = [int(size) if size.isdigit() else float(size) if _DECIMAL.fullmatch(size) else size for size in sizes]
    return make(column, **dict(zip(_SIZES[name], given, strict=True)))


def _with_over(text: str) -> str:
    """Calls without OVER, with an empty one behind each, as the reader wants them."""
    source = Source(text)
    for part in reversed(split(tokens_of(source))):
        over = next((token for token in part if token.kind == "OVER"), None)
        if over is not None:
            raise source.error("explain --window: the extent is the window, so a call has no OVER", over.span)
        end = call_end(part, 0) if len(part) > 1 and part[1].kind == "L_PAREN" else None
        if end is not None:
            at = part[end - 1].span.end
            text = f"{text[:at]} OVER (){text[at:]}"
    return text


def _read(source: Source, tokens: Tokens, schema: pa.Schema, classes: Mapping[str, Any]) -> tuple[Applied, pa.Schema]:
    known = {**BUILT_IN, **classes}
    _check_known(source, tokens, known)
    calls = [place for place in find_calls(source, tokens, Names(known.keys(), set())) if isinstance(place, Call)]
    if len(calls) != 1 or calls[0].span.start != tokens[0].span.start:
        raise source.error(
            "explain: this is not a call over a window alone: write avg(price) over (...), one for each result",
            span_of(tokens),
        )
    call = calls[0]
    columns = Columns(source, schema, set() if call.condition is None else {call.condition})
    one = Windows(source, calls, classes, columns).applied(call)
    alias = [token for token in tokens if token.span.start >= call.span.end]
    if len(alias) == 2 and alias[0].says("AS"):
        alias = alias[1:]
    if len(alias) > 1:
        raise source.error(
            "explain: what is this behind the call? A name for the result is written AS name", span_of(alias)
        )
    return (one.alias(alias[0].text) if alias else one), columns.schema


def _check_known(source: Source, tokens: Tokens, known: Mapping[str, Any]) -> None:
    """What stands first is the name of an aggregate."""
    first: Token = tokens[0]
    if len(tokens) > 1 and tokens[1].kind == "L_PAREN" and first.text.lower() in known:
        return
    close = difflib.get_close_matches(first.text.lower(), known, 1)
    hint = f"did you mean {close[0]}? The" if close else "the"
    raise source.error(
        f"explain: {first.text} is no aggregate: {hint} built-ins are those of docs/builtins.md, and a class of your own "
        "is given by --udaf module:MyAvg",
        first.span,
    )
