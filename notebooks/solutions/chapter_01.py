"""Solutions of notebook 1."""

from __future__ import annotations

import numpy as np


def numbers_of_screw(direction, point, angular, linear):
    """The point of the body at the origin goes round the line, and slides along it."""
    omega = angular * direction
    v_O = np.cross(omega, -point) + linear * direction
    return np.concatenate([omega, v_O])


def pitch(omega, v_P):
    """The part of the velocity along the axis is the same at all points."""
    return np.dot(omega, v_P) / np.dot(omega, omega)


def nearest_on_axis(v, C):
    """With C as the origin, the axis passes through omega x v_C / omega . omega."""
    omega, v_O = v[:3], v[3:]
    v_C = v_O + np.cross(omega, C)
    return C + np.cross(omega, v_C) / np.dot(omega, omega)


def center_of_rod(w1, P1, w2, P2):
    """The sum [w, w1 P1y + w2 P2y, -w1 P1x - w2 P2x] is zero at (-vy, vx) / w."""
    return (w1 * P1 + w2 * P2) / (w1 + w2)
