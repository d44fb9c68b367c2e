"""Rewrites of queries of relations: each an object with a name, the law that it follows, and its condition (PIPES, section 5.3).

Both sides of a law have the same snapshots, and, since operators give coalesced results where they can, the same rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from inwindow.runtime.operation import Operation
from inwindow.temporal.aggregate import Holding
from inwindow.temporal.changes import Changes
from inwindow.temporal.coalesce import Coalesce
from inwindow.temporal.join import Join
from inwindow.temporal.multiplicity import Multiplicity
from inwindow.temporal.relation import values_of
from inwindow.temporal.split import Split
from inwindow.temporal.tree import Tree, made
from inwindow.temporal.union import Union
from inwindow.temporal.where import Where
from inwindow.temporal.window import Windowed

Rewritten = Tree | None


@dataclass(frozen=True)
class Rewrite:
    """A law, applied from left to right if its condition is met."""

    name: str
    law: str
    when: str
    rewritten: Callable[[Tree], Rewritten]  # the tree, rewritten at its root; None if the rule does not apply


def _operations(tree: Tree) -> tuple[Operation | None, Operation | None]:
    """That of the root, and of its first input."""
    below = tree.inputs[0].operation if tree.inputs else None
    return tree.operation, below


def _pushed(tree: Tree, sides: Sequence[int]) -> Tree:
    """The filter at the root goes to some inputs of the operator below it."""
    (below,) = tree.inputs
    assert isinstance(tree.operation, Where) and below.operation is not None
    inputs = [made(tree.operation, one) if at in sides else one for at, one in enumerate(below.inputs)]
    return made(below.operation, *inputs)


def _select_through_window(tree: Tree) -> Rewritten:
    where, window = _operations(tree)
    if not (isinstance(where, Where) and isinstance(window, Windowed)):
        return None
    given = tree.inputs[0].inputs[0].schema
    keys = window.keys(given)
    names = given.names if keys is None else keys[0]
    return _pushed(tree, [0]) if where.looks_only_at(given, names) else None


def _select_through_union(tree: Tree) -> Rewritten:
    where, union = _operations(tree)
    return _pushed(tree, [0, 1]) if isinstance(where, Where) and isinstance(union, Union) else None


def _select_through_bags(tree: Tree) -> Rewritten:
    where, bags = _operations(tree)
    if not (isinstance(where, Where) and isinstance(bags, Multiplicity)):
        return None
    schema = tree.inputs[0].inputs[0].schema
    return _pushed(tree, [0, 1]) if where.looks_only_at(schema, values_of(schema)) else None


def _select_through_join(tree: Tree) -> Rewritten:
    where, join = _operations(tree)
    if not (isinstance(where, Where) and isinstance(join, Join)):
        return None
    left, right = (one.schema for one in tree.inputs[0].inputs)
    if join.how in ("inner", "semi", "anti") and join.on and where.looks_only_at(left, join.on):
        return _pushed(tree, [0, 1])
    if join.how in ("inner", "left", "semi", "anti") and where.looks_only_at(left, values_of(left)):
        return _pushed(tree, [0])
    own = [name for name in values_of(right) if name not in left.names]
    if join.how in ("inner", "right") and where.looks_only_at(right, own):
        return _pushed(tree, [1])
    return None


def _select_through_coalesce(tree: Tree) -> Rewritten:
    where, below = _operations(tree)
    if not (isinstance(where, Where) and isinstance(below, (Coalesce, Holding))):
        return None
    schema = tree.inputs[0].inputs[0].schema
    keys = below.keys(schema)
    names = keys[0] if keys else ()
    return _pushed(tree, [0]) if names and where.looks_only_at(schema, names) else None


def _coalesce_of_coalesced(tree: Tree) -> Rewritten:
    above, below = _operations(tree)
    if not isinstance(above, Coalesce):
        return None
    (input_,) = tree.inputs
    by = _by(above, tree)
    if isinstance(below, Coalesce):
        # It has more columns than this one, so all of its work would be done again.
        return made(replace(above, by=by), input_.inputs[0])
    is_coalesced = isinstance(below, Holding) and below.coalesce
    return (
        input_
        if is_coalesced and set(by) == set(values_of(input_.schema)) and tree.schema.names == input_.schema.names
        else None
    )


def _coalesce_of_split(tree: Tree) -> Rewritten:
    above, below = _operations(tree)
    if not (isinstance(above, (Coalesce, Changes)) and isinstance(below, Split)) or any(
        end is not None for end in below.grid.between
    ):
        return None
    assert above is not None
    return made(above, tree.inputs[0].inputs[0])


def _distinct_through_join(tree: Tree) -> Rewritten:
    above, join = _operations(tree)
    if not (isinstance(above, Coalesce) and isinstance(join, Join)) or join.how != "inner" or join.conditions:
        return None
    (pairs,) = tree.inputs
    if set(_by(above, tree)) != set(values_of(pairs.schema)) or tree.schema.names != pairs.schema.names:
        return None
    return made(join, *(made(Coalesce("distinct", None), one) for one in pairs.inputs))


def _distinct_below_union(tree: Tree) -> Rewritten:
    above, union = _operations(tree)
    if not (isinstance(above, Coalesce) and isinstance(union, Union)):
        return None
    inputs = tree.inputs[0].inputs
    plain = [_without_coalesce(one, values_of(one.schema)) for one in inputs]
    return None if all(a is b for a, b in zip(plain, inputs, strict=True)) else made(above, made(union, *plain))


def _partners_once(tree: Tree) -> Rewritten:
    join = tree.operation
    if not isinstance(join, Join) or join.how not in ("semi", "anti") or join.conditions:
        return None
    left, right = tree.inputs
    plain = _without_coalesce(right, join.on)
    return None if plain is right else made(join, left, plain)


def _without_coalesce(tree: Tree, kept: Sequence[str]) -> Tree:
    """What a tree is made of, if it only removes duplicates and leaves these columns."""
    if isinstance(tree.operation, Coalesce) and set(kept) <= set(_by(tree.operation, tree)):
        (given,) = tree.inputs
        return given if set(values_of(given.schema)) == set(values_of(tree.schema)) or not _all(tree, kept) else tree
    return tree


def _all(tree: Tree, kept: Sequence[str]) -> bool:
    return set(kept) == set(values_of(tree.schema))


def _by(operation: Coalesce, tree: Tree) -> tuple[str, ...]:
    return tuple(values_of(tree.inputs[0].schema)) if operation.by is None else operation.by


RULES: tuple[Rewrite, ...] = (
    Rewrite(
        "select through window", "where(window(s)) = window(where(s))",
        "the condition does not look at since or until; where a window counts tuples, at its keys alone", _select_through_window,
    ),
    Rewrite(
        "select through union", "where(union(a, b)) = union(where(a), where(b))", "always", _select_through_union,
    ),
    Rewrite(
        "select through bags", "where(difference(a, b)) = difference(where(a), where(b)); so intersect, max_union",
        "the condition does not look at since or until", _select_through_bags,
    ),
    Rewrite(
        "select through join", "where(join(a, b)) = join(where(a), b)",
        "the condition looks at the values of one side, whose rows the join does not put beside NULLs", _select_through_join,
    ),
    Rewrite(
        "select through coalesce", "where(coalesce(a)) = coalesce(where(a)); so aggregate",
        "the condition looks at the columns by alone", _select_through_coalesce,
    ),
    Rewrite(
        "coalesce of a coalesced relation", "coalesce(coalesce(a)) = coalesce(a), coalesce(aggregate(a)) = aggregate(a)",
        "it is by columns that are there", _coalesce_of_coalesced,
    ),
    Rewrite(
        "coalesce of a split relation", "coalesce(split(a)) = coalesce(a); so istream, dstream", "split has no between=",
        _coalesce_of_split,
    ),
    Rewrite(
        "distinct through join", "distinct(join(a, b)) = join(distinct(a), distinct(b))",
        "an inner join without condition=", _distinct_through_join,
    ),
    Rewrite(
        "duplicates before distinct", "distinct(union(distinct(a), b)) = distinct(union(a, b))", "always", _distinct_below_union,
    ),
    Rewrite(
        "partners once", "join(a, distinct(b), how='semi') = join(a, b, how='semi'); so 'anti'", "without condition=",
        _partners_once,
    ),
)  # fmt: skip


def rewritten(tree: Tree, rules: Sequence[Rewrite] = RULES) -> tuple[Tree, list[Rewrite]]:
    """The tree after all rules, from the root down until none applies; and those that did, in that order."""
    used: list[Rewrite] = []
    while True:
        changed = _once(tree, rules, used)
        if changed is None:
            return tree, used
        tree = changed


def _once(tree: Tree, rules: Sequence[Rewrite], used: list[Rewrite]) -> Rewritten:
    for rule in rules:
        found = rule.rewritten(tree)
        if found is not None:
            used.append(rule)
            return found
    for at, one in enumerate(tree.inputs):
        found = _once(one, rules, used)
        if found is not None:
            return Tree(tree.operation, (*tree.inputs[:at], found, *tree.inputs[at + 1 :]), tree.schema, tree.number)
    return None
