"""Scopes: windows whose bounds are fixed, or any function of time that does not go backwards.

Covers: `iw.landmark(since=, until=)`, a band, `iw.scope(lower=, upper=)`, `lag=`

Scenario: a sensor reports a number every ten minutes. Show which reports each of them is compared with.

Prints::

    since 20      (order by minute since 20)
      at 50: highest 8 of [20, 30, 40, 50]
      at 60: highest 8 of [20, 30, 40, 50, 60]
      at 70: highest 9 of [20, 30, 40, 50, 60, 70]
    until 40      (order by minute until 40)
      at 50: highest 8 of [0, 10, 20, 30, 40]
      at 60: highest 8 of [0, 10, 20, 30, 40]
      at 70: highest 8 of [0, 10, 20, 30, 40]
    band 20-40    (order by minute since 20 until 40)
      at 50: highest 8 of [20, 30, 40]
      at 60: highest 8 of [20, 30, 40]
      at 70: highest 8 of [20, 30, 40]
    half hour     (order by minute scope from lower(t) to current row)
      at 50: highest 8 of [30, 40, 50]
      at 60: highest 2 of [60]
      at 70: highest 9 of [60, 70]
    younger half  (order by minute scope from lower(t) to current row)
      at 50: highest 8 of [30, 40, 50]
      at 60: highest 8 of [30, 40, 50, 60]
      at 70: highest 9 of [40, 50, 60, 70]
    around        (order by minute scope from lower(t) to upper(t))
      at 50: highest 8 of [30, 40, 50, 60]
      at 60: highest 9 of [40, 50, 60, 70]
      at 70: highest 9 of [50, 60, 70]
    lagging       (order by minute range between 40 preceding and 20 preceding)
      at 50: highest 8 of [10, 20, 30]
      at 60: highest 8 of [20, 30, 40]
      at 70: highest 8 of [30, 40, 50]
"""

import pyarrow as pa

import inwindow as iw

reports = pa.table({"minute": [0, 10, 20, 30, 40, 50, 60, 70], "value": [3, 5, 4, 8, 6, 7, 2, 9]})

windows = {
    "since 20": iw.landmark(since=20, order_by="minute"),
    "until 40": iw.landmark(until=40, order_by="minute"),
    "band 20-40": iw.landmark(since=20, until=40, order_by="minute"),
    # the half hour that the report is in, up to the report
    "half hour": iw.scope(lower=lambda t: t // 30 * 30, order_by="minute"),
    # a window that grows with time: the younger half of all there was
    "younger half": iw.scope(lower=lambda t: t / 2, order_by="minute"),
    # from twenty minutes before to ten minutes after
    "around": iw.scope(lower=lambda t: t - 20, upper=lambda t: t + 10, order_by="minute"),
    # the twenty minutes that ended twenty minutes ago
    "lagging": iw.range(20, lag=20, order_by="minute"),
}
for name, window in windows.items():
    print(f"{name:12}  {window.describe()}")
    seen = iw.with_columns(reports, seen=iw.collect_list("minute").over(window), highest=iw.max("value").over(window))
    for row in seen.to_pylist()[-3:]:
        print("  at {minute}: highest {highest} of {seen}".format(**row))
