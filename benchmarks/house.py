"""The house in figures, at one commit and at another: ``python -m benchmarks.house --before b19e0a4 --write``.

It counts files, lines, long functions, imports between rooms, repeated lines and the names of the glossary. radon, which
measures complexity, comes from PyPI into an environment that is thrown away. Minutes of CI and the lines that tests cover are
given by hand: ``--minutes 31 12 --coverage 90.1 95.1``.
"""

import argparse
import ast
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
TITLE = "## The house in figures"
ROOMS = ("api", "commands", "testing", "language", "temporal", "runtime", "optimizer", "windows", "udaf", "native")
PYTHON, CYTHON = (".py",), (".pyx", ".pxd", ".pxi", ".pyi")
LONG_FUNCTION, LONG_FILE = 50, 400


@dataclass(frozen=True)
class House:
    """What was counted at one commit."""

    commit: str
    rows: dict[str, str]
    imports: Counter[tuple[str, str]]


def tree_of(revision: str, folder: Path) -> Path:
    """The files of a commit, in a folder of their own: nothing of this checkout counts."""
    content = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def files(tree: Path, rooms: tuple[str, ...], kinds: tuple[str, ...]) -> list[Path]:
    """The files of some rooms, by their suffix."""
    return [path for room in rooms for path in sorted((tree / room).rglob("*")) if path.suffix in kinds]


def lines(paths: list[Path]) -> int:
    """Lines that are not blank."""
    return sum(1 for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def function_lengths(path: Path) -> Iterator[int]:
    """How many lines each function has, with its decorators."""
    text = path.read_text(encoding="utf-8")
    if path.suffix not in PYTHON:
        yield from _cython_lengths(text.splitlines())
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            yield (node.end_lineno or first) - first + 1


def _cython_lengths(text: list[str]) -> Iterator[int]:
    """By indentation: a function ends before the next line that stands no deeper than its head."""
    for number, line in enumerate(text):
        head = re.match(r"( *)(?:def|cdef|cpdef) (?!class )[^=(]*\(", line)
        if head is None:
            continue
        last = number
        for at in range(number + 1, len(text)):
            inner = text[at]
            deep = len(inner) - len(inner.lstrip()) > len(head[1])
            if inner.strip() and not deep and not inner.lstrip().startswith(")"):
                break
            last = at if inner.strip() else last
        if last > number:  # else it is a declaration
            yield last - number + 1


def imports_between_rooms(tree: Path) -> Counter[tuple[str, str]]:
    """How many imports of one room name another."""
    found: Counter[tuple[str, str]] = Counter()
    for room in ROOMS:
        for path in files(tree, (room,), PYTHON):
            for module in _imported(ast.parse(path.read_text(encoding="utf-8"))):
                parts = module.split(".")
                if parts[0] == "inwindow":
                    other = parts[1] if len(parts) > 1 and parts[1] in ROOMS else "api"
                    found[room, other] += other != room
    return +found


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            whole = node.module == "inwindow"
            yield from (f"{node.module}.{one.name}" for one in node.names) if whole else [node.module]
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names)


def complexity(tree: Path, python: Path) -> str:
    """The mean of all functions and methods, by radon."""
    rooms = [room for room in ROOMS if (tree / room).is_dir()]
    run = subprocess.run(
        [python, "-m", "radon", "cc", "-j", *rooms], cwd=tree, capture_output=True, text=True, check=True
    )
    blocks = [
        block
        for found in json.loads(run.stdout).values()
        for block in found
        if isinstance(block, dict) and block["type"] != "class"
    ]
    return f"{sum(block['complexity'] for block in blocks) / len(blocks):.2f}"


def repeated(tree: Path) -> str:
    """Pairs of places with the same lines: what the command ``duplicates`` lists, where a machine has it."""
    try:
        run = subprocess.run(
            ["duplicates", "--most", "200", "--seconds", "300"], cwd=tree, capture_output=True, text=True
        )
    except FileNotFoundError:
        return "not measured"
    rows = re.findall(r"^D\d+ ", run.stdout, re.MULTILINE)
    more = re.search(r"^\(\+(\d+) more pairs", run.stdout, re.MULTILINE)
    return str(len(rows) + (int(more[1]) if more else 0))


def glossary(tree: Path) -> str:
    """How many names the glossary explains: each is in bold, at the beginning of its line or row."""
    page = tree / "docs" / "glossary.md"
    if not page.is_file():
        return "none"
    return str(len(re.findall(r"^(?:\| *|- )?\*\*[^*]+\*\*", page.read_text(encoding="utf-8"), re.MULTILINE)))


