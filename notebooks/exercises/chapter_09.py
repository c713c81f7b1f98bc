"""Exercises of notebook 9: RedMax."""

from __future__ import annotations

import numpy as np

from pluecker.teaching import Exercise


def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def crm(v):
    return np.block([[skew(v[:3]), np.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


# ---------------------------------------------------------------------------------------------------------------- 9.1


def count_blocks(parent):
    depth = []
    for p in parent:
        depth.append(1 + (depth[p] if p >= 0 else 0))
    return sum(depth)


stored_blocks = Exercise(
    name="9.1 blocks of J",
    inputs=lambda rng: ([-1, *(int(rng.integers(-1, i)) for i in range(1, int(rng.integers(5, 30))))],),
    expected=count_blocks,
    mistakes=(
        (lambda parent: len(parent) * (len(parent) + 1) // 2, "That is a chain. In a tree, only ancestors count."),
        (
            lambda parent: count_blocks(parent) - len(parent),
            "The diagonal is missing: a body moves with its own joint as well.",
        ),
        (
            lambda parent: len(parent) + sum(p >= 0 for p in parent),
            "Those are bodies and their parents. The joint of a grandparent moves the body too.",
        ),
        (lambda parent: 6 * count_blocks(parent), "Blocks, please, not numbers: each block has six."),
    ),
)


# ---------------------------------------------------------------------------------------------------------------- 9.2


def right_map(q):
    s1, c1, s2, c2 = np.sin(q[1]), np.cos(q[1]), np.sin(q[2]), np.cos(q[2])
    return np.array([[-s1, 0.0, 1.0], [c1 * s2, c2, 0.0], [c1 * c2, -s2, 0.0]])


def turned(q):
    (s0, s1, s2), (c0, c1, c2) = np.sin(q), np.cos(q)
    Rz = np.array([[c0, -s0, 0.0], [s0, c0, 0.0], [0.0, 0.0, 1.0]])
    Ry = np.array([[c1, 0.0, s1], [0.0, 1.0, 0.0], [-s1, 0.0, c1]])
    Rx = np.array([[1.0, 0.0, 0.0], [0.0, c2, -s2], [0.0, s2, c2]])
    return Rz @ Ry @ Rx


euler_rate_map = Exercise(
    name="9.2 angular velocity from Euler angles",
    inputs=lambda rng: (rng.uniform(-1.4, 1.4, 3),),
    expected=right_map,
    rtol=1e-6,  # for those who differentiate by differences
    atol=1e-6,
    mistakes=(
        (
            lambda q: turned(q) @ right_map(q),
            "These are the axes of the parent: [w] = dR/dt R^T. In the axes of the body it is R^T dR/dt.",
        ),
        (lambda q: right_map(q).T, "The columns belong to the angles: this is the transpose."),
        (lambda q: np.eye(3)[:, ::-1], "That holds at zero angles alone: the later turns carry the first axes along."),
        (lambda q: np.linalg.inv(right_map(q)), "That is the inverse: it gives the rates from the angular velocity."),
    ),
)


# ---------------------------------------------------------------------------------------------------------------- 9.3


def right_rows(X, S, rate, k, Jp, Jp_dot):
    return -crm(S[:, 0] * rate) @ X @ Jp + X @ Jp_dot


def random_rows(rng):
    nv = int(rng.integers(3, 7))
    k = nv - 1
    E, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    E = E * np.sign(np.linalg.det(E))
    X = np.block([[E, np.zeros((3, 3))], [-E @ skew(rng.standard_normal(3)), E]])
    J, Jdot = rng.standard_normal((2, 6, nv))
    J[:, k], Jdot[:, k] = 0.0, 0.0
    return X, rng.standard_normal((6, 1)), float(rng.standard_normal()), k, J, Jdot


def with_own_column(X, S, rate, k, Jp, Jp_dot):
    rows = right_rows(X, S, rate, k, Jp, Jp_dot)
    rows[:, k] = S[:, 0]
    return rows


rows_of_rate = Exercise(
    name="9.3 six rows of the rate of J",
    inputs=random_rows,
    expected=right_rows,
    mistakes=(
        (
            lambda X, S, rate, k, Jp, Jp_dot: X @ Jp_dot,
            "X changes as well while the joint moves: the term with its rate is missing.",
        ),
        (
            lambda X, S, rate, k, Jp, Jp_dot: crm(S[:, 0] * rate) @ X @ Jp + X @ Jp_dot,
            "The rate of X has a minus: X goes into the coordinates of the body that moves with S rate.",
        ),
        (
            lambda X, S, rate, k, Jp, Jp_dot: -X @ crm(S[:, 0] * rate) @ Jp + X @ Jp_dot,
            "S is in the coordinates of the child, so that the cross product comes after X.",
        ),
        (
            with_own_column,
            "The joint's own column of J is S, which is constant here: its rate is zero.",
        ),
    ),
)


# ---------------------------------------------------------------------------------------------------------------- 9.4


def right_hinge(r1, r2, a1, a2):
    G = np.zeros((5, 12))
    G[:3] = np.hstack([-skew(r1), np.eye(3), skew(r2), -np.eye(3)])
    G[3:, :3], G[3:, 6:9] = (a1, a2), (-a1, -a2)
    return G


def changed(r1, r2, a1, a2, *, arms=1.0, halves=False, same=False):
    G = right_hinge(r1, r2, a1, a2)
    G[:3, :3] *= arms
    G[:3, 6:9] *= arms
    if halves:
        G = G.reshape(5, 2, 2, 3)[:, :, ::-1].reshape(5, 12)
    if same:
        G = np.hstack([G[:, :6], -G[:, 6:]])
    return G


hinge_rows = Exercise(
    name="9.4 the rows of a hinge",
    inputs=lambda rng: tuple(rng.standard_normal((4, 3))),
    expected=right_hinge,
    mistakes=(
        (
            lambda r1, r2, a1, a2: changed(r1, r2, a1, a2, arms=-1.0),
            "The velocity of the point is v + w x r, and w x r = -[r] w.",
        ),
        (
            lambda r1, r2, a1, a2: changed(r1, r2, a1, a2, halves=True),
            "Linear parts stand first, as in the document. Here the angular part comes first.",
        ),
        (
            lambda r1, r2, a1, a2: changed(r1, r2, a1, a2, same=True),
            "The velocity of body 2 is subtracted: what counts is the relative velocity.",
        ),
    ),
)
