"""Results of an aggregate by the hooks that are derived for it, and by folding each frame afresh."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa

import inwindow as iw
from inwindow.windows.spec import Window

WINDOWS = [
    iw.rows(2),
    iw.rows(3),
    iw.rows(4, slide=2),
    iw.rows_between(-2, 2),
    iw.rows(6, slide=3),
    iw.rows_between(0, 2),
]


def derived_or_afresh(make: Callable[[], iw.Applied], window: Window, table: pa.Table) -> tuple[list[Any], list[Any]]:
    derived, afresh = (
        iw.with_columns(table, x=make().over(one))["x"].to_pylist()
        for one in (window, replace(window, strategy="recompute"))
    )
    return derived, afresh
