"""Eight worlds at a time move as each alone, with rows of all laws.

A step in lanes takes 20 to 50 s to compile: on each change rows and accelerations alone run in lanes, instants/
test_accelerations and geometry/test_kernels.
"""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, integrate
from pluecker.contact.constraints import Angle, Ball, Frame, Limit, Motor, Rod, Rope, Servo
from pluecker.contact.geometry import Surface
from tests.conftest import COMPILED
from tests.contact.stepping.impacts import world_of_balls
from tests.contact.stepping.stepped import World, gap, last

START = np.array([0.1, 0.2, -0.1, 1.1, 0.0, -0.2, 1.0, 0.0, 0.0, 0.0])


def arm():
    """Three links and a free body that is tied to them by rows of all laws."""
    b = ModelBuilder(gravity=(0.0, 0.0, -10.0))
    for k in range(3):
        b.add_body(f"link {k}", mass=1.0, center_of_mass=(0.2, 0.0, 0.0), inertia=(0.01, 0.03, 0.03))
        b.add_joint(
            f"joint {k}", "revolute", parent="world" if k == 0 else f"link {k - 1}", child=f"link {k}", axis=(0, 1, 0.1 * k),
            position=(0.4 if k else 0.0, 0, 0), friction=0.3, lower_limit=-1.0, upper_limit=1.0,
        )  # fmt: skip
    b.add_body("load", mass=0.5, inertia=(0.01, 0.02, 0.03))
    b.add_joint("free", "free", parent="world", child="load")
    return World(
        b.build(),
        [
            Ball("grip", Frame("link 2", (0.4, 0, 0)), Frame("load", (0, 0, 0.1))),
            Rod("spring", "world", Frame("load", (0.1, 0, 0)), 0.5, stiffness=100.0, damping=1.0),
            Rope("rope", "world", "load", 1.0),
            Servo("servo", "joint 1", 0.2, stiffness=50.0, damping=1.0),
            Motor("motor", "joint 0", speed=-2.0, force=3.0),
            Limit("angle", Angle("link 1", "link 2"), lower=-0.2, upper=0.3),
        ],
    )


def test_a_step_closes_the_gaps_that_it_begins_with_and_makes_no_velocity():
    """Some 0.2 m, beside links of 0.4 m; impulses would make 100 m/s of that in the 2 ms of the step."""
    world = arm()
    rng = np.random.default_rng(0)
    q = integrate(world.model, START, 0.1 * rng.uniform(-1.0, 1.0, (4, world.model.nv)))
    for start in q:
        assert gap(world, start) > 0.05
        q1, v1 = last(world, start, np.zeros(world.model.nv), 2e-3, 1)
        assert gap(world, q1) < 1e-11
        assert np.abs(v1).max() < 1.0


@pytest.mark.everything
@pytest.mark.skipif(not COMPILED, reason="lanes are there in compiled code only")
def test_eight_worlds_in_lanes_move_as_each_alone():
    """Equal to rounding: each lane has impulses of its own, and takes as many repetitions as the slowest."""
    world, rng = arm(), np.random.default_rng(3)
    q = integrate(world.model, START, 0.2 * rng.uniform(-1.0, 1.0, (8, world.model.nv)))
    v = rng.normal(size=(8, world.model.nv))
    options = {"record": ("error",), "threads": 1, "on_open": "close"}
    together = world.simulate(q, v, 0.05, 0.01, **options)
    for k in range(8):
        alone = world.simulate(q[k], v[k], 0.05, 0.01, **options)
        assert alone.columns["error"].max() <= 1.0
        np.testing.assert_allclose(together.q[k], alone.q, rtol=0.0, atol=1e-10)
        # what is left of gaps, over h, a few times over
        np.testing.assert_allclose(together.v[k], alone.v, rtol=0.0, atol=1e-8)


@pytest.mark.everything
@pytest.mark.skipif(not COMPILED, reason="lanes are there in compiled code only")
def test_rows_with_a_range_change_no_bit_of_their_neighbours():
    """Batches of any size, on any number of threads, and in any order: limits, motors and ropes act in some states only."""
    world, rng = arm(), np.random.default_rng(5)
    q = integrate(world.model, START, 0.1 * rng.uniform(-1.0, 1.0, (27, world.model.nv)))
    v = rng.normal(size=(27, world.model.nv))
    columns = ("constraint_forces", "error")
    options = {"on_unsolved": "continue", "on_open": "close", "record": columns}
    whole = world.simulate(q, v, 0.05, 0.005, threads=1, **options)
    awake = np.abs(whole.columns["constraint_forces"][..., world.packed.place >= world.packed.n_linear]) > 0.0
    assert 0.2 < awake.mean() < 0.95
    for count in (2, 3, 7, 8, 9, 17, 27):
        order = rng.permutation(27)[:count]
        for threads in (1, 2, 3):
            some = world.simulate(q[order], v[order], 0.05, 0.005, threads=threads, **options)
            assert np.array_equal(some.q, whole.q[order])
            assert np.array_equal(some.v, whole.v[order])
            for name in columns:
                assert np.array_equal(some.columns[name], whole.columns[name][order])
    a = world.accelerations(q, v, np.zeros(world.model.nv), threads=1)
    order = rng.permutation(27)
    for threads in (1, 2, 3):
        b = world.accelerations(q[order], v[order], np.zeros(world.model.nv), threads=threads)
        assert np.array_equal(a.acceleration[order], b.acceleration)
        assert np.array_equal(a.forces[order], b.forces)


@pytest.mark.everything
@pytest.mark.skipif(not COMPILED, reason="lanes are there in compiled code only")
def test_contacts_that_resist_to_turning_change_no_bit_of_their_neighbours():
    """Balls on each other and on the floor, in states whose contacts are others; one step, and ten."""
    rng, surface = np.random.default_rng(11), Surface(0.5, rolling_friction=0.01)
    world = world_of_balls([0.1] * 3, [1.0] * 3, "named", surface)
    q, v = np.zeros((48, 3, 7)), rng.standard_normal((48, 18))
    q[..., :3] = rng.uniform([-0.15, -0.15, -0.03], [0.15, 0.15, 0.27], (48, 3, 3))
    turns = rng.standard_normal((48, 3, 4))
    q[..., 3:] = turns / np.linalg.norm(turns, axis=-1, keepdims=True)
    q, order = q.reshape(48, 21), rng.permutation(48)
    for steps in (1, 10):
        options = {"on_unsolved": "continue", "record": ("error",)}
        whole, other = (world.simulate(q[k], v[k], steps * 1e-3, 1e-3, **options) for k in (np.arange(48), order))
        np.testing.assert_array_equal(other.v, whole.v[order])
        np.testing.assert_array_equal(other.q, whole.q[order])
        np.testing.assert_array_equal(other.columns["error"], whole.columns["error"][order])
