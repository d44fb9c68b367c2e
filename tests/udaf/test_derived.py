"""Derived hooks: which classes get which, what they look like, and that they give what the definition gives."""

import copy
import math
import pickle
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from samples.against_definition import cut, expected_column, expected_groups
from samples.derived_aggregates import DERIVED, MyAvg
from samples.underived_aggregates import UNDERIVED, OwnExpire, OwnMerge

import inwindow as iw
from inwindow.native._exact import ExactSum
from inwindow.optimizer.planning import plan_windows
from inwindow.optimizer.rules import RULES
from inwindow.udaf.derive.version import derive, written_of

NAMES = ("a", "b")


def of(name: str) -> tuple[iw.Aggregate, Any]:
    """The aggregate, and what was derived for it."""
    aggregate, types, *_ = (DERIVED | UNDERIVED)[name]  # type: ignore[operator]
    return aggregate, derive(aggregate, types)


@pytest.mark.parametrize("name", DERIVED)
def test_what_is_derived(name: str) -> None:
    aggregate, types, hooks = DERIVED[name]
    derivation = derive(aggregate, types)
    assert tuple(hook for hook in ("expire", "merge", "unmerge") if hook in derivation.hooks) == hooks, (
        derivation.why_not
    )
    assert derivation.version is not None and issubclass(derivation.version, type(aggregate))
    assert derive(aggregate, types) is derivation  # read once


@pytest.mark.parametrize("name", UNDERIVED)
def test_what_is_not_derived(name: str) -> None:
    aggregate, types, why = UNDERIVED[name]
    derivation = derive(aggregate, types)
    assert not derivation.hooks and derivation.version is None
    assert set(derivation.why_not) == {"expire", "merge", "unmerge"}
    assert all(why in reason and "\n" not in reason for reason in derivation.why_not.values()), derivation.why_not
    assert derivation.of(aggregate) is aggregate


@pytest.mark.parametrize("aggregate", [OwnExpire(), OwnMerge()], ids=lambda aggregate: type(aggregate).__name__)
def test_hooks_of_the_user_stay_as_they_are(aggregate: iw.Aggregate) -> None:
    derivation = derive(aggregate, [pa.int64()])
    assert derivation.of(aggregate) is aggregate and not derivation.hooks and not derivation.why_not


def test_example_7_gets_example_12() -> None:
    hooks = of("average of integers")[1].hooks
    assert hooks == {
        "expire": "def expire(self, value):\n    self.total -= value\n    self.count -= 1",
        "merge": "def merge(self, later):\n    self.total += later.total\n    self.count += later.count",
        "unmerge": "def unmerge(self, earlier):\n    self.total -= earlier.total\n    self.count -= earlier.count",
    }


def test_a_float_sum_is_kept_exactly() -> None:
    hooks = of("average")[1].hooks
    assert (
        hooks["iterate"]
        == "def iterate(self, value):\n    self.total = self._total_sum.add(value)\n    self.count += 1"
    )
    assert hooks["expire"].splitlines()[1:] == [
        "    self.total = self._total_sum.take(value)",
        "    if self.total is None:",
        "        return PUNT",
        "    self.count -= 1",
    ]


def test_conditions_and_locals_are_those_of_iterate() -> None:
    assert of("signs")[1].hooks["expire"].splitlines()[:5] == [
        "def expire(self, value):",
        "    if value is None:",
        "        self.nulls -= 1",
        "    elif value > 0:",
        "        self.plus = self._plus_sum.take(value)",
    ]
    assert of("moments of integers")[1].hooks["expire"].splitlines() == [
        "def expire(self, value):",
        "    off = value - self.origin",
        "    square = off * off",
        "    self.n -= 1",
        "    self.s -= off",
        "    self.q -= square",
    ]
    assert of("share of integers")[1].hooks["expire"].splitlines() == [
        "def expire(self, value):", "    if value > 1:", "        self.above -= value", "    self.all -= value",
    ]  # fmt: skip


def test_counting_forgets_a_key_of_which_none_is_left() -> None:
    version = derive(*DERIVED["peak"][:2]).of(DERIVED["peak"][0])
    it: Any = copy.deepcopy(version)
    it.initialize("a")
    it.iterate("b")
    it.iterate("b")
    it.expire("a")
    assert it.counts == {"b": 2}
    assert it.expire("never") is iw.PUNT


