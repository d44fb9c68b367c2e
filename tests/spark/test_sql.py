"""SQL: iw.sql says the same as Spark where Spark can say it, and the same as the DataFrame calls where it cannot."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from samples.aggregates import MyAvg

import inwindow as iw

pytestmark = pytest.mark.filterwarnings("ignore:.*one task:UserWarning")


class Quiet(iw.WindowAggregate):
    inwindow: iw.InWindow

    def iterate(self, item):
        pass

    def expire(self, item) -> str | None:
        return f"{item} has gone quiet" if len(self.inwindow) == 1 else None


class Twice(iw.Aggregate):
    def iterate(self, value) -> Iterator[float]:
        if value > 5:
            yield value
            yield -value


@pytest.fixture(scope="module")
def bids(spark: Any) -> Any:
    rows = [(item, ts, float(ts * 7 % 11), None if ts % 5 == 0 else ts % 3) for ts in range(1, 31) for item in "ab"]
    df = spark.createDataFrame(rows, "item string, ts int, price double, `odd name` int")
    df.createOrReplaceTempView("bids")
    spark.createDataFrame([("a", "lamp"), ("b", "sofa")], "item string, title string").createOrReplaceTempView("items")
    iw.register(spark, "my_avg", MyAvg())
    iw.register(spark, "quiet", Quiet())
    iw.register(spark, "twice", Twice())
    return df


def rows_of(df: Any, in_order: bool = False) -> list[Any]:
    found = [tuple(round(v, 9) if isinstance(v, float) else v for v in row) for row in df.collect()]
    return found if in_order else sorted(found, key=str)


# Each is run twice: with our my_avg, and with Spark's avg in its place.
ALIKE = [
    "SELECT item, ts, my_avg(price) OVER (PARTITION BY item ORDER BY ts ROWS 9 PRECEDING) AS a FROM bids",
    "SELECT *, my_avg(price) OVER (PARTITION BY item ORDER BY ts) AS a FROM bids",
    "SELECT my_avg(price) OVER (PARTITION BY item) AS a, * FROM bids b",
    "SELECT b.*, i.*, my_avg(b.price * 2) OVER (PARTITION BY i.title ORDER BY b.ts) a FROM bids b JOIN items i ON b.item = i.item",
    "SELECT ts, my_avg(price) OVER w * 2 + round(price, 1) AS x, -my_avg(ts) OVER w y FROM bids WHERE price > 3 "
    "WINDOW w AS (PARTITION BY item ORDER BY ts DESC ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)",
    "SELECT item, ts, my_avg(price) OVER (PARTITION BY item ORDER BY ts RANGE BETWEEN 4 PRECEDING AND 2 FOLLOWING) a, "
    "my_avg(price) OVER (ORDER BY ts DESC, item ROWS 3 PRECEDING) b, sum(price) OVER (PARTITION BY item ORDER BY ts) c FROM bids",
    "SELECT ts, my_avg(price) OVER (PARTITION BY `odd name` ORDER BY ts NULLS LAST, item ROWS 1 PRECEDING) FROM bids",
    "SELECT item, my_avg(price) OVER (PARTITION BY item ORDER BY ts) AS m, round(m, 2) + ts AS r, r * 2 AS d FROM bids",
    "WITH a AS (SELECT item, ts, my_avg(price) OVER (PARTITION BY item ORDER BY ts) AS m FROM bids), b AS (SELECT item, m FROM "
    "(SELECT *, my_avg(m) OVER (PARTITION BY item ORDER BY ts ROWS 1 PRECEDING) AS mm FROM a) t WHERE mm > 3) "
    "SELECT item, max(m) FROM b GROUP BY item UNION ALL SELECT item, my_avg(m) OVER (PARTITION BY item ORDER BY ts) FROM a",
    "SELECT ts, item, my_avg(price) OVER (ORDER BY CAST(ts AS timestamp), item ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) "
    "a FROM bids",
    "SELECT ts, my_avg(price) OVER (ORDER BY CAST(ts AS timestamp) RANGE INTERVAL '5' SECOND PRECEDING) a FROM bids",
    "SELECT ts, my_avg(price) FILTER (WHERE ts % 2 = 0) OVER (PARTITION BY item ORDER BY ts ROWS 3 PRECEDING) a FROM bids",
    "SELECT item, count(*) n, my_avg(sum(price)) OVER (ORDER BY item) a, my_avg(max(ts)) OVER () / count(*) b "
    "FROM bids GROUP BY 1 HAVING count(*) > 2",
    "SELECT item, ts % 3, my_avg(sum(price)) OVER (PARTITION BY item ORDER BY ts % 3) a FROM bids GROUP BY ALL",
    "WITH x AS (SELECT ts, sum(price) AS p FROM bids GROUP BY ts) SELECT ts, my_avg(p) OVER (ORDER BY ts ROWS 3 PRECEDING) a "
    "FROM x",
    "SELECT CASE WHEN my_avg(price) OVER (PARTITION BY item ORDER BY ts ROWS 1 PRECEDING) > price THEN 'down' "
    "WHEN price IN (SELECT max(price) FROM bids) THEN 'top' ELSE concat(item, '!') END AS w, ts FROM bids",
    "SELECT w.start, item, my_avg(p) OVER (PARTITION BY item ORDER BY w.start ROWS 1 PRECEDING) a FROM "
    "(SELECT item, window(timestamp_seconds(ts), '5 seconds') w, sum(price) p FROM bids GROUP BY ALL)",
    "SELECT ts, e, my_avg(e) OVER (PARTITION BY item ORDER BY ts, e) a FROM bids LATERAL VIEW explode(array(1, 2)) x AS e",
    "SELECT * EXCEPT (price), bids.*, my_avg(price -- the price\n) OVER (PARTITION BY item ORDER BY ts) a FROM bids -- done",
    "SELECT explode(map(item, ts)), my_avg(price) OVER (PARTITION BY item ORDER BY ts) a FROM bids",
    "SELECT ITEM, my_avg(PRICE) OVER (PARTITION BY Item ORDER BY Ts) AS A FROM BIDS",
]
ORDERED = [
    "SELECT item, my_avg(price) OVER (PARTITION BY item ORDER BY ts ROWS 9 PRECEDING) AS a FROM bids ORDER BY a, item, ts",
    "SELECT item, ts, my_avg(price) OVER (PARTITION BY item ORDER BY ts ROWS 9 PRECEDING) FROM bids ORDER BY 3 DESC, 2, 1 LIMIT 7",
    "SELECT item x, -ts AS ts, my_avg(price) OVER (PARTITION BY item ORDER BY ts) a FROM bids ORDER BY abs(ts) DESC, x LIMIT 5 "
    "OFFSET 2",
    "SELECT b.item, b.`odd name` o, my_avg(price) OVER (ORDER BY b.ts, b.item) a FROM bids b ORDER BY o NULLS LAST, b.ts + 1, item",
    "SELECT ts, item, my_avg(price) OVER (PARTITION BY item ORDER BY ts) a FROM bids QUALIFY a > 4 AND price > 5 ORDER BY ts, item",
    "SELECT DISTINCT item, round(my_avg(price) OVER (PARTITION BY item)) a FROM bids ORDER BY a, 1 DESC",
    "SELECT item, ts, my_avg(price) OVER (PARTITION BY item ORDER BY ts) a FROM bids ORDER BY ALL DESC NULLS LAST",
    "SELECT item, sum(price) s, my_avg(sum(price)) OVER (ORDER BY item) a FROM bids GROUP BY item ORDER BY s, item",
]


@pytest.mark.parametrize("text", ALIKE)
def test_as_spark_says(spark: Any, bids: Any, text: str) -> None:
    ours, theirs = iw.sql(spark, text), spark.sql(text.replace("my_avg", "avg"))
    assert rows_of(ours) == rows_of(theirs)
    named = [(a, b) for a, b in zip(ours.columns, theirs.columns, strict=True) if "my_avg" not in a]
    assert all(a == b for a, b in named)


@pytest.mark.parametrize("text", ORDERED)
def test_as_spark_orders(spark: Any, bids: Any, text: str) -> None:
    assert rows_of(iw.sql(spark, text), True) == rows_of(spark.sql(text.replace("my_avg", "avg")), True)


def test_order_by_an_aggregate_of_the_groups(spark: Any, bids: Any) -> None:
    text = (
        "SELECT item, my_avg(sum(price)) OVER (ORDER BY item) a FROM bids GROUP BY item ORDER BY -ascii(item), max(ts)"
    )
    assert [row[0] for row in iw.sql(spark, text).collect()] == ["b", "a"]


def test_names(spark: Any, bids: Any) -> None:
    text = "SELECT ts + 1, my_avg(price) OVER (), 2 * my_avg( ts ) OVER (ORDER BY ts), price, my_avg(ts) OVER () price FROM bids"
    names = ["(ts + 1)", "my_avg(price)", "2 * my_avg(ts)", "price", "price"]
    assert iw.sql(spark, text).columns == names


def test_slides_are_those_of_the_dataframe(spark: Any, bids: Any) -> None:
    window = iw.rows(5, partition_by="item", order_by="ts", slide=4)
    wanted = iw.select(bids, "item", "ts", a=MyAvg()("price").over(window), m=iw.median("price").over(window))
    text = """
        SELECT item, ts, my_avg(price) OVER w a, median(price) OVER w m FROM bids
        WINDOW w AS (PARTITION BY item ORDER BY ts ROWS 4 PRECEDING SLIDE 4)
    """
    assert rows_of(iw.sql(spark, text)) == rows_of(wanted)
    assert iw.sql(spark, text).count() == 14


def test_slides_in_time_and_built_ins(spark: Any, bids: Any) -> None:
    text = """
        SELECT ts, count(*) OVER w, count(DISTINCT item) OVER w, first(price, true) OVER w, last(`odd name`) IGNORE NULLS OVER w
        FROM bids WHERE ts <= 12
        WINDOW w AS (ORDER BY CAST(ts AS timestamp) RANGE INTERVAL 2 SECONDS PRECEDING SLIDE 5 SECONDS)
        ORDER BY ts
    """
    found = rows_of(iw.sql(spark, text), True)
    assert [row[:3] for row in found] == [(4, 6, 2), (9, 6, 2), (12, 6, 2)]
    assert [row[3] for row in found] == [float(ts * 7 % 11) for ts in (2, 7, 10)]
    assert [row[4] for row in found] == [1, 0, 0]


def test_slides_by_another_attribute(spark: Any, bids: Any) -> None:
    by = {"partition_by": "item", "order_by": "ts"}
    wanted = iw.select(bids, "item", "ts", n=iw.count().over(iw.range(3, slide=2, slide_by="rows", **by)))
    text = "SELECT item, ts, count(*) OVER (PARTITION BY item ORDER BY ts RANGE 3 PRECEDING SLIDE 2 ROWS) n FROM bids"
    assert rows_of(iw.sql(spark, text)) == rows_of(wanted)
    wanted = iw.select(bids, "item", "ts", n=iw.sum("price").over(iw.rows(3, slide=4, slide_by="range", **by)))
    text = "SELECT item, ts, sum(price) OVER (PARTITION BY item ORDER BY ts ROWS 2 PRECEDING SLIDE 4 RANGE) n FROM bids"
    assert rows_of(iw.sql(spark, text)) == rows_of(wanted)


def test_a_limit_does_not_cut_off_the_end_of_a_slot(spark: Any, bids: Any) -> None:
    window = iw.rows(
        1, slide=1000, slide_by="range", partition_by="item", order_by="ts"
    )  # one slot: the last tuple yields
    made = iw.with_columns(bids, n=iw.count().over(window)).collect()
    some = iw.with_columns(bids, n=iw.count().over(window)).limit(5).collect()
    assert sum(row.n is not None for row in made) == len({row.item for row in made})
    assert set(some) <= set(made)


OPTIONS = [
    ("percentile(price, 0.9)", lambda: iw.percentile("price", 0.9)),
    ("percentile_approx(price, array(0.1, 0.9), 100)", lambda: iw.percentile_approx("price", [0.1, 0.9])),
    ("nth_value(price, 2) IGNORE NULLS", lambda: iw.nth_value("price", 2, ignoreNulls=True)),
    ("string_agg(item, ', ')", lambda: iw.string_agg("item", ", ")),
    ("max_by(item, price)", lambda: iw.max_by("item", "price")),
    ("mode(item)", lambda: iw.mode("item")),
    ("corr(price, ts) FILTER (WHERE ts > 3)", lambda: iw.corr("price", "ts").filter("ts > 3")),
    ("decayed_avg(price, 0.5)", lambda: iw.decayed_avg("price", 0.5)),
    ("priority_sample(item, 2, 7)", lambda: iw.priority_sample("item", 2, 7)),
]


def test_options_of_built_ins(spark: Any, bids: Any) -> None:
    from pyspark.sql import functions as F

    window, meant = iw.rows(6, partition_by="item", order_by="ts", slide=3), {}
    for number, (_, applied) in enumerate(OPTIONS):
        one = applied()
        meant[f"x{number}"] = (one if one.condition is None else applied_with(one, F.expr(one.condition))).over(window)
    calls = ", ".join(f"{text} OVER w AS x{number}" for number, (text, _) in enumerate(OPTIONS))
    said = iw.sql(
        spark,
        f"SELECT item, ts, {calls} FROM bids WINDOW w AS (PARTITION BY item ORDER BY ts ROWS 5 PRECEDING SLIDE 3)",
    )
    assert sorted(map(str, said.collect())) == sorted(map(str, iw.select(bids, "item", "ts", **meant).collect()))


def applied_with(one: iw.Applied, condition: Any) -> iw.Applied:
    """With the condition as a column of Spark's."""
    return replace(one, condition=condition)


