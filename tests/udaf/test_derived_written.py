"""Hooks that nobody would write, by the thousand: what is derived from them gives what recompute gives, to the type."""

import math
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples.written_hooks import made_of, sources

import inwindow as iw
from inwindow.udaf.derive.version import derive

WINDOWS = [
    iw.rows(2), iw.rows(3), iw.rows(5), iw.range(2, order_by="t"), iw.rows(4, slide=2), iw.rows(6, slide=3), iw.rows_between(-2, 1),
    iw.rows_between(-3, -1), iw.unbounded(),
]  # fmt: skip
EXTENT = iw.hop("t", size=4, every=2)
POOLS: dict[Any, list[Any]] = {
    pa.int64(): [0, 1, 2, -1, 3, 5],
    pa.float64(): [0.0, -0.0, 1.0, 2.0, -1.5, 2.5, 0.25, math.nan, math.inf],
    pa.bool_(): [True, False],
    pa.string(): ["", "a", "b", "1"],
}  # fmt: skip
TYPES = st.sampled_from([pa.int64()] * 3 + [pa.float64()] * 3 + [pa.bool_(), pa.string()])


def results(made: Any, table: pa.Table, strategy: str | None) -> list[Any]:
    """Over each window and extent; the error's kind where there is one."""
    found: list[Any] = []
    for window in (*WINDOWS, EXTENT):
        applied = made()("v", "w")
        try:
            if window is EXTENT:
                whole = made if strategy is None else _without_derived(made)
                found.append(iw.group_by(table).window(window).agg(x=whole()("v", "w"))["x"].to_pylist())
            else:
                found.append(
                    iw.with_columns(table, x=applied.over(replace(window, strategy=strategy)))["x"].to_pylist()
                )
        except (iw.HookError, iw.ResultTypeError) as error:
            found.append(type(error))
    return found


def _without_derived(made: Any) -> Any:
    return type(made.__name__, (made,), {}, derive=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written")


@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_written_at_random(data: st.DataObject, folder: Path) -> None:
    for _ in range(8):
        source = data.draw(sources())
        types = [data.draw(TYPES), data.draw(TYPES)]
        _compare(source, types, data, folder)


def _compare(source: str, types: list[pa.DataType], data: Any, folder: Path) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = made_of(source, folder)
        derivation = derive(made(), types)
    except Exception as error:  # the source's own: a class that cannot be made
        assert "inwindow" not in str(error) or isinstance(error, iw.InWindowError), source
        return
    if derivation.version is None:
        return
    COUNT[tuple(derivation.hooks)] += 1
    rows = data.draw(
        st.lists(
            st.tuples(*(st.sampled_from(POOLS[kind]) for kind in types), st.integers(0, 3)), min_size=3, max_size=12
        )
    )
    moments, now = [], 0
    for *_, gap in rows:
        now += gap
        moments.append(now)
    columns = [pa.array([row[at] for row in rows], kind) for at, kind in enumerate(types)]
    table = pa.table([*columns, pa.array(moments)], ["v", "w", "t"])
    given_, afresh = results(made, table, None), results(made, table, "recompute")
    for window, one, other in zip((*WINDOWS, EXTENT), given_, afresh, strict=True):
        if isinstance(one, list) and isinstance(other, list):
            assert one == other, (source, table.to_pydict(), window, derivation.hooks)
        else:  # an error of the first frame that has one; which frames are folded differs
            assert isinstance(other, type), (source, table.to_pydict(), window, one, derivation.hooks)


COUNT: Counter[tuple[str, ...]] = Counter()
