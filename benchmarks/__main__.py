"""Run the benchmarks named on the command line (all of them by default); write ``benchmarks/RESULTS.md``."""

import os
import sys
from importlib import import_module

from benchmarks.results import put

# One thread each, so that CPU time per tuple compares like with like.
for variable in ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

ALL = ("kernels", "hooks", "flat")  # those on Spark take long, and are run by name: benchmarks.spark, .spark_memory


def main() -> None:
    """Measure, print, and keep the tables of a full run."""
    chosen = tuple(sys.argv[1:]) or ALL
    parts = {}
    for name in chosen:
        module = import_module(f"benchmarks.{name}")
        parts[name] = f"{module.__doc__}\n\n{module.report()}"
        print(f"## {name}\n\n{parts[name]}\n", flush=True)
    if chosen == ALL:
        for name, part in parts.items():
            put(name, part)


if __name__ == "__main__":
    main()
