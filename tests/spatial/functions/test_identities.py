"""Identities of spatial vectors as the course prints them, section by section, on samples that are hard on purpose.

Tolerances are rounding errors: :func:`close` allows so many units in the last place of the product of the sizes of what
was multiplied. Nothing is compared with a fixed small number.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pluecker.articulated import rnea
from pluecker.course import complement, joint_space, motion_subspace, velocity_at
from pluecker.spatial import (
    body_kinetic_energy,
    body_momentum,
    change_of_basis,
    classical_acceleration,
    compose,
    crf,
    crm,
    cross_force,
    cross_motion,
    derivative_of_force,
    derivative_of_motion,
    dual,
    exp3,
    exp6,
    force_transform,
    inertia_parameters,
    inertia_rate,
    inverse_inertia,
    invert,
    net_force,
    placement,
    pluecker_transform,
    reciprocal_basis,
    relative_inertia,
    scalar_product,
    skew,
    spatial_acceleration,
    spatial_inertia,
    strategies,
    transform_force,
    transform_from_placement,
    transform_inertia,
    transform_motion,
    transform_parameters,
)
from tests.models import one_body

EPS = float(np.finfo(float).eps)

vectors = strategies.vectors()
motions = strategies.motion_vectors()
forces = strategies.force_vectors()
rotations = strategies.rotations()
transforms = strategies.transforms()
near = strategies.transforms(
    1e-6, 10.0
)  # for inertias: where a distance squared leaves the digits of what it is added to
inertias = strategies.rigid_inertias() | strategies.articulated_inertias()
rates = strategies.motion_vectors(1e-3, 1e3)
numbers = st.floats(-1e3, 1e3)


def size(x):
    """The largest entry, and something for zero"""
    return max(float(np.abs(x).max(initial=0.0)), 1e-300)


def close(found, expected, *sizes, ulps=64.0):
    """Check equality within rounding of the product of these sizes, or of what is expected."""
    scale = float(np.prod(sizes)) if sizes else size(expected)
    error = float(np.abs(np.asarray(found) - np.asarray(expected)).max(initial=0.0))
    assert error <= ulps * EPS * scale, f"{error / EPS / scale:.1f} units in the last place of {scale:g}"


# ------------------------------------------------------------------------------------------------ 6: the matrix of a x


@given(vectors, vectors, numbers)
def test_6_the_cross_product_matrix_is_skew_and_linear(a, b, k):
    np.testing.assert_array_equal(skew(a), -skew(a).T)
    close(skew(k * a), k * skew(a), size(a), abs(k) + 1e-300)
    close(skew(a + b), skew(a) + skew(b), size(a) + size(b))
    np.testing.assert_allclose(skew(a) @ b, np.cross(a, b), atol=4.0 * EPS * size(a) * size(b))


# ------------------------------------------------------------------------------------------------ 19 to 26: motion and force


@given(motions, vectors, vectors)
def test_19_the_velocity_of_a_point_from_any_other(v, p, q):
    at_p = velocity_at(v, p)
    close(velocity_at(v, q), at_p + np.cross(v[:3], q - p), size(v), 1.0 + size(p) + size(q))


@given(motions, forces)
def test_25_the_scalar_product_is_that_of_dual_coordinates(m, f):
    close(scalar_product(m, f), m @ f, size(m), size(f))


# ----------------------------------------------------------------------------------------------------- 28 to 35: coordinates


def bases(n):
    """Draw matrices that are far from singular."""
    entries = st.lists(st.floats(-1.0, 1.0), min_size=n * n, max_size=n * n)
    return entries.map(lambda x: np.reshape(x, (n, n)) + 3.0 * np.sqrt(n) * np.eye(n))


@given(bases(6), bases(6), motions, forces)
def test_28_and_31_columns_are_the_old_basis_in_the_new_one(old, new, u, f):
    X = change_of_basis(old, new)
    close(new @ X, old, size(old), 10.0)
    close(new @ (X @ u), old @ u, size(u), size(old) * 100.0)  # one vector, two lists of coordinates
    E_old, E_new = reciprocal_basis(old), reciprocal_basis(new)
    close(old.T @ E_old, np.eye(6), 100.0)
    close(change_of_basis(E_old, E_new), np.linalg.inv(X).T, 100.0)
    close((X @ u) @ (np.linalg.inv(X).T @ f), u @ f, size(u), size(f) * 100.0)


@given(transforms, motions, forces)
def test_31_and_34_the_scalar_product_is_invariant(X, m, f):
    lever = 1.0 + size(X)
    close(
        scalar_product(transform_motion(X, m), transform_force(X, f)), scalar_product(m, f), lever**2, size(m), size(f)
    )


@given(transforms)
def test_31_forces_transform_with_the_inverse_transpose(X):
    E, r = transform_parameters(X)
    np.testing.assert_array_equal(dual(X), invert(X).T)
    close(dual(X), force_transform(E, r), size(X))
    close(dual(X).T @ X, np.eye(6), size(X))
    np.testing.assert_array_equal(dual(dual(X)), X)


@given(rotations, vectors)
def test_35_a_transform_is_a_shift_and_then_a_rotation(E, r):
    turn = np.kron(np.eye(2), E)
    shift = np.eye(6)
    shift[3:, :3] = skew(r).T
    close(pluecker_transform(E, r), turn @ shift, 1.0 + size(r))


@given(transforms, motions, forces)
def test_35_transforms_are_matrices(X, m, f):
    close(transform_motion(X, m), X @ m, size(X), size(m))
    close(transform_force(X, f), dual(X) @ f, size(X), size(f))
    close(invert(X) @ X, np.eye(6), size(X))
    close(placement(transform_from_placement(placement(X))), placement(X), 1.0 + size(X))


@given(transforms, transforms, transforms)
def test_35_transforms_are_a_group(X1, X2, X3):
    sizes = size(X1), size(X2), size(X3)
    close(compose(X2, X1), X2 @ X1, *sizes[:2])
    close(compose(compose(X3, X2), X1), compose(X3, compose(X2, X1)), *sizes)
    close(invert(compose(X2, X1)), compose(invert(X1), invert(X2)), *sizes[:2])
    close(compose(X1, np.eye(6)), X1, sizes[0])
    np.testing.assert_array_equal(invert(invert(X1)), X1)


# ------------------------------------------------------------------------------------------------- 37 to 42: rates of change


@given(motions, motions, forces, numbers)
def test_37_the_spatial_cross_products(v, m, f, k):
    np.testing.assert_array_equal(crf(v), -crm(v).T)
    close(cross_motion(v, m), crm(v) @ m, size(v), size(m))
    close(cross_force(v, f), crf(v) @ f, size(v), size(f))
    close(cross_motion(v, m), -cross_motion(m, v), size(v), size(m))
    close(cross_motion(v, v), np.zeros(6), size(v), size(v))
    close(crm(k * v), k * crm(v), size(v), abs(k) + 1e-300)
    close(crm(v + m), crm(v) + crm(m), size(v) + size(m))


@given(transforms, motions)
def test_37_the_cross_product_in_other_coordinates(X, v):
    """(X v) x = X (v x) X^-1, (X v) x* = X* (v x*) X^T"""
    close(crm(transform_motion(X, v)), X @ crm(v) @ invert(X), (1.0 + size(X)) ** 2, size(v))
    close(crf(transform_motion(X, v)), dual(X) @ crf(v) @ X.T, (1.0 + size(X)) ** 2, size(v))


@given(motions, motions, motions, forces)
def test_37_jacobi_and_leibniz(u, v, m, f):
    sizes = size(u), size(v)
    jacobi = cross_motion(u, cross_motion(v, m)) - cross_motion(v, cross_motion(u, m))
    close(cross_motion(cross_motion(u, v), m), jacobi, *sizes, size(m))
    close(cross_motion(v, m) @ f + m @ cross_force(v, f), 0.0, size(v), size(m), size(f))


@given(strategies.motion_vectors(1e-3, 1.0), motions, forces)
def test_38_what_moves_with_a_body_changes_by_the_cross_product(v, m, f):
    """m(t) = expm(t v x) m, f(t) = expm(t v x*) f: by central differences, with an error of h^2/6 third derivatives"""
    h = 1e-4
    forward, backward = (invert(transform_from_placement(exp6(t * v))) for t in (h, -h))
    bound = (6.0 * size(v)) ** 3 * h**2 / 6.0 * (1.0 + size(v)) + 64.0 * EPS / h
    found = (forward @ m - backward @ m) / (2.0 * h)
    assert np.abs(found - cross_motion(v, m)).max() <= bound * size(m)
    found = (dual(forward) @ f - dual(backward) @ f) / (2.0 * h)
    assert np.abs(found - cross_force(v, f)).max() <= bound * size(f)


@given(motions, motions, motions, forces, forces)
def test_39_derivatives_in_moving_coordinates(rate, v, m, f, force_rate):
    close(derivative_of_motion(rate, v, m), rate + crm(v) @ m, size(rate) + size(v) * size(m))
    close(derivative_of_force(force_rate, v, f), force_rate + crf(v) @ f, size(force_rate) + size(v) * size(f))


@given(motions, rates)
def test_41_spatial_and_classical_acceleration(v, a):
    classical = classical_acceleration(v, a)
    expected = np.concatenate([a[:3], a[3:] + np.cross(v[:3], v[3:])])
    close(classical, expected, size(a) + size(v) ** 2)
    close(spatial_acceleration(v, classical), a, size(a) + size(v) ** 2)


# ------------------------------------------------------------------------------------------------------ 44 to 48: dynamics


@given(strategies.rigid_inertias(), rates)
def test_44_momentum_is_that_of_the_centre_of_mass_and_about_it(I, v):
    m, c, I_C = inertia_parameters(I)
    linear = m * velocity_at(v, c)
    expected = np.concatenate([I_C @ v[:3] + np.cross(c, linear), linear])
    close(body_momentum(I, v), expected, size(I) + m * (1.0 + size(c)) ** 2, size(v))


@given(strategies.rigid_inertias() | strategies.barely_consistent_inertias())
def test_45_the_matrix_of_a_rigid_body(I):
    np.testing.assert_array_equal(I, I.T)
    np.testing.assert_array_equal(I[3:, 3:], I[5, 5] * np.eye(3))
    np.testing.assert_array_equal(I[:3, 3:], -I[:3, 3:].T)
    m, c, I_C = inertia_parameters(I)
    close(spatial_inertia(m, c, I_C), I, size(I))
    close(I[:3, :3], I_C - m * skew(c) @ skew(c), size(I))


@given(inertias, rates, rates)
def test_46_inertia_is_symmetric_and_positive_definite(I, v1, v2):
    sizes = size(I), size(v1)
    close(body_momentum(I, v1) @ v2, v1 @ body_momentum(I, v2), *sizes, size(v2))
    energy = body_kinetic_energy(I, v1)
    close(energy, 0.5 * v1 @ I @ v1, *sizes, size(v1))
    assert energy >= -64.0 * EPS * size(I) * size(v1) ** 2
    assert np.linalg.eigvalsh(I)[0] > -64.0 * EPS * size(I)


@given(inertias, rates)
def test_46_the_rate_of_change_of_inertia(I, v):
    rate = inertia_rate(I, v)
    np.testing.assert_array_equal(rate, rate.T)
    close(rate, crf(v) @ I - I @ crm(v), size(I), size(v))


@given(strategies.rigid_inertias(), strategies.motion_vectors(1e-3, 1.0))
def test_46_the_rate_is_the_derivative_of_the_moving_inertia(I, v):
    h = 1e-4
    after, before = (transform_inertia(invert(transform_from_placement(exp6(t * v))), I) for t in (h, -h))
    bound = (100.0 * h**2 * (1.0 + size(v)) ** 3 + 64.0 * EPS / h) * size(I)
    assert np.abs((after - before) / (2.0 * h) - inertia_rate(I, v)).max() <= bound


@given(near, inertias, rates)
def test_46_the_congruence_keeps_symmetry_definiteness_and_energy(X, I, v):
    moved = transform_inertia(X, I)
    lever = (1.0 + size(X)) ** 2
    np.testing.assert_array_equal(moved, moved.T)
    close(moved, dual(X) @ I @ invert(X), lever, size(I))
    assert np.linalg.eigvalsh(moved)[0] > -64.0 * EPS * lever * size(I)
    close(
        body_kinetic_energy(moved, transform_motion(X, v)), body_kinetic_energy(I, v), lever**2, size(I), size(v) ** 2
    )
    close(
        body_momentum(moved, transform_motion(X, v)),
        transform_force(X, body_momentum(I, v)),
        lever**2,
        size(I),
        size(v),
    )


@given(inertias, rates, rates)
def test_47_force_is_the_rate_of_change_of_momentum(I, a, v):
    """d(I v)/dt = (dI/dt) v + I a"""
    close(net_force(I, v, a), inertia_rate(I, v) @ v + I @ a, size(I), size(a) + size(v) ** 2)


@given(inertias, rates, rates)
def test_47_power_is_the_rate_of_kinetic_energy(I, a, v):
    """f . v = v . I a: the force v x* I v does no work"""
    expected = v @ I @ a
    close(net_force(I, v, a) @ v, expected, size(I), size(v), size(a) + size(v) ** 2)
    energy_rate = v @ I @ a + 0.5 * v @ inertia_rate(I, v) @ v
    close(energy_rate, expected, size(I), size(v), size(a) + size(v) ** 2)


@given(strategies.rigid_inertias(), rates, rates)
def test_48_newton_and_euler_at_the_centre_of_mass(I, a, v):
    """A4: with the centre of mass at the origin, f = m c'' and n = I_C dw + w x I_C w"""
    m, _, I_C = inertia_parameters(I)
    w = v[:3]
    r2 = classical_acceleration(v, a)[3:]
    expected = np.concatenate([I_C @ a[:3] + np.cross(w, I_C @ w), m * r2])
    found = net_force(spatial_inertia(m, np.zeros(3), I_C), v, a)
    close(found, expected, size(I) + m, size(a) + size(v) ** 2)


@given(near, inertias)
def test_48_the_inverse_transforms_as_motions_do(X, I):
    """A2: I_B^-1 = X I_A^-1 X^T, within the condition number"""
    inverse = inverse_inertia(I)
    moved = inverse_inertia(transform_inertia(X, I))
    condition = size(I) * size(inverse) * (1.0 + size(X)) ** 4
    close(X @ inverse @ X.T, moved, condition, (1.0 + size(X)) ** 2, size(inverse))
    close(inverse @ I, np.eye(6), size(I) * size(inverse))


@given(inertias, inertias)
def test_48_relative_inertia_is_the_harmonic_sum(I_A, I_B):
    inverse = inverse_inertia(I_A) + inverse_inertia(I_B)
    relative = relative_inertia(I_A, I_B)
    condition = size(I_A + I_B) * size(inverse_inertia(I_A + I_B))
    close(relative @ inverse, np.eye(6), condition, size(relative) * size(inverse))
    np.testing.assert_array_equal(relative, relative.T)


# ---------------------------------------------------------------------------------------------- 49 to 55: constrained motion


@given(
    st.sampled_from(["revolute", "prismatic", "cylindrical", "spherical", "planar"]), strategies.directions(), vectors
)
def test_49_constraint_forces_do_no_work(kind, axis, coordinates):
    S = motion_subspace(kind) if kind == "spherical" else motion_subspace(kind, axis)
    T = complement(S)
    assert S.shape[1] + T.shape[1] == 6
    close(S.T @ T, np.zeros((S.shape[1], T.shape[1])), 1.0)
    v = S @ coordinates[: S.shape[1]]
    close(T.T @ v, np.zeros(T.shape[1]), size(v))


ROD = 2.0, [0.1, -0.2, 0.3], np.diag([0.2, 0.3, 0.25])
turns = st.floats(-3.0, 3.0)


@given(st.sampled_from(["revolute", "cylindrical", "spherical", "planar"]), strategies.rigid_inertias(), rates, rates)
def test_55_one_body_on_a_joint_obeys_the_equation_of_motion(kind, I, rate, second):
    """tau = H qdd + C is S^T f with f = I a + v x* I v, v = S qd, a = S qdd"""
    S = motion_subspace(kind) if kind == "spherical" else motion_subspace(kind, [0.0, 0.6, 0.8])
    qd, qdd = rate[: S.shape[1]], second[: S.shape[1]]
    H, C = joint_space(I, S, qd)
    close(H @ qdd + C, S.T @ net_force(I, S @ qd, S @ qdd), size(I), size(qdd) + size(qd) ** 2)


@pytest.mark.everything
@given(turns, turns, turns, strategies.directions())
def test_55_one_body_on_a_joint_has_the_torque_of_inverse_dynamics(q, qd, qdd, axis):
    """tau = s . f with f = I a + v x* I v, v = s qd, a = s qdd - a_g"""
    mass, center, inertia = ROD
    model = one_body("rod", "revolute", mass, center, inertia, axis=axis, gravity=(0.0, 0.0, -9.81))
    tau = rnea(model, [q], [qd], [qdd])
    s = np.concatenate([axis, np.zeros(3)])
    X = pluecker_transform(exp3(q * axis).T, np.zeros(3))
    I = spatial_inertia(*ROD)
    a = s * qdd - transform_motion(X, [0, 0, 0, 0, 0, -9.81])
    close(tau[0], s @ net_force(I, s * qd, a), 100.0)
