"""Every plain Python block of the README and of docs/ runs as it is copied, given a session: a page makes its data.

Blocks of a page run one after the other. Those that begin with a prompt are doctests: ``tests/docs/test_docs.py``.
"""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("pasted", ROOT / "docs" / "pasted.py")
PASTED: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(PASTED)
BLOCKS = {
    str(page.relative_to(ROOT)): blocks
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if (blocks := re.findall(r"```python\n(?!>>>)(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
}


@pytest.mark.parametrize("page", BLOCKS)
def test_blocks_run(page: str, spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    names = {"spark": spark, "__name__": "page"}
    for block in BLOCKS[page]:
        exec(PASTED.as_statements(block), names)
    printed = capsys.readouterr().out
    assert all(line in printed for line in re.findall(r"^# (Row.*)$", (ROOT / page).read_text(), re.MULTILINE))
