"""A user's mistakes: both type checkers find one on each line marked so, and on no other."""

import inwindow as iw

window = iw.rows(3, partition_by="item")

iw.averge("price")  # mistake
iw.with_colums(None)  # mistake
iw.rows(3, partiton_by="item")  # mistake
iw.rows("3")  # mistake
iw.rows(3, slide_by="tuples")  # mistake
iw.rows(3, exclude="peers")  # mistake
iw.rows(3, order_by=3)  # mistake
iw.range(5, order_by="ts", final="none")  # mistake
iw.range([5], order_by="ts")  # mistake
iw.rows_between("-1", 1)  # mistake
iw.unbounded(partition="item")  # mistake
iw.landmark(sine=3)  # mistake
iw.scope(lower=3)  # mistake
iw.tumble("ts", siz="1 hour")  # mistake
iw.hop("ts", size="1 hour", every="1 hour", scope="streams")  # mistake
iw.session("ts", timeout="1 hour")  # mistake
iw.session("ts", gap=[3])  # mistake
iw.avg("price", "volume")  # mistake
iw.avg("price").over(window, slid=3)  # mistake
iw.avg("price").cast("int")  # mistake
iw.group_by(None, "item").avg("price")  # mistake
window.rowsBetween(-1, 0)  # mistake
iw.avg("price").ovr(window)  # mistake
iw.avg("price").over(window).alias(3)  # mistake
iw.asc("ts", nulls_frist=True)  # mistake
iw.with_columns(None, average="price")  # mistake
iw.with_columns(None, hot_key="off")  # mistake
iw.with_columns(None, hot_keys="never")  # mistake
iw.group_by(None, "item", ordered_by="ts")  # mistake
iw.group_by(None, "item").window(window)  # mistake
iw.group_by(None, "item").agg(average="price")  # mistake
iw.explain(None, average="price")  # mistake
iw.testing.check(iw.Aggregate, example=10)  # mistake
iw.compile(None)  # mistake
iw.frequent_items("item", suport=0.1)  # mistake


class A(iw.Aggregate, nuls="pass"):  # mistake
    """A class keyword that is not known."""


class B(iw.Aggregate, nulls="drop"):  # mistake
    """A value that is not known."""


class C(iw.WindowAggregate, commutative="yes"):  # mistake
    """A value of another type."""
