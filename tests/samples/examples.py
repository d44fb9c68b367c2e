"""The files of examples/ as a user runs them: each alone, in a fresh interpreter."""

import difflib
import re
import subprocess
import sys
import textwrap
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
DEMO = EXAMPLES / "auction_demo.py"  # says how fast it was, which no header can
GALLERY = sorted(path for path in EXAMPLES.glob("*.py") if not path.stem.startswith("auction"))
ON_SPARK = [path for path in GALLERY if "import SparkSession" in path.read_text(encoding="utf-8")]


def printed(example: Path, *arguments: str) -> str:
    """What an example writes; it must neither fail nor complain (Spark logs on stderr, and warns of what we have not done)."""
    on_spark = example in ON_SPARK
    run = subprocess.run(
        [sys.executable, *([] if on_spark else ["-W", "error"]), str(example), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert run.returncode == 0 and (on_spark or not run.stderr), run.stderr
    return run.stdout


def header(text: str) -> tuple[str, str, str]:
    """An example in three: up to what it prints, that, and the code."""
    found = re.fullmatch(r'(""".*?\n\nPrints::\n\n)(.*?\n)("""\n.*)', text, re.DOTALL)
    assert found is not None, "a header ends with 'Prints::' and what the file prints, indented"
    return found[1], textwrap.dedent(found[2]), found[3]


def check_output(example: Path, write: bool) -> None:
    """It prints what its header says; or its header says what it prints, from now on."""
    before, expected, after = header(example.read_text(encoding="utf-8"))
    given = "".join(f"{line.rstrip()}\n" for line in printed(example).splitlines())
    if write:
        expected = given
        example.write_text(before + textwrap.indent(given, "    ") + after, encoding="utf-8")
    difference = difflib.unified_diff(expected.splitlines(), given.splitlines(), "header", "given", "", "")
    assert given == expected, "\n".join(difference)


def check_demo() -> None:
    """What ``make demo`` runs, with fewer bids: six windows, each with its strategy, rows and speed; and as a stream."""
    command = [sys.executable, str(DEMO), "--rows", "3000", "--engine", "tables"]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert run.returncode == 0, run.stderr
    check_told(run.stdout, spark=False)


def check_told(given: str, *, spark: bool) -> None:
    """The demo's text: all windows, on Spark or on tables."""
    strategies = re.findall(r"^    strategy  (\S+)$", given, re.MULTILINE)
    assert strategies == ["delta", "delta", "pane-cascade", "pane-cascade", "tumble", "delta"]
    assert len(re.findall(r"^    \.\.\. [\d,]+ rows in \d+\.\d\d s: [\d,]+ tuples/s$", given, re.MULTILINE)) == 6
    streamed = re.findall(r"^    \.\.\. the same ([\d,]+) rows in .* s; waiting .*: ([\d,]+)$", given, re.MULTILINE)
    of_batch = re.findall(r"^    \.\.\. ([\d,]+) rows in", given, re.MULTILINE)
    assert [sum(int(n.replace(",", "")) for n in one) for one in streamed] == [
        int(n.replace(",", "")) for n in of_batch
    ]
    assert all(one[0] != "0" for one in streamed)
    assert len(re.findall(r"^    spark ", given, re.MULTILINE)) == (6 if spark else 0)
    assert max(map(len, given.splitlines())) <= 120
