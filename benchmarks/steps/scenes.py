"""Topic ``scenes``: a gripper, robots among boxes, and heaps, all contacts found, ours beside MuJoCo's.

``python -m benchmarks.steps.scenes [NAME ...]`` prints the table of some: gripper, anymal, g1, 100, 1000, 4000, 16000,
batch.

Ours holds Coulomb's law, the error of the worst step beside it; MuJoCo, with its defaults and elliptic cones, has soft
contacts. Both are timed in turns in one process, by whole motions from the same state, on one thread, the batch on two.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measuring.report import Bars, Report
from benchmarks.measuring.timing import ENOUGH, MOST_TURNS, Effort, progress, turns_of
from benchmarks.steps.scenes_worlds import FRICTION, Scene, gripper, heap, robot
from pluecker.spatial.extras import MissingExtraError, require

__all__ = ["run"]

ROUNDS = 3  # turns, at least
LONG = 20.0  # a motion that takes longer has one turn, s
THREADS = 2  # of the batch
SCENES: dict[str, Callable[[], Scene]] = {
    "gripper": gripper,
    "anymal": partial(robot, "anymal_b/anymal", "ANYmal among ten boxes"),
    "g1": partial(robot, "g1/g1_29dof_rev_1_0", "G1 among ten boxes"),
    "100": partial(heap, 100, 500, 0.5),
    "1000": partial(heap, 1000, 500, 0.5),
    "4000": partial(heap, 4000, 40, 0.5),
    "16000": partial(heap, 16_000, 25, 0.5),
    "batch": partial(heap, 10, 100, 0.8, 1000),
}
QUICK, USUAL = ("gripper", "100"), ("gripper", "anymal", "g1", "100", "batch")


class Measured(NamedTuple):
    """Times and accuracy of a scene.

    Attributes:
        ours, theirs: seconds of a step of one motion; NaN where MuJoCo is not there.
        error: of the law, the worst step.
        depth: the deepest penetration at the end, of both; m.
        slip: how far what is held has come out of the hand, of both; m.
    """

    ours: float
    theirs: float
    error: float
    depth: tuple[float, float]
    slip: tuple[float, float]


def simulated(scene: Scene, q: Any, v: Any, record: tuple[str, ...]) -> Any:
    """Simulate our motion, or those of the batch."""
    threads = THREADS if scene.q.ndim > 1 else 1
    duration = scene.steps * scene.step
    return scene.world.simulate(
        q, v, duration, scene.step, control=scene.control, record=record, every=scene.steps, threads=threads
    )  # fmt: skip


def peer(scene: Scene) -> tuple[Callable[[], Any], Callable[[], float]] | None:
    """Return a call of MuJoCo that returns its coordinates at the end, in our order, and one for its deepest penetration;
    None if it is not there.
    """
    try:
        mujoco = require("mujoco", "peers", "the benchmark")
        rollout = require("mujoco.rollout", "peers", "the benchmark")
    except MissingExtraError:
        return None
    model = scene.in_mujoco(mujoco)
    many = scene.q if scene.q.ndim > 1 else scene.q[None]
    order = scene.order(model) if scene.order else list(range(scene.q.shape[-1]))
    datas = [mujoco.MjData(model) for _ in range(THREADS if len(many) > 1 else 1)]
    start = np.zeros((len(many), 1 + model.nq + model.nv))
    start[:, [1 + k for k in order]] = many
    control = None if scene.control is None else scene.forces()[None]

    def call() -> Any:
        if len(many) == 1 and control is None:
            data = datas[0]
            mujoco.mj_resetData(model, data)
            data.qpos[order] = many[0]
            mujoco.mj_step(model, data, nstep=scene.steps)
            return data.qpos[order]
        states = rollout.rollout(model, datas if len(datas) > 1 else datas[0], start, control, nstep=scene.steps)[0]
        return states[0, -1, 1:][order]

    return call, lambda: -float(datas[0].contact.dist.min(initial=0.0))


def measure(scene: Scene, rounds: int) -> Measured:
    """Time both, in turns."""
    first = tuple(x if scene.q.ndim == 1 else x[0] for x in (scene.q, scene.v))
    begun = perf_counter()
    checked = simulated(scene, *first, ("error",))  # and room is made, as much as is needed
    rounds = rounds if perf_counter() - begun < LONG else 1
    error = float(checked.columns["error"].max()) * scene.world.found_contacts.accuracy
    theirs = peer(scene)
    times: tuple[list[float], list[float]] = ([], [])
    count, end, their_end, depth = scene.steps * (len(scene.q) if scene.q.ndim > 1 else 1), checked.q[-1], None, np.nan
    while len(times[0]) < rounds:
        begun = perf_counter()
        motion = simulated(scene, scene.q, scene.v, ())
        taken = perf_counter() - begun
        times[0].append(taken / count)
        if len(times[0]) == 1 and rounds > 1:
            rounds = turns_of(taken, rounds)
        if theirs is not None:
            begun = perf_counter()
            their_end = theirs[0]()
            times[1].append((perf_counter() - begun) / count)
            depth = theirs[1]()
    end = motion.q[..., -1, :].reshape(-1, scene.q.shape[-1])[0]
    own = -float(min(scene.world.found_contacts.collision.find(end).gap, default=0.0))
    slips = [np.nan, np.nan]
    if scene.held is not None:
        box, hand = scene.held
        start = scene.q[box] - scene.q[hand]
        slips = [float(abs(x[box] - x[hand] - start)) if x is not None else np.nan for x in (end, their_end)]
    ours, other = (float(np.median(each)) if each else np.nan for each in times)
    return Measured(ours, other, error, (own, depth), (slips[0], slips[1]))


def run(effort: Effort, names: Sequence[str] | None = None) -> Report:
    """Measure the scenes."""
    quick = effort.rounds < 3
    names = names or (QUICK if quick else USUAL)
    report = Report(
        "scenes", "Hands, robots and heaps",
        "How long a step of one motion takes, the search for contacts included, and what is reached: by how much the law is "
        "missed in the worst step, how deep bodies are in one another at the end, how far a box slips in the hand.",
        ["scene", "steps", "ours", "MuJoCo", "MuJoCo / ours", "wanted", "error of the law", "deepest", "slip"],
    )  # fmt: skip
    labels, ratios = [], []
    for name in progress(names, "scenes"):
        scene = SCENES[name]()
        found = measure(scene, 1 if quick else ROUNDS)
        report.rows.append(row(scene, found))
        print("  ".join(report.rows[-1]), file=sys.stderr, flush=True)
        labels.append(scene.label)
        ratios.append(found.theirs / found.ours if found.theirs == found.theirs else None)
    report.charts = [Bars(labels, {"pluecker": ratios}, "times as fast as MuJoCo", form="{:.2f}")]
    report.notes += [
        f"Friction {FRICTION:g}; medians of {ROUNDS} turns, of short motions of as many as take {ENOUGH:g} s, "
        f"{MOST_TURNS} at most, one if one takes more than {LONG:g} s; one thread, of the batch {THREADS}. Ours by "
        "`World.simulate`, MuJoCo by `mj_step`, where "
        "forces change and in batches by `rollout`.",
        "Law: ours is Coulomb's law and rigid contact; MuJoCo's is convex and soft, solved to its default tolerance. Shapes "
        "of a robot that overlap as it stands ignore each other; in MuJoCo their bodies do.",
        "Heaps of 1,000 bodies and more are measured by name. They begin as towers: ours passes a blow on through all "
        "that touch within a step, MuJoCo's soft contacts in many steps; those of 4,000 and more are this beginning alone.",
    ]
    return report


def row(scene: Scene, found: Measured) -> list[str]:
    """Return the row of the table."""
    both = [" / ".join("-" if x != x else f"{1e3 * x:.2g} mm" for x in pair) for pair in (found.depth, found.slip)]
    there = found.theirs == found.theirs
    return [
        scene.label, f"{scene.steps} of {1e3 * scene.step:g} ms", f"{1e6 * found.ours:.3g} us",
        f"{1e6 * found.theirs:.3g} us" if there else "-", f"{found.theirs / found.ours:.2f}" if there else "-",
        f"{scene.wanted:g}" if scene.wanted else "", f"{found.error:.0e}", *both,
    ]  # fmt: skip


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.steps.scenes")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SCENES))
    options = parser.parse_args(arguments)
    report = run(Effort.thorough(), options.names or None)
    print(report.table(), *report.notes, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
