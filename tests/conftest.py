"""How many cases Hypothesis draws: `make test` is quick, `HYPOTHESIS_PROFILE=thorough` is for the night."""

import os

import pytest
from hypothesis import HealthCheck, settings

_CALM = {"deadline": None, "suppress_health_check": list(HealthCheck)}
# The same cases in each run, on CI and at home: who changes nothing sees nothing fail. Chance is for `make thorough`.
settings.register_profile("quick", max_examples=16, derandomize=True, **_CALM)
settings.register_profile("thorough", max_examples=1000, derandomize=False, **_CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# A JVM of a test lives for a minute: what C2 would compile is not worth its time. Read by every Spark that a test starts: by
# the session, by the JVM that only makes its command line, and by the master and the workers of a cluster.
for its in ("SPARK_SUBMIT_OPTS", "SPARK_LAUNCHER_OPTS", "SPARK_DAEMON_JAVA_OPTS"):
    os.environ.setdefault(its, "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--spark", default="classic", choices=["classic", "connect"], help="the session of tests/spark")
    parser.addoption("--write", action="store_true", help="write anew the texts that tests compare with what is given")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest and starts a Spark of its own comes first: at the end it would run alone."""
    first = [
        "test_connect.py",
        "test_cluster.py",
        "test_stream_faults.py",
        "test_parity_table.py",
        "test_larceny_job.py",
    ]
    items.sort(key=lambda item: first.index(item.path.name) if item.path.name in first else len(first))


@pytest.fixture(scope="session")
def write(pytestconfig: pytest.Config) -> bool:
    """Whether a test that holds a text against what is given shall write the text instead; read the difference afterwards."""
    return bool(pytestconfig.getoption("--write"))
