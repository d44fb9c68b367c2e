"""Sketches of Apache DataSketches, in the bytes of Spark's functions: HLL and theta for distinct values, KLL for quantiles."""

import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from inwindow.native.sketches import Hll, Kll, OfSketches, Theta, ThetaIntersection, same_lg_k
from inwindow.native.sketching import Give, Sketching, SketchOfPanes
from inwindow.udaf.applied import Applied, column_text
from inwindow.udaf.built_in import NUMBERS, built_in, check_flag
from inwindow.udaf.errors import UsageError, shown
from inwindow.udaf.kinds import DOUBLE, INT, is_float, is_int, is_number
from inwindow.udaf.native import Cascade, Native
from inwindow.udaf.traits import KernelTraits

__all__ = [
    "hll_count_distinct",
    "hll_sketch_agg",
    "hll_union_agg",
    "kll_merge_agg_bigint",
    "kll_merge_agg_double",
    "kll_merge_agg_float",
    "kll_percentile",
    "kll_sketch_agg_bigint",
    "kll_sketch_agg_double",
    "kll_sketch_agg_float",
    "theta_intersection_agg",
    "theta_sketch_agg",
    "theta_union_agg",
]

_BINARY = pa.binary()
Input = Callable[[pa.DataType], pa.DataType | None]  # what a column is cast to; None: it is not taken


def hll_sketch_agg(column: Any, lgConfigK: int = 12) -> Applied:  # noqa: N803 - as PySpark spells it
    """The bytes of a HyperLogLog sketch, which ``F.hll_sketch_estimate`` reads; with 2 ** ``lgConfigK`` slots.

    >>> import datasketches, pyarrow as pa, inwindow as iw
    >>> made = iw.group_by(pa.table({"user": ["ann", "bob", "ann"]})).agg(s=iw.hll_sketch_agg("user"))
    >>> round(datasketches.hll_sketch.deserialize(made["s"][0].as_py()).get_estimate())
    2
    """
    _check("hll_sketch_agg", column, "lgConfigK", lgConfigK, 4, 21)
    family = Hll(lgConfigK)
    return _sketch("hll_sketch_agg", family, family.written, _BINARY, _ids, "integers and strings", column, lgConfigK)


def hll_count_distinct(column: Any, lgConfigK: int = 12) -> Applied:  # noqa: N803 - as PySpark spells it
    """About how many distinct values, by a HyperLogLog sketch: within 1.04 / sqrt(2 ** ``lgConfigK``), 1.6 percent.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"user": ["ann", "bob", "ann", "eve"], "t": [1, 2, 11, 12]})
    >>> iw.group_by(table).window(iw.tumble("t", size=10)).agg(n=iw.hll_count_distinct("user"))["n"].to_pylist()
    [2, 2]
    """
    _check("hll_count_distinct", column, "lgConfigK", lgConfigK, 4, 21)
    return _sketch(
        "hll_count_distinct", Hll(lgConfigK), _estimate, INT, _ids, "integers and strings", column, lgConfigK, empty=0
    )


def hll_union_agg(column: Any, allowDifferentLgConfigK: bool = False) -> Applied:  # noqa: N803 - as PySpark spells it
    """HyperLogLog sketches merged into one: of columns that ``hll_sketch_agg`` has made, here or in Spark.

    >>> import datasketches, pyarrow as pa, inwindow as iw
    >>> parts = iw.group_by(pa.table({"day": [1, 1, 2], "user": [1, 2, 2]}), "day").agg(s=iw.hll_sketch_agg("user"))
    >>> made = iw.group_by(parts).agg(s=iw.hll_union_agg("s"))["s"][0].as_py()
    >>> round(datasketches.hll_sketch.deserialize(made).get_estimate())
    2
    """
    check_flag(f"hll_union_agg({column_text(column)}", allowDifferentLgConfigK, "allowDifferentLgConfigK")
    family = OfSketches(Hll(12), None if allowDifferentLgConfigK else same_lg_k)
    return _merge("hll_union_agg", family, column)


def theta_sketch_agg(column: Any, lgNomEntries: int = 12) -> Applied:  # noqa: N803 - as PySpark spells it
    """The bytes of a theta sketch, which ``F.theta_sketch_estimate`` reads; it keeps 2 ** ``lgNomEntries`` hashes.

    Theta sketches can be intersected and subtracted, too.

    >>> import datasketches, pyarrow as pa, inwindow as iw
    >>> made = iw.group_by(pa.table({"user": ["ann", "bob", "ann"]})).agg(s=iw.theta_sketch_agg("user"))
    >>> datasketches.compact_theta_sketch.deserialize(made["s"][0].as_py()).get_estimate()
    2.0
    """
    _check("theta_sketch_agg", column, "lgNomEntries", lgNomEntries, 5, 26)
    family = Theta(lgNomEntries)
    accepts = "integers, floats and strings"
    return _sketch("theta_sketch_agg", family, family.written, _BINARY, _hashed, accepts, column, lgNomEntries)


