"""``window.draw()``: what no picture can show."""

from bad.input import TABLE, Bad

import inwindow as iw

RANGE = iw.range(5, order_by="t")


ROWS = [
    Bad(
        "values that are none",
        lambda: RANGE.draw(object()),
        iw.UsageError,
        "draw(values=<object object>): give order values, as a list or an Arrow array, or a table that has them",
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
]
