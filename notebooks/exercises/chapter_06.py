"""The exercises of notebook 6: the two passes of the recursive Newton-Euler algorithm, energy and momentum of a robot."""

from __future__ import annotations

from typing import Any

import numpy as np

from pluecker.teaching import Exercise

Array = Any

UP = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 9.81])  # -a_g


def skew(a: Array) -> Array:
    """a x"""
    return np.cross(a, -np.eye(3))


def cross(v: Array, m: Array) -> Array:
    """v x m, of motions"""
    return np.concatenate([np.cross(v[:3], m[:3]), np.cross(v[:3], m[3:]) + np.cross(v[3:], m[:3])])


def some_inertia(rng: np.random.Generator) -> Array:
    """The inertia of eight points of 0.1 to 1 kg about the origin: of a body that can be"""
    total = np.zeros((6, 6))
    for m, r in zip(rng.uniform(0.1, 1.0, 8), rng.normal(0.0, 0.4, (8, 3)), strict=True):
        c = skew(r)
        total += m * np.block([[c @ c.T, c], [c.T, np.eye(3)]])
    return total


def tree(rng: np.random.Generator) -> tuple[tuple[int, ...], Array]:
    """Parents of 4 to 7 bodies, with a branch at least, and the axes of their joints"""
    n = int(rng.integers(4, 8))
    parent = (-1, 0, 0, *(int(rng.integers(-1, k)) for k in range(3, n)))
    points, directions = rng.normal(size=(2, n, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return parent, np.concatenate([directions, np.cross(points, directions)], axis=1)


def chain(parent: tuple[int, ...]) -> tuple[int, ...]:
    """The mistake of taking the body before for the parent"""
    return tuple(range(-1, len(parent) - 1))


def velocities(parent: tuple[int, ...], s: Array, qd: Array) -> Array:
    """v_i = v_parent + s_i qd_i"""
    v = np.zeros_like(s)
    for i, p in enumerate(parent):
        v[i] = s[i] * qd[i] + (v[p] if p >= 0 else 0.0)
    return v


def outward(parent: tuple[int, ...], s: Array, qd: Array, qdd: Array, base: Array = UP, moving: float = 1.0) -> Array:
    """a_i = a_parent + s_i qdd_i + v_i x s_i qd_i"""
    v, a = velocities(parent, s, qd), np.zeros_like(s)
    for i, p in enumerate(parent):
        a[i] = s[i] * qdd[i] + moving * cross(v[i], s[i] * qd[i]) + (a[p] if p >= 0 else base)
    return a


def a_motion(rng: np.random.Generator) -> tuple[Any, ...]:
    """A tree, its axes, velocities and accelerations"""
    parent, s = tree(rng)
    return parent, s, *rng.normal(size=(2, len(parent)))


accelerations = Exercise(
    name="6.1 the outward pass",
    inputs=a_motion,
    expected=lambda parent, s, qd, qdd: outward(parent, s, qd, qdd),
    mistakes=(
        (
            lambda parent, s, qd, qdd: outward(parent, s, qd, qdd, moving=0.0),
            "The axes move: the derivative of s_i is v_i x s_i, and v_i x s_i qd_i is missing.",
        ),
        (
            lambda parent, s, qd, qdd: outward(parent, s, qd, qdd, base=-UP),
            "Gravity has the wrong sign: it acts as if the base were thrown upwards, a_0 = -a_g.",
        ),
        (
            lambda parent, s, qd, qdd: outward(parent, s, qd, qdd, base=0.0 * UP),
            "Gravity is missing: a_0 = -a_g.",
        ),
        (
            lambda parent, s, qd, qdd: outward(chain(parent), s, qd, qdd),
            "This takes the body before for the parent. The parent of body i is parent[i].",
        ),
    ),
)


def inward(parent: tuple[int, ...], s: Array, f_B: Array) -> Array:
    """tau_i = s_i . f_i, f_i that of body i and all that it carries"""
    f = subtree_sums(parent, f_B)
    return np.sum(s * f, axis=1)


def subtree_sums(parent: tuple[int, ...], x: Array) -> Array:
    """x_i and what its children have"""
    total = np.array(x)
    for i in range(len(parent) - 1, -1, -1):
        if parent[i] >= 0:
            total[parent[i]] += total[i]
    return total


def forces(rng: np.random.Generator) -> tuple[Any, ...]:
    """A tree, its axes, a force for each body"""
    parent, s = tree(rng)
    return parent, s, rng.normal(size=(len(parent), 6))


joint_torques = Exercise(
    name="6.2 the inward pass",
    inputs=forces,
    expected=inward,
    mistakes=(
        (
            lambda parent, s, f_B: np.sum(s * f_B, axis=1),
            "These are the torques for each body alone. Its joint carries what hangs on the body, too.",
        ),
        (
            lambda parent, s, f_B: inward(chain(parent), s, f_B),
            "This hands the force on to the body before. It belongs to the parent, parent[i].",
        ),
        (
            lambda parent, s, f_B: np.sum(
                s * (f_B + np.array([sum(f_B[np.array(parent) == i], np.zeros(6)) for i in range(len(parent))])), axis=1
            ),
            "Children count here, but not the children's children: go from the last body to the first.",
        ),
    ),
)


def robot(rng: np.random.Generator) -> tuple[Any, ...]:
    """A tree, its axes, inertias, velocities of joints"""
    parent, s = tree(rng)
    return parent, s, np.array([some_inertia(rng) for _ in parent]), rng.normal(size=len(parent))


def energy(parent: tuple[int, ...], s: Array, I: Array, qd: Array) -> Array:
    """1/2 sum v_i . I_i v_i"""
    v = velocities(parent, s, qd)
    return 0.5 * np.einsum("ni,nij,nj->", v, I, v)


robot_energy = Exercise(
    name="6.3 kinetic energy of a robot (exercise C1 (a) of section 56)",
    inputs=robot,
    expected=energy,
    mistakes=(
        (lambda parent, s, I, qd: 2.0 * energy(parent, s, I, qd), "A factor of one half is missing."),
        (
            lambda parent, s, I, qd: 0.5 * np.einsum("ni,nij,nj,n->", s, I, s, qd**2),
            "Each body moves here by its own joint alone. It is carried by its parent, too: v_i = v_parent + s_i qd_i.",
        ),
        (
            lambda parent, s, I, qd: energy(chain(parent), s, I, qd),
            "This takes the body before for the parent. The parent of body i is parent[i].",
        ),
    ),
)


def momenta(parent: tuple[int, ...], s: Array, I: Array, qd: Array) -> Array:
    """h_i = I_i v_i + those of the children"""
    return subtree_sums(parent, np.einsum("nij,nj->ni", I, velocities(parent, s, qd)))


robot_momentum = Exercise(
    name="6.4 momentum of a robot (exercise C1 (b) of section 56)",
    inputs=robot,
    expected=momenta,
    mistakes=(
        (
            lambda parent, s, I, qd: np.einsum("nij,nj->ni", I, velocities(parent, s, qd)),
            "These are the momenta of the bodies, one by one. Asked for is that of each body with all that it carries.",
        ),
        (
            lambda parent, s, I, qd: momenta(parent, s, I, qd)[0],
            "This is the first row, of body 0 and what it carries; asked for is a row for each body.",
        ),
        (
            lambda parent, s, I, qd: momenta(chain(parent), s, I, qd),
            "This takes the body before for the parent. The parent of body i is parent[i].",
        ),
    ),
)
