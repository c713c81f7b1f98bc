"""Problems of rows alone: what is found lies on every staircase, and SciPy finds the same where these are boxes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from pluecker.spatial.dense.laws import solve_staircase_problem, staircase_memory

pytestmark = pytest.mark.plain

TOLERANCE = 1e-10


def solve(W: np.ndarray, b: np.ndarray, laws: np.ndarray, start: np.ndarray | None = None) -> tuple[np.ndarray, float]:
    """The multipliers, and the error that is left."""
    n = len(b)
    r = np.zeros(n) if start is None else start.copy()
    work = np.full(staircase_memory(n), np.nan)
    steps = (laws.shape[1] - 1) // 2
    return r, float(solve_staircase_problem(W.ravel(), b, laws.ravel(), steps, TOLERANCE, r, work))


def random_matrix(rng: np.random.Generator, n: int, spread: float = 2.0) -> np.ndarray:
    """Symmetric and positive definite, with a condition number of up to 10^spread, in units that differ from row to row."""
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    units = 10.0 ** rng.uniform(-2.0, 2.0, n)
    return np.ascontiguousarray(units[:, None] * (Q * 10.0 ** rng.uniform(0.0, spread, n)) @ Q.T * units)


def distance_to_staircase(law: np.ndarray, r: float, u: float, w: float) -> float:
    """The least distance of the point (r, u / w) from the segments of a staircase, by its definition."""
    corners = [(law[0], -np.inf)]
    for k in range((len(law) - 1) // 2):
        velocity = -law[1 + 2 * k]
        corners += [(corners[-1][0], velocity), (law[2 + 2 * k], velocity)]
    corners.append((corners[-1][0], np.inf))
    nearest = np.inf
    for (r0, u0), (r1, u1) in itertools.pairwise(corners):
        if np.isinf(r0) and np.isinf(r1):
            continue
        near_r, near_u = np.clip(r, min(r0, r1), max(r0, r1)), np.clip(u, u0, u1)
        nearest = min(nearest, np.hypot(r - near_r, (u - near_u) / w))
    return nearest


def random_law(rng: np.random.Generator, unit: float) -> np.ndarray:
    """Draw the law of a row: a lower limit, friction, and an upper limit, each of which may be missing."""
    F = unit * rng.exponential() if rng.random() < 0.7 else 0.0
    low, high = -rng.exponential(), rng.exponential()
    top, bottom = np.inf if rng.random() < 0.7 else F, -np.inf if rng.random() < 0.7 else -F
    return np.array([top, -low, F, 0.0, -F, -high, bottom])


@pytest.mark.indices
@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_what_is_found_lies_on_every_staircase(n: int, states: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(states):
        W = random_matrix(rng, n)
        b = np.sqrt(np.diag(W)) * rng.standard_normal(n) * 3.0
        laws = np.array([random_law(rng, 1.0 / np.sqrt(W[i, i])) for i in range(n)])
        laws[:, 1::2] *= np.sqrt(np.diag(W))[:, None]
        r, error = solve(W, b, laws)
        assert error <= TOLERANCE
        scale = np.sqrt(np.diag(W))
        size = max(np.abs(scale * r).max(), 1e-300)
        u = W @ r + b
        for i in range(n):
            assert distance_to_staircase(laws[i], r[i], u[i], W[i, i]) * scale[i] < 1e-8 * size
        again, _ = solve(W, b, laws, r)
        assert np.array_equal(again, r)  # a start that is the solution stays as it is


@pytest.mark.parametrize("n", [3, 8])
def test_boxes_are_bounded_least_squares(n: int, states: int) -> None:
    """min 1/2 r' W r + b' r within bounds, W = A' A: SciPy's bounded-variable least squares"""
    rng = np.random.default_rng(n)
    for _ in range(states):
        A = rng.standard_normal((n + 2, n))
        y = 3.0 * rng.standard_normal(n + 2)
        bound = rng.exponential(size=n)
        r, error = solve(np.ascontiguousarray(A.T @ A), -A.T @ y, np.stack([bound, 0.0 * bound, -bound], axis=1))
        expected = lsq_linear(A, y, (-bound, bound), method="bvls", tol=1e-14)
        assert error <= TOLERANCE
        assert np.abs(r - expected.x).max() < 1e-8


def test_an_idle_problem_is_solved_by_zeros() -> None:
    laws = np.array([[np.inf, 5.0, 0.0, 0.0, 0.0, -5.0, -np.inf]] * 3)
    r, error = solve(np.eye(3), np.array([1.0, -4.0, 4.9]), laws)
    assert error == 0.0
    assert (r == 0.0).all()


def test_what_is_not_solved_is_seen_in_the_error() -> None:
    """Numbers that are none"""
    _, error = solve(np.full((2, 2), np.nan), np.ones(2), np.array([[1.0, 0.0, -1.0]] * 2))
    assert not error <= TOLERANCE


@pytest.mark.parametrize("seed", [22, *range(3)])
def test_rows_that_say_the_same_have_multipliers_with_a_bound(seed: int) -> None:
    """A limit and a friction with a far limit of its own on one coordinate: on sets that contradict each other they push
    against each other without end, and beside that everything is rounding. What is found is no such thing.
    """
    rng = np.random.default_rng(seed)
    one, other = rng.standard_normal((2, 3)) * 10.0 ** rng.uniform(-2.0, 2.0, (2, 1))
    J, H = np.array([one, one, other]), 10.0 ** rng.uniform(-4.0, 4.0, 3)
    W = J / H @ J.T
    W[np.diag_indices(3)] *= 1.0 + 1e-13
    b = 1e-3 * J @ rng.standard_normal(3)
    at_limit, F, far = [np.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1e3, -np.inf], 1e-5, 1e3
    laws = np.array(
        [
            at_limit,
            [F, 0.0, F, 0.0, -F, 0.0, -F, -far, -np.inf],
            [np.inf, 0.0, 10.0 * F, 0.0, -10.0 * F, 0.0, -10.0 * F, -far, -np.inf],
        ]
    )
    r, error = solve(W, b, laws, np.array([1e-3, F, 1e-3]))
    size = np.sqrt(np.diag(W))
    assert (size * np.abs(r)).max() <= 1e8 * np.abs(b / size).max()  # as its head says
    if error <= TOLERANCE:
        u = W @ r + b
        assert np.abs(r[1]) <= F or np.abs(u[1]) > 1e-3


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_no_solution(bad: float) -> None:
    """A multiplier that stands on a level is no answer to a velocity that is none."""
    law = np.array([[np.inf, 0.0, 1.0, 0.0, -1.0, 0.0, -np.inf], [1.0, 0.0, 1.0, 0.0, -1.0, 0.0, -1.0]])
    for k in range(2):
        b, W = np.array([-1.0, -3.0]), np.diag([1.0, 2.0])
        b[k] = bad
        with np.errstate(all="ignore"):
            assert not solve(W, b, law)[1] <= TOLERANCE
            W[k, k], b = bad, np.array([-1.0, -3.0])
            assert not solve(W, b, law, np.array([1.0, 1.0]))[1] <= TOLERANCE
