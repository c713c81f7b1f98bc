"""Statements of the page "coming from ..." about Pinocchio and MuJoCo, each line against them."""

import numpy as np
import pytest

from pluecker.articulated import (
    Model,
    ModelBuilder,
    aba,
    body_velocities,
    frame_acceleration,
    frame_placement,
    frame_velocity,
    gravity_force,
    integrate,
    jacobian,
    passive_force,
    random_configuration,
    rnea,
)
from pluecker.articulated.conventions import to_pinocchio_q, velocity_map_to_pinocchio
from pluecker.spatial import (
    body_momentum,
    crf,
    crm,
    cross_force,
    dual,
    euler_to_rotation,
    exp6,
    inertia_rate,
    log6,
    pluecker_transform,
    quaternion_derivative,
    quaternion_exp,
    quaternion_log,
    quaternion_product,
    quaternion_to_rotation,
    right_jacobian3,
    right_jacobian6,
    right_jacobian6_inverse,
    spatial_inertia,
    transform_force,
    transform_from_placement,
    transform_inertia,
    transform_motion,
)
from tests.docs.test_howto import TOP, python_blocks

for needed in ("pinocchio", "mujoco"):
    pytest.importorskip(needed, reason=f"{needed} is not installed (extras peers and urdf)")

import mujoco  # noqa: E402
import pinocchio as pin  # noqa: E402

SWAP = [3, 4, 5, 0, 1, 2]  # linear first to angular first, and back
BLOCKS = np.ix_(SWAP, SWAP)
PAGE = TOP / "docs" / "coming_from.md"
LINK = (
    '<link name="{0}"><inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
)


def same(found, expected, atol=1e-10):
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=atol)


@pytest.fixture(scope="module")
def page():
    """The names that the page's blocks make; they check themselves."""
    names = {}
    for block in python_blocks(PAGE):
        exec(compile(block, "coming_from.md", "exec"), names)
    return names


@pytest.fixture
def pair(page):
    """Our robot and Pinocchio's, of the same file, in a state of both; a free base, and a hinge that turns without end."""
    ours = Model.from_urdf(page["URDF"], floating_base=True)
    theirs = pin.buildModelFromXML(page["URDF"], pin.JointModelFreeFlyer())
    rng = np.random.default_rng(3)
    q = random_configuration(ours, rng)
    v, a = rng.standard_normal((2, ours.nv))
    return ours, theirs, theirs.createData(), q, v, a


@pytest.fixture
def mujoco_pair(page):
    """Models of the page, ours and MuJoCo's, in the same state."""
    ours, theirs = page["ours"], page["theirs"]
    rng = np.random.default_rng(4)
    q = random_configuration(ours, rng)
    v, a = rng.standard_normal((2, ours.nv))
    data = mujoco.MjData(theirs)
    data.qpos, data.qvel, data.qacc, _ = page["to_mujoco"](q, v, a, v)
    return ours, theirs, data, q, v, a


def test_the_blocks_of_the_page_run_and_their_assertions_hold(page):
    assert {"to_mujoco", "ours", "theirs"} <= set(page)


def test_the_versions_are_those_that_the_page_names():
    text = PAGE.read_text(encoding="utf-8")
    named = [text.partition(name + " ")[2][:3] for name in ("(Pinocchio", ", MuJoCo")]
    found = [".".join(version.split(".")[:2]) for version in (pin.__version__, mujoco.__version__)]
    if named != found:
        pytest.skip(f"the page was checked with {named}; these are {found}, and everything else here runs with them")


# -------------------------------------------------------------------------------------------------------------- Pinocchio


def test_pinocchio_has_the_linear_part_first():
    assert pin.Motion(np.arange(6.0)).linear.tolist() == [0.0, 1.0, 2.0]
    assert pin.Force(np.arange(6.0)).linear.tolist() == [0.0, 1.0, 2.0]


