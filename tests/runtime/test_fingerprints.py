"""A state knows its query: by values and code, not by names, files, lines, addresses or the order of sets."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import inwindow as iw
from inwindow.runtime.digests import Digester
from inwindow.runtime.stream.replay_stream import Stream

SCHEMA = pa.schema([("k", pa.string()), ("t", pa.int64()), ("v", pa.float64()), ("ok", pa.bool_())])

SCRIPT = '''
import collections, dataclasses, datetime, decimal, enum, functools, math, re, types, typing
import numpy as np, pandas as pd, pyarrow as pa, pyarrow.compute
import inwindow as iw

FACTOR = 2
TABLE = {"a": 1.0, "b": [1, 2, 3]}
NAMES = {"red", "green", "blue", "white"}
ARRAY = np.arange(5000)

def helper(value):
    return inner(value) + FACTOR

def inner(value):
    return value * 1.5

def scaled(by):
    def scale(value, offset=0):
        return value * by + offset
    return scale

class Bare:
    """Without a repr."""
    def __init__(self, value): self.value = value
    def test(self, v): return v > self.value

class Slotted:
    __slots__ = ("value", "other")
    def __init__(self, value): self.value = value

@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0

class Colour(enum.Enum):
    RED = 1
    BLUE = 2

def called_by(function):
    class Kind(type):
        def __call__(cls, value): return function(value)
    return Kind("Made", (), {})

class Pair(typing.NamedTuple):
    a: int
    b: int

class Base(iw.Aggregate, returns="double"):
    SHIFT = 1
    def initialize(self, value): self.total = value
    def scale(self, value): return value * 2
    @property
    def halved(self): return self.total / 2
    @staticmethod
    def rounded(value): return round(value, 3)

class Mine(Base, returns="double"):
    """What people read."""
    LIMITS = (1, 2.0)
    def __init__(self, parameter=None): self.parameter = parameter
    def iterate(self, value):
        """And here."""
        if value in {"red", "green", "blue"}: return
        self.total += helper(self.scale(value)) + len(TABLE) + len(NAMES) + ARRAY[0]
    def terminate(self):
        try:
            return self.rounded(math.sqrt(self.halved)) + self.SHIFT
        except ValueError:
            return sum(x for x in [1.0])

parameter = None
window = iw.range(5, partition_by="k", order_by="t")
applied = Mine(parameter)("v").over(window)
'''


def parts(script: str) -> dict[str, Any]:
    """What a state says of the query of a script."""
    scope: dict[str, Any] = {"__name__": "a_script"}
    exec(compile(script, "a_script.py", "exec"), scope)
    bucket = iw.with_columns(Stream(SCHEMA), x=scope["applied"]).bucket()
    plan: dict[str, Any] = json.loads(json.dumps(bucket.plan))
    return plan


def differences(one: str, other: str) -> str:
    """What a message says of two scripts; "" where one goes on from the other's state."""
    states = []
    buckets = []
    for script in (one, other):
        scope: dict[str, Any] = {"__name__": "a_script"}
        exec(compile(script, "a_script.py", "exec"), scope)
        buckets.append(iw.with_columns(Stream(SCHEMA), x=scope["applied"]).bucket())
        states.append(buckets[-1].state())
    try:
        buckets[0].restore(states[1])
    except iw.StateError as error:
        assert "belongs to other aggregates or windows" in str(error)
        return "\n".join(str(error).splitlines()[1:-1])
    return ""


def given(parameter: str) -> str:
    """The script with a parameter."""
    return SCRIPT.replace("parameter = None\n", f"parameter = {parameter}\n")


def over(window: str) -> str:
    """The script with a window."""
    return SCRIPT.replace('iw.range(5, partition_by="k", order_by="t")', window)


