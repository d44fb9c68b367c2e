"""Rows that hold for a while: tables without a validity, ends that cannot be compared, joins that make no sense."""

import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from bad.input import Bad

import inwindow as iw
from inwindow import temporal

ROOMS = pa.table({"room": ["A", "B"], "n": [1, 2], "since": [1, 5], "until": [9, None]})
TURNED = pa.table({"room": ["A", "B"], "since": [1, 9], "until": [9, 3]})
TEXTS = ROOMS.set_column(2, "since", pa.array(["a", "b"]))
DAYS = pa.table({"room": ["A"], "since": [datetime.date(2026, 1, 1)], "until": [datetime.date(2026, 1, 3)]})
WIDE = pa.table({"since": pa.array([1, 2], pa.decimal128(30, 0)), "until": pa.array([3, 4], pa.decimal128(30, 0))})
STREAM = pa.table(
    {"ts": [1, 5], "price": [1.5, 2.5], "at": [datetime.datetime(2026, 1, 1, 1), datetime.datetime(2026, 1, 2)]}
)


def joined(**options: Any) -> Any:
    """Join a table with itself."""
    return temporal.join(ROOMS, ROOMS, **options)


def streamed(query: Any) -> Any:
    """A query of several operators, on a stream."""
    return iw.testing.replay([ROOMS], lambda a: temporal.run(query, a))


class Emits(iw.Aggregate):
    """Without a terminate."""

    def iterate(self, value) -> float:
        return value


class Fails(iw.Aggregate):
    """Raises at a value."""

    def iterate(self, value):
        if value == 2:
            raise ValueError("two")

    def terminate(self) -> float:
        return 0.0


class FailsToMerge(iw.Aggregate, commutative=True):
    """Raises as what holds is merged."""

    def iterate(self, value): ...

    def merge(self, later):
        raise ValueError("no")

    def terminate(self) -> float:
        return 0.0


