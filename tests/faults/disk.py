"""Full disks, of scratch files and of a checkpoint: a message that names the place, never a wrong row; with room it goes on.

A disk is a ``tmpfs`` that a ballast file fills but for some random bytes, so it needs root.
"""

import os
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow.parquet as pq

from .damage import QUERIES, Checkpoints, differing
from .jobs import COLUMNS, ROWS, compared, table, two_orders

SCRATCH, CHECKPOINT = 128 << 20, 16 << 20  # bytes of the two disks
MOST_SCRATCH, MOST_CHECKPOINT = 30 << 20, 300 << 10  # a job, and some micro-batches, need less


class Disk:
    """A small disk at a folder."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder, self.size = folder, size

    def __enter__(self) -> "Disk":
        self.folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.size}", "tmpfs", str(self.folder)], check=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        subprocess.run(["umount", "-l", str(self.folder)], check=True)

    def leave(self, free: int) -> None:
        """Fill it but for so many bytes."""
        now = os.statvfs(self.folder)
        with (self.folder / "ballast").open("wb") as ballast:
            os.posix_fallocate(ballast.fileno(), 0, max(now.f_bavail * now.f_frsize - free, 1))

    def make_room(self) -> None:
        """Take the ballast away."""
        (self.folder / "ballast").unlink(missing_ok=True)


def filled(folder: Path, seed: int, trials: int) -> dict[str, Any]:
    """So many full disks of each of the two, and what came of them."""
    began = time.monotonic()
    with Disk(folder / "local", SCRATCH) as scratch, Disk(folder / "full", CHECKPOINT) as small:
        checkpoints = Checkpoints(folder, seed)
        try:
            found = {
                "scratch": _scratch(checkpoints, scratch, trials),
                "checkpoint": _stored(checkpoints, small, trials),
            }
        finally:
            checkpoints.spark.stop()
    sums = {name: sum(its.pop(name) for its in found.values()) for name in ("lost", "extra")}
    return {**found, **sums, "seconds": round(time.monotonic() - began)}


def _scratch(checkpoints: Checkpoints, disk: Disk, trials: int) -> dict[str, Any]:
    spark, out = checkpoints.spark, str(checkpoints.folder / "out")
    df, wanted = spark.range(0, ROWS, 1, 4).selectExpr(*COLUMNS), two_orders(table())
    outcomes: Counter[str] = Counter()
    rows = {"lost": 0, "extra": 0}
    for number in range(2 * trials):
        spark._jvm.System.gc()  # Spark removes what a job has shuffled when nobody knows the job any more
        if number % 2 == 0:
            free = checkpoints.random.randrange(MOST_SCRATCH)
            disk.leave(free)
        else:
            disk.make_room()
        try:
            two_orders(df).write.mode("overwrite").parquet(out)
        except Exception as error:
            outcome = named(str(error), disk)
            assert number % 2 == 0, f"there is room, but {error}"
        else:
            outcome = "right" if number % 2 == 0 else "right with room"
            said = compared(pq.read_table(out), wanted)
            rows = {name: rows[name] + said[name] for name in rows}
        outcomes[outcome] += 1
        print(f"scratch, {free if number % 2 == 0 else 'all'} bytes free: {outcome}", flush=True)
    return {**outcomes, **rows}


def _stored(checkpoints: Checkpoints, disk: Disk, trials: int) -> dict[str, Any]:
    outcomes: Counter[str] = Counter()
    rows = {"lost": 0, "extra": 0}
    for number in range(trials):
        name = list(QUERIES)[number % len(QUERIES)]
        outside = checkpoints.folder / "outside"
        (outside / "rows").mkdir(parents=True)
        (disk.folder / "rows").symlink_to(outside / "rows")
        shutil.copytree(checkpoints.folder / "base" / name, disk.folder / name)
        free = checkpoints.random.randrange(MOST_CHECKPOINT)
        disk.leave(free)
        try:
            checkpoints.run(name, disk.folder)
            outcome = "right"
        except Exception as error:
            outcome = named(str(error), disk)
        disk.make_room()
        checkpoints.run(name, disk.folder)
        lost, extra = differing(checkpoints.sink(disk.folder, name), checkpoints.wanted[name])
        rows = {"lost": rows["lost"] + lost, "extra": rows["extra"] + extra}
        outcomes[outcome] += 1
        print(f"{name}, {free} bytes free in the checkpoint: {outcome}", flush=True)
        shutil.rmtree(outside)
        for entry in (disk.folder / name, disk.folder / "rows"):
            shutil.rmtree(entry) if not entry.is_symlink() else entry.unlink()
    return {**outcomes, **rows}


def named(said: str, disk: Disk) -> str:
    """Who says what is full."""
    if "the scratch folder" in said and str(disk.folder) in said:
        return "refused by inwindow, the folder named"
    if "No space left on device" in said or str(disk.folder) in said:
        return "refused by Spark"
    print(said[:2000], flush=True)
    return "refused by something else"
