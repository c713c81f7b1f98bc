"""Random bodies and contacts, and the matrices of source document 000 by definition."""

from types import SimpleNamespace

import numpy as np

from pluecker.contact import Bodies, ContactTable, Rows, contact_frames

EPS = np.finfo(float).eps


def unit(rng, *shape):
    x = rng.normal(size=(*shape, 3))
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def random_inertia(rng, n):
    """Inertias of boxes with turned axes, (n, 3, 3)."""
    s = rng.uniform(0.05, 1.0, (n, 3))
    Q = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]
    return Q @ ((s.sum(axis=1, keepdims=True) - s)[:, :, None] * np.eye(3)) @ np.swapaxes(Q, 1, 2)


def random_bodies(rng, n, static=()):
    q = rng.normal(size=(n, 4))
    mass = rng.uniform(0.5, 3.0, n)
    mass[list(static)] = np.inf
    velocity, wrench = rng.normal(size=(n, 6)), rng.normal(size=(n, 6))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return Bodies(mass, random_inertia(rng, n), rng.normal(size=(n, 3)), q, velocity, wrench)


def random_table(rng, n, K, columns=1, **named):
    pairs = np.sort([rng.choice(n, 2, replace=False) for _ in range(K)], axis=1).reshape(K, 2)
    friction = rng.uniform(0.1, 0.9, (K, columns))
    named.setdefault("gap", rng.normal(size=K) * 0.01)
    return ContactTable(
        pairs, unit(rng, K), rng.normal(size=(K, 3)), friction=friction[:, 0] if columns == 1 else friction, **named
    )


def random_rows(rng, n):
    """An equation, a limit and a motor, of two bodies in both orders and of one."""
    jacobian = rng.normal(size=(3, 2, 6))
    jacobian[2, 1] = 0.0
    return Rows(
        [[0, n - 1], [n - 1, 0], [n - 1, -1]],
        jacobian,
        lower=[-np.inf, 0.0, -0.2],
        upper=[np.inf, np.inf, 0.3],
        offset=rng.normal(size=3),
        compliance=[0.0, 0.1, 0.2],
    )


def cross_matrix(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def document(bodies, table):
    """M^-1, C, N, D by the definitions of source document 000, corrected: linear velocities first."""
    n, K = len(bodies), len(table)
    inverse, C = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 3 * K))
    N, T = np.zeros((3 * K, K)), np.zeros((3 * K, 2 * K))
    for i in range(n):
        if np.isfinite(bodies.mass[i]):
            R = bodies.rotation[i]
            inverse[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = np.eye(3) / bodies.mass[i]
            inverse[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = np.linalg.inv(R @ bodies.inertia[i] @ R.T)
    for k, (i, j) in enumerate(table.bodies):
        column = slice(3 * k, 3 * k + 3)
        for body, sign in ((i, -1.0), (j, 1.0)):
            arm = table.point[k] - bodies.position[body]
            C[6 * body : 6 * body + 3, column] = sign * np.eye(3)
            C[6 * body + 3 : 6 * body + 6, column] = sign * cross_matrix(arm)
        frame = contact_frames(table.normal[k])
        N[column, k] = frame[0]
        T[column, 2 * k : 2 * k + 2] = frame[1:].T
    return SimpleNamespace(inverse=inverse, C=C, N=N, T=T)


def swapped(v):
    """Exchange the linear and angular parts of vectors of bodies, one after the other."""
    return v.reshape(-1, 2, 3)[:, ::-1].reshape(-1)
