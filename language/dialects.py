"""SQL of other databases: each statement of a script as a catalog reads it, in Spark's dialect.

sqlglot translates names, types, casts and functions, and says NULLS FIRST or LAST where the databases differ.
"""

import difflib
import importlib
from decimal import Decimal
from typing import Any

from inwindow.language.text import Source, Span, library, quiet, reason_of
from inwindow.udaf.errors import UsageError, shown


def translated(script: str, dialect: Any, speaker: str) -> str:
    """A script of another database's SQL, in Spark's dialect; what cannot be said there is an error.

    >>> print(translated("SELECT y::int8, sum(x) OVER (ORDER BY t ROWS 2 PRECEDING EXCLUDE TIES) FROM t", "postgres", "run"))
    SELECT CAST(y AS BIGINT), SUM(x) OVER (ORDER BY t NULLS LAST ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM t
    """
    sqlglot = library(speaker)
    known = sorted(one.value for one in sqlglot.Dialects if one.value)
    if dialect not in known:
        near = difflib.get_close_matches(str(dialect).lower(), known, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(
            f"{speaker}(dialect={shown(dialect)}): there is no such dialect; {hint}they are sqlglot's, as 'postgres', 'sqlite', "
            "'duckdb', 'mysql', 'snowflake' and 'bigquery'"
        )

    writer = _writer(dialect)
    source = Source(script, speaker)
    try:
        with quiet():
            trees = [tree for tree in sqlglot.parse(script, read=dialect) if tree is not None]
    except sqlglot.errors.TokenError:
        failure = source.error(
            f"{speaker}: this is not SQL of {dialect}: a quotation or a comment is not closed", Span(0, 1)
        )
    except sqlglot.errors.ParseError as error:
        told = error.errors[0]
        failure = source.error(
            f"{speaker}: this is not SQL of {dialect}: {reason_of(told)}; SLIDE, ACTIVE EXPIRATION, streams and aggregates are "
            "written without dialect=",
            _place(script, told),
        )
    else:
        return ";\n".join(_written(tree, writer, dialect, speaker) for tree in trees)
    raise failure


def _writer(dialect: str) -> Any:
    """Writes Spark's SQL with what iw.sql reads beyond it (EXCLUDE, QUALIFY), and exact percentiles."""
    sqlglot = library()
    exp, transforms = sqlglot.exp, importlib.import_module("sqlglot.transforms")
    spark = sqlglot.Dialect.get_or_raise("spark").generator_class

    def percentile(self: Any, node: Any) -> str:
        order, share = node.find(exp.Ordered), node.this.this
        if not isinstance(node.this, exp.PercentileCont) or not isinstance(share, exp.Literal):
            return str(self.withingroup_sql(node))
        part = Decimal(share.name)
        return str(self.func("PERCENTILE", order.this, str(1 - part if order.args.get("desc") else part)))

    class Said(spark):  # type: ignore[misc, valid-type]
        SUPPORTS_WINDOW_EXCLUDE = True
        TRANSFORMS = {
            **spark.TRANSFORMS,
            exp.Select: transforms.preprocess(
                [transforms.eliminate_distinct_on, transforms.unnest_to_explode, transforms.any_to_exists]
            ),
            exp.WithinGroup: percentile,
            exp.PercentileCont: lambda self, node: self.func("PERCENTILE", node.this, node.args.get("expression")),
        }
        if dialect == "duckdb":
            TRANSFORMS[exp.Quantile] = lambda self, node: self.func(
                "QUANTILE_DISC", node.this, node.args.get("quantile")
            )

    return Said(dialect="spark", unsupported_level=sqlglot.ErrorLevel.RAISE)


def _written(tree: Any, writer: Any, dialect: str, speaker: str) -> str:
    try:
        return str(writer.generate(tree))
    except library().errors.UnsupportedError as error:
        failure = UsageError(
            f"{speaker}: {dialect} says here what has no translation to Spark's SQL ({error}): write that part in Spark's "
            "dialect, without dialect="
        )
    raise failure


def _place(script: str, told: dict[str, Any]) -> Span:
    """Where sqlglot stopped: it counts lines and columns, up to the end of the token."""
    lines, text = script.split("\n"), str(told.get("highlight") or " ")
    end = sum(len(line) + 1 for line in lines[: int(told.get("line") or 1) - 1]) + int(told.get("col") or 0)
    start = max(0, min(end - len(text), len(script) - 1))
    return Span(start, start + len(text))
