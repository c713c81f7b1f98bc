"""Motions of other libraries by the same method, step for step: MuJoCo's Euler and RK4, Pinocchio's aba and integrate."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    difference,
    frame_placement,
    random_configuration,
    rnea,
    simulate,
)
from pluecker.articulated.conventions import from_pinocchio_q, to_pinocchio_q, velocity_map_to_pinocchio
from pluecker.articulated.robots import find_robot
from pluecker.spatial import MissingExtraError
from tests.conftest import COMPILED

STEPS = 200 if COMPILED else 10
H = 1e-3
ROUNDING = 1e-9  # of the largest coordinate: 1e-16 a step, and what the motion itself makes of it in 0.2 s


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=ROUNDING * np.abs(expected).max())


# ------------------------------------------------------------------------------------------------------------------ MuJoCo


@pytest.mark.parametrize(
    ("integrator", "kinds"),
    [("semi_implicit", ("revolute", "prismatic", "spherical")), ("rk4", ("revolute", "prismatic"))],
)
def test_a_tree_moves_as_mujoco_moves_it(integrator, kinds):
    """MuJoCo's Euler takes damping at the end of the step, as ours does, and springs at its beginning: there are none.

    Its fourth-order method adds velocities of balls, ours goes through the exponential: hinges and slides agree.
    """
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra peers)")
    from tests.articulated.algorithms.test_mujoco import random_pair

    model, spec = random_pair(1, compile=False, kinds=kinds)
    model = model.replace(stiffness=0.0)
    for joint in spec.joints:
        joint.stiffness[0] = 0.0
    theirs = spec.compile()
    theirs.opt.timestep = H
    theirs.opt.integrator = {
        "semi_implicit": mujoco.mjtIntegrator.mjINT_EULER,
        "rk4": mujoco.mjtIntegrator.mjINT_RK4,
    }[integrator]
    names = [theirs.joint(k).name for k in range(theirs.njnt)]
    q_order = np.concatenate([np.r_[model.q_slice(name)] for name in names])
    v_order = np.concatenate([np.r_[model.v_slice(name)] for name in names])
    rng = np.random.default_rng(5)
    q, v, tau = random_configuration(model, rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    data = mujoco.MjData(theirs)
    data.qpos, data.qvel, data.qfrc_applied = q[q_order], v[v_order], tau[v_order]
    found = simulate(model, q, v, STEPS * H, H, control=tau, integrator=integrator)
    for k in range(1, STEPS + 1):
        mujoco.mj_step(theirs, data)
        close(found.q[k, q_order], data.qpos)
        close(found.v[k, v_order], data.qvel)


def path_of(name):
    """The robot's file, if the robots are installed."""
    try:
        return find_robot(name)
    except MissingExtraError:
        pytest.skip("example-robot-data is not installed (extra peers)")


def robot_in_mujoco(name, floating, integrator):
    """Load a robot in both programs, without dry friction and limits, which are constraints in MuJoCo; compile its model."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra peers)")
    path = path_of(name)
    robot = ET.parse(path).getroot()
    for link in robot.iter("link"):  # meshes are not asked for
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    spec = mujoco.MjSpec.from_string(ET.tostring(robot, encoding="unicode"))
    if floating:
        spec.worldbody.first_body().add_freejoint()
    else:  # ANYmal's root moves nothing then, and is a body that MuJoCo does not take
        spec.compiler.boundinertia, spec.compiler.balanceinertia = 1e-12, True
    bits = mujoco.mjtDisableBit
    spec.option.disableflags = int(bits.mjDSBL_CONSTRAINT) | int(bits.mjDSBL_CONTACT)
    spec.option.timestep, spec.option.integrator = H, getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    model = Model.from_urdf(path, floating_base=floating, mimic=False, check_inertia=floating)
    try:
        theirs = spec.compile()
    except ValueError as error:
        if floating or "inertia" not in str(error):
            raise
        pytest.skip(f"MuJoCo {mujoco.__version__} takes no body of a mass of nothing: {error}")
    return model.replace(friction=0.0), theirs


def places_in_mujoco(model, theirs, floating):
    """Return the indices of our q and of our v in MuJoCo's order."""
    joints = [theirs.joint(joint.name) for joint in model.joints[floating:]]
    q = [*range(7 * floating), *(int(joint.qposadr[0]) for joint in joints)]
    return np.array(q), np.array([*range(6 * floating), *(int(joint.dofadr[0]) for joint in joints)])


EULER_ROBOTS = ["panda", *(["g1", "anymal", "talos_full_v2"] if COMPILED else [])]
RK4_ROBOTS = ["panda", *(["g1"] if COMPILED else [])]


