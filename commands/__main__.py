"""``python -m inwindow.commands``: the same as ``inwindow``."""

import sys

from inwindow.commands.main import main

if __name__ == "__main__":
    sys.exit(main())
