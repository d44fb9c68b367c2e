"""On a stream: combine the operators that hold rows into one query before it runs (``temporal/composed.py``).

The engine does the steps before the first and after the last of them. Steps between two of them run in workers, so they must be
Arrow expressions: columns, comparisons, and + - * of whole numbers and doubles.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.language.text import library
from inwindow.temporal.project import Project
from inwindow.temporal.tree import Tree, made
from inwindow.temporal.where import Where

Step = tuple[str, Any]


@dataclass(frozen=True)
class Held:
    """A query of operators, and the projections and filters of its result."""

    tree: Tree
    columns: tuple[str, ...]
    later: tuple[Step, ...] = ()

    def project(self, items: list[tuple[str, str]]) -> "Held":
        """Expressions under names."""
        return replace(self, columns=tuple(name for _, name in items), later=(*self.later, ("project", items)))

    def where(self, condition: str) -> "Held":
        """The rows for which a condition holds."""
        return replace(self, later=(*self.later, ("where", condition)))

    def settled(self) -> Tree:
        """The query as a tree, for a further operator; a :class:`KeyError` with the part that a tree cannot express."""
        tree = self.tree
        for what, said in self.later:
            if what == "where":
                tree = made(Where(arrow_of(_parsed(said))), tree)
            else:
                tree = made(Project.of({name: _column(_parsed(text), tree.schema) for text, name in said}), tree)
        return tree


def held(node: Tree) -> Held:
    """A query that is just one operator."""
    return Held(node, tuple(node.schema.names))


def _parsed(text: str) -> Any:
    return library().parse_one(text, dialect="spark").unnest()


def _column(tree: Any, schema: pa.Schema) -> str | pc.Expression:
    if isinstance(tree, library().exp.Column):
        return str(tree.name)
    if any(pa.types.is_decimal(schema.field(one.name).type) for one in tree.find_all(library().exp.Column)):
        raise KeyError(tree.sql("spark"))
    return arrow_of(tree)


_MADE: dict[str, Callable[..., Any]] = {
    "EQ": pc.equal, "NEQ": pc.not_equal, "LT": pc.less, "LTE": pc.less_equal, "GT": pc.greater, "GTE": pc.greater_equal,
    "And": pc.and_kleene, "Or": pc.or_kleene, "Add": pc.add_checked, "Sub": pc.subtract_checked, "Mul": pc.multiply_checked,
}  # fmt: skip


def arrow_of(tree: Any) -> pc.Expression:
    """An SQL expression as an Arrow expression; a :class:`KeyError` with the part that Arrow lacks.

    >>> print(arrow_of(_parsed("a > 5 AND NOT b = 'x'")))
    ((a > 5) and invert((b == "x")))
    """
    exp = library().exp
    if isinstance(tree, exp.Paren):
        return arrow_of(tree.this)
    if isinstance(tree, exp.Column):
        return pc.field(tree.name)
    if isinstance(tree, exp.Literal):
        return pc.scalar(tree.this if tree.is_string else int(tree.this) if tree.this.isdigit() else float(tree.this))
    if isinstance(tree, exp.Boolean):
        return pc.scalar(bool(tree.this))
    if isinstance(tree, exp.Not):
        return pc.invert(arrow_of(tree.this))
    if isinstance(tree, exp.Is) and isinstance(tree.expression, exp.Null):
        return arrow_of(tree.this).is_null()
    function = _MADE.get(type(tree).__name__)
    if function is None:
        raise KeyError(tree.sql("spark"))
    return function(arrow_of(tree.this), arrow_of(tree.expression))
