"""Motions in reduced and in maximal coordinates converge to each other, at the order of the step."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pluecker.articulated import random_configuration, random_tree, simulate
from pluecker.contact import World
from pluecker.contact import constraints as c
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.mechanisms.signatures import without_odd_springs
from tests.contact.world.worlds import loop_between

KINDS = ["revolute", "continuous", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "free",
         "exponential", "euler_xyz"]  # fmt: skip
QUICK = ("universal", "spherical")  # without compilation
# Angles with rotors pass through gimbal lock: free bodies cannot.
UNBOUNDED = tuple(name for name in KINDS if name != "euler_xyz")


def twins(seed, bodies, loop, kinds=UNBOUNDED, **arrays):
    """A world with a state, and the same in maximal coordinates."""
    rng = np.random.default_rng(seed)
    model = without_odd_springs(random_tree(bodies, rng, joints=kinds, mimic=0.3, passive=True, branching=0.3))
    model = model.replace(friction=0.0, **arrays)
    q = random_configuration(model, rng)
    for joint in model.joints:
        if joint.type.startswith("euler"):
            q[joint.q_start + 1] = 0.7  # far from gimbal lock
    loops = [loop_between(c.Ball, "loop", model, q, "world", model.body_names[-1], rng)] if loop else []
    world = World(model, loops, limits=False)
    v = world.impact(q, rng.standard_normal(model.nv)).velocity
    twin = world.maximal(q)
    return world, q, v, twin, *twin.state(q, v)


def distance(q, there):
    """The largest difference between placements, quaternions of either sign."""
    q, there = q.reshape(-1, 7).copy(), there.reshape(-1, 7)
    q[:, 3:] *= np.sign((q[:, 3:] * there[:, 3:]).sum(axis=1))[:, None]
    return np.abs(q - there).max()


def apart(world, q, v, twin, q_max, v_max, duration, step):
    """Return the distance of the bodies from each other at the end, and the gaps of the maximal world."""
    reduced = world.simulate(q, v, duration, step)
    maximal = twin.world.simulate(q_max, v_max, duration, step)
    rows = [row for part in twin.world.parts for row in part.rows]
    held = [not (row.soft or row.ranged or row.inertia > 0.0) for row in rows]
    far = distance(maximal.q[-1], twin.state(reduced.q[-1], reduced.v[-1])[0])
    return far, np.abs(twin.world.rows_at(maximal.q[-1]).error[held]).max(initial=0.0)


@pytest.mark.parametrize("kind", [k if k in QUICK else pytest.param(k, marks=pytest.mark.slow) for k in KINDS])
def test_each_joint_has_the_motion_of_its_model(kind):
    """With armature, dampers and springs: errors against RK4 in reduced coordinates halve with the step."""
    world, q, v, twin, q_max, v_max = twins(5, 2, False, [kind])
    duration = 0.1 if COMPILED else 0.004
    exact = simulate(world.model, q, v, duration, 5e-4, integrator="rk4")
    there = twin.state(exact.q[-1], exact.v[-1])[0]
    far, near = (distance(twin.world.simulate(q_max, v_max, duration, h).q[-1], there) for h in (1e-3, 5e-4))
    assert 1.9 < far / near < 2.1


@pytest.mark.slow
@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("seed", range(6 if EVERYTHING else 2))
def test_motions_converge_to_each_other(seed, loop):
    case = twins(seed, 5, loop)
    errors, gaps = zip(*(apart(*case, 0.3, h) for h in (2e-3, 1e-3, 5e-4, 2.5e-4)), strict=True)
    assert max(gaps) < 1e-10
    assert errors[-1] < 1e-9 or 1.7 < errors[-2] / errors[-1] < 2.4
    assert errors[-1] < 0.05


def test_a_motion_in_two_parts_is_the_same_to_the_last_bit():
    """The rates of rotors are remembered between them."""
    _, _, _, twin, q, v = twins(5, 2, False, ["spherical", "universal"])
    steps = 20 if COMPILED else 4
    whole = twin.world.simulate(q, v, 1e-3 * steps, 1e-3)
    first = twin.world.simulate(q, v, 0.5e-3 * steps, 1e-3)
    second = twin.world.simulate(first.q[-1], first.v[-1], 0.5e-3 * steps, 1e-3, memory=first.memory)
    assert_array_equal(second.q[-1], whole.q[-1])
    assert_array_equal(second.v[-1], whole.v[-1])
