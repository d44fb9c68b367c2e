"""Random trees of three operators: the snapshots of the whole are the relational operators of the snapshots.

Under ``HYPOTHESIS_PROFILE=thorough`` these are 100,000 trees (a minute or several); else some hundreds. The count is printed.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import inwindow as iw
from inwindow import temporal
from inwindow.temporal import reference

TREES = 100_000 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 400


def matches(a: Any, b: Any) -> bool:
    return a[0][0] is not None and a[0][0] == b[0][0]


def joined(how: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def by_definition(a: Any, b: Any) -> list[Any]:
        return [row[:1] for row in reference.join(a, b, matches, how, (1, 1))]

    return (lambda a, b: temporal.join(a, b, on="v", how=how)), by_definition


def bags(name: str, copies: Callable[[int, int], int]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return getattr(temporal, name), lambda a, b: reference.bags(a, b, copies)


def highest(rows: Any) -> list[Any]:
    return [(max((v for (v,), *_ in rows if v is not None), default=None),)] if rows else []


# Operators on relations of one column v that give such a relation: ours, and that on what holds.
TWO: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "union": bags("union", lambda a, b: a + b),
    "difference": bags("difference", lambda a, b: max(0, a - b)),
    "intersect": bags("intersect", min),
    "max_union": bags("max_union", max),
    **{how: joined(how) for how in ("inner", "left", "semi", "anti")},
}
ONE: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "distinct": (temporal.distinct, reference.distinct),
    "max": (lambda a: temporal.aggregate(a, v=iw.max("v")), highest),
    "count": (
        lambda a: temporal.aggregate(a, v=iw.count("v")),
        lambda rows: [(sum(v is not None for (v,), *_ in rows),)] if rows else [],
    ),
    "as it is": (lambda a: a, lambda rows: [values for values, *_ in rows]),
}


def leaf(draw: np.random.Generator) -> tuple[pa.Table, list[Any]]:
    """A relation of a few rows: ends tie and meet, some are NULL, some rows never hold."""
    count = int(draw.integers(0, 6))
    ends = np.sort(draw.integers(0, 9, (count, 2)), axis=1)
    nulls = draw.random((count, 3)) < 0.12
    columns = [draw.integers(0, 3, count), ends[:, 0], ends[:, 1]]
    table = pa.table(
        {
            name: pa.array(column, pa.int64(), mask=nulls[:, at])
            for at, (name, column) in enumerate(zip(("v", "since", "until"), columns, strict=True))
        }
    )
    return table, [((row["v"],), row["since"], row["until"]) for row in table.to_pylist()]


def unheld(values: list[Any]) -> list[Any]:
    """Values of a snapshot as rows of one."""
    return [(value, None, None) for value in values]


def tree(draw: np.random.Generator) -> tuple[pa.Table, list[list[Any]], Callable[..., list[Any]], str]:
    """Two of two relations each, and one above; each may have an operator of one relation on it."""
    leaves = [leaf(draw) for _ in range(4)]
    two, one = ([str(name) for name in draw.choice(list(of), 3)] for of in (TWO, ONE))
    tables = [table for table, _ in leaves]
    left, right = (ONE[one[k]][0](TWO[two[k]][0](tables[2 * k], tables[2 * k + 1])) for k in (0, 1))
    result = ONE[one[2]][0](TWO[two[2]][0](left, right))

    def definition(*held: Any) -> list[Any]:
        parts = [unheld(ONE[one[k]][1](unheld(TWO[two[k]][1](held[2 * k], held[2 * k + 1])))) for k in (0, 1)]
        return ONE[one[2]][1](unheld(TWO[two[2]][1](*parts)))

    return result, [rows for _, rows in leaves], definition, f"{one[2]} {two[2]} of {one[:2]} {two[:2]}"


def test_trees_of_three(capsys: pytest.CaptureFixture[str]) -> None:
    seed = int(os.environ.get("TREES_SEED", "0"))
    for number in range(TREES):
        result, leaves, definition, said = tree(np.random.default_rng([seed, number]))
        found = [((row["v"],), row["since"], row["until"]) for row in result.to_pylist()]
        wanted = reference.reduced(definition, *leaves)
        instants = reference.cuts(found, *leaves)
        assert reference.snapshots(found, instants) == reference.snapshots(wanted, instants), (number, said)
    with capsys.disabled():
        print(f"\n{TREES:,} trees of temporal operators equal the definition at every instant")
