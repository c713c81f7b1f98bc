"""The adaptive pair keeps its tolerance, and finds when friction holds, when it lets go, and when limits are reached."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import JointLimits, Model, ModelBuilder, TimeTable, difference, neutral, simulate
from tests.articulated.stepping import motions
from tests.articulated.stepping.motions import mechanism
from tests.conftest import COMPILED
from tests.models import free_bodies, one_body

G = 9.81


def states(*arguments, **options):
    """The start and the state after each step, by the adaptive pair."""
    return motions.states(*arguments, integrator="dormand_prince", **options)


def end(*arguments, **options):
    """The state after the last step."""
    return motions.end(*arguments, integrator="dormand_prince", **options)


def slide(friction: float, gravity: float = 0.0, **options) -> Model:
    """A block of 2 kg on a slide along x, with gravity against x"""
    builder = ModelBuilder("slide", gravity=(-gravity, 0, 0))
    builder.add_body("block", mass=2.0)
    builder.add_joint("slide", "prismatic", "world", "block", axis=(1, 0, 0), friction=friction, **options)
    return builder.build()


def pendulum(**options) -> Model:
    return one_body("rod", "revolute", 1.0, (0, 0, -0.5), [0.1, 0.1, 0.1], axis=(0, 1, 0), **options, name="pendulum")


@pytest.mark.parametrize("mimic", [False, pytest.param(True, marks=pytest.mark.plain)], ids=["tree", "mimic"])
def test_the_error_follows_the_tolerance(mimic):
    """Against the method of order eight, with which SciPy's agrees (test_dop853.py)."""
    model = mechanism(mimic, large=COMPILED)
    q, v = neutral(model), np.random.default_rng(4).uniform(-2.0, 2.0, model.nv)
    q_end, v_end = motions.end(model, q, v, 0.2, 1, integrator="dop853", tol=1e-13)
    for tol in (1e-5, 1e-8, 1e-11):
        q1, v1 = end(model, q, v, 0.1, 2, tol=tol)
        error = max(np.abs(difference(model, q_end, q1)).max(), np.abs(v1 - v_end).max())
        assert 1e-4 * tol < error < 200.0 * tol, tol  # of each step; there are 3 to 30


@pytest.mark.parametrize("bodies", [1, 2])
def test_no_trial_is_taken_whose_numbers_overflow(bodies):
    """The first one is as long as the sample, 10 rad: some coordinates of its end are no numbers, others have no error."""
    model, rng = free_bodies(bodies, inertia=(0.01, 0.02, 0.029), gravity=(0, 0, 0)), np.random.default_rng(0)
    for _ in range(20 if COMPILED else 2):
        v = np.zeros(model.nv)
        v[:3] = rng.standard_normal(3)
        v[:3] *= 100.0 / np.linalg.norm(v[:3])
        _, after = end(model, neutral(model), v, 0.1, 1, tol=1e-8)
        inertia = np.tile([0.01, 0.02, 0.029, 1.0, 1.0, 1.0], bodies)
        assert after**2 @ inertia == pytest.approx(v**2 @ inertia, rel=1e-5)


def test_a_block_with_dry_friction_stops_where_its_energy_is_spent_and_stays():
    F, m, v0 = 3.0, 2.0, 1.5
    motion = states(slide(F), [0.2], [v0], 0.3, 8)
    assert motion.v[3] == pytest.approx(v0 - F / m * 0.9, abs=1e-12)
    stopped = 0.2 + v0**2 * m / (2.0 * F)
    np.testing.assert_allclose(motion.q[4:], stopped, rtol=0.0, atol=1e-12)  # after m v0 / F = 1 s
    np.testing.assert_array_equal(motion.v[4:], 0.0)


def test_what_rests_is_done_in_one_step_however_long():
    model = slide(25.0, gravity=G)  # more than m g
    q, v = end(model, [0.3], [0.0], 1e9, 1)
    assert (q[0], v[0]) == (pytest.approx(0.3, abs=1e-12), 0.0)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_block_moves_from_when_the_push_exceeds_the_friction(way):
    """Pushed by 4 N/s t against 3 N: it starts at 0.75 s; then m a = 4 (t - 0.75)"""
    push = TimeTable([0.0, 1.0], [[0.0], [way * 4.0]])
    q, v = end(slide(3.0), [0.0], [0.0], 1.0, 1, control=push)
    t = 1.0 - 0.75
    assert v[0] == pytest.approx(way * t**2, abs=1e-7)  # a slack of 1e-9 of the friction, and the step's tolerance
    assert q[0] == pytest.approx(way * t**3 / 3.0, abs=1e-7)
    q, v = end(slide(3.0), [0.0], [0.0], 0.7499, 1, control=push)
    assert (q[0], v[0]) == (pytest.approx(0.0, abs=1e-20), 0.0)


def test_a_pendulum_with_friction_and_damping_comes_to_rest_where_friction_holds_it():
    motion = states(pendulum(friction=0.5, damping=0.1), [1.0], [2.0], 1.0, 8)
    assert motion.v[-1] == 0.0
    assert motion.q[-1] == motion.q[-3]
    assert abs(1.0 * G * 0.5 * np.sin(motion.q[-1, 0])) < 0.5


