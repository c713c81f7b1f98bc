"""Quaternions against mpmath, finite differences, SciPy, and the matrices that the literature prints."""

import mpmath
import numpy as np
import pytest
from scipy.spatial import transform

from pluecker.spatial import (
    angular_velocity_matrix,
    exp3,
    exp6,
    from_scipy,
    placement,
    position_rate_matrix,
    quaternion_conjugate,
    quaternion_derivative,
    quaternion_exp,
    quaternion_from_rotation,
    quaternion_inverse,
    quaternion_log,
    quaternion_normalize,
    quaternion_product,
    quaternion_rate_matrix,
    quaternion_rotate,
    quaternion_to_rotation,
    to_scipy,
    transform_from_placement,
)
from tests.spatial import precise
from tests.spatial.functions.test_lie import AXES
from tests.spatial.precise import ANGLES, BEYOND, EPS, error, exact, rounded

ULPS = 4.0


def same_rotation(p, q):
    """Return p or -p, the same rotation, whichever is nearer to q."""
    return p if np.dot(p, q) >= 0.0 else -p


@pytest.mark.parametrize("angle", ANGLES + BEYOND)
def test_the_exponential(angle):
    for u in AXES:
        a = list(exact(angle * u))
        t = mpmath.sqrt(sum(x * x for x in a))
        expected = [mpmath.cos(t / 2), *((mpmath.sin(t / 2) / t if t else mpmath.mpf(0.5)) * x for x in a)]
        assert error(quaternion_exp(angle * u), expected) < ULPS


@pytest.mark.parametrize("angle", ANGLES)
def test_the_logarithm_of_a_quaternion_as_it_is(angle):
    """Exact for the given doubles, whose length is not quite 1."""
    for u in AXES:
        p = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * u])
        w, *v = exact(p)
        s = mpmath.sqrt(sum(x * x for x in v))
        expected = [(2 * mpmath.atan2(s, w) / s if s else 2) * x for x in v]
        assert error(quaternion_log(p), expected) < ULPS
        np.testing.assert_array_equal(quaternion_log(-p), quaternion_log(p))


@pytest.mark.parametrize("size", [1.0, 3.0, 1e-150, 1e150, 1e-300, 1e300])
def test_a_quaternion_times_its_inverse_is_one(size):
    """Exactly as in fifty digits, of any length; the inverse of a unit quaternion is its conjugate."""
    rng = np.random.default_rng(1)
    for p in size * rng.normal(size=(20, 4)):
        square = sum(x * x for x in exact(p))
        expected = [sign * x / square for sign, x in zip((1, -1, -1, -1), exact(p), strict=True)]
        assert error(quaternion_inverse(p), expected) < ULPS
    batch = rng.normal(size=(3, 1, 4))
    np.testing.assert_allclose(
        quaternion_product(batch, quaternion_inverse(batch)), np.tile([1.0, 0, 0, 0], (3, 1, 1)), rtol=0, atol=4 * EPS
    )
    with pytest.raises(ValueError, match="quaternion_inverse: a quaternion of length zero has no inverse"):
        quaternion_inverse(np.zeros((2, 4)))


def test_turning_a_vector_is_the_matrix_and_the_product():
    rng = np.random.default_rng(2)
    p, x = quaternion_exp(rng.normal(size=(50, 3))), rng.normal(size=(50, 3))
    turned = quaternion_rotate(p, x)
    pure = np.concatenate([np.zeros((50, 1)), x], axis=-1)
    product = quaternion_product(quaternion_product(p, pure), quaternion_conjugate(p))
    np.testing.assert_allclose(turned, product[:, 1:], rtol=0, atol=16 * EPS)
    np.testing.assert_allclose(turned, transform.Rotation.from_quat(np.roll(p, -1, -1)).apply(x), rtol=0, atol=16 * EPS)
    np.testing.assert_allclose(quaternion_rotate(quaternion_inverse(p), turned), x, rtol=0, atol=16 * EPS)
    assert quaternion_rotate(p[:5, None], x[:7]).shape == (5, 7, 3)
    with pytest.raises(ValueError, match="quaternion_rotate: a quaternion is not of unit length"):
        quaternion_rotate([2.0, 0, 0, 0], x)


