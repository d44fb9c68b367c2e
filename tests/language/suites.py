"""Ask a PostgreSQL server for the rows of its suite: ``apt-get install postgresql``, then ``python tests/language/suites.py``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from samples.databases import keep, postgres
from samples.suites import suite

if __name__ == "__main__":
    its = suite("postgres")
    with postgres(its) as ask:
        keep(its, ask)
