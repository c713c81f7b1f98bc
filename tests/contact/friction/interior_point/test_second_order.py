"""Cones of the interior-point method: turns, scaling, products and steps to the boundary, by their definitions.

They are looked at one by one, inside: what the method finds with all of them, ``test_interior_point.py`` compares with
others, but it finds it with less accurate ones too, only later, or not where numbers are twenty digits apart.
"""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.contact.friction.interior_point import cone_system, cones, second_order
from tests.contact.any_blocks import sets_of

pytestmark = pytest.mark.plain  # test_interior_point.py has the method

INF = np.inf
ALL, TWO = np.ones(3), np.array([1.0, 1.0, 0.0])
RAYS = np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 0.0, np.sqrt(2.0)]]) / np.sqrt(2.0)  # components -> plain


def inside(rng):
    """A point of the cone x_0 > |x_1|, in components along its rays"""
    x = rng.normal(size=3)
    x[0] = np.linalg.norm(x[1:]) + rng.exponential()
    return RAYS @ x


@pytest.mark.parametrize("seed", range(10))
def test_the_product_is_that_of_jordan_and_division_its_inverse(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=3), rng.normal(size=3)
    p, q = RAYS @ x, RAYS @ y
    expected = np.array([p @ q, *(p[0] * q[1:] + q[0] * p[1:])])
    assert np.allclose(
        RAYS @ second_order.jordan(second_order.ROUND, tuple(x), tuple(y)), expected, rtol=0.0, atol=1e-14
    )
    l = inside(rng)
    d = second_order.jordan(second_order.ROUND, tuple(l), tuple(y))
    assert np.allclose(second_order.divide(second_order.ROUND, tuple(l), d, ALL), y, rtol=1e-9, atol=1e-9)
    l = np.array([*rng.exponential(size=2), 0.0])
    for kind in (second_order.BOUNDS, second_order.LINE):
        d = second_order.jordan(kind, tuple(l), (y[0], y[1], 0.0))
        assert np.allclose(second_order.divide(kind, tuple(l), d, TWO), [y[0], y[1], 0.0])


@pytest.mark.parametrize("seed", range(10))
def test_the_largest_step_ends_on_the_boundary(seed):
    rng = np.random.default_rng(seed)
    l, d = inside(rng), 3.0 * rng.normal(size=3)
    t = second_order.largest_ratio(second_order.ROUND, tuple(l), tuple(d), ALL)
    x = RAYS @ (t * l + d)
    assert abs(x[0] - np.linalg.norm(x[1:])) <= 1e-12 * np.abs(x).max() if t > 0.0 else x[0] >= np.linalg.norm(x[1:])
    assert second_order.largest_ratio(second_order.ROUND, tuple(l), tuple(inside(rng)), ALL) == 0.0
    half = np.abs(l)
    expected = max(0.0, -d[0] / half[0], -d[1] / half[1])
    assert second_order.largest_ratio(second_order.LINE, tuple(half), tuple(d), TWO) == pytest.approx(expected)
    assert second_order.largest_ratio(
        second_order.BOUNDS, (half[0], 0.0, 0.0), tuple(d), np.array([1.0, 0.0, 0.0])
    ) == max(0.0, -d[0] / half[0])


def plain_components(C, c, direction, size):
    """The components of a cone as rows in the multipliers of its block, by definition"""
    g = np.zeros((3, size))
    r, mu, d = C.row[c], C.friction[c], direction[c]
    if C.kind[c] == second_order.BOUNDS:
        g[0, 0], g[1, 0] = 1.0, -1.0
    elif C.kind[c] == second_order.ROUND:
        g[:2, 0] = mu
        g[0, r : r + 2], g[1, r : r + 2] = d, -d
        g[:2] /= np.sqrt(2.0)
        g[2, r : r + 2] = -d[1], d[0]
    else:
        g[:2, 0] = mu
        g[0, r], g[1, r] = 1.0, -1.0
        g /= np.sqrt(2.0)
    return g


