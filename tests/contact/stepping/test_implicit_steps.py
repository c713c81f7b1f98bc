"""Implicit and variational integrators of worlds: orders, rows that hold, the limit of stiff springs, momenta, energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, difference, kinetic_energy, potential_energy, simulate
from pluecker.contact import ConstraintError, World
from pluecker.contact.constraints import (
    Ball,
    Coupling,
    Frame,
    Limit,
    PrescribedMotion,
    Rod,
    Servo,
    Spline,
    UserFunction,
)
from tests.articulated.stepping.implicit.redmax_scenes import LIMITED, LIMITS, SCENES
from tests.conftest import COMPILED
from tests.contact.world.mechanisms import Z, add_rod, four_bars
from tests.contact.world.test_twin_motions import distance, twins
from tests.contact.world.test_twin_singularities import parallelogram, swinging

pytestmark = pytest.mark.plain  # of each integrator the steps of worlds take half a minute to compile
ORDERS = {"bdf1": 1, "bdf2": 2, "variational": 2, "linearly_implicit": 1, "redmax": 1}
BACKWARD = ("bdf1", "bdf2")
NEAR = (
    0.1 if COMPILED else 0.45
)  # of the order: BDF2's first step is another method's, and plain Python takes few steps
FINER = 8 if COMPILED else 1
each = pytest.mark.parametrize("integrator", ORDERS)


def errors_of(world, q, v, duration, steps, integrator):
    """Return the orders of configurations and of velocities at the end, and the largest error of a row in any sample."""
    exact = world.simulate(q, v, duration, steps[-1] / 5.0, integrator="rk4", record=())
    far, fast, gaps = [], [], []
    for h in steps:
        motion = world.simulate(q, v, duration, h, integrator=integrator, record=())
        far.append(np.abs(difference(world.model, exact.q[-1], motion.q[-1])).max())
        fast.append(np.abs(motion.v[-1] - exact.v[-1]).max())
        gaps.append(world.errors_at(motion.q, time=motion.time).bilateral.max())
    return np.log2(far[0] / far[1]), np.log2(fast[0] / fast[1]), max(gaps)


@each
def test_a_loop_with_redundant_rows_is_followed_to_the_order_of_the_method(integrator):
    world, q, v = four_bars()
    far, fast, gap = errors_of(world, q, v, 0.04, (0.01 / FINER, 0.005 / FINER), integrator)
    order = ORDERS[integrator]
    assert far > order - NEAR
    assert fast == pytest.approx(order, abs=NEAR)
    assert gap < 1e-13


def rolling_ball():
    """A ball on a spherical joint whose angular velocities about two of its own axes are the same, driven by a spring."""
    builder = ModelBuilder(gravity=(0, -9.81, 0))
    builder.add_body("ball", mass=1.0, center_of_mass=(0.1, 0.05, 0.2), inertia=(0.1, 0.12, 0.15))
    builder.add_joint("ball", "spherical", "world", "ball")
    add_rod(builder, "rod", "world", (0.5, 0, 0))
    constraints = [
        Coupling("rates", {("ball", 0): 1.0, ("ball", 1): -1.0}),
        Rod("spring", Frame("ball", (0, 0, 0.3)), Frame("rod", (1.0, 0, 0)), 1.0, stiffness=20.0, damping=0.3),
        Servo("servo", "rod", 0.2, stiffness=5.0),
    ]
    world = World(builder.build(), constraints)
    return world, np.array([1.0, 0, 0, 0, 0.3]), np.array([0.4, 0.4, 1.0, -0.5])


@each
def test_rows_on_velocities_springs_and_dampers_keep_the_order(integrator):
    world, q, v = rolling_ball()
    far, fast, _ = errors_of(world, q, v, 0.08, (0.02 / FINER, 0.01 / FINER), integrator)
    assert min(far, fast) > ORDERS[integrator] - NEAR
    end = world.simulate(q, v, 0.02, 0.01, integrator=integrator).v[-1]
    assert end[world.model.v_slice("ball")][:2] == pytest.approx(np.full(2, end[world.model.v_slice("ball")][0]))


@each
def test_what_moves_as_it_is_told_is_where_it_is_told_at_each_sample(integrator):
    builder = ModelBuilder(gravity=(0, -9.81, 0))
    add_rod(builder, "upper", "world", (0, 0, 0))
    add_rod(builder, "lower", "upper", (1.0, 0, 0))
    spline = Spline([0.0, 0.05, 0.1], [0.0, 0.2, 0.1])
    world = World(builder.build(), [PrescribedMotion("drive", "upper", spline)])
    motion = world.simulate(np.zeros(2), world.close(np.zeros(2), time=0.0).velocity, 0.1, 0.01, integrator=integrator)
    np.testing.assert_allclose(motion.q[:, 0], [spline.at(t)[0] for t in motion.time], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("integrator", BACKWARD)
def test_a_loop_is_what_springs_of_rising_stiffness_come_to(integrator):
    """RedMax's scene of a loop has a spring of 1e8, whose energy is published; what is off falls as 1 / stiffness."""
    scene = SCENES["loop"]
    model, q, v = scene.build()
    duration = scene.h * (scene.steps if COMPILED else 4)
    loop = World(model, [Ball("loop", Frame("b2", (0, 0, -10)), Frame("b3", (20, 0, 0)))])
    hard = loop.simulate(q, v, duration, scene.h, integrator=integrator, record=())
    assert loop.errors_at(hard.q).bilateral.max() < 1e-12
    off, energies = [], []
    for stiffness in (scene.elements.stiffness, 100.0 * scene.elements.stiffness):
        spring = replace(scene.elements, stiffness=stiffness)
        soft = simulate(model, q, v, duration, scene.h, integrator=integrator, elements=spring, record=())
        off.append(np.abs(soft.v[-1] - hard.v[-1]).max())
        energies.append(kinetic_energy(model, soft.q[-1], soft.v[-1]) + potential_energy(model, soft.q[-1]))
    assert off[0] / off[1] == pytest.approx(100.0, rel=0.05)
    if COMPILED:  # the energy in the spring falls as its stiffness rises, and is a part of what is published
        found = kinetic_energy(model, hard.q[-1], hard.v[-1]) + potential_energy(model, hard.q[-1])
        published = getattr(scene, integrator)
        assert found - potential_energy(model, q) == pytest.approx(published, abs=2.0)
        assert energies[1] == pytest.approx(found, abs=0.03)


