"""Redundant contacts in the dense kernel press like equal springs, which in the convex law is the smallest solution."""

import numpy as np
import pytest

from pluecker.contact.friction.dense import augmented_newton, cone_problem
from tests.conftest import COMPILED
from tests.contact.friction.dense.test_cone_problem import assert_coulomb, box, solved

pytestmark = pytest.mark.plain

COMPLIANCE = cone_problem.COMPLIANCE
# Error that Newton's method leaves in how multipliers are shared, relative to the velocities without them
LEFT = cone_problem.SHARED / COMPLIANCE
# Error of the multipliers where rounding of the velocities meets the softest springs
ROUNDED = augmented_newton.ROUNDING / cone_problem.SOFTEST
CORNERS = np.array([(1.0, x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
AXES = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def stack(seed, boxes, ratio=1.0, speed=0.3):
    """W and b of cubes on top of one another, four contacts between two, which move at random."""
    rng = np.random.default_rng(seed)
    J, row = np.zeros((12 * boxes, 6 * boxes)), 0
    for k in range(boxes):
        for _, x, y in CORNERS:
            for body, z, sign in ((k, -0.5, 1.0), (k - 1, 0.5, -1.0)):
                if body >= 0:
                    arm = np.hstack([np.cross([x, y, z], AXES), AXES])
                    J[row : row + 3, 6 * body : 6 * body + 6] = sign * arm
            row += 3
    M = np.concatenate([[m / 6] * 3 + [m] * 3 for m in np.exp(rng.uniform(0.0, np.log(ratio), boxes))])
    v = np.tile([0, 0, 0, 0, 0, -0.0981], boxes) + speed * rng.normal(size=6 * boxes)
    W = J / M @ J.T
    return 0.5 * (W + W.T), J @ v


def scales(W):
    """The root of the mean diagonal of each contact."""
    return np.repeat(np.sqrt(np.diag(W).reshape(-1, 3).mean(axis=1)), 3)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_the_four_corners_of_a_cube_carry_the_same(mu, exact):
    W, J = box(0.0)
    r, _, error, _ = solved(W, J @ np.array([0, 0, 0, 0, 0, -1.0]), [0] * 4, [mu] * 4, exact, 1e-10)
    assert error <= 1e-10
    np.testing.assert_allclose(r[0::3], 0.5, rtol=0.0, atol=LEFT)  # 2 kg m/s in all


@pytest.mark.parametrize("exact", [True, False])
def test_contacts_that_stick_have_the_smallest_multipliers(exact):
    W, J = box()
    b = J @ np.array([0.01, -0.02, 0.01, 0.05, 0.1, -1.0])
    r, _, _, _ = solved(W, b, [0] * 4, [0.9] * 4, exact, 1e-12)
    d = scales(W)
    smallest = np.linalg.lstsq(W / np.outer(d, d), -b / d, rcond=1e-10)[0] / d
    np.testing.assert_allclose(r, smallest, rtol=0.0, atol=10 * LEFT * np.abs(r).max())


def test_contacts_that_slide_in_the_convex_law_have_the_smallest_multipliers():
    W, J = box(0.0)
    for aside in (0.0, 0.3, 1.0):  # without spin: nearly parallel rays would have one solution, far away
        v = np.array([0, 0, 0, 3.0, aside, -1.0])
        r, u, error, _ = solved(W, J @ v, [0] * 4, [0.3] * 4, False, 1e-12)
        assert error <= 1e-12
        d = scales(W)
        B = np.zeros((12, 4))  # the rays that the velocities leave to the multipliers
        for k in range(4):
            t = u[3 * k + 1 : 3 * k + 3] / np.linalg.norm(u[3 * k + 1 : 3 * k + 3])
            B[3 * k : 3 * k + 3, k] = np.array([1.0, *(-0.3 * t)])
        # The least |d B n| of all with W B n = u - b: by the equations of Lagrange.
        A = W @ B
        K = np.block([[B.T @ (d[:, None] ** 2 * B), A.T], [A, np.zeros((12, 12))]])
        n = np.linalg.lstsq(K, np.concatenate([np.zeros(4), u - J @ v]), rcond=1e-10)[0][:4]
        assert (n > 0.0).all()
        np.testing.assert_allclose(r, B @ n, rtol=0.0, atol=100 * COMPLIANCE * np.abs(r).max())


def test_contacts_that_slide_in_the_exact_law_press_like_equal_springs():
    W, J = box(0.0)
    for seed in range(4):
        v = np.array([0, 0, 0, 3.0, 0, -1.0]) + 0.1 * np.random.default_rng(seed).normal(size=6)
        b = J @ v
        r, u, error, _ = solved(W, b, [0] * 4, [0.3] * 4, True, 1e-12)
        assert error <= 1e-12
        assert_coulomb(W, b, [0.3] * 4, r, u, 1e-10)
        # Springs under a rigid face: what they press is a linear function of the place.
        n = r[0::3]
        plane = CORNERS @ np.linalg.lstsq(CORNERS, n, rcond=None)[0]
        assert (n > 0.0).all()
        np.testing.assert_allclose(n, plane, rtol=0.0, atol=10 * COMPLIANCE * n.max())


@pytest.mark.parametrize("exact", [True, False])
def test_what_makes_no_velocities_stays_as_it_was_at_the_start(exact):
    W, J = box()
    b = J @ np.array([0.01, -0.02, 0.01, 0.05, 0.1, -1.0])
    start, _, _, _ = solved(W, b, [0] * 4, [0.9] * 4, exact, 1e-12)
    d = scales(W)
    values, vectors = np.linalg.eigh(W / np.outer(d, d))
    nothing = vectors[:, values < 1e-10 * values[-1]]
    assert nothing.shape[1] == 6
    start += 0.02 * nothing @ np.ones(6) / d
    r, _, error, _ = solved(W, 1.01 * b, [0] * 4, [0.9] * 4, exact, 1e-10, start=start)
    assert error <= 1e-10
    assert np.abs(r - start).max() > 1e-3 * np.abs(r).max()
    np.testing.assert_allclose(nothing.T @ (d * (r - start)), 0.0, rtol=0.0, atol=10 * LEFT * np.abs(d * r).max())


@pytest.mark.parametrize("ratio", [1.0, 1e4])
def test_the_convex_law_is_reached_in_stacks(ratio):
    for seed, boxes in enumerate((1, 2, 3, 5, 8, 10) if COMPILED else (1, 2)):
        W, b = stack(seed, boxes, ratio)
        kinds, laws = [0] * 4 * boxes, [0.5 if ratio == 1.0 else 100.0] * 4 * boxes
        _, _, error, _ = solved(W, b, kinds, laws, False, ROUNDED, 7)
        assert error <= ROUNDED
