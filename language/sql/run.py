"""``iw.sql``: one SELECT with windows of ours in it, run.

Three steps, so that each part of the statement means what it means in SQL::

    before    the engine runs SELECT pieces FROM ... WHERE ... GROUP BY ... HAVING ...; its own windows are among the pieces
    windows   iw.with_columns, or iw.select where windows have SLIDE or ACTIVE EXPIRATION: then only those tuples make rows
    after     what is written around our windows, QUALIFY, DISTINCT, ORDER BY, LIMIT

The engine gets unchanged pieces of the user's text, so its errors can point to the place in that text.
"""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inwindow.language.base_calls import gives_rows, rows_of_lists
from inwindow.language.engines import Engine, EngineError, quoted
from inwindow.language.spark_engine import Spark
from inwindow.language.sql.before import Before, LateralName, before
from inwindow.language.sql.calls import Call
from inwindow.language.sql.expressions import EmissionTime, Expression, Piece, Result, Verbatim
from inwindow.language.sql.nested import flattened
from inwindow.language.sql.statement import Made, SortedBy, Statement, read
from inwindow.language.sql.windows import BUILT_IN, Windows
from inwindow.language.text import Source, Span, StatementError, Tokens, not_too_deep
from inwindow.runtime.call_arguments import emitted_at
from inwindow.runtime.select import select
from inwindow.runtime.spark.messages import unquoted
from inwindow.runtime.spark.registered import aggregates_of, check_session
from inwindow.runtime.with_columns import with_columns
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown


@says_what_it_takes
def sql(spark: Any, text: str = "") -> Any:
    """A DataFrame from one SELECT with inwindow's windows in it; needs sqlglot (``pip install 'inwindow[sql]'``).

    inwindow runs a call over a window if its name was given to :func:`inwindow.register`, or if it is a built-in and the window
    has ``SLIDE`` or ``ACTIVE EXPIRATION`` (written as in ESL), or is over a stream. Spark runs everything else.
    With SLIDE only yield tuples make rows. With ACTIVE EXPIRATION only tuples that leave make rows, and ``emitted_at()`` is the
    time. Errors show the place in the text.

    >>> iw.register(spark, "my_avg", my_avg)  # doctest: +SKIP
    >>> iw.sql(spark, "SELECT item, my_avg(price) OVER (PARTITION BY item ORDER BY ts ROWS 49 PRECEDING SLIDE 10) AS a "
    ...     "FROM bids WHERE price > 0 ORDER BY a DESC LIMIT 3").show()  # doctest: +SKIP
    """
    check_session(spark, "sql")
    if not isinstance(text, str) or not text:
        raise UsageError(f"iw.sql(spark, {shown(text)}): the statement is a text, as in 'SELECT ...'")
    registered = aggregates_of(spark)
    engine, source = Spark(spark), Source(text)

    def taken_apart(is_all: bool) -> tuple[Source, Statement | None]:
        """The text, its inner queries run, and what is ours in it; ``is_all`` takes windows of built-ins that Spark could run."""

        def named(inner: Source, tokens: Tokens) -> str | None:
            statement = read(inner, registered.keys(), BUILT_IN.keys(), is_all=is_all)
            return None if statement is None else kept(engine, run(engine, statement, registered))

        with not_too_deep(source):
            whole = flattened(source, named)
            return whole, read(whole, registered.keys(), BUILT_IN.keys(), is_all=is_all)

    whole, statement = taken_apart(False)
    if statement is None:
        result = spark.sql(whole.text)
        if not re.search(r"(?i)\bover\b", text) or not result.isStreaming:
            return result
        whole, statement = taken_apart(True)  # Spark has no such windows on streams
    return result if statement is None else run(engine, statement, registered)


_NUMBERS = itertools.count()


def kept(engine: Engine, frame: Any) -> str:
    """A table of the rows of an inner query; its name is shorter than any query with a window."""
    name = f"_iwq{next(_NUMBERS)}"
    engine.register(name, frame)
    return name


def run(engine: Engine, statement: Statement, registered: Mapping[str, Any]) -> Any:
    """A statement, read, on an engine."""
    while True:
        try:
            data = before(engine, statement)
        except LateralName as missing:
            name = missing.name
        else:
            return _Run(engine, statement, registered, data).run()
        statement = statement.with_lateral(name)


@dataclass(frozen=True)
class _Output:
    """A column of the result: its name, and the expression over the columns at hand that makes it."""

    name: str
    expression: str