def test_active_expiration(spark: Any, bids: Any) -> None:
    text = """
        SELECT emitted_at() + 0 AS at, item, ts,
               quiet(item) OVER (PARTITION BY item ORDER BY ts RANGE 2 PRECEDING ACTIVE EXPIRATION) AS alarm
        FROM bids WHERE ts NOT BETWEEN 11 AND 15 AND item = 'a' ORDER BY emitted_at()
    """
    alarm = "a has gone quiet"
    assert rows_of(iw.sql(spark, text), True) == [(12, "a", 10, alarm), (32, "a", 30, alarm)]


def test_a_row_per_emission(spark: Any, bids: Any) -> None:
    text = "SELECT ts, twice(price) OVER (PARTITION BY item ORDER BY ts) v FROM bids WHERE item = 'a' AND ts < 5 ORDER BY ts, v"
    assert rows_of(iw.sql(spark, text), True) == [(1, -7.0), (1, 7.0), (3, -10.0), (3, 10.0), (4, -6.0), (4, 6.0)]


def test_what_is_not_deterministic_is_computed_once(spark: Any, bids: Any) -> None:
    text = "SELECT r, my_avg(r) OVER (PARTITION BY item ORDER BY ts ROWS CURRENT ROW) a FROM (SELECT *, rand() r FROM bids)"
    assert all(row.r == row.a for row in iw.sql(spark, text).collect())
    alias = "SELECT rand() AS r, my_avg(r) OVER (PARTITION BY item ORDER BY ts ROWS CURRENT ROW) a FROM bids"
    assert all(row.r == row.a for row in iw.sql(spark, alias).collect())


