"""Random worlds, as wild as can be: overlaps, needles, thin boxes, great speeds and mass ratios, steps of 1e-5 to 0.1 s.

    python -m tests.contact.random_worlds 1000 [--first 0] [--named | --rough]

Contacts are found, or all pairs that have places are named; the ground is flat, or a height field of hills or ridges. What a
step may gain is what undoes depths: the impulse times the speed at which it does so. Newton's restitution with friction may
gain more where several contacts act at once, soft contacts have energy in their springs, and trees that turn by radians in
a step that of their explicit Coriolis forces: only their numbers are looked at, which have to be finite. Of such trees a
motion may end with the error that its numbers overflow, no other one.

Source: Stronge, "Rigid body collisions with friction" (1990), on Newton's law and energy.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated import ModelBuilder, SimulationError, kinetic_energy, potential_energy
from pluecker.contact import GeometryError, World
from pluecker.contact.geometry import (
    Box,
    Capsule,
    Collider,
    ConvexHull,
    Cylinder,
    HalfSpace,
    HeightField,
    ShapeContact,
    Sphere,
    Surface,
)

STEPS = 10
GAIN = 2e-2  # of the energy: gaps are linear in a step, so that what turns fast in a long one misses them


class Wild(NamedTuple):
    """A world, a state, a step, whether its energy is known, and whether it has trees of several bodies."""

    world: World
    q: Any
    v: Any
    step: float
    known: bool
    trees: bool


def shape(rng, kinds):
    """A ball, a capsule, a thin or a long box, a cube, a cylinder, a hull: one of the first kinds; 1 cm to 1 m."""
    size = float(10.0 ** rng.uniform(-2, 0))
    kind = rng.integers(kinds)
    if kind == 0:
        return Sphere(size)
    if kind == 1:
        return Capsule(size * 10.0 ** rng.uniform(-2, 0), size)
    if kind == 2:
        return Box(size * 10.0 ** rng.uniform(-2, 0, 3))
    if kind == 3:
        return Box((size, size, size))
    if kind == 4:
        return Cylinder(size * 10.0 ** rng.uniform(-2, 0), size)
    return ConvexHull(size * 10.0 ** rng.uniform(-1, 0, 3) * rng.uniform(-0.5, 0.5, (12, 3)))


def rough_ground(seed):
    """Random heights, or ridges; 4 m wide, down to -0.2 m."""
    z = 0.2 * np.random.default_rng(seed).random((9, 9)) - 0.2
    return HeightField(z if seed % 2 else np.tile(0.2 * (np.arange(9) % 2) - 0.2, (9, 1)), (4.0, 4.0))


def random_world(seed, named=False, kinds=4, rough=False):
    """Draw a world, q, v, a step, whether its energy is known, and whether it has trees of several bodies.

    Half of the worlds have Poisson's law of impacts, a third two coefficients of friction, and a fifth resist to rolling and
    spinning.
    """
    rng = np.random.default_rng(seed)
    n, builder, restitution = int(rng.integers(1, 6)), ModelBuilder(), float(rng.choice([0.0, 0.0, 0.7]))
    soft = {"stiffness": 1e4, "damping": 10.0} if restitution == 0.0 and rng.random() < 0.2 else {}
    friction = float(rng.choice([0.0, 0.3, 1.0, 5.0]))
    kinetic = 0.5 * friction if seed % 3 == 0 else None
    turning = {"rolling_friction": 0.01, "spinning_friction": 0.005} if seed % 5 == 1 else {}
    surface = Surface(friction=friction, kinetic_friction=kinetic, restitution=restitution, **turning, **soft)
    ground = rough_ground(seed) if rough else HalfSpace()
    shapes, q, v, joined = [Collider("floor", ground, "world", surface)], [], [], set()
    for k in range(n):
        own, mass = shape(rng, kinds), float(10.0 ** rng.uniform(-4, 4))
        moment = 0.4 * mass * max(own.radius_around, 0.01) ** 2
        builder.add_body(f"b{k}", mass=mass, inertia=(moment, moment, moment))
        shapes.append(Collider(f"s{k}", own, f"b{k}", surface))
        if k and rng.random() < 0.2:
            place = rng.uniform(-0.3, 0.3, 3)
            builder.add_joint(f"j{k}", "revolute", f"b{k - 1}", f"b{k}", axis=(0, 1, 0), position=place)
            q, v, joined = [*q, rng.uniform(-1, 1, 1)], [*v, rng.uniform(-1, 1, 1)], {*joined, (f"s{k - 1}", f"s{k}")}
            continue
        builder.add_joint(f"j{k}", "free", "world", f"b{k}")
        turn = rng.standard_normal(4)
        place = rng.uniform(-0.3, 0.3, 3) if rng.random() < 0.7 else np.zeros(3)  # centres that coincide
        speed = 10.0 ** rng.uniform(0, 4) if rng.random() < 0.2 else 1.0
        q.append(np.concatenate([place, turn / np.linalg.norm(turn)]))
        v.append(speed * rng.standard_normal(6) / np.repeat([1.0 + speed * own.radius_around, 1.0], 3))
    options = {"impacts": "poisson" if seed % 2 else "newton"}
    if named:
        options["pairs"] = [pair for pair in named_pairs(shapes) if pair not in joined]
    world = World(builder.build(), shapes=shapes, **options)
    known = not (soft or joined or (restitution and seed % 2 == 0))
    return Wild(world, np.concatenate(q), np.concatenate(v), float(10.0 ** rng.uniform(-5, -1)), known, bool(joined))


def named_pairs(shapes):
    """Names of all pairs that have places where they may touch."""
    found = []
    for first, second in itertools.combinations(shapes, 2):
        try:
            ShapeContact("touch", first, second)
        except GeometryError:
            continue
        found.append((first.name, second.name))
    return found


def complaint(seed, named=False, kinds=4, rough=False):
    """Step a random world a few times; return what is wrong, or an empty text."""
    world, q, v, h, known, trees = random_world(seed, named, kinds, rough)
    memory, model = None, world.model
    for k in range(STEPS):
        options = {"memory": memory, "on_unsolved": "continue", "record": ("constraint_forces", "error")}
        try:
            motion = world.simulate(q, v, h, h, **options)
        except SimulationError as error:
            return "" if trees and "its numbers overflow" in str(error) else f"step {k}: {error}"
        touch, q1, v1 = motion.contacts_at(0), motion.q[-1], motion.v[-1]
        if not (np.isfinite(q1).all() and np.isfinite(v1).all()):
            return f"step {k}: a state that is not finite"
        undone = h * (touch.normal_force * np.minimum(10.0, 1.0 / h) * np.maximum(-touch.gap, 0.0)).sum()
        before, after = (float(kinetic_energy(model, a, b) + potential_energy(model, a)) for a, b in ((q, v), (q1, v1)))
        scale = abs(after) + float(kinetic_energy(model, q, v)) + undone
        if known and after - before - undone > GAIN * scale:
            return f"step {k} of {h:.2g} s: energy {before:.6g} J becomes {after:.6g} J, depths give {undone:.3g} J"
        q, v, memory = q1, v1, motion.memory
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.contact.random_worlds", description="Random worlds in steps."
    )
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first world; the next one has the next")
    parser.add_argument("--named", action="store_true", help="pairs that touch are named")
    parser.add_argument("--rough", action="store_true", help="the ground is a height field, and contacts are found")
    parser.add_argument("--kinds", type=int, default=6, help="4: without cylinders and hulls")
    options = parser.parse_args()
    tally: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.count):
        try:
            wrong = complaint(seed, options.named, options.kinds, options.rough)
        except Exception as error:  # what fails is told with its seed
            wrong = f"{type(error).__name__}: {error}"
        tally["wrong" if wrong else "right"] += 1
        if wrong:
            print(f"seed {seed}: {wrong}", flush=True)
    print(f"{options.count} worlds from seed {options.first}:", dict(tally))
    return 1 if tally["wrong"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
