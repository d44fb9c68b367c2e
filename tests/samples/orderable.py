"""Columns of every type that has an order, with mean values, and how their values compare, in plain Python."""

import math
from datetime import date, datetime, time, timedelta
from decimal import Context, Decimal
from functools import cmp_to_key
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

NAN = float("nan")
FLOATS = [0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, NAN, 5e-324, 1e300]
BEGIN = "the beginning is long"
TEXTS = ["", "a", "a\0", "a\0\0", "ab", "b", BEGIN, BEGIN + " and goes on", "é", "\U0001f600"]
MOMENT = datetime(2026, 3, 1)


def decimals(digits: int, scale: int) -> list[Decimal]:
    """Small ones, and the ends."""
    return [
        Decimal(n).scaleb(-scale, Context(prec=100))
        for n in (0, 1, -1, 12, -12, 10**digits - 1, 1 - 10**digits, 10 ** (digits - 2))
    ]


def ints(bits: int, *, signed: bool) -> list[int]:
    """Small ones, and the ends."""
    return (
        [0, 1, 2, 3, 2**bits - 1, 2 ** (bits - 1)]
        if not signed
        else [0, 1, -1, 7, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1]
    )


# type -> its values; NULL comes by itself
VALUES: dict[pa.DataType, list[Any]] = {
    pa.bool_(): [True, False],
    **{pa.type_for_alias(f"int{bits}"): ints(bits, signed=True) for bits in (8, 16, 32, 64)},
    **{pa.type_for_alias(f"uint{bits}"): ints(bits, signed=False) for bits in (8, 16, 32, 64)},
    pa.float16(): [np.float16(value) for value in (0.0, -0.0, 1.5, -1.5, NAN, math.inf, -math.inf)],
    pa.float32(): [0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, NAN, 0.25],
    pa.float64(): FLOATS,
    pa.decimal32(9, 2): decimals(9, 2),
    pa.decimal64(18, 0): decimals(18, 0),
    pa.decimal128(10, 2): decimals(10, 2),
    pa.decimal128(38, 10): decimals(38, 10),
    pa.decimal256(76, 0): decimals(76, 0),
    pa.date32(): [date(1, 1, 1), date(1970, 1, 1), date(2026, 3, 1), date(9999, 12, 31)],
    pa.date64(): [date(1, 1, 1), date(1970, 1, 1), date(2026, 3, 1)],
    pa.time32("s"): [time(0), time(12, 30), time(23, 59, 59)],
    pa.time64("us"): [time(0), time(12, 30, 1, 5), time(23, 59, 59, 999999)],
    pa.timestamp("s"): [MOMENT, MOMENT + timedelta(seconds=1), datetime(1960, 1, 1)],
    pa.timestamp("us"): [MOMENT, MOMENT + timedelta(microseconds=1), datetime(1, 1, 1), datetime(9999, 12, 31)],
    pa.timestamp("ms", "UTC"): [MOMENT, MOMENT + timedelta(milliseconds=1)],
    pa.duration("us"): [timedelta(0), timedelta(-1), timedelta(microseconds=1)],
    pa.string(): TEXTS,
    pa.large_string(): TEXTS,
    pa.string_view(): TEXTS,
    pa.binary(): [text.encode() for text in TEXTS] + [b"\xff", b"\x80"],
    pa.large_binary(): [text.encode() for text in TEXTS],
    pa.binary(9): [b"123456789", b"12345678\0", b"\0" * 9, b"\xff" * 9],
    pa.dictionary(pa.int8(), pa.string()): TEXTS,
    pa.struct({"a": pa.int64(), "b": pa.float64()}): [
        {"a": a, "b": b} for a in (None, 1, 2) for b in (None, 0.0, -0.0, NAN, 1.0)
    ],
    pa.struct({"a": pa.struct({"b": pa.string()})}): [{"a": None}, {"a": {"b": None}}, {"a": {"b": "x"}}, {"a": {"b": ""}}],
    pa.list_(pa.int64()): [[], [None], [0], [1], [0, None], [0, 0], [0, 1], [-5], [2**63 - 1]],
    pa.list_(pa.float64()): [[], [0.0], [-0.0], [NAN], [NAN, 1.0], [None], [1.0]],
    pa.large_list(pa.string()): [[], ["a"], ["a", "b"], ["ab"], [None], [""]],
    pa.list_(pa.int32(), 2): [[1, 2], [1, None], [None, 1], [2, 1]],
    pa.list_(pa.list_(pa.int8())): [[], [[]], [[1]], [[1], [2]], [[1, 2]], [None]],
    pa.list_(pa.struct({"a": pa.float32()})): [[], [{"a": NAN}], [{"a": 0.0}], [{"a": -0.0}], [{"a": None}], [None]],
}  # fmt: skip
KINDS = list(VALUES)


def arrays(kind: pa.DataType, rows: int) -> st.SearchStrategy[pa.Array]:
    """Columns of so many rows: few values, many ties; now and then none is NULL, or all are; sliced from others."""
    some = st.lists(st.one_of(st.none(), st.sampled_from(VALUES[kind])), min_size=rows, max_size=rows)
    full = st.lists(st.sampled_from(VALUES[kind]), min_size=rows, max_size=rows)
    one = st.sampled_from([None, VALUES[kind][0]]).map(lambda value: [value] * rows)
    return st.one_of(some, some, full, one).map(lambda values: made([VALUES[kind][0], *values], kind).slice(1))


def made(values: list[Any], kind: pa.DataType) -> pa.Array:
    """An array; a dictionary has a value twice."""
    if pa.types.is_dictionary(kind):
        its = list(dict.fromkeys(VALUES[kind]))
        at = [None if value is None else its.index(value) for value in values]
        return pa.DictionaryArray.from_arrays(pa.array(at, kind.index_type), pa.array([*its, its[0]], kind.value_type))
    return pa.array(values, kind)


def compare(a: Any, b: Any, ascending: bool = True, nulls_first: bool = True) -> int:
    """-1, 0 or 1: NaN is the largest; within lists and structs NULL is the smallest, and all turns round with DESC."""
    if a is None or b is None:
        sign = (a is not None) - (b is not None)
        return sign if nulls_first else -sign
    sign = _compare(a, b)
    return sign if ascending else -sign


def _compare(a: Any, b: Any) -> int:
    if isinstance(a, dict):
        return next((sign for x, y in zip(a.values(), b.values(), strict=True) if (sign := compare(x, y))), 0)
    if isinstance(a, list):
        return next((sign for x, y in zip(a, b, strict=False) if (sign := compare(x, y))), len(a) - len(b))
    if isinstance(a, (float, np.floating)):
        a, b = ((value != value, 0 if value != value else value) for value in (a, b))
    elif isinstance(a, str):
        a, b = a.encode(), b.encode()
    return (a > b) - (a < b)


def in_order(columns: list[pa.Array], ways: list[tuple[bool, bool]], rows: list[int]) -> list[int]:
    """The rows as ORDER BY sorts them, (ascending, NULLs first) each; ties as they came."""
    values = [column.to_pylist() for column in columns]

    def by_values(r: int, s: int) -> int:
        signs = (compare(its[r], its[s], *way) for its, way in zip(values, ways, strict=True))
        return next((sign for sign in signs if sign), 0)

    return sorted(rows, key=cmp_to_key(by_values))
