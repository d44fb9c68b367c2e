"""Damage a checkpoint, a file at a time, and go on from it: right rows or an error, never a wrong row.

Each file is cut short, emptied, removed, changed by a bit, or replaced by another batch's file of its kind; once with the checksums
that Hadoop and Spark keep beside it, once without them, as after a copy through an object store.
"""

import shutil
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.dataset as ds

from benchmarks import stream_feed as feed
from benchmarks.stream_driver import PROVIDER, SETTINGS, STORES
from benchmarks.stream_faults import KEYS, LIFETIME, ROWS

from .jobs import session

# The query and the store; how many micro-batches before the damage, and how many behind it.
QUERIES = {"leaving": "RocksDBStateStoreProvider", "sliding": "HDFSBackedStateStoreProvider"}
BEFORE, BEHIND = 8, 2
CHEAPER = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.streaming.checkpointFileManagerClass": "org.apache.spark.sql.execution.streaming.checkpointing."
    "FileSystemBasedCheckpointFileManager",  # the default starts forty processes for a micro-batch on a local disk
}


@dataclass(frozen=True)
class File:
    """A file of a checkpoint, and what it is of."""

    path: Path  # within the checkpoint
    kind: str

    @classmethod
    def of(cls, path: Path) -> "File":
        """Its kind follows from its place and its ending."""
        first = path.parts[0]
        return cls(path, f"state {path.suffix or path.name.partition('_')[0]}" if first == "state" else first)

    @property
    def is_state(self) -> bool:
        """Whether what inwindow stores is in it; the other files are Spark's account of the query."""
        return self.kind.startswith("state")


Damage = Callable[[Path, list[Path], Random], str]  # what it has done; "" if nothing


def cut(file: Path, others: list[Path], random: Random) -> str:
    """Cut short at a random byte."""
    content = file.read_bytes()
    at = random.randrange(len(content)) if content else 0
    file.write_bytes(content[:at])
    return f"to {at} of {len(content)} bytes" if content else ""


def empty(file: Path, others: list[Path], random: Random) -> str:
    """Nothing is left."""
    was = file.stat().st_size
    file.write_bytes(b"")
    return f"of {was} bytes" if was else ""


def bit(file: Path, others: list[Path], random: Random) -> str:
    """One bit is another."""
    content = bytearray(file.read_bytes())
    if not content:
        return ""
    at = random.randrange(len(content))
    content[at] ^= 1 << random.randrange(8)
    file.write_bytes(content)
    return f"in byte {at} of {len(content)}"


def swapped(file: Path, others: list[Path], random: Random) -> str:
    """The content of another batch's, or another partition's, file of this kind."""
    found = [one for one in others if one.read_bytes() != file.read_bytes()]
    if not found:
        return ""
    other = random.choice(found)
    file.write_bytes(other.read_bytes())
    return f"with {other.parent.name}/{other.name}"


def removed(file: Path, others: list[Path], random: Random) -> str:
    """It is not there."""
    file.unlink()
    return "whole"


DAMAGES: dict[str, Damage] = {"cut": cut, "emptied": empty, "bit": bit, "swapped": swapped, "removed": removed}


@dataclass(frozen=True)
class Trial:
    """What came of a damage."""

    query: str
    file: File
    damage: str
    checksums: bool  # stayed
    outcome: str  # "right", "refused", "wrong"
    said: str = ""


