"""Newton's cradle: its motion depends on whether the balls touch.

One ball arrives with v at n - 1 others of its mass, without loss, e = 1. If these touch one another, all contacts act
at one instant, and Newton's law, as well as Poisson's, asks each contact to part e times as fast as it closed:
nothing at those that rested. The others then go on together, at ``2 v / n``, and the first one comes back at ``(1 - 2
(n - 1) / n) v``; energy and momentum are kept. If there are gaps, however small, impacts come one after the other,
each between two balls, which exchange their velocities: the last ball leaves with v, and all others rest, as real
cradles nearly do.

Source: Brogliato, *Nonsmooth Mechanics* (2016), chapter 6; Acary, Brogliato (2008).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, Sphere
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel
from pluecker.examples.scenes.parts import about_y, ball_inertia, simulate, watch
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

RADIUS, MASS, LENGTH = 0.05, 0.5, 0.6


def cradle(balls: int, gap: float, impacts: str = "newton") -> World:
    """Build balls on threads, side by side along x."""
    builder, contacts, names = ModelBuilder("cradle"), [], [f"ball {k + 1}" for k in range(balls)]
    apart = 2.0 * RADIUS + gap
    shapes = [Collider("beam", Box((apart * balls, 0.04, 0.02)), ("world", (0.5 * apart * (balls - 1), 0.0, LENGTH)))]
    for k, name in enumerate(names):
        builder.add_body(name, mass=MASS, center_of_mass=(0, 0, -LENGTH), inertia=tuple(ball_inertia(MASS, RADIUS)))
        builder.add_joint(name, "revolute", "world", name, axis=(0, -1, 0), position=(apart * k, 0.0, LENGTH))
        shapes += [
            Collider(f"{name} skin", Sphere(RADIUS), (name, (0, 0, -LENGTH))),
            Collider(f"{name} thread", Box((0.004, 0.004, LENGTH)), (name, (0, 0, -0.5 * LENGTH))),
        ]
    for a, b in pairwise(names):
        side = (a, (RADIUS, 0.0, -LENGTH), about_y(0.5 * np.pi))
        contacts.append(
            PointContact(f"{a} and {b}", side, (b, (0, 0, -LENGTH)), radius=RADIUS, restitution=1.0, impacts=impacts)
        )
    return World(draw_colliders(builder.build(), shapes), contacts)


def after_impact(balls: int, gap: float, impacts: str = "newton") -> Array:
    """Simulate the impacts at the bottom; return the velocities of all balls after them, over the first one's before."""
    world = cradle(balls, gap, impacts)
    v = np.zeros(balls)
    v[0] = 0.1
    if gap == 0.0:
        return np.asarray(world.step(np.zeros(balls), v, 1e-6).v / 0.1)
    step = 0.2 * gap / (LENGTH * v[0])
    return np.asarray(simulate(world, np.zeros(balls), v, 16 * balls * step, step, record=()).v[-1] / 0.1)


def run(balls: int = 5, raised: float = 25.0, gap: float = 1e-3, duration: float = 1.7, step: float = 5e-4) -> Outcome:
    """Run the scene.

    Args:
        balls: how many there are.
        raised: the angle from which the first one falls; degrees.
        gap: between the balls in the film; m.
        duration, step: of the film; s.
    """
    q = np.zeros(balls)
    q[0] = -np.radians(raised)
    motions = [watch(cradle(balls, each), q, np.zeros(balls), duration, step, every=8) for each in (gap, 0.0)]
    together, apart = after_impact(balls, 0.0), after_impact(balls, 1e-6)
    by_poisson = [after_impact(balls, each, "poisson") for each in (0.0, 1e-6)]
    between = max(float(np.abs(a - b).max()) for a, b in zip((together, apart), by_poisson, strict=True))
    claims = [
        Claim(
            "balls that touch: the first one comes back at 1 - 2 (n - 1) / n",
            2.0 / balls - 1.0,
            float(together[0]),
            1e-4,
        ),
        *(Claim(f"and ball {k + 1} leaves at 2 / n", 2.0 / balls, float(together[k]), 1e-4) for k in (1, balls - 1)),
        Claim("kinetic energy after that impact, of that before", 1.0, float((together**2).sum()), 1e-4),
        Claim("balls with gaps: the last one leaves at 1", 1.0, float(apart[-1]), 1e-4),
        Claim("and the fastest of the others", 0.0, float(np.abs(apart[:-1]).max()), 1e-4),
        Claim("largest difference between Newton's law and Poisson's, in both cases", 0.0, between, 1e-4),
    ]
    panels = []
    for motion, words in zip(motions, (f"gaps of {1e3 * gap:g} mm", "they touch"), strict=True):
        panels.append(Panel(words, "t in s", "angle in degrees", [
            Curve(f"ball {k + 1}", motion.time, np.degrees(motion.q[:, k])) for k in range(balls)]))  # fmt: skip
    shown = motions[0]
    bottom = int(np.argmax(shown.q[:, 0] > -1e-3))
    return Outcome(
        "cradle", "Newton's cradle",
        f"The first of {balls} balls falls on the others. With a small gap between them, each hands its velocity on to "
        "the next, and the last one rises. Where they touch, the laws of impact of Newton and Poisson, which know one "
        "instant, let all others leave together and the first one come back. Momentum and energy are kept both times.",
        shown, claims, panels, (0, bottom, int(1.9 * bottom)), camera=(8.0, -85.0),
    )  # fmt: skip
