"""Where an aggregate's class may live: in the script or a notebook, in a module beside it, in a zip given to Spark."""

import zipfile
from pathlib import Path

import pytest
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
RUN = """
import inwindow as iw
df = spark.range(50).selectExpr("id", "id % 3 as k", "cast(id * 7 % 11 as double) as v")
w = iw.rows(4, partition_by="k", order_by="id")
exprs = dict(a=Spread(0.5)("v").over(w), b=Doubled()("v").over(w))
made = [list(row) for row in iw.with_columns(df, **exprs).orderBy("id").collect()]
local = [list(row.values()) for row in iw.with_columns(df.toArrow(), **exprs).sort_by("id").to_pylist()]
print(json.dumps(made == local and len(made) == 50))
"""


def test_in_the_script(tmp_path: Path) -> None:
    assert answer(tmp_path, CLASS.format(helper=HELPER) + "spark = session()" + RUN)


def test_in_a_notebook_cell(tmp_path: Path) -> None:
    cell = CLASS.format(helper=HELPER)
    assert answer(tmp_path, f"spark = session()\nexec(compile({cell!r}, '<ipython-input-1>', 'exec'))" + RUN)


@pytest.mark.parametrize("package", [False, True])
def test_in_a_module_beside_the_script(tmp_path: Path, package: bool) -> None:
    """Workers cannot import it: it travels by value, with what it uses of its package."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if package:
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "__init__.py").write_text("")
        (tmp_path / "mine" / "maths.py").write_text("import statistics" + HELPER)
        (tmp_path / "mine" / "aggregates.py").write_text(CLASS.format(helper="from mine.maths import spread"))
        text = "from mine.aggregates import Spread, Doubled\nspark = session()"
    else:
        (tmp_path / "aggregates.py").write_text(CLASS.format(helper=HELPER))
        text = "from aggregates import Spread, Doubled\nspark = session()"
    assert answer(tmp_path, text + RUN, cwd=elsewhere)


def test_in_a_zip_given_to_spark(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    archive = tmp_path / "shipped.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("aggregates.py", CLASS.format(helper=HELPER))
    text = f"spark = session(submit_pyFiles={str(archive)!r})\nspark.sparkContext.addPyFile({str(archive)!r})\n"
    text += f"sys.path.insert(0, {str(archive)!r})\nfrom aggregates import Spread, Doubled\n"
    text += "assert Spread.__module__ == 'aggregates'"
    assert answer(tmp_path, text + RUN, cwd=elsewhere)
