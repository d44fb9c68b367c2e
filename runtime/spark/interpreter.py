"""The Python that Spark's workers run. On a single machine it should be this Python, or one that also has inwindow.

PySpark takes ``python3`` from the PATH if ``PYSPARK_PYTHON`` is not set. So if a script is started as ``.venv/bin/python`` without
activating the environment, its workers have no inwindow, and each of them fails with a traceback.
"""

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from inwindow.udaf.errors import UsageError


def check_interpreter(spark: Any) -> None:
    """Raise an error if workers on this machine cannot import inwindow. Other machines cannot be checked."""
    context = spark.sparkContext
    if not context.master.startswith("local"):
        return
    found = shutil.which(context.pythonExec)
    if found is not None and Path(found).parent != Path(sys.executable).parent:
        _check_import(found)


@cache
def _check_import(python: str) -> None:
    """Try the import in a process, once per interpreter."""
    # A folder called inwindow in the working directory, such as a clone, can be imported, too: as a package without names.
    done = subprocess.run([python, "-c", "from inwindow import with_columns"], capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it failed"])[-1]
        raise UsageError(
            f"Spark's workers would run {python}, in which inwindow cannot be imported ({said}), and this is {sys.executable}: "
            f"set PYSPARK_PYTHON={sys.executable} before the Spark session is made (or activate the environment)"
        )
