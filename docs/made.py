"""Pages of the site that are made from what is elsewhere: a hook of MkDocs (``mkdocs.yml``).

===================  ==================================================================
``index.md``         the README
``changelog.md``     CHANGELOG.md
``results.md``       benchmarks/RESULTS.md
``examples.md``      the files of examples/, each with what it prints
``reference.md``     the docstrings of all that is public
``every-message.md`` what was written and what was said, from the tests of errors
===================  ==================================================================

In the pages themselves links lead to the files of the repository, so that they work there, too; here they are
turned to these pages.
"""

import inspect
import os
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
MADE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/RESULTS.md": "results.md",
    "examples": "examples.md",
    "docs/every-message.md": "every-message.md",
}

# What a search finds first: what explains a word, not the lists in which it is.
BOOSTS = {
    "reference.md": 2.0, "hooks.md": 2.0, "builtins.md": 2.0, "windows/index.md": 2.0,
    "every-message.md": 0.2, "changelog.md": 0.2, "results.md": 0.2, "papers.md": 0.5, "parity.md": 0.5, "examples.md": 0.5,
}  # fmt: skip


def pages() -> dict[str, str]:
    """The made pages, by their place on the site."""
    whole = {
        made: turned((ROOT / source).read_text(encoding="utf-8"), ROOT / source)
        for source, made in MADE.items()
        if (ROOT / source).is_file()
    }
    return whole | {"examples.md": examples(), "reference.md": reference(), "every-message.md": messages()}


def turned(text: str, source: Path) -> str:
    """A page's text with its links to files of the repository turned to pages of the site, seen from its own."""
    here = place(source)

    def turn(match: re.Match[str]) -> str:
        target, anchor = match[2], match[3] or ""
        if "://" in target or not target:
            return match[0]
        path = (source.parent / target).resolve()
        if path.parent == ROOT / "examples":
            entry = f"#{path.stem}" if path.suffix == ".py" else ""
            return f"{match[1]}({os.path.relpath('examples.md', here.parent)}{entry})"
        if path.name in ("LICENSE", "NOTICE"):  # on the site as text
            return match[1][1:-1]
        return f"{match[1]}({os.path.relpath(place(path), here.parent)}{anchor})"

    return re.sub(r"(\[[^\]\n]*\])\(([^)#\s]*)(#[^)\s]*)?\)", turn, text)


def place(path: Path) -> Path:
    """Where a file of the repository is on the site."""
    inside = path.resolve().relative_to(ROOT)
    made = MADE.get(str(inside))
    return Path(made) if made else inside.relative_to("docs") if inside.parts[0] == "docs" else inside


def examples() -> str:
    """The gallery: each file, and what it prints."""
    parts = ["# Examples"]
    parts += [
        "Each file runs alone: `python examples/averages.py`. There is a notebook, too: `examples/first_steps.ipynb`."
    ]
    for path in sorted((ROOT / "examples").glob("*.py")):
        title, body = path.read_text(encoding="utf-8").removeprefix('"""').split("\n", 1)
        about, found, rest = body.partition("\n\nPrints::\n\n")
        if found:
            output, code = rest.split('"""\n', 1)
            name, line = title.rstrip(".").split(":", 1)
            parts += [f"## {name} {{#{path.stem}}}", f"`examples/{path.name}`:{line}.", about.strip()]
            parts += [
                f"```python\n{code.strip()}\n```",
                f"It prints\n\n```text\n{textwrap.dedent(output).rstrip()}\n```",
            ]
    return "\n\n".join(parts)


def reference() -> str:
    """All public names, with their docstrings."""
    import inwindow as iw
    from inwindow.udaf.builtins import NAMES

    core = [name for name in iw.__all__ if name not in NAMES]
    built_in = [name for name in iw.__all__ if name in NAMES]
    errors = [name for name in core if name.endswith("Error")]
    shown = [name for name in core if name not in errors]
    parts = ["# Reference", "Everything public is in `inwindow`: `import inwindow as iw`."]
    for title, names in (("Classes and functions", shown), ("Errors", errors), ("Built-ins", built_in)):
        parts += [f"## {title}", *(entry(name, getattr(iw, name)) for name in names)]
    return "\n\n".join(parts)


