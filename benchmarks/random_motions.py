"""Random motions of worlds whose contacts are found: is every step solved, is energy made, how long does it take.

``python -m benchmarks.random_motions --seeds 0 100 --kind boxes stack`` follows the motions of the families of
:mod:`benchmarks.motions` (all of them unless told otherwise), prints each that is not as it should be, with its seed, and a
table with a row for each family:

- unsolved: motions that ended in an error; given up: that took too long; not finite: that lost a number;
- Python: steps whose problem the compiled solver handed to Python; divided: steps that Python did not solve either;
- error: of the law, the worst step, over what is tolerated;
- gain: the largest rise of kinetic and potential energy in a step, less what undoing depths gives, as a share of the
  energy that the motion has; of passive motions without restitution alone, others are driven;
- depth: the deepest overlap at the end, less the deepest in the beginning.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.motions import FAMILIES, Motion
from pluecker.articulated import SimulationError, kinetic_energy, potential_energy
from pluecker.contact.found import layout
from pluecker.contact.found.outside import Outside
from pluecker.spatial import MissingExtraError

__all__ = ["Followed", "follow", "table"]

GRAVITY, RECOVERY = 9.81, 10.0  # m/s^2; what worlds recover with, 1/s
GAIN = 2e-5  # a share: twice the accuracy of worlds, to which impulses, and what they work, are exact
PIECE = 20  # steps, after which it is seen how long they took
# m: what is no fault beside what turning by an angle a in a step leaves, a^2 / 2 of both shapes, in two steps: to undo it
# takes a tenth of a second
DEPTH = 3e-3


@dataclass
class Followed:
    """One motion, followed to its end.

    Attributes:
        kind, seed: of which family, and which.
        steps: how many.
        failure: the message of the error in which it ended; empty if it did not.
        python, divided: steps that went to Python, and steps that were divided.
        error: of the law, the worst step, over what is tolerated.
        gain: of energy in the worst step, a share; NaN where it is driven.
        depth: how much deeper shapes are in one another at the end than at the beginning; m.
        fastest: the largest velocity; m/s or rad/s.
        turn: what it comes to in a step.
        size: the largest radius around a shape; m.
        finite: whether all numbers are.
        seconds: of a step.
        given_up: whether it took too long to be followed to its end.
    """

    kind: str
    seed: int
    steps: int
    failure: str = ""
    python: int = 0
    divided: int = 0
    error: float = 0.0
    gain: float = np.nan
    depth: float = 0.0
    fastest: float = 0.0
    turn: float = 0.0
    size: float = 0.0
    finite: bool = True
    seconds: float = 0.0
    given_up: bool = False

    @property
    def is_right(self) -> bool:
        """True if it reached its end, obeyed the law, and made no energy."""
        deep = self.depth > DEPTH + 2.0 * self.size * min(self.turn, 1.0) ** 2
        return not (self.failure or not self.finite or self.error > 1.0 or self.gain > GAIN or deep or self.given_up)

    def __str__(self) -> str:
        words = (
            f"{self.kind} {self.seed}: {self.steps} steps, {1e6 * self.seconds:.0f} us each, {self.python} in Python, "
        )
        words += (
            f"{self.divided} divided, error {self.error:.2g}, gain {self.gain:.1e}, depth {1e3 * self.depth:.2g} mm, "
        )
        words += f"fastest {self.fastest:.3g}{', NOT FINITE' * (not self.finite)}{', GIVEN UP' * self.given_up}"
        return f"{words} {self.failure[:150]}".rstrip()


@dataclass
class Asked:
    """Steps that asked Python.

    Attributes:
        python, divided: how many, and how many were not solved there either.
        last: the step and the velocity of the one that asked last, by which a second question of one step is known.
    """

    python: int = 0
    divided: int = 0
    last: tuple[float, bytes] = field(default=(0.0, b""))


@contextmanager
def counted() -> Iterator[Asked]:
    """Count the steps that ask Python for impulses."""
    asked, solve = Asked(), Outside.solve

    def counting(self: Outside, piece: Any) -> None:
        solve(self, piece)
        this = float(piece[layout.ANSWER][layout.STEP]), piece[layout.BEFORE].tobytes()
        asked.python += this != asked.last
        asked.divided += this != asked.last and not piece[layout.ANSWER][0] <= 1.0
        asked.last = this

    setattr(Outside, "solve", counting)  # noqa: B010
    try:
        yield asked
    finally:
        setattr(Outside, "solve", solve)  # noqa: B010


def follow(kind: str, seed: int, make: Callable[[int], Motion], limit: float = np.inf) -> Followed:
    """Follow the motion of a family with this seed, for so many seconds about."""
    motion = make(seed)
    world, found, parts, steps = motion.world, Followed(kind, seed, motion.steps), [], 0
    begun, memory = perf_counter(), None
    with counted() as asked:
        while steps < motion.steps and not (found.failure or found.given_up):
            q, v = (parts[-1].q[-1], parts[-1].v[-1]) if parts else (motion.q, motion.v)
            some = min(PIECE, motion.steps - steps)
            try:
                parts.append(simulated(motion, q, v, some, "error", memory))
            except SimulationError as error:
                found.failure = str(error)
                parts += [] if error.trajectory is None else [error.trajectory]
            else:
                memory, steps = parts[-1].memory, steps + some
                found.given_up = steps < motion.steps and perf_counter() - begun > limit
    found.steps = steps
    found.seconds = (perf_counter() - begun) / max(steps, 1)
    found.python, found.divided = asked.python, asked.divided
    for part in parts:
        found.finite = found.finite and bool(np.isfinite(part.q).all() and np.isfinite(part.v).all())
        found.error = max(found.error, float(part.columns["error"].max(initial=0.0)))
        found.fastest = max(found.fastest, float(np.abs(part.v).max()))
        if motion.passive and len(part) > 1:
            found.gain = max(0.0 if found.gain != found.gain else found.gain, gain(motion, part))
    found.turn = found.fastest * motion.step
    radii = world.found_contacts.collision.radii
    found.size = float(radii[np.isfinite(radii)].max(initial=0.0))
    if parts:
        found.depth = deepest(world, parts[-1].q[-1]) - deepest(world, motion.q)
    return found


def simulated(motion: Motion, q: Any, v: Any, steps: int, record: str, memory: Any = None) -> Any:
    """Simulate some steps of a motion."""
    return motion.world.simulate(
        q, v, steps * motion.step, motion.step, control=motion.control, record=record, memory=memory
    )  # fmt: skip


def deepest(world: Any, q: Any) -> float:
    """Return the deepest overlap in a configuration, m."""
    return -float(min(world.found_contacts.collision.find(q).gap, default=0.0))


def gain(motion: Motion, path: Any) -> float:
    """Compute the largest rise of energy in a step beyond what undoing depths gives, a share of the energy of the motion.

    To that belongs what weight gives bodies at rest in a step, of which contacts take all back.
    """
    model, h = motion.world.model, motion.step
    kinetic = kinetic_energy(model, path.q, path.v)
    energy = kinetic + potential_energy(model, path.q)
    scale = float(np.ptp(energy) + kinetic.max()) + model.mass * (h * GRAVITY) ** 2
    worst, rises = 0.0, np.diff(energy)
    if rises.max(initial=0.0) <= GAIN * scale:
        return max(0.0, float(rises.max(initial=0.0))) / scale
    for k in np.argsort(rises)[::-1]:
        rise = float(rises[k])
        if rise <= max(worst, GAIN) * scale:
            break
        touch = simulated(motion, path.q[k], path.v[k], 1, "constraint_forces").contacts_at(0)
        undone = h * float(
            (touch.normal_force * np.minimum(1.0, min(RECOVERY, 1.0 / h) * np.maximum(-touch.gap, 0.0))).sum()
        )
        worst = max(worst, (rise - undone) / scale)
    return worst


def table(found: list[Followed]) -> str:
    """Return a table with a row for each family."""
    names = ("family", "motions", "steps", "unsolved", "given up", "not finite", "divided", "Python", "error", "gain",
             "depth mm", "median us", "worst us", "s")  # fmt: skip
    rows = [names]
    for kind in [*dict.fromkeys(each.kind for each in found), "all"]:
        own = [each for each in found if kind in (each.kind, "all")]
        seconds = np.array([each.seconds for each in own])
        rows.append((
            kind, f"{len(own)}", f"{sum(x.steps for x in own)}", f"{sum(bool(x.failure) for x in own)}",
            f"{sum(x.given_up for x in own)}",
            f"{sum(not x.finite for x in own)}", f"{sum(x.divided for x in own)}", f"{sum(x.python for x in own)}",
            f"{max(x.error for x in own):.2g}", f"{np.nanmax([0.0, *(x.gain for x in own)]):.1e}",
            f"{1e3 * max(x.depth for x in own):.2g}", f"{1e6 * np.median(seconds):.0f}", f"{1e6 * seconds.max():.0f}",
            f"{sum(x.seconds * x.steps for x in own):.0f}",
        ))  # fmt: skip
    wide = [max(len(row[k]) for row in rows) for k in range(len(names))]
    return "\n".join("  ".join(word.rjust(n) for word, n in zip(row, wide, strict=True)) for row in rows)


def main(arguments: list[str]) -> int:
    """Follow motions, print those that are not right, and the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.random_motions", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seeds", type=int, nargs=2, default=(0, 20), metavar=("FIRST", "END"), help="0 20 unless given"
    )
    parser.add_argument(
        "--kind", nargs="*", choices=list(FAMILIES), default=list(FAMILIES), help="families; all of them"
    )
    parser.add_argument("--all", action="store_true", help="print each motion")
    parser.add_argument("--slow", type=int, default=0, metavar="N", help="print the N slowest motions too")
    parser.add_argument("--limit", type=float, default=60.0, metavar="S", help="a motion is given up after; 60 s")
    options = parser.parse_args(arguments)
    found: list[Followed] = []
    for kind in options.kind:
        for seed in range(*options.seeds):
            try:
                found.append(follow(kind, seed, FAMILIES[kind], options.limit))
            except MissingExtraError as error:
                print(f"{kind}: {error}", file=sys.stderr)
                break
            if options.all or not found[-1].is_right:
                print(found[-1], flush=True)
    for each in sorted(found, key=lambda x: -x.seconds)[: options.slow]:
        print("slow:", each)
    print(table(found))
    return int(not all(each.is_right for each in found))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
