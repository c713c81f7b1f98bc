"""Inputs that look right and are not: each has to be an error that says what is wrong, none a number."""

import numpy as np
import pytest

from pluecker.course import apparent_inverse_inertia_from_S, constrained_acceleration_from_T, joint_space, pitch, planar
from pluecker.spatial import (
    MotionVector,
    RigidBodyInertia,
    change_of_basis,
    check_consistent,
    compose,
    exp3,
    force_transform,
    from_pseudo_inertia,
    inertia_rate,
    inverse_inertia,
    invert,
    pluecker_transform,
    pseudo_inertia,
    reciprocal_basis,
    relative_inertia,
    shapes,
    shift_inertia,
    spatial_inertia,
    transform_inertia,
    transform_motion,
    transform_parameters,
    unskew,
)

ONE = np.eye(3)
RNG = np.random.default_rng(7)


def anywhere():
    return pluecker_transform(exp3(RNG.normal(size=3)), RNG.normal(size=3))


@pytest.mark.parametrize("kind", ["rod", "released freedom"])
def test_a_singular_inertia_is_singular_in_every_frame(kind):
    """Rounding makes half of them look definite."""
    for _ in range(200):
        if kind == "rod":
            I = transform_inertia(anywhere(), shapes.rod(1.0, 1.0))
        else:
            I = transform_inertia(anywhere(), spatial_inertia(2.0, RNG.normal(size=3), ONE))
            U = I @ RNG.normal(size=6)
            I = I - np.outer(U, U) / (U @ np.linalg.solve(I, U))
        with pytest.raises(
            ValueError, match=r"inverse_inertia: I is not symmetric and positive definite, beyond rounding"
        ):
            inverse_inertia(I)


def test_two_rods_on_one_line_have_no_relative_inertia():
    for _ in range(50):
        X = anywhere()
        with pytest.raises(ValueError, match="positive definite"):
            relative_inertia(transform_inertia(X, shapes.rod(1.0, 1.0)), transform_inertia(X, shapes.rod(2.0, 0.5)))


def test_an_inertia_whose_digits_are_lost_has_no_inverse():
    inverse_inertia(spatial_inertia(2.0, [0.6e5, 0.64e5, 0.48e5], np.diag([1.0, 2.0, 2.5])))
    with pytest.raises(ValueError, match="beyond rounding"):
        inverse_inertia(spatial_inertia(2.0, [0.6e8, 0.64e8, 0.48e8], np.diag([1.0, 2.0, 2.5])))


@pytest.mark.parametrize("mass", [1e-15, 1e-6, 1.0, 1e6])
def test_an_asymmetric_inertia_is_refused_at_any_scale(mass):
    """The inertia of a body of a micrometre is small beside its mass."""
    I = spatial_inertia(mass, np.zeros(3), 1e-6 * mass * ONE)
    I[0, 1] = 0.9e-6 * mass
    with pytest.raises(ValueError, match="symmetric"):
        inverse_inertia(I)
    with pytest.raises(ValueError, match="symmetric"):
        inertia_rate(I, np.ones(6))
    with pytest.raises(ValueError, match="symmetric"):
        transform_inertia(np.eye(6), I)
    with pytest.raises(ValueError, match="symmetric"):
        joint_space(I, np.eye(6)[:, :2])
    with pytest.raises(ValueError, match=r"relative_inertia: I_B is not symmetric"):
        relative_inertia(np.eye(6), I)
    with pytest.raises(ValueError, match="symmetric"):
        spatial_inertia(mass, np.zeros(3), I[:3, :3])
    with pytest.raises(ValueError, match="shift_inertia: the rotational inertia is not symmetric"):
        shift_inertia(mass, I[:3, :3], np.zeros(3))


@pytest.mark.parametrize("offset", [1e-6, 6e-4, 1.0, 1e6])
def test_motion_and_force_transforms_do_not_mix(offset):
    X, F = pluecker_transform(ONE, [offset, 0, 0]), force_transform(ONE, [0, offset, 0])
    with pytest.raises(ValueError, match="compose"):
        compose(X, F)
    with pytest.raises(ValueError, match="transform_motion: X is not a Pluecker transform of motion vectors"):
        transform_motion(F, np.ones(6))
    neither = X + F - np.eye(6)
    with pytest.raises(ValueError, match="invert"):
        invert(neither)


