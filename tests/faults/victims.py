"""The processes of a driver that can be killed, by kind; what ends with them, and what they leave behind.

::

    the driver (Python)  >  its JVM  >  executors, a JVM each  >  Python's daemon  >  its workers
"""

import os
import re
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

from benchmarks.process_tree import Process, tree

WITHIN = ("worker", "daemon", "executor")  # the job or the query goes on
DRIVERS = ("driver", "jvm", "all")  # it does not: another driver must be started
_EXECUTOR, _DAEMON = "CoarseGrainedExecutorBackend", "pyspark.daemon"
# What Spark and its libraries leave in their temporary folders where they were not ended in order.
SPARKS = re.compile(
    r"spark-|artifacts-|blockmgr-|StateStore|hsperfdata|liblz4-java|libzstd-jni|librocksdbjni|snappy-|jansi|temporary-|netty|libnetty"
)


def family(root: int) -> list[Process]:
    """A driver's tree, and the workers whose daemon was killed: Spark goes on with them. They are of the driver's session."""
    found = tree(root)
    known, every = {one.pid for one in found}, tree(1)
    return found + [one for one in every if one.pid not in known and _session(one.pid) == root]


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def kinds(processes: list[Process]) -> dict[str, list[Process]]:
    """The processes of a driver's tree by kind; the first is the driver."""
    jvms = [one for one in processes if one.is_jvm]
    forked = {one.pid for one in jvms}
    executors = [one for one in jvms if _EXECUTOR in one.command]
    return {
        "worker": [one for one in processes if _DAEMON in one.command and one.parent not in forked],
        "daemon": [one for one in processes if _DAEMON in one.command and one.parent in forked],
        "executor": executors,
        "jvm": [one for one in jvms if one not in executors][:1],
        "driver": processes[:1],
        "all": processes,
    }


def kill_within(root: int, kind: str, random: Random) -> bool:
    """``kill -9`` of one process of a kind; False if there is none now."""
    found = kinds(family(root))[kind]
    return bool(found) and _killed(random.choice(found))


def kill_driver(driver: subprocess.Popen[bytes], kind: str, patience: float = 60) -> Counter[str]:
    """``kill -9`` of the driver, its JVM, or everything; what has not ended by itself after a while, which is then killed, too."""
    processes = family(driver.pid)
    for one in kinds(processes)[kind]:
        _killed(one)
    end = time.monotonic() + patience
    while (left := [one for one in processes if _lives(one, driver)]) and time.monotonic() < end:
        time.sleep(0.2)
    named = kinds(processes)
    stayed = Counter(next(name for name, its in named.items() if one in its) for one in left)
    for one in left:
        _killed(one)
    driver.wait()
    return stayed


def _lives(one: Process, driver: subprocess.Popen[bytes]) -> bool:
    if one.pid == driver.pid:
        return driver.poll() is None
    try:
        status = Path(f"/proc/{one.pid}/stat").read_text().rpartition(")")[2].split()
        command = Path(f"/proc/{one.pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return False
    return status[0] != "Z" and command == one.command


def _killed(one: Process) -> bool:
    with suppress(ProcessLookupError):
        os.kill(one.pid, signal.SIGKILL)
        return True
    return False


def open_scratch(folder: Path) -> int:
    """How many files without a name this process's Python workers have open in the folder: scratch that no task uses any more."""
    found = 0
    for one in kinds(family(os.getpid()))["worker"]:
        with suppress(OSError):
            for descriptor in Path(f"/proc/{one.pid}/fd").iterdir():
                with suppress(OSError):
                    where = os.readlink(descriptor)
                    found += where.startswith(str(folder)) and where.endswith("(deleted)")
    return found


def left_behind(folders: list[Path]) -> tuple[list[str], int]:
    """The names in temporary folders that are not Spark's, and the bytes of those that are."""
    ours, bytes_of_spark = [], 0
    for folder in folders:
        for entry in folder.iterdir():
            if not SPARKS.match(entry.name):
                ours.append(entry.name)
                continue
            for file in [entry, *entry.rglob("*")]:
                if "inwindow" in file.name:
                    ours.append(str(file.relative_to(folder)))
                bytes_of_spark += file.lstat().st_size if file.is_file() else 0
    return ours, bytes_of_spark
