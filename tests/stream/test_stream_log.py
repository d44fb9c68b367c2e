"""The log of held tuples: what is stored comes back, in order, and nothing is written twice without need."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inwindow.runtime.stream import log as module
from inwindow.runtime.stream.log import ADDRESS, Log

SCHEMA = pa.schema([("v", pa.string()), ("n", pa.int64()), ("gone", pa.bool_())])


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FULL", 60)


def fresh(first: int, count: int) -> pa.Table:
    numbers = range(first, first + count)
    return pa.table([[f"{n}" if n % 3 else None for n in numbers], list(numbers), [False] * count], schema=SCHEMA)


@given(st.data())
def test_what_is_stored_comes_back(data: st.DataObject) -> None:
    """Tuples come, any of them leave, flags are set; each micro-batch goes on from the head and the chunks alone."""
    store: dict[int, bytes] = {}
    head, expected, arrived, left, put = None, SCHEMA.empty_table(), 0, 0, 0
    for _ in range(data.draw(st.integers(1, 8))):
        log = Log(SCHEMA, "n", ("gone",))
        held = (
            log.addressed(SCHEMA.empty_table())
            if head is None
            else log.read(head.tail, head.directory, store.__getitem__)
        )
        assert held.column("n").to_pylist() == sorted(held.column("n").to_pylist())
        if head is not None:
            assert held.drop_columns([ADDRESS]).equals(expected)
        count = data.draw(st.integers(0, 12))
        held = pa.concat_tables([held, log.addressed(fresh(arrived, count))])
        arrived += count
        stay = np.array(data.draw(st.lists(st.booleans(), min_size=len(held), max_size=len(held))), dtype=bool)
        left += int((~stay).sum())
        held = held.filter(pa.array(stay)).combine_chunks()
        gone = data.draw(st.lists(st.booleans(), min_size=len(held), max_size=len(held)))
        held = held.set_column(2, "gone", pa.array(gone, pa.bool_()))
        expected = held.drop_columns([ADDRESS])
        head = log.written(held, log.behind)
        for number in head.removed:
            del store[number]
        assert not store.keys() & head.chunks.keys()
        store |= head.chunks
        entries = head.directory.to_pylist()
        assert sorted(store) == [entry["chunk"] for entry in entries]
        put += sum(entry["rows"] for entry in entries if entry["chunk"] in head.chunks)
        for entry in entries:
            live = np.unpackbits(np.frombuffer(entry[ADDRESS], np.uint8)).sum()
            assert 2 * live >= entry["rows"] and entry["bytes"] == len(store[entry["chunk"]])
    assert put <= arrived + left


def test_a_chunk_is_written_once_and_removed_when_it_has_drained() -> None:
    log = Log(SCHEMA, "n", ("gone",))
    first = log.written(log.addressed(fresh(0, 40)), 0)
    assert list(first.chunks) == [0] and len(first.tail) == 0
    log = Log(SCHEMA, "n", ("gone",))
    held = log.read(first.tail, first.directory, first.chunks.__getitem__)
    second = log.written(pa.concat_tables([held.slice(10), log.addressed(fresh(40, 1))]), log.behind)
    assert not second.chunks and not second.removed and len(second.tail) == 1
    log = Log(SCHEMA, "n", ("gone",))
    held = log.read(second.tail, second.directory, first.chunks.__getitem__)
    assert held.column("n").to_pylist() == list(range(10, 41))
    third = log.written(held.slice(15), log.behind)
    assert third.removed == [0] and list(third.chunks) == [1] and third.directory["rows"].to_pylist() == [16]
