"""Momentum and inertia: one answer for each exercise."""

import numpy as np

from pluecker.course import velocity_at
from pluecker.spatial import (
    body_momentum,
    cross_force,
    inertia_parameters,
    inverse_inertia,
    relative_inertia,
    spatial_inertia,
)


def momentum_of_body(m, c, I_C, v):
    """[I_C w + c x m v_C; m v_C]"""
    p = m * velocity_at(v, c)
    return np.concatenate([I_C @ v[:3] + np.cross(c, p), p])


def weld(m_A, c_A, I_A, m_B, c_B, I_B):
    """The 6 x 6 inertias add up"""
    return inertia_parameters(spatial_inertia(m_A, c_A, I_A) + spatial_inertia(m_B, c_B, I_B))


def acceleration_of_body(I, v, f):
    """I a = f - v x* I v"""
    return inverse_inertia(I) @ (f - cross_force(v, body_momentum(I, v)))


def inertia_between(I_A, I_B):
    """(I_A^-1 + I_B^-1)^-1"""
    return relative_inertia(I_A, I_B)
