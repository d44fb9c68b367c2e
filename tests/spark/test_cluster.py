"""Executors that die, tasks that run twice: the result is the same."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from spark.script import answer

from inwindow.runtime.spark.jvm import ensure_java

SCRIPT = """
import signal, subprocess, threading, time
import inwindow as iw

class Slow(iw.WindowAggregate):
    def __init__(self, folder, late):
        self.folder, self.late = folder, late
    def initialize(self, value): self.total = value
    def iterate(self, value):
        self.total += value
        if value % 125 == 0:
            self.note(value)
    def note(self, value):
        import os, time
        from pyspark import TaskContext
        attempt = TaskContext.get().attemptNumber()
        open(os.path.join(self.folder, f"{{value}}-{{attempt}}-{{os.getpid()}}"), "w").close()
        if self.late:
            time.sleep(250 if value == 2000 and attempt == 0 else 0)  # in its first attempt only, which is killed
        else:
            time.sleep(0.1)
    def expire(self, value): self.total -= value
    def terminate(self) -> float: return self.total

spark = session({master!r}, sql_shuffle_partitions="4", executorEnv_PYTHONPATH=os.environ.get("PYTHONPATH", ""), **{settings!r})
df = spark.range(0, 20000, 1, 4).selectExpr("id", "id % 8 as k", "cast(id as double) as v")
w = iw.rows(10, partition_by="k", order_by="id")
local = spark.createDataFrame(iw.with_columns(df.toArrow(), a=iw.sum("v").over(w), b=iw.avg("v").over(w)))
expected = sorted(map(list, local.groupBy("k").agg({{"a": "sum", "b": "sum", "id": "count"}}).collect()))

def run(folder, late):
    made = iw.with_columns(df, a=Slow(folder, late)("v").over(w), b=iw.avg("v").over(w))
    made = made.groupBy("k").agg({{"a": "sum", "b": "sum", "id": "count"}})  # a second stage, which may ask for the first again
    rows = sorted(map(list, made.collect()))
    same = len(rows) == len(expected) and all(abs(x - y) <= 1e-9 * abs(y) for a, b in zip(rows, expected) for x, y in zip(a, b))
    files = os.listdir(folder)
    return {{"same": same, "again": len(files) - len({{name.split("-")[0] for name in files}})}}

killed = []
def kill_one(folder):
    while len({{name.split("-")[2] for name in os.listdir(folder)}}) < 2: time.sleep(0.02)  # both are at work
    theirs = "CoarseGrainedExecutorBackend.*" + spark.sparkContext.applicationId
    mine = subprocess.run(["pgrep", "-f", theirs], capture_output=True, text=True)
    victim = int(mine.stdout.split()[0])
    os.kill(victim, signal.SIGKILL)
    killed.append(victim)

threading.Thread(target=kill_one, args=[{dies!r}], daemon=True).start()
given = {{"dies": run({dies!r}, False), "late": run({late!r}, True), "killed": len(killed)}}
print(json.dumps(given))
"""

SETTINGS = {
    # No task starts before both executors are there: one alone could have done the whole job before the other comes.
    "cores_max": "2",
    "scheduler_minRegisteredResourcesRatio": "1.0",
    "scheduler_maxRegisteredResourcesWaitingTime": "300s",
    "executor_extraJavaOptions": os.environ["SPARK_SUBMIT_OPTS"],
    "executor_memory": "800m",
    "speculation": "true",
    "speculation_interval": "100ms",
    "speculation_multiplier": "1.1",
    "speculation_quantile": "0.3",
    "speculation_minTaskRuntime": "10s",  # more than a task takes that is not late
    "sql_adaptive_enabled": "false",
}


@pytest.fixture
def two_hosts(tmp_path: Path) -> Iterator[str]:
    """A standalone cluster on two addresses: Spark gives no second attempt to the host of the first."""
    ensure_java()
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    start = [str(home / "bin" / "spark-class")]
    deploy = "org.apache.spark.deploy"
    commands = [[*start, f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    for host in ("127.0.0.1", "127.0.0.2"):
        work = ["--work-dir", str(tmp_path / host), "--cores", "1", "--memory", "1g", "--webui-port", "0"]
        commands.append([*start, f"{deploy}.worker.Worker", "--host", host, *work, master])
    environment = {**os.environ, "SPARK_HOME": str(home)}
    running = [
        subprocess.Popen(one, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for one in commands
    ]
    yield master
    for process in running:
        process.terminate()
    for process in running:
        process.wait()


def test_an_executor_dies_and_a_task_is_late(tmp_path: Path, two_hosts: str) -> None:
    """On one cluster, which is eight JVMs."""
    folders = {name: str(tmp_path / name) for name in ("dies", "late")}
    for folder in folders.values():
        Path(folder).mkdir()
    given = answer(tmp_path, SCRIPT.format(master=two_hosts, settings=SETTINGS, **folders))
    assert given["dies"]["same"] and given["late"]["same"]
    assert given["killed"] and given["dies"]["again"] > 0  # it did die in the middle, and its work was done again
    assert given["late"]["again"] > 0
