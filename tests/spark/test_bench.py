"""``inwindow bench --spark``, in a process of its own: it stops its Spark at the end."""

import json
import subprocess
import sys
from pathlib import Path

from samples import aggregates

FOLDED = """

class Folded(iw.Aggregate):
    def iterate(self, price: float, volume: int):
        self.most = max(getattr(self, "most", price), price * volume)

    def terminate(self) -> float:
        return self.most
"""


def test_each_is_measured_beside_what_one_would_use_instead(tmp_path: Path) -> None:
    (tmp_path / "mymodule.py").write_text(Path(aggregates.__file__).read_text(encoding="utf-8") + FOLDED)
    command = [sys.executable, "-m", "inwindow.commands", "bench", "avg", "mymodule:MyAvg", "mymodule:Folded", "--json"]
    command += ["--rows", "2000", "--window", "20", "--spark"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    ways = [list(one["spark"]) for one in json.loads(run.stdout)["results"]]
    assert ways == [["inwindow", "Spark's own", "a pandas_udf"], ["inwindow", "a pandas_udf"], ["inwindow"]]
