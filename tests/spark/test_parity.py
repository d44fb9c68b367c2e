"""Every built-in, type and frame: ``iw.`` against ``F.`` over the same window, and against ourselves without Spark."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from spark.parity import BUILT_INS, FRAMES, NUMBERS, SCHEMA, BuiltIn, by_id, differences, frame, tables
from spark.parity_table import rows_of_every_type

import inwindow as iw
from inwindow.windows.frames import window_of

# An example is three Spark jobs: few of them, and none to shrink a failure. The first one has nothing but NULLs.
EXAMPLES = settings.get_profile(settings.get_current_profile_name()).max_examples
few = settings(max_examples=max(EXAMPLES // 12, 2), phases=[Phase.explicit, Phase.reuse, Phase.generate])
ORDERS = st.sampled_from(["asc", "desc", "asc_nulls_last", "desc_nulls_first"])


FRAMED = [one for one in BUILT_INS if one.framed]
TOGETHER = [FRAMED[start : start + 3] for start in range(0, len(FRAMED), 3)]  # a job costs the same for all of them


def parity(spark: Any, rows: Any, built_ins: list[BuiltIn], which: list[tuple[str, int, int]], order: str) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    df = spark.createDataFrame(rows, SCHEMA)
    ours, theirs, tied, unordered = {}, {}, [], []
    for built_in in built_ins:
        for kind, lower, upper in which:
            place = "u" if kind == "rows" or built_in.ties_matter else "t"
            window = frame(Window.partitionBy("k").orderBy(getattr(F.col(place), order)()), Window, kind, lower, upper)
            read = window_of(window)
            for column in built_in.types:
                name = f"{built_in.name}({column}) {kind} {lower} {upper}"
                ours[name] = built_in.ours(column).over(read)
                theirs[name] = built_in.theirs(F, column).over(window)
                tied += [name] if place == "t" else []
                unordered += [name] if built_in.unordered else []
    made = iw.with_columns(df, **ours)
    expected = df.withColumns(theirs)
    assert made.schema == expected.schema
    result, expected = by_id(made), by_id(expected)
    assert differences(result.drop(unordered), expected.drop(unordered), exact=False) == []
    assert differences(result.select(unordered), expected.select(unordered), exact=False, unordered=True) == []
    local = iw.with_columns(df.toArrow(), **ours).sort_by("id")
    result = result.cast(local.schema)
    assert differences(result.drop(tied), local.drop(tied), exact=True) == []
    assert differences(result, local, exact=False) == []  # ties come in another order: sums round otherwise


@pytest.mark.parametrize("built_ins", TOGETHER, ids=lambda some: "-".join(one.name for one in some))
@given(rows=tables(least=8), which=st.lists(st.sampled_from(FRAMES), min_size=2, max_size=2, unique=True), order=ORDERS)
@few
def test_over_frames(built_ins: list[BuiltIn], spark: Any, rows: Any, which: Any, order: str) -> None:
    parity(spark, rows, built_ins, which, order)


def test_without_rows(spark: Any) -> None:
    """Every built-in on its first type."""
    parity(spark, [], [replace(one, types=one.types[:1]) for one in FRAMED], FRAMES[:1], "asc")


def test_of_distinct_values_in_groups(spark: Any) -> None:
    """Spark refuses DISTINCT over windows."""
    from pyspark.sql import functions as F

    df = spark.createDataFrame(rows_of_every_type(), SCHEMA)
    ours, theirs, sets = {}, {}, []
    for column in (*NUMBERS, "span"):
        ours[f"sum {column}"], theirs[f"sum {column}"] = iw.sum_distinct(column), F.sum_distinct(column)
        ours[f"avg {column}"], theirs[f"avg {column}"] = iw.avg_distinct(column), F.expr(f"avg(DISTINCT {column})")
    for column in ("text", "bytes"):  # in Spark, in any order
        between = "," if column == "text" else b","
        ours[f"set {column}"] = iw.listagg_distinct(column, between)
        theirs[f"set {column}"] = F.listagg_distinct(column, F.lit(between))
        sets.append(f"set {column}")
    made, expected = (
        iw.group_by(df, "k").agg(**ours),
        df.groupBy("k").agg(*[theirs[name].alias(name) for name in theirs]),
    )
    assert made.schema == expected.schema
    results = [one.toArrow().sort_by("k") for one in (made, expected)]
    assert differences(*(result.drop(sets) for result in results), exact=False) == []
    for name in sets:
        between = "," if "text" in name else b","
        one, two = ([set(text.split(between)) for text in result[name].to_pylist()] for result in results)
        assert one == two
