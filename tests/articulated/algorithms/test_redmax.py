"""Reduced dynamics assembled from maximal coordinates: the same as the recursions find, by a way of its own."""

import numpy as np
import pytest
import scipy.sparse

from pluecker.articulated import (
    Model,
    ModelBuilder,
    aba,
    bias_force,
    body_jacobian_dot_times,
    body_jacobian_transpose_times,
    body_velocities,
    crba,
    forward_kinematics,
    passive_force,
    redmax_dynamics,
    sparse_body_jacobian,
)
from pluecker.spatial import crf
from tests.conftest import COMPILED
from tests.mechanisms import JOINT_TYPES, MOVING, body_inertias, random_description, random_state

SIZE = 60 if COMPILED else 16
SEEDS = range(3) if COMPILED else range(1)


def with_mimic(seed: int, n: int) -> Model:
    """A random tree of all joint types in which some joints follow others, above or below or beside them."""
    description = random_description(seed, n, kinds=MOVING)
    simple = [name for name, joint in description.joints.items() if JOINT_TYPES[joint["type"]].nv == 1]
    rng = np.random.default_rng(seed)
    rng.shuffle(simple)
    for follower, source in zip(simple[0:6:2], simple[1:6:2], strict=True):
        description.joints[follower]["mimic"] = (source, rng.normal(), rng.normal())
    return description.build(rng)


@pytest.fixture(scope="module", params=SEEDS)
def model(request):
    model = with_mimic(request.param, SIZE)
    assert model.mimic
    return model


@pytest.fixture(scope="module")
def state(model):
    return random_state(model, 3, 2)


def close(found, expected, tolerance=1e-12):
    """1e-12 of the largest entry: sums over 60 bodies of products of as many transforms."""
    scale = np.abs(expected).max() or 1.0
    np.testing.assert_allclose(np.asarray(found) / scale, np.asarray(expected) / scale, rtol=0.0, atol=tolerance)


def test_the_assembled_inertia_is_that_of_the_composite_rigid_body_algorithm(model, state):
    H, _ = redmax_dynamics(model, state["q"], state["v"])
    close(H, crba(model, state["q"]))
    assert (np.swapaxes(H, -1, -2) == H).all()


def test_the_assembled_force_is_minus_the_bias_force_of_newton_and_euler(model, state):
    q, v, f_ext = (state[key] for key in ("q", "v", "f_ext"))
    close(redmax_dynamics(model, q, v)[1], -bias_force(model, q, v))
    close(redmax_dynamics(model, q, v, f_ext)[1], -bias_force(model, q, v, f_ext))


def test_the_equations_of_maximal_coordinates_multiplied_by_sparse_matrices(model, state):
    """Equation (28) as it stands, with SciPy: J' M J qdd = - J' M Jdot qd + J' f, every matrix from public functions."""
    q, v, f_ext, tau = (state[key][0] for key in ("q", "v", "f_ext", "tau"))
    J = sparse_body_jacobian(model, q)
    M = scipy.sparse.block_diag(list(map(scipy.sparse.csr_matrix, body_inertias(model))), format="csr")
    phi = body_velocities(model, q, v)
    momentum = (M @ phi.ravel()).reshape(-1, 6)
    R = forward_kinematics(model, q)[:, :3, :3]
    fall = np.zeros((model.n_bodies, 6))
    fall[:, 3:] = np.einsum("kji,j->ki", R, model.gravity)
    f = (M @ fall.ravel()).reshape(-1, 6) - np.einsum("kij,kj->ki", crf(phi), momentum) + f_ext
    rest = (f.ravel() - M @ body_jacobian_dot_times(model, q, v, v).ravel()).reshape(-1, 6)
    H = (J.T @ M @ J).toarray() + np.diag(model.armature)
    force = body_jacobian_transpose_times(model, q, rest) - passive_force(model, q, v)
    close(H, crba(model, q))
    close(force, -bias_force(model, q, v, f_ext))
    error = 1e-15 * np.linalg.cond(H)
    close(np.linalg.solve(H, tau + force), aba(model, q, v, tau, f_ext), tolerance=1e-11 + 10 * error)


def test_a_double_pendulum_is_that_of_the_textbook():
    """Two point masses on rods of length 1 and 2, angles from the vertical, both absolute velocities in the formula."""
    builder = ModelBuilder()
    for k, (mass, length, at) in enumerate([(3.0, 1.0, 0.0), (5.0, 2.0, -1.0)]):
        builder.add_body(f"b{k}", mass, (0, 0, -length))
        builder.add_joint(
            f"j{k}", "revolute", f"b{k - 1}" if k else "world", f"b{k}", axis=(0, -1, 0), position=(0, 0, at)
        )
    model = builder.build()
    m1, m2, l1, l2, g = 3.0, 5.0, 1.0, 2.0, 9.81
    q1, q2 = 0.4, -0.9
    w1, w2 = 1.3, 0.6
    c, s = np.cos(q2), np.sin(q2)
    H12 = m2 * l2 * (l2 + l1 * c)
    expected = [[m1 * l1**2 + m2 * (l1**2 + l2**2 + 2 * l1 * l2 * c), H12], [H12, m2 * l2**2]]
    h = m2 * l1 * l2 * s
    gravity = [(m1 + m2) * g * l1 * np.sin(q1) + m2 * g * l2 * np.sin(q1 + q2), m2 * g * l2 * np.sin(q1 + q2)]
    bias = [-h * (2 * w1 * w2 + w2**2) + gravity[0], h * w1**2 + gravity[1]]
    H, force = redmax_dynamics(model, [q1, q2], [w1, w2])
    close(H, expected)
    close(force, np.negative(bias))


def test_batches_threads_and_arrays_of_the_users_give_the_same(model):
    s = random_state(model, 9, 11)
    given = s["q"], s["v"], s["f_ext"]
    H, force = redmax_dynamics(model, *given)
    assert H.shape == (11, model.nv, model.nv)
    assert force.shape == (11, model.nv)
    alone = [redmax_dynamics(model, *(x[k] for x in given)) for k in range(11)]
    close(H, [each[0] for each in alone])
    close(force, [each[1] for each in alone])
    out = np.empty_like(H), np.empty_like(force)
    assert redmax_dynamics(model, *given, out=out, threads=2) is out
    np.testing.assert_array_equal(out[0], H)
    np.testing.assert_array_equal(out[1], force)


def test_passive_forces_are_what_the_bias_force_loses_without_them(model, state):
    q, v = state["q"], state["v"]
    bare = model.replace(damping=0.0, friction=0.0, stiffness=0.0)
    close(passive_force(model, q, v), bias_force(model, q, v) - bias_force(bare, q, v), tolerance=1e-10)
    assert not passive_force(bare, q, v).any()


def test_springs_at_rest_make_no_passive_force(model):
    q = model.rest_position
    expected = model.friction * np.sign(-np.ones(model.nv)) - model.damping
    close(passive_force(model, q, -np.ones(model.nv)), expected)
