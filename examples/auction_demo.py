"""The demo: an auction's bids through six windows on Spark, and what each of them costs.

Covers: ROWS, RANGE, slides, hops, sessions, active expiration; own classes and built-ins; `iw.explain`; speed

Scenario: the streams of the NEXMark benchmark, items, sellers and bids, made by a seeded generator: 100,000 bids within
six hours, in bursts and just before an item closes, many on some items and few on most. ``make demo`` runs this on a
local Spark; ``python examples/auction_demo.py 1000000`` makes more bids, and a second argument, ``arrow``, runs the same
calls on an Arrow table, without Spark.
"""

import re
import sys
import textwrap
import warnings
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa

import inwindow as iw

NOON, HOUR = np.datetime64("2026-05-01T12:00", "us"), 3600.0


def auction(bids: int, items: int = 200, sellers: int = 40, seed: int = 2006) -> pa.Table:
    """The stream of bids, in time order, with the seller and the closing time of their item."""
    random = np.random.default_rng(seed)
    opens = random.uniform(0, 4.5 * HOUR, items)
    closes = opens + random.uniform(0.75 * HOUR, 1.5 * HOUR, items)
    bursts = random.uniform(opens, closes, (6, items))
    seller, asked = random.integers(0, sellers, items), random.lognormal(4, 1, items)

    popularity = 1 / np.arange(1, items + 1) ** 1.2
    item = np.sort(random.choice(items, bids, p=popularity / popularity.sum()))
    kind = random.random(bids)
    now_and_then = random.uniform(opens[item], closes[item])
    in_a_burst = bursts[random.integers(0, 6, bids), item] + random.exponential(40, bids)
    at_the_end = closes[item] - random.exponential(90, bids)
    time = np.select([kind < 0.3, kind < 0.7], [now_and_then, in_a_burst], at_the_end)
    time = np.clip(time, opens[item], closes[item])
    time = time[np.lexsort((time, item))]  # within each item
    nth = np.arange(bids) - np.searchsorted(item, item)
    price = asked[item] * (1 + 0.3 * np.log1p(nth)) * random.uniform(0.95, 1.05, bids)

    order = np.argsort(time, kind="stable")
    item = item[order]
    return pa.table({
        "item": pa.array([f"item {number:03}" for number in range(items)]).take(pa.array(item)),
        "seller": seller[item],
        "bidder": random.integers(1000, 4000, bids),
        "price": np.round(price[order], 2),
        "time": NOON + (time[order] * 1e6).astype("timedelta64[us]"),
        "closes": NOON + (closes[item] * 1e6).astype("timedelta64[us]"),
    })  # fmt: skip


class Average(iw.WindowAggregate):
    """The sliding average, as anyone would write it."""

    def initialize(self, price):
        self.total, self.count = price, 1

    def iterate(self, price):
        self.total += price
        self.count += 1

    def expire(self, price):
        self.total -= price
        self.count -= 1

    def terminate(self) -> float:
        return self.total / self.count


class Quiet(iw.WindowAggregate):
    """An alarm when the last bid leaves the window, if its item is still open then."""

    inwindow: iw.InWindow

    def __init__(self, minutes):
        self.patience = timedelta(minutes=minutes)

    def iterate(self, time, closes):
        pass

    def expire(self, time, closes) -> str | None:
        is_last = len(self.inwindow) == 1
        return f"quiet, but open until {closes:%H:%M}" if is_last and time + self.patience < closes else None


@dataclass(frozen=True)
class Show:
    """A window: in words, as the call that is both printed and run, and which of its rows to show."""

    title: str
    on: str
    call: str
    aggregates: str
    top: str | None = None


SHOWS = [
    Show(
        "The average of the last 50 bids on an item, after every bid: a Python class",
        "bids",
        "iw.with_columns({on}, {aggregates})",
        'avg50=Average()("price").over(iw.rows(50, partition_by="item", order_by="time"))',
    ),
    Show(
        "The highest bid of the last 5 minutes, on any item (NEXMark query 7)",
        "bids",
        "iw.with_columns({on}, {aggregates})",
        'highest=iw.max("price").over(iw.range("5 minutes", order_by="time"))',
    ),
    Show(
        "The sum of the last 50 bids on an item, after every 10 of them (ESL, example 14)",
        "bids",
        'iw.select({on}, "item", "time",\n    {aggregates})',
        'total=iw.sum("price").over(iw.rows(50, partition_by="item", order_by="time", slide=10))',
    ),
    Show(
        "The average bid on each item, of an hour, every 10 minutes",
        'iw.group_by(bids, "item").window(iw.hop("time", size="1 hour", every="10 minutes"))',
        "{on}.agg(\n    {aggregates})",
        'avg=iw.avg("price"), bids=iw.count()',
    ),
    Show(
        "The sessions of bidding on each item: until nobody has bid for 5 minutes",
        'iw.group_by(bids, "item").window(iw.session("time", gap="5 minutes"))',
        "{on}.agg(\n    {aggregates})",
        'bids=iw.count(), first=iw.first("price"), last=iw.last("price")',
        top="bids",
    ),
    Show(
        "An alarm as soon as an open item has had no bid for 10 minutes: it can not wait for the next one",
        "bids",
        'iw.select({on}, "item", "time", iw.emitted_at().alias("alarm"),\n    {aggregates})',
        'why=Quiet(minutes=10)("time", "closes").over(\n'
        '        iw.range("10 minutes", partition_by="item", order_by="time", active_expiration=True))',
    ),
]


