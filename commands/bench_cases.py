"""What ``inwindow bench`` measures: an aggregate over the last tuples, and what does the same without inwindow."""

import difflib
import importlib.util
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa

import inwindow as iw
from inwindow.commands.arguments import aggregates
from inwindow.native._fresh import fresh
from inwindow.testing.equality import same
from inwindow.udaf import builtins
from inwindow.udaf.contract import Aggregate
from inwindow.udaf.errors import UsageError

_PATIENCE = 1.0  # seconds for a fold
SPARK_ROWS, KEYS = 100_000, 8
Fold = Callable[[int, int], Any]  # the result over the tuples [start, end)

# What one would take without inwindow: a function of numpy per window, a method of pandas' rolling, a function of Spark.
INSTEAD: dict[str, tuple[Callable[[Any], Any], str | None]] = {
    "avg": (np.mean, "mean"), "mean": (np.mean, "mean"), "sum": (np.sum, "sum"), "count": (len, "count"),
    "min": (np.min, "min"), "max": (np.max, "max"), "median": (np.median, "median"),
    "stddev": (lambda v: np.std(v, ddof=1), "std"), "stddev_samp": (lambda v: np.std(v, ddof=1), "std"),
    "variance": (lambda v: np.var(v, ddof=1), "var"), "var_samp": (lambda v: np.var(v, ddof=1), "var"),
    "var_pop": (np.var, None), "stddev_pop": (np.std, None), "product": (np.prod, None),
    "count_distinct": (lambda v: len(np.unique(v)), None), "first": (lambda v: v[0], None), "last": (lambda v: v[-1], None),
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """An aggregate over the last tuples, and what does the same without inwindow."""

    name: str
    applied: Any
    table: pa.Table
    window: int
    fold: Fold | None
    rolling: str | None
    function: Callable[[Any], Any] | None  # of an array of floats, for a pandas_udf

    def measured(self) -> dict[str, Any]:
        """Nanoseconds per tuple of each, and whether they agree."""
        rows = len(self.table)
        results, ours = _timed(lambda: iw.with_columns(self.table, x=self.applied)["x"], 7)
        found: dict[str, Any] = {"name": self.name, "inwindow_ns": _rounded(ours / rows)}
        found |= {"strategy": self._strategy(), "fold_ns": None, "pandas_ns": None, "same": True}
        if self.fold is not None:
            windows, took, last = _folded(self.fold, rows, self.window)
            found |= {"fold_ns": _rounded(took / windows), "times": _rounded(took / windows / (ours / rows))}
            found["same"] = all(same(results[at].as_py(), value) for at, value in last)
        if self.rolling is not None and (series := _series(self.table)) is not None:
            rolling = series.rolling(self.window, min_periods=1)
            found["pandas_ns"] = _rounded(_timed(getattr(rolling, self.rolling), 7)[1] / rows)
        return found

    def _strategy(self) -> str:
        plan = iw.explain(self.table, x=self.applied).as_data()
        name: str = plan["passes"][0]["results"][0]["strategy"]
        return name


def _of_module(found: list[tuple[str, Any]], values: str | None, rows: int, window: int) -> list[Case]:
    """One case per class. If there are several, classes that need a parameter are left out and named."""
    cases = []
    for name, one in found:
        try:
            cases.append(_own(name, one, values, rows, window))
        except UsageError as error:
            if len(found) == 1:
                raise
            print(f"left out: {error}", file=sys.stderr)
    return cases


def cases_of(target: str, values: str | None, rows: int, window: int) -> list[Case]:
    """The cases of a target: a built-in, or the classes of a module."""
    frame = iw.rows(window)
    if target not in builtins.NAMES and ":" not in target:
        close = difflib.get_close_matches(target, INSTEAD, 1)
        if close and not target.endswith(".py") and importlib.util.find_spec(target.partition(".")[0]) is None:
            raise UsageError(f"bench {target}: no built-in and no module is called so; did you mean {close[0]}?")
    if target not in builtins.NAMES:
        return _of_module(aggregates(target, "bench"), values, rows, window)
    if target not in INSTEAD:
        raise UsageError(f"bench {target}: there is nothing to set beside it here: take one of {', '.join(INSTEAD)}")
    function, rolling = INSTEAD[target]
    table = pa.table({"a": _values("float", rows, 0)})
    array = table["a"].to_numpy()
    applied = getattr(builtins, target)("a").over(frame)
    return [Case(target, applied, table, window, lambda start, end: function(array[start:end]), rolling, function)]


def _own(name: str, given: Any, values: str | None, rows: int, window: int) -> Case:
    """A class, compared with itself started afresh on each window."""
    try:
        one = given() if isinstance(given, type) else given
    except TypeError as error:
        raise UsageError(f"bench {name}: {error}; name an instance, such as top3 = {given.__name__}(...)") from None
    if not isinstance(one, Aggregate) or one._traits is None:
        raise UsageError(f"bench {name}: it is a {type(one).__name__}, not an aggregate class or instance")
    kinds = _kinds(one, values, name)
    table = pa.table({f"a{i}": _values(kind, rows, i) for i, kind in enumerate(kinds)})
    applied = one(*table.column_names).over(iw.rows(window))
    if not one._traits.has_terminate or one._traits.reads_inwindow:
        return Case(name, applied, table, window, None, None, None)  # no function of a window's tuples alone
    first = "initialize" if hasattr(one, "initialize") else "iterate"
    later = "iterate" if hasattr(one, "iterate") else "initialize"
    columns = [column.to_pylist() for column in table.columns]

    def over(tuples: Sequence[tuple[Any, ...]]) -> Any:
        begun: Any = fresh(one)
        getattr(begun, first)(*tuples[0])
        step = getattr(begun, later)
        for values in tuples[1:]:
            step(*values)
        return begun.terminate()

    def fold(begin: int, end: int) -> Any:
        return over(list(zip(*(column[begin:end] for column in columns), strict=True)))

    is_number = kinds == ["float"] and pa.types.is_floating(one._traits.result)
    function = (lambda v: over([(x,) for x in v.tolist()])) if is_number else None
    return Case(name, applied, table, window, fold, None, function)


def _kinds(one: Aggregate, values: str | None, name: str) -> list[str]:
    """The types of the arguments: as given, as annotated, else float."""
    assert one._traits is not None
    arity = one._traits.arity or 1
    if values is not None:
        kinds = [kind.strip() for kind in values.split(",")]
        odd = [kind for kind in kinds if kind not in ("float", "int", "str", "bool")]
        if odd or len(kinds) != arity:
            raise UsageError(
                f"bench {name} --values {values}: the class takes {arity} argument{'s' * (arity > 1)}: give a type for each, "
                "of float, int, str, bool"
            )
        return kinds
    hook = getattr(one, "iterate", None) or one.initialize  # type: ignore[attr-defined]
    annotations = [getattr(kind, "__name__", str(kind)) for kind in getattr(hook, "__annotations__", {}).values()]
    known = [kind if kind in ("float", "int", "str", "bool") else "float" for kind in annotations]
    return (known + ["float"] * arity)[:arity]


def _values(kind: str, rows: int, seed: int) -> pa.Array:
    random = np.random.default_rng(seed)
    if kind == "float":
        return pa.array(random.uniform(1, 100, rows))
    numbers = random.integers(0, 1000, rows)
    if kind == "str":
        return pa.array([f"v{number:03}" for number in range(1000)]).take(pa.array(numbers))
    return pa.array(numbers % 2 == 0) if kind == "bool" else pa.array(numbers)


def _timed(work: Callable[[], Any], runs: int) -> tuple[Any, float]:
    """The result, and the best of a few runs in nanoseconds; a long run is made once."""
    best, spent, result = math.inf, 0.0, None
    for _ in range(runs):
        started = process_time()
        result = work()
        took = process_time() - started
        best, spent = min(best, took), spent + took
        if spent > 2 * _PATIENCE:
            break
    return result, best * 1e9


def _folded(fold: Fold, rows: int, window: int) -> tuple[int, float, list[tuple[int, Any]]]:
    """How many full windows were folded, in which time, and the last results by their tuples."""
    done, started = 0, process_time()
    last: list[tuple[int, Any]] = []
    for end in range(window, rows + 1):
        result = fold(end - window, end)
        done += 1
        if done % 64 == 1 or done < 8:
            last = [*last[-3:], (end - 1, result)]
            if process_time() - started > _PATIENCE:
                break
    return done, (process_time() - started) * 1e9, last


def _series(table: pa.Table) -> Any:
    """A column for pandas, if it is installed."""
    try:
        import pandas as pd
    except ImportError:
        return None
    return pd.Series(table["a"].to_numpy())


def _rounded(number: float) -> float:
    """Three digits.

    >>> _rounded(12.3456), _rounded(45678.9)
    (12.3, 45700.0)
    """
    return float(f"{number:.3g}")