def theta_union_agg(column: Any, lgNomEntries: int = 12) -> Applied:  # noqa: N803 - as PySpark spells it
    """Theta sketches merged into one: what any of them has.

    >>> import datasketches, pyarrow as pa, inwindow as iw
    >>> parts = iw.group_by(pa.table({"day": [1, 1, 2], "user": [1, 2, 2]}), "day").agg(s=iw.theta_sketch_agg("user"))
    >>> made = iw.group_by(parts).agg(s=iw.theta_union_agg("s"))["s"][0].as_py()
    >>> datasketches.compact_theta_sketch.deserialize(made).get_estimate()
    2.0
    """
    _check("theta_union_agg", column, "lgNomEntries", lgNomEntries, 5, 26)
    return _merge("theta_union_agg", OfSketches(Theta(lgNomEntries)), column)


def theta_intersection_agg(column: Any) -> Applied:
    """Theta sketches intersected: what all of them have.

    >>> import datasketches, pyarrow as pa, inwindow as iw
    >>> parts = iw.group_by(pa.table({"day": [1, 1, 2], "user": [1, 2, 2]}), "day").agg(s=iw.theta_sketch_agg("user"))
    >>> made = iw.group_by(parts).agg(s=iw.theta_intersection_agg("s"))["s"][0].as_py()
    >>> datasketches.compact_theta_sketch.deserialize(made).get_estimate()
    1.0
    """
    return _merge("theta_intersection_agg", OfSketches(ThetaIntersection(12)), column)


def kll_sketch_agg_double(column: Any, k: int = 200) -> Applied:
    """The bytes of a KLL sketch of doubles, which ``F.kll_sketch_get_quantile_double`` reads.

    >>> import datasketches, pyarrow as pa, inwindow as iw
    >>> made = iw.group_by(pa.table({"ms": [3.0, 1.0, 2.0]})).agg(s=iw.kll_sketch_agg_double("ms"))
    >>> datasketches.kll_doubles_sketch.deserialize(made["s"][0].as_py()).get_quantile(0.5)
    2.0
    """
    return _kll("kll_sketch_agg_double", "double", lambda kind: DOUBLE if is_float(kind) else None, "floats", column, k)


def kll_sketch_agg_float(column: Any, k: int = 200) -> Applied:
    """The bytes of a KLL sketch of floats of 32 bits, which ``F.kll_sketch_get_quantile_float`` reads.

    >>> import datasketches, pyarrow as pa, inwindow as iw
    >>> times = pa.table({"ms": pa.array([3.0, 1.0, 2.0], pa.float32())})
    >>> made = iw.group_by(times).agg(s=iw.kll_sketch_agg_float("ms"))["s"][0].as_py()
    >>> datasketches.kll_floats_sketch.deserialize(made).get_quantile(0.5)
    2.0
    """
    single = pa.float32()
    return _kll("kll_sketch_agg_float", "float", lambda kind: single if kind == single else None, "floats", column, k)


def kll_sketch_agg_bigint(column: Any, k: int = 200) -> Applied:
    """The bytes of a KLL sketch of integers, which ``F.kll_sketch_get_quantile_bigint`` reads.

    >>> import datasketches, pyarrow as pa, inwindow as iw
    >>> made = iw.group_by(pa.table({"ms": [3, 1, 2]})).agg(s=iw.kll_sketch_agg_bigint("ms"))["s"][0].as_py()
    >>> datasketches.kll_items_sketch.deserialize(made, datasketches.PyLongsSerDe()).get_quantile(0.5)
    2
    """
    return _kll("kll_sketch_agg_bigint", "bigint", lambda kind: INT if is_int(kind) else None, "integers", column, k)


def kll_merge_agg_double(column: Any) -> Applied:
    """KLL sketches of doubles merged into one.

    >>> import datasketches, pyarrow as pa, inwindow as iw
    >>> parts = iw.group_by(pa.table({"day": [1, 1, 2], "ms": [1.0, 9.0, 2.0]}), "day").agg(s=iw.kll_sketch_agg_double("ms"))
    >>> made = iw.group_by(parts).agg(s=iw.kll_merge_agg_double("s"))["s"][0].as_py()
    >>> datasketches.kll_doubles_sketch.deserialize(made).get_max_value()
    9.0
    """
    return _merge("kll_merge_agg_double", OfSketches(Kll("double", 200)), column)