def test_pinocchio_has_the_scalar_of_a_quaternion_last_and_position_first(pair):
    _, theirs, data, *_ = pair
    q = pin.neutral(theirs)
    assert q[:7].tolist() == [0, 0, 0, 0, 0, 0, 1]
    q[:3] = [1, 2, 3]
    pin.forwardKinematics(theirs, data, q)
    assert data.oMi[1].translation.tolist() == [1, 2, 3]


def test_pinocchios_free_joint_moves_in_body_axes_with_the_linear_part_first(pair):
    _, theirs, data, *_ = pair
    q = np.array([0, 0, 0, 0, 0, np.sin(0.3), np.cos(0.3), 1, 0])  # turned by 0.6 about z
    step = 1e-7
    moved = pin.integrate(theirs, q, step * np.eye(7)[0])
    same((moved - q)[:3] / step, [np.cos(0.6), np.sin(0.6), 0], 1e-7)
    pin.forwardKinematics(theirs, data, q, np.arange(7.0))
    assert data.v[1].linear.tolist() == [0, 1, 2]
    assert data.v[1].angular.tolist() == [3, 4, 5]


def test_pinocchios_continuous_joint_has_a_cosine_and_a_sine(pair):
    ours, theirs, _, q, *_ = pair
    assert (theirs.nq, ours.nq) == (9, 8)
    same(to_pinocchio_q(ours, theirs, q)[7:], [np.cos(q[7]), np.sin(q[7])], 1e-15)


def test_pinocchio_sorts_children_by_name_and_we_keep_the_order_of_the_file():
    joint = (
        '<joint name="to_{0}" type="revolute"><parent link="root"/><child link="{0}"/><axis xyz="0 0 1"/>{1}</joint>'
    )
    limit = '<limit effort="1" velocity="1" lower="-1" upper="1"/>'
    text = '<robot name="fork"><link name="root"/>{}</robot>'.format(
        "".join(LINK.format(k) + joint.format(k, limit) for k in "zam")
    )
    assert Model.from_urdf(text).joint_names == ("to_z", "to_a", "to_m")
    assert list(pin.buildModelFromXML(text).names)[1:] == ["to_a", "to_m", "to_z"]


@pytest.mark.parametrize(("axes", "frame"), [("body", "LOCAL"), ("aligned", "LOCAL_WORLD_ALIGNED"), ("world", "WORLD")])
def test_our_axes_are_pinocchios_reference_frames(pair, axes, frame):
    ours, theirs, data, q, v, a = pair
    G, reference = velocity_map_to_pinocchio(ours, theirs), getattr(pin.ReferenceFrame, frame)
    q_pin, number = to_pinocchio_q(ours, theirs, q), theirs.getFrameId("arm")
    pin.forwardKinematics(theirs, data, q_pin, G @ v, G @ a)
    same(
        frame_velocity(ours, q, v, "arm", axes=axes), pin.getFrameVelocity(theirs, data, number, reference).vector[SWAP]
    )
    same(
        jacobian(ours, q, "arm", axes=axes),
        (pin.computeFrameJacobian(theirs, data, q_pin, number, reference) @ G)[SWAP],
    )
    for classical, function in ((False, pin.getFrameAcceleration), (True, pin.getFrameClassicalAcceleration)):
        if axes == "body" or (axes == "aligned" and classical):
            found = frame_acceleration(ours, q, v, a, "arm", axes=axes, classical=classical)
            same(found, function(theirs, data, number, reference).vector[SWAP])


def test_pinocchios_accelerations_have_no_gravity_but_a_gf_does(pair):
    _, theirs, data, *_ = pair
    assert theirs.gravity.linear.tolist() == [0, 0, -9.81]
    rest = np.zeros(theirs.nv)
    pin.rnea(theirs, data, pin.neutral(theirs), rest, rest)
    assert not data.a[1].vector.any()
    same(data.a_gf[1].vector, [0, 0, 9.81, 0, 0, 0], 1e-14)


def test_signs_of_joint_forces_and_of_gravity_are_pinocchios(pair):
    ours, theirs, data, q, *_ = pair
    G = velocity_map_to_pinocchio(ours, theirs)
    theirs_of_gravity = pin.computeGeneralizedGravity(theirs, data, to_pinocchio_q(ours, theirs, q))
    same(gravity_force(ours, q), G.T @ theirs_of_gravity)


