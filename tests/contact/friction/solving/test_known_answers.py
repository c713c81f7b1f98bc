"""Problems whose solutions are known: closed forms, no solution and several, the polygon's order of convergence."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

from pluecker.contact import Problem, errors_of, solve
from tests.conftest import COMPILED
from tests.contact.fuzz import LCP_METHODS, RUNNABLE

TOL = 1e-9 if COMPILED else 1e-7
CONES = [(law, method) for law in ("frictionless", "ccp", "ncp") for method in RUNNABLE]
POLYGON = [("lcp", method) for method in ("auto", *LCP_METHODS)]
NORMALS = [("frictionless", method) for method in LCP_METHODS]


def spd(rng, m, spread=1.0):
    """A symmetric positive definite matrix in which everything is coupled."""
    A = rng.normal(size=(m, m))
    return A @ A.T / m + spread * 0.3 * np.eye(m)


def solved(problem, law, method, **named):
    """Multipliers and velocities of a result that converged, and has the velocities that belong to its multipliers."""
    result = solve(problem, law, method, tol=TOL, **named)
    assert result.converged, str(result)
    assert result.errors.natural_map <= TOL
    N = problem.matrix().toarray()
    assert np.allclose(result.velocity, N @ result.multipliers + problem.offset, rtol=0, atol=1e-12)
    return result.multipliers, result.velocity


# ------------------------------------------------------------------------------- one contact, by the equations of a mode


def one_contact(W, b, mu, law):
    """r of the only mode that is consistent: open, stick, or slide in a direction that is found by its angle."""
    if b[0] >= 0 and law != "ccp":
        return np.zeros(len(b))
    if law == "ccp" and b[0] >= mu * np.linalg.norm(b[1:]):
        return np.zeros(len(b))
    if law == "frictionless":
        return np.array([-b[0] / W[0, 0], *np.zeros(len(b) - 1)])
    stick = np.linalg.solve(W, -b)
    if np.linalg.norm(stick[1:]) <= mu * stick[0]:
        return stick
    found = []
    for r in sliding(W, b, mu, law):
        u = W @ r + b
        if r[0] > 0 and u[1:] @ r[1:] < 0:
            found.append(r)
    assert len(found) == 1
    return found[0]


def sliding(W, b, mu, law):
    """All r with |r_t| = mu r_n, u_t opposite to r_t, and u_n = 0, or mu |u_t| in the law ccp."""

    def along(e):
        """r = n (1, mu e), with u_n + g = 0"""
        c = np.array([1.0, *(mu * e)])
        row = W[0] if law != "ccp" else W[0] + mu * e @ W[1:]  # mu |u_t| = -mu e . u_t
        shift = b[0] if law != "ccp" else b[0] + mu * e @ b[1:]
        return -shift / (row @ c) * c

    def across(angle):
        e = np.array([np.cos(angle), np.sin(angle)])
        u = W @ along(e) + b
        return e[0] * u[2] - e[1] * u[1]

    if len(b) == 2:
        return [along(np.array([s])) for s in (1.0, -1.0)]
    angles = np.linspace(0.0, 2.0 * np.pi, 721)
    values = np.array([across(a) for a in angles])
    roots = [
        scipy.optimize.brentq(across, angles[k], angles[k + 1], xtol=1e-15, rtol=1e-15)
        for k in range(720)
        if values[k] * values[k + 1] < 0
    ]
    return [along(np.array([np.cos(a), np.sin(a)])) for a in roots]


def cases_of_one_contact(size):
    """W, b, mu with a contact that sticks, slides (twice, with different coupling) and opens."""
    rng = np.random.default_rng(size)
    W = spd(rng, size)
    tangent = rng.normal(size=size - 1)
    tangent /= np.linalg.norm(tangent)
    stick = W @ np.array([-1.0, *(0.2 * tangent)])
    return {
        "stick": (W, stick, 0.6),
        "slide": (W, np.array([-1.0, *(4.0 * tangent)]), 0.3),
        "slide fast": (W, np.array([-0.2, *(9.0 * tangent)]), 0.15),
        "open": (W, np.array([5.0, *tangent]), 0.5),
        "at rest": (W, np.array([-1.0, *np.zeros(size - 1)]), 1.2),
    }


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("mode", ["stick", "slide", "slide fast", "open", "at rest"])
@pytest.mark.parametrize(("law", "method"), [*CONES, *NORMALS])
def test_one_contact_with_coupling(law, method, mode, size):
    W, b, mu = cases_of_one_contact(size)[mode]
    problem = Problem.from_delassus(W, b, [mu], size=size)
    r, u = solved(problem, law, method)
    expected = one_contact(W, b, mu, law)
    assert np.allclose(r, expected, rtol=0, atol=300 * TOL)
    assert np.allclose(u, W @ expected + b, rtol=0, atol=300 * TOL)


@pytest.mark.parametrize("mode", ["stick", "slide", "slide fast", "open", "at rest"])
@pytest.mark.parametrize(("law", "method"), POLYGON)
def test_one_contact_in_the_plane_is_exact_with_two_directions(law, method, mode):
    W, b, mu = cases_of_one_contact(2)[mode]
    r, _ = solved(Problem.from_delassus(W, b, [mu], size=2), law, method, directions=2)
    assert np.allclose(r, one_contact(W, b, mu, "ncp"), rtol=0, atol=100 * TOL)


@pytest.mark.parametrize(("law", "method"), POLYGON)
def test_one_contact_that_slides_along_a_corner_of_the_polygon(law, method):
    b = np.array([-1.0, 3.0 * np.cos(np.pi / 4), 3.0 * np.sin(np.pi / 4)])
    r, u = solved(Problem.from_delassus(np.diag([2.0, 1.0, 1.0]), b, [0.5]), law, method, directions=8)
    assert np.allclose(r, [0.5, *(-0.25 * b[1:] / 3.0)], rtol=0, atol=100 * TOL)
    assert np.allclose(u, [0.0, *(b[1:] * 2.75 / 3.0)], rtol=0, atol=100 * TOL)


# ------------------------------------------------------------------------------------------------- effects that are known


@pytest.mark.parametrize("method", RUNNABLE)
def test_the_convex_law_lets_a_sliding_cube_take_off(method):
    """A mass m thrown along a floor: u_n = mu |u_t| after a step, with u_t less than it was; Coulomb's law has u_n = 0."""
    m, mu, speed, fall = 2.0, 0.5, 6.0, 0.01
    problem = Problem.from_delassus(np.eye(3) / m, [-fall, speed, 0.0], [mu])
    n = m * (fall + mu * speed) / (1 + mu * mu)  # (n - m fall) / m = mu (speed - mu n / m)
    close = 100 * TOL
    r, u = solved(problem, "ccp", method)
    assert np.allclose(r, [n, -mu * n, 0.0], rtol=0, atol=close * n)
    assert u[0] == pytest.approx(mu * (speed - mu * n / m), abs=close)
    assert u[0] > 2.3  # m/s: 4.8 mu, the take-off
    r, u = solved(problem, "ncp", method)
    assert np.allclose(r, [m * fall, -mu * m * fall, 0.0], rtol=0, atol=close)
    assert np.allclose(u, [0.0, speed - mu * fall, 0.0], rtol=0, atol=close)


