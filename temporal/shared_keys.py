"""The columns by which the inputs of a whole query may be partitioned: rows that differ in them never meet, in any operator.

::

    bids (item, price), opened (item, price)     distinct: by item and price
    closed (item)                                window of the last row: by item; join: on item
                                                 all of it: bids.item, opened.item, closed.item
"""

import pyarrow as pa

from inwindow.temporal.join import Join
from inwindow.temporal.multiplicity import Multiplicity
from inwindow.temporal.tree import Tree
from inwindow.temporal.union import Union

Origin = dict[int, str]  # the column of each input from which a column comes


def shared_keys(tree: Tree, inputs: int) -> list[tuple[str, ...]]:
    """The columns of each input, in one order; none if the operators share no keys."""
    wanted = [_keys(node) for node in _nodes(tree) if node.operation is not None]
    candidates = [one for one in wanted[0] or [] if len(one) == inputs] if wanted else []
    found: list[Origin] = []
    for one in candidates:
        shared = all(keys is None or any(_within(key, one) for key in keys) for keys in wanted)
        if shared and not any(one[number] == other[number] for other in found for number in one):
            found.append(one)
    return [tuple(one[number] for one in found) for number in range(inputs)]


def _nodes(tree: Tree) -> list[Tree]:
    """All operators, the last one first, without those that look at each row by itself."""
    nodes = [tree, *(node for one in tree.inputs for node in _nodes(one))]
    while nodes and _keys(nodes[0]) is None and nodes[0].operation is not None and len(nodes[0].inputs) == 1:
        nodes = nodes[1:]
    return nodes


def _within(one: Origin, other: Origin) -> bool:
    return all(other.get(number) == name for number, name in one.items())


def _keys(node: Tree) -> list[Origin] | None:
    """The origins of an operator's keys, as far as they are known; None if it has no keys."""
    assert node.operation is not None or not node.inputs
    if node.operation is None:
        return None
    keys = node.operation.keys(*(one.schema for one in node.inputs))
    if keys is None:
        return None
    found = []
    for names in zip(*keys, strict=True):
        origins = [origin(one, name) for one, name in zip(node.inputs, names, strict=True)]
        together = _together([one for one in origins if one is not None])
        if together is not None and None not in origins:
            found.append(together)
    return found


def origin(node: Tree, name: str) -> Origin | None:
    """The columns of all inputs from which a column comes; None if an input has no such column."""
    operation = node.operation
    if operation is None:
        return {node.number: name}
    if isinstance(operation, (Union, Multiplicity)) or (isinstance(operation, Join) and name in operation.on):
        sides = [origin(one, name) for one in node.inputs]
        return None if None in sides else _together([one for one in sides if one is not None])
    if len(node.inputs) > 1:
        return None
    source = operation.source(name, tuple(one.schema for one in node.inputs))
    return None if source is None else origin(node.inputs[0], source[1])


def _together(origins: list[Origin]) -> Origin | None:
    """The origins of several parts together; None if they differ for an input."""
    found: Origin = {}
    for one in origins:
        if any(found.get(number, name) != name for number, name in one.items()):
            return None
        found |= one
    return found


def column_of(node: Tree, name: str) -> tuple[int, str] | None:
    """The input and its column from which a column of the result comes; None if it is computed."""
    if node.operation is None:
        return node.number, name
    source = node.operation.source(name, tuple(one.schema for one in node.inputs))
    return None if source is None else column_of(node.inputs[source[0]], source[1])


def schemas_of(tree: Tree, inputs: int) -> list[pa.Schema]:
    """The schemas of the inputs, by their numbers."""
    found: dict[int, pa.Schema] = {}
    todo = [tree]
    while todo:
        node = todo.pop()
        if node.operation is None:
            found[node.number] = node.schema
        todo += node.inputs
    return [found[number] for number in range(inputs)]
