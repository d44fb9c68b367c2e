"""What each engine writes in its own way, and what it does not have, by its documentation."""

from inwindow.testing.oracle.sql import Dialect, by_union
from inwindow.testing.oracle.tables import Table
from inwindow.windows.interval import Interval


def _functions(*names: str) -> set[str]:
    return {f"function {name}" for name in names}


_REGRESSIONS = _functions(
    *(f"regr_{which}" for which in ("avgx", "avgy", "sxx", "syy", "sxy", "slope", "intercept", "r2", "count"))
)
_STATISTICS = _functions("var_pop", "var_samp", "stddev_pop", "stddev_samp", "covar_pop", "covar_samp", "corr")
_DISTINCT = _functions("count_distinct", "sum_distinct", "avg_distinct")
_ORDERED_SETS = _functions("quantile_cont", "quantile_disc", "mode", "median")
_IGNORES = {f"{name} ignore nulls" for name in ("first_value", "last_value", "nth_value", "lag", "lead")}

DUCKDB = Dialect(
    "duckdb",
    types={"double": "DOUBLE"},
    functions={
        "quantile_cont": "quantile_cont({0}, {1})", "quantile_disc": "quantile_disc({0}, {1})", "array_agg": "list({0})",
        "arg_max": "arg_max_null({0}, {1})", "arg_min": "arg_min_null({0}, {1})",
    },
    ignores_inside=True,
)  # fmt: skip

POSTGRES = Dialect(
    "postgres",
    runner="psql",
    lacks=frozenset(
        _DISTINCT
        | _ORDERED_SETS
        | _functions("string_agg_by", "arg_max", "arg_min", "min of bool", "max of bool")
        | _IGNORES
        | {"qualify"}
    ),
    types={"text": "TEXT"},
)  # fmt: skip

SQLITE = Dialect(
    "sqlite",
    lacks=frozenset(
        _DISTINCT | _ORDERED_SETS | _STATISTICS | _REGRESSIONS | _IGNORES
        | _functions("bool_and", "bool_or", "bit_and", "bit_or", "bit_xor", "string_agg_by", "array_agg", "arg_max", "arg_min")
        | {"qualify", "type decimal", "type date", "type timestamp", "nan", "infinity", "wide sums", "huge offset"}
    ),
    types={"double": "REAL", "text": "TEXT", "bool": "INTEGER"},
    functions={"string_agg": "group_concat({0}, ',')"},
    source=by_union,
    nulls="low",
    double="({})",
)  # fmt: skip

DATAFUSION = Dialect(
    "datafusion",
    types={"double": "DOUBLE"},
    lacks=frozenset(
        {
            "wide sums",
            "exclude",
            "start behind end",
            *_ORDERED_SETS,
            *_functions("string_agg_by", "arg_max", "arg_min"),
        }
    ),
)


