"""The Python functions in a Spark Column. Its text has only their names, and a checkpoint must notice other code."""

from collections.abc import Iterator
from typing import Any

from pyspark.serializers import CPickleSerializer

from inwindow.runtime.digests import Digester, digest
from inwindow.runtime.spark.session import is_connect


def digest_of_functions(column: Any) -> str:
    """A digest of the functions' code; "" for a Column without functions, and if they cannot be found."""
    try:
        found = list(_of_connect(column._expr) if is_connect(column) else _of_node(column._jc.node()))
        return digest([Digester().digest_or_type(one) for one in found]) if found else ""
    except Exception:  # another version of PySpark has other internals: there only the names are compared
        return ""


def _of_connect(expression: Any) -> Iterator[Any]:
    if hasattr(expression, "_func") and hasattr(expression, "_eval_type"):
        yield expression._func
    for its in vars(expression).values():
        for one in its if isinstance(its, (list, tuple)) else [its]:
            if type(one).__module__.startswith("pyspark.sql.connect.expressions"):
                yield from _of_connect(one)


def _of_node(node: Any) -> Iterator[Any]:
    if node.getClass().getSimpleName() == "ExpressionColumnNode":
        yield from _of_expression(node.expression())
    children = node.children()
    for index in range(children.size()):
        yield from _of_node(children.apply(index))


def _of_expression(expression: Any) -> Iterator[Any]:
    kind = expression.getClass().getSimpleName()
    if kind == "ColumnNodeExpression":
        yield from _of_node(expression.node())
    if kind.startswith("Python"):
        numbers = expression.func().command().mkString(",").split(",")  # a Seq of signed bytes, by one call
        yield CPickleSerializer().loads(bytes(int(number) & 255 for number in numbers))[0]  # type: ignore[no-untyped-call]
    children = expression.children()
    for index in range(children.size()):
        yield from _of_expression(children.apply(index))
