"""Every Arrow type in every place where a column may stand: it works, or an error of ours names the column and says what to do.

A column of any type is made so that its values stand to one another as integers do (`samples/typed_columns.py`). So what it
gives must be what the integers give, value for value. What is refused is in `type_matrix.txt`, to be read, and written anew by

    pytest tests/api/test_type_matrix.py --write

`make test` tries each use on a third of the types, of each family the next third; `make thorough` on all.
"""

import math
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import settings
from samples.column_uses import PLACES, Given, Use, out
from samples.typed_columns import KINDS, Kind

import inwindow as iw

SHARE = 1 if settings.get_current_profile_name() == "thorough" else 3
REFUSED = Path(__file__).with_name("type_matrix.txt")

# What the integers and what the column give


def plain(value: Any) -> Any:
    """Without numpy's and pandas' types."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, "to_pydatetime") or hasattr(value, "to_pytimedelta"):
        return value.to_pydatetime() if hasattr(value, "to_pydatetime") else value.to_pytimedelta()
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value)) if not hasattr(value, "_fields") else value
    return {name: plain(one) for name, one in value.items()} if isinstance(value, dict) else value


def stood_for(value: Any, values: dict[Any, Any]) -> Any:
    """The value that an integer of a result stands for; also in lists, and in the items of `frequent_items`."""
    if isinstance(value, list):
        return [stood_for(one, values) for one in value]
    if isinstance(value, dict):
        return {**value, "item": stood_for(value["item"], values)}
    return None if value is None else values[value]


def near(ours: Any, theirs: Any) -> bool:
    """Numbers of whatever type, days for durations."""
    if ours is None or theirs is None:
        return ours is theirs
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(near, ours, theirs))
    ours = ours / timedelta(days=1) if isinstance(ours, timedelta) else float(ours)
    return math.isclose(ours, theirs, rel_tol=1e-6) or (math.isnan(ours) and math.isnan(theirs))


def wrong(use: Use, kind: Kind, ours: Any) -> Any:
    """The first row that is not as it must be, or None."""
    if use.gives == "any":
        return None
    theirs = of_integers(use, kind)
    values = dict(zip(kind.numbers, (plain(one.as_py()) for one in _three(kind)), strict=True))
    given = [plain(row) for row in out(ours).to_pylist()]
    for row, other in zip(given, theirs, strict=True):
        for name, value in other.items():
            if name == "c" or (use.gives == "values" and name in "xy"):
                fits = row[name] == stood_for(value, values)
            elif use.gives == "joined" and name in "xy":
                letters = stood_for(value, values)
                fits = row[name] == (letters[0][:0].join(letters) if letters else None)
            elif use.gives == "numbers" and name in "xy":
                fits = near(row[name], value)
            else:
                fits = row[name] == value
            if not fits:
                return name, row, other
    return None


def of_integers(use: Use, kind: Kind) -> list[dict[str, Any]]:
    """What the integers give; once, where it depends on nothing else of the kind."""
    if use.plain is not None:
        return out(use.plain(Given(kind, plain=True))).to_pylist()
    if (use, kind.numbers) not in _GIVEN:
        _GIVEN[use, kind.numbers] = out(use.call(Given(kind, plain=True))).to_pylist()
    return _GIVEN[use, kind.numbers]


_GIVEN: dict[tuple[Use, tuple[Any, ...]], list[dict[str, Any]]] = {}


def _three(kind: Kind) -> list[Any]:
    array = kind.column((1, 2, 3))
    return list(pc.run_end_decode(array) if pa.types.is_run_end_encoded(kind.type) else array)


def refusal(use: Use, kind: Kind) -> str | None:
    """The message, where a use is refused; fails where the error is not ours or says too little, or the results are wrong."""
    try:
        ours = out(use.call(Given(kind, plain=False)))
    except iw.InWindowError as error:
        said = str(error)
        assert isinstance(error, (iw.UsageError, iw.DefinitionError, iw.ResultTypeError)), f"only while running: {said}"
        named = "'c'" in said or re.search(
            r"\((.*, )?c(, .*)?\)|by c\b|\bc (size|gap|rows)|column c\b|draw\(|returns=", said
        )
        assert named, f"names no column: {said}"
        assert re.search(r"\b(cast|give|write|declare|use|order by|return|make)\b", said), (
            f"says not what to do: {said}"
        )
        return said
    found = wrong(use, kind, ours)
    assert found is None, found
    return None


@pytest.fixture(scope="module")
def expected(write: bool) -> dict[str, str]:
    """The lines of type_matrix.txt, by their use."""
    if write:
        REFUSED.write_text(summary(), encoding="utf-8")
    return {line.partition(":")[0]: line for line in REFUSED.read_text(encoding="utf-8").splitlines()}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_use(kind: Kind, expected: dict[str, str]) -> None:
    for place, uses in PLACES.items():
        for number, use in enumerate(uses):
            if (number + KINDS.index(kind)) % SHARE:
                continue
            title = f"{place} {use.name}"
            try:
                said = refusal(use, kind)
            except iw.InWindowError:
                raise
            except Exception as error:
                raise AssertionError(f"{title}: {type(error).__name__}: {error}") from error
            listed = _listed(kind, expected.get(title.replace(":", ""), ""))
            assert (said is not None) == listed, f"{title}: {said or 'works'}: write type_matrix.txt anew"


def _listed(kind: Kind, line: str) -> bool:
    verb, _, rest = line.partition(": ")[2].partition(" ")
    names = [name.strip() for name in rest.split(";")]
    return (kind.family in names or kind.name in names) == (verb == "refuses")


def summary() -> str:
    """A line for each use: which types, or families of them, it takes or refuses, whichever are fewer."""
    families: dict[str, list[Kind]] = {}
    for kind in KINDS:
        families.setdefault(kind.family, []).append(kind)
    lines = []
    for place, uses in PLACES.items():
        for use in uses:
            refused = {kind.name for kind in KINDS if refusal(use, kind) is not None}
            few = len(refused) < len(KINDS) / 2
            listed: list[str] = []
            for family, members in families.items():
                its = [kind.name for kind in members if (kind.name in refused) == few]
                listed += [family] if len(its) == len(members) else its
            lines.append(f"{place} {use.name}: {'refuses' if few else 'takes'} {'; '.join(listed) or 'nothing'}")
    return "\n".join(lines) + "\n"
