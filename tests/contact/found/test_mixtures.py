"""Shapes beside constraints and trees: one problem of all, the same in reduced and in maximal coordinates."""

import pickle
import tempfile

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, PDControl, SimulationError, SimulationWarning, TimeTable
from pluecker.contact import ConstraintError, World, WorldMemory, constraints
from pluecker.contact.geometry import Box, Collider, Collision, Sphere, Surface
from pluecker.spatial import PlueckerError
from tests.contact.found.worlds import UPRIGHT, G, bodies, floor, world_of

H = 0.005


def pendulum(**options):
    """Two rods on hinges, the end of the second one a ball that touches the floor."""
    builder = ModelBuilder()
    for name, parent, place in (("a", "world", (0, 0, 0.8)), ("b", "a", (1.0, 0, 0))):
        builder.add_body(name, mass=1.0, center_of_mass=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
        builder.add_joint(name, "revolute", parent, name, axis=(0, 1, 0), position=place, **options)
    return builder.build(), [floor(), Collider("tip", Sphere(0.05), ("b", (1.0, 0, 0)))]


TOUCHING = [0.3, float(np.arcsin((0.75 - np.sin(0.3)) / 1.0) - 0.3)]  # the ball just touches


def test_a_tree_that_touches_moves_as_its_bodies_on_joints_that_are_constraints():
    model, shapes = pendulum()
    tree = World(model, shapes=shapes, accuracy=1e-9)
    maximal = tree.maximal()
    q, v = np.array(TOUCHING), np.array([1.0, 0.5])
    Q, V = maximal.state(q, v)[:2]
    step, other = tree.step(q, v, 1e-4), maximal.world.step(Q, V, 1e-4)
    assert len(step.contacts) == len(other.contacts) == 1
    np.testing.assert_allclose(maximal.back(other.q, other.v)[1], step.v, atol=1e-3)  # of first order in the step
    np.testing.assert_allclose(other.contacts.force * 1e-4, step.contacts.force * 1e-4, atol=1e-3)
    assert np.abs(maximal.world.rows_at(other.q).error).max() < 1e-12


def test_a_ball_shape_acts_as_a_ball_of_a_point_contact_where_it_touches():
    model, shapes = pendulum()
    point = constraints.PointContact("tip", "world", ("b", (1.0, 0, 0)), radius=0.05, friction=0.5)
    v = [1.0, 0.5]
    found, named = World(model, shapes=shapes).step(TOUCHING, v, H), World(model, [point]).step(TOUCHING, v, H)
    np.testing.assert_allclose(found.v, named.v, atol=1e-7)
    np.testing.assert_allclose(found.contacts.force, named.contacts.force, rtol=1e-5)


def test_a_limit_carries_what_lies_on_its_body():
    """A box that a limit carries, with a ball on top."""
    builder = ModelBuilder()
    builder.add_body("box", mass=2.0, inertia=(0.1, 0.1, 0.1))
    builder.add_joint(
        "lift", "prismatic", parent="world", child="box", axis=(0, 0, 1), lower_limit=0.0, upper_limit=1.0
    )
    builder.add_body("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
    builder.add_joint("free", "free", parent="world", child="ball")
    world = World(
        builder.build(), shapes=[Collider("top", Box((0.4, 0.4, 0.2)), "box"), Collider("ball", Sphere(0.1), "ball")]
    )
    motion = world.simulate([0.0, 0, 0, 0.2, *UPRIGHT], np.zeros(7), 3 * H, H, record="constraint_forces")
    np.testing.assert_allclose(motion.v, 0.0, atol=1e-9)
    np.testing.assert_allclose(motion.columns["constraint_forces"][-1], [3.0 * G], rtol=1e-7)  # the limit carries both
    np.testing.assert_allclose(motion.contacts_at(-1).wrench("box", "ball")[5], G, rtol=1e-7)


def test_a_limit_far_away_holds_where_an_impulse_reaches_it_within_a_step():
    """1 kg with 3 m/s strikes a plate 2 mm beside its hinge: that turns to its limit, and no farther"""
    builder, smooth = ModelBuilder(gravity=(0, 0, 0)), Surface(friction=0.0)
    builder.add_body("plate", mass=0.001, inertia=(1e-8, 1e-8, 1e-8))
    builder.add_joint("hinge", "revolute", "world", "plate", axis=(0, 1, 0), lower_limit=-0.1, upper_limit=0.1)
    builder.add_body("ball", mass=1.0, inertia=(0.001, 0.001, 0.001))
    builder.add_joint("falls", "prismatic", "world", "ball", axis=(0, 0, 1), position=(0.002, 0, 0.06))
    shapes = [Collider("plate", Box((0.1, 0.1, 0.02)), "plate", smooth), Collider("ball", Sphere(0.05), "ball", smooth)]
    step = World(builder.build(), shapes=shapes).step([0.0, 0.0], [0.0, -3.0], 0.001)
    np.testing.assert_allclose(step.q[0], 0.1, rtol=1e-5)
    np.testing.assert_allclose(step.v, [100.0, -0.2], rtol=1e-4)


@pytest.mark.indices
def test_contacts_of_constraints_are_cones_of_the_same_problem():
    """A box on the floor by its corners, as constraints, with a ball on top whose contact is found."""
    model = bodies([Box((0.4, 0.4, 0.2)), Sphere(0.1)], [2.0, 1.0])
    corners = [
        constraints.PointContact(f"{x}{y}", "world", ("b0", (0.2 * x, 0.2 * y, -0.1)), friction=0.5)
        for x in (-1, 1)
        for y in (-1, 1)
    ]
    world = World(
        model, corners, shapes=[Collider("top", Box((0.4, 0.4, 0.2)), "b0"), Collider("ball", Sphere(0.1), "b1")]
    )
    q, v = [0, 0, 0.1, *UPRIGHT, 0, 0, 0.3, *UPRIGHT], np.zeros(12)
    v[3] = 1.0  # the box slides
    step = world.step(q, v, H)
    carried = step.contacts.wrench("world", "b0")
    np.testing.assert_allclose(carried[3:], [-0.5 * 3.0 * G, 0.0, 3.0 * G], rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(step.contacts.wrench("b0", "b1")[5], G, rtol=1e-5)


def test_control_dry_friction_and_motors_act_in_steps_with_contacts():
    model, shapes = pendulum(friction=0.2, damping=0.1)
    servo = PDControl(stiffness=500.0, damping=50.0, q=TOUCHING)
    world = World(model, [constraints.Motor("motor", "a", 0.0, 5.0)], shapes=shapes)
    motion = world.simulate(TOUCHING, [0.0, 0.0], 0.1, H, control=servo)
    assert np.abs(motion.q[-1] - TOUCHING).max() < 0.05
    alone = World(model, [constraints.Motor("motor", "a", 0.0, 5.0)]).simulate([0.1, -1.0], [0.0, 0.3], 0.05, H)
    far = World(model, [constraints.Motor("motor", "a", 0.0, 5.0)], shapes=shapes[:1])
    np.testing.assert_allclose(far.simulate([0.1, -1.0], [0.0, 0.3], 0.05, H).q, alone.q, atol=1e-4)


def test_a_world_with_shapes_is_pickled_and_moves_as_before():
    world = world_of([Sphere(0.1)], Surface(friction=0.2), law="ccp", recovery=3.0)
    q, v = [0, 0, 0.0999, *UPRIGHT], [0, 0, 0, 1.0, 0, 0]
    again = pickle.loads(pickle.dumps(world))
    assert again == world
    np.testing.assert_array_equal(again.step(q, v, H).v, world.step(q, v, H).v)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"law": "newton"}, "law"),
        ({"recovery": -1.0}, "recovery"),
        ({"recovery_speed": np.nan}, "recovery_speed"),
        ({"accuracy": 0.0}, "accuracy"),
        ({"shapes": [3]}, "Collider"),
        ({"shapes": Collision(bodies([Sphere(0.1)]), [])}, "another model"),
    ],
)
def test_what_cannot_be_is_refused_by_name(change, what):
    model = bodies([Sphere(0.1)])
    with pytest.raises(PlueckerError, match=what):
        World(model, **{"shapes": [Collider("s", Sphere(0.1), "b0")], **change})


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_is_its_states_one_by_one_to_the_last_bit(threads):
    """Balls that fall at different heights have touched nothing, the floor, or each other."""
    world = world_of([Sphere(0.1), Box((0.2, 0.2, 0.2))])
    heights = np.array([[0.1, 0.3], [0.15, 0.4], [0.5, 0.2]])
    q = np.stack([np.concatenate([[0.01, 0.0, a, *UPRIGHT], [0.0, 0.02, b, *UPRIGHT]]) for a, b in heights])
    v = np.zeros((3, 12))
    both = world.simulate(q, v, 20 * H, H, threads=threads)
    whole = world.simulate(both.q[:, 10], both.v[:, 10], 10 * H, H, memory=halfway(world, q, v), threads=threads)
    for k in range(3):
        alone = world.simulate(q[k], v[k], 20 * H, H)
        np.testing.assert_array_equal(both.q[k], alone.q)
        np.testing.assert_array_equal(whole.q[k], alone.q[10:])
    assert len({len(world.step(q[k], v[k], H).contacts) for k in range(3)}) > 1


