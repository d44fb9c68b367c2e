"""Held columns: what is held is what came, also over gaps, slices and what was forgotten."""

from decimal import Decimal

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given

from inwindow.runtime.buffer import Buffer

VALUES = {
    "int64": (pa.int64(), lambda n: n),
    "text": (pa.string(), lambda n: "x" * n),
    "decimal": (pa.decimal128(10, 2), lambda n: Decimal(n).scaleb(-2)),
    "bool": (pa.bool_(), lambda n: n % 2 == 0),
}


@pytest.mark.parametrize("kind", VALUES)
@given(
    pieces=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 6), st.integers(0, 9)), max_size=5),
    reads_at_once=st.booleans(),
)
def test_what_is_held_is_what_came(kind: str, pieces: list[tuple[int, int, int]], reads_at_once: bool) -> None:
    """Slices of one array, in any order and with gaps; after each some tuples are forgotten, of which hooks may have seen none."""
    type_, made = VALUES[kind]
    whole = pa.array([None if n % 5 == 3 else made(n) for n in range(24)], type_)
    ok = pa.array([None if n % 7 == 2 else n % 3 > 0 for n in range(24)])
    batch = pa.record_batch({"v": whole, "ok": ok})
    buffer, held = Buffer(), []
    plain, objects = buffer.plain("v"), buffer.objects("v")
    one, two = buffer.plain("v", pa.int64()) if kind == "decimal" else None, buffer.marks(("v",), "ok")
    mask = buffer.seen(("v",), "ok")
    for start, count, forgotten in pieces:
        piece = batch.slice(start, count)
        buffer.append(piece)
        held += list(zip(piece["v"].to_pylist(), piece["ok"].to_pylist(), strict=True))
        if reads_at_once:
            assert objects.values == [value for value, _ in held]
        count = min(forgotten, len(held))
        buffer.forget(buffer.base + count)
        held = held[count:]
    if not pieces:
        return
    values = [value for value, _ in held]
    counted = [value is not None and passes is True for value, passes in held]
    assert plain.array is not None and two.array is not None
    assert plain.array.to_pylist() == values
    assert objects.values == values
    assert two.array.is_valid().to_pylist() == counted
    assert mask.mask.astype(bool).tolist() == counted
    if one is not None:
        assert one.array is not None
        assert one.array.to_pylist() == [None if value is None else int(value * 100) for value in values]


def test_slices_of_one_array_are_joined_without_a_copy() -> None:
    buffer, whole = Buffer(), pa.record_batch({"v": pa.array(range(10))})
    column = buffer.plain("v")
    for start, count in ((0, 4), (4, 3)):
        buffer.append(whole.slice(start, count))
    assert column.array is not None
    assert column.array.buffers()[1].address == whole["v"].buffers()[1].address