@pytest.mark.parametrize(
    ("integrator", "theirs_is", "name"),
    [("semi_implicit", "EULER", name) for name in EULER_ROBOTS] + [("rk4", "RK4", name) for name in RK4_ROBOTS],
)
def test_a_robot_on_a_fixed_base_moves_as_in_mujoco(integrator, theirs_is, name):
    """Damping is that of the file: Euler's method takes it at the end of the step in both programs, RK4 inside it."""
    model, theirs = robot_in_mujoco(name, False, theirs_is)
    import mujoco

    q_order, v_order = places_in_mujoco(model, theirs, False)
    rng = np.random.default_rng(2)
    q, v = random_configuration(model, rng), 0.3 * rng.normal(size=model.nv)
    tau = rnea(model, q, v, 0.0 * v)
    data = mujoco.MjData(theirs)
    data.qpos[q_order], data.qvel[v_order], data.qfrc_applied[v_order] = q, v, tau
    options = {} if integrator == "rk4" else {"limits": False}
    found = simulate(model, q, v, STEPS * H, H, control=tau, integrator=integrator, **options)
    for k in range(1, STEPS + 1):
        mujoco.mj_step(theirs, data)
        close(found.q[k], data.qpos[q_order])
        close(found.v[k], data.qvel[v_order])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["go2", "g1"])
def test_a_floating_robot_comes_to_mujocos_motion_with_the_step(name):
    """MuJoCo steps the velocity of the base's origin, ours that of the centre of mass: both of first order."""
    model, theirs = robot_in_mujoco(name, True, "EULER")
    import mujoco

    q_order, v_order = places_in_mujoco(model, theirs, True)
    rng = np.random.default_rng(2)
    q, v = random_configuration(model, rng), 0.5 * rng.normal(size=model.nv)
    tau = rnea(model, q, v, 0.0 * v)
    tau[:6] = 0.0
    R = frame_placement(model, q, model.body_names[0])[:3, :3]
    apart = []
    for halving in range(4):
        h, steps = H / 2**halving, 100 * 2**halving
        theirs.opt.timestep = h
        data = mujoco.MjData(theirs)
        data.qpos[q_order], data.qvel[v_order], data.qfrc_applied[v_order] = q, v, tau
        data.qvel[:6] = [*(R @ v[3:6]), *v[:3]]  # its base has the linear part first, in world axes
        mujoco.mj_step(theirs, data, steps)
        found = simulate(model, q, v, steps * h, h, control=tau, limits=False, every=steps)
        apart.append(np.abs(difference(model, data.qpos[q_order], found.q[-1])).max())
    orders = np.log2(np.array(apart[:-1]) / apart[1:])
    assert abs(orders[-1] - 1.0) < 0.1, (apart, orders)


# --------------------------------------------------------------------------------------------------------------- Pinocchio


def robot(name, floating):
    """Load a robot in both programs, without losses, which are no part of Pinocchio's forward dynamics."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")
    path = path_of(name)
    model = Model.from_urdf(path, floating_base=floating, mimic=False).replace(friction=0.0, damping=0.0)
    theirs = pin.buildModelFromUrdf(str(path), *((pin.JointModelFreeFlyer(),) if floating else ()))
    return pin, model, theirs, theirs.createData()


def in_pinocchio(pin, theirs, data, q, v, tau, h, steps):
    """q and v after so many steps of semi-implicit Euler."""
    for _ in range(steps):
        v = v + h * pin.aba(theirs, data, q, v, tau)
        q = pin.integrate(theirs, q, h * v)
        yield q, v


@pytest.mark.parametrize("name", ["panda", *(["g1", "talos_full_v2"] if COMPILED else [])])
def test_a_robot_on_a_fixed_base_moves_as_in_pinocchio(name):
    pin, model, theirs, data = robot(name, floating=False)
    rng = np.random.default_rng(2)
    q, v = random_configuration(model, rng), 0.3 * rng.normal(size=model.nv)
    tau = rnea(model, q, v, 0.0 * v)  # at first nothing is accelerated: fingers of a few grams stay slow
    G = velocity_map_to_pinocchio(model, theirs)
    found = simulate(model, q, v, STEPS * H, H, control=tau, limits=False)
    start = to_pinocchio_q(model, theirs, q)
    for k, (q_pin, v_pin) in enumerate(in_pinocchio(pin, theirs, data, start, G @ v, G @ tau, H, STEPS), 1):
        close(found.q[k], from_pinocchio_q(model, theirs, q_pin))
        close(G @ found.v[k], v_pin)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["go2", "g1"])
def test_a_floating_robot_comes_to_pinocchios_motion_with_the_step(name):
    """Ours steps the base in a frozen frame, Pinocchio's loop in the moving one: both of first order, they meet at zero."""
    pin, model, theirs, data = robot(name, floating=True)
    rng = np.random.default_rng(2)
    q, v = random_configuration(model, rng), 0.5 * rng.normal(size=model.nv)
    tau = rnea(model, q, v, 0.0 * v)
    tau[:6] = 0.0
    G = velocity_map_to_pinocchio(model, theirs)
    apart = []
    for halving in range(4):
        h, steps = H / 2**halving, 100 * 2**halving
        found = simulate(model, q, v, steps * h, h, control=tau, limits=False, every=steps)
        *_, (q_pin, _) = in_pinocchio(pin, theirs, data, to_pinocchio_q(model, theirs, q), G @ v, G @ tau, h, steps)
        apart.append(np.abs(difference(model, from_pinocchio_q(model, theirs, q_pin), found.q[-1])).max())
    orders = np.log2(np.array(apart[:-1]) / apart[1:])
    assert abs(orders[-1] - 1.0) < 0.1, (apart, orders)