def kll_merge_agg_float(column: Any) -> Applied:
    """KLL sketches of floats merged into one.

    >>> import datasketches, pyarrow as pa, inwindow as iw
    >>> times = pa.table({"day": [1, 1, 2], "ms": pa.array([1.0, 9.0, 2.0], pa.float32())})
    >>> parts = iw.group_by(times, "day").agg(s=iw.kll_sketch_agg_float("ms"))
    >>> made = iw.group_by(parts).agg(s=iw.kll_merge_agg_float("s"))["s"][0].as_py()
    >>> datasketches.kll_floats_sketch.deserialize(made).get_max_value()
    9.0
    """
    return _merge("kll_merge_agg_float", OfSketches(Kll("float", 200)), column)


def kll_merge_agg_bigint(column: Any) -> Applied:
    """KLL sketches of integers merged into one.

    >>> import datasketches, pyarrow as pa, inwindow as iw
    >>> parts = iw.group_by(pa.table({"day": [1, 1, 2], "user": [1, 2, 2]}), "day").agg(s=iw.kll_sketch_agg_bigint("user"))
    >>> made = iw.group_by(parts).agg(s=iw.kll_merge_agg_bigint("s"))["s"][0].as_py()
    >>> datasketches.kll_items_sketch.deserialize(made, datasketches.PyLongsSerDe()).get_max_value()
    2
    """
    return _merge("kll_merge_agg_bigint", OfSketches(Kll("bigint", 200)), column)


def kll_percentile(column: Any, percentage: float, k: int = 200) -> Applied:
    """About the percentile at ``percentage`` (0 to 1), a value of the column, by a KLL sketch: its rank is off by 1.3 percent.

    Sketches of panes are merged, so that a percentile of a month costs what its days cost. NaN does not count.

    >>> import pyarrow as pa, inwindow as iw
    >>> table = pa.table({"ms": [3.0, 1.0, 2.0]})
    >>> iw.with_columns(table, m=iw.kll_percentile("ms", 0.5).over(iw.unbounded()))["m"].to_pylist()
    [3.0, 1.0, 2.0]
    """
    _check("kll_percentile", column, "k", k, 8, 65535)
    if isinstance(percentage, bool) or not isinstance(percentage, (int, float)) or not 0 <= percentage <= 1:
        raise UsageError(
            f"kll_percentile({column_text(column)}, {shown(percentage)}): the percentage is a number from 0 to 1, as in 0.9"
        )

    def give(sketch: Any) -> float | None:
        return None if sketch.is_empty() else sketch.get_quantile(percentage, True)

    return _sketch(
        "kll_percentile", Kll("double", k), give, DOUBLE, lambda kind: DOUBLE if is_number(kind) else None, NUMBERS,
        column, percentage,
    )  # fmt: skip


def _ids(kind: pa.DataType) -> pa.DataType | None:
    return INT if is_int(kind) else kind if pa.types.is_string(kind) or pa.types.is_large_string(kind) else None


def _hashed(kind: pa.DataType) -> pa.DataType | None:
    return DOUBLE if is_float(kind) else _ids(kind)


def _estimate(sketch: Any) -> int:
    return math.floor(sketch.get_estimate() + 0.5)


def _kll(name: str, of: str, taken: Input, accepts: str, column: Any, k: int) -> Applied:
    _check(name, column, "k", k, 8, 65535)
    family = Kll(of, k)
    return _sketch(name, family, family.written, _BINARY, taken, accepts, column, k)


def _merge(name: str, family: OfSketches, column: Any) -> Applied:
    def binary(kind: pa.DataType) -> pa.DataType | None:
        return _BINARY if pa.types.is_binary(kind) else None

    return _sketch(name, family, family.given, _BINARY, binary, "sketches, which are binaries", column)


def _sketch(
    name: str, family: Any, give: Give, result: pa.DataType, taken: Input, accepts: str, column: Any, *options: Any,
    empty: Any = None,
) -> Applied:  # fmt: skip
    check_installed(name)

    def kernel(evicts: bool) -> Sketching:
        return Sketching(family, give, result)

    def resolve(types: list[pa.DataType], ansi: bool) -> Native | None:
        inner = taken(types[0])
        if inner is None:
            return None
        cascade = Cascade(lambda: kernel(False), lambda: SketchOfPanes(family, give, result))
        return Native(result, kernel, inner, cascade=cascade)

    nothing = give(family.fresh()) if empty is None else empty
    return built_in(
        name,
        resolve,
        accepts,
        column,
        options=options,
        empty=nothing,
        commutative=True,
        kernel=KernelTraits(refolds=True),
    )


def check_installed(name: str) -> None:
    """Refuse a built-in whose library is missing."""
    if find_spec("datasketches") is None:
        raise UsageError(f"{name} needs datasketches, which is not installed: pip install 'inwindow[sketches]'")


def _check(name: str, column: Any, option: str, value: Any, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(
            f"{name}({column_text(column)}, {option}={shown(value)}): {option} is an int from {least} to {most}"
        )
