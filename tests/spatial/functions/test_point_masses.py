"""Inertias of particles and of bodies of varying density: closed forms, shapes of uniform density, exactness by degree."""

import numpy as np
import pytest

from pluecker.spatial import (
    density_inertia,
    is_consistent,
    point_masses,
    pseudo_inertia,
    shapes,
    spatial_inertia,
)

EPS = np.finfo(float).eps
RNG = np.random.default_rng(8)
TETRAHEDRON = np.array([[0.1, 0, 0], [1, 0.2, 0], [0, 2, 0.3], [0, 0.4, 3.0]])


def close(found, expected, ulps=64):
    np.testing.assert_allclose(found, expected, rtol=0, atol=ulps * EPS * (1.0 + np.abs(expected).max()))


# -------------------------------------------------------------------------------------------------------------- particles


def test_the_pseudo_inertia_is_the_sum_over_particles():
    """P = sum m [x; 1] [x; 1]^T, which is the definition."""
    m, x = RNG.random((5, 20)), RNG.normal(size=(5, 20, 3))
    y = np.concatenate([x, np.ones((5, 20, 1))], axis=-1)
    close(pseudo_inertia(point_masses(m, x)), np.einsum("bn,bni,bnj->bij", m, y, y))


def test_the_products_of_inertia_are_negative():
    """I_xy = -sum m x y, in both places (source document 004 has one of them without its sign)."""
    I = point_masses([2.0, 3.0], [[1.0, 2.0, 0.0], [0.5, 0.5, 1.0]])
    close(I[0, 1], -(2.0 * 1.0 * 2.0 + 3.0 * 0.5 * 0.5))
    assert I[0, 1] == I[1, 0]


def test_special_cases_of_particles():
    close(point_masses([2.0], [[0.0, 0.0, 1.0]]), spatial_inertia(2.0, [0.0, 0.0, 1.0], np.zeros((3, 3))))
    some = point_masses([0.0, 1.0, 0.0], RNG.normal(size=(3, 3)))
    assert is_consistent(some)
    assert point_masses(np.ones((4, 1, 3)), np.ones((5, 3, 3))).shape == (4, 5, 6, 6)
    far = point_masses([1e300, 1e300], [[1e-10, 0, 0], [-1e-10, 0, 0]])
    close(far[1, 1] / 2e280, 1.0)


@pytest.mark.parametrize(
    ("masses", "positions", "message"),
    [
        ([-1.0, 2.0], np.ones((2, 3)), r"masses\[0\] is -1.0, expected a number that is not negative"),
        ([0.0, 0.0], np.ones((2, 3)), "the mass is zero"),
        ([], np.ones((0, 3)), r"masses has shape \(0,\)"),
        ([1.0], np.ones((2, 3)), r"masses has shape \(1,\) and positions \(2, 3\)"),
        (1.0, np.ones((1, 3)), r"masses has shape \(\)"),
        ([1e308, 1e308], np.ones((2, 3)), "overflows"),
        ([1.0, 1.0], [[1e200, 0, 0], [0, 0, 0]], "overflows"),
    ],
)
def test_particles_that_cannot_be(masses, positions, message):
    with pytest.raises(ValueError, match=f"^point_masses: .*{message}"):
        point_masses(masses, positions)


# ---------------------------------------------------------------------------------------------------------------- density


def test_a_uniform_density_gives_the_shapes():
    lower, upper = np.array([-0.5, -1.0, -1.5]), np.array([0.5, 1.0, 1.5])
    found = density_inertia(lambda x: np.full(len(x), 2.0), [lower, upper])
    close(found.inertia, shapes.box(12.0, [1.0, 2.0, 3.0]))
    assert found.error.max() < 1e-13
    reversed_corners = density_inertia(lambda x: np.full(len(x), 2.0), [[0.5, -1.0, 1.5], [-0.5, 1.0, -1.5]])
    close(reversed_corners.inertia, found.inertia)
    volume = abs(np.linalg.det(TETRAHEDRON[1:] - TETRAHEDRON[0])) / 6.0
    for vertices in (TETRAHEDRON, TETRAHEDRON[::-1]):
        found = density_inertia(lambda x: np.full(len(x), 2.0), vertices)
        close(found.inertia, shapes.tetrahedron(2.0 * volume, TETRAHEDRON))


@pytest.mark.parametrize("order", [3, 4, 6])
def test_polynomials_are_exact_up_to_the_stated_degree(order):
    """Against many more points; one degree more is not exact any more, and the error says so."""
    for cells, degree in (([[0.0, 0, 0], [1.0, 2, 1.5]], 2 * order - 3), (TETRAHEDRON, 2 * order - 3)):
        for k, exact in ((degree, True), (degree + 1, False)):
            found = density_inertia(lambda x, k=k: (x[:, 0] + 0.3 * x[:, 1]) ** k, cells, order=order)
            expected = density_inertia(lambda x, k=k: (x[:, 0] + 0.3 * x[:, 1]) ** k, cells, order=16).inertia
            difference = np.abs(found.inertia - expected).max() / np.abs(expected).max()
            assert (difference < 1e-13) == exact
            assert found.error.max() >= np.abs(found.inertia - expected).max() - 1e-13 * np.abs(expected).max()


def test_a_ball_whose_density_falls_off_is_integrated_to_digits():
    """rho = exp(-r^2): all integrals are products of error functions."""
    from math import erf, exp, pi, sqrt

    zeroth = sqrt(pi) * erf(2.0)
    second = 0.5 * zeroth - 2.0 * exp(-4.0)  # of x^2 exp(-x^2) over -2 to 2
    found = density_inertia(lambda x: np.exp(-(x**2).sum(axis=-1)), [[-2.0] * 3, [2.0] * 3], order=24)
    m, J = zeroth**3, 2.0 * second * zeroth**2
    np.testing.assert_allclose(found.inertia, np.diag([J, J, J, m, m, m]), rtol=0, atol=1e-12)
    assert found.error.max() < 1e-9


def test_cells_add_and_densities_come_in_batches():
    cells = np.array([[[0.0, 0, 0], [1, 1, 1]], [[1.0, 0, 0], [2, 1, 1]]])
    together = density_inertia(lambda x: np.stack([1.0 + x[:, 0], 1.0 + x[:, 1] ** 2]), cells)
    assert together.inertia.shape == together.error.shape == (2, 6, 6)
    close(together.inertia[0], density_inertia(lambda x: 1.0 + x[:, 0], [[0, 0, 0], [2, 1, 1]]).inertia)
    parts = [density_inertia(lambda x: 1.0 + x[:, 1] ** 2, cell).inertia for cell in cells]
    close(together.inertia[1], sum(parts))


def test_a_jump_inside_a_cell_is_reported():
    """Half a box: the points do not see where the density ends, and the error is of the size of what is missing."""
    found = density_inertia(lambda x: np.where(x[:, 0] < 0.3, 1.0, 0.0), [[0.0, 0, 0], [1.0, 1, 1]], order=8)
    assert found.error[5, 5] > 0.2 * abs(found.inertia[5, 5] - 0.3)
    assert found.error[5, 5] > 1e-3
