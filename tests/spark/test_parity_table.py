"""docs/parity.md says what is so: it is made again, and compared."""

from pathlib import Path
from typing import Any

from spark.parity_table import page

PAGE = Path(__file__).parents[2] / "docs" / "parity.md"


def test_the_page_is_true(spark: Any, write: bool) -> None:
    made = page(spark)
    if write:
        PAGE.write_text(made)
    assert made == PAGE.read_text(), "the table has changed: look at it, then `make parity`"