def test_pinocchio_counts_armature_but_neither_damping_nor_friction(pair):
    ours, theirs, data, q, v, a = pair
    q_pin, G = to_pinocchio_q(ours, theirs, q), velocity_map_to_pinocchio(ours, theirs)
    free = ours.replace(damping=0.0, friction=0.0)
    assert theirs.damping[-1] == 0.3
    theirs.friction = np.full(theirs.nv, 0.7)
    same(G.T @ pin.rnea(theirs, data, q_pin, G @ v, G @ a), rnea(free, q, v, a))
    assert abs((rnea(ours, q, v, a) - rnea(free, q, v, a))[-1] - 0.3 * v[-1]) < 1e-12
    theirs.armature = np.array([0, 0, 0, 0, 0, 0, 0.5])
    heavy = free.replace(armature=[0, 0, 0, 0, 0, 0, 0.5])
    tau = rnea(heavy, q, v, a)
    same(G.T @ pin.rnea(theirs, data, q_pin, G @ v, G @ a), tau)
    same(pin.aba(theirs, data, q_pin, G @ v, G @ tau), G @ aba(heavy, q, v, tau), 1e-9)


def test_forces_on_bodies_are_in_their_axes_in_both(pair):
    ours, theirs, data, q, v, a = pair
    free = ours.replace(damping=0.0)
    f = np.arange(1.0, 7.0)  # [n; f] on the arm
    f_ext = np.zeros((2, 6))
    f_ext[ours.body_index("arm")] = f
    forces = pin.StdVec_Force()
    for k in range(theirs.njoints):
        forces.append(pin.Force(f[SWAP] if theirs.names[k] == "elbow" else np.zeros(6)))
    q_pin, G = to_pinocchio_q(ours, theirs, q), velocity_map_to_pinocchio(ours, theirs)
    same(G.T @ pin.rnea(theirs, data, q_pin, G @ v, G @ a, forces), rnea(free, q, v, a, f_ext))


def test_pinocchios_mimic_joints_move_by_themselves_unless_asked():
    joint = (
        '<joint name="j{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><axis xyz="0 0 1"/>'
        '<limit effort="1" velocity="1" lower="-1" upper="1"/>{3}</joint>'
    )
    text = '<robot name="m">{}{}</robot>'.format(
        "".join(LINK.format(k) for k in "abc"),
        joint.format(1, "a", "b", "") + joint.format(2, "b", "c", '<mimic joint="j1" multiplier="2"/>'),
    )
    assert Model.from_urdf(text).nv == 1
    assert pin.buildModelFromXML(text).nv == 2
    assert pin.buildModelFromXML(text, mimic=True).nv == 1


def test_pinocchios_batches_have_a_state_in_each_column(pair):
    ours, theirs, *_ = pair
    G, rng = velocity_map_to_pinocchio(ours, theirs), np.random.default_rng(0)
    states = random_configuration(ours, rng, 5)
    v, a = rng.standard_normal((2, 5, ours.nv))
    pool = pin.ModelPool(theirs, 1)
    found = pin.rneaInParallel(1, pool, to_pinocchio_q(ours, theirs, states).T, (v @ G.T).T, (a @ G.T).T)
    assert found.shape == (theirs.nv, 5)
    same((found.T @ G), rnea(ours.replace(damping=0.0), states, v, a))


def test_pinocchios_se3_takes_the_other_way_than_our_transform():
    rng = np.random.default_rng(1)
    T, m, f = pin.SE3.Random(), rng.standard_normal(6), rng.standard_normal(6)
    X = transform_from_placement(T.homogeneous)
    same(X, T.inverse().toActionMatrix()[BLOCKS], 1e-13)
    same(dual(X), T.inverse().toDualActionMatrix()[BLOCKS], 1e-13)
    same(transform_motion(X, m), T.actInv(pin.Motion(m[SWAP])).vector[SWAP], 1e-13)
    same(transform_force(X, f), T.actInv(pin.Force(f[SWAP])).vector[SWAP], 1e-13)
    body = pin.Inertia.Random()
    same(transform_inertia(X, body.matrix()[BLOCKS]), T.actInv(body).matrix()[BLOCKS], 1e-12)


