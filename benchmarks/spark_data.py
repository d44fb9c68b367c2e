"""The rows of the Spark benchmarks, kept as Parquet in a temporary folder; and the session that reads them.

``ts`` comes in a shuffled order, so that a sort has work to do. Slow contenders get fewer keys with as many rows each, so
that a window is as full for them as for the others.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PRIME = 982_451_653  # larger than any number of rows, so ``id * PRIME % rows`` is a permutation
FRACTIONS = (1, 4, 16, 64)  # how many times fewer rows
# Spark weighs each row that it hands to Python in a struct (mapInArrow, applyInPandas), unless batches may have any size.
WEIGHING, NEVER = "spark.sql.execution.arrow.maxBytesPerBatch", str((1 << 31) - 1)


def session(**settings: str) -> Any:
    """A local session on two threads; its workers run this Python."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("benchmarks")
    plain = {
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "8",
        "spark.ui.showConsoleProgress": "false",
    }
    for name, value in (plain | settings).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def stream(spark: Any, rows: int, key: str) -> Any:
    """Columns k, ts, v: a key by a SQL expression over ``id``, a shuffled time, a double between -1000 and 1000."""
    value = "(pmod(xxhash64(id, 7), 2000001) - 1000000) / 1000D"
    return spark.range(rows).selectExpr(f"{key} AS k", f"id * {PRIME} % {rows} AS ts", f"{value} AS v", "id")


@dataclass(frozen=True)
class Data:
    """A data set, and smaller ones with fewer keys."""

    spark: Any
    folder: Path
    name: str
    rows: int
    keys: int
    strings: int = 0

    def read(self, fraction: int) -> Any:
        """The rows of every ``fraction``-th key."""
        place = str(self.folder / f"{self.name}-{fraction}")
        if not os.path.exists(place):
            df = stream(self.spark, self.rows, f"pmod(xxhash64(id), {self.keys})").where(f"k % {fraction} = 0")
            text = [f"concat('text ', pmod(xxhash64(id, {i}), 100000)) AS s{i}" for i in range(self.strings)]
            df.selectExpr("k", "ts", "v", *text).write.parquet(place)
        return self.spark.read.parquet(place)
