"""Valid programs, many: ``python tests/language/fuzz_by_sqlite.py 100000 [seed]``. Each gives what SQLite gives."""

import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from samples.esl_programs import Drawing, bag, by_class, by_sqlite

import inwindow as iw


def one(chance: Random) -> str:
    """Try one program; what came out."""
    drawing = Drawing(chance)
    program, tuples = drawing.program(), drawing.tuples()
    try:
        found = by_class(program, tuples)
    except iw.InWindowError as error:
        said = str(error).split("\n")[0].split("(line ")[0]
        print(f"\nREFUSED {said}\n{program.text}", flush=True)
        return "refused"
    except Exception as error:
        print(f"\n{type(error).__name__}: {error}\n{program.text}\n{tuples}", flush=True)
        return f"TRACEBACK {type(error).__name__}"
    expected = by_sqlite(program, tuples)
    if [bag(rows) for rows in found] == [bag(rows) for rows in expected]:
        return "equal"
    print(f"\nDIFFERS\n{program.text}\n{tuples}\n{found}\n{expected}", flush=True)
    return "DIFFERS"


def main(count: int, seed: int = 0) -> Counter[str]:
    """Many of them."""
    chance, start, slowest = Random(seed), time.process_time(), 0.0
    outcomes: Counter[str] = Counter()
    for number in range(1, count + 1):
        began = time.process_time()
        outcomes[one(chance)] += 1
        slowest = max(slowest, time.process_time() - began)
        if number % 5000 == 0:
            print(number, dict(outcomes), f"{time.process_time() - start:.0f} s of CPU time", flush=True)
    print(dict(outcomes), f"{time.process_time() - start:.0f} s of CPU time, slowest {slowest:.2f} s")
    return outcomes


if __name__ == "__main__":
    sys.exit(set(main(int(sys.argv[1]), int((*sys.argv, 0)[2]))) != {"equal"})
