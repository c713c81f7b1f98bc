"""``python -m tests.fuzz N``: N random calls; each that is neither right nor one of our errors is printed with its seed."""

from __future__ import annotations

import argparse
import faulthandler
import time
from collections import Counter

from tests.fuzz.calls import AREAS, attempt

LONGEST = 300.0  # s that a call may take; the first of a kind is compiled in it


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Random calls of every public function.")
    parser.add_argument("count", type=int, nargs="?", default=10_000, help="calls")
    parser.add_argument("--seed", type=int, default=0, help="of the first call; the next one has the next")
    parser.add_argument("--area", choices=AREAS, help="one area alone")
    options = parser.parse_args()
    faulthandler.enable()
    began, made, wrong = time.monotonic(), Counter[str](), 0
    for seed in range(options.seed, options.seed + options.count):
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        outcome, complaints = attempt(seed, options.area)
        made[outcome] += 1
        wrong += bool(complaints)
        for complaint in complaints:
            print(complaint, flush=True)
    faulthandler.cancel_dump_traceback_later()
    print(f"{options.count} calls in {time.monotonic() - began:.0f} s: {dict(made)}, {wrong} with complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
