"""The tuple algebra against 6x6 matrices built from the definitions.

Users have these kernels inside of others: here they run in plain Python on each change, and each compiled for itself before
a release.
"""

import numpy as np
import pytest

from pluecker.spatial.algebra import inertia, transforms, vectors
from tests.spatial import matrices as mat

pytestmark = pytest.mark.plain
CLOSE = {"rtol": 1e-13, "atol": 1e-13}  # a dozen products and sums of numbers near one


@pytest.fixture(params=range(3))
def rng(request):
    return np.random.default_rng(request.param)


def test_motion_transform_is_the_pluecker_matrix(rng):
    X, m = mat.random_transform(rng), rng.normal(size=6)
    np.testing.assert_allclose(mat.flat(transforms.transform_motion(X, mat.motion(m))), mat.X_matrix(X) @ m, **CLOSE)


def test_inverse_motion_transform_is_the_inverse_matrix(rng):
    X, m = mat.random_transform(rng), rng.normal(size=6)
    expected = np.linalg.solve(mat.X_matrix(X), m)
    np.testing.assert_allclose(mat.flat(transforms.inverse_transform_motion(X, mat.motion(m))), expected, **CLOSE)


def test_force_transform_is_the_inverse_transpose(rng):
    X, f = mat.random_transform(rng), rng.normal(size=6)
    expected = np.linalg.solve(mat.X_matrix(X).T, f)
    np.testing.assert_allclose(mat.flat(transforms.transform_force(X, mat.motion(f))), expected, **CLOSE)


def test_inverse_force_transform_is_the_transpose(rng):
    X, f = mat.random_transform(rng), rng.normal(size=6)
    expected = mat.X_matrix(X).T @ f
    np.testing.assert_allclose(mat.flat(transforms.inverse_transform_force(X, mat.motion(f))), expected, **CLOSE)


def test_composition_multiplies_matrices(rng):
    X1, X2 = mat.random_transform(rng), mat.random_transform(rng)
    composed = mat.X_matrix(transforms.compose(X2, X1))
    np.testing.assert_allclose(composed, mat.X_matrix(X2) @ mat.X_matrix(X1), **CLOSE)


def test_inverse_undoes_the_transform(rng):
    X = mat.random_transform(rng)
    np.testing.assert_allclose(mat.X_matrix(transforms.inverse(X)) @ mat.X_matrix(X), np.eye(6), **CLOSE)


def test_motion_cross_product_is_its_matrix(rng):
    v, m = rng.normal(size=(2, 6))
    np.testing.assert_allclose(mat.flat(vectors.cross_motion(mat.motion(v), mat.motion(m))), mat.crm(v) @ m, **CLOSE)


def test_force_cross_product_is_minus_the_transpose(rng):
    v, f = rng.normal(size=(2, 6))
    np.testing.assert_allclose(mat.flat(vectors.cross_force(mat.motion(v), mat.motion(f))), -mat.crm(v).T @ f, **CLOSE)


def test_power_does_not_depend_on_coordinates(rng):
    X, m, f = mat.random_transform(rng), mat.motion(rng.normal(size=6)), mat.motion(rng.normal(size=6))
    there = vectors.dot(transforms.transform_motion(X, m), transforms.transform_force(X, f))
    np.testing.assert_allclose(there, vectors.dot(m, f), **CLOSE)


def test_rigid_inertia_multiplies_as_its_matrix(rng):
    I, v = mat.random_rigid(rng), rng.normal(size=6)
    np.testing.assert_allclose(mat.flat(inertia.rigid_times_motion(I, mat.motion(v))), mat.rigid_matrix(I) @ v, **CLOSE)


def test_rigid_inertia_transforms_by_congruence(rng):
    I, X = mat.random_rigid(rng), mat.random_transform(rng)
    expected = mat.X_matrix(X).T @ mat.rigid_matrix(I) @ mat.X_matrix(X)
    np.testing.assert_allclose(mat.rigid_matrix(inertia.inverse_transform_rigid(X, I)), expected, **CLOSE)


def test_rigid_inertias_add(rng):
    A, B = mat.random_rigid(rng), mat.random_rigid(rng)
    np.testing.assert_allclose(
        mat.rigid_matrix(inertia.add_rigid(A, B)), mat.rigid_matrix(A) + mat.rigid_matrix(B), **CLOSE
    )


def test_a_rigid_inertia_is_an_articulated_one(rng):
    I = mat.random_rigid(rng)
    np.testing.assert_allclose(mat.articulated_matrix(inertia.articulated_from_rigid(I)), mat.rigid_matrix(I), **CLOSE)


def test_articulated_inertia_multiplies_as_its_matrix(rng):
    I, v = mat.random_articulated(rng), rng.normal(size=6)
    expected = mat.articulated_matrix(I) @ v
    np.testing.assert_allclose(mat.flat(inertia.articulated_times_motion(I, mat.motion(v))), expected, **CLOSE)


def test_articulated_inertia_transforms_by_congruence(rng):
    I, X = mat.random_articulated(rng), mat.random_transform(rng)
    expected = mat.X_matrix(X).T @ mat.articulated_matrix(I) @ mat.X_matrix(X)
    moved = mat.articulated_matrix(inertia.inverse_transform_articulated(X, I))
    np.testing.assert_allclose(moved, expected, rtol=1e-12, atol=1e-12)


def test_articulated_inertias_add(rng):
    A, B = mat.random_articulated(rng), mat.random_articulated(rng)
    expected = mat.articulated_matrix(A) + mat.articulated_matrix(B)
    np.testing.assert_allclose(mat.articulated_matrix(inertia.add_articulated(A, B)), expected, **CLOSE)


def test_a_freedom_that_yields_leaves_no_inertia_along_itself(rng):
    I, S = mat.random_articulated(rng), rng.normal(size=6)
    A = mat.articulated_matrix(I)
    U = A @ S
    left = mat.articulated_matrix(inertia.rank1_downdate(I, mat.motion(U), 1.0 / (S @ U)))
    np.testing.assert_allclose(left, A - np.outer(U, U) / (S @ U), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(left @ S, 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("load", "store", "make", "size"),
    [
        (transforms.load_transform, transforms.store_transform, mat.random_transform, 12),
        (inertia.load_rigid, inertia.store_rigid, mat.random_rigid, 10),
        (inertia.load_articulated, inertia.store_articulated, mat.random_articulated, 21),
        (vectors.load_vector, vectors.store_vector, lambda rng: mat.motion(rng.normal(size=6)), 6),
    ],
    ids=["transform", "rigid", "articulated", "vector"],
)
def test_what_is_stored_is_loaded_again(load, store, make, size, rng):
    array, value = np.full(size + 5, np.nan), make(rng)
    store(array, 2, value)
    loaded = load(array, 2)
    assert mat.flat([np.ravel(part) for part in deep(loaded)]).tolist() == mat.flat(deep(value)).tolist()
    assert np.isnan(array[[0, 1, -3, -2, -1]]).all()
    assert not np.isnan(array[2 : 2 + size]).any()


def deep(x):
    return [np.ravel(part) for part in x]
