"""What sentinels find in Spark's workers: a column beside the rows, summed up as observed metrics, on classic and on Connect.

::

    worker    rows ... | found       NULL but in the first row of an output batch: checked, deviations, the largest
    Spark     observe(sum, sum, max)                                then the column is dropped
    driver    sentinel.checked       once an action has run; Spark counts the first one only
"""

from typing import Any

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.spark.session import is_connect
from inwindow.runtime.spark.types import AsItIs, Result, to_spark
from inwindow.udaf.sentinel import Deviation, Sentinel

Found = tuple[int, int, Deviation | None]

LARGEST = pa.struct(
    [("size", pa.float64()), *((name, pa.string()) for name in ("aggregate", "place", "given", "expected"))]
)
FOUND = pa.struct([("checked", pa.int64()), ("deviations", pa.int64()), ("largest", LARGEST)])
COLUMNS = ("checked", "deviations", "largest")


def sentinels_of(work: Pass) -> list[Sentinel]:
    """The sentinels of a pass, once each."""
    found = {id(step.sentinel): step.sentinel for step in work.steps if step.sentinel is not None}
    return list(found.values())


def with_found(work: Pass, batch: pa.RecordBatch) -> pa.RecordBatch:
    """In a worker: the output, and for each sentinel what it has found since the last one."""
    for number, sentinel in enumerate(sentinels_of(work)):
        rows: list[Any] = [None] * batch.num_rows
        if batch.num_rows:
            rows[0] = as_row(sentinel.take())
        batch = batch.append_column(f"found_{number}", pa.array(rows, FOUND))
    return batch


def as_row(found: Found) -> dict[str, Any] | None:
    """Findings as a value of :data:`FOUND`; None where there are none."""
    checked, deviations, largest = found
    if not checked:
        return None
    its = None if largest is None else {name: getattr(largest, name) for name in LARGEST.names}
    return {"checked": checked, "deviations": deviations, "largest": its}


def found_results(work: Pass) -> list[Result]:
    """The columns that :func:`with_found` adds, as what crosses to Spark."""
    return [Result.of(AsItIs(to_spark(FOUND))) for _ in sentinels_of(work)]


def observed(df: Any, work: Pass, columns: list[Any], F: Any) -> Any:
    """The DataFrame, whose ``columns`` are what the pass's sentinels have found."""
    for sentinel, column in zip(sentinels_of(work), columns, strict=True):
        observation = _observation(df)
        df = df.observe(observation, *metrics(column, F))
        sentinel.elsewhere(lambda observation=observation: _found(observation))
    return df


def metrics(column: Any, F: Any) -> list[Any]:
    """Two sums, and the largest deviation: structs are ordered by their first field."""
    sums = [F.coalesce(F.sum(column[name]), F.lit(0)).alias(name) for name in COLUMNS[:2]]
    return [*sums, F.max(column["largest"]).alias("largest")]


def found_in(row: Any) -> Found:
    """Observed metrics as findings."""
    worst = row["largest"]
    return (
        row["checked"],
        row["deviations"],
        None if worst is None else Deviation(**{n: worst[n] for n in LARGEST.names}),
    )


def _observation(df: Any) -> Any:
    if is_connect(df):
        from pyspark.sql.connect.observation import Observation as OfConnect

        return OfConnect()
    from pyspark.sql import Observation

    return Observation()


def _found(observation: Any) -> Found:
    """Nothing before the first action has ended, rather than to wait for one."""
    jvm = getattr(observation, "_jo", None)
    if jvm is not None and not jvm.future().isCompleted():
        return 0, 0, None
    row = observation.get
    return found_in(row) if row else (0, 0, None)
