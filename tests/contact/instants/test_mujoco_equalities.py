"""Against MuJoCo's equality constraints: connect, weld and couplings of joints, in states where both mean the same.

MuJoCo's constraints are soft, ``J a + R f = a_ref``, with a diagonal matrix R that goes with (1 - d) / d of the impedance
d < 1, and without the term ``Jdot v``. So they mean ours at rest, with R accounted for; and inverse dynamics, which give f
for any acceleration, mean ours in motion too, where f and J a are looked at apart.
"""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra peers)")

from pluecker.articulated import aba, crba, random_configuration  # noqa: E402
from pluecker.contact import World  # noqa: E402
from pluecker.contact.constraints import Ball, Coupling, Fixed  # noqa: E402
from tests.articulated.algorithms.test_mujoco import random_pair  # noqa: E402
from tests.contact.world.worlds import frame_at, random_placement  # noqa: E402

SEEDS = range(3)


def pair(seed):
    """A tree with three loops, ours and MuJoCo's, closed in a configuration, and that configuration in both orders."""
    rng = np.random.default_rng(seed)
    model, spec = random_pair(seed, compile=False)
    q = random_configuration(model, rng)
    hinges = tuple(joint.name for joint in model.joints if joint.type in ("revolute", "prismatic"))[:2]
    a, b = (q[model.q_slice(name)][0] for name in hinges)
    coupling = Coupling("gear", {hinges[0]: 1.0, hinges[1]: -0.7}, offset=a - 0.7 * b)
    places = ["world", *(f"b{k}" for k in range(9))]
    while True:  # until there are freedoms enough between the bodies, and rows that are far from redundant
        first, second = (tuple(rng.choice(places, 2, replace=False).tolist()) for _ in range(2))
        T, U = random_placement(rng), random_placement(rng)
        ball = Ball("ball", *(frame_at(model, q, name, T) for name in first))
        fixed = Fixed("fixed", *(frame_at(model, q, name, U) for name in second))
        world = World(model, [ball, fixed, coupling])
        if np.linalg.cond(world.rows_at(q).jacobian) < 100.0:
            break
    kinds = mujoco.mjtEq
    for kind, names in zip(
        (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD, kinds.mjEQ_JOINT), (first, second, hinges), strict=True
    ):
        own = spec.add_equality(type=kind)
        own.objtype = mujoco.mjtObj.mjOBJ_JOINT if kind == kinds.mjEQ_JOINT else mujoco.mjtObj.mjOBJ_BODY
        own.name1, own.name2 = names
    theirs = spec.compile()
    theirs.opt.tolerance, theirs.opt.iterations = 0.0, 100
    theirs.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_WARMSTART)
    theirs.eq_data[0, :6] = *ball.first.position, *ball.second.position
    turn, own = (
        np.empty(4),
        np.array(fixed.first.rotation) @ np.array(fixed.second.rotation).T,
    )  # axes of the second body
    mujoco.mju_mat2Quat(turn, own.ravel())  # in those of the first
    theirs.eq_data[1, :11] = *fixed.second.position, *fixed.first.position, *turn, 1.0
    theirs.eq_data[2, :5] = a - 0.7 * b, 0.7, 0.0, 0.0, 0.0
    names = [theirs.joint(k).name for k in range(theirs.njnt)]
    orders = [np.concatenate([np.r_[places(name)] for name in names]) for places in (model.q_slice, model.v_slice)]
    data = mujoco.MjData(theirs)
    data.qpos = q[orders[0]]
    return world, q, theirs, data, orders[1], rng


