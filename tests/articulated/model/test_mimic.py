"""Mimic joints: the same as the tree with independent joints, its coordinates coupled by q_full = G q + offset."""

import numpy as np
import pytest

from pluecker.articulated import (
    ModelBuilder,
    ModelError,
    aba,
    bias_force,
    body_velocities,
    crba,
    forward_kinematics,
    gravity_force,
    joint_forces,
    kinetic_energy,
    potential_energy,
    random_configuration,
    rnea,
)
from tests.mechanisms import random_body

RULES = {"b": ("a", -0.7, 0.3), "d": ("c", 2.0, 0.0), "e": ("b", 0.5, -0.1), "g": ("a", 1.0, 0.0)}
KINDS = {
    "a": "revolute",
    "b": "prismatic",
    "c": "helical",
    "d": "revolute",
    "e": "revolute",
    "f": "spherical",
    "g": "helical",
    "h": "exponential",
    "i": "euler_zyx",
}
BALLS = ("spherical", "exponential", "euler_zyx")
PARENTS = {"a": "world", "b": "a", "c": "b", "d": "a", "e": "c", "f": "e", "g": "f", "h": "d", "i": "h"}


def build(mimic: bool, passive: bool = True):
    """A tree in which mimic joints are on one path with their source, and on others."""
    rng = np.random.default_rng(8)
    builder = ModelBuilder()
    for name in KINDS:
        builder.add_body(name, **random_body(rng))
        options = {"axis": rng.normal(size=3)} if KINDS[name] not in BALLS else {}
        if KINDS[name] == "helical":
            options["pitch"] = 0.2
        if passive:
            options |= {k: rng.uniform(0, 1) for k in ("armature", "damping", "friction", "stiffness")}
        builder.add_joint(
            name, KINDS[name], PARENTS[name], name, position=rng.normal(size=3),
            mimic=RULES.get(name) if mimic else None, **options,
        )  # fmt: skip
    return builder.build()


@pytest.fixture(scope="module")
def coupled():
    return build(mimic=True)


@pytest.fixture(scope="module")
def full():
    return build(mimic=False)


@pytest.fixture(scope="module")
def maps(coupled, full):
    """G and the offset, by following the rules from each joint to its source."""
    G, offset = np.zeros((full.nv, coupled.nv)), np.zeros(full.nq)
    for name in KINDS:
        source, ratio, shift = name, 1.0, 0.0
        while source in RULES:
            source, factor, more = RULES[source]
            ratio, shift = ratio * factor, ratio * more + shift
        if KINDS[name] in BALLS:
            G[full.v_slice(name), coupled.v_slice(name)] = np.eye(3)
        else:
            G[full.v_slice(name), coupled.v_slice(source)] = ratio
            offset[full.q_slice(name)] = shift
    return G, offset


@pytest.fixture(scope="module")
def state(coupled, full, maps):
    rng = np.random.default_rng(9)
    G, offset = maps
    q = random_configuration(coupled, rng)
    v, a, tau = rng.normal(size=(3, coupled.nv))
    q_full = offset.copy()
    for name in full.joint_names:
        source = name
        while source in RULES:
            source = RULES[source][0]
        if KINDS[name] in BALLS:
            q_full[full.q_slice(name)] = q[coupled.q_slice(name)]
        else:
            q_full[full.q_slice(name)] += (
                G[full.v_slice(name), coupled.v_slice(source)][0, 0] * q[coupled.q_slice(source)]
            )
    f = rng.normal(size=(coupled.n_bodies, 6))
    return {"q": q, "v": v, "a": a, "tau": tau, "f": f, "q_full": q_full, "v_full": G @ v, "a_full": G @ a}


def test_inverse_dynamics_collects_the_forces_of_coupled_joints(coupled, full, maps, state):
    expected = maps[0].T @ rnea(full, state["q_full"], state["v_full"], state["a_full"], state["f"])
    np.testing.assert_allclose(
        rnea(coupled, state["q"], state["v"], state["a"], state["f"]), expected, rtol=1e-12, atol=1e-11
    )


def test_bias_and_gravity_too(coupled, full, maps, state):
    G = maps[0]
    expected = G.T @ bias_force(full, state["q_full"], state["v_full"], state["f"])
    np.testing.assert_allclose(
        bias_force(coupled, state["q"], state["v"], state["f"]), expected, rtol=1e-12, atol=1e-11
    )
    expected = G.T @ gravity_force(full, state["q_full"])
    np.testing.assert_allclose(gravity_force(coupled, state["q"]), expected, rtol=1e-12, atol=1e-11)


