"""The demo: an auction's bids through six windows, as a batch and as a stream: what ``make demo`` and ``inwindow demo`` run.

Covers: ROWS, RANGE, slides, hops, sessions, active expiration; own classes and built-ins; streams; `iw.explain`; speed

Its code is in ``commands/demo``: the six windows in ``windows.py``, the bids in ``auctions.py``. What can be given is what
``inwindow demo`` takes: ``python examples/auction_demo.py --engine tables --rows 1e6 --save demo.html``. Without ``--engine``
it runs on Spark, if there is Java, else on tables.
"""

import sys

from inwindow.commands.local_spark import has_spark
from inwindow.commands.main import main

if __name__ == "__main__":
    given = sys.argv[1:]
    if not {"--engine", "--local"} & set(given):
        given = ["--engine", "spark" if has_spark() else "tables", *given]
        print(
            f"on {given[1]}; elsewhere: inwindow demo --engine tables | spark (Java 17) | sail (pip install 'inwindow[sail]')\n"
        )
    sys.exit(main(["demo", *given]))
