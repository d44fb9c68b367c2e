"""Fields that are the largest or the smallest: two runs merge, and nothing comes out."""

import ast
from dataclasses import dataclass

from inwindow.udaf.derive.form import Code, Form, No
from inwindow.udaf.derive.updates import Update


@dataclass
class Extreme(Form):
    """A maximum or a minimum: whether a value takes its place is asked with ``sign``."""

    sign: str = ">"
    from_none: bool = False

    def undo(self, update: Update) -> Code | No:
        """No inverse."""
        return No(f"self.{self.x} is an extreme: when it leaves, the next one is not in the state")

    def merge(self) -> Code | No:
        """That of both; of equals the one that one run would have kept."""
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
    """One of floats. A NaN stays if it came first, and is passed over if not: so what came behind it is kept beside."""

    commutes = False

    @property
    def hidden(self) -> str:
        """The extreme of what came after a first NaN; None if nothing did."""
        return f"_{self.x}_rest"

    def begin(self) -> Code:
        """Nothing came yet."""
        return [f"self.{self.hidden} = None"]

    def first(self, update: Update) -> Code:
        """Nothing comes behind the first."""
        return []

    def beside(self, update: Update) -> Code:
        """Costs a comparison, where there is no NaN."""
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
        """What is no NaN in the later run, as if it came as one value."""
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
