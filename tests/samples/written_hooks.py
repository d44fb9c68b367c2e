"""Hook sources from a grammar of statements, most of them odd, as classes in files of their own.

A class is drawn as a few fields, each with what initialize and iterate do to it, and now and then with something that is not
what it seems. Nothing is meant by any of them: all that is asked is that a window gives what folding each frame afresh gives.
"""

import importlib.util
import itertools
import re
import sys
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

HEAD = """\
import math
from collections import Counter, defaultdict
import inwindow as iw

K, W, FLAG, limit, v2 = 3, 2.5, True, 1, -2
TABLE = (1, 2, 3)

def odd(n):
    return n % 2
"""

# Names that mean something else where the class stands: closures of a function around it, or globals.
AROUND = [
    "set = list", "int = lambda *a: 7", "int = float", "dict = Counter", "max = min", "abs = len", "K = 10", "K = 2.5",
    "K = FLAG",
    "float = str", "w = 4", "v = 4", "limit = 2.0", "list = tuple", "sum = len", "sorted = list", "_left = 4",
    "len = lambda x: 3",
    "math = type('m', (), {'inf': 3, 'sqrt': abs})", "defaultdict = lambda f: Counter()", "x = 5", "self = 5",
]  # fmt: skip

PLAIN = [
    "v", "w", "v", "v if w > 1 else w", "v == w or 3",
    "v * 2", "K", "1", "v > 1", "int(v > 1)", "abs(v)", "v % 3", "-v", "v if v > 1 else 0",
    "v if v > 1 else 0.0",
    "v if w > 0 else -0.0", "v * K", "self.scale * v", "float(v)", "v + w", "v / 2", "max(v, 0)", "max(v, w)", "v == w",
    "str(v)", "0.0",
    "v and 1", "v or 1.5", "v ** 2", "(v, w)",
]  # fmt: skip
VALUES = [
    "self.many", "round(v)", "round(v, None)", "round(v, 1)", "v is w", "W", "v2", "limit", "_left", "True", "False",
    "-0.0", "(y := v)",
    "odd(v)", "bool(v)", "[v][0]", "v.real", "len(str(v))", "sum([v])", "min(v, 1)", "0", "not v", "int(v)", "TABLE[0]",
    "x", "self.size",
    "(lambda v: v)(w)", "max(q for q in (v, w))", "self.n", "self.a", "v if w > 1 else w", "self.helper(v)", "'%s' % v",
    "f'{v}'",
]  # fmt: skip

# What __init__, initialize and iterate do to a field, and what terminate may say of it.
FORMS = [
    ("self.a = {zero}", "self.a = {0}", "self.a += {0}", "repr(self.a)"),
    ("self.a = {zero}", "self.a = {0}", "self.a = self.a + {0}", "'%s' % (self.a / 2)"),
    ("self.a = {zero}", "self.a = 0\nself.a += {0}", "self.a = {0} + self.a", "repr(self.a * 1)"),
    ("self.a = {zero}", "self.a = 0.0\nif {1}: self.a = {0}", "if {1}: self.a += {0}", "repr(self.a)"),
    ("self.a = {zero}", "self.a = {0} if {1} else 0", "if {1}: self.a += {0}", "repr(float(self.a))"),
    ("self.a = {zero}", "self.a = {0} if {1} else 0.0", "if {1}: self.a += {0}", "repr(self.a)"),
    ("self.a = {zero}", "self.a = -{0}", "self.a -= {0}", "repr(self.a)"),
    ("self.n = 0", "self.n = 1", "self.n += 1", "repr(self.n)"),
    ("self.p = 1", "self.p = {0}", "self.p *= {0}", "repr(self.p)"),
    ("self.b = {low}", "self.b = {0}", "self.b = max(self.b, {0})", "repr(self.b)"),
    ("self.b = {low}", "self.b = {low}\nself.b = min({0}, self.b)", "self.b = min({0}, self.b)", "repr(self.b)"),
    ("self.b = {low}", "self.b = {0}", "if self.b is None or {0} >= self.b: self.b = {0}", "repr(self.b)"),
    ("self.b = {low}", "self.b = {low}\nif {0} >= self.b: self.b = {0}", "if {0} >= self.b: self.b = {0}", "repr(self.b)"),
    ("self.c = {{}}", "self.c = {{{0}: 1}}", "self.c[{0}] = self.c.get({0}, 0) + 1", "repr(sorted(self.c.values()))"),
    ("self.c = {{}}", "self.c = dict()\nself.c[{0}] = 1 + self.c.get({0}, 0)", "self.c[{0}] = self.c.get({0}, 0) + 1",
     "repr(sorted(self.c))"),
    ("self.c = {{}}", "self.c = {{{0}: 1}}", "if {0} in self.c: self.c[{0}] += 1\nelse: self.c[{0}] = 1", "repr(max(self.c))"),
    ("self.d = {d}", "self.d = defaultdict(int)\nself.d[{0}] += 1", "self.d[{0}] += 1",
     "repr(sum(n * n for n in self.d.values()))"),
    ("self.d = {d}", "self.d = Counter()\nself.d[{0}] += 2", "self.d[{0}] += 2", "repr(sorted(self.d))"),
    ("self.s = set()", "self.s = set()\nself.s.add({0})", "self.s.add({0})", "repr(sorted(self.s))"),
    ("self.s = set()", "self.s = {{{0}}}", "self.s.add({0})", "repr(len(self.s))"),
    ("self.l = []", "self.l = list()\nself.l.append({0})", "self.l.append({0})", "repr(self.l)"),
    ("self.l = []", "self.l = [{0}]", "self.l.append({0})", "repr(sum(self.l))"),
    ("self.last = None", "self.last = {0}", "self.last = {0}", "repr(self.last)"),
    ("self.first = None", "self.first = {0}", "pass", "repr(self.first)"),
    ("self.a = self.n = 0", "self.a, self.n = {0}, 1", "self.a, self.n = self.a + {0}, self.n + 1", "f'{{self.a}} {{self.n}}'"),
    ("self.a = 0", "self.a = {0}", "self.a, self.a = self.a + {0}, self.a + {1}", "repr(self.a)"),
]  # fmt: skip

