"""Topic ``stacks``: boxes on one another, at rest or with the lowest thrown, all contacts found, ours beside MuJoCo's.

``python -m benchmarks.steps.stacks [N ...]`` prints the table for stacks of other sizes.

Boxes of 10 cm and 1 kg, friction 0.5, steps of 1 ms, on one core. Ours holds Coulomb's law, the error of the worst step
beside it; MuJoCo, with its defaults and elliptic cones, has soft contacts. Both are timed in turns in one process, by whole
motions from the same state: ours by ``World.simulate``, MuJoCo by ``mj_step`` with as many steps in one call.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measuring.report import Bars, Report
from benchmarks.measuring.timing import ENOUGH, MOST_TURNS, Effort, progress, turns_of
from benchmarks.steps.mujoco_models import FreeBodies
from pluecker.contact.geometry import Box
from pluecker.spatial.extras import MissingExtraError, require

__all__ = ["run"]

STEP, HALF, FRICTION, THROWN = 1e-3, 0.05, 0.5, 0.5
COUNTS, STEPS = (1, 2, 5, 10, 20, 50), 300
ROUNDS = 5  # turns, at least
WANTED = {(1, False): 0.8, (5, False): 0.8, (20, False): 0.8, (1, True): 0.8, (5, True): 0.5, (20, True): 0.3}


class Stack(NamedTuple):
    """Times and accuracy of a stack.

    Attributes:
        boxes, thrown: how many there are, and whether the lowest is thrown.
        ours, theirs: seconds of a step; NaN where MuJoCo is not there.
        error: of the law, the worst step.
        depth: the deepest penetration at the end, of both; m.
        creep: how far the highest box has moved across in a stack at rest, of both; m.
    """

    boxes: int
    thrown: bool
    ours: float
    theirs: float
    error: float
    depth: tuple[float, float]
    creep: tuple[float, float]


def stack_of(n: int) -> FreeBodies:
    """Make a stack of so many boxes on a floor, a little off one another."""
    q = np.zeros((n, 7))
    q[:, 0], q[:, 2], q[:, 3] = 1e-3 * (np.arange(n) % 3), HALF * (1 + 2 * np.arange(n)), 1.0
    return FreeBodies([Box((2 * HALF,) * 3)] * n, q, FRICTION, STEP)


def measure(n: int, thrown: bool, rounds: int, steps: int) -> Stack:
    """Time both, in turns."""
    stack, v = stack_of(n), np.zeros(6 * n)
    world, q = stack.world(), stack.placements.ravel()
    v[3] = THROWN if thrown else 0.0
    options: dict[str, Any] = {"record": (), "every": steps, "threads": 1}
    checked = world.simulate(q, v, steps * STEP, STEP, **{**options, "record": ("error", "constraint_forces")})
    error = float(checked.columns["error"].max()) * world.found_contacts.accuracy
    try:
        mujoco = require("mujoco", "peers", "the benchmark")
        model = stack.in_mujoco(mujoco)
        data = mujoco.MjData(model)
    except MissingExtraError:
        mujoco = None
    times: tuple[list[float], list[float]] = ([], [])
    depth, end = np.nan, np.full(7 * n, np.nan)
    while len(times[0]) < rounds:
        begun = perf_counter()
        motion = world.simulate(q, v, steps * STEP, STEP, **options)
        taken = perf_counter() - begun
        times[0].append(taken / steps)
        if len(times[0]) == 1 and rounds > 1:
            rounds = turns_of(taken, rounds)
        if mujoco is not None:
            mujoco.mj_resetData(model, data)  # new memory would be read from afar, and ours put out of the caches
            data.qvel[0] = v[3]
            begun = perf_counter()
            mujoco.mj_step(model, data, nstep=steps)
            times[1].append((perf_counter() - begun) / steps)
            depth, end = -float(data.contact.dist.min(initial=0.0)), data.qpos.copy()
    creep = [float(np.linalg.norm(x[-7:-5] - q[-7:-5])) if not thrown else np.nan for x in (motion.q[-1], end)]
    ours, theirs = (float(np.median(each)) if each else np.nan for each in times)
    own = -float(checked.contacts_at(-1).gap.min(initial=0.0))
    return Stack(n, thrown, ours, theirs, error, (own, depth), (creep[0], creep[1]))


def run(effort: Effort, counts: Sequence[int] | None = None) -> Report:
    """Measure stacks of all sizes."""
    quick = effort.rounds < 3
    counts = counts or (COUNTS[:2] if quick else COUNTS)
    report = Report(
        "stacks", "Boxes on one another",
        "How long a step takes, the search for contacts included, on one core, and what is reached: by how much the law is "
        "missed in the worst step, how deep boxes are in one another, how far the highest one creeps while it rests.",
        ["boxes", "motion", "ours", "MuJoCo", "MuJoCo / ours", "wanted", "error of the law", "deepest", "creep"],
    )  # fmt: skip
    found = []
    for n in progress(counts, "stacks"):
        for thrown in (False, True):
            found.append(measure(n, thrown, 1 if quick else ROUNDS, 20 if quick else STEPS))
            report.rows.append(row(found[-1]))
            print("  ".join(report.rows[-1]), file=sys.stderr, flush=True)
    names = [f"{each.boxes}, {'thrown' if each.thrown else 'at rest'}" for each in found]
    ratios: list[float | None] = [each.theirs / each.ours if each.theirs == each.theirs else None for each in found]
    report.charts = [Bars(names, {"pluecker": ratios}, "times as fast as MuJoCo", form="{:.2f}")]
    report.notes += [
        f"{STEPS} steps of {1e3 * STEP:g} ms, friction {FRICTION:g}; thrown: the lowest box, at {THROWN:g} m/s. Medians of "
        f"as many turns as take {ENOUGH:g} s, {ROUNDS} to {MOST_TURNS}; one thread each. Ours by `World.simulate`, MuJoCo "
        "by `mj_step`, its defaults but for elliptic cones.",
        "Law: ours is Coulomb's law and rigid contact; MuJoCo's is convex and soft, solved to its default tolerance.",
    ]
    return report


def row(stack: Stack) -> list[str]:
    """Return the row of the table."""
    wanted = WANTED.get((stack.boxes, stack.thrown))
    both = [" / ".join("-" if x != x else f"{1e3 * x:.1g} mm" for x in pair) for pair in (stack.depth, stack.creep)]
    there = stack.theirs == stack.theirs
    return [
        f"{stack.boxes}", "the lowest thrown" if stack.thrown else "at rest", f"{1e6 * stack.ours:.3g} us",
        f"{1e6 * stack.theirs:.3g} us" if there else "-", f"{stack.theirs / stack.ours:.2f}" if there else "-",
        f"{wanted:g}" if wanted else "", f"{stack.error:.0e}", *both,
    ]  # fmt: skip


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.steps.stacks")
    parser.add_argument("counts", type=int, nargs="*", default=[])
    options = parser.parse_args(arguments)
    report = run(Effort.thorough(), options.counts or None)
    print(report.table(), *report.notes, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
