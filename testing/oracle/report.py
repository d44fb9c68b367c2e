"""The figures of runs, kept as JSON, and their table."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from inwindow.testing.oracle import upstream
from inwindow.testing.oracle.known import CLASSES, KNOWN, Known
from inwindow.testing.oracle.running import Tally

COLUMNS = ("engine", "version", "queries", "cases", "same", "not asked", "refused", *CLASSES, "not explained")


class Figures:
    """What came of one run."""

    def __init__(self, engine: str, seed: int) -> None:
        self.engine, self.seed = engine, seed
        self.classes: Counter[str] = Counter()
        self.names: Counter[str] = Counter()
        self.said: dict[str, Any] = {}

    def add(self, known: Known | None) -> None:
        """Count a query that differs."""
        self.classes["not explained" if known is None else known.kind] += 1
        if known is not None:
            self.names[known.name] += 1

    def end(self, version: str, queries: int, tally: Tally) -> None:
        """The run is over."""
        self.said = {
            "version": version, "seed": self.seed, "queries": queries, "cases": tally.asked, "same": tally.same,
            "not asked": tally.skipped.total(), "refused": tally.refused.total(), "differences": dict(self.classes),
            "by name": dict(self.names.most_common()), "refusals": dict(tally.refused.most_common(12)),
            "without": dict(tally.skipped.most_common(12)),
        }  # fmt: skip

    def row(self) -> dict[str, Any]:
        """The figures as JSON has them."""
        return {self.engine: self.said}

    def keep(self, path: Path) -> None:
        """Put the figures into a file, in place of older ones of this engine."""
        kept = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(dict(sorted((kept | self.row()).items())), indent=1, ensure_ascii=False) + "\n")


def table(kept: dict[str, Any]) -> str:
    """The figures of all engines as a table."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for engine, said in kept.items():
        counts = [said[name] for name in ("queries", "cases", "same", "not asked", "refused")]
        differs = [said["differences"].get(name, 0) for name in (*CLASSES, "not explained")]
        lines.append(
            "| " + " | ".join([engine, said["version"], *(f"{count:,}" for count in (*counts, *differs))]) + " |"
        )
    return "\n".join(lines)


def names(kept: dict[str, Any]) -> str:
    """The differences by name, with the queries of each engine that show them."""
    lines = ["| difference | class | queries |", "|---|---|---|"]
    for known in KNOWN:
        counts = [
            (engine, said["by name"].get(known.name, 0)) for engine, said in kept.items() if engine in known.engines
        ]
        seen = [f"{engine} {count:,}" for engine, count in counts if count]
        if seen:
            lines.append(f"| {known.name} | {known.kind} | {', '.join(seen)} |")
    return "\n".join(lines)


def page(kept: dict[str, Any]) -> str:
    """What docs/oracle.md says of the figures and the faults."""
    return "\n".join([table(kept), "", names(kept), "", "## Faults to report", "", *upstream.pages()])
