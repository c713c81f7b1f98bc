"""The 6D algebra by plain NumPy matrices, from the definitions: what the kernels are checked against."""

from __future__ import annotations

import numpy as np


def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def flat(x):
    """A pair of 3-tuples, or anything nested, as one vector."""
    return np.concatenate([np.ravel(part) for part in x])


def motion(x):
    """A 6-vector as a pair of 3-tuples."""
    return (tuple(map(float, x[:3])), tuple(map(float, x[3:])))


def nine(E):
    return tuple(map(float, np.ravel(E)))


def X_matrix(X):
    """Motion transform [E 0; -E r~ E]."""
    E, r = np.reshape(X[0], (3, 3)), np.array(X[1])
    return np.block([[E, np.zeros((3, 3))], [-E @ skew(r), E]])


def symmetric(six):
    xx, xy, xz, yy, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def six(S):
    return tuple(float(S[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))


def rigid_matrix(I):
    """[J h~; -h~ m 1]."""
    m, h, J = I
    return np.block([[symmetric(J), skew(h)], [-skew(h), m * np.eye(3)]])


def articulated_matrix(I):
    J, H, M = I
    H = np.reshape(H, (3, 3))
    return np.block([[symmetric(J), H], [H.T, symmetric(M)]])


def articulated(A):
    return (six(A[:3, :3]), nine(A[:3, 3:]), six(A[3:, 3:]))


def crm(v):
    """v x, on motion vectors."""
    return np.block([[skew(v[:3]), np.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


def random_rotation(rng):
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q @ np.diag(np.sign(np.diag(R)))
    return Q if np.linalg.det(Q) > 0 else Q[:, [1, 0, 2]]


def random_transform(rng):
    return (nine(random_rotation(rng)), tuple(rng.normal(size=3)))


def random_rigid(rng):
    x, masses = rng.normal(size=(6, 3)), rng.uniform(0.1, 1.0, 6)
    J = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, x, strict=True))
    return (float(masses.sum()), tuple(masses @ x), six(J))


def random_articulated(rng):
    A = rng.normal(size=(6, 8))
    return articulated(A @ A.T)
