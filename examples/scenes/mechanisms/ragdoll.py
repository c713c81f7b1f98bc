"""A figure of ten bodies on spherical joints and hinges falls down, and comes to rest.

Its joints are those of a tree, which hold exactly; they have dampers, so that it is limp and not wild. In the end the floor
carries its weight at the point below its centre of mass, and no step made energy.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.algorithms.configuration.neutral import neutral
from pluecker.articulated.algorithms.dynamics.kinetic_energy import kinetic_energy
from pluecker.articulated.algorithms.dynamics.potential_energy import potential_energy
from pluecker.articulated.algorithms.momentum.center_of_mass import center_of_mass
from pluecker.articulated.model.model import ModelBuilder
from pluecker.contact.geometry.pictures import draw_colliders
from pluecker.contact.geometry.shapes import Box, Capsule, HalfSpace, Shape, Sphere
from pluecker.contact.geometry.surfaces import Collider, Surface
from pluecker.contact.world.world import World
from pluecker.examples.scenes.outcome import Claim, Curve, Outcome, Panel
from pluecker.examples.scenes.parts import FORCES, G, as_at_rest, every_for, shown_well, simulate
from pluecker.spatial.functions.elementwise import Array

__all__ = ["run"]

DENSITY, DAMPING = 1000.0, 0.8
# name, parent, joint, where on the parent, where the shape's middle is on the body, the shape
LIMBS: tuple[tuple[str, str, str, tuple[float, float, float], tuple[float, float, float], Shape], ...] = (
    ("head", "trunk", "spherical", (0.0, 0.0, 0.28), (0.0, 0.0, 0.13), Sphere(0.1)),
    *(limb for side, y in (("left", 1.0), ("right", -1.0)) for limb in (
        (f"{side} upper arm", "trunk", "spherical", (0.0, 0.21 * y, 0.22), (0.0, 0.0, -0.14), Capsule(0.04, 0.2)),
        (f"{side} forearm", f"{side} upper arm", "revolute", (0.0, 0.0, -0.28), (0.0, 0.0, -0.13), Capsule(0.035, 0.18)),
        (f"{side} thigh", "trunk", "spherical", (0.0, 0.1 * y, -0.26), (0.0, 0.0, -0.2), Capsule(0.06, 0.28)),
        (f"{side} shank", f"{side} thigh", "revolute", (0.0, 0.0, -0.4), (0.0, 0.0, -0.2), Capsule(0.05, 0.28)),
    )),
)  # fmt: skip
TRUNK = Box((0.2, 0.32, 0.5))


def solid(shape: Shape) -> tuple[float, Array]:
    """Compute mass and principal moments of a homogeneous body; a capsule's by a cylinder of equal radius and volume."""
    if isinstance(shape, Sphere):
        mass = DENSITY * 4.0 / 3.0 * np.pi * shape.radius**3
        return float(mass), np.full(3, 0.4 * mass * shape.radius**2)
    if isinstance(shape, Box):
        squares, mass = np.square(shape.size), DENSITY * float(np.prod(shape.size))
        return mass, mass / 12.0 * (squares.sum() - squares)
    assert isinstance(shape, Capsule)
    r, length = shape.radius, shape.length + 4.0 / 3.0 * shape.radius  # of equal volume
    mass = DENSITY * np.pi * r * r * length
    across = mass * (3.0 * r * r + length * length) / 12.0
    return float(mass), np.array([across, across, 0.5 * mass * r * r])


def ragdoll(friction: float) -> World:
    """Build the figure above a floor."""
    builder, skin = ModelBuilder("ragdoll"), Surface(friction=friction)
    mass, moments = solid(TRUNK)
    builder.add_body("trunk", mass=mass, inertia=tuple(moments))
    builder.add_joint("float", "free", "world", "trunk")
    shapes = [Collider("floor", HalfSpace(), "world", skin), Collider("trunk", TRUNK, "trunk", skin)]
    for name, parent, joint, place, middle, shape in LIMBS:
        mass, moments = solid(shape)
        builder.add_body(name, mass=mass, center_of_mass=middle, inertia=tuple(moments))
        axis = {"axis": (0, 1, 0)} if joint == "revolute" else {}
        builder.add_joint(name, joint, parent, name, position=place, damping=DAMPING, **axis)  # type: ignore[arg-type]
        shapes.append(Collider(name, shape, (name, middle), skin))
    return World(draw_colliders(builder.build(), shapes, ground=2.2), shapes=shapes)


def run(friction: float = 0.6, duration: float = 2.4, step: float = 4e-3) -> Outcome:
    """Run the scene.

    Args:
        friction: the coefficient.
        duration, step: s.
    """
    world = ragdoll(friction)
    model = world.model
    q, v = neutral(model), np.zeros(model.nv)
    q[2] = 1.25
    q[3:7] = np.array([np.cos(0.15), 0.02, np.sin(0.15), 0.0]) / np.linalg.norm([1.0, 0.02])
    q[3:7] /= np.linalg.norm(q[3:7])
    for joint, angle in (("left shank", 0.3), ("right shank", 0.5), ("left forearm", -0.4), ("right forearm", -0.7)):
        q[model.q_slice(joint)] = angle
    motion = simulate(world, q, v, duration, step, record=FORCES, every=every_for(duration, step, 90))
    contacts = [motion.contacts_at(k) for k in range(len(motion))]
    kinetic = kinetic_energy(model, motion.q, motion.v)
    energy = kinetic + potential_energy(model, motion.q)
    energy = energy - energy[-1]
    carried = [each.force[each.bodies[:, 0] < 0].sum(axis=0) for each in contacts]
    last = contacts[-1]
    ground = last.bodies[:, 0] < 0
    n = last.force[ground, 2]
    middle = center_of_mass(model, motion.q[-1])
    pressure = (last.point[ground, :2] * n[:, None]).sum(axis=0) / n.sum()
    weight = G * model.mass
    claims = [
        Claim("force of the floor in the end over the weight", 1.0, float(carried[-1][2]) / weight, 1e-2),
        Claim("distance of the centre of pressure from below the centre of mass", 0.0,
              float(np.linalg.norm(pressure - middle[:2])), 1e-2, "m"),
        Claim("energy that is won from one sample to the next, of all that is lost", 0.0,
              float(np.maximum(np.diff(energy), 0.0).max() / energy[0]), 1e-6),
    ]  # fmt: skip
    panels = [
        Panel("energy", "t in s", "J", [
            Curve("kinetic and potential", motion.time, energy), Curve("kinetic", motion.time, kinetic)]),
        Panel("force of the floor", "t in s", "N", [
            Curve("simulated", motion.time, np.array([x[2] for x in carried])),
            Curve("weight", motion.time, np.full(len(motion), weight), True)]),
    ]  # fmt: skip
    moments = [int(np.searchsorted(motion.time, t)) for t in (0.0, 0.35, 0.7)]
    return Outcome(
        "ragdoll", "A limp figure falls down",
        f"A figure of {model.n_bodies} bodies, {model.mass:.0f} kg, with dampers in its joints, falls on the floor and "
        "comes to rest. Its limbs touch the floor and one another wherever they happen to.",
        as_at_rest(shown_well(motion)), claims, panels, (*moments, -1), camera=(12.0, -60.0),
    )  # fmt: skip
