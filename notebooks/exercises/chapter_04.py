"""Momentum and inertia: what the notebook's exercises ask, and what people answer instead."""

import numpy as np

from pluecker.spatial import crf, exp3, skew, spatial_inertia
from pluecker.teaching import Exercise


def some_body(rng):
    """m, c, I_C of a body that can be: principal moments from the mean squares of its three coordinates"""
    m = float(rng.uniform(0.5, 3.0))
    squares = rng.uniform(0.1, 1.0, 3)
    R = exp3(rng.normal(size=3))
    return m, rng.normal(size=3), R @ np.diag(m * (squares.sum() - squares)) @ R.T


def some_inertia(rng):
    return spatial_inertia(*some_body(rng))


def join(a, b):
    return np.concatenate([a, b])


# ------------------------------------------------------------------------------------------------------- 4.1


def body_momentum(m, c, I_C, v):
    h = m * (v[3:] + np.cross(v[:3], c))
    return join(I_C @ v[:3] + np.cross(c, h), h)


def twice_the_shift(m, c, I_C, v):
    return body_momentum(m, c, I_C - m * skew(c) @ skew(c), v)


def about_center(m, c, I_C, v):
    return join(I_C @ v[:3], m * (v[3:] + np.cross(v[:3], c)))


def momentum_of_origin(m, c, I_C, v):
    return join(I_C @ v[:3] + np.cross(c, m * v[3:]), m * v[3:])


def away_from_center(m, c, I_C, v):
    h = m * (v[3:] - np.cross(v[:3], c))
    return join(I_C @ v[:3] + np.cross(c, h), h)


momentum_of_body = Exercise(
    name="4.1 the momentum of a body",
    inputs=lambda rng: (*some_body(rng), rng.normal(size=6)),
    expected=lambda m, c, I_C, v: body_momentum(m, c, I_C, v),
    mistakes=(
        (
            twice_the_shift,
            "This takes the inertia about the origin, I_O, and adds the moment c x m v_C: the shift counts twice.",
        ),
        (about_center, "This is the angular momentum about the centre of mass: about the origin c x m v_C is added."),
        (
            lambda m, c, I_C, v: body_momentum(m, c, 0.0 * I_C, v),
            "This is one particle at the centre of mass: the intrinsic angular momentum I_C omega is missing.",
        ),
        (momentum_of_origin, "The linear momentum is m v_C, and v_O is the velocity of the point at the origin."),
        (away_from_center, "v_C = v_O + omega x c: check the sign."),
    ),
)


# ------------------------------------------------------------------------------------------------------- 4.2


def steiner(m, r):
    return m * (r @ r * np.eye(3) - np.outer(r, r))


def welded(m_A, c_A, I_A, m_B, c_B, I_B, share=None, sign=1.0):
    m = m_A + m_B
    c = (m_A * c_A + m_B * c_B) / m if share is None else share * c_A + (1.0 - share) * c_B
    return m, c, I_A + I_B + sign * (steiner(m_A, c_A - c) + steiner(m_B, c_B - c))


def only_sum(m_A, c_A, I_A, m_B, c_B, I_B):
    m, c, _ = welded(m_A, c_A, I_A, m_B, c_B, I_B)
    return m, c, I_A + I_B


def about_origin(m_A, c_A, I_A, m_B, c_B, I_B):
    m, c, _ = welded(m_A, c_A, I_A, m_B, c_B, I_B)
    return m, c, I_A + I_B + steiner(m_A, c_A) + steiner(m_B, c_B)


weld = Exercise(
    name="4.2 two bodies become one",
    inputs=lambda rng: (*some_body(rng), *some_body(rng)),
    expected=lambda m_A, c_A, I_A, m_B, c_B, I_B: welded(m_A, c_A, I_A, m_B, c_B, I_B),
    mistakes=(
        (only_sum, "Each part also moves on a circle about the common centre: parallel axes, m (r.r 1 - r r^T)."),
        (about_origin, "This is the inertia about the origin; asked is that about the common centre of mass."),
        (lambda *parts: welded(*parts, share=0.5), "The centre of mass is a mean with the masses as weights."),
        (
            lambda *parts: welded(*parts, sign=-1.0),
            "Away from the centre of mass the inertia grows: m (r.r 1 - r r^T) is added.",
        ),
    ),
)


# ------------------------------------------------------------------------------------------------------- 4.3


def body_acceleration(I, v, f, bias):
    return np.linalg.solve(I, f - bias)


acceleration_of_body = Exercise(
    name="4.3 the acceleration of a body",
    inputs=lambda rng: (some_inertia(rng), rng.normal(size=6), rng.normal(size=6)),
    expected=lambda I, v, f: body_acceleration(I, v, f, crf(v) @ I @ v),
    mistakes=(
        (
            lambda I, v, f: body_acceleration(I, v, f, 0.0),
            "That holds for a body at rest: the momentum I v of a body that moves also rides, which takes v x* I v.",
        ),
        (
            lambda I, v, f: body_acceleration(I, v, f, -crf(v) @ I @ v),
            "f = I a + v x* I v, so that the second term goes to the left with a minus.",
        ),
        (
            lambda I, v, f: body_acceleration(I, v, f, -crf(v).T @ I @ v),
            "Momentum is a force vector: its product with v is v x*, not v x.",
        ),
        (
            lambda I, v, f: body_acceleration(
                I, v, f, join(np.cross(v[:3], (I @ v)[:3]), np.cross(v[:3], (I @ v)[3:]))
            ),
            "The lower part of v counts too: v x* has v_O x in its upper right corner.",
        ),
    ),
)


# ------------------------------------------------------------------------------------------------------- 4.4


inertia_between = Exercise(
    name="4.4 the relative inertia",
    inputs=lambda rng: (some_inertia(rng), some_inertia(rng)),
    expected=lambda I_A, I_B: np.linalg.inv(np.linalg.inv(I_A) + np.linalg.inv(I_B)),
    mistakes=(
        (lambda I_A, I_B: I_A + I_B, "The sum is for bodies that are joined. Here each has its own acceleration."),
        (
            lambda I_A, I_B: np.linalg.inv(I_A) + np.linalg.inv(I_B),
            "This maps the force to the relative acceleration: asked is its inverse.",
        ),
        (
            lambda I_A, I_B: I_A @ I_B @ np.linalg.inv(I_A + I_B),
            "For numbers this is the same; matrices do not commute. In this form it is I_A (I_A + I_B)^-1 I_B.",
        ),
        (
            lambda I_A, I_B: np.linalg.inv(np.linalg.inv(I_B) - np.linalg.inv(I_A)),
            "B pushes A back: a_A = -I_A^-1 f, so that the inverses add up.",
        ),
    ),
)