@pytest.mark.parametrize("name", ["average", "average of integers", "peak", "distinct", "above"])
def test_commutative_where_proven(name: str) -> None:
    assert of(name)[1].version._traits.commutative


@pytest.mark.parametrize("name", ["spread", "change", "last", "median"])
def test_not_commutative_where_not(name: str) -> None:
    assert not of(name)[1].version._traits.commutative


def test_a_constant_is_read_anew_for_each_plan() -> None:
    from samples import derived_aggregates

    first = of("logs")[1]
    before = derived_aggregates.SCALE
    try:
        derived_aggregates.SCALE = 3.5
        assert of("logs")[1] is not first
    finally:
        derived_aggregates.SCALE = before


def test_a_source_that_is_not_that_of_the_code() -> None:
    def iterate(self, value):
        self.total += value

    aggregate = type("A", (MyAvg,), {"iterate": iterate})()
    assert "expire" in derive(aggregate, [pa.int64()]).hooks
    iterate.__code__ = (lambda self, value: None).__code__.replace(co_firstlineno=iterate.__code__.co_firstlineno)
    changed = type("B", (MyAvg,), {"iterate": iterate})()
    assert not derive(changed, [pa.int64()]).hooks


def test_a_hook_that_is_replaced_later_is_read_again() -> None:
    class Late(MyAvg):
        pass

    assert "expire" in derive(Late(), [pa.int64()]).hooks
    Late.iterate = lambda self, value: None  # type: ignore[method-assign,misc,assignment]
    assert not derive(Late(), [pa.int64()]).hooks


# The laws, and the definition


def values(kind: pa.DataType) -> st.SearchStrategy[Any]:
    if pa.types.is_integer(kind):
        return st.one_of(st.integers(-5, 9), st.sampled_from([2**53 + 1, -(2**53) - 1, 2**58, -(2**58), 7, 14]))
    if pa.types.is_floating(kind):
        odd = [math.nan, math.inf, -math.inf, -0.0, 0.0, 1e16, -1e16, 1.0, 0.1, 1e-300, 1e300, -1e300, 5e-324, 2.0**53]
        return st.one_of(st.sampled_from(odd), st.integers(-50, 50).map(lambda n: n / 10))
    if pa.types.is_boolean(kind):
        return st.booleans()
    return st.sampled_from(["", "a", "b", "B", " ab ", "é"])


def tables(types: list[pa.DataType]) -> st.SearchStrategy[pa.Table]:
    row = st.tuples(st.integers(0, 3), *(st.none() | values(kind) for kind in types))
    names = ["t", *NAMES[: len(types)]]

    def made(rows: list[Any]) -> pa.Table:
        rows = sorted(rows, key=lambda row: row[0])
        clock, t = [], 0
        for row in rows:
            t += row[0]
            clock.append(t)
        columns = [clock, *([row[n + 1] for row in rows] for n in range(len(types)))]
        return pa.table(columns, schema=pa.schema(list(zip(names, [pa.int64(), *types], strict=True))))

    return st.lists(row, min_size=1, max_size=24).map(made)


WINDOWS = st.one_of(
    st.builds(iw.rows, st.integers(1, 7), order_by=st.just("t")),
    st.builds(iw.rows, st.integers(3, 9), order_by=st.just("t"), slide=st.integers(2, 4)),
    st.builds(iw.range, st.integers(0, 6), order_by=st.just("t")),
    st.just(iw.unbounded(order_by="t")),
)


def scale_of(table: pa.Table) -> Fraction:
    """The sum of absolute values, of their squares too: what rounding is measured against."""
    total = Fraction(1)
    for column in table.columns[1:]:
        if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
            for value in column.to_pylist():
                if value is not None and math.isfinite(value):
                    total += abs(Fraction(value)) + Fraction(value) ** 2
    return total


