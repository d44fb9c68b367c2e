"""Every code block of the README and of docs/ runs, every link leads somewhere, every drawing is what would be drawn."""

import doctest
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EACH = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def script(path: Path) -> Any:
    """A module of docs/, which is no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DRAWN = script(ROOT / "docs" / "figures" / "draw.py")
MADE = script(ROOT / "docs" / "made.py")


@EACH
def test_code_blocks_run(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@EACH
def test_links_lead_somewhere(page: Path) -> None:
    """To a file that is there, or to a page of the site that is made."""
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            path = (page.parent / target).resolve()
            assert path.exists() or str(path.relative_to(ROOT)) in MADE.MADE, target


@pytest.mark.parametrize("name", [*DRAWN.DRAWINGS, *DRAWN.RELATIONS, "point-in-time"])
def test_drawings_are_as_they_would_be_drawn(name: str) -> None:
    given = DRAWN.path(name).read_text(encoding="utf-8")
    assert given == f"{DRAWN.drawing(name)}\n", "make figures"


def test_every_drawing_is_shown() -> None:
    shown = {name for page in PAGES for name in re.findall(r"figures/window-([\w-]+)\.svg", page.read_text("utf-8"))}
    assert shown >= {*DRAWN.DRAWINGS, "point-in-time"}
    assert all(any(f"figures/{name}.svg" in page.read_text("utf-8") for page in PAGES) for name in DRAWN.RELATIONS)


def test_pages_of_the_site_are_made() -> None:
    """The reference has all that is public, the gallery all examples, the list of messages all that are tested."""
    import inwindow as iw

    made = MADE.pages()
    assert set(MADE.MADE.values()) <= {*made}
    assert [name for name in iw.__all__ if f"### iw.{name}\n" not in made["reference.md"]] == []
    assert made["reference.md"].count("```") % 2 == 0 and ":func:" not in made["reference.md"]
    assert all(
        f"#{path.stem}}}" in made["examples.md"]
        for path in (ROOT / "examples").glob("*.py")
        if not path.stem.startswith("auction")
    )
    assert "`UsageError`" in made["every-message.md"]
