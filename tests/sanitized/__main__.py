"""Kernels with sanitizers run their own tests, odd and wrong buffers, and the fuzzer: ``python -m tests.sanitized --minutes 10``.

The first report of a sanitizer ends the process, and the exit code is 1. Nothing of numpy, pyarrow and numba is checked inside;
but what they allocate is (ARROW_DEFAULT_MEMORY_POOL), so that a kernel that reads behind it is seen. So is what Python allocates
(PYTHONMALLOC), but for the fuzzer, which would take twice as long.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from .kernels import ROOT, built

_ALLOWED = Path(__file__).with_name("allowed.txt")
_FUZZER = "import tests.sanitized.loaded, sys; from inwindow.testing.fuzz.command import main; sys.exit(main())"
_BUFFERS = "import tests.sanitized.loaded, sys; from tests.buffers.__main__ import main; sys.exit(main())"
# The word behind eight: who does not see that sees nothing.
_CONTROL = """import tests.sanitized.loaded, numpy, pyarrow
from inwindow.native._moving import taken
taken(pyarrow.array(list(range(8))), numpy.array([8]))"""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser("python -m tests.sanitized", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="of the fuzzer (10)")
    parser.add_argument("--buffers", type=int, default=5_000, metavar="N", help="cases of tests.buffers (5000)")
    parser.add_argument("--seed", type=int, default=25, help="of the fuzzer (25)")
    parser.add_argument("--only", metavar="NAMES", help="families of the fuzzer, with commas")
    parser.add_argument("--resume", metavar="FILE", help="what the fuzzer has done, to go on")
    parser.add_argument("--no-tests", action="store_true", help="the fuzzer alone")
    parser.add_argument("--all", action="store_true", help="report all undefined behaviour, and go on")
    options = parser.parse_args()
    built()
    if not run(["-c", _CONTROL], options.all, stderr=subprocess.DEVNULL):
        sys.exit("the sanitizers do not see a kernel that reads behind an array: nothing was run")
    if not options.no_tests:
        pytest = [
            "-m",
            "pytest",
            "-q",
            "-x",
            "-n0",
            "-p",
            "tests.sanitized.loaded",
            "-p",
            "no:cacheprovider",
            "tests/native",
        ]
        buffers = ["-c", _BUFFERS, "--here", f"--cases={options.buffers}"]
        if run(pytest, options.all, malloc="malloc") or run(buffers, options.all, malloc="malloc"):
            return 1
    given = {"--only": options.only, "--resume": options.resume}
    more = [word for name, value in given.items() if value is not None for word in (name, value)]
    fuzzer = ["-c", _FUZZER, "--seed", str(options.seed), "--minutes", str(options.minutes), *more]
    return run(fuzzer, options.all) if options.minutes else 0


def run(arguments: list[str], go_on: bool, malloc: str = "default", stderr: int | None = None) -> int:
    """A Python in which the sanitizers' libraries come first, as they must."""
    gcc = os.environ.get("CC", "gcc")
    asked = [[gcc, f"-print-file-name=lib{name}.so"] for name in ("asan", "ubsan")]
    environment = {
        "LD_PRELOAD": " ".join(subprocess.check_output(one, text=True).strip() for one in asked),
        # Python keeps what it has until it ends; what is too large is a MemoryError. To note thirty frames for each allocation,
        # not two, would take three times as long.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:malloc_context_size=2:quarantine_size_mb=64",
        "UBSAN_OPTIONS": f"halt_on_error={int(not go_on)}:print_stacktrace=1:suppressions={_ALLOWED}",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "PYTHONMALLOC": malloc,
    }
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env={**os.environ, **environment}, stderr=stderr)
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
