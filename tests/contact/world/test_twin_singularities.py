"""Rotation vectors beyond half a turn and Euler angles in gimbal lock, in reduced and in maximal coordinates."""

import sys
import time
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pluecker.articulated import ModelBuilder, SimulationError, crba, simulate
from pluecker.contact import ConstraintError, World
from pluecker.contact.constraints import Coupling, Frame, Hinge
from tests.contact.world.test_twin_motions import distance
from tests.models import one_body

NEARLY_HALF = np.array([2.95, 0.95, 0.3])  # 3.11 rad
AWAY = np.array([6.0, 1.5, 0.4])


def top(kind, **passive):
    """One body on a joint."""
    return one_body("top", kind, 1.0, (0.05, 0.0, 0.1), (0.02, 0.03, 0.015), joint="hip", **passive)


def test_springs_on_rotation_vectors_pull_the_shortest_way_from_rest():
    rng = np.random.default_rng(3)
    for _ in range(20):
        q, rest = (x * rng.uniform(0.0, 3.1) / np.linalg.norm(x) for x in rng.standard_normal((2, 3)))
        world = World(top("exponential", stiffness=(1.0, 2.0, 3.0), damping=0.2, armature=0.05, rest_position=rest))
        twin, v = world.maximal(), rng.standard_normal(3)
        a = world.accelerations(q, v, np.zeros(3)).acceleration
        free = twin.world.accelerations(*twin.state(q, v), np.zeros(6)).acceleration
        assert_allclose(free, twin.acceleration(q, v, a), rtol=1e-11, atol=1e-11 * np.abs(free).max())


@pytest.mark.parametrize(
    ("kind", "passive"),
    [
        ("exponential", {"armature": 0.05}),
        pytest.param("exponential", {"armature": (0.05, 0.0, 0.0)}, marks=pytest.mark.slow),
        pytest.param("exponential", {"damping": 0.1}, marks=pytest.mark.slow),
        pytest.param("exponential", {"stiffness": 0.5}, marks=pytest.mark.slow),
        ("exponential", {"stiffness": 0.5, "rest_position": (-0.4, 0.2, 0.1)}),
        pytest.param("spherical", {"stiffness": 0.5, "armature": 0.05}, marks=pytest.mark.slow),
    ],
)
def test_motions_pass_half_a_turn(kind, passive):
    """Errors against RK4 in reduced coordinates fall at least as the step does.

    A spring changes its sense at half a turn, somewhere in a step: the error is h times a number that depends on where.
    """
    model, duration = top(kind, **passive), 0.032
    angle = np.linalg.norm(NEARLY_HALF)
    q = NEARLY_HALF if kind == "exponential" else np.append(np.cos(angle / 2), np.sin(angle / 2) / angle * NEARLY_HALF)
    world = World(model)
    twin = world.maximal()
    exact = simulate(model, q, AWAY, duration, 1e-3, integrator="rk4")
    if kind == "exponential":
        assert exact.q[-1] @ NEARLY_HALF < 0.0  # it has changed to the equivalent
    there = twin.state(exact.q[-1], exact.v[-1])[0]
    far, near = (distance(twin.world.simulate(*twin.state(q, AWAY), duration, h).q[-1], there) for h in (4e-3, 1e-3))
    assert far < 0.5 * 4e-3 * np.linalg.norm(AWAY)  # what a quaternion changes in one step
    assert far > 2.0 * near


@pytest.mark.slow
def test_rotors_on_rotation_vectors_keep_their_energy_over_turns():
    """Rotors turn 40 times by half a turn, without gravity; the error is of the order of the step."""
    model = top("exponential", armature=0.05)
    model = model.replace(gravity=(0.0, 0.0, 0.0))
    twin = World(model).maximal()
    lost = []
    for h in (1e-3, 5e-4):
        motion = twin.world.simulate(*twin.state(NEARLY_HALF, AWAY), 4.0, h)
        q, v = twin.back(motion.q, motion.v)
        energy = 0.5 * (v * np.einsum("nij,nj->ni", crba(model, q), v)).sum(axis=-1)
        lost.append(np.abs(energy / energy[0] - 1.0).max())
    assert lost[0] < 0.1
    assert lost[1] < 0.7 * lost[0]