def rows(theirs, data):
    """MuJoCo's Jacobian, dense."""
    mujoco.mj_forward(theirs, data)
    J = np.zeros((data.nefc, theirs.nv))
    if mujoco.mj_isSparse(theirs):
        mujoco.mju_sparse2dense(J, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    else:
        J[:] = data.efc_J.reshape(data.nefc, -1)[:, : theirs.nv]
    return J


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_hold_the_same(seed):
    """No errors in this configuration, and the same space of rows."""
    world, q, theirs, data, order, _ = pair(seed)
    J = rows(theirs, data)
    assert np.abs(data.efc_pos).max() < 1e-13 * (1.0 + np.abs(data.xpos).max())
    ours = world.rows_at(q).jacobian[:, order]
    assert len(ours) == len(J) == np.linalg.matrix_rank(J) == 10
    assert np.abs(ours - ours @ np.linalg.pinv(J) @ J).max() < 1e-12 * np.abs(ours).max() * np.linalg.cond(J)


@pytest.mark.parametrize("impedance", [0.9, 0.9999])
@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_at_rest_are_mujocos_but_for_what_its_rows_yield(seed, impedance):
    """With N = J H^-1 J^T, ours is N r = -J a_free, and theirs (N + R) f = -J a_free: so f = (N + R)^-1 N r, from our r."""
    world, q, theirs, data, order, rng = pair(seed)
    tau = rng.standard_normal(theirs.nv)
    data.qfrc_applied = tau[order]
    theirs.eq_solimp[:, :2] = impedance
    J = rows(theirs, data)
    H, free = crba(world.model, q)[np.ix_(order, order)], aba(world.model, q, np.zeros(theirs.nv), tau)[order]
    result = world.accelerations(q, np.zeros(theirs.nv), tau)
    force = (world.rows_at(q).jacobian.T @ result.forces)[order]
    W = np.linalg.solve(H, J.T)
    N, r = J @ W, np.linalg.lstsq(J.T, force, rcond=None)[0]
    yielding = N + np.diag(data.efc_R)
    f = np.linalg.solve(yielding, N @ r)
    rounding = (
        10.0 * np.finfo(float).eps * (np.linalg.cond(H + J.T @ np.diag(1.0 / data.efc_R) @ J) + np.linalg.cond(N))
    )
    assert rounding < 1e-7
    np.testing.assert_allclose(J.T @ f, data.qfrc_constraint, rtol=0.0, atol=rounding * np.abs(force).max())
    np.testing.assert_allclose(free + W @ f, data.qacc, rtol=0.0, atol=rounding * np.abs(W @ r).max())
    np.testing.assert_allclose(free + W @ r, result.acceleration[order], rtol=0.0, atol=rounding * np.abs(W @ r).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics_of_our_motion_need_the_forces_of_our_constraints(seed):
    """In motion: what mj_inverse wants without its own forces of constraints is tau and J^T r; and the rates of its rows,
    whose change it gives as -R f less Jdot v, do not change: ``J a + Jdot v = 0``, Jdot by differences."""
    world, q, theirs, data, order, rng = pair(seed)
    tau = rng.standard_normal(theirs.nv)
    v = world.impact(q, rng.standard_normal(theirs.nv)).velocity
    result, J = world.accelerations(q, v, tau), rows(theirs, data)
    data.qvel, data.qacc = v[order], result.acceleration[order]
    mujoco.mj_inverse(theirs, data)
    expected = tau + world.rows_at(q, v).jacobian.T @ result.forces
    needed = data.qfrc_inverse + data.qfrc_constraint
    scale = np.abs(expected).max() + np.abs(data.qfrc_bias).max()
    np.testing.assert_allclose(needed, expected[order], rtol=0.0, atol=1e-10 * scale)
    assert np.abs(J @ v[order]).max() < 1e-10 * np.abs(J).max() * np.abs(v).max()
    gain = data.efc_aref - data.efc_R * data.efc_force  # J a
    h, ends = 1e-5, []
    for step in (h, -h):
        moved = data.qpos.copy()
        mujoco.mj_integratePos(theirs, moved, v[order], step)
        other = mujoco.MjData(theirs)
        other.qpos = moved
        ends.append(rows(theirs, other) @ v[order])
    bias = (ends[0] - ends[1]) / (2.0 * h)
    limit = 1e-6 * (np.abs(gain).max() + np.abs(J).max() * np.abs(v).max() ** 2)  # h^2 of a third derivative, eps / h
    np.testing.assert_allclose(gain + bias, 0.0, rtol=0.0, atol=limit)
