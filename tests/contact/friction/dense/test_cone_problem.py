"""Small problems of contacts and rows: what laws of friction and staircases ask for, written out here; Clarabel.

Users meet this solver inside of a step alone, on matrices that a mechanism makes: here it has the matrices that are hard.
"""

import numpy as np
import pytest

from pluecker.contact.friction.dense.cone_problem import cone_problem_memory, solve_cone_problem
from tests.conftest import COMPILED
from tests.contact.random_friction import as_random, clarabel_solution

pytestmark = pytest.mark.plain

EPS = np.finfo(float).eps
INF = np.inf
BILATERAL, ABOVE = [INF, 0.0, -INF], [INF, 0.0, 0.0]  # l_0, p_1, l_1: any multiplier; none that pulls


def solved(W, b, kinds, laws, exact=True, tolerance=1e-10, iterations=1000, start=None):
    """r, u, the error, iterations."""
    W, b, laws = (np.array(x, float) for x in (W, b, laws))
    r = np.zeros(len(b)) if start is None else np.array(start, float)
    error, work = np.empty(1), np.full(cone_problem_memory(len(b), len(laws)), np.nan)
    kinds = np.array(kinds, np.int64).view(float)
    with np.errstate(all="ignore"):
        count = solve_cone_problem(W.ravel(), b, kinds, laws, exact, tolerance, iterations, r, error, work)
        return r, W @ r + b, error[0], count


def feet(seed, contacts, mass=10.0):
    """W and b of a body on legs of three joints each, all of whose feet touch."""
    rng = np.random.default_rng(seed)
    nv = 6 + 3 * contacts
    A = rng.normal(size=(nv, nv))
    H = np.diag([0.3] * 3 + [mass] * 3 + [0.1] * (3 * contacts)) + 0.02 * A @ A.T
    J = np.zeros((3 * contacts, nv))
    axes = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    for k in range(contacts):
        p = np.array([0.3 * np.cos(2.4 * k), 0.3 * np.sin(2.4 * k), -0.4])
        J[3 * k : 3 * k + 3, :6] = np.hstack([np.cross(p, axes), axes])
        J[3 * k : 3 * k + 3, 6 + 3 * k : 9 + 3 * k] = 0.3 * rng.normal(size=(3, 3))
    v = 0.3 * rng.normal(size=nv)
    v[5] -= 0.3
    W = J @ np.linalg.solve(H, J.T)
    return 0.5 * (W + W.T), J @ v


def box(angle=0.3):
    """W and J of a box of 2 kg that stands on its four corners: twelve rows of rank six."""
    rows = []
    c, s = np.cos(angle), np.sin(angle)
    axes = np.array([[0.0, 0.0, 1.0], [c, s, 0.0], [-s, c, 0.0]])
    for x in (-0.5, 0.5):
        for y in (-0.5, 0.5):
            rows.append(np.hstack([np.cross([x, y, -0.5], axes), axes]))
    J = np.vstack(rows)
    return J / np.array([1 / 3] * 3 + [2.0] * 3) @ J.T, J


def hinge_chain(bodies, ratio):
    """W and J of bars of 1 m that hang from one another, three rows a joint; the last is ``ratio`` times as heavy."""
    J = np.zeros((3 * bodies, 6 * bodies))
    for k in range(bodies):
        for body, end, sign in ((k, 0.5, 1.0), (k - 1, -0.5, -1.0)):
            if body >= 0:
                arm = np.array([0.0, 0.1 * end, end])
                J[3 * k : 3 * k + 3, 6 * body : 6 * body + 3] = sign * np.cross(arm, np.eye(3))
                J[3 * k : 3 * k + 3, 6 * body + 3 : 6 * body + 6] = sign * np.eye(3)
    mass = np.ones(bodies)
    mass[-1] = ratio
    M = np.concatenate([[m / 12] * 3 + [m] * 3 for m in mass])
    W = J / M @ J.T
    return 0.5 * (W + W.T), J


