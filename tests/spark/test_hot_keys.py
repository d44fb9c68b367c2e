"""Hot keys on Spark: a partition cut into shards gives what it gives whole, and what Spark's own windows give."""

import warnings
from typing import Any

import pytest
from spark.parity import by_id

import inwindow as iw
from inwindow.runtime.spark import sample
from inwindow.runtime.spark.shuffles import plan_text

N = 3000
ORDERS = {
    "id": "id * 7919 % 3001", "whole": "cast(id * 31 % 400 as int)", "day": "date'2024-01-30' + cast(id * 31 % 400 as int)",
    "instant": "timestamp'2026-03-07 12:00:00' + make_dt_interval(0, 0, cast(id * 7919 % 1501 as int))",
    "clock": "timestamp_ntz'2026-03-07 12:00:00' + make_dt_interval(0, 0, cast(id * 7919 % 1501 as int))",
    "real": "if(id % 31 = 0, double('NaN'), cast(id * 31 % 400 as double) / 2)", "thin": "cast(id * 31 % 400 as float) / 3",
    "cents": "cast(id * 31 % 400 as decimal(10,2)) / 4", "text": "concat('é', id * 31 % 400)",
    "span": "make_dt_interval(0, id * 31 % 400)", "large": "id * 31 % 400 + 9223372036854775000",
}  # fmt: skip
BY_WHOLE: dict[str, Any] = {"partition_by": "k", "order_by": "whole", "slide": 7}
DISTANCES: dict[str, Any] = {"day": "40 days", "instant": "1 minute", "clock": "1 minute", "span": "5 hours"}


class Spread(iw.Aggregate, commutative=True):
    """Without expire."""

    def initialize(self, value: float) -> None:
        self.low = self.high = value

    def iterate(self, value: float) -> None:
        self.low, self.high = min(self.low, value), max(self.high, value)

    def merge(self, later: "Spread") -> None:
        self.low, self.high = min(self.low, later.low), max(self.high, later.high)

    def terminate(self) -> float:
        assert self.high >= self.low
        return self.high - self.low


@pytest.fixture(scope="module")
def events(spark: Any) -> Any:
    """Most rows of the key NULL; order columns of many types, with ties and NULLs."""
    columns = [f"if(id % 17 = 0, null, {text}) as {name}" for name, text in ORDERS.items() if name != "id"]
    return (
        spark.range(0, N, 1, 3)
        .selectExpr("id", "if(id % 10 < 8, null, concat('k', id % 3)) as k", *columns, "cast(id * 31 % 101 as double) as v",
                    "id * 7919 % 3001 as t", "id % 3 = 0 as ok")
        .cache()
    )  # fmt: skip


def assert_same(made: Any, expected: Any) -> None:
    """Row by row; NaN is NaN."""
    ours, theirs = by_id(made), by_id(expected)
    assert ours.schema == theirs.schema
    for name in ours.column_names:
        assert list(map(str, ours[name].to_pylist())) == list(map(str, theirs[name].to_pylist())), name


def explained(df: Any, **applied: iw.Applied) -> str:
    return next(
        line.strip() for line in str(iw.explain(df, hot_keys="sample", **applied)).splitlines() if "hot keys" in line
    )


def test_rows_and_ranges_of_one_pass_equal_sparks(events: Any) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    w = Window.partitionBy("k").orderBy("t")
    frames = [
        w.rowsBetween(-9, 0),
        w.rowsBetween(-2, 5),
        w.rangeBetween(-50, 20),
        w.rowsBetween(3, 4),
        w.rangeBetween(-9, -3),
    ]
    ours, theirs = {}, {}
    for number, frame in enumerate(frames):
        ours |= {f"s{number}": iw.sum("v").over(frame), f"m{number}": iw.max("v").filter("ok").over(frame)}
        theirs |= {
            f"s{number}": F.sum("v").over(frame),
            f"m{number}": F.max(F.when(F.col("ok"), F.col("v"))).over(frame),
        }
    ours["d"] = Spread()("v").over(frames[2])
    theirs["d"] = F.max("v").over(frames[2]) - F.min("v").over(frames[2])
    made, expected = iw.with_columns(events, hot_keys="sample", **ours), events.withColumns(theirs)
    assert made.schema == expected.schema
    assert_same(made, expected)
    assert "cut by t into" in explained(events, **ours)


