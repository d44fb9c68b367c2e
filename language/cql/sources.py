"""The inputs of a SELECT of CQL: relations, whose rows hold for a while, and streams, whose rows have an instant."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from inwindow import temporal
from inwindow.language.cql.held import Held, held
from inwindow.language.cql.marks import Marks, WindowMark
from inwindow.language.engines import EngineError, quoted
from inwindow.language.text import Source, Span, StatementError, Tokens, place_of, span_of
from inwindow.temporal.composed import run_tree
from inwindow.temporal.tree import Tree, leaf

ENDS = ("since", "until")


@dataclass(frozen=True)
class Relation:
    """A frame with ``since`` and ``until``, and the columns of the names in CQL.

    ``grows``: a row that holds once holds for ever (monotonic, in the paper). ``is_now``: each row holds for one instant.
    ``is_each_a_change``: no row begins where an equal row ends, so every begin and every end is a change.
    """

    frame: Any
    columns: Mapping[str, str]
    grows: bool
    is_now: bool = False
    is_each_a_change: bool = False


@dataclass(frozen=True)
class Stream:
    """A frame whose rows have an instant."""

    frame: Any
    columns: Mapping[str, str]
    at: str


@dataclass
class Asked:
    """A statement, and the names that it may use."""

    engine: Any
    source: Source
    tokens: Tokens
    marks: Marks
    orders: Mapping[str, str | None]  # the timestamp of each stream
    aggregates: Mapping[str, Any]
    spoken: frozenset[str] = frozenset()  # all names of columns in the text
    notes: list[str] = field(default_factory=list)  # the defaults and the rewrites that were applied
    made: int = 0
    streams: list[Any] = field(default_factory=list)  # what operators that hold rows read
    ended: str = ""  # what was done to the rows of such an operator, and only after the last one can be

    def error(self, message: str, tree: Any = None) -> StatementError:
        span = tree if isinstance(tree, Span) else span_of(self.tokens)
        if tree is not None and not isinstance(tree, Span):
            span = place_of(tree, span)
        return self.source.error(f"{self.source.speaker}: {message}", span)

    def fresh(self, wish: str) -> str:
        """A column of ours."""
        self.made += 1
        return f"c{self.made}_{''.join(c if c.isalnum() else '_' for c in wish)}"

    def over(self, operator: Callable[..., Any], *frames: Any, tree: Any = None) -> Any:
        """An operator over frames; on streams it waits until the query is known as a whole, where it holds rows."""
        if not any(map(self.is_stream, frames)):
            return operator(*frames)
        node = operator(*(self._as_tree(frame, tree) for frame in frames))
        held_before = any(isinstance(frame, Held) for frame in frames)
        is_alone = node.operation.keys(*(one.schema for one in node.inputs)) is None
        return operator(*frames) if is_alone and not held_before else held(node)

    def _as_tree(self, frame: Any, tree: Any) -> Tree:
        said = self.ended
        if not said and not isinstance(frame, Held):
            self.streams.append(frame)
            return leaf(frame, len(self.streams) - 1)
        try:
            if not said:
                return frame.settled()
        except KeyError as error:
            said = error.args[0]
        raise self.error(
            f"{said} stands between two operators that hold rows, and a query on a stream has columns, comparisons, and + - * of "
            "whole numbers and doubles there: write the rows of the inner one with a query of its own, and read them as a stream",
            tree,
        )

    def run(self, frame: Any) -> Any:
        """A frame of the engine: the operators run, and what is behind them."""
        if not isinstance(frame, Held):
            return frame
        found = run_tree(frame.tree, self.streams)
        for what, said in frame.later:
            found = self.project(found, said) if what == "project" else self.where(found, said)
        return found

    def is_stream(self, frame: Any) -> bool:
        """Whether rows still come."""
        return isinstance(frame, Held) or bool(self.engine.is_stream(frame))

    def columns(self, frame: Any) -> list[str]:
        """The names of a frame's columns."""
        return list(frame.columns) if isinstance(frame, Held) else list(self.engine.columns(frame))

    def project(self, frame: Any, items: list[tuple[str, str]], tree: Any = None) -> Any:
        if isinstance(frame, Held):
            return frame.project(items)
        try:
            return self.engine.project(frame, items)
        except EngineError as error:
            failure = self.error(f"{self.engine.name} says: {error.message}", tree)
        raise failure

    def where(self, frame: Any, condition: str, tree: Any = None) -> Any:
        if isinstance(frame, Held):
            return frame.where(condition)
        try:
            return self.engine.where(frame, condition)
        except EngineError as error:
            failure = self.error(f"{self.engine.name} says: {error.message}", tree)
        raise failure

    def table(self, name: str, tree: Any) -> Any:
        """A table of the catalog."""
        try:
            return self.engine.query(f"SELECT * FROM {quoted(name)}")
        except EngineError as error:
            failure = self.error(f"{self.engine.name} says: {error.message}", tree)
        raise failure


def renamed(asked: Asked, frame: Any, dropped: set[str]) -> tuple[Any, dict[str, str]]:
    """The frame under names that no other table of the statement has; without some columns."""
    names = [name for name in asked.columns(frame) if name not in dropped]
    columns = {name: name if name in ENDS else asked.fresh(name) for name in names}
    made = asked.project(frame, [(quoted(old), new) for old, new in columns.items()])
    return made, {name: column for name, column in columns.items() if name not in ENDS}


def stream_of(asked: Asked, tree: Any, order: str) -> Stream:
    """A base stream; its timestamp is an attribute only if the statement names it."""
    frame = asked.table(tree.name, tree)
    columns = {name: name for name in asked.columns(frame)}
    at = next(name for name in columns if name.casefold() == order.casefold())
    if at.casefold() not in asked.spoken:
        del columns[at]
    return Stream(frame, columns, at)


def windowed(asked: Asked, stream: Stream, mark: WindowMark) -> Relation:
    """A stream with a window (section 6.1)."""
    kept = {*stream.columns.values(), stream.at}
    frame = stream.frame
    partition = {key.casefold() for key in mark.partition_by}
    named = replace(
        mark, partition_by=tuple(column for name, column in stream.columns.items() if name.casefold() in partition)
    )
    if len(named.partition_by) != len(mark.partition_by):
        raise asked.error(f"PARTITION BY {', '.join(mark.partition_by)}: the stream has: {', '.join(stream.columns)}")
    items = [(quoted(name), name) for name in asked.columns(frame) if name in kept]
    window = named.frame(stream.at)
    seen = asked.over(lambda one: temporal.window(one, window), asked.project(frame, items))
    dropped = set() if stream.at in stream.columns.values() else {stream.at}
    made, columns = renamed(asked, seen, dropped)
    return Relation(
        made,
        {name: columns[column] for name, column in stream.columns.items()},
        grows=mark.size is None,
        is_now=mark.is_now,
    )


def table_relation(asked: Asked, tree: Any, like: Any) -> Relation:
    """A table: if it has ``since`` and ``until``, these say when its rows hold; otherwise they always hold."""
    frame = asked.table(tree.name, tree)
    names = {name.casefold() for name in asked.columns(frame)}
    is_temporal = names >= set(ENDS)
    if not is_temporal:
        frame = asked.engine.with_nulls(frame, ENDS, like)
    made, columns = renamed(asked, frame, set())
    return Relation(made, columns, grows=not is_temporal)
