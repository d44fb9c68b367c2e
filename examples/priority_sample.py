"""Priority sampling: a few tuples that stand for the window, each with the same chance.

Covers: `iw.priority_sample`, seeds, estimates from a sample, `iw.tumble`; Babcock, Datar, Motwani (2002)

Scenario: payments stream by. Keep 200 of the last 5,000 as a sample, whatever comes and goes, and estimate from it what
share was above 100. A sample that is kept by chance alone goes stale as tuples leave; this one is always of the window.

Prints::

    payments          above 100: in the sample, in truth
         1 to   5000                 20.0%     18.2%
      5001 to  10000                 19.5%     18.1%
     10001 to  15000                 18.0%     17.0%
     15001 to  20000                 16.0%     17.4%
     20001 to  25000                 41.0%     36.8%
     25001 to  30000                 40.0%     35.6%
    the same from a reader in batches of 777: True
"""

import numpy as np
import pyarrow as pa

import inwindow as iw

random = np.random.default_rng(2002)
amount = np.round(random.lognormal(3.5, 1.2, 30_000), 2)
amount[20_000:] *= 2  # prices double
payments = pa.table({"i": range(len(amount)), "amount": amount})

window = iw.rows(5_000, order_by="i", slide=5_000)
samples = iw.select(payments, "i", sample=iw.priority_sample("amount", 200, seed=7).over(window))
print("payments          above 100: in the sample, in truth")
for row in samples.to_pylist():
    last = row["i"] + 1
    estimate = np.mean(np.array(row["sample"]) > 100)
    truth = np.mean(amount[last - 5_000 : last] > 100)
    print(f"{last - 4_999:6} to {last:6}              {estimate:8.1%}  {truth:8.1%}")

# The draw depends on the seed and on the tuples' numbers alone: cut into batches, or on Spark, it is the same.
again = iw.select(
    pa.RecordBatchReader.from_batches(payments.schema, payments.to_batches(max_chunksize=777)),
    "i", sample=iw.priority_sample("amount", 200, seed=7).over(window),
).read_all()  # fmt: skip
print("the same from a reader in batches of 777:", again["sample"].to_pylist() == samples["sample"].to_pylist())
