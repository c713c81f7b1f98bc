"""One motion in the coordinates of a spherical joint, of an exponential joint and of twelve sequences of Euler angles.

A tree of five bodies on four turning joints moves once; only the numbers that say so differ. With S of a joint,
``w = S v`` and ``dw/dt = S a + dS/dt v`` in body coordinates, ``tau = S^T n``, and ``H = S^T H_w S``.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pluecker.articulated import (
    ModelBuilder,
    SingularInertiaError,
    aba,
    bias_force,
    body_accelerations,
    body_velocities,
    conventions,
    crba,
    difference,
    forward_kinematics,
    gravity_force,
    integrate,
    joint_forces,
    joint_transform,
    kinetic_energy,
    potential_energy,
    random_configuration,
    rnea,
)
from tests.mechanisms import EULER_SEQUENCES, random_body, random_rotation
from tests.models import one_body

KINDS = ("exponential", *(f"euler_{sequence}" for sequence in EULER_SEQUENCES))
PARENTS = ("world", "b0", "b0", "b2", "b3")
TURNING = (0, 1, 2, 4)  # the body between is on a hinge


def tree(kind):
    builder, rng = ModelBuilder(kind), np.random.default_rng(4)
    for k, parent in enumerate(PARENTS):
        builder.add_body(f"b{k}", **random_body(rng))
        place = {"position": rng.normal(size=3), "rotation": random_rotation(rng)}
        if k in TURNING:
            builder.add_joint(f"j{k}", kind, parent, f"b{k}", **place)
        else:
            builder.add_joint(f"j{k}", "revolute", parent, f"b{k}", axis=(1, 2, 3), **place)
    return builder.build()


def single(kind):
    return one_body("b", kind, 1.0, inertia=[1.0, 2.0, 2.5], joint="j", name=kind)


def quaternion(kind, q):
    """The turn that a joint's coordinates stand for, by SciPy."""
    turn = Rotation.from_rotvec(q) if kind == "exponential" else Rotation.from_euler(kind[-3:].upper(), q)
    return np.roll(turn.as_quat(), 1)


SPHERICAL = tree("spherical")


class Motion:
    """A state of the tree with joints of one kind, and the same with spherical joints."""

    @classmethod
    def random(cls, kind, seed=0):
        """Draw a state whose Euler angles are well away from gimbal lock."""
        model, rng = tree(kind), np.random.default_rng(seed)
        q = random_configuration(model, rng)
        v, a = rng.normal(size=(2, model.nv))
        f = rng.normal(size=(model.n_bodies, 6))
        if kind != "exponential":
            middle = (0.2, 2.9) if kind[-3] == kind[-1] else (-1.3, 1.3)
            for k in TURNING:
                q[model.q_slice(f"j{k}").start + 1] = rng.uniform(*middle)
        return cls.of(model, kind, q, v, a, f)

    @classmethod
    def of(cls, model, kind, q, v, a, f):
        """Return the same state described by quaternions, that is by spherical joints."""
        motion = cls()
        motion.model, motion.q, motion.v, motion.a, motion.f = model, q, v, a, f
        motion.S = np.zeros((SPHERICAL.nv, model.nv))  # from our velocities to those of spherical joints
        motion.q_w, motion.bias = np.zeros(SPHERICAL.nq), np.zeros(SPHERICAL.nv)
        one = single(kind)
        for k in range(len(PARENTS)):
            name = f"j{k}"
            of_q, of_v = model.q_slice(name), model.v_slice(name)
            there = SPHERICAL.v_slice(name)
            if k not in TURNING:
                motion.S[there, of_v], motion.q_w[SPHERICAL.q_slice(name)] = 1.0, q[of_q]
                continue
            motion.q_w[SPHERICAL.q_slice(name)] = quaternion(kind, q[of_q])
            motion.S[there, of_v] = joint_transform(kind, q[of_q])[1][:3]
            motion.bias[there] = body_accelerations(one, q[of_q], v[of_v], np.zeros(3))[0, :3]
        motion.v_w = motion.S @ v
        motion.a_w = motion.S @ a + motion.bias
        return motion


@pytest.fixture(params=KINDS, scope="module")
def motion(request):
    return Motion.random(request.param, KINDS.index(request.param))


def close(found, expected, tolerance=1e-12):
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance * (1.0 + np.abs(expected).max()))


def test_bodies_are_where_they_are_and_move_as_they_do(motion):
    m, q, v = motion.model, motion.q, motion.v
    close(forward_kinematics(m, q), forward_kinematics(SPHERICAL, motion.q_w))
    close(body_velocities(m, q, v), body_velocities(SPHERICAL, motion.q_w, motion.v_w))
    close(body_accelerations(m, q, v, motion.a), body_accelerations(SPHERICAL, motion.q_w, motion.v_w, motion.a_w))


def test_forces_have_the_same_power(motion):
    m, q, v, a, f, S = motion.model, motion.q, motion.v, motion.a, motion.f, motion.S
    close(rnea(m, q, v, a, f), S.T @ rnea(SPHERICAL, motion.q_w, motion.v_w, motion.a_w, f))
    close(joint_forces(m, q, v, a, f), joint_forces(SPHERICAL, motion.q_w, motion.v_w, motion.a_w, f))
    close(gravity_force(m, q), S.T @ gravity_force(SPHERICAL, motion.q_w))
    close(bias_force(m, q, v, f), S.T @ rnea(SPHERICAL, motion.q_w, motion.v_w, motion.bias, f))


