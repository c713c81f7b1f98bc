"""Motions that are known in closed form, or from equations that share nothing with the library's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import ellipk

from pluecker.articulated import Model, ModelBuilder
from tests.articulated.stepping.motions import end, states
from tests.models import one_body

G = 9.81


def rod(joint: str, length: float = 0.5, moment: float = 0.1, **options) -> Model:
    """A body of 1 kg whose centre is below its joint"""
    return one_body("rod", joint, 1.0, (0, 0, -length), [moment] * 3, joint="joint", **options, name="rod")


@pytest.mark.parametrize(("integrator", "order", "error"), [("rk4", 4, 1e-4), ("variational", 2, 5e-2)])
def test_a_pendulum_of_large_amplitude_swings_in_the_elliptic_period(integrator, order, error):
    """T = 4 K(sin^2(a/2)) sqrt(I / (m g l)): it is back where it was, and the error has the method's order"""
    amplitude = np.radians(150.0)
    T = 4.0 * ellipk(np.sin(0.5 * amplitude) ** 2) * np.sqrt((0.1 + 0.25) / (G * 0.5))
    model, errors = rod("revolute", axis=(0, 1, 0)), []
    for n in (100, 200):
        q, v = end(model, [amplitude], [0.0], T / n, n, integrator=integrator)
        errors.append(max(abs(q[0] - amplitude), abs(v[0])))
    assert errors[0] < error
    assert np.log2(errors[0] / errors[1]) > order - 0.3


def test_a_damped_spring_decays_as_its_characteristic_equation_says():
    m, k, d, x0 = 2.0, 50.0, 1.2, 0.3
    model = one_body("mass", "prismatic", m, axis=(1, 0, 0), stiffness=k, damping=d, gravity=(0, 0, 0))
    decay, omega, t = d / (2 * m), np.sqrt(k / m - (d / (2 * m)) ** 2), 2.0
    expected = x0 * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    for integrator, error in (("rk4", 1e-7), ("dormand_prince", 1e-8), ("variational", 1e-3)):
        q, _ = end(model, [x0], [0.0], 0.01, 200, integrator=integrator)
        assert q[0] == pytest.approx(expected, abs=error)


# ------------------------------------------------------------------------------------------------------------ heavy tops

MASS, LENGTH, ACROSS, ALONG = 1.0, 0.1, 0.002, 0.001  # moments about the centre
TIP = ACROSS + MASS * LENGTH**2  # across the axis, about the tip


def top(joint: str) -> Model:
    return one_body("top", joint, MASS, (0, 0, LENGTH), [ACROSS, ACROSS, ALONG], joint="tip", name="top")


@pytest.mark.parametrize(("integrator", "order"), [("rk4", 4), ("variational", 2)])
def test_a_heavy_top_precesses_steadily(integrator, order):
    """I cos(a) W^2 - I3 w3 W + m g l = 0, with a the tilt, W the precession, w3 the spin about the axis"""
    tilt, spin, h, steps = 0.6, 250.0, 5e-4, 200
    a, b, c = TIP * np.cos(tilt), -ALONG * spin, MASS * G * LENGTH
    W = (-b - np.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
    start = Rotation.from_rotvec([tilt, 0.0, 0.0])
    axis = start.as_matrix()[:, 2]
    vertical = start.as_matrix().T @ [0.0, 0.0, 1.0]
    w = W * vertical
    w[2] = spin
    q, v = end(top("spherical"), start.as_quat(scalar_first=True), w, h, steps, integrator=integrator)
    expected = Rotation.from_rotvec([0.0, 0.0, W * h * steps]).as_matrix() @ axis
    found = Rotation.from_quat(q, scalar_first=True).as_matrix()[:, 2]
    # in each step the error is (w h)^(order + 1), of the share that precession has of the motion
    assert np.linalg.norm(found - expected) < W * h * steps * (spin * h) ** order
    assert v[2] == pytest.approx(spin, rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(("share", "sleeps"), [(1.1, True), (0.9, False)])
def test_a_top_sleeps_above_its_threshold_only(share, sleeps):
    """Upright, it is stable if (I3 w3)^2 > 4 I m g l"""
    spin = share * np.sqrt(4.0 * TIP * MASS * G * LENGTH) / ALONG
    model, start = top("spherical"), Rotation.from_rotvec([1e-4, 0.0, 0.0])
    motion = states(model, start.as_quat(scalar_first=True), [0.0, 0.0, spin], 1e-3, 4000, integrator="rk4")
    heights = Rotation.from_quat(motion.q, scalar_first=True).as_matrix()[:, 2, 2]
    largest = float(np.arccos(min(heights.min(), 1.0)))
    assert largest < 1e-3 if sleeps else largest > 0.3


# ------------------------------------------------------------------------------------------------------- double pendulum


def textbook_double_pendulum(x: np.ndarray, h: np.longdouble, steps: int) -> np.ndarray:
    """Two point masses on massless rods of 1 m and 0.7 m, 1 kg and 0.5 kg, angles from the vertical, by RK4 in 80 bits"""
    m1, m2, l1, l2, g = (np.longdouble(s) for s in ("1", "0.5", "1", "0.7", "9.81"))

    def rate(x):
        a, b, u, w = x
        s, c = np.sin(a - b), np.cos(a - b)
        # mass matrix [[M l1^2, m2 l1 l2 c], [m2 l1 l2 c, m2 l2^2]]
        M = m1 + m2
        p = -m2 * l1 * l2 * s * w * w - M * g * l1 * np.sin(a)
        r = m2 * l1 * l2 * s * u * u - m2 * g * l2 * np.sin(b)
        A, B, D = M * l1 * l1, m2 * l1 * l2 * c, m2 * l2 * l2
        det = A * D - B * B
        return np.array([u, w, (D * p - B * r) / det, (A * r - B * p) / det])

    x = x.astype(np.longdouble)
    for _ in range(steps):
        k1 = rate(x)
        k2 = rate(x + h / 2 * k1)
        k3 = rate(x + h / 2 * k2)
        k4 = rate(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x


@pytest.mark.slow
def test_a_double_pendulum_agrees_to_twelve_digits_with_the_textbook():
    builder = ModelBuilder("double pendulum")
    for k, (mass, length, mount) in enumerate(((1.0, 1.0, 0.0), (0.5, 0.7, -1.0))):
        builder.add_body(f"rod{k}", mass=mass, center_of_mass=(0, 0, -length), inertia=[0.0] * 3)
        parent = "world" if k == 0 else "rod0"
        builder.add_joint(f"hinge{k}", "revolute", parent, f"rod{k}", axis=(0, -1, 0), position=(0, 0, mount))
    model = builder.build()
    a, b = 2.0, 1.0
    exact = textbook_double_pendulum(np.array([a, b, 0.0, 0.0]), np.longdouble(1) / 5000, 10000)
    q, v = end(model, [a, b - a], [0.0, 0.0], 0.1, 20, integrator="dormand_prince", tol=1e-14)
    found = np.array([q[0], q[0] + q[1], v[0], v[0] + v[1]])
    np.testing.assert_allclose(found, exact.astype(float), rtol=0.0, atol=1e-12 * np.abs(exact).max())
