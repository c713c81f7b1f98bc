"""The Jacobian of all bodies: as a matrix, dense and sparse, as products, and as the way from wrenches to joint forces.

Tolerances: entries are products of at most 60 transforms with entries near one, and sums of as many; relative to the largest
entry, 1e-12 leaves some thousand units in the last place for both.
"""

import tracemalloc

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    ModelBuilder,
    body_accelerations,
    body_jacobian,
    body_jacobian_dot,
    body_jacobian_dot_times,
    body_jacobian_transpose_times,
    body_velocities,
    random_configuration,
    sparse_body_jacobian,
    sparse_body_jacobian_dot,
)
from pluecker.articulated.robots import example_robots
from pluecker.spatial import MissingExtraError
from tests.articulated.model.test_mimic import build
from tests.articulated.slopes import CLOSE, slope
from tests.conftest import COMPILED
from tests.mechanisms import MOVING, random_description, random_state

DESCRIBED = [(0, 12), (1, 40)] if COMPILED else [(0, 14)]
CASES = [*(f"tree of {n}" for _, n in DESCRIBED), "shuffled", "mimic"]


def make(case: str) -> Model:
    if case == "mimic":
        return build(mimic=True)
    if case == "shuffled":
        return random_description(5, 9, kinds=(*MOVING, "fixed")).build(np.random.default_rng(2))
    seed, n = next((seed, n) for seed, n in DESCRIBED if case == f"tree of {n}")
    return random_description(seed, n, kinds=(*MOVING, "fixed")).build()


@pytest.fixture(params=CASES, scope="module")
def model(request) -> Model:
    return make(request.param)


@pytest.fixture(scope="module")
def state(model):
    return random_state(model, 7, 3)


def close(found, expected, tolerance=1e-12):
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(np.asarray(found) / scale, np.asarray(expected) / scale, rtol=0.0, atol=tolerance)


def by_body(model, x):
    return x.reshape(*x.shape[:-1], model.n_bodies, 6)


def test_velocities_of_bodies_are_the_jacobian_times_velocities_of_joints(model, state):
    J = body_jacobian(model, state["q"])
    assert J.shape == (3, 6 * model.n_bodies, model.nv)
    close(by_body(model, np.einsum("sij,sj->si", J, state["v"])), body_velocities(model, state["q"], state["v"]))


def test_accelerations_of_bodies_are_those_of_joints_and_the_rate_of_the_jacobian(model, state):
    q, v, a = (state[key] for key in "qva")
    J, Jdot = body_jacobian(model, q), body_jacobian_dot(model, q, v)
    found = np.einsum("sij,sj->si", J, a) + np.einsum("sij,sj->si", Jdot, v)
    close(by_body(model, found), body_accelerations(model, q, v, a))


def test_products_need_no_matrix(model, state):
    q, v, x, f = (state[key] for key in ("q", "v", "a", "f_ext"))
    J, Jdot = body_jacobian(model, q), body_jacobian_dot(model, q, v)
    close(body_jacobian_transpose_times(model, q, f), np.einsum("sij,si->sj", J, f.reshape(3, -1)))
    close(body_jacobian_dot_times(model, q, v, x), by_body(model, np.einsum("sij,sj->si", Jdot, x)))
    nothing = np.zeros_like(x)
    close(body_jacobian_dot_times(model, q, v, v), body_accelerations(model, q, v, nothing))


@pytest.mark.indices
@pytest.mark.parametrize("format", ["csr", "bsr"])
def test_sparse_matrices_hold_the_dense_ones(model, state, format):
    q, v = state["q"][0], state["v"][0]
    J, Jdot = sparse_body_jacobian(model, q, format=format), sparse_body_jacobian_dot(model, q, v, format=format)
    assert J.format == Jdot.format == format
    assert J.has_canonical_format
    close(J.toarray(), body_jacobian(model, q))
    close(Jdot.toarray(), body_jacobian_dot(model, q, v))
    assert J.nnz == Jdot.nnz == 6 * np.count_nonzero(on_the_way(model))


def on_the_way(model):
    """Return the table ``(body, coordinate)`` of coordinates that lie between a body and the world, by names of joints."""
    carried = {joint.child: joint for joint in model.joints}
    frames = dict(model.frames)
    table = np.zeros((model.n_bodies, model.nv), dtype=bool)
    for k, name in enumerate(model.body_names):
        body = name
        while True:
            joint = carried[body]
            owner = joint.name if joint.mimic is None else joint.mimic[0]
            table[k, model.v_slice(owner)] = True
            if frames.get(joint.parent, -1) < 0:
                break
            body = model.body_names[frames[joint.parent]]
    return table


def test_the_pattern_is_that_of_bodies_and_their_ancestors(model, state):
    J = sparse_body_jacobian(model, state["q"][0], format="bsr")
    found = np.zeros((model.n_bodies, model.nv), dtype=bool)
    found[np.repeat(np.arange(model.n_bodies), np.diff(J.indptr)), J.indices] = True
    np.testing.assert_array_equal(found, on_the_way(model))


