"""The operators of ``inwindow.temporal`` in a statement, and the changes of its result as a stream.

On a stream a query has one operator that holds rows; a second one is an error here, on the driver, that says what to write.
"""

from collections.abc import Mapping
from typing import Any

from inwindow import temporal
from inwindow.language.cql.marks import StreamMark
from inwindow.language.cql.sources import Asked, Relation, Stream
from inwindow.language.engines import quoted


def hold(asked: Asked, what: str, tree: Any, *frames: Any) -> None:
    """Note an operator that holds rows until time has passed them."""
    if not any(asked.engine.is_stream(frame) for frame in frames):
        return
    if asked.holder:
        raise asked.error(
            f"{asked.holder} and {what} both hold rows, and a query on a stream has one operator that does: write the rows of the "
            "inner one with a query of its own, and read them as a stream",
            tree,
        )
    asked.holder = what


def joined(asked: Asked, left: Any, right: Any, on: Any, how: str, tree: Any) -> Any:
    """Pairs that hold together, or rows while they have a partner, or none."""
    hold(asked, {"anti": "NOT IN", "semi": "IN"}.get(how, "the join"), tree, left, right)
    return temporal.join(left, right, on=on, how=how)


def aggregated(asked: Asked, frame: Any, by: list[str], applied: Mapping[str, Any], tree: Any) -> Any:
    """Aggregates of the rows that hold."""
    hold(asked, "GROUP BY" if by else "the aggregate", tree, frame)
    return temporal.aggregate(frame, by=by or None, **applied)


def distinct(asked: Asked, frame: Any, tree: Any) -> Any:
    """Each row that holds, once."""
    hold(asked, "DISTINCT", tree, frame)
    return temporal.distinct(frame)


_TOGETHER = {"union": temporal.union, "except": temporal.difference, "intersect": temporal.intersect}


def together(asked: Asked, key: str, frames: list[Any], *, is_set: bool, tree: Any) -> Any:
    """UNION, EXCEPT, INTERSECT [ALL] of what holds."""
    if key == "union":
        made = temporal.union(*frames)
        return distinct(asked, made, tree) if is_set else made
    if is_set:
        frames = [distinct(asked, frame, tree) for frame in frames]
    hold(asked, key.upper(), tree, *frames)
    return _TOGETHER[key](*frames)


def changes(asked: Asked, relation: Relation, mark: StreamMark) -> Stream:
    """ISTREAM, DSTREAM or RSTREAM of a relation."""
    at = "at" if "at" not in relation.columns.values() else asked.fresh("at")
    return Stream(asked.engine.merged(_changes(asked, relation, mark, at), at), relation.columns, at)


def _changes(asked: Asked, relation: Relation, mark: StreamMark, at: str) -> Any:
    operator, frame = mark.operator, relation.frame
    if operator == "RSTREAM" and relation.is_now:  # each row holds at one instant, which is when RSTREAM gives it
        return _at_an_end(asked, relation, "since", at)
    if operator == "RSTREAM":
        if mark.every is None:
            raise asked.error(
                "RSTREAM gives all rows at every instant: say how often, as in RSTREAM(*) EVERY 1 MINUTE", mark.span
            )
        return temporal.rstream(frame, every=mark.every, at=at)
    end = "since" if operator == "ISTREAM" else "until"
    if relation.is_each_a_change:
        return _at_an_end(asked, relation, end, at)
    if relation.is_now and asked.holder:
        raise asked.error(
            f"{operator} of {asked.holder} holds rows twice, and a query on a stream does once: write RSTREAM, which gives the "
            "same where no row comes again at the next instant",
            mark.span,
        )
    hold(asked, operator, mark.span, frame)
    return temporal.istream(frame, at=at) if operator == "ISTREAM" else temporal.dstream(frame, at=at)


def _at_an_end(asked: Asked, relation: Relation, end: str, at: str) -> Any:
    """Rows at the instant at which they begin, or end."""
    columns = [(quoted(column), column) for column in relation.columns.values()]
    frame = asked.where(relation.frame, f"{quoted(end)} IS NOT NULL")
    return asked.project(frame, [*columns, (quoted(end), at)])
