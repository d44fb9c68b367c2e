"""Odd and wrong buffers, as many as take a second; many more: ``python -m tests.buffers``. Each example here was found by it."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import inwindow as iw
from inwindow.runtime.sound import sound
from inwindow.runtime.stream.storage import from_bytes, to_bytes
from inwindow.testing import replay

from .uses import drawn_case, wrong

INT = pa.int64()


def words(values: list[int], kind: Any = np.int32) -> pa.Buffer:
    return pa.py_buffer(np.array(values, kind))


def absent(kind: pa.DataType) -> pa.Array:
    """An array without values, and without buffers."""
    return pa.Array.from_buffers(kind, 0, [None, None])


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_drawn_buffers(first: int) -> None:
    for number in range(first, first + 50):
        case = drawn_case(number)
        said = None if case is None else wrong(*case)
        assert said is None, f"number {number}: {said}"


REFUSED = {
    "a text from 9 to 2": (
        pa.Array.from_buffers(pa.string(), 3, [None, words([0, 9, 2, 3]), pa.py_buffer(b"abc")]),
        "value 1 is from 9 to 2, of 3",
    ),
    "an index below zero": (
        pa.DictionaryArray.from_arrays(pa.array([0, -5]), pa.array(["a"]), safe=False),
        "the indices of its dictionary are from -5 to 0, but there are 1 entries",
    ),
    "an index that is said to be NULL": (
        pa.DictionaryArray.from_arrays(
            pa.Array.from_buffers(INT, 2, [pa.py_buffer(b"\xff"), words([0, 7], np.int64)], 2), pa.array(["a"]), safe=False
        ),
        "from 0 to 7, but there are 1 entries",
    ),
    "a list of more values than there are": (
        pa.Array.from_buffers(pa.list_(INT), 2, [None, words([0, 50, 2])], children=[pa.array([1, 2])]),
        "value 1 is from 50 to 2, of 2",
    ),
    "lists of two that begin at the fifth": (
        pa.Array.from_buffers(pa.list_(INT, 2), 1, [None], offset=5, children=[pa.array([1, 2])]),
        "its lists end at value 12, of 2",
    ),
    "a view of other memory": (
        pa.Array.from_buffers(pa.string_view(), 1, [None, words([100, 0, 0, 99]), pa.py_buffer(b"abc")]),
        "View at slot 0 references",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_leads_out_of_its_buffers_is_refused(what: str) -> None:
    values, message = REFUSED[what]
    inner = pa.StructArray.from_arrays([values], ["its"])
    for given in (values, inner):
        table = pa.table({"c": given})
        with pytest.raises(iw.DataError, match=f"with_columns: the Arrow buffers of column 'c' are wrong: .*{message}"):
            iw.with_columns(table, x=iw.count("c").over(iw.rows(2)))
        with pytest.raises(iw.DataError, match=message):
            iw.with_columns(table.to_reader(), x=iw.count("c").over(iw.rows(2))).read_all()


def test_what_leads_nowhere_is_not_refused() -> None:
    """Values under a NULL, indices under a NULL, texts that are no UTF-8."""
    index = pa.Array.from_buffers(INT, 2, [pa.py_buffer(b"\x01"), words([0, 99], np.int64)])
    under = pa.DictionaryArray.from_arrays(index, pa.array(["a"]), safe=False)
    assert iw.with_columns(pa.table({"c": under}), x=iw.last("c").over(iw.rows(1)))["x"].to_pylist() == ["a", None]
    text = pa.Array.from_buffers(pa.string(), 2, [None, words([0, 1, 2]), pa.py_buffer(b"\xff\xfe")])
    largest = iw.with_columns(pa.table({"c": text}), x=iw.max("c").over(iw.rows(2)))["x"]
    assert largest.combine_chunks().view(pa.binary()).to_pylist() == [b"\xff", b"\xff"]


@pytest.mark.parametrize(
    "values",
    [
        pa.chunked_array([absent(INT), pa.array([1, 2]), absent(INT)]),
        pa.chunked_array([pa.ListArray.from_arrays(pa.array([0, 0, 0], pa.int32()), absent(INT))]),
        pa.chunked_array(
            [
                pa.LargeListArray.from_arrays(
                    pa.array([0, 0, 0]), pa.Array.from_buffers(pa.string(), 0, [None, None, pa.py_buffer(b"")])
                )
            ]
        ),
        pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int8()), absent(INT))]),
    ],
    ids=["chunks", "lists", "texts", "dictionary"],
)
def test_arrays_without_buffers(values: pa.ChunkedArray) -> None:
    """``nbytes`` of pyarrow 26 crashes on such arrays; it is asked for when chunks are joined, and to cut states into parts."""
    assert sound(pa.table({"c": values}), "test")["c"].nbytes >= 0
    given = iw.with_columns(pa.table({"c": values}), x=iw.last("c").over(iw.rows(1, partition_by="c")))["x"]
    assert given.to_pylist() == values.to_pylist()


def test_buffers_that_begin_anywhere() -> None:
    content = b"\0" + np.array([3, 1, 2], np.int64).tobytes()
    values = pa.Array.from_buffers(INT, 3, [None, pa.py_buffer(content).slice(1)])
    made = sound(pa.table({"c": values}), "test")["c"].chunk(0)
    assert made.to_pylist() == [3, 1, 2] and made.buffers()[1].address % 8 == 0
    coded = pa.DictionaryArray.from_arrays(pa.array([2, 0, None]), values)
    made = sound(pa.table({"c": coded}), "test")["c"].chunk(0)
    assert made.to_pylist() == [2, 3, None] and made.dictionary.buffers()[1].address % 8 == 0


def test_batches_that_share_the_beginning_of_memory() -> None:
    """The second batch goes on where the first ends, but the first one's buffer ends there, too."""
    memory = np.arange(20)
    first = pa.Array.from_buffers(INT, 10, [None, pa.py_buffer(memory[:10])])
    second = pa.Array.from_buffers(INT, 10, [None, pa.py_buffer(memory)], offset=10)
    batches = [pa.record_batch([values], ["c"]) for values in (first, second)]
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    given = iw.with_columns(reader, x=iw.sum("c").over(iw.rows(15))).read_all()["x"].to_pylist()
    assert given == [sum(range(max(0, at - 14), at + 1)) for at in range(20)]


def test_stored_tables_begin_anywhere() -> None:
    """A part of a stored head has any place in its bytes; kernels read whole words."""
    content = to_bytes(pa.table({"c": pa.array([3, 1, 2], INT)}))
    for at in range(8):
        (values,) = from_bytes(memoryview(b"\0" * at + content)[at:])["c"].chunks
        assert values.to_pylist() == [3, 1, 2] and values.buffers()[1].address % 8 == 0


def test_far_values() -> None:
    """Durations at int64's end: their median is rounded to 2^63 as a double, which no int64 is. And such keys of a stream."""
    far = pa.array([2**63 - 1, 2**63 - 1, -(2**63)], INT).view(pa.duration("us"))
    medians = iw.with_columns(pa.table({"c": far}), x=iw.median("c").over(iw.rows(1)))["x"].combine_chunks()
    assert medians.view(INT).to_pylist() == [2**63 - 1, 2**63 - 1, -(2**63)]
    batch = pa.table({"c": far, "t": [1, 2, 9]})
    rows = replay(
        [batch], lambda df: iw.with_columns(df, n=iw.count().over(iw.rows(9, partition_by="c", order_by="t")))
    )
    assert sorted(rows.table["n"].to_pylist()) == [1, 2]  # the third waits for the watermark
