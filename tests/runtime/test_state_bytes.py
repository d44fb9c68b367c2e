"""The bytes of a state: data and no code; whatever is changed in them is found; what `__init__` was given is not in them."""

import contextlib
import json
import pickle
from collections.abc import Callable
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from samples.ids import Ids, IdsExpire, IdsInWindow, IdsMerge, Live, Running
from samples.keyed_rows import BY, ROWS, TABLE

import inwindow as iw
from inwindow.optimizer.planning import plan_groups, plan_windows
from inwindow.runtime import sealed
from inwindow.runtime.group_operator import GroupOperator
from inwindow.runtime.operator import Operator
from inwindow.runtime.plain import from_plain, in_stream, to_plain
from inwindow.runtime.row_operators import WithColumns
from inwindow.runtime.state_bytes import to_bytes
from inwindow.runtime.stream import log, storage
from inwindow.runtime.stream.replay_stream import Stream
from inwindow.runtime.stream.stored import head_of, stored

WORDS = [-1, 0, 1, 2, 5, 100, 1000, 10**6, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63), -100]


class Reading:
    """What only pickle knows."""

    def __init__(self, value: int) -> None:
        self.value = value


class Keeps(iw.Aggregate, returns="bigint"):
    """A state that is no data."""

    def iterate(self, id):
        self.last = Reading(id)

    def terminate(self):
        return self.last.value


APPLIED: dict[str, iw.Applied] = {
    "sum": iw.sum("v").over(iw.rows(5, **BY)),
    "sum in panes": iw.sum("v").over(iw.rows(8, slide=4, **BY)),
    "exact sum": iw.sum("v").over(iw.range(5, **BY)),
    "max": iw.max("v").over(iw.rows(5, **BY)),
    "median": iw.median("v").over(iw.rows(5, **BY)),
    "variance": iw.stddev_samp("v").over(iw.rows(5, **BY)),
    "distinct": iw.count_distinct("s").over(iw.rows(5, **BY)),
    "mode": iw.mode("at").over(iw.rows(5, **BY)),
    "list": iw.collect_list("at").over(iw.rows(5, **BY)),
    "set": iw.collect_set("s").over(iw.rows(5, **BY)),
    "frequent": iw.frequent_items("s", 0.2).over(iw.rows(9, **BY)),
    "sample": iw.priority_sample("v", 3).over(iw.rows(9, **BY)),
    "correlation": iw.corr("v", "id").over(iw.rows(9, slide=3, **BY)),
    "max_by": iw.max_by("s", "v").over(iw.rows(9, **BY)),
    "delta": IdsExpire()("id").over(iw.rows(5, **BY)),
    "derived": Ids()("id").over(iw.rows(5, **BY)),
    "two stacks": IdsMerge()("id").over(iw.rows(5, **BY)),
    "panes of hooks": IdsMerge()("id").over(iw.rows(8, slide=4, **BY)),
    "inwindow": IdsInWindow()("id").over(iw.rows(5, **BY)),
    "answers": Running()("id").over(iw.unbounded(**BY)),
    "lives": Live()("id").over(iw.rows(5, **BY)),
    "pickled": Keeps()("id").over(iw.unbounded(**BY)),
}


def operator(name: str) -> Operator:
    """A fresh one."""
    (work,) = plan_windows(TABLE.schema, {"x": APPLIED[name]})
    return WithColumns(work, TABLE.schema, ())


def state_of(name: str) -> bytes:
    """After some tuples."""
    made = operator(name)
    for start in range(0, ROWS, 10):
        made.process(TABLE.slice(start, 10).combine_chunks().to_batches()[0])
    return made.state()


def changed(state: bytes, random: Random) -> list[bytes]:
    """Every byte is another once; cut off anywhere; made longer; pieces of it twice, or elsewhere."""
    made = [state[:at] + bytes([state[at] ^ random.randint(1, 255)]) + state[at + 1 :] for at in range(len(state))]
    made += [state[:length] for length in range(0, len(state), 7)] + [state[:-1], state[1:]]
    made += [state + b"\0", state + state, state + state[-1:], b"\0" + state]
    for _ in range(50):
        a, b = sorted(random.sample(range(len(state)), 2))
        made.append(state[:a] + state[b:] + state[a:b])
        made.append(state[:a] + bytes(b - a) + state[b:])
    return [one for one in made if one != state]


def refused(restore: Callable[[bytes], None], states: list[bytes]) -> None:
    """All of them."""
    for one in states:
        with pytest.raises(iw.StateError):
            restore(one)


@pytest.mark.parametrize("name", APPLIED)
def test_a_changed_state_of_an_operator_is_refused(name: str) -> None:
    state = state_of(name)
    again = operator(name)
    with patch.object(pickle, "loads", side_effect=AssertionError("unpickled")):
        refused(again.restore, changed(state, Random(1)))
    again.restore(state)
    again.restore(bytearray(state))
    again.restore(memoryview(state))


def test_the_state_of_another_operator_is_refused() -> None:
    states = {name: state_of(name) for name in APPLIED}
    for name in APPLIED:
        refused(operator(name).restore, [state for other, state in states.items() if other != name])