def text(value: object) -> str:
    """A value for the screen."""
    if isinstance(value, dict):  # an extent
        return f"{value['start']:%H:%M} to {value['end']:%H:%M}"
    if isinstance(value, datetime):
        return f"{value:%H:%M:%S}"
    return f"{value:,.2f}" if isinstance(value, float) else str(value)


def aligned(rows: list[dict]) -> str:
    """Rows under the names of their columns, numbers to the right."""
    columns = []
    for name in rows[0]:
        cells = [name, *(text(row[name]) for row in rows)]
        number = isinstance(rows[0][name], (int, float))
        width = max(map(len, cells))
        columns.append([cell.rjust(width) if number else cell.ljust(width) for cell in cells])
    return "\n".join("   ".join(cells).rstrip() for cells in zip(*columns, strict=True))


def run(show: Show, bids: Any, count: int) -> None:
    """Run a window, and tell what it did."""
    names = {"iw": iw, "bids": bids, "Average": Average, "Quiet": Quiet}
    call = show.call.format(on=show.on, aggregates=show.aggregates)
    plan = iw.explain(eval(show.on, names), **eval(f"dict({show.aggregates})", names))
    started = perf_counter()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", UserWarning)
        result = eval(call, names)
    if not isinstance(result, pa.Table):  # a Spark DataFrame: nothing has run so far
        result = result.toArrow()
    took = perf_counter() - started

    print(f"\n{show.title}\n")
    print(indented(call))
    said = re.findall(r"^    (strategy|why|time|memory) {2,}(.+)$", str(plan), re.MULTILINE)
    said += re.findall(r"^(spark), pass \d+: (.+)$", str(plan), re.MULTILINE)
    said += [("warning", str(one.message)) for one in warned if one.category is UserWarning]
    for title in dict.fromkeys(title for title, _ in said):
        words = "; ".join(dict.fromkeys(words for its, words in said if its == title))
        print(textwrap.fill(words, 116, initial_indent=f"    {title:<9} ", subsequent_indent=" " * 14))
    in_order = [name for name in ("alarm", "time", "item") if name in result.column_names]
    result = result.sort_by([(name, "ascending") for name in in_order])
    rows = result.sort_by([(show.top, "descending")]) if show.top else result.slice(len(result) // 2)
    shown = rows.slice(0, 3).drop_columns([name for name in ("bidder", "closes") if name in rows.column_names])
    print(indented(f"\n{aligned(shown.to_pylist())}"))
    print(f"    ... {len(result):,} rows in {took:.2f} s: {count / took:,.0f} tuples/s")


def indented(lines: str) -> str:
    """For the screen."""
    return textwrap.indent(lines, "    ")


def spark() -> Any:
    """A Spark of our own, on this machine."""
    from pyspark.sql import SparkSession

    from inwindow.runtime.spark.jvm import ensure_java

    ensure_java()
    builder = SparkSession.builder.master("local[2]").appName("auction").config("spark.ui.enabled", "false")
    builder = builder.config("spark.log.level", "ERROR").config("spark.sql.shuffle.partitions", "8")
    return (
        builder.config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )


def main(count: str = "100000", place: str = "spark") -> None:
    """All six, and how fast they were."""
    bids = auction(int(count))
    first, last = bids["time"][0].as_py(), bids["time"][-1].as_py()
    items, sellers, bidders = (len(bids[name].unique()) for name in ("item", "seller", "bidder"))
    print(
        f"{len(bids):,} bids by {bidders:,} bidders on {items} items of {sellers} sellers, "
        f"{first:%H:%M} to {last:%H:%M}, {bids.nbytes / 2**20:.0f} MB"
    )
    session = spark() if place == "spark" else None
    print(f"on Spark {session.version}, {session.sparkContext.master}" if session else "on an Arrow table, one thread")
    data = session.createDataFrame(bids) if session else bids
    for show in SHOWS:
        run(show, data, len(bids))
    if session:
        session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
