"""Hot keys: a partition cut by order into ranges, each with its halo, gives what the whole partition gives."""

import math
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from against_definition import equal
from hypothesis import assume, given, note
from hypothesis import strategies as st
from ids import Ids, IdsAll, IdsExpire, IdsInWindow, IdsMerge, IdsNaive, IdsPunt
from in_ranges import halo_of, run, with_halos
from streams import CUTS, ORDERS, tables, windows

import inwindow as iw
from inwindow.optimizer.hot_keys import can_be_cut, cut, in_ranges
from inwindow.optimizer.plan import Pass, plan_windows
from inwindow.optimizer.strategy import No
from inwindow.runtime.reserved import HALO
from inwindow.runtime.rows import Select, WithColumns
from inwindow.runtime.sorting import permutation
from inwindow.udaf.errors import DataError
from inwindow.windows.ranges import Ranges, Reach, Sampled, ranges_of
from inwindow.windows.spec import Order

HOOKS = [Ids, IdsMerge, IdsExpire, IdsAll, IdsPunt, IdsInWindow, IdsNaive]
BUILT_INS = [iw.sum, iw.max, iw.min, iw.count, iw.first, iw.last, iw.median, iw.count_distinct, iw.stddev, iw.collect_list]
KINDS = ("rows", "trailing rows", "range", "trailing range")


def cut_of(data: Any, table: pa.Table, work: Pass) -> dict[Any, Ranges]:
    """Ranges of some keys, by a sample that is drawn."""
    its = work.order_by[0]
    keys = sorted(set(table.column("k").to_pylist()), key=str) if work.partition_by else [None]
    made = {}
    for key in keys:
        mask = [not work.partition_by or other == key for other in table.column("k").to_pylist()]
        values = table.filter(pa.array(mask, pa.bool_())).column(its.column).combine_chunks()
        chosen = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
        sample = Sampled(values.filter(pa.array(chosen, pa.bool_())), its)
        windows = [step.case.window for step in work.steps]
        slots = {(window.slide, window.origin) for window in windows if window.slide is not None}
        slot = next(iter(slots), None)
        ranges = ranges_of(sample, data.draw(st.integers(2, 5)), Reach.of(windows), work.key, slot)
        if ranges is not None:
            made[key] = ranges
    return made


def same_in_ranges(data: Any, table: pa.Table, applied: dict[str, iw.Applied]) -> None:
    """``with_columns`` and ``select`` over ranges are those over the whole partitions, row by row."""
    (work,) = plan_windows(table.schema, applied)
    assume(can_be_cut(work))
    made = cut_of(data, table, work)
    assume(made)
    note(str(made))
    order = permutation(table, work)
    whole = table if order is None else table.take(pa.array(order))
    halo = halo_of(list(made.values()))
    pieces, size = with_halos(table, work, made), data.draw(CUTS)
    expected = run(WithColumns(work, whole.schema, ("id",)), whole, size)
    found = run(WithColumns(in_ranges(work, halo), pieces.schema, ("id", HALO)), pieces, size)
    found = found.filter(pa.array([mark == 0 for mark in found[HALO].to_pylist()], pa.bool_())).drop([HALO])
    assert_same(found, expected, table)
    if len({str(step.case.window.slide) for step in work.steps}) == 1:
        expected = run(Select(work, whole.schema, ("id",), None), whole, size)
        found = run(Select(in_ranges(work, halo), pieces.schema, ("id",), None), pieces, size)
        assert_same(found, expected, table)


def assert_same(found: pa.Table, expected: pa.Table, table: pa.Table) -> None:
    rows, others = (sorted(t.to_pylist(), key=lambda row: row["id"]) for t in (found, expected))
    note(f"{rows}\n{others}")
    assert [row["id"] for row in rows] == [row["id"] for row in others]
    scale = sum(abs(v) for v in table["v"].to_pylist() if v is not None and math.isfinite(v))
    for row, other in zip(rows, others, strict=True):
        for name in row:
            assert equal(row[name], other[name], scale, 8), (name, row, other)


@pytest.mark.parametrize("order", ORDERS)
@given(st.data())
def test_hooks_in_ranges(order: str, data: Any) -> None:
    table = data.draw(tables(order))
    window = data.draw(windows(order, KINDS))
    one = data.draw(st.sampled_from(HOOKS))()("id").over(window)
    if data.draw(st.booleans()):
        one = one.filter("ok")
    same_in_ranges(data, table, {"x": one})


@given(st.data())
def test_several_windows_in_ranges(data: Any) -> None:
    order = data.draw(st.sampled_from(["int64", "double", "timestamp", "date"]))
    table = data.draw(tables(order, values=st.integers(-40, 40).map(float)))
    applied, ordering = {}, None
    for number in range(data.draw(st.integers(1, 3))):
        window = data.draw(windows(order, KINDS, slides=False))
        ordering = ordering or {"partition_by": window.partition_by, "order_by": window.order_by}
        one = data.draw(st.sampled_from(BUILT_INS))("v").over(iw.rows(1))
        applied[f"x{number}"] = replace(one, window=replace(window, **ordering))
    same_in_ranges(data, table, applied)