def test_friction_takes_its_work_and_no_more():
    motion = states(pendulum(friction=0.2), [1.0], [0.0], 0.01, 100)
    path = np.abs(np.diff(motion.q[:, 0]))
    q, v = motion.q[1:, 0], motion.v[1:, 0]
    sign = np.sign(v)
    turn = np.flatnonzero(sign[1:] != sign[:-1])
    k = turn[0]  # up to here it goes one way
    energy = 0.5 * (0.1 + 0.25) * v**2 - G * 0.5 * np.cos(q)
    np.testing.assert_allclose(energy[:k] + 0.2 * np.cumsum(path)[:k], -G * 0.5 * np.cos(1.0), atol=1e-8)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_block_bounces_from_a_limit_as_newton_has_it(restitution):
    """A block falls 1 m to the limit: it hits after sqrt(2 / g), and rises again to e^2 m."""
    model = slide(0.0, gravity=G, lower_limit=0.0, upper_limit=5.0)
    limits = JointLimits(restitution=restitution)
    t, speed = np.sqrt(2.0 / G), np.sqrt(2.0 * G)
    up = restitution * speed / G if restitution > 0.0 else 0.1
    q, v = end(model, [1.0], [0.0], t + up, 1, limits=limits)
    assert q[0] == pytest.approx(restitution**2, abs=1e-8)
    assert v[0] == pytest.approx(0.0, abs=1e-8)
    if restitution < 1.0:  # bouncing has an end, and rest costs nothing
        q, v = end(model, [1.0], [0.0], 1e6, 1, limits=limits)
        assert (q[0], v[0]) == (pytest.approx(0.0, abs=1e-11), 0.0)


def test_what_rests_on_a_limit_leaves_it_when_it_is_pulled_away():
    model = slide(0.5, gravity=G, lower_limit=0.0, upper_limit=5.0)
    for force, moves in ((2.0 * G + 0.49, False), (2.0 * G + 0.6, True)):
        q, v = end(model, [0.0], [0.0], 1.0, 1, control=[force])
        assert (v[0] > 0.01) == moves
        if moves:
            assert q[0] == pytest.approx(0.1 / 2.0 / 2.0, abs=1e-8)


def test_limits_that_throw_one_another_off_come_to_rest_in_finite_time():
    """A block on a block: each impact of one throws the other off its stop, in turn, twice as slowly as the time before"""
    builder = ModelBuilder("blocks", gravity=(5.0, 0, 0))
    for k, parent in enumerate(("world", "block0")):
        builder.add_body(f"block{k}", mass=1.0)
        ends = {"lower_limit": -1.0, "upper_limit": 0.0} if k == 0 else {"lower_limit": 0.0, "upper_limit": 1.0}
        builder.add_joint(f"slide{k}", "prismatic", parent, f"block{k}", axis=(1, 0, 0), **ends)
    press = [0.0, -9.0]  # against gravity: the second block is pressed to its stop
    q, v = end(builder.build(), [-0.1, 0.05], [0.0, 0.0], 1.0, 2, control=press)
    np.testing.assert_allclose(q, 0.0, atol=1e-11)
    np.testing.assert_array_equal(v, 0.0)


@pytest.mark.slow
@pytest.mark.indices
def test_an_arm_with_friction_in_both_joints_comes_to_rest():
    """Held joints lock together with those that move: their reactions decide."""
    rng = np.random.default_rng(1)
    builder = ModelBuilder("arm")
    for k, parent in enumerate(("world", "link0", "link1")):
        builder.add_body(f"link{k}", mass=1.0, center_of_mass=(0.2, 0, 0), inertia=[0.02, 0.02, 0.02])
        builder.add_joint(
            f"joint{k}", "revolute", parent, f"link{k}", axis=(0, 1, 0), position=(0.4 * (k > 0), 0, 0), friction=1.5,
            damping=0.1,
        )  # fmt: skip
    model = builder.build()
    q, v = end(model, rng.uniform(-1, 1, 3), 3.0 * rng.normal(size=3), 1.0, 6)
    np.testing.assert_array_equal(v, 0.0)
    q1, _ = end(model, q, v, 1e6, 1)
    np.testing.assert_allclose(q1, q, atol=1e-12)


def test_simulate_takes_its_tolerance_and_joints_with_friction():
    model = pendulum(friction=0.5, damping=0.1)
    motion = simulate(model, [1.0], [2.0], 6.0, 0.5, integrator="dormand_prince", tol=1e-10)
    coarse = simulate(model, [1.0], [2.0], 6.0, 0.5, integrator="dormand_prince", tol=1e-3)
    np.testing.assert_array_equal(motion.v[-2:], 0.0)
    assert motion.q[-1] == motion.q[-2]
    assert 1e-9 < np.abs(coarse.q - motion.q).max() < 1e-1
    for wrong in (0.0, np.inf, "small"):
        with pytest.raises((ValueError, TypeError), match="simulate: tol is"):
            simulate(model, [1.0], [2.0], 1.0, 0.5, integrator="dormand_prince", tol=wrong)
