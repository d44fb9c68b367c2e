"""A statement of CQL, by the operators of ``inwindow.temporal``.

Each FROM item becomes a relation whose rows hold for a while; joins, NOT IN, GROUP BY and UNION are temporal operators;
ISTREAM, DSTREAM and RSTREAM give the changes. Defaults are those of the paper (6.2): unbounded windows, and ISTREAM if the
result only grows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from inwindow.language.base_calls import gives_rows, rows_of_lists
from inwindow.language.cql.marks import UNBOUNDED, StreamMark, WindowMark, take_marks
from inwindow.language.cql.operators import aggregated, changes, distinct, joined, together
from inwindow.language.cql.scope import Scope, aliases_in, column_of, conjuncts_of, ends, text_of
from inwindow.language.cql.sources import ENDS, Asked, Relation, Stream, stream_of, table_relation, windowed
from inwindow.language.engines import quoted
from inwindow.language.esl.functions import called
from inwindow.language.esl.tables import source_of
from inwindow.language.sql.windows import BUILT_IN
from inwindow.language.text import Source, Tokens, library, parsed, place_of, span_of
from inwindow.udaf.errors import UsageError


@dataclass(frozen=True)
class Answer:
    """The result of a statement: a stream has ``at``, a relation ``since`` and ``until``; and what was said by default."""

    frame: Any
    is_stream: bool
    notes: tuple[str, ...]


def run_cql(
    engine: Any, source: Source, tokens: Tokens, orders: Mapping[str, str | None], aggregates: Mapping[str, Any]
) -> Answer:
    """Run a statement of CQL."""
    marks = take_marks(source, tokens)
    tree = parsed(source, marks.tokens)
    exp = library().exp
    names = [one.name.casefold() for one in tree.find_all(exp.Column)]
    timed = {name: order for name, order in orders.items() if order is not None}
    asked = Asked(engine, source, tokens, marks, timed, aggregates, frozenset(names))
    try:
        found = _Queries(asked).outermost(tree)
        frame = asked.run(found.frame)
    except UsageError as error:
        if "(line " in str(error):
            raise
        raise asked.error(str(error)) from None
    return Answer(frame, isinstance(found, Stream), tuple(asked.notes))


class _Queries:
    def __init__(self, asked: Asked) -> None:
        self.asked = asked

    def outermost(self, tree: Any) -> Relation | Stream:
        """The result; by default ISTREAM if it only grows."""
        found = self.query(tree, wants_stream=False)
        if isinstance(found, Relation) and found.grows:
            self.asked.notes.append("ISTREAM (default: the result only grows)")
            return changes(self.asked, found, StreamMark("ISTREAM", None, span_of(self.asked.tokens)))
        return found

    def query(self, tree: Any, *, wants_stream: bool) -> Relation | Stream:
        """A SELECT, or several that are put together."""
        exp = library().exp
        tree = tree.unnest() if isinstance(tree, (exp.Subquery, exp.Paren)) else tree
        if isinstance(tree, exp.SetOperation):
            return self._together(tree)
        if not isinstance(tree, exp.Select) or not tree.expressions:
            raise self.asked.error("a SELECT of columns is wanted here", tree)
        for clause in ("order", "limit", "offset", "windows", "qualify"):
            if tree.args.get(clause):
                raise self.asked.error(f"{clause.upper()} is not known in CQL: select from the result", tree)
        mark = self._mark(tree)
        if self._is_reducible(tree, mark, wants_stream):
            self.asked.notes.append("[RANGE UNBOUNDED] and ISTREAM are [NOW] and RSTREAM (window reduction)")
            only = source_of(tree)
            self.asked.marks.windows[only.this.meta["start"]] = WindowMark("NOW", 0, is_now=True)
            mark = StreamMark("RSTREAM", None, place_of(tree, span_of(self.asked.tokens)))
        relation = self._select(tree)
        return relation if mark is None else changes(self.asked, relation, mark)

    def _mark(self, tree: Any) -> StreamMark | None:
        """Take ISTREAM, DSTREAM or RSTREAM out of the select list."""
        first = tree.expressions[0]
        mark = self.asked.marks.streams.get(first.alias)
        if mark is not None:
            tree.set("expressions", tree.expressions[1:])
            if not tree.expressions:
                word = mark.operator
                raise self.asked.error(f"{word}(...) stands around the select list: write {word}(*)", mark.span)
        return mark

    def _is_reducible(self, tree: Any, mark: StreamMark | None, wants_stream: bool) -> bool:
        """One stream, unbounded, filtered and projected, and its ISTREAM (section 7.2.1)."""
        exp, only = library().exp, source_of(tree)
        if (
            not isinstance(only, exp.Table)
            or tree.args.get("joins")
            or "start" not in only.this.meta
            or self.asked.orders.get(only.name.casefold()) is None
        ):
            return False
        window = self.asked.marks.windows.get(only.this.meta.get("start"), UNBOUNDED)
        is_istream = mark.operator == "ISTREAM" if mark is not None else wants_stream or tree.parent is None
        plain = not (tree.args.get("group") or tree.args.get("distinct") or tree.args.get("having"))
        where = tree.args.get("where")
        nested = where is not None and where.find(exp.Query) is not None
        return window.size is None and is_istream and plain and not nested and not self._calls(tree.expressions)

    # --- FROM -----------------------------------------------------------------------------------------------

    def _relation(self, tree: Any, filters: list[Any]) -> Relation:
        """A FROM item; conditions on it alone come before its window, where that is the same (7.2.2)."""
        exp, asked = library().exp, self.asked
        if isinstance(tree, exp.Subquery):
            return self._subquery(tree)
        if not isinstance(tree, exp.Table):
            raise asked.error(f"{tree.sql('spark')} is no stream or table", tree)
        order = asked.orders.get(tree.name.casefold())
        mark = asked.marks.windows.get(tree.this.meta.get("start"))
        if order is None:
            if mark is not None:
                raise asked.error(
                    f"{tree.name} has no timestamp, so it takes no window: CREATE STREAM {tree.name} ... ORDER BY column",
                    tree,
                )
            return table_relation(asked, tree, self._any_time())
        if mark is None:
            asked.notes.append(f"{tree.name} [RANGE UNBOUNDED] (default)")
        stream = stream_of(asked, tree, order)
        if filters and (mark is None or not mark.counts):
            scope = Scope(stream.frame, {tree.alias_or_name.casefold(): stream.columns}, True, False)
            for one in filters:
                stream = replace(stream, frame=asked.where(stream.frame, text_of(self.asked, one, scope), one))
            filters.clear()
        return windowed(asked, stream, mark or UNBOUNDED)

    def _any_time(self) -> Any:
        """A column of time, for tables without one: NULLs of its type mean that their rows always hold."""
        for name, order in self.asked.orders.items():
            return self.asked.engine.column(self.asked.table(name, None), order)
        raise self.asked.error("no stream with a timestamp is known: write CREATE STREAM ... ORDER BY column")

    def _subquery(self, tree: Any) -> Relation:
        asked, alias = self.asked, tree.args.get("alias")
        mark = asked.marks.windows.get(alias.this.meta.get("start")) if alias is not None else None
        found = self.query(tree.this, wants_stream=mark is not None)
        if mark is None:
            if isinstance(found, Stream):
                asked.notes.append(f"{tree.alias_or_name or 'the subquery'} [RANGE UNBOUNDED] (default)")
                return windowed(asked, found, UNBOUNDED)
            return self._own_names(found)
        if isinstance(found, Relation):
            if not found.grows:
                raise asked.error(
                    "a window stands behind a stream, and this subquery is a relation that does not only grow: write ISTREAM, "
                    "DSTREAM or RSTREAM around its select list",
                    tree,
                )
            asked.notes.append(f"ISTREAM of {tree.alias_or_name} (default: it only grows)")
            found = changes(asked, found, StreamMark("ISTREAM", None, place_of(tree, span_of(asked.tokens))))
        return windowed(asked, found, mark)

    def _own_names(self, relation: Relation) -> Relation:
        columns = {name: self.asked.fresh(name) for name in relation.columns}
        items = [(quoted(relation.columns[name]), column) for name, column in columns.items()]
        return replace(relation, frame=self.asked.project(relation.frame, [*items, *ends()]), columns=columns)

    def _from(self, tree: Any, conjuncts: list[Any]) -> Scope:
        asked, first = self.asked, source_of(tree)
        if first is None:
            raise asked.error("a SELECT of CQL reads a stream or a relation: write FROM", tree)
        joins = [*(first.args.get("joins") or ()), *(tree.args.get("joins") or ())]
        for join in joins:
            if (
                join.args.get("side")
                or join.args.get("using")
                or str(join.args.get("kind") or "").upper() not in ("", "CROSS", "INNER")
            ):
                raise asked.error("joins of CQL are written FROM a, b WHERE ..., or JOIN ... ON", join)
            if join.args.get("on") is not None:
                conjuncts += conjuncts_of(join.args["on"])
        items = [first, *(join.this for join in joins)]
        scope: Scope | None = None
        for item in items:
            alias = item.alias_or_name.casefold()
            own = [one for one in conjuncts if len(items) == 1 or aliases_in(one) == {alias}]
            own = [one for one in own if one.find(library().exp.Query) is None]
            left = list(own)
            relation = self._relation(item, left)
            for one in own:
                conjuncts.remove(one)
            part = Scope(relation.frame, {alias: relation.columns}, relation.grows, relation.is_now)
            for one in left:
                part.frame = asked.where(part.frame, text_of(self.asked, one, part), one)
            scope = part if scope is None else self._joined(scope, part, conjuncts)
        assert scope is not None
        return scope

    def _joined(self, left: Scope, right: Scope, conjuncts: list[Any]) -> Scope:
        """Pairs that hold together; equalities are the join's keys."""
        exp, asked = library().exp, self.asked
        pairs = []
        for one in list(conjuncts):
            if isinstance(one, exp.EQ):
                for a, b in ((one.this, one.expression), (one.expression, one.this)):
                    if self._is_of(a, left) and self._is_of(b, right):
                        pairs.append((text_of(self.asked, a, left), text_of(self.asked, b, right)))
                        conjuncts.remove(one)
                        break
        keys = [asked.fresh("key") for _ in pairs]
        frames = []
        for side, scope in enumerate((left, right)):
            items = [(quoted(column), column) for columns in scope.tables.values() for column in columns.values()]
            made = [(pair[side], key) for pair, key in zip(pairs, keys, strict=True)]
            frames.append(asked.project(scope.frame, [*items, *made, *ends()]))
        frame = joined(asked, frames[0], frames[1], keys or None, "inner", span_of(asked.tokens))
        return Scope(frame, {**left.tables, **right.tables}, left.grows and right.grows, left.is_now or right.is_now)

    def _is_of(self, tree: Any, scope: Scope) -> bool:
        columns = list(tree.find_all(library().exp.Column))
        return bool(columns) and all(column_of(self.asked, one, scope) is not None for one in columns)

    # --- SELECT ---------------------------------------------------------------------------------------------

    def _select(self, tree: Any) -> Relation:
        asked = self.asked
        where = tree.args.get("where")
        conjuncts = conjuncts_of(where.this) if where is not None else []
        scope = self._from(tree, conjuncts)
        for one in conjuncts:
            if not self._membership(one, scope):
                scope.frame = asked.where(scope.frame, text_of(self.asked, one, scope), one)
        if tree.args.get("group") is not None or self._calls(tree.expressions):
            self._grouped(tree, scope)
        if (having := tree.args.get("having")) is not None:
            scope.frame = asked.where(scope.frame, text_of(self.asked, having.this, scope), having)
        columns, items = {}, []
        for name, text, one in self._items(tree, scope):
            key, number = name, 1
            while key in columns or key in ENDS:
                number += 1
                key = f"{name}_{number}"
            columns[key] = key
            items.append((text, key, one))
        frame = asked.project(scope.frame, [*((text, key) for text, key, _ in items), *ends()], tree)
        if tree.args.get("distinct") is not None:
            frame = distinct(asked, frame, tree)
        is_each = bool(scope.replaced) and {text for text, _, _ in items} >= {
            quoted(one) for one in scope.replaced.values()
        }
        return Relation(frame, columns, scope.grows, scope.is_now, is_each and not self._lists(tree))

    def _items(self, tree: Any, scope: Scope) -> list[tuple[str, str, Any]]:
        exp, found = library().exp, []
        for one in tree.expressions:
            is_all = isinstance(one, exp.Star)
            if not is_all and isinstance(one.unalias(), exp.Star):
                raise self.asked.error("a star is many columns, and has no name of its own", one)
            if is_all or isinstance(one, exp.Column) and isinstance(one.this, exp.Star):
                wanted = "" if is_all else one.table.casefold()
                if scope.replaced:
                    raise self.asked.error("a star does not go with GROUP BY or an aggregate", tree)
                if wanted and wanted not in scope.tables:
                    raise self.asked.error(f"there is no table {one.table}; there are: {', '.join(scope.tables)}", one)
                for alias, columns in scope.tables.items():
                    found += [(name, quoted(column), one) for name, column in columns.items() if wanted in ("", alias)]
                continue
            found.append(
                (one.alias_or_name or one.sql("spark").lower(), text_of(self.asked, one.unalias(), scope), one)
            )
        return found

    def _membership(self, tree: Any, scope: Scope) -> bool:
        """``x [NOT] IN (SELECT ...)``: pairs that hold together, or rows while they have no partner."""
        exp, asked = library().exp, self.asked
        one, is_not = (tree.this, True) if isinstance(tree, exp.Not) else (tree, False)
        one = one.unnest()
        if not isinstance(one, exp.In) or one.args.get("query") is None:
            if tree.find(exp.Query) is not None:
                raise asked.error(f"{tree.sql('spark')}: subqueries stand in FROM, IN and NOT IN", tree)
            return False
        found = self.query(one.args["query"], wants_stream=False)
        inner = windowed(asked, found, UNBOUNDED) if isinstance(found, Stream) else found
        columns = list(inner.columns.values())
        if len(columns) != 1:
            raise asked.error(
                f"IN (SELECT ...) compares one column, and the SELECT gives {', '.join(inner.columns)}", one
            )
        key = asked.fresh("key")
        items = [(quoted(column), column) for columns_ in scope.tables.values() for column in columns_.values()]
        left = asked.project(scope.frame, [*items, (text_of(self.asked, one.this, scope), key), *ends()])
        right = asked.project(inner.frame, [(quoted(columns[0]), key), *ends()])
        scope.frame = joined(asked, left, right, key, "anti" if is_not else "semi", tree)
        scope.grows = scope.grows and inner.grows and not is_not
        return True

    def _lists(self, tree: Any) -> bool:
        """Whether an aggregate is called that returns many rows."""
        return any(gives_rows(self._function(call)[0]) for call in self._calls(tree.expressions))

    def _calls(self, trees: list[Any]) -> list[Any]:
        exp = library().exp
        return [one for tree in trees for one in tree.find_all(exp.Func) if self._function(one)[0] is not None]

    def _function(self, tree: Any) -> tuple[Any, list[Any]]:
        """An aggregate that is called, and its arguments."""
        exp = library().exp
        name, arguments = called(tree, self.asked.aggregates)
        if not name and isinstance(tree, (exp.AggFunc, exp.Anonymous)):
            name, arguments = called(tree, BUILT_IN)
        return {**BUILT_IN, **self.asked.aggregates}.get(name), arguments

    def _grouped(self, tree: Any, scope: Scope) -> None:
        """Aggregates of the rows that hold."""
        exp, asked = library().exp, self.asked
        group = tree.args.get("group")
        keys = {one: asked.fresh("key") for one in (group.expressions if group is not None else [])}
        having = tree.args.get("having")
        calls = self._calls([*tree.expressions, *([having] if having is not None else [])])
        items = [(text_of(self.asked, one, scope), key) for one, key in keys.items()]
        applied = {}
        for call in calls:
            function, arguments = self._function(call)
            if arguments and isinstance(arguments[0], exp.Distinct):
                function, arguments = BUILT_IN["count_distinct"], list(arguments[0].expressions)
            columns = []
            for argument in arguments:
                if not isinstance(argument, exp.Star):
                    columns.append(asked.fresh("value"))
                    items.append((text_of(self.asked, argument, scope), columns[-1]))
            applied[call] = (asked.fresh("result"), function(*columns))
        frame = asked.project(scope.frame, [*items, *ends()], tree)
        found = aggregated(asked, frame, list(keys.values()), dict(applied.values()), tree)
        listing = [(column, column) for column, one in applied.values() if gives_rows(one.aggregate)]
        if listing:
            asked.ended = "an aggregate of many rows" if asked.is_stream(found) else ""
            found = rows_of_lists(asked.engine, asked.run(found), listing, asked.source, span_of(asked.tokens))
        scope.frame = found
        scope.replaced = {**keys, **{call: name for call, (name, _) in applied.items()}}
        scope.tables, scope.grows, scope.is_now = {}, False, scope.is_now

    def _together(self, tree: Any) -> Relation:
        """UNION, EXCEPT, INTERSECT, at every instant."""
        exp = library().exp
        sides = [self.query(one, wants_stream=False) for one in (tree.this, tree.expression)]
        left, right = (windowed(self.asked, one, UNBOUNDED) if isinstance(one, Stream) else one for one in sides)
        if len(left.columns) != len(right.columns):
            raise self.asked.error(
                f"{tree.key.upper()}: {len(left.columns)} columns on the left, {len(right.columns)} on the right", tree
            )
        names = list(left.columns)
        frames = [
            self.asked.project(
                one.frame, [*((quoted(c), name) for c, name in zip(one.columns.values(), names, strict=True)), *ends()]
            )
            for one in (left, right)
        ]
        is_set = bool(tree.args.get("distinct"))
        frame = together(self.asked, tree.key, frames, is_set=is_set, tree=tree)
        grows = left.grows and right.grows and not isinstance(tree, exp.Except)
        return Relation(frame, {name: name for name in names}, grows, left.is_now and right.is_now)