LONG = "np.arange(5000)"
PARAMETERS = [
    ("1", "2"),
    ("1", "1.0"),
    ("1", "True"),
    ("0.0", "-0.0"),
    ("1", "None"),
    ("'a'", "b'a'"),
    ("[1]", "(1,)"),
    ("[1, 2]", "[2, 1]"),
    ("{1}", "{1.0}"),
    ("{1}", "frozenset({1})"),
    ("{'a': 1}", "{'a': 2}"),
    ("{'a': [1]}", "{'a': [2]}"),
    ("[[[1]]]", "[[[2]]]"),
    ("list(range(10_000))", "list(range(9_999)) + [0]"),
    (LONG, f"np.where({LONG} == 2500, 0, {LONG})"),
    (LONG, f"{LONG}.astype('f8')"),
    (LONG, f"{LONG}.reshape(2, -1)"),
    ("np.array([0.0])", "np.array([-0.0])"),
    ("np.array([1, 'a'], object)", "np.array([1, 'b'], object)"),
    ("pa.array(range(5000))", "pa.array([*range(4999), 0])"),
    ("pa.array([1])", "pa.array([None], pa.int64())"),
    ("pa.array([1])", "pa.array([1], pa.int32())"),
    ("pa.table({'a': [1]})", "pa.table({'a': [2]})"),
    ("pd.Series(range(500))", "pd.Series([*range(499), 0])"),
    ("pd.DataFrame({'a': [1]})", "pd.DataFrame({'a': [2]})"),
    ("pd.DataFrame({'a': [1]})", "pd.DataFrame({'b': [1]})"),
    ("pd.Timestamp('2026-01-01')", "pd.Timestamp('2026-01-02')"),
    ("Bare(5)", "Bare(60)"),
    ("Bare(Bare(5))", "Bare(Bare(6))"),
    ("Slotted(5)", "Slotted(6)"),
    ("Point(1, 2)", "Point(1, 3)"),
    ("Colour.RED", "Colour.BLUE"),
    ("Pair(1, 2)", "(1, 2)"),
    ("Pair(1, 2)", "Pair(1, 3)"),
    ("lambda v: v + 1", "lambda v: v + 2"),
    ("lambda v: v + 1", "lambda v: v - 1"),
    ("lambda v, by=1: v", "lambda v, by=2: v"),
    ("lambda v, *, by=1: v", "lambda v, *, by=2: v"),
    ("scaled(1)", "scaled(2)"),
    ("lambda v: (lambda w: w + 1)(v)", "lambda v: (lambda w: w + 2)(v)"),
    ("lambda v: [w + 1 for w in v]", "lambda v: [w + 2 for w in v]"),
    ("lambda v: v in (1, 2)", "lambda v: v in (1, 3)"),
    ("lambda v: v.a", "lambda v: v.b"),
    ("lambda v: math.sin(v)", "lambda v: math.cos(v)"),
    ("lambda v: dict(a=v)", "lambda v: dict(b=v)"),
    ("lambda v, w: v - w", "lambda w, v: v - w"),
    ("lambda *, v, w: v - w", "lambda *, w, v: v - w"),
    ("re.compile('a' * 300 + 'b')", "re.compile('a' * 300 + 'c')"),
    ("np.add", "np.subtract"),
    ("called_by(scaled(1))", "called_by(scaled(2))"),
    ("lambda v: v < 1", "lambda v: v > 1"),
    ("functools.partial(scaled, 1)", "functools.partial(scaled, 2)"),
    ("functools.partial(max, key=abs)", "functools.partial(min, key=abs)"),
    ("functools.partial(scaled(1), offset=1)", "functools.partial(scaled(1), offset=2)"),
    ("Bare(1).test", "Bare(2).test"),
    ("functools.lru_cache(scaled(1))", "functools.lru_cache(scaled(2))"),
    ("math.sin", "math.cos"),
    ("'x'.join", "'y'.join"),
    ("collections.deque([1])", "collections.deque([2])"),
    ("collections.deque([1], 2)", "collections.deque([1], 3)"),
    ("collections.OrderedDict(a=1, b=2)", "collections.OrderedDict(b=2, a=1)"),
    ("collections.defaultdict(int)", "collections.defaultdict(list)"),
    ("decimal.Decimal('1.0')", "decimal.Decimal('1.00')"),
    ("datetime.timedelta(1)", "datetime.timedelta(2)"),
    ("range(3)", "range(4)"),
    ("np.random.default_rng(1)", "np.random.default_rng(2)"),
    ("np.float32(1)", "np.float64(1)"),
    ("object()", "Bare(1)"),
    ("Bare", "Slotted"),
    ("int", "float"),
    ("helper", "inner"),
    ("'é' * 300", "'é' * 299 + 'e'"),
]


