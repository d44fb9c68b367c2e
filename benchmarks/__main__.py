"""Run the benchmarks named on the command line (all of them by default); write ``benchmarks/RESULTS.md``."""

import os
import sys
from importlib import import_module
from pathlib import Path

# One thread each, so that CPU time per tuple compares like with like.
for variable in ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

ALL = ("kernels", "hooks", "flat")


def main() -> None:
    """Measure, print, and keep the tables of a full run."""
    chosen = sys.argv[1:] or ALL
    parts = []
    for name in chosen:
        module = import_module(f"benchmarks.{name}")
        part = f"## {name}\n\n{module.__doc__}\n\n{module.report()}\n"
        print(part, flush=True)
        parts.append(part)
    if tuple(chosen) == ALL:
        head = "# Results of `make bench`\n\nCPU time on one thread, the best of a few runs; trust ratios within a table.\n\n"
        (Path(__file__).parent / "RESULTS.md").write_text(head + "\n".join(parts))


if __name__ == "__main__":
    main()