@pytest.mark.parametrize("passive", [{"armature": 0.05}, {"damping": 0.1, "armature": 0.05}, {"stiffness": 1.5}])
def test_gimbal_lock_is_named(passive):
    """Reduced coordinates pass through it; free bodies do not know which angles there are behind it."""
    model = top("euler_xyz", **passive)
    world = World(model)
    twin = world.maximal()
    q, v = np.array([0.3, 1.45, 0.2]), np.array([1.0, 4.0, 0.5])
    if "armature" in passive:
        assert world.simulate(q, v, 0.1, 4e-3).q[-1, 1] > 0.5 * np.pi
    with pytest.raises(SimulationError, match=r"t = 0\.\d+ s: 'hip' is next to gimbal lock: .* degrees from"):
        twin.world.simulate(*twin.state(q, v), 0.4, 4e-3, on_unsolved="raise")


@pytest.mark.slow
@pytest.mark.parametrize("beside", [0.1, 0.01, 1e-4])
def test_a_motion_into_gimbal_lock_is_refused_at_once(beside):
    """Steps towards it become shorter without end: it took 2,000 times as long as a motion away from it, now ten times."""
    twin, times = World(top("euler_xyz", armature=0.05)).maximal(), []
    q = np.array([0.3, 0.5 * np.pi - beside, 0.2])

    def simulate_at(speed):
        state = twin.state(q, np.array([0.7, speed, 0.5]))
        return twin.world.simulate(*state, 0.06, 1e-2, integrator="dormand_prince")

    simulate_at(-2.0)
    began = time.process_time()
    simulate_at(-2.0)
    times.append(time.process_time() - began)
    with pytest.raises(SimulationError, match=r"t = 0(\.\d+)? s: 'hip' is next to gimbal lock"):
        simulate_at(2.0)
    times.append(time.process_time() - began - times[0])
    assert times[1] < 100.0 * times[0]


@pytest.mark.parametrize("beside", [0.0, 1e-15, 1e-12, 1e-8, 1e-5])
def test_accelerations_in_gimbal_lock_are_refused(beside):
    """Alone, and as one state of a batch; also so near that two rotors resist the same to rounding."""
    twin = World(top("euler_xyz", armature=0.05)).maximal()
    q, v = twin.state(np.array([0.3, 0.5 * np.pi - beside, 0.2]), np.array([1.0, 0.4, 0.5]))
    aside, _ = twin.state(np.array([0.3, 1.0, 0.2]), np.zeros(3))
    assert np.isfinite(twin.world.accelerations(aside, v, np.zeros(6)).acceleration).all()
    for one in (q, np.stack([aside, q])):
        with pytest.raises(ConstraintError, match=r"World\.accelerations: 'hip' is next to gimbal lock"):
            twin.world.accelerations(one, v, np.zeros(6))


@pytest.mark.parametrize("beside", [0.02, 0.005, 0.002])
def test_rotors_next_to_gimbal_lock_are_no_singular_position(beside):
    """Two rotors turn nearly alike there, and each still resists: accelerations are those of reduced coordinates."""
    world = World(top("euler_xyz", armature=0.05))
    q, v = np.array([0.3, 0.5 * np.pi - beside, 0.2]), np.array([1.0, 0.4, 0.5])
    twin = world.maximal()
    reduced = world.accelerations(q, v, np.zeros(3)).acceleration
    found = twin.world.accelerations(*twin.state(q, v), np.zeros(6)).acceleration
    expected = twin.acceleration(q, v, reduced)
    assert_allclose(found, expected, rtol=0.0, atol=1e-7 * np.abs(expected).max())