@pytest.mark.parametrize(("one", "other"), PARAMETERS, ids=str)
def test_another_parameter_is_another_query(one: str, other: str) -> None:
    assert differences(given(one), given(one)) == ""
    assert differences(given(one), given(other)).startswith("  the parameter parameter of x")


CHANGES = {  # what is replaced: what a message names
    "self.total += helper(self.scale(value))|self.total -= helper(self.scale(value))": "Mine.iterate has changed",
    "return value * 2|return value * 3": "Base.scale has changed",
    "return self.total / 2|return self.total / 4": "Base.halved has changed",
    "@staticmethod|@functools.cache": "Base.rounded has changed",
    "round(value, 3)|round(value, 4)": "Base.rounded has changed",
    "return value * 1.5|return value * 2.5": "helper, which is read by Mine has changed",
    "FACTOR = 2|FACTOR = 3": "helper, which is read by Mine has changed",
    '"b": [1, 2, 3]|"b": [1, 2, 4]': "TABLE, which is read by Mine: {'a': 1.0, 'b': [1, 2,",
    '"white"}|"black"}': "NAMES, which is read by Mine: ",
    "ARRAY = np.arange(5000)|ARRAY = np.where(np.arange(5000) == 2500, 0, np.arange(5000))": "ARRAY, which is read by Mine",
    "SHIFT = 1|SHIFT = 2": "Base.SHIFT: ",
    "LIMITS = (1, 2.0)|LIMITS = (1, 2)": "Mine.LIMITS: ",
    "except ValueError|except OSError": "Mine.terminate has changed",
    "in [1.0]|in [2.0]": "Mine.terminate has changed",
    '"red", "green", "blue"}: return|"red", "green", "pink"}: return': "Mine.iterate has changed",
    'class Mine(Base, returns="double")|class Mine(Base, returns="float")': "the result type of x: double in the",
    'class Mine(Base, returns="double")|class Mine(Base, returns="double", nulls="pass")': "the options of x: nulls='skip'",
    'class Mine(Base, returns="double")|class Mine(Base, returns="double", empty=0.0)': "the options of x: nulls='skip', empty=",
    '(parameter)("v").over(window)|(parameter)("v").over(window).filter("ok")': "the filter of x: none in the state, ok in",
    'applied = Mine(parameter)("v")|applied = Mine(parameter)(pa.compute.field("v") * 2)': "the aggregate of x: Mine(v) in",
    '(parameter)("v").over(window)|(parameter)("v").over(window).filter(pa.compute.field("v") > 5)': "the filter of x: none",
    '(parameter)("v")|(parameter)("t")': "the aggregate of x: Mine(v) in the state, Mine(t) in the query",
    "parameter = None\nwindow|parameter = None\nMine.iterate = Base.initialize\nwindow": "Mine.iterate has changed",
    "self.parameter = parameter|self.other = parameter": "the parameter parameter of x is only in",
}


@pytest.mark.parametrize("change", CHANGES)
def test_other_code_is_another_query(change: str) -> None:
    before, after = change.split("|")
    assert SCRIPT.count(before) == 1
    said = differences(SCRIPT.replace(before, after), SCRIPT)
    assert CHANGES[change] in said.replace("\n", " ") or CHANGES[change] in differences(
        SCRIPT, SCRIPT.replace(before, after)
    )


