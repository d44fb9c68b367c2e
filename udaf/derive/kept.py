"""Fields with a value of one tuple (the newest or the oldest), or a constant."""

from inwindow.udaf.derive.form import Code, Form, No
from inwindow.udaf.derive.updates import Update


class Newest(Form):
    """A value of the newest tuple."""

    commutes = False

    def undo(self, update: Update) -> Code | No:
        """Nothing to do: the newest tuple never leaves before the others."""
        return []

    def merge(self) -> Code | No:
        """Take the later run's."""
        return [f"self.{self.x} = later.{self.x}"]

    def unmerge(self) -> Code | No:
        """Nothing to do: the newest tuple is never in the earlier run."""
        return []


class Oldest(Form):
    """A value of the first tuple."""

    commutes = False

    def undo(self, update: Update) -> Code | No:
        """Not possible: the value of the second tuple is not in the state."""
        return No(f"self.{self.x} is what the first tuple said: what the next one says is not in the state")

    def merge(self) -> Code | No:
        """Keep the earlier run's."""
        return []

    def unmerge(self) -> Code | No:
        """Not possible: the value of the second run is lost."""
        return No(f"self.{self.x} is what the first tuple said")


class Fixed(Form):
    """A field that initialize sets to a constant, and that never changes."""

    def undo(self, update: Update) -> Code | No:
        """Nothing."""
        return []

    def merge(self) -> Code | No:
        """Nothing."""
        return []

    def unmerge(self) -> Code | No:
        """Nothing."""
        return []
