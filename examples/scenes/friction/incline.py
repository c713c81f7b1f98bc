"""A box on a slope, with Coulomb's friction.

It stays where it is as long as ``tan a <= mu``, and slides at ``g (sin a - mu cos a)`` where the slope is steeper. A force
that is constant makes the velocity of each step exact, so that it is compared to rounding; the path is that of the velocity
at the end of each step, and has an error of first order.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel, order_of, threshold
from pluecker.examples.scenes.parts import G, box_on_slope, simulate, still, watch
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

SIZE = (0.4, 0.3, 0.2)
MASS = 2.0


def slope_world(angle: float, friction: float) -> tuple[World, Array]:
    """Build the box on the slope; return the world and the configuration."""
    return box_on_slope(SIZE, MASS, angle, friction, (1.6, 0.6))


def run(
    friction: float = 0.4, excess: float = 5.0, duration: float = 0.7, step: float = 1e-3, rest: float = 100.0
) -> Outcome:
    """Run the scene.

    Args:
        friction: the coefficient.
        excess: by how much the slope of the film is steeper than the angle of friction; degrees.
        duration, step: of the film; s.
        rest: how long a box on half that slope is looked at; s.
    """
    limit = float(np.arctan(friction))

    def slides(angle: float) -> bool:
        world, q = slope_world(angle, friction)
        return bool(world.step(q, still(world), 0.01).v[3] > 1e-9 * G * 0.01)

    found = threshold(slides, limit - 0.1, limit + 0.1, 1e-9)
    angle = limit + np.radians(excess)
    gain = G * (np.sin(angle) - friction * np.cos(angle))
    world, q = slope_world(angle, friction)
    motion = watch(world, q, still(world), duration, step, every=max(1, round(duration / step / 70)))
    down = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    path, t = (motion.q[:, :3] - q[:3]) @ down, motion.time
    steps = [step * k for k in (4, 2, 1)]
    ends = [watch(world, q, still(world), steps[0] * 25, h, every=10**9).q for h in steps]
    errors = [float((x[-1, :3] - q[:3]) @ down) - 0.5 * gain * (25 * steps[0]) ** 2 for x in ends]
    held, q0 = slope_world(float(np.arctan(0.5 * friction)), friction)
    resting = simulate(held, q0, still(held), rest, 0.01, record=(), every=max(1, round(rest)))
    creep = float(np.abs(resting.q[:, :3] - q0[:3]).max())
    claims = [
        Claim("angle at which it begins to slide, atan mu", limit, found, 1e-6, "rad"),
        Claim("speed at the end, g (sin a - mu cos a) t", gain * float(t[-1]), float(motion.v[-1, 3]), 1e-8, "m/s"),
        Claim("order of the error of the path in the step", 1.0, order_of(steps, errors), 0.01),
        Claim(f"creep in {rest:g} s at half the friction limit", 0.0, creep, 1e-9, "m"),
    ]
    panels = [
        Panel("it slides at a constant acceleration", "t in s", "speed in m/s", [
            Curve("simulated", t, motion.v[:, 3]), Curve("g (sin a - mu cos a) t", t, gain * t, True)]),
        Panel("and its path is a parabola", "t in s", "path in m", [
            Curve("simulated", t, path), Curve("g (sin a - mu cos a) t² / 2", t, 0.5 * gain * t * t, True)]),
    ]  # fmt: skip
    degrees = np.degrees([limit, angle])
    return Outcome(
        "incline", "A box on a slope",
        f"With a coefficient of friction of {friction:g} a box stays on any slope up to {degrees[0]:.2f} degrees. This "
        f"one has {degrees[1]:.2f}: the forces at the corners lie on the edges of their cones of friction, against the "
        "motion, and the box slides.",
        motion, claims, panels, (0, len(motion) // 2, -1),
    )  # fmt: skip
