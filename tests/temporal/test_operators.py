"""Every operator against the definition: bags at every instant, on random relations of every type of time."""

from collections import Counter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.temporal_cases import KINDS, in_kind, rows, rows_of, table

from inwindow import temporal
from inwindow.temporal import reference
from inwindow.temporal.allen import NAMES, Allen

kinds = st.sampled_from(list(KINDS))


def check(result: pa.Table, wanted: list[Any], *inputs: list[Any]) -> None:
    """Equal at every instant at which something changes, and before all of them."""
    found = rows_of(result)
    instants = reference.cuts(found, wanted, *inputs)
    assert reference.snapshots(found, instants) == reference.snapshots(wanted, instants)
    assert all(since is None or until is None or since < until for _, since, until in found)


@given(rows(2), kinds)
def test_coalesce(its: Any, kind: str) -> None:
    one = in_kind(its, kind)
    result = temporal.coalesce(table(its, kind, ("v", "w")), by="v")
    wanted = reference.reduced(lambda a: [(v,) for v in dict.fromkeys(row[0][0] for row in a)], one)
    check(result, wanted, one)
    runs = sorted(rows_of(result), key=repr)
    for v, since, until in runs:
        assert not any(w == v and (s, u) != (since, until) and s is not None and s == until for w, s, u in runs)


@given(rows(2), kinds)
def test_distinct(its: Any, kind: str) -> None:
    one = in_kind(its, kind)
    check(temporal.distinct(table(its, kind, ("v", "w"))), reference.reduced(reference.distinct, one), one)


COPIES = {"difference": lambda a, b: max(0, a - b), "intersect": min, "max_union": max, "union": lambda a, b: a + b}


@pytest.mark.parametrize("name", COPIES)
@given(rows(most=9), rows(most=9), kinds)
def test_bags(name: str, a: Any, b: Any, kind: str) -> None:
    left, right = in_kind(a, kind), in_kind(b, kind)
    result = getattr(temporal, name)(table(a, kind), table(b, kind))
    check(result, reference.reduced(lambda x, y: reference.bags(x, y, COPIES[name]), left, right), left, right)


HOW = ["inner", "left", "right", "full", "semi", "anti"]


def joined(a: Any, b: Any, how: str, matches: Any, widths: tuple[int, int]) -> list[Any]:
    """The join by the definition: columns k, v of the left, k, w of the right; the key once."""
    found = reference.reduced(lambda x, y: reference.join(x, y, matches, how, widths), a, b)
    if how in ("semi", "anti"):
        return found
    return [((v[0] if v[0] is not None else v[2], v[1], v[3]), s, u) for v, s, u in found]


@pytest.mark.parametrize("how", HOW)
@given(rows(2), rows(2), kinds)
def test_join(how: str, a: Any, b: Any, kind: str) -> None:
    left, right = in_kind(a, kind), in_kind(b, kind)
    result = temporal.join(table(a, kind, ("k", "v")), table(b, kind, ("k", "w")), on="k", how=how)
    wanted = joined(left, right, how, lambda x, y: x[0][0] is not None and x[0][0] == y[0][0], (2, 2))
    check(result, wanted, left, right)


@pytest.mark.parametrize("how", HOW)
@given(rows(1), rows(1), kinds)
def test_join_without_keys_on_a_condition(how: str, a: Any, b: Any, kind: str) -> None:
    left, right = in_kind(a, kind), in_kind(b, kind)
    met = pc.field("v") < pc.field("w")
    result = temporal.join(table(a, kind, ("v",)), table(b, kind, ("w",)), how=how, condition=met)

    def matches(x: Any, y: Any) -> bool:
        return None not in (x[0][0], y[0][0]) and x[0][0] < y[0][0]

    wanted = reference.reduced(lambda p, q: reference.join(p, q, matches, how, (1, 1)), left, right)
    check(result, wanted, left, right)


@pytest.mark.parametrize("name", NAMES)
@given(rows(1, ends=False), rows(1, ends=False))
def test_allen(name: str, a: Any, b: Any) -> None:
    result = temporal.join(table(a, "int64", ("v",)), table(b, "int64", ("w",)), condition=name, how="full")
    related = Allen(name)
    wanted = reference.reduced(
        lambda p, q: reference.join(p, q, lambda x, y: related(x[1], x[2], y[1], y[2]), "full", (1, 1)), a, b
    )
    check(result, wanted, a, b)


