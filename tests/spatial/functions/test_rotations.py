"""Rotations and finite motions: against SciPy, and against the matrix exponential; next to zero and next to pi too.

Users have these kernels in functions of arrays, which ``test_lie.py`` and ``test_quaternions.py`` test compiled, and in
joints and springs: here they run in plain Python on each change, and each compiled for itself before a release.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from pluecker.spatial.algebra import motions, rotations
from tests.conftest import EVERYTHING
from tests.spatial import matrices as mat

pytestmark = pytest.mark.plain
ANGLES = [0.0, 1e-160, 1e-12, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3, 9.9e-4, 0.1, 0.49999, 0.5, 0.50001, 1.0, 2.0, 3.0]
NEAR_PI = [np.pi - 1e-3, np.pi - 1e-6, np.pi - 1e-9]


def direction(seed):
    u = np.random.default_rng(seed).normal(size=3)
    return u / np.linalg.norm(u)


def to_scipy(p):
    return Rotation.from_quat([p[1], p[2], p[3], p[0]])


@pytest.mark.parametrize("angle", [*ANGLES, *NEAR_PI, np.pi, -2.0, 10.0])
def test_rotation_from_axis_and_angle_is_scipys_transposed(angle):
    u = direction(1)
    E = np.reshape(rotations.rotation_from_axis_angle(tuple(u), angle), (3, 3))
    np.testing.assert_allclose(E, Rotation.from_rotvec(angle * u).as_matrix().T, atol=4e-16)


@pytest.mark.parametrize("scale", [1.0, 1.0 + 1e-7, 0.5], ids=["unit", "nearly unit", "half"])
def test_rotation_from_quaternion_is_scipys_transposed_whatever_its_length(scale):
    p = np.random.default_rng(2).normal(size=4)
    p /= np.linalg.norm(p)
    E = np.reshape(rotations.rotation_from_quaternion(tuple(scale * p)), (3, 3))
    np.testing.assert_allclose(E, to_scipy(p).as_matrix().T, atol=4e-16)
    np.testing.assert_allclose(E @ E.T, np.eye(3), atol=6e-16)


def test_quaternion_product_composes_turns():
    rng = np.random.default_rng(3)
    p, q = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 4)))
    product = rotations.quaternion_product(tuple(p), tuple(q))
    expected = (to_scipy(p) * to_scipy(q)).as_matrix()
    np.testing.assert_allclose(to_scipy(product).as_matrix(), expected, atol=1e-15)


@pytest.mark.parametrize("angle", [*ANGLES, *NEAR_PI])
def test_quaternion_of_a_rotation_vector_is_the_half_angle(angle):
    u = direction(4)
    p = np.array(rotations.quaternion_from_rotation_vector(tuple(angle * u)))
    np.testing.assert_allclose(p[0], np.cos(angle / 2), rtol=0.0, atol=5e-16)  # the rounding of the angle
    np.testing.assert_allclose(p[1:], np.sin(angle / 2) * u, rtol=1e-15, atol=1e-320)


@pytest.mark.parametrize("angle", [*ANGLES, *NEAR_PI])
@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["p", "-p"])
def test_logarithm_of_a_quaternion_gives_the_rotation_vector_back(angle, sign):
    a = angle * direction(5)
    p = sign * np.array(rotations.quaternion_from_rotation_vector(tuple(a)))
    back = np.array(rotations.rotation_vector_from_quaternion(tuple(p)))
    # Next to pi the sign of cos(t/2) decides the direction; up to there the turn is what it was.
    np.testing.assert_allclose(back, a, rtol=4e-15, atol=1e-320)


def twist_matrix(a, b):
    T = np.zeros((4, 4))
    T[:3, :3], T[:3, 3] = mat.skew(a), b
    return T


@pytest.mark.parametrize("angle", ANGLES)
def test_translation_of_a_twist_is_that_of_the_matrix_exponential(angle):
    a, b = angle * direction(6), np.array([0.3, -2.0, 1.1])
    expected = expm(twist_matrix(a, b))[:3, 3]
    np.testing.assert_allclose(motions.translation_from_twist(tuple(a), tuple(b)), expected, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("angle", [*ANGLES, *NEAR_PI])
def test_twist_and_translation_are_inverse_to_each_other(angle):
    a, b = angle * direction(7), np.array([0.3, -2.0, 1.1])
    p = motions.translation_from_twist(tuple(a), tuple(b))
    np.testing.assert_allclose(motions.twist_from_translation(tuple(a), p), b, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("angle", [1e-9, 1e-3, 0.1, 0.49, 0.51, 1.5, 2.5] if EVERYTHING else [1e-9, 0.49, 0.51, 2.5])
def test_logarithm_transpose_is_the_derivative_of_the_logarithm(angle):
    d = np.concatenate([angle * direction(8), [0.4, -0.7, 0.2]])
    T = expm(twist_matrix(d[:3], d[3:]))
    h, J = 1e-5, np.zeros((6, 6))
    for k, e in enumerate(np.eye(6)):
        step = twist_matrix(h * e[:3], h * e[3:])
        ends = [logm(T @ expm(s * step)).real for s in (1.0, -1.0)]
        D = (ends[0] - ends[1]) / (2 * h)
        J[:, k] = [D[2, 1], D[0, 2], D[1, 0], *D[:3, 3]]
    f = np.random.default_rng(9).normal(size=6)
    found = mat.flat(motions.logarithm_transpose(mat.motion(d), mat.motion(f)))
    np.testing.assert_allclose(found, J.T @ f, rtol=1e-8, atol=1e-8)  # h^2 and rounding / h


@given(st.floats(-8, 0), st.integers(0, 10**6))
def test_series_and_closed_forms_of_the_logarithms_derivative_agree(exponent, seed):
    """The two branches must meet at t = 1/2 +- 10^exponent: f changes no faster than its derivative allows."""
    u, f = direction(seed), mat.motion(np.random.default_rng(seed).normal(size=6))
    step = 10.0**exponent * 1e-3
    below, above = (
        mat.flat(motions.logarithm_transpose((tuple((0.5 + s * step) * u), (0.2, 0.5, -0.3)), f)) for s in (-1, 1)
    )
    assert np.abs(above - below).max() <= 40 * step + 1e-14
