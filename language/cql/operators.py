"""The operators of ``inwindow.temporal`` in a statement, and the changes of its result as a stream."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inwindow import temporal
from inwindow.language.cql.marks import StreamMark
from inwindow.language.cql.sources import Asked, Relation, Stream
from inwindow.language.engines import quoted


def joined(asked: Asked, left: Any, right: Any, on: Any, how: str, tree: Any) -> Any:
    """Pairs that hold together, or rows while they have a partner, or none."""
    return asked.over(lambda a, b: temporal.join(a, b, on=on, how=how), left, right, tree=tree)


def aggregated(asked: Asked, frame: Any, by: list[str], applied: Mapping[str, Any], tree: Any) -> Any:
    """Aggregates of the rows that hold."""
    return asked.over(lambda one: temporal.aggregate(one, by=by or None, **applied), frame, tree=tree)


def distinct(asked: Asked, frame: Any, tree: Any) -> Any:
    """Each row that holds, once."""
    return asked.over(temporal.distinct, frame, tree=tree)


_TOGETHER = {"union": temporal.union, "except": temporal.difference, "intersect": temporal.intersect}


def together(asked: Asked, key: str, frames: list[Any], *, is_set: bool, tree: Any) -> Any:
    """UNION, EXCEPT, INTERSECT [ALL] of what holds."""
    if key == "union":
        made = asked.over(temporal.union, *frames, tree=tree)
        return distinct(asked, made, tree) if is_set else made
    if is_set:
        frames = [distinct(asked, frame, tree) for frame in frames]
    return asked.over(_TOGETHER[key], *frames, tree=tree)


def changes(asked: Asked, relation: Relation, mark: StreamMark) -> Stream:
    """ISTREAM, DSTREAM or RSTREAM of a relation."""
    at = "at" if "at" not in relation.columns.values() else asked.fresh("at")
    frame = _changes(asked, relation, mark, at)
    return Stream(frame if asked.is_stream(frame) else asked.engine.merged(frame, at), relation.columns, at)


def _changes(asked: Asked, relation: Relation, mark: StreamMark, at: str) -> Any:
    operator, frame = mark.operator, relation.frame
    if operator == "RSTREAM" and relation.is_now:  # each row holds at one instant, which is when RSTREAM gives it
        return _at_an_end(asked, relation, "since", at)
    if operator == "RSTREAM":
        if mark.every is None:
            raise asked.error(
                "RSTREAM gives all rows at every instant: say how often, as in RSTREAM(*) EVERY 1 MINUTE", mark.span
            )
        return asked.over(lambda one: temporal.rstream(one, every=mark.every, at=at), frame, tree=mark.span)
    end = "since" if operator == "ISTREAM" else "until"
    if relation.is_each_a_change and not asked.is_stream(frame):
        return _at_an_end(asked, replace(relation, frame=asked.where(frame, f"{quoted(end)} IS NOT NULL")), end, at)
    change = temporal.istream if operator == "ISTREAM" else temporal.dstream
    return asked.over(lambda one: change(one, at=at), frame, tree=mark.span)


def _at_an_end(asked: Asked, relation: Relation, end: str, at: str) -> Any:
    """Rows at the instant at which they begin, or end."""
    columns = [(quoted(column), column) for column in relation.columns.values()]
    return asked.project(relation.frame, [*columns, (quoted(end), at)])
