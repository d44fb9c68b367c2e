"""Fields that are sums or products: a tuple is undone by the inverse operation."""

import ast
import operator
from typing import Any

from inwindow.udaf.derive.form import Code, Form, No
from inwindow.udaf.derive.hook import Cannot
from inwindow.udaf.derive.terms import Conditions, First, is_zero, parts_of
from inwindow.udaf.derive.updates import Update, ways_of


def zero_of(x: str, first: First) -> Any:
    """The 0 from which a sum of floats starts if the first tuple adds nothing.

    If the first tuple adds a value, the sum is that value without a 0 added: the same number, except that 0.0 + -0.0 is 0.0.
    """
    zeros = [first.start] if first.has_start else []
    for conditions, update in first.terms:
        values = ways_of(update.value)
        zeros += [ast.literal_eval(value) for value in values if is_zero(value)]
        for more, _, value in parts_of(update.value, update.does):
            if not _is_never_zero(value, (*conditions, *more)):
                why = "begins at 0, or at what the first tuple says, which may be -0.0"
                raise Cannot(f"self.{x} {why}: set it to 0.0 first, and add to that")
    if len({*map(repr, zeros)}) != 1:
        raise Cannot(
            f"self.{x} begins at more than one kind of 0: {', '.join(sorted({*map(repr, zeros)})) or 'none is seen'}"
        )
    return zeros[0]


def _is_never_zero(value: ast.expr, conditions: Conditions) -> bool:
    """Whether a test shows that the value is not 0: a comparison with a number that fails for 0."""
    for text, way in conditions:
        test = eval(text, dict(vars(ast)))  # noqa: S307 - what ast.dump gave
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _SIGNS:
            sides = [
                ast.Constant(0.0) if ast.dump(side) == ast.dump(value) else side
                for side in (test.left, *test.comparators)
            ]
            try:
                at_zero = _SIGNS[type(test.ops[0])](*map(ast.literal_eval, sides))
            except (ValueError, TypeError):
                continue
            if at_zero is not way:
                return True
    return False


_SIGNS: dict[type, Any] = {
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Lt: operator.lt, ast.LtE: operator.le, ast.NotEq: operator.ne,
    ast.Eq: operator.eq,
}  # fmt: skip


class Total(Form):
    """A sum of integers: always exact."""

    def undo(self, update: Update) -> Code | No:
        """Apply the inverse operation."""
        return [f"self.{self.x} {'-' if update.does == 'add' else '+'}= {ast.unparse(update.value)}"]

    def merge(self) -> Code | No:
        """The sum of both, if they begin at 0."""
        return [f"self.{self.x} += later.{self.x}"] if self._from(0) else self._twice()

    def unmerge(self) -> Code | No:
        """Subtract the earlier run."""
        return [f"self.{self.x} -= earlier.{self.x}"] if self._from(0) else self._twice()

    def _twice(self) -> No:
        return No(f"self.{self.x} begins at {self.start!r}, which a merge would count twice")


class FloatTotal(Total):
    """A sum of floats: a hidden field has the exact sum, and the field is that sum rounded. See :mod:`inwindow.native._exact`."""

    @property
    def hidden(self) -> str:
        """The exact sum."""
        return f"_{self.x}_sum"

    def begin(self) -> Code:
        """The exact sum of nothing, or of the start."""
        return [f"self.{self.hidden} = ExactSum({repr(self.start) if self.has_start else ''})"]

    def step(self, update: Update) -> Code:
        """Add to the exact sum, and set the field to the rounded sum."""
        return [f"self.{self.x} = self.{self.hidden}.add({self._signed(update)})"]

    def _signed(self, update: Update) -> str:
        text = ast.unparse(update.value)
        return text if update.does == "add" else f"-({text})"

    def undo(self, update: Update) -> Code | No:
        """Out of the exact sum."""
        return [
            f"self.{self.x} = self.{self.hidden}.take({self._signed(update)})",
            f"if self.{self.x} is None:",
            "    return PUNT",
        ]

    def merge(self) -> Code | No:
        """The exact sum of both."""
        return [f"self.{self.x} = self.{self.hidden}.merge(later.{self.hidden})"] if self._from(0) else self._twice()

    def unmerge(self) -> Code | No:
        """Out of the exact sum."""
        if not self._from(0):
            return self._twice()
        return [
            f"self.{self.x} = self.{self.hidden}.unmerge(earlier.{self.hidden})",
            f"if self.{self.x} is None:",
            "    return PUNT",
        ]


class Product(Form):
    """A product of integers: undone by an exact division; a factor 0 is refused."""

    def undo(self, update: Update) -> Code | No:
        """Divide; refuse a 0."""
        factor = ast.unparse(update.value)
        return [f"if ({factor}) == 0:", "    return PUNT", f"self.{self.x} //= {factor}"]

    def merge(self) -> Code | No:
        """The product of both, if they begin at 1."""
        if not self._from(1):
            return No(f"self.{self.x} begins at {self.start!r}, by which a merge would multiply twice")
        return [f"self.{self.x} *= later.{self.x}"]

    def unmerge(self) -> Code | No:
        """Divide by the earlier run."""
        if not self._from(1):
            return No(f"self.{self.x} begins at {self.start!r}, by which a merge would multiply twice")
        return [f"if earlier.{self.x} == 0:", "    return PUNT", f"self.{self.x} //= earlier.{self.x}"]