def test_pinocchios_algebra_is_ours_with_the_halves_exchanged():
    rng = np.random.default_rng(2)
    v, m = rng.standard_normal((2, 6))
    V, body = pin.Motion(v[SWAP]), pin.Inertia(2.0, np.array([1.0, 2.0, 3.0]), np.diag([3.0, 4.0, 5.0]))
    I = spatial_inertia(2.0, [1, 2, 3], np.diag([3.0, 4.0, 5.0]))
    same(body.matrix()[BLOCKS], I, 1e-13)
    same(V.action[BLOCKS], crm(v), 1e-14)
    same(V.dualAction[BLOCKS], crf(v), 1e-14)
    same(V.cross(pin.Motion(m[SWAP])).vector[SWAP], crm(v) @ m, 1e-13)
    same(body.variation(V)[BLOCKS], inertia_rate(I, v), 1e-12)
    same(body.vxiv(V).vector[SWAP], cross_force(v, body_momentum(I, v)), 1e-12)
    same(pin.exp6(V).homogeneous, exp6(v), 1e-13)
    same(pin.log6(pin.SE3(exp6(v))).vector[SWAP], log6(exp6(v)), 1e-13)
    same(pin.Jexp3(v[:3]), right_jacobian3(v[:3]), 1e-13)
    same(pin.Jexp6(V)[BLOCKS], right_jacobian6(v), 1e-12)
    same(pin.Jlog6(pin.SE3(exp6(v)))[BLOCKS], right_jacobian6_inverse(log6(exp6(v))), 1e-12)


def test_pinocchios_rpy_are_turns_about_axes_that_stay():
    same(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), euler_to_rotation([0.1, 0.2, 0.3], "xyz"), 1e-14)
    same(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), euler_to_rotation([0.3, 0.2, 0.1], "ZYX"), 1e-14)


# ----------------------------------------------------------------------------------------------------------------- MuJoCo


def test_mujoco_has_the_scalar_of_a_quaternion_first_and_position_before_it(page):
    assert page["theirs"].qpos0[:7].tolist() == [0, 0, 0, 1, 0, 0, 0]


def test_mujocos_free_joint_moves_in_world_axes_and_turns_in_body_axes(mujoco_pair):
    _, theirs, data, q, *_ = mujoco_pair
    R, step = quaternion_to_rotation(q[3:7]), 1e-7
    moved = q.copy()
    mujoco.mj_integratePos(theirs, moved, np.eye(7)[0], step)
    same((moved - q)[:3] / step, [1, 0, 0], 1e-7)
    data.qvel = [0, 0, 0, 0.3, -0.2, 0.5, 0]
    mujoco.mj_forward(theirs, data)
    found = np.zeros(6)
    mujoco.mj_objectVelocity(theirs, data, mujoco.mjtObj.mjOBJ_XBODY, 1, found, 0)
    same(found, [*(R @ [0.3, -0.2, 0.5]), 0, 0, 0])  # angular first, in the world's axes
    mujoco.mj_objectVelocity(theirs, data, mujoco.mjtObj.mjOBJ_XBODY, 1, found, 1)
    same(found, [0.3, -0.2, 0.5, 0, 0, 0])  # and in the body's


def test_cvel_is_in_world_axes_at_the_centre_of_mass_of_the_tree(mujoco_pair):
    ours, theirs, data, q, v, _ = mujoco_pair
    mujoco.mj_forward(theirs, data)
    to_center = pluecker_transform(np.eye(3), data.subtree_com[1])
    number = theirs.body("arm").id
    same(data.cvel[number], transform_motion(to_center, frame_velocity(ours, q, v, "arm", axes="world")))
    assert np.abs(data.cvel[number] - body_velocities(ours, q, v)[ours.body_index("arm")]).max() > 0.1