@pytest.mark.parametrize("name", APPLIED)
def test_only_what_is_no_data_is_pickled(name: str) -> None:
    with patch.object(pickle, "dumps", wraps=pickle.dumps) as pickled:
        state_of(name)
    assert pickled.called == (name == "pickled")


def test_states_of_extents_are_data() -> None:
    applied = {"x": IdsMerge()("id"), "n": iw.count(), "hi": iw.max("v"), "d": iw.count_distinct("s")}
    for extent in (iw.hop("t", size=7, every=3), iw.session("t", gap=2), iw.tumble("t", rows=3), None):
        work = plan_groups(TABLE.schema, ("k",), extent, applied)
        one = GroupOperator(work, TABLE.schema)
        one.process(TABLE.slice(0, 20).combine_chunks().to_batches()[0])
        with patch.object(pickle, "dumps", side_effect=AssertionError("pickled")):
            state = one.state()
        refused(GroupOperator(work, TABLE.schema).restore, changed(state, Random(1)))
        other = GroupOperator(work, TABLE.schema)
        other.restore(state)
        rest = TABLE.slice(20).combine_chunks().to_batches()[0]
        assert [b.to_pylist() for b in (one.process(rest), one.finish())] == [
            b.to_pylist() for b in (other.process(rest), other.finish())
        ]


# Streams


def query(df: Any) -> Any:
    """What is held, what is remembered, and what is pickled."""
    grows = iw.unbounded(**BY)
    applied = {"x": Running()("id").over(grows), "y": Keeps()("id").over(grows)}
    return iw.with_columns(df, n=iw.count().over(iw.range(9, **BY)), **applied)


def test_a_changed_state_of_a_stream_is_refused() -> None:
    def bucket() -> Any:
        return query(Stream(TABLE.schema)).bucket()

    one, again = bucket(), bucket()
    one.step(TABLE.slice(0, 30), None)
    one.step(TABLE.slice(30), 25)
    with patch.object(pickle, "loads", side_effect=AssertionError("unpickled")):
        refused(again.restore, changed(one.state(), Random(1)))
    with patch.object(log, "FULL", 200):
        stored = one.changed()
    assert stored.chunks
    for at, chunk in stored.chunks.items():
        for other in changed(chunk, Random(2)):
            with pytest.raises(iw.StateError):
                again.restore(stored.head, {**stored.chunks, at: other}.__getitem__)
    refused(lambda head: again.restore(head, stored.chunks.__getitem__), changed(stored.head, Random(3)))
    bucket().restore(stored.head, stored.chunks.__getitem__)


def test_a_chunk_of_before_is_refused() -> None:
    made = query(Stream(TABLE.schema)).bucket()
    with patch.object(log, "FULL", 200):
        made.step(TABLE.slice(0, 10), 10)
        older = made.changed()
        again = query(Stream(TABLE.schema)).bucket()
        again.step(TABLE.slice(1, 9), 10)
        newer = again.changed()
    assert older.chunks.keys() >= newer.chunks.keys() > set()
    with pytest.raises(iw.StateError, match="is another's"):
        query(Stream(TABLE.schema)).bucket().restore(newer.head, older.chunks.__getitem__)


class Bomb:
    """What runs where it is unpickled."""

    went_off = False

    def __reduce__(self) -> Any:
        return _go_off, ()


def _go_off() -> None:
    Bomb.went_off = True


@pytest.mark.parametrize("name", ["sum", "median", "delta"])
def test_bytes_that_somebody_made_run_nothing(name: str) -> None:
    """Not as they are, and not with a checksum that fits where no class of the user's is."""
    made = operator(name)
    forged = [pickle.dumps(Bomb()), b"inwindow" + pickle.dumps(Bomb()), pickle.dumps({"version": 1, "plan": Bomb()})]
    forged.append(sealed.sealed(sealed.OPERATOR, pickle.dumps(Bomb())))
    forged.append(sealed.sealed(sealed.OPERATOR, len(pickle.dumps(Bomb())).to_bytes(8, "little"), pickle.dumps(Bomb())))
    if name != "delta":
        forged.append(sealed.sealed(sealed.OPERATOR, to_bytes([made.fingerprint, Bomb(), 1, 2, 3, 4], trusted=True)))
    refused(made.restore, forged)
    refused(query(Stream(TABLE.schema)).bucket().restore, [*forged, sealed.sealed(sealed.STREAM, pickle.dumps(Bomb()))])
    assert not Bomb.went_off


@pytest.mark.parametrize("name", ["sum", "median", "delta"])
def test_bytes_with_a_checksum_that_are_no_state_are_refused(name: str) -> None:
    made, random = operator(name), Random(5)
    junk: list[Any] = [None, 1, "a", [], (), {}, [1, 2, 3], (1, 2, 3), {"a": 1}, np.arange(3), 1 << 80, float("nan")]
    for _ in range(200):
        content = to_bytes(
            [made.fingerprint, *(random.choice(junk) for _ in range(random.randint(0, 7)))], trusted=False
        )
        with pytest.raises(iw.StateError):
            made.restore(sealed.sealed(sealed.OPERATOR, content))


