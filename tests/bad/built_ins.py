"""Built-ins given the wrong options, or columns of the wrong type."""

import pyarrow as pa
from bad.input import TABLE, Bad

import inwindow as iw

BYTES = pa.table({"b": pa.array([b"x"]), "when": pa.array([0], pa.timestamp("us"))})


def over(applied, table=TABLE):
    """Run it, if it is made at all."""
    return iw.with_columns(table, a=applied.over(iw.rows(2)))


ROWS = [
    Bad(
        "a percentage as in percent",
        lambda: iw.percentile("price", 90),
        iw.UsageError,
        "percentile(price, 90): a percentage is a number from 0 to 1 (0.5 for the median), or a list of them; 90 is none",
    ),
    Bad(
        "... in a list",
        lambda: iw.percentile_approx("price", [0.5, "0.9"]),
        iw.UsageError,
        "percentile_approx(price, [0.5, '0.9']): a percentage is a number from 0 to 1 (0.5 for the median), or a list of "
        "them; '0.9' is none",
    ),
    Bad(
        "no percentage",
        lambda: iw.percentile("price", []),
        iw.UsageError,
        "percentile(price, []): give at least one percentage, as in 0.5 or [0.25, 0.75]",
    ),
    Bad(
        "a relative error of nothing",
        lambda: iw.approx_count_distinct("price", rsd=0),
        iw.UsageError,
        "approx_count_distinct(price, rsd=0): write a relative error between 0 and 1; the result is exact, whatever it is",
    ),
    Bad(
        "an accuracy of 0",
        lambda: iw.percentile_approx("price", 0.5, 0),
        iw.UsageError,
        "percentile_approx(price, ...): accuracy=0: write a positive int; the result is exact, whatever it is",
    ),
    Bad(
        "a percentile of strings",
        lambda: over(iw.percentile("item", 0.5)),
        iw.UsageError,
        "percentile(item, 0.5): percentile is for numbers and durations, not string: cast the column",
    ),
    Bad(
        "the 0th value",
        lambda: iw.nth_value("price", 0),
        iw.UsageError,
        "nth_value(price, 0): the offset counts the frame's tuples from 1: give a positive int",
    ),
    Bad(
        "a flag that is none",
        lambda: iw.nth_value("price", 2, ignoreNulls="yes"),
        iw.UsageError,
        "nth_value(price, 2, 'yes'): ignoreNulls is True or False",
    ),
    Bad(
        "an option where a flag belongs",
        lambda: iw.first("price", "item"),
        iw.UsageError,
        "first(price, 'item'): ignorenulls is True or False",
    ),
    Bad(
        "a mode of two columns",
        lambda: iw.mode("price", "item"),
        iw.UsageError,
        "mode(price, 'item'): deterministic is True or False",
    ),
    Bad(
        "a delimiter that is none",
        lambda: iw.string_agg("item", 1),
        iw.UsageError,
        "string_agg(item, 1): the delimiter is a string, or bytes for a binary column",
    ),
    Bad(
        "a delimiter of another type",
        lambda: over(iw.string_agg("b", ","), BYTES),
        iw.UsageError,
        "string_agg(b, ','): the column is of type binary: give the delimiter as bytes",
    ),
    Bad(
        "a joined number",
        lambda: over(iw.string_agg("price", ",")),
        iw.UsageError,
        "string_agg(price, ','): string_agg is for strings and binaries, not double: cast the column",
    ),
    Bad(
        "a correlation of strings",
        lambda: over(iw.corr("price", "item")),
        iw.UsageError,
        "corr(price, item): corr is for integers, floats and decimals, not double, string: cast the column",
    ),
    Bad(
        "bits of a double",
        lambda: over(iw.bit_and("price")),
        iw.UsageError,
        "bit_and(price): bit_and is for integers, not double: cast the column",
    ),
    Bad(
        "truth of a number",
        lambda: over(iw.every("n")),
        iw.UsageError,
        "bool_and(n): bool_and is for booleans, not int64: cast the column",
    ),
    Bad(
        "how fast older values fade is not said",
        lambda: iw.ewm_avg("price"),
        iw.UsageError,
        "ewm_avg(price): give one of alpha=, span=, half_life= and com=, as in half_life=10",
    ),
    Bad(
        "a share beyond 1",
        lambda: iw.ewm_avg("price", alpha=1.5),
        iw.UsageError,
        "ewm_avg(price, alpha=1.5): alpha is above 0 and at most 1",
    ),
    Bad(
        "a time without a column of times",
        lambda: iw.ewm_avg("price", half_life="5 minutes"),
        iw.UsageError,
        "ewm_avg(price, half_life='5 minutes'): half_life is a number, or with it times=, a column of times",
    ),
    Bad(
        "a share by time",
        lambda: iw.ewm_avg("price", alpha=0.5, times="ts"),
        iw.UsageError,
        "ewm_avg(price, alpha=0.5, times=ts): by time, give half_life=",
    ),
    Bad(
        "months as a half-life",
        lambda: iw.ewm_avg("price", half_life="1 month", times="ts"),
        iw.UsageError,
        "ewm_avg(price, half_life='1 month'): months have no fixed length: write days",
    ),
    Bad(
        "no half-life at all",
        lambda: iw.ewm_avg("price", half_life=0, times="ts"),
        iw.UsageError,
        "ewm_avg(price, half_life=0): half_life is above 0",
    ),
    Bad(
        "a sketch larger than there is",
        lambda: iw.hll_sketch_agg("item", 30),
        iw.UsageError,
        "hll_sketch_agg(item, lgConfigK=30): lgConfigK is an int from 4 to 21",
    ),
    Bad(
        "a percentile in percent, of a sketch",
        lambda: iw.kll_percentile("price", 90),
        iw.UsageError,
        "kll_percentile(price, 90): the percentage is a number from 0 to 1, as in 0.9",
    ),
    Bad(
        "sketches that are none",
        lambda: over(iw.hll_union_agg("price")),
        iw.UsageError,
        "hll_union_agg(price): hll_union_agg is for sketches, which are binaries, not double: cast the column",
    ),
    Bad(
        "the most frequent none",
        lambda: iw.approx_top_k("item", 0),
        iw.UsageError,
        "approx_top_k(item, k=0): k is how many values are given: write a positive int",
    ),
    Bad(
        "more values than are tracked",
        lambda: iw.approx_top_k("item", 5, maxItemsTracked=3),
        iw.UsageError,
        "approx_top_k(item, 5, maxItemsTracked=3): maxItemsTracked is an int from k=5 to 1000000",
    ),
    Bad(
        "a decay beyond 1",
        lambda: iw.decayed_avg("price", 1.1),
        iw.UsageError,
        "decayed_avg(price, decay=1.1): decay is a factor above 0 and at most 1, as in 0.9",
    ),
    Bad(
        "an error larger than what is looked for",
        lambda: iw.frequent_items("item", support=0.01, eps=0.1),
        iw.UsageError,
        "frequent_items(item, eps=0.1): eps is above 0 and below support=0.01",
    ),
    Bad(
        "a support in percent",
        lambda: iw.frequent_items("item", 5),
        iw.UsageError,
        "frequent_items(item, support=5): support is a share of the frame, above 0 and at most 1",
    ),
    Bad(
        "a sample of none",
        lambda: iw.priority_sample("price", 0),
        iw.UsageError,
        "priority_sample(price, 0): k is the number of values: give a positive int",
    ),
    Bad(
        "a seed that is none",
        lambda: iw.priority_sample("price", 2, seed="x"),
        iw.UsageError,
        "priority_sample(price, 2, 'x'): seed is an int of 64 bits",
    ),
    Bad(
        "no error at all",
        lambda: iw.ones_in_window("n", eps=0),
        iw.UsageError,
        "ones_in_window(n, eps=0): eps is a relative error above 0 and at most 1",
    ),
    Bad(
        "ones among doubles",
        lambda: over(iw.ones_in_window("price")),
        iw.UsageError,
        "ones_in_window(price, 0.01): ones_in_window is for integers and booleans, not double: cast the column",
    ),
    Bad(
        "an average of moments",
        lambda: over(iw.avg("when"), BYTES),
        iw.UsageError,
        "avg(when): avg is for integers, floats, decimals and durations, not timestamp[us]: cast the column",
    ),
]
