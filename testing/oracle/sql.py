"""Cases as SQL, in the dialect of an engine; and what a case asks for that an engine may not have."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from math import isinf, isnan
from typing import Any

from inwindow.testing.oracle.cases import CONDITIONS, Call, Case, Framed
from inwindow.testing.oracle.tables import Column, Table
from inwindow.windows.interval import Interval
from inwindow.windows.spec import Order

TYPES = {
    "bigint": "BIGINT", "int": "INTEGER", "double": "DOUBLE PRECISION", "decimal": "DECIMAL(12, 2)", "date": "DATE",
    "timestamp": "TIMESTAMP", "text": "VARCHAR", "bool": "BOOLEAN",
}  # fmt: skip
FUNCTIONS = {
    "count_star": "count(*)", "count_distinct": "count(DISTINCT {0})", "sum_distinct": "sum(DISTINCT {0})",
    "avg_distinct": "avg(DISTINCT {0})", "string_agg": "string_agg({0}, ',')",
    "string_agg_by": "string_agg({0}, ',' ORDER BY {reversed})",
    "quantile_cont": "percentile_cont({1}) WITHIN GROUP (ORDER BY {0})",
    "quantile_disc": "percentile_disc({1}) WITHIN GROUP (ORDER BY {0})",
    "lag": "lag({0}, {1}, {2})", "lead": "lead({0}, {1}, {2})",
}  # fmt: skip


def _plain_interval(size: Interval) -> str:
    if size.months:
        return f"INTERVAL '{size.months}' MONTH"
    seconds = size.microseconds // 1_000_000
    return f"INTERVAL '{seconds // 86_400}' DAY" if seconds % 86_400 == 0 else f"INTERVAL '{seconds}' SECOND"


@dataclass(frozen=True)
class Dialect:
    """How an engine writes what cases are made of, and what it does not have (the words of ``features``)."""

    name: str
    lacks: frozenset[str] = frozenset()
    types: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)
    ignores_inside: bool = False  # first_value(x IGNORE NULLS)
    interval: Callable[[Interval], str] = _plain_interval
    source: Callable[["Dialect", Table], str] | None = None  # of no VALUES
    nulls: str = "high"  # where NULLs go in an ascending order without a word: "high", "low", "last"
    double: str = "CAST('{}' AS {})"  # of NaN and infinities
    from_dates: bool = True  # DATE '...'
    empty: str = " WHERE 1 = 0"
    runner: str | None = None  # its function in runners.py, where that has another name

    def type(self, name: str) -> str:
        """A type's name."""
        return self.types.get(name, TYPES[name])

    def literal(self, value: Any, type: str) -> str:
        """A value."""
        if value is None:
            return "NULL"
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, float):
            if isnan(value) or isinf(value):
                said = "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
                return self.double.format(said, self.type("double"))
            return repr(value) if "e" in repr(value) else f"{value!r}e0"
        if isinstance(value, int):
            return str(value) if value > -(2**63) else f"({value + 1} - 1)"
        if isinstance(value, Decimal):
            return f"{value:.2f}"
        if isinstance(value, datetime):
            return f"TIMESTAMP '{value}'" if self.from_dates else f"'{value}'"
        if isinstance(value, date):
            return f"DATE '{value}'" if self.from_dates else f"'{value}'"
        return "'" + value.replace("'", "''") + "'"


def query(case: Case, dialect: Dialect) -> str:
    """The SELECT of a case."""
    source = (dialect.source or by_values)(dialect, case.table)
    if case.inner is not None:
        others = [one.name for one in case.table.columns if one.name != "v"]
        source = f"(SELECT {', '.join(others)}, {call(case.inner, dialect, case)} AS v FROM {source}) AS u"
    names, results = [], []
    for at, one in enumerate(case.calls):
        over, defined = _named(one.framed, dialect, case, at) if case.named else (None, None)
        names += [defined] if defined else []
        results.append(f"{call(one, dialect, case, over)} AS x{at}")
    around = case.around
    outer = around.kind == "where"
    passed = ["id"] + ([around.column] if outer and not around.column.startswith("x") else [])
    text = f"SELECT {', '.join([*passed, *results])} FROM {source}"
    text += f" WINDOW {', '.join(names)}" if names else ""
    if around.kind == "limit":
        return f"{text} ORDER BY id LIMIT {around.value}"
    if around.kind == "plain":
        return text
    test = around.test if around.test.startswith("IS") else f"{around.test} {dialect.literal(around.value, '')}"
    if around.kind == "qualify":
        return f"{text} QUALIFY {around.column} {test}"
    said = ", ".join(["id", *(f"x{at}" for at in range(len(case.calls)))])
    return f"SELECT {said} FROM ({text}) AS q WHERE {around.column} {test}"


