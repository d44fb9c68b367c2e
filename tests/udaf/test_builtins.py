"""Built-ins: kernel = plain class with hooks = what DuckDB and pandas say, over every frame, type and batch cut."""

import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from samples.against_definition import close, cut, equal, expected_column, expected_groups, largest, sorted_for
from samples.plain_builtins import TABLE
from samples.streams import CUTS, ORDERS, tables, windows

import inwindow as iw
from inwindow.optimizer.planning import plan_windows
from inwindow.optimizer.rules import RULES
from inwindow.udaf.doubles import doubles

FRAMES = ("rows", "trailing rows", "range", "trailing range", "groups", "trailing groups", "landmark")
GENTLE = st.one_of(st.integers(-50, 50).map(lambda i: i / 4), st.none())  # sums of these are exact
SQL = {  # not regr_slope: that of one tuple is NaN there
    "count": "count(v)", "sum": "sum(v)", "avg": "avg(v)", "sum_distinct": "sum(DISTINCT v)",
    "avg_distinct": "avg(DISTINCT v)", "try_avg": "avg(v)",
    "sum_distinct of integers": "sum(DISTINCT v)", "product": "product(v)", "min": "min(v)", "max": "max(v)",
    "min of texts": "min(v)", "var_pop": "var_pop(v)", "var_samp": "var_samp(v)", "stddev_pop": "stddev_pop(v)",
    "stddev_samp": "stddev_samp(v)", "covar_pop": "covar_pop(v, w)", "covar_samp": "covar_samp(v, w)",
    **{f"regr_{name}": f"regr_{name}(v, w)" for name in ("count", "avgx", "avgy", "sxx", "syy", "sxy", "intercept", "r2")},
    "kurtosis": "kurtosis_pop(v)", "median": "median(v)", "percentile": "quantile_cont(v, 0.3)",
    "percentiles": "quantile_cont(v, [0.0, 0.9])", "percentile_approx": "quantile_disc(v, 0.7)",
    "first": "first_value(v)", "last": "last_value(v)", "nth_value": "nth_value(v, 2)",
    "first ignoring nulls": "first_value(v IGNORE NULLS)", "nth_value ignoring nulls": "nth_value(v, 2 IGNORE NULLS)",
    "count_distinct": "count(DISTINCT v)", "bool_and": "bool_and(v)", "bool_or": "bool_or(v)", "bit_and": "bit_and(v)",
    "bit_or": "bit_or(v)", "bit_xor": "bit_xor(v)", "string_agg": "string_agg(v, '-')",
}  # fmt: skip
OF_PEERS = ("first", "last", "nth", "string_agg")  # which of several peers comes first is not for SQL to say


@pytest.mark.parametrize("name", TABLE)
@given(data=st.data())
def test_kernel_and_plain_class_agree(name: str, data: st.DataObject) -> None:
    row = TABLE[name]
    order = data.draw(st.sampled_from(list(ORDERS)))
    table = data.draw(tables(order, values=row.values, kind=row.kind, second=len(row.columns) > 1))
    window = data.draw(windows(order, FRAMES))
    prototype = row.plain()
    applied, reference = row.ours(*row.columns).over(window), prototype(*row.columns).over(window)
    if data.draw(st.booleans()):
        applied, reference = applied.filter("ok"), reference.filter("ok")
    table = sorted_for(table, window)
    expected = expected_column(table, reference, prototype)
    scale = largest(table, row.columns)
    case = plan_windows(table.schema, {"x": applied})[0].steps[0].case
    for strategy in [rule.name for rule in RULES if rule.applies(case)]:
        forced = applied.over(window, strategy=strategy)
        ours = iw.with_columns(cut(table, data.draw(CUTS)), x=forced).read_all().column("x").to_pylist()
        note(f"{strategy}: {ours} should be {expected}")
        assert all(close(name, a, b, scale) for a, b in zip(ours, expected, strict=True))


@pytest.mark.parametrize("name", SQL)
@given(data=st.data())
def test_duckdb_agrees(name: str, data: st.DataObject) -> None:
    row = TABLE[name]
    order = data.draw(st.sampled_from(["int32", "decimal", "timestamp"]))
    values = GENTLE if row.kind == pa.float64() else row.values
    table = data.draw(tables(order, values=values, kind=row.kind, second=len(row.columns) > 1))
    low, high = sorted([data.draw(st.integers(-4, 3)), data.draw(st.integers(-4, 3))])
    low, high = data.draw(st.sampled_from([(low, high), (None, high), (low, None), (None, None)]))
    frame = data.draw(st.sampled_from(["ROWS", "RANGE"])) if order == "int32" else "ROWS"
    between = iw.rows_between if frame == "ROWS" else iw.range_between
    window = between(low, high, partition_by="k", order_by=["t", "id"] if frame == "ROWS" else "t")
    if frame == "RANGE" and name.startswith(OF_PEERS):
        return
    stream = table  # the name by which DuckDB finds it
    assert stream is table
    theirs = duckdb.sql(
        f"SELECT {SQL[name]} OVER (PARTITION BY k ORDER BY t NULLS FIRST {', id' if frame == 'ROWS' else ''} {frame} "
        f"BETWEEN {bound(low, 'PRECEDING')} AND {bound(high, 'FOLLOWING')}) AS x FROM stream ORDER BY id"
    ).fetchall()
    ours = iw.with_columns(table, x=row.ours(*row.columns).over(window)).column("x").to_pylist()
    assert all(close(name, a, b, 50) for a, (b,) in zip(ours, theirs, strict=True)), (ours, theirs)


