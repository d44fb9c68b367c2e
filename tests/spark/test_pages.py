"""Every plain Python block of the README and of docs/ runs, given a session and the bids of an auction."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "docs/numerics.md", "docs/spark.md", "docs/sql.md", "docs/streaming.md"]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page: str, spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    bids = spark.range(200).selectExpr(
        "id", "concat('item', id % 3) as item", "timestamp'2026-01-01' + make_dt_interval(0, 0, cast(id as int)) as ts",
        "cast(id * 31 % 101 as double) as price",
    )  # fmt: skip
    bids.createOrReplaceTempView("bids")
    text = (ROOT / page).read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {"spark": spark, "__name__": "page"}
    ran = 0
    for block in blocks:
        if not block.startswith(">>>"):  # those are doctests: tests/test_docs.py
            exec(block, names)
            ran += 1
    assert ran
    printed = capsys.readouterr().out
    assert all(line in printed for line in re.findall(r"^# (Row.*)$", text, re.MULTILINE) or ["avg50"])