@pytest.mark.parametrize("angle", ANGLES + BEYOND)
def test_to_a_matrix_and_back(angle):
    for u in AXES:
        p = quaternion_exp(angle * u)
        R = precise.rotation_from_quaternion(list(exact(p)))
        assert error(quaternion_to_rotation(p), list(R)) < ULPS
        back = quaternion_from_rotation(rounded(R))
        assert back[0] >= 0.0
        n = mpmath.sqrt(sum(x * x for x in exact(p)))
        assert error(same_rotation(back, p), [x / n for x in exact(p)]) < ULPS


def test_a_matrix_whose_quaternion_has_any_largest_component():
    for k in range(4):
        for sign in (1.0, -1.0):
            p = np.full(4, 0.2 * sign)
            p[k] = 0.9
            p /= np.linalg.norm(p)
            back = quaternion_from_rotation(quaternion_to_rotation(p))
            np.testing.assert_allclose(same_rotation(back, p), p, atol=4.0 * EPS)


def test_the_product_is_the_product_of_the_rotations():
    rng = np.random.default_rng(0)
    p, q = quaternion_normalize(rng.normal(size=(2, 50, 4)))
    expected = quaternion_to_rotation(p) @ quaternion_to_rotation(q)
    np.testing.assert_allclose(quaternion_to_rotation(quaternion_product(p, q)), expected, atol=8.0 * EPS)
    np.testing.assert_allclose(
        quaternion_product(p, quaternion_conjugate(p)), np.tile([1, 0, 0, 0], (50, 1)), atol=4.0 * EPS
    )


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-8, 1.0, 1e8, 1e300])
def test_normalizing_keeps_the_direction(size):
    p = np.array([0.1, -0.5, 0.7, 0.3])
    np.testing.assert_allclose(quaternion_normalize(size * p), p / np.linalg.norm(p), rtol=4.0 * EPS)


@pytest.mark.parametrize("frame", ["body", "world"])
def test_the_derivative_is_that_of_a_turning_body(frame):
    rng = np.random.default_rng(1)
    h = 1e-5
    for _ in range(10):
        p, w = quaternion_normalize(rng.normal(size=4)), rng.normal(size=3)

        def after(t, p=p, w=w):
            turn = quaternion_exp(t * w)
            return quaternion_product(p, turn) if frame == "body" else quaternion_product(turn, p)

        expected = (after(h) - after(-h)) / (2.0 * h)
        np.testing.assert_allclose(quaternion_derivative(p, w, frame), expected, atol=1e-9)


def test_rate_matrices():
    """dp/dt = Q w in the world, w = 2 G dp/dt in the body; G G^T = 1, G p = 0, E = G of one by Q of the other"""
    rng = np.random.default_rng(2)
    p, w = quaternion_normalize(rng.normal(size=(30, 4))), rng.normal(size=(30, 3))
    Q, G = quaternion_rate_matrix(p), angular_velocity_matrix(p)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", Q, w), quaternion_derivative(p, w, "world"), atol=4.0 * EPS)
    rate = quaternion_derivative(p, w)
    np.testing.assert_allclose(2.0 * np.einsum("bij,bj->bi", G, rate), w, atol=16.0 * EPS)
    np.testing.assert_allclose(0.5 * np.einsum("bji,bj->bi", G, w), rate, atol=4.0 * EPS)
    np.testing.assert_allclose(G @ np.swapaxes(G, 1, 2), np.tile(np.eye(3), (30, 1, 1)), atol=8.0 * EPS)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", G, p), np.zeros((30, 3)), atol=2.0 * EPS)
    np.testing.assert_allclose(
        2.0 * np.swapaxes(Q, 1, 2) @ np.swapaxes(G, 1, 2), quaternion_to_rotation(p), atol=8.0 * EPS
    )


