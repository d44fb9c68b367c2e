"""The families of sketches of Apache DataSketches: how one takes values, how two are merged, and their bytes, which are Spark's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

EMPTY_THETA = bytes.fromhex("01030300001e0000")  # Java's, without a hash of the seed
_SINGLE = 0x20  # Java's flag of a theta sketch of one value
_FLAGS = 5  # its byte


class Hll:
    """HyperLogLog, as Spark's ``hll_sketch_agg`` makes it: of 8 bits a slot, in the updatable form."""

    def __init__(self, lg_k: int) -> None:
        self.lg_k = lg_k

    def fresh(self) -> Any:
        """A sketch of nothing."""
        import datasketches

        return datasketches.hll_sketch(self.lg_k, datasketches.HLL_8)

    def update(self, sketch: Any, values: pa.Array) -> Any:
        """The sketch with the values, none of which is NULL."""
        for value in values.to_pylist():
            sketch.update(value)
        return sketch

    def merged(self, one: Any, other: Any) -> Any:
        """A new sketch of both."""
        import datasketches

        union = datasketches.hll_union(one.lg_config_k)
        for sketch in (one, other):
            union.update(sketch)
        return union.get_result(datasketches.HLL_8)

    def taken(self, sketch: Any) -> Any:
        """The union of a sketch alone."""
        return self.merged(sketch, sketch)

    def written(self, sketch: Any) -> bytes:
        """Its bytes, which Spark reads."""
        return bytes(sketch.serialize_updatable())

    def read(self, written: bytes) -> Any:
        """The inverse of :meth:`written`; the sketch can be updated."""
        import datasketches

        return datasketches.hll_sketch.deserialize(written)


class Theta:
    """The k smallest hashes, as Spark's ``theta_sketch_agg`` keeps them."""

    def __init__(self, lg_k: int) -> None:
        self.lg_k = lg_k

    def fresh(self) -> Any:
        """A sketch of nothing."""
        import datasketches

        return datasketches.update_theta_sketch(self.lg_k)

    def update(self, sketch: Any, values: pa.Array) -> Any:
        """The sketch with the values. One that has been read cannot be updated: it is merged with one of them."""
        if not hasattr(sketch, "update"):
            return self.merged(sketch, self.update(self.fresh(), values))
        for value in values.to_pylist():
            sketch.update(value)
        return sketch

    def merged(self, one: Any, other: Any) -> Any:
        """A new sketch of both."""
        import datasketches

        union = datasketches.theta_union(self.lg_k)
        for sketch in (one, other):
            union.update(sketch)
        return union.get_result()

    def taken(self, sketch: Any) -> Any:
        """The union of a sketch alone."""
        return self.merged(sketch, sketch)

    def written(self, sketch: Any) -> bytes:
        """Compressed, with the flags that Java sets."""
        if hasattr(sketch, "trim"):
            sketch.trim()
            sketch = sketch.compact()
        if sketch.is_empty():
            return EMPTY_THETA
        made = bytearray(sketch.serialize(compress=True))
        if sketch.num_retained == 1 and not sketch.is_estimation_mode():
            made[_FLAGS] |= _SINGLE
        return bytes(made)

    def read(self, written: bytes) -> Any:
        """The inverse of :meth:`written`."""
        import datasketches

        return datasketches.compact_theta_sketch.deserialize(written)


class ThetaIntersection(Theta):
    """What theta sketches have in common."""

    def merged(self, one: Any, other: Any) -> Any:
        """Of what both have."""
        import datasketches

        common = datasketches.theta_intersection()
        for sketch in (one, other):
            common.update(sketch)
        return common.get_result()


class Kll:
    """Quantiles, as Spark's ``kll_sketch_agg_`` makes them, of ``kind``: "double", "float" or "bigint"."""

    def __init__(self, kind: str, k: int) -> None:
        self.kind, self.k = kind, k

    def fresh(self) -> Any:
        """A sketch of nothing."""
        return self._type()(self.k)

    def _type(self) -> Any:
        import datasketches

        return {
            "double": datasketches.kll_doubles_sketch, "float": datasketches.kll_floats_sketch,
            "bigint": datasketches.kll_items_sketch,
        }[self.kind]  # fmt: skip

    def update(self, sketch: Any, values: pa.Array) -> Any:
        """The sketch with the values; NaN has no rank and does not count."""
        if self.kind == "bigint":
            for value in values.to_pylist():
                sketch.update(value)
        elif len(values):
            sketch.update(np.array(values))  # a copy: the library takes no memory that is read-only
        return sketch

    def merged(self, one: Any, other: Any) -> Any:
        """A new sketch of both."""
        made = self._type()(one.k)
        for sketch in (one, other):
            made.merge(sketch)
        return made

    def taken(self, sketch: Any) -> Any:
        """Itself."""
        return sketch

    def written(self, sketch: Any) -> bytes:
        """Its bytes, which Spark reads."""
        return bytes(sketch.serialize(*self._serde()))

    def read(self, written: bytes) -> Any:
        """The inverse of :meth:`written`; the sketch can be updated."""
        return self._type().deserialize(written, *self._serde())

    def _serde(self) -> tuple[Any, ...]:
        import datasketches

        return (datasketches.PyLongsSerDe(),) if self.kind == "bigint" else ()


class OfSketches:
    """The family whose values are sketches, given by their bytes: they are merged. Of none there is none yet."""

    def __init__(self, of: Any, check: Callable[[Any, Any], None] | None = None) -> None:
        self.of, self.check = of, check

    def fresh(self) -> Any:
        """None yet."""
        return None

    def update(self, sketch: Any, values: pa.Array) -> Any:
        """Merged with them."""
        for written in values.to_pylist():
            sketch = self.merged(sketch, self.of.taken(self.of.read(written)))
        return sketch

    def merged(self, one: Any, other: Any) -> Any:
        """A new sketch of both, if there are two."""
        if one is None or other is None:
            return other if one is None else one
        if self.check is not None:
            self.check(one, other)
        return self.of.merged(one, other)

    def written(self, sketch: Any) -> bytes:
        """Its bytes."""
        return b"" if sketch is None else self.of.written(sketch)

    def read(self, written: bytes) -> Any:
        """The inverse of :meth:`written`."""
        return self.of.read(written) if written else None

    def given(self, sketch: Any) -> bytes:
        """The bytes that are a result: of none, those of a sketch of nothing."""
        return self.of.written(self.of.fresh() if sketch is None else sketch)


def same_lg_k(one: Any, other: Any) -> None:
    """Spark refuses to merge HLL sketches of different sizes, unless it is asked for."""
    if one.lg_config_k != other.lg_config_k:
        raise ValueError(
            f"sketches with lgConfigK {one.lg_config_k} and {other.lg_config_k}: with allowDifferentLgConfigK=True the smaller "
            "one counts"
        )