def test_inertia_matrix_is_coupled_from_both_sides(coupled, full, maps, state):
    G = maps[0]
    np.testing.assert_allclose(crba(coupled, state["q"]), G.T @ crba(full, state["q_full"]) @ G, rtol=1e-12, atol=1e-12)


@pytest.mark.indices
def test_forward_dynamics_inverts_inverse_dynamics(coupled, state):
    a = aba(coupled, state["q"][None], state["v"], state["tau"], state["f"])[0]
    np.testing.assert_allclose(
        rnea(coupled, state["q"], state["v"], a, state["f"]), state["tau"], rtol=1e-10, atol=1e-10
    )


def test_bodies_move_as_in_the_full_tree(coupled, full, state):
    np.testing.assert_allclose(
        forward_kinematics(coupled, state["q"]), forward_kinematics(full, state["q_full"]), atol=1e-14
    )
    ours = body_velocities(coupled, state["q"], state["v"])
    np.testing.assert_allclose(ours, body_velocities(full, state["q_full"], state["v_full"]), atol=1e-13)
    ours = joint_forces(coupled, state["q"], state["v"], state["a"], state["f"])
    theirs = joint_forces(full, state["q_full"], state["v_full"], state["a_full"], state["f"])
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-11)


def test_energies_agree_up_to_the_constant_of_springs(coupled, full, maps, state):
    ours = kinetic_energy(coupled, state["q"], state["v"])
    assert ours == pytest.approx(kinetic_energy(full, state["q_full"], state["v_full"]), rel=1e-13)
    shifted, shifted_full = state["q"].copy(), state["q_full"].copy()
    shifted[coupled.q_slice("a")] += 0.4
    G = maps[0]
    for name in full.joint_names:
        if KINDS[name] not in BALLS:
            shifted_full[full.q_slice(name)] += 0.4 * G[full.v_slice(name), coupled.v_slice("a")][0, 0]
    ours = potential_energy(coupled, shifted) - potential_energy(coupled, state["q"])
    theirs = potential_energy(full, shifted_full) - potential_energy(full, state["q_full"])
    assert ours == pytest.approx(theirs, rel=1e-11)


def test_a_mimic_joint_has_no_coordinates_and_says_whose_to_ask_for(coupled):
    assert coupled.joint_names == ("a", "c", "f", "h", "i")
    assert coupled.mimic["e"] == ("a", pytest.approx(-0.35), pytest.approx(0.5 * 0.3 - 0.1))
    with pytest.raises(KeyError, match=r"'e'.*'a'; ask for that"):
        coupled.q_slice("e")


def test_limits_of_a_mimic_joint_bind_its_source():
    builder = ModelBuilder()
    for name in "ab":
        builder.add_body(name, mass=1.0, inertia=[1, 1, 1])
    builder.add_joint("a", "revolute", "world", "a", axis=(0, 0, 1), lower_limit=-1, upper_limit=1, velocity_limit=2)
    builder.add_joint(
        "b",
        "revolute",
        "a",
        "b",
        axis=(0, 0, 1),
        mimic=("a", -2.0, 0.5),
        lower_limit=-1,
        upper_limit=1,
        velocity_limit=1,
    )
    model = builder.build()
    np.testing.assert_allclose([model.lower_limit, model.upper_limit], [[-0.25], [0.75]])
    assert model.velocity_limit[0] == 0.5


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"a": ("b", 1, 0), "b": ("a", 1, 0)}, "joint 'a' mimics itself: a -> b -> a"),
        ({"a": ("a", 1, 0)}, "joint 'a' mimics itself"),
        ({"a": ("nobody", 1, 0)}, "joint 'a' mimics 'nobody', which is no joint"),
    ],
)
def test_a_mimic_without_a_source_is_refused_by_name(rules, message):
    builder = ModelBuilder()
    for name in "ab":
        builder.add_body(name, mass=1.0)
        builder.add_joint(name, "prismatic", "world", name, axis=(0, 0, 1), mimic=rules.get(name))
    with pytest.raises(ModelError, match=message):
        builder.build()