ODD = [
    "self.a, self.n = self.n, self.a", "self.a = self.n = {0}", "self.a = self.a = {0}", "self.a, *self.rest = {0}, {1}, 3",
    "self.a *= 2",
    "self.d[self.tick()] += 1", "d = self.d; d[{0}] += 1", "l = self.l; l.append({0})", "x = {0}", "x = x + {0}",
    "x, y = {0}, {1}", "v = {0}",
    "del self.l[0]", "self.l[-1:] = [{0}]", "self.c.update({{{0}: 1}})", "for self.last in ({0}, {1}): pass", "v += 1",
    "w = abs = {0}",
    "for x in ({0}, {1}): self.a += x", "if (z := {0}): self.a += z", "assert {0} is not None", "self.l += [{0}]",
    "self.s |= {{{0}}}",
    "[self.l.append(u) for u in ({0},)]", "self.__p = {0}", "self.a: int = {0}", "self.n = {0} if v > 1 else self.n + 1",
    "abs = {0}",
    "if {0}: return", "x = self.last = {0}", "self.a, x = self.a + {0}, {1}", "setattr(self, 'a', {0})", "self = self",
    "int = {0}",
    "global K; K = {0}", "self.c = {{{0}: 1}}", "self.l = [{0}]", "self.n += {0}", "self.a -= {0}",
    "self.b = max(self.b, {1})", "len = max",
    "self.iterate = self.helper", "self.scale = {0}", "self.last = self.l", "self.extra = {0}", "x: int = {0}; self.a += x",
    "self.spare[0] += 1",
]  # fmt: skip

ENDS = [
    "repr(self.n is self.a)", "repr(self.last is self.b)", "repr([u for u in self.l])",
    "repr((lambda sorted: sorted(self.c))(list))",
    "repr([sorted(self.c) for sorted in (list, tuple)])", "repr(self.cache.setdefault(len(self.cache), self.n))",
    "repr(self.d[7])",
    "repr(self.show(self.n))", "repr(self.spare.pop())", "repr(self.spare[0])", "repr(self.c.get(1))", "repr(2 in self.s)",
    "repr(int(self.a))",
    "'%s' % self.a", "repr(self.a > 2)", "repr(bool(self.n))", "repr(min(self.c, default=0))", "repr(list(self.c))",
    "repr([*self.l])",
    "repr(max(self.c, key=self.c.get))", "repr(self.kernel(self.n))", "repr(self.a is True)", "repr(-self.a)",
    "repr(self.l[:1])",
    "repr(max(self.spare))", "repr(any(self.l.append(1) for _ in self.s))", "repr((self.l or self.spare).append(3))",
    "repr(str(self.n))",
]  # fmt: skip

BODY = [
    "    size = 3", "    size = property(lambda self: self.n)", "    a = 0", "    __slots__ = ('extra',)", "    n = False",
    "    scale = 4",
    "    def __setattr__(self, name, value): object.__setattr__(self, name, value)", "    l = ()",
    "    a = property(lambda self: self.kept, lambda self, value: setattr(self, 'kept', value))",
    "    def __getattr__(self, name): return 0",
]  # fmt: skip

CLASS = """\
class Kernel:
    times = 0
    def __call__(self, n):
        self.times += 1
        return n, self.times

class Made(iw.Aggregate{base}):
{body}
    def __init__(self):
        self.a = self.n = {zero}
        self.b, self.c, self.d, self.s, self.l = {low}, {{}}, {d}, set(), []
        self.last, self.scale, self.many = None, {scale}, {many}
        {spare}
{init}
    def helper(self, v):
        return v + len(self.l)
    def tick(self):
        self.n += 1
        return self.n % 2
{hooks}
    def terminate(self) -> str:
        return {end}
"""