@pytest.mark.parametrize("kind", ["found", pytest.param("named", marks=pytest.mark.everything)])  # lanes take a minute
def test_a_state_that_is_torn_away_leaves_the_others_as_they_are_without_it(kind, tmp_path):
    """Of five balls that roll on the floor the second is pulled beyond all numbers after some steps; in files, too."""
    model, shapes = bodies([Sphere(0.1)]), [floor(), Collider("s0", Sphere(0.1), "b0")]
    world = World(model, shapes=shapes, pairs=[("floor", "s0")] if kind == "named" else None)
    v, others = np.random.default_rng(4).uniform(-1.0, 1.0, (5, 6)), [0, 2, 3, 4]
    pull = np.zeros((5, 2, 1, 6))
    pull[1, 1, 0, 3] = 1e307

    def follow(states, **options):
        wrench = TimeTable([0.0, 2 * H], pull[states], linear=False)
        return world.simulate([0, 0, 0.1, *UPRIGHT], v[states], 6 * H, H, f_ext=wrench, **options)

    options = {"record": ("a", "constraint_forces", "energy"), "record_to": tmp_path / "all"}
    expected = follow(others, record=options["record"])
    with pytest.warns(SimulationWarning, match=r"World\.simulate: 1 of 5 motions .* state 1 of the batch"):
        motion = follow([0, 1, 2, 3, 4], **options)
    (failure,) = motion.failures
    assert failure.state == (1,)
    steps = round(failure.time / H)
    assert 2 <= steps <= 3
    assert failure.time == pytest.approx(steps * H)
    np.testing.assert_array_equal(np.isfinite(motion.q).all(axis=-1).sum(axis=1), [7, 1 + steps, 7, 7, 7])
    for part in ("q", "v", "a"):
        np.testing.assert_array_equal(getattr(motion, part)[others], getattr(expected, part))
    for name, values in expected.columns.items():
        np.testing.assert_array_equal(motion.columns[name][others], values)
    np.testing.assert_array_equal(motion.memory.impulses[others], expected.memory.impulses)
    assert motion.memory.time == expected.memory.time
    with pytest.warns(SimulationWarning, match="World.step: 1 of 5 motions"):
        step = world.step(motion.q[:, 2], motion.v[:, 2] + 17.97693 * pull[:, 1, 0], H, f_ext=pull[:, 1])
    assert [each.state for each in step.failures] == [(1,)]
    np.testing.assert_array_equal(np.isfinite(step.q).all(axis=1), [True, False, True, True, True])
    with pytest.raises(SimulationError, match="state 1 of the batch"):
        follow([0, 1, 2, 3, 4], on_unsolved="raise")


def halfway(world, q, v):
    """Make the memory of ten steps of a batch, and read it from a file."""
    memory = world.simulate(q, v, 10 * H, H).memory
    with tempfile.TemporaryDirectory() as folder:
        memory.save(f"{folder}/memory.npz")
        return WorldMemory.load(f"{folder}/memory.npz")


def test_other_integrators_and_memories_of_other_worlds_are_refused():
    world = world_of([Sphere(0.1)])
    q, v = np.array([0, 0, 0.1, *UPRIGHT]), np.zeros(6)
    with pytest.raises(PlueckerError, match="rk4"):
        world.simulate(q, v, H, H, integrator="rk4")
    with pytest.raises(ConstraintError, match="another model"):
        world.step(q, v, H, memory=world_of([Sphere(0.2)]).step(q, v, H).memory)
    with pytest.raises(ConstraintError, match="shapes"):
        world.accelerations(q, v, v)
