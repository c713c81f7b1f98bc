"""A box that slides on a level floor comes to a stop after ``v^2 / (2 mu g)``, at the time ``v / (mu g)``, and stays there.

Neither its mass nor its size is in that. Friction is a constant force: the speed of each step is exact, until the step in
which the box stops; the path has an error of first order in the step.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, HalfSpace
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel, order_of
from pluecker.examples.scenes.parts import (
    G,
    add_free,
    box_inertia,
    corner_contacts,
    corners,
    every_for,
    simulate,
    watch,
)

__all__ = ["run"]

SIZE, MASS = (0.3, 0.2, 0.1), 2.0


def run(
    speed: float = 1.5, friction: float = 0.3, duration: float = 0.72, step: float = 1e-3, rest: float = 100.0
) -> Outcome:
    """Run the scene.

    Args:
        speed: with which it is sent off; m/s.
        friction: the coefficient.
        duration, step: of the film; s.
        rest: how long it is looked at afterwards; s.
    """
    builder = ModelBuilder("box")
    add_free(builder, "box", MASS, box_inertia(MASS, SIZE))
    shapes = [Collider("floor", HalfSpace(), ("world", (0.25, 0.0, 0.0))), Collider("box", Box(SIZE), "box")]
    model = draw_colliders(builder.build(), shapes, ground=(1.1, 0.5))
    world = World(model, corner_contacts("corner ", "world", "box", corners(SIZE), friction=friction))
    q, v = np.array([0.0, 0.0, 0.5 * SIZE[2], 1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, speed, 0.0, 0.0])
    motion = watch(world, q, v, duration, step, every=every_for(duration, step))
    t, far, until = motion.time, speed**2 / (2.0 * friction * G), speed / (friction * G)
    steps = [8 * step, 4 * step, 2 * step, step]
    ends = [simulate(world, q, v, duration, h, record=(), every=10**9).q for h in steps]
    errors = [float(x[-1, 0]) - far for x in ends]
    fine = simulate(world, q, v, duration, step, record=())
    stops = float(fine.time[np.argmax(np.abs(fine.v[:, 3]) < 1e-9 * speed)])
    after = simulate(world, motion.q[-1], motion.v[-1], rest, 0.01, record=(), every=max(1, round(rest)))
    creep = float(np.abs(after.q - after.q[0]).max())
    slides = np.minimum(t, until)
    claims = [
        Claim("time at which it stops, v / (mu g)", until, stops, 1.01 * step, "s"),
        Claim("how far it comes, v^2 / (2 mu g)", far, far + errors[-1], speed * step, "m"),
        Claim("order of the error of that in the step", 1.0, order_of(steps, errors), 0.05),
        Claim("sideways, by how much it leaves its line", 0.0, float(np.abs(motion.q[:, 1]).max()), 1e-12, "m"),
        Claim(f"creep in the {rest:g} s after that", 0.0, creep, 1e-9, "m"),
    ]
    panels = [
        Panel("it slows down evenly", "t in s", "speed in m/s", [
            Curve("simulated", t, motion.v[:, 3]), Curve("v - mu g t, then 0", t, speed - friction * G * slides, True)]),
        Panel("and comes as far as its energy lasts", "t in s", "path in m", [
            Curve("simulated", t, motion.q[:, 0]),
            Curve("v t - mu g t² / 2, then v² / (2 mu g)", t, speed * slides - 0.5 * friction * G * slides**2, True)]),
        Panel("a smaller step comes nearer to that", "step in s", "error of the path in m", [
            Curve("simulated", np.array(steps), np.abs(errors)),
            Curve("first order", np.array(steps), abs(errors[-1]) / step * np.array(steps), True)], log=True),
    ]  # fmt: skip
    return Outcome(
        "slide", "A box slides to a stop",
        f"A box is sent off at {speed:g} m/s, with a coefficient of friction of {friction:g}. It stops after {until:.3f} s "
        f"and {far:.3f} m, whatever its mass, and stays where it is: the force at rest has no part along the floor.",
        motion, claims, panels, (0, int(0.4 * len(t)), -1),
    )  # fmt: skip
