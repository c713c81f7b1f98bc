"""Solutions of notebook 9."""

from __future__ import annotations

import numpy as np


def stored_blocks(parent):
    """The sum of all depths: walk from each body to the world."""
    blocks = 0
    for body in range(len(parent)):
        a = body
        while a >= 0:
            blocks, a = blocks + 1, parent[a]
    return blocks


def euler_rate_map(q):
    """The axes z and y, as the turns that come after them show them to the body; x is an axis of the body itself."""
    s1, c1, s2, c2 = np.sin(q[1]), np.cos(q[1]), np.sin(q[2]), np.cos(q[2])
    Rx = np.array([[1.0, 0.0, 0.0], [0.0, c2, -s2], [0.0, s2, c2]])
    Ry = np.array([[c1, 0.0, s1], [0.0, 1.0, 0.0], [-s1, 0.0, c1]])
    x, y, z = np.eye(3)
    return np.column_stack([(Ry @ Rx).T @ z, Rx.T @ y, x])


def rows_of_rate(X, S, rate, k, Jp, Jp_dot):
    """The product rule, with dX/dt = -(S rate) x X; column k of J is S, and S is constant."""

    def cross(a, b):
        return np.concatenate([np.cross(a[:3], b[:3]), np.cross(a[:3], b[3:]) + np.cross(a[3:], b[:3])])

    carried = (X @ Jp).T
    return X @ Jp_dot - np.array([cross(S[:, 0] * rate, column) for column in carried]).T


def hinge_rows(r1, r2, a1, a2):
    """w x r = -[r] w for the point; the relative angular velocity along a1 and a2."""

    def skew(r):
        return np.cross(np.eye(3), r)

    nothing = np.zeros(3)
    return np.vstack(
        [
            np.hstack([-skew(r1), np.eye(3), skew(r2), -np.eye(3)]),
            np.concatenate([a1, nothing, -a1, nothing]),
            np.concatenate([a2, nothing, -a2, nothing]),
        ]
    )
