"""``inwindow bench --spark``, on the Spark of the tests."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from samples import aggregates

from inwindow.commands import bench_spark
from inwindow.commands.main import main

FOLDED = """

class Folded(iw.Aggregate):
    def iterate(self, price: float, volume: int):
        self.most = max(getattr(self, "most", price), price * volume)

    def terminate(self) -> float:
        return self.most
"""


def test_each_is_measured_beside_what_one_would_use_instead(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mymodule.py").write_text(Path(aggregates.__file__).read_text(encoding="utf-8") + FOLDED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    stopped: list[None] = []
    its = SimpleNamespace(createDataFrame=spark.createDataFrame, stop=lambda: stopped.append(None))
    monkeypatch.setattr(bench_spark, "local_spark", lambda command: its)
    command = [
        "bench",
        "avg",
        "mymodule:MyAvg",
        "mymodule:Folded",
        "--json",
        "--rows",
        "2000",
        "--window",
        "20",
        "--spark",
    ]
    assert main(command) == 0
    assert stopped
    ways = [list(one["spark"]) for one in json.loads(capsys.readouterr().out)["results"]]
    assert ways == [["inwindow", "Spark's own", "a pandas_udf"], ["inwindow", "a pandas_udf"], ["inwindow"]]