def test_mj_jac_is_our_aligned_jacobian_with_its_parts_apart(mujoco_pair):
    ours, theirs, data, q, *_ = mujoco_pair
    mujoco.mj_forward(theirs, data)
    R = quaternion_to_rotation(q[3:7])
    to_qvel = np.eye(7)  # qvel = to_qvel @ v
    to_qvel[:6, :6] = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
    linear, angular = np.zeros((2, 3, 7))
    point = frame_placement(ours, q, "arm", [0.1, 0.2, 0.3])[:3, 3]  # in the world, as MuJoCo wants it
    mujoco.mj_jac(theirs, data, linear, angular, point, theirs.body("arm").id)
    same(np.concatenate([angular, linear]) @ to_qvel, jacobian(ours, q, "arm", [0.1, 0.2, 0.3], "aligned"))


def test_mujocos_accelerations_are_classical_and_less_gravity(mujoco_pair):
    ours, theirs, data, q, v, a = mujoco_pair
    mujoco.mj_inverse(theirs, data)
    mujoco.mj_rnePostConstraint(theirs, data)
    found = np.zeros(6)
    mujoco.mj_objectAcceleration(theirs, data, mujoco.mjtObj.mjOBJ_XBODY, theirs.body("arm").id, found, 0)
    expected = frame_acceleration(ours, q, v, a, "arm", axes="aligned", classical=True)
    same(found, expected - [0, 0, 0, 0, 0, -9.81])


def test_mujocos_passive_forces_have_the_other_sign(mujoco_pair):
    ours, theirs, data, q, v, _ = mujoco_pair
    mujoco.mj_forward(theirs, data)
    same(data.qfrc_passive[6:], -passive_force(ours, q, v)[6:])
    assert abs(data.qfrc_passive[6]) > 1e-3


def test_xfrc_applied_is_force_first_in_world_axes_at_the_centre_of_mass(mujoco_pair, page):
    ours, theirs, data, q, v, _ = mujoco_pair
    n, f = np.array([0.3, -0.4, 0.5]), np.array([2.0, 1.0, -3.0])
    number = theirs.body("arm").id
    data.xfrc_applied[number] = [*f, *n]
    mujoco.mj_forward(theirs, data)
    T = frame_placement(ours, q, "arm")
    R, arm = T[:3, :3], data.xipos[number] - T[:3, 3]
    f_ext = np.zeros((2, 6))
    f_ext[ours.body_index("arm")] = [*(R.T @ (n + np.cross(arm, f))), *(R.T @ f)]
    tau = np.zeros(7)
    _, _, expected, _ = page["to_mujoco"](q, v, aba(ours, q, v, tau, f_ext), tau)
    same(data.qacc, expected, 1e-9)


def test_mujocos_letters_for_euler_angles_are_ours_with_capitals_and_small_letters_exchanged():
    p = np.zeros(4)
    for sequence in ("xyz", "XYZ", "zyx", "ZYX", "zxz"):
        mujoco.mju_euler2Quat(p, np.array([0.1, 0.2, 0.3]), sequence)
        same(quaternion_to_rotation(p), euler_to_rotation([0.1, 0.2, 0.3], sequence.swapcase()), 1e-14)


def test_mujocos_quaternions_are_ours():
    rng = np.random.default_rng(5)
    p, r = rng.standard_normal((2, 4))
    p, r, w = p / np.linalg.norm(p), r / np.linalg.norm(r), rng.standard_normal(3)
    found, vector, matrix = np.zeros(4), np.zeros(3), np.zeros(9)
    mujoco.mju_mulQuat(found, p, r)
    same(found, quaternion_product(p, r), 1e-14)
    mujoco.mju_derivQuat(found, p, w)
    same(found, quaternion_derivative(p, w, "world"), 1e-14)
    mujoco.mju_quat2Vel(vector, p, 1.0)
    same(vector, quaternion_log(p), 1e-13)
    mujoco.mju_quat2Mat(matrix, p)
    same(matrix.reshape(3, 3), quaternion_to_rotation(p), 1e-14)


