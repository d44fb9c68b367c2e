"""What stands before a call on a stream, read from Spark's plan of it: what would fail later, or give fewer rows, is refused here.

Spark finds two watermarks on one path only when the first has moved, in the middle of a query. It never says that an inner join
of two streams gives rows with times of long ago: such a row is late for us, and has no result.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from inwindow.runtime.spark.session import explained, is_connect
from inwindow.udaf.errors import UsageError

_BRANCHES = re.compile(r"^(?P<stem>(?:[:| ] {2})*)(?P<own>[:+]- )?(?P<text>\S.*)$")
_WATERMARK = re.compile(r"EventTimeWatermark .*?(?P<name>[^\s#(,]+)#\d+")
_TIMED = re.compile(r"#(\d+)-T\d+ms")  # a column with a watermark, as it is printed
_INNER = re.compile(r"Join (Inner|Cross)\b(?P<condition>.*)")
_STATEFUL = ("Aggregate", "Deduplicate", "FlatMapGroups", "TransformWithState")
_SEVERAL = "spark.sql.streaming.statefulOperator.allowMultiple"


@dataclass
class Node:
    """A node of a logical plan, as it is printed."""

    text: str
    children: list["Node"] = field(default_factory=list)

    def all(self) -> Iterator["Node"]:
        """This node and all below it."""
        yield self
        for child in self.children:
            yield from child.all()

    @property
    def is_stateful(self) -> bool:
        """Whether Spark keeps state for it."""
        if self.text.startswith("Join"):
            return all(child.is_streaming for child in self.children)
        return self.text.startswith(_STATEFUL) and self.is_streaming

    @property
    def is_streaming(self) -> bool:
        """Whether a stream is below it."""
        return any(node.text.startswith("StreamingRelation") for node in self.all())


def check_before(df: Any, where: str, *, timed: bool, alone: bool) -> bool:
    """Refuse the plans before a call that cannot work; whether there is a stateful step.

    ``alone``: Spark's operator stands behind no aggregation.
    """
    plan = tree(_analyzed(df))
    if df.sparkSession.conf.get(_SEVERAL, "true") != "false":
        _check_watermarks(plan, where, None)
    for node in plan.all():
        inner = _INNER.match(node.text)
        if timed and inner and all(child.is_streaming for child in node.children):
            _check_join(inner["condition"], where)
        if alone and node.text.startswith("Aggregate") and node.is_streaming:
            raise UsageError(
                f"{where} on an aggregation of a stream: with this state store Spark takes no operator of ours behind one: before "
                "the call set spark.sql.streaming.stateStore.providerClass to "
                "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider, or write the aggregation's rows by a "
                "query of its own, and read them as a stream"
            )
    return any(node.is_stateful for node in plan.all())


def _check_watermarks(node: Node, where: str, above: str | None) -> None:
    marked = _WATERMARK.match(node.text)
    if marked and above:
        raise UsageError(
            f"{where} on a stream with two watermarks, one behind the other, on {marked['name']!r} and {above!r}: Spark stops such "
            f"a query once the first has moved: keep one withWatermark between each source and {where}"
        )
    for child in node.children:
        _check_watermarks(child, where, marked["name"] if marked else above)


def _check_join(condition: str, where: str) -> None:
    if len(set(_TIMED.findall(condition))) < 2:
        raise UsageError(
            f"{where} on an inner join of two streams without a bound on their times: a tuple may meet one of long ago, so rows "
            "would come with times that the watermark has passed, and be late: give both streams a watermark, and say in the join "
            "how far apart they may be, as in 'k = k2 AND ts2 BETWEEN ts AND ts + INTERVAL 1 HOUR'; or write the join's "
            "rows by a query of its own, and read them as a stream with a watermark of its own"
        )


def _analyzed(df: Any) -> str:
    if is_connect(df):
        said = explained(df, "extended").partition("== Analyzed Logical Plan ==\n")[2].partition("\n== Optimized")[0]
        return said.partition("\n")[2]  # the first line is the schema
    return str(df._jdf.queryExecution().analyzed().toString())


def tree(text: str) -> Node:
    """A node above a plan, made from the plan's text. What is no line of a tree belongs to the node before it.

    >>> text = "Join Inner, (a#1 = b#2)\\n:- Project [a#1]\\n:  +- StreamingRelation x\\n+- LocalRelation [b#2]"
    >>> [join] = tree(text).children
    >>> [child.text for child in join.children], [child.is_streaming for child in join.children]
    (['Project [a#1]', 'LocalRelation [b#2]'], [True, False])
    """
    root = Node("")
    path = [root]
    for line in text.splitlines():
        found = _BRANCHES.match(line)
        depth = 0 if found is None else len(found["stem"]) // 3 + (found["own"] is not None)
        if found is None or depth >= len(path) or (depth == 0 and len(path) > 1):
            path[-1].text += f" {line.strip()}"
            continue
        node = Node(found["text"].removeprefix("~"))
        path[depth].children.append(node)
        path[depth + 1 :] = [node]
    return root
