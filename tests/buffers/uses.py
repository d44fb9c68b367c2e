"""What is done with a drawn column: it is a key, an order, an argument, a filter, an end of a validity, or only passes through.

A case is a column and a use. Its outcome is the same as for the plain array; of damaged columns it is also fine to be refused.
"""

from collections.abc import Callable
from typing import Any

import pyarrow as pa

import inwindow as iw
from inwindow import temporal
from inwindow.testing import replay
from inwindow.testing.fuzz.draw import Draw

from .drawing import ROWS, Drawn, column

Use = Callable[[pa.Table], Any]


class Kept(iw.Aggregate):
    """The last two values, as text."""

    def initialize(self, value: Any) -> None:
        self.held = repr(value)

    def iterate(self, value: Any) -> None:
        self.held = self.held[-20:] + repr(value)

    def terminate(self) -> str:
        return self.held


_W = iw.rows(3, partition_by="g", order_by="n")
_POINTS = pa.table({"g": [0, 1, 0], "c": pa.nulls(3), "n": [1, 4, 9]})
USES: dict[str, Use] = {
    "key": lambda t: iw.with_columns(t, x=iw.max("n").over(iw.rows(2, partition_on="c", order_by="n"))),
    "order": lambda t: iw.with_columns(t, x=iw.sum("n").over(iw.rows(2, order_on="c"))),
    "descending": lambda t: iw.with_columns(t, x=iw.sum("n").over(iw.range_between(None, 0, order_by=iw.desc("c")))),
    "range": lambda t: iw.with_columns(t, x=iw.sum("n").over(iw.range(2, order_on="c"))),
    "days": lambda t: iw.with_columns(t, x=iw.sum("n").over(iw.range("1 day", order_on="c"))),
    "ranks": lambda t: iw.with_columns(t, x=iw.rank().over(iw.unbounded(order_on="c")), y=iw.lag("c").over(_W)),
    "extremes": lambda t: iw.with_columns(t, x=iw.max("c").over(_W), y=iw.min("c").over(_W)),
    "picks": lambda t: iw.with_columns(t, x=iw.first("c").over(_W), y=iw.last("c").over(_W)),
    "at": lambda t: iw.with_columns(t, x=iw.max_by("c", "n").over(_W), y=iw.max_by("n", "c").over(_W)),
    "lists": lambda t: iw.with_columns(t, x=iw.collect_list("c").over(_W), y=iw.collect_set("c").over(_W)),
    "counts": lambda t: iw.with_columns(t, x=iw.count("c").over(_W), y=iw.count_distinct("c").over(_W)),
    "sums": lambda t: iw.with_columns(t, x=iw.sum("c").over(_W), y=iw.avg("c").over(_W)),
    "median": lambda t: iw.with_columns(t, x=iw.median("c").over(_W)),
    "modes": lambda t: iw.with_columns(t, x=iw.mode("c").over(_W)),
    "texts": lambda t: iw.with_columns(t, x=iw.listagg("c").over(_W)),
    "flags": lambda t: iw.with_columns(t, x=iw.bool_or("c").over(_W)),
    "moments": lambda t: iw.with_columns(t, x=iw.stddev("c").over(_W), y=iw.avg("c").over(_W)),
    "hooks": lambda t: iw.with_columns(t, x=Kept()("c").over(_W)),
    "filter": lambda t: iw.with_columns(t, x=iw.max("n").filter("c").over(_W)),
    "passes": lambda t: iw.select(t, "c", x=iw.max("n").over(_W)),
    "slides": lambda t: iw.select(t, "c", x=iw.max("c").over(_W, slide=2)),
    "reader": lambda t: iw.with_columns(t.to_reader(), x=iw.last("c").over(iw.rows(2))).read_all(),
    "reader in order": lambda t: iw.with_columns(t.to_reader(), x=iw.max("n").over(iw.rows(2, order_on="c"))).read_all(),
    "groups": lambda t: iw.group_by(t, "c").agg(x=iw.max("n")),
    "ordered groups": lambda t: iw.group_by(t, order_on="c").agg(x=iw.last("c")),
    "tumbles": lambda t: iw.group_by(t, "g").window(iw.tumble("c", size=2)).agg(x=iw.max("n")),
    "hops": lambda t: iw.group_by(t).window(iw.hop("c", size="2 days", every="1 day")).agg(x=iw.max("n")),
    "sessions": lambda t: iw.group_by(t, "c").window(iw.session("n", gap=2)).agg(x=iw.last("c")),
    "points": lambda t: iw.with_columns(
        t.select(["g", "n"]), of=t, x=iw.last("c").over(iw.rows(2, partition_by="g", order_by="n"))
    ),
    "stream": lambda t: replay(
        [t.slice(0, 4), t.slice(4)], lambda df: iw.with_columns(df, x=iw.last("c").over(_W)), delay=2
    ),
    "key of a stream": lambda t: replay(
        [t.slice(0, 4), t.slice(4)], lambda df: iw.group_by(df, "c").window(iw.tumble("n", size=3)).agg(x=iw.max("n"))
    ),
    "since": lambda t: temporal.coalesce(temporal.with_validity(t, since="c", until="m").select(["g", "since", "until"])),
    "holds": lambda t: temporal.distinct(temporal.with_validity(t, since="n", until="m").select(["c", "since", "until"])),
    "joined": lambda t: temporal.join(_held(t, "c"), _held(t, "c"), on="c"),
}  # fmt: skip


