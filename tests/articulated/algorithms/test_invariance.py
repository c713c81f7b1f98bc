"""Invariance: under another order of bodies, another world frame, another description of the same mechanism."""

import numpy as np
import pytest

from pluecker.articulated import (
    ModelBuilder,
    aba,
    bias_force,
    body_velocities,
    crba,
    forward_kinematics,
    gravity_force,
    joint_forces,
    kinetic_energy,
    rnea,
)
from tests.conftest import COMPILED
from tests.mechanisms import MOVING, random_body, random_description, random_rotation, random_state

SEEDS = range(4) if COMPILED else range(1)


def renamed(source, target, values, slices):
    """Coordinates of one model in the order of another."""
    n = sum(getattr(target, slices)(name).stop - getattr(target, slices)(name).start for name in target.joint_names)
    result = np.empty((*values.shape[:-1], n))
    for name in target.joint_names:
        result[..., getattr(target, slices)(name)] = values[..., getattr(source, slices)(name)]
    return result


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("order", ["shuffled", "breadth"])
def test_the_order_of_adding_changes_nothing_but_the_order(seed, order):
    description = random_description(seed, 25 if COMPILED else 12, kinds=(*MOVING, "fixed"))
    one = description.build("depth")
    two = description.build(np.random.default_rng(seed) if order == "shuffled" else order)
    assert one.joint_names != two.joint_names
    s = random_state(one, seed, 3)
    q = renamed(one, two, s["q"], "q_slice")
    v, a, tau = (renamed(one, two, s[name], "v_slice") for name in ("v", "a", "tau"))
    bodies = [one.body_index(name) for name in two.body_names]
    f = s["f_ext"][:, bodies]

    def same(found, expected):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())

    same(rnea(two, q, v, a, f), renamed(one, two, rnea(one, s["q"], s["v"], s["a"], s["f_ext"]), "v_slice"))
    same(aba(two, q, v, tau, f), renamed(one, two, aba(one, s["q"], s["v"], s["tau"], s["f_ext"]), "v_slice"))
    rows = renamed(one, two, crba(one, s["q"]), "v_slice")
    same(crba(two, q), renamed(one, two, rows.swapaxes(-1, -2), "v_slice").swapaxes(-1, -2))
    same(forward_kinematics(two, q), forward_kinematics(one, s["q"])[:, bodies])
    same(body_velocities(two, q, v), body_velocities(one, s["q"], s["v"])[:, bodies])
    same(kinetic_energy(two, q, v), kinetic_energy(one, s["q"], s["v"]))


