"""Solutions of notebook 8."""

from __future__ import annotations

import numpy as np


def handed_on(inertia, S):
    """I - U D^-1 U^T with U = I S and D = S^T U."""
    U = inertia @ S
    return inertia - U @ np.linalg.inv(S.T @ U) @ U.T


def felt_masses(handle, load, u, n):
    """On the rail the acceleration is n, and n . M n the force along it; free, the force is n and causes M^-1 n."""
    M = handle * np.eye(2) + load * np.outer(u, u)
    acceleration = np.linalg.solve(M, n)
    return n @ M @ n, 1.0 / (n @ acceleration)


def blocks_of_factor(parent, order):
    """Eliminate symbolically: the neighbours of a body become neighbours of one another."""
    pairs = {frozenset((i, p)) for i, p in enumerate(parent) if p >= 0}
    blocks = 0
    for i in order:
        around = {j for pair in pairs if i in pair for j in pair} - {i}
        blocks += 1 + len(around)
        pairs = {pair for pair in pairs if i not in pair} | {
            frozenset((a, b)) for a in around for b in around if a != b
        }
    return blocks


def chain_inertia(I, X, S):
    """From the last body to the first: reduce what is beyond the joint, carry it over, add the body."""
    beyond = np.zeros((6, 6))
    for i in range(len(I) - 1, 0, -1):
        whole = I[i] + beyond
        beyond = X[i].T @ handed_on(whole, S[i][:, None]) @ X[i]
    return I[0] + beyond
