"""The state in a checkpoint, read by Spark's own source of state stores and opened in the workers, a bucket at a time."""

import json
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import types as T

from inwindow.runtime.spark.messages import message_of
from inwindow.runtime.spark.output_types import spark_batch
from inwindow.runtime.spark.state_text import bytes_in_sql
from inwindow.runtime.spark.types import to_spark
from inwindow.runtime.stream.bucket import whole
from inwindow.runtime.stream.inspection import READERS, inspected
from inwindow.udaf.errors import StateError, UsageError, shown

_VALUES = ("bucket", "chunks")  # the state variables of our transformWithState
_IN_PANDAS = "applyInPandasWithState"
_CONTENTS = "bucket int, number bigint, content binary"  # number: of a chunk; NULL for the head


def state_of_checkpoint(path: str, by: str, operator: int | None, batch: int | None) -> Any:
    """A DataFrame with what the state of an operator holds."""
    spark = _session()
    its = _operator(spark, path, operator)
    try:
        contents = _contents(spark, path, its, batch)
        return _opened(contents, by)
    except PySparkException as error:
        raise StateError(f"stream_state({shown(path)}): Spark cannot read this state: {message_of(error)}") from None


def state_of_rows(rows: Any, by: str) -> Any:
    """The same of states that were saved: a DataFrame with a row per bucket."""
    return _opened(rows.selectExpr("bucket", "CAST(NULL AS BIGINT) AS number", "content"), by)


def _session() -> Any:
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    if spark is None:
        raise UsageError(
            "stream_state(a path) reads a checkpoint with Spark, and there is no active session: make one first, "
            "SparkSession.builder.getOrCreate()"
        )
    return spark


# Which operator


def _operator(spark: Any, path: str, asked: int | None) -> Any:
    """The row of Spark's metadata for an operator of ours."""
    said = f"stream_state({shown(path)})"
    try:
        found = spark.read.format("state-metadata").load(path).collect()
    except PySparkException as error:
        raise StateError(f"{said}: Spark cannot read this checkpoint: {message_of(error)}") from None
    if not found:
        raise UsageError(
            f"{said}: there is no state: give the checkpointLocation of a query that has run a micro-batch, the folder with "
            "'commits', 'offsets' and 'state'"
        )
    ours = {int(row.operatorId): row for row in found if _is_ours(row)}
    if not ours:
        names = ", ".join(sorted({row.operatorName for row in found}))
        raise StateError(
            f"{said}: this checkpoint has the state of {names}, and none of inwindow: read it with spark.read.format('statestore')"
        )
    if asked is None and len(ours) > 1:
        raise UsageError(f"{said}: the query has several results: say which with operator=, one of {_listed(ours)}")
    if asked is not None and asked not in ours:
        raise UsageError(f"stream_state(operator={shown(asked)}): the operators of inwindow here are {_listed(ours)}")
    return ours[next(iter(ours)) if asked is None else asked]


def _listed(operators: Any) -> str:
    return ", ".join(map(str, sorted(operators)))


def _is_ours(row: Any) -> bool:
    if row.operatorName == _IN_PANDAS:
        return True
    properties = json.loads(row.operatorProperties or "{}")
    variables = properties.get("stateVariables", []) if isinstance(properties, dict) else []
    return set(_VALUES) <= {one.get("stateName") for one in variables}


# Its bytes


def _contents(spark: Any, path: str, operator: Any, batch: int | None) -> Any:
    """The heads and chunks of all buckets."""
    reader = spark.read.format("statestore").option("operatorId", operator.operatorId)
    if batch is not None:
        reader = reader.option("batchId", batch)
    if operator.operatorName == _IN_PANDAS:
        state = reader.load(path)
        if (
            "groupState" not in state.schema["value"].dataType.names
            or "bucket" not in state.schema["key"].dataType.names
        ):
            raise StateError(
                f"stream_state({shown(path)}): this is the state of an {_IN_PANDAS} that is not inwindow's"
            )
        return state.selectExpr("key.bucket", "CAST(NULL AS BIGINT) AS number", _content("value.groupState"))
    heads = reader.option("stateVarName", _VALUES[0]).load(path)
    chunks = reader.option("stateVarName", _VALUES[1]).load(path)
    return heads.selectExpr("key.bucket", "CAST(NULL AS BIGINT) AS number", _content("value")).union(
        chunks.selectExpr("key.bucket", "user_map_key.number", _content("user_map_value"))
    )


def _content(value: str) -> str:
    return f"{bytes_in_sql(f'{value}.content')} AS content"


def _opened(contents: Any, by: str) -> Any:
    """A task per bucket opens it; the columns are known from the head of any one."""
    head = contents.where("number IS NULL").limit(1).collect()
    if not head:
        raise StateError("stream_state(): the state is empty: the query has not finished a micro-batch")
    sample = READERS[by](inspected(bytes(head[0].content), None))
    fields = [
        T.StructField(name, to_spark(its.type)) for name, its in zip(sample.schema.names, sample.schema, strict=True)
    ]
    return contents.groupBy("bucket").applyInArrow(_bucket_function(by), T.StructType(fields))


def _bucket_function(by: str):  # type: ignore[no-untyped-def]  # its annotations are read by Spark
    """The function that Spark calls for a bucket."""

    def inwindow(table: pa.Table) -> pa.Table:
        return _bucket(by, table)

    return inwindow


def _bucket(by: str, table: pa.Table) -> pa.Table:
    """What a bucket holds, of its head and its chunks."""
    numbers, contents = table.column("number").to_pylist(), table.column("content").to_pylist()
    stored = dict(zip(numbers, contents, strict=True))
    label = table.column("bucket")[0].as_py()
    if None not in stored:
        raise StateError(f"the state of bucket {label} has chunks, but no head: go on from an earlier checkpoint")
    state = inspected(stored[None], stored.__getitem__)
    if state.label != label:
        raise StateError(f"this is the state of bucket {state.label}, not of bucket {label}")
    made = READERS[by](state)
    return pa.Table.from_batches([spark_batch(whole(made))]).rename_columns(made.schema.names)
