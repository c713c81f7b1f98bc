"""Random pairs of shapes, generic and degenerate on purpose, and what coal and MuJoCo call them."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.spatial.transform import Rotation

from pluecker.contact.geometry import Box, Capsule, Collider, Collision, ConvexHull, Cylinder, HalfSpace, Sphere
from tests.models import free_bodies as free

CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
QUARTERS = Rotation.create_group("O").as_matrix()
# every pair that has a kernel
PRIMITIVES = (
    ("HalfSpace", "Sphere"),
    ("HalfSpace", "Capsule"),
    ("HalfSpace", "Box"),
    ("HalfSpace", "Cylinder"),
    ("HalfSpace", "ConvexHull"),
    ("Sphere", "Sphere"),
    ("Sphere", "Capsule"),
    ("Sphere", "Box"),
    ("Sphere", "Cylinder"),
    ("Sphere", "ConvexHull"),
    ("Capsule", "Capsule"),
    ("Capsule", "Box"),
    ("Capsule", "Cylinder"),
    ("Capsule", "ConvexHull"),
    ("Box", "Box"),
    ("Box", "Cylinder"),
    ("Box", "ConvexHull"),
    ("Cylinder", "Cylinder"),
    ("Cylinder", "ConvexHull"),
    ("ConvexHull", "ConvexHull"),
)
ROUND = tuple(kinds for kinds in PRIMITIVES if "Cylinder" in kinds and kinds[0] not in ("HalfSpace", "Sphere"))


def shape(rng, kind):
    """Draw a shape of that kind; some are thin."""
    a = rng.uniform(0.1, 1.0, 3)
    if rng.random() < 0.2:
        a[rng.integers(3)] *= 1e-2
    if kind == "HalfSpace":
        return HalfSpace()
    if kind == "Sphere":
        return Sphere(a[0])
    if kind in ("Capsule", "Cylinder"):
        return {"Capsule": Capsule, "Cylinder": Cylinder}[kind](a[0], 2.0 * a[1])
    if kind == "Box":
        return Box(2.0 * a)
    return ConvexHull(rng.normal(size=(12, 3)) * a)


def placement(R, p):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def pose(rng, scale=0.7):
    return placement(Rotation.random(random_state=rng).as_matrix(), scale * rng.normal(size=3))


def pair_of_poses(rng, scale=0.7):
    """Two poses; a third of them parallel, some with one centre."""
    first = pose(rng, scale)
    second = pose(rng, scale)
    how = rng.integers(6)
    if how == 0:
        second[:3, :3] = first[:3, :3] @ QUARTERS[rng.integers(24)]
    if how == 1:  # nearly
        small = Rotation.from_rotvec(10.0 ** rng.uniform(-12, -3) * rng.normal(size=3)).as_matrix()
        second[:3, :3] = first[:3, :3] @ QUARTERS[rng.integers(24)] @ small
    if how == 2:
        along = rng.choice([-1.0, 0.0, 1.0], 3)
        second[:3, 3] = first[:3, 3] + first[:3, :3] @ along * rng.choice([0.0, 1e-13, 0.5])
    return first, second


def touching(first, second, T, frame=None, margin=0.02):
    """Contacts of a shape on the world, whose frame is moved, with one on a body at T in that frame."""
    W = np.eye(4) if frame is None else frame
    where = W @ T
    q = [*where[:3, 3], *Rotation.from_matrix(where[:3, :3]).as_quat(scalar_first=True)]
    colliders = [Collider("first", first, ("world", W[:3, 3], W[:3, :3])), Collider("second", second, "b0")]
    return Collision(free(1), colliders, margin=margin).find(q)


def support(one, T, direction):
    """Evaluate the support function of a bounded shape along directions ``(..., 3)``, from its definition."""
    d = np.einsum("...ji,...j->...i", T[..., :3, :3], direction)
    name = type(one).__name__
    if name == "Sphere":
        reach = one.radius
    elif name == "Capsule":
        reach = one.radius + 0.5 * one.length * np.abs(d[..., 2])
    elif name == "Cylinder":
        reach = one.radius * np.hypot(d[..., 0], d[..., 1]) + 0.5 * one.length * np.abs(d[..., 2])
    elif name == "Box":
        reach = 0.5 * np.abs(d) @ np.array(one.size)
    else:
        reach = (d @ one.vertices.T).max(axis=-1)
    return np.einsum("...i,...i->...", T[..., :3, 3], direction) + reach