def test_a_limit_does_not_cut_what_a_frame_sees(spark: Any, bids: Any) -> None:
    text = "SELECT item, ts, my_avg(ts) OVER (PARTITION BY item ORDER BY ts ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING) a FROM bids"
    assert all(row.a == row.ts + 1 for row in iw.sql(spark, f"{text} LIMIT 5").collect())


def test_the_rest_is_sparks(spark: Any, bids: Any) -> None:
    assert rows_of(
        iw.sql(spark, "SELECT avg(price) OVER (ORDER BY ts, item) FROM bids UNION ALL SELECT 1 LIMIT 1")
    ) == [(7.0,)]
    assert iw.sql(spark, "SHOW VIEWS").count() >= 2


BAD = [
    ("SELECT prixe, my_avg(price) OVER () FROM bids", "`prixe` cannot be resolved", 8),
    ("SELECT item, my_avg(bids.prixe) OVER () FROM bids", "cannot be resolved", 21),
    ("SELECT my_avg(price) OVER () FROM bidz", "bidz", 35),
    ("SELECT my_avg(price p) OVER () FROM bids", "Syntax error", 22),
    ("SELECT my_avg(price, ts) OVER () FROM bids", "takes 1 column", 8),
    ("SELECT my_avg(price) OVER () a FROM bids WHERE a > 3", "a is the result of a window.*QUALIFY", 48),
    ("SELECT a + 1, my_avg(price) OVER () a FROM bids", "a is the result of a window", 8),
    ("SELECT 1, my_avg(price) OVER () AND item FROM bids", "DATATYPE_MISMATCH", 11),
    ("SELECT my_avg(price) OVER () a FROM bids ORDER BY a + zz", "`zz` cannot be resolved", 55),
    ("SELECT my_avg(price) OVER () a FROM bids ORDER BY 2", "the result has 1 columns", 51),
    ("SELECT DISTINCT item, my_avg(price) OVER () FROM bids ORDER BY ts", "ts is gone", 64),
    ("SELECT sum(item) OVER (ROWS 3 PRECEDING SLIDE 2) FROM bids", "sum is for integers", 8),
    ("SELECT my_avg(price) OVER (ORDER BY item RANGE 3 PRECEDING) FROM bids", "distances in the order column 'item'", 8),
    ("SELECT emitted_at(), my_avg(price) OVER () FROM bids", "a window must have ACTIVE EXPIRATION", 8),
    ("SELECT quiet(item) OVER () FROM bids", "no terminate", 8),
    ("SELECT avg(ts) OVER (ORDER BY ts RANGE 1 PRECEDING ACTIVE EXPIRATION) FROM bids", "a built-in has no hooks", 8),
    ("SELECT my_avg(explode(map(price, price))) OVER () FROM bids", "makes several columns", 8),
    ("SELECT my_avg(DISTINCT price) OVER () FROM bids", "DISTINCT", 8),
    ("SELECT my_avg(ts) OVER (ROWS 3 PRECEDING SLIDE 2), my_avg(price) OVER () FROM bids", "SLIDE 2 tuples and .* no SLIDE", 52),
    ("SELECT max(ts) OVER (ORDER BY ts ROWS 1 PRECEDING SLIDE 2), max(ts) OVER (ORDER BY item ROWS 1 PRECEDING SLIDE 2) "
     "FROM bids", "same PARTITION BY and ORDER BY", 61),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "column"), BAD, ids=[text for text, _, _ in BAD])