def by_values(dialect: Dialect, table: Table) -> str:
    """The table as VALUES with CASTs."""
    names = [f"c{at}" for at in range(len(table.columns))]
    typed = ", ".join(
        f"CAST({name} AS {dialect.type(one.type)}) AS {one.name}"
        for name, one in zip(names, table.columns, strict=True)
    )
    rows = ", ".join(
        f"({', '.join(dialect.literal(one.values[i], one.type) for one in table.columns)})" for i in range(len(table))
    )
    if not len(table):
        rows = f"({', '.join(['NULL'] * len(names))})"
    return f"(SELECT {typed} FROM (VALUES {rows}) AS c({', '.join(names)}){'' if len(table) else dialect.empty}) AS r"


def by_union(dialect: Dialect, table: Table, dual: str = "") -> str:
    """The table as SELECTs, for engines without VALUES or without names for their columns."""

    def row(values: list[Any]) -> str:
        said = (f"CAST({dialect.literal(value, one.type)} AS {dialect.type(one.type)}) AS {one.name}" for value, one in
                zip(values, table.columns, strict=True))  # fmt: skip
        return f"SELECT {', '.join(said)}{dual}"

    if not len(table):
        return f"({row([None] * len(table.columns))}{dialect.empty}) AS r"
    return f"({' UNION ALL '.join(row([one.values[i] for one in table.columns]) for i in range(len(table)))}) AS r"


def call(one: Call, dialect: Dialect, case: Case, over: str | None = None) -> str:
    """A function over its window."""
    its = one.its
    name = its.name.removesuffix(" ignore nulls")
    skips = name != its.name
    arguments = [
        literal if isinstance(literal, (int, float)) else dialect.literal(literal, "text") for literal in its.arguments
    ]
    plain = f"{name}({', '.join(f'{{{at}}}' for at in range(len(its.columns) + len(arguments)))})"
    template = dialect.functions.get(its.name, dialect.functions.get(name, FUNCTIONS.get(name, plain)))
    if name in ("lag", "lead") and its.arguments[1] is None:
        template = template.replace(", {2}", "")
    turned = ", ".join(
        _order(Order(each.column, not each.ascending, not each.nulls_first), dialect, case)
        for each in one.framed.orders
    )
    text = template.format(*its.columns, *arguments, reversed=turned)
    if skips and its.name not in dialect.functions:
        text = f"{text[:-1]} IGNORE NULLS)" if dialect.ignores_inside else f"{text} IGNORE NULLS"
    if one.condition is not None:
        text += f" FILTER (WHERE {CONDITIONS[one.condition][0]})"
    return f"{text} OVER {over or f'({_window(one.framed, dialect, case)})'}"


def _named(framed: Framed, dialect: Dialect, case: Case, at: int) -> tuple[str, str]:
    """How OVER refers to a window of the WINDOW clause, and its definition: with its frame, or with the frame in OVER."""
    if at % 2:
        return f"(w{at} {_frame(framed, dialect)})".replace(" )", ")"), f"w{at} AS ({_sorted(framed, dialect, case)})"
    return f"w{at}", f"w{at} AS ({_window(framed, dialect, case)})"


def _window(framed: Framed, dialect: Dialect, case: Case) -> str:
    return f"{_sorted(framed, dialect, case)} {_frame(framed, dialect)}".strip()


def _sorted(framed: Framed, dialect: Dialect, case: Case) -> str:
    parts = [f"PARTITION BY {', '.join(framed.keys)}"] if framed.keys else []
    parts += [f"ORDER BY {', '.join(_order(one, dialect, case) for one in framed.orders)}"] if framed.orders else []
    return " ".join(parts)


def _order(order: Order, dialect: Dialect, case: Case) -> str:
    text = f"{order.column}{'' if order.ascending else ' DESC'}"
    if "nulls order" in dialect.lacks or order.column == "id" or None not in case.table.values(order.column):
        return text
    return f"{text} NULLS {'FIRST' if order.nulls_first else 'LAST'}"


