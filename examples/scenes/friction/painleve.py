"""Painleve's rod: it slides on its tip, friction is large, and no finite force can keep the tip out of the floor.

With the direction of sliding, the inclination th and half length l, the floor's push f accelerates the tip by

    A f,    A = 1/m + l^2/J cos th (cos th - mu sin th),

which is negative for a large mu: the more it pushes, the faster the tip comes. The answer is an impulse, though nothing has
fallen: the rod jams. As the step goes to zero it is the one that stops the tip, ``(D)^-1 (-u)`` with the matrix D of the
tip's mobility, as long as that is in the cone of friction. Energy is lost in it, and never won.

Sources: Painleve (1895); Genot, Brogliato (1999); Stewart, "Rigid-body dynamics with friction and impact" (2000).
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.algorithms.dynamics.kinetic_energy import kinetic_energy
from pluecker.articulated.algorithms.dynamics.potential_energy import potential_energy
from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Capsule, HalfSpace
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel, order_of
from pluecker.examples.scenes.parts import G, add_free, quaternion_about_y, simulate, watch

__all__ = ["run"]

HALF, MASS, THICK = 0.5, 1.0, 0.012


def run(
    angle: float = 60.0, friction: float = 1.8, speed: float = 1.5, duration: float = 0.5, step: float = 1e-3
) -> Outcome:
    """Run the scene.

    Args:
        angle: of the rod to the floor, leaning back against its motion; degrees.
        friction: the coefficient.
        speed: with which it slides; m/s.
        duration, step: of the film; s.
    """
    th, inertia = float(np.radians(angle)), MASS * HALF**2 / 3.0
    c, s = float(np.cos(th)), float(np.sin(th))
    builder = ModelBuilder("rod")
    add_free(builder, "rod", MASS, (inertia, inertia, 1e-3 * inertia))
    tips = [
        PointContact(name, "world", ("rod", (0.0, 0.0, z)), friction=friction)
        for name, z in (("tip", -HALF), ("top", HALF))
    ]
    shapes = [Collider("floor", HalfSpace(), ("world", (0.3, 0, 0))), Collider("rod", Capsule(THICK, 2 * HALF), "rod")]
    world = World(draw_colliders(builder.build(), shapes, ground=(1.8, 0.6)), tips)
    # the top is behind the tip: the tip at the origin, the middle at (-l cos th, l sin th)
    q = np.array([-HALF * c, 0.0, HALF * s, *quaternion_about_y(th - 0.5 * np.pi)])
    R = np.array([[s, 0.0, -c], [0.0, 1.0, 0.0], [c, 0.0, s]])  # columns: the axes of the rod in the world
    v = np.array([0.0, 0.0, 0.0, *(R.T @ [speed, 0.0, 0.0])])
    # r from the middle to the tip, (l c, -l s); a force (fx, fz) turns about y by z fx - x fz
    lever = np.array([-HALF * s, -HALF * c])
    D = np.eye(2) / MASS + np.outer(lever, lever) / inertia
    A = 1.0 / MASS + HALF**2 / inertia * c * (c - friction * s)
    stop = np.linalg.solve(D, [-speed, 0.0])
    inside = abs(stop[0]) <= friction * stop[1]
    expected = np.array([speed + stop[0] / MASS, stop[1] / MASS, lever @ stop / inertia])

    def first(h: float) -> np.ndarray:
        after = world.step(q, v, h)
        r = after.contacts.force.sum(axis=0) * h
        return np.array([r[0], r[2], after.v[1]])

    steps = [1e-3, 5e-4, 2.5e-4]
    found = [first(h) for h in steps]
    off = [float(np.abs(each[:2] - stop).max()) for each in found]
    motion = watch(world, q, v, duration, step, every=5)
    fine = simulate(world, q, v, duration, step, record=())
    energy = kinetic_energy(world.model, fine.q, fine.v) + potential_energy(world.model, fine.q)
    energy = energy - potential_energy(world.model, q) + MASS * G * HALF * s
    won = float(np.maximum(np.diff(energy), 0.0).max())
    claims = [
        Claim("impulse of the floor as the step goes to zero, along the normal", float(stop[1]),
              2.0 * found[-1][1] - found[-2][1], 1e-3 * float(stop[1]), "N s"),
        Claim("and along the floor", float(stop[0]), 2.0 * found[-1][0] - found[-2][0], 1e-3 * abs(float(stop[0])), "N s"),
        Claim("angular velocity after it", float(expected[2]), 2.0 * found[-1][2] - found[-2][2],
              1e-3 * abs(float(expected[2])), "rad/s"),
        Claim("order of its error in the step", 1.0, order_of(steps, off), 0.1),
        Claim("energy that is won in any step", 0.0, won, 1e-9, "J"),
    ]  # fmt: skip
    degrees = np.linspace(5.0, 85.0, 200)
    a = np.radians(degrees)
    kappa = 1.0 + 3.0 * np.cos(a) * (np.cos(a) - friction * np.sin(a))
    panels = [
        Panel(f"m A: paradox where it is negative; here {MASS * A:.3f}", "angle in degrees", "m A", [
            Curve("1 + 3 cos th (cos th - mu sin th)", degrees, kappa), Curve("", degrees, 0.0 * degrees, True)]),
        Panel("energy is lost, never won", "t in s", "J", [Curve("simulated", fine.time, energy)]),
        Panel("impulse of the first step", "step in s", "N s", [
            Curve("normal", np.array(steps), np.array([x[1] for x in found])),
            Curve("the one that stops the tip", np.array(steps), np.full(3, stop[1]), True)]),
    ]  # fmt: skip
    return Outcome(
        "painleve", "Painlevé's rod jams",
        f"A rod slides on its tip at {speed:g} m/s, leaning back at {angle:g} degrees, with a coefficient of friction of "
        f"{friction:g}. No finite force of the floor is possible (A < 0): the tip stops at once, by an impulse, and the rod "
        f"topples over it. That impulse is {'' if inside else 'not '}inside the cone of friction.",
        motion, claims, panels, (0, len(motion) // 3, int(0.7 * len(motion))), speed=0.5,
    )  # fmt: skip
