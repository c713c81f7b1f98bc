"""A box is put on a belt that runs: friction takes it along at ``mu g``, until it has the speed V of the belt.

    time   V / (mu g)         by which it stays behind   V^2 / (2 mu g)

The belt is a body on rails whose motion is prescribed, and so is a platform. Velocities are exact, the path is of
first order.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.constraints.records.motors import PrescribedMotion
from pluecker.contact.constraints.spline import Spline
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box
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
    positions,
    simulate,
    watch,
)

__all__ = ["run"]

SIZE, MASS = (0.2, 0.2, 0.15), 3.0


def run(speed: float = 1.2, friction: float = 0.3, duration: float = 0.8, step: float = 1e-3) -> Outcome:
    """Run the scene.

    Args:
        speed: of the belt; m/s.
        friction: the coefficient.
        duration, step: of the film; s.
    """
    builder = ModelBuilder("conveyor")
    builder.add_body("belt", mass=10.0)
    builder.add_joint("belt", "prismatic", "world", "belt", axis=(1, 0, 0))
    add_free(builder, "box", MASS, box_inertia(MASS, SIZE))
    shapes = [Collider("box", Box(SIZE), "box")]
    for k in range(12):  # plates of two colours show that it moves
        place = ("belt", (0.2 * (k - 7) + 0.1, 0.0, -0.02))
        shapes.append(Collider(f"plate {k}", Box((0.2, 0.4, 0.04)), place))
    colors = {f"plate {k}": "#8d949c" if k % 2 else "#c3c8ce" for k in range(12)} | {"box": "#e3b04b"}
    model = draw_colliders(builder.build(), shapes, colors=colors)
    drive = PrescribedMotion("drive", "belt", Spline((0.0, duration), (0.0, speed * duration), speed, speed))
    world = World(model, [*corner_contacts("corner", "belt", "box", corners(SIZE), friction=friction), drive])
    q = np.concatenate([[0.0], [0.0, 0.0, 0.5 * SIZE[2], 1.0, 0, 0, 0]])
    v = np.array([speed, 0, 0, 0, 0, 0, 0.0])
    motion = watch(world, q, v, duration, step, every=every_for(duration, step))
    t, until, behind = motion.time, speed / (friction * G), speed**2 / (2.0 * friction * G)
    x = positions(motion)[:, :, 0]

    def left_behind(h: float) -> float:
        end = simulate(world, q, v, duration, h, record=(), every=10**9)
        found = positions(end)[-1, :, 0]
        return float(found[0] - found[1])

    steps = [8 * step, 4 * step, step]
    off = [left_behind(h) - behind for h in steps]
    fine = simulate(world, q, v, duration, step, record="constraint_forces")
    sticks = fine.time[[bool((each.state == "sticking").all()) for each in fine.contacts or ()].index(True)]
    claims = [
        Claim("speed in the end, that of the belt", speed, float(motion.v[-1, 4]), 1e-9, "m/s"),
        Claim("time until it has it, V / (mu g)", until, float(sticks), 1.01 * step, "s"),
        Claim("by how much it stays behind, V^2 / (2 mu g)", behind, behind + off[-1], speed * step, "m"),
        Claim("order of the error of that in the step", 1.0, order_of(steps, off), 0.05),
    ]
    taken = np.minimum(t, until)
    panels = [
        Panel("speed of the box", "t in s", "m/s", [
            Curve("simulated", t, motion.v[:, 4]), Curve("mu g t, then V", t, friction * G * taken, True)]),
        Panel("where both are", "t in s", "m", [
            Curve("belt", t, x[:, 0]), Curve("box", t, x[:, 1]),
            Curve("V t less V t - mu g t² / 2", t, 0.5 * friction * G * taken**2 + speed * (t - taken), True)]),
    ]  # fmt: skip
    return Outcome(
        "conveyor", "A box is put on a belt",
        f"The belt runs at {speed:g} m/s, and the box begins at rest. Friction, with a coefficient of {friction:g}, "
        f"takes it along; after {until:.3f} s and {behind:.3f} m of slip it moves with the belt, and no force is left.",
        motion, claims, panels, (0, int(0.5 * len(t) * until / duration), -1),
    )  # fmt: skip
