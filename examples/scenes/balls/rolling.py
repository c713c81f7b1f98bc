"""A ball on a slope, with Coulomb's friction.

It rolls at ``5/7 g sin a`` as long as ``mu >= 2/7 tan a``, the friction that this takes; where there is less, it slips, at
``g (sin a - mu cos a)``, and is turned at ``5/2 mu g cos a / r``. Both are constant, so that velocities are exact.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import HalfSpace, Sphere
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel, threshold
from pluecker.examples.scenes.parts import (
    G,
    add_free,
    ball_inertia,
    every_for,
    quaternion_about_y,
    slope_frame,
    still,
    velocities,
    watch,
)
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

RADIUS, MASS, APART = 0.1, 1.0, 0.35
LANES = ("rolls", "slips")


def balls(angle: float, frictions: tuple[float, ...]) -> tuple[World, Array]:
    """Build balls side by side on a slope, each with its own coefficient; return the world and the configuration."""
    builder, surface, q = ModelBuilder("balls"), slope_frame(angle), []
    shapes, contacts = [Collider("slope", HalfSpace(), slope_frame(angle, (0.35, 0.0, -0.35 * np.tan(angle))))], []
    for k, (name, mu) in enumerate(zip(LANES, frictions, strict=False)):
        add_free(builder, name, MASS, ball_inertia(MASS, RADIUS))
        contacts.append(PointContact(f"under {name}", surface, name, radius=RADIUS, friction=mu))
        shapes.append(Collider(name, Sphere(RADIUS), name))
        q += [*(RADIUS * surface.matrix[:, 2] + [0.0, APART * (k - 0.5), 0.0]), *quaternion_about_y(angle)]
    return World(draw_colliders(builder.build(), shapes, ground=(1.6, 0.9)), contacts), np.array(q)


def run(angle: float = 25.0, duration: float = 0.5, step: float = 1e-3) -> Outcome:
    """Run the scene.

    Args:
        angle: of the slope; degrees.
        duration, step: of the film; s.
    """
    a = float(np.radians(angle))
    limit = 2.0 / 7.0 * float(np.tan(a))
    roll, low = 5.0 / 7.0 * G * np.sin(a), 0.5 * limit
    world, q = balls(a, (2.0 * limit, low))
    motion = watch(world, q, still(world), duration, step, every=every_for(duration, step))
    t, contacts = motion.time, [motion.contacts_at(k) for k in range(len(motion))]
    down = np.array([np.cos(a), 0.0, -np.sin(a)])
    speed, rim = velocities(motion) @ down, np.array([np.linalg.norm(each.slip_velocity, axis=1) for each in contacts])

    def grips(mu: float) -> bool:
        one, start = balls(a, (mu,))
        after = one.step(start, still(one), 0.01)
        return float(np.linalg.norm(after.contacts.slip_velocity)) < 1e-9 * G * 0.01

    end = float(t[-1])
    slip = G * (np.sin(a) - low * np.cos(a))
    claims = [
        Claim("speed of the one that rolls, 5/7 g sin a t", roll * end, float(speed[-1, 0]), 1e-8, "m/s"),
        Claim("coefficient from which on it rolls, 2/7 tan a", limit, threshold(grips, 0.0, 2 * limit, 1e-9), 1e-6),
        Claim("speed of the one that slips, g (sin a - mu cos a) t", slip * end, float(speed[-1, 1]), 1e-8, "m/s"),
        Claim(
            "its slip, g (sin a - 7/2 mu cos a) t", G * (np.sin(a) - 3.5 * low * np.cos(a)) * end, float(rim[-1, 1]),
            1e-7, "m/s",
        ),
    ]  # fmt: skip
    panels = [
        Panel("speed of the centres", "t in s", "m/s", [
            Curve("friction twice what it takes", t, speed[:, 0]), Curve("half of what it takes", t, speed[:, 1]),
            Curve("5/7 g sin a t", t, roll * t, True), Curve("g (sin a - mu cos a) t", t, slip * t, True)]),
        Panel("slip where they touch", "t in s", "m/s", [
            Curve("friction twice what it takes", t, rim[:, 0]), Curve("half of what it takes", t, rim[:, 1])]),
    ]  # fmt: skip
    return Outcome(
        "rolling", "Two balls on a slope",
        f"A ball on a slope of {angle:g} degrees rolls where the coefficient of friction is {limit:.4f} or more, with five "
        "sevenths of the acceleration at which it would slide without friction. The front one has twice as much, the other "
        "half of it, and slips.",
        motion, claims, panels, (0, len(motion) // 2, -1),
    )  # fmt: skip
