"""Two cards with round edges lean against each other: they stand if the floor has ``mu >= sin a / (2 (cos a + r / l))``.

At an angle a to the vertical, with edges of radius r at a distance l, each card presses on the floor below its lower
edge, and pushes the other with H, at the height ``r + l cos a``; its weight acts ``l/2 sin a`` to the inside of the
lower edge. So ``H (r + l cos a) = m g l/2 sin a``, and friction has to answer H. By symmetry there is none at the
top.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, Capsule, HalfSpace
from pluecker.contact.geometry.surfaces import Collider, Surface
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel, threshold
from pluecker.examples.scenes.parts import (
    FORCES,
    G,
    add_free,
    box_inertia,
    every_for,
    quaternion_about_y,
    shown_well,
    simulate,
    still,
)
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

LENGTH, WIDTH, ROUND, MASS = 0.09, 0.06, 0.002, 0.004


def cards(angle: float, friction: float, accuracy: float = 1e-10) -> tuple[World, Array]:
    """Build two cards that lean against each other; return the world and the configuration."""
    builder, q, surface = ModelBuilder("cards"), [], Surface(friction=friction)
    size, along_y = (2.0 * ROUND, WIDTH, LENGTH), np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])
    shapes = [Collider("floor", HalfSpace(), "world", surface)]
    s, c = np.sin(angle), np.cos(angle)
    for name, side in (("left", -1.0), ("right", 1.0)):
        add_free(builder, name, MASS, box_inertia(MASS, size))
        shapes += [
            Collider(f"{name} {end}", Capsule(ROUND, WIDTH), (name, (0.0, 0.0, z * LENGTH), along_y), surface)
            for end, z in (("bottom", -0.5), ("top", 0.5))
        ]
        q += [side * (0.5 * LENGTH * s + ROUND), 0.0, 0.5 * LENGTH * c + ROUND, *quaternion_about_y(-side * angle)]
    faces = [Collider(f"{name} face", Box(size), name) for name in ("left", "right")]
    model = draw_colliders(builder.build(), [*shapes, *faces], ground=(0.2, 0.12))
    return World(model, shapes=shapes, accuracy=accuracy), np.array(q)


def friction_to_stand(angle: Array) -> Array:
    """Compute the friction that the cards need to stand, by statics."""
    return np.asarray(0.5 * np.sin(angle) / (np.cos(angle) + ROUND / LENGTH))


def run(angle: float = 20.0, short: float = 0.7, duration: float = 0.25, step: float = 1e-3) -> Outcome:
    """Run the scene.

    Args:
        angle: of the cards to the vertical; degrees.
        short: the coefficient of friction in the film, as a share of that which it takes.
        duration, step: of the film; s.
    """
    angles = np.radians([10.0, 20.0, 30.0])

    def falls(mu: float, a: float) -> bool:
        world, q = cards(a, mu)
        return bool(np.abs(world.step(q, still(world), 1e-3).v).max() > 1e-8 * G * 1e-3 / LENGTH)

    limits = friction_to_stand(angles)
    found = np.array([-threshold(lambda x, a=a: falls(-x, a), -0.5, 0.0, 1e-8) for a in angles])  # type: ignore[misc]
    a = float(np.radians(angle))
    limit = float(friction_to_stand(np.array(a)))
    world, q = cards(a, short * limit, 1e-7)
    motion = simulate(world, q, still(world), duration, step, record=FORCES, every=every_for(duration, step))
    held, q0 = cards(a, 1.5 * limit, 1e-8)
    rest = simulate(held, q0, still(held), 1.0, 2e-3, record=(), every=100)
    claims = [
        *(Claim(f"coefficient that it takes at {np.degrees(a):.0f} degrees, sin a / (2 (cos a + r / l))", float(x), float(y),
                1e-6) for a, x, y in zip(angles, limits, found, strict=True)),
        Claim("with half as much again, how far they move in 1 s", 0.0, float(np.abs(rest.q - q0).max()), 1e-9, "m"),
    ]  # fmt: skip
    fine = np.linspace(5.0, 35.0, 60)
    panels = [
        Panel("friction that it takes to stand", "angle to the vertical in degrees", "coefficient", [
            Curve("simulated", np.degrees(angles), found),
            Curve("sin a / (2 (cos a + r / l))", fine, friction_to_stand(np.radians(fine)), True)]),
        Panel(f"with {short:g} of it, they slide apart", "t in s", "height of the middles in mm", [
            Curve("simulated", motion.time, 1e3 * motion.q[:, 2])]),
    ]  # fmt: skip
    return Outcome(
        "cards", "Two cards lean against each other",
        f"Two cards at {angle:g} degrees to the vertical stand on a table with a coefficient of friction of {limit:.4f} or "
        f"more. Here it has {short * limit:.4f}: they slide apart and fall.",
        shown_well(motion), claims, panels, (0, len(motion) // 2, -1), camera=(14.0, -70.0), speed=0.2,
    )  # fmt: skip
