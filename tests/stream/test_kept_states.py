"""States that earlier builds have written are read, and go on."""

import base64
import json

import pytest
from stream.kept_states import CUT, END, KEPT, QUERIES, TABLE, bucket

from inwindow.runtime import sealed
from inwindow.runtime.stream.inspection import READERS, inspected

FILES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(KEPT.glob("version_*.json"))}


def test_the_version_that_is_written_is_kept() -> None:
    assert f"version_{sealed.VERSION}" in FILES


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("file", FILES)
def test_a_kept_state_goes_on(file: str, name: str) -> None:
    kept = FILES[file][name]
    head = base64.b64decode(kept["head"])
    chunks = {int(number): base64.b64decode(one) for number, one in kept["chunks"].items()}
    fresh, its = bucket(name), bucket(name)
    fresh.step(TABLE.slice(0, CUT), fresh.key.value(TABLE["t"][35].as_py(), what="t"))
    its.restore(head, chunks.__getitem__)
    expected = fresh.step(TABLE.slice(CUT), END).rows
    assert sorted(map(str, its.step(TABLE.slice(CUT), END).rows.to_pylist())) == sorted(map(str, expected.to_pylist()))
    for read in READERS.values():
        assert len(read(inspected(head, chunks.__getitem__)))