def test_errors_point_at_their_place(spark: Any, bids: Any, text: str, message: str, column: int) -> None:
    with pytest.raises(iw.UsageError, match=message) as caught:
        iw.sql(spark, f"\n{text}")
    assert f"(line 2, column {column})" in str(caught.value), str(caught.value)


CALL = "my_avg3(row_number() OVER (PARTITION BY item ORDER BY ts), item, price)"


@pytest.fixture(scope="module")
def functions(spark: Any, bids: Any) -> None:
    if not hasattr(__import__("pyspark.sql.functions").sql.functions, "arrow_udf"):
        pytest.skip("Spark 4.0 has no Arrow UDFs")
    iw.register(spark, "my_avg3", MyAvg(), over=iw.rows(3))
    iw.register(spark, "every4", iw.median, over=iw.rows(3, slide=4), returns="double")
    iw.register(spark, "so_far", MyAvg())


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT item, ts, {CALL} a FROM bids",
        f"SELECT item, ts, {CALL} a FROM bids WHERE ts > 3",
        f"SELECT * FROM (SELECT item, ts, {CALL} a FROM bids) WHERE ts > 5 AND a > 3",
        f"SELECT item, max(a), sum(ts) FROM (SELECT *, {CALL} a FROM bids) GROUP BY item",
        "SELECT ts, item, so_far(row_number() OVER (ORDER BY ts, item), price * 2) FROM bids",
    ],
)
def test_a_registered_function_in_plain_sql(spark: Any, functions: None, text: str) -> None:
    spoken = text.replace(CALL, "avg(price) OVER (PARTITION BY item ORDER BY ts ROWS 2 PRECEDING)").replace(
        "so_far(row_number() OVER (ORDER BY ts, item), price * 2)", "avg(price * 2) OVER (ORDER BY ts, item)"
    )
    assert rows_of(spark.sql(text)) == rows_of(spark.sql(spoken))


