"""Which of Spark's aggregate functions are here; docs/builtins.md lists the others, with a reason for each."""

import re
from pathlib import Path

import pyspark.sql.functions

import inwindow as iw

PAGE = Path(__file__).parents[2] / "docs" / "builtins.md"


def test_what_is_missing_is_listed() -> None:
    source = Path(pyspark.sql.functions.__file__).read_text(encoding="utf-8")
    section = source.partition("# Aggregate Functions")[2].partition("# Window Functions")[0]
    theirs = set(re.findall(r'"(\w+)"', section))
    missing = theirs - set(iw.__all__)
    section = PAGE.read_text(encoding="utf-8").partition("## Not here")[2].partition("\n## ")[0]
    listed = {name for line in section.splitlines() for name in re.findall(r"`(\w+)`", line.partition(":")[0])}
    assert len(theirs) > 60
    assert missing <= listed, missing - listed
    assert not listed & set(iw.__all__)
