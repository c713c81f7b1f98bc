"""Rolling and spinning resistance: a ball that rolls comes to a stop, and so does one that spins on the spot.

The resistance to rolling is a moment of up to k N, that to spinning of up to s N, with lengths k and s and the normal force
N: the slope of a rut, the radius of a patch. A ball that rolls is slowed by ``5 k g / (7 r)``, one that spins by
``5 s g / (2 r^2)``; both are constant, so that velocities are exact, until the step in which it stops.

Source: Leine, Glocker (2003); source document 000 (docs/sources.md), rolling and spinning friction.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import HalfSpace, Sphere
from pluecker.contact.geometry.surfaces import Collider, Surface
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel
from pluecker.examples.scenes.parts import (
    FORCES,
    G,
    add_free,
    ball_inertia,
    every_for,
    shown_well,
    simulate,
    velocities,
)

__all__ = ["run"]

RADIUS, MASS = 0.1, 1.0


def run(
    rolling: float = 2e-3, spinning: float = 1e-3, speed: float = 0.15, spin: float = 4.0, step: float = 2e-3
) -> Outcome:
    """Run the scene.

    Args:
        rolling, spinning: the coefficients k and s; m.
        speed: of the ball that rolls; m/s.
        spin: of the ball that spins; rad/s.
        step: s.
    """
    builder, surface = (
        ModelBuilder("balls"),
        Surface(friction=0.5, rolling_friction=rolling, spinning_friction=spinning),
    )
    shapes = [Collider("floor", HalfSpace(), "world", surface)]
    for name in ("rolls", "spins"):
        add_free(builder, name, MASS, ball_inertia(MASS, RADIUS))
        shapes.append(Collider(name, Sphere(RADIUS), name, surface))
    world = World(draw_colliders(builder.build(), shapes, ground=(0.9, 0.8)), shapes=shapes, accuracy=1e-10)
    q = np.array([-0.05, -0.15, RADIUS, 1.0, 0, 0, 0, 0.0, 0.2, RADIUS, 1.0, 0, 0, 0])
    v = np.array([0.0, speed / RADIUS, 0, speed, 0, 0, 0, 0, spin, 0, 0, 0])
    slows, brakes = 5.0 * rolling * G / (7.0 * RADIUS), 2.5 * spinning * G / RADIUS**2
    stops = np.array([speed / slows, spin / brakes])
    duration = round(1.2 * float(stops.max()) / step) * step
    motion = simulate(world, q, v, duration, step, record=FORCES, every=every_for(duration, step, 100))
    t, centre, turns = motion.time, velocities(motion)[:, 0, 0], motion.v[:, 8]
    k = int(np.searchsorted(t, 0.5 * stops.min()))
    fine = simulate(world, q, v, duration, step, record=())
    at = [fine.time[np.argmax(np.abs(fine.v[:, j]) < 1e-8)] for j in (3, 8)]
    claims = [
        Claim(f"speed of the one that rolls at {t[k]:.3g} s, v - 5 k g t / (7 r)", speed - slows * float(t[k]),
              float(centre[k]), 1e-8, "m/s"),
        Claim("when it stops", float(stops[0]), float(at[0]), 1.01 * step, "s"),
        Claim(f"spin of the other one at {t[k]:.3g} s, w - 5 s g t / (2 r²)", spin - brakes * float(t[k]), float(turns[k]),
              1e-7, "rad/s"),
        Claim("when it stops", float(stops[1]), float(at[1]), 1.01 * step, "s"),
    ]  # fmt: skip
    panels = [
        Panel("a ball that rolls", "t in s", "m/s", [
            Curve("speed of its centre", t, centre),
            Curve("v - 5 k g t / (7 r)", t, np.maximum(speed - slows * t, 0.0), True)]),
        Panel("a ball that spins", "t in s", "rad/s", [
            Curve("about the normal", t, turns),
            Curve("w - 5 s g t / (2 r²)", t, np.maximum(spin - brakes * t, 0.0), True)]),
    ]  # fmt: skip
    return Outcome(
        "resistance", "Rolling and spinning resistance",
        f"Both balls have a coefficient of friction of 0.5, a resistance to rolling of {1e3 * rolling:g} mm and to "
        f"spinning of {1e3 * spinning:g} mm. One rolls and comes to a stop after {stops[0]:.2f} s, the other spins on "
        f"the spot for {stops[1]:.2f} s.",
        shown_well(motion), claims, panels, (0, -1), camera=(25.0, -75.0),
    )  # fmt: skip
