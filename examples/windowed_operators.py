"""Windowed operators: every relational operator on what two windows hold.

Covers: `temporal.window`, `distinct` with keep, `join`, `aggregate`, `union`, `intersect`, `difference`, `at`

Scenario: the operators of section 4 of *Window Specification over Data Streams* (Patroumpas, Sellis): cars of some colours come
by two gates, and each gate has a window of its own: gate a sees a car for 4 minutes, gate b for 2.

By hand: a car at t is seen in [t, t + d + 1). Gate a: red [1, 6), blue [3, 8), red [6, 11). Gate b: red [2, 5), red [4, 7), green
[7, 10). Of gate b's two red ones the later one counts from 4 on. At 6 a red car leaves gate a, and another comes: still two. Of
red, gate a has one from 1 until 11, gate b one from 2, two from 4, one from 5 until 7: the difference is red in [1, 2) and [7, 11).

Prints::

    selection: red cars of a
      red 1 [1, 6)
      red 6 [6, 11)
    duplicate elimination: the most recent of each colour of b
      red 2 [2, 4)
      red 4 [4, 7)
      green 7 [7, 10)
    join by colour
      red 1 2 [2, 5)
      red 1 4 [4, 6)
      red 6 4 [6, 7)
    aggregation: how many a sees
      1 [1, 3)
      2 [3, 8)
      1 [8, 11)
    union, at 4
      blue 1
      red 3
    intersection
      red [2, 7)
    difference, a less b
      red [1, 2)
      blue [3, 8)
      red [7, 11)
"""

import pyarrow as pa
import pyarrow.compute as pc

import inwindow as iw
from inwindow import temporal


def show(title: str, relation: pa.Table) -> None:
    print(title)
    for *values, since, until in sorted(
        (tuple(row.values()) for row in relation.to_pylist()), key=lambda row: row[-2:]
    ):
        print(" ", *values, f"[{since}, {until})")


def main() -> None:
    a = temporal.window(pa.table({"colour": ["red", "blue", "red"], "t": [1, 3, 6]}), iw.range(4, order_by="t"))
    b = temporal.window(pa.table({"colour": ["red", "red", "green"], "t": [2, 4, 7]}), iw.range(2, order_by="t"))

    show("selection: red cars of a", a.filter(pc.field("colour") == "red"))
    latest = temporal.distinct(b, by="colour", keep="latest")
    show("duplicate elimination: the most recent of each colour of b", latest)
    show("join by colour", temporal.join(a, b, on="colour"))
    show("aggregation: how many a sees", temporal.aggregate(a, n=iw.count()))

    a, b = a.drop_columns(["t"]), b.drop_columns(["t"])
    print("union, at 4")
    held = temporal.at(temporal.union(a, b), 4).group_by("colour").aggregate([([], "count_all")]).sort_by("colour")
    for row in held.to_pylist():
        print(" ", row["colour"], row["count_all"])
    show("intersection", temporal.intersect(a, b))
    show("difference, a less b", temporal.difference(a, b))


if __name__ == "__main__":
    main()
