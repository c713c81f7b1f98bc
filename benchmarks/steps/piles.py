"""Topic ``piles``: heaps of boxes and balls, ours and MuJoCo's, step by step, with what each of the two reaches.

``python -m benchmarks.steps.piles [--steps K] [N ...]`` prints the table for piles of other sizes.

Layers of boxes of 17 cm and balls of 20 cm, by turns, turned a little, come to rest on one another and slide apart on a
floor, friction 0.5, steps of 5 ms. Ours holds Coulomb's law, the error of the worst step beside it; MuJoCo, with its
defaults and elliptic cones, has soft contacts, whose law is another one. Times are of the processor, of all threads
together, with the search for contacts; the first step and what compiles are not counted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from time import process_time
from typing import NamedTuple

import numpy as np

from benchmarks.contact.large import compile_all
from benchmarks.measuring.report import Bars, Report, verdict
from benchmarks.measuring.resources import peak_bytes
from benchmarks.measuring.timing import Effort, progress
from benchmarks.steps.mujoco_models import FreeBodies
from pluecker.contact.geometry import Box, Sphere
from pluecker.spatial.extras import MissingExtraError, require

__all__ = ["run"]

STEP, BOX, RADIUS = 0.005, 0.17, 0.1
COUNTS, QUICK, STEPS = (100, 1000, 4000, 16_000), (20, 100), 50
GROWTH, ACCURACY, MOST = 2.0, 1e-5, 2e9  # of the cost of a contact; the error of the law; bytes of the largest pile
SMALL = 1000  # bodies from which the cost of a contact is compared


class Pile(NamedTuple):
    """Cost and accuracy of some steps of a pile.

    Attributes:
        program, law: whose, and which.
        contacts: in the last step.
        seconds: of a step.
        error: of the law, the worst step; NaN where it is another law.
        depth: the deepest penetration at the end, in m.
        memory: bytes that the process had more at most.
    """

    program: str
    law: str
    contacts: int
    seconds: float
    error: float
    depth: float
    memory: float = np.nan

    @property
    def each(self) -> float:
        """Seconds of a contact."""
        return self.seconds / max(self.contacts, 1)


def pile_of(n: int) -> FreeBodies:
    """Make a pile of so many bodies in layers."""
    side, k = max(round((n / 8) ** 0.5), 1), np.arange(n)
    layer, rest = np.divmod(k, side * side)
    y, x = np.divmod(rest, side)
    angle = np.random.default_rng(0).uniform(-0.1, 0.1, n)
    q = np.zeros((n, 7))
    q[:, :3] = np.stack([0.201 * x, 0.201 * y, 0.1 + 0.186 * layer], axis=1)
    q[:, 3], q[:, 6] = np.cos(angle), np.sin(angle)
    return FreeBodies([Sphere(RADIUS) if k % 2 else Box((BOX,) * 3) for k in range(n)], q, 0.5, STEP)


def ours(pile: FreeBodies, steps: int) -> Pile:
    """Step a pile."""
    world, n = pile.world(), len(pile.shapes)
    step = world.step(pile.placements.ravel(), np.zeros(6 * n), STEP)
    record = ("error", "constraint_forces")
    options = {"memory": step.memory, "on_unsolved": "continue", "every": steps, "record": record}
    world.simulate(step.q, step.v, STEP, STEP, **options)
    begun = process_time()
    motion = world.simulate(step.q, step.v, steps * STEP, STEP, **options)
    took = (process_time() - begun) / steps
    touch = motion.contacts_at(-1)
    error = float(motion.columns["error"].max()) * world.found_contacts.accuracy
    return Pile("pluecker", "Coulomb's, exact", len(touch), took, error, -float(touch.gap.min(initial=0.0)))


def theirs(pile: FreeBodies, steps: int) -> Pile:
    """Step a pile in MuJoCo."""
    mujoco = require("mujoco", "peers", "the benchmark")
    model = pile.in_mujoco(mujoco)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    begun = process_time()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    took = (process_time() - begun) / steps
    depth = -float(data.contact.dist.min(initial=0.0))
    return Pile(f"MuJoCo {mujoco.__version__}", "its own, soft", int(data.ncon), took, np.nan, depth)


def run(effort: Effort, counts: Sequence[int] | None = None, steps: int = STEPS) -> Report:
    """Measure piles of all sizes."""
    quick = effort.rounds < 3
    counts = counts or (QUICK if quick else COUNTS)
    steps = min(steps, 5) if quick else steps
    report = Report(
        "piles", "Piles of boxes and balls",
        "How long a step takes, the search for contacts included, and what is reached: by how much the law is missed in the "
        "worst step, relative, and how deep bodies are in one another at the end.",
        ["bodies", "program", "law", "contacts", "a step", "a contact", "error of the law", "deepest", "memory"],
    )  # fmt: skip
    compile_all(("apgd", "psor", "auto"))
    found: dict[int, Pile] = {}
    bars: dict[str, list[float | None]] = {"pluecker": [], "MuJoCo": []}
    for n in progress(counts, "piles"):
        for measure, name in ((ours, "pluecker"), (theirs, "MuJoCo")):
            try:
                pile = with_memory(lambda measure=measure, n=n: measure(pile_of(n), steps))
            except MissingExtraError:
                report.note("MuJoCo is not installed and left out (`pip install 'pluecker[peers]'`).")
                bars[name].append(None)
                continue
            bars[name].append(1e6 * pile.each)
            if name == "pluecker":
                found[n] = pile
            report.rows.append(row(n, pile))
            print("  ".join(report.rows[-1]), file=sys.stderr, flush=True)
    report.charts = [Bars([f"{n:,} bodies" for n in counts], bars, "us of a contact and step", form="{:.1f}")]
    report.notes += verdicts(found)
    report.notes += [
        f"{steps} steps of {1e3 * STEP:g} ms after the first; both with all their threads, times are of the processor. "
        "Ours by `World.simulate`, MuJoCo by `mj_step`, its defaults but for elliptic cones.",
        "Law and tolerance: ours is Coulomb's law and rigid contact; MuJoCo's is convex and soft, solved to its default "
        "tolerance. Memory: what the process had more at most, MuJoCo's arena as far as it was used.",
    ]
    return report


def with_memory(measure: Callable[[], Pile]) -> Pile:
    """Measure a pile, and the memory that it takes."""
    piles: list[Pile] = []
    memory = peak_bytes(lambda: piles.append(measure()))
    return piles[0]._replace(memory=memory)


def row(n: int, pile: Pile) -> list[str]:
    """Return the row of the table."""
    error = "-" if np.isnan(pile.error) else f"{pile.error:.0e}"
    return [
        f"{n:,}", pile.program, pile.law, f"{pile.contacts:,}", f"{1e3 * pile.seconds:.3g} ms", f"{1e6 * pile.each:.3g} us",
        error, f"{1e3 * pile.depth:.2g} mm", f"{1e-6 * pile.memory:.0f} MB",
    ]  # fmt: skip


def verdicts(found: dict[int, Pile]) -> list[str]:
    """Compare the results with the targets, one line each."""
    costs = [pile.each for n, pile in found.items() if n >= SMALL]
    worst = max(pile.error for pile in found.values())
    notes = [verdict("Error of the law in each step", worst, ACCURACY, "{:.0e}".format)]
    if len(costs) > 1:
        what = f"Cost of a contact from {SMALL:,} bodies on, the dearest / the cheapest"
        notes.append(verdict(what, max(costs) / min(costs), GROWTH, "{:.2f}".format))
        notes.append(verdict("Memory of the largest", 1e-9 * found[max(found)].memory, 1e-9 * MOST, "{:.2f} GB".format))
    return notes


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.steps.piles")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("counts", type=int, nargs="*", default=[100, 1000])
    options = parser.parse_args(arguments)
    report = run(Effort.thorough(), options.counts or [100, 1000], options.steps)
    print(report.table(), *report.notes, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
