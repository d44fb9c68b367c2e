"""A sample of keys and order values, to find hot keys; and when to take one by default.

A sample is a job: it reads the keys and the order columns, and computes everything that the DataFrame needs for them. So
by default (``hot_keys="auto"``) it is taken only if that is a small part of the whole work: the DataFrame reads files or a cache,
has only projections and filters above them, and is large.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T

from inwindow.optimizer.hot_keys import HASH, Cut, can_be_cut, cut
from inwindow.optimizer.plan import Pass
from inwindow.optimizer.strategy import No
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.session import aliased, explained
from inwindow.runtime.spark.shards import hash_of

WANTED = 1 << 18  # sampled rows, of about 16 bytes
LARGE = 5_000_000  # with fewer rows no sample is taken by default
_CHEAP = (
    "Project", "Filter", "ColumnarToRow", "FileScan", "Scan", "BatchScan", "Range", "LocalTableScan", "InMemoryTableScan",
    "Union", "Coalesce", "InputAdapter", "AdaptiveSparkPlan", "TableCacheQueryStage", "CollectMetrics",
)  # fmt: skip
_OTHER_EACH_TIME = re.compile(r"\b(rand|randn|randstr|uuid|shuffle|monotonically_increasing_id|spark_partition_id)\(")
_SIZE = re.compile(r"sizeInBytes=([\d.E+]+) (B|KiB|MiB|GiB|TiB|PiB)\b")  # exabytes are Spark's word for not knowing
_WIDTHS = {
    "BooleanType": 1, "ByteType": 1, "NullType": 1, "ShortType": 2, "IntegerType": 4, "FloatType": 4, "DateType": 4,
    "YearMonthIntervalType": 4, "CalendarIntervalType": 16, "StringType": 20, "CharType": 20, "VarcharType": 20,
    "BinaryType": 100, "VariantType": 2048,
}  # fmt: skip
_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}

Look = Callable[[Pass], Cut | No]


def hot_key_finder(columns: Columns, hot_keys: str) -> Look:
    """The function that finds the hot keys of a pass, for the user's choice: ``"auto"``, ``"sample"`` or ``"off"``."""

    def found(work: Pass) -> Cut | No:
        if hot_keys == "off":
            return No("switched off")
        possible = can_be_cut(work)
        if isinstance(possible, No):
            return possible
        rows = rows_of(columns)
        dear = _few(rows)
        if hot_keys == "auto" and dear:
            return No(f"not looked for: {dear}; hot_keys='sample' looks for them")
        source = Source.of(columns, work, rows)
        dear = source.dear()
        if hot_keys == "auto" and dear:
            return No(f"not looked for: {dear}; hot_keys='sample' looks for them")
        return cut(work, source.sample(), cores_of(columns.df))

    return found


@dataclass(frozen=True)
class Source:
    """Keys and order columns of the data."""

    columns: Columns
    work: Pass
    data: Any
    rows: float | None  # Spark's estimate; None if it has none

    @classmethod
    def of(cls, columns: Columns, work: Pass, rows: float | None) -> "Source":
        names = dict.fromkeys(work.position_columns)
        position_columns = [aliased(columns.crossing(name), f"_{i}") for i, name in enumerate(names)]
        return cls(columns, work, columns.df.select(hash_of(columns, work).alias("hash"), *position_columns), rows)

    def dear(self) -> str:
        """What else Spark would run for a sample, besides reading; "" if nothing."""
        physical = explained(self.data, "simple").partition("== Physical Plan ==")[2]
        for line in physical.partition("InMemoryRelation")[0].splitlines():
            node = line.lstrip(" +-:*()0123456789")
            if node and not node.startswith(_CHEAP):
                return f"a sample would run the DataFrame's {node.split()[0]}"
        changing = _OTHER_EACH_TIME.search(physical)
        return f"{changing[1]}() gives other values each time" if changing else ""

    def sample(self) -> pa.Table:
        """About WANTED rows, or all: one job."""
        F = self.columns.session.F
        share = 1.0 if self.rows is None else 2 * WANTED / max(self.rows, 1)
        taken = self._taken(self.data.where(F.rand(0) < share) if share < 1 else self.data)
        if share < 1 and len(taken) < WANTED / 8:  # there are many fewer than Spark thinks
            taken = self._taken(self.data)
        schema = self.columns.schema()
        names = [HASH, *dict.fromkeys(self.work.position_columns)]
        fields = [pa.field(HASH, pa.int64()), *(schema.field(name) for name in names[1:])]
        return taken.rename_columns(names).cast(pa.schema(fields))

    def _taken(self, data: Any) -> pa.Table:
        table: pa.Table = data.orderBy(self.columns.session.F.rand(1)).limit(WANTED).toArrow()
        return table


def changes_each_time(df: Any) -> str:
    """The function in a plan that gives other values at each run; or nothing."""
    found = _OTHER_EACH_TIME.search(explained(df, "simple").replace("monotonically_increasing_id() AS __inwindow", ""))
    return found[1] if found else ""


def rows_of(columns: Columns) -> float | None:
    """Spark's estimate of the number of rows: it estimates the size in bytes, and a width of each row from its types."""
    size = _SIZE.search(columns.explained.partition("== Physical Plan ==")[0])
    width = 8 + sum(map(width_of, columns.kinds))
    return None if size is None else float(size[1]) * _UNITS[size[2]] / width


def width_of(kind: T.DataType) -> int:
    """The bytes of a value in Spark's estimate.

    >>> width_of(T.ArrayType(T.StringType())), width_of(T.DecimalType(20, 2))
    (20, 16)
    """
    match kind:
        case T.ArrayType():
            return width_of(kind.elementType)
        case T.MapType():
            return width_of(kind.keyType) + width_of(kind.valueType)
        case T.StructType():
            return sum(width_of(field.dataType) for field in kind)
        case T.UserDefinedType():
            return width_of(kind.sqlType())
        case T.DecimalType():
            return 8 if kind.precision <= 18 else 16
    return _WIDTHS.get(type(kind).__name__, 8)


def _few(rows: float | None) -> str:
    """Why a sample would not pay; "" if it would."""
    if rows is None:
        return "Spark does not know how many rows there are"
    return f"there are only about {rows:,.0f} rows" if rows < LARGE else ""


def cores_of(df: Any) -> int:
    """How many tasks run at a time: Spark cuts a range into that many partitions."""
    splits = re.search(r"splits=(\d+)", explained(df.sparkSession.range(1), "cost"))
    return int(splits[1]) if splits else 1