def bound(offset: int | None, side: str) -> str:
    """An offset as SQL."""
    if offset is None:
        return f"UNBOUNDED {side}"
    return "CURRENT ROW" if offset == 0 else f"{abs(offset)} {'PRECEDING' if offset < 0 else 'FOLLOWING'}"


PANDAS = {
    "sum": "sum", "avg": "mean", "min": "min", "max": "max", "var_samp": "var", "stddev_samp": "std", "median": "median"
}  # fmt: skip


@pytest.mark.parametrize("name", PANDAS)
@given(data=st.data())
def test_pandas_agrees(name: str, data: st.DataObject) -> None:
    built_in = TABLE[name].ours
    seconds = data.draw(st.lists(st.integers(0, 40), min_size=1, max_size=30).map(sorted))
    values = [data.draw(st.integers(-50, 50)) / 4 for _ in seconds]
    moments = [datetime(2026, 1, 1) + timedelta(seconds=s) for s in seconds]
    table = pa.table({"t": pa.array(moments, pa.timestamp("us")), "v": values})
    series = pd.Series(values, index=pd.DatetimeIndex(moments))
    size = data.draw(st.integers(1, 12))
    by_rows = getattr(series.rolling(size, min_periods=1), PANDAS[name])()
    ours = iw.with_columns(table, x=built_in("v").over(iw.rows(size))).column("x").to_pylist()
    assert all(close(name, a, None if b != b else b, 50) for a, b in zip(ours, by_rows.tolist(), strict=True))
    # pandas has no peers: its time windows end at the row, so compare at the last of each time.
    by_time = getattr(series.rolling(f"{size}s", closed="both", min_periods=1), PANDAS[name])().groupby(level=0).last()
    ranged = iw.with_columns(table, x=built_in("v").over(iw.range(timedelta(seconds=size), order_by="t")))
    last = dict(zip(moments, ranged.column("x").to_pylist(), strict=True))
    assert all(close(name, last[t.to_pydatetime()], None if b != b else b, 50) for t, b in by_time.items())


@pytest.mark.parametrize("name", TABLE)
@given(data=st.data())
def test_extents_and_plain_class_agree(name: str, data: st.DataObject) -> None:
    row = TABLE[name]
    values = GENTLE if row.kind == pa.float64() else row.values
    table = data.draw(tables("int32", values=values, kind=row.kind, second=len(row.columns) > 1))
    extent = data.draw(
        st.sampled_from(
            [
                iw.tumble("t", size=4),
                iw.hop("t", size=6, every=4),
                iw.session("t", gap=2),
                iw.cumulate("t", size=6, every=2),
            ]
        )
    )
    prototype = row.plain()
    table = sorted_for(table, iw.unbounded(partition_by="k", order_by="t"))
    ours = iw.group_by(cut(table, data.draw(CUTS)), "k").window(extent).agg(x=row.ours(*row.columns))
    ours = ours.read_all().to_pylist()
    expected = expected_groups(table, ("k",), extent, prototype(*row.columns), prototype)
    assert len(ours) == len(expected)
    for given_, (k, start, end, x) in zip(ours, expected, strict=True):
        assert (given_["k"], given_["window"]["start"], given_["window"]["end"]) == (k, start, end)
        assert close(name, given_["x"], x, 50), (given_, x)


# Types: what each built-in returns on each, as Spark does

