"""Solutions of notebook 10."""

from __future__ import annotations

import numpy as np


def freedoms(bodies, joints):
    """Three for each body, less what each joint takes away."""
    return 3 * bodies - sum(3 - left for left in joints)


def multipliers(M, J, f, bias):
    """J M^-1 J' lambda = -J M^-1 f - Jdot v."""
    inverse = np.linalg.inv(M)
    return np.linalg.solve(J @ inverse @ J.T, -J @ inverse @ f - bias)


def soft_step(m, k, d, h, x, v):
    """m (v+ - v) = -h (k (x + h v+) + d v+), and x+ = x + h v+."""
    end = (m * v - h * k * x) / (m + h * d + h * h * k)
    return x + h * end, end
