"""Beside each fault of another engine: a text that anybody can read on what should come, and what was found near it.

The sections of SQL:2011 that ``upstream.py`` names are from memory, as the standard is not public; these texts are.
"""

from dataclasses import dataclass

_POSTGRES = "[PostgreSQL](https://www.postgresql.org/docs/current"
_GITHUB = "https://github.com"
_NO_VALUES = f"{_POSTGRES}/functions-aggregate.html): of no rows an aggregate but count is null."
_NULL_KEYS = (
    "[MySQL](https://dev.mysql.com/doc/refman/en/window-functions-frames.html): where the current row's value is NULL, a bound "
    f"with an offset is NULL, too; [MariaDB's test]({_GITHUB}/MariaDB/server/commit/e261c14) counts three NULLs for each of three."
)
_IGNORES = (
    f"[YDB]({_GITHUB}/ydb-platform/ydb/pull/5155): with IGNORE NULLS, rows whose first argument is NULL are skipped."
)
_CONCATENATES = (
    "[SQLite](https://sqlite.org/lang_aggfunc.html#group_concat): the concatenation of all values that are not NULL."
)


def _link(issue: str) -> str:
    repository, number = issue.split("#")
    return f"[{issue}]({_GITHUB}/{repository}/issues/{number})"


@dataclass(frozen=True)
class Source:
    """What others say."""

    text: str = ""  # of the rule
    near: str = ""  # issues that are like it


SOURCES = {
    "`OVER (w)` forgets the order and the partitions of `w`": Source(
        f"The standard's words are in {_link('prestodb/presto#5712')}: partitions and order are those of the window, or of the one "
        "that it names.",
        f"{_link('duckdb/duckdb#1535')} is the same of DuckDB, mended",
    ),
    "array_agg in the order of another window": Source(
        near=f"{_link('apache/datafusion#22597')} mended reversed states in GROUP BY"
    ),
    "bit_xor is 0 after its values have left": Source(
        _NO_VALUES,
        f"it came with {_link('apache/datafusion#11500')}; {_link('apache/datafusion#22754')} is the same of sum(DISTINCT), mended",
    ),
    "an infinity stays after its row has left": Source(
        near=f"{_link('trinodb/trino#20946')} is the same of Trino, mended"
    ),
    "NULL order values: the end of a batch cuts their peers": Source(_NULL_KEYS),
    "regr_r2 of a constant y is NULL": Source(
        f"[QuestDB]({_GITHUB}/questdb/documentation/pull/449): null where x is constant, 1 where y is and x varies.",
        f"{_link('facebookincubator/velox#9173')} is the same of Velox",
    ),
    "lead with IGNORE NULLS does not reach over a NULL": Source(_IGNORES),
    "a frame without ORDER BY is an internal error": Source(
        f"{_POSTGRES}/sql-expressions.html#SYNTAX-WINDOW-FUNCTIONS): without ORDER BY all rows of the partition are peers.",
        f"{_link('apache/datafusion#8445')} mended the same in DataFusion",
    ),
    "lag and lead do not heed IGNORE NULLS": Source(
        _IGNORES, f"{_link('ClickHouse/ClickHouse#37950')} asked for the clause in first_value"
    ),
    "nth_value does not heed IGNORE NULLS": Source(
        _IGNORES, f"{_link('ClickHouse/ClickHouse#37950')} asked for the clause in first_value"
    ),
    "NULL order values are in frames of numbers": Source(
        _NULL_KEYS, f"it came with {_link('ClickHouse/ClickHouse#61766')}"
    ),
    "FILTER (WHERE false) over a window is an internal error": Source(
        _NO_VALUES, f"it came with {_link('apache/spark#54501')}"
    ),
    "group_concat forgets an empty text at the front of a frame": Source(_CONCATENATES),
    "group_concat of an empty text is NULL after other values have left": Source(
        _CONCATENATES, f"{_link('tursodatabase/turso#3304')} is about NULLs in GROUP BY, mended"
    ),
    "group_concat over empty texts and NULLs ends the process": Source(_CONCATENATES),
    "cume_dist of the last row is not 1": Source(
        f"{_POSTGRES}/functions-window.html): the rows before and among the peers, divided by the rows of the partition."
    ),
}
