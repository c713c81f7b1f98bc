"""Accelerations and forces of worlds: the equations that they are defined by, and Pinocchio's constraint dynamics."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pluecker.articulated import ModelBuilder, SingularInertiaError, aba, crba, rnea
from pluecker.contact import World
from pluecker.contact.constraints import Ball, Frame, Hinge, PrescribedMotion, Servo, Spline
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.world.worlds import random_world
from tests.models import one_body

SEEDS = range(40 if EVERYTHING else 10 if COMPILED else 4)
seeds = pytest.mark.parametrize("seed", SEEDS)


@pytest.mark.indices
@seeds
def test_accelerations_solve_the_equations_of_motion_and_of_the_constraints(seed):
    """H a + c = tau + J' r and J a + Jdot v = 0, by the dense matrix of both (KKT)."""
    world, q, v = random_world(seed)
    model, tau = world.model, np.random.default_rng(seed).standard_normal(world.model.nv)
    found = world.accelerations(q, v, tau)
    J, bias = world.rows_at(q, v)[1:3]
    c, zero = rnea(model, q, v, np.zeros(model.nv)), np.zeros((len(J), len(J)))
    K = np.block([[crba(model, q), -J.T], [J, zero]])
    x = np.linalg.lstsq(K, np.concatenate([tau - c, -bias]), rcond=1e-13)[0]
    limit = 1e-9 * np.abs(x[: model.nv]).max()
    assert_allclose(found.acceleration, x[: model.nv], atol=limit)
    assert_allclose(J @ found.acceleration, -bias, atol=limit)
    assert_allclose(J.T @ found.forces, J.T @ x[model.nv :], atol=1e-8 * np.abs(tau - c).max())


@seeds
def test_without_constraints_a_world_is_its_model(seed):
    world, q, v = random_world(seed, loops=0)
    tau = np.random.default_rng(seed).standard_normal(world.model.nv)
    found = world.accelerations(q, v, tau)
    expected = aba(world.model, q, v, tau)
    assert_allclose(found.acceleration, expected, atol=1e-10 * np.abs(expected).max())
    assert found.forces.shape == (0,)


@pytest.mark.everything
@pytest.mark.indices
def test_a_batch_is_its_states():
    world, q, v = random_world(3)
    rng = np.random.default_rng(3)
    tau = rng.standard_normal((5, world.model.nv))
    together = world.accelerations(q, v, tau)
    for k in range(5):
        alone = world.accelerations(q, v, tau[k])
        size = np.abs(alone.acceleration).max()
        assert_allclose(together.acceleration[k], alone.acceleration, atol=1e-11 * size)
        assert_allclose(together.forces[k], alone.forces, rtol=1e-6, atol=1e-8 * np.abs(alone.forces).max())


def door(hinges):
    """A door on a free joint, and so many hinges on one line."""
    builder = ModelBuilder()
    builder.add_body("door", mass=3.0, inertia=(0.1, 0.2, 0.3))
    builder.add_joint("free", "free", parent="world", child="door")
    heights = np.linspace(0.0, 1.0, hinges)
    return World(
        builder.build(),
        [
            Hinge(f"hinge {k}", Frame("world", (0, 0, z)), Frame("door", (-0.5, 0, z - 0.5)))
            for k, z in enumerate(heights)
        ],
    )


@pytest.mark.parametrize("hinges", [1, 2, 3])
def test_hinges_share_the_weight_of_a_door(hinges):
    """All hinges but one are redundant; of all forces those of least norm, so that equal hinges carry equal weights."""
    world, q = door(hinges), np.array([0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0])
    found = world.accelerations(q, np.zeros(6), np.zeros(6))
    assert_allclose(found.acceleration, 0.0, atol=1e-13)
    wrenches = [world[name].wrench(q, found) for name in world]
    assert_allclose([wrench[5] for wrench in wrenches], 3.0 * 9.81 / hinges, rtol=1e-12)
    about_axis = sum(
        wrench[1] + (z - 0.5) * wrench[3] for wrench, z in zip(wrenches, np.linspace(0, 1, hinges), strict=True)
    )
    assert_allclose(about_axis + 0.5 * 3.0 * 9.81, 0.0, atol=1e-9)  # with the weight at the door's middle: no moment


