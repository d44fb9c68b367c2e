"""``run`` and ``explain``: a query of relations as a whole, rewritten by the rules before it runs."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from inwindow.optimizer.explain import Explanation
from inwindow.runtime.operations import is_lazy, placed, seen_by
from inwindow.temporal.aggregate import Holding, holding
from inwindow.temporal.composed import Composed, is_composed, run_tree
from inwindow.temporal.rules import Rewrite, rewritten
from inwindow.temporal.tree import Tree, tree_of


def run(query: Callable[..., Any], *data: Any) -> Any:
    """A query of several operators on its data, after :data:`inwindow.temporal.rules.RULES`.

    ``query`` is a function of the relations. It is called once, with relations that have no rows yet; filters are written
    ``.where(condition)``, with an Arrow expression.

    >>> import pyarrow as pa, pyarrow.compute as pc
    >>> from inwindow import temporal
    >>> bids = pa.table({"item": [1, 1, 2], "since": [1, 3, 2], "until": [4, 9, 5]})
    >>> temporal.run(lambda bids: temporal.coalesce(temporal.split(bids, every=2)).where(pc.field("item") == 1), bids).to_pylist()
    [{'item': 1, 'since': 1, 'until': 9}]
    """
    tree, _ = rewritten(tree_of(query, data, "temporal.run"))
    return run_tree(tree, data)


def explain(query: Any, *data: Any, by: str | Iterable[str] | None = None, **options: Any) -> Explanation:
    """What a query would do: its operators after the rules, the applied rules, and each aggregate's strategy with the reason.

    ``query``: a function of the data, as for :func:`run`, or an operator and its options, as in
    ``explain(temporal.join, bids, auctions, on="item")``. Of data and aggregates alone it is :func:`aggregate`:

    >>> import pyarrow as pa, inwindow as iw
    >>> from inwindow import temporal
    >>> sessions = pa.table({"mb": [5.0], "since": [1], "until": [6]})
    >>> print(temporal.explain(sessions, high=iw.max("mb")))
    pass 1 of 1: no partitioning, order by since; one aggregate
    <BLANKLINE>
      high = max(mb)
        strategy  segment-tree
        why       `max` has merge, which commutes
        why not   delta: not possible, the kernel of `max` undoes the oldest tuple only
        time      O(log n) steps per row, one or two merges per result
        memory    all rows, in two orders, and the states of a tree
        runs      native kernel
        result    double
    <BLANKLINE>
    aggregate: all rows together; one sort by since and one by until, then a sweep over both
      data 1: mb, since, until
    >>> print(temporal.explain(lambda a: temporal.coalesce(temporal.distinct(a)), sessions))
    coalesce: rows with equal mb together; one sort by them and since, and one pass
      data 1: mb, since, until
    rule: coalesce of a coalesced relation: coalesce(coalesce(a)) = coalesce(a), coalesce(aggregate(a)) = aggregate(a)
    """
    if not callable(query):  # data, whose aggregates may be of expressions of Spark's
        asked = holding(data, by, True, options)
        operation, schema = seen_by(asked, query)
        return _explained(Tree(operation, (Tree(None, (), schema),), schema), [], lambda tree: placed(asked, query))
    if by is not None:
        options["by"] = by
    tree, used = rewritten(tree_of(partial(query, **options) if options else query, data, "temporal.explain"))
    if is_composed(tree, data):
        return _explained(tree, used, lambda node: placed(*Composed.of(tree, data)) if node is tree else [])
    return _explained(tree, used, lambda node: _placed(node, data))


def _explained(tree: Tree, used: list[Rewrite], where: Callable[[Tree], list[str]]) -> Explanation:
    works = [work for node in nodes(tree) for work in _works(node)]
    return Explanation(works, "\n".join([*tree.lines(placed=where), *_said(used)]), at_points=True)


def _placed(tree: Tree, data: Sequence[Any]) -> list[str]:
    """How an operator runs over DataFrames, which are made and not computed; nothing over tables."""
    if tree.operation is None or not is_lazy(data[0]):
        return []
    return placed(tree.operation, *(one.run(data) for one in tree.inputs))


def nodes(tree: Tree) -> list[Tree]:
    """All of a tree, its root first."""
    return [tree, *(node for one in tree.inputs for node in nodes(one))]


def _works(tree: Tree) -> list[Any]:
    return [tree.operation.planned(tree.inputs[0].schema)[0]] if isinstance(tree.operation, Holding) else []


def _said(used: list[Rewrite]) -> list[str]:
    return [f"rule: {rule.name}: {rule.law}" for rule in dict.fromkeys(used)]
