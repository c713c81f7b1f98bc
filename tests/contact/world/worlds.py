"""Worlds that tests share: random trees with loops, closed where they are."""

import numpy as np

from pluecker.articulated import frame_placement, random_configuration, random_tree
from pluecker.contact import World
from pluecker.contact.constraints import Ball, Frame, Hinge

__all__ = ["frame_at", "loop_between", "random_world"]


def frame_at(model, q, body, T):
    """The frame on a body that is at T in the world, in a configuration."""
    own = T if body == "world" else np.linalg.solve(frame_placement(model, q, body), T)
    return Frame(body, tuple(own[:3, 3]), tuple(map(tuple, own[:3, :3])))


def random_placement(rng):
    """A rotation and a position."""
    Q, R = np.linalg.qr(rng.standard_normal((3, 3)))
    Q = Q * np.sign(np.diag(R))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Q * np.linalg.det(Q), rng.standard_normal(3)
    return T


def loop_between(kind, name, model, q, first, second, rng):
    """A constraint between two bodies that holds in this configuration."""
    T = random_placement(rng)
    return kind(name, frame_at(model, q, first, T), frame_at(model, q, second, T))


def random_world(seed, bodies=12, loops=2, kinds=(Ball, Hinge), **options):
    """A tree of all joint types with loops between bodies that are drawn by chance, and a state that the loops allow."""
    rng = np.random.default_rng(seed)
    options = {"mimic": 0.2, "passive": True, **options}
    model = random_tree(bodies, seed, **options).replace(friction=0.0)
    q = random_configuration(model, rng)
    places = ("world", *model.body_names)
    constraints = []
    for k in range(loops):
        first, second = rng.choice(len(places), 2, replace=False)
        kind = kinds[rng.integers(len(kinds))]
        constraints.append(loop_between(kind, f"loop {k}", model, q, places[first], places[second], rng))
    world = World(model, constraints, limits=False)
    return world, q, world.impact(q, rng.standard_normal(model.nv)).velocity
