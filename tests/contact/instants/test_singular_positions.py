"""Singular positions: accelerations are the limit along the motion, and a motion says when it was in one."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.contact import ConstraintError, World
from tests.contact.world.mechanisms import four_bars, ordered, slider_crank, slider_crank_state

pytestmark = pytest.mark.plain  # rows are compiled for steps elsewhere; what is new here is Python


def in_line(n, angle=0.0, rate=-5.0):
    """N squares of rods with all of them at an angle, and their velocities."""
    world, _, _ = four_bars(n)
    q = ordered(world.model, [angle] + n * [-angle, angle])
    return world, q, ordered(world.model, [rate] + n * [-rate, rate])


def of_a_pendulum(n, angle):
    """The angular acceleration of N + 1 rods that turn together, with N beams on them, which do not turn."""
    return -9.81 * np.cos(angle) * (0.5 * (n + 1) + n) / ((n + 1) / 3.0 + n)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_rods_in_line_accelerate_as_next_to_it(n):
    """IFToMM's N four-bars: rows allow one acceleration more there for each of them, and the motion has one alone."""
    for angle in (0.0, 1e-9, 1e-3, 0.005):
        world, q, v = in_line(n, angle)
        a = world.accelerations(q, v, np.zeros(world.model.nv)).acceleration
        expected = ordered(world.model, [1.0] + n * [-1.0, 1.0]) * of_a_pendulum(n, angle)
        np.testing.assert_allclose(a, expected, rtol=0.0, atol=1e-7)


def test_the_limit_is_that_of_states_of_a_batch_with_their_own_forces():
    world, q, v = in_line(2)
    other, rate = in_line(2, 0.3)[1], in_line(2, 0.0, 3.0)[2]
    tau = np.zeros((3, world.model.nv))
    tau[1, world.model.v_slice("post0")] = 2.0
    found = world.accelerations([q, q, other], [v, rate, v], tau).acceleration
    for k, state in enumerate(((q, v), (q, rate), (other, v))):
        alone = world.accelerations(*state, tau[k]).acceleration
        np.testing.assert_allclose(found[k], alone, rtol=0.0, atol=1e-12)
    expected = of_a_pendulum(2, 0.0) + 2.0 / (3 / 3.0 + 2.0)
    np.testing.assert_allclose(found[1][world.model.v_slice("post1")], expected, atol=1e-7)


def test_free_bodies_in_line_accelerate_as_the_tree_does():
    world, q, v = in_line(1)
    twin = World(world.model, world.constraints).maximal()
    q_max, v_max = twin.state(q, v)
    a = twin.world.accelerations(q_max, v_max, np.zeros(twin.world.model.nv)).acceleration
    expected = ordered(world.model, [1.0, -1.0, 1.0]) * of_a_pendulum(1, 0.0)
    np.testing.assert_allclose(a, twin.acceleration(q, v, expected), rtol=0.0, atol=1e-6)


def test_at_rest_and_along_no_branch_accelerations_are_what_the_rows_there_allow():
    world, q, v = in_line(2)
    n = world.model.nv
    for rate in (np.zeros(n), np.where(np.arange(n) == world.model.v_slice("post2").start, 0.0, v)):
        rate = world.impact(q, rate).velocity
        a = world.accelerations(q, rate, np.zeros(n)).acceleration
        rows = world.rows_at(q, rate)
        held = np.abs(rows.jacobian).max(axis=1) > 1e-9
        np.testing.assert_allclose((rows.jacobian @ a + rows.bias)[held], 0.0, atol=1e-6)
    assert not all(world.determined(q).constraints.values())


def test_redundant_rows_make_no_singular_position():
    """A state costs one evaluation once the rank of the rows is known."""
    world, q, v = in_line(2, 0.7)
    a = world.accelerations(q, v, np.zeros(world.model.nv)).acceleration
    np.testing.assert_allclose(a[world.model.v_slice("post0")], of_a_pendulum(2, 0.7), rtol=1e-11)
    motion = world.simulate(q, v, 4e-3, 2e-3, integrator="rk4")
    assert motion.singular_times.shape == (0,)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4", "bdf1"])
def test_a_motion_says_when_it_passed_a_singular_position(integrator):
    for angle in (0.05, 0.1, 0.0):
        world, q, v = in_line(1, angle)
        motion = world.simulate(q, v, 0.03, 0.01, integrator=integrator, record=())
        when = motion.singular_times
        assert when.shape == (1,)
        assert motion.at(when).q[0, world.model.v_slice("post0")] == pytest.approx(0.0, abs=1e-4)
        assert when[0] == pytest.approx(angle / 5.0, rel=0.05)
    world, q, v = in_line(1, 0.3)
    assert not len(world.simulate(q, v, 0.03, 0.01, integrator=integrator, record=()).singular_times)


def test_a_crank_that_turns_past_its_dead_points_is_in_no_singular_position():
    world = slider_crank()
    q, v = slider_crank_state(-0.1, 8.0)
    motion = world.simulate(q, v, 0.03, 0.01, record=())
    assert motion.q[0, 0] < 0.0 < motion.q[-1, 0]
    assert not len(motion.singular_times)


def test_singular_positions_are_those_of_one_motion():
    world, q, v = in_line(1, 0.1)
    motions = world.simulate([q, q], v, 0.01, 0.01, record=())
    with pytest.raises(ConstraintError, match=r"singular_times: there are those of one motion, not of \(2,\)"):
        _ = motions.singular_times