@pytest.mark.parametrize("seed", range(20))
def test_turns_are_orthogonal_and_large_numbers_come_first(seed):
    rng = np.random.default_rng(seed)
    sizes = [(2, 2, 1), (2, 2, 0), (2, 0, 0), (1, 0, 0), (0, 0, 0)]
    friction = np.exp(rng.uniform(np.log(1e-6), np.log(10.0), (5, 3))) * (np.array(sizes) > 0)
    friction[rng.integers(3), rng.integers(3)] = 0.0
    K = sets_of(sizes, friction, np.zeros(5), np.full(5, INF))
    C = cones.list_cones(K)
    n = len(C.kind)
    v = np.exp(rng.uniform(-20.0, 20.0, (n, 3))) * C.has
    is_round = C.kind == second_order.ROUND
    v[is_round, 1] = np.maximum(v[is_round, 1], 1.0)
    v[is_round, 0], v[is_round, 2] = 1.0 / v[is_round, 1], 1.0
    angle = rng.uniform(0.0, 7.0, n)
    direction = np.where(is_round[:, None], np.stack([np.cos(angle), np.sin(angle)], 1), [1.0, 0.0])
    G, Q = np.zeros((n, 3, 6)), np.zeros((5, 6, 6))
    cone_system.turn(C, K, v, direction, G, Q, np.empty(6), np.empty((3, 3)))
    for i in range(5):
        size = len(range(K.start[i], K.start[i + 1]))
        q = Q[i, :size, :size]
        assert np.allclose(q.T @ q, np.eye(size), rtol=0.0, atol=1e-13)
        added, largest = np.zeros((size, size)), np.zeros(size)
        for c in range(C.first[i], C.first[i + 1]):
            used = C.has[c] > 0.0
            g = plain_components(C, c, direction, size)[used]
            assert np.allclose(g @ q, G[c, used, :size], rtol=0.0, atol=1e-13)
            added += (G[c, used, :size].T * v[c, used] ** 2) @ G[c, used, :size]
        largest = np.sqrt(np.diag(added))
        assert np.all(np.abs(added) <= np.outer(largest, largest) * (1.0 + 1e-12))
        small = np.linalg.eigvalsh(
            added[C.held[i] :, C.held[i] :] / np.outer(largest, largest)[C.held[i] :, C.held[i] :]
        )
        assert small[0] > 1e-14  # definite after scaling of the rows, however far apart the numbers are


def jordan_matrix():
    """J in components along the rays"""
    return np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])


@pytest.mark.parametrize("seed", range(20))
def test_the_scaled_point_is_the_same_for_both(seed):
    """W z = W^-1 s, W a multiple of a Lorentz transform, after steps of any size"""
    rng = np.random.default_rng(seed)
    kind, has = np.array([second_order.ROUND]), np.ones((1, 3))
    v, direction, l = np.ones((1, 3)), np.array([[1.0, 0.0]]), np.array([[1.0, 1.0, 0.0]]) / np.sqrt(2.0)
    s, z = np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])  # in plain coordinates

    def plain(a):
        x, y = direction[0]
        p = (a[0] - a[1]) / np.sqrt(2.0)
        return np.array([(a[0] + a[1]) / np.sqrt(2.0), x * p - y * a[2], y * p + x * a[2]])

    for _ in range(6):
        ds, dz = rng.normal(size=(1, 3)), rng.normal(size=(1, 3))
        step = 1.0
        before = v.copy(), direction.copy()
        s_new, z_new = s + plain(step * ds[0] / v[0]), z + plain(step * dz[0] * v[0])
        while not second_order.rescale(kind, has, step, ds, dz, v, direction, l):
            assert np.array_equal(v, before[0])
            step *= 0.7
            s_new, z_new = s + plain(step * ds[0] / v[0]), z + plain(step * dz[0] * v[0])
        s, z = s_new, z_new
        size = max(np.abs(s).max(), np.abs(z).max())
        assert np.allclose(plain(l[0] / v[0]), s, rtol=0.0, atol=1e-11 * size)
        assert np.allclose(plain(l[0] * v[0]), z, rtol=0.0, atol=1e-11 * size)
        W = np.diag(1.0 / v[0])
        assert np.allclose(W @ jordan_matrix() @ W, jordan_matrix() / v[0, 2] ** 2, rtol=1e-11)
