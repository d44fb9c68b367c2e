"""The figures of docs/trust.md: ``python -m tests.trust``, in the root of the repository, writes them onto the page.

They come from files that runs have left behind:

==========================  ===========================================================================
docs/trust.json             runs of the fuzzer, as ``--take FILE`` has put them there
docs/oracle.json            other engines (``python -m inwindow.testing.oracle ENGINE --keep``)
tests/planted/found.json    planted faults (``python -m tests.planted``)
tests/faults/found.json     faults on Spark (``python -m tests.faults``)
tests/sanitized/found.json  kernels with sanitizers, and what was found (``python -m tests.sanitized``)
tests/buffers/found.json    columns with odd and damaged buffers (``python -m tests.buffers``)
benchmarks/RESULTS.md       errors of doubles (``python -m benchmarks.numerics --write``)
==========================  ===========================================================================

``--take FILE`` takes a file of ``inwindow fuzz --resume FILE`` in place of what is known of the same run; with
``--kernels "with sanitizers"`` one of ``python -m tests.sanitized --resume FILE``.
"""

import argparse
import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inwindow.testing.oracle import known
from inwindow.testing.oracle.upstream import BUGS

from .planted import table as planted

ROOT = Path(__file__).parents[1]
PAGE, RUNS = ROOT / "docs" / "trust.md", ROOT / "docs" / "trust.json"
BEGINS, ENDS = "<!-- figures: python -m tests.trust -->", "<!-- figures end -->"
OTHERS = {
    "Faults on Spark": (ROOT / "tests" / "faults" / "found.json", "python -m tests.faults"),
    "Kernels with sanitizers": (ROOT / "tests" / "sanitized" / "found.json", "python -m tests.sanitized"),
    "Columns with odd and damaged buffers": (
        ROOT / "tests" / "buffers" / "found.json",
        "python -m tests.buffers --cases 30000 > tests/buffers/found.json",
    ),
}
CLASSES = (*known.CLASSES, "not explained")
Run = dict[str, Any]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser("python -m tests.trust", description=__doc__)
    parser.add_argument("--take", type=Path, nargs="+", metavar="FILE", default=[], help="runs of the fuzzer")
    parser.add_argument(
        "--kernels", default="as shipped", metavar="TEXT", help="on which the runs were: with sanitizers"
    )
    parser.add_argument("--found", nargs="+", metavar="TEXT", help="what became of each difference of the runs")
    parser.add_argument("--at", metavar="COMMIT", help="at which they were made (the one that is checked out)")
    options = parser.parse_args()
    at = options.at or subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True).strip()
    runs = kept(RUNS, [])
    for file in options.take:
        runs = taken(runs, json.loads(file.read_text()), options.kernels, options.found, at)
    if options.take:
        RUNS.write_text(json.dumps(runs, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write()


def kept(file: Path, otherwise: Any) -> Any:
    """What a file has."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else otherwise


def taken(runs: Sequence[Run], run: Run, kernels: str, found: list[str] | None, at: str) -> list[Run]:
    """The runs, with this one in place of what was known of it."""
    before = [one for one in runs if (one["plan"], one["kernels"]) == (run["plan"], kernels)]
    said = found if found is not None else before[0]["found"] if before else []
    if len(said) != run["done"]["differences"]:
        raise SystemExit(f"{run['done']['differences']} differences: say with --found what became of each of them")
    return [*(one for one in runs if one not in before), {**run, "at": at, "kernels": kernels, "found": said}]


def write() -> None:
    """Put the figures on the page, and the tables of planted faults."""
    text = PAGE.read_text(encoding="utf-8")
    text = planted.put(text, BEGINS, ENDS, figures())
    PAGE.write_text(planted.put(text, planted.BEGINS, planted.ENDS, planted.table()), encoding="utf-8")


def figures() -> str:
    """All but the planted faults."""
    runs, engines = kept(RUNS, []), kept(ROOT / "docs" / "oracle.json", {})
    parts = [summary(runs, engines), "### Runs of the fuzzer", of_runs(runs)]
    for title, (file, command) in OTHERS.items():
        found = kept(file, {})
        rows = [f"| {kind} | {said(its)} |" for kind, its in found.items()]
        parts += [
            f"### {title}",
            f"`{command}`",
            "\n".join(["| what | figures |", "|---|---|", *rows]) if rows else "Not run yet.",
        ]
    parts += ["### Errors of doubles", of_doubles((ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8"))]
    return "\n\n".join(parts)


# The fuzzer


def summary(runs: Sequence[Run], engines: dict[str, Any]) -> str:
    """One row for each thing that is counted."""
    shipped = [run for run in runs if run["kernels"] == "as shipped"]
    checked = [run for run in runs if run["kernels"] != "as shipped"]
    differences = sum(run["done"]["differences"] for run in runs)
    found, faults = planted.caught(), sorted({bug.engine for bug in BUGS})
    left = sum("Not mended yet" in said for run in shipped for said in run.get("found", ()))
    rows = {
        "cases of the fuzzer": f"{_sum(shipped, cases):,}",
        "simulated streams": f"{_sum(shipped, lambda run: run['done']['streams']):,}",
        "seeds": ", ".join(dict.fromkeys(str(run["plan"]["seed"]) for run in shipped)),
        "CPU": f"{_sum(shipped, lambda run: run['done']['seconds']) / 3600:.1f} hours",
        "differences": f"{differences or 'none'}, {left or 'none'} of them left" if differences else "none",
        "cases on kernels with sanitizers": f"{_sum(checked, cases):,}",
        "planted faults": f"{found['faults']}; tried {found['tried']}: the fuzzer caught {found['fuzzer']}, tests "
        f"{found['tests']}, nothing {found['live']}",
        "kills on Spark": killed(kept(OTHERS["Faults on Spark"][0], {})),
        "other engines": f"{len(engines)}, asked {sum(its['cases'] for its in engines.values()):,} cases; queries that differ: "
        + said({name: sum(its["differences"].get(name, 0) for its in engines.values()) for name in CLASSES}),
        "their faults, to be reported": f"[{len(BUGS)}](oracle.md#faults-to-report), of {', '.join(faults)}",
    }
    return "\n".join(["| what | how much |", "|---|---|", *(f"| {name} | {its} |" for name, its in rows.items())])


def of_runs(runs: Sequence[Run]) -> str:
    """A row for each run; then the cases of each family; then what became of the differences."""
    lines = [
        "| seed | families | kernels | commit | rounds | cases | streams | CPU hours | a CPU second | differences | digest |"
    ]
    lines += ["|---" * 11 + "|"]
    for run in runs:
        plan, done = run["plan"], run["done"]
        seed = str(plan["seed"]) + (f", {plan['shard'] + 1}/{plan['shards']}" if plan["shards"] > 1 else "")
        speed = f"{cases(run) / done['seconds']:,.0f} cases"
        if done["streams"] and list(done["cases"]) == ["streams"]:
            speed = f"{done['streams'] / done['seconds']:,.0f} streams"
        its = [seed, ", ".join(plan["families"]), run["kernels"], f"`{run['at']}`", f"{done['rounds']:,}", f"{cases(run):,}",
               f"{done['streams']:,}", f"{done['seconds'] / 3600:.2f}", speed, done["differences"],
               f"`{done['digest']:016x}`"]  # fmt: skip
        lines.append(f"| {' | '.join(map(str, its))} |")
    names = dict.fromkeys(name for run in runs for name in run["done"]["cases"])
    lines += ["", "| family | cases |", "|---|---|"]
    lines += [f"| `{name}` | {sum(run['done']['cases'].get(name, 0) for run in runs):,} |" for name in sorted(names)]
    lines += [f"\nFound by seed {run['plan']['seed']}: {one}" for run in runs for one in run["found"]]
    return "\n".join(lines)


def cases(run: Run) -> int:
    """Of a run."""
    return sum(run["done"]["cases"].values())


def _sum(runs: Sequence[Run], count: Any) -> Any:
    return sum(map(count, runs))


# Others


def killed(found: dict[str, Any]) -> str:
    """How many processes were killed, of jobs and of streams, and how many rows were wrong after that."""
    kinds = {kind: its for kind, its in found.items() if "kills" in its}
    each = ", ".join(f"{sum(its['kills'].values())} in {kind.removeprefix('kills of ')}" for kind, its in kinds.items())
    lost, extra = (sum(its[name] for its in kinds.values()) for name in ("lost", "extra"))
    return f"{each}: {lost} rows lost, {extra} too many" if kinds else "none yet"


def said(found: Any) -> str:
    """Figures as text: names with numbers, or with what they consist of."""
    if isinstance(found, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_within(its)}" for name, its in found.items())
    if isinstance(found, list):
        return f"{len(found)}" if not found else f"{len(found)} ({'; '.join(map(str, found))})"
    return f"{found:,}" if isinstance(found, (int, float)) and not isinstance(found, bool) else str(found)


def _within(its: Any) -> str:
    if isinstance(its, dict) and all(isinstance(one, int) for one in its.values()):
        return f"{sum(its.values()):,} ({said(its)})" if its else "0"
    return f"({said(its)})" if isinstance(its, dict) else said(its)


def of_doubles(results: str) -> str:
    """The largest error of each aggregate, of the benchmark's table."""
    part = re.split(r"^## ", results.split("\n## numerics\n")[1], flags=re.MULTILINE)[0]
    worst: dict[str, float] = {}
    for name, its in _cells(part):
        if re.fullmatch(r"\d+e[+-]\d+|0", its):
            worst[name] = max(worst.get(name, 0.0), float(its))
    lines = ["| aggregate | largest error in 10 million slides over adversarial data |", "|---|---|"]
    lines += [f"| {name} | {error:.0e} |" for name, error in worst.items()]
    return "\n".join(
        [
            *lines,
            "",
            "As a share of the scale that [numerics](numerics.md) names for each; `python -m benchmarks.numerics`.",
        ]
    )


def _cells(part: str) -> Iterator[tuple[str, str]]:
    """The aggregate and inwindow's cell, of each row of the table."""
    for line in part.splitlines():
        cells = [one.strip() for one in line.strip("|").split("|")]
        if len(cells) > 3 and cells[0] not in ("aggregate", "---"):
            yield cells[0], cells[2]


if __name__ == "__main__":
    main()