def measured(revision: str, python: Path, minutes: str, coverage: str) -> House:
    """Everything that is counted, of one commit."""
    with tempfile.TemporaryDirectory() as folder:
        tree = tree_of(revision, Path(folder))
        ours, kernels = files(tree, ROOMS, PYTHON + CYTHON), files(tree, ("native",), PYTHON + CYTHON)
        newer = files(tree, ("language", "temporal"), PYTHON)
        tests, texts = files(tree, ("tests",), PYTHON), files(tree, ("docs",), (".md",))
        lengths = [length for path in ours for length in function_lengths(path)]
        rows = {
            "files, Python and Cython": f"{len(ours):,}",
            "their lines that are not blank": f"{lines(ours):,}",
            "of these in `native/`": f"{len(kernels)} files, {lines(kernels):,} lines",
            "of these in `language/` and `temporal/`": f"{len(newer)} files, {lines(newer):,} lines",
            "files over 400 lines": str(sum(lines([path]) > LONG_FILE for path in ours)),
            "functions": f"{len(lengths):,}",
            "functions over 50 lines": str(sum(length > LONG_FUNCTION for length in lengths)),
            "mean complexity of a function (radon, Python)": complexity(tree, python),
            "imports from one room to another": f"{sum(imports_between_rooms(tree).values()):,}",
            "files of tests, their lines": f"{len(tests)}, {lines(tests):,}",
            "test files over 400 lines": str(sum(lines([path]) > LONG_FILE for path in tests)),
            "lines of `docs/` and the README": f"{lines([*texts, tree / 'README.md']):,}",
            "pairs of places with the same lines (`duplicates`)": repeated(tree),
            "names in the glossary": glossary(tree),
            "lines that tests without Spark cover, % (by hand; without `runtime/spark`, fuzzer, oracle)": coverage,
            "minutes of `.ci/run` on two cores, alone on the machine (by hand)": minutes,
        }
        name = subprocess.run(
            ["git", "rev-parse", "--short", revision], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return House(name.stdout.strip(), rows, imports_between_rooms(tree))


def table(before: House, after: House) -> str:
    """Both commits side by side, and the matrix of imports."""
    text = [f"| | before (`{before.commit}`) | after (`{after.commit}`) |", "|---|---|---|"]
    text += [f"| {what} | {before.rows[what]} | {count} |" for what, count in after.rows.items()]
    text += ["", "Imports: a row's room imports a column's so many times, before → after where they differ.", ""]
    text += ["| | " + " | ".join(f"`{room}`" for room in ROOMS) + " |", "|---" * (len(ROOMS) + 1) + "|"]
    for room in ROOMS:
        cells = [_cell(before.imports[room, other], after.imports[room, other]) for other in ROOMS]
        text.append(f"| `{room}` | " + " | ".join(cells) + " |")
    return "\n".join(text)


def _cell(before: int, after: int) -> str:
    return (str(after) if after else "") if before == after else f"{before} → {after}"


def put(text: str) -> None:
    """Make the text the last section of docs/architecture.md."""
    page = PAGE.read_text(encoding="utf-8").split(f"\n{TITLE}\n")[0].rstrip()
    PAGE.write_text(f"{page}\n\n{TITLE}\n\n{text}\n", encoding="utf-8")


def main() -> None:
    """Measure two commits and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", required=True, help="a commit")
    parser.add_argument("--after", default="HEAD", help="a commit")
    parser.add_argument("--minutes", nargs=2, default=["not measured"] * 2, help="of CI, before and after")
    parser.add_argument("--coverage", nargs=2, default=["not measured"] * 2, help="percent, before and after")
    parser.add_argument("--write", action="store_true", help="into docs/architecture.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "radon>=6"], check=True)
        before = measured(given.before, python, given.minutes[0], given.coverage[0])
        after = measured(given.after, python, given.minutes[1], given.coverage[1])
    command = f"python -m benchmarks.house --before {before.commit}"
    for name, values in {"minutes": given.minutes, "coverage": given.coverage}.items():
        command += f" --{name} {' '.join(values)}" if values[0][0].isdecimal() else ""
    text = f"Made by `{command} --write`.\n\n{table(before, after)}"
    print(text)
    if given.write:
        put(text)


if __name__ == "__main__":
    sys.exit(main())