def test_frames_from_the_partitions_start(events: Any) -> None:
    """They begin with partials of earlier shards; bounded ones beside them have halos."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    w = Window.partitionBy("k").orderBy("t")
    growing, peers, ahead = (
        w.rowsBetween(Window.unboundedPreceding, 0),
        w,
        w.rangeBetween(Window.unboundedPreceding, 30),
    )
    last_ten = w.rowsBetween(-9, 0)
    ours = {
        "s": iw.sum("v").over(growing), "n": iw.count("whole").over(peers), "a": iw.avg("cents").over(ahead),
        "m": iw.max("text").filter("ok").over(growing), "d": iw.min("instant").over(peers), "b": iw.sum("v").over(last_ten),
        "h": Spread()("v").over(growing), "i": iw.row_number().over(w), "g": iw.lag("v", 3).over(w), "e": iw.lead("v", 2).over(w),
    }  # fmt: skip
    theirs = {
        "s": F.sum("v").over(growing), "n": F.count("whole").over(peers), "a": F.avg("cents").over(ahead),
        "m": F.max(F.when(F.col("ok"), F.col("text"))).over(growing), "d": F.min("instant").over(peers),
        "b": F.sum("v").over(last_ten), "h": F.max("v").over(growing) - F.min("v").over(growing),
        "i": F.row_number().over(w), "g": F.lag("v", 3).over(w), "e": F.lead("v", 2).over(w),
    }  # fmt: skip
    made, expected = iw.with_columns(events, hot_keys="sample", **ours), events.withColumns(theirs)
    assert made.schema == expected.schema
    assert_same(made, expected)
    assert explained(events, **ours).endswith("; a first job makes partials of shards, with which later ones begin")
    chosen, whole = (iw.select(events, "id", hot_keys=how, s=ours["s"], m=ours["m"]) for how in ("sample", "off"))
    assert_same(chosen, whole)


def test_keys_that_differ_in_where_they_are_null(events: Any) -> None:
    """Spark's hash passes over NULLs: for it ('a', NULL) is (NULL, 'a'), as keys or in a struct or an array."""
    hot = "id % 10 < 7"
    df = events.selectExpr(
        "id", "t", "v", f"if({hot}, 'a', null) as k", f"if({hot}, null, 'a') as l",
        f"array(struct(if({hot}, 'a', null) as k, if({hot}, null, 'a') as l)) as nested",
    )  # fmt: skip
    applied = {}
    for name, keys in {"two": ["k", "l"], "one": "nested"}.items():
        applied[f"sum_{name}"] = iw.sum("v").over(iw.unbounded(partition_by=keys, order_by="t"))
        applied[f"ten_{name}"] = iw.max("v").over(iw.rows(10, partition_by=keys, order_by="t"))
    made, whole = (iw.with_columns(df, hot_keys=how, **applied) for how in ("sample", "off"))
    assert plan_text(made).count("Generate explode") == 2
    assert_same(made.select("id", *applied), whole.select("id", *applied))


class Positive(Spread, commutative=True):
    """Which will not have all values."""

    def iterate(self, value: float) -> None:
        if value <= 0:
            raise ValueError("there is no such value")
        super().iterate(value)


def test_what_a_hook_raises_in_the_first_job_is_told_with_the_tuple(events: Any) -> None:
    growing = Positive()("v").over(iw.unbounded(partition_by="k", order_by="t"))
    with pytest.raises(Exception, match=r"there is no such value\n  in Positive\(v\), at k=None, t=\d+\n"):
        iw.with_columns(events, hot_keys="sample", x=growing)


def test_partials_of_other_data_are_an_error(events: Any) -> None:
    """The time of the first job is not that of the pass."""
    growing = iw.sum("v").over(iw.unbounded(partition_by="k", order_by="t"))
    changing = events.selectExpr("id", "k", "t", "unix_micros(current_timestamp()) % 1000000 + id as v")
    made = iw.with_columns(changing, hot_keys="sample", s=growing)
    with pytest.raises(
        Exception, match="partials of a shard were made when you called; but now there are other tuples"
    ):
        made.collect()


@pytest.mark.parametrize(
    ("ascending", "names"),
    [(True, ["whole", "day", "clock", "real", "cents"]), (False, ["instant", "real", "thin", "text", "span", "large"])],
)
def test_order_columns_of_every_type(events: Any, ascending: bool, names: list[str]) -> None:
    """One call has a pass for each; NULLs are where Spark puts them, or on the other end."""
    from pyspark.sql import functions as F

    ours, theirs = {}, {}
    for number, name in enumerate(names):
        nulls_first = ascending if number % 2 else not ascending
        by = (iw.asc if ascending else iw.desc)(name, nulls_first=nulls_first)
        sql = f"over (partition by k order by {name} {'asc' if ascending else 'desc'} nulls {'first' if nulls_first else 'last'}"
        window = iw.range_between(0, 0, partition_by="k", order_by=by)
        ours[f"peers_{name}"] = iw.count().over(window)
        theirs[f"peers_{name}"] = F.expr(f"count(*) {sql} range between current row and current row)")
        if name != "text":
            size = DISTANCES.get(name, 30)
            window = iw.range(size, partition_by="k", order_by=by)
            ours[f"sum_{name}"] = iw.sum("v").over(window)
            size = f"interval {size}" if isinstance(size, str) else size
            theirs[f"sum_{name}"] = F.expr(f"sum(v) {sql} range between {size} preceding and current row)")
    made, expected = iw.with_columns(events, hot_keys="sample", **ours), events.withColumns(theirs)
    assert_same(made.select("id", *ours), expected.select("id", *ours))
    assert plan_text(made).count("Generate explode") == len(names)  # each is cut


