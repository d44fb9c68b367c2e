"""A session of Sail, a Spark Connect server that needs no Java: ``make sail`` runs these tests, in an environment of its own."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

# Sail takes another pyspark-client than the one that the other tests have.
collect_ignore_glob = [] if find_spec("pysail") else ["test_*.py"]


@pytest.fixture(scope="session")
def sail() -> Iterator[Any]:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    session = SparkSession.builder.remote("sc://{}:{}".format(*server.listening_address)).getOrCreate()
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield session
    session.stop()
    server.stop()
