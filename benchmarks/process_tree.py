"""What a process and all that descends from it use, read from ``/proc`` (Linux).

A Spark job is a tree: this Python, the JVM it started, the daemon which that started, and the workers forked from it. The
CPU time of a process that has ended is kept by the one that waited for it (``cutime``, ``cstime``). Nobody waits for Spark's Python
workers: it ends those that were idle for a minute, and what they took since the first look is not counted.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """One process at one moment."""

    pid: int
    parent: int
    cpu: float  # seconds, with those of its dead children
    command: str

    @property
    def is_jvm(self) -> bool:
        """Whether it is a JVM."""
        return self.command.partition(" ")[0].endswith("java")

    @property
    def is_worker(self) -> bool:
        """Whether it is a Python worker of Spark (or the daemon that they are forked from)."""
        return "pyspark.daemon" in self.command or "pyspark.worker" in self.command

    def memory(self, what: str = "VmHWM") -> int:
        """Bytes of resident memory: ``VmHWM`` is the peak so far, ``VmRSS`` is now. 0 if it is gone."""
        try:
            lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        except OSError:
            return 0
        return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(what)), 0)


def tree(root: int | None = None) -> list[Process]:
    """The process ``root`` (this one, unless said) and all its descendants."""
    children: dict[int, list[Process]] = {}
    found: list[Process] = []
    for entry in os.listdir("/proc"):
        process = _read(int(entry)) if entry.isdigit() else None
        if process is not None:
            children.setdefault(process.parent, []).append(process)
            if process.pid == (root or os.getpid()):
                found.append(process)
    for process in found:  # grows while it is read
        found += children.get(process.pid, [])
    return found


def _read(pid: int) -> Process | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return None  # it has ended meanwhile
    fields = stat.rpartition(")")[2].split()  # from the state on; a name may hold spaces
    return Process(pid, int(fields[1]), sum(map(int, fields[11:15])) / _TICK, command)


@dataclass(frozen=True)
class Seconds:
    """What an action took."""

    cpu: float
    wall: float


def seconds(action: Callable[[], object]) -> Seconds:
    """CPU seconds of the whole tree, and wall time, of an action."""
    before, wall = tree(), time.perf_counter()
    action()
    wall = time.perf_counter() - wall
    return Seconds(between(before, tree()), wall)


def between(before: list[Process], after: list[Process]) -> float:
    """The CPU seconds of a tree between two looks at it."""
    living = {process.pid for process in after}
    lost = sum(process.cpu for process in before if process.is_worker and process.pid not in living)
    return sum(process.cpu for process in after) - sum(process.cpu for process in before) + lost
