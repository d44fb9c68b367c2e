"""Where an aggregate's class may live: in the script or a notebook, in a module beside it, in a zip given to Spark."""

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
    for each in (folder, elsewhere, folder / "mine"):
        each.mkdir()
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
    assert answer(folder, text + THREADS, cwd=elsewhere) == dict.fromkeys([*WHERE, "threads"], True)
