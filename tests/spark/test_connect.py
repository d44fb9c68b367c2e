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
# What a kernel counts, where a cut lies and how SQL is read are not matters of the protocol: of those there are a few.
FEWER = (
    "not (test_over_frames or test_order_columns_of_every_type or test_as_without_panes or test_errors_point_at_their_place) "
    "or avg or median or collect_list or max_by or mode or names0 or keys or where"
)


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
