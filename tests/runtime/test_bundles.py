"""Rows of a key as one value of bytes, and back: every kind of type, NULLs, slices, long keys."""

import doctest
from decimal import Decimal
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.native import _bundles
from inwindow.native._bundles import Parting, joined
from inwindow.runtime.bundles import BUNDLE, Bundles

TEXT = ["", "a", "é" * 9, None]
VALUES = {
    pa.int8(): [1, -1, None],
    pa.float64(): [0.5, float("inf"), None],
    pa.timestamp("us", tz="UTC"): [0, -1, None],
    pa.decimal128(38, 2): [Decimal("1.25"), None],
    pa.binary(3): [b"abc", None],
    pa.month_day_nano_interval(): [pa.MonthDayNano([1, 2, 3]), None],
    pa.bool_(): [True, False, None],
    pa.null(): [None],
    pa.string(): TEXT,
    pa.large_binary(): [b"", b"ab", None],
    pa.list_(pa.float64()): [[], [1.5, None], [2.0] * 5, None],
    pa.large_list(pa.string()): [[], TEXT, None],
    pa.list_(pa.list_(pa.bool_())): [[], [[], None, [True, None]], None],
    pa.struct({"a": pa.int64(), "b": pa.list_(pa.string())}): [{"a": None, "b": TEXT}, {"a": 1, "b": None}, None],
    pa.map_(pa.string(), pa.int64()): [[], [("a", 1), ("b", None)], None],
}


@given(st.data(), st.integers(1, 40), st.integers(0, 3), st.sampled_from([1, 30, 1 << 14]))
def test_there_and_back(data: st.DataObject, rows: int, before: int, size: int) -> None:
    kinds = data.draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=4))
    keys = sorted(data.draw(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=rows + before, max_size=rows + before)))
    fields, columns = (
        [pa.field("k", pa.int64()), pa.field("n", pa.int64(), nullable=False)],
        [keys, [*range(len(keys))]],
    )
    for at, kind in enumerate(kinds):
        fields.append(pa.field(f"c{at}", kind))
        values = st.sampled_from(VALUES[kind])
        columns.append(data.draw(st.lists(values, min_size=len(keys), max_size=len(keys))))
    arrays = [pa.array(column, field.type) for column, field in zip(columns, fields, strict=True)]
    batch = pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields)).slice(before)
    its = data.draw(st.sampled_from([("k",), ()]))
    bundles = Bundles(batch.schema, its)
    with patch("inwindow.runtime.bundles._BYTES", size):
        sent = bundles.packed(batch)
    assert sent.schema == bundles.sent
    assert sent.num_rows >= (len(set(keys[before:])) if its else 1)
    padded = pa.concat_arrays([pa.array([b"xyz"]), sent.column(BUNDLE)]).slice(1)
    arrived = pa.RecordBatch.from_arrays([*sent.columns[:-1], padded], schema=sent.schema)
    opened = bundles.opened(arrived)
    opened.validate(full=True)
    assert opened.schema == batch.schema and opened.to_pylist() == batch.to_pylist()


def test_a_long_key_has_several() -> None:
    batch = pa.RecordBatch.from_pydict({"k": [1] * 10_000 + [2], "v": np.arange(10_001)})
    bundles = Bundles(batch.schema, ("k",))
    sent = bundles.packed(batch)
    assert sent.column("k").to_pylist() == [1] * 5 + [2]
    assert bundles.opened(sent).to_pylist() == batch.to_pylist()


def test_bytes_that_are_not_there() -> None:
    parting = Parting(joined([(np.zeros(8, np.uint8), np.array([0, 4, 8]))]))
    parting.take(np.array([4, 1]))
    with pytest.raises(ValueError, match="value 0 has 0 bytes left, not 1"):
        parting.take(np.array([1, 1]))


def test_doctests() -> None:
    assert doctest.testmod(_bundles).failed == 0
