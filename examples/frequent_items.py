"""Frequent items: what many ask for, in bounded memory, while the window slides.

Covers: `iw.frequent_items`, its promises, `iw.count` as the truth; ESL, section 6

Scenario: a stream of searches. Which words make up at least 5 percent of the last 2,000? Counting each word exactly
takes memory for all of them; counting hash tables take a fixed number of counters, and undo what leaves.

Prints::

    searches 2001 to 4000, 464 different words
      found word 1 (508), word 2 (240), word 3 (119)
      missing 0, counted too high by at most 0 (promised: 10)
    searches 6001 to 8000, 477 different words
      found word 1 (486), word 2 (225), word 3 (127)
      missing 0, counted too high by at most 0 (promised: 10)
    searches 10001 to 12000, 340 different words
      found eclipse (600), word 1 (352), word 2 (160)
      missing 0, counted too high by at most 0 (promised: 10)
    searches 14001 to 16000, 479 different words
      found word 1 (502), word 2 (193), word 3 (100)
      missing 0, counted too high by at most 0 (promised: 10)
    searches 18001 to 20000, 467 different words
      found word 1 (501), word 2 (224), word 3 (119)
      missing 0, counted too high by at most 0 (promised: 10)
"""

from collections import Counter

import numpy as np
import pyarrow as pa

import inwindow as iw

random = np.random.default_rng(6)
words = [f"word {rank}" for rank in random.zipf(1.3, 20_000) % 5_000]  # a few are common, most are rare
words[11_000:11_600] = ["eclipse"] * 600  # for a while, all ask for the same
searches = pa.table({"i": range(len(words)), "word": words})

SUPPORT, SIZE = 0.05, 2_000
window = iw.rows(SIZE, order_by="i", slide=4_000)
frequent = iw.select(searches, "i", found=iw.frequent_items("word", support=SUPPORT).over(window))

for row in frequent.to_pylist():
    last = row["i"] + 1
    exact = Counter(words[last - SIZE : last])
    found = {item["item"]: item["count"] for item in row["found"]}
    missing = [word for word, count in exact.items() if count >= SUPPORT * SIZE and word not in found]
    over = max(found[word] - exact[word] for word in found)
    print(f"searches {last - SIZE + 1} to {last}, {len(exact)} different words")
    print("  found", ", ".join(f"{word} ({count})" for word, count in found.items()))
    print(f"  missing {len(missing)}, counted too high by at most {over} (promised: {round(SUPPORT / 10 * SIZE)})")
