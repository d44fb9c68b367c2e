"""What caught each fault: found.json, a row for each, written when it has been tried."""

import json
import os
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("found.json")


def kept() -> dict[str, dict[str, Any]]:
    """What is known, by the ids of faults."""
    return {one["fault"]: one for one in json.loads(FILE.read_text())} if FILE.exists() else {}


def keep(found: dict[str, Any]) -> None:
    """Add what was found of one fault. It is read again, as another shard may have written."""
    rows = kept() | {found["fault"]: found}
    lines = ",\n".join(json.dumps(rows[name], ensure_ascii=False) for name in sorted(rows))
    part = FILE.with_suffix(f".{os.getpid()}")
    part.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    os.replace(part, FILE)
