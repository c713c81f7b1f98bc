"""Motions of worlds: energy, closed forms, orders; the same bits from the same inputs; memories, and errors on the way.

In which order a step reads the impulses of a memory, no result says: of rows that hold they change no bit. That test
calls what makes the numbers of a step from a memory.
"""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import LimitWarning, ModelBuilder, SimulationError, SimulationWarning, TimeTable, simulate
from pluecker.contact import ConstraintError, FileError, World, WorldMemory
from pluecker.contact.constraints import Coupling, Motor, PrescribedMotion, Spline, UserFunction
from pluecker.contact.world.memory import as_numbers_of
from pluecker.spatial import ArgumentValueError
from tests.conftest import COMPILED
from tests.contact.world.mechanisms import COUPLER, CRANK, four_bars, slider_crank, slider_crank_state
from tests.models import one_body

SMOOTH = ("rk4", pytest.param("dormand_prince", marks=pytest.mark.plain))  # ten seconds of compilation
ALL = ("semi_implicit", *SMOOTH)


def energy(motion):
    """Return the energy of all samples, less that of the first."""
    found = motion.columns["kinetic_energy"] + motion.columns["potential_energy"]
    return found - found[0]


def gap(world, motion):
    """The largest error of a row."""
    return np.abs(world.rows_at(motion.q).error).max()


@pytest.mark.parametrize("integrator", SMOOTH)
def test_a_four_bar_keeps_its_energy_and_stays_closed(integrator):
    world, q, v = four_bars()
    duration = 1.0 if COMPILED else 0.02
    motion = world.simulate(q, v, duration, 0.002, integrator=integrator, record=("a", "energy"))
    assert np.abs(energy(motion)).max() < 1e-8
    assert gap(world, motion) < 1e-12
    rows = world.rows_at(motion.q, motion.v)
    rates = np.einsum("nrv,nv->nr", rows.jacobian, motion.v)
    assert np.abs(rates).max() < 1e-12 * (1.0 + np.abs(motion.v).max())


@pytest.mark.plain
def test_a_nut_keeps_its_energy_however_far_it_turns_in_a_step():
    model = one_body("nut", "free", 0.1, inertia=(0.0011, 0.002, 0.003), joint="free", gravity=(0, 0, 0))
    world, q = World(model), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    for turn in (1.0, 4.0, 5.0, 50.0):
        motion = world.simulate(q, [1.0, 100.0 * turn, 2.0, 0.0, 0.0, 0.0], 0.2, 0.01, record="energy")
        assert np.abs(energy(motion)).max() < 1e-11 * motion.columns["kinetic_energy"][0], turn
    with pytest.raises(SimulationError, match="in a step; a smaller step may follow it"):
        world.simulate(q, [1.0, 1e6, 2.0, 0.0, 0.0, 0.0], 0.01, 0.01, on_unsolved="raise")


