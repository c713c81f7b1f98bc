"""Exercises of notebook 1: screws, axes, sums of velocity fields."""

from __future__ import annotations

import numpy as np

from pluecker.teaching import Exercise

__all__ = ["center_of_rod", "nearest_on_axis", "numbers_of_screw", "pitch"]


def unit(rng):
    """A direction."""
    u = rng.normal(size=3)
    return u / np.linalg.norm(u)


# ------------------------------------------------------------------------------------------------ six numbers of a screw


def right_numbers(direction, point, angular, linear):
    """[A u; OP x A u + B u]"""
    omega = angular * direction
    return np.concatenate([omega, np.cross(point, omega) + linear * direction])


numbers_of_screw = Exercise(
    name="1.1 the six numbers of a screw",
    inputs=lambda rng: (unit(rng), rng.normal(size=3), rng.uniform(0.5, 2.0), rng.normal()),
    expected=right_numbers,
    mistakes=(
        (
            lambda u, P, A, B: np.concatenate([A * u, np.cross(A * u, P) + B * u]),
            "The velocity at the origin is that of a turn about the line as seen from the origin: omega x (O - P), and not "
            "omega x (P - O).",
        ),
        (
            lambda u, P, A, B: np.concatenate([A * u, B * u]),
            "This is right only for a line through the origin: the place of the line is missing.",
        ),
        (
            lambda u, P, A, B: np.concatenate([A * u, np.cross(P, A * u)]),
            "The body also slides along the line: the linear magnitude is missing.",
        ),
        (
            lambda u, P, A, B: np.concatenate([A * u, np.cross(P, A * u) + B * A * u]),
            "The sliding velocity is along the unit vector, not along omega.",
        ),
    ),
)


# ------------------------------------------------------------------------------------------------------------------ pitch

pitch = Exercise(
    name="1.2 the pitch from the velocity of any point",
    inputs=lambda rng: (rng.normal(size=3), rng.normal(size=3)),
    expected=lambda omega, v_P: omega @ v_P / (omega @ omega),
    mistakes=(
        (
            lambda omega, v_P: np.linalg.norm(v_P) / np.linalg.norm(omega),
            "Not all of v_P is along the axis: the part at right angles to omega says where the axis is.",
        ),
        (
            lambda omega, v_P: omega @ v_P / np.linalg.norm(omega),
            "This is the linear magnitude, in m/s. The pitch is what comes of it for each radian.",
        ),
        (lambda omega, v_P: omega @ v_P, "Divide by the square of the angular velocity: the pitch has the unit m/rad."),
        (lambda omega, v_P: abs(omega @ v_P) / (omega @ omega), "A left-handed screw has a negative pitch."),
        (
            lambda omega, v_P: 2.0 * np.pi * (omega @ v_P) / (omega @ omega),
            "This is the pitch per turn, as of bolts. Here it is per radian: without the factor 2 pi.",
        ),
    ),
)


# --------------------------------------------------------------------------------------------------------- nearest point


def right_nearest(v, C):
    """The point of the axis next to C: as that next to the origin, with the velocity at C."""
    omega = v[:3]
    v_C = v[3:] + np.cross(omega, C)
    return C + np.cross(omega, v_C) / (omega @ omega)


nearest_on_axis = Exercise(
    name="1.3 the point of the axis nearest to C",
    inputs=lambda rng: (rng.normal(size=6), rng.normal(size=3)),
    expected=right_nearest,
    mistakes=(
        (
            lambda v, C: np.cross(v[:3], v[3:]) / (v[:3] @ v[:3]),
            "This is the point nearest to the origin. Use the velocity at C, and go from C.",
        ),
        (
            lambda v, C: C + np.cross(v[:3], v[3:]) / (v[:3] @ v[:3]),
            "Going from C needs the velocity of the point at C, which is not v_O.",
        ),
        (
            lambda v, C: right_nearest(v, C) - C,
            "This is the way from C to the axis. The point itself was asked for.",
        ),
    ),
)


# ------------------------------------------------------------------------------------------------------------ two rotations


def two_rates(rng):
    """Rates whose sum is not close to zero, and two points."""
    w1, w2 = rng.uniform(0.5, 2.0) * rng.choice([-1.0, 1.0]), rng.uniform(0.5, 2.0)
    w2 = w2 if w1 > 0 else -0.2 * w2
    return float(w1), rng.normal(size=2), float(w2), rng.normal(size=2)


center_of_rod = Exercise(
    name="1.4 the centre about which the rod turns",
    inputs=two_rates,
    expected=lambda w1, P1, w2, P2: (w1 * P1 + w2 * P2) / (w1 + w2),
    mistakes=(
        (lambda w1, P1, w2, P2: (P1 + P2) / 2.0, "Halfway is right only if both turn equally fast."),
        (lambda w1, P1, w2, P2: w1 * P1 + w2 * P2, "The weights have to add up to one."),
        (lambda w1, P1, w2, P2: (w2 * P1 + w1 * P2) / (w1 + w2), "The faster rotation has the greater weight."),
        (
            lambda w1, P1, w2, P2: (w1 * P1 + (w2 - w1) * P2) / w2,
            "w2 is relative to the crank already: the rod's own rate is w1 + w2.",
        ),
    ),
)
