"""All comparisons: ``python -m benchmarks [--quick] [TOPIC ...]``; a table and a figure of each in benchmarks/results."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from benchmarks.measuring.report import RESULTS
from benchmarks.measuring.timing import Effort

TOPICS = {  # module, and what is measured
    "batch": ("robots.batch", "thousands of states in one call, on one core"),
    "threads": ("robots.threads", "the same on several cores"),
    "single": ("robots.single", "one state a call, from Python"),
    "factors": ("robots.factors", "factors of the inertia matrix, its inverse, forests and long chains"),
    "jacobians": ("robots.jacobians", "Jacobians of frames and their rates, in batches and one state a call"),
    "derivatives": ("robots.derivatives", "exact derivatives of inverse and forward dynamics"),
    "centroidal": ("robots.centroidal", "centre of mass, centroidal momentum and Coriolis matrices"),
    "simulation": ("steps.simulation", "steps of one motion, and of a batch of motions"),
    "touching": ("steps.touching", "robots on their feet and an arm that pushes a box, in steps"),
    "stacks": ("steps.stacks", "boxes on one another, at rest and thrown, in steps"),
    "scenes": ("steps.scenes", "a gripper, robots among boxes and heaps, all contacts found, in steps"),
    "piles": ("steps.piles", "heaps of boxes and balls, in steps"),
    "worlds": ("steps.worlds", "steps of mechanisms with loops, and of long ropes and chains"),
    "startup": ("starting.startup", "how long the first result takes, and how much memory"),
    "compiling": ("starting.compiling", "what is compiled for it, function by function"),
    "algebra": ("algebra", "functions of a million vectors, transforms and inertias"),
    "limit": ("robots.limit", "how far the batches are from what the processor can do"),
    "lcp": ("contact.lcp", "linear complementarity problems, beside QuantEcon's Lemke"),
    "contact": ("contact.topic", "friction problems: all solvers, Clarabel, contacts a second"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the topics and say what was written."""
    listing = "\n".join(f"  {topic:11s} {text}" for topic, (_, text) in TOPICS.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        epilog=f"topics:\n{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help="all of them if none is given")
    parser.add_argument("--quick", action="store_true", help="few repetitions, small batches: to see that it works")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results (benchmarks/results)")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.topics) - set(TOPICS))
    if unknown:
        parser.error(f"no topic {', '.join(unknown)}; there are {', '.join(TOPICS)}")
    effort = Effort.quick() if options.quick else Effort.thorough()
    for topic in options.topics or TOPICS:
        report = importlib.import_module(f"benchmarks.{TOPICS[topic][0]}").run(effort)
        if options.quick:
            report.note("A quick run with few repetitions: the numbers are rough.")
        for path in report.save(options.out):
            print(path, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