def near(ours: Any, theirs: Any, scale: Fraction) -> bool:
    if isinstance(ours, dict):
        return all(near(a, b, scale) for a, b in zip(ours.values(), theirs, strict=True))
    if not isinstance(ours, float) or theirs is None:
        return bool(ours == theirs)
    if math.isnan(ours) or math.isinf(ours) or not math.isfinite(theirs):
        return ours == theirs or (math.isnan(ours) and theirs != theirs)
    return abs(Fraction(ours) - Fraction(theirs)) <= scale * 3 * len("frames") / 2**53


@pytest.mark.parametrize("name", DERIVED)
@given(data=st.data())
def test_every_strategy_gives_what_the_definition_gives(name: str, data: st.DataObject) -> None:
    aggregate, types, _ = DERIVED[name]
    table, window = data.draw(tables(types)), data.draw(WINDOWS)
    applied = aggregate(*NAMES[: len(types)]).over(window)
    try:
        expected = expected_column(table, applied, aggregate)
    except OverflowError:
        return
    scale = scale_of(table)
    case = plan_windows(table.schema, {"x": applied})[0].steps[0].case
    for strategy in [rule.name for rule in RULES if rule.applies(case)]:
        forced = aggregate(*NAMES[: len(types)]).over(window, strategy=strategy)
        ours = iw.with_columns(cut(table, data.draw(st.sampled_from([1, 3, 1000]))), x=forced).read_all()
        note(f"{strategy}: {ours['x'].to_pylist()} for {expected}")
        for given_one, theirs in zip(ours["x"].to_pylist(), expected, strict=True):
            assert near(given_one, theirs, scale)


@pytest.mark.parametrize("name", DERIVED)
@given(data=st.data())
def test_extents_over_panes(name: str, data: st.DataObject) -> None:
    aggregate, types, _ = DERIVED[name]
    table = data.draw(tables(types))
    applied = aggregate(*NAMES[: len(types)])
    extent = iw.hop("t", size=6, every=2)
    try:
        expected = [row[-1] for row in expected_groups(table, (), extent, applied, aggregate)]
    except OverflowError:
        return
    ours = iw.group_by(table).window(extent).agg(x=applied)
    scale = scale_of(table)
    for given_one, theirs in zip(ours["x"].to_pylist(), expected, strict=True):
        assert near(given_one, theirs, scale)


@pytest.mark.parametrize("name", DERIVED)
@given(data=st.data())
def test_streams_give_what_the_batch_gives(name: str, data: st.DataObject) -> None:
    aggregate, types, _ = DERIVED[name]
    table, columns = data.draw(tables(types)), NAMES[: len(types)]
    size = data.draw(st.sampled_from([1, 4]))
    batches = [table.slice(at, size) for at in range(0, len(table), size)]
    frame = data.draw(
        st.sampled_from([iw.rows(4, order_by="t"), iw.range(5, order_by="t"), iw.unbounded(order_by="t")])
    )
    extent = iw.hop("t", size=6, every=2)
    scale, late = scale_of(table), 10**6

    def streamed(query: Any) -> list[Any]:
        return iw.testing.replay(batches, query, delay=3, until=late).table["x"].to_pylist()

    def frames(df: Any) -> Any:
        return iw.with_columns(df, x=aggregate(*columns).over(frame))

    def extents(df: Any) -> Any:
        return iw.group_by(df).window(extent).agg(x=aggregate(*columns))

    for query in (frames, extents):
        try:
            expected = query(table)["x"].to_pylist()
        except OverflowError:
            return
        ours = streamed(query)
        note(f"{ours} for {expected}")
        assert len(ours) == len(expected)
        for given_one, theirs in zip(ours, expected, strict=True):
            values = list(theirs.values()) if isinstance(theirs, dict) else theirs
            assert near(given_one, values, scale)