@pytest.mark.parametrize("method", RUNNABLE)
@pytest.mark.parametrize("size", [5, 6])
def test_rolling_and_spinning_resistance(size, method):
    """With N diagonal, each disc has a law of its own: it stops the motion, or has all it can give."""
    close = 1e3 * TOL
    mu = np.array([[0.5, 0.2, 0.1][: 3 if size == 6 else 2]])
    N = np.diag([0.5, 1.0, 1.0, 2.0, 2.0, 4.0][:size])
    b = np.array([-1.0, 0.6, 0.8, 0.15, -0.2, -5.0][:size])  # friction could give 1: it stops; rolling 0.4
    r, u = solved(Problem.from_delassus(N, b, mu, size=size), "ncp", method)
    n = 2.0
    expected = [n, -0.6, -0.8, -0.075, 0.1, 0.2][:size]
    assert np.allclose(r, expected, rtol=0, atol=close)
    b = np.array([-1.0, 3.0, 4.0, 3.0, -4.0, 0.1][:size])  # slides and rolls, does not spin
    r, u = solved(Problem.from_delassus(N, b, mu, size=size), "ncp", method)
    expected = [n, -0.6, -0.8, -0.24, 0.32, -0.025][:size]
    assert np.allclose(r, expected, rtol=0, atol=close)
    assert np.allclose(u[3:5], b[3:5] * (1 - 0.8 / 5.0), rtol=0, atol=close)
    r, u = solved(Problem.from_delassus(N, b, mu, size=size), "ccp", method)
    a = mu[0].tolist()
    top, slope = 1.0 + 0.5 * 5.0 + 0.2 * 5.0, 0.5 + 0.25 * 1.0 + 0.04 * 2.0  # of n: u_n = mu_1 |u_1| + mu_2 |u_2|
    n = top / slope
    expected = [n, *(-a[0] * n * np.array([0.6, 0.8])), *(-a[1] * n * np.array([0.6, -0.8])), -0.025][:size]
    assert np.allclose(r, expected, rtol=0, atol=close)


