"""Derived hooks are made on the driver, and travel: from the script, and from a module that workers cannot import."""

from pathlib import Path

from spark.script import answer

CLASSES = """
import math
import inwindow as iw
SCALE = 2.0

class Level(iw.Aggregate):
    def __init__(self, limit): self.limit = limit
    def initialize(self, value): self.total, self.n, self.words = math.sqrt(abs(value)) * SCALE, 1, {str(value)}
    def iterate(self, value):
        self.total += math.sqrt(abs(value)) * SCALE
        self.n += 1
        self.words.add(str(value))
    def terminate(self) -> float: return self.total / self.n + self.limit * len(self.words)

class Spread(iw.Aggregate):
    def initialize(self, value): self.low = self.high = value
    def iterate(self, value): self.low, self.high = min(self.low, value), max(self.high, value)
    def terminate(self) -> float: return self.high - self.low
"""
RUN = """
import inwindow as iw
df = spark.range(60).selectExpr("id", "id % 3 as k", "case when id % 17 = 5 then double('NaN') else (id * 7 % 11) / 10D end as v")
w, slid = iw.rows(4, partition_by="k", order_by="id"), iw.rows(6, partition_by="k", order_by="id", slide=3)
hop = iw.hop("id", size=12, every=4)
def seen(Level, Spread):
    exprs = dict(a=Level(0.5)("v").over(w), b=Spread()("v").over(w), c=Level(2.0)("v").over(slid))
    shown = str(iw.explain(df, **exprs))
    made = [list(map(str, row)) for row in iw.with_columns(df, **exprs).orderBy("id").collect()]
    local = [list(map(str, row.values())) for row in iw.with_columns(df.toArrow(), **exprs).sort_by("id").to_pylist()]
    far = iw.group_by(df, "k").window(hop).agg(x=Level(1.0)("v"))
    near = iw.group_by(df.toArrow(), "k").window(hop).agg(x=Level(1.0)("v"))
    groups = sorted(str((row["k"], row["window"]["start"], row["x"])) for row in far.collect())
    there = sorted(str((row["k"], row["window"]["start"], row["x"])) for row in near.to_pylist())
    return {"columns": made == local, "groups": groups == there and len(groups) > 9, "derived": shown.count("(derived)") >= 3}
script = seen(Level, Spread)
import mine
print(json.dumps({"the script": script, "a package beside the script": seen(mine.Level, mine.Spread)}))
"""


def test_in_the_script_and_in_a_package_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text(CLASSES)
    given = answer(tmp_path, CLASSES + "spark = session()" + RUN)
    assert all(given["the script"].values()) and all(given["a package beside the script"].values()), given
