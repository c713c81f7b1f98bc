"""``python -m tests.fuzz N``: N random calls, and a report of what is wrong, grouped by function."""

from __future__ import annotations

import argparse
import re
import signal
import time
from collections import defaultdict
from typing import Any

from tests.fuzz import workers

SHOWN = 2  # calls of each kind of complaint


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Random calls of every public function.")
    parser.add_argument("count", type=int, nargs="?", default=10_000, help="calls")
    parser.add_argument("--seed", type=int, default=0, help="of the first call; the next one has the next")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--area", help="one area alone: spatial, typed, algorithms, elements, models, friction")
    parser.add_argument("--worker", nargs=4, metavar=("FILE", "FIRST", "END", "STEP"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        path, *numbers = options.worker
        workers.work(path, *map(int, numbers), options.area)
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was found until then is told
    began = time.monotonic()
    found, made = workers.run(options.count, options.seed, options.jobs, options.area)
    print_report(found, options.area)
    print(
        f"{options.count} calls from seed {options.seed} in {time.monotonic() - began:.0f} s:",
        dict(sorted(made.items())),
    )
    print(f"{len({x['seed'] for x in found})} with complaints")
    return 1 if found else 0


def print_report(found: list[dict[str, Any]], only: str | None) -> None:
    """Complaints that begin alike together, with the seeds and the first calls."""
    groups: defaultdict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for x in found:
        groups[x["area"], x["name"], re.sub(r"'[^']*'|[0-9]+", "", x["wrong"])[:40]].append(x)
    for (_, name, _), members in sorted(groups.items(), key=lambda group: str(group[0])):
        print(f"{name}: {len(members)} times")
        for x in members[:SHOWN]:
            print(
                f"    python -m tests.fuzz 1 --seed {x['seed']}{'' if only is None else f' --area {only}'}\n"
                f"    {x['call']}\n    -> {x['wrong']}"
            )


if __name__ == "__main__":
    raise SystemExit(main())
