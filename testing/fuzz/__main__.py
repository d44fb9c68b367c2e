"""``python -m inwindow.testing.fuzz``."""

import sys

from inwindow.testing.fuzz.command import main

if __name__ == "__main__":
    sys.exit(main())