def test_arrays_that_point_elsewhere_are_refused() -> None:
    words = pa.array([f"word {i}" for i in range(10, 30)])
    offset, code = (14).to_bytes(4, "little"), (7).to_bytes(4, "little")
    for values, right in ((words, offset), (words.dictionary_encode(), code)):
        batch = pa.record_batch([values], ["s"])
        content = in_stream(batch)
        at = content.rindex(right)
        changed = content[:at] + b"\xff\xff\xff\x0f" + content[at + 4 :]
        (plain,) = to_plain([batch])
        assert plain is not None and content in plain
        with pytest.raises(pa.ArrowInvalid):
            storage.from_bytes(changed)
        with pytest.raises(pa.ArrowInvalid):
            from_plain([plain.replace(content, changed)])


@pytest.mark.parametrize("name", [name for name in APPLIED if name != "pickled"])
def test_forged_bytes_are_no_raw_errors(name: str) -> None:
    """Where a checksum fits, numbers in a state may say anything: results of other data, or an error of ours."""
    state, random = state_of(name), Random(7)
    begin = len(state) - len(sealed.opened(sealed.OPERATOR, state))
    for _ in range(40):
        content = bytearray(state[begin:])
        for _ in range(random.choice([1, 2, 8])):
            content[random.randrange(len(content))] ^= random.choice([1, 0x80, 0xFF])
        _go_on(name, bytes(content))


def _go_on(name: str, content: bytes) -> None:
    """From these bytes, under a checksum that fits: an error of ours, or any rows."""
    made = operator(name)
    with contextlib.suppress(iw.InWindowError):
        made.restore(sealed.sealed(sealed.OPERATOR, content))
        for start in range(0, ROWS, 10):
            made.process(TABLE.slice(start, 10).combine_chunks().to_batches()[0])
        made.finish()


@pytest.mark.parametrize("name, draws", {"sum": [86, 237], "sum in panes": [97, 116, 268]}.items())
def test_forged_positions_are_not_followed(name: str, draws: list[int]) -> None:
    """Whole words are another: once a sum took tuples out that were never held, and the process crashed."""
    state = state_of(name)
    begin = len(state) - len(sealed.opened(sealed.OPERATOR, state))
    for draw in [*draws, *range(40)]:
        random, content = Random(f"{name}{draw}"), bytearray(state[begin:])
        for _ in range(random.choice([1, 1, 2, 8])):
            at = random.randrange(len(content))
            if random.random() < 0.4:
                content[at] ^= random.choice([1, 2, 4, 0x80, 0xFF])
            else:
                width = random.choice([1, 2, 4, 8])
                word = random.choice(WORDS) % 2 ** (8 * width)
                content[at : at + width] = word.to_bytes(width, "little")[: len(content) - at]
        _go_on(name, bytes(content))


def test_a_forged_state_of_a_stream_says_so() -> None:
    made = query(Stream(TABLE.schema)).bucket()
    made.step(TABLE.slice(0, 30), None)
    made.step(TABLE.slice(30), 25)
    again = query(Stream(TABLE.schema)).bucket()
    again.restore(made.state())
    again.done = "soon"  # as forged bytes would say
    with pytest.raises(iw.StateError, match=r"cannot be gone on from \(TypeError: .*begin anew"):
        again.step(TABLE.slice(0, 5), 30)


def _planted(bucket: Any) -> bytes:
    """A bucket's state with a pickle in the place of every stored value, and a checksum that fits."""
    was = stored(bucket.state())
    tables, planted = was.tables(), 0
    for name, table in tables.items():
        for at, column in enumerate(table.schema):
            if pa.types.is_binary(column.type):
                values = [None if one is None else pickle.dumps(Bomb()) for one in table[column.name].to_pylist()]
                planted += sum(one is not None for one in values)
                tables[name] = tables[name].set_column(at, column, pa.array(values, column.type))
    assert planted
    header = json.dumps({name: its for name, its in was.header.items() if name != "parts"})
    return head_of(header, {}, tables)


def test_a_pickle_planted_in_a_value_of_a_stream_does_not_run() -> None:
    """Of a query without a class of the user's: as it was, and changed."""
    grows = iw.unbounded(**BY)
    every = {"n": iw.sum("v"), "l": iw.collect_list("v"), "d": iw.count_distinct("s"), "m": iw.mode("s")}
    applied = {name: one.over(grows) for name, one in every.items()}

    def bucket(its: dict[str, iw.Applied]) -> Any:
        return iw.with_columns(Stream(TABLE.schema), **its).bucket()

    made = bucket(applied)
    made.step(TABLE.slice(0, 30), None)
    made.step(TABLE.slice(30), 25)
    forged = _planted(made)
    for its in (applied, {"m": applied["m"]}):
        with pytest.raises(iw.StateError):
            again = bucket(its)
            again.restore(forged)
            again.step(TABLE.slice(30), 60)
    assert not Bomb.went_off
