"""What the copy button of the site copies: the code of a page without prompts, and what it prints in a block of its own.

::

    >>> class A:                         class A:
    ...     x = 1                            x = 1
    >>> A.x                      ->
    1                                    A.x

                                         1

A plain Python shell, and so Spark's, ends a class at its first blank line, and wants one behind it: there is one, and none
within.
"""

import ast
import doctest
import re
from collections.abc import Iterator
from typing import NamedTuple

FENCED = re.compile(r"^(?P<indent> *)```python\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """Some code, and what the last line of it gives."""

    code: str
    output: str

    @property
    def raises(self) -> bool:
        """Whether it is there to show an error."""
        return self.output.startswith("Traceback")


def without_prompts(text: str) -> str:
    """A page, with its doctests as code and outputs."""
    return FENCED.sub(lambda found: _fenced(found["body"], found["indent"]), text)


def blocks_of(text: str) -> list[Block]:
    """The code of a page as it is copied, block by block."""
    return [block for found in FENCED.finditer(text) for block in blocks(_dedented(found["body"], found["indent"]))]


def blocks(body: str) -> Iterator[Block]:
    """A fenced block, cut behind each output."""
    if not body.lstrip().startswith(">>>"):
        yield Block(as_statements(body), "")
        return
    code = ""
    for example in doctest.DocTestParser().get_examples(body):
        code += statement(example.source)
        if example.want:
            yield Block(code.rstrip() + "\n", example.want.replace("<BLANKLINE>", ""))
            code = ""
    if code:
        yield Block(code.rstrip() + "\n", "")


def statement(source: str) -> str:
    """A statement as a shell takes it."""
    lines = [re.sub(r" *# doctest: .*", "", line) for line in source.splitlines() if line.strip()]
    compound = hasattr(ast.parse(source).body[-1], "body")  # a class, a function, a loop: also one in a line
    return "\n".join([*lines, *([""] if compound else []), ""])


def as_statements(body: str) -> str:
    """Code without prompts, as a shell takes it; comments stay where they are."""
    try:
        nodes = ast.parse(body).body
    except SyntaxError:  # a signature, in the reference
        return body
    lines = body.split("\n")
    for node in reversed(nodes):
        texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if hasattr(node, "body") and not any("\n\n" in text for text in texts):
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))]) - 1
            inside = [line for line in lines[first : node.end_lineno] if line.strip()]
            behind = "\n".join(lines[node.end_lineno :]).lstrip("\n").split("\n")
            lines = [*lines[:first], *inside, "", *behind]
    return "\n".join(lines).rstrip("\n") + "\n"


def _fenced(body: str, indent: str) -> str:
    parts = []
    for block in blocks(_dedented(body, indent)):
        parts.append(f"```python\n{block.code}```")
        if block.output:
            parts.append(f"``` {{ .text .no-copy .output }}\n{block.output.rstrip()}\n```")
    return "\n".join(indent + line if line else "" for line in "\n\n".join(parts).split("\n"))


def _dedented(body: str, indent: str) -> str:
    return re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)