def _frame(framed: Framed, dialect: Dialect) -> str:
    if framed.unit is None:
        return ""
    lower, upper = (_bound(getattr(framed, side), side, framed, dialect) for side in ("lower", "upper"))
    text = f"{framed.unit.upper()} BETWEEN {lower} AND {upper}"
    return f"{text} EXCLUDE {framed.exclude.upper()}" if framed.exclude else text


def _bound(bound: Any, side: str, framed: Framed, dialect: Dialect) -> str:
    if bound is None:
        return "UNBOUNDED PRECEDING" if side == "lower" else "UNBOUNDED FOLLOWING"
    if isinstance(bound, str):
        size = Interval.parse(bound.removeprefix("-"))
        return f"{dialect.interval(size)} {'PRECEDING' if bound.startswith('-') else 'FOLLOWING'}"
    if bound == 0:
        return f"0 {'PRECEDING' if side == 'lower' else 'FOLLOWING'}" if framed.zeros else "CURRENT ROW"
    size = abs(bound)
    return f"{size} {'PRECEDING' if bound < 0 else 'FOLLOWING'}"


# --- What a case asks for -------------------------------------------------------------------------------------


def features(case: Case, dialect: Dialect) -> set[str]:
    """What a case needs that an engine may not have."""
    calls = [*case.calls, *([case.inner] if case.inner else ())]
    table = case.table.only(case.columns)
    found = {f"type {one.type}" for one in table.columns}
    found.update(*(_of_values(one) for one in table.columns))
    found.update(*(_of_call(one, case, dialect) for one in calls))
    if case.named:
        found |= {"window clause"} | ({"inherited window"} if len(case.calls) > 1 else set())
    if case.around.kind == "qualify":
        found.add("qualify")
    if not len(table):
        found.add("empty table")
    return found


def _of_values(column: Column) -> set[str]:
    found = set()
    if column.type == "double":
        numbers = [value for value in column.values if value is not None]
        found |= {"nan"} if any(map(isnan, numbers)) else set()
        found |= {"infinity"} if any(map(isinf, numbers)) else set()
    return found


def _of_call(one: Call, case: Case, dialect: Dialect) -> set[str]:
    framed, its = one.framed, one.its
    found = {f"function {its.name}", f"function {its.name} of {case.table[its.columns[0]].type}" if its.columns else ""}
    found |= {its.feature} if its.feature else set()
    found |= {"filter"} if one.condition else set()
    found |= {"exclude"} if framed.exclude else set()
    found |= {f"{its.name} without order"} if not framed.orders else set()
    if its.kind != "place" and framed.unit:
        found.add("frame")
    if framed.unit == "groups":
        found.add("groups")
    if framed.has_offsets:
        found |= _of_offsets(framed, case)
    for order in framed.orders:
        high = {"high": order.ascending, "low": not order.ascending, "last": True}[dialect.nulls]
        if None in case.table.values(order.column) and order.nulls_first == high:
            found.add("nulls order")
    return found - {""}


def _of_offsets(framed: Framed, case: Case) -> set[str]:
    found = {f"{framed.unit} offset"}
    bounds = [bound for bound in (framed.lower, framed.upper) if bound is not None]
    if framed.unit == "range":
        column = case.table[framed.orders[0].column] if framed.orders else None
        found |= {f"range offset of {column.type}"} if column else set()
        found |= {"range offset in months"} if any("month" in str(bound) for bound in bounds) else set()
        if column is not None and column.type == "date" and framed.lower == 0 == framed.upper:
            found.add("range offset of date as number")
    if any(isinstance(bound, int) and abs(bound) >= 2**31 - 1 for bound in bounds):
        found.add("huge offset")
    if any(isinstance(bound, (float, Decimal)) for bound in bounds):
        found.add("fractional offset")
    if framed.zeros and framed.unit == "range" and column_is_time(framed, case):
        found.add("range offset of date as number")
    if None not in (framed.lower, framed.upper) and framed.unit != "range" and framed.lower > framed.upper:
        found.add("start behind end")
    return found


def column_is_time(framed: Framed, case: Case) -> bool:
    """Whether the window orders by dates or timestamps."""
    return bool(framed.orders) and case.table[framed.orders[0].column].type in ("date", "timestamp")
