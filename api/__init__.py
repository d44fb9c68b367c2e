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

import typing as _typing
from importlib import import_module as _import_module

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
from inwindow.udaf.guesses import unknown_name as _unknown_name
from inwindow.udaf.sentinel import Sentinel
from inwindow.udaf.spark_aggregator import udaf
from inwindow.windows.columns import asc, desc
from inwindow.windows.extents import cumulate, hop, session, tumble
from inwindow.windows.frames import (
    groups,
    groups_between,
    landmark,
    range,
    range_between,
    rows,
    rows_between,
    scope,
    unbounded,
)
from inwindow.windows.spec import Drawable as _Drawable

if _typing.TYPE_CHECKING:
    from inwindow import temporal, testing
    from inwindow.language.catalog import Catalog
    from inwindow.language.esl.aggregate import aggregate
    from inwindow.language.sql.run import sql
    from inwindow.runtime.accessors import add_accessors
    from inwindow.runtime.call_arguments import emitted_at
    from inwindow.runtime.explain import explain
    from inwindow.runtime.failed import failed
    from inwindow.runtime.group_by import group_by
    from inwindow.runtime.late import late
    from inwindow.runtime.metrics import metrics
    from inwindow.runtime.outputs import outputs
    from inwindow.runtime.progress import show_progress
    from inwindow.runtime.prometheus import prometheus
    from inwindow.runtime.save import saved
    from inwindow.runtime.select import select
    from inwindow.runtime.spark.arrival_time import arrival_time
    from inwindow.runtime.spark.registered import register
    from inwindow.runtime.stream_start import continued, state_of
    from inwindow.runtime.stream_state import stream_state
    from inwindow.runtime.union import union
    from inwindow.runtime.with_columns import with_columns
    from inwindow.runtime.with_watermark import with_watermark
    from inwindow.udaf.builtins import *
    from inwindow.udaf.compiled.numba_hooks import compiled

_Drawable.drawer = lambda *drawn: _import_module("inwindow.windows.drawing").draw(*drawn)

__version__ = "0.1.0"

__all__ = [
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
    "PUNT",
    "ResultTypeError",
    "ScratchError",
    "Sentinel",
    "StateError",
    "StrategyError",
    "UnknownColumnError",
    "UsageError",
    "WindowAggregate",
    "add_accessors",
    "aggregate",
    "any_value",
    "approx_count_distinct",
    "approx_percentile",
    "approx_top_k",
    "array_agg",
    "arrival_time",
    "asc",
    "avg",
    "avg_distinct",
    "bit_and",
    "bit_or",
    "bit_xor",
    "bool_and",
    "bool_or",
    "collect_list",
    "collect_set",
    "compiled",
    "continued",
    "corr",
    "count",
    "count_distinct",
    "count_if",
    "covar_pop",
    "covar_samp",
    "cume_dist",
    "cumulate",
    "decayed_avg",
    "dense_rank",
    "desc",
    "emitted_at",
    "every",
    "ewm_avg",
    "explain",
    "failed",
    "first",
    "first_value",
    "frequent_items",
    "group_by",
    "groups",
    "groups_between",
    "hll_count_distinct",
    "hll_sketch_agg",
    "hll_union_agg",
    "hop",
    "kll_merge_agg_bigint",
    "kll_merge_agg_double",
    "kll_merge_agg_float",
    "kll_percentile",
    "kll_sketch_agg_bigint",
    "kll_sketch_agg_double",
    "kll_sketch_agg_float",
    "kurtosis",
    "lag",
    "landmark",
    "last",
    "last_value",
    "late",
    "lead",
    "listagg",
    "listagg_distinct",
    "max",
    "max_by",
    "mean",
    "median",
    "metrics",
    "min",
    "min_by",
    "mode",
    "nth_value",
    "ntile",
    "ones_in_window",
    "outputs",
    "percent_rank",
    "percentile",
    "percentile_approx",
    "priority_sample",
    "product",
    "prometheus",
    "range",
    "range_between",
    "rank",
    "register",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "regr_sxx",
    "regr_sxy",
    "regr_syy",
    "row_number",
    "rows",
    "rows_between",
    "saved",
    "scope",
    "select",
    "session",
    "show_progress",
    "skewness",
    "some",
    "sql",
    "state_of",
    "std",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "stream_state",
    "string_agg",
    "string_agg_distinct",
    "sum",
    "sum_distinct",
    "temporal",
    "testing",
    "theta_intersection_agg",
    "theta_sketch_agg",
    "theta_union_agg",
    "try_avg",
    "try_sum",
    "tumble",
    "udaf",
    "unbounded",
    "union",
    "var_pop",
    "var_samp",
    "variance",
    "with_columns",
    "with_watermark",
]

# The function iw.udaf hides the package of the same name. Python looks there by this name in `import inwindow.udaf.builtins as b`.
udaf.__name__ = "inwindow.udaf"

# Kernels, the operator and what they need of Arrow are half of the import time, and needed only once data are there.
_LATER = {
    "inwindow.language.catalog": ["Catalog"],
    "inwindow.language.esl.aggregate": ["aggregate"],
    "inwindow.language.sql.run": ["sql"],
    "inwindow.runtime.accessors": ["add_accessors"],
    "inwindow.runtime.explain": ["explain"],
    "inwindow.runtime.group_by": ["group_by"],
    "inwindow.runtime.failed": ["failed"],
    "inwindow.runtime.late": ["late"],
    "inwindow.runtime.metrics": ["metrics"],
    "inwindow.runtime.outputs": ["outputs"],
    "inwindow.runtime.progress": ["show_progress"],
    "inwindow.runtime.prometheus": ["prometheus"],
    "inwindow.runtime.save": ["saved"],
    "inwindow.runtime.select": ["select"],
    "inwindow.runtime.spark.arrival_time": ["arrival_time"],
    "inwindow.runtime.spark.registered": ["register"],
    "inwindow.runtime.stream_start": ["continued", "state_of"],
    "inwindow.runtime.stream_state": ["stream_state"],
    "inwindow.runtime.union": ["union"],
    "inwindow.runtime.with_columns": ["with_columns"],
    "inwindow.runtime.with_watermark": ["with_watermark"],
    "inwindow.runtime.call_arguments": ["emitted_at"],
    "inwindow.udaf.compiled.numba_hooks": ["compiled"],
}


if not _typing.TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name: it would not see iw.averge

    def __getattr__(name: str) -> _typing.Any:
        """The public names that are loaded when they are first asked for (PEP 562)."""
        if name in ("temporal", "testing"):
            return _import_module(f"inwindow.{name}")
        if name.startswith("_") or name not in __all__:
            raise _unknown_name(name, __all__)
        module = next((module for module, names in _LATER.items() if name in names), "inwindow.udaf.builtins")
        value = globals()[name] = getattr(_import_module(module), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