def test_without_partitioning(events: Any) -> None:
    order: Any = ["t", "id"]
    applied = {
        "a": iw.avg("v").over(iw.rows(40, order_by=order)),
        "n": iw.count().over(iw.rows_between(-3, 3, order_by=order)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is not one task
        made = iw.with_columns(events, hot_keys="sample", **applied)
    with pytest.warns(UserWarning, match="all rows go to one task"):
        whole = iw.with_columns(events, **applied)
    assert_same(made, whole)


def test_select_and_slides_by_value(events: Any) -> None:
    total, middle = iw.sum("v").over(iw.range(60, **BY_WHOLE)), iw.median("v").over(iw.range(20, **BY_WHOLE))
    whole = iw.select(events, "k", "whole", s=total, m=middle)
    made = iw.select(events, "k", "whole", hot_keys="sample", s=total, m=middle)
    assert "cut by whole into" in explained(events, s=total, m=middle)
    rows, others = (sorted(map(str, df.collect())) for df in (made, whole))
    assert rows == others and len(rows) > 100


def test_what_comes_after_is_shuffled_again(events: Any) -> None:
    """The rows of a hot key are in several tasks: a later call must not believe that they are in one."""
    first = iw.sum("v").over(iw.rows(9, partition_by="k", order_by="t"))
    later = iw.count().over(iw.unbounded(partition_by="k", order_by="t"))
    made = iw.with_columns(iw.with_columns(events, hot_keys="sample", a=first), b=later)
    assert plan_text(made).count("Exchange ") == 2
    down = iw.max("v").over(iw.rows(5, partition_by="k", order_by=iw.desc("t")))
    both = iw.with_columns(events, hot_keys="sample", a=first, b=down)
    assert_same(made.drop("b"), both.drop("b"))
    whole = iw.with_columns(iw.with_columns(events, a=first), b=later)
    assert_same(made, whole)


def test_a_limit_and_a_filter_stay_above(events: Any) -> None:
    made = iw.with_columns(
        events, hot_keys="sample", a=iw.count().over(iw.rows_between(-5, 5, partition_by="k", order_by="t"))
    )
    rows = {row["id"]: row["a"] for row in made.collect()}
    for df in (made.limit(20), made.where("id % 7 = 1"), made.orderBy("v", "id").limit(50)):
        some = df.collect()
        assert some and all(rows[row["id"]] == row["a"] for row in some)


def test_what_is_not_cut_says_why(events: Any) -> None:
    by_k: dict[str, Any] = {"partition_by": "k", "order_by": "t"}
    growing, last_ten = iw.median("v").over(iw.unbounded(**by_k)), iw.max("v").over(iw.rows(10, **by_k))
    said = explained(events, a=last_ten, b=growing)
    assert said == "hot keys: none, median(v) reaches back to the partition's start, and has no merge"
    wide = iw.max("v").over(iw.range_between(-1900, 1900, **by_k))
    assert "halos would be" in explained(events, a=wide)
    assert explained(events.where("k is not null"), a=last_ten).startswith("hot keys: none, the largest partition has")
    assert explained(events.withColumn("t", events.k), a=last_ten).endswith(
        "too few different values of t to cut between"
    )
    text = str(iw.explain(events, a=last_ten))
    assert "hot keys: none, not looked for: there are only about" in text
    assert "hot keys: none, switched off" in str(iw.explain(events, hot_keys="off", a=last_ten))


def test_a_sample_is_taken_unasked_where_it_is_cheap(events: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import functions as F

    one = iw.max("v").over(iw.rows(10, partition_by="k", order_by="t"))
    monkeypatch.setattr(sample, "LARGE", 100)
    files = events.select("k", "t", "v").where("v > 3")
    assert "cut by t into" in str(iw.explain(files, a=one))
    joined = files.join(events.select("t", "ok"), "t")
    assert "a sample would run the DataFrame's" in str(iw.explain(joined, a=one))
    other = events.select("k", "v", F.rand().alias("t"))
    assert "rand() gives other values each time" in str(iw.explain(other, a=one))
    assert "cut by t into" in str(iw.explain(other, hot_keys="sample", a=one))


def test_an_unknown_choice(events: Any) -> None:
    with pytest.raises(iw.UsageError, match=r"with_columns\(hot_keys='of'\): write 'auto'"):
        iw.with_columns(events, hot_keys="of", a=iw.max("v").over(iw.rows(10, partition_by="k", order_by="t")))
