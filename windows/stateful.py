"""Objects whose state is some of their attributes."""

from typing import Any, ClassVar


class Stateful:
    """``kept`` names the attributes from which another object goes on; one that has a state itself is asked for it."""

    kept: ClassVar[tuple[str, ...]] = ()

    def state(self) -> Any:
        """What is kept; not a copy."""
        attributes = (getattr(self, name) for name in self.kept)
        return [its.state() if hasattr(its, "restore") else its for its in attributes]

    def restore(self, state: Any) -> None:
        """Go on from a state of the same class."""
        for name, its in zip(self.kept, state, strict=True):
            attribute = getattr(self, name)
            if hasattr(attribute, "restore"):
                attribute.restore(its)
            else:
                setattr(self, name, its)
