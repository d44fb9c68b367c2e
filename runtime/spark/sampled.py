"""A sample of keys and order values, for the choice of hot keys; and whether one may be taken unasked.

A sample is a job: it reads the keys and the order columns, and all that the DataFrame computes on the way to them. So it is
taken unasked (``hot_keys="auto"``) only where that is a small part of the work to come: where the DataFrame is files, or
cached, and nothing but columns and filters above, and where it is large.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from inwindow.optimizer.hot_keys import HASH, Cut, can_be_cut, cut
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.strategy import No
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.ranges import hash_of
from inwindow.runtime.spark.session import is_connect

WANTED = 1 << 18  # sampled rows: 16 bytes each, or a little more
LARGE = 5_000_000  # rows from which on a sample is taken unasked
_CHEAP = (
    "Project", "Filter", "ColumnarToRow", "FileScan", "Scan", "BatchScan", "Range", "LocalTableScan", "InMemoryTableScan",
    "Union", "Coalesce", "InputAdapter", "AdaptiveSparkPlan", "TableCacheQueryStage", "CollectMetrics",
)  # fmt: skip
_OTHER_EACH_TIME = re.compile(r"\b(rand|randn|randstr|uuid|shuffle|monotonically_increasing_id|spark_partition_id)\(")
_SIZE = re.compile(r"sizeInBytes=([\d.E+]+) (B|KiB|MiB|GiB|TiB|PiB)\b")  # exabytes are Spark's word for not knowing
_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}

Look = Callable[[Pass], Cut | No]


def look(columns: Columns, hot_keys: str) -> Look:
    """What finds the hot keys of a pass, as the user has said: ``"auto"``, ``"sample"`` or ``"off"``."""

    def found(work: Pass) -> Cut | No:
        if hot_keys == "off":
            return No("switched off")
        possible = can_be_cut(work)
        if isinstance(possible, No):
            return possible
        source = Source.of(columns, work)
        if hot_keys == "auto" and source.dear:
            return No(f"not looked for: {source.dear}; hot_keys='sample' looks for them")
        return cut(work, source.sample(), cores_of(columns.df))

    return found


@dataclass(frozen=True)
class Source:
    """Keys and order columns of the data, and what Spark says of them without running anything."""

    columns: Columns
    work: Pass
    data: Any
    rows: float | None  # about how many; None: Spark does not know
    dear: str  # why a sample would be dear, or nothing

    @classmethod
    def of(cls, columns: Columns, work: Pass) -> "Source":
        """Of a pass."""
        names = dict.fromkeys(work.places)
        places = [columns.crossing(name).alias(f"_{i}") for i, name in enumerate(names)]
        data = columns.df.select(hash_of(columns, work).alias("hash"), *places)
        logical, _, physical = cost_text(data).partition("== Physical Plan ==")
        size = _SIZE.search(logical)
        width = 8 + 8 * len(data.columns)  # as Spark reckons, about
        rows = None if size is None else float(size[1]) * _UNITS[size[2]] / width
        return cls(columns, work, data, rows, _dear(physical, rows))

    def sample(self) -> pa.Table:
        """About WANTED rows, or all: one job."""
        F = self.columns.session.F
        share = 1.0 if self.rows is None else 2 * WANTED / max(self.rows, 1)
        taken = self._taken(self.data.where(F.rand(0) < share) if share < 1 else self.data)
        if share < 1 and len(taken) < WANTED / 8:  # there are many fewer than Spark thinks
            taken = self._taken(self.data)
        schema = self.columns.schema()
        names = [HASH, *dict.fromkeys(self.work.places)]
        fields = [pa.field(HASH, pa.int64()), *(schema.field(name) for name in names[1:])]
        return taken.rename_columns(names).cast(pa.schema(fields))

    def _taken(self, data: Any) -> pa.Table:
        table: pa.Table = data.orderBy(self.columns.session.F.rand(1)).limit(WANTED).toArrow()
        return table


def _dear(physical: str, rows: float | None) -> str:
    """Why a sample would be dear for what it may save, or nothing."""
    if rows is None:
        return "Spark does not know how many rows there are"
    if rows < LARGE:
        return f"there are only about {rows:,.0f} rows"
    for line in physical.partition("InMemoryRelation")[0].splitlines():
        node = line.lstrip(" +-:*()0123456789")
        if node and not node.startswith(_CHEAP):
            return f"a sample would run the DataFrame's {node.split()[0]}"
    changing = _OTHER_EACH_TIME.search(physical)
    return f"{changing[1]}() gives other values each time" if changing else ""


def cores_of(df: Any) -> int:
    """How many tasks run at a time, as Spark says by the partitions of a range."""
    splits = re.search(r"splits=(\d+)", cost_text(df.sparkSession.range(1)))
    return int(splits[1]) if splits else 1


def cost_text(df: Any) -> str:
    """Spark's logical plan with sizes, and its physical plan, as ``df.explain("cost")`` prints them."""
    if is_connect(df):
        return str(df._explain_string(mode="cost"))
    return str(df._sc._jvm.PythonSQLUtils.explainString(df._jdf.queryExecution(), "cost"))
