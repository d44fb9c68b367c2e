"""Try one fault: the fuzzer in a process of its own, and the room's tests if the fuzzer does not see it."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from typing import Any, NoReturn, TextIO

from .fault import ROOT, Fault
from .hunt import hunt, limit
from .kernels import kernels_with
from .plant import VARIABLE
from .rooms import families_of, room_of
from .swap import swap

_TESTS_AT_MOST = 1800  # seconds, of a clock: what hangs is stopped


def tried(fault: Fault, seconds: float, tests: bool = True) -> dict[str, Any]:
    """What caught a fault, how, after how many cases and seconds of CPU; ``by`` is None where it lives."""
    if fault.is_compiled:
        before = _spent()
        kernels_with(fault)
        built = {"built": round(_spent() - before, 1)}
    else:
        built = {}
    found = {"fault": fault.id, **built, **(forked(fault, seconds) or fuzzed(fault.id, seconds))}
    return found if found["by"] is not None or not tests else found | tested(fault)


def fuzzed(name: str, seconds: float, families: tuple[str, ...] = ()) -> dict[str, Any]:
    """What the fuzzer finds of a fault."""
    before = _spent()
    command = [sys.executable, "-m", f"{__package__}.hunt", name, str(seconds), *families]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    said, spent = done.stdout.splitlines(), round(_spent() - before, 2)
    if "imported" not in said:
        raise ValueError(f"{name}: with this fault nothing can be imported, so it is none:\n{done.stderr[-2000:]}")
    if len(said) > 1:
        found: dict[str, Any] = json.loads(said[-1])
        return found
    return _ended(done.returncode, spent, done.stderr)


def forked(fault: Fault, seconds: float) -> dict[str, Any] | None:
    """The same, in a child of this process, which has imported inwindow; None where the fault must be there before."""
    import inwindow.testing.fuzz.rounds  # noqa: F401

    if fault.is_compiled:
        return None
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 2)
            _hunts(fault, seconds, said)
        _, status, used = os.wait4(child, 0)
        said.seek(0)
        text, code = said.read(), os.waitstatus_to_exitcode(status)
    if code > 0:
        raise ValueError(f"{fault.id}: the fuzzer itself fails:\n{text[-2000:]}")
    if code < 0:
        return _ended(code, used.ru_utime + used.ru_stime, text)
    found: dict[str, Any] | None = json.loads(text) if text else None
    return found


def _hunts(fault: Fault, seconds: float, said: TextIO) -> NoReturn:
    code = 1
    try:
        if swap(fault):
            limit(seconds)
            json.dump(hunt(families_of(fault), seconds), said)
        said.flush()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _ended(code: int, seconds: float, said: str) -> dict[str, Any]:
    how = "no end" if code == -signal.SIGXCPU else f"the process ends with {code}"
    return {"by": "the fuzzer", "how": how, "cases": None, "seconds": round(seconds, 2), "said": said[-300:]}


def tested(fault: Fault) -> dict[str, Any]:
    """What the tests of the room find; how long it took is added to what the fuzzer took."""
    before = _spent()
    options = ["-x", "-n0", "-q", "-p", f"{__package__}.plant", "-p", "no:cacheprovider", "--tb=line"]
    command = [sys.executable, "-m", "pytest", *options, *room_of(fault).tests]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=_TESTS_AT_MOST,
            env={**os.environ, VARIABLE: fault.id},
        )
    except subprocess.TimeoutExpired:
        return {"by": "tests", "how": "no end", "tests": round(_spent() - before, 1)}
    spent = {"tests": round(_spent() - before, 1)}
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    if done.returncode == 0:
        return spent
    if not failed and done.returncode > 0:
        raise ValueError(
            f"{fault.id}: pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return {"by": "tests", "how": failed[0] if failed else f"the process ends with {done.returncode}", **spent}


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
