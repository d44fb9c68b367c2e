"""docs/sail.md says what is so of built-ins and types: its section is made again, and compared."""

from pathlib import Path
from typing import Any

from sail.parity_section import section

PAGE = Path(__file__).parents[2] / "docs" / "sail.md"


def test_the_section_is_true(sail: Any, write: bool) -> None:
    made = section(sail)
    page = PAGE.read_text()
    if write:
        above, _, _ = page.partition("## Built-ins and types")
        PAGE.write_text(page := above + made)
    assert page.endswith(made), "built-ins or types on Sail have changed: look at it, then run this test with --write"