class Checkpoints:
    """A session, a checkpoint of each query, and the rows of each micro-batch behind it."""

    def __init__(self, folder: Path, seed: int, master: str = "local[2]") -> None:
        self.folder, self.random, self.number = folder, Random(seed), 0
        (folder / "feed").mkdir(parents=True)
        self.spark = session(folder, master, **SETTINGS | CHEAPER)
        self._feed(0, BEFORE)
        for name in QUERIES:
            self.run(name, folder / "base")
        self._feed(BEFORE, BEFORE + BEHIND)
        self.wanted: dict[str, Counter[str]] = {}
        for name in QUERIES:
            shutil.copytree(folder / "base" / name, folder / "right" / name)
            self.run(name, folder / "right")
            self.wanted[name] = self.sink(folder / "right", name)

    def _feed(self, first: int, last: int) -> None:
        for number in range(first, last):
            feed.put(self.folder / "feed", number, feed.tuples(number, ROWS, KEYS, LIFETIME))

    def run(self, name: str, where: Path) -> None:
        """A query to the end of its files."""
        self.spark.conf.set(PROVIDER, STORES + QUERIES[name])
        made = getattr(feed, name)(feed.read(self.spark, self.folder / "feed"))

        def put(batch: Any, number: int) -> None:
            batch.write.mode("overwrite").parquet(str(where / "rows" / name / f"batch={number}"))

        writer = made.writeStream.outputMode("append").option("checkpointLocation", str(where / name))
        query = writer.trigger(availableNow=True).foreachBatch(put).start()
        try:
            query.awaitTermination()
        finally:
            query.stop()

    def rows(self, where: Path, name: str) -> dict[int, list[str]]:
        """The rows of each micro-batch that has any."""
        found = {}
        for folder in (where / "rows" / name).glob("batch=*"):
            files = list(folder.glob("*.parquet"))  # none if the batch was not written to its end
            if its := feed.plain(ds.dataset([str(file) for file in files]).to_table()) if files else []:
                found[int(folder.name.partition("=")[2])] = its
        return found

    def files(self, name: str) -> list[File]:
        """All but the checksums."""
        base = self.folder / "base" / name
        every = [path.relative_to(base) for path in sorted(base.rglob("*")) if path.is_file()]
        return [File.of(path) for path in every if not is_checksum(path)]

    def tried(self, name: str, file: File, damage: str, checksums: bool) -> Trial | None:
        """Damage a file of a copy, and go on; None if the damage changes nothing."""
        self.number += 1
        where = self.folder / f"trial-{self.number}"
        shutil.copytree(self.folder / "base" / name, where / name)
        target = where / name / file.path
        others = [
            where / name / one.path for one in self.files(name) if one.kind == file.kind and one.path != file.path
        ]
        done = DAMAGES[damage](target, others, self.random)
        if not done:
            return None
        if not checksums:
            for its in list(target.parent.iterdir()):
                if is_checksum(its) and target.name in its.name:
                    its.unlink()
        try:
            self.run(name, where)
        except Exception as error:
            outcome, said = "refused", str(error)
        else:
            outcome, said = "right", ""
        lost, extra = differing(self.sink(where, name), self.wanted[name])
        if extra or (lost and outcome == "right"):
            outcome, said = "wrong", f"{lost} rows lost, {extra} too many"
        shutil.rmtree(where)
        return Trial(name, file, f"{damage} {done}", checksums, outcome, said)

    def sink(self, where: Path, name: str) -> Counter[str]:
        """The rows of all micro-batches: of those before the damage, too, unless they were written over."""
        written = self.rows(self.folder / "base", name) | self.rows(where, name)
        return Counter(row for rows in written.values() for row in rows)


def is_checksum(path: Path) -> bool:
    """Whether a file is a checksum of another, by Hadoop (.NAME.crc) or by Spark (NAME.crc)."""
    return path.suffix == ".crc"


def differing(found: Counter[str], wanted: Counter[str]) -> tuple[int, int]:
    """How many rows are lost, and how many are too many."""
    return (wanted - found).total(), (found - wanted).total()


def chosen(checkpoints: Checkpoints, trials: int) -> list[tuple[str, File, str, bool]]:
    """Damages spread over queries, kinds of files, kinds of damages, with and without checksums; of a kind late files most."""
    random, every = checkpoints.random, []
    for name in QUERIES:
        kinds: dict[str, list[File]] = {}
        for file in checkpoints.files(name):
            kinds.setdefault(file.kind, []).append(file)
        for files in kinds.values():
            for damage in DAMAGES:
                for checksums in (True, False):
                    newest = sorted(files, key=lambda one: _number(one.path))[-2:]
                    every.append((name, random.choice(newest), damage, checksums))
    random.shuffle(every)
    return [one for at, one in enumerate(every) if at < trials]


def _number(path: Path) -> int:
    digits = "".join(one for one in path.name.partition("_")[0].partition(".")[0] if one.isdigit())
    return int(digits) if digits else -1


def damaged(folder: Path, seed: int, trials: int) -> dict[str, Any]:
    """So many damages; how many were refused, harmless, or gave wrong rows, by the kind of file."""
    began = time.monotonic()
    checkpoints = Checkpoints(folder, seed)
    done: list[Trial] = []
    for name, file, damage, checksums in chosen(checkpoints, trials):
        trial = checkpoints.tried(name, file, damage, checksums)
        if trial is not None:
            done.append(trial)
            beside = "with" if checksums else "without"
            print(
                f"{name} {file.path} {trial.damage} {beside} checksums: {trial.outcome} {trial.said[:600]!r}",
                flush=True,
            )
    checkpoints.spark.stop()
    by_file = {True: "state", False: "logs of Spark"}
    beside = {True: "", False: ", no checksums"}
    groups: dict[str, Counter[str]] = {}
    for one in done:
        group = by_file[one.file.is_state] + beside[one.checksums]
        groups.setdefault(group, Counter())[one.outcome] += 1
    said = {
        kept: [
            f"{one.query} {one.file.kind} {one.damage}: {one.said}"
            for one in done
            if one.outcome == "wrong" and must == is_ours(one)
        ]
        for kept, must in (("wrong", True), ("not_seen", False))
    }
    return {"trials": len(done), **groups, **said, "seconds": round(time.monotonic() - began)}


def is_ours(trial: Trial) -> bool:
    """Whether it must be seen: what inwindow stored was changed, and the checksums are there."""
    return trial.file.is_state and trial.checksums
