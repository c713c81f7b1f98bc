"""Solutions of notebook 12."""

from __future__ import annotations

import numpy as np


def bounded_row(n, b, lower, upper):
    """Return the multiplier that stops the row, as far as the bounds allow."""
    return np.clip(-b / n, lower, upper)


def sweep(N, b, lower, upper, r):
    """Row by row: what stops it, given what the others are now."""
    r = r.copy()
    for k in range(len(r)):
        others = N[k] @ r - N[k, k] * r[k] + b[k]
        r[k] = bounded_row(N[k, k], others, lower[k], upper[k])
    return r


def turned_angle(speed, h):
    """The quaternion (1, 0) moves to (1, h speed / 2), and is made a unit one: half the angle has that tangent."""
    half = np.array([1.0, 0.5 * h * speed])
    half /= np.linalg.norm(half)
    return 2.0 * np.arctan2(half[1], half[0])


def three_feet(feet, center, weight):
    """The sum of the forces, and their moments about both axes."""
    x, y = np.transpose(np.asarray(feet) - center)
    return np.linalg.solve([np.ones(3), x, y], [weight, 0.0, 0.0])