def test_inertia_matrices_are_congruent_and_energies_equal(motion):
    m, q, v, S = motion.model, motion.q, motion.v, motion.S
    close(crba(m, q), S.T @ crba(SPHERICAL, motion.q_w) @ S)
    close(kinetic_energy(m, q, v), kinetic_energy(SPHERICAL, motion.q_w, motion.v_w))
    close(potential_energy(m, q), potential_energy(SPHERICAL, motion.q_w))


def test_forward_dynamics_gives_the_same_motion(motion):
    """The error of accelerations is that of forces times the condition of the inertia matrix."""
    m, q, v, f = motion.model, motion.q, motion.v, motion.f
    force = np.random.default_rng(3).normal(size=SPHERICAL.nv)
    expected = aba(SPHERICAL, motion.q_w, motion.v_w, force, f)
    found = motion.S @ aba(m, q, v, motion.S.T @ force, f) + motion.bias
    close(found, expected, 1e-15 * np.linalg.cond(crba(m, q)))


@pytest.mark.parametrize("kind", KINDS)
def test_integration_and_difference_are_those_of_the_coordinates(kind):
    model, rng = single(kind), np.random.default_rng(8)
    q, v = 0.5 * rng.normal(size=(2, 3))
    np.testing.assert_allclose(integrate(model, q, v), q + v, atol=1e-15)
    np.testing.assert_allclose(difference(model, q, q + v), v, atol=1e-15)


@pytest.mark.parametrize("sequence", EULER_SEQUENCES)
def test_euler_angles_turn_about_axes_that_turn_along(sequence):
    q = np.array([0.3, 1.1, -0.7])
    T = forward_kinematics(single(f"euler_{sequence}"), q)[0, :3, :3]
    np.testing.assert_allclose(T, Rotation.from_euler(sequence.upper(), q).as_matrix(), atol=1e-15)


@pytest.mark.parametrize("sequence", EULER_SEQUENCES)
def test_at_gimbal_lock_forward_dynamics_names_the_joint_and_the_rest_holds(sequence):
    """Close to it the error of accelerations grows with the condition of the inertia matrix, that of forces does not."""
    model = single(f"euler_{sequence}")
    lock = 0.0 if sequence[0] == sequence[2] else 0.5 * np.pi
    v, a = np.random.default_rng(5).normal(size=(2, 3))
    for middle in (lock, lock - np.pi):
        with pytest.raises(SingularInertiaError, match=r"'j.angle\d' moves no inertia in this configuration"):
            aba(model, [0.3, middle, -0.4], v, a)
        tau = rnea(model, [0.3, middle, -0.4], v, a)
        close(rnea(model, [0.3, middle + 1e-9, -0.4], v, a), tau, 1e-7)
        for aside in (1e-3, 1e-5):
            q = np.array([0.3, middle + aside, -0.4])
            found = aba(model, q, v, rnea(model, q, v, a))
            close(found, a, 1e-14 * np.linalg.cond(crba(model, q)))


# -------------------------------------------------------------------------------------------------------------- Pinocchio


def test_pinocchio_agrees_on_euler_angles_zyx():
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")
    builder, rng, theirs = ModelBuilder("arm"), np.random.default_rng(6), pin.Model()
    theirs.gravity.linear = np.array([0.0, 0.0, -9.81])
    parent = 0
    for k, kind in enumerate(("euler_zyx", "revolute", "euler_zyx")):
        body, R, p = random_body(rng), Rotation.random(random_state=k).as_matrix(), rng.normal(size=3)
        builder.add_body(f"b{k}", **body)
        options = {"axis": (1, 0, 0)} if kind == "revolute" else {}
        builder.add_joint(f"j{k}", kind, f"b{k - 1}" if k else "world", f"b{k}", position=p, rotation=R, **options)
        joint = pin.JointModelRX() if kind == "revolute" else pin.JointModelSphericalZYX()
        parent = theirs.addJoint(parent, joint, pin.SE3(R, p), f"j{k}")
        theirs.appendBodyToJoint(
            parent, pin.Inertia(body["mass"], body["center_of_mass"], body["inertia"]), pin.SE3.Identity()
        )
    ours, data = builder.build(), theirs.createData()
    G = conventions.velocity_map_to_pinocchio(ours, theirs)
    np.testing.assert_array_equal(G, np.eye(7))
    for _ in range(5):
        q, v, a = rng.normal(size=(3, 7))
        there = conventions.to_pinocchio_q(ours, theirs, q)
        np.testing.assert_array_equal(conventions.from_pinocchio_q(ours, theirs, there), q)
        tau = pin.rnea(theirs, data, there, v, a)
        close(rnea(ours, q, v, a), tau)
        M = pin.crba(theirs, data, there)
        M = np.triu(M) + np.triu(M, 1).T
        close(crba(ours, q), M)
        close(aba(ours, q, v, tau), pin.aba(theirs, data, there, v, tau), 1e-14 * np.linalg.cond(M))
        pin.forwardKinematics(theirs, data, there, v)
        close(forward_kinematics(ours, q)[2], data.oMi[3].homogeneous)


def test_pinocchio_has_no_other_joint_of_three_numbers_that_could_be_meant():
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra peers)")
    for kind, joint in (
        ("exponential", pin.JointModelTranslation()),
        ("exponential", pin.JointModelSphericalZYX()),
        ("euler_xyz", pin.JointModelSphericalZYX()),
        ("euler_zyx", pin.JointModelTranslation()),
    ):
        theirs = pin.Model()
        theirs.addJoint(0, joint, pin.SE3.Identity(), "j")
        with pytest.raises(ValueError, match=f"joint 'j': a {kind} joint has other coordinates in Pinocchio"):
            conventions.to_pinocchio_q(single(kind), theirs, np.zeros(3))
