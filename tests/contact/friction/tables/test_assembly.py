"""Jacobians from velocities of points, matrices of source document 000, momentum, energy, symmetries, MuJoCo."""

from dataclasses import replace

import numpy as np
import pytest

from pluecker.contact import Bodies, ContactTable, ProblemError, assemble_contacts, contact_frames, solve
from pluecker.spatial import ArgumentTypeError, quaternion_exp, quaternion_product
from tests.contact.random_scenes import (
    document,
    random_bodies,
    random_table,
)

REFUSED = ProblemError, ArgumentTypeError

H = 0.01


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def relative_motion(bodies, table, k, velocity):
    """Return the velocity of contact k's point on j relative to i, in the world, and the relative angular velocity."""
    i, j = table.bodies[k]
    v = [velocity[b, 3:] + np.cross(velocity[b, :3], table.point[k] - bodies.position[b]) for b in (i, j)]
    return v[1] - v[0], velocity[j, :3] - velocity[i, :3]


# ------------------------------------------------------------------------------------------------------------- Jacobians


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_rows_are_relative_velocities_of_points(rng, columns):
    bodies = random_bodies(rng, 4)
    table = random_table(rng, 4, 7, columns, gap=0.0)
    velocity = bodies.free_velocity(H)
    u = assemble_contacts(bodies, table, H).offset.reshape(7, -1)
    for k in range(7):
        v, w = relative_motion(bodies, table, k, velocity)
        n, t1, t2 = contact_frames(table.normal[k])
        expected = [n @ v, t1 @ v, t2 @ v, t1 @ w, t2 @ w, n @ w][: table.size]
        np.testing.assert_allclose(u[k], expected, atol=1e-14)


def test_delassus_operator_is_that_of_source_document_000(rng):
    bodies, table = random_bodies(rng, 4, static=[2]), random_table(rng, 4, 6)
    table = replace(table, bodies=[[0, 1], [0, 2], [1, 3], [2, 3], [0, 3], [1, 2]])
    doc = document(bodies, table)
    F = np.zeros((18, 18))
    F[:, 0::3], F[:, 1::3], F[:, 2::3] = doc.N, doc.T[:, 0::2], doc.T[:, 1::2]
    expected = F.T @ doc.C.T @ doc.inverse @ doc.C @ F
    np.testing.assert_allclose(assemble_contacts(bodies, table, H).matrix().toarray(), expected, atol=1e-12)


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_action_is_reaction_and_momentum_is_conserved(rng, columns):
    bodies, table = random_bodies(rng, 4), random_table(rng, 4, 7, columns)
    problem = assemble_contacts(bodies, table, H)
    r = rng.normal(size=problem.size)
    impulse = (bodies.mass_matrix() @ (problem.motion(r) - problem.free_velocity).ravel()).reshape(4, 6)
    np.testing.assert_allclose(impulse[:, 3:].sum(axis=0), 0.0, atol=1e-13)
    angular = impulse[:, :3] + np.cross(bodies.position, impulse[:, 3:])
    np.testing.assert_allclose(angular.sum(axis=0), 0.0, atol=1e-13)


def test_a_positive_normal_impulse_pushes_j_along_the_normal_and_i_back(rng):
    bodies, table = random_bodies(rng, 2), random_table(rng, 2, 1)
    problem = assemble_contacts(bodies, table, H)
    impulse = bodies.mass[:, None] * (problem.motion([2.0, 0, 0]) - problem.free_velocity)[:, 3:]
    np.testing.assert_allclose(impulse, [-2 * table.normal[0], 2 * table.normal[0]])


def test_energy_changes_by_the_work_of_the_mean_velocity(rng):
    """T(v+) - T(v_free) = r . (u+ + u_free) / 2: what impulses change."""
    bodies, table = random_bodies(rng, 4), random_table(rng, 4, 5, gap=0.0)
    problem = assemble_contacts(bodies, table, H)
    r = rng.normal(size=problem.size)
    before, after = problem.free_velocity, problem.motion(r)
    work = r @ (problem.offset + problem.velocity(r)) / 2
    assert np.isclose(bodies.kinetic_energy(after) - bodies.kinetic_energy(before), work, rtol=1e-12)


# ----------------------------------------------------------------------------------------------------------- invariances


def test_a_turned_and_shifted_world_has_the_same_problem(rng):
    """Tangents are the exception: they are turned about the normal."""
    bodies, table = random_bodies(rng, 4, static=[1]), random_table(rng, 4, 6)
    problem = assemble_contacts(bodies, table, H)
    p, shift = quaternion_exp(rng.normal(size=3)), rng.normal(size=3)
    R = replace(bodies, orientation=np.tile(p, (4, 1))).rotation[0]

    def turned(x):
        return (x.reshape(-1, 3) @ R.T).reshape(x.shape)

    moved = Bodies(
        bodies.mass,
        bodies.inertia,
        turned(bodies.position) + shift,
        quaternion_product(p, bodies.orientation),
        turned(bodies.velocity),
        turned(bodies.wrench),
    )
    other = assemble_contacts(moved, replace(table, normal=turned(table.normal), point=turned(table.point) + shift), H)
    G = np.zeros((18, 18))
    for k in range(6):
        s = slice(3 * k, 3 * k + 3)
        G[s, s] = contact_frames(turned(table.normal)[k]) @ (contact_frames(table.normal[k]) @ R.T).T
        assert np.isclose(abs(G[3 * k, 3 * k]), 1.0)
    np.testing.assert_allclose(other.matrix().toarray(), G @ problem.matrix().toarray() @ G.T, atol=1e-12)
    np.testing.assert_allclose(other.offset, G @ problem.offset, atol=1e-12)


