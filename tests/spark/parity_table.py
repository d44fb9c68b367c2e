"""The table of docs/parity.md: each built-in on each type and over each frame, beside Spark's own.

Both are run on the same rows; a cell says how they compare, and a cell that does not say "equal" needs a reason from
DEVIATIONS, or the test that makes the table fails.
"""

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
from spark.parity import BUILT_INS, FRAMES, SCHEMA, VALUES, BuiltIn, by_id, differences, frame, in_any_order, same

import inwindow as iw
from inwindow.udaf.errors import UsageError
from inwindow.windows.frames import window_of

EQUAL, CLOSE, OURS, THEIRS, DIFFERENT = "=", "≈", "+", "–", "✗"
ROWS = 120
OVER = [FRAMES[0], FRAMES[1], FRAMES[2], FRAMES[6], FRAMES[9], FRAMES[13]]

DEVIATIONS = {
    "cast": "Spark casts the argument by itself (a string to a number or a boolean, a timestamp to a number, anything to a "
    "string). inwindow asks for a cast in the query: a silent one would fail on the first bad row.",
    "frame": "Spark has it only over whole partitions, without ORDER BY and frame: compared there.",
    "nan": "Spark's percentile_approx leaves NaN where its sort happens to put them; here they are the largest, as elsewhere.",
    "infinite": "Spark's covariance of a frame with an infinity is infinite or NaN, as the column and the tuple will have it; "
    "here it is NaN. So are a slope, an intercept and r2.",
    "order": "In Spark a set has any order; here, the order in which its values first come in the frame. Compared as sets.",
    "wide": "A decimal of more than 18 digits: no percentile_approx here; use percentile, or cast it to a double.",
    "mean": "Spark averages decimals of up to 11 digits in doubles, so where the mean lies halfway between two values of the "
    "result's type, its last digit may be another one. Here it is the exact mean, rounded half up. No such mean is in the table.",
}


def rows_of_every_type() -> list[tuple[Any, ...]]:
    """The same rows every time: ties and NULLs in ``t``, neither in ``u``, NULLs and hard values in the columns."""
    draw = random.Random(7)
    hard = [float("nan"), float("inf"), -0.0, 0.0, 0.1, 1e3]
    makers = {
        "tiny": lambda: draw.randint(-128, 127), "small": lambda: draw.randint(-300, 300),
        "whole": lambda: draw.randint(-9, 9), "big": lambda: draw.randint(-(2**40), 2**40),
        "real": lambda: float(draw.randint(-50, 50)),
        "double": lambda: draw.choice([*hard, draw.uniform(-9, 9), draw.uniform(-9, 9), 2.5]),
        "cents": lambda: Decimal(draw.randint(-(10**6), 10**6)).scaleb(-2),
        "wide": lambda: Decimal(draw.randint(-(10**20), 10**20)).scaleb(-10),
        "day": lambda: date(2020, 1, 1) + timedelta(draw.randint(0, 30)),
        "instant": lambda: datetime(2020, 1, 1) + timedelta(seconds=draw.randint(0, 10**8)),
        "clock": lambda: datetime(2020, 1, 1) + timedelta(seconds=draw.randint(0, 10**8)),
        "text": lambda: draw.choice(["a", "b", "", "é", "zz"]), "bytes": lambda: draw.choice([b"a", b"", b"zz"]),
        "flag": lambda: draw.random() < 0.5, "span": lambda: timedelta(seconds=draw.randint(-9999, 9999)),
    }  # fmt: skip
    places = draw.sample(range(ROWS), ROWS)
    return [
        (
            i, draw.choice(["a", "b", "c", None]), draw.choice([None, *range(12)]), places[i],
            *(None if draw.random() < 0.15 else makers[name]() for name in VALUES),
        )
        for i in range(ROWS)
    ]  # fmt: skip


def accepts(built_in: BuiltIn, column: str, kinds: dict[str, pa.DataType]) -> bool:
    """Whether inwindow's takes a column, among columns of these types."""
    one = built_in.ours(column)
    try:
        one.aggregate.on(one.label, [kinds[name] for name in one.columns], True)
    except UsageError:
        return False
    return True


def windows(built_in: BuiltIn) -> Iterator[tuple[str, Any]]:
    """Each frame as the page shows it, and the window in Spark's words."""
    from pyspark.sql import Window

    if not built_in.framed:
        yield "whole partitions", Window.partitionBy("k")
        return
    for kind, lower, upper in OVER:
        order = "u" if kind == "rows" or built_in.ties_matter else "t"
        yield frame_text(kind, lower, upper), frame(Window.partitionBy("k").orderBy(order), Window, kind, lower, upper)


def calls(built_in: BuiltIn, types: list[str]) -> dict[tuple[str, str], Any]:
    """Inwindow's over each of these types and each frame: (type, frame) -> the call."""
    return {
        (column, shown): built_in.ours(column).over(window_of(window))
        for shown, window in windows(built_in)
        for column in types
    }


