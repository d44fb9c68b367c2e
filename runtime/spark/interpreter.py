"""Which Python Spark's workers run. On one machine it should be this one, or have what this one has.

PySpark takes ``python3`` from the PATH where ``PYSPARK_PYTHON`` is not set. A script that is started as ``.venv/bin/python``,
with no environment activated, so gets workers without inwindow, and a traceback from each of them.
"""

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from inwindow.udaf.errors import UsageError


def check_interpreter(spark: Any) -> None:
    """Where workers run on this machine, they find inwindow; or an error. What other machines have cannot be asked."""
    context = spark.sparkContext
    if not context.master.startswith("local"):
        return
    found = shutil.which(context.pythonExec)
    if found is not None and Path(found).parent != Path(sys.executable).parent:
        _check_import(found)


@cache
def _check_import(python: str) -> None:
    """A process is started, once."""
    # A folder called inwindow in the working directory, such as a clone, can be imported, too: as a package without names.
    done = subprocess.run([python, "-c", "from inwindow import with_columns"], capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it failed"])[-1]
        raise UsageError(
            f"Spark's workers would run {python}, in which inwindow cannot be imported ({said}), and this is {sys.executable}: "
            f"set PYSPARK_PYTHON={sys.executable} before the Spark session is made (or activate the environment)"
        )
