"""The fuzzer itself: planted faults are found, made small and printed as tests that fail; what is drawn is always the same."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

import inwindow as iw
from inwindow.commands.main import main
from inwindow.language.sql import over
from inwindow.language.sql.over import sort_key
from inwindow.optimizer.strategy import Yes
from inwindow.optimizer.unbounded import Unbounded
from inwindow.runtime.compiled_hooks import NumbaEvaluator
from inwindow.runtime.stream.bucket import Bucket
from inwindow.testing.fuzz import compiling, frames, night
from inwindow.testing.fuzz.kinds import COMPILED, KINDS, NOT_DRAWN
from inwindow.testing.fuzz.night import Done, Found, Night, Plan
from inwindow.testing.fuzz.rounds import FAMILIES, round_of
from inwindow.testing.fuzz.shrink import shrunk
from inwindow.udaf.builtins import NAMES, extremes
from inwindow.windows import bounds

SYNONYMS = {
    "approx_percentile", "array_agg", "every", "first_value", "last_value", "listagg", "mean", "some", "std", "stddev",
    "variance",
}  # fmt: skip


def first_found(families: tuple[str, ...], seed: int = 1) -> Found | None:
    """What the first rounds find."""
    return next(Night.begun(Plan(seed, families), None).run(cases=20_000), None)


def passes(test: str) -> bool:
    """Whether a printed test passes."""
    names: dict[str, Any] = {}
    exec(compile(test, "test", "exec"), names)
    (function,) = [its for name, its in names.items() if name.startswith("test_")]
    try:
        function()
    except Exception:
        return False
    return True


def _unbounded_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Unbounded, "applies", lambda self, case: Yes("planted"))


def _no_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    real = extremes.FloatExtreme
    monkeypatch.setattr(extremes, "FloatExtreme", lambda op, evicts: real("min" if evicts else op, evicts=evicts))


def _peers_on_the_wrong_side(monkeypatch: pytest.MonkeyPatch) -> None:
    real = bounds._search
    monkeypatch.setattr(bounds, "_search", lambda *given, after: real(*given, after=False))


@pytest.mark.parametrize("planted", [_unbounded_everywhere, _no_maximum, _peers_on_the_wrong_side])
def test_a_planted_fault_is_found_made_small_and_printed(
    planted: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        planted(patched)
        patched.setattr(frames, "BUILT_INS", {name: its for name, its in frames.BUILT_INS.items() if "max" in name})
        found = first_found(("frames",))
        assert found is not None
        assert not passes(found.test)
        assert len(found.round.trial.drawn) <= 4
        assert len(found.round.trial.overs) == 1
    assert passes(found.test), found.test


def _late_tuples_are_taken_after_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Bucket.restore

    def restore(self: Bucket, *given: Any) -> None:
        real(self, *given)
        self.done = None

    monkeypatch.setattr(Bucket, "restore", restore)


def _held_tuples_are_lost_in_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Bucket.restore

    def restore(self: Bucket, *given: Any) -> None:
        real(self, *given)
        self.held = self.held.slice(0, 0)

    monkeypatch.setattr(Bucket, "restore", restore)


@pytest.mark.parametrize("planted", [_late_tuples_are_taken_after_a_restart, _held_tuples_are_lost_in_a_restart])
def test_a_fault_of_streams_is_found_made_small_and_printed(
    planted: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        planted(patched)
        found = first_found(("streams",))
        assert found is not None
        assert not passes(found.test)
        (one,) = found.round.trial.their
        assert len(one.drawn) <= 4
    assert passes(found.test), found.test


def test_a_fault_of_texts_is_found_made_small_and_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """NULLS FIRST is read as NULLS LAST. A query takes DuckDB some time, so that only a hundred smaller ones are tried."""
    with monkeypatch.context() as patched:
        patched.setattr(over, "sort_key", lambda *given: replace(sort_key(*given), nulls_first=False))
        patched.setattr(night, "shrunk", lambda *given: shrunk(*given, most=100))
        found = first_found(("texts",))
        assert found is not None
        assert not passes(found.test)
        assert len(found.round.trial.case.calls) == 1
    assert passes(found.test), found.test


def test_a_fault_of_the_compiled_loop_is_found_made_small_and_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = NumbaEvaluator._by_loop
    with monkeypatch.context() as patched:
        patched.setattr(compiling, "COMPILED", {name: its for name, its in COMPILED.items() if "MyAvg()" in name})
        patched.setattr(NumbaEvaluator, "_by_loop", lambda *given: pc.add(real(*given), 1))
        found = first_found(("compiled",))
        assert found is not None
        assert not passes(found.test)
        assert len(found.round.trial.drawn) == 1
    assert passes(found.test), found.test


def test_the_same_seed_draws_the_same_on_every_machine() -> None:
    digests = {name: sum(round_of(7, number, (name,)).digest for number in range(5)) % 2**64 for name in FAMILIES}
    drawn = {name: f"{digest:016x}" for name, digest in digests.items()}
    assert drawn == DIGESTS, "what is drawn has changed: if it was meant to (a new kind, a new window), write it here"


# Of five rounds of seed 7: they change with what is drawn, and with nothing else.
DIGESTS = {
    "frames": "c70027dd1d7715b7",
    "extents": "d64463fb28b09dc2",
    "ordering": "d79c185b981af779",
    "emissions": "46e0d510fe0f861c",
    "points": "834a606836010d74",
    "streams": "89d080f6dd6c6d6c",
    "temporal": "38810b3f58aef42a",
    "compiled": "b19144cadb203c31",
    "texts": "b94bcac4adc780b7",
}


def test_shards_cover_what_an_unbroken_run_covers(tmp_path: Path) -> None:
    names = ("frames", "points", "emissions")
    whole = _rounds(Plan(3, names), 9)
    shards = [_rounds(Plan(3, names, shard, 3), 3) for shard in range(3)]
    assert sum(one.digest for one in shards) % 2**64 == whole.digest
    assert sum(one.all_cases for one in shards) == whole.all_cases


def test_a_resumed_run_covers_what_an_unbroken_run_covers(tmp_path: Path) -> None:
    plan, file = Plan(4, ("frames",)), tmp_path / "night.json"
    for _ in range(3):
        night = Night.begun(plan, file)
        assert not list(night.run(cases=1))  # one round
    assert night.done.rounds == 3
    whole = _rounds(plan, 3)
    assert (night.done.digest, night.done.cases) == (whole.digest, whole.cases)
    with pytest.raises(iw.UsageError, match="give the same options"):
        Night.begun(Plan(5, ("frames",)), file)


def _rounds(plan: Plan, count: int) -> Done:
    night = Night.begun(plan, None)
    for _ in range(count):
        assert night._next() is None
    return night.done


def test_every_built_in_is_drawn_or_said_not_to_be() -> None:
    drawn = {kind.text[3:].split("(")[0] for kind in KINDS.values() if kind.text.startswith("iw.")}
    assert drawn | NOT_DRAWN.keys() | SYNONYMS == set(NAMES)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "night.json"
    assert main(["fuzz", "--cases", "10", "--only", "frames", "--shard", "2/2", "--resume", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["rounds"] == 1 and said["cases"]["frames"] >= 10 and said["differences"] == 0
    assert json.loads(file.read_text())["plan"]["shard"] == 1
    assert main(["fuzz", "--cases", "10", "--only", "frames", "--shard", "2/2", "--resume", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == said, "there are ten already"
    assert main(["fuzz", "--sum", str(file), str(file)]) == 0
    assert f"| together | {2 * said['cases']['frames']:,} |" in capsys.readouterr().out
    assert main(["fuzz", "--round", "3"]) == 0
    assert "no difference" in capsys.readouterr().out
    for wrong in (["--only", "frame"], ["--shard", "3/2"]):
        assert main(["fuzz", *wrong]) == 2
        assert "fuzz: " in capsys.readouterr().err


def test_nothing_but_the_seed_decides() -> None:
    random.seed(1)
    one = round_of(11, 5, tuple(FAMILIES)).digest
    random.seed(2)
    assert round_of(11, 5, tuple(FAMILIES)).digest == one