def assert_coulomb(W, b, mu, r, u, tolerance):
    """Signorini's condition and Coulomb's law of each contact, in units of the largest multiplier and velocity."""
    R, U = np.abs(r).max() or 1.0, np.abs(b).max()
    for k, f in enumerate(mu):
        rn, rt, un, ut = r[3 * k], r[3 * k + 1 : 3 * k + 3], u[3 * k], u[3 * k + 1 : 3 * k + 3]
        assert rn >= -tolerance * R
        assert un >= -tolerance * U
        assert min(rn / R, un / U) <= tolerance
        assert np.linalg.norm(rt) <= f * rn + tolerance * R
        assert abs(f * rn * np.linalg.norm(ut) + rt @ ut) <= tolerance * R * U * (1.0 + f)


def assert_staircase(law, r, u, tolerance):
    """r is the level between the steps where u is, or between two levels where u is a step."""
    levels, steps = law[0::2], [-p for p in law[1::2]]
    k = sum(u > step + tolerance for step in steps)  # steps that are left behind
    j = sum(u >= step - tolerance for step in steps)
    assert levels[j] - tolerance <= r <= levels[k] + tolerance


@pytest.mark.parametrize(
    ("b", "mu", "exact", "expected"),
    [
        ([-1.0, 3.0, 0.0], 0.5, True, [1.0, -0.5, 0.0]),  # slides
        ([-1.0, 0.3, 0.4], 0.6, True, [1.0, -0.3, -0.4]),  # sticks
        ([1.0, 3.0, 0.0], 0.5, True, [0.0, 0.0, 0.0]),  # parts
        ([-1.0, 3.0, 0.0], 0.0, True, [1.0, 0.0, 0.0]),  # without friction
        ([-1.0, 3.0, 4.0], 0.5, False, [2.8, -0.84, -1.12]),  # the nearest point of the cone: (1 + 0.5 * 5) / 1.25
        ([2.0, 3.0, 4.0], 0.5, False, [0.4, -0.12, -0.16]),  # the convex law pushes what slides and parts slowly
    ],
)
def test_one_contact_has_its_closed_form(b, mu, exact, expected):
    r, _, error, _ = solved(np.eye(3), b, [0], [mu], exact, 8 * EPS)
    assert error <= 8 * EPS
    np.testing.assert_allclose(r, expected, rtol=0.0, atol=32 * EPS * np.abs(b).max())


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("contacts", [1, 2, 4])
def test_feet_obey_the_laws_of_coulomb_and_signorini(contacts, mu):
    for seed in range(10 if COMPILED else 2):
        W, b = feet(seed, contacts)
        r, u, error, _ = solved(W, b, [0] * contacts, [mu] * contacts)
        assert error <= 1e-10
        assert_coulomb(W, b, [mu] * contacts, r, u, 1e-8)


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.8])
def test_the_convex_law_has_the_velocities_that_clarabel_finds(mu):
    pytest.importorskip("clarabel")
    seeds, compared = range(10 if COMPILED else 2), 0
    for seed in seeds:
        W, b = feet(seed, 4)
        _, u, error, _ = solved(W, b, [0] * 4, [mu] * 4, exact=False)
        assert error <= 1e-10
        friction = np.zeros((4, 3))
        friction[:, 0] = mu
        problem = as_random(W, b, np.tile([2, 0, 0], (4, 1)), friction, np.zeros(4), np.full(4, INF))
        other, content = clarabel_solution(problem, 1e-10)
        if not content:  # W is singular: on some machines it stops short of 1e-10
            continue
        compared += 1
        bound = np.sqrt(2e-10 * np.linalg.norm(W, 2))  # of velocities whose energy is 1e-10 above the least
        np.testing.assert_allclose(u, W @ other + b, rtol=0.0, atol=bound)
    assert compared >= len(seeds) - 1