@pytest.mark.parametrize("seed", SEEDS)
def test_moving_the_whole_world_changes_nothing(seed):
    """The mechanism on a base placed elsewhere, with gravity turned along."""
    description = random_description(seed, 12)
    one = description.build()
    rng = np.random.default_rng(seed)
    place = {"position": rng.normal(size=3), "rotation": random_rotation(rng)}
    description.bodies["ground"] = {}
    for joint in description.joints.values():
        if joint["parent"] == "world":
            joint["parent"] = "ground"
    description.joints["ground"] = {"type": "fixed", "parent": "world", "child": "ground", **place}
    R = forward_kinematics(description.build(), np.array(random_state(one, 0)["q"][0]), ["ground"])[0, :3, :3]
    two = description.build(gravity=R @ one.gravity)
    s = random_state(one, seed, 3)
    one_tau = rnea(one, s["q"], s["v"], s["a"], s["f_ext"])
    two_tau = rnea(two, s["q"], s["v"], s["a"], s["f_ext"])
    np.testing.assert_allclose(two_tau, one_tau, rtol=1e-11, atol=1e-11 * np.abs(one_tau).max())
    np.testing.assert_allclose(
        gravity_force(two, s["q"]), gravity_force(one, s["q"]), atol=1e-11 * np.abs(one_tau).max()
    )
    one_acc, two_acc = (aba(m, s["q"], s["v"], s["tau"], s["f_ext"]) for m in (one, two))
    np.testing.assert_allclose(two_acc, one_acc, rtol=1e-9, atol=1e-9 * np.abs(one_acc).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_fixed_joint_is_the_same_as_one_merged_body(seed):
    """Two halves of a body, joined rigidly, against the whole, whose inertia is summed here by hand."""
    rng = np.random.default_rng(seed)
    halves = [random_body(rng), random_body(rng)]
    place = {"position": rng.normal(size=3), "rotation": random_rotation(rng)}
    R = rotation(place["rotation"])
    centers = [halves[0]["center_of_mass"], place["position"] + R @ halves[1]["center_of_mass"]]
    inertias = [halves[0]["inertia"], R @ halves[1]["inertia"] @ R.T]
    masses = [half["mass"] for half in halves]
    center = sum(m * c for m, c in zip(masses, centers, strict=True)) / sum(masses)
    total = sum(
        J + m * ((c - center) @ (c - center) * np.eye(3) - np.outer(c - center, c - center))
        for m, c, J in zip(masses, centers, inertias, strict=True)
    )
    tip = random_body(rng)
    models = []
    for split in (True, False):
        builder = ModelBuilder()
        builder.add_body(
            "near", **(halves[0] if split else {"mass": sum(masses), "center_of_mass": center, "inertia": total})
        )
        builder.add_body("far", **(halves[1] if split else {}))
        builder.add_body("tip", **tip)
        builder.add_joint("root", "free", "world", "near")
        builder.add_joint("weld", "fixed", "near", "far", **place)
        builder.add_joint("hinge", "revolute", "far", "tip", axis=(1, 2, 3), position=(0.1, 0.2, 0.3))
        builder.add_frame("mark", "far", position=(0, 0, 1))
        models.append(builder.build())
    one, two = models
    assert one.body_names == ("near", "tip")
    s = random_state(one, seed, 3)
    for function, names in ((rnea, "qvaf"), (aba, "qvtf"), (crba, "q"), (joint_forces, "qvaf"), (bias_force, "qv")):
        keys = {"q": "q", "v": "v", "a": "a", "t": "tau", "f": "f_ext"}
        first, second = (function(model, *(s[keys[n]] for n in names)) for model in (one, two))
        np.testing.assert_allclose(first, second, rtol=1e-11, atol=1e-11 * np.abs(second).max())
    T = forward_kinematics(one, s["q"][0], ["near", "far", "mark"])
    np.testing.assert_allclose(
        np.linalg.inv(T[0]) @ T[1], np.block([[R, place["position"][:, None]], [0, 0, 0, 1]]), atol=1e-14
    )
    np.testing.assert_allclose(T[2, :3, 3], T[1, :3, 3] + T[1, :3, 2], atol=1e-14)


def rotation(p):
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat([p[1], p[2], p[3], p[0]]).as_matrix()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical"])
def test_rerooting_a_floating_tree_leaves_accelerations_as_they_were(seed, kind):
    """Two bodies A and B and a joint between them, floating by A or by B: the same bodies, forces and motion."""
    rng = np.random.default_rng(seed)
    A, B = random_body(rng), random_body(rng)
    axis, pitch = rng.normal(size=3), ({"pitch": 0.3} if kind == "helical" else {})
    passive = {"damping": 0.3, "armature": 0.2, "stiffness": 0.7}
    R, p = rotation(random_rotation(rng)), rng.normal(size=3)
    by_A, by_B = ModelBuilder("by A"), ModelBuilder("by B")
    for builder in (by_A, by_B):
        builder.add_body("A", **A)
        builder.add_body("B", **B)
    by_A.add_joint("float", "free", "world", "A")
    by_A.add_joint("j", kind, "A", "B", axis=axis, position=p, rotation=R, **pitch, **passive)
    # Seen from B the joint's frame is B's own, and A is displaced backwards along the same axis.
    by_B.add_body("carrier")
    by_B.add_joint("float", "free", "world", "B")
    by_B.add_joint("j", kind, "B", "carrier", axis=-axis, **pitch, **passive)
    by_B.add_joint("weld", "fixed", "carrier", "A", position=-R.T @ p, rotation=R.T)
    one, two = by_A.build(), by_B.build()

    s = {name: values[0] for name, values in random_state(one, seed).items()}
    poses, twists = forward_kinematics(one, s["q"]), body_velocities(one, s["q"], s["v"])
    q2, v2 = s["q"].copy(), s["v"].copy()
    q2[:3], q2[3:7], v2[:6] = poses[1, :3, 3], quaternion(poses[1, :3, :3]), twists[1]
    np.testing.assert_allclose(forward_kinematics(two, q2, ["A", "B"]), poses, atol=1e-13)

    push = rng.normal(size=(2, 6))  # on A and B, in their coordinates
    tau_joint = 0.8
    tau = np.append(np.zeros(6), tau_joint)
    a1 = aba(one, s["q"], s["v"], tau, push)
    carrier = to_carrier(push[0], R, p)
    order = {"B": push[1], "carrier": carrier}
    a2 = aba(two, q2, v2, tau, np.array([order[name] for name in two.body_names]))
    assert a2[6] == pytest.approx(a1[6], rel=1e-9, abs=1e-10)
    from pluecker.articulated import body_accelerations

    acc1, acc2 = body_accelerations(one, s["q"], s["v"], a1), body_accelerations(two, q2, v2, a2)
    np.testing.assert_allclose(acc2[two.body_index("B")], acc1[1], rtol=1e-9, atol=1e-9 * np.abs(acc1).max())


def to_carrier(force, R, p):
    """A force on A in the coordinates of the carrier, in which A has the axes R^T and the origin -R^T p."""
    f = R.T @ force[3:]
    return np.concatenate([R.T @ force[:3] + np.cross(-R.T @ p, f), f])


def quaternion(R):
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return [w, x, y, z]
