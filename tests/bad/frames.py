"""ROWS, RANGE and slides written wrong: told without data where it shows, else by the type of the order column."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import numpy as np
from bad.input import TABLE, Bad, MyAvg

import inwindow as iw


def over(window: Any) -> Any:
    """Use a window on the table."""
    return iw.with_columns(TABLE, a=MyAvg()("price").over(window))


ROWS = [
    # Holes
    Bad(
        "an unknown hole",
        lambda: iw.rows(3, exclude="peers"),
        iw.UsageError,
        "exclude='peers' is not known: a frame leaves out the tuple itself ('current row'), the tuple and its peers ('group'), its "
        "peers without it ('ties'), or nothing ('no others')",
    ),
    Bad(
        "a hole that is no text",
        lambda: iw.rows(3, exclude=True),
        iw.UsageError,
        "exclude=True is not known: a frame leaves out the tuple itself ('current row'), the tuple and its peers ('group'), its "
        "peers without it ('ties'), or nothing ('no others')",
    ),
    Bad(
        "a hole under active expiration",
        lambda: iw.range(5, order_by="t", active_expiration=True, exclude="group"),
        iw.UsageError,
        "active expiration gives results when tuples leave, and exclude='group' is of one that arrives: give one of them",
    ),
    # ROWS
    Bad("no tuples", lambda: iw.rows(0), iw.UsageError, "rows: size=0 must be at least 1: it is a number of tuples"),
    Bad(
        "a negative size",
        lambda: iw.rows(-3),
        iw.UsageError,
        "rows: size=-3 must be at least 1: it is a number of tuples",
    ),
    Bad(
        "half a tuple",
        lambda: iw.rows(2.5),
        iw.UsageError,
        "rows: size=2.5 is not a whole number of tuples; a size in time or in order values is for "
        "iw.range (or size= of an extent)",
    ),
    Bad(
        "a float of whole value",
        lambda: iw.rows(np.float64(2)),
        iw.UsageError,
        "rows: size=np.float64(2.0) is not a whole number of tuples; a size in time or in order values is"
        " for iw.range (or size= of an extent)",
    ),
    Bad(
        "a bool",
        lambda: iw.rows(True),
        iw.UsageError,
        "rows: size=True is not a whole number of tuples; a size in time or in order values is for "
        "iw.range (or size= of an extent)",
    ),
    Bad(
        "a time",
        lambda: iw.rows("5 minutes"),
        iw.UsageError,
        "rows: size='5 minutes' is not a whole number of tuples; a size in time or in order values is for"
        " iw.range (or size= of an extent)",
    ),
    Bad(
        "None",
        lambda: iw.rows(None),
        iw.UsageError,
        "rows: size=None is not a whole number of tuples; a size in time or in order values is for "
        "iw.range (or size= of an extent)",
    ),
    Bad(
        "a negative lag",
        lambda: iw.rows(3, lag=-1),
        iw.UsageError,
        "rows: lag=-1 must be at least 0: it is a number of tuples",
    ),
    Bad(
        "half a tuple of lag",
        lambda: iw.rows(3, lag=0.5),
        iw.UsageError,
        "rows: lag=0.5 is not a whole number of tuples; a size in time or in order values is for iw.range"
        " (or size= of an extent)",
    ),
    Bad(
        "half a tuple from here",
        lambda: iw.rows_between(-1.5, 0),
        iw.UsageError,
        "rows_between: start=-1.5 is not a whole number of tuples (negative is PRECEDING), or None for UNBOUNDED",
    ),
    Bad(
        "a bool as a bound",
        lambda: iw.rows_between(True, None),
        iw.UsageError,
        "rows_between: start=True is not a whole number of tuples (negative is PRECEDING), or None for UNBOUNDED",
    ),
    Bad(
        "bounds the wrong way round",
        lambda: iw.rows_between(1, -1),
        iw.UsageError,
        "(rows between 1 following and 1 preceding): the lower bound lies after the upper bound; swap them",
    ),
    # RANGE
    Bad(
        "a negative size",
        lambda: iw.range(-1, order_by="t"),
        iw.UsageError,
        "range: size=-1 is negative; a frame reaches back by a size >= 0",
    ),
    Bad(
        "a negative time",
        lambda: iw.range("-5 minutes", order_by="ts"),
        iw.UsageError,
        "range: size=-5 minutes is negative; a frame reaches back by a size >= 0",
    ),
    Bad(
        "NaN",
        lambda: iw.range(float("nan"), order_by="t"),
        iw.UsageError,
        "range: size=nan is not a size: it must be finite",
    ),
    Bad(
        "a signalling NaN",
        lambda: iw.range(Decimal("sNaN"), order_by="t"),
        iw.UsageError,
        "range: size=Decimal('sNaN') is not a size: it must be finite",
    ),
    Bad(
        "a bool",
        lambda: iw.range(True, order_by="t"),
        iw.UsageError,
        "range: size=True is not a size: write a number, a timedelta or an interval such as '5 minutes'",
    ),
    Bad(
        "a datetime",
        lambda: iw.range(datetime(2026, 1, 1), order_by="ts"),
        iw.UsageError,
        "range: size=datetime.datetime(2026, 1, 1, 0, 0) is not a size: write a number, a timedelta or an"
        " interval such as '5 minutes'",
    ),
    Bad(
        "no unit",
        lambda: iw.range("5", order_by="ts"),
        iw.UsageError,
        "range: size='5' is not an interval: write a number and a unit, as in '5 minutes', '1 day 12 "
        "hours' or '3 months' (units: microseconds to weeks, months, years)",
    ),
    Bad(
        "a unit misspelt",
        lambda: iw.range("5 minuets", order_by="ts"),
        iw.UsageError,
        "range: size='5 minuets' is not an interval ('minuets' is no unit; did you mean 'minutes'?): "
        "write a number and a unit, as in '5 minutes', '1 day 12 hours' or '3 months' (units: "
        "microseconds to weeks, months, years)",
    ),
    Bad(
        "a unit that is none",
        lambda: iw.range("2 fortnights", order_by="ts"),
        iw.UsageError,
        "range: size='2 fortnights' is not an interval ('fortnights' is no unit): write a number and a "
        "unit, as in '5 minutes', '1 day 12 hours' or '3 months' (units: microseconds to weeks, months, "
        "years)",
    ),
    Bad(
        "half a month",
        lambda: iw.range("1.5 months", order_by="ts"),
        iw.UsageError,
        "range: size='1.5 months' is not an interval (months and years are counted whole): write a number"
        " and a unit, as in '5 minutes', '1 day 12 hours' or '3 months' (units: microseconds to weeks, "
        "months, years)",
    ),
    Bad(
        "less than a microsecond",
        lambda: iw.range("0.1 microseconds", order_by="ts"),
        iw.UsageError,
        "range: size='0.1 microseconds' is not an interval (a microsecond is the finest): write a number "
        "and a unit, as in '5 minutes', '1 day 12 hours' or '3 months' (units: microseconds to weeks, "
        "months, years)",
    ),
    Bad(
        "... by numpy",
        lambda: iw.range(np.timedelta64(1, "ns"), order_by="ts"),
        iw.UsageError,
        "range: size=np.timedelta64(1,'ns') is not a size: give a unit, down to microseconds, as in "
        "np.timedelta64(5, 's')",
    ),
    Bad(
        "without order",
        lambda: iw.range(3),
        iw.UsageError,
        "(range between 3 preceding and current row) needs an order column: add order_by='...'",
    ),
    Bad(
        "two order columns",
        lambda: iw.range(3, order_by=["t", "n"]),
        iw.UsageError,
        "(order by t, n range between 3 preceding and current row) has 2 order columns, but its bounds "
        "are distances in the order value, which needs exactly one: use one order column, or a ROWS frame",
    ),
    Bad(
        "a negative lag",
        lambda: iw.range(3, order_by="t", lag=-1),
        iw.UsageError,
        "lag=-1 is negative; a lag ends the frame earlier, so it is >= 0",
    ),
    Bad(
        "a lag of another unit",
        lambda: iw.range(3, order_by="t", lag="1 second"),
        iw.UsageError,
        "a time and a number do not go together: 3 and 1 second; give both as times or both as numbers",
    ),
    Bad(
        "bounds the wrong way round",
        lambda: iw.range_between("1 second", "-1 second", order_by="ts"),
        iw.UsageError,
        "(order by ts range between 1 second following and 1 second preceding): the lower bound lies "
        "after the upper bound; swap them",
    ),
    Bad(
        "bounds of different units",
        lambda: iw.range_between("-1 second", 1, order_by="ts"),
        iw.UsageError,
        "(order by ts range between 1 second preceding and 1 following) mixes a distance in time with a "
        "number: give both in the same unit",
    ),
    Bad(
        "a bound that is no size",
        lambda: iw.range_between([], 0, order_by="t"),
        iw.UsageError,
        "range_between: start=[] is not a size: write a number, a timedelta or an interval such as '5 minutes'",
    ),
    Bad(
        "UNBOUNDED FOLLOWING as the lower bound, by PySpark's number",
        lambda: iw.range_between(2**63 - 1, 2**63 - 1, order_by="t"),
        iw.UsageError,
        "a frame cannot start at UNBOUNDED FOLLOWING: give the lower bound first, as in rowsBetween(-9, 0)",
    ),
    Bad(
        "UNBOUNDED PRECEDING as the upper bound, by PySpark's number",
        lambda: iw.rows_between(None, -(2**63)),
        iw.UsageError,
        "a frame cannot end at UNBOUNDED PRECEDING: give the lower bound first, as in rowsBetween(-9, 0)",
    ),
    Bad(
        "a string as the order",
        lambda: over(iw.range(3, order_by="item")),
        iw.UsageError,
        "(order by item range between 3 preceding and current row) needs distances in the order column "
        "'item', but string has none: order by a number, a date or a timestamp, or count tuples (ROWS, "
        "rows=); texts that are times become timestamps with pandas.to_datetime, on Spark with F.to_timestamp",
    ),
    Bad(
        "a bool as the order",
        lambda: over(iw.range(3, order_by="ok")),
        iw.UsageError,
        "(order by ok range between 3 preceding and current row) needs distances in the order column "
        "'ok', but bool has none: order by a number, a date or a timestamp, or count tuples (ROWS, rows=)",
    ),
    Bad(
        "a time over numbers",
        lambda: over(iw.range("3 seconds", order_by="t")),
        iw.UsageError,
        "the frame (order by t range between 3 seconds preceding and current row) is a time, 3 seconds, "
        "but the order column 't' is of type int64: give a number in the column's unit, or order by a "
        "timestamp or a date",
    ),
    Bad(
        "months over numbers",
        lambda: over(iw.range("1 month", order_by="t")),
        iw.UsageError,
        "the frame (order by t range between 1 month preceding and current row) is a time, 1 month, but "
        "the order column 't' is of type int64: give a number in the column's unit, or order by a "
        "timestamp or a date",
    ),
    Bad(
        "a number over timestamps",
        lambda: over(iw.range(3, order_by="ts")),
        iw.UsageError,
        "the frame (order by ts range between 3 preceding and current row) is the number 3, but the order"
        " column 'ts' is a timestamp[us]: give a time, as in '3 seconds' or timedelta(seconds=3)",
    ),
    Bad(
        "months over durations",
        lambda: over(iw.range("1 month", order_by="length")),
        iw.UsageError,
        "the frame (order by length range between 1 month preceding and current row): months need a date "
        "or a timestamp, but the order column 'length' is a duration[s]",
    ),
    # Slides
    Bad(
        "a slide of nothing",
        lambda: iw.rows(3, slide=0),
        iw.UsageError,
        "slide=0: a slide must be > 0 (it is the distance between two yield tuples)",
    ),
    Bad(
        "a negative slide",
        lambda: iw.rows(3, slide=-1),
        iw.UsageError,
        "slide=-1: a slide must be > 0 (it is the distance between two yield tuples)",
    ),
    Bad(
        "half a tuple",
        lambda: iw.rows(3, slide=1.5),
        iw.UsageError,
        "slide=1.5 is not a whole number of tuples; for a distance in order values give slide_by='range', or a time",
    ),
    Bad(
        "a time over tuples without order",
        lambda: iw.rows(3, slide="5 minutes"),
        iw.UsageError,
        "(rows between 2 preceding and current row slide 5 minutes) needs an order column: add order_by='...'",
    ),
    Bad(
        "a distance over tuples without order",
        lambda: iw.rows(3, slide=5, slide_by="range"),
        iw.UsageError,
        "(rows between 2 preceding and current row slide 5 in order values) needs an order column: add order_by='...'",
    ),
    Bad(
        "a time over tuples in two orders",
        lambda: iw.rows(3, slide="5 minutes", order_by=["ts", "t"]),
        iw.UsageError,
        "(order by ts, t rows between 2 preceding and current row slide 5 minutes) has 2 order columns, but its slide is a "
        "distance in the order value, which needs exactly one: use one order column, or a slide in tuples",
    ),
    Bad(
        "a count of minutes",
        lambda: iw.range("5 minutes", order_by="ts", slide="1 minute", slide_by="rows"),
        iw.UsageError,
        "slide=1 minute is a time, but slide_by='rows' counts tuples: give a number, or slide_by='range'",
    ),
    Bad(
        "one and a half tuples over a range",
        lambda: iw.range(5, order_by="t", slide=1.5, slide_by="rows"),
        iw.UsageError,
        "slide=1.5 is not a whole number of tuples; for a distance in order values give slide_by='range', or a time",
    ),
    Bad(
        "an unknown unit of a slide",
        lambda: iw.range(5, order_by="t", slide=2, slide_by="tuples"),
        iw.UsageError,
        "slide_by='tuples' is not known: a slide counts tuples ('rows') or groups of peers ('groups'), or is a distance in "
        "order values ('range')",
    ),
    Bad(
        "a unit without a slide",
        lambda: iw.range(5, order_by="t", slide_by="rows"),
        iw.UsageError,
        "slide_by='rows' says what slide= counts: give slide= with it, or drop it",
    ),
    Bad(
        "groups without an order",
        lambda: iw.groups(3),
        iw.UsageError,
        "(groups between 2 preceding and current row) counts groups of peers, tuples with equal order values: add order_by='...'",
    ),
    Bad(
        "a slide of groups without an order",
        lambda: iw.rows(3, slide=2, slide_by="groups"),
        iw.UsageError,
        "(rows between 2 preceding and current row slide 2 groups) slides by groups of peers, tuples with equal order values: add "
        "order_by='...'",
    ),
    Bad(
        "half a group",
        lambda: iw.groups(1.5, order_by="t"),
        iw.UsageError,
        "groups: size=1.5 is not a whole number of groups of peers; a size in time or in order values is for iw.range (or size= of "
        "an extent)",
    ),
    Bad(
        "a bound that is no count of groups",
        lambda: iw.groups_between("1 day", 0, order_by="t"),
        iw.UsageError,
        "groups_between: start='1 day' is not a whole number of groups of peers (negative is PRECEDING), or None for UNBOUNDED",
    ),
    Bad(
        "groups that slide by time in two orders",
        lambda: iw.groups(3, slide="5 minutes", order_by=["ts", "t"]),
        iw.UsageError,
        "(order by ts, t groups between 2 preceding and current row slide 5 minutes) has 2 order columns, but its slide is a "
        "distance in the order value, which needs exactly one: use one order column, or a slide in groups",
    ),
    Bad(
        "an origin of tuples",
        lambda: iw.range(5, order_by="t", slide=2, slide_by="rows", origin=1),
        iw.UsageError,
        "origin= places the slots of a RANGE slide: give slide= in order values with it, or drop it",
    ),
    Bad(
        "panes of order values under tuples",
        lambda: over(iw.rows(4, order_by="t", slide=2, slide_by="range", strategy="pane-cascade")),
        iw.StrategyError,
        "strategy='pane-cascade' is not possible for MyAvg: slots of order values hold any number of tuples: a ROWS frame "
        "begins inside a pane; possible here: 'delta', 'recompute'",
    ),
    Bad(
        "a tumble of two units",
        lambda: over(iw.range(1, order_by="t", slide=2, slide_by="rows", strategy="tumble")),
        iw.StrategyError,
        "strategy='tumble' is not possible for MyAvg: the frame counts order values and the slide tuples: whether frames "
        "overlap depends on the data; possible here: 'delta', 'recompute'",
    ),
    Bad(
        "a bool",
        lambda: iw.rows(3, slide=True),
        iw.UsageError,
        "slide=True is not a size: write a number, a timedelta or an interval such as '5 minutes'",
    ),
    Bad(
        "no size",
        lambda: iw.rows(3, slide=""),
        iw.UsageError,
        "slide='' is not an interval: write a number and a unit, as in '5 minutes', '1 day 12 hours' or "
        "'3 months' (units: microseconds to weeks, months, years)",
    ),
    Bad(
        "a slide without order",
        lambda: iw.unbounded(slide="2 seconds"),
        iw.UsageError,
        "(rows between unbounded preceding and current row slide 2 seconds) needs an order column: add order_by='...'",
    ),
    Bad(
        "a time over numbers",
        lambda: over(iw.range(3, order_by="t", slide="2 seconds")),
        iw.UsageError,
        "slide is a time, 2 seconds, but the order column 't' is of type int64: give a number in the "
        "column's unit, or order by a timestamp or a date",
    ),
    Bad(
        "a number over timestamps",
        lambda: over(iw.range("3 seconds", order_by="ts", slide=2)),
        iw.UsageError,
        "slide is the number 2, but the order column 'ts' is a timestamp[us]: give a time, as in '2 "
        "seconds', or slide_by='rows' for a result every 2 tuples",
    ),
    Bad(
        "finer than the column",
        lambda: over(iw.range(3, order_by="t", slide=0.5)),
        iw.UsageError,
        "slide=0.5 is finer than the column 't' of type int64 can tell apart: use a whole number of its "
        "units, or cast the column",
    ),
    Bad(
        "months",
        lambda: over(iw.range("3 days", order_by="ts", slide="1 month")),
        iw.UsageError,
        "slide=1 month: months differ in length; give days, or group by a month column instead",
    ),
    Bad(
        "larger than the column can hold",
        lambda: over(iw.range(3, order_by="t", slide=10**30)),
        iw.UsageError,
        "slide=1000000000000000000000000000000 is larger than the column 't' of type int64 can hold",
    ),
    Bad(
        "an origin without a slide",
        lambda: iw.range(3, order_by="t", origin=1),
        iw.UsageError,
        "origin= places the slots of a RANGE slide: give slide= in order values with it, or drop it",
    ),
    Bad(
        "an origin of tuples",
        lambda: iw.rows(3, slide=2, origin=1),
        iw.UsageError,
        "origin= places the slots of a RANGE slide: give slide= in order values with it, or drop it",
    ),
    Bad(
        "an origin of another type",
        lambda: over(iw.range(3, order_by="t", slide=2, origin="noon")),
        iw.UsageError,
        "origin = 'noon' is no value of the order column 't' of type int64: write a whole number (of 64 bits)",
    ),
    Bad(
        "an origin between two values",
        lambda: over(iw.range(3, order_by="t", slide=2, origin=1.5)),
        iw.UsageError,
        "origin = 1.5 is no value of the order column 't' of type int64: write a whole number (of 64 bits)",
    ),
    Bad(
        "final= that is not known",
        lambda: iw.rows(3, slide=2, final="keep"),
        iw.UsageError,
        "final='keep' is not known: an unfilled last slot is dropped ('drop') or emitted ('emit')",
    ),
]
