"""What the site adds to the pages: which of them a search finds first, and where their words are."""

import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("made", ROOT / "docs" / "made.py")
MADE: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MADE)


def shown(uri: str, text: str = "") -> tuple[str, dict[str, Any]]:
    page = SimpleNamespace(file=SimpleNamespace(src_uri=uri, abs_src_path=None), meta={})
    return MADE.on_page_markdown(text, page), page.meta


def test_a_search_finds_the_reference_above_lists_of_messages() -> None:
    boosts = {uri: shown(uri)[1].get("search", {}).get("boost", 1.0) for uri in [*MADE.BOOSTS, "errors.md"]}
    assert boosts["reference.md"] > boosts["errors.md"] > boosts["every-message.md"]


def test_boosted_pages_are_there() -> None:
    made = MADE.pages()
    assert [uri for uri in MADE.BOOSTS if uri not in made and not (ROOT / "docs" / uri).is_file()] == []


def test_code_is_shown_without_prompts() -> None:
    text, _ = shown("reference.md", MADE.pages()["reference.md"])
    assert ">>> " not in text and "``` { .text .no-copy .output }" in text


def test_outputs_are_whole() -> None:
    text, _ = shown("index.md", MADE.pages()["index.md"])
    assert "pass 1 of 1: no partitioning" in text and "local, pass 1: in the order of arrival, fed in slices" in text
    assert "<BLANKLINE>" not in text


@pytest.mark.parametrize(
    ("word", "page"), [("timezone", "spark.md"), ("late", "missing-rows.md"), ("ranking", "how-to/top-k.md")]
)
def test_words_that_people_look_for_are_in_a_heading(word: str, page: str) -> None:
    headings = re.findall(r"^#+ (.*)$", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert any(word in heading.lower() for heading in headings)
