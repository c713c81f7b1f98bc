"""An arm pushes a box over a table, slowly: it takes the friction of the box, ``mu m g``, whatever the speed.

The arm has three hinges about upright axes, and two balls on its hand, which touch the back of the box: one alone would let
it turn away. Servos lead the hand along a straight line at constant speed. The force of the hand is what theory says as soon
as box and arm have the speed of the line. The torque of the elbow is then what holds that force, ``J^T f``.

Source: Mason, "Mechanics and planning of manipulator pushing operations" (1986).
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.algorithms.dynamics.rnea import rnea
from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.model.model import ModelBuilder
from pluecker.articulated.stepping.control.control import PDControl, TimeTable
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, Capsule, HalfSpace, Sphere
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel
from pluecker.examples.scenes.parts import (
    FORCES,
    G,
    about_y,
    add_free,
    box_inertia,
    corner_contacts,
    corners,
    shown_well,
    simulate,
    still,
)
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

SIZE, MASS, LINK, TIP, APART = (0.16, 0.2, 0.1), 1.5, 0.4, 0.015, 0.12
FINGERS = (-0.5 * APART, 0.5 * APART)
START, BEHIND = 0.35, 0.03  # where the tip begins, and how far the box is from it; m


def arm_and_box(friction: float) -> World:
    """Build an arm of three hinges over a table, at half the height of a box."""
    builder = ModelBuilder("push")
    for name, parent, place in (
        ("upper arm", "world", (0.0, 0.0, 0.5 * SIZE[2])),
        ("forearm", "upper arm", (LINK, 0.0, 0.0)),
    ):
        inertia = box_inertia(1.0, (LINK, 0.05, 0.05))
        builder.add_body(name, mass=1.0, center_of_mass=(0.5 * LINK, 0, 0), inertia=tuple(inertia))
        joint = "shoulder" if parent == "world" else "elbow"
        builder.add_joint(joint, "revolute", parent, name, axis=(0, 0, 1), position=place)
    builder.add_body("hand", mass=0.3, inertia=tuple(box_inertia(0.3, (0.02, APART, 0.04))))
    builder.add_joint("wrist", "revolute", "forearm", "hand", axis=(0, 0, 1), position=(LINK, 0.0, 0.0))
    add_free(builder, "box", MASS, box_inertia(MASS, SIZE))
    face = ("box", (-0.5 * SIZE[0], 0.0, 0.0), about_y(-0.5 * np.pi))
    contacts = [
        *corner_contacts("corner ", "world", "box", corners(SIZE), friction=friction),
        *(
            PointContact(f"finger {k}", face, ("hand", (0.0, y, 0.0)), radius=TIP, friction=0.3)
            for k, y in enumerate(FINGERS)
        ),
    ]
    along = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # a capsule's axis is z
    shapes = [
        Collider("table", HalfSpace(), ("world", (0.45, 0, 0))), Collider("box", Box(SIZE), "box"),
        *(Collider(name, Capsule(0.02, LINK), (name, (0.5 * LINK, 0, 0), along)) for name in ("upper arm", "forearm")),
        Collider("hand", Box((0.015, APART, 0.03)), "hand"),
        *(Collider(f"finger {k}", Sphere(TIP), ("hand", (0.0, y, 0.0))) for k, y in enumerate(FINGERS)),
    ]  # fmt: skip
    colors = dict.fromkeys(("hand", "finger 0", "finger 1"), "#d98268")
    return World(draw_colliders(builder.build(), shapes, ground=(1.3, 0.8), colors=colors), contacts)


def reach(x: Array) -> Array:
    """Compute shoulder, elbow and wrist, ``(n, 3)``, that put the hand at (x, 0), along x, with the elbow towards -y."""
    half = np.arccos(np.clip(0.5 * x / LINK, -1.0, 1.0))
    return np.stack([-half, 2.0 * half, -half], axis=1)


def run(friction: float = 0.4, speed: float = 0.15, duration: float = 2.0, step: float = 2e-3) -> Outcome:
    """Run the scene.

    Args:
        friction: of the box on the table.
        speed: of the hand; m/s.
        duration, step: of the film; s.
    """
    world = arm_and_box(friction)
    model = world.model
    time = np.arange(0.0, duration + 0.5 * step, step)
    q_ref = np.zeros((len(time), model.nq))
    q_ref[:, :3] = reach(START + speed * time)
    q_ref[:, 3:7] = START + TIP + BEHIND + 0.5 * SIZE[0], 0.0, 0.5 * SIZE[2], 1.0
    drives = np.zeros(model.nv)
    drives[:3] = 1.0
    law = PDControl(5e4 * drives, 5e1 * drives, TimeTable(time, q_ref))
    v = still(world)
    v[:3] = (reach(np.array([START + speed * step])) - reach(np.array([START])))[0] / step
    motion = simulate(world, q_ref[0], v, duration, step, control=law, record=(*FORCES, "tau"))
    assert motion.tau is not None
    contacts = [motion.contacts_at(k) for k in range(len(motion))]
    push = np.array(
        [each.force[-2:].sum(axis=0) for each in contacts]
    )  # on the body of the higher number, which is the box
    force = friction * MASS * G
    late = motion.time > 0.6 * duration
    placed = forward_kinematics(model, motion.q)[..., :3, 3]
    tip, elbow = placed[:, 2], placed[:, 1]
    rates = np.zeros((2, len(time), model.nv))  # velocities and accelerations of the arm along its line
    rates[0, :, :3] = np.gradient(q_ref[:, :3], step, axis=0)
    rates[1, :, :3] = np.gradient(rates[0, :, :3], step, axis=0)
    torque = rnea(model, q_ref, *rates)[:, 1] - (tip[:, 1] - elbow[:, 1]) * force  # about z, of a force along x
    claims = [
        Claim("force of the hand while it pushes steadily, mu m g", force, float(push[late, 0].mean()), 1e-3 * force, "N"),
        Claim("speed of the box then, that of the hand", speed, float(np.gradient(motion.q[:, 3], motion.time)[late].mean()),
              1e-3 * speed, "m/s"),
        Claim("torque of the elbow over J^T f, and what moves the arm", 1.0,
              float((motion.tau[late, 1][:-2] / torque[late][:-2]).mean()), 2e-2),
        Claim("sideways, by how much the box leaves its line", 0.0, float(np.abs(motion.q[:, 4]).max()), 1e-4, "m"),
    ]  # fmt: skip
    panels = [
        Panel("force of the hand", "t in s", "N", [
            Curve("simulated", motion.time, push[:, 0]),
            Curve("mu m g", motion.time, np.full(len(motion), force), True)], limits=(-0.2 * force, 2.5 * force)),
        Panel("where they are", "t in s", "m", [
            Curve("hand", motion.time, tip[:, 0]), Curve("back of the box", motion.time, motion.q[:, 3] - 0.5 * SIZE[0]),
            Curve("the line that the servos follow", motion.time, START + speed * motion.time, True)]),
        Panel("torque of the elbow", "t in s", "N m", [
            Curve("servo", motion.time[:-1], motion.tau[:-1, 1]),
            Curve("J^T f, and what moves the arm", motion.time[2:-2], torque[2:-2], True)],
            limits=(2.0 * float(torque.min()), 0.5 * float(np.abs(torque).max()))),
    ]  # fmt: skip
    shown = shown_well(motion)[:: max(1, round(0.02 / step))]
    return Outcome(
        "push", "An arm pushes a box",
        f"An arm of three hinges moves its hand at {speed:g} m/s, meets a box of {MASS:g} kg, and pushes it over a table "
        f"with a coefficient of friction of {friction:g}. After the impact the hand presses with mu m g = {force:.3f} N.",
        shown, claims, panels, (0, len(shown) // 2, -1), camera=(30.0, -70.0),
    )  # fmt: skip
