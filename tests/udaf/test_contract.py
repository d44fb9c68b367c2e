"""What a class may say: parameters, names of its own, methods of Spark's Aggregator; and first mistakes."""

from collections.abc import Callable
from threading import Lock
from typing import Any

import pyarrow as pa
import pytest
from samples.aggregates import MyAvg
from samples.bids import BIDS, BY_ITEM, column

import inwindow as iw


class Quantiles(iw.WindowAggregate, returns="struct<low:double,high:double>"):
    """Parameters, several columns, a struct by DDL."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.values: list[float] = []

    def iterate(self, price: float, weight: float) -> None:
        self.values.append(price * weight)

    def expire(self, price: float, weight: float) -> None:
        self.values.remove(price * weight)

    def terminate(self) -> dict[str, float]:
        ordered = sorted(self.values)
        at = int(self.share * (len(ordered) - 1))
        return {"low": ordered[at], "high": ordered[-1 - at]}


def test_parameters_configure_and_copies_share_nothing() -> None:
    quartiles = Quantiles(share=0.25)
    weights = BIDS.append_column("w", pa.array([1.0, 1.0, 2.0, 1.0, 0.5]))
    window = iw.unbounded(partition_by="item", order_by="ts")
    assert column(quartiles("price", "w").over(window), weights) == [
        {"low": 1.0, "high": 6.0},
        {"low": 2.0, "high": 2.0},
        {"low": 6.0, "high": 6.0},
        {"low": 2.0, "high": 2.0},
        {"low": 3.0, "high": 6.0},
    ]
    assert quartiles.values == []


class SparkMean:
    """As Spark 4.4's Aggregator has it."""

    def zero(self):
        return [0.0, 0]

    def reduce(self, buffer, value):
        if value is not None:
            buffer[0] += value
            buffer[1] += 1
        return buffer

    def merge(self, a, b):
        return [a[0] + b[0], a[1] + b[1]]

    def finish(self, buffer):
        return buffer[0] / buffer[1] if buffer[1] else None

    def outputType(self):
        return "double"


class SparkMeanWithExpire(SparkMean):
    """With our addition."""

    def expire(self, buffer, value):
        if value is not None:
            buffer[0] -= value
            buffer[1] -= 1
        return buffer


@pytest.mark.parametrize(
    ("aggregator", "strategy"), [(SparkMean(), "two-stacks"), (SparkMeanWithExpire(), "delta")], ids=["as is", "expire"]
)
def test_upstream_aggregators_are_accepted_as_they_are(aggregator: SparkMean, strategy: str) -> None:
    applied = iw.udaf(aggregator)("price").over(BY_ITEM)
    assert f"strategy  {strategy}" in str(iw.explain(BIDS, x=applied))
    assert column(applied) == [3.5, 2.0, 3.0, 2.0, 4.5]
    assert column(iw.udaf(aggregator)("price").over(iw.rows(4, slide=2))) == [None, 1.5, None, 2.0, None]


def blocking_over_a_base_that_is_not() -> None:
    """The base would have no result for a frame."""

    class Running(iw.Aggregate):
        def iterate(self, price: float) -> float:
            return price

    class Total(iw.WindowAggregate, base=Running):
        def iterate(self, price: float) -> None: ...
        def expire(self, price: float) -> None: ...
        def terminate(self) -> float:
            return 0.0


def yielding_a_float() -> None:
    """An iterator is annotated as one."""

    class Twice(iw.Aggregate):
        def iterate(self, price: float) -> float:  # type: ignore[misc]
            yield price
            yield price


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (
            lambda: MyAvg("price"),
            "MyAvg('price'): MyAvg has no __init__ to configure it; to apply it to columns, make one first: "
            "MyAvg()('price')",
        ),
        (
            lambda: iw.group_by(BIDS).window(iw.rows(2)),
            "window((rows between 1 preceding and current row)) is not an extent: use iw.tumble, iw.hop, iw.cumulate or "
            "iw.session (a frame such as iw.rows goes into .over(...) of iw.with_columns)",
        ),
        (
            blocking_over_a_base_that_is_not,
            "Total has a terminate but its base Running has none: the base version gives a frame's result too, so write "
            "`def terminate(self)` in it",
        ),
        (
            yielding_a_float,
            "Twice.iterate yields, so its annotation `-> float` does not fit: write what it yields, as in "
            "`-> Iterator[float]`",
        ),
    ],
)
def test_a_first_mistake_is_told_with_the_way_out(mistake: Callable[[], object], message: str) -> None:
    with pytest.raises(iw.InWindowError) as caught:
        mistake()
    assert str(caught.value) == message


def test_state_that_cannot_be_copied_is_refused_at_once() -> None:
    class Locked(iw.Aggregate):
        def __init__(self):
            self.lock = Lock()

        def iterate(self, t):
            self.t = t

        def terminate(self) -> int:
            return self.t

    with pytest.raises(
        iw.UsageError, match="Locked: each partition works on a copy .* in `initialize`, not in `__init__`"
    ):
        iw.with_columns(pa.table({"t": [1]}), x=Locked()("t").over(iw.rows(1)))


def test_self_by_another_name() -> None:
    class Tuples(iw.Aggregate):
        def iterate(it) -> None:  # noqa: N805
            it.n = getattr(it, "n", 0) + 1

        def terminate(it) -> int:  # noqa: N805
            return it.n  # type: ignore[attr-defined]

    class Ones(iw.Aggregate):
        def iterate(_) -> int:  # noqa: N805
            return 1

    table = pa.table({"v": [5, 6]})
    assert iw.with_columns(table, n=Tuples()().over(iw.rows(2)), one=Ones()())["n"].to_pylist() == [1, 2]


def test_an_over_of_its_own() -> None:
    class Innings(iw.Aggregate):
        def iterate(self, runs: int) -> None:
            self.over = getattr(self, "over", 0) + 1

        def terminate(self) -> int:
            return self.over

    table = pa.table({"runs": [4, 6]})
    assert iw.with_columns(table, n=Innings()("runs").over(iw.rows(2)))["n"].to_pylist() == [1, 2]


def expires(body: str) -> type[iw.Aggregate]:
    names: dict[str, Any] = {"iw": iw}
    exec(
        "class A(iw.WindowAggregate, returns='int'):\n  def iterate(self, v): pass\n  def expire(self, v):" + body,
        names,
    )
    made: type[iw.Aggregate] = names["A"]
    return made


@pytest.mark.parametrize(
    ("body", "nothing"),
    [
        ("pass", True), ("self.x = 1", True), ("return None", True), ("return", True),
        ("\n    if v: return\n    for _ in range(v): pass", True), ("return v", False), ("yield v", False),
        ("\n    if v: return 1", False), ("return v or None", False), ("return v if v else None", False),
        ("return None if v else v", False), ("raise NotImplementedError", False), ("return (lambda: None)()", False),
        ("\n    try: pass\n    finally: self.x = 0", True), ("\n    with v as w: return w", False),
    ],
)  # fmt: skip
def test_an_expire_that_gives_nothing(body: str, nothing: bool) -> None:
    traits = expires(body)._traits
    assert traits is not None and traits.never_expires_a_value is nothing