ROWS = [
    Bad(
        "no column since",
        lambda: temporal.coalesce(ROOMS.drop_columns(["since"])),
        iw.UsageError,
        "temporal.coalesce: a row holds from 'since' until 'until', but there is no column 'since': name the "
        "columns with temporal.with_validity(data, since=..., until=...), or make them with temporal.window(data, "
        "...)",
    ),
    Bad(
        "a text as since",
        lambda: temporal.coalesce(TEXTS),
        iw.UsageError,
        "temporal.coalesce: 'since' is of type string; a row holds from one instant to another: cast it to an "
        "integer, a decimal, a date or a timestamp",
    ),
    Bad(
        "ends of two types",
        lambda: temporal.coalesce(ROOMS.set_column(2, "since", pa.array([1, 5], pa.int32()))),
        iw.UsageError,
        "temporal.coalesce: 'since' is of type int32, but 'until' of type int64: ends are compared, so cast them "
        "to one type",
    ),
    Bad(
        "ends with a zone and without",
        lambda: temporal.coalesce(
            pa.table({"since": pa.array([0], pa.timestamp("us", "UTC")), "until": pa.array([0], pa.timestamp("us"))})
        ),
        iw.UsageError,
        "temporal.coalesce: 'since' has a time zone and 'until' has none: they cannot be compared; cast one of them",
    ),
    Bad(
        "an end before the beginning",
        lambda: temporal.coalesce(TURNED),
        iw.DataError,
        "temporal.coalesce: row 1 is from 9 until 3, but it cannot end before it begins: swap the ends, or filter "
        "such rows out",
    ),
    Bad(
        "an end before the beginning, in the second table",
        lambda: temporal.union(TURNED.slice(0, 1), TURNED),
        iw.DataError,
        "temporal.union: row 1 is from 9 until 3, but it cannot end before it begins: swap the ends, or filter "
        "such rows out",
    ),
    Bad(
        "tables of two types of time",
        lambda: temporal.union(ROOMS.drop_columns(["n"]), DAYS),
        iw.UsageError,
        "temporal.union: the validity of the first table is of type int64, but that of the second one of type "
        "date32[day]: ends are compared, so cast them to one type",
    ),
    Bad(
        "a column of one side alone",
        lambda: temporal.difference(ROOMS, ROOMS.drop_columns(["n"])),
        iw.UsageError,
        "temporal.difference: the second table has no column 'n': both need the same ones, so select them first",
    ),
    Bad(
        "a column of two types",
        lambda: temporal.intersect(ROOMS, ROOMS.set_column(1, "n", pa.array([1.5, 2.5]))),
        iw.UsageError,
        "temporal.intersect: 'n' is of type int64 in the first table and double in the second: cast one of them",
    ),
    Bad(
        "a table and a list",
        lambda: temporal.union(ROOMS, [1]),
        iw.UsageError,
        "temporal.union: got a list; give pyarrow.Table.from_pylist(rows)",
    ),
    Bad(
        "a column that is not there",
        lambda: temporal.coalesce(ROOMS, by="floor"),
        iw.UnknownColumnError,
        "temporal.coalesce: there is no column 'floor'; there are 'room', 'n', 'since', 'until'",
    ),
    Bad(
        "a column twice",
        lambda: temporal.coalesce(ROOMS, by=["room", "room"]),
        iw.UsageError,
        "temporal.coalesce(by=...): 'room' is there twice",
    ),
    Bad(
        "a number as column",
        lambda: temporal.coalesce(ROOMS, by=[1]),
        iw.UsageError,
        "temporal.coalesce(by=1): write the name of a column",
    ),
    Bad(
        "an end as value",
        lambda: temporal.coalesce(ROOMS, by="since"),
        iw.UsageError,
        "temporal.coalesce: 'since' is when a row holds, not one of its values: leave it out",
    ),
    Bad(
        "a type that cannot be told apart",
        lambda: temporal.distinct(ROOMS.append_column("h", pa.array([1, 2], pa.float16()))),
        iw.UsageError,
        "temporal.distinct: 'h' is of type halffloat, whose values cannot be told apart: cast it, or drop it",
    ),
    Bad(
        "validity of no name",
        lambda: temporal.with_validity(ROOMS, since=1, until="until"),
        iw.UsageError,
        "temporal.with_validity(since=1): write the name of the column",
    ),
    Bad(
        "validity of one column",
        lambda: temporal.with_validity(STREAM, since="ts", until="ts"),
        iw.UsageError,
        "temporal.with_validity(since='ts', until='ts'): these are one column; name two",
    ),
    Bad(
        "another column since",
        lambda: temporal.with_validity(ROOMS, since="n", until="until"),
        iw.UsageError,
        "temporal.with_validity: there is another column 'since' already: rename it, or drop it",
    ),
    Bad(
        "at no instant",
        lambda: temporal.at(ROOMS, None),
        iw.UsageError,
        "temporal.at(None): write an instant; what holds now and for ever is where until is NULL",
    ),
    Bad(
        "at a text",
        lambda: temporal.at(ROOMS, "noon"),
        iw.UsageError,
        "temporal.at = 'noon' is no value of the order column 'since' of type int64: write a whole number (of 64 bits)",
    ),
    Bad(
        "split by nothing",
        lambda: temporal.split(ROOMS, 0),
        iw.UsageError,
        "temporal.split(every=0): write a size > 0",
    ),
    Bad(
        "split for ever",
        lambda: temporal.split(ROOMS, 5),
        iw.DataError,
        "temporal.split: row 1 holds for ever, so it has no end of multiples: write between=(None, last), or "
        "filter it out",
    ),
    Bad(
        "rstream of what always held",
        lambda: temporal.rstream(ROOMS.set_column(2, "since", pa.array([None, 1], pa.int64())), 5, between=(None, 9)),
        iw.DataError,
        "temporal.rstream: row 0 has always held, so it has no end of multiples: write between=(first, None), or "
        "filter it out",
    ),
    Bad(
        "split of wide decimals",
        lambda: temporal.split(WIDE, 2),
        iw.UsageError,
        "temporal.split: multiples of 2 are counted in 64 bits, and the validity, a decimal128(30, 0), or its "
        "values need more: cast it to a decimal of at most 18 digits, or filter such values out",
    ),
    Bad(
        "split between one",
        lambda: temporal.split(ROOMS, 5, between=3),
        iw.UsageError,
        "temporal.split(between=3): write two instants, between=(first, last); None is no bound",
    ),
    Bad(
        "a column of changes that is there",
        lambda: temporal.istream(ROOMS, at="n"),
        iw.UsageError,
        "temporal.istream(at='n'): there is a column of that name already: give another one",
    ),
    Bad(
        "a name that is no text",
        lambda: temporal.dstream(ROOMS, at=3),
        iw.UsageError,
        "temporal.dstream(at=3): write the name of a column",
    ),
    Bad(
        "a join of no kind",
        lambda: joined(how="outer"),
        iw.UsageError,
        "temporal.join(how='outer'): write one of 'inner', 'left', 'right', 'full', 'semi', 'anti'",
    ),
    Bad(
        "a join without suffix",
        lambda: joined(suffix=""),
        iw.UsageError,
        "temporal.join(suffix=''): write what is put behind the name of a column that both have",
    ),
    Bad(
        "a join of columns twice",
        lambda: temporal.join(ROOMS, ROOMS.append_column("n_right", pa.array([1, 2])), on="room"),
        iw.UsageError,
        "temporal.join: the result would have the column 'n_right' twice: give another suffix=, or rename it",
    ),
    Bad(
        "a key of two types",
        lambda: temporal.join(ROOMS, ROOMS.set_column(0, "room", pa.array([1, 2])), on="room"),
        iw.UsageError,
        "temporal.join(on='room'): it is of type string in the first table and int64 in the second: cast one of them",
    ),
    Bad(
        "rows that never hold together",
        lambda: joined(on="room", condition="before"),
        iw.UsageError,
        "temporal.join(condition='before'): such rows never hold together, so the join would be empty: join the "
        "tables by their columns since and until, without validity",
    ),
    Bad(
        "a condition that is none",
        lambda: joined(on="room", condition="near"),
        iw.UsageError,
        "temporal.join(condition='near'): write an Arrow expression, as in pyarrow.compute.field('price') > 5, or "
        "one of Allen's relations: 'equals', 'starts', 'started_by', 'finishes', 'finished_by', 'during', "
        "'contains', 'overlaps', 'overlapped_by'",
    ),
    Bad(
        "a condition that is a number",
        lambda: joined(on="room", condition=pc.field("n") + 1),
        iw.UsageError,
        "temporal.join(condition=add_checked(n, 1)) is of type int64: write a comparison, whose value is true or false",
    ),
    Bad(
        "a condition on nothing",
        lambda: joined(on="room", condition=pc.field("floor") > 1),
        iw.UnknownColumnError,
        "(floor > 1): there is no column 'floor'; there are 'room', 'n', 'n_right', 'left_since', 'left_until', "
        "'right_since', 'right_until'",
    ),
    Bad(
        "no aggregate",
        lambda: temporal.aggregate(ROOMS),
        iw.UsageError,
        "temporal.aggregate() was given no aggregate: write temporal.aggregate(data, n=iw.count())",
    ),
    Bad(
        "an aggregate over a window",
        lambda: temporal.aggregate(ROOMS, n=iw.count().over(iw.rows(3))),
        iw.UsageError,
        "temporal.aggregate: count() has a window of its own, (rows between 2 preceding and current row), but what"
        " is aggregated here is what holds: drop .over(...)",
    ),
    Bad(
        "a class without terminate",
        lambda: temporal.aggregate(ROOMS, x=Emits()("n")),
        iw.UsageError,
        "temporal.aggregate: Emits(n): Emits has no terminate, but what holds at an instant is a set of rows, and "
        "its result what terminate gives: write one",
    ),
    Bad(
        "a result called since",
        lambda: temporal.aggregate(ROOMS, since=iw.count()),
        iw.UsageError,
        "temporal.aggregate() would give the column 'since' twice: name the aggregate otherwise",
    ),
    Bad(
        "coalesce is no column",
        lambda: temporal.aggregate(ROOMS, n=iw.count(), coalesce="room"),
        iw.UsageError,
        "temporal.aggregate(coalesce='room'): write True or False",
    ),
    Bad(
        "a hook that raises",
        lambda: temporal.aggregate(ROOMS, by="room", x=Fails()("n")),
        iw.HookError,
        "Fails.iterate(2) raised ValueError: two\n  in Fails(n), for what holds from 5 of room='B'\n  File "
        '"/work/w/temporal/tests/bad/temporal.py", line 45, in iterate\n    raise ValueError("two")',
    ),
    Bad(
        "a merge that raises",
        lambda: temporal.aggregate(ROOMS, x=FailsToMerge()("n")),
        iw.HookError,
        "FailsToMerge.merge(FailsToMerge()) raised ValueError: no\n  in FailsToMerge(n), for what holds from 5 "
        'until 9\n  File "/work/w/temporal/tests/bad/temporal.py", line 57, in merge\n    raise ValueError("no")',
    ),
    Bad(
        "a sum that overflows",
        lambda: temporal.aggregate(ROOMS.set_column(1, "n", pa.array([2**62, 2**62])), s=iw.sum("n")),
        iw.ArithmeticOverflowError,
        "sum(n): the result of a frame does not fit int64; cast the argument to a decimal or a double (ANSI "
        "semantics, as in Spark)",
    ),
    Bad(
        "a least count of rows that hold",
        lambda: temporal.aggregate(ROOMS, n=iw.count().min_count(2)),
        iw.UsageError,
        "temporal.aggregate: count() has min_count=2: add n=iw.count(...) to the aggregates, and keep the rows with n >= 2",
    ),
    Bad(
        "distinct in some columns",
        lambda: temporal.distinct(ROOMS, by="room"),
        iw.UsageError,
        "temporal.distinct(by='room', keep=None): rows that are equal in some columns differ in others, so say which one stays: "
        "write both, as in distinct(data, by='tag', keep='latest'); for the columns alone coalesce(data, by='tag')",
    ),
    Bad(
        "distinct that keeps something else",
        lambda: temporal.distinct(ROOMS, by="room", keep="first"),
        iw.UsageError,
        "temporal.distinct(keep='first'): write keep='latest', or leave it out",
    ),
    Bad(
        "pieces as they are on a stream",
        lambda: iw.testing.replay([ROOMS], lambda df: temporal.aggregate(df, n=iw.count(), coalesce=False), delay=3),
        iw.UsageError,
        "temporal.aggregate(coalesce=False) on a stream: rows would be cut wherever the watermark happened to be: drop coalesce=",
    ),
    Bad(
        "pieces inside of a query on a stream",
        lambda: streamed(lambda a: temporal.aggregate(temporal.split(temporal.distinct(a), every=2), n=iw.count())),
        iw.UsageError,
        "temporal.split in a query of several operators on a stream: its rows would be cut wherever the watermark "
        "happened to be: do it with the result",
    ),
    Bad(
        "ends inside of a query on a stream",
        lambda: streamed(lambda a: temporal.istream(temporal.join(temporal.distinct(a), a, condition="during"))),
        iw.UsageError,
        "temporal.join in a query of several operators on a stream looks at since or until, and rows are cut "
        "wherever the watermark happens to be: look at other columns",
    ),
    # Drawings
    Bad(
        "a drawing of nothing",
        lambda: temporal.draw(),
        iw.UsageError,
        "temporal.draw() was given no table: write temporal.draw(visits=visits)",
    ),
    Bad(
        "a drawing of a number",
        lambda: temporal.draw(visits=3),
        iw.UsageError,
        "temporal.draw(visits=3): give a table or a frame of pandas or Polars; of a DataFrame of Spark, "
        "temporal.draw(visits=df.toArrow())",
    ),
    Bad(
        "a drawing of too many rows",
        lambda: temporal.draw(many=pa.table({"since": range(1000), "until": range(1, 1001)})),
        iw.UsageError,
        "temporal.draw: 1,000 rows are more than can be seen: draw at most 60, such as those of one key",
    ),
]
