"""Fields that are counting dicts, sets, or lists."""

import ast

from inwindow.udaf.derive.form import Code, Form, No
from inwindow.udaf.derive.updates import Update


class Counts(Form):
    """A dict with the number of times that each key came."""

    grows = True
    terminate_sees = "order"

    def _less(self, key: str, count: str) -> Code:
        return [
            f"_left = self.{self.x}.get({key}, 0) - {count}",
            "if _left > 0:",
            f"    self.{self.x}[{key}] = _left",
            "elif _left == 0:",
            f"    del self.{self.x}[{key}]",
            "else:",
            "    return PUNT",
        ]

    def undo(self, update: Update) -> Code | No:
        """Subtract one; remove the key at 0, as if it had never come."""
        assert update.key is not None
        return self._less(ast.unparse(update.key), ast.unparse(update.value))

    def merge(self) -> Code | No:
        """Add the counts; keys stay in the order in which they first came."""
        return [
            f"for key, count in later.{self.x}.items():",
            f"    self.{self.x}[key] = self.{self.x}.get(key, 0) + count",
        ]

    def unmerge(self) -> Code | No:
        """Subtract the counts."""
        return [
            f"for key, count in earlier.{self.x}.items():",
            *(f"    {line}" for line in self._less("key", "count")),
        ]


class Members(Form):
    """A set; a hidden dict counts how many times each member came."""

    grows = True
    terminate_sees = "order"

    @property
    def hidden(self) -> str:
        """How many times each came."""
        return f"_{self.x}_counts"

    def begin(self) -> Code:
        """No member has come yet."""
        return [f"self.{self.hidden} = {{}}"]

    def beside(self, update: Update) -> Code:
        """Add one to the member's count."""
        member = ast.unparse(update.value)
        return [f"self.{self.hidden}[{member}] = self.{self.hidden}.get({member}, 0) + 1"]

    def _less(self, member: str, count: str) -> Code:
        return [
            f"_left = self.{self.hidden}.get({member}, 0) - {count}",
            "if _left > 0:",
            f"    self.{self.hidden}[{member}] = _left",
            "elif _left == 0:",
            f"    del self.{self.hidden}[{member}]",
            f"    self.{self.x}.discard({member})",
            "else:",
            "    return PUNT",
        ]

    def undo(self, update: Update) -> Code | No:
        """Subtract one from the member's count; remove the member at 0."""
        return self._less(ast.unparse(update.value), "1")

    def merge(self) -> Code | No:
        """The union."""
        return [
            f"self.{self.x} |= later.{self.x}",
            f"for key, count in later.{self.hidden}.items():",
            f"    self.{self.hidden}[key] = self.{self.hidden}.get(key, 0) + count",
        ]

    def unmerge(self) -> Code | No:
        """Remove the members that only the earlier run has."""
        return [
            f"for key, count in earlier.{self.hidden}.items():",
            *(f"    {line}" for line in self._less("key", "count")),
        ]


class Queue(Form):
    """A list to which tuples are appended, and from whose other end they leave."""

    grows = True
    commutes = False
    terminate_sees = "contents"

    def undo(self, update: Update) -> Code | No:
        """Remove the oldest."""
        return [f"del self.{self.x}[0]"]

    def merge(self) -> Code | No:
        """Append the later list."""
        return [f"self.{self.x}.extend(later.{self.x})"]

    def unmerge(self) -> Code | No:
        """Remove as many as the earlier run has."""
        return [f"del self.{self.x}[:len(earlier.{self.x})]"]
