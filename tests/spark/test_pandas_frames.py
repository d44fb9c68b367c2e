"""DataFrames of pandas-on-Spark: results as frames of its, with the index kept."""

from typing import Any

import pandas as pd

import inwindow as iw


def test_pandas_on_spark(spark: Any) -> None:
    spark.conf.set("spark.sql.ansi.enabled", "false")  # or pandas-on-Spark warns
    plain = pd.DataFrame(
        {"k": list("aabba"), "t": [5, 1, 2, 9, 3], "v": [1.0, 2.0, 3.0, 4.0, 5.0]}, index=list("vwxyz")
    )
    import pyspark.pandas as ps

    df = ps.from_pandas(plain)
    window = iw.rows(2, partition_by="k", order_by="t")
    found = iw.with_columns(df, s=iw.sum("v").over(window))
    assert isinstance(found, ps.DataFrame)
    wanted = iw.with_columns(plain, s=iw.sum("v").over(window))
    pd.testing.assert_frame_equal(found.to_pandas().sort_index(), wanted, check_dtype=False)
    some = iw.select(df, "v", s=iw.sum("v").over(iw.rows(2, slide=2, partition_by="k", order_by="t"))).to_pandas()
    wanted = iw.select(plain, "v", s=iw.sum("v").over(iw.rows(2, slide=2, partition_by="k", order_by="t")))
    pd.testing.assert_frame_equal(some.sort_index(), wanted.sort_index(), check_dtype=False)
    later = df.assign(t=df.t + 10)
    united = iw.with_columns(iw.union(df, later, order_by="t"), s=iw.sum("v").over(window)).to_pandas()
    both = iw.union(plain, plain.assign(t=plain.t + 10), order_by="t")
    wanted = iw.with_columns(both, s=iw.sum("v").over(window)).sort_values(["k", "t"])
    assert united.sort_values(["k", "t"])["s"].tolist() == wanted["s"].tolist()
    groups = iw.group_by(df, "k").agg(n=iw.count()).to_pandas()
    assert dict(zip(groups["k"], groups["n"], strict=True)) == {"a": 3, "b": 2}
    iw.add_accessors()
    assert df.iw.group_by("k").agg(n=iw.count()).to_pandas()["n"].sum() == 5
