"""What type checkers and editors see: types for all names, an error for each misspelt one, every keyword.

``good.py`` has no error under mypy and pyright, both strict; ``bad.py`` has one on each line that is marked, and on no other.
"""

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import inwindow as iw
from inwindow.windows.options import FrameOptions

HERE = Path(__file__).parent
FILES = ("good.py", "bad.py")
RESULTS_AS_KEYWORDS = {"with_columns", "select", "explain", "Catalog"}  # any name is a column, or a table


def marked(name: str) -> set[int]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# mistake")}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files in a folder of their own, as in a user's project."""
    folder = tmp_path_factory.mktemp("project")
    for name in FILES:
        (folder / name).write_text((HERE / name).read_text(encoding="utf-8"), encoding="utf-8")
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def by_mypy(project: Path) -> Iterator[tuple[str, int]]:
    done = run(project, "mypy", "--strict", "--no-error-summary", "--hide-error-context", *FILES)
    for line in done.splitlines():
        found = re.match(r"(\w+\.py):(\d+): error: ", line)
        if found:
            yield found[1], int(found[2])


def by_pyright(project: Path) -> Iterator[tuple[str, int]]:
    done = run(project, "basedpyright", "--outputjson", "--pythonpath", sys.executable, *FILES)
    for one in json.loads(done)["generalDiagnostics"]:
        if one["severity"] == "error":
            yield Path(one["file"]).name, one["range"]["start"]["line"] + 1


def run(project: Path, module: str, *arguments: str) -> str:
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stdout + done.stderr  # errors were found, those of bad.py at least
    return done.stdout


@pytest.mark.parametrize("check", [by_mypy, by_pyright])
def test_mistakes_are_found_and_nothing_else(project: Path, check: type[Iterator[tuple[str, int]]]) -> None:
    found = set(check(project))
    assert {line for name, line in found if name == "good.py"} == marked("good.py") == set()
    assert {line for name, line in found if name == "bad.py"} == marked("bad.py")
    assert len(marked("bad.py")) > 30


FUNCTIONS = [name for name in iw.__all__ if inspect.isfunction(getattr(iw, name)) or name == "Catalog"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_keyword_has_a_name_where_editors_look(name: str) -> None:
    parameters = inspect.signature(getattr(iw, name)).parameters.values()
    rest = [one.name for one in parameters if one.kind is one.VAR_KEYWORD]
    assert bool(rest) == (name in RESULTS_AS_KEYWORDS)


def test_frames_and_over_show_the_options_that_they_take() -> None:
    options = set(FrameOptions.__annotations__)
    assert {"partition_by", "order_by", "slide"} <= options
    frames = ("rows", "range", "rows_between", "range_between", "unbounded", "landmark", "scope")
    for name in frames:
        assert options <= set(inspect.signature(getattr(iw, name)).parameters)
    over = set(inspect.signature(iw.avg("price").over).parameters)
    assert over == {"window", "lag", "sentinel", *options}
    assert not {"lag", "sentinel"} & set(inspect.signature(iw.unbounded).parameters)


def test_a_signature_shows_the_defaults_that_hold() -> None:
    from inwindow.windows import frames

    taken = inspect.signature(frames._window).parameters
    for name, one in inspect.signature(iw.unbounded).parameters.items():
        assert one.default == taken[name].default or (one.default is None and taken[name].default == ())


def test_every_public_name_is_written_where_type_checkers_read_it() -> None:
    from inwindow.udaf.builtins import NAMES

    assert list(iw.__all__) == sorted(iw.__all__)
    assert set(NAMES) <= set(iw.__all__)
    for name in iw.__all__:
        assert getattr(iw, name) is not None
