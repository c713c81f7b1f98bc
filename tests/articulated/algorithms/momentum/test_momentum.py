"""Centre of mass, momentum, centroidal momentum and Coriolis matrices: laws, on every joint type and with mimic joints.

Tolerances: sums over some twenty bodies of products of numbers near one; 1e-11 of the largest.
"""

import numpy as np
import pytest

from pluecker.articulated import (
    ModelBuilder,
    aba,
    bias_force,
    body_velocities,
    center_of_mass,
    center_of_mass_acceleration,
    center_of_mass_jacobian,
    center_of_mass_velocity,
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_dot,
    coriolis_matrix,
    crba,
    forward_kinematics,
    gravity_force,
    inertia_matrix_rate,
    integrate,
    kinetic_energy,
    momentum,
    momentum_rate,
    potential_energy,
    rnea,
)
from pluecker.spatial import ArgumentTypeError, ArgumentValueError, UnknownNameError
from tests.articulated.model.test_mimic import build as build_for_mimic
from tests.articulated.slopes import CLOSE, slope, slopes
from tests.articulated.state_by_state import by_state
from tests.conftest import COMPILED
from tests.mechanisms import MOVING, body_inertias, random_description, random_state

N = len(MOVING) if COMPILED else 12
center_of_mass, center_of_mass_jacobian, center_of_mass_velocity, center_of_mass_acceleration = map(
    by_state, (center_of_mass, center_of_mass_jacobian, center_of_mass_velocity, center_of_mass_acceleration)
)
momentum, momentum_rate, centroidal_momentum_matrix, centroidal_momentum_matrix_dot = map(
    by_state, (momentum, momentum_rate, centroidal_momentum_matrix, centroidal_momentum_matrix_dot)
)
coriolis_matrix, inertia_matrix_rate = map(by_state, (coriolis_matrix, inertia_matrix_rate))


@pytest.fixture(scope="module", params=["all joint types", "mimic joints"])
def model(request):
    if request.param == "mimic joints":
        return build_for_mimic(mimic=True, passive=False)
    return random_description(5, N, passive=False).build()


@pytest.fixture(scope="module")
def state(model):
    return random_state(model, 3, 2)