def test_a_registered_function_slides(spark: Any, functions: None) -> None:
    text = "SELECT ts, every4(row_number() OVER (PARTITION BY item ORDER BY ts), item, CAST(ts AS double)) m FROM bids"
    found = {row.ts: row.m for row in spark.sql(text).collect()}
    assert {ts: m for ts, m in found.items() if m is not None} == {ts: ts - 1.0 for ts in range(4, 31, 4)}


def test_calls_over_two_windows_in_a_select(spark: Any, functions: None) -> None:
    """The worker puts tuples in order, so these are right wherever Spark leaves the keys together; else there is an error."""
    from pyspark.errors import PySparkException

    other = "my_avg3(row_number() OVER (PARTITION BY ts % 5 ORDER BY price, ts), ts % 5, price)"
    theirs = "avg(price) OVER (PARTITION BY {} ROWS 2 PRECEDING)"
    expected = f"SELECT item, ts, {theirs.format('item ORDER BY ts')} a, {theirs.format('ts % 5 ORDER BY price, ts')} b FROM bids"
    for partitions in ("1", "7"):
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
        spark.conf.set("spark.sql.adaptive.enabled", "false")
        made = spark.sql(f"SELECT item, ts, {CALL} a, {other} b FROM bids")
        if partitions == "1":
            assert rows_of(made) == rows_of(spark.sql(expected))
        else:
            with pytest.raises(PySparkException, match="each need a SELECT of their own"):
                made.collect()


