"""``examples/larceny_job.py`` on Spark, killed in the middle: each alarm and each late reading once, as in the replay."""

import os
import runpy
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
from spark.controlled import Feed

import inwindow as iw
from benchmarks.stream_driver import stopped
from inwindow.runtime.spark.jvm import ensure_java

EXAMPLE = Path(__file__).parents[2] / "examples" / "larceny_job.py"
JOB = runpy.run_path(str(EXAMPLE))


def plain(found: pa.Table) -> Counter[str]:
    """What was found, whatever the order and the zone of times."""
    rows = [(row["kind"], row["row"] or row["late"]) for row in found.to_pylist()]
    return Counter(
        f"{kind} {[value.timestamp() if hasattr(value, 'timestamp') else value for value in row.values()]}"
        for kind, row in rows
    )


def test_the_batch_finds_the_same() -> None:
    """Over the readings that were not too late."""
    found = iw.testing.replay(JOB["FILES"], lambda df: iw.outputs(JOB["alarms"](df)), delay=JOB["DELAY"]).table
    late = [one["late"] for one in found.to_pylist() if one["kind"] == "late"]
    on_time = [row for file in JOB["FILES"] for row in file.to_pylist() if row not in late]
    rows = JOB["alarms"](pa.Table.from_pylist(on_time)).to_pylist()
    assert len(late) == 2
    assert Counter(map(repr, rows)) == Counter(repr(one["row"]) for one in found.to_pylist() if one["kind"] == "row")


def written(folder: Path) -> Counter[str]:
    done = [one for one in folder.glob("found/batch=*") if (one / "_SUCCESS").exists()]
    files = [str(file) for one in done for file in one.glob("*.parquet")]
    return plain(ds.dataset(files).to_table()) if files else Counter()


def until(driver: subprocess.Popen[bytes], condition: Any) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert driver.poll() is None and time.monotonic() < deadline
        time.sleep(0.1)


def test_every_alarm_once(tmp_path: Path) -> None:
    ensure_java()
    files = JOB["FILES"]
    wanted = plain(iw.testing.replay(files, lambda df: iw.outputs(JOB["alarms"](df)), delay=JOB["DELAY"]).table)
    assert {text.split()[0] for text in wanted} == {"row", "late"}
    command = [sys.executable, str(EXAMPLE), str(tmp_path)]
    settings = "--conf spark.sql.shuffle.partitions=2 --conf spark.ui.enabled=false pyspark-shell"
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_SUBMIT_ARGS": settings}
    feed = Feed(tmp_path / "readings", JOB["READINGS"]).add(*files[:4])
    with (tmp_path / "stderr.txt").open("w") as errors:
        start = {"env": environment, "stdout": errors, "stderr": errors, "start_new_session": True}
        driver = subprocess.Popen(command, **start)
        until(driver, lambda: (tmp_path / "checkpoint" / "offsets" / "3").exists())  # of the fourth micro-batch
        stopped(driver)
        feed.add(*files[4:])
        driver = subprocess.Popen(command, **start)
        until(driver, lambda: written(tmp_path).total() >= wanted.total())
        stopped(driver)
    assert written(tmp_path) == wanted
