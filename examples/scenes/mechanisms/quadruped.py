"""A quadruped stands on point feet, and walks by a trot.

At rest the floor carries its weight, with the centre of pressure below its centre of mass. While it walks, whatever
its legs do, the impulse of the floor is the change of momentum and what the weight takes:

    sum over the steps  h F = m (v_c(T) - v_c(0)) + m g T.

Legs are moved by servos at their joints, on paths of the feet that are made in advance: nothing balances it.

Source: Raibert, *Legged robots that balance* (1986), for the trot.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.algorithms.momentum.center_of_mass import center_of_mass
from pluecker.articulated.algorithms.momentum.momentum import momentum
from pluecker.articulated.model.model import Model, ModelBuilder
from pluecker.articulated.stepping.control.control import PDControl, TimeTable
from pluecker.contact.constraints.records.point_contact import PointContact
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, Capsule, HalfSpace, Sphere
from pluecker.contact.geometry.surfaces import Collider
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel
from pluecker.examples.scenes.parts import FORCES, G, box_inertia, shown_well, simulate, still
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

TRUNK, TRUNK_MASS, LINK, FOOT = (0.42, 0.2, 0.1), 8.0, 0.2, 0.02
HIPS = {
    "front left": (0.18, 0.12),
    "front right": (0.18, -0.12),
    "hind left": (-0.18, 0.12),
    "hind right": (-0.18, -0.12),
}
HEIGHT, LIFT = 0.32, 0.05  # of the hips over the feet, and of a foot in its swing; m
FIRST = ("front left", "hind right")  # which swing first
SPREAD = 0.03  # of feet, outwards; m


def quadruped(friction: float) -> World:
    """Build a trunk on four legs of three joints each, with balls for feet."""
    builder, contacts = ModelBuilder("quadruped"), []
    builder.add_body("trunk", mass=TRUNK_MASS, inertia=tuple(box_inertia(TRUNK_MASS, TRUNK)))
    builder.add_joint("float", "free", "world", "trunk")
    shapes = [Collider("floor", HalfSpace(), ("world", (0.25, 0, 0))), Collider("trunk", Box(TRUNK), "trunk")]
    for leg, (x, y) in HIPS.items():
        rod = {"center_of_mass": (0, 0, -0.5 * LINK), "inertia": tuple(box_inertia(0.6, (0.03, 0.03, LINK)))}
        for part, parent, joint, axis, place in (
            ("hip", "trunk", "roll", (1, 0, 0), (x, y, 0.0)),
            ("thigh", f"{leg} hip", "pitch", (0, 1, 0), (0.0, 0.0, 0.0)),
            ("shank", f"{leg} thigh", "knee", (0, 1, 0), (0.0, 0.0, -LINK)),
        ):
            body = {"inertia": (4e-4, 4e-4, 4e-4)} if part == "hip" else rod
            builder.add_body(f"{leg} {part}", mass=0.5 if part == "hip" else 0.6, **body)
            builder.add_joint(
                f"{leg} {joint}", "revolute", parent, f"{leg} {part}", axis=axis, position=place, armature=0.01
            )
        foot = (f"{leg} shank", (0.0, 0.0, -LINK))
        contacts.append(PointContact(f"{leg} foot", "world", foot, radius=FOOT, friction=friction))
        shapes += [
            Collider(f"{leg} foot", Sphere(FOOT), foot),
            Collider(f"{leg} hip", Sphere(0.03), f"{leg} hip"),
            *(
                Collider(f"{leg} {part}", Capsule(0.015, LINK), (f"{leg} {part}", (0, 0, -0.5 * LINK)))
                for part in ("thigh", "shank")
            ),
        ]
    return World(draw_colliders(builder.build(), shapes, ground=(1.6, 0.8)), contacts)


def leg_angles(x: Array, y: Array, z: Array) -> Array:
    """Compute roll, pitch and knee, ``(n, 3)``, that put a foot at (x, y, z) from the hip, with the knee backwards."""
    roll = np.arctan2(y, -z)
    down = np.hypot(y, z)
    far = np.hypot(x, down)
    knee = np.arccos(np.clip(1.0 - 0.5 * (far / LINK) ** 2, -1.0, 1.0))  # inside the knee
    pitch = np.arctan2(-x, down) + 0.5 * (np.pi - knee)
    return np.stack([roll, pitch, knee - np.pi], axis=1)


def references(model: Model, time: Array, begin: float, period: float, stride: float) -> Array:
    """Compute configurations over time: standing until ``begin``, then trotting, by ``stride`` in each period."""
    q = np.zeros((len(time), model.nq))
    q[:, 2], q[:, 3] = HEIGHT + FOOT, 1.0
    for leg, (_, y) in HIPS.items():
        phase = np.maximum(time - begin, 0.0) / period + (0.0 if leg in FIRST else 0.5)
        part = phase % 1.0  # the first half in the air
        swings = (part < 0.5) & (phase - part + (0.0 if leg in FIRST else -0.5) >= 0.0) & (time > begin)
        swings &= (time - begin > 0.0) if leg in FIRST else (time - begin >= 0.5 * period)
        s = 2.0 * part
        # rests on the floor, half a stride to the back, and swings to the front; grows from nothing in the first period
        grows = np.clip((time - begin) / period, 0.0, 1.0)
        x = np.where(swings, -0.5 * np.cos(np.pi * s), 0.5 - (s - 1.0)) * stride * 0.5 * grows
        lift = np.where(swings, LIFT * np.sin(np.pi * s) ** 2, 0.0)
        outwards = np.sign(y) * SPREAD * np.ones(len(time))
        q[:, model.q_slice(f"{leg} roll").start : model.q_slice(f"{leg} knee").stop] = leg_angles(
            x, outwards, lift - HEIGHT
        )
    return q


def run(friction: float = 0.7, begin: float = 0.6, duration: float = 2.2, period: float = 0.4, stride: float = 0.16,
        step: float = 1e-3) -> Outcome:  # fmt: skip
    """Run the scene.

    Args:
        friction: the coefficient.
        begin: when it begins to walk; s.
        duration, step: of the film; s.
        period, stride: of the trot; s and m.
    """
    world = quadruped(friction)
    model = world.model
    time = np.arange(0.0, duration + 0.5 * step, 4.0 * step)
    q_ref = references(model, time, begin, period, stride)
    gains = np.concatenate([np.zeros(6), np.full(12, 1.0)])
    law = PDControl(300.0 * gains, 8.0 * gains, TimeTable(time, q_ref))
    motion = simulate(world, q_ref[0], still(world), duration, step, control=law, record=FORCES)
    contacts = [motion.contacts_at(k) for k in range(len(motion))]
    forces = np.array([each.force for each in contacts])
    total, weight = forces.sum(axis=1), G * model.mass
    standing = int(np.searchsorted(motion.time, begin)) - 1
    middle = center_of_mass(model, motion.q)
    f = forces[standing, :, 2]
    pressure = (contacts[standing].point[:, :2] * f[:, None]).sum(axis=0) / f.sum()
    impulse = step * total[:-1].sum(axis=0)
    gained = (momentum(model, motion.q[-1], motion.v[-1]) - momentum(model, motion.q[0], motion.v[0]))[3:]
    gained[2] += weight * float(motion.time[-1])
    way = middle[:, 0]
    pressed = forces[:, :, 2] > 1e-6 * weight
    slipped = step * float((np.linalg.norm([each.slip_velocity for each in contacts], axis=2) * pressed).sum())
    claims = [
        Claim("standing: force of the floor over the weight", 1.0, float(total[standing, 2]) / weight, 1e-3),
        Claim("standing: centre of pressure from below the centre of mass", 0.0,
              float(np.linalg.norm(pressure - middle[standing, :2])), 1e-3, "m"),
        Claim("walking: impulse of the floor upwards over m g T and momentum", 1.0, float(impulse[2] / gained[2]), 1e-3),
        Claim("walking: impulse of the floor along the way less momentum", float(gained[0]), float(impulse[0]), 0.05, "N s"),
    ]  # fmt: skip
    panels = [
        Panel("force of the floor on each foot", "t in s", "N", [
            *(Curve(leg, motion.time, forces[:, k, 2]) for k, leg in enumerate(HIPS))],
            limits=(-0.05 * weight, 1.2 * weight)),
        Panel("all feet together", "t in s", "N", [
            Curve("simulated", motion.time, total[:, 2]),
            Curve("weight", motion.time, np.full(len(motion), weight), True)],
            limits=(-0.1 * weight, 2.5 * weight)),
        Panel("centre of mass", "t in s", "m", [
            Curve("along the way", motion.time, way), Curve("height", motion.time, middle[:, 2])]),
    ]  # fmt: skip
    shown = shown_well(motion)[:: max(1, round(0.01 / step))]
    places = [int(np.searchsorted(shown.time, t)) for t in (begin - 0.02, begin + 1.6 * period, duration - 0.01)]
    return Outcome(
        "quadruped", "A quadruped stands, and walks",
        f"Four legs with servos, {model.mass:.1f} kg: it stands for {begin:g} s, and then trots on diagonal pairs of feet, "
        f"{way[-1] - way[0]:.2f} m far. Feet that press on the floor slip by {1e3 * slipped:.1f} mm on the way, all "
        "together.",
        shown, claims, panels, places, camera=(14.0, -65.0),
    )  # fmt: skip
