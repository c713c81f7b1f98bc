"""Typed vectors, transforms and inertias against matrices from the definitions."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pluecker.spatial import (
    ArticulatedInertia,
    ForceVector,
    InverseInertia,
    MotionVector,
    PlueckerTransform,
    RigidBodyInertia,
    relative_inertia,
)
from tests.spatial import matrices as mat
from tests.spatial.typed.quantities import (
    CLOSE,
    LINEAR,
    ONE,
    array_of,
    one_of_each,
    random_articulated,
    random_rigid,
    random_transform,
)

m, f, X, I, IA, Phi = one_of_each()


def test_parts_are_the_halves_of_the_coordinates(rng):
    a, b = rng.normal(size=(2, 4, 3))
    v, g = MotionVector.from_parts(a, b, "base"), ForceVector.from_parts(a, b, "base")
    for x, first, second in ((v, v.angular, v.linear), (g, g.moment, g.force)):
        np.testing.assert_array_equal(x.coordinates, np.hstack([a, b]))
        np.testing.assert_array_equal(first, a)
        np.testing.assert_array_equal(second, b)
        assert x.frame == "base"
    assert MotionVector.from_parts(a, [1, 2, 3]).shape == (4,)
    np.testing.assert_array_equal(ForceVector.zero("base").coordinates, np.zeros(6))


def test_power_is_the_sum_of_products_from_either_side(rng):
    a, b = rng.normal(size=(2, 6))
    v, g = MotionVector(a), ForceVector(b)
    for power in (v.dot(g), g.dot(v), v @ g, g @ v, np.matmul(v, g)):
        assert isinstance(power, float)
        np.testing.assert_allclose(power, a @ b, **CLOSE)


def test_cross_products_are_those_of_the_matrices(rng):
    v, a, b = rng.normal(size=(3, 6))
    V = MotionVector(v)
    moved, pushed = V.cross(MotionVector(a)), V.cross(ForceVector(b))
    assert (type(moved), type(pushed)) == (MotionVector, ForceVector)
    np.testing.assert_allclose(moved.coordinates, mat.crm(v) @ a, **CLOSE)
    np.testing.assert_allclose(pushed.coordinates, -mat.crm(v).T @ b, **CLOSE)


def test_transform_acts_on_each_kind_in_its_own_way(rng):
    X = random_transform(rng, "base", "tool")
    M = X.matrix
    inverse = np.linalg.inv(M)
    v, g = MotionVector(rng.normal(size=6), "base"), ForceVector(rng.normal(size=6), "base")
    R, A = random_rigid(rng, "base"), random_articulated(rng, "base")
    inverse_A = A.inverse()
    for x, expected in (
        (v, M @ v.coordinates),
        (g, inverse.T @ g.coordinates),
        (R, inverse.T @ R.matrix @ inverse),
        (A, inverse.T @ A.matrix @ inverse),
        (inverse_A, M @ np.linalg.inv(A.matrix) @ M.T),
    ):
        result = X @ x
        assert type(result) is type(x)
        assert result.frame == "tool"
        if x not in (v, g):
            np.testing.assert_array_equal(result.matrix, result.matrix.T)
        np.testing.assert_allclose(array_of(result), expected, rtol=1e-9, atol=1e-9)


def test_transform_is_what_its_parts_say(rng):
    E, r = mat.random_transform(rng)
    matrix, E = mat.X_matrix((E, r)), np.reshape(E, (3, 3))
    T = np.block([[E.T, np.reshape(r, (3, 1))], [np.zeros((1, 3)), 1.0]])
    rotation = Rotation.from_matrix(E.T)
    made = (
        PlueckerTransform(E, r, "a", "b"),
        PlueckerTransform.from_matrix(matrix, "a", "b"),
        PlueckerTransform.from_placement(T, "a", "b"),
        PlueckerTransform.from_rotation(rotation, r, "a", "b"),
    )
    for X in made:
        assert (X.source, X.target) == ("a", "b")
        np.testing.assert_allclose(X.matrix, matrix, **CLOSE)
        np.testing.assert_allclose(X.force_matrix, np.linalg.inv(matrix).T, **CLOSE)
        np.testing.assert_allclose(X.rotation, E, **CLOSE)
        np.testing.assert_allclose(X.translation, r, **CLOSE)
        np.testing.assert_allclose(X.placement, T, **CLOSE)


def test_transforms_form_a_group(rng):
    X1, X2 = random_transform(rng, "a", "b"), random_transform(rng, "b", "c")
    X = X2 @ X1
    assert (X.source, X.target) == ("a", "c")
    np.testing.assert_allclose(X.matrix, X2.matrix @ X1.matrix, **CLOSE)
    assert X.inverse() == X1.inverse() @ X2.inverse()
    assert X1.inverse() @ X1 == PlueckerTransform.identity("a")
    assert X1 @ X1.inverse() == PlueckerTransform.identity("b")
    assert np.linalg.inv(X) == X.inverse()


def test_inertia_maps_motion_to_force_and_its_inverse_back(rng):
    for I in (random_rigid(rng, "base"), random_articulated(rng, "base")):
        v = MotionVector(rng.normal(size=6))
        h = I @ v
        assert type(h) is ForceVector
        assert h.frame == "base"
        np.testing.assert_allclose(h.coordinates, I.matrix @ v.coordinates, **CLOSE)
        back = I.inverse() @ h
        assert type(back) is MotionVector
        np.testing.assert_allclose(back.coordinates, v.coordinates, rtol=1e-9, atol=1e-9)
        assert type(I.inverse()) is InverseInertia
        np.testing.assert_allclose(I.inverse().inverse().matrix, I.matrix, rtol=1e-9, atol=1e-9)


def test_energy_is_half_the_power_of_the_momentum_and_the_rate_is_its_derivative(rng):
    I, v = random_rigid(rng, "base"), MotionVector(rng.normal(size=6), "base")
    np.testing.assert_allclose(I.kinetic_energy(v), 0.5 * v.coordinates @ I.matrix @ v.coordinates, **CLOSE)
    crm = mat.crm(v.coordinates)
    np.testing.assert_allclose(I.rate(v), -crm.T @ I.matrix - I.matrix @ crm, **CLOSE)
    with pytest.raises(TypeError):
        I + I.rate(v)


def test_rigid_inertia_is_made_of_its_parameters(rng):
    points, masses = rng.normal(size=(6, 3)), rng.uniform(0.1, 1.0, 6)
    center = masses @ points / masses.sum()
    about_center = sum(w * (p @ p * ONE - np.outer(p, p)) for w, p in zip(masses, points - center, strict=True))
    about_origin = sum(w * (p @ p * ONE - np.outer(p, p)) for w, p in zip(masses, points, strict=True))
    I = RigidBodyInertia(masses.sum(), center, about_center, "base")
    H = masses.sum() * mat.skew(center)
    np.testing.assert_allclose(I.matrix, np.block([[about_origin, H], [-H, masses.sum() * ONE]]), **CLOSE)
    assert isinstance(I.mass, float)
    np.testing.assert_allclose(I.mass, masses.sum(), **CLOSE)
    np.testing.assert_allclose(I.center_of_mass, center, **CLOSE)
    np.testing.assert_allclose(I.inertia_about_center, about_center, **CLOSE)


def test_sum_of_rigid_bodies_is_rigid_and_any_other_is_not(rng):
    A, B = random_rigid(rng), random_rigid(rng)
    C = random_articulated(rng, "base")
    assert type(A + B) is RigidBodyInertia
    np.testing.assert_allclose(
        (A + B).center_of_mass, (A.mass * A.center_of_mass + B.mass * B.center_of_mass) / (A.mass + B.mass), **CLOSE
    )
    for total in (A + C, C + A):
        assert type(total) is ArticulatedInertia
        assert total.frame == "base"
        np.testing.assert_allclose(total.matrix, A.matrix + C.matrix, **CLOSE)
    assert type(A + B - B) is RigidBodyInertia
    assert A + B - B == A
    for a, b in ((A, ArticulatedInertia(A.matrix)), (ArticulatedInertia(A.matrix), A)):
        assert a == b


def test_inverse_inertias_add_up_to_the_relative_inertia(rng):
    A, B = random_articulated(rng), random_articulated(rng)
    relative = (A.inverse() + B.inverse()).inverse()
    np.testing.assert_allclose(relative.matrix, relative_inertia(A.matrix, B.matrix), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("length", [0.0, 1e-6, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("center", [(0.0, 0.0, 0.0), (0.1, -0.2, 0.3)])
def test_rigid_body_stays_rigid_however_far_it_is_seen_from(length, center, rng):
    I = RigidBodyInertia(2.0, center, np.diag([1.0, 2.0, 2.5]))
    E = mat.random_rotation(rng)
    r = length * np.array([1.0, 2.0, -2.0]) / 3
    X = PlueckerTransform(E, r)
    for seen in (X @ I, X.inverse() @ (X @ I)):
        assert type(seen) is RigidBodyInertia
        np.testing.assert_array_equal(seen.matrix, seen.matrix.T)
        assert seen.mass == 2.0
    np.testing.assert_allclose((X @ I).center_of_mass, E @ (np.array(center) - r), rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(
        (X @ I).inertia_about_center, E @ np.diag([1.0, 2.0, 2.5]) @ E.T, atol=1e-14 * (1 + length**2)
    )
    np.testing.assert_allclose((X.inverse() @ (X @ I)).center_of_mass, center, atol=1e-15 * (1 + length))


@LINEAR
def test_sums_and_multiples_are_those_of_the_numbers(x):
    a = array_of(x)
    for result, expected in (
        (x + x, a + a),
        (3 * x - x, 2 * a),
        (+x, a),
        (2.0 * x, 2 * a),
        (x * 2, 2 * a),
        (np.float64(2) * x, 2 * a),
        (np.int32(2) * x, 2 * a),
        (x * np.float64(2), 2 * a),
        (np.array(2.0) * x, 2 * a),
        (x / 2, a / 2),
        (np.add(x, x), a + a),
        (np.subtract(3 * x, x), 2 * a),
        (np.multiply(2.0, x), 2 * a),
        (np.true_divide(x, 2.0), a / 2),
        (np.positive(x), a),
    ):
        assert type(result) is type(x)
        assert result.frame == "base"
        np.testing.assert_allclose(array_of(result), expected, **CLOSE)
    if not isinstance(x, RigidBodyInertia):
        np.testing.assert_array_equal(array_of(-x), -a)
        np.testing.assert_array_equal(array_of(np.negative(x)), -a)