class _Run:
    def __init__(self, engine: Engine, statement: Statement, registered: Mapping[str, Any], data: Before) -> None:
        self.engine = engine
        self.statement = statement
        self.source = statement.source
        self.registered = registered
        self.data = data
        self.emitted_at = data.fresh("emitted_at")
        self.results = {call.span: data.fresh(self._wish(call)) for call in statement.calls}
        self.used: dict[str, None] = {}  # the columns that are wanted after the windows
        self.is_cut = False

    def run(self) -> Any:
        """The statement's result, or the engine's error about what comes after the windows at its place in the text."""
        try:
            return self.engine.steps(self._result)
        except EngineError as error:
            failure = self._translated(error)
        raise failure

    def _translated(self, error: EngineError) -> StatementError:
        """The engine knows the expression only as we wrote it: the item is the one that has what it quotes."""
        its = self.statement
        made = [item for item in its.items if isinstance(item, Made)]
        texts = {item.span: self._text(item.expression, ()) for item in made if len(item.expression) > 1}
        spans = [span for span, text in texts.items() if error.fragment in text] or [
            made[0].span if made else its.calls[0].span
        ]
        return self.source.error(f"iw.sql: {self.engine.name} says: {error.message}", spans[0])

    def _result(self) -> Any:
        its = self.statement
        outputs = self._outputs()
        later = its.qualify is not None or its.order_by or its.order_by_all is not None or its.distinct
        # What is used twice is computed once, and under a name.
        made = {
            number: _Output(self.data.fresh(output.name), output.expression)
            for number, output in enumerate(outputs)
            if later and not self._is_column(output.expression)
        }
        references = [
            _Output(o.name, quoted(made[i].name) if i in made else o.expression) for i, o in enumerate(outputs)
        ]
        qualify = None if its.qualify is None else self._text(its.qualify, references)
        self.is_cut = its.distinct  # from here on, only columns of the result are left
        keys = [(self._key(key, references), key.ascending, key.nulls_first) for key in its.order_by]
        if its.order_by_all is not None:
            every = its.order_by_all
            keys = [(output.expression, every.ascending, every.nulls_first) for output in references]
        df, engine = self._windows(), self.engine
        if made:
            df = engine.project(df, [("*", None), *((one.expression, one.name) for one in made.values())])
        if qualify is not None:
            df = engine.where(df, qualify)
        if its.distinct:
            columns = dict.fromkeys(output.expression for output in references)
            df = engine.distinct(engine.project(df, [(one, unquoted(one)) for one in columns]))
        if keys:
            df = engine.ordered(df, keys)
        if its.limit is not None or its.offset is not None:
            df = engine.cut(df, its.limit, its.offset)
        return engine.project(df, [(output.expression, output.name) for output in references])

    def _wish(self, call: Call) -> str:
        """The name by which messages and plans know a result: its alias where it has one."""
        for item in self.statement.items:
            if isinstance(item, Made) and len(item.expression) == 1 and item.expression[0] == Result(call):
                return item.title
        return call.label

    def _outputs(self) -> list[_Output]:
        result: list[_Output] = []
        for number, item in enumerate(self.statement.items):
            if isinstance(item, Made):
                earlier = [
                    _Output(one.name, one.expression if self._is_column(one.expression) else f"({one.expression})")
                    for one in result
                    if one.name.casefold() in item.lateral
                ]
                result.append(_Output(item.title, self._text(item.expression, earlier)))
            else:
                for name, column in self.data.item(number):
                    self.used[column] = None
                    result.append(_Output(name, quoted(column)))
        return result

    def _text(self, expression: Expression, outputs: Any) -> str:
        """An expression over the columns at hand; a bare name in ORDER BY and QUALIFY is an output's before it is another's."""
        text = ""
        for part in expression:
            match part:
                case Verbatim():
                    text += self.source[part.span]
                case Result():
                    if self.is_cut:
                        raise self._gone(part.call.span, part.call.label)
                    text += quoted(self.results[part.call.span])
                case EmissionTime():
                    if not any(call.over.active_expiration for call in self.statement.calls):
                        raise self.source.error(
                            "iw.sql: emitted_at() is the time at which a tuple leaves: a window must have ACTIVE EXPIRATION",
                            part.span,
                        )
                    text += quoted(self.emitted_at)
                case Piece():
                    text += self._of_output(part, outputs) or self._of_piece(part)
        return text

    def _of_output(self, piece: Piece, outputs: Any) -> str | None:
        if piece.name is None:
            return None
        found = {output.expression for output in outputs if output.name.casefold() == piece.name.casefold()}
        if len(found) > 1:
            raise self.source.error(
                f"iw.sql: {piece.name} is the name of {len(found)} columns of the result: tell them apart, with AS",
                piece.span,
            )
        return found.pop() if found else None

    def _gone(self, span: Span, what: str) -> StatementError:
        return self.source.error(
            f"iw.sql: after SELECT DISTINCT, {what} is gone: order by the names or numbers of the result's columns",
            span,
        )

    def _of_piece(self, piece: Piece) -> str:
        if self.is_cut:
            raise self._gone(piece.span, self.source.on_one_line(piece.span))
        name = self.data.column(piece.span)
        self.used[name] = None
        return quoted(name)

    def _key(self, key: SortedBy, outputs: list[_Output]) -> str:
        if key.position is None:
            return self._text(key.expression, outputs)
        if not 1 <= key.position <= len(outputs):
            raise self.source.error(
                f"iw.sql: ORDER BY {key.position}, but the result has {len(outputs)} columns", key.span
            )
        return outputs[key.position - 1].expression

    def _is_column(self, expression: str) -> bool:
        return expression in {quoted(name) for name in (*self.used, *self.results.values(), self.emitted_at)}

    def _windows(self) -> Any:
        windows = Windows(self.source, self.statement.calls, self.registered, self.data)
        applied = {self.results[call.span]: windows.applied(call) for call in self.statement.calls}
        calls = self.statement.calls
        yields = [call.over.yields or one.traits.emits_many for call, one in zip(calls, applied.values(), strict=True)]
        if any(yields):
            windows.check_yields()
        try:
            if any(yields):
                times = [emitted_at().alias(self.emitted_at)] if any(c.over.active_expiration for c in calls) else []
                df = select(self.data.df, *self.used, *times, **applied)
            else:
                df = with_columns(self.data.df, **applied)
        except UsageError as error:
            named = [call for call in calls if call.label in str(error)] or [calls[0]]
            raise self.source.error(f"iw.sql: {error}", named[0].span) from None
        listing = [
            (c.label, self.results[c.span]) for c in calls if gives_rows(applied[self.results[c.span]].aggregate)
        ]
        return rows_of_lists(self.engine, df, listing, self.source, calls[-1].span)
