"""Sessions whose tuples say how long they last: ends that are missing, of another type, or before their beginning."""

from bad.input import Bad
from bad.temporal import STREAM, TURNED

import inwindow as iw

ROWS = [
    Bad(
        "a session of neither gap nor until",
        lambda: iw.session("ts"),
        iw.UsageError,
        "session() needs a gap=, as in iw.session('ts', gap='30 minutes'), or the column until= which tuples last",
    ),
    Bad(
        "a session until a number",
        lambda: iw.session("ts", until=3),
        iw.UsageError,
        "session(until=3): write the name of a column",
    ),
    Bad(
        "a session until another type",
        lambda: iw.group_by(STREAM).window(iw.session("ts", until="price")).agg(n=iw.count()),
        iw.UsageError,
        "session: until='price' is of type double, but 'ts' of type int64: cast one of them",
    ),
    Bad(
        "a session until nothing",
        lambda: iw.group_by(STREAM).window(iw.session("ts", until="end")).agg(n=iw.count()),
        iw.UnknownColumnError,
        "session: there is no column 'end': there are ts, price, at",
    ),
    Bad(
        "a session of doubles",
        lambda: iw.group_by(STREAM).window(iw.session("price", until="price")).agg(n=iw.count()),
        iw.UsageError,
        "session('price', ...) is of type double: ends are exact: cast it to an integer or a decimal",
    ),
    Bad(
        "a gap of another type",
        lambda: iw.group_by(STREAM).window(iw.session("ts", gap="price")).agg(n=iw.count()),
        iw.UsageError,
        "session: gap='price' is of type double, but with 'ts' of type int64 it must be an integer, or of type "
        "int64: cast it",
    ),
    Bad(
        "a session that ends before it begins",
        lambda: iw.group_by(TURNED).window(iw.session("since", until="until")).agg(n=iw.count()),
        iw.DataError,
        "session: a tuple is from 9 until 3, but it cannot end before it begins: swap the ends, or filter such "
        "tuples out",
    ),
    Bad(
        "a drawing of own ends",
        lambda: iw.session("since", until="until").draw(),
        iw.UsageError,
        "draw: (session since until until): tuples last as long as the data say: draw iw.session(..., gap=...) of "
        "one size",
    ),
    Bad(
        "a drawing of own ends over values",
        lambda: iw.session("since", until="until").draw([1, 2]),
        iw.UsageError,
        "draw: (session since until until): tuples last as long as the data say: draw iw.session(..., gap=...) of "
        "one size",
    ),
]