@pytest.mark.parametrize("distance", [1.0, 1e6, 1e9, 1.5e11])
def test_transforms_over_any_distance_can_be_composed(distance):
    """Two frames some metres apart, both far from the third: the small offset has an error of the large one's rounding."""
    for _ in range(50):
        far = distance * RNG.normal(size=3)
        X1, X2 = (pluecker_transform(exp3(RNG.normal(size=3)), far + RNG.normal(size=3)) for _ in range(2))
        E, r = transform_parameters(compose(X2, invert(X1)))
        r1, r2 = transform_parameters(X1)[1], transform_parameters(X2)[1]
        np.testing.assert_allclose(r, transform_parameters(X1)[0] @ (r2 - r1), rtol=0.0, atol=1e-14 + 64e-15 * distance)
        np.testing.assert_allclose(E @ E.T, ONE, atol=1e-14)


def test_a_mesh_with_a_part_inside_out_is_refused():
    trimesh = pytest.importorskip("trimesh")
    solid, hollow = trimesh.creation.box((3, 2, 1)), trimesh.creation.box((2.5, 1.5, 0.9))
    hollow.invert()
    shapes.mesh(trimesh.util.concatenate([solid, hollow]), density=1.0)  # a cavity
    hollow.apply_translation([10, 0, 0])
    with pytest.raises(ValueError, match="mesh: no solid has this inertia"):
        shapes.mesh(trimesh.util.concatenate([solid, hollow]), density=1.0)
    with pytest.raises(ValueError, match="mesh: trimesh cannot read"):
        shapes.mesh(__file__, mass=1.0)


def test_an_inertia_lost_to_the_distance_is_refused():
    with pytest.raises(ValueError, match="distant"):
        RigidBodyInertia(1.0, [1e8, 0, 0], ONE)
    with pytest.raises(ValueError, match="none can be negative"):
        check_consistent(spatial_inertia(1.0, np.zeros(3), -9e-13 * ONE))


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning", "ignore:invalid:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:divide:RuntimeWarning")
@pytest.mark.parametrize(
    "call",
    [
        lambda: joint_space(1e200 * np.eye(6), 1e200 * np.eye(6)[:, :1]),
        lambda: constrained_acceleration_from_T(1e-300 * np.eye(6), np.eye(6)[:, :1], [1e200] * 6),
        lambda: apparent_inverse_inertia_from_S(1e-310 * np.eye(6), np.eye(6)[:, :1]),
        lambda: change_of_basis(1e150 * ONE, 1e-160 * ONE),
        lambda: reciprocal_basis(1e-310 * ONE),
        lambda: pseudo_inertia(1e308 * np.eye(6)),
        lambda: from_pseudo_inertia(1e308 * np.eye(4)),
        lambda: pitch([1e-300, 0, 0, 1e10, 0, 0]),
        lambda: transform_motion(pluecker_transform(ONE, [10, 0, 0]), [0, 1e308, 1e308, 0, 0, 0]),
        lambda: spatial_inertia(1e300, [1e10, 0, 0], ONE),
    ],
)
def test_what_leaves_the_range_of_float64_is_an_error(call):
    with pytest.raises(ValueError, match=r"overflow|far from|symmetric|inertia"):
        call()


def test_bases_of_different_dimensions_do_not_go_together():
    with pytest.raises(ValueError, match=r"change_of_basis: the bases do not go together: old \(3, 3\), new \(4, 4\)"):
        change_of_basis(ONE, np.eye(4))
    reciprocal_basis(np.diag([1e-20, 1.0]))  # badly scaled is not dependent


def test_small_things_are_not_nothing():
    with pytest.raises(ValueError, match="unskew"):
        unskew(1e-151 * np.ones((3, 3)))


def test_results_do_not_share_memory_and_typed_vectors_do_not_change():
    a = np.array([0.0, 0, 1, 2, 3, 0])
    assert not np.shares_memory(planar.spatial_to_planar(a), a)
    v = MotionVector(a)
    with pytest.raises(ValueError, match="WRITEABLE"):
        v.coordinates.setflags(write=True)
