"""Findings of sentinels in Spark's workers: an extra column, summed up as observed metrics, on classic Spark and on Connect.

::

    worker    rows ... | found       NULL except in the first row of an output batch: counts, and the largest deviation
    Spark     observe(sum, ..., max)                                then the column is dropped
    driver    sentinel.checked       once an action has run; Spark counts the first one only
"""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.spark.session import is_connect
from inwindow.runtime.spark.types import AsItIs, Result, to_spark
from inwindow.udaf.sentinel import COUNTS, Deviation, Found, Sentinel

LARGEST = pa.struct(
    [("size", pa.float64()), *((name, pa.string()) for name in ("aggregate", "place", "given", "expected"))]
)
FOUND = pa.struct([*((name, pa.int64()) for name in COUNTS), ("largest", LARGEST)])


def sentinels_of(*works: Pass) -> list[Sentinel]:
    """The sentinels of passes; each sentinel once per pass."""
    return [
        sentinel
        for work in works
        for sentinel in {id(step.sentinel): step.sentinel for step in work.steps if step.sentinel is not None}.values()
    ]


def with_found(works: Iterable[Pass], batch: pa.RecordBatch) -> pa.RecordBatch:
    """In a worker: add to the output a column per sentinel, with what it has found since the last batch."""
    for number, sentinel in enumerate(sentinels_of(*works)):
        rows: list[Any] = [None] * batch.num_rows
        if batch.num_rows:
            rows[0] = as_row(sentinel.take())
        batch = batch.append_column(f"found_{number}", pa.array(rows, FOUND))
    return batch


def as_row(found: Found) -> dict[str, Any] | None:
    """Findings as a value of :data:`FOUND`; None if there are none."""
    if found == Found():
        return None
    largest = None if found.largest is None else {name: getattr(found.largest, name) for name in LARGEST.names}
    return {**{name: getattr(found, name) for name in COUNTS}, "largest": largest}


def found_results(works: Iterable[Pass]) -> list[Result]:
    """The types of the columns that :func:`with_found` adds."""
    return [Result.of(AsItIs(to_spark(FOUND))) for _ in sentinels_of(*works)]


def observed(df: Any, works: Iterable[Pass], columns: list[Any], F: Any) -> Any:
    """Observe the findings of the sentinels of passes, which are in ``columns``."""
    for sentinel, column in zip(sentinels_of(*works), columns, strict=True):
        observation = observation_of(df)
        df = df.observe(observation, *metrics(column, F))
        sentinel.elsewhere(lambda observation=observation: _found(observation))
    return df


def metrics(column: Any, F: Any) -> list[Any]:
    """The sums and the largest deviation (Spark orders structs by their first field)."""
    sums = [F.coalesce(F.sum(column[name]), F.lit(0)).alias(name) for name in COUNTS]
    return [*sums, F.max(column["largest"]).alias("largest")]


def found_in(row: Any) -> Found:
    worst = row["largest"]
    largest = None if worst is None else Deviation(**{name: worst[name] for name in LARGEST.names})
    return Found(**{name: row[name] for name in COUNTS}, largest=largest)


def observation_of(df: Any) -> Any:
    """A new observation, of the kind of the DataFrame's session."""
    if is_connect(df):
        from pyspark.sql.connect.observation import Observation as OfConnect

        return OfConnect()
    from pyspark.sql import Observation

    return Observation()


def row_of(observation: Any) -> Any:
    """What was observed; None before the first action has ended, because ``get`` would wait for it."""
    jvm = getattr(observation, "_jo", None)
    if jvm is not None and not jvm.future().isCompleted():
        return None
    return observation.get or None


def _found(observation: Any) -> Found:
    row = row_of(observation)
    return found_in(row) if row else Found()
