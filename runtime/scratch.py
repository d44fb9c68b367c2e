"""Temporary files of a task: Arrow batches on disk, in the worker's scratch folder.

A file never has a name (``tempfile.TemporaryFile``). So its space is free again when the process ends, even if it is killed.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from typing import IO

import pyarrow as pa

from inwindow.udaf.errors import ScratchError


class ScratchFile:
    """Record batches, written one after another, then read once from the first to the last."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self.written = 0  # bytes
        self._file = _made()
        self._writer = pa.ipc.new_stream(pa.PythonFile(self._file, mode="w"), schema)

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the next batch; of a slice only its own values are written."""
        try:
            self._writer.write_batch(batch)
        except OSError as error:
            raise _full(error, self.written) from None
        self.written += batch.nbytes

    def read(self) -> Iterator[pa.RecordBatch]:
        """All batches; the file is closed after the last one."""
        try:
            self._writer.close()
            self._file.flush()
        except OSError as error:
            raise _full(error, self.written) from None
        self._file.seek(0)
        with self._file:
            yield from pa.ipc.open_stream(pa.PythonFile(self._file, mode="r"))


class Spool:
    """Batches that are given back in the same order; on disk if they exceed a budget."""

    def __init__(self, schema: pa.Schema, budget: int, spilled: Callable[[int], None]) -> None:
        self.schema, self.budget, self.spilled = schema, budget, spilled
        self._held: list[pa.RecordBatch] = []
        self._size = 0
        self._file: ScratchFile | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        self._held.append(batch)
        self._size += batch.nbytes
        if self._size > self.budget:
            self._file = self._file or ScratchFile(self.schema)
            for held in self._held:
                self._file.write(held)
            self.spilled(self._size)
            self._held, self._size = [], 0

    def batches(self) -> Iterator[pa.RecordBatch]:
        if self._file is not None:
            yield from self._file.read()
        while self._held:
            yield self._held.pop(0)


def folder() -> str:
    """Where scratch files go: one of Spark's local folders in a Spark worker, elsewhere the system's."""
    given = os.environ.get("SPARK_LOCAL_DIRS", "")
    usable = [path for path in given.split(",") if path and os.access(path, os.W_OK)]
    return usable[os.getpid() % len(usable)] if usable else tempfile.gettempdir()


def _made() -> IO[bytes]:
    where = folder()
    try:
        return tempfile.TemporaryFile(dir=where)  # noqa: SIM115 - it is closed behind its last batch
    except OSError as error:
        raise ScratchError(
            f"no file can be made in the scratch folder {where} ({error.strerror}), and the tuples of a task are more than the "
            "memory it may use: give Spark another folder (spark.local.dir), or more memory (spark.inwindow.memory)"
        ) from None


def _full(error: OSError, written: int) -> ScratchError:
    return ScratchError(
        f"the scratch folder {folder()} took {written >> 20} MB of a file and then no more ({error.strerror or error}): make room "
        "there, give Spark another folder (spark.local.dir), or more memory (spark.inwindow.memory)"
    )
