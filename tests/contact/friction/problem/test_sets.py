"""Projections on cones and intervals against their definition, and their derivatives against finite differences.

The cone K = {|r_k| <= mu_k r_n} has the polar cone {p: p_n + sum mu_k |p_k| <= 0}. A point x is the sum of its
nearest points in both, which are orthogonal (Moreau), and no other pair of points is: that is the test, and it needs
no other projection. The kernels are looked at themselves, for points of any size, to rounding, which ``solve`` only asks of
problems near one; step lengths from diagonal blocks are seen in one sweep.
"""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.contact import solve
from pluecker.contact.friction.problem import sets
from tests.contact.any_blocks import SIZES, cone, of_factors, of_matrix, sets_of

CONES = [2, 3, 5, 6]
EPS = np.finfo(float).eps
every_cone = pytest.mark.parametrize("size", CONES)


def discs(size):
    """The disc that each component after the first belongs to."""
    return np.repeat(np.arange(3), SIZES[size])


def lengths(size, x):
    """|x_k| of the three discs."""
    return np.array([np.linalg.norm(x[1:][discs(size) == k]) for k in range(3)])


def nearest(K, x):
    """P(x)"""
    out = np.full(len(x), np.nan)
    sets.project(K, np.asarray(x, float), out)
    return out


def samples(size, seed, count=40):
    """Coefficients, and points inside, outside, on rims, on the boundary of the polar cone, at zero, of any size."""
    rng = np.random.default_rng(seed)
    for n in range(count):
        mu = rng.choice([0.0, 1e-3, 0.3, 1.0, 30.0], 3) if n % 2 else rng.uniform(0, 2, 3)
        x = rng.normal(size=size) * 10.0 ** rng.uniform(-9, 9)
        length = np.where(lengths(size, x) > 0, lengths(size, x), 1.0)
        kind = n % 5
        if kind == 1:  # all discs on their rims
            x[1:] *= (mu * abs(x[0]) / length)[discs(size)]
            x[0] = abs(x[0])
        elif kind == 2:  # on the boundary of the polar cone
            x[0] = -float(mu @ lengths(size, x))
        elif kind == 3:  # without tangential part
            x[1:] = 0.0
        elif kind == 4:  # components of very different magnitudes
            x *= 10.0 ** rng.uniform(-9, 9, size)
        yield mu, x
    yield np.ones(3), np.zeros(size)


@every_cone
def test_a_point_is_the_sum_of_orthogonal_points_of_the_cone_and_of_its_polar(size):
    for mu, x in samples(size, 1):
        p = nearest(cone(size, mu), x)
        q, scale = x - p, np.abs(x).max() * (1 + mu.max()) ** 2
        assert p[0] >= 0.0
        assert (lengths(size, p) <= mu * p[0] + 8 * EPS * np.abs(p).max() * (1 + mu)).all()
        assert q[0] + mu @ lengths(size, q) <= 32 * EPS * scale
        assert abs(p @ q) <= 32 * EPS * scale * np.abs(x).max()


def test_rows_are_clamped_and_blocks_are_projected_on_their_own():
    sizes = [(0, 0, 0), (2, 0, 0), (0, 0, 0), (2, 2, 1), (0, 0, 0)]
    K = sets_of(sizes, np.full((5, 3), 0.4), [-1.0, 0.0, -np.inf, 0.0, 2.0], [1.0, np.inf, np.inf, np.inf, 2.0])
    x = np.random.default_rng(5).normal(size=12) * 3
    p, s = nearest(K, x), np.full(12, np.nan)
    for size, first in ((3, 1), (6, 5)):
        assert np.array_equal(p[first : first + size], nearest(cone(size, np.full(3, 0.4)), x[first : first + size]))
    assert p[[0, 4, 11]] == pytest.approx([np.clip(x[0], -1, 1), x[4], 2.0], abs=0)
    sets.shift(K, x, s)
    expected = np.zeros(12)
    expected[1], expected[5] = 0.4 * lengths(3, x[1:4]).sum(), 0.4 * lengths(6, x[5:11]).sum()
    assert s == pytest.approx(expected, rel=1e-14)


def derivative(K, x):
    """V at x"""
    V = np.full((len(x), len(x)), np.nan)
    sets.derivative_block(K, 0, np.asarray(x, float), V, np.empty(6))
    return V


