"""Free bodies: Newton's and Euler's equations against momentum and Pinocchio; and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from pluecker.contact import Bodies, ProblemError
from pluecker.spatial import (
    ArgumentTypeError,
    body_kinetic_energy,
    pluecker_transform,
    quaternion_exp,
    quaternion_from_rotation,
    quaternion_product,
    spatial_inertia,
    transform_inertia,
)
from tests.contact.random_scenes import random_bodies

REFUSED = ProblemError, ArgumentTypeError

GOOD = {"mass": [1.0, 2.0], "inertia": np.ones((2, 3)), "position": np.zeros((2, 3))}


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_torque_is_the_rate_of_change_of_angular_momentum(rng):
    bodies, h = random_bodies(rng, 5), 1e-5
    w, a = bodies.velocity[:, :3], bodies.acceleration()

    def momentum(t):
        turned = replace(bodies, orientation=quaternion_product(quaternion_exp(t * w), bodies.orientation))
        return np.einsum("nij,nj->ni", turned.world_inertia, w + t * a[:, :3])

    rate = (momentum(h) - momentum(-h)) / (2 * h)
    np.testing.assert_allclose(rate, bodies.wrench[:, :3], atol=1e-8)
    np.testing.assert_allclose(bodies.mass[:, None] * a[:, 3:], bodies.wrench[:, 3:], rtol=1e-15)


def test_free_velocity_is_that_of_pinocchio(rng):
    pin = pytest.importorskip("pinocchio")
    bodies = random_bodies(rng, 4)
    for k in range(4):
        model = pin.Model()
        joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
        model.appendBodyToJoint(joint, pin.Inertia(bodies.mass[k], np.zeros(3), bodies.inertia[k]), pin.SE3.Identity())
        model.gravity.linear[:] = 0.0, 0.0, -9.81
        R, data = bodies.rotation[k], model.createData()
        w, v = R.T @ bodies.velocity[k, :3], R.T @ bodies.velocity[k, 3:]
        q = np.concatenate([bodies.position[k], np.roll(bodies.orientation[k], -1)])
        tau = np.concatenate([R.T @ bodies.wrench[k, 3:], R.T @ bodies.wrench[k, :3]])
        a = pin.aba(model, data, q, np.concatenate([v, w]), tau)
        expected = np.concatenate([R @ a[3:], R @ (a[:3] + np.cross(w, v))])  # from the spatial acceleration
        step = 0.01
        free = bodies.with_gravity().free_velocity(step)[k]
        np.testing.assert_allclose(free, bodies.velocity[k] + step * expected, atol=1e-13)


def test_mass_matrix_and_its_inverse(rng):
    bodies, force = random_bodies(rng, 4), rng.normal(size=(4, 6))
    v = bodies.times_inverse_mass(force)
    np.testing.assert_allclose(bodies.mass_matrix() @ v.ravel(), force.ravel(), atol=1e-12)


def test_kinetic_energy_is_that_of_the_spatial_algebra(rng):
    bodies = random_bodies(rng, 4, static=[2])
    moving = [0, 1, 3]
    X = pluecker_transform(bodies.rotation[moving], np.zeros(3))  # from body to world axes
    I = transform_inertia(X, spatial_inertia(bodies.mass[moving], np.zeros((3, 3)), bodies.inertia[moving]))
    expected = body_kinetic_energy(I, bodies.velocity[moving]).sum()
    assert np.isclose(bodies.kinetic_energy(), expected, rtol=1e-13)
    v = bodies.velocity.copy()
    v[2] = 0.0
    assert np.isclose(bodies.kinetic_energy(v.ravel()), 0.5 * v.ravel() @ bodies.mass_matrix() @ v.ravel(), rtol=1e-13)


def test_principal_moments_are_a_diagonal_inertia():
    moments = np.array([[1.0, 2.0, 2.5]])
    one = Bodies([1.0], moments, [[0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(one.inertia, [np.diag(moments[0])])
    three = Bodies([1.0] * 3, np.ones((3, 3)), np.zeros((3, 3)))  # three bodies, not one matrix
    assert three.inertia.shape == (3, 3, 3)


def test_static_bodies_keep_their_velocity():
    floor = Bodies([np.inf], np.full((1, 3), np.nan), [[0, 0, 0]], velocity=[[1, 2, 3, 4, 5, 6]], wrench=[[1.0] * 6])
    floor = floor.with_gravity()
    np.testing.assert_array_equal(floor.free_velocity(0.1), [[1, 2, 3, 4, 5, 6]])
    np.testing.assert_array_equal(floor.wrench, [[1.0] * 6])
    assert not floor.inverse_inertia.any()
    assert floor.kinetic_energy() == 0.0
    np.testing.assert_array_equal(floor.mass_matrix().toarray(), np.eye(6))


def test_weight_is_added_to_the_wrench():
    bodies = Bodies([2.0, np.inf], np.ones((2, 3)), np.zeros((2, 3)), wrench=np.ones((2, 6)))
    np.testing.assert_allclose(bodies.with_gravity([1.0, 0.0, -3.0]).wrench, [[1, 1, 1, 3, 1, -5], [1] * 6])


def test_inverse_inertia_is_symmetric_and_no_input_is_kept(rng):
    bodies = random_bodies(rng, 3)
    np.testing.assert_array_equal(bodies.inverse_inertia, np.swapaxes(bodies.inverse_inertia, 1, 2))
    with pytest.raises(ValueError, match="read-only"):
        bodies.mass[0] = 3.0
    with pytest.raises(ValueError, match="read-only"):
        bodies.world_inertia[0] = 3.0
    position = np.zeros((2, 3))
    made = Bodies(GOOD["mass"], GOOD["inertia"], position)
    position[:] = 5.0
    assert not made.position.any()


def test_orientation_is_from_body_to_world():
    quarter = quaternion_from_rotation([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    body = Bodies([1.0], [[1.0, 2.0, 2.5]], [[0, 0, 0]], [quarter])
    np.testing.assert_allclose(body.world_inertia[0], np.diag([2.0, 1.0, 2.5]), atol=1e-15)


def test_no_bodies():
    none = Bodies([], np.zeros((0, 3)), np.zeros((0, 3)))
    assert len(none) == 0
    assert none.with_gravity().free_velocity(0.1).shape == (0, 6)
    assert none.mass_matrix().shape == (0, 0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mass": [1.0, 0.0]}, "body 1: mass is 0.0 kg, expected a positive number"),
        ({"mass": [-np.inf, 1.0]}, "body 0: mass is -inf kg"),
        ({"mass": [np.nan, 1.0]}, "body 0: mass is nan, expected a number"),
        ({"mass": 1.0}, r"mass has shape \(\), expected \(n,\)"),
        ({"mass": ["a", "b"]}, "mass is .*, expected an array of real numbers"),
        ({"inertia": [[1, 1, 1], [1, 1, 3]]}, "body 1: the principal moments .* the largest exceeds the sum"),
        ({"inertia": [[1, 1, 1], [0, 1, 1]]}, "body 1: .* not positive definite"),
        ({"inertia": [[1, 1, 1], [-1, 1, 1]]}, "body 1: .* none can be negative"),
        (
            {"inertia": [np.eye(3), np.eye(3) + np.eye(3, k=1)]},
            "body 1: inertia is not symmetric, its entries differ by 1",
        ),
        ({"inertia": [[1, 1, 1], [1, np.inf, 1]]}, r"body 1: inertia\[1\] is inf, expected a finite number"),
        ({"inertia": np.eye(3)}, r"inertia has shape \(3, 3\), expected \(2, 3\) or \(2, 3, 3\)"),
        ({"position": [[0, 0, 0], [0, np.nan, 0]]}, r"body 1: position\[1\] is nan, expected a finite number"),
        ({"position": np.zeros((3, 3))}, r"position has shape \(3, 3\), expected \(2, 3\): one entry for each body"),
        ({"orientation": [[1, 0, 0, 0], [1, 1, 0, 0]]}, "body 1: orientation is a quaternion of length 1.414"),
        ({"velocity": np.zeros((2, 3))}, r"velocity has shape \(2, 3\), expected \(2, 6\)"),
        ({"wrench": np.full((2, 6), np.inf)}, r"body 0: wrench\[0\] is inf"),
    ],
)
def test_refusals_name_the_body(change, words):
    with pytest.raises(REFUSED, match=words):
        Bodies(**{**GOOD, **change})


@pytest.mark.parametrize("step", [0.0, -1.0, np.nan, np.inf, "a", True])
def test_a_step_is_a_positive_number(step):
    with pytest.raises(REFUSED, match="step is"):
        Bodies(**GOOD).free_velocity(step)


def test_gravity_is_a_vector():
    with pytest.raises(REFUSED, match="gravity is"):
        Bodies(**GOOD).with_gravity([0.0, 0.0, np.nan])


@pytest.mark.parametrize(
    ("velocity", "words"),
    [
        (np.zeros(5), r"velocity has shape \(5,\), expected \(2, 6\) or \(12,\)"),
        (np.zeros((6, 2)), r"velocity has shape \(6, 2\), expected"),
        (np.r_[np.zeros(9), np.nan, 0, 0], r"body 1: velocity\[3\] is nan, expected a finite number"),
        ("fast", "velocity is .*, expected an array of real numbers"),
    ],
)
def test_kinetic_energy_is_that_of_velocities(velocity, words):
    with pytest.raises(REFUSED, match=words):
        Bodies(**GOOD).kinetic_energy(velocity)
