"""What travels to workers by value, from several threads at a time: no worker has the modules, and nothing global is changed."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pyspark import cloudpickle
from pyspark.cloudpickle.cloudpickle import list_registry_pickle_by_value

import inwindow as iw
from inwindow.runtime.spark import shipping
from inwindow.runtime.spark.buckets import pack_function, unpack_function
from inwindow.runtime.spark.shipping import loaded, shipped

MODULES = {
    "beside_one.py": """
import abc, enum, functools, typing
import inwindow as iw
import beside_two.inner

Number = typing.TypeVar("Number")
Money = typing.NewType("Money", float)
class Nothing:
    def __reduce__(self): return "NOTHING"
NOTHING = Nothing()
class Side(enum.Enum):
    BUY = 1
@functools.lru_cache(maxsize=7)
def doubled(value): return 2 * value
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
class Square(Shape):
    def area(self): return 1
class Total(iw.Aggregate, typing.Generic[Number]):
    def __init__(self, side=Side.BUY): self.side = side
    def iterate(self, value: Money) -> None:
        self.total = beside_two.inner.plus(getattr(self, "total", 0.0), doubled(value) * Square().area())
        self.none = NOTHING if self.side is Side.BUY else None
    def terminate(self) -> float: return self.total if self.none is NOTHING else -1.0
class Other(iw.Aggregate):
    __slots__ = ("it",)
    def iterate(self, value): self.it = value
    def terminate(self) -> float: return self.it
""",
    "beside_two/__init__.py": "",
    "beside_two/inner.py": "import beside_two\ndef plus(a, b): return a + b + beside_two.later.NOUGHT",
    "beside_two/later.py": "import beside_two.inner\nNOUGHT = 0.0",
}
LOAD = """
import pickle, sys
for _ in range(int(sys.argv[1])):
    one = pickle.load(sys.stdin.buffer)[0]
    one.iterate(2.0)
    if hasattr(one, "total"):
        one.iterate(3.0)
    print(one.terminate(), end=" ")
    assert not any(name.startswith("beside_") for name in sys.modules)
"""


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module beside the script, which uses a package there."""
    for name, text in MODULES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    import_module("beside_two.later")
    yield import_module("beside_one")
    for name in [name for name in sys.modules if name.startswith("beside_")]:
        del sys.modules[name]


def loaded_elsewhere(contents: list[bytes], folder: Path) -> list[float]:
    """What workers make of it, which do not have the modules."""
    run = [sys.executable, "-c", LOAD, str(len(contents))]
    done = subprocess.run(run, input=b"".join(contents), capture_output=True, cwd=folder)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return [float(number) for number in done.stdout.split()]


def test_what_a_module_beside_the_script_may_have(beside: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    assert loaded_elsewhere([shipped((beside.Total(), beside.doubled))], elsewhere) == [10.0]


def test_from_several_threads(beside: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """By hand, what a registry does to a pickle in another thread was seen in a tenth of them."""
    before = list_registry_pickle_by_value()

    def one(number: int) -> tuple[bytes, Any]:
        return shipped((beside.Total() if number % 2 else beside.Other(), number)), list_registry_pickle_by_value()

    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(one, range(400)))
    finally:
        sys.setswitchinterval(switching)
    assert [registered for _, registered in made if registered != before] == []
    found = loaded_elsewhere([content for content, _ in made], tmp_path_factory.mktemp("elsewhere"))
    assert found == [2.0, 10.0] * 200


def test_what_the_user_has_registered_is_kept(beside: Any) -> None:
    cloudpickle.register_pickle_by_value(iw)
    try:
        shipped((beside.Total(),))
        assert list_registry_pickle_by_value() == {"inwindow"}
    finally:
        cloudpickle.unregister_pickle_by_value(iw)


def test_what_is_installed_is_named_only() -> None:
    content = shipped((iw.sum("x"), Path, pickle.loads))
    assert len(content) < 2000 and b"inwindow.udaf.applied" in content


WORK = {
    "an operator": lambda: loaded(shipped(())),
    "the packer of a stream": lambda: list(pack_function(2, keyed=True)(iter([]))),
    "its unpacker": lambda: list(unpack_function()(iter([]))),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_no_worker_collects_modules_as_garbage(work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each function keeps them out of it, and once more where a task has imported more."""
    frozen: list[int] = []
    monkeypatch.setattr(shipping.gc, "freeze", lambda: frozen.append(len(sys.modules)))
    shipping._frozen.cache_clear()
    work()  # this may import
    work()
    known = len(frozen)
    work()
    assert len(frozen) == known >= 1
    monkeypatch.setitem(sys.modules, "a_late_import", ModuleType("a_late_import"))
    work()
    assert len(frozen) == known + 1
