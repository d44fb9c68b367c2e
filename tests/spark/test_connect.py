"""The same tests on Spark Connect, in a process of its own: a process is either classic or Connect."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inwindow.runtime.spark.jvm import ensure_java

FOLDER = Path(__file__).parent
SAME = [
    "test_parity.py",
    "test_plans.py",
    "test_types.py",
    "test_errors.py",
    "test_emitted.py",
    "test_spine.py",
    "test_pane_plan.py",
    "test_hot_keys.py",
    "test_sentinel.py",
    "test_sql.py",
    "test_streams.py",
]
# How a kernel counts is not a matter of the protocol: of the built-ins over frames there are a few, of every kind of argument.
FEWER = "not test_over_frames or avg or median or collect_list or max_by or mode"


@pytest.mark.skipif("PYTEST_CONNECT" in os.environ, reason="this is the run on Connect")
def test_on_connect() -> None:
    ensure_java()
    files = [str(FOLDER / name) for name in SAME]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "--tb=short",
        "--spark=connect",
        "-k",
        FEWER,
        *files,
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTEST_CONNECT": "1"}, cwd=FOLDER.parent.parent
    )
    assert done.returncode == 0, done.stdout[-6000:]
