"""Fields that keep what one tuple said: the newest, the oldest, or what never changes."""

from inwindow.udaf.derive.form import Code, Form, No
from inwindow.udaf.derive.updates import Update


class Newest(Form):
    """What the newest tuple says."""

    commutes = False

    def undo(self, update: Update) -> Code | No:
        """The newest is never the one that leaves."""
        return []

    def merge(self) -> Code | No:
        """The later run's."""
        return [f"self.{self.x} = later.{self.x}"]

    def unmerge(self) -> Code | No:
        """The newest is in no earlier run."""
        return []


class Oldest(Form):
    """What the first tuple said."""

    commutes = False

    def undo(self, update: Update) -> Code | No:
        """The second tuple is not in the state."""
        return No(f"self.{self.x} is what the first tuple said: what the next one says is not in the state")

    def merge(self) -> Code | No:
        """The earlier run's."""
        return []

    def unmerge(self) -> Code | No:
        """The second run's is gone."""
        return No(f"self.{self.x} is what the first tuple said")


class Fixed(Form):
    """What initialize sets to a constant, and nothing changes."""

    def undo(self, update: Update) -> Code | No:
        """Nothing."""
        return []

    def merge(self) -> Code | No:
        """Nothing."""
        return []

    def unmerge(self) -> Code | No:
        """Nothing."""
        return []
