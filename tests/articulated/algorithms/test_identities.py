"""Laws that tie the results to one another, on mechanisms and states that Hypothesis draws: those near singularities too.

Each tolerance is some hundred units in the last place of what the compared numbers are sums of: of the largest entry of the
Jacobian of all bodies, times the distance over which velocities and forces are shifted, times what it is multiplied by.
"""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from pluecker.articulated import (
    body_accelerations,
    body_jacobian,
    body_jacobian_dot,
    body_jacobian_transpose_times,
    body_velocities,
    coriolis_matrix,
    crba,
    forward_kinematics,
    frame_placement,
    frame_velocity,
    inertia_matrix_rate,
    jacobian,
    kinetic_energy,
    minv,
    momentum,
    rnea,
    strategies,
)
from tests.articulated.algorithms.momentum.test_momentum import by_bodies
from tests.articulated.model.test_turns import KINDS, SPHERICAL, Motion, tree
from tests.conftest import COMPILED
from tests.mechanisms import body_inertias

EPS = np.finfo(float).eps
TINY = 1e-300  # products of velocities of 1e-159 have few digits, or none
FEW = settings(max_examples=60 if COMPILED else 10)
BODIES = st.integers(0, 100)
POINTS = st.tuples(*[st.floats(-10.0, 10.0, allow_subnormal=False)] * 3).map(np.array)
TURNING = {kind: tree(kind) for kind in KINDS}


def close(found, expected, size):
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=300 * EPS * size + TINY)


def reach(model, q):
    """Return the largest coordinate of a body's origin in the world, plus one metre."""
    return 1.0 + np.abs(forward_kinematics(model, q)[:, :3, 3]).max(initial=0.0)


def size_of_jacobian(model, q):
    """Return a bound on the Jacobian's entries after a shift over the whole mechanism."""
    return (1.0 + np.abs(body_jacobian(model, q)).max(initial=0.0)) * reach(model, q)


def shifted(J, p):
    """Motion vectors in columns, with the velocity of the point at p."""
    return np.concatenate([J[:3], J[3:] + np.cross(J[:3], p[:, None], axis=0)])


@FEW
@given(strategies.states(), BODIES, POINTS)
def test_changes_of_axes_and_of_points_are_transforms(state, number, point):
    model, q = state[:2]
    body = model.body_names[number % model.n_bodies]
    T, size = frame_placement(model, q, body), size_of_jacobian(model, q)
    R, p = T[:3, :3], T[:3, 3]
    own, aligned, world = (jacobian(model, q, body, axes=axes) for axes in ("body", "aligned", "world"))
    close(aligned, np.concatenate([R @ own[:3], R @ own[3:]]), size)
    close(world, shifted(aligned, -p), size * reach(model, q))
    far = size * (1.0 + np.abs(point).max())
    close(jacobian(model, q, body, point), shifted(own, point), far)
    close(jacobian(model, q, body, point, "aligned"), shifted(aligned, R @ point), far)


@FEW
@given(strategies.states(), BODIES, POINTS)
def test_velocities_are_jacobians_times_qd_and_power_is_the_same_in_joints_and_bodies(state, number, point):
    """v = J qd, and tau' qd = f' J qd"""
    model, q, v, _, _, f = state
    body = model.body_names[number % model.n_bodies]
    size = size_of_jacobian(model, q) * np.abs(v).sum()
    for axes in ("body", "aligned", "world"):
        at = None if axes == "world" else point
        far = reach(model, q) if at is None else 1.0 + np.abs(point).max()
        close(jacobian(model, q, body, at, axes) @ v, frame_velocity(model, q, v, body, at, axes), size * far)
    close(body_jacobian(model, q) @ v, body_velocities(model, q, v).ravel(), size)
    tau = body_jacobian_transpose_times(model, q, f)
    close(tau @ v, np.sum(f * body_velocities(model, q, v)), size * np.abs(f).sum())


@FEW
@given(strategies.states())
def test_the_inverse_times_the_inertia_matrix_is_one(state):
    model, q = state[:2]
    H = crba(model, q)
    close(minv(model, q) @ H, np.eye(model.nv), model.nv * np.linalg.cond(H) if model.nv else 1.0)


@FEW
@given(strategies.states())
def test_the_rate_of_the_inertia_matrix_is_the_coriolis_matrix_and_its_transpose(state):
    """Hdot = C + C', the same as that Hdot - 2 C is skew; and Hdot by another way, from H = J' M J."""
    model, q, v = state[:3]
    C, rate = coriolis_matrix(model, q, v), inertia_matrix_rate(model, q, v)
    M = scipy.linalg.block_diag(*body_inertias(model))
    half = body_jacobian_dot(model, q, v).T @ M @ body_jacobian(model, q)
    size = np.abs(M).max(initial=0.0) * model.n_bodies * size_of_jacobian(model, q) ** 2 * np.abs(v).sum()
    close(rate, half + half.T, size)
    close(C + C.T, rate, size)


@FEW
@given(strategies.states())
def test_momentum_is_the_sum_over_the_bodies(state):
    model, q, v = state[:3]
    inertia = sum(np.abs(I).sum() for I in body_inertias(model))
    size = inertia * size_of_jacobian(model, q) * np.abs(v).sum() * reach(model, q)
    close(momentum(model, q, v), by_bodies(model, q, v, None)[2], size)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=10 if COMPILED else 2)
@given(data=st.data())
def test_one_motion_is_the_same_in_all_coordinates_of_a_turn(kind, data):
    """Exponential coordinates and Euler angles against quaternions, next to gimbal lock and to half a turn too."""
    model, q, v, a, _, f = data.draw(strategies.states(TURNING[kind]))
    same = Motion.of(model, kind, q, v, a, f)
    close(forward_kinematics(model, q), forward_kinematics(SPHERICAL, same.q_w), reach(model, q))
    size = size_of_jacobian(SPHERICAL, same.q_w) * (np.abs(same.S).max() * np.abs(v).sum())
    close(body_velocities(model, q, v), body_velocities(SPHERICAL, same.q_w, same.v_w), size)
    found, expected = kinetic_energy(model, q, v), kinetic_energy(SPHERICAL, same.q_w, same.v_w)
    inertia = np.abs(crba(SPHERICAL, same.q_w)).max() * SPHERICAL.nv
    close(found, expected, inertia * (np.abs(same.S).max() * np.abs(v).sum()) ** 2)
    there = same.q_w, same.v_w, same.a_w
    speed = size_of_jacobian(SPHERICAL, same.q_w) * (
        np.abs(same.S).max() * np.abs(a).sum() + np.abs(same.bias).sum() + (np.abs(same.S).max() * np.abs(v).sum()) ** 2
    )
    close(body_accelerations(model, q, v, a), body_accelerations(SPHERICAL, *there), speed)
    force = size_of_jacobian(SPHERICAL, same.q_w) * (inertia * (10.0 + speed) + np.abs(f).sum())
    close(rnea(model, q, v, a, f), same.S.T @ rnea(SPHERICAL, *there, f), force)
