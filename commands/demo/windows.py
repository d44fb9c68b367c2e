"""The six windows of the demo: each in words, and as the call that is printed, and run on a batch and on a stream."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import inwindow as iw


class Average(iw.WindowAggregate):
    """The sliding average, as anyone would write it."""

    def initialize(self, price: float) -> None:
        self.total, self.count = price, 1

    def iterate(self, price: float) -> None:
        self.total += price
        self.count += 1

    def expire(self, price: float) -> None:
        self.total -= price
        self.count -= 1

    def terminate(self) -> float:
        return self.total / self.count


class Quiet(iw.WindowAggregate):
    """An alarm when the last bid leaves the window, if its item is still open then."""

    inwindow: iw.InWindow

    def __init__(self, minutes: float) -> None:
        self.patience = timedelta(minutes=minutes)

    def iterate(self, time: datetime, closes: datetime) -> None:
        pass

    def expire(self, time: datetime, closes: datetime) -> str | None:
        is_last = len(self.inwindow) == 1
        return f"quiet, but open until {closes:%H:%M}" if is_last and time + self.patience < closes else None


@dataclass(frozen=True)
class Show:
    """A window: in words, as the call, and when a row of its result is known, as time runs on."""

    title: str
    on: str
    call: str
    aggregates: str
    known: str = "time"  # the column that the watermark must pass
    chart: str = "line"
    top: str | None = None  # which of its rows to show: those with the most of it

    @property
    def text(self) -> str:
        """The call, as it is printed and run."""
        return self.call.format(on=self.on, aggregates=self.aggregates)


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
        chart="yields",
    ),
    Show(
        "The average bid on each item, of an hour, every 10 minutes",
        'iw.group_by(bids, "item").window(iw.hop("time", size="1 hour", every="10 minutes"))',
        "{on}.agg(\n    {aggregates})",
        'avg=iw.avg("price"), bids=iw.count()',
        known="window",
        chart="hops",
    ),
    Show(
        "The sessions of bidding on each item: until nobody has bid for 5 minutes",
        'iw.group_by(bids, "item").window(iw.session("time", gap="5 minutes"))',
        "{on}.agg(\n    {aggregates})",
        'bids=iw.count(), first=iw.first("price"), last=iw.last("price")',
        known="window",
        chart="sessions",
        top="bids",
    ),
    Show(
        "An alarm as soon as an open item has had no bid for 10 minutes: it cannot wait for the next one",
        "bids",
        'iw.select({on}, "item", "time", iw.emitted_at().alias("alarm"),\n    {aggregates})',
        'why=Quiet(minutes=10)("time", "closes").over(\n'
        '        iw.range("10 minutes", partition_by="item", order_by="time", active_expiration=True))',
        known="alarm",
        chart="alarms",
    ),
]