WRONG_CALLS = [
    ("my_avg3(price)", "a registered aggregate takes a row number first"),
    ("my_avg3(item, price)", "a registered aggregate takes a row number first"),
    ("my_avg3(row_number() OVER (PARTITION BY item ORDER BY ts), price)", "come the columns of its PARTITION BY"),
    ("every4(row_number() OVER (ORDER BY ts), item)", "median is for"),
]


@pytest.mark.parametrize(("call", "message"), WRONG_CALLS)
def test_wrong_calls_of_a_registered_function(spark: Any, functions: None, call: str, message: str) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException, match=message):
        spark.sql(f"SELECT {call} FROM bids").collect()


def test_a_result_of_another_type_than_registered(spark: Any, functions: None) -> None:
    from pyspark.errors import PySparkException

    iw.register(spark, "lowest", iw.min, returns="double")
    with pytest.raises(PySparkException, match=r"lowest gives int32 on int32, but was registered to give double"):
        spark.sql("SELECT lowest(row_number() OVER (ORDER BY ts), ts) FROM bids").collect()


def test_register_refuses(spark: Any, bids: Any) -> None:
    def refused(message: str, name: Any, *arguments: Any, **options: Any) -> None:
        with pytest.raises(iw.UsageError, match=message):
            iw.register(spark, name, *arguments, **options)

    refused("a function of Spark's own", "avg", MyAvg())
    refused(r"MyAvg is a class: make one, as in MyAvg\(\)", "x", MyAvg)
    refused("give the aggregate without columns", "x", MyAvg()("price"))
    refused("a word of letters", "my avg", MyAvg())
    refused("give an instance of your class", "x", 3)
    refused("give an instance of your class", "x", len)
    refused("are said in SQL", "x", MyAvg(), over=iw.rows(3, partition_by="item"))
    refused("Spark moves a LIMIT", "x", MyAvg(), over=iw.rows_between(-1, 1))
    refused("Spark moves a LIMIT", "x", MyAvg(), over=iw.range_between(None, 0))
    refused("Spark moves a LIMIT", "x", MyAvg(), over=iw.rows(3, slide=2, final="emit"))
    refused("any number of arguments", "x", iw.count, over=iw.rows(3))
    refused("give returns='double'", "x", iw.median, over=iw.rows(3))
    refused("says its type itself", "x", MyAvg(), returns="double")
    refused("any number of values", "x", Twice(), over=iw.rows(3))
    with pytest.raises(iw.UsageError, match="the first argument is the SparkSession"):
        iw.register("x", spark, MyAvg())
    with pytest.raises(iw.UsageError, match="the first argument is the SparkSession"):
        iw.sql("SELECT 1", spark)
    with pytest.raises(iw.UsageError, match="the statement is a text"):
        iw.sql(spark, None)


def test_names_belong_to_a_session(spark: Any, bids: Any) -> None:
    from pyspark.sql import SparkSession

    iw.register(spark, "Only_Here", iw.median)
    text = "SELECT ONLY_HERE(price) OVER (PARTITION BY item ORDER BY ts ROWS 2 PRECEDING SLIDE 3) FROM bids"
    same = spark if hasattr(spark, "session_id") else SparkSession.getActiveSession()
    assert iw.sql(same, text).count() == 20
    if not hasattr(spark, "session_id"):
        with pytest.raises(iw.UsageError, match="ONLY_HERE is no aggregate of inwindow"):
            iw.sql(spark.newSession(), text)


def test_without_partitioning_there_is_a_warning(spark: Any, bids: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        iw.sql(spark, "SELECT my_avg(price) OVER (ORDER BY ts) FROM bids")
    assert any("one task" in str(one.message) for one in caught)