MOMENTS = [datetime(1950, 1, 1), None, datetime(2026, 5, 5, 1, 2, 3)]
TYPES: list[tuple[Any, pa.Array, Any, Any]] = [
    (iw.sum, pa.array([1, None, 3], pa.int8()), pa.int64(), [1, 1, 4]),
    (iw.sum, pa.array([1.5, None, 3], pa.float32()), pa.float64(), [1.5, 1.5, 4.5]),
    (
        iw.sum,
        pa.array([Decimal("1.10"), None, Decimal("2.05")]),
        pa.decimal128(13, 2),
        [Decimal("1.10"), Decimal("1.10"), Decimal("3.15")],
    ),
    (iw.avg, pa.array([1, None, 2], pa.int32()), pa.float64(), [1.0, 1.0, 1.5]),
    (
        iw.avg,
        pa.array([Decimal("1.10"), None, Decimal("2.05")]),
        pa.decimal128(7, 6),
        [Decimal("1.100000"), Decimal("1.100000"), Decimal("1.575000")],
    ),
    (iw.min, pa.array(["b", None, "a"]), pa.string(), ["b", "b", "a"]),
    (iw.max, pa.array([b"b", None, b"a"]), pa.binary(), [b"b", b"b", b"b"]),
    (iw.max, pa.array([False, None, True]), pa.bool_(), [False, False, True]),
    (
        iw.min,
        pa.array([date(1960, 1, 2), None, date(1950, 1, 1)]),
        pa.date32(),
        [date(1960, 1, 2), date(1960, 1, 2), date(1950, 1, 1)],
    ),
    (iw.max, pa.array(MOMENTS, pa.timestamp("us")), pa.timestamp("us"), [MOMENTS[0], MOMENTS[0], MOMENTS[2]]),
    (iw.min, pa.array([1, None, 0], pa.int8()), pa.int8(), [1, 1, 0]),
    (iw.min, pa.array([1.5, None, 0.5], pa.float32()), pa.float32(), [1.5, 1.5, 0.5]),
    (
        iw.min,
        pa.array([Decimal("1.10"), None, Decimal("1.05")]),
        pa.decimal128(3, 2),
        [Decimal("1.10"), Decimal("1.10"), Decimal("1.05")],
    ),
    (iw.median, pa.array([1, None, 4], pa.int64()), pa.float64(), [1.0, 1.0, 2.5]),
    (iw.stddev_pop, pa.array([Decimal(1), None, Decimal(3)]), pa.float64(), [0.0, 0.0, 1.0]),
    (iw.first, pa.array([["x"], None, []], pa.list_(pa.string())), pa.list_(pa.string()), [["x"], ["x"], ["x"]]),
    (iw.last, pa.array([{"a": 1}, None, {"a": 2}]), pa.struct([("a", pa.int64())]), [{"a": 1}, None, {"a": 2}]),
    (iw.collect_list, pa.array(["b", None, "a"]), pa.list_(pa.string()), [["b"], ["b"], ["b", "a"]]),
    (iw.count_distinct, pa.array(["b", None, "b"]), pa.int64(), [1, 1, 1]),
    (iw.count_distinct, pa.array([Decimal("1.0"), Decimal("1.00"), None]), pa.int64(), [1, 1, 1]),
    (
        iw.sum,
        pa.array([timedelta(1), None, timedelta(2)], pa.duration("us")),
        pa.duration("us"),
        [timedelta(1), timedelta(1), timedelta(3)],
    ),
]


@pytest.mark.parametrize(("built_in", "values", "kind", "expected"), TYPES, ids=lambda x: getattr(x, "__name__", None))
def test_types(built_in: Any, values: pa.Array, kind: pa.DataType, expected: list[Any]) -> None:
    result = iw.with_columns(pa.table({"v": values}), x=built_in("v").over(iw.unbounded())).column("x")
    assert result.type.equals(kind) or (pa.types.is_list(kind) and result.type.value_type == kind.value_type)
    assert result.to_pylist() == expected


def test_count_of_tuples_and_of_combinations() -> None:
    table = pa.table({"a": [1, None, 2], "b": ["x", "y", None]})
    window = iw.unbounded()
    counts = {
        "all": iw.count(),
        "star": iw.count("*"),
        "both": iw.count("a", "b"),
        "pairs": iw.count_distinct("a", "b"),
    }
    result = iw.with_columns(table, **{name: applied.over(window) for name, applied in counts.items()})
    assert result.select(list(counts)).to_pydict() == {
        "all": [1, 2, 3],
        "star": [1, 2, 3],
        "both": [1, 1, 1],
        "pairs": [1, 1, 1],
    }


def test_integer_sums_overflow_as_sparks_do() -> None:
    table = pa.table({"v": [2**63 - 1, 1, -1]})
    with pytest.raises(iw.ArithmeticOverflowError, match=r"sum\(v\): the result of a frame does not fit int64"):
        iw.with_columns(table, x=iw.sum("v").over(iw.unbounded()))
    assert iw.with_columns(table, x=iw.sum("v").over(iw.rows(1)))["x"].to_pylist() == [2**63 - 1, 1, -1]
    assert iw.with_columns(table, x=iw.avg("v").over(iw.rows(2)))["x"].to_pylist() == [2.0**63, 2.0**62, 0.0]


