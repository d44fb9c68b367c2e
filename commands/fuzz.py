"""Compare the engine with the definition of windows, on cases that are drawn from a seed.

  inwindow fuzz --minutes 5                      tables, windows, aggregates, cuts, strategies
  inwindow fuzz --only streams,temporal          some families of them
  inwindow fuzz --cases 1e8 --shard 1/4 --resume night.json

exit code: 0 no difference, 1 one was found (a test that shows it is printed), 2 asked wrong
"""

from inwindow.testing.fuzz.command import arguments, run

__all__ = ["HELP", "NAME", "arguments", "run"]
NAME = "fuzz"
HELP = "compare the engine with the definition, on drawn cases"
