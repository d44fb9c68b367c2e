"""What the contenders on Spark took: a table, and how it stands against the targets."""

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks import spark_cases as on
from benchmarks.measure import markdown
from benchmarks.process_tree import Seconds

LONG = 100  # windows from here on are long


@dataclass(frozen=True)
class Measured:
    """The runs of a contender, on so many rows; the one with the least CPU time counts."""

    runs: tuple[Seconds, ...]
    rows: int

    @property
    def best(self) -> Seconds:
        """The run that counts."""
        return min(self.runs, key=lambda run: run.cpu)

    @property
    def cpu(self) -> float:
        """CPU seconds per million rows."""
        return self.best.cpu / self.rows * 1e6

    @property
    def wall(self) -> float:
        """Wall seconds per million rows."""
        return self.best.wall / self.rows * 1e6


Figures = dict[tuple[str, int], Measured]  # by the contender's title and the window


def table(figures: Figures, rows: int) -> str:
    """A row per contender, a column per window; the data have so many rows."""
    windows = _windows(figures)

    def cell(title: str, window: int) -> str:
        its = figures[title, window]
        less = "" if its.rows > rows / 2 else f" ({its.rows:,} rows)"
        return f"**{ratio(figures, title, window):.2f}** · {its.cpu:.2f} / {its.wall:.2f}{less}"

    lines = [[title, *(cell(title, window) for window in windows)] for title in _titles(figures)]
    explained = (
        "**CPU time as a multiple of the old floor's** · CPU s / wall s per million rows. Contenders that are too slow for all "
        "rows ran on those of fewer keys (said in brackets): their wall times have less to run in parallel."
    )
    return explained + "\n\n" + markdown(["window", *(f"{window:,}" for window in windows)], lines)


def ratio(figures: Figures, title: str, window: int, to: str = on.FLOOR) -> float:
    """CPU per row of a contender, by that of another."""
    return figures[title, window].cpu / figures[to, window].cpu


def verdict(figures: Figures) -> str:
    """How the figures stand against the targets, as far as those who are compared were measured."""
    own = list(zip(on.TREES.values(), on.BUILTINS.values(), strict=True))
    lines = [
        _noise(figures),
        _most(
            figures, "Built-ins", on.BUILTINS.values(), on.FLOOR, "0.50x narrow, 0.60x with 10 rows per key, 0.75x wide"
        ),
        _most(figures, "A class with four hooks", [on.HOOKS], on.BUILTINS["avg"], "1.25x"),
        _most(figures, "The average", [on.BUILTINS["avg"]], on.ROLLING, "1x"),
        _least(figures, "Spark's own, segment tree on,", own, 1, "1x"),
        _least(figures, "Spark's own, segment tree on,", own, LONG, "2.5x narrow, 1.3x with 10 rows per key"),
        _flat(figures),
        _least(figures, "`arrow_udf`", [(on.ARROW_UDF, on.HOOKS)], 1_000, "10x"),
        _least(figures, "`rolling.apply`", [(on.APPLY, on.HOOKS)], 1_000, "3x"),
    ]
    return "\n".join(f"- {line}" for line in lines if line)


def _noise(figures: Figures) -> str:
    floors = [run.cpu for (title, _), its in figures.items() if title == on.FLOOR for run in its.runs]
    return f"Runs of the old floor, all alike, took {min(floors):.2f} to {max(floors):.2f} CPU s: the noise."


def _most(figures: Figures, who: str, titles: Iterable[str], to: str, target: str) -> str | None:
    """How much longer some take than another."""
    found = _ratios(figures, [(title, to) for title in titles], 1)
    return (
        f"{who} against {to.partition(':')[0]}: at most {max(found)[0]:.2f}x, {max(found)[1]} (target: {target})."
        if found
        else None
    )


def _least(figures: Figures, who: str, pairs: list[tuple[str, str]], shortest: int, target: str) -> str | None:
    """How much longer the first of each pair takes than the second, which is ours."""
    found = _ratios(figures, pairs, shortest)
    if not found:
        return None
    since = f" from window {shortest:,} on" if shortest > 1 else ""
    return f"{who} takes{since} at least {min(found)[0]:.2f}x as long as ours, {min(found)[1]} (target: {target})."


def _flat(figures: Figures) -> str | None:
    long = [window for window in _windows(figures) if window >= LONG]
    costs = {
        title: [figures[title, window].cpu for window in long] for title in on.BUILTINS.values() if _has(figures, title)
    }
    if len(long) < 2 or not costs:
        return None
    most, title = max((max(its) / min(its), title) for title, its in costs.items())
    return f"Flat from window {LONG} on: dearest by cheapest at most {most:.2f}x, {title}."


def _ratios(figures: Figures, pairs: Iterable[tuple[str, str]], shortest: int) -> list[tuple[float, str]]:
    return [
        (ratio(figures, title, window, other), f"{title} at {window:,}")
        for title, other in pairs
        if _has(figures, title) and _has(figures, other)
        for window in _windows(figures)
        if window >= shortest
    ]


def _has(figures: Figures, title: str) -> bool:
    return title in _titles(figures)


def _titles(figures: Figures) -> list[str]:
    return list(dict.fromkeys(title for title, _ in figures))


def _windows(figures: Figures) -> list[int]:
    return list(dict.fromkeys(window for _, window in figures))