WINDOWS = [
    ('iw.range(6, partition_by="k", order_by="t")', 'iw.range(5, partition_by="k", order_by="t")'),
    ('iw.scope(lower=lambda t: t - 5, order_by="t")', 'iw.scope(lower=lambda t: t - 60, order_by="t")'),
    ('iw.scope(lower=scaled(1), order_by="t")', 'iw.scope(lower=scaled(0.5), order_by="t")'),
    (
        'iw.scope(lower=functools.partial(max, 1), order_by="t")',
        'iw.scope(lower=functools.partial(max, 2), order_by="t")',
    ),
    ('iw.scope(lower=Bare(5).test, order_by="t")', 'iw.scope(lower=Bare(6).test, order_by="t")'),
    ('iw.scope(upper=lambda t: t + 5, order_by="t")', 'iw.scope(upper=lambda t: t + 60, order_by="t")'),
    (
        'iw.scope(upper=lambda t: t + 5, order_by="t")',
        'iw.scope(lower=lambda t: t - 1, upper=lambda t: t + 5, order_by="t")',
    ),
    ('iw.range(5, order_by="t", slide=5)', 'iw.range(5, order_by="t", slide=5, origin=2)'),
    ('iw.range(5, order_by="t", slide=5, slide_by="rows")', 'iw.range(5, order_by="t", slide=5)'),
    ('iw.rows(5, order_by="t", slide=2)', 'iw.rows(5, order_by="t", slide=2, final="emit")'),
    ('iw.landmark(since=3, order_by="t")', 'iw.landmark(since=4, order_by="t")'),
    ('iw.range(5, order_by="t")', 'iw.range(5, order_by="t", partition_by="k")'),
    ('iw.range(5, order_by="t", slide=5)', 'iw.range(5.0, order_by="t", slide=5)'),
]


@pytest.mark.parametrize(("one", "other"), WINDOWS, ids=str)
def test_another_window_is_another_query(one: str, other: str) -> None:
    assert differences(over(one), over(one)) == ""
    said = differences(over(one), over(other))
    assert any(part in said for part in ("the window of x", "of the scope of x", "the keys", "lower= of"))


FILTERS = [
    ("'ok'", "pa.compute.field('ok')"),
    ("pa.compute.field('v') > 5", "pa.compute.field('v') > 60"),
    (
        "pa.compute.field('v').isin(pa.array(range(5000)))",
        "pa.compute.field('v').isin(pa.array([*range(2500), 0, *range(2501, 5000)]))",
    ),
]


@pytest.mark.parametrize(("one", "other"), FILTERS, ids=str)
def test_another_filter_is_another_query(one: str, other: str) -> None:
    first, second = (SCRIPT + f"applied = applied.filter({condition})\n" for condition in (one, other))
    assert differences(first, first) == ""
    assert differences(first, second).startswith("  the filter of x")


SAME = {
    "other lines, another file": SCRIPT.replace("def helper", "\n\n# a comment\n\ndef helper").replace(
        "SHIFT = 1", "\n\n    SHIFT = 1"
    ),
    "other docstrings": SCRIPT.replace("What people read", "Nobody reads").replace('        """And here."""\n', ""),
    "a set in another order": SCRIPT.replace('{"red", "green", "blue", "white"}', '{"white", "blue", "green", "red"}'),
    "a dict in another order": SCRIPT.replace('{"a": 1.0, "b": [1, 2, 3]}', '{"b": [1, 2, 3], "a": 1.0}'),
    "what people see of it": SCRIPT.replace("    LIMITS", "    def __repr__(self): return 'mine'\n    LIMITS"),
    "other annotations": SCRIPT.replace("def helper(value):", "def helper(value: float) -> float:"),
    "what no hook reads": SCRIPT.replace("parameter = None\n", "parameter = None\nUNREAD = 5\n"),
}


@pytest.mark.parametrize("what", SAME)
def test_what_does_not_matter(what: str) -> None:
    assert SAME[what] != SCRIPT
    assert differences(SAME[what], SCRIPT) == ""


