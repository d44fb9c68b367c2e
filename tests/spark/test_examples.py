"""The examples that start a Spark of their own; and the demo, on the Spark of the tests."""

from pathlib import Path
from typing import Any

import pytest
from samples.examples import ON_SPARK, check_output, check_told

from inwindow.commands.demo import places
from inwindow.commands.main import main


@pytest.mark.parametrize("example", ON_SPARK, ids=lambda path: path.stem)
def test_output(example: Path, write: bool) -> None:
    check_output(example, write)


class Kept:
    """A session that goes on when the demo ends."""

    def __init__(self, session: Any) -> None:
        self.session, self.stopped = session, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)

    def stop(self) -> None:
        self.stopped = True


def test_demo(spark: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    kept = Kept(spark)
    monkeypatch.setattr(places, "local_spark", lambda command: kept)
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    assert main(["demo", "--engine", "spark", "--rows", "3000"]) == 0
    check_told(capsys.readouterr().out, spark=True)
    assert kept.stopped