# --------------------------------------------------------------------------------------------- no solution, two solutions


def painleve(solutions):
    """A contact in the plane with so much coupling that sliding friction presses it into the ground, N positive definite.

    Sliding towards positive t, friction is -mu r_n: u_n = (N_nn - mu N_nt) r_n + b_n, and the bracket is negative. With
    b_n > 0 it may open, slide with r_n = b_n / |bracket|, or stick.
    """
    N, mu = np.array([[1.0, 1.2], [1.2, 2.0]]), 1.5
    return Problem.from_delassus(N, [0.5 if solutions > 1 else -0.5, 3.0], [mu], size=2), N, mu


@pytest.mark.parametrize(("law", "method"), [*((law, m) for law, m in CONES if law != "frictionless"), *POLYGON])
@pytest.mark.parametrize("solutions", [1, 3])
def test_painleve_data_never_converge_to_something_else(law, method, solutions):
    problem, _, mu = painleve(solutions)
    named = {"directions": 2} if law == "lcp" else {}
    result = solve(problem, law, method, tol=1e-8, max_iterations=None if COMPILED else 300, **named)
    r, u = result.multipliers, result.velocity
    assert np.isfinite(r).all()
    assert np.isfinite(u).all()
    assert result.converged == (result.errors.largest <= 1e-8)
    if result.converged and law != "ccp":
        assert abs(min(r[0], u[0])) < 1e-6
        assert abs(r[1]) <= mu * r[0] + 1e-6
        assert abs(r[1] * u[1] + mu * r[0] * abs(u[1])) < 1e-6
    if law == "ccp":
        assert result.converged or not COMPILED  # N is positive definite: a convex problem has an answer


UNSOLVABLE = {
    "a body in a closing vice": ([[1, -1], [-1, 1]], [-1, -1], [0, 0], 1, None),
    "data of Painleve's without solution": ([[1, 1], [1, 1]], [-0.5, 3], [1.5], 2, None),
    "equations that contradict each other": ([[1, 1], [1, 1]], [1, -1], [], 3, ([-np.inf] * 2, [np.inf] * 2)),
    "a contact that nothing can push": ([[0]], [-1], [0], 1, None),
}


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-10])
@pytest.mark.parametrize("method", RUNNABLE)
@pytest.mark.parametrize("law", ["ccp", "ncp"])
@pytest.mark.parametrize("name", UNSOLVABLE)
def test_where_there_is_no_solution_none_is_claimed(name, law, method, tol):
    """Multipliers that grow without bound make the natural map as small as one likes"""
    N, b, mu, size, rows = UNSOLVABLE[name]
    problem = Problem.from_delassus(N, b, mu, size=size, rows=rows)
    result = solve(problem, law, method, tol=tol, max_iterations=3000 if COMPILED else 100)
    assert np.isfinite(result.multipliers).all()
    assert not result.converged, str(result)
    assert result.errors.relative_velocity > 0.05  # of the largest velocity, which grows with the multipliers
    assert result.message


def test_rounding_makes_no_solution():
    """The velocities that multipliers of 1e16 make are lost in rounding, and may come out as wanted."""
    problem = Problem.from_delassus([[1, 1], [1, 1]], [1, -1], [], rows=([-np.inf] * 2, [np.inf] * 2))
    for size in 10.0 ** np.arange(10, 18):
        for shift in (0.0, 0.5, 1.0, 2.0):
            result = solve(problem, "ccp", warm_start=[size, -size - shift], max_iterations=1)
            assert not result.converged, (size, str(result))
            assert errors_of(problem, [size, -size - shift], "ccp").relative_velocity > 1e-3


