"""Balls that hit each other and the floor, for worlds whose contacts are named or found, and as one problem."""

import numpy as np

from pluecker.contact import Bodies, World, assemble_contacts
from pluecker.contact.geometry import Collider, Collision, HalfSpace, Sphere
from tests.contact.found.worlds import UPRIGHT, bodies, inertia

__all__ = ["KINDS", "kinetic", "problem_of", "random_balls", "world_of_balls"]

KINDS = ("named", "found")


def world_of_balls(radii, masses, kind, surface, weightless=False, ground=True, **options):
    """Free balls with one surface, and the floor z = 0; all of them may touch."""
    shapes = [Sphere(radius) for radius in radii]
    model = bodies(shapes, masses)
    model = model.replace(gravity=(0.0, 0.0, 0.0)) if weightless else model
    skins = [Collider(f"s{k}", shape, f"b{k}", surface) for k, shape in enumerate(shapes)]
    colliders = [Collider("floor", HalfSpace(), "world", surface)] * ground + skins
    names = [each.name for each in colliders]
    if kind == "named":
        options["pairs"] = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return World(model, shapes=colliders, **options)


def random_balls(rng, count=3):
    """Radii, masses, configuration and velocities of balls, each of which touches the one before, the first the floor."""
    radii, masses = rng.uniform(0.1, 0.3, count), 10.0 ** rng.uniform(-1, 1, count)
    place, q = np.array([0.0, 0.0, radii[0]]), []
    for k in range(count):
        if k:
            way = rng.standard_normal(3)
            way[2] = abs(way[2]) + 1.0
            place = place + (radii[k - 1] + radii[k]) * way / np.linalg.norm(way)
        q += [*place, *UPRIGHT]
    v = rng.standard_normal((count, 6)) * np.repeat([4.0, 1.0], 3)
    v[:, 5] -= 1.0
    return radii, masses, np.array(q), v.ravel()


def problem_of(radii, masses, q, v, surface, newton):
    """The impact alone, of the same balls in the same places, as one problem with its contacts."""
    model = bodies([Sphere(radius) for radius in radii], masses)
    skins = [Collider(f"s{k}", Sphere(radius), f"b{k}", surface) for k, radius in enumerate(radii)]
    found = Collision(model, [Collider("floor", HalfSpace(), "world", surface), *skins], margin=1e-9).find(q)
    moments = [inertia(Sphere(radius), mass) for radius, mass in zip(radii, masses, strict=True)]
    places, speeds = np.reshape(q, (-1, 7))[:, :3], np.reshape(v, (-1, 6))
    scene = Bodies([np.inf, *masses], [[0.0] * 3, *moments], [[0.0] * 3, *places], velocity=[[0.0] * 6, *speeds])
    return assemble_contacts(scene, found.table(), 1.0, erp=0.0, restitution=newton)


def kinetic(radii, masses, v):
    """Energy of balls; J."""
    parts = np.reshape(v, (-1, 6))
    turning = 0.4 * np.asarray(masses) * np.square(radii) * np.square(parts[:, :3]).sum(axis=1)
    return 0.5 * float((turning + masses * np.square(parts[:, 3:]).sum(axis=1)).sum())
