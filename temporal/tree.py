"""A query of relations before it runs: operators over inputs, as a tree that rules can rewrite.

The verbs build it: called with a :class:`Tree` instead of data, they return a tree (``runtime/operations.py``).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.runtime.operation import Operation, Unread
from inwindow.runtime.operations import carried_out, seen_by
from inwindow.runtime.unpacked import empty_table
from inwindow.temporal.where import Where
from inwindow.udaf.errors import UsageError, shown


@dataclass(frozen=True)
class Tree(Unread):
    """An operator over trees, or one of the inputs, by its number."""

    operation: Operation | None
    inputs: tuple["Tree", ...]
    schema: pa.Schema
    number: int = 0

    def under(self, operation: Operation, *others: Unread) -> "Tree":
        """An operator over this one, and others."""
        return made(operation, self, *(other for other in others if isinstance(other, Tree)))

    def where(self, condition: pc.Expression) -> "Tree":
        """The rows whose values satisfy an Arrow expression."""
        return made(Where(condition), self)

    def run(self, data: Sequence[Any]) -> Any:
        """The result on data."""
        if self.operation is None:
            return data[self.number]
        return carried_out(self.operation, *(one.run(data) for one in self.inputs))

    def lines(self, depth: int = 0, placed: Callable[["Tree"], Sequence[str]] = lambda _: ()) -> Iterator[str]:
        """Drawn, the last operator first; below each what is said of where it runs."""
        indent = "  " * depth
        if self.operation is None:
            yield f"{indent}data {self.number + 1}: {', '.join(self.schema.names)}"
            return
        yield f"{indent}{told(self.operation, [one.schema for one in self.inputs])}"
        yield from (f"{indent}  {line}" for line in placed(self))
        for one in self.inputs:
            yield from one.lines(depth + 1, placed)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"a relation in temporal.run has no .{name}: it is a plan without data, for the functions of temporal and .where(); "
            "prepare the data themselves"
        )


def made(operation: Operation, *inputs: Tree) -> Tree:
    """An operator over trees, checked."""
    schemas = [one.schema for one in inputs]
    operation.keys(*schemas)
    return Tree(operation, inputs, operation.run(*map(empty_table, schemas)).schema)


def leaf(data: Any, number: int) -> Tree:
    """Data of a number."""
    return Tree(None, (), seen_by(Where(pc.scalar(True)), data)[1], number)


def tree_of(query: Callable[..., Any], data: Sequence[Any], where: str) -> Tree:
    """The tree of a query over data."""
    if not callable(query):
        raise UsageError(
            f"{where}({shown(query)}): write a function of relations, as in lambda bids: temporal.coalesce(bids)"
        )
    tree = query(*(leaf(one, number) for number, one in enumerate(data)))
    if not isinstance(tree, Tree):
        raise UsageError(
            f"{where}: the query gave {shown(tree)}: it must give what functions of temporal make of its arguments"
        )
    return tree


def told(operation: Operation, schemas: Sequence[pa.Schema]) -> str:
    """An operator in a line: its options, and which rows it needs together."""
    keys = operation.keys(*schemas)
    if keys is None:
        together = "each row by itself"
    elif not keys[0]:
        together = "all rows together"
    else:
        together = f"rows with equal {', '.join(map(str, keys[0]))} together"
    options = operation.described()
    return f"{operation.name}{f' {options}' if options else ''}: {together}; {operation.steps}"
