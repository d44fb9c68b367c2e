"""Columns that are not there, wherever they are written: our words on the driver, and nothing of the JVM's on stderr."""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

import inwindow as iw

WINDOW = iw.rows(3, partition_by="item", order_by="id")
NAMED = "there is no column 'prise'; did you mean 'price'?"
ELSEWHERE = "the column 'price' is of another DataFrame; write F.col('price') for the one here"

# Where a column may be written -> what writes it there, and how the message begins.
PLACES: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "an argument": (lambda df, c: iw.with_columns(df, a=iw.max(c).over(WINDOW)), "max({})"),
    "... of two": (lambda df, c: iw.with_columns(df, a=iw.corr("price", c).over(WINDOW)), "corr(price, {})"),
    "... of a class": (lambda df, c: iw.with_columns(df, a=Last()(c).over(WINDOW)), "Last({})"),
    "a filter": (
        lambda df, c: iw.with_columns(df, a=iw.max("price").filter(c > 3).over(WINDOW)),
        "the filter of max(price)",
    ),
    "a key": (
        lambda df, c: iw.with_columns(df, a=iw.max("price").over(iw.rows(2, partition_by=["item", c], order_by="id"))),
        "the window of max(price)",
    ),
    "an order": (
        lambda df, c: iw.with_columns(df, a=iw.max("price").over(iw.rows(2, partition_by="item", order_by=c.desc()))),
        "the window of max(price)",
    ),
    "our order": (
        lambda df, c: iw.with_columns(df, a=iw.max("price").over(iw.rows(2, order_by=["id", iw.desc(c)]))),
        "the window of max(price)",
    ),
    "a window of Spark": (
        lambda df, c: iw.with_columns(df, a=iw.max("price").over(of_spark().partitionBy(c).orderBy("id"))),
        "the window of max(price)",
    ),
    "an argument of select": (lambda df, c: iw.select(df, "id", a=iw.max(c).over(WINDOW)), "max({})"),
    "select": (lambda df, c: iw.select(df, c, a=iw.max("price").over(WINDOW)), "select"),
    "select, an expression": (
        lambda df, c: iw.select(df, (c * 2).alias("x"), a=iw.max("price").over(WINDOW)),
        "select",
    ),
    "an argument of groups": (lambda df, c: iw.group_by(df, "item").agg(a=iw.max(c)), "max({})"),
    "a filter of groups": (
        lambda df, c: iw.group_by(df, "item").agg(a=iw.max("price").filter(c > 3)),
        "the filter of max(price)",
    ),
    "an order of groups": (lambda df, c: iw.group_by(df, "item", order_by=c).agg(a=iw.first("price")), "group_by"),
    "an argument of extents": (
        lambda df, c: iw.group_by(df, "item").window(iw.hop("id", size=4, every=2)).agg(a=iw.max(c)),
        "max({})",
    ),
    "an argument over other rows": (lambda df, c: iw.with_columns(df, a=iw.max(c).over(WINDOW), of=df), "max({})"),
    "a filter over other rows": (
        lambda df, c: iw.with_columns(df, a=iw.max("price").filter(c > 3).over(WINDOW), of=df),
        "the filter of max(price)",
    ),
    "explain": (lambda df, c: iw.explain(df, a=iw.max(c).over(WINDOW)), "max({})"),
    "explain of groups": (lambda df, c: iw.explain(iw.group_by(df, "item"), a=iw.max(c)), "max({})"),
    "among others": (
        lambda df, c: iw.with_columns(df, a=iw.max(df["price"] + 1).over(WINDOW), b=iw.max(c).over(WINDOW)),
        "max({})",
    ),
}


class Last(iw.Aggregate):
    def iterate(self, value: float) -> None:
        self.value = value

    def terminate(self) -> float:
        return self.value


def of_spark() -> Any:
    from pyspark.sql import Window

    return Window


@pytest.fixture(scope="module")
def bids(spark: Any) -> Any:
    return spark.range(9).selectExpr("id", "id % 2 as item", "cast(id as double) price", "struct(id as deep) as trade")


@pytest.fixture(scope="module")
def other(spark: Any) -> Any:
    return spark.range(3).selectExpr("id", "cast(id as double) price", "id as seller")


@pytest.fixture(autouse=True)
def nothing_logged() -> Iterator[None]:
    """What PySpark would write to stderr."""
    heard: list[logging.LogRecord] = []
    listener = logging.Handler()
    listener.emit = heard.append  # type: ignore[method-assign]
    from pyspark.logger import PySparkLogger

    loggers = [PySparkLogger.getLogger(f"{name}QueryContextLogger") for name in ("DataFrame", "SQL")]
    for one in loggers:
        one.addHandler(listener)
    yield
    for one in loggers:
        one.removeHandler(listener)
        assert not one.disabled
    assert [record.getMessage() for record in heard] == []


def refusal(call: Callable[[], Any], kind: type[Exception] = iw.UnknownColumnError) -> str:
    with pytest.raises(kind) as caught:
        call()
    assert caught.value.__cause__ is None and (caught.value.__suppress_context__ or caught.value.__context__ is None)
    return str(caught.value)


@pytest.mark.parametrize("place", PLACES)
def test_wherever_it_is_written(bids: Any, other: Any, place: str) -> None:
    from pyspark.sql import functions as F

    write, where = PLACES[place]
    assert refusal(lambda: write(bids, F.col("prise"))) == f"{where.format('prise')}: {NAMED}"
    assert refusal(lambda: write(bids, other["price"])) == f"{where.format('price')}: {ELSEWHERE}"


