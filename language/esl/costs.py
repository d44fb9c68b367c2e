"""The cost of a statement: the tables over whose rows it loops, and how loops are nested.

It is read from the generated code: a loop over a dictionary counts all its rows, a lookup of a key counts one.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping

from inwindow.language.esl.tables import Given, Keyed, Rows, Stored, Window
from inwindow.language.esl.trees import Node

Product = tuple[str, ...]  # the tables of loops in loops
_AT_ONCE = {"found", "insert_once", "len"}
_ALL_ROWS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def cost_of(statements: Iterable[ast.AST], tables: Mapping[str, Stored]) -> str:
    """Such as ``O(1)``, ``O(counts)``, ``O(t * u)``."""
    seen = _Looks(tables)
    products = {product for one in statements for product in seen.products(one, ())}
    products -= {(*product[:-1], product[-1].split()[0]) for product in products if product and " log " in product[-1]}
    longest = max(map(len, products), default=0)
    dearest = sorted(product for product in products if len(product) == longest and product)
    return f"O({' + '.join(' * '.join(product) for product in dearest) or '1'})"


class _Looks:
    def __init__(self, tables: Mapping[str, Stored]) -> None:
        self.tables = {"inwindow": "window"}
        self.lists = {"inwindow"}
        for table in tables.values():
            if isinstance(table, (Rows, Keyed)):
                self.tables[table.attribute] = table.name
            elif isinstance(table, Given):
                self.tables[table.constant] = table.name
            if isinstance(table, Rows):
                self.lists.add(table.attribute)
            if isinstance(table, Window):
                self.lists.add("inwindow")

    def products(self, node: ast.AST, around: Product) -> Iterator[Product]:
        """The loops of a piece of code, each with those around it."""
        if isinstance(node, _ALL_ROWS):
            for loop in node.generators:
                yield from self.products(loop.iter, around)
                around = (*around, *self._rows_of(loop.iter))
                yield around
                for condition in loop.ifs:
                    yield from self.products(condition, around)
            results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            for result in results:
                yield from self.products(result, around)
            return
        if isinstance(node, ast.Call):
            yield from self._call(node, around)
            around = (*around, *self._called_for(node))
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            table = self._table(node.comparators[0])
            if table is not None and table in self.lists:
                yield (*around, self.tables[table])
        for child in ast.iter_child_nodes(node):
            yield from self.products(child, around)

    def _call(self, node: ast.Call, around: Product) -> Iterator[Product]:
        """A function that gets all rows reads each of them."""
        rows = self._given(node)
        if not rows:
            return
        if isinstance(node.func, ast.Name) and node.func.id in ("sorted", "ordered"):
            yield (*around, *rows[:-1], f"{rows[-1]} log {rows[-1]}")
        else:
            yield (*around, *rows)

    def _called_for(self, node: ast.Call) -> list[str]:
        """The rows for each of which a lambda is called."""
        return self._given(node) if any(isinstance(one, ast.Lambda) for one in node.args) else []

    def _given(self, node: ast.Call) -> list[str]:
        if isinstance(node.func, ast.Attribute):
            return self._rows_of(node.func.value) if node.func.attr == "delete" else []
        is_at_once = not isinstance(node.func, ast.Name) or node.func.id in _AT_ONCE
        return [] if is_at_once else [table for one in node.args[:2] for table in self._rows_of(one)]

    def _rows_of(self, node: Node) -> list[str]:
        """The tables whose rows an expression has."""
        table = self._table(node)
        if table is not None:
            return [self.tables[table]]
        if isinstance(node, _ALL_ROWS):
            return [one for loop in node.generators for one in self._rows_of(loop.iter)]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in _AT_ONCE:
            return [one for argument in node.args[:2] for one in self._rows_of(argument)]
        if isinstance(node, (ast.BoolOp, ast.BinOp)):
            sides = node.values if isinstance(node, ast.BoolOp) else [node.left, node.right]
            return max((self._rows_of(side) for side in sides), key=len)
        return []

    def _table(self, node: Node) -> str | None:
        """``self.t``, ``self.t.items()`` or a constant."""
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("items", "values")
        ):
            node = node.func.value
        of = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        return of if of in self.tables else None
