"""The OVER clause: SQL's, with SLIDE and ACTIVE EXPIRATION as in ESL's figure 1.

::

    OVER ( [name] [PARTITION BY expr, ...] [ORDER BY expr [ASC|DESC] [NULLS FIRST|LAST], ...]
           [ROWS|RANGE|GROUPS bound | ROWS|RANGE|GROUPS BETWEEN bound AND bound]
           [EXCLUDE CURRENT ROW|GROUP|TIES|NO OTHERS]
           [SLIDE size [ROWS|RANGE|GROUPS] | ACTIVE EXPIRATION] )

    bound   UNBOUNDED PRECEDING|FOLLOWING, CURRENT ROW, size PRECEDING|FOLLOWING
    size    49, 5 MINUTES, INTERVAL 5 MINUTES, INTERVAL '5' MINUTE, '5 minutes'::interval, CAST('5 minutes' AS INTERVAL)

ROWS, RANGE or GROUPS behind a slide says what it counts, where that is not what the frame counts (window-ids, Q3).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from inwindow.language.text import Source, Span, Token, Tokens, close_of, depths, ends_operand, span_of, split
from inwindow.udaf.errors import UsageError
from inwindow.windows.frames import window_of
from inwindow.windows.interval import Interval, Size, is_positive, negated
from inwindow.windows.options import hole_of
from inwindow.windows.spec import COUNTED, Exclude, Frame, Groups, Order, Range, Rows, Unit, Window, unit_of

_CLAUSES = ("partition", "order", "frame", "exclude", "slide", "active")
_HOLES = ("CURRENT ROW", "GROUP", "TIES", "NO OTHERS")


@dataclass(frozen=True)
class SortKey:
    """One expression of ORDER BY; ``nulls_first`` is SQL's default where nothing is said."""

    expression: Span
    ascending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Over:
    """An OVER clause, read; a frame is None where none is written."""

    span: Span
    partition_by: tuple[Span, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    written_frame: Frame | None = None
    slide: Size | None = None
    slide_by: Unit | None = None
    active_expiration: bool = False
    exclude: Exclude | None = None

    @property
    def frame(self) -> Frame:
        """The frame; SQL's default where none is written."""
        return self.written_frame or Range(None, 0 if self.order_by else None)

    @property
    def yields(self) -> bool:
        """Whether only some tuples make rows."""
        return self.slide is not None or self.active_expiration


def extended(tokens: Tokens) -> Token | None:
    """What Spark does not have in an OVER clause, given without its parentheses: EXCLUDE, SLIDE, ACTIVE EXPIRATION, or GROUPS."""
    ours = ("exclude", "slide", "active")
    return next((tokens[at] for at, clause in _clauses(tokens) if clause in ours or tokens[at].says("GROUPS")), None)


def read_over(source: Source, tokens: Tokens, span: Span, named: Mapping[str, Tokens]) -> Over:
    """Read an OVER clause, given without its parentheses; ``named`` has the definitions of the WINDOW clause."""
    return _Reader(source, named).read(tokens, span, ())


def sort_key(source: Source, tokens: Tokens) -> SortKey:
    """``expr [ASC|DESC] [NULLS FIRST|LAST]``."""
    rest, nulls, ascending = list(tokens), None, True
    if len(rest) > 2 and rest[-2].says("NULLS") and rest[-1].says("FIRST", "LAST"):
        nulls = rest[-1].says("FIRST")
        rest = rest[:-2]
    if len(rest) > 1 and rest[-1].says("ASC", "DESC"):
        ascending = rest[-1].says("ASC")
        rest = rest[:-1]
    return SortKey(span_of(rest), ascending, ascending if nulls is None else nulls)


def _clauses(tokens: Tokens) -> list[tuple[int, str]]:
    """Where clauses begin, and which; a column may have the name of a clause."""
    found = []
    for at, (token, depth) in enumerate(zip(tokens, depths(tokens), strict=True)):
        before = tokens[at - 1] if at else None
        begins_expression = before is not None and not ends_operand(before) and " " not in token.text
        if depth or begins_expression:
            continue
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.says("PARTITION BY", "DISTRIBUTE BY"):
            found.append((at, "partition"))
        elif token.says("ORDER BY", "SORT BY"):
            found.append((at, "order"))
        elif following is None and found and found[-1][1] == "slide" and token.says("ROWS", "RANGE", "GROUPS"):
            continue  # SLIDE 5 ROWS
        elif token.says("ROWS", "RANGE", "GROUPS"):
            found.append((at, "frame"))
        elif token.says("EXCLUDE") and found and _is_hole(found[-1][1], following):
            found.append((at, "exclude"))
        elif token.says("SLIDE"):
            found.append((at, "slide"))
        elif token.says("ACTIVE") and following is not None and following.says("EXPIRATION"):
            found.append((at, "active"))
    return found


def _is_hole(clause_before: str, following: Token | None) -> bool:
    """Whether EXCLUDE begins a clause."""
    known = following is not None and following.says("CURRENT", "GROUP", "TIES", "NO")
    return known or clause_before in ("frame", "slide", "active")


class _Reader:
    def __init__(self, source: Source, named: Mapping[str, Tokens]) -> None:
        self.source = source
        self.named = named

    def read(self, tokens: Tokens, span: Span, within: tuple[str, ...]) -> Over:
        clauses = _clauses(tokens)
        head = tokens[: clauses[0][0]] if clauses else tokens
        over = self._base(head, within) if head else Over(span)
        over = replace(over, span=span)
        kinds = [kind for _, kind in clauses]
        if head and clauses:
            self._check_inherited(over, head[0], kinds[0], tokens[clauses[0][0]])
        ends = [*(at for at, _ in clauses), len(tokens)][1:]
        for number, ((at, kind), end) in enumerate(zip(clauses, ends, strict=True)):
            if kinds.index(kind) < number:
                raise self.error(f"{_shown(tokens[at])} is there twice", tokens[at])
            if kind in ("slide", "active") and {"slide", "active"} <= set(kinds[: number + 1]):
                raise self.error("ACTIVE EXPIRATION takes the place of SLIDE: write one of them", tokens[at])
            if any(_CLAUSES.index(kind) < _CLAUSES.index(before) for before in kinds[:number]):
                raise self.error(
                    f"{_shown(tokens[at])} comes too late: the order is PARTITION BY, ORDER BY, ROWS, RANGE or GROUPS, "
                    "EXCLUDE, then SLIDE or ACTIVE EXPIRATION",
                    tokens[at],
                )
            over = self._with(over, kind, tokens[at:end])
        if not over.order_by and not within and self.source.implied_order is not None:
            over = replace(over, order_by=(SortKey(self.source.implied_order, True, True),))
        self._check(over, {kind: tokens[at] for at, kind in clauses})
        return over

    def error(self, message: str, at: Token | Span) -> UsageError:
        return self.source.error(f"iw.sql: {message}", at.span if isinstance(at, Token) else at)

    def _base(self, head: Tokens, within: tuple[str, ...]) -> Over:
        name = head[0].text.lower()
        if len(head) > 1:
            raise self.error(
                f"OVER (...) cannot begin with {self.source.on_one_line(span_of(head))!r}: write PARTITION BY, ORDER BY, ROWS, "
                "RANGE or GROUPS, SLIDE or ACTIVE EXPIRATION, in this order",
                head[0] if name not in self.named else head[1],
            )
        if name not in self.named or name in within:
            known = ", ".join(self.named) or "none is defined, by WINDOW name AS (...)"
            raise self.error(f"there is no window {head[0].text!r}; there are: {known}", head[0])
        definition = self.named[name]
        return self.read(definition, span_of(definition) if definition else head[0].span, (*within, name))

    def _check_inherited(self, over: Over, name: Token, kind: str, first: Token) -> None:
        """SQL: a window that begins with a named one adds what comes later, and behind a frame only a slide."""
        if over.written_frame is not None and kind not in ("slide", "active"):
            raise self.error(
                f"the window {name.text} has a frame, so it cannot be the beginning of another: define one without its frame, "
                "and write the frames behind its name",
                first,
            )
        if kind == "partition":
            raise self.error(
                f"{_shown(first)} cannot be added to the window {name.text}: write it into the definition of {name.text}",
                first,
            )

    def _with(self, over: Over, kind: str, tokens: Tokens) -> Over:
        first, rest = tokens[0], tokens[1:]
        if kind == "frame":
            return replace(over, written_frame=self._frame(first, rest))
        if kind == "exclude":
            return replace(over, exclude=self._hole(first, rest))
        if kind == "slide":
            slide, unit = self._slide(first, rest)
            return replace(over, slide=slide, slide_by=unit)
        if kind == "active":
            if len(rest) > 1:
                raise self.error("after ACTIVE EXPIRATION nothing more may come", rest[1])
            return replace(over, active_expiration=True)
        if over.order_by and kind == "order":
            raise self.error(f"{_shown(first)} is already in the named window", first)
        parts = split(rest)
        if not parts or not all(parts):
            raise self.error(f"{_shown(first)} lacks an expression", first)
        if kind == "partition":
            return replace(over, partition_by=tuple(map(span_of, parts)))
        return replace(over, order_by=tuple(sort_key(self.source, part) for part in parts))

    def _frame(self, unit: Token, tokens: Tokens) -> Frame:
        if not tokens:
            raise self.error(f"{_shown(unit)} lacks its bounds: write {_shown(unit)} 49 PRECEDING", unit)
        lower: Size | None
        if tokens[0].says("BETWEEN"):
            both = [i for i, (t, d) in enumerate(zip(tokens, depths(tokens), strict=True)) if t.says("AND") and not d]
            if len(both) != 1:
                raise self.error("write BETWEEN a bound AND a bound", tokens[0])
            lower, upper = self._bound(unit, tokens[1 : both[0]]), self._bound(unit, tokens[both[0] + 1 :])
            start, end = tokens[1 : both[0]], tokens[both[0] + 1 :]
            if lower is None and start[-1].says("FOLLOWING") or upper is None and end[-1].says("PRECEDING"):
                raise self.error("the lower bound lies after the upper bound; swap them", span_of(tokens))
        else:
            lower, upper = self._bound(unit, tokens), 0
            if tokens[-1].says("FOLLOWING"):
                raise self.error(
                    f"a frame begins here and ends at the current row: write {_shown(unit)} BETWEEN CURRENT ROW AND "
                    f"{self.source.on_one_line(span_of(tokens))}",
                    span_of(tokens),
                )
        try:
            if not unit.says("RANGE"):
                assert lower is None or isinstance(lower, int)
                assert upper is None or isinstance(upper, int)
                counted = Rows(lower, upper) if unit.says("ROWS") else Groups(lower, upper)
                return window_of(Window(counted), order_by="it").frame
            return window_of(Window(Range(lower, upper)), order_by="it").frame
        except UsageError as error:
            raise self.error(str(error), span_of([unit, *tokens])) from None

    def _bound(self, unit: Token, tokens: Tokens) -> Size | None:
        """An offset, negative is PRECEDING; None is UNBOUNDED."""
        if len(tokens) == 2 and tokens[0].says("CURRENT") and tokens[1].says("ROW"):
            return 0
        if not tokens or not tokens[-1].says("PRECEDING", "FOLLOWING"):
            raise self.error(
                f"{_shown(unit)}: a bound is UNBOUNDED PRECEDING, 5 PRECEDING, CURRENT ROW, 5 FOLLOWING or UNBOUNDED FOLLOWING",
                span_of(tokens) if tokens else unit,
            )
        if len(tokens) == 2 and tokens[0].says("UNBOUNDED"):
            return None
        size = self._size(f"{_shown(unit)}: a bound", tokens[:-1], tokens[-1])
        if not unit.says("RANGE") and not isinstance(size, int):
            counted = COUNTED["rows" if unit.says("ROWS") else "groups"]
            raise self.error(
                f"{_shown(unit)} counts {counted}, and {self.source.on_one_line(span_of(tokens[:-1]))} is no count: write "
                f"{_shown(unit)} 49 PRECEDING, or RANGE for a distance in the order value",
                span_of(tokens[:-1]),
            )
        return negated(size) if tokens[-1].says("PRECEDING") else size

    def _hole(self, word: Token, tokens: Tokens) -> Exclude | None:
        said = " ".join(token.text.upper() for token in tokens)
        if said not in _HOLES:
            raise self.error(f"EXCLUDE is followed by one of {', '.join(_HOLES)}", span_of(tokens) if tokens else word)
        return hole_of(said)

    def _slide(self, word: Token, tokens: Tokens) -> tuple[Size, Unit | None]:
        unit: Unit | None = None
        if tokens and tokens[-1].says("ROWS", "RANGE", "ROW", "GROUPS", "GROUP"):
            unit = "range" if tokens[-1].says("RANGE") else "groups" if tokens[-1].says("GROUPS", "GROUP") else "rows"
            tokens = tokens[:-1]
        slide = self._size("SLIDE", tokens, word)
        if not is_positive(slide):
            raise self.error(
                f"SLIDE {slide}: a slide must be > 0; it is the distance between two rows", span_of(tokens)
            )
        if unit in ("rows", "groups") and not isinstance(slide, int):
            said = unit.upper()
            raise self.error(
                f"SLIDE {slide} {said}: a count of {COUNTED[unit]} is a whole number, as in SLIDE 10 {said}",
                span_of(tokens),
            )
        return slide, unit

    def _size(self, what: str, tokens: Tokens, beside: Token) -> Size:
        """A number, or an interval with or without the word INTERVAL; a cast of one is what it casts."""
        examples = "10, 5 MINUTES, INTERVAL 5 MINUTES or INTERVAL '5' MINUTE"
        tokens, kind = _uncast(tokens)
        if not tokens:
            raise self.error(f"{what} lacks its size: write {examples}", beside)
        span, text = span_of(tokens), " ".join(token.text for token in tokens if not token.says("INTERVAL"))
        odd = [token for token in tokens if token.kind not in ("NUMBER", "STRING", "DASH") and not token.text.isalpha()]
        if odd or not any(token.kind in ("NUMBER", "STRING") for token in tokens):
            raise self.error(f"{what} is a number or an interval that is written out: {examples}", span)
        if tokens[0].kind == "DASH":
            raise self.error(f"{what} is not negative: PRECEDING and FOLLOWING say on which side it lies", span)
        if len(tokens) == 1 and tokens[0].kind == "NUMBER":
            if kind in _FLOATS or "e" in text.lower():
                return float(text)
            return int(text) if text.isdigit() else Decimal(text)
        if any(token.says("TO") for token in tokens):
            raise self.error(f"{what}: write an interval with its units, as in INTERVAL 1 HOUR 30 MINUTES", span)
        try:
            return Interval.parse(text)
        except UsageError as error:
            raise self.error(f"{what}: {error}", span) from None

    def _check(self, over: Over, clauses: Mapping[str, Token]) -> None:
        """What a frame, a slide and an order must be for one another."""
        frame, active = over.frame, over.active_expiration
        at = next((clauses[kind] for kind in ("slide", "active", "exclude", "frame") if kind in clauses), None)
        if at is None:
            return
        if over.written_frame is None:
            example = {
                "SLIDE": "ROWS 49 PRECEDING SLIDE 10 (tuples) or RANGE 5 MINUTES PRECEDING SLIDE 1 MINUTE (distances in the order "
                "value)",
                "ACTIVE EXPIRATION": "RANGE 5 SECONDS PRECEDING ACTIVE EXPIRATION",
                "EXCLUDE": "ROWS BETWEEN 9 PRECEDING AND 9 FOLLOWING EXCLUDE CURRENT ROW",
            }[_shown(at)]
            raise self.error(f"{_shown(at)} needs a frame before it: write {example}", at)
        unit = unit_of(frame)
        counts = unit != "range" and over.slide_by is None
        if counts and over.slide is not None and not isinstance(over.slide, (int, Interval)):
            raise self.error(
                f"over {unit.upper()}, SLIDE counts {COUNTED[unit]}: write SLIDE 10, not SLIDE {over.slide}; or SLIDE "
                f"{over.slide} RANGE, a distance in the order value",
                at,
            )
        if not over.order_by:
            self._check_without_order(over, unit, clauses.get("frame", at))
        if active and not (isinstance(frame, Range) and frame.lower is not None and frame.upper == 0):
            raise self.error(
                "ACTIVE EXPIRATION needs a RANGE frame that ends at the current row, so that each tuple leaves at a known time: "
                "write RANGE 5 SECONDS PRECEDING ACTIVE EXPIRATION",
                clauses.get("frame", at),
            )
        orders = [
            Order(self.source.on_one_line(key.expression), key.ascending, key.nulls_first) for key in over.order_by
        ]
        options: dict[str, Any] = {
            "order_by": orders, "slide": over.slide, "slide_by": over.slide_by, "active_expiration": active,
            "exclude": over.exclude,
        }  # fmt: skip
        try:
            window_of(Window(frame), **options)
        except UsageError as error:
            raise self.error(str(error), at) from None

    def _check_without_order(self, over: Over, unit: str, at: Token) -> None:
        """Refuse frames and slides that need an order."""
        frame = over.frame
        offsets = isinstance(frame, Range) and any(bound not in (None, 0) for bound in (frame.lower, frame.upper))
        window = Window(frame, slide=over.slide, slide_by=over.slide_by)
        if offsets or window.slides_by_values or (isinstance(frame, Range) and over.active_expiration):
            its = "RANGE bounds and slides are distances"
            if isinstance(frame, (Rows, Groups)):
                its = f"SLIDE {over.slide} is a distance"
            raise self.error(f"{its} in the order value: write ORDER BY before {unit.upper()}", at)
        if "groups" in (unit, window.slide_unit):
            raise self.error(
                "GROUPS counts groups of equal order values: write ORDER BY before the frame",
                at,
            )


_FLOATS = ("FLOAT", "FLOAT4", "FLOAT8", "REAL", "DOUBLE")


def _uncast(tokens: Tokens) -> tuple[Tokens, str]:
    """``'1 year'::interval``, ``CAST('1 year' AS INTERVAL)`` and ``('1 year')`` without the cast and brackets; its type."""
    kind = ""
    while len(tokens) > 2:
        last = len(tokens) - 1
        if tokens[0].kind == "L_PAREN" and close_of(tokens, 0) == last:
            tokens = tokens[1:-1]
        elif tokens[0].says("CAST") and close_of(tokens, 1) == last and (at := _at(tokens[2:last], "ALIAS")):
            kind, tokens = kind or tokens[at + 3].text.upper(), tokens[2 : at + 2]
        elif at := _at(tokens, "DCOLON"):
            kind, tokens = kind or tokens[at + 1].text.upper(), tokens[:at]
        else:
            break
    return tokens, kind


def _at(tokens: Tokens, kind: str) -> int:
    """Where a token of a kind stands outside of brackets; 0 for nowhere."""
    return next((at for at, depth in enumerate(depths(tokens)) if not depth and tokens[at].kind == kind), 0)


def _shown(token: Token) -> str:
    return "ACTIVE EXPIRATION" if token.says("ACTIVE") else " ".join(token.text.upper().split())
