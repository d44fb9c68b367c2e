"""A planted fault: a small change of one file that makes results wrong. The table of them is in the .txt files beside this one::

    # windows/bounds.py                                         the file

    ROWS: one following tuple is not awaited                    what it means, in a line
    - sequence.end - max(self.upper, 0))                        the text, which is there once: a part of a line, or several lines
    + sequence.end - max(self.upper - 1, 0))                    what it becomes; without such a line, the old lines go

A fault must be one: show it by what catches it. What only costs memory or time, or changes nothing, has no place there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Fault:
    """In ``file`` the text ``old``, which is there once, becomes ``new``."""

    file: str
    old: str
    new: str
    says: str  # what it means, for a reader

    @property
    def id(self) -> str:
        """A short name that stays when others are added: of the file and the two texts."""
        said = f"{self.file}\0{self.old}\0{self.new}".encode()
        return f"{Path(self.file).stem}-{blake2b(said, digest_size=3).hexdigest()}"

    @property
    def module(self) -> str:
        """The module that is another one with the fault; a kernel's for what is compiled into one."""
        return "inwindow." + self.file.rpartition(".")[0].replace("/", ".")

    @property
    def is_compiled(self) -> bool:
        return not self.file.endswith(".py")

    def planted(self) -> str:
        """The text of the file with the fault."""
        text = (ROOT / self.file).read_text(encoding="utf-8")
        found = text.count(self.old)
        if found != 1:
            raise ValueError(f"{self.file}: {self.old!r} is there {found} times, not once: write the fault anew")
        return text.replace(self.old, self.new)


def faults_of(room: str) -> tuple[Fault, ...]:
    """The faults of a room's table."""
    return tuple(_read(Path(__file__).with_name(f"{room}.txt").read_text(encoding="utf-8")))


def _read(text: str) -> Iterator[Fault]:
    file = ""
    for block in text.strip().split("\n\n")[1:]:
        said, *lines = block.split("\n")
        if said.startswith("# "):
            file = said.removeprefix("# ")
            continue
        old, new = ([line[2:] for line in lines if line.startswith(sign)] for sign in "-+")
        if not old or len(old) + len(new) != len(lines):
            raise ValueError(f"{file}: {said}: write lines that begin with '- ', then lines that begin with '+ '")
        yield Fault(file, "\n".join(old) + ("" if new else "\n"), "\n".join(new), said)
