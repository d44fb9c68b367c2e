"""docs/trust.md says what the files of figures say."""

import pytest

from .trust import BEGINS, ENDS, PAGE, cases, figures, killed, said, summary, taken

DONE = {"rounds": 2, "cases": {"frames": 900, "streams": 100}, "streams": 9, "digest": 7, "seconds": 3600.0}
RUN = {
    "plan": {"seed": 5, "families": ["frames", "streams"], "shard": 0, "shards": 1},
    "done": {**DONE, "differences": 0},
}


def test_the_figures_on_the_page_are_those_of_the_files() -> None:
    part = PAGE.read_text(encoding="utf-8").split(BEGINS)[1].split(ENDS)[0]
    assert part.strip() == figures().strip(), "run python -m tests.trust"


def test_a_run_takes_the_place_of_what_was_known_of_it() -> None:
    later = {**RUN, "done": {**RUN["done"], "rounds": 4}}
    runs = taken(taken([], RUN, "as shipped", None, "0"), later, "as shipped", None, "0")
    assert [one["done"]["rounds"] for one in runs] == [4]
    assert len(taken(runs, RUN, "with sanitizers", None, "0")) == 2
    assert cases(runs[0]) == 1000
    assert "| simulated streams | 9 |" in summary(runs, {})


def test_each_difference_has_its_story() -> None:
    wrong = {**RUN, "done": {**RUN["done"], "differences": 1}}
    with pytest.raises(SystemExit, match="1 differences: say with --found"):
        taken([], wrong, "as shipped", None, "0")
    runs = taken([], wrong, "as shipped", ["a bound"], "0")
    assert taken(runs, wrong, "as shipped", None, "0") == runs
    assert "| differences | 1, none of them left |" in summary(runs, {})


def test_kills_together() -> None:
    found = {"kills of jobs": {"kills": {"jvm": 2, "worker": 3}, "lost": 0, "extra": 1}, "full disks": {"lost": 5}}
    assert killed(found) == "5 in jobs: 0 rows lost, 1 too many"
    assert killed({}) == "none yet"


def test_figures_of_others_as_text() -> None:
    found = {"seed": 1, "kills": {"driver": 12, "worker": 1038}, "wrong": [], "rows": {"lost": 0, "extra": 0}}
    assert said(found) == "seed 1, kills 1,050 (driver 12, worker 1,038), wrong 0, rows 0 (lost 0, extra 0)"
