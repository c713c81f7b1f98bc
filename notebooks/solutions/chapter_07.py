"""Solutions of the exercises of notebook 7."""

import numpy as np


def inertia_by_columns(inverse_dynamics, n):
    """The torques of unit accelerations, without those of the acceleration zero"""
    bias = inverse_dynamics(np.zeros(n))
    H = np.zeros((n, n))
    for j in range(n):
        e = np.zeros(n)
        e[j] = 1.0
        H[:, j] = inverse_dynamics(e) - bias
    return H


def zeros_of_H(parent):
    """All entries, less those of a body with each on its way to the base, once above and once below the diagonal"""
    n = len(parent)
    filled = 0
    for i in range(n):
        filled += 1
        j = parent[i]
        while j >= 0:
            filled += 2
            j = parent[j]
    return n * n - filled


def entry_of_H(parent, s, I, i, j):
    """The sum over the bodies that have both joints on their way to the base"""
    total = 0.0
    for k in range(len(parent)):
        way, body = [], k
        while body >= 0:
            way.append(body)
            body = parent[body]
        if i in way and j in way:
            total += s[i] @ I[k] @ s[j]
    return total


def lagrange_torques(H, H_rate, dT_dq, dV_dq, v, a):
    """d/dt (H v) - dT/dq + dV/dq"""
    momentum_rate = H_rate @ v + H @ a
    return momentum_rate - (dT_dq - dV_dq)