def test_a_parallel_four_bar_is_a_pendulum():
    """Equal opposite rods: the beam does not turn, and (2 I + m l^2) a = -(2 m l/2 + m l) g cos."""
    world, q, v = four_bars()
    motion = world.simulate(q, v, 0.02, 0.002, integrator="rk4")
    angle, a = motion.q[:, 0], motion.a[:, 0]
    np.testing.assert_allclose(a, -(2.0 * 9.81 * np.cos(angle)) / (2.0 / 3.0 + 1.0), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(motion.q[:, world.model.v_slice("post1")][:, 0], angle, atol=1e-13)


@pytest.mark.parametrize("integrator", ALL)
def test_a_slider_crank_moves_as_its_closed_form_says(integrator):
    world = slider_crank()
    q, v = slider_crank_state(0.4, 5.0)
    motion = world.simulate(q, v, 1.0 if COMPILED else 0.02, 0.001, integrator=integrator, every=5)
    for here, rate in zip(motion.q, motion.v, strict=True):
        place, speed = slider_crank_state(here[0], rate[0])
        np.testing.assert_allclose(here, place, atol=1e-11)
        if integrator != "semi_implicit":  # whose velocities are mean rates over a step
            np.testing.assert_allclose(rate, speed, atol=1e-9)


@pytest.mark.parametrize(("integrator", "order"), [("semi_implicit", 1), ("rk4", 4)])
def test_the_order_is_that_of_the_integrator(integrator, order):
    world = slider_crank()
    q, v = slider_crank_state(0.4, 5.0)
    steps = (0.04, 0.02, 0.01)
    ends = [world.simulate(q, v, 0.08, h, integrator=integrator).q[-1] for h in steps]
    exact = world.simulate(q, v, 0.08, 0.00125, integrator="rk4").q[-1]  # in error by 1/4096 of the largest step's
    errors = [np.abs(end - exact).max() for end in ends]
    assert np.log2(errors[1] / errors[2]) == pytest.approx(order, abs=0.35)


def test_a_world_without_constraints_moves_as_its_model():
    world, q, v = four_bars()
    alone = World(world.model)
    ours = alone.simulate(q, v, 0.01, 0.002, integrator="rk4")
    theirs = simulate(world.model, q, v, 0.01, 0.002, integrator="rk4")
    np.testing.assert_allclose(ours.q, theirs.q, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(ours.a, theirs.a, rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("integrator", ALL)
def test_forces_that_are_recorded_make_the_motion(integrator):
    """H dv = h (tau - c + J' r) at first order, and exactly at instants."""
    world = slider_crank()
    q, v = slider_crank_state(0.4, 5.0)
    motion = world.simulate(
        q, v, 0.004, 0.001, integrator=integrator, control=[0.5, 0.0, 2.0], record=("a", "constraint_forces")
    )
    forces = motion.columns["constraint_forces"]
    assert forces.shape == (5, world.n_rows)
    expected = world.accelerations(motion.q, motion.v, [0.5, 0.0, 2.0])
    part = slice(0 if integrator != "semi_implicit" else 1, -1)  # whose velocities become mean rates in the first step
    for found, theirs in ((forces, expected.forces), (motion.a, expected.acceleration)):
        step = np.abs(
            np.diff(theirs, axis=0)
        ).max()  # a mean over the step is half of this from the value at its beginning
        np.testing.assert_allclose(found[part], theirs[part], atol=1e-9 if integrator != "semi_implicit" else step)


# ------------------------------------------------------------------------------------------------------ the same bits


@pytest.mark.parametrize("integrator", ALL)
def test_a_motion_goes_on_from_its_memory_to_the_last_bit(integrator, tmp_path):
    world = slider_crank()
    q, v = slider_crank_state(0.4, 5.0)
    torque = TimeTable([0.0, 0.1], [[0.0, 0.0, 0.0], [10.0, 0.0, 5.0]])
    options = {"integrator": integrator, "control": torque}
    whole = world.simulate(q, v, 0.012, 0.001, **options)
    again = world.simulate(q, v, 0.012, 0.001, **options)
    first = world.simulate(q, v, 0.005, 0.001, **options)
    first.memory.save(tmp_path / "memory.npz")
    memory = WorldMemory.load(tmp_path / "memory.npz")
    rest = world.simulate(first.q[-1], first.v[-1], 0.007, 0.001, memory=memory, **options)
    for name in ("time", "q", "v", "a", "tau"):
        assert np.array_equal(getattr(whole, name), getattr(again, name))
        assert np.array_equal(getattr(whole, name)[5:], getattr(rest, name))
    assert rest.memory.time == whole.memory.time
    assert np.array_equal(rest.memory.impulses, whole.memory.impulses)


@pytest.mark.plain
@pytest.mark.parametrize("integrator", ALL)
def test_a_batch_is_its_motions_on_any_number_of_threads(integrator):
    world = slider_crank()
    states = [slider_crank_state(angle, 3.0) for angle in np.linspace(0.1, 1.0, 3 if not COMPILED else 20)]
    q, v = (np.array(x) for x in zip(*states, strict=True))
    one, two = (world.simulate(q, v, 0.005, 0.001, integrator=integrator, threads=n) for n in (1, 2))
    assert np.array_equal(one.q, two.q)
    assert np.array_equal(one.v, two.v)
    alone = world.simulate(q[2], v[2], 0.005, 0.001, integrator=integrator)
    np.testing.assert_allclose(one.q[2], alone.q, rtol=0.0, atol=1e-13)
    rest = world.simulate(one.q[:, -1], one.v[:, -1], 0.002, 0.001, integrator=integrator, memory=one.memory)
    whole = world.simulate(q, v, 0.007, 0.001, integrator=integrator, threads=1)
    assert np.array_equal(rest.q[:, -1], whole.q[:, -1])
    assert np.array_equal(rest.v[:, -1], whole.v[:, -1])


def test_samples_go_to_files(tmp_path):
    world = slider_crank()
    q, v = slider_crank_state(0.4, 5.0)
    kept = world.simulate(q, v, 0.005, 0.001, record="constraint_forces", every=2)
    filed = world.simulate(q, v, 0.005, 0.001, record="constraint_forces", every=2, record_to=tmp_path / "run")
    assert np.array_equal(kept.q, filed.q)
    assert np.array_equal(kept.columns["constraint_forces"], filed.columns["constraint_forces"])


# ---------------------------------------------------------------------------------------------------------- refusals


def memory_of(world):
    q, v = slider_crank_state(0.4, 5.0)
    return world.step(q, v, 0.001)


def test_files_that_hold_no_memory_are_refused(tmp_path):
    _, _, memory = memory_of(slider_crank())
    memory.save(tmp_path / "memory.npz")
    whole = (tmp_path / "memory.npz").read_bytes()
    for damaged in (b"", whole[:100], b"text", whole[:-30]):
        (tmp_path / "damaged.npz").write_bytes(damaged)
        with pytest.raises(FileError, match="no memory of a world"):
            WorldMemory.load(tmp_path / "damaged.npz")
    with pytest.raises(FileError, match="no memory of a world"):
        WorldMemory.load(tmp_path / "nowhere.npz")
    with pytest.raises(FileError, match="cannot be written"):
        memory.save(tmp_path / "no folder" / "memory.npz")


def test_what_cannot_be_is_refused_by_name():
    world = slider_crank()
    q, v = slider_crank_state(0.4, 5.0)
    with pytest.raises(ValueError, match="expected one of semi_implicit, rk4, dormand_prince"):
        world.simulate(q, v, 0.01, 0.001, integrator="dop853")
    with pytest.raises(TypeError, match="integrator is a int"):
        world.simulate(q, v, 0.01, 0.001, integrator=3)
    with pytest.raises(KeyError, match="constraint_forces"):
        world.simulate(q, v, 0.01, 0.001, record="forces")
    with pytest.raises(KeyError, match="cannot be recorded"):
        simulate(world.model, q, v, 0.01, 0.001, record="constraint_forces")
    rough = World(world.model.replace(friction=0.3), world.constraints)
    with pytest.raises(
        ConstraintError, match=r"knows no limits, no dry friction, motors and contacts.*model\.replace\(friction"
    ):
        rough.simulate(q, v, 0.01, 0.001, integrator="rk4")
    driven = World(world.model, [*world.constraints, Motor("drive", "crank", speed=1.0, force=2.0)])
    with pytest.raises(ConstraintError, match="'drive' has them"):
        driven.simulate(q, v, 0.01, 0.001, integrator="dormand_prince")
    memory = memory_of(world).memory
    with pytest.raises(ValueError, match="time of the memory"):
        world.simulate(q, v, 0.007, 0.0007, memory=memory)
    world.simulate(q, v, 0.007, 0.0007, memory=memory.at_time(0.0))


def limited_lift():
    """A cabin on a rail between 0 and 1 m, and a counterweight that a coupling moves the other way."""
    builder = ModelBuilder()
    for name, mass, lower in (("cabin", 2.0, 0.0), ("weight", 1.5, -3.0)):
        builder.add_body(name, mass=mass, inertia=(0.1, 0.1, 0.1))
        builder.add_joint(
            name, "prismatic", "world", name, axis=(0, 0, 1), lower_limit=lower, upper_limit=lower + 1.0,
            velocity_limit=3.0, effort_limit=50.0,
        )  # fmt: skip
    return World(builder.build(), [Coupling("rope", {"cabin": 1.0, "weight": 1.0}, offset=-2.5)])


@pytest.mark.plain
def test_a_world_begins_within_limits_or_where_it_ended():
    world, still = limited_lift(), np.zeros(2)
    inside, outside = np.array([0.4, -2.9]), np.array([0.7, -3.2])
    said = r"joint 'weight' begins at -3\.2 m, outside of its limits \[-3, -2\]"
    for name, call in (
        ("simulate", lambda q, **o: world.simulate(q, still, 0.01, 0.01, **o)),
        ("step", lambda q, **o: world.step(q, still, 0.01, **o)),
    ):
        with pytest.raises(ArgumentValueError, match=rf"^World\.{name}: {said}"):
            call(outside)
        with pytest.raises(ArgumentValueError, match=rf"^World\.{name}: joint 'weight' begins in state 1 of the batch"):
            call(np.array([inside, outside]))
        with pytest.raises(
            ArgumentValueError, match=rf"^World\.{name}: outside_limits is 3, expected one of raise, allow"
        ):
            call(inside, outside_limits=3)
        begun = call(outside, outside_limits="clip", on_open="close")  # where the rope is too long
        if name == "simulate":
            np.testing.assert_array_equal(begun.q[0], [0.7, -3.0])
        begun = call(outside, outside_limits="allow")
        q = begun.q[-1] if name == "simulate" else begun.q
        assert q[1] < -3.1
        call(q, memory=begun.memory)  # it goes on where it is
    end = world.simulate(inside, still, 0.5, 0.01)  # the cabin falls onto its lower limit
    world.simulate(end.q[-1], end.v[-1], 0.1, 0.01)
    step = world.step(end.q[-1], end.v[-1], 0.01)
    world.step(step.q, step.v, 0.01)
    free = World(world.model, limits=False).step(outside, still, 0.01)
    np.testing.assert_allclose(free.q, outside - 9.81e-4, atol=1e-12)


@pytest.mark.plain
def test_a_step_warns_of_what_is_above_the_limits_of_the_model():
    world, q = limited_lift(), np.array([0.4, -2.9])
    with pytest.warns(LimitWarning, match=r"^World\.step: coordinate 'cabin' is given 60, its effort_limit is 50;"):
        step = world.step(q, [0.1, -0.1], 0.01, tau=[60.0, 0.0])
    with pytest.warns(LimitWarning, match=r"^World\.step: coordinate 'cabin' \(and 1 more\) begins at 4,") as caught:
        world.step(q, [4.0, -4.0], 0.01)
    assert [each.filename for each in caught] == [__file__]
    world.step(step.q, [4.0, -4.0], 0.01, memory=step.memory)  # which is nobody's choice


@pytest.mark.parametrize("integrator", ALL if COMPILED else ["rk4", "semi_implicit"])
def test_rows_that_come_to_contradict_each_other_are_named_with_the_time(integrator):
    """A slider at a constant speed takes the crank to its dead point, beyond which there is nothing."""
    world = slider_crank()
    q, v = slider_crank_state(0.3, -5.0)
    path = Spline([0.0, 1.0], [q[2], q[2] + v[2]], v[2], v[2])
    driven = World(world.model, [*world.constraints, PrescribedMotion("push", "slider", path)])
    with pytest.raises(SimulationError, match=r"beyond t = .* s: the constraints .* contradict") as caught:
        driven.simulate(q, v, 0.1, 0.002, integrator=integrator)
    error = caught.value
    assert "'push'" in str(error)
    assert "'pin'" in str(error)
    assert "rad" in str(error)
    assert 0.0 < error.time < 0.1
    assert len(error.trajectory) > 5
    assert error.trajectory.time[-1] == pytest.approx(error.time)
    assert gap(world, error.trajectory) < 1e-9


def test_an_interrupted_motion_gives_what_there_is():
    world = slider_crank()
    q, v = slider_crank_state(0.4, 5.0)

    def stop(t, q, v):
        if t > 0.003:
            raise KeyboardInterrupt
        return np.zeros(3)

    with pytest.warns(SimulationWarning, match="interrupted"):
        motion = world.simulate(q, v, 0.01, 0.001, control=stop)
    assert 3 <= len(motion) <= 5
    assert motion.memory is None


def test_a_users_function_that_fails_on_the_way_is_named_with_what_it_raised():
    world = slider_crank()
    q, v = slider_crank_state(0.4, 5.0)

    def circle(x):
        if x[0] > 0.42:
            raise RuntimeError("beyond the track")
        return x[2] - CRANK * np.cos(x[0]) - np.sqrt(COUPLER**2 - (CRANK * np.sin(x[0])) ** 2)

    track = World(world.model, [UserFunction("track", circle), world.constraints[0]])
    with pytest.raises(SimulationError, match="'track': the function raised RuntimeError: beyond the track") as caught:
        track.simulate(q, v, 0.02, 0.001, integrator="rk4")
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_memory_of_users_functions_is_that_of_another_process_too():
    def above(x):
        return x[2] - 2.0

    worlds = [World(slider_crank().model, [UserFunction("above", above, parameters=(p,))]) for p in (1.0, 1.0, 2.0)]
    q, v = slider_crank_state(0.4, 5.0)
    options = {"on_unsolved": "continue", "on_open": "close"}
    keys = [world.simulate(q, v, 1e-3, 1e-3, **options).memory.key for world in worlds]
    assert keys[0] == keys[1] != keys[2]


def test_a_step_that_is_divided_keeps_its_memory():
    world = slider_crank()
    q, v = slider_crank_state(0.4, 40.0)
    whole = world.simulate(q, v, 0.04, 0.02, record="error", on_unsolved="continue")
    assert whole.columns["error"].max() > 1.0
    divided = world.simulate(q, v, 0.04, 0.02, record="error", on_unsolved="substep")
    assert divided.columns["error"].max() <= 1.0
    assert divided.memory.time == pytest.approx(0.04, rel=1e-12)
    assert gap(world, divided) < 1e-10
    assert divided.divided[1]
    assert divided.columns["divided"].max() <= 32
    assert world.step(q, v, 0.02).divided
    assert not world.step(q, v, 1e-4).divided


def test_forces_of_a_step_that_is_divided_are_the_mean_over_its_pieces():
    """The pieces are steps of their own: 2, 4, 8, ... of them, until all of them are solved."""
    world = slider_crank()
    q, v = slider_crank_state(0.4, 40.0)
    options = {"record": ("constraint_forces", "error")}
    divided = world.simulate(q, v, 0.02, 0.02, on_unsolved="substep", **options)
    for pieces in (1, 2, 4, 8, 16, 32):
        fine = world.simulate(q, v, 0.02, 0.02 / pieces, on_unsolved="continue", **options)
        if fine.columns["error"].max() <= 1.0:
            break
    assert 1 < pieces < 32
    mean = fine.columns["constraint_forces"][:-1].mean(axis=0)  # samples have those of the steps behind them
    np.testing.assert_allclose(divided.columns["constraint_forces"][0], mean, rtol=1e-12)
    np.testing.assert_allclose(divided.memory.impulses, 0.02 * mean, rtol=1e-12)


@pytest.mark.indices
def test_impulses_in_a_memory_are_in_the_order_of_constraints():
    in_order, q, v = four_bars(4)
    loops = [in_order.constraints[k] for k in (1, 3, 0, 2)]
    world = World(in_order.model, loops)
    place = world.packed.place
    assert not np.array_equal(place[place], np.arange(world.n_rows))  # the order differs, and so does its inverse
    motion = world.simulate(q, v, 0.004, 0.002, record="constraint_forces")
    memory = motion.memory
    for loop in loops:
        rows = world[loop.name].rows
        np.testing.assert_allclose(
            memory.impulses[rows] / 0.002, motion.columns["constraint_forces"][-1, rows], rtol=1e-12
        )
    numbers = as_numbers_of(world, motion.q[-1], memory, "semi_implicit", 0)
    assert np.array_equal(numbers[1:][place], memory.impulses)