@pytest.mark.parametrize("name", DERIVED)
def test_the_laws(name: str) -> None:
    aggregate, types, _ = DERIVED[name]
    version = derive(aggregate, types).of(aggregate)
    kinds = {"int64": int, "double": float, "string": str, "bool": bool}
    examples = max(5, min(60, settings.default.max_examples // 3))  # type: ignore[union-attr]
    iw.testing.check(version, values=[kinds[str(kind)] for kind in types], examples=examples, seed=1)


@pytest.mark.parametrize("name", DERIVED)
def test_states_survive_pickling_and_copying(name: str) -> None:
    aggregate, types, _ = DERIVED[name]
    version: Any = derive(aggregate, types).of(aggregate)
    made = {"int64": 3, "double": 2.5, "string": "a", "bool": True}
    row = [made[str(kind)] for kind in types]
    it = copy.deepcopy(version)
    (it.initialize if hasattr(it, "initialize") else it.iterate)(*row)
    it.iterate(*row)
    again, thawed = copy.deepcopy(it), iw.testing.pickled(it)
    for one in (again, thawed):
        one.iterate(*row)
        if "expire" in type(one)._traits.hooks:
            one.expire(*row)
            assert one.terminate() == it.terminate()
    assert type(written_of(version)) is type(aggregate)
    assert written_of(version).__dict__ == aggregate.__dict__


# Exact sums

DOUBLES = st.floats(allow_nan=True, allow_infinity=True, width=64) | st.sampled_from(
    [1e16, 1.0, -1e16, 0.1, -0.0, 0.0, 2.0**-1074]
)


@given(st.lists(DOUBLES, max_size=30), st.data())
def test_an_exact_sum(numbers: list[float], data: st.DataObject) -> None:
    total, held = ExactSum(), []
    shown: Any = None
    for number in numbers:
        while held and data.draw(st.booleans()):
            shown = total.take(held.pop(0))
            if shown is None:  # refused: afresh
                total = ExactSum()
                for one in held:
                    shown = total.add(one)
            if data.draw(st.booleans()):
                total = pickle.loads(pickle.dumps(total)) if data.draw(st.booleans()) else copy.deepcopy(total)
        shown = total.add(number)
        held.append(number)
        if all(abs(one) < 2.0**980 for one in held if math.isfinite(one)) and "lost" not in repr(total):
            expected = fsum(held)
            again = ExactSum()
            for one in held:
                again.add(one)
            if again.take(0.0) is None or total.take(0.0) is None:
                return  # more bits than it keeps: a plain sum, to be folded afresh
            total.add(0.0)
            alike = shown == expected and math.copysign(1, shown) == math.copysign(1, expected)
            assert alike or (shown != shown and expected != expected)


def fsum(numbers: list[float]) -> float:
    """Rounded once; -0.0 only of -0.0."""
    odd = [number for number in numbers if not math.isfinite(number)]
    if odd:
        return sum(odd)
    if all(number == 0 and math.copysign(1, number) < 0 for number in numbers):
        return -0.0
    return math.fsum(numbers)


# Explain


def test_explain_shows_the_derived_code_or_says_why_not() -> None:
    table = pa.table({"v": [1.0, 2.0]})
    explained = iw.explain(table, x=MyAvg()("v").over(iw.rows(1000)))
    lines = str(explained).splitlines()
    assert "    strategy  delta" in lines
    at = lines.index("    derived   def initialize(self, value):")
    assert lines[at + 1] == "                  self.total, self.count = (value, 1)"
    assert any("def expire(self, value):" in line for line in lines)
    assert "<pre style='margin:0'>def expire(self, value):" in explained._repr_html_()
    off = str(iw.explain(table, x=UNDERIVED["derive=False"][0]("v").over(iw.rows(1000))))
    assert "    underived expire and merge: derive=False" in off.splitlines()
    assert "    strategy  recompute" in off.splitlines()


def test_an_error_in_a_derived_hook_shows_the_users_line() -> None:
    table = pa.table({"v": [1.0, -4.0]})

    class Roots(iw.Aggregate):
        def initialize(self, value):
            self.total = math.sqrt(value)

        def iterate(self, value):
            self.total += math.sqrt(value)

        def terminate(self) -> float:
            return self.total

    with pytest.raises(iw.HookError, match=r"Roots.iterate\(-4.0\) raised ValueError: math domain error") as raised:
        iw.with_columns(table, x=Roots()("v").over(iw.rows(3)))
    assert "self.total += math.sqrt(value)" in str(raised.value) and "test_derived.py" in str(raised.value)


def test_derive_is_a_flag() -> None:
    with pytest.raises(iw.DefinitionError, match="derive='no': write True or False"):

        class Odd(MyAvg, derive="no"):
            pass