class Comparison:
    """One built-in on all types over all frames: cells, (type, frame) -> how they compare."""

    def __init__(self, df: Any, table: pa.Table, built_in: BuiltIn) -> None:
        from pyspark.sql import functions as F

        self.F, self.df, self.table, self.built_in = F, df, table, built_in
        kinds = dict(zip(table.column_names, table.schema.types, strict=True))
        ours = {kind for kind in VALUES if accepts(built_in, kind, kinds)}
        theirs = set(VALUES) if self._is_theirs(*VALUES) else {kind for kind in VALUES if self._is_theirs(kind)}
        self.accepted = {
            kind: (OURS if kind in ours else "") if kind not in theirs else "" if kind in ours else THEIRS
            for kind in VALUES
        }
        self.cells = self._compared(sorted(ours & theirs, key=list(VALUES).index))

    def _is_theirs(self, *columns: str) -> bool:
        from pyspark.errors import AnalysisException
        from pyspark.sql import Window

        window = Window.partitionBy("k").orderBy("u") if self.built_in.framed else Window.partitionBy("k")
        try:
            return bool(
                self.df.select(*(self.built_in.theirs(self.F, column).over(window) for column in columns)).columns
            )
        except AnalysisException:
            return False

    def _compared(self, types: list[str]) -> dict[tuple[str, str], str]:
        if not types:
            return {}
        its = calls(self.built_in, types)
        over = dict(windows(self.built_in))
        ours = {f"result {n}": call for n, call in enumerate(its.values())}
        theirs = {
            f"result {n}": self.built_in.theirs(self.F, column).over(over[shown])
            for n, (column, shown) in enumerate(its)
        }
        results = by_id(iw.with_columns(self.df, **ours)), by_id(self.df.withColumns(theirs))
        on_a_table = iw.with_columns(self.table, **ours).sort_by("id")  # what tests/sail compare with
        assert differences(results[0].cast(on_a_table.schema), on_a_table, exact=False) == []
        like = in_any_order if self.built_in.unordered else same
        return {
            cell: compared(*(result[name] for result in results), like) for cell, name in zip(its, ours, strict=True)
        }


def compared(ours: pa.ChunkedArray, theirs: pa.ChunkedArray, like: Any) -> str:
    """How two columns compare."""
    pairs = list(zip(ours.to_pylist(), theirs.to_pylist(), strict=True))
    if ours.type != theirs.type or not all(like(a, b) for a, b in pairs):
        return DIFFERENT
    return EQUAL if all(like(a, b, True) for a, b in pairs) else CLOSE


def frame_text(kind: str, lower: int, upper: int) -> str:
    """A frame as SQL has it, shortened."""

    def bound(offset: int) -> str:
        if abs(offset) > 1 << 40:
            return "−∞" if offset < 0 else "∞"
        return str(offset).replace("-", "−")

    return f"{kind} {bound(lower)}..{bound(upper)}"


def page(spark: Any) -> str:
    """The whole page."""
    df = spark.createDataFrame(rows_of_every_type(), SCHEMA)
    table = df.toArrow()
    comparisons = [Comparison(df, table, built_in) for built_in in BUILT_INS]
    named = list(DEVIATIONS)
    by_type, by_frame, wrong = [], [], []
    frames = [frame_text(*one) for one in OVER]
    for its in comparisons:
        name, reasons = its.built_in.shown, its.built_in.deviates
        row = []
        for kind in VALUES:
            found = {mark for (column, _), mark in its.cells.items() if column == kind}
            mark = worst(found) or its.accepted[kind]
            reason = reasons.get(kind, "cast" if mark == THEIRS else reasons.get("", ""))
            wrong += [f"{name} on {kind}"] if mark in (DIFFERENT, THEIRS) and not reason else []
            row.append(f"{mark} {named.index(reason) + 1}" if mark and reason else mark)
        by_type.append([f"`{name}`", *row])
        cells = []
        for one in frames if its.built_in.framed else []:
            cells.append(worst({mark for (_, place), mark in its.cells.items() if place == one}))
        if cells:
            by_frame.append([f"`{name}`", *cells])
    assert not wrong, f"without a reason: {wrong}"
    return TEXT.format(
        types=markdown(["", *VALUES], by_type),
        frames=markdown(["", *frames], by_frame),
        kinds=", ".join(f"{name} is {kind}" for name, (kind, _) in VALUES.items() if name != kind),
        deviations="\n".join(f"{n}. {DEVIATIONS[name]}" for n, name in enumerate(named, 1)),
    )


def worst(marks: set[str]) -> str:
    """Of several cells the one that says most."""
    return next((mark for mark in (DIFFERENT, CLOSE, EQUAL) if mark in marks), "")


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """A table."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [header, ["---"] * len(header), *rows])


TEXT = """# Parity with Spark

Made by `make parity`, which runs each built-in of inwindow and Spark's own (`F.`) over the same windows on the same rows,
with NULLs, NaN, infinities, -0.0 and ties among them, and compares results, types and NULLs. CI makes it again.

- `=` equal, to the last bit.
- `≈` equal but for the rounding of doubles (inwindow's sums are compensated, Spark's are not: [numerics](numerics.md)),
  or the sign of a zero.
- `+` inwindow has it, Spark has not. `–` Spark takes it, inwindow does not. `✗` they differ. A number is the reason, below.

## By type

{types}

The types: {kinds}. Where there is a second column, it is a bigint or an int.

## By frame

Over all types of the table above; the frame's bounds in rows, or in values of an int column with ties and NULLs.

{frames}

## Deviations

{deviations}

From the papers, with no counterpart in Spark: `decayed_avg`, `frequent_items`, `priority_sample`, `ones_in_window`.
`count_distinct`, `sum_distinct`, `avg_distinct` and `listagg_distinct` have none over windows: they are compared with
DuckDB, and in groups. Sums of integers overflow where the frame's true sum
does; Spark's may do so on the way to a sum that fits. Doubles likewise: an infinity is in the result only if the frame has
one, or if its true sum is beyond all doubles.
"""
