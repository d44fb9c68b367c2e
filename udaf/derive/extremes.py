"""Fields that are a maximum or a minimum: two runs can be merged, but no tuple can be undone."""

import ast
from dataclasses import dataclass

from inwindow.udaf.derive.form import Code, Form, No
from inwindow.udaf.derive.updates import Update


@dataclass
class Extreme(Form):
    """A maximum or a minimum; ``sign`` is the comparison with which a value replaces it."""

    sign: str = ">"
    from_none: bool = False

    def undo(self, update: Update) -> Code | No:
        """No inverse."""
        return No(f"self.{self.x} is an extreme: when it leaves, the next one is not in the state")

    def merge(self) -> Code | No:
        """The extreme of both; of equal values, the one that a single run would have kept."""
        if not self.from_none:
            return [f"if later.{self.x} {self.sign} self.{self.x}:", f"    self.{self.x} = later.{self.x}"]
        return [
            f"if later.{self.x} is not None and (self.{self.x} is None or later.{self.x} {self.sign} self.{self.x}):",
            f"    self.{self.x} = later.{self.x}",
        ]

    def unmerge(self) -> Code | No:
        """No inverse."""
        return No(f"self.{self.x} is an extreme, which cannot be taken back")


class FloatExtreme(Extreme):
    """An extreme of floats. A NaN stays if it came first, and is ignored otherwise. So a hidden field has the extreme after it."""

    commutes = False

    @property
    def hidden(self) -> str:
        """The extreme of the values after a first NaN; None if there are none."""
        return f"_{self.x}_rest"

    def begin(self) -> Code:
        """No value has come yet."""
        return [f"self.{self.hidden} = None"]

    def first(self, update: Update) -> Code:
        """There is no value after the first."""
        return []

    def beside(self, update: Update) -> Code:
        """Update the hidden field; without a NaN this is only a comparison."""
        value = f"({ast.unparse(update.value)})"
        return [
            f"if self.{self.x} != self.{self.x} and {value} == {value}:",
            *self._rest_of(value, "    "),
        ]

    def _rest_of(self, value: str, indent: str) -> Code:
        return [
            f"{indent}if self.{self.hidden} is None or {value} {self.sign} self.{self.hidden}:",
            f"{indent}    self.{self.hidden} = {value}",
        ]

    def merge(self) -> Code | No:
        """Take the extreme of the later run without NaN, like one further value."""
        lines = [
            f"rest = later.{self.hidden} if later.{self.x} != later.{self.x} else later.{self.x}",
            "if rest is not None:",
            f"    if rest {self.sign} self.{self.x}:",
            f"        self.{self.x} = rest",
            f"    if self.{self.x} != self.{self.x}:",
            *self._rest_of("rest", "        "),
        ]
        if not self.from_none:
            return lines
        return [
            f"if self.{self.x} is None:",
            f"    self.{self.x}, self.{self.hidden} = later.{self.x}, later.{self.hidden}",
            "else:",
            *(f"    {line}" for line in lines),
        ]
