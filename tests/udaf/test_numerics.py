"""What docs/numerics.md promises, on 200,000 slides over adversarial data (``python -m benchmarks.numerics``: 10 million)."""

import math
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from samples.against_definition import cut
from samples.plain_builtins import exact_variance

import inwindow as iw
from benchmarks.adversarial import HARD, pair, period, sprinkled
from benchmarks.exact import EXACT, Frame, error
from inwindow.optimizer.planning import plan_windows
from inwindow.optimizer.rules import RULES

SLIDES = 200_000
WINDOWS = {10: 40, 1_000: 20, 20_000: 4}  # frames that are compared
BOUNDS = {
    "sum": 1e-12, "avg": 1e-12, "var_samp": 1e-9, "skewness": 1e-12, "kurtosis": 1e-12, "covar_samp": 1e-12,
    "corr": 1e-12, "product": 1e-15, "decayed_avg": 1e-14,
}  # fmt: skip
PAIRS = ("covar_samp", "corr", "covar_pop")
SPECIAL = (math.inf, -math.inf, -math.inf, math.inf, math.nan)


def applied(name: str) -> iw.Applied:
    """On its columns."""
    return getattr(iw, name)(*(("v", "w") if name in PAIRS else ("v",)))


@cache
def hard(title: str, n: int = SLIDES) -> pa.Table:
    """Two columns."""
    return pa.table(dict(zip("vw", pair(HARD[title], n), strict=True)))


def columns(table: pa.Table) -> tuple[Any, Any]:
    """Of numpy."""
    return table["v"].to_numpy(), table["w"].to_numpy()


