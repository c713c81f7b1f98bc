"""Rates of change against the motion of bodies and points, differentiated in fifty digits."""

import mpmath
import numpy as np
import pytest

from pluecker.course import velocity_at
from pluecker.spatial import (
    acceleration_of_point,
    classical_acceleration,
    component_rate_of_force,
    component_rate_of_motion,
    derivative_of_force,
    derivative_of_motion,
    spatial_acceleration,
)
from tests.spatial import precise
from tests.spatial.precise import EPS, rounded

ULPS = 8.0
NOW = mpmath.mpf("0.7")


def rotation(t):
    return precise.about("x", t**2) * precise.about("z", mpmath.sin(2 * t)) * precise.about("y", mpmath.exp(-t))


def position(t):
    return mpmath.matrix([mpmath.cos(t), t**3 - 1, mpmath.exp(t) * t])


def derivative(function, t=NOW):
    """Return the derivative of a matrix-valued function at a time.

    By central differences of sixth order, in more digits than a double has.
    """
    h = mpmath.mpf(10) ** -6
    weights = {1: mpmath.mpf(3) / 4, 2: mpmath.mpf(-3) / 20, 3: mpmath.mpf(1) / 60}
    result = None
    for k, weight in weights.items():
        term = (function(t + k * h) - function(t - k * h)) * (weight / h)
        result = term if result is None else result + term
    return result


def velocity(t):
    """The spatial velocity of the body, in the coordinates of the fixed frame, from its placement"""
    W = derivative(rotation, t) * rotation(t).T
    w = mpmath.matrix([W[2, 1], W[0, 2], W[1, 0]])
    v = derivative(position, t) - W * position(t)
    return mpmath.matrix([*w, *v])


def transform(t, force=False):
    """X of the frame fixed in the body, from fixed to body coordinates; or X*"""
    E, r = rotation(t).T, position(t)
    X = mpmath.zeros(6)
    X[:3, :3] = X[3:, 3:] = E
    if force:
        X[:3, 3:] = -E * precise.skew(list(r))
    else:
        X[3:, :3] = -E * precise.skew(list(r))
    return X


def vector(t):
    """Some vector that changes, in fixed coordinates"""
    return mpmath.matrix([mpmath.sin(t), t**2, 1 / (1 + t), mpmath.cos(3 * t), t, mpmath.exp(-t)])


def assert_close(found, expected, size=None):
    expected = np.asarray(expected, dtype=float)
    atol = ULPS * EPS * (np.abs(expected).max() if size is None else size)
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)


# ---------------------------------------------------------------------------------------------------- moving coordinates


@pytest.mark.parametrize(
    ("force", "function", "back"),
    [
        (False, derivative_of_motion, component_rate_of_motion),
        (True, derivative_of_force, component_rate_of_force),
    ],
)
def test_the_derivative_of_a_vector_in_coordinates_that_move(force, function, back):
    X = transform(NOW, force)
    true_derivative = rounded(X * derivative(vector))
    components = rounded(X * vector(NOW))
    component_rate = rounded(derivative(lambda t: transform(t, force) * vector(t)))
    v_frame = rounded(transform(NOW) * velocity(NOW))
    size = np.abs(component_rate).max() + 4.0 * np.abs(v_frame).max() * np.abs(components).max()
    assert_close(function(component_rate, v_frame, components), true_derivative, size)
    assert_close(back(true_derivative, v_frame, components), component_rate, size)


# ---------------------------------------------------------------------------------------------------------- acceleration


def test_spatial_acceleration_is_the_derivative_of_spatial_velocity_and_gives_every_points_acceleration():
    v, a = rounded(velocity(NOW)), rounded(derivative(velocity))
    for fixed_in_body in ([0, 0, 0], [0.3, -0.2, 1.0], [-2.0, 5.0, 0.1]):
        b = mpmath.matrix(fixed_in_body)

        def path(t, b=b):
            return position(t) + rotation(t) * b

        P, speed = rounded(path(NOW)), rounded(derivative(path))
        second = rounded(derivative(lambda t, path=path: derivative(path, t)))
        size = (np.abs(a).max() + np.abs(v).max() ** 2) * (1.0 + np.abs(P).max())
        assert_close(velocity_at(v, P), speed, np.abs(v).max() * (1.0 + np.abs(P).max()))
        assert_close(acceleration_of_point(v, a, P), second, size)


def test_classical_acceleration_is_that_of_the_point_at_the_origin():
    v, a = rounded(velocity(NOW)), rounded(derivative(velocity))
    at_origin = -rotation(NOW).T * position(NOW)  # the body-fixed point that is there now
    second = rounded(derivative(lambda t: derivative(lambda s: position(s) + rotation(s) * at_origin, t)))
    classical = np.concatenate([a[:3], second])
    size = np.abs(a).max() + np.abs(v).max() ** 2
    assert_close(classical_acceleration(v, a), classical, size)
    assert_close(spatial_acceleration(v, classical), a, size)


def test_both_accelerations_lead_to_one_another():
    rng = np.random.default_rng(4)
    a, v = 10.0 ** rng.uniform(-6, 6, (2, 50, 6)) * rng.choice([-1, 1], (2, 50, 6))
    classical = classical_acceleration(v, a)
    size = np.abs(classical).max(-1, keepdims=True) + np.abs(a).max(-1, keepdims=True)
    assert (np.abs(spatial_acceleration(v, classical) - a) <= 4 * EPS * size).all()
    np.testing.assert_array_equal(classical[:, :3], a[:, :3])
    np.testing.assert_array_equal(classical[:, 3:], acceleration_of_point(v, a, np.zeros(3)))
