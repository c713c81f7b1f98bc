"""Coordinates in any basis: of the whole space and of subspaces, and the transform dual to any other."""

import numpy as np
import pytest

from pluecker.course import motion_subspace, planar
from pluecker.spatial import (
    change_of_basis,
    coordinates_in,
    dual,
    exp3,
    force_transform,
    pluecker_transform,
    reciprocal_basis,
)

RNG = np.random.default_rng(4)


@pytest.mark.parametrize(("n", "m"), [(2, 1), (2, 2), (3, 2), (6, 1), (6, 3), (6, 6), (9, 4)])
def test_coordinates_give_the_vector_back(n, m):
    for _ in range(20):
        B, x = RNG.normal(size=(n, m)), RNG.normal(size=m)
        values = np.linalg.svd(B, compute_uv=False)
        np.testing.assert_allclose(coordinates_in(B, B @ x), x, rtol=0, atol=1e-14 * n * m * values[0] / values[-1] * 4)


def test_coordinates_of_the_whole_space_are_products_with_the_reciprocal_basis():
    B, a = RNG.normal(size=(4, 6, 6)), RNG.normal(size=(4, 6))
    x = coordinates_in(B, a)
    np.testing.assert_allclose(x, np.einsum("kij,ki->kj", reciprocal_basis(B), a), rtol=1e-9, atol=1e-9)
    assert coordinates_in(B[0], a).shape == (4, 6)
    assert coordinates_in(B[:, None], a).shape == (4, 4, 6)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_coordinates_of_very_large_and_small_vectors(scale):
    B = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(coordinates_in(B, [3 * scale, 2 * scale, 0.0]), [scale, 2 * scale], rtol=1e-15)
    np.testing.assert_allclose(coordinates_in(scale * B, [3 * scale, 2 * scale, 0.0]), [1.0, 2.0], rtol=1e-15)
    np.testing.assert_array_equal(coordinates_in(scale * B, np.zeros(3)), np.zeros(2))


def test_a_vector_outside_the_subspace_is_refused():
    S = motion_subspace("cylindrical", [0, 0, 1], point=[0.3, 0.1, 0.0])
    v = S @ [0.5, -0.2]
    with pytest.raises(ValueError, match=r"coordinates_in: a is not in the span of the basis: 0\.\d+ of its length"):
        coordinates_in(S, v + 0.1 * np.eye(6)[0])
    with pytest.raises(ValueError, match=r"of its length is outside \(entry 1\)"):
        coordinates_in(S, np.stack([v, v + 1e-6 * np.eye(6)[0], v]))
    coordinates_in(S, v * (1.0 + 1e-12 * RNG.normal(size=6)))
    with pytest.raises(ValueError, match="the vectors of basis are linearly dependent"):
        coordinates_in(np.ones((3, 2)), np.ones(3))
    with pytest.raises(ValueError, match=r"basis has shape \(2, 3\), expected \(\.\.\., n, m\)"):
        coordinates_in(np.ones((2, 3)), np.ones(2))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 8])
def test_the_dual_of_any_transform_keeps_the_scalar_product(n):
    X, m, f = RNG.normal(size=(4, n, n)), RNG.normal(size=n), RNG.normal(size=n)
    condition = np.linalg.cond(X).max()
    np.testing.assert_allclose(
        (dual(X) @ f * (X @ m)).sum(axis=-1), np.full(4, m @ f), rtol=0, atol=1e-14 * n * condition
    )
    np.testing.assert_allclose(dual(dual(X)), X, rtol=0, atol=1e-14 * n * condition**2)
    np.testing.assert_allclose(dual(X), np.swapaxes(np.linalg.inv(X), -1, -2), rtol=1e-12)


def test_the_dual_of_planar_and_of_pluecker_transforms():
    r = RNG.normal(size=2)
    X, F = planar.planar_transform(0.3, r), planar.planar_force_transform(0.3, r)
    np.testing.assert_allclose(dual(X), F, rtol=0, atol=1e-15)
    E, p = exp3(RNG.normal(size=3)), RNG.normal(size=3)
    np.testing.assert_array_equal(dual(pluecker_transform(E, p)), force_transform(E, p))  # no inversion, no rounding
    D, C = RNG.normal(size=(2, 6, 6))
    np.testing.assert_allclose(
        dual(change_of_basis(D, C)), change_of_basis(reciprocal_basis(D), reciprocal_basis(C)), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("bad", [np.zeros((6, 6)), np.ones((6, 6)), np.ones((3, 3)), np.zeros((0, 0)), np.ones((3, 4))])
def test_what_has_no_dual(bad):
    with pytest.raises(ValueError, match=r"^dual: "):
        dual(bad)