@pytest.mark.parametrize("title", HARD)
def test_errors_stay_within_the_bounds(title: str) -> None:
    table = hard(title)
    v, w = columns(table)
    draw = np.random.default_rng(1)
    for window, frames in WINDOWS.items():
        wanted = {name: applied(name).over(iw.rows(window)) for name in EXACT}
        got = iw.with_columns(table, **wanted)
        # Half of the frames are those that a burst of huge values leaves or has just left.
        after = draw.integers(1, SLIDES // period(SLIDES), frames // 2) * period(SLIDES) + draw.integers(
            0, 200, frames // 2
        )
        places = [*(after + window), *draw.integers(window, SLIDES, frames // 2)]
        for end in map(int, places):
            frame = Frame(v[end - window : end], w[end - window : end])
            for name, exact in EXACT.items():
                off = error(got[name][end - 1].as_py(), exact(frame))
                assert off <= BOUNDS[name], (name, window, end, off)


def test_the_exact_results_are_those_of_the_definition() -> None:
    values = [1e16, 0.1, -3.0, 5e-324, 1e-10]
    exact = exact_variance(values, 1)
    assert EXACT["var_samp"](Frame(np.array(values))).value == exact
    frame = Frame(np.array([1.0, 2.0, 4.0, 8.0]), np.array([1.0, 3.0, 2.0, 4.0]))
    got = {name: float(of(frame).value) for name, of in EXACT.items()}
    assert (got["sum"], got["avg"]) == (15.0, 3.75)
    assert got["product"] == 64.0
    assert got["decayed_avg"] == pytest.approx((8 + 0.9 * 4 + 0.81 * 2 + 0.729) / (1 + 0.9 + 0.81 + 0.729))
    assert got["skewness"] == pytest.approx(0.6568077345)
    assert got["kurtosis"] == pytest.approx(-1.0989792060)
    assert got["covar_samp"] == pytest.approx(19 / 6)
    assert got["corr"] == pytest.approx(0.7923547734)


@pytest.mark.parametrize("title", HARD)
def test_no_variance_is_negative_and_no_correlation_beyond_1(title: str) -> None:
    for window in WINDOWS:
        over = iw.rows(window)
        names = ("var_pop", "stddev_samp", "corr")
        got = iw.with_columns(hard(title), **{name: applied(name).over(over) for name in names})
        assert np.nanmin(got["var_pop"].to_numpy()) >= 0
        assert np.nanmin(got["stddev_samp"].to_numpy()) >= 0
        assert np.nanmax(np.abs(got["corr"].to_numpy())) <= 1


@pytest.mark.parametrize("window", [3, 1_000])
@pytest.mark.parametrize("name", [*EXACT, "var_pop", "stddev_pop", "stddev_samp", "covar_pop"])
def test_nan_and_infinities_matter_exactly_while_they_are_in_the_frame(name: str, window: int) -> None:
    v = sprinkled(SPECIAL, SLIDES, np.random.default_rng(7))
    table = pa.table({"v": v, "w": np.random.default_rng(8).random(SLIDES)})
    got = iw.with_columns(table, x=applied(name).over(iw.rows(window)))["x"].to_numpy()[window:]
    nan, up, down = (held(here, window) for here in (np.isnan(v), v == math.inf, v == -math.inf))
    if name in ("sum", "avg", "decayed_avg"):
        expected = np.where(nan | up & down, math.nan, np.where(up, math.inf, np.where(down, -math.inf, 0.0)))
    elif name == "product":
        expected = np.where(nan, math.nan, np.where(up | down, math.inf, 0.0))
        got = np.abs(got)
    else:
        expected = np.where(nan | up | down, math.nan, 0.0)
    np.testing.assert_array_equal(np.where(np.isfinite(got), 0.0, got), expected)


def held(here: Any, window: int) -> Any:
    """Whether there is one in the frame, for each full frame but the first."""
    count = np.cumsum(here)
    return count[window:] - count[:-window] > 0


ALIKE = [*EXACT, "var_pop", "stddev_samp", "covar_pop"]
FRAMES = {
    "slide 1": iw.rows(60), "panes of 20": iw.rows(60, slide=20), "panes of 10 and 15": iw.rows(60, slide=25),
    "tumble": iw.rows(30, slide=40), "unbounded": iw.unbounded(),
}  # fmt: skip


@pytest.mark.parametrize("window", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("title", HARD)
def test_strategies_and_cuts_agree(title: str, window: Any) -> None:
    table = hard(title, 5_000)
    scale = scales(table, window)
    first: dict[str, Any] = {}
    for strategy in strategies(table, window):
        for size in (5_000, 101):
            forced = {name: applied(name).over(window, strategy=strategy) for name in ALIKE}
            got = iw.select(cut(table, size), **forced).read_all()
            for name in ALIKE:
                x = got[name].to_numpy(zero_copy_only=False)
                same = first.setdefault(name, x)
                finite = np.isfinite(same)
                np.testing.assert_array_equal(np.isfinite(x), finite)
                np.testing.assert_array_equal(x[~finite], same[~finite])
                off = np.abs(x[finite] - same[finite])
                assert (off <= tolerance(name, same, scale)[finite]).all(), (name, strategy, size)


def test_a_cascade_of_variances_far_from_zero() -> None:
    table = pa.table({"v": [1e16, 1e16 + 2, 1e16 + 4, 1e16 + 2]})
    window = iw.rows(4, slide=2)
    for strategy in ("delta", "recompute", "pane-cascade"):
        got = iw.select(table, x=iw.var_pop("v").over(window, strategy=strategy))["x"].to_pylist()
        assert got == [1.0, 2.0], strategy


def strategies(table: pa.Table, window: Any) -> list[str]:
    """Those that can run them, the plainest first. (Recomputing ever larger frames takes long.)"""
    case = plan_windows(table.schema, {"x": iw.sum("v").over(window)})[0].steps[0].case
    return [
        rule.name
        for rule in reversed(RULES)
        if rule.applies(case) and (rule.name, window) != ("recompute", FRAMES["unbounded"])
    ]


def scales(table: pa.Table, window: Any) -> dict[str, Any]:
    """What errors are a share of, for each frame."""
    v, w = columns(table)
    sized = pa.table({"v": np.abs(v), "w": w})
    like = {name: applied(name).over(window) for name in ("sum", "avg", "decayed_avg")}
    scale = read(iw.select(sized, **like))
    for ddof in ("samp", "pop"):
        spread = getattr(iw, f"stddev_{ddof}")
        both = read(iw.select(table, v=spread("v").over(window), w=spread("w").over(window)))
        scale[f"covar_{ddof}"] = both["v"] * both["w"]
    return scale


def read(table: pa.Table) -> dict[str, Any]:
    """The columns as numpy's, NULL as NaN."""
    return {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}


def tolerance(name: str, result: Any, scale: dict[str, Any]) -> Any:
    """4 ulp of the sum of absolute values; for the others the bound, twice."""
    if name in ("sum", "avg"):
        return 4 * np.spacing(scale[name])
    bound = 2 * BOUNDS.get(name, 1e-9)
    if name in scale:
        return bound * scale[name]
    return bound * {"corr": 1.0, "kurtosis": 3.0, "skewness": 1.0}.get(name, 0.0) + bound * np.abs(result)
