"""Calls of aggregates without a window: a row per group or, without TERMINATE, per tuple (ESL, section 3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inwindow.language.engines import Engine, EngineError
from inwindow.language.esl.functions import called
from inwindow.language.text import Source, Span, Tokens, close_of, library, parsed, place_of, span_of
from inwindow.runtime.group_by import group_by
from inwindow.udaf.applied import Applied
from inwindow.udaf.errors import UsageError


def has_base_call(tokens: Tokens, names: Mapping[str, Any]) -> bool:
    """Whether one of our aggregates is called without OVER."""
    for at, token in enumerate(tokens[:-1]):
        if (
            token.text.casefold() in names
            and tokens[at + 1].kind == "L_PAREN"
            and (at == 0 or tokens[at - 1].kind != "DOT")
        ):
            close = close_of(tokens, at + 1)
            behind = tokens[close + 1] if close is not None and close + 1 < len(tokens) else None
            if behind is None or not (behind.kind == "OVER" or behind.says("FILTER", "IGNORE", "RESPECT")):
                return True
    return False


@dataclass(frozen=True)
class _Item:
    """An item of the select list: the column before the aggregates that it is, or its aggregate and the columns it reads."""

    title: str
    column: str
    aggregate: Any = None
    arguments: tuple[str, ...] = ()


def run_base_calls(
    engine: Engine, source: Source, tokens: Tokens, aggregates: Mapping[str, Any], order_by: str | None
) -> Any:
    """Run a SELECT with calls of our aggregates without OVER."""
    exp = library().exp
    tree = parsed(source, tokens)
    if not isinstance(tree, exp.Select):
        raise source.error(f"{source.speaker}: a call without OVER stands in one SELECT", span_of(tokens))
    for clause in ("having", "distinct", "qualify"):
        if tree.args.get(clause):
            raise source.error(
                f"{source.speaker}: {clause.upper()} does not go with an aggregate of yours: CREATE STREAM or VIEW of the "
                "SELECT, and select from that",
                place_of(tree.args[clause], span_of(tokens)),
            )
    columns: list[Any] = []

    def column(one: Any) -> str:
        columns.append(exp.alias_(one.copy(), f"_iw_{len(columns)}", quoted=True))
        return str(columns[-1].alias)

    items = [_item(one, column, aggregates) for one in tree.expressions]
    group = tree.args.get("group")
    keys = _keys(group.expressions if group is not None else [], tree, items, column)
    order = None if order_by is None else column(exp.to_identifier(order_by, quoted=True))
    before = tree.copy()
    for clause in ("group", "order", "limit", "offset"):
        before.set(clause, None)
    before.set("expressions", columns)
    try:
        frame = engine.query(before.sql("spark"))
    except EngineError as error:
        raise source.error(f"{source.speaker}: {engine.name} says: {error.message}", span_of(tokens)) from None
    folded = _folded(frame, items, keys, order, source, tokens)
    listing = [(item.title, item.column) for item in items if gives_rows(item.aggregate)]
    folded = rows_of_lists(engine, folded, listing, source, span_of(tokens))
    return _finished(engine, source, tokens, tree, folded, items)


def gives_rows(aggregate: Any) -> bool:
    """Whether the aggregate's TERMINATE returns many rows, as a list."""
    return bool(getattr(aggregate, "gives_rows", False))


def rows_of_lists(engine: Engine, frame: Any, listing: list[tuple[str, str]], source: Source, at: Span) -> Any:
    """The rows that an aggregate returns as a list, each as a row of the result; ``listing``: titles and columns."""
    if len(listing) > 1:
        (one, _), (other, _) = listing[:2]
        raise source.error(
            f"{source.speaker}: {one} and {other} both return many rows: use a SELECT for each, and join them", at
        )
    for _, column in listing:
        frame = engine.a_row_each(frame, column)
    return frame


def _item(one: Any, column: Any, aggregates: Mapping[str, Any]) -> _Item:
    exp = library().exp
    inner, title = one.unalias(), one.alias
    name, given = called(inner, aggregates)
    if not name:
        return _Item(title or one.alias_or_name or one.sql("spark"), column(inner))
    arguments = tuple(column(argument) for argument in given)
    written = inner.this if isinstance(inner, exp.Anonymous) else name
    written = f"{written}({', '.join(argument.sql('spark') for argument in given)})"
    return _Item(title or written, f"_iw_of_{'_'.join(arguments) or name}", aggregates[name], arguments)


def _keys(group: list[Any], tree: Any, items: list[_Item], column: Any) -> list[str]:
    keys = []
    for key in group:
        same = (
            item
            for item, one in zip(items, tree.expressions, strict=True)
            if one.unalias() == key or one.alias == key.name != ""
        )
        found = next(same, None)
        keys.append(found.column if found is not None else column(key))
    return keys


def _folded(frame: Any, items: list[_Item], keys: list[str], order: str | None, source: Source, tokens: Tokens) -> Any:
    plain = [item.column for item in items if item.aggregate is None and item.column not in keys]
    try:
        applied: dict[str, Applied] = {
            item.column: item.aggregate(*item.arguments) for item in items if item.aggregate is not None
        }
        is_blocking = [one.traits.has_terminate for one in applied.values()]
        if all(is_blocking):
            if plain:
                raise UsageError(
                    "a column beside an aggregate is in GROUP BY, or the aggregate has a window: write OVER (...)"
                )
            return group_by(frame, *keys).agg(**applied)
        if any(is_blocking):
            raise UsageError("aggregates with and without TERMINATE do not make the same rows: use a SELECT for each")
        return group_by(frame, *keys, order_by=order).emit(*plain, **applied)
    except UsageError as error:
        raise source.error(f"{source.speaker}: {error}", span_of(tokens)) from None


def _finished(engine: Engine, source: Source, tokens: Tokens, tree: Any, frame: Any, items: list[_Item]) -> Any:
    frame = engine.project(frame, [(f"`{item.column}`", item.title) for item in items])
    order, limit, offset = (tree.args.get(clause) for clause in ("order", "limit", "offset"))
    try:
        if order is not None:
            keys = [
                (key.this.sql("spark"), not key.args.get("desc"), bool(key.args.get("nulls_first", True)))
                for key in order.expressions
            ]
            frame = engine.ordered(frame, keys)
        if limit is not None or offset is not None:
            counts = [None if part is None else int(part.expression.name) for part in (limit, offset)]
            frame = engine.cut(frame, *counts)
    except EngineError as error:
        raise source.error(f"{source.speaker}: {engine.name} says: {error.message}", span_of(tokens)) from None
    return frame