def test_mju_transform_spatial_is_our_transform():
    rng = np.random.default_rng(6)
    old, new, m = rng.standard_normal((3, 3))[0], rng.standard_normal(3), rng.standard_normal(6)
    R = euler_to_rotation([0.3, -0.7, 1.1], "ZYX")
    X, found = pluecker_transform(R.T, new - old), np.zeros(6)
    mujoco.mju_transformSpatial(found, m, 0, new, old, R.ravel())
    same(found, transform_motion(X, m), 1e-13)
    mujoco.mju_transformSpatial(found, m, 1, new, old, R.ravel())
    same(found, transform_force(X, m), 1e-13)


def test_mujocos_joints_that_follow_one_another_are_equality_constraints():
    joint = (
        '<body><joint name="{0}" type="hinge" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    )
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{joint.format('a')}{joint.format('b')}</worldbody>"
        '<equality><joint joint1="b" joint2="a" polycoef="0 2 0 0 0"/></equality></mujoco>'
    )
    assert (model.nv, model.neq) == (2, 1)


def test_mujocos_dry_friction_is_a_constraint():
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option gravity="0 0 0"/><worldbody><body><joint type="hinge" frictionloss="0.4"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    data.qvel = [1.0]
    mujoco.mj_forward(model, data)
    assert data.qfrc_bias[0] == 0 == data.qfrc_passive[0]
    assert data.nefc == 1
    assert data.qfrc_constraint[0] == pytest.approx(-0.4, abs=0.05)


def test_rollout_takes_states_in_rows(page):
    from mujoco import rollout

    model = page["theirs"]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    data, states = mujoco.MjData(model), np.zeros((3, size))
    for row in states:
        mujoco.mj_getState(model, data, row, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    found, _ = rollout.rollout(model, [data], states, nstep=2)
    assert found.shape == (3, 2, size)


def test_mujoco_numbers_joints_depth_first_and_keeps_the_order_of_the_file():
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    body = '<body><joint name="{}" type="hinge"/>' + inertial + "{}</body>"
    text = body.format("z", body.format("b", "")) + body.format("a", "")
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    assert [model.joint(k).name for k in range(3)] == ["z", "b", "a"]


def test_mujoco_keeps_bodies_that_do_not_move_but_those_of_a_urdf():
    joint = '<joint name="j{2}" type="{0}"><parent link="{1}"/><child link="{2}"/><axis xyz="0 0 1"/></joint>'
    urdf = '<robot name="x">{}{}</robot>'.format(
        "".join(LINK.format(k) for k in "abc"), joint.format("continuous", "a", "b") + joint.format("fixed", "b", "c")
    )
    assert Model.from_urdf(urdf).body_names == ("b",)
    assert mujoco.MjModel.from_xml_string(urdf).nbody == 2  # the world and b
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    xml = f'<body name="b"><joint/>{inertial}<body name="c">{inertial}</body></body>'
    assert mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{xml}</worldbody></mujoco>").nbody == 3


def test_ball_joints_turn_in_the_childs_axes_in_all_three():
    builder = ModelBuilder()
    builder.add_body("b", mass=1.0)
    builder.add_joint("ball", "spherical", parent="world", child="b")
    q, w, step = np.array([0.5, 0.5, -0.5, 0.5]), np.array([0.3, -0.2, 0.5]), 1e-3
    expected = quaternion_product(q, quaternion_exp(step * w))
    same(integrate(builder.build(), q, step * w), expected, 1e-14)
    theirs = pin.Model()
    theirs.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "ball")
    same(pin.integrate(theirs, q[[1, 2, 3, 0]], step * w), expected[[1, 2, 3, 0]], 1e-14)
    xml = '<body><joint type="ball"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    model, found = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{xml}</worldbody></mujoco>"), q.copy()
    mujoco.mj_integratePos(model, found, w, step)
    same(found, expected, 1e-14)
