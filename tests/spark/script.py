"""Running a script as a user would: in a Python of its own, whose last line on stdout is its answer, as JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from inwindow.runtime.spark.jvm import ensure_java

START = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession

def session(master="local[2]", **settings):
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
    for name, value in settings.items():
        builder = builder.config("spark." + name.replace("_", "."), value)
    return builder.getOrCreate()
"""


def answer(folder: Path, text: str, *, cwd: Path | None = None) -> Any:
    """The JSON that a script prints last."""
    ensure_java()
    script = folder / "script.py"
    script.write_text(START + text)
    done = subprocess.run(
        [sys.executable, str(script)], cwd=cwd or folder, capture_output=True, text=True, timeout=300, env=os.environ
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])
