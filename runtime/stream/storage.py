"""What is stored between micro-batches: tables as compressed Arrow bytes, and the state of each aggregate as bytes.

The states of many keys are alike, so compression leaves a third to a tenth of the bytes; and Spark's state store takes 20 to 30 ms
for each MB. Most states are plain data (`../plain.py`). If a class has attributes that are not, its states are pickled. Reading a
pickle can run any code, so nobody else may be able to write to the place where states are stored.

A class of the user's script came to the worker by value, so it has no module there. Its name is stored, and the class is found
again among the names that the hooks use.
"""

import io
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from inwindow.native._plain import are_plain
from inwindow.runtime.plain import from_plain, to_plain
from inwindow.udaf.errors import StateError

# zstd: as much CPU as lz4 once Spark's cost for each byte is in it, and half the bytes. Without Arrow's threads: to wake them took
# five to eight times as long as to pack a small head, and each core has its own task.
_CODEC = next((name for name in ("zstd", "lz4_frame") if pa.Codec.is_available(name)), None)
_PACKED = pa.ipc.IpcWriteOptions(
    compression=pa.Codec("zstd", -1) if _CODEC == "zstd" else _CODEC and pa.Codec(_CODEC), use_threads=False
)
_PLAIN = pa.ipc.IpcWriteOptions(use_threads=False)
_FEW = 1 << 14  # bytes of a table that is not packed: to pack and unpack it would take 0.14 ms instead of 0.02
_ALIGNED = 8
_UNPACKED = pa.ipc.IpcReadOptions(use_threads=False)


def to_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    # The exact size of a table costs more than to write a small one; its buffers may be larger than what it uses of them.
    is_small = table.get_total_buffer_size() < _FEW or table.nbytes < _FEW
    with pa.ipc.new_stream(sink, table.schema, options=_PLAIN if is_small else _PACKED) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def from_bytes(content: bytes | memoryview) -> pa.Table:
    buffer = pa.py_buffer(content)
    if buffer.address % _ALIGNED:  # a part of a head begins anywhere, and so would its numbers
        buffer = pa.py_buffer(buffer.to_pybytes())
    table = pa.ipc.open_stream(buffer, options=_UNPACKED).read_all()
    table.validate(full=True)  # costs an eighth more: without it, Arrow would follow wrong offsets to other memory
    return table


Classes = Mapping[tuple[str, str], type]


def classes_of(aggregate: Any) -> Classes:
    """The classes that an aggregate's hooks can name, by module and name."""
    found: list[Any] = []
    for its in type(aggregate).__mro__:
        for one in vars(its).values():
            found += [one, *getattr(one, "__globals__", {}).values()]
    return {(one.__module__, one.__qualname__): one for one in found if isinstance(one, type)}


def states_to_bytes(states: list[Any], pickled: Callable[[Any], bytes]) -> list[bytes]:
    """States as bytes; ``pickled`` makes the bytes of those that are not plain."""
    return [
        pickled(state) if content is None else content for state, content in zip(states, to_plain(states), strict=True)
    ]


def states_from_bytes(contents: list[bytes | None], classes: Callable[[], Classes] | None) -> list[Any]:
    """The inverse of :func:`states_to_bytes`; None stays None. Without classes of the user, nothing is unpickled."""
    if classes is None:
        made = iter(from_plain([content for content in contents if content is not None]))
        return [None if content is None else next(made) for content in contents]
    plain = iter(from_plain([content for content in contents if content is not None and are_plain(content)]))
    return [
        None if content is None else next(plain) if are_plain(content) else state_from_bytes(content, classes)
        for content in contents
    ]


def state_to_bytes(state: Any, classes: Callable[[], Classes]) -> bytes:
    """A state, pickled; a class that no module has is stored by its name."""
    try:
        return pickle.dumps(state, pickle.HIGHEST_PROTOCOL)
    except Exception:
        content = io.BytesIO()
        _Pickler(content, classes()).dump(state)
        return content.getvalue()


def state_from_bytes(content: bytes, classes: Callable[[], Classes]) -> Any:
    try:
        return pickle.loads(content)
    except pickle.UnpicklingError:  # it has names
        return _Unpickler(content, classes()).load()


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, classes: Classes) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.classes = classes

    def persistent_id(self, one: Any) -> tuple[str, str] | None:
        if not isinstance(one, type):
            return None
        name = one.__module__, one.__qualname__
        return name if self.classes.get(name) is one else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, content: bytes, classes: Classes) -> None:
        super().__init__(io.BytesIO(content))
        self.classes = classes

    def persistent_load(self, name: tuple[str, str]) -> type:
        if name not in self.classes:
            raise StateError(
                f"the state in this checkpoint holds a {name[1]} of {name[0]}, but the hooks of the query name no such class: "
                "go on with the query that wrote it, or give the changed one a new checkpointLocation"
            ) from None
        return self.classes[name]
