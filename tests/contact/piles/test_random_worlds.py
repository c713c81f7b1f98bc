"""Random worlds, as wild as can be: overlaps, needles, thin boxes, great speeds and mass ratios, steps of 1e-5 to 0.1 s.

What a step may gain is what undoes depths: the impulse times the speed at which it does so. Newton's restitution with
friction may gain more where several contacts act at once, soft contacts have energy in their springs, and trees at great
speeds that of their explicit Coriolis forces: only their numbers are looked at, which have to be finite.

Source: Stronge, "Rigid body collisions with friction" (1990), on Newton's law and energy.
"""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, kinetic_energy, potential_energy
from pluecker.contact import World
from pluecker.contact.geometry import Box, Capsule, Collider, HalfSpace, Sphere, Surface

STEPS = 10
GAIN = 2e-2  # of the energy: gaps are linear in a step, so that what turns fast in a long one misses them


def shape(rng):
    """A ball, a box, a thin or a long one, a capsule; 1 cm to 1 m."""
    size = float(10.0 ** rng.uniform(-2, 0))
    kind = rng.integers(4)
    if kind == 0:
        return Sphere(size)
    if kind == 1:
        return Capsule(size * 10.0 ** rng.uniform(-2, 0), size)
    return Box(size * 10.0 ** rng.uniform(-2, 0, 3)) if kind == 2 else Box((size, size, size))


def random_world(seed):
    """A world, a state, a step, and whether its energy is known."""
    rng = np.random.default_rng(seed)
    n, builder, restitution = int(rng.integers(1, 6)), ModelBuilder(), float(rng.choice([0.0, 0.0, 0.7]))
    soft = {"stiffness": 1e4, "damping": 10.0} if restitution == 0.0 and rng.random() < 0.2 else {}
    friction = float(rng.choice([0.0, 0.3, 1.0, 5.0]))
    kinetic = 0.5 * friction if seed % 3 == 0 else None
    surface = Surface(friction=friction, kinetic_friction=kinetic, restitution=restitution, **soft)
    shapes, q, v, tree = [Collider("floor", HalfSpace(), "world", surface)], [], [], False
    for k in range(n):
        own, mass = shape(rng), float(10.0 ** rng.uniform(-4, 4))
        moment = 0.4 * mass * max(own.radius_around, 0.01) ** 2
        builder.add_body(f"b{k}", mass=mass, inertia=(moment, moment, moment))
        shapes.append(Collider(f"s{k}", own, f"b{k}", surface))
        if k and rng.random() < 0.2:
            builder.add_joint(
                f"j{k}", "revolute", f"b{k - 1}", f"b{k}", axis=(0, 1, 0), position=rng.uniform(-0.3, 0.3, 3)
            )
            q, v, tree = [*q, rng.uniform(-1, 1, 1)], [*v, rng.uniform(-1, 1, 1)], True
            continue
        builder.add_joint(f"j{k}", "free", "world", f"b{k}")
        turn = rng.standard_normal(4)
        place = rng.uniform(-0.3, 0.3, 3) if rng.random() < 0.7 else np.zeros(3)  # centres that coincide
        speed = 10.0 ** rng.uniform(0, 4) if rng.random() < 0.2 else 1.0
        q.append(np.concatenate([place, turn / np.linalg.norm(turn)]))
        v.append(speed * rng.standard_normal(6) / np.repeat([1.0 + speed * own.radius_around, 1.0], 3))
    world = World(builder.build(), shapes=shapes)
    known = not (soft or tree or restitution)
    return world, np.concatenate(q), np.concatenate(v), float(10.0 ** rng.uniform(-5, -1)), known


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, 25))
def test_no_number_is_lost_and_no_energy_is_made(first):
    for seed in range(first, first + 25):
        world, q, v, h, known = random_world(seed)
        memory, model = None, world.model
        for _ in range(STEPS):
            options = {"memory": memory, "on_unsolved": "continue", "record": ("constraint_forces", "error")}
            motion = world.simulate(q, v, h, h, **options)
            touch, q1, v1 = motion.contacts_at(0), motion.q[-1], motion.v[-1]
            assert np.isfinite(v1).all()
            undone = h * (touch.normal_force * np.minimum(10.0, 1.0 / h) * np.maximum(-touch.gap, 0.0)).sum()
            before, after = (
                float(kinetic_energy(model, a, b) + potential_energy(model, a)) for a, b in ((q, v), (q1, v1))
            )
            scale = abs(after) + float(kinetic_energy(model, q, v)) + undone
            assert not known or after - before - undone <= GAIN * scale, (seed, before, after, undone)
            q, v, memory = q1, v1, motion.memory
