"""Solutions of the exercises of notebook 5."""

import numpy as np


def constraint_force(I, T, f):
    """T' a = 0 with a = I^-1 (f + T lambda)"""
    W = np.linalg.inv(I)
    return T @ np.linalg.solve(T.T @ W @ T, -T.T @ W @ f)


def skew(a):
    """a x"""
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def equation_of_motion(I, S, S_rate, alpha):
    """S' (I a + v x* I v) with a = S alpha' + S_rate alpha"""
    v = S @ alpha
    n, h = np.split(I @ v, 2)
    w, u = np.split(v, 2)
    gyroscopic = np.concatenate([skew(w) @ n + skew(u) @ h, skew(w) @ h])
    return S.T @ I @ S, S.T @ (I @ S_rate @ alpha + gyroscopic)


def kinetic_energy(I, S, alpha):
    """1/2 v . I v"""
    v = S @ alpha
    return v @ I @ v / 2


def apparent_inertia(I1, I2, s):
    """Add to I1 the inertia of body 2 without the direction in which the joint gives way"""
    U = I2 @ s
    return I1 + I2 - np.outer(U, U) / (s @ U)