@given(rows(1, ends=False), rows(1, ends=False))
def test_two_intervals_are_related_in_one_way(a: Any, b: Any) -> None:
    for _, since, until in a:
        for _, other_since, other_until in b:
            if max(since, other_since) < min(until, other_until):
                assert sum(Allen(name)(since, until, other_since, other_until) for name in NAMES) == 1


@given(rows(2), kinds, st.integers(0, 12))
def test_at(its: Any, kind: str, number: int) -> None:
    one, instant = in_kind(its, kind), KINDS[kind][1](number)
    found = temporal.at(table(its, kind, ("v", "w")), instant).to_pylist()
    assert Counter(tuple(row.values()) for row in found) == reference.snapshots(one, [instant])[0]


@pytest.mark.parametrize(("name", "sign"), [("istream", 1), ("dstream", -1)])
@given(rows(1, most=9), kinds)
def test_changes(name: str, sign: int, its: Any, kind: str) -> None:
    one = in_kind(its, kind)
    found = getattr(temporal, name)(table(its, kind)).to_pylist()
    assert Counter(((row["v"],), row["at"]) for row in found) == Counter(reference.changes(one, sign))


@given(rows(1, ends=False), st.sampled_from(["int64", "int32", "date", "decimal"]), st.integers(1, 5))
def test_split_and_rstream(its: Any, kind: str, every: int) -> None:
    one = in_kind(its, kind)
    size = every if kind != "decimal" else pa.scalar(every).as_py() / 100
    pieces = temporal.split(table(its, kind), size)
    check(pieces, one, one)
    unit = {"int64": lambda x: x, "int32": lambda x: x, "decimal": lambda x: int(x * 100)}.get(
        kind, lambda day: (day - KINDS["date"][1](4)).days
    )
    assert all(unit(s) // every == (unit(u) - 1) // every for _, s, u in rows_of(pieces))
    found = Counter(((row["v"],), unit(row["at"])) for row in temporal.rstream(table(its, kind), size).to_pylist())
    wanted = Counter((v, t) for v, s, u in one for t in range(unit(s), unit(u)) if t % every == 0)
    assert found == wanted


@given(rows(1), st.integers(1, 5))
def test_what_holds_for_ever_is_split_between_two_instants(its: Any, every: int) -> None:
    pieces = rows_of(temporal.split(table(its, "int64"), every, between=(2, 9)))
    for instant in range(2, 9):
        assert reference.snapshots(pieces, [instant]) == reference.snapshots(its, [instant])
    assert reference.snapshots(pieces, [None, 1, 9]) == [Counter()] * 3


@given(st.data())
def test_trees_of_three(data: Any) -> None:
    """Operators of operators: the snapshots of the whole are the operators of the snapshots."""
    relations = [data.draw(rows(1)) for _ in range(4)]
    names = [data.draw(st.sampled_from(list(COPIES))) for _ in range(3)]
    a, b, c, d = (table(its, "int64") for its in relations)
    first, second = getattr(temporal, names[0])(a, b), getattr(temporal, names[1])(c, d)
    result = getattr(temporal, names[2])(first, second)

    def combined(*held: Any) -> list[Any]:
        one, other = (
            [(values, None, None) for values in reference.bags(x, y, COPIES[name])]
            for (x, y), name in zip((held[:2], held[2:]), names, strict=False)
        )
        return reference.bags(one, other, COPIES[names[2]])

    check(result, reference.reduced(combined, *relations), *relations)


def test_dictionaries_are_their_values() -> None:
    rooms = pa.table({"room": pa.array(["A", "B"]), "since": [1, 1], "until": [9, 9]})
    encoded = rooms.set_column(0, "room", rooms["room"].dictionary_encode())
    for a, b in ((rooms, encoded), (encoded, rooms), (encoded, encoded)):
        assert temporal.join(a, b, on="room").to_pylist() == rooms.to_pylist()
    assert temporal.coalesce(encoded).to_pylist() == rooms.to_pylist()


@given(rows(2))
def test_distinct_keeps_the_latest(its: Any) -> None:
    def latest(held: Any) -> list[Any]:
        began = sorted(held, key=lambda row: (row[1] is not None, row[1]))  # stable: then as they came
        return list({values[0]: values for values, *_ in began}.values())

    found = rows_of(temporal.distinct(table(its, "int64", ("v", "w")), by="v", keep="latest"))
    wanted = reference.reduced(latest, its)
    instants = reference.cuts(found, wanted)
    assert reference.snapshots(found, instants) == reference.snapshots(wanted, instants)