@pytest.mark.plain
@every_cone
def test_the_derivative_is_that_of_finite_differences_away_from_kinks(size):
    rng, count = np.random.default_rng(6), 0
    for _ in range(60):
        mu, x = rng.uniform(0.1, 1.5, 3), rng.normal(size=size)
        K, h = cone(size, mu), 1e-6
        held = lengths(size, x) - mu * nearest(K, x)[0]
        if np.abs(held[np.array(SIZES[size]) > 0]).min() < 1e-3 or abs(x[0] + mu @ lengths(size, x)) < 1e-3:
            continue
        count += 1
        steps = h * np.eye(size)
        expected = np.column_stack([(nearest(K, x + e) - nearest(K, x - e)) / (2 * h) for e in steps])
        assert derivative(K, x) == pytest.approx(expected, abs=1e-8)
    assert count > 20


@pytest.mark.plain
@every_cone
def test_at_kinks_the_derivative_is_a_limit_of_derivatives_nearby(size):
    rng = np.random.default_rng(7)
    for mu, x in samples(size, 8, 20):
        K, scale = cone(size, mu), np.abs(x).max() or 1.0
        V = derivative(K, x / scale)
        assert np.array_equal(V, V.T)
        values = np.linalg.eigvalsh(V)
        assert values[0] >= -1e-12
        assert values[-1] <= 1 + 1e-12
        ways = np.vstack([rng.normal(size=(60, size)), np.eye(size), -np.eye(size)])
        ways = np.vstack([ways, x / scale, -x / scale])
        nearby = [np.abs(derivative(K, x / scale + 1e-9 * way) - V).max() for way in ways]
        rim = lengths(size, x / scale)
        if min(rim[np.array(SIZES[size]) > 0]) > 1e-3 or not rim.any():
            assert min(nearby) <= 1e-4


@pytest.mark.plain
def test_the_derivative_of_a_row_is_one_between_its_bounds_and_zero_outside():
    K = sets_of([(0, 0, 0)], np.zeros((1, 3)), [-1.0], [2.0])
    assert [derivative(K, [x])[0, 0] for x in (-2.0, -1.0, 0.0, 2.0, 3.0)] == [0.0, 0.0, 1.0, 0.0, 0.0]


# ---------------------------------------------------------------------------------------- steps from diagonal blocks


@pytest.mark.parametrize("size", [1, *CONES])
def test_a_sweep_over_one_block_takes_the_inverse_of_its_largest_eigenvalue(size):
    """r / s = -s b / (largest eigenvalue of s N s), of any rank and size, where that is in the cone"""
    rng = np.random.default_rng(size)
    for _ in range(20):
        G = rng.normal(size=(size, rng.integers(1, size + 1))) * 10.0 ** rng.uniform(-6, 6)
        N, r = G @ G.T, rng.uniform(0.1, 1.0, size)
        K = cone(size, np.full(3, 30.0)) if size > 1 else sets_of([(0, 0, 0)], np.zeros((1, 3)), [0.0], [np.inf])
        s = solve(of_matrix(N, r, K), "ccp", "pgs", max_iterations=1).blocks.scale
        assert s[: 1 + K.sizes[0, 0]] == pytest.approx(s[0])  # what turns may have another one
        b = -np.linalg.eigvalsh(s * N * s[:, None])[-1] * r / s**2
        found = solve(of_matrix(N, b, K), "ccp", "pgs", tol=1e-300, max_iterations=1)
        assert found.multipliers == pytest.approx(r, rel=1e-12)


@pytest.mark.parametrize("form", ["matrix", "factors"])
def test_a_sweep_goes_from_block_to_block_in_both_forms(form):
    rng = np.random.default_rng(9)
    K = sets_of([(2, 0, 0), (0, 0, 0), (2, 2, 1)], np.full((3, 3), 30.0), np.zeros(3), np.full(3, np.inf))
    J, c, r = rng.normal(size=(10, 12)), rng.uniform(size=10), rng.uniform(0.1, 1.0, 10)
    N, b, x = J @ J.T + np.diag(c), np.zeros(10), np.zeros(10)
    s = solve(of_matrix(J @ J.T, b, K, c), "ccp", "pgs", max_iterations=1).blocks.scale
    scaled = s * N * s[:, None]
    for a, z in ((0, 3), (3, 4), (4, 10)):  # so that the sweep finds r
        b[a:z] = -np.linalg.eigvalsh(scaled[a:z, a:z])[-1] * r[a:z] / s[a:z] ** 2 - N[a:z] @ x
        x[a:z] = r[a:z]
    problem = of_matrix(J @ J.T, b, K, c) if form == "matrix" else of_factors(J, J, np.array([0, 6, 12]), b, K, c)
    found = solve(problem, "ccp", "pgs", tol=1e-300, max_iterations=1, form=form)
    assert found.multipliers == pytest.approx(r, rel=1e-12)
