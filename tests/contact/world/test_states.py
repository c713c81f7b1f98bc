"""States that are handed on from step to step carry all that a motion needs, and what is left out is said."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

from pluecker.articulated import LimitWarning, ModelBuilder
from pluecker.contact import ConstraintError, MemoryWarning, World, WorldMemory, WorldState
from pluecker.contact.constraints import Angle, Gear, Limit, PrescribedMotion, Spline
from pluecker.contact.geometry import Box
from tests.conftest import COMPILED
from tests.contact.found.worlds import UPRIGHT, world_of
from tests.contact.world.mechanisms import slider_crank, slider_crank_state
from tests.crossed import crossed

H = 1e-3


def driven_crank():
    """A slider-crank whose crank turns at 5 rad/s from 0.4 rad at the time 0.1 s on, as it is told."""
    world = slider_crank()
    turn = Spline([0.1, 1.1], [0.4, 5.4], start_speed=5.0, end_speed=5.0)
    return World(world.model, [*world.constraints, PrescribedMotion("drive", "crank", turn)])


def wheels():
    """Two wheels in mesh, of which a spring beyond 4 rad pulls the first one back."""
    builder = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for name, x in (("a", 0.0), ("b", 1.0)):
        builder.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        builder.add_joint(name, "revolute", "world", name, axis=(0, 0, 1), position=(x, 0, 0), velocity_limit=200.0)
    model = builder.build()
    mesh = Gear.at("mesh", model, [0.0, 0.0], "a", "b", (0, 0, 0), (1, 0, 0), first_radius=0.5, second_radius=0.5)
    return World(model, [mesh, Limit("stop", Angle("world", "a"), -4.0, 4.0, stiffness=10.0, damping=0.0)])


def test_steps_from_a_start_are_the_simulation_to_the_last_bit():
    world = slider_crank()
    q, v = slider_crank_state(0.4, 5.0)
    motion = world.simulate(q, v, 6 * H, H, control=[1.0, 0.0, 0.0])
    state = world.start(q, v)
    assert isinstance(state, WorldState)
    for k in range(6):
        assert state.time == pytest.approx(k * H, rel=1e-12, abs=1e-15)
        assert np.array_equal(state.q, motion.q[k])
        assert np.array_equal(state.v, motion.v[k])
        if k == 2:
            rest = world.simulate(state, 4 * H, step=H, control=[1.0, 0.0, 0.0])
            assert np.array_equal(rest.q, motion.q[2:])
            assert rest.state == motion.state
        state = world.step(state, H, tau=np.array([1.0, 0.0, 0.0]))
    assert state == motion.state
    q, v, memory = state
    again = world.step(q, v, H, memory=memory)
    assert again == world.step(state, step=H) == world.step(motion.state, H)
    assert pickle.loads(pickle.dumps(state)) == copy.deepcopy(state) == state
    smooth = world.simulate(world.start(*slider_crank_state(0.4, 5.0)), 3 * H, H, integrator="rk4")
    other = world.simulate(*slider_crank_state(0.4, 5.0), 3 * H, H, integrator="rk4")
    assert np.array_equal(smooth.q, other.q)
    assert smooth.state == other.state


STARTS = {  # a loop, angles that are counted over turns, contacts that are found
    "loop": (slider_crank, slider_crank_state(0.4, 5.0)),
    "turns": (wheels, ([3.0, -3.0], [100.0, -100.0])),
    "found": (lambda: world_of([Box((0.1, 0.1, 0.1))]), ([0, 0, 0.05, *UPRIGHT], [0.0, 0.0, 0.0, 0.5, 0.0, 0.0])),
}


@pytest.mark.skipif(not COMPILED, reason="plain Python has no short way")
@pytest.mark.parametrize("which", STARTS)
def test_a_step_that_goes_on_crosses_few_files(which):
    """However its numbers come: the loop over steps, with its samples and controls, has no part in it."""
    make, start = STARTS[which]
    world = make()
    state = world.step(world.start(*start), H)
    tau = np.full(world.model.nv, 0.25)
    expected = world.simulate(state, H, H, control=tau).state
    q, v, memory = state
    calls = (
        lambda: world.step(state, H, tau=tau),
        lambda: world.step(q, v, H, tau=tau, memory=memory),
        lambda: world.step(q.tolist(), tuple(v.tolist()), H, tau=tau.tolist(), memory=memory),
        lambda: world.step(state, H, tau=tau.astype(np.float32)),
    )
    for call in calls:
        files = crossed(call)
        assert len(files) <= 16, files
        assert call() == expected


@pytest.mark.parametrize("which", STARTS)
def test_a_step_that_is_refused_says_why_and_changes_nothing(which):
    make, start = STARTS[which]
    world = make()
    state = world.step(world.start(*start), H)
    q, v, memory = state
    expected = world.step(state, H)
    nan = np.where(np.arange(len(v)) == 1, np.nan, v)
    refused = [
        ((q, nan, memory, None), r"^World\.step: v\[1\] is nan"),
        ((np.where(np.arange(len(q)) == 1, np.inf, q), v, memory, None), r"^World\.step: q\[1\] is inf"),
        ((q, v, memory, nan), r"^World\.step: tau\[1\] is nan"),
        ((q[:-1], v, memory, None), r"^World\.step: q has shape"),
        ((q, [*v, 0.0], memory, None), r"^World\.step: v has shape"),
        ((q, v, memory, v[:-1].tolist()), r"^World\.step: tau has shape"),
    ]
    if which == "found":
        refused.append(((q * 1.1, v, memory, None), r"^World\.step: .*quaternion .*has length 1\.1"))
    if which == "turns":
        refused.append(((q + 1.0, v, memory, None), r"^World\.step: the state does not fit the memory"))
    for (q1, v1, memory1, tau), said in refused:
        with pytest.raises(ValueError, match=said):
            world.step(q1, v1, H, tau=tau, memory=memory1)
        assert state == (q, v, memory)
        assert world.step(state, H) == expected


@pytest.mark.parametrize("which", STARTS)
def test_a_memory_put_together_from_its_parts_makes_the_same_step(which):
    make, start = STARTS[which]
    world = make()
    state = world.step(world.step(world.start(*start), H), H)
    memory = state.memory
    parts = memory.key, memory.time, memory.turns, memory.impulses, memory.integrator, memory.own
    assert WorldMemory(*parts) == memory == pickle.loads(pickle.dumps(memory))
    assert world.step(state.q, state.v, H, memory=WorldMemory(*parts)) == world.step(state, H)
    assert not any(part.flags.writeable for part in parts[2:4])
    with pytest.raises(AttributeError, match="'WorldMemory' object has no attribute 'force'"):
        getattr(memory, "force")  # noqa: B009


@pytest.mark.plain
def test_a_batch_begins_and_goes_on_as_its_states():
    world = slider_crank()
    states = [world.start(*slider_crank_state(angle, 5.0)) for angle in (0.4, 0.9, 1.4)]
    batch = world.start(np.stack([each.q for each in states]), np.stack([each.v for each in states]))
    for _ in range(2):
        batch, states = world.step(batch, H), [world.step(each, H) for each in states]
    for k, each in enumerate(states):
        np.testing.assert_allclose(batch.q[k], each.q, rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(batch.v[k], each.v, rtol=0.0, atol=1e-11)
    assert batch.time == states[0].time


@pytest.mark.plain
def test_a_motion_over_time_begins_at_the_time_of_its_start():
    world = driven_crank()
    state = world.start(*slider_crank_state(0.9, 5.0), time=0.2)
    assert state.time == 0.2
    for k in range(1, 4):
        state = world.step(state, H)
        np.testing.assert_allclose([state.q[0], state.v[0]], [0.9 + 5.0 * k * H, 5.0], rtol=0.0, atol=1e-9)
    rest = world.simulate(state, 2 * H, H)
    np.testing.assert_allclose(rest.time, 0.2 + H * np.arange(3, 6), rtol=1e-12)
    np.testing.assert_allclose(rest.q[:, 0], 0.9 + 5.0 * H * np.arange(3, 6), rtol=0.0, atol=1e-9)
    with pytest.raises(ConstraintError, match=r"^World\.start: .*'drive' open by 0\.5 m or rad"):
        world.start(*slider_crank_state(0.9, 5.0), time=0.1)
    world.start(*slider_crank_state(0.9, 5.0), time=0.1, on_open="close")


@pytest.mark.plain
def test_a_memory_that_is_left_out_is_warned_of_where_it_makes_another_motion():
    world = driven_crank()
    state = world.step(world.start(*slider_crank_state(0.4, 5.0), time=0.1), H)
    q, v, _ = state
    calls = {
        "simulate": lambda: world.simulate(q, v, H, H, on_open="close"),
        "step": lambda: world.step(q, v, H, on_open="close"),
    }
    for name, call in calls.items():
        with pytest.warns(
            MemoryWarning, match=rf"^World\.{name}: .* the time, 0\.101 s: this begins a motion"
        ) as caught:
            call()
        assert [each.filename for each in caught] == [__file__]
    geared = wheels()
    state = geared.start([3.0, -3.0], [100.0, -100.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state = geared.step(state, 0.01)
        world.step(state := world.step(*slider_crank_state(0.9, 5.0), H, on_open="close"), H)  # nothing is left out
        world.step(state.q.copy(), state.v, H, on_open="close")  # which may be a state of the user's
    free, (q, v) = slider_crank(), slider_crank_state(0.4, 5.0)
    for _ in range(2):  # impulses alone are lost: the same motion
        q, v, _ = free.step(q, v, H)
    state = geared.step(geared.start([3.0, -3.0], [150.0, -150.0]), 0.01)
    with pytest.warns(MemoryWarning, match="turns of angles"):
        lost = geared.step(state.q, state.v, 0.01)
    np.testing.assert_allclose(lost.v, state.v, rtol=0.0, atol=1e-9)  # no stop is near
    assert geared.step(state, 0.01).v[0] < state.v[0] - 0.5


@pytest.mark.plain
def test_a_start_that_cannot_be_is_refused_and_a_fast_one_warned_of():
    world, (q, v) = slider_crank(), slider_crank_state(0.4, 5.0)
    state = world.start(q, v)
    np.testing.assert_array_equal(world.start(q).v, 0.0)
    for call, error, said in (
        (lambda: world.start(q[:2], v), ValueError, r"^World\.start: q has shape \(2,\), expected \(\.\.\., 3\)"),
        (lambda: world.start(q, [np.nan] * 3), ValueError, r"^World\.start: v\[0\] is nan, expected a finite number"),
        (lambda: world.start(q + 0.1, v), ConstraintError, r"^World\.start: .*'pin' open by"),
        (lambda: world.start(q, v, time=-1.0), ConstraintError, "time is -1, expected a number that is not below 0"),
        (lambda: world.start(q, v, on_open="maybe"), ValueError, r"^World\.start: on_open is 'maybe'"),
        (lambda: world.start(np.zeros((2, 3)), np.zeros((3, 3))), ValueError, r"^World\.start: the leading axes"),
        (lambda: world.step(q, H), TypeError, r"^World\.step: an argument is missing, expected q, v, step, or a state"),
        (lambda: world.step(state), TypeError, r"^World\.step: a state and 0 arguments came, expected a state, step"),
        (lambda: world.step(state, v, H), TypeError, "a state and 2 arguments came, expected a state, step"),
        (lambda: world.step(state, H, memory=state.memory), TypeError, "a state and a memory came"),
        (lambda: world.simulate(state, 1.0), TypeError, "expected a state, duration, step"),
        (lambda: World(world.model).step(state, H), ConstraintError, "the memory is of another world"),
    ):
        with pytest.raises(error, match=said):
            call()
    with pytest.warns(LimitWarning, match=r"^World\.start: coordinate 'a' \(and 1 more\) begins at 300") as caught:
        wheels().start([0.0, 0.0], [300.0, -300.0])
    assert [each.filename for each in caught] == [__file__]
