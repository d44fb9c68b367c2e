"""``RESULTS.md``: a head, and a section per benchmark, each under its own heading."""

import re
from pathlib import Path

RESULTS = Path(__file__).parent / "RESULTS.md"


def put(name: str, text: str) -> None:
    """Make ``text`` the section ``## name``, in the place of the one there was, or at the end."""
    old = RESULTS.read_text() if RESULTS.exists() else ""
    section = f"## {name}\n\n{text.strip()}\n"
    its = re.compile(rf"^## {re.escape(name)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    appended = f"{old.rstrip()}\n\n{section}"
    new = its.sub(lambda _: section + "\n", old) if its.search(old) else appended
    RESULTS.write_text(new.rstrip() + "\n")