def test_a_spring_and_a_damper_pull_with_their_law_at_an_instant():
    """-k (x - x0) - d v on a slide of 2 kg, at a start with a gap and a velocity."""
    model = one_body("mass", "prismatic", 2.0, joint="slide", axis=(1, 0, 0), gravity=(0, 0, 0))
    world = World(model, [Servo("spring", "slide", 0.3, stiffness=200.0, damping=20.0)])
    found = world.accelerations([0.1], [0.5], [1.0])
    force = -200.0 * (0.1 - 0.3) - 20.0 * 0.5
    assert_allclose(found.forces, [force], rtol=1e-14)
    assert_allclose(found.acceleration, [(1.0 + force) / 2.0], rtol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_constraints_that_are_given_twice_carry_half_each(seed):
    """Half each has the least norm; the motion is the same. A few hundred roundings in products of J and H^-1 are 1e-12."""
    world, q, v = random_world(seed, loops=2)
    twice = World(world.model, [*world.constraints, *(replace(x, name=f"{x.name} again") for x in world.constraints)])
    tau = np.zeros(world.model.nv)
    alone, both = world.accelerations(q, v, tau), twice.accelerations(q, v, tau)
    n = world.n_rows
    size = np.abs(alone.forces).max()
    for found in (both.forces[:n], both.forces[n:]):
        assert_allclose(found, alone.forces / 2, atol=1e-12 * size)
    assert_allclose(both.acceleration, alone.acceleration, atol=1e-12 * np.abs(alone.acceleration).max())


def test_a_wrench_has_its_opposite_on_the_other_body():
    world, q, v = random_world(5, loops=1)
    found = world.accelerations(q, v, np.zeros(world.model.nv))
    record = world.constraints[0]
    there, here = (world[record.name].wrench(q, found, frame) for frame in (record.first, record.second))
    assert_allclose(there, -here, atol=1e-9 * np.abs(here).max())


def test_contradictory_rows_are_met_as_nearly_as_they_can_be():
    """Two balls want the same point at two places; accelerations are not asked for twice, so a motion remains."""
    world = door(1)
    two = World(
        world.model, [Ball("a", Frame("world"), Frame("door")), Ball("b", Frame("world", (1, 0, 0)), Frame("door"))]
    )
    q = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    found = two.accelerations(q, np.zeros(6), np.zeros(6))
    assert_allclose(found.acceleration, 0.0, atol=1e-12)


def test_a_joint_that_moves_no_inertia_is_named():
    builder = ModelBuilder()
    builder.add_body("arm", mass=1.0, inertia=(1, 1, 1))
    builder.add_joint("shoulder", "revolute", parent="world", child="arm", axis=(0, 1, 0))
    builder.add_body("nothing")
    builder.add_joint("wrist", "revolute", parent="arm", child="nothing", axis=(0, 1, 0))
    world = World(builder.build(), [Ball("hold", Frame("world"), Frame("nothing"))])
    with pytest.raises(SingularInertiaError, match="wrist"):
        world.accelerations([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])


def slide():
    """A block on a rail."""
    return one_body("block", "prismatic", 2.0, joint="slide", axis=(1, 0, 0))


@pytest.mark.plain
def test_a_prescribed_motion_has_its_acceleration_at_each_time():
    """A spline through a sine, whose second derivative it has to the square of the knots' distance."""
    knots = np.linspace(0.0, 2.0, 201)
    world = World(slide(), [PrescribedMotion("drive", "slide", Spline(knots, np.sin(knots)))])
    times = np.array([0.5, 1.0, 1.5])
    found = world.accelerations(np.zeros((3, 1)), np.ones((3, 1)), np.zeros(1), time=times)
    assert_allclose(found.acceleration[:, 0], -np.sin(times), atol=1e-4)
    assert_allclose(found.forces[:, 0], 2.0 * found.acceleration[:, 0], rtol=1e-9)


def test_errors_of_prescribed_motions_are_those_at_the_time_and_so_are_their_rates():
    """Along q(t) the error of each row changes by J v - speed, and that by J a + bias; a motion that is kept has none."""
    rng = np.random.default_rng(3)
    path = Spline([0.0, 0.7, 1.5], [0.2, 0.9, -0.3], 0.4)
    world = World(slide(), [PrescribedMotion("drive", "slide", path), Servo("servo", "slide", path, stiffness=3.0)])
    t = np.linspace(0.1, 1.4, 5)
    a, b, c = rng.standard_normal(3)
    q, v, h = (a + b * t + 0.5 * c * t * t)[:, None], (b + c * t)[:, None], 1e-5
    ahead, here, behind = (
        world.rows_at(q + s * h * v + 0.5 * c * (s * h) ** 2, v + s * h * c, time=t + s * h) for s in (1.0, 0.0, -1.0)
    )
    rate, gain = here.jacobian[..., 0] * v - here.speed, here.jacobian[..., 0] * c + here.bias
    assert_allclose((ahead.error - behind.error) / (2.0 * h), rate, atol=1e-8)
    assert_allclose((ahead.error - 2.0 * here.error + behind.error) / h**2, gain, atol=1e-4)
    kept = np.array([path.at(x) for x in t])
    driven = world.rows_at(kept[:, :1], kept[:, 1:2], time=t)
    assert_allclose(driven.error, 0.0, atol=1e-15)
    assert_allclose(driven.speed, kept[:, 1:2] * np.ones(2), rtol=1e-15)
    with pytest.raises(ValueError, match=r"World\.rows_at: time has shape"):
        world.rows_at(q, v, time=[0.0, 1.0])
    with pytest.raises(ValueError, match=r"World\.rows_at: time is nan"):
        world.rows_at(q, v, time=np.nan)
