"""Reduced and maximal coordinates of one mechanism: equal accelerations, wrenches and reactions.

What joints of the reduced world carry is compared with what those of the maximal one do; it is no public name.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pluecker.articulated import (
    ModelBuilder,
    aba,
    body_accelerations,
    body_velocities,
    forward_kinematics,
    joint_forces,
    random_configuration,
    random_tree,
    rnea,
)
from pluecker.contact import ConstraintError, World
from pluecker.contact import constraints as c
from pluecker.contact.mechanisms.reactions import joint_reactions
from pluecker.spatial import ArgumentValueError
from tests.contact.mechanisms.signatures import draw_mechanism, without_odd_springs

MECHANISMS = [
    *range(12),
    *(pytest.param(k, marks=pytest.mark.slow) for k in range(12, 24)),
    *(pytest.param(k, marks=[pytest.mark.slow, pytest.mark.everything]) for k in range(24, 200)),
]
LIMIT = 1e-10  # relative, of accelerations; reactions 1e-8


def largest(*arrays):
    """The largest number in any of them."""
    return max(np.abs(a).max(initial=1e-300) for a in arrays)


def net_wrenches(free, q, v, acceleration):
    """I a + v x* I v of each body, what all forces add up to: inverse dynamics of free bodies that nothing else acts on."""
    alone = free.replace(gravity=(0.0, 0.0, 0.0), stiffness=0.0, damping=0.0, friction=0.0, armature=0.0)
    return rnea(alone, q, v, acceleration).reshape(-1, 6)


@pytest.mark.parametrize("seed", MECHANISMS)
def test_reduced_and_maximal_coordinates_agree(seed):
    draw = draw_mechanism(seed)
    world, q, v = draw.world, draw.q, draw.v
    model, twin = world.model, world.maximal(q)
    q_max, v_max = twin.state(q, v)
    tau_max = twin.forces(q, draw.tau)
    reduced = world.accelerations(q, v, draw.tau, draw.f_ext)
    maximal = twin.world.accelerations(q_max, v_max, tau_max, draw.f_ext)
    expected = twin.acceleration(q, v, reduced.acceleration)
    free = aba(model, q, v, draw.tau, draw.f_ext)
    limit = max(LIMIT, draw.rounding)
    assert_allclose(maximal.acceleration, expected, atol=limit * largest(expected, twin.acceleration(q, v, free)))
    net = [net_wrenches(twin.world.model, q_max, v_max, a) for a in (expected, maximal.acceleration)]
    carried = joint_reactions(world, q, v, reduced, draw.f_ext)
    found = twin.reactions(q_max, v_max, maximal, draw.tau)
    known, known_too = world.determined(q), twin.determined(q)
    limit = max(1e-8, 100.0 * draw.rounding) * largest(*net, carried)
    assert_allclose(net[1], net[0], atol=limit)
    assert_allclose(found[known.reactions], carried[known.reactions], atol=limit)
    assert known.redundancy == known_too.redundancy
    assert (known.reactions == known_too.reactions).all()
    for name, determined in known.constraints.items():
        assert known_too.constraints[name] == determined
        if determined:
            own = [w[name].forces(r) for w, r in ((world, reduced), (twin.world, maximal))]
            assert_allclose(*own, atol=max(1e-8, 100.0 * draw.rounding) * largest(*own, carried))
    if not world.constraints:
        assert_allclose(reduced.acceleration, free, atol=max(LIMIT, draw.rounding) * largest(free))
        through = joint_forces(model, q, v, reduced.acceleration, draw.f_ext)
        assert_allclose(found, through, atol=limit)


@pytest.mark.parametrize("seed", range(8))
def test_an_impulse_changes_both_alike(seed):
    """Rotors included, which resist the change of their velocity and not the velocity"""
    draw = draw_mechanism(seed)
    world, q, rng = draw.world, draw.q, np.random.default_rng(seed)
    twin, (v, p) = world.maximal(q), rng.standard_normal((2, world.model.nv))
    after = twin.state(q, world.impact(q, v, p).velocity)[1]
    found = twin.world.impact(*twin.state(q, v), twin.forces(q, p)).velocity
    assert_allclose(found, after, rtol=0.0, atol=max(LIMIT, draw.rounding) * largest(after, v))


@pytest.fixture
def tree():
    """A tree of every joint type, and five states."""
    model = without_odd_springs(random_tree(24, 5, mimic=0.2, passive=True, branching=0.4))
    rng = np.random.default_rng(5)
    q = random_configuration(model, rng, 5)
    return World(model), q, rng.standard_normal((5, model.nv)), rng.standard_normal((5, model.nv))


def test_states_go_there_and_back(tree):
    world, q, v, _ = tree
    twin = world.maximal()
    there = [twin.state(q[k], v[k]) for k in range(5)]
    q_max, v_max = twin.state(q, v)
    assert_allclose(q_max, [each[0] for each in there], atol=1e-14)
    assert_allclose(v_max, [each[1] for each in there], atol=1e-12)
    for k in range(5):
        q_back, v_back = world.maximal(q[k]).back(q_max[k], v_max[k])
        assert_allclose(q_back, q[k], atol=1e-12)
        assert_allclose(v_back, v[k], atol=1e-10)


def test_angles_come_back_in_the_turn_that_is_asked_for():
    model = random_tree(1, 0, joints=["revolute"])
    twin = World(model).maximal()
    state = twin.state([20.0], [1.0])
    assert_allclose(twin.back(*state)[0], [20.0 - 6.0 * np.pi], atol=1e-13)
    assert_allclose(twin.back(*state, reference=[19.0])[0], [20.0], atol=1e-13)


def test_forces_have_the_same_power(tree):
    world, q, v, tau = tree
    twin = world.maximal()
    power = (twin.forces(q, tau) * twin.state(q, v)[1]).sum(axis=-1)
    assert_allclose(power, (tau * v).sum(axis=-1), rtol=1e-10)


def test_velocities_and_accelerations_are_those_of_the_bodies(tree):
    world, q, v, a = tree
    twin = world.maximal()
    assert_allclose(twin.state(q, v)[1].reshape(5, -1, 6), body_velocities(world.model, q, v))
    assert_allclose(twin.acceleration(q, v, a).reshape(5, -1, 6), body_accelerations(world.model, q, v, a))
    q_max, v_max = twin.state(q, v)
    bodies = body_velocities(twin.world.model, q_max, v_max)
    assert_allclose(bodies, body_velocities(world.model, q, v), atol=1e-12)


def refused(words, build, constraints=()):
    """Check that the world of a model, built by a function, cannot be made maximal."""
    builder = ModelBuilder()
    build(builder)
    with pytest.raises(ConstraintError, match=words):
        World(builder.build(), constraints).maximal()


def test_what_cannot_be_free_is_refused_by_name():
    def carrier(builder):
        builder.add_body("carrier")
        builder.add_body("load", 1.0, inertia=(0.1, 0.1, 0.1))
        builder.add_joint("first", "revolute", "world", "carrier", axis=(1, 0, 0))
        builder.add_joint("second", "revolute", "carrier", "load", axis=(0, 1, 0))

    def needle(builder):
        builder.add_body("needle", 1.0, center_of_mass=(0, 0, 0.5), inertia=(0.1, 0.1, 0.0))
        builder.add_joint("first", "revolute", "world", "needle", axis=(1, 0, 0))

    def in_line(builder):
        builder.add_body("yoke", 1.0, inertia=(0.1, 0.1, 0.1))
        builder.add_joint("cross", "universal", "world", "yoke", axis=(1, 0, 0), axis2=(1, 0, 0))

    def floating(builder):
        for name, parent in (("base", "world"), ("satellite", "base")):
            builder.add_body(name, 1.0, inertia=(0.1, 0.1, 0.1))
            builder.add_joint(f"{name} joint", "free", parent, name, stiffness=1.0)

    def slider(builder):
        builder.add_body("cart", 1.0, inertia=(0.1, 0.1, 0.1))
        builder.add_joint("rail", "prismatic", "world", "cart", axis=(1, 0, 0))

    refused("'carrier' has no mass", carrier)
    refused("'needle' has no moment of inertia about an axis", needle)
    refused("'cross'.*in line", in_line)
    refused("'satellite joint' is free on a moving body", floating)
    refused("'rail' has the name of a joint", slider, [c.Rope("rail", "world", "cart", 1.0)])


def test_rotation_vectors_beyond_half_a_turn_are_refused():
    model = random_tree(1, 0, joints=["exponential"])
    with pytest.raises(ArgumentValueError, match=r"'joint0' is turned by 3\.5 rad"):
        World(model).maximal().state([3.5, 0.0, 0.0], np.zeros(3))


def test_names_and_frames_stay():
    builder = ModelBuilder("crane", gravity=(0.0, 0.0, -1.6), world="zenith")
    builder.add_body("boom", 2.0, center_of_mass=(1, 0, 0), inertia=(0.1, 0.2, 0.3))
    builder.add_body("plate", 1.0, inertia=(0.1, 0.2, 0.25))
    builder.add_joint("pivot", "revolute", "zenith", "boom", axis=(0, 1, 0), position=(0, 0, 1))
    builder.add_joint("weld", "fixed", "boom", "plate", position=(2, 0, 0))
    builder.add_frame("hook", "plate", position=(0, 0, -0.1))
    builder.add_frame("anchor", "zenith", position=(3, 0, 0))
    model = builder.build()
    world = World(model, [c.Rod("rope", "anchor", "hook", 1.0)])
    twin = world.maximal()
    assert twin.world.names == ("pivot", "rope")
    assert twin.world.model.body_names == model.body_names
    assert set(twin.world.model.frame_names) == set(model.frame_names)
    assert_allclose(twin.world.model.gravity, model.gravity)
    q_max, v_max = twin.state([0.4], [0.2])
    names = ["hook", "anchor", "plate"]
    there = forward_kinematics(twin.world.model, q_max, names)
    assert_allclose(there, forward_kinematics(model, [0.4], names), atol=1e-15)
    reduced, maximal = world.accelerations([0.4], [0.2], [0.0]), twin.world.accelerations(q_max, v_max, np.zeros(6))
    assert_allclose(world["rope"].forces(reduced), twin.world["rope"].forces(maximal), rtol=1e-10)


def test_limits_push_alike():
    """Three hinges in a row, of which two lean on their stops, counted from beyond a whole turn."""
    model = random_tree(3, 4, joints=["revolute"], branching=0.0)
    q = np.array([7.0, -8.0, 0.5])
    model = model.replace(lower_limit=[7.0, -9.0, -1.0], upper_limit=[8.0, -8.0, 1.0])
    world, rng = World(model), np.random.default_rng(4)
    twin = world.maximal(q)
    pushed = 0
    for tau in rng.normal(scale=20.0, size=(20, 3)):
        q_max, v_max = twin.state(q, np.zeros(3))
        reduced = world.accelerations(q, np.zeros(3), tau)
        maximal = twin.world.accelerations(q_max, v_max, twin.forces(q, tau))
        expected = twin.acceleration(q, np.zeros(3), reduced.acceleration)
        assert_allclose(maximal.acceleration, expected, atol=1e-9 * largest(expected, tau))
        pushed += np.count_nonzero(reduced.forces)
    assert pushed > 5