def test_a_sparse_matrix_may_be_changed_without_harm(model, state):
    J = sparse_body_jacobian(model, state["q"][0])
    J.indices[:] = 0
    J.indptr[:] = 0
    again = sparse_body_jacobian(model, state["q"][0])
    close(again.toarray(), body_jacobian(model, state["q"][0]))


def test_the_rate_is_the_derivative_along_the_motion():
    for kind in MOVING:
        model = random_description(3, 4, kinds=(kind, "revolute"), branching=0.0).build()
        q, v = random_configuration(model, 4), np.random.default_rng(5).normal(size=model.nv)
        expected = slope(body_jacobian, model, v, q=q)
        assert np.abs(expected).max() > 0.0, kind
        close(body_jacobian_dot(model, q, v), expected, CLOSE)


@pytest.mark.parametrize("name", ["panda/panda", "solo/solo12"])
def test_rows_are_pinocchios_joint_jacobians_in_local_axes(name):
    """Pinocchio has linear parts first, and joints in another order; its rates of Jacobians are ours, too."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")
    from pluecker.articulated.conventions import to_pinocchio_q, velocity_map_to_pinocchio

    try:
        path = str(example_robots()[name])
    except MissingExtraError:
        pytest.skip("example-robot-data is not installed (extra peers)")
    model = Model.from_urdf(path, floating_base=True)
    theirs = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    data, G = theirs.createData(), velocity_map_to_pinocchio(model, theirs)
    q, v = random_configuration(model, 0), np.random.default_rng(1).normal(size=model.nv)
    pin.computeJointJacobiansTimeVariation(theirs, data, to_pinocchio_q(model, theirs, q), G @ v)
    J, Jdot = body_jacobian(model, q), body_jacobian_dot(model, q, v)
    for number in range(1, theirs.njoints):
        joint = model.joint("floating_base" if number == 1 else theirs.names[number])
        rows = slice(6 * model.body_index(joint.child), 6 * model.body_index(joint.child) + 6)
        expected = pin.getJointJacobian(theirs, data, number, pin.LOCAL)
        close(J[rows], np.roll(expected, 3, axis=0) @ G)
        expected = pin.getJointJacobianTimeVariation(theirs, data, number, pin.LOCAL)
        close(Jdot[rows], np.roll(expected, 3, axis=0) @ G)


def test_a_sparse_jacobian_of_a_forest_costs_what_its_trees_cost():
    """The dense matrix of 2000 hinges would have 12000 x 2000 entries, 192 MB; 12000 of them are not zero."""
    n = 2000 if COMPILED else 200
    builder = ModelBuilder()
    for k in range(n):
        builder.add_body(f"b{k}", 1.0)
        builder.add_joint(f"j{k}", "revolute", "world", f"b{k}", axis=(0, 0, 1), position=(k, 0, 0))
    model = builder.build()
    q, v = np.linspace(0, 1, n), np.ones(n)
    tracemalloc.start()
    for format in ("csr", "bsr"):
        assert sparse_body_jacobian(model, q, format=format).nnz == 6 * n
        assert sparse_body_jacobian_dot(model, q, v, format=format).nnz == 6 * n
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (
        most < 4000 * n
    )  # bytes; for each hinge 55 numbers in the model, some 20 in each of the results and workspaces


def test_what_cannot_be_is_refused_by_name():
    model = random_description(2, 2, kinds=("revolute",)).build()
    q, v = np.zeros(2), np.ones(2)
    with pytest.raises(ValueError, match=r"sparse_body_jacobian: format is 'coo', expected 'bsr' or 'csr'"):
        sparse_body_jacobian(model, q, format="coo")
    with pytest.raises(TypeError, match=r"sparse_body_jacobian_dot: format is a int, expected 'bsr' or 'csr'"):
        sparse_body_jacobian_dot(model, q, v, format=3)
    with pytest.raises(ValueError, match=r"sparse_body_jacobian: q has shape \(4, 2\), expected one state, \(2,\)"):
        sparse_body_jacobian(model, np.zeros((4, 2)))
    with pytest.raises(ValueError, match=r"sparse_body_jacobian_dot: v has shape \(3,\)"):
        sparse_body_jacobian_dot(model, q, np.ones(3))
    with pytest.raises(ValueError, match=r"^sparse_body_jacobian_dot: v\[1\] is inf"):
        sparse_body_jacobian_dot(model, q, [0.0, np.inf])
    with pytest.raises(ValueError, match=r"body_jacobian_transpose_times: f_ext has shape \(3, 6\), expected"):
        body_jacobian_transpose_times(model, q, np.ones((3, 6)))
    with pytest.raises(ValueError, match=r"body_jacobian_dot_times: x\[1\] is nan"):
        body_jacobian_dot_times(model, q, v, [0.0, np.nan])
    with pytest.raises(TypeError, match="sparse_body_jacobian: model must be"):
        sparse_body_jacobian("arm", q)
