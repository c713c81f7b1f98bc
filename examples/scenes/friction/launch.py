"""A cube that slides on a floor: Coulomb's law keeps it there, the convex law throws it up.

The convex law asks for ``u_n >= mu |u_t|`` where a contact pushes: what slides has to rise. A body that cannot turn, with
the speed v at the beginning of a step h, is at its end as fast upwards as

    (mu v + g h) / (1 + mu^2) - g h        by the convex law,        not at all        by Coulomb's.

No smaller step helps: the speed goes to ``mu v / (1 + mu^2)``, and the height of the flight to its square over 2 g. After it
the cube hovers over the floor by ``mu v h``.

Source: Anitescu (2006), the convex law; Acary, Cadoux, Lemarechal, Malick (2011); source document 004 (docs/sources.md).
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, HalfSpace, Sphere
from pluecker.contact.geometry.surfaces import Collider, Surface
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel
from pluecker.examples.scenes.parts import FORCES, G, Motion, simulate

__all__ = ["run"]

SIZE, MASS = 0.1, 1.0


def cube(friction: float, law: str) -> World:
    """Build a cube that moves along x and z, and does not turn."""
    builder, surface = ModelBuilder("cube"), Surface(friction=friction)
    builder.add_body("carriage", mass=0.0)
    builder.add_joint("x", "prismatic", "world", "carriage", axis=(1, 0, 0))
    builder.add_body("cube", mass=MASS)
    builder.add_joint("z", "prismatic", "carriage", "cube", axis=(0, 0, 1), position=(0, 0, 0.5 * SIZE))
    shapes = [
        Collider("floor", HalfSpace(), ("world", (0.4, 0.0, 0.0)), surface),
        Collider("cube", Box((SIZE, SIZE, SIZE)), "cube", surface),
    ]
    hidden = Collider("carriage", Sphere(1e-3), "carriage")  # a body that has a shape is drawn without rods
    model = draw_colliders(builder.build(), [*shapes, hidden], ground=(1.2, 0.4))
    return World(model, shapes=shapes, law=law, accuracy=1e-10)


def run(speed: float = 3.0, friction: float = 0.5, duration: float = 0.4, step: float = 2e-3) -> Outcome:
    """Run the scene.

    Args:
        speed: with which it slides; m/s.
        friction: the coefficient.
        duration, step: of the film; s.
    """

    def slide(law: str, h: float, time: float) -> Motion:
        return simulate(cube(friction, law), [0.0, 0.0], [speed, 0.0], time, h, record=FORCES)

    steps = [step, 0.5 * step, 0.25 * step]
    claims = []
    for h in steps:
        first = slide("ccp", h, h).v
        rises = (friction * speed + G * h) / (1.0 + friction**2) - G * h
        claims.append(
            Claim(f"convex law: speed upwards after a step of {1e3 * h:g} ms", rises, float(first[-1, 1]), 1e-7, "m/s")
        )
    exact, convex = (slide(law, step, duration) for law in ("ncp", "ccp"))
    claims += [
        Claim("Coulomb's law: the highest that it ever is", 0.0, float(exact.q[:, 1].max()), 1e-8, "m"),
        Claim(
            "Coulomb's law: speed at the end, v - mu g t",
            speed - friction * G * duration,
            float(exact.v[-1, 0]),
            1e-6,
            "m/s",
        ),
    ]
    leap = (friction * speed / (1.0 + friction**2)) ** 2 / (2.0 * G)
    heights = [float(x.q[:, 1].max()) for x in (slide("ccp", h, 0.5 * duration) for h in steps)]
    panels = [
        Panel(f"height over the floor, steps of {1e3 * step:g} ms", "t in s", "mm", [
            Curve("Coulomb's law", exact.time, 1e3 * exact.q[:, 1]), Curve("convex law", exact.time, 1e3 * convex.q[:, 1]),
            Curve("the floor", exact.time, 0.0 * exact.time, True)]),
        Panel("a smaller step does not help", "step in s", "largest height in m", [
            Curve("convex law", np.array(steps), np.array(heights)),
            Curve("(mu v / (1 + mu²))² / 2g", np.array(steps), np.full(len(steps), leap), True)]),
    ]  # fmt: skip
    return Outcome(
        "launch", "A cube that slides takes off, by the convex law",
        f"A cube slides at {speed:g} m/s, with a coefficient of friction of {friction:g}. The convex law, which many "
        f"simulators solve, throws it up at {claims[0].expected:.3f} m/s in the first step. With Coulomb's law it stays "
        "on the floor.",
        convex, claims, panels, (0, 1, min(60, len(convex) - 1)),
    )  # fmt: skip
