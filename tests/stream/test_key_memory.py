"""The keys that a bucket remembers: what is stored comes back, a micro-batch writes only what it has changed."""

import json
from collections.abc import Iterable
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inwindow as iw
from inwindow.runtime import sealed
from inwindow.runtime.stream import log as log_module
from inwindow.runtime.stream.bucket import Bucket
from inwindow.runtime.stream.key_memory import Memory
from inwindow.runtime.stream.log import ADDRESS
from inwindow.runtime.stream.replay_stream import Stream
from inwindow.runtime.stream.storage import to_bytes

SCHEMA = pa.schema([("k", pa.string()), ("t", pa.int64())])
KEYS = st.lists(st.integers(0, 30), max_size=8, unique=True)


def text(key: int) -> str | None:
    return f"key {key}" if key else None


@given(st.data())
def test_changed_keys_are_stored_and_come_back(data: st.DataObject) -> None:
    """Beside a dict; each micro-batch goes on from the tail, the directory and the chunks alone."""
    store: dict[int, bytes] = {}
    expected: dict[str | None, tuple[int, int, bytes | None]] = {}
    memory, put, changed = Memory(SCHEMA, ("k",)), 0, 0
    with patch.object(log_module, "FULL", 100):
        has_states = data.draw(st.booleans())
        for number in range(data.draw(st.integers(1, 8))):
            keys, forgets = data.draw(KEYS), data.draw(KEYS)
            table = pa.table({"k": pa.array(map(text, keys), pa.string())})
            which = memory.numbers_of(table)
            before = memory.next_of(which)
            counts = before + data.draw(st.lists(st.integers(0, 1), min_size=len(keys), max_size=len(keys)))
            keep = np.array([key not in forgets for key in keys], dtype=bool)
            states = [b"%d of %d" % (number, key) if has_states else None for key in keys if key not in forgets]
            memory.update(which, table, counts, counts, states, keep)
            for key, count, its in zip(keys, counts.tolist(), keep.tolist(), strict=True):
                expected.pop(text(key), None)
                if its:
                    expected[text(key)] = (count, count, b"%d of %d" % (number, key) if has_states else None)
            changed += len(keys)
            written = memory.log.written(memory.table, memory.log.behind)
            for gone in written.removed:
                del store[gone]
            assert not store.keys() & written.chunks.keys()
            store |= written.chunks
            put += sum(row["rows"] for row in written.directory.to_pylist() if row["chunk"] in written.chunks)
            memory = Memory(SCHEMA, ("k",))
            memory.table = memory.log.read(written.tail, written.directory, store.__getitem__)
            rows = memory.table.drop_columns([ADDRESS]).to_pylist()
            assert {row["k"]: tuple(row.values())[1:] for row in rows} == expected and len(rows) == len(expected)
    assert put <= 2 * changed


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20), KEYS)
def test_keys_as_they_are_are_not_written_again(first: list[tuple[int, int]], again: list[int]) -> None:
    memory = Memory(SCHEMA, ("k",))
    model = dict(first)

    def remember(keys: list[int]) -> None:
        table = pa.table({"k": pa.array(map(text, keys), pa.string())})
        counts = np.array([model.get(key, 5) for key in keys], dtype=np.int64)
        memory.update(memory.numbers_of(table), table, counts, counts, [None] * len(keys), np.ones(len(keys), bool))

    remember(list(model))
    written = memory.log.written(memory.table, 0)
    memory.table = memory.log.read(written.tail, written.directory, written.chunks.__getitem__)
    memory.table = memory.table.set_column(
        memory.table.num_columns - 1, ADDRESS, pa.array(np.arange(len(memory.table)))
    )  # as if they were in a chunk
    remember(again)
    rows = memory.table.to_pylist()
    assert sorted(row["k"] or "" for row in rows if row[ADDRESS] < 0) == sorted(
        text(key) or "" for key in again if key not in model
    )
    assert len(rows) == len(model.keys() | again)


class Growing(iw.Aggregate, returns="bigint"):
    """A number that depends on all tuples of a key."""

    def initialize(self, t: int) -> int:
        self.value = t
        return t

    def iterate(self, t: int) -> int:
        self.value = (self.value * 31 + t) % 1_000_003
        return self.value


def growing() -> Bucket:
    window = iw.unbounded(partition_by="k", order_by="t")
    plan: Any = iw.with_columns(Stream(SCHEMA), n=Growing()("t").over(window), s=iw.sum("t").over(window))
    made: Bucket = plan.bucket()
    return made


def tuples(keys: Iterable[int], time: int) -> pa.Table:
    names = [f"key {key}" for key in keys]
    return pa.table([names, [time] * len(names)], schema=SCHEMA)


def test_a_micro_batch_writes_the_keys_that_it_has_changed() -> None:
    bucket, store = growing(), dict[int, bytes]()
    with patch.object(log_module, "FULL", 1 << 12):
        bucket.step(tuples(range(20_000), 0), None)
        sizes = []
        for time in range(1, 12):
            few = range(time * 10, time * 10 + 10)
            bucket.step(tuples(few, time), time)
            changed = bucket.changed()
            for gone in changed.removed:
                del store[gone]
            store |= changed.chunks
            sizes.append(len(changed.head) + sum(map(len, changed.chunks.values())))
            bucket.begin()
            bucket.restore(changed.head, store.__getitem__)
    assert max(sizes[2:]) < len(bucket.state()) / 5 and changed.size == len(changed.head) + sum(
        map(len, store.values())
    )


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_states_of_the_version_before_are_read(cut: int) -> None:
    """Version 6 had all keys in the head, and always a directory."""
    batches = [tuples(range(time % 3, 40), time) for time in range(6)]

    def run(until: int, bucket: Bucket, first: int = 0) -> list[Any]:
        return [bucket.step(batches[at], at).rows for at in range(first, until)]

    expected = run(6, growing())
    early = growing()
    given = run(cut, early)
    tables = {"held": early.held.drop_columns([ADDRESS]), "log": early.log.directory.empty_table()}
    tables |= {"memory": early.logged["memory"][1].drop_columns([ADDRESS]), **early.tables()}
    parts = {name: to_bytes(table) for name, table in tables.items()}
    header = {"plan": early.plan, "bucket": None, "done": early.done, "late": early.late}
    said = json.dumps({**header, "parts": {name: len(part) for name, part in parts.items()}}).encode()
    with patch.object(sealed, "VERSION", 6):
        state = sealed.sealed(sealed.STREAM, len(said).to_bytes(4, "little"), said, *parts.values())
    later = growing()
    later.restore(state, {}.__getitem__)
    assert [rows.to_pylist() for rows in [*given, *run(6, later, cut)]] == [rows.to_pylist() for rows in expected]
