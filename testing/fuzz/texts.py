"""Texts: queries as SQL, of three dialects, on Arrow tables; what they mean is what the oracle holds other engines against.

The cases are those of ``testing/oracle``: windows by WINDOW, FILTER, EXCLUDE, IGNORE NULLS, QUALIFY, conditions around, queries
within queries. Some aggregates are written in ESL, as ``CREATE AGGREGATE``; then the same names stand in the query.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.language.catalog import Catalog
from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.trial import Difference, Trial, attempt
from inwindow.testing.fuzz.written import IMPORTS, literal
from inwindow.testing.oracle.cases import Around, Call, Case
from inwindow.testing.oracle.comparing import difference
from inwindow.testing.oracle.dialects import DUCKDB, POSTGRES, SPARK
from inwindow.testing.oracle.drawing import draw_case
from inwindow.testing.oracle.meaning import expected
from inwindow.testing.oracle.running import Tally, possible
from inwindow.testing.oracle.sql import features, query
from inwindow.testing.oracle.tables import Table
from inwindow.windows.interval import Interval

_TYPES = {
    "bigint": "pa.int64()", "int": "pa.int32()", "double": "pa.float64()", "decimal": "pa.decimal128(12, 2)",
    "date": "pa.date32()", "timestamp": "pa.timestamp('us')", "text": "pa.string()", "bool": "pa.bool_()",
}  # fmt: skip
_LACKS = {  # what we do not have, or have with another meaning: docs/sql.md
    *(f"function {name}" for name in ("string_agg_by", "arg_max", "arg_min", "quantile_disc", "array_agg")),
    "wide sums", "start behind end",
}  # fmt: skip
DIALECTS = {
    its.name: replace(its, lacks=its.lacks | _LACKS | more, source=lambda dialect, table: "r")
    for its, more in ((DUCKDB, set()), (POSTGRES, set()), (SPARK, {"function string_agg", "function quantile_cont"}))
}
SCRIPT = """
    CREATE WINDOW AGGREGATE own_avg(next Real) : Real {
        TABLE state(total Real, n Int);
        INITIALIZE: { INSERT INTO state VALUES (next, 1); }
        ITERATE:    { UPDATE state SET total = total + next, n = n + 1; }
        EXPIRE:     { UPDATE state SET total = total - oldest(), n = n - 1; }
        TERMINATE:  { INSERT INTO RETURN SELECT total / n FROM state; }
    };
    CREATE AGGREGATE own_max(next Int) : Int {
        TABLE state(top Int);
        INITIALIZE: { INSERT INTO state VALUES (next); }
        ITERATE:    { UPDATE state SET top = next WHERE top < next; }
        TERMINATE:  { INSERT INTO RETURN SELECT top FROM state; }
    };
"""
_OWN = {"avg(p)": "own_avg(p)", "max(v)": "own_max(v)"}


@dataclass(frozen=True)
class Texts:
    """A query of a dialect, and whether some of its aggregates are written in ESL."""

    case: Case
    dialect: str
    own: bool

    @property
    def cases(self) -> int:
        return len(self.case.calls)

    @property
    def streams(self) -> int:
        return 0

    @property
    def text(self) -> str:
        """The query."""
        said = query(self.case, DIALECTS[self.dialect])
        for call, ours in _OWN.items() if self.own else ():
            said = re.sub(rf"(?<!\w){re.escape(call)}", ours, said)
        return said

    def difference(self) -> Difference | None:
        rows, error = attempt(lambda: given(table_of(self.case.table), self.text, self.dialect))
        if error is not None:
            return Difference(self.text, None, None, error=error)
        found = difference(rows, expected(self.case))
        return None if found is None else Difference(self.text, found.given, found.wanted)

    def smaller(self) -> Iterator["Texts"]:
        if self.own:
            yield replace(self, own=False)
        for case in self.case.smaller():
            if not features(case, DIALECTS[self.dialect]) & DIALECTS[self.dialect].lacks:
                yield replace(self, case=case)

    def test(self, difference: Difference, name: str) -> str:
        columns = [f"        {one.name!r}: pa.array({literal(list(one.values))}, {_TYPES[one.type]})," for one in
                   self.case.table.columns]  # fmt: skip
        lines = [
            "from fractions import Fraction", "", "from inwindow.testing.fuzz.texts import given",
            "from inwindow.testing.oracle.comparing import difference", "from inwindow.testing.oracle.meaning import Wanted", "",
            "table = pa.table({", *columns, "})",
            f"rows = given(table, {self.text!r}, {self.dialect!r})",
            f"expected = {literal(expected(self.case))}",
            "assert difference(rows, expected) is None, rows",
        ]  # fmt: skip
        return f"{IMPORTS}\n\ndef test_{name}() -> None:\n" + "\n".join(f"    {line}" for line in lines) + "\n"


def given(table: pa.Table, text: str, dialect: str) -> list[list[Any]]:
    """The rows of a query of the table ``r``."""
    catalog = Catalog(r=table)
    if "own_" in text:
        catalog.run(SCRIPT)
    rows = catalog.run(text, dialect=None if dialect == "spark" else dialect).to_pylist()
    return [list(row.values()) for row in rows]


def table_of(table: Table) -> pa.Table:
    """The table as Arrow has it."""
    return pa.table({one.name: pa.array(one.values, eval(_TYPES[one.type], {"pa": pa})) for one in table.columns})


def draw_texts(draw: Draw) -> Trial:
    """The first case of some that the dialect can say."""
    name, seed, number = draw.one(list(DIALECTS)), draw.below(2**31), 0
    while True:
        case = draw_case(seed, number)
        number += 1
        calls = tuple(call for call in case.calls if not _is_backward(call))
        if calls != case.calls:
            case = replace(case, calls=calls, around=Around() if case.around.column.startswith("x") else case.around)
        if not calls or case.inner is not None and _is_backward(case.inner):
            continue
        its = possible(case, DIALECTS[name], Tally())
        if its is not None:
            return Texts(its, name, draw.once_in(2))


def _is_backward(call: Call) -> bool:
    """Whether a frame of RANGE ends before it begins, which is refused, as in Spark."""
    ends = [_length(bound) for bound in (call.framed.lower, call.framed.upper)]
    return call.framed.unit == "range" and None not in ends and ends[0] > ends[1]


def _length(bound: Any) -> Any:
    if not isinstance(bound, str):
        return bound
    size = Interval.parse(bound.removeprefix("-"))
    seconds = size.months * 30 * 86_400 + size.microseconds // 1_000_000
    return -seconds if bound.startswith("-") else seconds
