"""Against MuJoCo, which has armature, damping and springs of its own: hinges, slides and balls on branching trees."""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra peers)")

from pluecker.articulated import ModelBuilder, aba, bias_force, crba, random_configuration, rnea  # noqa: E402
from tests.mechanisms import random_body, random_rotation  # noqa: E402

KINDS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}


def random_pair(seed, compile=True, kinds=tuple(KINDS)):
    """Make one random tree for both programs, with passive forces; ``kinds`` of joints take turns."""
    rng = np.random.default_rng(seed)
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = [0.3, -0.2, -9.0]
    builder = ModelBuilder(gravity=spec.option.gravity)
    bodies = {"world": spec.worldbody}
    for k in range(9):
        kind, name = kinds[k % len(kinds)], f"b{k}"
        parent = "world" if k == 0 else f"b{rng.integers(k)}"
        data, position, turn = random_body(rng), rng.normal(size=3), random_rotation(rng)
        axis = rng.normal(size=3)
        armature, damping, stiffness = rng.uniform(0.1, 1.0, 3)
        J = data["inertia"]
        body = bodies[name] = bodies[parent].add_body(name=name, pos=position, quat=turn)
        body.mass, body.ipos, body.explicitinertial = data["mass"], data["center_of_mass"], True
        body.fullinertia = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        joint = body.add_joint(name=f"j{k}", type=getattr(mujoco.mjtJoint, f"mjJNT_{KINDS[kind].upper()}"))
        joint.armature = armature
        joint.damping[0], joint.stiffness[0] = damping, stiffness
        options = {"armature": armature, "damping": damping, "stiffness": stiffness}
        if kind != "spherical":
            joint.axis, joint.springref = axis, 0.2
            options |= {"axis": axis, "rest_position": 0.2}
        builder.add_body(name, **data)
        builder.add_joint(f"j{k}", kind, parent, name, position=position, rotation=turn, **options)
    return builder.build(), spec.compile() if compile else spec


@pytest.fixture(params=range(3))
def pair(request):
    model, theirs = random_pair(request.param)
    order = [model.q_slice(theirs.joint(k).name) for k in range(theirs.njnt)]
    q_order = np.concatenate([np.arange(s.start, s.stop) for s in order])
    order = [model.v_slice(theirs.joint(k).name) for k in range(theirs.njnt)]
    v_order = np.concatenate([np.arange(s.start, s.stop) for s in order])
    rng = np.random.default_rng(request.param)
    q, (v, a) = random_configuration(model, rng), rng.normal(size=(2, model.nv))
    data = mujoco.MjData(theirs)
    data.qpos, data.qvel = q[q_order], v[v_order]
    return model, theirs, data, q, v, a, v_order


def close(found, expected, order):
    np.testing.assert_allclose(found[order], expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())


def test_inertia_matrix(pair):
    model, theirs, data, q, _, _, order = pair
    mujoco.mj_forward(theirs, data)
    H = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, data, H)
    np.testing.assert_allclose(crba(model, q)[np.ix_(order, order)], H, atol=1e-11 * np.abs(H).max())


def test_bias_and_passive_forces(pair):
    model, theirs, data, q, v, _, order = pair
    mujoco.mj_forward(theirs, data)
    close(bias_force(model, q, v), data.qfrc_bias - data.qfrc_passive, order)


def test_inverse_dynamics(pair):
    model, theirs, data, q, v, a, order = pair
    data.qacc = a[order]
    mujoco.mj_inverse(theirs, data)
    close(rnea(model, q, v, a), data.qfrc_inverse, order)


def test_forward_dynamics(pair):
    model, theirs, data, q, v, a, order = pair
    data.qfrc_applied = a[order]
    mujoco.mj_forward(theirs, data)
    close(aba(model, q, v, a), data.qacc, order)
