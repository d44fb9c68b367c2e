"""What was found, by kind of fault: one JSON, of which docs/trust.md is made."""

import json
import os
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("found.json")


def kept(file: Path = FILE) -> dict[str, Any]:
    """What is known, by kind of fault."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def keep(kind: str, found: dict[str, Any], file: Path = FILE) -> None:
    """Put what was found of a kind in the place of what was known of it."""
    rows = kept(file) | {kind: found}
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(dict(sorted(rows.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(part, file)
