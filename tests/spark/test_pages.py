"""Every plain Python block of the README and of docs/ runs, given a session and the bids of an auction.

Blocks of a page run one after the other. Those that begin with a prompt are doctests: ``tests/docs/test_docs.py``.
"""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = {
    str(page.relative_to(ROOT)): blocks
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if (blocks := re.findall(r"```python\n(?!>>>)(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
}


@pytest.mark.parametrize("page", BLOCKS)
def test_blocks_run(page: str, spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    bids = spark.range(200).selectExpr(
        "id", "concat('item', id % 3) as item", "timestamp'2026-01-01' + make_dt_interval(0, 0, cast(id as int)) as ts",
        "cast(id * 31 % 101 as double) as price",
    )  # fmt: skip
    bids.createOrReplaceTempView("bids")
    names = {"spark": spark, "__name__": "page"}
    for block in BLOCKS[page]:
        exec(block, names)
    printed = capsys.readouterr().out
    assert all(line in printed for line in re.findall(r"^# (Row.*)$", (ROOT / page).read_text(), re.MULTILINE))
