"""What caught each fault: a row for each, written to a file when it has been tried."""

import json
import os
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("found.json")


def kept(file: Path = FILE) -> dict[str, dict[str, Any]]:
    """What is known, by the ids of faults."""
    return {one["fault"]: one for one in json.loads(file.read_text())} if file.exists() else {}


def keep(found: dict[str, Any], file: Path = FILE) -> None:
    """Add what was found of one fault. The file is read again, as another shard may have written."""
    rows = kept(file) | {found["fault"]: found}
    lines = ",\n".join(json.dumps(rows[name], ensure_ascii=False) for name in sorted(rows))
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}")
    part.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    os.replace(part, file)
