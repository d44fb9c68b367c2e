"""inwindow: window aggregates that you write yourself, on Arrow tables and PySpark.

>>> import pyarrow as pa
>>> import inwindow as iw
>>> class MyAvg(iw.WindowAggregate):
...     def initialize(self, value): self.total, self.count = value, 1
...     def iterate(self, value): self.total += value; self.count += 1
...     def expire(self, value): self.total -= value; self.count -= 1
...     def terminate(self) -> float: return self.total / self.count
>>> table = pa.table({"item": ["a", "a", "b", "a"], "price": [1.0, 2.0, 7.0, 6.0]})
>>> iw.with_columns(table, avg2=MyAvg()("price").over(iw.rows(2, partition_by="item")))["avg2"].to_pylist()
[1.0, 1.5, 7.0, 4.0]
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from inwindow.native._inwindow import InWindow
from inwindow.udaf.applied import Applied
from inwindow.udaf.contract import PUNT, Aggregate, WindowAggregate
from inwindow.udaf.errors import (
    ArithmeticOverflowError,
    DataError,
    DefinitionError,
    DeviationError,
    HookError,
    InWindowError,
    ResultTypeError,
    ScratchError,
    StateError,
    StrategyError,
    UnknownColumnError,
    UsageError,
)
from inwindow.udaf.sentinel import Sentinel
from inwindow.udaf.spark_aggregator import udaf
from inwindow.windows.extents import cumulate, hop, session, tumble
from inwindow.windows.frames import asc, desc, landmark, range, range_between, rows, rows_between, scope, unbounded

if _TYPE_CHECKING:
    from inwindow import temporal, testing
    from inwindow.language.catalog import Catalog
    from inwindow.language.esl.aggregate import aggregate
    from inwindow.language.sql.run import sql
    from inwindow.runtime.call_arguments import emitted_at
    from inwindow.runtime.explain import explain
    from inwindow.runtime.group_by import group_by
    from inwindow.runtime.late import late
    from inwindow.runtime.select import select
    from inwindow.runtime.spark.arrival_time import arrival_time
    from inwindow.runtime.spark.registered import register
    from inwindow.runtime.union import union
    from inwindow.runtime.with_columns import with_columns
    from inwindow.udaf import builtins
    from inwindow.udaf.builtins import *
    from inwindow.udaf.compiled.numba_hooks import compiled

__version__ = "0.1.0"

__all__ = [
    "PUNT",
    "Aggregate",
    "Applied",
    "ArithmeticOverflowError",
    "Catalog",
    "DataError",
    "DefinitionError",
    "DeviationError",
    "HookError",
    "InWindow",
    "InWindowError",
    "ResultTypeError",
    "ScratchError",
    "Sentinel",
    "StateError",
    "StrategyError",
    "UnknownColumnError",
    "UsageError",
    "WindowAggregate",
    "aggregate",
    "arrival_time",
    "asc",
    "compiled",
    "cumulate",
    "desc",
    "emitted_at",
    "explain",
    "group_by",
    "hop",
    "landmark",
    "late",
    "range",
    "range_between",
    "register",
    "rows",
    "rows_between",
    "scope",
    "select",
    "session",
    "sql",
    "temporal",
    "testing",
    "tumble",
    "udaf",
    "unbounded",
    "union",
    "with_columns",
]
if _TYPE_CHECKING:
    __all__ += builtins.__all__
else:
    _CORE = __all__
    del __all__  # it is made when asked for, with the built-ins' names

# Kernels, the operator and what they need of Arrow are half of the import time, and needed only once data are there.
_LATER = {
    "inwindow.language.catalog": ["Catalog"],
    "inwindow.language.esl.aggregate": ["aggregate"],
    "inwindow.language.sql.run": ["sql"],
    "inwindow.runtime.explain": ["explain"],
    "inwindow.runtime.group_by": ["group_by"],
    "inwindow.runtime.late": ["late"],
    "inwindow.runtime.select": ["select"],
    "inwindow.runtime.spark.arrival_time": ["arrival_time"],
    "inwindow.runtime.spark.registered": ["register"],
    "inwindow.runtime.union": ["union"],
    "inwindow.runtime.with_columns": ["with_columns"],
    "inwindow.runtime.call_arguments": ["emitted_at"],
    "inwindow.udaf.compiled.numba_hooks": ["compiled"],
}


def __getattr__(name: str) -> _Any:
    """The public names that are loaded when they are first asked for (PEP 562)."""
    if name in ("temporal", "testing"):
        return _import_module(f"inwindow.{name}")
    module = next((module for module, names in _LATER.items() if name in names), None)
    if module is None and (name == "__all__" or not name.startswith("_")):
        built_ins = _import_module("inwindow.udaf.builtins")
        if name == "__all__":
            return sorted([*_CORE, *built_ins.__all__])
        module = built_ins.__name__ if name in built_ins.__all__ else None
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(module), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
