"""Objects whose state is some of their attributes."""

from typing import Any, ClassVar


class Stateful:
    """``kept`` names the attributes that make up the state; an attribute may be stateful itself."""

    kept: ClassVar[tuple[str, ...]] = ()

    def state(self) -> Any:
        """The kept attributes; not a copy."""
        attributes = (getattr(self, name) for name in self.kept)
        return [its.state() if hasattr(its, "restore") else its for its in attributes]

    def restore(self, state: Any) -> None:
        """Continue from a state of the same class."""
        for name, its in zip(self.kept, state, strict=True):
            attribute = getattr(self, name)
            if hasattr(attribute, "restore"):
                attribute.restore(its)
            else:
                setattr(self, name, its)