def _held(t: pa.Table, name: str) -> pa.Table:
    return temporal.with_validity(t, since="n", until="m").select([name, "since", "until"])


def drawn_case(seed: object) -> tuple[Drawn, str] | None:
    """A column and a use; None where pyarrow does not make such a column."""
    draw = Draw("buffers", seed)
    try:
        drawn = column(draw)
    except (pa.ArrowException, ValueError, OverflowError):
        return None
    return (drawn, draw.one(list(USES))) if len(drawn.odd) == ROWS else None


def wrong(drawn: Drawn, use: str) -> str | None:
    """What is wrong with the outcome of a case, in words."""
    given, refused = outcome(use, drawn.odd)
    if drawn.damage and (refused or "").startswith("UnicodeDecodeError"):
        return None  # bytes that are no text, shown by Python
    if refused is not None and not refused.startswith("refused"):
        return refused
    if not drawn.is_valid or (refused is not None and "buffers of column" in refused):
        return None if drawn.damage else f"the column is valid, but {refused or 'Arrow refuses it'}"
    try:
        plain = pa.chunked_array([pa.concat_arrays(drawn.odd.chunks)]) if drawn.damage else drawn.plain
    except pa.ArrowException:  # valid, and yet Arrow cannot read it
        return None
    expected, why = outcome(use, plain)
    if given != expected or refused != why:
        return f"given {given or refused}\nexpected {expected or why}"
    return None


def outcome(use: str, values: pa.ChunkedArray) -> tuple[str | None, str | None]:
    """The rows as text; or how it was refused, or what was raised from inside."""
    rows = {
        "c": values,
        "g": [at % 2 for at in range(ROWS)],
        "n": list(range(ROWS)),
        "m": [at + 2 for at in range(ROWS)],
    }
    try:
        made = USES[use](pa.table(rows))
        return _text(made), None
    except iw.InWindowError as error:
        return None, f"refused: {type(error).__name__}: {error}"
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def _text(made: Any) -> str:
    """Rows as text: NaN is NaN, and what is beyond Python's dates is its number."""
    table = made if isinstance(made, pa.Table) else made.table
    return "\n".join(f"{name} {_column(table.column(name))}" for name in table.schema.names)


def _column(values: pa.ChunkedArray) -> str:
    if pa.types.is_temporal(values.type):
        values = values.cast(pa.int32() if values.type.bit_width == 32 else pa.int64())
    if pa.types.is_list(values.type) and pa.types.is_temporal(values.type.value_type):
        values = values.cast(pa.list_(pa.int32() if values.type.value_type.bit_width == 32 else pa.int64()))
    return str(values.to_pylist())
