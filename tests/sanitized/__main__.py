"""The fuzzer's cases and the tests of kernels, on kernels with sanitizers: ``python -m tests.sanitized --minutes 10``.

The first report of a sanitizer ends the process, and the exit code is 1. Nothing of numpy, pyarrow and numba is checked inside;
but what they allocate is (PYTHONMALLOC, ARROW_DEFAULT_MEMORY_POOL), so that a kernel that reads behind it is seen.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from .kernels import ROOT, built

_OVERFLOWS = Path(__file__).with_name("overflows.txt")
_FUZZER = "import tests.sanitized.loaded, sys; from inwindow.testing.fuzz.command import main; sys.exit(main())"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser("python -m tests.sanitized", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="of the fuzzer (10)")
    parser.add_argument("--seed", type=int, default=25, help="of the fuzzer (25)")
    parser.add_argument("--only", metavar="NAMES", help="families of the fuzzer, with commas")
    parser.add_argument("--resume", metavar="FILE", help="what the fuzzer has done, to go on")
    parser.add_argument("--no-tests", action="store_true", help="leave out tests/native and tests/sanitized")
    options = parser.parse_args()
    built()
    if not options.no_tests:
        pytest = ["-m", "pytest", "-q", "-x", "-n0", "-p", "tests.sanitized.loaded", "-p", "no:cacheprovider"]
        if failed := run([*pytest, "tests/native", "tests/sanitized"]):
            return failed
    if not options.minutes:
        return 0
    given = {"--only": options.only, "--resume": options.resume}
    more = [word for name, value in given.items() if value is not None for word in (name, value)]
    return run(["-c", _FUZZER, "--seed", str(options.seed), "--minutes", str(options.minutes), *more])


def run(arguments: list[str]) -> int:
    """A Python in which the sanitizers' libraries come first, as they must."""
    gcc = os.environ.get("CC", "gcc")
    libraries = [
        subprocess.run(
            [gcc, f"-print-file-name=lib{name}.so"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("asan", "ubsan")
    ]
    environment = {
        "LD_PRELOAD": " ".join(libraries),
        # Python, numpy and pyarrow keep what they have until they end; an allocation that is too large is a MemoryError.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": f"halt_on_error=1:print_stacktrace=1:suppressions={_OVERFLOWS}",
        "PYTHONMALLOC": "malloc",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env={**os.environ, **environment})
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