@pytest.mark.parametrize("exact", [True, False])
def test_redundant_contacts_that_stick_have_velocities_of_rounding(exact):
    W, J = box()
    b = J @ np.array([0.01, -0.02, 0.01, 0.05, 0.1, -1.0])
    _, u, error, _ = solved(W, b, [0] * 4, [0.9] * 4, exact, 1e-14)
    assert error <= 1e-14
    assert np.abs(u).max() <= 1e-13


@pytest.mark.parametrize("ratio", [1.0, 1e4])
def test_chains_of_bilateral_rows_hold_to_rounding(ratio):
    bodies = 20 if COMPILED else 4
    W, J = hinge_chain(bodies, ratio)
    b = J @ np.tile([0.1, -0.2, 0.3, 1.0, 0.5, -9.81], bodies)
    r, u, error, _ = solved(W, b, [1] * len(b), BILATERAL * len(b), tolerance=1e-13, iterations=50)
    assert error <= 1e-11
    assert np.abs(u).max() <= 16 * EPS * (np.abs(W) @ np.abs(r)).max()


def test_limit_friction_and_motor_of_a_coordinate_are_one_row():
    # A limit at -0.2 m/s, a motor for 0.5 m/s with at most 3 N s, friction of 1 N s, a limit at 0.8 m/s
    law = [INF, 0.2, 4.0, 0.0, 2.0, -0.5, -4.0, -0.8, -INF]
    for b, expected in (
        (-9.0, 8.8),  # held by the limit below, all else pushes too
        (-4.1, 4.0),  # between limit and rest
        (-3.0, 3.0),  # friction holds
        (-1.8, 2.0),  # friction pushes back what the motor drives
        (-0.7, 1.2),  # the motor reaches its speed
        (4.7, -4.0),
        (9.0, -8.2),  # held by the limit above
    ):
        r, u, error, _ = solved([[1.0]], [b], [4], law, tolerance=1e-14)
        assert error <= 1e-14
        np.testing.assert_allclose(r, expected, rtol=0.0, atol=1e-13)
        assert_staircase(law, r[0], u[0], 1e-13)


@pytest.mark.indices
@pytest.mark.parametrize("exact", [True, False])
def test_contacts_and_rows_of_all_kinds_together(exact):
    laws = [[0.6], BILATERAL, [0.3], ABOVE, [0.2, 0.0, -0.2], [INF, 0.1, 0.3, 0.0, -0.3, -0.2, -INF]]
    kinds = [0, 1, 0, 1, 1, 3]
    for seed in range(10 if COMPILED else 2):
        W, b = feet(seed, 4)
        W, b = W[:10, :10], b[:10]
        r, u, error, _ = solved(W, b, kinds, [x for law in laws for x in law], exact)
        assert error <= 1e-10
        for row, law in ((3, laws[1]), (7, laws[3]), (8, laws[4]), (9, laws[5])):
            assert_staircase(law, r[row], u[row], 1e-8)
        if exact:
            some = [0, 1, 2, 4, 5, 6]
            assert_coulomb(W[np.ix_(some, some)], b, [0.6, 0.3], r[some], u[some], 1e-8)


@pytest.mark.parametrize("power", [-12, -3, 5, 12])
def test_a_power_of_ten_in_the_matrix_changes_nothing(power):
    W, b = feet(3, 4)
    r, _, _, count = solved(W, b, [0] * 4, [0.5] * 4, tolerance=1e-12)
    other, _, error, same = solved(10.0**power * W, b, [0] * 4, [0.5] * 4, tolerance=1e-12)
    assert (error <= 1e-12, same) == (True, count)
    np.testing.assert_allclose(10.0**power * other, r, rtol=0.0, atol=1e-11 * np.abs(r).max())


