"""Calls in several threads: nothing that belongs to the process is changed by a call, not even while it runs."""

import decimal
import gc
import locale
import logging
import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from samples.aggregates import Total

import inwindow as iw

TABLE = pa.table({"k": [1, 1, 2, 1, 2], "t": [1, 2, 3, 4, 9], "v": [1.0, 2.0, 3.0, 4.0, 5.0]})
WINDOW = iw.rows(2, partition_by="k", order_by="t")
GROWING = iw.unbounded(partition_by="k", order_by="t")


def of_the_process() -> dict[str, Any]:
    """What all threads share."""
    loggers = {name: one for name, one in logging.Logger.manager.loggerDict.items() if isinstance(one, logging.Logger)}
    return {
        "gc": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()),
        "environment": hash(frozenset(os.environ.items())),
        "folder": os.getcwd(),
        "path": list(sys.path),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval()),
        "numbers": (str(decimal.getcontext()), np.geterr(), locale.setlocale(locale.LC_ALL)),
        "warnings": list(warnings.filters),
        "loggers": {n: (one.disabled, one.level, one.propagate, list(one.filters)) for n, one in loggers.items()},
    }


class Looks(iw.WindowAggregate):
    """What a hook sees of the process while the call runs."""

    def initialize(self, value: float) -> None:
        self.total, self.seen = value, of_the_process()

    def iterate(self, value: float) -> None:
        self.total += value
        assert of_the_process() == self.seen

    def expire(self, value: float) -> None:
        self.total -= value

    def terminate(self) -> str:
        return repr(of_the_process())


CALLS = {
    "with_columns": lambda: iw.with_columns(TABLE, a=Looks()("v").over(WINDOW)),
    "select": lambda: iw.select(TABLE, a=Looks()("v").over(iw.rows(4, slide=2))),
    "of": lambda: iw.with_columns(TABLE, of=TABLE, a=Looks()("v").over(WINDOW)),
    "groups": lambda: iw.group_by(TABLE, "k").agg(a=Looks()("v")),
    "extents": lambda: iw.group_by(TABLE, "k").window(iw.hop("t", size=4, every=2)).agg(a=Looks()("v")),
    "a stream": lambda: replayed(lambda df: iw.with_columns(df, a=Looks()("v").over(WINDOW))),
    "a growing stream": lambda: replayed(lambda df: iw.with_columns(df, a=Looks()("v").over(GROWING))),
}


def replayed(query: Any) -> Any:
    return iw.testing.replay([TABLE, pa.table({"k": [1], "t": [20], "v": [1.0]})], query, delay=1).table


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_changed_by_a_call(name: str) -> None:
    CALLS[name]()  # what is imported only then
    before = of_the_process()
    seen = CALLS[name]()["a"].to_pylist()
    assert {text for text in seen if text is not None} == {repr(before)}
    assert of_the_process() == before


def test_a_sentinel_of_several_threads_counts_all() -> None:
    sentinel = iw.Sentinel(share=1)
    one = Total()("v").over(iw.rows(2), sentinel=sentinel)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda _: iw.with_columns(TABLE, a=one), range(200)))
    finally:
        sys.setswitchinterval(before)
    assert {tuple(table["a"].to_pylist()) for table in made} == {(1.0, 3.0, 5.0, 7.0, 9.0)}
    assert sentinel.checked == 200 * len(TABLE)
