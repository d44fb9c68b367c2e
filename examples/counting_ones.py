"""Counting ones: how many of the last million, without the last million.

Covers: `iw.ones_in_window`, its bound, memory that does not grow with the window; Datar, Gionis, Indyk, Motwani (2002)

Scenario: a router marks each packet that it had to drop. How many of the last 50,000 were dropped, to within 1 percent? An
exact count must hold 50,000 bits to know what leaves; an exponential histogram holds some hundred buckets.

Prints::

    packet    counted    exact
       999         12       12
     49999       2373     2373
     89999       7969     8014
    119999       2425     2419
    199999       2375     2369
    off by at most 0.98% at any of 200,000 packets
      counted = ones_in_window(dropped, 0.01) (order by i rows between 49999 preceding and current row)
        memory    O(log(window) / eps) buckets
      exact = sum(one) (order by i rows between 49999 preceding and current row)
        memory    50000 tuples
"""

import numpy as np
import pyarrow as pa

import inwindow as iw

random = np.random.default_rng(50)
packets = 200_000
dropped = random.random(packets) < np.where(np.arange(packets) // 40_000 % 2, 0.2, 0.01)  # trouble comes and goes
stream = pa.table({"i": range(packets), "dropped": dropped})

window = iw.rows(50_000, order_by="i")
counted = iw.ones_in_window("dropped", eps=0.01)
exact = iw.sum("one")
with_ones = stream.append_column("one", stream["dropped"].cast(pa.int64()))
result = iw.with_columns(with_ones, counted=counted.over(window), exact=exact.over(window))

print("packet    counted    exact")
for row in result.take([999, 49_999, 89_999, 119_999, 199_999]).to_pylist():
    print("{i:6}  {counted:9}  {exact:7}".format(**row))
error = max(
    abs(a - b) / max(b, 1) for a, b in zip(result["counted"].to_pylist(), result["exact"].to_pylist(), strict=True)
)
print(f"off by at most {error:.2%} at any of {packets:,} packets")
for line in str(iw.explain(with_ones, counted=counted.over(window), exact=exact.over(window))).splitlines():
    if line.split()[:1] == ["memory"] or " = " in line:
        print(line)