def _chdb_interval(size: Interval) -> str:
    seconds = size.microseconds // 1_000_000
    return str(seconds // 86_400 if seconds % 86_400 == 0 else seconds)


def _chdb_source(dialect: Dialect, table: Table) -> str:
    return by_union(dialect, table)


CHDB = Dialect(
    "clickhouse",
    runner="chdb",
    lacks=frozenset(
        _functions("mode", "string_agg_by", "regr_sxx") | _REGRESSIONS
        | {"groups", "exclude", "wide sums", "range offset in months", "range offset of timestamp", "huge offset"}
        | {"infinity", "nan", "function array_agg"}
        | {f"function {name}" for name in ("arg_max", "var_samp", "stddev_samp", "covar_samp", "corr")}
    ),
    types={
        "bigint": "Nullable(Int64)", "int": "Nullable(Int32)", "double": "Nullable(Float64)", "decimal": "Nullable(Decimal(12, 2))",
        "date": "Nullable(Date32)", "timestamp": "Nullable(DateTime64(6, 'UTC'))", "text": "Nullable(String)",
        "bool": "Nullable(Bool)",
    },
    functions={
        "var_pop": "varPopStable({0})", "var_samp": "varSampStable({0})", "stddev_pop": "stddevPopStable({0})",
        "stddev_samp": "stddevSampStable({0})", "covar_pop": "covarPopStable({0}, {1})", "covar_samp": "covarSampStable({0}, {1})",
        "corr": "corrStable({0}, {1})", "bit_and": "groupBitAnd({0})", "bit_or": "groupBitOr({0})", "bit_xor": "groupBitXor({0})",
        "bool_and": "min({0})", "bool_or": "max({0})", "string_agg": "arrayStringConcat(groupArray({0}), ',')",
        "array_agg": "groupArray({0})", "median": "quantileExactInclusive(0.5)({0})",
        "quantile_cont": "quantileExactInclusive({1})({0})",
        "quantile_disc": "quantileExactLow({0})", "arg_max": "argMax({0}, {1})", "arg_min": "argMin({0}, {1})",
        "first_value": "first_value({0}) RESPECT NULLS", "last_value": "last_value({0}) RESPECT NULLS",
        "first_value ignore nulls": "first_value({0})", "last_value ignore nulls": "last_value({0})",
    },
    source=_chdb_source,
    nulls="last",
    interval=_chdb_interval,
    from_dates=False,
)  # fmt: skip

SPARK = Dialect(
    "spark",
    lacks=frozenset(
        {"groups", "exclude", "inherited window", "wide sums", "start behind end", "huge offset"}
        | _DISTINCT
        | _functions("string_agg_by", "array_agg")
    ),
    types={"double": "DOUBLE", "text": "STRING"},
    functions={"array_agg": "collect_list({0})", "arg_max": "max_by({0}, {1})", "arg_min": "min_by({0}, {1})", "mode": "mode({0})",
               "string_agg": "array_join(collect_list({0}), ',')"},
    nulls="low",
)  # fmt: skip

SAIL = Dialect(
    "sail",
    lacks=SPARK.lacks | _ORDERED_SETS | {"filter", "window clause", "qualify"},
    types=SPARK.types,
    functions=SPARK.functions,
    nulls="low",
)

TURSO = Dialect(
    "turso",
    lacks=SQLITE.lacks,
    types=SQLITE.types,
    functions=SQLITE.functions,
    source=by_union,
    nulls="low",
    double="({})",
)
HYPER = Dialect(
    "hyper",
    lacks=frozenset(
        _DISTINCT
        | _IGNORES
        | _ORDERED_SETS
        | _functions("array_agg", "string_agg_by")
        | {"exclude", "groups", "window clause"}
    ),
)
POLARS = Dialect("polars", types={"double": "DOUBLE"}, lacks=frozenset({"groups", "exclude", "filter", "wide sums"}))
MARIADB = Dialect(
    "mariadb",
    runner="mysql",
    lacks=frozenset({"groups", "exclude", "filter", "nulls order", "qualify", "nan", "infinity", *_IGNORES}),
    types={
        "bigint": "INTEGER",
        "int": "INTEGER",
        "double": "DOUBLE",
        "text": "CHAR",
        "bool": "INTEGER",
        "timestamp": "DATETIME",
    },
    nulls="low",
    source=by_union,
)
H2 = Dialect(
    "h2",
    runner="jdbc",
    lacks=frozenset(
        {
            "wide sums",
            "huge offset",
            "window clause",
            *_functions("array_agg", "quantile_disc", "mode", "arg_max", "arg_min", "string_agg_by"),
        }
    ),
)
HSQLDB = Dialect("hsqldb", runner="jdbc")
DERBY = Dialect("derby", runner="jdbc")

DIALECTS = {
    one.name: one for one in (DUCKDB, POSTGRES, SQLITE, DATAFUSION, CHDB, SPARK, SAIL, TURSO, HYPER, POLARS,
                              MARIADB, H2, HSQLDB, DERBY)
}  # fmt: skip