@pytest.fixture(scope="module")
def subtrees(model):
    return (None, *model.body_names[:: max(1, len(model.body_names) // 6)])


def close(found, expected, tolerance=1e-11):
    scale = np.abs(expected).max() or 1.0
    np.testing.assert_allclose(np.asarray(found) / scale, np.asarray(expected) / scale, rtol=0.0, atol=tolerance)


def times(A, v):
    return np.einsum("...ij,...j", A, v)


def carried_by(model, subtree):
    """The bodies of a subtree."""
    found, parents = {subtree}, {joint.child: joint.parent for joint in model.joints}
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return [k for k, name in enumerate(model.body_names) if subtree is None or name in found]
        found |= more


def by_bodies(model, q, v, subtree):
    """Mass, first moment and momentum about the world's origin, summed over the bodies one by one."""
    T, u = forward_kinematics(model, q), body_velocities(model, q, v)
    mass, moment, h = 0.0, np.zeros(3), np.zeros(6)
    inertias = body_inertias(model)
    for k in carried_by(model, subtree):
        I, R, r = inertias[k], T[k, :3, :3], T[k, :3, 3]
        n, p = (I @ u[k]).reshape(2, 3)
        m, mc = I[5, 5], I[[2, 0, 1], [4, 5, 3]]
        mass, moment = mass + m, moment + R @ mc + m * r
        h += np.concatenate([R @ n + np.cross(r, R @ p), R @ p])
    return mass, moment, h


def test_momentum_is_the_sum_over_the_bodies(model, state, subtrees):
    """Exercise C1 (b): all six components, in random states."""
    for subtree in subtrees:
        for k in range(2):
            q, v = state["q"][k], state["v"][k]
            mass, moment, h = by_bodies(model, q, v, subtree)
            close(momentum(model, q, v, subtree), h)
            close(center_of_mass(model, q, subtree), moment / mass)
            n = h[:3] - np.cross(moment / mass, h[3:])
            close(momentum(model, q, v, subtree, centroidal=True), np.concatenate([n, h[3:]]))


def test_momentum_of_a_subtree_is_that_of_its_body_and_of_the_subtrees_on_it(model, state):
    """The recursion of exercise C1: h_i = I_i v_i + the sum of the h_j that it carries, and so up to the whole."""
    q, v = state["q"], state["v"]
    top = [joint.child for joint in model.joints if joint.parent not in model.body_names]
    close(sum(momentum(model, q, v, name) for name in top), momentum(model, q, v))
    for name in model.body_names[:4]:
        children = [joint.child for joint in model.joints if joint.parent == name]
        beyond = sum((momentum(model, q, v, child) for child in children), np.zeros((2, 6)))
        alone = momentum(model, q, v, name) - beyond
        T, u = forward_kinematics(model, q, [name])[:, 0], body_velocities(model, q, v)[:, model.body_index(name)]
        p = u @ body_inertias(model)[model.body_index(name)][:, 3:]
        scale = np.abs(momentum(model, q, v)).max()
        np.testing.assert_allclose(alone[:, 3:], np.einsum("kij,kj->ki", T[:, :3, :3], p), rtol=0.0, atol=1e-11 * scale)


def test_velocity_and_acceleration_of_the_centre_of_mass(model, state, subtrees):
    q, v, a = (state[key] for key in "qva")
    for subtree in subtrees:
        J = center_of_mass_jacobian(model, q, subtree)
        u = center_of_mass_velocity(model, q, v, subtree)
        close(times(J, v), u)
        h = 1e-5
        ends = [center_of_mass(model, integrate(model, q, s * h * v), subtree) for s in (-1.0, 1.0)]
        close((ends[1] - ends[0]) / (2 * h), u, 1e-7)
        # d/dt (J v), the joints moved along q + v t + a t^2 / 2
        ends = [
            center_of_mass_velocity(model, integrate(model, q, s * h * v), v + s * h * a, subtree) for s in (-1.0, 1.0)
        ]
        close((ends[1] - ends[0]) / (2 * h), center_of_mass_acceleration(model, q, v, a, subtree), 1e-6)


@pytest.mark.indices
def test_centroidal_momentum_matrix_times_velocity_is_momentum(model, state, subtrees):
    q, v, a = (state[key] for key in "qva")
    for subtree in subtrees:
        A, Adot = centroidal_momentum_matrix(model, q, subtree), centroidal_momentum_matrix_dot(model, q, v, subtree)
        close(times(A, v), momentum(model, q, v, subtree, centroidal=True))
        close(times(A, a) + times(Adot, v), momentum_rate(model, q, v, a, subtree, centroidal=True))
        mass = by_bodies(model, q[0], v[0], subtree)[0]
        close(A[..., 3:, :], mass * center_of_mass_jacobian(model, q, subtree))


def test_rate_of_momentum_is_its_derivative(model, state, subtrees):
    q, v, a, h = state["q"], state["v"], state["a"], 1e-5
    for subtree in subtrees:
        for centroidal in (False, True):
            ends = [
                momentum(model, integrate(model, q, s * h * v), v + s * h * a, subtree, centroidal=centroidal)
                for s in (-1.0, 1.0)
            ]
            rate = momentum_rate(model, q, v, a, subtree, centroidal=centroidal)
            close((ends[1] - ends[0]) / (2 * h), rate, 1e-6)


def test_rate_of_the_centroidal_momentum_matrix_is_its_derivative(model, state, subtrees):
    q, v = state["q"][0], state["v"][0]
    for subtree in subtrees:
        expected = slope(centroidal_momentum_matrix, model, v, q=q, subtree=subtree)
        close(centroidal_momentum_matrix_dot(model, q, v, subtree), expected, CLOSE)


# ---------------------------------------------------------------------------------------------------- Coriolis, Lagrange


def test_rate_of_the_inertia_matrix_is_its_derivative(model, state):
    q, v = state["q"][0], state["v"][0]
    close(inertia_matrix_rate(model, q, v), slope(crba, model, v, q=q), CLOSE)


def test_coriolis_matrix_times_velocity_is_the_bias_force_without_gravity(model, state):
    q, v = state["q"], state["v"]
    free = model.replace(gravity=np.zeros(3))
    close(times(coriolis_matrix(model, q, v), v), bias_force(free, q, v))


def test_rate_of_the_inertia_matrix_less_twice_the_coriolis_matrix_is_skew(model, state):
    q, v = state["q"], state["v"]
    C, Hdot = coriolis_matrix(model, q, v), inertia_matrix_rate(model, q, v)
    skew = Hdot - 2.0 * C
    close(skew + np.swapaxes(skew, -1, -2) + Hdot, Hdot)
    assert np.abs(skew).max() > 0.0


def test_coriolis_matrix_is_linear_in_the_velocity_and_symmetric_in_two():
    """Matrices of Christoffel's symbols have C(u) v = C(v) u, where velocities are rates of coordinates."""
    model = random_description(8, 9, ("revolute", "prismatic", "helical"), passive=False).build()
    s = random_state(model, 4, 2)
    q, u, v = s["q"][0], s["v"][0], s["v"][1]
    close(coriolis_matrix(model, q, 2.0 * u - v), 2.0 * coriolis_matrix(model, q, u) - coriolis_matrix(model, q, v))
    close(coriolis_matrix(model, q, u) @ v, coriolis_matrix(model, q, v) @ u)


@pytest.mark.parametrize("seed", range(2))
def test_lagranges_equations_give_the_forces_of_inverse_dynamics(seed):
    """tau = d/dt dL/dv - dL/dq, L = T - V, on trees of joints whose velocities are rates of coordinates.

    d/dt dT/dv = H a + Hdot v.
    """
    kinds = ("revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "euler_xyz", "exponential")
    model = random_description(seed, 10, kinds, passive=False).build()
    assert model.nq == model.nv
    s = random_state(model, seed)
    q, v, a = (s[key][0] for key in "qva")
    dT, dV = slopes(kinetic_energy, model, q=q, v=v), slopes(potential_energy, model, q=q)
    close(dV, gravity_force(model, q), CLOSE)
    lagrange = crba(model, q) @ a + inertia_matrix_rate(model, q, v) @ v - dT + dV
    close(lagrange, rnea(model, q, v, a), CLOSE)


# ---------------------------------------------------------------------------------------------------------- conservation


def test_without_forces_from_outside_momentum_does_not_change():
    builder = ModelBuilder(gravity=(0, 0, 0))
    rng = np.random.default_rng(0)
    for k in range(4):
        builder.add_body(f"b{k}", rng.uniform(1, 2), rng.normal(size=3), rng.uniform(1, 1.3, 3) * 20)
    builder.add_joint("root", "free", "world", "b0")
    for k, kind in enumerate(("revolute", "spherical", "exponential"), 1):
        axis = {"axis": rng.normal(size=3)} if kind == "revolute" else {}
        builder.add_joint(f"j{k}", kind, f"b{k - 1}", f"b{k}", position=rng.normal(size=3), **axis)
    model = builder.build()
    s = random_state(model, 3, 5)
    tau = s["tau"].copy()
    tau[:, :6] = 0.0  # forces between its bodies alone
    a = aba(model, s["q"], s["v"], tau)
    scale = np.abs(momentum(model, s["q"], s["v"])).max()
    for centroidal in (False, True):
        rate = momentum_rate(model, s["q"], s["v"], a, centroidal=centroidal)
        np.testing.assert_allclose(rate, 0.0, atol=1e-10 * scale)


def test_under_gravity_alone_the_centre_of_mass_falls_freely():
    model = random_description(4, 8, ("revolute", "spherical", "helical"), passive=False)
    model.joints["j0"]["type"] = "free"
    model.joints["j0"].pop("axis", None)
    model.joints["j0"].pop("pitch", None)
    model = model.build(gravity=(1.0, -2.0, 3.0))
    roots = [joint for joint in model.joints if joint.parent not in model.body_names]
    assert [joint.name for joint in roots] == ["j0"]
    s = random_state(model, 2, 3)
    a = aba(model, s["q"], s["v"], np.zeros(model.nv))
    found = center_of_mass_acceleration(model, s["q"], s["v"], a)
    np.testing.assert_allclose(found, np.broadcast_to([1.0, -2.0, 3.0], (3, 3)), atol=1e-9)


def test_far_from_the_world_the_centroidal_momentum_matrix_is_the_same():
    builder = ModelBuilder()
    for k in range(3):
        builder.add_body(f"b{k}", 1.0, (0.1, 0.2, 0.3), (1.0, 1.1, 1.2))
    builder.add_joint("root", "free", "world", "b0")
    builder.add_joint("j1", "revolute", "b0", "b1", axis=(0, 1, 2), position=(0.3, 0.1, 0.2))
    builder.add_joint("j2", "revolute", "b1", "b2", axis=(1, 1, 0), position=(0.1, 0.2, 0.2))
    model = builder.build()
    s = random_state(model, 2)
    q, v = s["q"][0], s["v"][0]
    far = q.copy()
    far[:3] += 1e6
    for found, expected in (
        (centroidal_momentum_matrix(model, far), centroidal_momentum_matrix(model, q)),
        (centroidal_momentum_matrix_dot(model, far, v), centroidal_momentum_matrix_dot(model, q, v)),
        (coriolis_matrix(model, far, v), coriolis_matrix(model, q, v)),
    ):
        np.testing.assert_array_equal(found, expected)


# ------------------------------------------------------------------------------------------------------ what is refused


def test_subtrees_are_of_moving_bodies_that_have_mass(model, state):
    q, v = state["q"][0], state["v"][0]
    with pytest.raises(UnknownNameError, match="center_of_mass: no body 'nobody'; there are"):
        center_of_mass(model, q, "nobody")
    with pytest.raises(UnknownNameError, match="momentum: no body 'nobody'; there are"):
        momentum(model, q, v, "nobody")
    with pytest.raises(ArgumentTypeError, match="center_of_mass_jacobian: subtree is 3, expected the name of a body"):
        center_of_mass_jacobian(model, q, 3)
    with pytest.raises(ArgumentTypeError, match="momentum: centroidal is 'yes', expected True or False"):
        momentum(model, q, v, centroidal="yes")


def test_what_has_no_mass_has_no_centre_of_mass():
    builder = ModelBuilder("ghost")
    builder.add_body("rod", 1.0)
    builder.add_body("ghost")
    builder.add_joint("j", "revolute", "world", "rod", axis=(0, 0, 1))
    builder.add_joint("k", "revolute", "rod", "ghost", axis=(0, 0, 1))
    model = builder.build()
    with pytest.raises(ArgumentValueError, match="center_of_mass: the subtree of 'ghost' has no mass"):
        center_of_mass(model, [0, 0], "ghost")
    with pytest.raises(ArgumentValueError, match="momentum: the subtree of 'ghost' has no mass"):
        momentum(model, [0, 0], [1, 1], "ghost", centroidal=True)
    np.testing.assert_array_equal(momentum(model, [0, 0], [1, 1], "ghost"), np.zeros(6))
    nothing = ModelBuilder().build()
    with pytest.raises(ArgumentValueError, match="center_of_mass: the mechanism has no mass"):
        center_of_mass(nothing, [])
    np.testing.assert_array_equal(momentum(nothing, [], []), np.zeros(6))
    assert coriolis_matrix(nothing, [], []).shape == (0, 0)
