"""A user's code in which type checkers find nothing."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, assert_type

import inwindow as iw
from inwindow import temporal, testing
from inwindow.windows.spec import Window


class MyAvg(iw.WindowAggregate, nulls="skip", expire_any_order=True):
    """Built by the hooks of ESL."""

    def initialize(self, value: float) -> None:
        self.total, self.count = value, 1

    def iterate(self, value: float) -> None:
        self.total += value
        self.count += 1

    def expire(self, value: float) -> None:
        self.total -= value
        self.count -= 1

    def terminate(self) -> float:
        return self.total / self.count


class Once(iw.WindowAggregate, returns="string"):
    """Sees its window."""

    inwindow: iw.InWindow

    def iterate(self, value: str) -> Iterator[str]:
        if len(self.inwindow) == 1:
            yield value


class Base(iw.Aggregate, algebraic=True, commutative=True, derive=False, empty=0):
    """Without an inverse."""

    def iterate(self, value: int) -> None:
        self.largest = max(value, getattr(self, "largest", value))

    def terminate(self) -> int:
        return self.largest


def windows() -> list[Window]:
    """Each way to write one."""
    assert_type(iw.rows(3), Window)
    return [
        iw.rows(3, lag=1, partition_by="item", order_by=["day", iw.desc("ts")], slide=2, final="emit"),
        iw.range("5 minutes", partition_by=["item", "shop"], order_by="ts", slide=timedelta(minutes=1), origin=0),
        iw.range(2.5, order_by=iw.asc("ts", nulls_first=False), slide=5, slide_by="rows", strategy="delta"),
        iw.rows_between(-1, None, order_by="ts", exclude="current row"),
        iw.range_between("-1 hour", 0, order_by="ts"),
        iw.landmark(since=20, order_by="ts"),
        iw.scope(lower=lambda ts: ts // 10 * 10, order_by="ts"),
        iw.unbounded(partition_by="item"),
    ]


def calls(table: Any) -> None:
    """Each verb."""
    window = iw.range("1 day", order_by="ts", active_expiration=True)
    average = iw.avg("price").over(iw.rows(3), slide=2, lag=1, sentinel=0.01).filter("sold").alias("average")
    assert_type(average, iw.Applied)
    assert_type(MyAvg()("price"), iw.Applied)
    assert_type(iw.compiled(MyAvg())("price").label, str)
    iw.with_columns(table, average, mine=MyAvg()("price").over(window), hot_keys="off")
    iw.with_columns(table, spent=iw.sum("price").over(window), of=table)
    iw.select(table, "item", iw.emitted_at().alias("at"), first=iw.first("price").over(window))
    grouped = iw.group_by(table, "item", order_by="ts")
    grouped.window(iw.hop("ts", size="1 hour", every="5 minutes"), early=True).agg(n=iw.count("*"))
    grouped.window(iw.session("ts", gap=30)).agg(iw.max_by("item", "price"))
    grouped.window(iw.tumble("ts", rows=10, scope="stream")).emit("item", n=iw.count())
    grouped.window(iw.tumble("ts", "1 day", timezone="Europe/Rome", fill="previous", quiet="2 days")).agg(n=iw.count())
    grouped.window(iw.hop("ts", 10, 5, fill=0.0, between=(0, 100))).agg(s=iw.sum("price"))
    grouped.window(iw.tumble("ts", size=10)).partials(total=iw.sum("price"))
    assert_type(iw.saved("total", iw.sum("price"), trusted=True), iw.Applied)
    grouped.window(iw.cumulate("ts", "1 day", every="1 hour")).agg(s=iw.collect_list("price"))
    print(
        iw.explain(table, n=iw.count("*").over(window)),
        iw.late(table),
        iw.outputs(table),
        iw.with_watermark(table, "ts", "10 seconds", ahead="1 day", idle=5),
        iw.metrics(table)["late_tuples"],
        iw.union(table, table, order_by="ts"),
    )
    print(iw.metrics(table)["late_tuples"])
    testing.check(Base(), examples=10)
    iw.with_columns(table, p=iw.last("price").over(temporal.valid(order_by="ts")), of=table)


try:
    calls(None)
except iw.UsageError as error:
    print(error, iw.PUNT)