ON_DOUBLES = {
    "median": iw.median, "percentile": lambda c: iw.percentile(c, 0.3), "percentiles": lambda c: iw.percentile(c, [0.0, 0.9]),
    "product": iw.product, "var_pop": iw.var_pop, "var_samp": iw.var_samp, "stddev": iw.stddev, "stddev_pop": iw.stddev_pop,
    "skewness": iw.skewness, "kurtosis": iw.kurtosis, "covar_pop": lambda c: iw.covar_pop(c, "w"),
    "covar_samp": lambda c: iw.covar_samp("w", c), "corr": lambda c: iw.corr("w", c),
    "decayed_avg": lambda c: iw.decayed_avg(c, decay=0.5),
}  # fmt: skip
EDGES = st.sampled_from([3, 1 << 53, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 10**38 - 1])


@given(
    st.lists(
        st.none() | st.integers(-9999, 9999) | EDGES | st.integers(1 - 10**38, 10**38 - 1), min_size=1, max_size=9
    ),
    st.sampled_from([(38, 0), (38, 2), (38, 22), (38, 23), (38, 38), (18, 2), (18, 18), (5, 2), (9, -3)]),
)
def test_a_decimal_is_the_double_nearest_to_it(units: list[int | None], kind: tuple[int, int]) -> None:
    """Whatever is computed in doubles: as from a column of doubles. (0.03 is 0.03, not 0.030000000000000002.)"""
    precision, scale = kind
    values = [None if unit is None else Decimal(f"{unit % 10**precision}E{-scale}") for unit in units]
    nearest = [None if value is None else float(value) for value in values]
    made = pa.array(values, pa.decimal128(precision, scale))
    assert doubles(made).to_pylist() == doubles(pa.concat_arrays([made[:1], made])[1:]).to_pylist() == nearest
    of_decimals, of_doubles = (
        pa.table({"t": range(len(units)), "v": column, "w": pa.array(range(len(units)), pa.float64())})
        for column in (made, pa.array(nearest, pa.float64()))
    )
    for name, built in ON_DOUBLES.items():
        windows_ = (iw.rows(3, order_by="t"), iw.rows(4, order_by="t", slide=2), iw.unbounded(order_by="t"))
        asked = {f"x{i}": built("v").over(window) for i, window in enumerate(windows_)}
        ours, expected = (iw.with_columns(t, **asked).select(list(asked)) for t in (of_decimals, of_doubles))
        assert all(equal(a, b) for a, b in zip(ours.to_pylist(), expected.to_pylist(), strict=True)), name
        ours, expected = (
            iw.group_by(t).window(iw.hop("t", size=4, every=2)).agg(x=built("v")) for t in (of_decimals, of_doubles)
        )
        assert all(equal(a, b) for a, b in zip(ours["x"].to_pylist(), expected["x"].to_pylist(), strict=True)), name


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_zeros_of_both_signs_are_one_value(kind: pa.DataType) -> None:
    """In floats of every width; and so are all NaNs."""
    numbers = np.array([-0.0, 0.0, math.nan, 0.0, -math.nan, -0.0, 1.0], kind.to_pandas_dtype())
    table = pa.table({"t": range(7), "v": pa.array(numbers)})
    assert table["v"].type == kind
    for window in (iw.rows(7, order_by="t"), iw.rows(4, order_by="t", slide=7), iw.rows(4, order_by="t")):
        sets = iw.with_columns(table, s=iw.collect_set("v").over(window))["s"].to_pylist()
        assert sorted(map(str, sets[-1])) == ["0.0", "1.0", "nan"]
    made = iw.group_by(table).agg(s=iw.collect_set("v"), n=iw.count_distinct("v"), m=iw.mode("v")).to_pylist()[0]
    assert (list(map(str, made["s"])), made["n"], str(made["m"])) == (["0.0", "nan", "1.0"], 3, "0.0")
    panes = iw.group_by(table).window(iw.hop("t", size=4, every=2)).agg(s=iw.collect_set("v"))["s"].to_pylist()
    assert [list(map(str, one)) for one in panes] == [
        ["0.0"], ["0.0", "nan"], ["nan", "0.0"], ["nan", "0.0", "1.0"], ["1.0"],
    ]  # fmt: skip


def test_a_sum_does_not_drift() -> None:
    # 1e16 beside 1 loses the 1 in plain doubles; here it comes back when 1e16 leaves.
    values = [1e16, 1.0, -1e16, 1.0, float("nan"), 1.0, float("inf"), 2.0, 3.0] * 50
    table = pa.table({"v": values})
    ours = iw.with_columns(table, x=iw.sum("v").over(iw.rows(2)))["x"].to_pylist()
    for at in range(1, len(values)):
        expected = values[at - 1] + values[at]
        assert equal(ours[at], expected, 0), at