def test_whatever_is_wrong_with_it(spark: Any, bids: Any, other: Any) -> None:
    from pyspark.sql import functions as F

    def told(column: Any, df: Any = bids, kind: type[Exception] = iw.UnknownColumnError) -> str:
        return refusal(lambda: iw.with_columns(df, a=Last()(column).over(iw.rows(2))), kind)

    assert told(other["seller"]) == ("Last(seller): the column 'seller' is of another DataFrame; join the two first")
    assert told(F.expr("prise + 1")) == f"Last(prise + 1): {NAMED}"
    assert told(F.col("trade.deeper")) == (
        "Last(trade.deeper): there is no field 'deeper' in trade.deeper; did you mean 'deep'?"
    )
    assert (
        told("trade.deeper") == "Last(trade.deeper): there is no field 'deeper' in 'trade.deeper'; did you mean 'deep'?"
    )
    assert told("trad.deep").startswith("Last(trad.deep): there is no column 'trad.deep'; ")
    assert told(F.col("a.b"), spark.sql("select 1 as `a.b`")) == (
        "Last(a.b): F.col('a.b') is a field in a struct, to Spark; the column of this name is F.col('`a.b`')"
    )
    joined = bids.join(other, bids["id"] == other["id"])
    assert told(F.col("price"), joined) == "Last(price): the column 'price' is there 2 times; rename them apart"
    assert told("price", joined) == "Last(price): the column 'price' is there 2 times; rename them apart"
    aliased = bids.alias("l").join(other.alias("r"), F.col("l.id") == F.col("r.id"))
    assert told(F.col("l.prise"), aliased).startswith("Last(l.prise): there is no column 'l.prise'; ")
    assert "Spark cannot make" in told(F.col("price") + F.col("trade"), kind=iw.UsageError)
    assert told(F.sum("price"), kind=iw.UsageError) == (
        "Last(sum(price)): sum(price) is an aggregate of Spark's own, and here a column has a value for each row: add it as a "
        "column first, by a join or a window"
    )
    assert "makes any number of rows of one" in told(F.explode(F.array("id", "id")), kind=iw.UsageError)
    assert "Spark cannot make" in told(F.expr("no_such_function(price)"), kind=iw.UsageError)
    assert "JVM" not in told(F.expr("no_such_function(price)"), kind=iw.UsageError)


def test_on_a_stream(spark: Any, other: Any) -> None:
    from pyspark.sql import functions as F

    stream = spark.readStream.format("rate").load().withWatermark("timestamp", "1 second")
    window = iw.range("5 seconds", order_by="timestamp")
    for column, said in (
        (F.col("vallue"), "there is no column 'vallue'; did you mean 'value'?"),
        (other["price"], "the column 'price' is of another DataFrame; join the two first"),
    ):
        applied, one = iw.max(column).over(window), iw.max("value").over(window)
        assert refusal(partial(iw.with_columns, stream, a=applied)).endswith(said)
        assert refusal(partial(iw.select, stream, column, a=one)) == f"select: {said}"


def test_in_several_threads(bids: Any) -> None:
    """Each is told of its own mistake."""
    from pyspark.sql import functions as F

    def told(number: int) -> bool:
        said = refusal(lambda: iw.with_columns(bids, a=iw.max(F.col(f"prise{number}")).over(WINDOW)))
        return said == f"max(prise{number}): there is no column 'prise{number}'; did you mean 'price'?"

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(told, range(12)))


def test_what_others_ask_is_logged(bids: Any) -> None:
    """The user's own mistake in another thread, while we ask for ours."""
    from pyspark.errors import AnalysisException
    from pyspark.logger import PySparkLogger
    from pyspark.sql import functions as F

    from inwindow.runtime.spark.analysis import ask_quietly

    logger = PySparkLogger.getLogger("DataFrameQueryContextLogger")
    heard: list[str] = []
    listener = logging.Handler()
    listener.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    before = logger.handlers[:]
    logger.handlers[:] = [listener]

    def theirs() -> None:
        with pytest.raises(AnalysisException):
            bids.select(F.col("prise")).schema  # noqa: B018

    try:
        with ThreadPoolExecutor(1) as pool:
            ask_quietly(lambda: pool.submit(theirs).result())
            assert len(heard) == 1
            with pytest.raises(AnalysisException):
                ask_quietly(lambda: bids.select(F.col("prise")).schema)
            assert len(heard) == 1
            theirs()
            assert len(heard) == 2
    finally:
        logger.handlers[:] = before


def test_in_text(spark: Any, bids: Any) -> None:
    bids.createOrReplaceTempView("columns_bids")
    iw.register(spark, "columns_last", Last())
    text = "SELECT columns_last(prise) OVER (PARTITION BY item ORDER BY id) AS a FROM columns_bids"
    assert "with name `prise` cannot be resolved" in refusal(lambda: iw.sql(spark, text), iw.UsageError)
    text = "SELECT columns_last(price) OVER (PARTITION BY item ORDER BY id) AS a FROM columns_bids ORDER BY prise"
    assert "with name `prise` cannot be resolved" in refusal(lambda: iw.sql(spark, text), iw.UsageError)
