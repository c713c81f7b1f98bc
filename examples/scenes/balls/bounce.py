"""A ball that bounces, by Newton's law of restitution: after n bounces it rises to ``e^(2n)`` of its height.

The ball is on the floor at the end of the step in which it arrives, so that each bounce moves the time by a part of a step:
heights have an error of first order.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import HalfSpace, Sphere
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel
from pluecker.examples.scenes.parts import G, add_free, ball_inertia, every_for, simulate, watch
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

RADIUS, MASS, SIDEWAYS = 0.05, 0.2, 0.35


def peaks(height: Array) -> Array:
    """Find the heights of all tops but the beginning."""
    rises = np.diff(height) > 0.0
    return height[1:-1][rises[:-1] & ~rises[1:]]


def run(restitution: float = 0.8, height: float = 1.0, bounces: int = 4, step: float = 1e-4) -> Outcome:
    """Run the scene.

    Args:
        restitution: Newton's coefficient e.
        height: from which it falls; m.
        bounces: that are looked at.
        step: s.
    """
    builder = ModelBuilder("ball")
    add_free(builder, "ball", MASS, ball_inertia(MASS, RADIUS))
    shapes = [Collider("floor", HalfSpace(), ("world", (0.5, 0.0, 0.0))), Collider("ball", Sphere(RADIUS), "ball")]
    model = draw_colliders(builder.build(), shapes, ground=(1.6, 0.4))
    world = World(model, [PointContact("touch", "world", "ball", radius=RADIUS, restitution=restitution)])
    q, v = np.array([0, 0, RADIUS + height, 1.0, 0, 0, 0]), np.array([0, 0, 0, SIDEWAYS, 0, 0])
    fall = float(np.sqrt(2.0 * height / G))
    powers = restitution ** np.arange(1, bounces + 1)
    duration = round(fall * (1.0 + 2.0 * powers[:-1].sum() + 1.3 * powers[-1]) / (8 * step)) * 8 * step
    motion = watch(world, q, v, duration, step, every=every_for(duration, step, 200))
    errors, steps = [], [8 * step, 4 * step, 2 * step, step]
    expected = height * powers**2
    for h in steps:
        each = simulate(world, q, v, duration, h, record=())
        found = peaks(each.q[:, 2] - RADIUS)[:bounces]
        errors.append(float(np.abs(found - expected).max()))
    # an arrival is off by a step at most, in which the ball comes by v h farther, and has g h more or less of speed
    within = 2.0 * bounces * np.sqrt(2.0 * G * height) * step
    claims = [
        Claim(f"height after {k + 1} bounces, e^{2 * (k + 1)}", float(expected[k]), float(found[k]), float(within), "m")
        for k in range(bounces)
    ]
    t, y = motion.time, motion.q[:, 2] - RADIUS
    panels = [
        Panel("height above the floor", "t in s", "m", [
            Curve("simulated", t, y),
            *(Curve("e^(2n)" if k == 0 else "", t, np.full(len(t), x), True) for k, x in enumerate(expected))]),
        Panel("error of the heights", "step in s", "m", [
            Curve("largest of all bounces", np.array(steps), np.array(errors)),
            Curve("first order", np.array(steps), errors[0] / steps[0] * np.array(steps), True)], log=True),
    ]  # fmt: skip
    return Outcome(
        "bounce", "A ball that bounces",
        f"A ball falls from {height:g} m, and comes back from the floor with {restitution:g} times the speed with which it "
        "arrived, each time. Its heights fall by the square of that.",
        motion, claims, panels, (0, int(0.5 * len(t)), -1),
    )  # fmt: skip
