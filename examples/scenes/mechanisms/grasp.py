"""A gripper holds a box by friction: a finger presses it with F against a jaw; it holds as long as ``2 mu F >= m g``.

The box does not creep while it is held, and where the finger lets go slowly, it begins to slide when F falls below
``m g / (2 mu)``.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.articulated.stepping.control.control import TimeTable
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel, threshold
from pluecker.examples.scenes.parts import (
    G,
    about_y,
    add_free,
    box_inertia,
    every_for,
    positions,
    simulate,
    still,
    watch,
)
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

SIZE, MASS, PAD, FINGER = (0.08, 0.08, 0.12), 0.5, 0.02, 0.2


def hand(friction: float) -> tuple[World, Array]:
    """Build a box between a jaw that is fixed and a finger that slides along x, with contacts where they touch it."""
    builder, contacts = ModelBuilder("hand"), []
    builder.add_body("right", mass=FINGER)  # before the box, so that forces are those on the box
    builder.add_joint("right", "prismatic", "world", "right", axis=(1, 0, 0))
    add_free(builder, "box", MASS, box_inertia(MASS, SIZE))
    shapes, half = [Collider("box", Box(SIZE), "box")], 0.5 * SIZE[0]
    for name, side in (("left", -1.0), ("right", 1.0)):
        on, x = ("world", side * half) if name == "left" else (name, 0.0)
        face = ("box", (side * half, 0.0, 0.0), about_y(0.5 * side * np.pi))
        for k, (y, z) in enumerate((y, z) for y in (-PAD, PAD) for z in (-PAD, PAD)):
            contacts.append(PointContact(f"{name} {k}", face, (on, (x, y, z)), friction=friction))
        pad = (on, (x + 0.01 * side, 0.0, 0.0))
        arm = (on, (x + 0.045 * side, 0.0, 0.06))
        shapes += [Collider(f"{name} pad", Box((0.02, 0.05, 0.05)), pad), Collider(name, Box((0.05, 0.03, 0.17)), arm)]
    q = np.array([half, 0, 0, 0, 1.0, 0, 0, 0])
    return World(
        draw_colliders(builder.build(), shapes, colors={"box": "#e3b04b", "right": "#6b7785", "right pad": "#6b7785"}),
        contacts,
    ), q


def squeeze(force: float) -> Array:
    """Return joint forces by which the finger presses with ``force``, against the jaw."""
    return np.array([-force, 0, 0, 0, 0, 0, 0])


def run(friction: float = 0.6, duration: float = 0.6, step: float = 1e-3, hold: float = 100.0) -> Outcome:
    """Run the scene.

    Args:
        friction: the coefficient.
        duration, step: of the film; s.
        hold: how long the box is held at twice the force that it takes; s.
    """
    least = MASS * G / (2.0 * friction)
    world, q = hand(friction)

    def slips(less: float) -> bool:
        after = world.step(q, still(world), 0.01, tau=squeeze(least - less))
        return bool(np.abs(after.v).max() > 1e-9 * G * 0.01)

    found = least - threshold(slips, -0.1 * least, 0.1 * least, 1e-9 * least)
    held = simulate(
        world, q, still(world), hold, 0.01, control=squeeze(2.0 * least), record=(), every=max(1, round(hold))
    )
    creep = float(np.abs(held.q - q).max())
    times = np.array([0.0, duration])
    law = TimeTable(times, np.stack([squeeze(1.6 * least), squeeze(0.4 * least)]))
    motion = watch(world, q, still(world), duration, step, control=law, every=every_for(duration, step))
    t = motion.time
    force, begins = least * (1.6 - 1.2 * t / duration), 0.5 * duration
    fell = positions(motion)[:, 1, 2]
    # from then on mu (F - F0) is missing: m a = -2 mu (F0 - F), F0 - F = 1.2 F0 (t - t0) / T
    rate = 1.2 * G / duration
    drop = -rate * np.maximum(t - begins, 0.0) ** 3 / 6.0
    claims = [
        Claim("least force of the finger, m g / (2 mu)", least, found, 1e-6 * least, "N"),
        Claim(f"creep in {hold:g} s, held with twice that", 0.0, creep, 1e-9, "m"),
        Claim("depth to which it slides as the finger lets go", float(drop[-1]), float(fell[-1]),
              1.5 * step * rate * 0.5 * begins**2, "m"),
    ]  # fmt: skip
    panels = [
        Panel("the finger lets go slowly", "t in s", "force of the finger in N", [
            Curve("force", t, force), Curve("m g / (2 mu)", t, np.full(len(t), least), True)]),
        Panel("the box slides when it presses too little", "t in s", "height in m", [
            Curve("simulated", t, fell), Curve("what is missing of the weight", t, drop, True)]),
    ]  # fmt: skip
    return Outcome(
        "grasp", "A gripper holds a box",
        f"A box of {MASS:g} kg is held by friction alone, with a coefficient of {friction:g}: the finger has to press it "
        f"against the jaw with {least:.3f} N. It lets go slowly; the box stays where it is until there is less.",
        motion, claims, panels, (0, int(0.5 * len(t)), -1), camera=(15.0, -65.0), speed=0.5,
    )  # fmt: skip