@each
def test_a_parallelogram_stays_one_where_its_links_are_in_line(integrator):
    """Its steps go over that position, or begin next to it, and lead to no crossed links."""
    world, place = parallelogram()
    for angle in (0.1, 0.05, 0.002):
        q, v = swinging(world, place, angle, -5.0)
        motion = world.simulate(q, v, 0.03, 0.01, integrator=integrator, record=(), on_unsolved="substep")
        one, two = motion.q[:, place[:2]].T
        assert one[-1] < -0.02
        np.testing.assert_allclose(one, two, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("integrator", BACKWARD)
def test_a_soft_limit_is_a_spring_beyond_it(integrator):
    """Two sliders of 1 kg, which a coupling moves together into a limit of 100 N/m: x = sin(10 (t - 0.1)) / 10 behind it."""
    builder = ModelBuilder(gravity=(0, 0, 0))
    for name, mass in (("first", 0.75), ("second", 0.25)):
        builder.add_body(name, mass=mass, inertia=(0.1, 0.1, 0.1))
        builder.add_joint(name, "prismatic", "world", name, axis=(1, 0, 0))
    constraints = [
        Coupling("together", {"first": 1.0, "second": -1.0}),
        Limit("stop", "second", upper=0.0, stiffness=100.0),
    ]
    world, errors = World(builder.build(), constraints), []
    for h in (0.01, 0.005):
        motion = world.simulate([-0.1, -0.1], [1.0, 1.0], 0.2, h, integrator=integrator, record=())
        assert world.errors_at(motion.q).bilateral.max() < 1e-13
        errors.append(abs(motion.q[-1, 0] - 0.1 * np.sin(1.0)))
    assert errors[0] < {"bdf1": 6e-3, "bdf2": 1e-3}[integrator]
    assert errors[1] < errors[0] * 0.5 ** (ORDERS[integrator] - 0.3)


@pytest.mark.everything
@pytest.mark.skipif(not COMPILED, reason="a hundred steps")
@pytest.mark.parametrize(("integrator", "digits"), [("bdf1", 1e-5), ("bdf2", 1e-4)])
def test_soft_limits_leave_the_energy_that_is_published(integrator, digits):
    """RedMax's scene of three boxes that fall between limits of 1e8 g cm2/s2: 12 digits of the energy, and 10 by BDF2.

    No limit is touched at the end. RedMax's Newton method stops at a residual of 1e-9.
    """
    model, q, v = LIMITED.build()
    limits = [Limit(f"limit of {name}", name, *ends, stiffness=1e8) for name, ends in LIMITS.items()]
    motion = World(model, limits).simulate(q, v, LIMITED.h * LIMITED.steps, LIMITED.h, integrator=integrator, record=())
    found = kinetic_energy(model, motion.q[-1], motion.v[-1]) + potential_energy(model, motion.q[-1])
    assert found - potential_energy(model, q) == pytest.approx(getattr(LIMITED, integrator), rel=0.0, abs=digits)


def floating_loop():
    """A free body with two rods on hinges, whose ends a massless rod keeps apart, and which are never in line."""
    builder = ModelBuilder(gravity=(0, 0, 0))
    builder.add_body("base", mass=2.0, center_of_mass=(0.1, 0, 0), inertia=(0.2, 0.3, 0.4))
    builder.add_joint("base", "free", "world", "base")
    for name, place in (("left", (0, 0, 0)), ("right", (1.5, 0, 0))):
        builder.add_body(name, mass=1.0, center_of_mass=(0, 0.5, 0.1), inertia=(0.1, 0.02, 0.1))
        builder.add_joint(name, "revolute", "base", name, axis=Z, position=place)
    ends = Frame("left", (0, 0.5, 0)), Frame("right", (0, 1.0, 0))
    world = World(builder.build(), [Rod("tie", *ends, 1.2)])
    start = world.close([0, 0, 0, 1, 0, 0, 0, 0.1, 0.1], [1.0, -0.5, 2.0, 0.3, 0.1, -0.2, 1.0, 1.0])
    return world, start.configuration, start.velocity


def test_variational_steps_keep_momenta_to_rounding_and_make_no_trend_of_energy():
    world, q, v = floating_loop()
    steps = 2000 if COMPILED else 20
    motion = world.simulate(q, v, 0.02 * steps, 0.02, integrator="variational", record="energy")
    momenta = np.array([world.momentum(*state) for state in zip(motion.q, motion.v, strict=True)])
    np.testing.assert_allclose(
        momenta, momenta[:1].repeat(len(momenta), axis=0), rtol=0.0, atol=1e-12 * (1 + steps**0.5)
    )
    rows = world.rows_at(motion.q, motion.v)
    assert np.abs(rows.error).max() < 1e-13
    assert np.abs(np.einsum("nrv,nv->nr", rows.jacobian, motion.v)).max() < 1e-12
    energy = motion.columns["kinetic_energy"]
    assert np.abs(energy / energy[0] - 1.0).max() < 2e-3
    if COMPILED:
        first, last = energy[1 : steps // 2].mean(), energy[steps // 2 :].mean()
        assert last / first == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("integrator", ["bdf2" if COMPILED else "bdf1", "variational"])
def test_free_bodies_on_joints_with_rotors_and_springs_move_as_the_tree_does(integrator):
    world, q, v, twin, q_max, v_max = twins(5, 2 if COMPILED else 1, False, ["exponential"])
    exact = simulate(world.model, q, v, 8e-3, 2.5e-4, integrator="rk4", record=())
    there, off = twin.state(exact.q[-1], exact.v[-1])[0], []
    for h in (2e-3 / FINER, 1e-3 / FINER):
        motion = twin.world.simulate(q_max, v_max, 8e-3, h, integrator=integrator, record=())
        assert twin.world.errors_at(motion.q).bilateral.max() < 1e-10
        off.append(distance(motion.q[-1], there))
    assert np.log2(off[0] / off[1]) == pytest.approx(ORDERS[integrator], abs=0.15)
    for other in ("linearly_implicit", "redmax"):
        with pytest.raises(ConstraintError, match=f"{other} knows no rotors, which armature is.*'joint0' has them"):
            twin.world.simulate(q_max, v_max, 1e-3, 1e-3, integrator=other)


@pytest.mark.parametrize("integrator", ORDERS if COMPILED else ["variational", "linearly_implicit", "redmax"])
def test_a_four_bar_of_free_bodies_moves_as_the_tree_does(integrator):
    world, q, v = four_bars()
    twin = world.maximal()
    exact = world.simulate(q, v, 0.02, 2.5e-3, integrator="rk4", record=())
    there, off = twin.state(exact.q[-1], exact.v[-1])[0], []
    for h in (0.01 / FINER, 0.005 / FINER):
        motion = twin.world.simulate(*twin.state(q, v), 0.02, h, integrator=integrator, record=())
        assert twin.world.errors_at(motion.q).bilateral.max() < 1e-10
        off.append(distance(motion.q[-1], there))
    assert np.log2(off[0] / off[1]) > ORDERS[integrator] - 0.15


@pytest.mark.parametrize("integrator", ["bdf2", "variational", "redmax"])
def test_two_parts_of_a_motion_are_the_whole_to_the_last_bit(integrator):
    world, q, v = four_bars()
    whole = world.simulate(q, v, 0.04, 0.01, integrator=integrator, record=())
    first = world.simulate(q, v, 0.02, 0.01, integrator=integrator, record=())
    second = world.simulate(first.q[-1], first.v[-1], 0.02, 0.01, integrator=integrator, memory=first.memory, record=())
    np.testing.assert_array_equal(second.q[-1], whole.q[-1])
    np.testing.assert_array_equal(second.v[-1], whole.v[-1])


def test_functions_of_users_hold_in_implicit_steps_and_are_no_springs_of_backward_differences():
    builder = ModelBuilder(gravity=(0, -9.81, 0))
    add_rod(builder, "upper", "world", (0, 0, 0))
    add_rod(builder, "lower", "upper", (1.0, 0, 0))
    model = builder.build()

    def height(q):
        return np.sin(q[0]) + np.sin(q[0] + q[1])

    for integrator in ORDERS:
        world = World(model, [UserFunction("height", height)])
        motion = world.simulate([0.5, -1.0], [0.3, -0.6], 0.02, 0.01, integrator=integrator)
        assert np.abs(height(motion.q.T)).max() < 1e-10
    soft = World(model, [UserFunction("height", height, stiffness=10.0)])
    for integrator in BACKWARD:
        with pytest.raises(ConstraintError, match=f"{integrator} knows no springs on users' functions.*'height'"):
            soft.simulate([0.5, -1.0], [0.3, -0.6], 0.02, 0.01, integrator=integrator)
    assert soft.simulate([0.5, -1.0], [0.3, -0.6], 0.02, 0.01, integrator="variational").v[-1].any()