def entry(name: str, thing: Any) -> str:
    """One name: its signature and its docstring; of a class also its public methods."""
    parts = [f"### iw.{name}"]
    if callable(thing) and not isinstance(thing, type):
        parts += [f"```python\niw.{name}{signature(thing)}\n```"]
    parts += [markdown(inspect.getdoc(thing) or "")] if name != "PUNT" else ["What `expire` returns to refuse a tuple."]
    if isinstance(thing, type) and not issubclass(thing, BaseException):
        for method, function in vars(thing).items():
            text = inspect.getdoc(function)
            if not method.startswith("_") and callable(function) and text:
                parts += [f"**`.{method}{signature(function)}`**", markdown(text)]
    return "\n\n".join(parts)


def signature(thing: Any) -> str:
    """Its parameters, without self, types and module names."""
    try:
        given = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    plain = [p.replace(annotation=p.empty) for p in given.parameters.values() if p.name != "self"]
    return str(given.replace(parameters=plain, return_annotation=given.empty))


def markdown(text: str) -> str:
    """A docstring as Markdown: roles and literals as code, examples and indented blocks fenced."""
    text = re.sub(r":\w+:`~?\.?([^`]+)`", lambda match: f"`{match[1].removeprefix('inwindow.')}`", text)
    text = text.replace("``", "`")
    return "\n".join(fenced(text.split("\n")))


def fenced(lines: list[str]) -> Iterator[str]:
    """The lines, with fences around examples (up to a blank line) and around what follows a double colon."""
    inside = ""
    for number, line in enumerate(lines):
        follows = next((later for later in lines[number:] if later.strip()), "")
        if inside == "example" and not line.strip() and not follows.startswith(">>>"):
            inside = ""
            yield "```"
        elif inside == "literal" and line.strip() and not line.startswith("    "):
            inside = ""
            yield "```\n"
        if not inside and line.startswith(">>>"):
            inside = "example"
            yield "```python"
        if not inside and line.rstrip().endswith("::"):
            inside = "literal"
            yield f"{line.rstrip()[:-1] if line.strip() != '::' else ''}\n\n```text"
            continue
        yield line[4:] if inside == "literal" else line
    if inside:
        yield "```"


def messages() -> str:
    """What the tests of errors write, and what they are told."""
    sys.path.insert(0, str(ROOT / "tests"))
    import importlib

    parts = ["# Every message", "What was written, and what was said. [Causes and fixes](errors.md)."]
    for path in sorted((ROOT / "tests" / "bad").glob("*.py")):
        if path.stem == "input":
            continue
        table = importlib.import_module(f"bad.{path.stem}")
        parts.append(f"## {path.stem.replace('_', ' ').capitalize()}")
        parts.append(f"*{(table.__doc__ or '').splitlines()[0]}*")
        for row in table.ROWS:
            said = "\n".join("    " + line for line in row.message.splitlines())
            parts.append(f"**{row.what}**: `{row.error.__name__}`\n\n{said}")
    return "\n\n".join(parts)


# --- What MkDocs calls ----------------------------------------------------------------------------------------------


def on_files(files: Any, config: Any) -> Any:
    """Add the made pages."""
    from mkdocs.structure.files import File

    for name, text in pages().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(text: str, page: Any, **_: Any) -> str:
    """Turn the links of a page that is a file; show code as it is pasted, without prompts."""
    sys.path.insert(0, str(ROOT / "docs"))
    from pasted import without_prompts

    if page.file.src_uri in BOOSTS:
        page.meta["search"] = {"boost": BOOSTS[page.file.src_uri]}
    if page.file.abs_src_path is not None:
        text = turned(text, Path(page.file.abs_src_path))
    return without_prompts(text).replace("<BLANKLINE>", "")  # a sign for doctest, not for readers
