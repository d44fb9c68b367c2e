"""The aggregates of a statement over their windows, as ``iw.with_columns`` and ``iw.select`` take them."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from inwindow.language.sql.calls import Call
from inwindow.language.text import Source, Span, StatementError
from inwindow.udaf import builtins
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import DefinitionError, UsageError, shown
from inwindow.windows.spec import Order, Window

BUILT_IN: dict[str, Callable[..., Applied]] = {name: getattr(builtins, name) for name in builtins.NAMES}
DISTINCT: dict[str, Callable[..., Applied]] = {  # the last ones see no difference
    "count": builtins.count_distinct, "sum": builtins.sum_distinct, "avg": builtins.avg_distinct,
    "mean": builtins.avg_distinct, "string_agg": builtins.string_agg_distinct, "listagg": builtins.listagg_distinct,
    **{name: BUILT_IN[name] for name in ("min", "max", "bool_and", "bool_or")},
}  # fmt: skip
_COLUMNS = {"column", "columns", "col1", "col2", "ord", "x", "y"}  # the parameters of built-ins that are columns


class Columns(Protocol):
    """The data, as far as it matters here: which column a piece of the text is."""

    def column(self, span: Span) -> str:
        """Its name."""


@dataclass(frozen=True)
class Windows:
    """The calls of a statement, over columns of the data."""

    source: Source
    calls: Sequence[Call]
    registered: Mapping[str, Any]
    data: Columns

    def check_yields(self) -> None:
        """All windows must make the same rows."""
        first, *others = self.calls
        for call in others:
            one, two = (self._rows_of(c) for c in (first, call))
            if one != two:
                raise self.source.error(
                    f"iw.sql: the windows of one SELECT make the same rows, but {first.label} has {one} and {call.label} has "
                    f"{two}: use an iw.sql for each",
                    call.span,
                )
            if self._places(first) != self._places(call):
                raise self.source.error(
                    f"iw.sql: with {one}, all windows of one SELECT have the same PARTITION BY and ORDER BY, but those of "
                    f"{first.label} and {call.label} differ: use an iw.sql for each",
                    call.span,
                )

    def _rows_of(self, call: Call) -> str:
        over = call.over
        if over.active_expiration:
            return "ACTIVE EXPIRATION"
        if over.slide is None:
            return "no SLIDE"
        return f"SLIDE {Window(over.frame, slide=over.slide, slide_by=over.slide_by).slots}"

    def _places(self, call: Call) -> Any:
        window = self._window(call)
        return window.partition_by, window.order_by

    def applied(self, call: Call) -> Applied:
        try:
            one = self._made(call)
            if call.condition is not None:
                one = one.filter(self.data.column(call.condition))
            return replace(one, shown=call.label).over(self._window(call))
        except StatementError:
            raise
        except (UsageError, DefinitionError) as error:
            raise self.source.error(f"iw.sql: {error}", call.span) from None

    def _made(self, call: Call) -> Applied:
        """The aggregate on its columns."""
        registered = self.registered.get(call.name)
        function = registered or BUILT_IN[call.name]
        if call.distinct:
            if call.name not in DISTINCT or registered is not None:
                raise UsageError(f"{call.name}(DISTINCT ...) is not supported: {', '.join(DISTINCT)} have it")
            function = DISTINCT[call.name]
        options: dict[str, Any] = {}
        known = {} if registered is not None else inspect.signature(function).parameters
        if call.ignore_nulls is not None:
            flag = next((name for name in known if name.lower() == "ignorenulls"), None)
            if flag is None:
                raise UsageError(
                    f"{call.label}: IGNORE NULLS is for first, last, nth_value, lag and lead; a class says "
                    "nulls='skip' or nulls='pass'"
                )
            options[flag] = call.ignore_nulls
        arguments = list(call.arguments)
        names = [name for name in known if name not in _COLUMNS]
        columns = len(known) - len(names)
        if names and len(arguments) > columns + len(names):
            form = ", ".join(known)
            raise UsageError(f"{call.label}: {len(arguments)} arguments are too many: write {call.name}({form})")
        if names and len(arguments) > columns:
            given = zip(names, arguments[columns:], strict=False)
            options = {name: literal(self.source[span]) for name, span in given} | options
            arguments = arguments[:columns]
        try:
            one = function(*[self.data.column(span) for span in arguments], **options)
        except TypeError as error:
            raise UsageError(f"{call.label}: {error}") from None
        if not isinstance(one, Applied):
            raise UsageError(
                f"{call.label}: what is registered gives {shown(one)}, not an aggregate applied to columns"
            )
        return one

    def _window(self, call: Call) -> Window:
        over = call.over
        orders = (Order(self.data.column(key.expression), key.ascending, key.nulls_first) for key in over.order_by)
        return Window(
            over.frame,
            tuple(self.data.column(key) for key in over.partition_by),
            tuple(orders),
            slide=over.slide,
            slide_by=over.slide_by,
            active_expiration=over.active_expiration,
            exclude=over.exclude,
        )


def literal(text: str) -> Any:
    r"""An option of a built-in, a literal of SQL, as Python has it.

    >>> literal("0.5"), literal("array(0.1, 0.9)"), literal("'it''s'"), literal("TRUE"), literal("NULL")
    (0.5, [0.1, 0.9], "it's", True, None)
    >>> literal(r"'a\tb'"), literal(r"'\u0041'"), literal("X'2C'")
    ('a\tb', 'A', b',')
    """
    text = text.strip()
    listed = re.fullmatch(r"(?is)array\s*[(\[](.*)[)\]]", text)
    if listed:
        return [literal(item) for item in listed[1].split(",") if item.strip()]
    if text.upper() in ("TRUE", "FALSE", "NULL"):
        return {"TRUE": True, "FALSE": False, "NULL": None}[text.upper()]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(
            r"\\(u[0-9a-fA-F]{4}|[0-3][0-7]{2}|.)", _unescaped, text[1:-1].replace(text[0] * 2, text[0]), flags=re.S
        )
    binary = re.fullmatch(r"(?i)x'((?:[0-9a-f]{2})*)'", text)
    if binary:
        return bytes.fromhex(binary[1])
    number = re.fullmatch(r"([+-]?\d*\.?\d+(?:[eE][+-]?\d+)?)(?:D|F|L|S|Y|BD)?", text, re.I)
    if number is None:
        raise UsageError(f"{text} is not a literal: write a number, a string, TRUE, FALSE, NULL or array(...) of such")
    return int(number[1]) if re.fullmatch(r"[+-]?\d+", number[1]) else float(number[1])


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0", "Z": "\x1a"}


def _unescaped(match: re.Match[str]) -> str:
    """Spark's escapes in a string; before any other character a backslash is dropped."""
    what = match[1]
    if len(what) == 5:
        return chr(int(what[1:], 16))
    if len(what) == 3:
        return chr(int(what, 8))
    return f"\\{what}" if what in "%_" else _ESCAPES.get(what, what)
