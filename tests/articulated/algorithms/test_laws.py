"""Physical laws that hold for every mechanism: random trees of all joint types, up to 40 bodies.

Tolerances: results are sums of some hundred products of numbers near one, relative to their largest, so that 1e-11 leaves
room for cancellation and for a condition number of the inertia matrix of some thousands.
"""

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    aba,
    bias_force,
    body_accelerations,
    body_velocities,
    crba,
    difference,
    forward_kinematics,
    gravity_force,
    integrate,
    joint_forces,
    kinetic_energy,
    neutral,
    potential_energy,
    rnea,
)
from tests.conftest import COMPILED
from tests.mechanisms import MOVING, random_description, random_state

CASES = [(0, 10), (1, 12), (2, 20), (3, 40)] if COMPILED else [(0, 10)]
ORDERS = ["depth", "shuffled", "breadth"]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[1]} bodies", scope="module")
def description(request):
    return random_description(*request.param, kinds=(*MOVING, "fixed"))


@pytest.fixture(params=ORDERS, scope="module")
def model(description, request) -> Model:
    order = np.random.default_rng(5) if request.param == "shuffled" else request.param
    return description.build(order)


@pytest.fixture(scope="module")
def state(model, states):
    return random_state(model, 7, max(2, states // 4))


def close(found, expected, tolerance=1e-11):
    scale = np.abs(expected).max() or 1.0
    np.testing.assert_allclose(np.asarray(found) / scale, np.asarray(expected) / scale, rtol=0.0, atol=tolerance)


def test_forward_dynamics_inverts_inverse_dynamics(model, state):
    tau = rnea(model, state["q"], state["v"], state["a"], state["f_ext"])
    found = aba(model, state["q"], state["v"], tau, state["f_ext"])
    # The error of the accelerations is that of the forces times the condition of the inertia matrix.
    condition = np.linalg.cond(crba(model, state["q"])).max()
    close(found, state["a"], tolerance=1e-16 * condition * np.abs(tau).max() + 1e-11)
    close(rnea(model, state["q"], state["v"], found, state["f_ext"]), tau)


def test_inertia_matrix_has_the_columns_of_inverse_dynamics(model, state):
    q, rest = state["q"][0], np.zeros(model.nv)
    columns = rnea(model, q, rest, np.eye(model.nv)) - rnea(model, q, rest, rest)
    close(crba(model, q), columns.T)


def test_inertia_matrix_is_symmetric_and_positive_definite(model, state):
    H = crba(model, state["q"])
    assert (np.swapaxes(H, -1, -2) == H).all()
    assert (np.linalg.eigvalsh(H) > 0.0).all()


def test_inertia_matrix_is_the_sum_of_body_inertias_seen_through_jacobians(description, model, state):
    """H = sum J^T I J + diag(armature), with J from body velocities, and the inertias of the bodies as described."""
    bare = description.build("depth")
    q = state["q"][0]
    J = np.moveaxis(body_velocities(model, q, np.eye(model.nv)), 0, -1)
    inertias = {name: merged_inertia(description, bare, name) for name in model.body_names}
    H = sum(J[k].T @ inertias[name] @ J[k] for k, name in enumerate(model.body_names)) + np.diag(model.armature)
    close(crba(model, q), H)


def merged_inertia(description, bare, name):
    """6x6 inertia of a moving body with all that is fixed to it, from the description."""
    from tests.spatial.matrices import skew

    total = np.zeros((6, 6))
    number = bare.body_index(name)
    for (frame, body), T in zip(bare.frames, bare.frame_placements, strict=True):
        if body == number:
            data = description.bodies[frame]
            m, c, R = data["mass"], T[:3, :3] @ data["center_of_mass"] + T[:3, 3], T[:3, :3]
            cx = skew(c)
            J = R @ data["inertia"] @ R.T + m * cx @ cx.T
            total += np.block([[J, m * cx], [m * cx.T, m * np.eye(3)]])
    return total


def test_bias_force_is_what_inverse_dynamics_adds_to_inertia(model, state):
    q, v, a, f = state["q"], state["v"], state["a"], state["f_ext"]
    H = crba(model, q)
    close(rnea(model, q, v, a, f), np.einsum("kij,kj->ki", H, a) + bias_force(model, q, v, f))


def test_kinetic_energy_is_half_v_H_v(model, state):
    H = crba(model, state["q"])
    close(kinetic_energy(model, state["q"], state["v"]), 0.5 * np.einsum("ki,kij,kj->k", state["v"], H, state["v"]))


def test_gravity_and_springs_are_the_gradient_of_potential_energy(model, state):
    q, h = state["q"][0], 1e-3
    step = h * np.eye(model.nv)
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}  # sixth order
    gradient = sum(
        w * s * potential_energy(model, integrate(model, q, s * k * step)) for k, w in weights.items() for s in (1, -1)
    )
    close(bias_force(model, q, np.zeros(model.nv)), gradient / h, tolerance=1e-9)
    springless = model.replace(stiffness=0.0)
    close(gravity_force(model, q), bias_force(springless, q, np.zeros(model.nv)), tolerance=1e-12)


def test_power_of_all_forces_is_the_rate_of_change_of_energy(model, state):
    """tau . v + f_ext . v_body = d/dt (T + V) + damping v^2 + friction |v|, in motion under these forces."""
    h = 1e-4
    for k in range(len(state["q"])):
        q, v, tau, f = (state[name][k] for name in ("q", "v", "tau", "f_ext"))
        a = aba(model, q, v, tau, f)
        rate = 0.0
        for s, w in ((1, 8 / 12), (-1, -8 / 12), (2, -1 / 12), (-2, 1 / 12)):
            # To fourth order in time: the motion of constant v is not the true one, but half the commutator of a and v
            # is all that differs to second order, and it does no work to first.
            moved = integrate(model, q, s * h * v + 0.5 * (s * h) ** 2 * a)
            rate += w / h * (kinetic_energy(model, moved, v + s * h * a) + potential_energy(model, moved))
        work = tau @ v + np.sum(f * body_velocities(model, q, v))
        losses = np.sum(model.damping * v**2 + model.friction * np.abs(v))
        scale = np.abs(tau * v).sum() + np.abs(bias_force(model, q, v) * v).sum() + losses
        assert abs(work - rate - losses) < 1e-6 * scale


def test_body_velocities_are_the_derivative_of_placements(model, state):
    q, v, h = state["q"][0], state["v"][0], 1e-6
    ahead, behind = (forward_kinematics(model, integrate(model, q, s * h * v)) for s in (1, -1))
    now = forward_kinematics(model, q)
    W = np.linalg.inv(now) @ (ahead - behind) / (2 * h)
    twist = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0], *np.moveaxis(W[:, :3, 3], -1, 0)], axis=-1)
    np.testing.assert_allclose(body_velocities(model, q, v), twist, rtol=1e-7, atol=1e-7)


