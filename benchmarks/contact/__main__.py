"""Friction problems: the topic ``contact`` on other files, or some of its parts.

``python -m benchmarks.contact [DIR] [--quick] [--out FOLDER] [--families N] [--only PART ...]`` takes all FCLIB files of a
folder; without one, and as a topic of ``python -m benchmarks``, those of the folder in PLUECKER_FRICTION or of
``../shared/data/friction``, or random packings of spheres. With ``--only`` some parts are printed, and no file is written.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.contact.topic import MANY, MEMBERS, PARTS, run
from benchmarks.measuring.report import RESULTS
from benchmarks.measuring.timing import Effort


def main(arguments: list[str] | None = None) -> int:
    """The topic alone, on the files of any folder; or some of its parts, which are printed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contact", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="with FCLIB files, .hdf5")
    parser.add_argument("--quick", action="store_true", help="few repetitions, low limits: to see that it works")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=f"print these: {', '.join(PARTS)}")
    parser.add_argument(
        "--families",
        type=int,
        default=MEMBERS,
        help=f"members of each family ({MEMBERS}); from {MANY} on with the largest packings",
    )
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results (benchmarks/results)")
    options = parser.parse_args(arguments)
    effort = Effort.quick() if options.quick else Effort.thorough()
    report = run(effort, options.folder, options.only or PARTS, options.families)
    if options.quick:
        report.note("A quick run with few repetitions and low limits: the numbers are rough.")
    if options.only:
        print(report.text())
        return 0
    for path in report.save(options.out):
        print(path, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
