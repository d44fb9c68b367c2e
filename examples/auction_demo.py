"""The demo: an auction's bids through six windows, as a batch and as a stream: what ``make demo`` and ``inwindow demo`` run.

Covers: ROWS, RANGE, slides, hops, sessions, active expiration; own classes and built-ins; streams; `iw.explain`; speed

Its code is in ``commands/demo``: the six windows in ``windows.py``, the bids in ``auctions.py``. What can be given is what
``inwindow demo`` takes: ``python examples/auction_demo.py --engine tables --rows 1e6 --save demo.html``. Without ``--engine``
it runs on what is there: Spark with Java, else Sail, else Arrow tables.
"""

import sys
from importlib.util import find_spec

from inwindow.commands.local_spark import has_spark
from inwindow.commands.main import main

if __name__ == "__main__":
    given = sys.argv[1:]
    if not {"--engine", "--local"} & set(given):
        engine = "spark" if has_spark() else "sail" if find_spec("pysail") else "tables"
        others = {"spark": "make demo-spark", "sail": "make demo-sail", "tables": "inwindow demo"}
        print(f"on {engine}; on {', '.join(f'{name}: {how}' for name, how in others.items() if name != engine)}\n")
        given = ["--engine", engine, *given]
    sys.exit(main(["demo", *given]))
