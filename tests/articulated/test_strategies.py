"""Random trees and strategies: samples are what they say, the difficult ones come up, failures shrink to simple ones."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from pluecker import PlueckerError
from pluecker.articulated import Model, aba, crba, integrate, neutral, random_tree, rnea, strategies
from tests.conftest import COMPILED
from tests.mechanisms import JOINT_TYPES, MOVING

FEW = settings(max_examples=50 if COMPILED else 10, suppress_health_check=[HealthCheck.too_slow])
EULER = random_tree(3, 0, joints=["euler_zxz", "euler_xyz"])


# ------------------------------------------------------------------------------------------------------------- random_tree


def test_a_random_tree_has_each_type_of_joint_and_repeats_with_a_seed():
    tree = random_tree(len(MOVING), 4)
    assert sorted(joint.type for joint in tree.joints) == sorted(MOVING)
    assert tree == random_tree(len(MOVING), 4)
    assert tree != random_tree(len(MOVING), 5)
    assert tree.n_bodies == len(MOVING)
    assert not any(np.any(values) for values in (tree.armature, tree.damping, tree.friction, tree.stiffness))


def test_branching_goes_from_chains_to_bushes():
    def depth(tree: Model) -> int:
        parents = {joint.child: joint.parent for joint in tree.joints}
        depths = {"world": 0}
        for body in tree.body_names:
            depths[body] = depths[parents[body]] + 1
        return max(depths.values())

    assert depth(random_tree(100, 1, branching=0.0)) == 100
    assert depth(random_tree(100, 1, branching=1.0)) < 20


def test_joints_follow_others_and_have_forces_where_that_is_asked_for():
    tree = random_tree(
        40, 2, joints=("revolute", "prismatic", "helical", "spherical", "fixed"), mimic=0.5, passive=True
    )
    assert 5 < len(tree.mimic) < 25
    assert tree.n_bodies == 32
    assert (tree.damping > 0.0).all()
    assert (np.linalg.eigvalsh(crba(tree, neutral(tree))) > 0.0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bodies": 0}, "bodies is 0, expected an integer from 1 to 100000"),
        ({"bodies": 2.0}, "bodies is 2.0"),
        ({"bodies": True}, "bodies is True"),
        ({"rng": "seed"}, "rng is 'seed', expected a numpy.random.Generator"),
        ({"rng": -1}, "rng is -1"),
        ({"joints": "revolute"}, "joints is 'revolute', expected names of joint types"),
        ({"joints": 3}, "joints is 3"),
        ({"joints": np.array("revolute")}, "joints is"),
        ({"joints": ["ball"]}, "unknown type of joint 'ball'; there are 'fixed', 'revolute'.*'euler_zyz'"),
        ({"joints": [None]}, "a type of joint is None"),
        ({"joints": []}, "joints is empty"),
        ({"branching": 1.5}, "branching is 1.5, expected a number from 0 to 1"),
        ({"branching": [0.5]}, "branching is"),
        ({"mimic": np.nan}, "mimic"),
        ({"mimic": "x"}, "mimic"),
        ({"passive": 1}, "passive is 1, expected True or False"),
    ],
)
def test_what_no_random_tree_can_have_is_said(options, message):
    with pytest.raises(PlueckerError, match=f"^random_tree: .*{message}"):
        random_tree(**({"bodies": 3} | options))


# -------------------------------------------------------------------------------------------------------------- strategies


@FEW
@given(strategies.trees(2, 5, joints=("revolute", "exponential")))
def test_trees_have_the_size_and_the_joints_that_were_asked_for(tree):
    assert 2 <= tree.n_bodies <= 5
    assert {joint.type for joint in tree.joints} <= {"revolute", "exponential"}


@FEW
@given(strategies.states())
def test_forward_dynamics_is_defined_and_inverts_inverse_dynamics(state):
    """The error of accelerations is that of forces, 1e-15 of what they are made of, times the norm of the inverse of H."""
    model, q, v, a, tau, f_ext = state
    assert isinstance(model, Model)
    assert (q.shape, v.shape, a.shape, tau.shape) == ((model.nq,), (model.nv,), (model.nv,), (model.nv,))
    assert f_ext.shape == (model.n_bodies, 6)
    H = crba(model, q)
    force = rnea(model, q, v, a, f_ext)
    size = np.abs(H).sum() * (1.0 + np.abs(a).max()) * (1.0 + np.abs(v).max() ** 2) * 1e3 + np.abs(f_ext).sum()
    found = aba(model, q, v, force, f_ext)
    np.testing.assert_allclose(found, a, rtol=0.0, atol=1e-15 * size * np.linalg.norm(np.linalg.inv(H), 2))
    assert np.isfinite(aba(model, q, v, tau, f_ext)).all()


@FEW
@given(st.data())
def test_configurations_are_within_the_limits(data):
    model = random_tree(6, 3, joints=("revolute", "prismatic", "spherical", "exponential", "planar", "free"))
    model = model.replace(lower_limit=-0.5, upper_limit=0.25)
    q = data.draw(strategies.configurations(model))
    inside = (q >= -0.5) & (q <= 0.25)
    for part in model.quaternion_slices().values():
        assert abs(np.linalg.norm(q[part]) - 1.0) < 1e-15
        inside[part] = True
    assert inside.all()


@pytest.mark.parametrize("near", [True, False])
def test_euler_angles_come_near_to_gimbal_lock_but_not_into_it(near):
    def distance(q):
        angles = [
            q[EULER.q_slice(joint.name)][1] - (0.0 if joint.type == "euler_zxz" else np.pi / 2)
            for joint in EULER.joints
        ]
        return np.abs(np.sin(angles)).min()

    least = 1e-4 if near else 0.1
    find(strategies.configurations(EULER, near_singular=near), lambda q: distance(q) < np.sin(least) * (1 + 1e-9))
    samples = settings(max_examples=50, database=None)(given(strategies.configurations(EULER, near_singular=near)))
    samples(lambda q: np.testing.assert_array_less(np.sin(least) * (1.0 - 1e-9), distance(q)))()


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("exponential", lambda q: np.linalg.norm(q) > np.pi - 1e-7),
        ("exponential", lambda q: 0.0 < np.linalg.norm(q) < 1e-7),
        ("spherical", lambda q: q[0] < -0.9),
        ("revolute", lambda q: abs(abs(q[0]) - np.pi / 2) < 1e-8),
        ("free", lambda q: np.abs(q[:3]).max() == 100.0),
    ],
)
def test_difficult_configurations_come_up(kind, what):
    unshrunk = settings(phases=[Phase.generate], database=None, max_examples=5000)
    find(strategies.configurations(random_tree(1, 0, joints=[kind])), what, settings=unshrunk)


def test_failures_shrink_to_one_body_on_the_first_joint_that_fails():
    def fails(state):
        return any(joint.type == "universal" for joint in state.model.joints)

    found = find(strategies.states(), fails)
    assert [joint.type for joint in found.model.joints] == ["universal"]
    np.testing.assert_array_equal(found.q, neutral(found.model))
    np.testing.assert_array_equal(found.v, 0.0)


def equal(one, other):
    """Return whether two states are the same to the last bit, models included."""
    return one.model == other.model and all(
        a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(one[1:], other[1:], strict=True)
    )


@FEW
@given(strategies.states(strategies.trees(largest=4)))
def test_what_a_state_prints_makes_it_again(state):
    again = eval(repr(state), {"State": strategies.State, "tree": strategies.tree, "np": np})
    assert equal(again, state)
    assert repr(again) == repr(state)
    for name in ("armature", "damping", "friction", "stiffness"):
        assert (f"{name} [" in repr(state)) == bool(getattr(state.model, name).any())


def test_a_state_of_a_model_of_the_tests_names_that_model():
    state = find(strategies.states(EULER), lambda state: state.v.any())
    again = eval(repr(state), {"State": strategies.State, "model": EULER, "np": np})
    assert equal(again, state)


def test_a_failing_test_prints_a_state_that_can_be_pasted_back():
    @settings(database=None, phases=[Phase.generate], max_examples=5)
    @given(strategies.states(strategies.trees(smallest=2, largest=2)))
    def fails(state):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as error:
        fails()
    said = "\n".join(error.value.__notes__)
    assert "    tree(['" in said
    assert "    f_ext=np." in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["revolute"], [], [False]), "tree: got 1 joints, 0 parents and 1 follows, expected as many of each"),
        ((["revolute"], [0], [False]), "tree: the parent of body 0 is 0, expected a smaller number, or -1"),
        ((["revolute"], [-1], [2]), "tree: follows is 2, expected True or False"),
        ((["hinge"], [-1], [False]), "tree: unknown type of joint 'hinge'"),
    ],
)
def test_what_no_tree_can_be_made_of_is_said(arguments, message):
    with pytest.raises(PlueckerError, match=re.escape(message)):
        strategies.tree(*arguments, rng=0)


def test_states_of_a_model_are_of_that_model():
    found = find(strategies.states(EULER), lambda state: np.abs(state.v).max() > 1.0)
    assert found.model is EULER
    assert integrate(EULER, found.q, found.v).shape == (EULER.nq,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: strategies.trees(0), "trees: smallest is 0"),
        (lambda: strategies.trees(3, 2), "trees: smallest is 3 and largest is 2"),
        (lambda: strategies.trees(joints=["ball"]), "trees: unknown type of joint 'ball'"),
        (lambda: strategies.trees(mimic=1), "trees: mimic is 1"),
        (lambda: strategies.configurations(None), "configurations: "),
        (lambda: strategies.configurations(EULER, near_singular="no"), "configurations: near_singular is 'no'"),
        (lambda: strategies.velocities(EULER, largest=0.0), "velocities: largest is 0.0"),
        (lambda: strategies.velocities(EULER, largest="x"), "velocities: largest is 'x'"),
        (lambda: strategies.body_forces(3), "body_forces: "),
        (lambda: strategies.states(3), "states: models is 3"),
    ],
)
def test_what_no_strategy_can_be_made_of_is_said(call, message):
    with pytest.raises(PlueckerError, match=f"^{message}"):
        call()


def test_the_types_of_joints_are_all_there():
    """Types that tests know are those that the package offers, with as many freedoms."""
    with pytest.raises(PlueckerError, match="unknown type of joint 'ball'; there are ") as caught:
        random_tree(1, 0, joints=["ball"])
    offered = re.findall(r"'(\w+)'", str(caught.value).partition("there are ")[2])
    assert offered == list(JOINT_TYPES)
    for kind in MOVING:
        assert random_tree(1, 0, joints=[kind]).nv == JOINT_TYPES[kind].nv, kind
