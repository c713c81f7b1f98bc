"""Orientation by the finite and by the infinitesimal update: how much a fast wheel lags behind its steering."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.articulated.stepping.motions import end
from tests.models import one_body

H = 0.01
pytestmark = pytest.mark.plain


@pytest.fixture(scope="module")
def wheel():
    """A wheel with equal moments, whose velocity stays as it is without forces: a step is the update alone."""
    return one_body("wheel", "spherical", 10.0, inertia=[0.3, 0.3, 0.3], name="wheel", gravity=(0, 0, 0))


def update(wheel, p, w, integrator):
    """The wheel after one step with this velocity."""
    return end(wheel, p, w, H, 1, integrator=integrator)[0]


@pytest.mark.parametrize("spin", [1.0, 10.0, 100.0])
def test_a_steered_wheel_lags_by_the_chord_that_its_update_goes(wheel, spin):
    """The wheel spins about its axle and turns with the car about the vertical: its angular velocity is beside the axle by
    the angle steering / spin, about which the axle goes on a circle, an arc of spin h in each step. The steering is a chord
    of it, by the finite update, sin x / x of what it should be with x = spin h / 2; by the infinitesimal one, which turns by
    2 atan x, it is 1 / sqrt(1 + x^2). For a slow wheel both are 1; the second lags three times as much as the first.
    """
    steering, steps = 1e-4 * spin, 50
    x = 0.5 * spin * H
    for integrator, expected in (("euler", np.sin(x) / x), ("euler_infinitesimal", 1.0 / np.sqrt(1.0 + x * x))):
        p = np.array([1.0, 0.0, 0.0, 0.0])
        for _ in range(steps):  # the vertical in the wheel's coordinates, in the middle of the step
            turned = Rotation.from_quat(p, scalar_first=True).as_matrix()
            axle = turned @ [0.0, 1.0, 0.0]
            w = turned.T @ (spin * axle + steering * np.array([0.0, 0.0, 1.0]))
            before, p = axle, update(wheel, p, w, integrator)
            axle = Rotation.from_quat(p, scalar_first=True).as_matrix() @ [0.0, 1.0, 0.0]
            assert np.linalg.norm(axle - before) == pytest.approx(expected * steering * H, rel=1e-3)


def test_the_finite_update_turns_a_wheel_by_its_angle_and_the_infinitesimal_one_by_less(wheel):
    spin, steps = 100.0, 20
    for integrator, angle in (("euler", spin * H), ("euler_infinitesimal", 2.0 * np.arctan(spin * H / 2))):
        q, v = end(wheel, [1.0, 0, 0, 0], [0.0, spin, 0.0], H, steps, integrator=integrator)
        turned = Rotation.from_quat(q, scalar_first=True) * Rotation.from_rotvec([0.0, -steps * angle, 0.0])
        np.testing.assert_allclose(v, [0.0, spin, 0.0], atol=1e-13)
        assert turned.magnitude() < 1e-13 * steps
    assert steps * (spin * H - 2.0 * np.arctan(spin * H / 2)) > 1.4  # rad, of 20


def test_both_updates_follow_a_slow_motion(wheel):
    w = np.array([0.1, -0.2, 0.3])
    p = Rotation.from_rotvec([0.5, 0.2, -0.1]).as_quat(scalar_first=True)
    one, other = (update(wheel, p, w, name) for name in ("euler", "euler_infinitesimal"))
    assert 1e-10 < np.abs(one - other).max() < (np.linalg.norm(w) * H) ** 3 / 24
    assert abs(np.linalg.norm(other) - 1.0) < 4e-16
