"""The demo: an auction's bids through six windows, as a batch and as a stream: what ``make demo`` and ``inwindow demo`` run.

Covers: ROWS, RANGE, slides, hops, sessions, active expiration; own classes and built-ins; streams; `iw.explain`; speed

Its code is in ``commands/demo``: the six windows in ``windows.py``, the bids in ``auctions.py``. What can be given is what
``inwindow demo`` takes: ``python examples/auction_demo.py --local --rows 1e6 --save demo.html``.
"""

import sys

from inwindow.commands.main import main

if __name__ == "__main__":
    sys.exit(main(["demo", *sys.argv[1:]]))
