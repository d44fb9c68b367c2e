"""``allowed_lateness=`` on Spark, with both operators and a restart: DuckDB merges the rows, and gets to the batch's table."""

from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from samples.ids import IdsMerge, Live
from spark import stream_cases
from spark.controlled import Feed, finished, metrics, plain, use

import inwindow as iw

BOUND = "60 seconds"
CASES = stream_cases.cases(9)
MERGE = """
    MERGE INTO newest USING batch ON {on}
    WHEN MATCHED AND batch.iw_withdrawn THEN DELETE
    WHEN MATCHED THEN UPDATE
    WHEN NOT MATCHED AND NOT batch.iw_withdrawn THEN INSERT
"""


def disordered() -> list[pa.Table]:
    """The micro-batches of the cases; a third of all tuples come later, but within the bound."""
    random = Random(5)
    batches: list[list[dict[str, Any]]] = [[] for _ in CASES.batches]
    for number, batch in enumerate(CASES.batches):
        for row in batch.to_pylist():
            is_late = row["ts"] is None or row["id"] in CASES.late
            moves = not is_late and number < len(batches) - 1 and random.random() < 0.3
            batches[number + moves].append(row)
    return [pa.Table.from_pylist(rows, stream_cases.SCHEMA) for rows in batches]


def windows(df: Any, **bound: Any) -> Any:
    """A row for each tuple."""
    by = {"partition_by": ("case", "k"), "order_by": "ts"}
    applied = {
        "ids": IdsMerge()("id").over(iw.range("9 seconds", **by)), "live": Live()("id").over(iw.rows(3, **by)),
        "total": iw.sum("n").over(iw.unbounded(**by)), "place": iw.row_number().over(iw.unbounded(**by)),
    }  # fmt: skip
    return iw.with_columns(df, **applied, **bound)


def sessions(df: Any, **bound: Any) -> Any:
    """Rows that are withdrawn: two sessions become one."""
    return iw.group_by(df, "case", "k").window(iw.session("ts", gap="4 seconds")).agg(ids=IdsMerge()("id"), **bound)


@pytest.mark.parametrize(
    ("operator", "query", "on"),
    [
        ("transformWithState", windows, "newest.iw_row = batch.iw_row"),
        ("applyInPandasWithState", sessions, '(newest."case", newest.k, newest."window") IS NOT DISTINCT FROM '
         '(batch."case", batch.k, batch."window")'),
    ],
)  # fmt: skip
def test_merged_rows_are_those_of_the_batch(spark: Any, tmp_path: Path, operator: str, query: Any, on: str) -> None:
    use(spark, operator)
    is_whole, batches = query is sessions, disordered()  # rows and late tuples from one operator
    feed = Feed(tmp_path / "feed", stream_cases.DDL).add(*batches[:3])
    file, revised, late = str(tmp_path / "newest.db"), [], 0

    def merge(df: Any, number: int) -> None:
        batch = (df.where("kind = 'row'").select("row.*") if is_whole else df).toArrow()
        with duckdb.connect(file) as database:
            database.execute("CREATE TABLE IF NOT EXISTS newest AS SELECT * FROM batch LIMIT 0")
            database.execute(MERGE.format(on=on))
        revised.extend(batch["iw_revision"].to_pylist())

    for some in ((), batches[3:]):  # a restart between two runs
        feed.add(*some)
        result = query(feed.read(spark), allowed_lateness=BOUND)
        result = iw.outputs(result) if is_whole else result
        writer = result.writeStream.foreachBatch(merge).trigger(availableNow=True)
        run = finished(writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start())
        late += sum(observed["late_tuples"] for observed in metrics(run))
    table = pa.concat_tables(batches)
    on_time = table.filter(pa.array([row["ts"] is not None and row["case"] != "end" for row in table.to_pylist()]))
    assert late == table["ts"].null_count and max(revised) > 0
    batch = query(on_time)
    with duckdb.connect(file) as database:
        newest = database.execute("SELECT * FROM newest").to_arrow_table()
    assert plain(newest.select(batch.column_names)) == plain(batch)


def test_explain_says_what_is_kept(spark: Any, tmp_path: Path) -> None:
    use(spark, "transformWithState")
    df = Feed(tmp_path / "feed", stream_cases.DDL).read(spark)
    applied = iw.count().over(iw.range("9 seconds", partition_by="k", order_by="ts"))
    said = str(iw.explain(df, n=applied, allowed_lateness="5 minutes"))
    assert "corrections: a tuple up to 5 minutes behind the watermark is taken" in said
    with pytest.raises(iw.UsageError, match="it adds the column 'iw_row'"):
        iw.with_columns(df, iw_row=applied, allowed_lateness="5 minutes")
