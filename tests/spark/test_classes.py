"""Where an aggregate's class may live: the script or a notebook, a module beside it, a zip given to Spark; derived hooks, too."""

import zipfile
from pathlib import Path

from spark.script import answer

CLASS = """
import inwindow as iw
import statistics
{helper}
class Spread(iw.WindowAggregate, returns="double", nulls="skip"):
    factor = 2.0
    def __init__(self, scale=1.0): self.scale = scale
    def initialize(self, value): self.values = [value]
    def iterate(self, value): self.values.append(value)
    def expire(self, value): self.values.pop(0)
    def terminate(self): return self.scale * self.factor * spread(self.values)

class Doubled(Spread):
    factor = 4.0
"""
HELPER = """
def spread(values):
    return statistics.fmean(values) - min(values)
"""
# Workers cannot import modules that lie beside the script: these travel by value, with what they use of their package.
WHERE = {
    "the script": "",
    "a notebook cell": "exec(compile({cell!r}, '<ipython-input-1>', 'exec'))",
    "a module beside the script": "from aggregates import Spread, Doubled",
    "a package beside the script": "from mine.aggregates import Spread, Doubled",
    "a zip given to Spark": "spark.sparkContext.addPyFile({archive!r})\nsys.path.insert(0, {archive!r})\n"
    "from shipped import Spread, Doubled\nassert Spread.__module__ == 'shipped'",
}
SEEN = """
given[{where!r}] = seen(Spread, Doubled)
"""
THREADS = """
from aggregates import Spread, Doubled
with ThreadPoolExecutor(4) as pool:
    given["threads"] = all(pool.map(lambda _: seen(Spread, Doubled), range(8)))
"""
# Hooks that are derived are made on the driver.
DERIVED = """
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
BOTH = """
derived_df = spark.range(60).selectExpr(
    "id", "id % 3 as k", "case when id % 17 = 5 then double('NaN') else (id * 7 % 11) / 10D end as v")
wide, slid = iw.rows(4, partition_by="k", order_by="id"), iw.rows(6, partition_by="k", order_by="id", slide=3)
hop = iw.hop("id", size=12, every=4)
def both(Level, Spread):
    df, exprs = derived_df, dict(a=Level(0.5)("v").over(wide), b=Spread()("v").over(wide), c=Level(2.0)("v").over(slid))
    shown = str(iw.explain(df, **exprs))
    made = [list(map(str, row)) for row in iw.with_columns(df, **exprs).orderBy("id").collect()]
    local = [list(map(str, row.values())) for row in iw.with_columns(df.toArrow(), **exprs).sort_by("id").to_pylist()]
    far = iw.group_by(df, "k").window(hop).agg(x=Level(1.0)("v"))
    near = iw.group_by(df.toArrow(), "k").window(hop).agg(x=Level(1.0)("v"))
    groups = sorted(str((row["k"], row["window"]["start"], row["x"])) for row in far.collect())
    there = sorted(str((row["k"], row["window"]["start"], row["x"])) for row in near.to_pylist())
    return made == local and groups == there and len(groups) > 9 and shown.count("(derived)") >= 3
given["derived in the script"] = both(Level, Spread)
import derived
given["derived beside the script"] = both(derived.Level, derived.Spread)
print(json.dumps(given))
"""
RUN = """
import inwindow as iw
from concurrent.futures import ThreadPoolExecutor
df = spark.range(50).selectExpr("id", "id % 3 as k", "cast(id * 7 % 11 as double) as v")
w = iw.rows(4, partition_by="k", order_by="id")
given = {}
def seen(one, other):
    exprs = dict(a=one(0.5)("v").over(w), b=other()("v").over(w))
    made = [list(row) for row in iw.with_columns(df, **exprs).orderBy("id").collect()]
    local = [list(row.values()) for row in iw.with_columns(df.toArrow(), **exprs).sort_by("id").to_pylist()]
    return made == local and len(made) == 50
"""


def test_wherever_it_lives(tmp_path: Path) -> None:
    """One script, started elsewhere, in which the class lives at all these places: on Spark as here."""
    folder, elsewhere = tmp_path / "script", tmp_path / "elsewhere"
    for each in (folder, elsewhere, folder / "mine", folder / "derived"):
        each.mkdir()
    (folder / "derived" / "__init__.py").write_text(DERIVED)
    (folder / "aggregates.py").write_text(CLASS.format(helper=HELPER))
    (folder / "mine" / "__init__.py").write_text("")
    (folder / "mine" / "maths.py").write_text("import statistics" + HELPER)
    (folder / "mine" / "aggregates.py").write_text(CLASS.format(helper="from mine.maths import spread"))
    archive = str(elsewhere / "shipped.zip")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("shipped.py", CLASS.format(helper=HELPER))
    cell = CLASS.format(helper=HELPER)
    text = cell + f"\nspark = session(submit_pyFiles={archive!r})" + RUN
    text += "".join(way.format(cell=cell, archive=archive) + SEEN.format(where=where) for where, way in WHERE.items())
    names = [*WHERE, "threads", "derived in the script", "derived beside the script"]
    assert answer(folder, text + THREADS + DERIVED + BOTH, cwd=elsewhere) == dict.fromkeys(names, True)
