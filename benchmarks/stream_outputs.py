"""For the soak: a query of all kinds of outputs, and one that corrects its rows, over tuples that are also late, far ahead, or bad.

Both spoil the feed's tuples in their own way, known by the ids, so that the other queries of the soak do not see it. In the end
their outputs are put together, and must be the batch run's.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import inwindow as iw

FAR, EVERY_FAR = 40 * 365 * 86_400, 4001  # seconds that a wrong clock is ahead, and for which tuples
BEHIND = {211: 9, 1009: 40}  # for each so-and-so-many-th tuple, by how many seconds it is late
EVERY_BAD = 997
WINDOW = iw.range("20 seconds", partition_by="k", order_by="ts")


class Fussy(iw.WindowAggregate, returns="bigint"):
    """A sum of ids that raises on some."""

    def initialize(self, id: int) -> None:
        """The first tuple."""
        self.value = 0
        self.iterate(id)

    def iterate(self, id: int) -> None:
        """One more; a bad one changes nothing."""
        if id % EVERY_BAD == 3:
            raise ValueError(f"{id} is bad")
        self.value += id

    def expire(self, id: int) -> None:
        """One less."""
        self.value -= id

    def terminate(self) -> int:
        """The frame's sum."""
        return self.value


def spoiled(df: Any) -> Any:
    """The stream, with some times of far ahead, under a watermark that does not wait for all."""
    from pyspark.sql import functions as F

    seconds = F.when(F.col("id") % EVERY_FAR == 7, FAR)
    for every, behind in BEHIND.items():
        seconds = seconds.when(F.col("id") % every == 5, -behind)
    micros = F.unix_micros("ts") + F.coalesce(seconds, F.lit(0)).cast("bigint") * 1_000_000
    return iw.with_watermark(df.withColumn("ts", F.timestamp_micros(micros)), "ts", "500 milliseconds", ahead="1 day")


def spoiled_table(table: pa.Table) -> pa.Table:
    """The same of a table."""
    ids = table["id"].to_numpy()
    shift = np.zeros(len(ids), dtype=np.int64)
    for every, behind in reversed(BEHIND.items()):
        shift[ids % every == 5] = -behind
    shift[ids % EVERY_FAR == 7] = FAR
    times = table["ts"].combine_chunks().cast(pa.int64()).to_numpy() + shift * 1_000_000
    return table.set_column(
        table.schema.get_field_index("ts"), "ts", pa.array(times).cast(table.schema.field("ts").type)
    )


def kinds(df: Any) -> Any:
    """Rows, late tuples, bad tuples: from one operator."""
    return iw.outputs(_kinds(spoiled(df)))


def _kinds(df: Any) -> Any:
    applied = {"total": iw.sum("v").over(WINDOW), "fussy": Fussy()("id").over(WINDOW)}
    return iw.with_columns(df, **applied, on_error="collect")


def corrected(df: Any) -> Any:
    """Rows that are corrected for ten seconds, and late tuples."""
    return iw.outputs(_corrected(spoiled(df), allowed_lateness="10 seconds"))


def _corrected(df: Any, **options: Any) -> Any:
    return iw.with_columns(df, total=iw.sum("v").over(WINDOW), n=iw.count().over(WINDOW), **options)


def in_the_end(name: str, outputs: pa.Table) -> pa.Table:
    """The rows of all micro-batches, each in its last revision."""
    rows = _of_kind(outputs, "row")
    if name == "corrected":
        rows = rows.append_column("_at", pa.array(range(len(rows)))).sort_by(
            [("iw_row", "ascending"), ("iw_revision", "ascending")]
        )
        number = rows["iw_row"].to_numpy()
        is_last = pa.array([*(number[1:] != number[:-1]), True]) if len(rows) else pa.array([], pa.bool_())
        rows = rows.filter(is_last)
        rows = rows.filter(pc.invert(rows["iw_withdrawn"])).drop_columns(
            ["_at", "iw_row", "iw_revision", "iw_withdrawn"]
        )
    return rows


def wanted(name: str, table: pa.Table, outputs: pa.Table) -> pa.Table:
    """The batch run over all tuples but those that the query says were late; and all bad ones must have been found."""
    table, late = spoiled_table(table), _of_kind(outputs, "late")
    far = pa.array(table["id"].to_numpy() % EVERY_FAR == 7)
    assert set(table.filter(far)["id"].to_pylist()) <= set(late["id"].to_pylist()), "a tuple from far ahead is not late"
    on_time = table.filter(pc.invert(pc.is_in(table["id"], late["id"].combine_chunks())))
    return _corrected(on_time) if name == "corrected" else _kinds(on_time)


def _of_kind(outputs: pa.Table, kind: str) -> pa.Table:
    some = outputs.filter(pc.equal(outputs["kind"], kind))
    return pa.Table.from_struct_array(some[kind].combine_chunks())
