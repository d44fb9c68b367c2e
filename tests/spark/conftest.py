"""A Spark session for the tests of this folder: classic, or Spark Connect with ``--spark=connect`` (see test_connect)."""

import os
import warnings
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

from inwindow.runtime.spark.jvm import ensure_java

# What machines do, a minute each: executors and drivers that are killed. `make thorough` has them; test_larceny_job.py kills one
# driver in `make test`, too.
collect_ignore = ["test_cluster.py", "test_stream_faults.py"] * (
    hypothesis.settings.get_current_profile_name() != "thorough"
)
SETTINGS = {
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.session.timeZone": "America/New_York",
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",  # the default, but not under SPARK_TESTING
}
# Of Spark's own work on few rows; the examples and all scripts have what Spark has by default.
CHEAPER = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.streaming.checkpointFileManagerClass": "org.apache.spark.sql.execution.streaming.checkpointing."
    "FileSystemBasedCheckpointFileManager",  # the default starts forty processes for a micro-batch on a local disk
}
UNSET = (
    "spark.sql.ansi.enabled",
    "spark.sql.adaptive.enabled",
    "spark.sql.streaming.stateStore.providerClass",
    "spark.sql.exchange.reuse",
    "spark.inwindow.memory",
    "spark.inwindow.hotKeys",
)


@pytest.fixture(scope="session")
def spark(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    ensure_java()
    from pyspark.sql import SparkSession

    if pytestconfig.getoption("--spark") == "connect":
        os.environ["SPARK_TESTING"] = "1"  # a server on any free port, and a client that finds it
        builder = SparkSession.builder.remote("local[2]")
    else:
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.log.level", "OFF")
    builder = builder.config(map=CHEAPER)
    builder = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("spark-warehouse")))
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():  # Connect's server takes the folder, and then its client may not set it once more
        warnings.filterwarnings("ignore", "Failed to set spark.sql.warehouse.dir")
        session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def settings(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test may change the session's settings: they are as they were for the next one."""
    yield
    if "spark" in request.fixturenames:
        session = request.getfixturevalue("spark")
        for name in UNSET:
            session.conf.unset(name)
        for name, value in SETTINGS.items():
            session.conf.set(name, value)
