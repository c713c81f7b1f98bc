"""A bowling ball that is thrown without spin: it slides, is turned by friction, and then rolls.

    time until it rolls   2 v0 / (7 mu g)         its speed from then on   5/7 v0

The speed is exact, since friction does not change the moment of momentum about a point of the floor; time and path have an
error of first order in the step.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import HalfSpace, Sphere
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel, order_of
from pluecker.examples.scenes.parts import G, add_free, ball_inertia, every_for, simulate, velocities, watch

__all__ = ["run"]

RADIUS, MASS = 0.11, 6.0


def run(speed: float = 2.0, friction: float = 0.2, duration: float = 0.5, step: float = 1e-3) -> Outcome:
    """Run the scene.

    Args:
        speed: with which it is thrown; m/s.
        friction: the coefficient.
        duration, step: of the film; s.
    """
    builder = ModelBuilder("ball")
    add_free(builder, "ball", MASS, ball_inertia(MASS, RADIUS))
    shapes = [Collider("floor", HalfSpace(), ("world", (0.4, 0.0, 0.0))), Collider("ball", Sphere(RADIUS), "ball")]
    model = draw_colliders(builder.build(), shapes, ground=(1.4, 0.5))
    world = World(model, [PointContact("touch", "world", "ball", radius=RADIUS, friction=friction)])
    q, v = np.array([0, 0, RADIUS, 1.0, 0, 0, 0]), np.array([0, 0, 0, speed, 0, 0])
    motion = watch(world, q, v, duration, step, every=every_for(duration, step))
    t, centre = motion.time, velocities(motion)[:, 0, 0]
    turning, rolls, final = RADIUS * motion.v[:, 1], 2.0 * speed / (7.0 * friction * G), 5.0 / 7.0 * speed

    def end(h: float) -> float:
        q1 = simulate(world, q, v, duration, h, record=(), every=10**9).q
        return float(q1[-1, 0])

    exact = speed * rolls - 0.5 * friction * G * rolls**2 + final * (duration - rolls)
    steps = [step * k for k in (5, 2, 1)]
    fine = simulate(world, q, v, duration, step, record="constraint_forces")
    found = fine.time[[each.state[0] for each in fine.contacts or ()].index("sticking")]
    claims = [
        Claim("speed in the end, 5/7 v0", final, float(centre[-1]), 1e-9, "m/s"),
        Claim("time until it rolls, 2 v0 / (7 mu g)", rolls, float(found), 1.01 * step, "s"),
        Claim(
            "order of the error of its path in the step", 1.0, order_of(steps, [end(h) - exact for h in steps]), 0.05
        ),
    ]
    slides = np.minimum(t, rolls)
    panels = [
        Panel("centre and rim", "t in s", "m/s", [
            Curve("speed of the centre", t, centre), Curve("radius times angular velocity", t, turning),
            Curve("v0 - mu g t, then 5/7 v0", t, speed - friction * G * slides, True),
            Curve("5/2 mu g t", t, 2.5 * friction * G * slides, True)]),
        Panel("where it is, for several steps", "step in s", "error of the path after the end in m", [
            Curve("simulated", np.array(steps), np.abs([end(h) - exact for h in steps])),
            Curve("first order", np.array(steps), abs(end(step) - exact) / step * np.array(steps), True)], log=True),
    ]  # fmt: skip
    return Outcome(
        "bowling", "A bowling ball slides, and then rolls",
        f"Thrown at {speed:g} m/s without spin, with a coefficient of friction of {friction:g}, it rolls after "
        f"{rolls:.3f} s at 5/7 of that speed. Friction acts as long as it slides; the ball that rolls on a level floor "
        "needs none.",
        motion, claims, panels, (0, int(np.argmax(t > 0.6 * rolls)), -1),
    )  # fmt: skip