def test_the_same_script_in_another_process_and_file(tmp_path: Path) -> None:
    script = given(
        "{'f': scaled(2), 'b': [Bare({'x', 'y', 'z'}), Point(1), Colour.RED], 'a': np.arange(9), 'd': pd.DataFrame({'a': [1]})}"
    )
    script = script.replace(
        'iw.range(5, partition_by="k", order_by="t")', 'iw.scope(lower=lambda t: t - 5, partition_by="k", order_by="t")'
    )
    tail = (
        "import json, sys\nfrom inwindow.runtime.stream.replay_stream import Stream\n"
        "schema = pa.schema([('k', pa.string()), ('t', pa.int64()), ('v', pa.float64()), ('ok', pa.bool_())])\n"
        "print(json.dumps(iw.with_columns(Stream(schema), **{'x': applied}).bucket().plan))\n"
    )
    said = []
    for number, head in enumerate(("", "# another line\n\n\n")):
        folder = tmp_path / f"folder{number}"
        folder.mkdir()
        file = folder / f"script{number}.py"
        file.write_text(head + script + tail, encoding="utf-8")
        setting = {**os.environ, "PYTHONHASHSEED": str(number + 1)}
        said.append(
            json.loads(subprocess.run([sys.executable, str(file)], env=setting, check=True, capture_output=True).stdout)
        )
    one, other = ({name: its or shown for name, (shown, its) in plan.items()} for plan in said)
    assert one == other == {name: its or shown for name, (shown, its) in parts(script).items()}


def test_an_own_class_in_a_package_and_what_it_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hooks of a module beside the script, that call another one by its module's name."""
    source = (
        "import inwindow as iw\nimport {helpers}\n\nclass Mine(iw.Aggregate):\n    def iterate(self, v):\n"
        "        from {helpers} import LIMIT\n        self.v = {helpers}.scaled(v)\n"
        "    def terminate(self) -> float:\n        return self.v\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    made = []
    for number, (factor, limit) in enumerate([(2, 5), (3, 5), (2, 6)]):
        names = {"helpers": f"own_helpers_{number}"}
        (tmp_path / f"own_helpers_{number}.py").write_text(f"LIMIT = {limit}\ndef scaled(v): return v * {factor}\n")
        (tmp_path / f"own_hooks_{number}.py").write_text(source.format(**names))
        kind = __import__(f"own_hooks_{number}").Mine
        bucket = iw.with_columns(Stream(SCHEMA), x=kind()("v").over(iw.range(5, order_by="t"))).bucket()
        made.append({name.replace(f"own_helpers_{number}", "helpers"): part for name, part in bucket.plan.items()})
    changed = [{name for name in made[0] if made[0][name] != other.get(name)} for other in made[1:]]
    assert (
        "helpers.scaled, which is read by Mine" in changed[0] and "helpers.LIMIT, which is read by Mine" in changed[1]
    )


def test_what_a_module_within_a_package_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_package").mkdir()
    (tmp_path / "own_package" / "__init__.py").write_text("from . import settings\n")
    (tmp_path / "own_package" / "settings.py").write_text("import own_package\nLIMIT = 5\ndef f(v): return v\n")
    scope: dict[str, Any] = {"__name__": "a_script"}
    exec(
        "import own_package.settings, own_package.settings as other\n"
        "def limited(v): return v + own_package.settings.LIMIT + other.LIMIT\n"
        "def called(v):\n    from own_package import settings\n    return settings.f(v)\n",
        scope,
    )
    settings = scope["own_package"].settings
    before = [Digester().digest_of(scope[name]) for name in ("limited", "called")]
    settings.LIMIT = 6
    settings.f = lambda v: v + 1
    after = [Digester().digest_of(scope[name]) for name in ("limited", "called")]
    assert all(one != other for one, other in zip(before, after, strict=True))


def test_another_version_of_python_cannot_tell_code() -> None:
    from inwindow.runtime.fingerprint import IN_A_CHECKPOINT, check

    here = parts(SCRIPT)
    there = {name: ("code", "other") if part[0] == "code" else part for name, part in here.items()}
    there["the version of Python"] = ("3.10", "")
    with pytest.raises(
        iw.StateError, match="the version of Python: 3.10 in the state, .*\n  whose instructions differ"
    ):
        check(there, here, IN_A_CHECKPOINT)
    plain = iw.with_columns(Stream(SCHEMA), x=iw.sum("v").over(iw.range(5, order_by="t"))).bucket().plan
    check({**plain, "the version of Python": ("3.10", "")}, plain, IN_A_CHECKPOINT)