def test_the_matrices_as_printed():
    s, x, y, z = p = np.array([0.5, 0.1, -0.7, 0.5])
    printed_Q = 0.5 * np.array([[-x, -y, -z], [s, z, -y], [-z, s, x], [y, -x, s]])
    printed_G = np.array([[-x, s, z, -y], [-y, -z, s, x], [-z, y, -x, s]])
    np.testing.assert_array_equal(quaternion_rate_matrix(p), printed_Q)
    np.testing.assert_array_equal(angular_velocity_matrix(p), printed_G)
    L = position_rate_matrix(p)
    np.testing.assert_array_equal(L[:3], np.eye(3, 6))
    np.testing.assert_array_equal(L[3:], np.hstack([np.zeros((4, 3)), 0.5 * printed_G.T]))


def test_scipy_means_the_same_rotation():
    rotations = transform.Rotation.random(40, random_state=0)
    p = from_scipy(rotations)
    np.testing.assert_allclose(quaternion_to_rotation(p), rotations.as_matrix(), atol=4.0 * EPS)
    np.testing.assert_allclose(quaternion_log(p), rotations.as_rotvec(), atol=16.0 * EPS)
    np.testing.assert_allclose(exp3(rotations.as_rotvec()), rotations.as_matrix(), atol=16.0 * EPS)
    np.testing.assert_allclose(from_scipy(to_scipy(p)), p, atol=4.0 * EPS)  # SciPy normalizes
    product = from_scipy(rotations * rotations[::-1])
    ours = quaternion_product(p, p[::-1])
    np.testing.assert_allclose(ours * np.sign(np.sum(ours * product, axis=1, keepdims=True)), product, atol=4.0 * EPS)


@pytest.mark.skipif(not hasattr(transform, "RigidTransform"), reason="this SciPy has no RigidTransform")
def test_scipy_means_the_same_placement():
    d = np.random.default_rng(3).normal(size=(10, 6))
    theirs = transform.RigidTransform.from_exp_coords(d)
    X = from_scipy(theirs)
    np.testing.assert_allclose(placement(X), exp6(d), atol=1e-14)
    np.testing.assert_allclose(to_scipy(X).as_matrix(), theirs.as_matrix(), atol=1e-14)
    one = transform_from_placement(exp6(d[0]))
    np.testing.assert_allclose(from_scipy(to_scipy(one)), one, atol=1e-15)


NOT_UNIT = [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [1.0 + 2e-6, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("p", NOT_UNIT)
@pytest.mark.parametrize(
    "function",
    [
        quaternion_log,
        quaternion_to_rotation,
        quaternion_rate_matrix,
        angular_velocity_matrix,
        position_rate_matrix,
        to_scipy,
    ],
)
def test_a_quaternion_of_another_length_is_refused(p, function):
    with pytest.raises(ValueError, match=r"unit length|has length"):
        function(p)
    with pytest.raises(ValueError, match=r"unit length"):
        quaternion_derivative(p, [1.0, 0.0, 0.0])


def test_other_refusals():
    with pytest.raises(ValueError, match=r"quaternion_normalize: a quaternion of length zero has no direction"):
        quaternion_normalize([[1.0, 0, 0, 0], [0, 0, 0, 0]])
    with pytest.raises(ValueError, match=r"quaternion_derivative: frame is 'space', expected one of 'body', 'world'"):
        quaternion_derivative([1.0, 0, 0, 0], [0, 0, 0], "space")
    with pytest.raises(TypeError, match=r"from_scipy: value is a list, expected a Rotation or a RigidTransform"):
        from_scipy([1.0, 0, 0, 0])
    with pytest.raises(ValueError, match=r"quaternion_from_rotation: R is not a rotation matrix"):
        quaternion_from_rotation(np.ones((3, 3)))
