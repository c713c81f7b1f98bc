"""Topic ``touching``: robots on their feet and an arm that pushes a box, in steps of compiled simulation, beside MuJoCo.

Both step the same mechanism by 1 ms from the same state, held by springs and dampers at its joints. Beside each time stands
what was computed: the law, to which tolerance, and how deep bodies penetrated.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.measuring.report import ROUNDS, Bars, Report, Section, ratio, seconds
from benchmarks.measuring.timing import Effort, interleaved, progress
from benchmarks.steps.touching_scenes import STEP, Scene, scenes
from pluecker.contact import World
from pluecker.contact.constraints.relation import NORMAL
from pluecker.spatial import MissingExtraError

__all__ = ["run"]

PEER = "mj_step"


def run(effort: Effort) -> Report:
    """Measure everything."""
    report = Report(
        "touching",
        "Robots that touch",
        "How long a step of one state takes, in one motion and in a batch of motions, on one core, everything included: "
        "where shapes touch, forces of springs and dampers, friction. A ratio above 1 says that pluecker is faster.",
        ["scene", "motions", f"{PEER} / ours", "ours", PEER],
    )
    reached = Section(
        "What was reached",
        "The deepest penetration during the motion; how far apart both end: the largest difference of a coordinate.",
        ["scene", "ours, deepest", f"{PEER}, deepest", "apart at the end"],
    )
    quick = effort.rounds < 3
    steps, count = (20, 16) if quick else (500, 64)
    labels: list[str] = []
    bars: list[float | None] = []
    for scene in progress(list(scenes()), "touching"):
        world = scene.world()
        for motions in (1, count):
            group = {"ours": scene.ours(world, steps, motions)}
            try:
                group[PEER], configurations = scene.in_mujoco(steps, motions)
            except MissingExtraError:
                report.note("MuJoCo is not installed and left out (`pip install 'pluecker[peers]'`).")
            times = interleaved(group, effort, time.process_time, dict.fromkeys(group, steps * motions))
            over = times[PEER].over(times["ours"]) if PEER in times else None
            report.rows.append(
                [scene.label, f"{motions:,}", ratio(over)]
                + [seconds(times[name].median if name in times else None) for name in ("ours", PEER)]
            )
            labels.append(f"{scene.label}: {motions} motion{'s' if motions > 1 else ''}")
            bars.append(over[0] if over else None)
            if motions == 1:
                if over:
                    found = "yes" if over[0] >= 1.0 else "no"
                    report.note(f"{scene.label}, one motion: wanted no slower than {PEER}: {found} ({over[0]:.2f}).")
                own = group["ours"]().q
                theirs = configurations(group[PEER]()) if PEER in group else None
                reached.rows.append(what_was_reached(scene, world, own, theirs))
    report.sections.append(reached)
    report.charts = [
        Bars(labels, {f"{PEER} / ours": bars}, "MuJoCo's time / our time", 1.0, "equally fast", form="{:.2f}",
             title="above 1: pluecker is faster")
    ]  # fmt: skip
    report.notes += [
        f"{steps} steps of {STEP * 1e3:g} ms; ours by `simulate`, MuJoCo by `mujoco.rollout`, its defaults but for "
        "elliptic cones. Dampers of joints are implicit in both, springs in ours.",
        "Law and tolerance. Ours: Coulomb's law and rigid contact, to 1e-10 of the largest impulse of a step, at most 1e-8; "
        "else the motion ends with an error. MuJoCo: its convex law and soft contact, to its default tolerance of 1e-8.",
        "Times are seconds of the processor, so that others on the machine matter less.",
        ROUNDS,
    ]
    return report


def what_was_reached(scene: Scene, world: World, own: Any, theirs: Any) -> list[str]:
    """The deepest penetration of both, by our gaps, and how far apart they end."""
    normal = [k for k, row in enumerate(world.laws) if row.contact == NORMAL]

    def depth(q: Any) -> str:
        return f"{max(0.0, -float(world.rows_at(q).error[:, normal].min())):.1e} m"

    apart = "-" if theirs is None else f"{np.abs(own[-1] - theirs[-1]).max():.1e}"
    return [scene.label, depth(own), "-" if theirs is None else depth(theirs), apart]
