"""The aggregates of the ESL paper (Bai, Thakkar, Wang, Luo, Zaniolo, CIKM 2006), as near to its text as Python allows.

ESL's ``TABLE state`` is the instance's attributes, ``INSERT INTO RETURN`` is a ``return``.
"""

from datetime import datetime, timedelta
from statistics import fmean

import inwindow as iw

# --- Section 3: base aggregates -----------------------------------------------------------------------------


class Avg(iw.Aggregate):
    """Example 7: CREATE AGGREGATE avg(Next Real) : Real."""

    def initialize(self, value: float) -> None:
        self.tsum, self.cnt = value, 1

    def iterate(self, value: float) -> None:
        self.tsum += value
        self.cnt += 1

    def terminate(self) -> float:
        return self.tsum / self.cnt


class DecayOnlineAvg(iw.Aggregate):
    """Example 8: no TERMINATE, so it is non-blocking."""

    def initialize(self, value: float) -> float:
        self.tsum, self.cnt = value, 1
        return value

    def iterate(self, value: float) -> float:
        self.tsum = 0.9 * self.tsum + 1.1 * value
        self.cnt += 1
        return self.tsum / self.cnt


class CumAvg(iw.Aggregate):
    """Example 10: the return of example 7's TERMINATE, appended to INITIALIZE and ITERATE."""

    def initialize(self, value: float) -> float:
        self.tsum, self.cnt = value, 1
        return self.tsum / self.cnt

    def iterate(self, value: float) -> float:
        self.tsum += value
        self.cnt += 1
        return self.tsum / self.cnt


# --- Section 4: window aggregates ---------------------------------------------------------------------------


class NaiveAvg(iw.WindowAggregate):
    """Example 11: INITIALIZE: ITERATE: the base avg over the table inwindow."""

    inwindow: iw.InWindow

    def iterate(self, wnext: float) -> float:
        return fmean(record.wnext for record in self.inwindow)


class MyAvg(iw.WindowAggregate, base=Avg):
    """Example 12: the EXPIRE construct. Its base version is example 7."""

    inwindow: iw.InWindow

    def initialize(self, wnext: float) -> float:
        self.tsum, self.cnt = wnext, 1
        return wnext

    def iterate(self, wnext: float) -> float:
        self.tsum += wnext
        self.cnt += 1
        return self.tsum / self.cnt

    def expire(self, wnext: float) -> None:
        self.cnt -= 1
        self.tsum -= self.inwindow.oldest().wnext  # or wnext: the same


class PlainAvg(Avg, iw.WindowAggregate):
    """Example 12 as one writes it here: example 7 and an expire; terminate gives every result."""

    def expire(self, value: float) -> None:
        self.tsum -= value
        self.cnt -= 1


class Max(iw.WindowAggregate):
    """Example 13: an older tuple of less or equal value can not be the maximum any more."""

    inwindow: iw.InWindow

    def initialize(self, wnext: float) -> float:
        return wnext

    def iterate(self, wnext: float) -> float:
        # The new tuple is in inwindow already: keep_newest spares it, where the paper's DELETE leaves that unsaid.
        self.inwindow.delete(lambda record: record.wnext <= wnext, keep_newest=True)
        return self.inwindow.oldest().wnext

    def expire(self, wnext: float) -> None:
        """Expired tuples are removed automatically."""


# --- Section 5.1: slides and tumbles ------------------------------------------------------------------------


class Sum(iw.WindowAggregate, algebraic=True):
    """The sum of example 14, written as a user would: CREATE ALGEBRAIC WINDOW AGGREGATE."""

    def initialize(self, value: float) -> None:
        self.total = value

    def iterate(self, value: float) -> None:
        self.total += value

    def expire(self, value: float) -> None:
        self.total -= value

    def terminate(self) -> float:
        return self.total


class HolisticSum(Sum, algebraic=False):
    """Without the keyword: figure 2, box (5)."""


# --- Section 5.2: active expiration -------------------------------------------------------------------------


class AvgAsItExpires(PlainAvg):
    """Section 5.2: the EXPIRE of avg, expanded. SQL's 0 / 0 is NULL, Python's an error."""

    def expire(self, value: float) -> float | None:
        super().expire(value)
        return self.tsum / self.cnt if self.cnt else None


class MaxAsItExpires(iw.WindowAggregate, algebraic=True):
    """Example 16: CREATE ALGEBRAIC WINDOW AGGREGATE max, with a TERMINATE, which is not in the paper."""

    inwindow: iw.InWindow

    def initialize(self, wnext: float) -> float:
        return wnext

    def iterate(self, wnext: float) -> None:
        self.inwindow.delete(lambda record: record.wnext <= wnext, keep_newest=True)

    def expire(self, wnext: float) -> float:
        return self.inwindow.oldest().wnext

    def terminate(self) -> float:
        return self.inwindow.oldest().wnext


class MaxAsPrinted(iw.WindowAggregate, algebraic=True):
    """Example 16, word for word: ITERATE returns nothing, and there is no TERMINATE."""

    inwindow: iw.InWindow

    def initialize(self, wnext: float) -> float:
        return wnext

    def iterate(self, wnext: float) -> None:
        self.inwindow.delete(lambda record: record.wnext <= wnext, keep_newest=True)

    def expire(self, wnext: float) -> float:
        return self.inwindow.oldest().wnext


class AlgebraicMax(Max, algebraic=True):
    """Example 13, declared ALGEBRAIC: ITERATE returns the maximum."""


class NoBid(iw.WindowAggregate):
    """Section 5.4: no tuple has arrived in the last 5 minutes if the expiring one is the last that is left."""

    inwindow: iw.InWindow

    def iterate(self, price: float) -> None:
        pass

    def expire(self, price: float) -> str | None:
        return "no bid for 5 minutes" if len(self.inwindow) == 1 else None


# --- Section 7: RFID ----------------------------------------------------------------------------------------


class ProductGroup(iw.Aggregate):
    """Example 17: the last tuple is kept; a longer gap increases the group number."""

    def __init__(self, gap: timedelta) -> None:
        self.gap = gap

    def initialize(self, time: datetime) -> int:
        self.last, self.group = time, 1
        return self.group

    def iterate(self, time: datetime) -> int:
        if time - self.last > self.gap:
            self.group += 1
        self.last = time
        return self.group


class ItemAlarm(iw.WindowAggregate):
    """Example 18: AGGREGATE item_alarm(tagid, tagtype, tagtime)."""

    inwindow: iw.InWindow

    def iterate(self, tagid: str, tagtype: str, tagtime: datetime) -> None:
        if tagtype == "ap":
            self.inwindow.delete(lambda record: record.tagtype == "item")
        if tagtype == "item" and self.is_authorized():
            self.inwindow.delete(lambda record: record.tagtype == "item")

    def expire(self, tagid: str, tagtype: str, tagtime: datetime) -> str | None:
        return "larceny alarm" if tagtype == "item" and not self.is_authorized() else None

    def is_authorized(self) -> bool:
        return any(record.tagtype == "ap" for record in self.inwindow)
