"""Types of SQL as hooks know them: Real is Python's float, Int its int, char(n) its str."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from inwindow.language.text import Source, Token, Tokens, span_of

# What SQL calls them, here and in Spark; the paper's Real is Spark's double.
_NAMES = {
    "int": ("INT", "INTEGER", "BIGINT", "LONG", "SMALLINT", "SHORT", "TINYINT", "BYTE"),
    "float": ("REAL", "DOUBLE", "FLOAT", "DOUBLE PRECISION"),
    "str": ("CHAR", "CHARACTER", "VARCHAR", "STRING", "TEXT"),
    "bool": ("BOOLEAN", "BOOL"),
    "decimal": ("DECIMAL", "NUMERIC", "DEC"),
    "date": ("DATE",),
    "datetime": ("TIMESTAMP", "DATETIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"),
    "timedelta": ("INTERVAL",),
    "bytes": ("BINARY", "BYTES"),
}
_BY_NAME = {name: kind for kind, names in _NAMES.items() for name in names}
_DDL = {
    "int": "bigint", "float": "double", "str": "string", "bool": "boolean", "date": "date", "datetime": "timestamp",
    "timedelta": "interval day to second", "bytes": "binary",
}  # fmt: skip
NUMBERS = ("int", "float", "decimal")


@dataclass(frozen=True)
class Kind:
    """A type: the name of the Python class, and Spark's DDL; both are empty if no type is declared."""

    python: str = ""
    ddl: str = ""

    def __bool__(self) -> bool:
        return bool(self.python)


INT, FLOAT, STR, BOOL = (Kind(name, _DDL[name]) for name in ("int", "float", "str", "bool"))
DATE, DATETIME, TIMEDELTA = (Kind(name, _DDL[name]) for name in ("date", "datetime", "timedelta"))
ANY = Kind()


def read_kind(source: Source, tokens: Tokens) -> Kind:
    """A type as it is declared: ``Real``, ``char(10)``, ``decimal(12, 2)``."""
    if not tokens:
        return ANY
    name = tokens[0].text.upper()
    size = _sizes(tokens[1:])
    if name not in _BY_NAME or size is None:
        known = "Int, Real, Char(n), String, Boolean, Decimal(p, s), Date, Timestamp, Interval or Binary"
        raise source.error(
            f"{source.speaker}: {source.on_one_line(span_of(tokens))} is no type: write {known}", span_of(tokens)
        )
    python = _BY_NAME[name]
    if python == "decimal":
        precision, scale = [*size, *("38", "18")[: 2 - len(size)]] if not size else [*size, "0"][:2]
        return Kind(python, f"decimal({precision}, {scale})")
    return Kind(python, _DDL[python])


def _sizes(tokens: Sequence[Token]) -> list[str] | None:
    """The numbers in parentheses; None where something else stands there."""
    if not tokens:
        return []
    inside = tokens[1:-1]
    numbers = [token.text for token in inside if token.kind == "NUMBER"]
    is_list = tokens[0].kind == "L_PAREN" and tokens[-1].kind == "R_PAREN" and len(inside) == 2 * len(numbers) - 1
    return numbers if is_list and len(numbers) < 3 else None


def of_arrow(kind: pa.DataType) -> Kind:
    """The type of a column of Arrow."""
    for test, known in (
        (pa.types.is_integer, INT), (pa.types.is_floating, FLOAT), (pa.types.is_string, STR), (pa.types.is_boolean, BOOL),
        (pa.types.is_date, DATE), (pa.types.is_timestamp, DATETIME),
    ):  # fmt: skip
        if test(kind):
            return known
    return ANY


def joined(one: Kind, other: Kind) -> Kind:
    """The common type of two values, for CASE or a sum."""
    if one == other or not other:
        return one if other or not one else ANY
    if not one:
        return ANY
    if {one.python, other.python} == {"int", "float"}:
        return FLOAT
    if {one.python, other.python} == {"int", "decimal"}:
        return one if one.python == "decimal" else other
    return ANY


def can_meet(one: Kind, other: Kind) -> bool:
    """Whether values of both types can be compared."""
    if not one or not other or one.python == other.python:
        return True
    return {one.python, other.python} <= set(NUMBERS)