def test_forces_between_heavy_bodies_are_right_at_the_default_tolerance():
    """A column of ten bodies of 100 tonnes: numbers of forces are 1e5 times those of velocities"""
    n, m, g, h = 10, 1e5, 9.81, 0.01
    J = np.eye(n) - np.eye(n, k=-1)  # contact k below body k, from body k - 1
    problem = Problem.from_delassus(J @ J.T / m, [-g * h, *np.zeros(n - 1)], np.zeros(n), size=1)
    for method in RUNNABLE if COMPILED else ("auto", "newton"):
        result = solve(problem, "ncp", method)
        if result.converged:
            assert np.allclose(result.multipliers, m * g * h * np.arange(n, 0, -1), rtol=0.05), (method, str(result))
    assert solve(problem).converged


# ------------------------------------------------------------------------------------------------------------ the polygon


@pytest.mark.slow
def test_the_polygon_converges_to_the_circle():
    """Convergence is of first order: friction is along a corner, off by pi / eta at most. Means over many directions."""
    N, mu = np.diag([1.0, 0.7, 1.3]) + 0.1, 0.3
    sides, means = np.array([4, 8, 16, 32]), []
    angles = np.linspace(0.1, 6.2, 60 if COMPILED else 12)
    for eta in sides:
        errors = []
        for a in angles:
            b = [-1.0, 3.0 * np.cos(a), 3.0 * np.sin(a)]
            problem = Problem.from_delassus(N, b, [mu])
            exact = solve(problem, "ncp", tol=1e-12)
            result = solve(problem, "lcp", tol=1e-12, directions=int(eta))
            assert exact.converged
            assert result.converged
            errors.append(np.linalg.norm(result.multipliers - exact.multipliers) / np.linalg.norm(exact.multipliers))
        assert max(errors) <= 2.0 * mu * np.pi / eta
        means.append(float(np.mean(errors)))
    slope = -np.polyfit(np.log(sides), np.log(means), 1)[0]
    print(f"polygon against circle: {dict(zip(sides.tolist(), means, strict=True))}, slope {slope:.2f}")
    assert slope == pytest.approx(1.0, abs=0.25)


def test_friction_midway_between_two_directions_falls_short_by_the_square():
    errors = []
    sides = np.array([4, 8, 16, 32])
    for eta in sides:
        a = np.pi / eta
        problem = Problem.from_delassus(np.eye(3), [-1.0, 3.0 * np.cos(a), 3.0 * np.sin(a)], [0.5])
        result = solve(problem, "lcp", tol=1e-12, directions=int(eta))
        assert result.converged
        short = 0.5 - np.linalg.norm(result.multipliers[1:])
        assert short == pytest.approx(0.5 * (1 - np.cos(a)), abs=1e-9)
        errors.append(short)
    assert -np.polyfit(np.log(sides), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.05)


# ------------------------------------------------------------------------------------------------------------ what failed


@pytest.mark.parametrize(("law", "method"), [*CONES, *NORMALS])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 6])
def test_a_contact_without_friction_that_parts_is_not_pulled(law, method, size):
    """The cone without friction is a half-line; a tangential velocity of zero leaves |r_t| <= 0 r_n true for all r_n."""
    problem = Problem.from_delassus(np.eye(size), [1.0, *np.zeros(size - 1)], [0.0], size=size)
    r, u = solved(problem, law, method)
    assert r.tolist() == [0.0] * size
    assert u.tolist() == [1.0] + [0.0] * (size - 1)


@pytest.mark.slow
@pytest.mark.parametrize("method", RUNNABLE)
def test_contacts_that_no_body_touches(method):
    """Rows of zeros: an island of its own, without entries; with b_n < 0 nothing can be done about it"""
    for first in ([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]):
        for speed in (1.0, -1.0):
            b = np.where(first, np.tile([-1.0, 3.0, 0.0], 2), np.tile([speed, 0.0, 0.0], 2))
            result = solve(Problem.from_delassus(np.diag(first), b, [0.5, 0.5]), "ncp", method, tol=TOL)
            r, u = (x[np.array(first) > 0] for x in (result.multipliers, result.velocity))
            assert result.converged == (speed > 0), str(result)
            if speed > 0:
                assert np.allclose(r, [1.0, -0.5, 0.0], rtol=0, atol=1e3 * TOL)
                assert np.allclose(u, [0.0, 2.5, 0.0], rtol=0, atol=1e3 * TOL)
