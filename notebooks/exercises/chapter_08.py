"""Exercises of notebook 8: articulated bodies."""

from __future__ import annotations

import numpy as np

from pluecker.teaching import Exercise


def random_inertia(rng):
    """The inertia of a rigid body, (6, 6), angular part first."""
    m, c, moments = rng.uniform(0.5, 2.0), rng.normal(scale=0.3, size=3), rng.uniform(0.1, 0.15, 3)
    s = np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
    return np.block([[np.diag(moments) - m * s @ s, m * s], [-m * s, m * np.eye(3)]])


def random_transform(rng):
    """A Pluecker transform of motions, (6, 6)."""
    E, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    E, r = E * np.sign(np.linalg.det(E)), rng.normal(scale=0.5, size=3)
    s = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    return np.block([[E, np.zeros((3, 3))], [-E @ s, E]])


def unit(rng, n):
    """A unit vector."""
    x = rng.standard_normal(n)
    return x / np.linalg.norm(x)


# ---------------------------------------------------------------------------------------------------------------- 8.1


def right_inertia(inertia, S):
    U = inertia @ S
    return inertia - U @ np.linalg.solve(S.T @ U, U.T)


handed_on = Exercise(
    name="8.1 the inertia that is handed on",
    inputs=lambda rng: (random_inertia(rng), rng.standard_normal((6, int(rng.integers(1, 4))))),
    expected=right_inertia,
    mistakes=(
        (lambda inertia, S: inertia, "That is the inertia with the joint locked: subtract U D^-1 U^T."),
        (
            lambda inertia, S: inertia - (inertia @ S) @ (inertia @ S).T,
            "D^-1 is missing: U U^T has other units than an inertia.",
        ),
        (
            lambda inertia, S: inertia - S @ np.linalg.solve(S.T @ inertia @ S, S.T),
            "S D^-1 S^T is an inverse inertia: it takes forces to motions. U = I S stands on both sides.",
        ),
        (
            lambda inertia, S: inertia - (inertia @ S) @ np.diag(1.0 / np.diag(S.T @ inertia @ S)) @ (inertia @ S).T,
            "D is a matrix: the freedoms of one joint are coupled, so that each entry of its diagonal alone is not enough.",
        ),
        (
            lambda inertia, S: right_inertia(inertia, S) @ inertia,
            "There is one factor of the inertia too many: check the units.",
        ),
    ),
)


# ---------------------------------------------------------------------------------------------------------------- 8.2


def right_masses(handle, load, u, n):
    M = handle * np.eye(2) + load * np.outer(u, u)
    return n @ M @ n, 1.0 / (n @ np.linalg.solve(M, n))


felt_masses = Exercise(
    name="8.2 the mass that a hand feels",
    inputs=lambda rng: (rng.uniform(0.5, 2.0), rng.uniform(0.5, 3.0), unit(rng, 2), unit(rng, 2)),
    expected=right_masses,
    mistakes=(
        (
            lambda handle, load, u, n: (right_masses(handle, load, u, n)[0],) * 2,
            "The first is right. Without the rail the handle does not accelerate along n: it gives way sideways, and feels "
            "lighter. Solve M a = n, then take the part of a along n.",
        ),
        (
            lambda handle, load, u, n: (right_masses(handle, load, u, n)[1],) * 2,
            "The second is right. On the rail the acceleration is along n, and the rail pushes sideways: n . M n.",
        ),
        (lambda handle, load, u, n: right_masses(handle, load, u, n)[::-1], "The two are exchanged."),
        (
            lambda handle, load, u, n: (handle + load,) * 2,
            "That is a rigid body. The rod swings: it takes no force across itself.",
        ),
        (
            lambda handle, load, u, n: (handle + load * abs(u @ n), 1.0 / (n @ right_inverse(handle, load, u) @ n)),
            "Of the first: the load enters with the square of the cosine, once for the force and once for the motion.",
        ),
    ),
)


def right_inverse(handle, load, u):
    return np.linalg.inv(handle * np.eye(2) + load * np.outer(u, u))


# ---------------------------------------------------------------------------------------------------------------- 8.3


def count_blocks(parent, order):
    n = len(parent)
    neighbours = [set() for _ in range(n)]
    for i, p in enumerate(parent):
        if p >= 0:
            neighbours[i].add(p)
            neighbours[p].add(i)
    total = 0
    for i in order:
        total += 1 + len(neighbours[i])
        for a in neighbours[i]:
            neighbours[a] |= neighbours[i]
            neighbours[a] -= {a, i}
    return total


def random_order(rng):
    n = int(rng.integers(5, 12))
    parent = [-1, *(int(rng.integers(0, i)) for i in range(1, n))]
    return parent, [int(i) for i in rng.permutation(n)]


def without_new_blocks(parent, order):
    gone, total = set(), 0
    for i in order:
        around = {parent[i]} | {j for j in range(len(parent)) if parent[j] == i}
        total += 1 + len(around - {-1} - gone)
        gone.add(i)
    return total


blocks_of_factor = Exercise(
    name="8.3 blocks of the factor",
    inputs=random_order,
    expected=count_blocks,
    mistakes=(
        (
            without_new_blocks,
            "These are the blocks of K. Eliminating a body connects all of its neighbours: count those new ones as well.",
        ),
        (lambda parent, order: count_blocks(parent, order) - len(parent), "The blocks on the diagonal are missing."),
        (
            lambda parent, order: 2 * count_blocks(parent, order) - len(parent),
            "One triangle of a symmetric matrix is enough.",
        ),
    ),
)


# ---------------------------------------------------------------------------------------------------------------- 8.4


def right_chain(I, X, S):
    A = I[-1]
    for i in range(len(I) - 1, 0, -1):
        U = A @ S[i]
        A = I[i - 1] + X[i].T @ (A - np.outer(U, U) / (S[i] @ U)) @ X[i]
    return A


def composite(I, X, S):
    A = I[-1]
    for i in range(len(I) - 1, 0, -1):
        A = I[i - 1] + X[i].T @ A @ X[i]
    return A


def inverted(I, X, S):
    A = I[-1]
    for i in range(len(I) - 1, 0, -1):
        U, Y = A @ S[i], np.linalg.inv(X[i])
        A = I[i - 1] + Y.T @ (A - np.outer(U, U) / (S[i] @ U)) @ Y
    return A


def from_single_bodies(I, X, S):
    A = I[0]
    for i in range(1, len(I)):
        U, to = I[i] @ S[i], np.linalg.multi_dot([np.eye(6), *(X[k] for k in range(i, 0, -1))])
        A = A + to.T @ (I[i] - np.outer(U, U) / (S[i] @ U)) @ to
    return A


def random_chain(rng):
    n = int(rng.integers(3, 6))
    inertias, transforms = [random_inertia(rng) for _ in range(n)], [random_transform(rng) for _ in range(n)]
    return inertias, transforms, [np.concatenate([unit(rng, 3), np.zeros(3)]) for _ in range(n)]


chain_inertia = Exercise(
    name="8.4 the articulated inertia of a chain",
    inputs=random_chain,
    expected=right_chain,
    mistakes=(
        (composite, "That is the composite inertia, with all joints locked."),
        (
            inverted,
            "X takes motions from the parent to the child: an inertia comes back with X^T I X.",
        ),
        (
            from_single_bodies,
            "Each body was reduced alone and then carried to body 0. A joint also moves all that hangs beyond: add the "
            "articulated inertia of what is beyond before you reduce.",
        ),
    ),
)