def geared_top():
    """A top with two links on it, and couplings of each to an angle of its joint."""
    builder = ModelBuilder()
    builder.add_body("top", mass=1.0, center_of_mass=(0.05, 0.0, 0.1), inertia=(0.02, 0.03, 0.015))
    builder.add_joint("hip", "euler_xyz", parent="world", child="top")
    for name, parent, axis in (("arm", "top", (0, 1, 0)), ("tip", "arm", (1, 0, 0))):
        builder.add_body(name, mass=0.5, center_of_mass=(0.05, 0.0, 0.1), inertia=(0.02, 0.03, 0.015))
        builder.add_joint(name, "revolute", parent=parent, child=name, axis=axis, position=(0, 0, 0.2))
    gears = [Coupling("first", {("hip", 0): 1.0, "arm": -0.7}), Coupling("third", {("hip", 2): 1.0, "tip": 0.5})]
    return builder.build(), gears


@pytest.mark.parametrize("beside", [0.02, 0.008, 0.003])
def test_couplings_of_angles_next_to_gimbal_lock_are_no_singular_position(beside):
    """A row of an angle is large there, and others small beside it: they say no less, and accelerations are the usual."""
    model, gears = geared_top()
    q, v = np.array([0.3, 0.5 * np.pi - beside, 0.2, 0.3 / 0.7, -0.4]), np.array([0.7, 0.4, 0.5, 1.0, -1.0])
    for constraints in (gears[:1], gears):
        world = World(model, constraints)
        twin = world.maximal(q)
        expected = twin.acceleration(q, v, world.accelerations(q, v, np.zeros(5)).acceleration)
        found = twin.world.accelerations(*twin.state(q, v), np.zeros(18)).acceleration
        assert_allclose(found, expected, rtol=0.0, atol=1e-6 * np.abs(expected).max())


def test_a_row_that_grows_on_the_way_to_gimbal_lock_starts_no_search_beside():
    """Beside a singular position rows say more on both sides; states there are searched for, which takes many calls."""
    model, gears = geared_top()
    counts = []
    for beside in (0.6, 0.06, 0.03):
        q, v = np.array([0.3, 0.5 * np.pi - beside, 0.2, 0.3 / 0.7, -0.4]), np.array([0.7, 2.0, 0.5, 1.0, -1.0])
        twin = World(model, gears[:1]).maximal(q)
        state = twin.state(q, v)
        call = partial(twin.world.accelerations, *state, np.zeros(18))
        counts.append(min(calls_in(call) for _ in range(2)))
    assert max(counts) < 20 * counts[0]


def calls_in(function):
    """Count the functions of Python that are called in a function."""
    called = []
    sys.setprofile(lambda frame, event, _: called.append(frame) if event == "call" else None)
    try:
        function()
    finally:
        sys.setprofile(None)
    return len(called)


@pytest.mark.parametrize("beside", [1.5e-4, 5e-5, 1e-6])
def test_two_couplings_that_say_the_same_next_to_gimbal_lock_are_refused(beside):
    """Also at rest, and as one state of a batch; one coupling of an angle alone is known so near."""
    model, gears = geared_top()
    q = np.array([0.3, 0.5 * np.pi - beside, 0.2, 0.3 / 0.7, -0.4])
    near, far = q, np.array([0.3, 1.0, 0.2, 0.3 / 0.7, -0.4])
    twin = World(model, gears).maximal(far)
    aside, still = twin.state(far, np.zeros(5))
    lock, _ = twin.state(near, np.zeros(5))
    for one in (lock, np.stack([aside, lock])):
        with pytest.raises(ConstraintError, match=r"World\.accelerations: 'first' is next to gimbal lock"):
            twin.world.accelerations(one, still, np.zeros(18))
    alone = World(model, gears[:1]).maximal(far).world
    assert np.isfinite(alone.accelerations(lock, still, np.zeros(18)).acceleration).all()


