"""An aggregate written for Spark 4.4's ``pyspark.sql.aggregator.Aggregator``, accepted as it is.

Its methods are ``zero() -> buffer``, ``reduce(buffer, value) -> buffer``, ``merge(a, b) -> buffer``,
``finish(buffer) -> result``, and ``bufferSchema``, ``outputType``. A method ``expire(buffer, value) -> buffer``, added to
it, makes sliding frames O(1). It is recognised by its methods: no Spark is needed.
"""

import copy
import inspect
import types
from typing import Any

from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.constant import is_constant
from inwindow.udaf.contract import PUNT, Aggregate, WindowAggregate
from inwindow.udaf.errors import DefinitionError, shown
from inwindow.udaf.shared_state import check_shared_state
from inwindow.udaf.types import arrow_type, fitting, record_values


@says_what_it_takes
def udaf(aggregator: Any) -> Aggregate:
    """Make an inwindow aggregate of a Spark ``Aggregator`` instance.

    >>> import pyarrow as pa
    >>> import inwindow as iw
    >>> class Mean:
    ...     def zero(self): return (0.0, 0)
    ...     def reduce(self, buffer, value): return (buffer[0] + value, buffer[1] + 1)
    ...     def merge(self, a, b): return (a[0] + b[0], a[1] + b[1])
    ...     def finish(self, buffer): return buffer[0] / buffer[1]
    ...     def outputType(self): return "double"
    >>> table = pa.table({"price": [1.0, 3.0, 5.0]})
    >>> iw.with_columns(table, m=iw.udaf(Mean())("price").over(iw.rows(2)))["m"].to_pylist()
    [1.0, 2.0, 4.0]
    """
    _check_aggregator(aggregator)
    name = type(aggregator).__name__
    spark = tuple(base for base in type(aggregator).__mro__ if base is object or base.__module__.startswith("pyspark."))
    check_shared_state(type(aggregator), spark, hooks=("zero", "reduce", "merge", "finish", "expire"))
    parameters = list(inspect.signature(aggregator.reduce).parameters.values())
    _check_parameters(name, aggregator, parameters)
    output = getattr(aggregator, "outputType", None)
    output = output() if callable(output) and not hasattr(output, "simpleString") else output
    if output is None:
        raise DefinitionError(f"udaf({name}()): {name} has no outputType; return a Spark DataType or DDL text from it")
    try:
        result = arrow_type(output)
    except DefinitionError as error:
        raise DefinitionError(f"udaf({name}()): outputType: {error}") from None
    bases = {"iterate": _iterate, "merge": _merge, "terminate": _terminate, "__init__": _init}
    if callable(getattr(aggregator, "expire", None)):
        bases["expire"] = _expire
    kind = WindowAggregate if "expire" in bases else Aggregate
    empty = _over_nothing(aggregator)
    if not fitting(result)(record_values(empty)):
        raise DefinitionError(
            f"udaf({name}()): finish(zero()) gives {shown(empty)}, which does not fit its outputType {result}"
        )
    keywords = {"returns": result, "nulls": "pass", "empty": empty}
    hooks = {**bases, **_signatures(bases, parameters[1:]), "_spoken": {"iterate": "reduce", "terminate": "finish"}}
    adapter: Any = types.new_class(name, (kind,), keywords, lambda namespace: namespace.update(hooks))
    made: Aggregate = adapter(aggregator)
    return made


def _check_aggregator(aggregator: Any) -> None:
    """Refuse anything that is not an instance of an Aggregator."""
    if isinstance(aggregator, Aggregate):
        raise DefinitionError(
            f"udaf({type(aggregator).__name__}()): this is an aggregate of inwindow already: drop iw.udaf"
        )
    if isinstance(aggregator, type) and issubclass(aggregator, Aggregate):
        raise DefinitionError(
            f"udaf({aggregator.__name__}): this is an aggregate of inwindow: drop iw.udaf, and write {aggregator.__name__}()"
        )
    if inspect.isroutine(aggregator):
        raise DefinitionError(
            f"udaf({shown(aggregator)}) takes an Aggregator of Spark, not a function: an aggregate of your own is a class, "
            "class MyAvg(iw.WindowAggregate), with the hooks iterate and terminate"
        )
    if isinstance(aggregator, type):
        raise DefinitionError(f"udaf({aggregator.__name__}) takes an instance: write iw.udaf({aggregator.__name__}())")
    name = type(aggregator).__name__
    missing = [
        method for method in ("zero", "reduce", "merge", "finish") if not callable(getattr(aggregator, method, None))
    ]
    if missing:
        raise DefinitionError(
            f"udaf({name}()): an Aggregator has zero, reduce, merge and finish, but {name} lacks {', '.join(missing)}"
        )


def _check_parameters(name: str, aggregator: Any, reduced: list[inspect.Parameter]) -> None:
    values = [parameter.name for parameter in reduced[1:]] or ["value"]
    written = {"zero": [], "reduce": ["buffer", *values], "merge": ["a", "b"], "finish": ["buffer"]}
    if callable(getattr(aggregator, "expire", None)):
        written["expire"] = ["buffer", *values]
    for method, parameters in written.items():
        try:
            inspect.signature(getattr(aggregator, method)).bind(*parameters)
        except TypeError:
            raise DefinitionError(
                f"udaf({name}()): {name}.{method} must be written `def {method}({', '.join(['self', *parameters])})`"
            ) from None


def _over_nothing(aggregator: Any) -> Any:
    """Spark's result for a frame without tuples: ``finish(zero())``; NULL if that raises (0 / 0)."""
    try:
        return aggregator.finish(aggregator.zero())
    except Exception:
        return None


def _signatures(hooks: dict[str, Any], parameters: list[inspect.Parameter]) -> dict[str, Any]:
    """Hooks that take any values, with the parameter names of ``reduce``: arity is checked against those."""
    signature = inspect.Signature([inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *parameters])
    signed: dict[str, Any] = {}
    for name in ("iterate", "expire"):
        if name in hooks:
            hook = _copied(hooks[name])
            hook.__signature__ = signature
            signed[name] = hook
    return signed


def _copied(function: Any) -> Any:
    return types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)


def _init(self: Any, aggregator: Any) -> None:
    self.aggregator = _Shared(aggregator)
    self.started = False


def _buffer(self: Any) -> Any:
    # zero() is asked for when the first value comes, so that a mutable zero is never shared.
    if not self.started:
        self.buffer, self.started = copy.deepcopy(self.aggregator.it.zero()), True
    return self.buffer


def _iterate(self: Any, *values: Any) -> None:
    self.buffer = self.aggregator.it.reduce(_buffer(self), *values)


def _expire(self: Any, *values: Any) -> Any:
    undone = self.aggregator.it.expire(self.buffer, *values)
    if undone is PUNT:
        return PUNT
    self.buffer = undone
    return None


def _merge(self: Any, later: Any) -> None:
    self.buffer = self.aggregator.it.merge(self.buffer, copy.deepcopy(later.buffer))


def _terminate(self: Any) -> Any:
    return self.aggregator.it.finish(self.buffer)


class _Shared:
    """The user's aggregator, shared by all copies of the adapter if nothing in it can change: its state is the buffer."""

    def __init__(self, it: Any) -> None:
        self.it = it

    def __deepcopy__(self, memo: Any) -> "_Shared":
        is_shared = all(map(is_constant, getattr(self.it, "__dict__", {}).values()))
        return self if is_shared else _Shared(copy.deepcopy(self.it, memo))