class Maker:
    """Draws the parts of a module: what can be derived, with here and there something odd."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.starts = {
            "zero": self.some(["0", "0.0", "False", "5", "-0.0"]),
            "low": self.some(["0", "None", "-math.inf", "0.0", "False", "math.inf"]),
            "d": self.some(["defaultdict(int)", "Counter()", "{}", "defaultdict(list)", "defaultdict(lambda: 2)"]),
            "scale": self.some(["2", "0.5", "True"]), "many": self.some(["3", "'a'", "[1]"]),
        }  # fmt: skip
        self.begin: list[str] = []  # lines of __init__, of initialize, of iterate; what terminate reads
        self.first: list[str] = []
        self.steps: list[str] = []
        self.ends: list[str] = []

    def some(self, of: list[str]) -> str:
        return self.draw(st.sampled_from(of))

    def rarely(self) -> bool:
        return self.draw(st.integers(0, 5)) == 0

    def value(self) -> str:
        return self.some(VALUES) if self.rarely() else self.some(PLAIN)

    def fields(self) -> None:
        """One to three fields; now and then an odd statement among their updates."""
        for _ in range(self.draw(st.integers(1, 3))):
            start, once, step, end = self.draw(st.sampled_from(FORMS))
            one, other = self.value(), self.value()
            made = [text.format(one, other, **self.starts) for text in (start, once, step)]
            test = self.value()
            if self.rarely():
                made[2] = f"if {test}:\n" + _indented(made[2])
                made[1] = f"if {test}:\n{_indented(made[1])}\nelse: {made[0]}"
            self.begin.append(made[0])
            self.first.append(made[1] if not self.rarely() else made[1].replace(one, self.value()))
            self.steps.append(made[2])
            self.ends.append(end.format())
        for lines in (self.steps, self.first):
            if self.rarely():
                lines.insert(self.draw(st.integers(0, len(lines))), self.some(ODD).format(self.value(), self.value()))

    def hooks(self) -> str:
        """``initialize``, if there is one, and ``iterate``; their parameters may have other names."""
        how = self.some(["no initialize", "starts", "firsts", "firsts", "firsts"])
        hooks = []
        names = [("v", "w")] * 4 + [("w", "v"), ("K", "w"), ("first", "second"), ("abs", "w"), ("v", "x")]
        v, w = self.draw(st.sampled_from(names))
        if how != "no initialize":
            lines = [*self.begin, f"self.iterate({v}, {w})"] if how == "starts" else self.first
            hooks += [f"def initialize(self, {v}, {w}):", _indented("\n".join(lines))]
            if (v, w) != ("v", "w") and how == "firsts" and not self.rarely():
                hooks[-1] = re.sub(r"\bv\b", "_v_", hooks[-1])
                hooks[-1] = re.sub(r"\b_v_\b", v, re.sub(r"\bw\b", w, hooks[-1]))
        me = self.some(["self"] * 5 + ["this"])
        hooks += [f"def iterate({me}, v, w):", _indented("\n".join(self.steps)).replace("self", me)]
        return "\n".join(hooks)

    def class_text(self) -> str:
        hooks = self.hooks()
        odd = "self.spare, self.cache, self.show, self.kernel = [self.scale], {}, self.helper, Kernel()"
        return CLASS.format(
            base=self.some(["", "", ', nulls="pass"']), body=self.some(BODY) if self.rarely() else "",
            init=_indented("\n".join(self.begin), 2), hooks=_indented(hooks),
            end=self.some(ENDS) if self.rarely() else " + ".join(self.ends), spare=odd if self.rarely() else "self.spare = [1]",
            **self.starts,
        )  # fmt: skip


@st.composite
def sources(draw: st.DrawFn) -> str:
    """A module with a class ``Made``, of two arguments: some forms that can be derived, with here and there something odd."""
    maker = Maker(draw)
    maker.fields()
    made_class = maker.class_text()
    if not maker.rarely():
        return f"{HEAD}\n{made_class}"
    around = maker.some(AROUND)
    if draw(st.booleans()):
        return f"{HEAD}\n{around}\n{made_class}"
    inner = _indented(f"{around}\n{made_class}")
    return f"{HEAD}\ndef make():\n{inner}\n    return Made\n\nMade = make()\n"


def _indented(text: str, levels: int = 1) -> str:
    return "\n".join(f"{'    ' * levels}{line}" for line in text.splitlines())


_numbers = itertools.count()


def made_of(source: str, folder: Path) -> Any:
    """The class, of a module in a file, as hooks are read from files. Any error of its own is the source's."""
    name = f"written_hooks_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module.Made
