"""``python -m inwindow.testing.oracle``."""

import sys

from inwindow.testing.oracle.command import main

if __name__ == "__main__":
    sys.exit(main())
