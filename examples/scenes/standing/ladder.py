"""A ladder against a smooth wall stands if the floor has ``mu >= 1 / (2 tan th)``, at an angle th to the floor.

The wall pushes with W, at the height ``L sin th``; the weight m g acts at half the length: ``W tan th = m g / 2``; the floor
has to answer W by friction, and carries the whole weight.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, HalfSpace
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel, threshold
from pluecker.examples.scenes.parts import G, about_y, add_free, quaternion_about_y, still, watch
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

LENGTH, MASS, WIDTH = 3.0, 12.0, 0.4


def ladder(angle: float, friction: float) -> tuple[World, Array]:
    """Build the ladder against the wall x = 0; return the world and the configuration."""
    builder = ModelBuilder("ladder")
    turning = MASS * LENGTH**2 / 12.0
    add_free(builder, "ladder", MASS, (turning, turning, MASS * WIDTH**2 / 12.0))
    wall, end = Frame("world", (0.0, 0.0, 0.0), about_y(0.5 * np.pi)), 0.5 * LENGTH
    contacts = [
        PointContact(f"{name} {k}", plane, ("ladder", (0.0, y, z)), friction=mu)
        for name, plane, z, mu in (("foot", "world", -end, friction), ("top", wall, end, 0.0))
        for k, y in enumerate((-0.5 * WIDTH, 0.5 * WIDTH))
    ]
    shapes = [
        Collider("floor", HalfSpace(), ("world", (1.2, 0, 0))),
        Collider("wall", Box((0.04, 1.0, 3.2)), ("world", (-0.02, 0, 1.6))),
        *(Collider(f"rail {k}", Box((0.04, 0.04, LENGTH)), ("ladder", (0.0, y, 0.0)))
          for k, y in enumerate((-0.5 * WIDTH, 0.5 * WIDTH))),
        *(Collider(f"rung {k}", Box((0.03, WIDTH, 0.03)), ("ladder", (0.0, 0.0, z)))
          for k, z in enumerate(np.linspace(-0.42, 0.42, 9) * LENGTH)),
    ]  # fmt: skip
    middle = 0.5 * LENGTH * np.array([np.cos(angle), 0.0, np.sin(angle)])
    tilt = angle - 0.5 * np.pi  # its z axis points to the top, at x = 0
    return World(draw_colliders(builder.build(), shapes, ground=(2.6, 1.0)), contacts), np.array(
        [*middle, *quaternion_about_y(tilt)]
    )


def run(angle: float = 65.0, short: float = 0.8, duration: float = 0.8, step: float = 1e-3) -> Outcome:
    """Run the scene.

    Args:
        angle: to the floor; degrees.
        short: the coefficient of friction in the film, as a share of that which it takes.
        duration, step: of the film; s.
    """

    def falls(mu: float, th: float) -> bool:
        world, q = ladder(th, mu)
        return bool(np.abs(world.step(q, still(world), 0.01).v).max() > 1e-9 * G * 0.01)

    angles = np.radians([45.0, 55.0, 65.0, 75.0, 85.0])
    limits = [-threshold(lambda x, th=th: falls(-x, th), -1.0, 0.0, 1e-8) for th in angles]  # type: ignore[misc]
    th = float(np.radians(angle))
    limit = 0.5 / float(np.tan(th))
    world, q = ladder(th, short * limit)
    motion = watch(world, q, still(world), duration, step, every=10)
    held, q0 = ladder(th, 1.2 * limit)
    at_rest = held.step(q0, still(held), 0.01).contacts
    wall = float(at_rest.force[[name.startswith("top") for name in at_rest.names[:, 0]]][:, 0].sum())
    claims = [
        *(Claim(f"coefficient that it takes at {np.degrees(a):.0f} degrees, 1 / (2 tan th)", 0.5 / float(np.tan(a)), x, 1e-6)
          for a, x in zip(angles, limits, strict=True)),
        Claim("force of the wall, m g / (2 tan th)", 0.5 * MASS * G / float(np.tan(th)), wall, 1e-6, "N"),
    ]  # fmt: skip
    from_wall = [motion.contacts_at(k).point[0, 0] for k in range(len(motion))]
    fine = np.radians(np.linspace(40.0, 88.0, 60))
    panels = [
        Panel("friction that it takes to stand", "angle to the floor in degrees", "coefficient", [
            Curve("simulated", np.degrees(angles), np.array(limits)),
            Curve("1 / (2 tan th)", np.degrees(fine), 0.5 / np.tan(fine), True)]),
        Panel(f"with {short:g} of it, the foot slides away", "t in s", "distance from the wall in m", [
            Curve("simulated", motion.time, np.array(from_wall))]),
    ]  # fmt: skip
    return Outcome(
        "ladder", "A ladder against a smooth wall",
        f"At {angle:g} degrees a ladder stands on a floor with a coefficient of friction of {limit:.4f} or more. Here it "
        f"has {short * limit:.4f}, and slides down.",
        motion, claims, panels, (0, len(motion) // 2, -1), camera=(12.0, -60.0),
    )  # fmt: skip