def test_the_order_of_the_bodies_does_not_matter(rng):
    bodies, table = random_bodies(rng, 4), random_table(rng, 4, 6, restitution=0.5)
    new = np.array([2, 0, 3, 1])  # the new number of each body
    old = np.argsort(new)
    names = ("mass", "inertia", "position", "orientation", "velocity", "wrench")
    other = Bodies(*(getattr(bodies, name)[old] for name in names))
    turned = ContactTable.ordered(
        new[table.bodies], table.normal, table.point, gap=table.gap, friction=table.friction, restitution=0.5
    )
    a, b = assemble_contacts(bodies, table, H), assemble_contacts(other, turned, H)
    np.testing.assert_allclose(b.matrix().toarray()[::3, ::3], a.matrix().toarray()[::3, ::3], atol=1e-12)
    np.testing.assert_allclose(b.offset[::3], a.offset[::3], atol=1e-12)
    motion = [p.motion(solve(p, tol=1e-12).multipliers) for p in (a, b)]
    np.testing.assert_allclose(motion[1][new], motion[0], atol=1e-8)


# -------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bodies": 3}, "bodies is int, expected Bodies"),
        ({"table": None}, "table is NoneType, expected a ContactTable"),
        ({"rows": [[1]]}, "rows is list, expected Rows"),
        ({"step": None}, "step is None, expected a positive number"),
        ({"erp": [0.1, 0.2]}, r"erp has shape \(2,\), expected \(3,\)"),
        ({"erp": 1.5}, "contact 0: erp is 1.5, expected 0 to 1"),
    ],
)
def test_arguments_of_other_types_are_refused(rng, change, words):
    arguments = {"bodies": random_bodies(rng, 4), "table": random_table(rng, 4, 3), "step": H, **change}
    with pytest.raises(REFUSED, match=words):
        assemble_contacts(**arguments)


# ----------------------------------------------------------------------------------------------------------------- peers


def test_contact_of_two_boxes_is_that_of_mujoco():
    """The contact points of MuJoCo's collision; J v and J M^-1 J' in its frames, which have other tangents."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><option cone="elliptic" jacobian="dense"/><worldbody>
        <body pos="0 0 0" euler="10 20 5"><freejoint/><geom type="box" size="1 0.8 0.5" mass="3"/></body>
        <body pos="0.2 0.1 1.0" euler="3 -5 40"><freejoint/><geom type="box" size="0.6 0.7 0.5" mass="2"/></body>
        </worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    data.qvel[:] = rng.normal(size=12)
    mujoco.mj_forward(model, data)
    K = data.ncon
    assert K >= 2
    position, orientation = data.qpos.reshape(2, 7)[:, :3], data.qpos.reshape(2, 7)[:, 3:]
    bodies = Bodies(model.body_mass[1:], model.body_inertia[1:], position, orientation)
    v = data.qvel.reshape(2, 6)
    velocity = np.concatenate([np.einsum("nij,nj->ni", bodies.rotation, v[:, 3:]), v[:, :3]], axis=1)
    frames = data.contact.frame.reshape(K, 3, 3)
    pairs = model.geom_bodyid[data.contact.geom] - 1
    table = ContactTable(pairs, frames[:, 0], data.contact.pos)
    bodies = replace(bodies, velocity=velocity)
    problem, free = assemble_contacts(bodies, table, H), bodies.free_velocity(H)
    qvel = np.concatenate([free[:, 3:], np.einsum("nij,ni->nj", bodies.rotation, free[:, :3])], axis=1).ravel()
    G = np.zeros((3 * K, 3 * K))
    for k in range(K):
        s = slice(3 * k, 3 * k + 3)
        G[s, s] = frames[k] @ contact_frames(table.normal[k]).T
    J = data.efc_J.reshape(-1, model.nv)
    M = np.zeros((12, 12))
    if hasattr(data, "M"):
        for row in range(12):
            mujoco.mj_mulM(model, data, M[row], np.eye(12)[row])
    else:
        mujoco.mj_fullM(model, M, data.qM)
    np.testing.assert_allclose(G @ problem.offset, J @ qvel, atol=1e-10)
    np.testing.assert_allclose(G @ problem.matrix().toarray() @ G.T, J @ np.linalg.solve(M, J.T), atol=1e-10)
