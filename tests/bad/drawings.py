"""``window.draw()``: what no picture can show."""

import pyarrow as pa
from bad.input import TABLE, TWICE, Bad, SparkColumn, SparkFrame

import inwindow as iw

RANGE = iw.range(5, order_by="t")


ROWS = [
    Bad(
        "a picture of points",
        lambda: RANGE.draw().save("window.png"),
        iw.UsageError,
        "save('window.png'): a drawing is SVG: give a name that ends with .svg (a browser, Inkscape or "
        "rsvg-convert makes a PNG of it)",
    ),
    Bad(
        "values that are none",
        lambda: RANGE.draw(object()),
        iw.UsageError,
        "draw(values=<object object>): give order values, as a list or an Arrow array, or a table that has them",
    ),
    Bad(
        "a file's name",
        lambda: RANGE.draw("window.svg"),
        iw.UsageError,
        "draw('window.svg'): a drawing is written to a file by .draw().save('window.svg')",
    ),
    Bad(
        "no value",
        lambda: RANGE.draw([]),
        iw.UsageError,
        "draw(values=...): give at least one order value, and no NULL, NaN or infinity: they have no place on an axis",
    ),
    Bad(
        "NaN",
        lambda: RANGE.draw([1.0, float("nan")]),
        iw.UsageError,
        "draw(values=...): give at least one order value, and no NULL, NaN or infinity: they have no place on an axis",
    ),
    Bad(
        "a table without the order column",
        lambda: iw.range(5, order_by="when").draw(TABLE),
        iw.UsageError,
        "draw: the table has no column 'when'; there are 'item', 'ts', 't', 'price', 'n', 'ok', 'tags', "
        "'length', 'big'",
    ),
    Bad(
        "a window of too many tuples",
        lambda: iw.rows(10_000_000).draw(),
        iw.UsageError,
        "draw: (rows between 9999999 preceding and current row) is over 10000004 tuples, too many for a "
        "picture: draw a smaller one of its shape",
    ),
    Bad(
        "a scope over values of its own kind",
        lambda: iw.scope(lower=lambda t: t["a"], order_by="t").draw(),
        iw.UsageError,
        "draw: the functions of this scope take neither whole numbers nor datetimes: give order values that "
        "they take, as in draw([0.5, 1.5, 2.5])",
    ),
    Bad(
        "too many extents around a tuple",
        lambda: iw.hop("t", size=10**5, every=1).draw(),
        iw.UsageError,
        "draw: in (hop t size 100000 every 1) a tuple lies in more than 20,000 extents, too many for a "
        "picture: draw one of a larger every",
    ),
    Bad(
        "an extent at the rows of another table",
        lambda: iw.tumble("t", size=5).draw([1, 2, 3], at=[2]),
        iw.UsageError,
        "draw(at=...): (tumble t size 5) is an extent; rows of another table see frames",
    ),
    Bad(
        "a slide at the rows of another table",
        lambda: iw.range(5, order_by="t", slide=2).draw([1, 2, 3], at=[2]),
        iw.UsageError,
        "draw(at=...): (order by t range between 5 preceding and current row slide 2) slides, expires "
        "actively or looks ahead, which a row of another table cannot",
    ),
    Bad(
        "no order at the rows of another table",
        lambda: iw.rows(5).draw([1, 2, 3], at=[2]),
        iw.UsageError,
        "draw(at=...): (rows between 4 preceding and current row) needs one ascending order column: add order_by='...'",
    ),
    Bad(
        "too many tuples",
        lambda: RANGE.draw(range(2_000_001)),
        iw.UsageError,
        "draw(values=...): 2000001 tuples are too many for a picture; at most 2000000",
    ),
    Bad(
        "times of another type",
        lambda: RANGE.draw([1, 2, 3], at=["noon"]),
        iw.UsageError,
        "draw(at=['noon']): give a list of times of the type int64, as the values are",
    ),
    Bad(
        "no time",
        lambda: RANGE.draw([1, 2, 3], at=[]),
        iw.UsageError,
        "draw(at=...): 0 times; a picture has 1 to 12",
    ),
    Bad(
        "values that have no order",
        lambda: RANGE.draw([[1], [2]]),
        iw.UsageError,
        "draw(values=...): values of type list<item: int64> cannot be put in order: give numbers, dates or timestamps",
    ),
    Bad(
        "beyond the calendar",
        lambda: RANGE.draw(pa.array([2**63 - 1], pa.timestamp("us"))),
        iw.UsageError,
        "draw(values=...): some values are beyond the calendar: leave them out",
    ),
    Bad(
        "values at the two ends of doubles",
        lambda: RANGE.draw([-1e308, 1e308]),
        iw.UsageError,
        "draw(values=...): -1e+308 and 1e+308 are too far apart for one axis",
    ),
    Bad(
        "a DataFrame",
        lambda: RANGE.draw(SparkFrame()),
        iw.UsageError,
        "draw(values=...): a Spark DataFrame is not here: give a part of it, as in df.limit(1000).toArrow()",
    ),
    Bad(
        "a DataFrame of pandas without the order column",
        lambda: RANGE.draw(pa.table({"u": [1]}).to_pandas()),
        iw.UsageError,
        "draw: the table has no column 't'; there are 'u'",
    ),
    Bad(
        "columns, but no table",
        lambda: RANGE.draw(iw.max("t")),
        iw.UsageError,
        "draw(values=...): inwindow.udaf.applied.Applied is no Arrow table: give pyarrow.table(df), or a list of order values",
    ),
    Bad(
        "an order column that is there twice",
        lambda: iw.range(5, order_by="x").draw(TWICE),
        iw.UsageError,
        "draw: the table has 2 columns 'x': rename them apart",
    ),
    Bad(
        "a hole at the rows of another table",
        lambda: iw.rows(2, order_by="t", exclude="ties").draw(at=[3]),
        iw.UsageError,
        "draw(at=...): (order by t rows between 1 preceding and current row exclude ties) leaves out the current tuple or its "
        "peers, but a row of another table is no tuple: drop exclude=",
    ),
    Bad(
        "an order that is an expression",
        lambda: iw.rows(2, order_by=SparkColumn()).draw(TABLE),
        iw.UsageError,
        "draw: the order of (order by Column<'price + 1'> rows between 1 preceding and current row) is an expression: give its "
        "values, as a list or an Arrow array",
    ),
]
