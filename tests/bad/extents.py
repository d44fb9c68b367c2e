"""Extents written wrong, or that do not suit their attribute."""

from datetime import date
from typing import Any

import pyarrow as pa
from bad.input import TABLE, Bad

import inwindow as iw


def grouped(extent: Any) -> Any:
    """Use an extent on the table."""
    return iw.group_by(TABLE).window(extent).agg(n=iw.count())


def minus_one(t):
    """No size."""
    return t - 1


ROWS = [
    Bad(
        "a time near the end of its type, that Python does not have",
        lambda: (
            iw.group_by(pa.table({"t": pa.array([2**63 - 1], pa.timestamp("us"))}))
            .window(iw.tumble("t", size="1 day"))
            .agg(n=iw.count())
        ),
        iw.DataError,
        "'t' = 9223372036854775807 as a timestamp[us] is so close to the end of its type, timestamp[us], that an extent "
        "around it would have no bounds: filter such tuples out, or make the value NULL",
    ),
    # Extents
    Bad(
        "at the very end of the type",
        lambda: iw.group_by(pa.table({"d": [2**63 - 1]})).window(iw.tumble("d", size=10)).agg(n=iw.count()),
        iw.DataError,
        "'d' = 9223372036854775807 is so close to the end of its type, int64, that an extent around it would have no "
        "bounds: filter such tuples out, or make the value NULL",
    ),
    Bad(
        "a session at the very end of the type",
        lambda: (
            iw.group_by(pa.table({"d": pa.array([2**63 - 1], pa.timestamp("ns"))}))
            .window(iw.session("d", gap="1 day"))
            .agg(n=iw.count())
        ),
        iw.DataError,
        "'d' = 2262-04-11 23:47:16.854775807 is so close to the end of its type, timestamp[ns], that an extent around it "
        "would have no bounds: filter such tuples out, or make the value NULL",
    ),
    Bad(
        "a size that is nothing beside the values",
        lambda: iw.group_by(pa.table({"d": [0.0, 3.0]})).window(iw.tumble("d", size=5e-324)).agg(n=iw.count()),
        iw.DataError,
        "'d' = 3.0 with origin 0.0: so far out, a float of 53 bits does not tell one multiple of 5e-324 from the next: give a "
        "larger size, or an origin nearer to the values",
    ),
    Bad(
        "a size that is nothing beside values of 32 bits",
        lambda: (
            iw.group_by(pa.table({"d": pa.array([3.0], pa.float32())}))
            .window(iw.session("d", gap=1e-9))
            .agg(n=iw.count())
        ),
        iw.DataError,
        "'d' = 3.0 with origin 0.0: so far out, a float of 24 bits does not tell one multiple of 1e-09 from the next: give a "
        "larger size, or an origin nearer to the values",
    ),
    Bad(
        "a size that floats of 32 bits do not have",
        lambda: (
            iw.group_by(pa.table({"d": pa.array([3.0], pa.float32())}))
            .window(iw.tumble("d", size=1e39))
            .agg(n=iw.count())
        ),
        iw.UsageError,
        "tumble: size=1e+39 is larger than the column 'd' of type float can hold",
    ),
    Bad(
        "no size",
        lambda: iw.tumble("ts"),
        iw.UsageError,
        "tumble() needs either size= (time or number) or rows= (a count of tuples)",
    ),
    Bad(
        "a size twice",
        lambda: iw.tumble("ts", size="1 hour", rows=3),
        iw.UsageError,
        "tumble() needs either size= (time or number) or rows= (a count of tuples)",
    ),
    Bad(
        "no attribute",
        lambda: iw.tumble(None, size=1),
        iw.UsageError,
        "tumble(None): the first argument is the name of the windowing attribute's column",
    ),
    Bad(
        "an empty name",
        lambda: iw.tumble("", size=1),
        iw.UsageError,
        "tumble(''): the first argument is the name of the windowing attribute's column",
    ),
    Bad(
        "a size of nothing",
        lambda: iw.tumble("ts", size="0 hours"),
        iw.UsageError,
        "tumble(size='0 hours'): must be > 0",
    ),
    Bad("a negative size", lambda: iw.tumble("ts", size=-1), iw.UsageError, "tumble(size=-1): must be > 0"),
    Bad(
        "a size that is none",
        lambda: iw.tumble("ts", size="an hour"),
        iw.UsageError,
        "tumble: size='an hour' is not an interval: write a number and a unit, as in '5 minutes', '1 day "
        "12 hours' or '3 months' (units: microseconds to weeks, months, years)",
    ),
    Bad(
        "months and days",
        lambda: iw.tumble("ts", size="1 month 2 days"),
        iw.UsageError,
        "tumble(size=1 month 2 days): write either months, or days and hours",
    ),
    Bad(
        "a month every hour",
        lambda: iw.hop("ts", size="1 month", every="1 hour"),
        iw.UsageError,
        "hop(size=1 month, every=1 hour): from the last days of a month, a month later is the same day for several "
        "times: give every= in whole days, or in months",
    ),
    Bad(
        "a gap of months",
        lambda: iw.session("ts", gap="1 month"),
        iw.UsageError,
        "session(gap='1 month'): months differ in length: give the gap in days",
    ),
    Bad(
        "months of numbers",
        lambda: iw.group_by(pa.table({"t": [1]})).window(iw.tumble("t", size="1 month")).agg(n=iw.count()),
        iw.UsageError,
        "tumble: size=1 month: months are for dates and timestamps, but the column 't' is of type int64",
    ),
    Bad(
        "a zone that is no name",
        lambda: iw.tumble("ts", size="1 day", timezone=2),
        iw.UsageError,
        "tumble(timezone=2): write a zone's name, as in timezone='America/New_York' or '+02:00'",
    ),
    Bad(
        "a zone that there is not",
        lambda: iw.hop("ts", size="2 days", every="1 day", timezone="Mars"),
        iw.UsageError,
        "hop(timezone='Mars'): there is no such zone; write a name of the tz database, as in 'America/New_York', or an "
        "offset, as in '+02:00'",
    ),
    Bad(
        "a zone of numbers",
        lambda: iw.tumble("ts", rows=3, timezone="UTC"),
        iw.UsageError,
        "tumble(timezone='UTC'): a zone is for extents of times, and this is one of 3: give a size such as '1 day', or "
        "drop timezone=",
    ),
    Bad(
        "a zone of dates",
        lambda: (
            iw.group_by(pa.table({"t": [date(2026, 1, 1)]}))
            .window(iw.tumble("t", size="1 day", timezone="UTC"))
            .agg(n=iw.count())
        ),
        iw.UsageError,
        "tumble(timezone='UTC') is for timestamps, but the column 't' is of type date32[day]: drop timezone=",
    ),
    Bad(
        "a zone of local times",
        lambda: grouped(iw.cumulate("ts", size="1 day", every="1 hour", timezone="UTC")),
        iw.UsageError,
        "cumulate(timezone='UTC'): the times of the column 'ts' have no zone, so they are local already: drop timezone=, "
        "or cast the column to a timestamp with a zone",
    ),
    Bad(
        "half a tuple",
        lambda: iw.tumble("ts", rows=2.5),
        iw.UsageError,
        "tumble: rows=2.5 is not a whole number of tuples; a size in time or in order values is for "
        "iw.range (or size= of an extent)",
    ),
    Bad(
        "no tuples",
        lambda: iw.tumble("ts", rows=0),
        iw.UsageError,
        "tumble: rows=0 must be at least 1: it is a number of tuples",
    ),
    Bad(
        "a time of tuples",
        lambda: iw.tumble("ts", rows="1 hour"),
        iw.UsageError,
        "tumble: rows='1 hour' is not a whole number of tuples; a size in time or in order values is for "
        "iw.range (or size= of an extent)",
    ),
    Bad(
        "an origin of tuples",
        lambda: iw.tumble("ts", rows=3, origin=1),
        iw.UsageError,
        "tumble(rows=..., origin=1): tuples are counted from the first; drop origin=",
    ),
    Bad(
        "a scope that is not known",
        lambda: iw.tumble("ts", rows=3, scope="all"),
        iw.UsageError,
        "tumble(scope='all'): tuples are counted per 'partition' or over the whole 'stream'",
    ),
    Bad(
        "a stream of times",
        lambda: iw.tumble("ts", size=3, scope="stream"),
        iw.UsageError,
        "tumble(scope='stream') is for counts of tuples: give rows= with it, or drop it",
    ),
    Bad(
        "a hop of how much?",
        lambda: iw.hop("ts", size=3),
        iw.UsageError,
        "hop() needs every=, the distance between two extents; for extents side by side use iw.tumble",
    ),
    Bad("a hop of nothing", lambda: iw.hop("ts", size=3, every=0), iw.UsageError, "hop(every=0): must be > 0"),
    Bad(
        "a hop of different units",
        lambda: iw.hop("ts", size="1 hour", every=1),
        iw.UsageError,
        "hop(size=1 hour, every=1): give both as times or both as numbers; for a result every 1 tuples write iw.select with "
        ".over(iw.range('1 hour', slide=1, slide_by='rows', order_by=...))",
    ),
    Bad(
        "a hop of tuples by time",
        lambda: iw.hop("ts", rows=1000, every="1 minute"),
        iw.UsageError,
        "hop(rows=1000, every=1 minute): an extent of tuples begins every so many tuples; for the last 1000 tuples at the end "
        "of every 1 minute write iw.select with .over(iw.rows(1000, slide='1 minute', order_by=...))",
    ),
    Bad(
        "a hop of half a tuple",
        lambda: iw.hop("ts", rows=3, every=0.5),
        iw.UsageError,
        "hop(rows=3): every=0.5 is not a whole number of tuples; a size in time or in order values is for"
        " iw.range (or size= of an extent)",
    ),
    Bad(
        "a hop of too many extents",
        lambda: iw.hop("t", size=2**40, every=1),
        iw.UsageError,
        "hop(size=1099511627776, every=1): each tuple would be in 1099511627776 extents; use a larger every",
    ),
    Bad(
        "a cumulation that does not come out even",
        lambda: iw.cumulate("ts", size="1 day", every="7 hours"),
        iw.UsageError,
        "cumulate(size='1 day', every='7 hours'): size must be a whole multiple of every",
    ),
    Bad(
        "a quiet time of nothing",
        lambda: iw.tumble("ts", size="1 day", quiet="1 hour"),
        iw.UsageError,
        "tumble(quiet=...) says which extents are filled: say with what, as in fill='null'",
    ),
    Bad(
        "gaps of tuples",
        lambda: iw.hop("ts", rows=4, every=2, fill=0),
        iw.UsageError,
        "hop(rows=..., fill=0): extents of tuples have no gaps: drop fill=",
    ),
    Bad(
        "gaps filled by a word",
        lambda: iw.tumble("ts", size="1 day", fill="forward"),
        iw.UsageError,
        "tumble(fill='forward'): write 'null', 'previous', 'linear', or a value that is no text, such as fill=0",
    ),
    Bad(
        "a line without an end",
        lambda: iw.tumble("ts", size="1 day", fill="linear", quiet="2 days"),
        iw.UsageError,
        "tumble(fill='linear', quiet='2 days'): quiet= ends what is filled, fill='linear' needs both ends: give one of "
        "them",
    ),
    Bad(
        "between one end",
        lambda: iw.tumble("t", size=3, fill=0, between=(4,)),
        iw.UsageError,
        "tumble(between=(4,)): write the start and the end, as in between=(start, end)",
    ),
    Bad(
        "a quiet time of months",
        lambda: iw.tumble("ts", size="1 day", fill="null", quiet="1 month"),
        iw.UsageError,
        "tumble(quiet='1 month'): must be > 0, and in days or less",
    ),
    Bad(
        "filled holes",
        lambda: iw.hop("t", size=3, every=4, fill=0),
        iw.UsageError,
        "hop(size=3, every=4, fill=...): there is time between these extents, so a tuple may lie in none: give a size of "
        "at least every, or drop fill=",
    ),
    Bad(
        "a line of whole numbers",
        lambda: iw.group_by(pa.table({"t": [1]})).window(iw.tumble("t", 3, fill="linear")).agg(top=iw.max("t")),
        iw.UsageError,
        "max(t): fill='linear' is for doubles, and its result is of type int64: cast its argument, or write "
        "fill='previous'",
    ),
    Bad(
        "a value of another type",
        lambda: iw.group_by(pa.table({"t": [1]})).window(iw.tumble("t", 3, fill=0.5)).agg(top=iw.max("t")),
        iw.UsageError,
        "max(t): fill=0.5 is no value of its result's type, int64",
    ),
    Bad(
        "a gap without an end in sight",
        lambda: iw.group_by(pa.table({"t": [1, 10**9]})).window(iw.tumble("t", 3, fill=0)).agg(n=iw.count()),
        iw.DataError,
        "fill=: around the extent from 0 there would be 333,333,332 rows without tuples: give larger extents, or end the "
        "fill with quiet=",
    ),
    Bad(
        "early rows without tuples",
        lambda: iw.group_by(TABLE).window(iw.tumble("ts", "1 day", fill=0, quiet="1 day"), early=True),
        iw.UsageError,
        "window((tumble ts size 1 day fill 0 quiet 1 day), early=True): a filled row is one without tuples, and an early "
        "row comes with them: drop early= or fill=",
    ),
    Bad(
        "gaps of an endless key",
        lambda: iw.testing.replay(
            [pa.table({"t": [1]})],
            lambda df: iw.group_by(df).window(iw.tumble("t", 3, fill=0)).agg(n=iw.count()),
            delay=1,
        ),
        iw.UsageError,
        "(tumble t size 3 fill 0) on a stream: nobody knows whether another tuple of a key will come: say with quiet= "
        "for how long its gaps are filled, as in fill='previous', quiet='1 day' (and neither 'linear' nor between=, "
        "which need the end)",
    ),
    Bad(
        "a cumulation by months",
        lambda: iw.cumulate("ts", size="1 month", every="2 days"),
        iw.UsageError,
        "cumulate(size='1 month', every='2 days'): size must be a whole multiple of every",
    ),
    Bad("a session without a gap", lambda: iw.session("ts", gap=0), iw.UsageError, "session(gap=0): must be > 0"),
    Bad(
        "a session of a function",
        lambda: iw.session("ts", gap=minus_one),
        iw.UsageError,
        "session: gap=<function minus_one> is not a size: write a number, a timedelta or an interval such"
        " as '5 minutes'",
    ),
    Bad(
        "a number over timestamps",
        lambda: grouped(iw.tumble("ts", size=3)),
        iw.UsageError,
        "tumble: size is the number 3, but the order column 'ts' is a timestamp[us]: give a time, as in "
        "'3 seconds' or timedelta(seconds=3)",
    ),
    Bad(
        "a time over numbers",
        lambda: grouped(iw.tumble("t", size="1 hour")),
        iw.UsageError,
        "tumble: size is a time, 1 hour, but the order column 't' is of type int64: give a number in the "
        "column's unit, or order by a timestamp or a date",
    ),
    Bad(
        "finer than the column",
        lambda: grouped(iw.tumble("t", size=0.5)),
        iw.UsageError,
        "tumble: size=0.5 is finer than the column 't' of type int64 can tell apart: use a whole number "
        "of its units, or cast the column",
    ),
    Bad(
        "larger than the column can hold",
        lambda: grouped(iw.session("t", gap=10**30)),
        iw.UsageError,
        "session: gap=1000000000000000000000000000000 is larger than the column 't' of type int64 can hold",
    ),
    Bad(
        "days by the clock of a zone that nobody knows",
        lambda: (
            iw.group_by(pa.table({"d": pa.array([0], pa.timestamp("us", "Mars/Olympus"))}))
            .window(iw.session("d", gap="2 days"))
            .agg(n=iw.count())
        ),
        iw.UsageError,
        "session: gap has 2 days of the calendar, but the time zone 'Mars/Olympus' of 'd' is not known to "
        "Python: write '48 hours', or name a zone of the tz database",
    ),
    Bad(
        "a string as the attribute",
        lambda: grouped(iw.tumble("item", size=3)),
        iw.UsageError,
        "tumble needs distances in the order column 'item', but string has none: order by a number, a "
        "date or a timestamp, or count tuples (ROWS, rows=); texts that are times become timestamps with "
        "pandas.to_datetime, on Spark with F.to_timestamp",
    ),
    Bad(
        "an unsigned attribute of 64 bits",
        lambda: grouped(iw.tumble("big", size=3)),
        iw.UsageError,
        "extents over 'big' of type uint64 are not supported: their bounds need more than 64 bits; cast "
        "it to bigint or to a decimal of at most 18 digits",
    ),
    Bad(
        "an origin of another type",
        lambda: grouped(iw.tumble("ts", size="1 hour", origin=3)),
        iw.UsageError,
        "origin = 3 is no value of the order column 'ts' of type timestamp[us]: write a datetime, or ISO "
        "text such as '2026-01-31 12:00'",
    ),
]