def test_body_accelerations_are_the_derivative_of_velocities(model, state):
    q, v, a, h = state["q"][0], state["v"][0], state["a"][0], 1e-6
    ahead, behind = (body_velocities(model, integrate(model, q, s * h * v), v + s * h * a) for s in (1, -1))
    np.testing.assert_allclose(body_accelerations(model, q, v, a), (ahead - behind) / (2 * h), rtol=1e-6, atol=1e-6)


def test_joint_forces_work_as_the_joint_coordinates_do(model, state):
    """The forces through all joints, against the velocities across them, have the power of tau less passive forces."""
    q, v, a, f = (state[name][0] for name in ("q", "v", "a", "f_ext"))
    bare = model.replace(armature=0.0, damping=0.0, friction=0.0, stiffness=0.0)
    forces, velocities = joint_forces(model, q, v, a, f), body_velocities(model, q, v)
    X = forward_kinematics(model, q)
    carriers = dict(model.frames)
    power = 0.0
    for joint in model.joints:
        k = model.body_index(joint.child)
        across = velocities[k].copy()
        parent = carriers.get(joint.parent, -1)
        if parent >= 0:
            T = np.linalg.inv(X[k]) @ X[parent]
            w = T[:3, :3] @ velocities[parent][:3]
            across -= np.concatenate([w, T[:3, :3] @ velocities[parent][3:] + np.cross(T[:3, 3], w)])
        power += across @ forces[k]
    np.testing.assert_allclose(power, rnea(bare, q, v, a, f) @ v, rtol=1e-10)


def test_difference_undoes_integration(model, state):
    q, v = state["q"], 0.4 * state["v"]
    close(difference(model, q, integrate(model, q, v)), v, tolerance=1e-13)
    close(difference(model, q, q), np.zeros_like(v), tolerance=1e-15)


def test_damping_armature_and_friction_count_as_documented(model, state):
    q, v, a = state["q"], state["v"], state["a"]
    bare = model.replace(armature=0.0, damping=0.0, friction=0.0, stiffness=0.0)
    springs = bias_force(bare.replace(stiffness=model.stiffness), q, 0 * v) - bias_force(bare, q, 0 * v)
    passive = model.armature * a + model.damping * v + model.friction * np.sign(v) + springs
    close(rnea(model, q, v, a), rnea(bare, q, v, a) + passive)
    close(crba(model, q), crba(bare, q) + np.diag(model.armature))


def test_dry_friction_is_zero_at_rest(model):
    q, rest = neutral(model), np.zeros(model.nv)
    np.testing.assert_array_equal(bias_force(model, q, rest), bias_force(model.replace(friction=0.0), q, rest))