def test_a_start_that_is_a_solution_takes_no_iteration_and_stays():
    W, b = feet(5, 4)
    r, _, error, count = solved(W, b, [0] * 4, [0.5] * 4)
    again, _, same, none = solved(W, b, [0] * 4, [0.5] * 4, start=r, tolerance=2e-10)
    assert (count > 0, none) == (True, 0)
    np.testing.assert_allclose(again, r, rtol=4 * EPS, atol=0.0)
    assert same <= max(2 * error, 1e-13)


def test_contradictory_rows_are_reported_and_finite():
    r, _, error, count = solved(np.ones((2, 2)), [1.0, -1.0], [1, 1], BILATERAL * 2, iterations=50)
    assert np.isfinite(r).all()
    assert error > 0.1
    assert count >= 50


def test_springs_change_no_number_of_the_problem():
    """Added to the matrix and subtracted again, springs would change last digits of a diagonal just below one."""
    rng = np.random.default_rng(0)
    W, b, kept = np.diag(1.0 - 1e-7 * rng.random(12)), rng.standard_normal(12), []
    for iterations in (0, 1000):
        r, error, work = np.zeros(12), np.empty(1), np.zeros(cone_problem_memory(12, 4))
        solve_cone_problem(W.ravel(), b, np.zeros(4), np.full(4, 0.5), True, 1e-10, iterations, r, error, work)
        kept.append(work[:144])
    assert error[0] <= 1e-10
    np.testing.assert_array_equal(*kept)


@pytest.mark.parametrize("bad", [np.nan, INF, 1e200])
@pytest.mark.parametrize("exact", [True, False])
def test_numbers_that_are_not_finite_are_no_solution_and_cost_no_iteration(bad, exact):
    """Bad numbers come in the matrix, the offset, the start; 1e200 has no finite square.

    A row at an end of its staircase sees them, too.
    """
    W, b = np.diag([1.0, 2.0, 2.0, 1.0]), np.array([-1.0, 0.5, 0.0, -3.0])
    kinds, laws = [0, 1], [0.5, 1.0, 0.0, -1.0]
    for k in range(4):
        offset, start, matrix = b.copy(), np.array([0.0, 0.0, 0.0, 1.0]), W.copy()
        offset[k] = bad
        assert np.isnan(solved(W, offset, kinds, laws, exact)[2])
        assert solved(W, offset, kinds, laws, exact)[3] == 0
        if bad != 1e200:
            matrix[k, k], start[k] = bad, bad
            for some in (solved(matrix, b, kinds, laws, exact), solved(W, b, kinds, laws, exact, start=start)):
                assert np.isnan(some[2])
                assert some[3] == 0


@pytest.mark.parametrize("seed", [13, 17, 25])
def test_a_light_body_beside_heavy_ones_is_not_driven_into_the_floor(seed):
    """A ball on the floor and against two boxes of 1e12 times its mass, these on the floor and against each other.

    Of energies the ball has no part. Its contacts approached with 0.3 to 0.8 of the largest velocity, at an error of 1e-6.
    """
    rng, J = np.random.default_rng(seed), np.zeros((18, 18))
    for k, bodies in enumerate([(0, None), (0, 1), (0, 2), (1, None), (2, None), (1, 2)]):
        axes, _ = np.linalg.qr(rng.standard_normal((3, 3)))
        for body, sign in zip(bodies, (1.0, -1.0), strict=True):
            if body is not None:
                arm = np.cross(rng.uniform(-0.2, 0.2, 3), axes.T)
                J[3 * k : 3 * k + 3, 6 * body : 6 * body + 6] = sign * np.hstack([arm, axes.T])
    M = np.concatenate([[0.01 * m] * 3 + [m] * 3 for m in (1.0, 1e12, 1e12)])
    b = J @ rng.standard_normal(18)
    _, u, error, _ = solved(J / M @ J.T, b, [0] * 6, [0.5] * 6, tolerance=1e-6)
    assert error <= 1e-6
    assert u[::3].min() >= -1e-4 * np.abs(b).max()