def parallelogram(armature=0.0):
    """Two links of 1 m and 1 kg side by side, and such a coupler that a hinge closes; the places of their joints in q."""
    builder = ModelBuilder(gravity=(0.0, -9.81, 0.0))
    places = (("link 0", "world", 0.0), ("link 1", "world", 1.0), ("coupler", "link 0", 1.0))
    for name, parent, x in places:
        builder.add_body(name, mass=1.0, center_of_mass=(0.5, 0.0, 0.0), inertia=(1e-4, 1 / 12, 1 / 12))
        builder.add_joint(name, "revolute", parent, name, axis=(0, 0, 1), position=(x, 0, 0), armature=armature)
    model, end = builder.build(), (1.0, 0.0, 0.0)
    place = np.array([model.q_slice(name).start for name, _, _ in places])
    return World(model, [Hinge("closure", Frame("coupler", end), Frame("link 1", end))]), place


def swinging(world, place, angle, rate):
    """The state with both links at an angle, turning at a rate."""
    q, v = np.zeros((2, world.model.nv))
    q[place], v[place] = angle * np.array([1.0, 1.0, -1.0]), rate * np.array([1.0, 1.0, -1.0])
    return q, v


@pytest.mark.everything  # ten seconds of compilation
@pytest.mark.slow
@pytest.mark.parametrize(("step", "tol"), [(1e-2, 1e-9), (1e-3, 1e-9), (1e-2, 1e-11)])
def test_a_parallelogram_stays_one_where_its_links_are_in_line(step, tol):
    """It swings through that position four times in 4 s; each finer division of steps led away to crossed links."""
    world, place = parallelogram()
    motion = world.simulate(*swinging(world, place, 0.5 * np.pi, -1.0), 4.0, step, integrator="dormand_prince", tol=tol)
    one, two = motion.q[:, place[:2]].T
    assert_allclose(one, two, rtol=0.0, atol=1e-9)
    energy = 5 / 6 * motion.v[:, place[0]] ** 2 + 2.0 * 9.81 * np.sin(one)
    assert_allclose(energy, energy[0], rtol=0.0, atol=1e-6)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("angle", "integrator"), [(0.0, "rk4"), (1e-6, "rk4"), (0.004, "rk4"), (0.01, "dormand_prince")]
)
def test_a_motion_that_begins_in_line_stays_on_the_branch_of_its_velocity(angle, integrator):
    world, place = parallelogram()
    q, v = swinging(world, place, angle, -5.0)
    motion = world.simulate(q, v, 4e-3, 2e-3, integrator=integrator)
    one, two = motion.q[:, place[:2]].T
    assert_allclose(one, two, rtol=0.0, atol=1e-12)
    energy = 5 / 6 * motion.v[:, place[0]] ** 2 + 2.0 * 9.81 * np.sin(one)
    assert_allclose(energy, energy[0], rtol=1e-9)


@pytest.mark.plain
@pytest.mark.parametrize("armature", [0.0, 0.3])
@pytest.mark.parametrize(("step", "angle"), [(2e-3, 0.0031), (2e-3, 0.005), (2e-4, 0.0031), (2e-4, 1e-5)])
def test_steps_of_free_bodies_pass_singular_positions(step, angle, armature):
    """Hinges that hold free bodies together are nearly dependent next to them, and turn around within a step."""
    world, place = parallelogram(armature)
    twin = world.maximal()
    steps = int(angle / (5.0 * step)) + 2
    motion = twin.world.simulate(*twin.state(*swinging(world, place, angle, -5.0)), steps * step, step)
    q, v = twin.back(motion.q, motion.v)
    assert q[-1, place[0]] < 0.0
    assert_allclose(q[:, place[0]], q[:, place[1]], rtol=0.0, atol=1e-7)
    assert_allclose(v[-1, place[0]], v[-1, place[1]], rtol=0.0, atol=1e-5)
    rate = -5.0 - steps * step * 2.0 * 9.81 / (
        5 / 3 + 3.0 * armature
    )  # the weights, on two links, a coupler, three rotors
    assert_allclose(v[-1, place[0]], rate, rtol=0.0, atol=0.15 * step)
