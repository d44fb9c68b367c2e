"""A planted fault: a small change of one file that makes results wrong."""

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


def faults(file: str, *rows: tuple[str, str, str]) -> Iterator[Fault]:
    """Faults of one file: (old, new, what it means)."""
    for old, new, says in rows:
        yield Fault(file, old, new, says)
