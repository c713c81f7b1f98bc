"""A tall box on a slope tips over before it slides, if the friction is large: at ``tan a = width / height`` or at
``tan a = mu``, whichever comes first.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel, threshold
from pluecker.examples.scenes.parts import G, box_on_slope, every_for, still, watch
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

SIZE = (0.2, 0.3, 0.5)
MASS = 5.0


def tall_box(angle: float, friction: float) -> tuple[World, Array]:
    """Build the box on the slope; return the world and the configuration."""
    return box_on_slope(SIZE, MASS, angle, friction, (1.6, 0.7), top=True)


def begins(friction: float) -> tuple[float, bool]:
    """Find the angle at which the box begins to move, and whether it tips then, rather than slides."""

    def moves(angle: float) -> bool:
        world, q = tall_box(angle, friction)
        return bool(np.abs(world.step(q, still(world), 0.01).v).max() > 1e-9 * G * 0.01)

    found = threshold(moves, 0.01, 0.9, 1e-8)
    world, q = tall_box(found + 1e-4, friction)
    return found, bool(abs(world.step(q, still(world), 0.01).v[1]) > 1e-6)


def run(friction: float = 0.7, excess: float = 1.0, duration: float = 0.9, step: float = 1e-3) -> Outcome:
    """Run the scene.

    Args:
        friction: the coefficient in the film.
        excess: by how much the slope of the film is steeper than the one at which the box tips; degrees.
        duration, step: of the film; s.
    """
    slender = SIZE[0] / SIZE[2]
    coefficients = np.array([0.15, 0.35, 0.45, friction])
    found = [begins(mu) for mu in coefficients]
    angle = float(np.arctan(slender) + np.radians(excess))
    world, q = tall_box(angle, friction)
    motion = watch(world, q, still(world), duration, step, every=every_for(duration, step))
    expected = np.arctan(np.minimum(coefficients, slender))
    tips = [float(each[1]) for each in found]
    claims = [
        Claim(
            f"with a friction of {mu:g}, begins to {'tip' if mu > slender else 'slide'} at", float(a), x[0], 1e-6, "rad"
        )
        for mu, a, x in zip(coefficients, expected, found, strict=True)
    ]
    claims.append(Claim("those that tip, and do not slide", float((coefficients > slender).sum()), sum(tips), 0.0))
    fine = np.linspace(0.02, friction, 100)
    panels = [
        Panel("when it begins to move", "coefficient of friction", "slope in degrees", [
            Curve("simulated", coefficients, np.degrees([x[0] for x in found])),
            Curve("tan a = mu, or width / height", fine, np.degrees(np.arctan(np.minimum(fine, slender))), True)]),
        Panel("it falls faster and faster", "t in s", "angular velocity in rad/s", [
            Curve("simulated", motion.time, motion.v[:, 1])]),
    ]  # fmt: skip
    return Outcome(
        "tipping", "A tall box on a slope tips over",
        f"A box of {SIZE[0]:g} m by {SIZE[2]:g} m tips on slopes steeper than {np.degrees(np.arctan(slender)):.2f} "
        f"degrees, where its weight passes its lower edge, if the friction holds it there: {slender:g} or more. With "
        "less it slides before.",
        motion, claims, panels, (0, int(0.85 * len(motion)), -1),
    )  # fmt: skip
