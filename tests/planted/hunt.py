"""Let the fuzzer look for a fault, in this process: ``python -m tests.planted.hunt ID SECONDS`` prints what it found as JSON.

The id ``none`` plants nothing: no difference must come, or the seed says nothing about faults. Its families are then given.
"""

import json
import resource
import sys
import time
from itertools import count, cycle
from typing import Any

SEED = 2025
_OVER = 60  # seconds of CPU that a round may take longer: who then still runs will not come back
_MEMORY = 6 << 30


def hunt(families: tuple[str, ...], seconds: float, most: float = float("inf"), seed: int = SEED) -> dict[str, Any]:
    """Rounds of these families in turn, until one differs: what it was, and after how many cases and seconds of CPU."""
    from inwindow.testing.fuzz.rounds import round_of
    from inwindow.testing.fuzz.shrink import difference_of

    began, cases = time.process_time(), 0
    for number, family in zip(count(), cycle(families), strict=False):
        one = round_of(seed, number, (family,))
        found = difference_of(one.trial)
        cases += one.trial.cases
        spent = time.process_time() - began
        so_far = {"cases": cases, "seconds": round(spent, 2)}
        if found is not None:
            how = "error" if found.error else "result"
            said = found.error or f"given {found.given!r}, expected {found.expected!r}"
            return {"by": family, "how": how, "round": number, **so_far, "said": f"{found.where}: {said}"[:300]}
        if spent >= seconds or cases >= most:
            return {"by": None, **so_far}
    raise AssertionError("rounds do not end")


def limit(seconds: float) -> None:
    """Let this process end if it takes much more CPU, or too much memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + _OVER, int(seconds) + _OVER + 5))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def main(name: str, seconds: float, families: tuple[str, ...]) -> None:
    """Plant, hunt, print."""
    limit(seconds)
    if name != "none":
        from .plant import plant
        from .rooms import FAULTS, families_of

        plant(FAULTS[name])
        families = families or families_of(FAULTS[name])
    import inwindow.testing.fuzz.rounds  # noqa: F401  a fault with which this fails is none: it would be seen at once

    print("imported", flush=True)
    print(json.dumps(hunt(families, seconds)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), tuple(sys.argv[3:]))
