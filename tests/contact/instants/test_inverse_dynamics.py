"""Inverse dynamics of mechanisms with loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pluecker.articulated import ModelBuilder, rnea
from pluecker.contact import ConstraintError, World
from pluecker.contact.constraints import Ball, Frame, PrescribedMotion, Servo, Spline
from tests.conftest import COMPILED, EVERYTHING
from tests.contact.world.worlds import random_world

seeds = pytest.mark.parametrize("seed", range(20 if EVERYTHING else 6 if COMPILED else 3))


@seeds
def test_the_effort_makes_the_motion_and_is_no_greater_than_the_one_that_made_it(seed):
    world, q, v = random_world(seed)
    tau = np.random.default_rng(seed).standard_normal(world.model.nv)
    a = world.accelerations(q, v, tau).acceleration
    effort = world.inverse_dynamics(q, v, a)
    assert np.linalg.norm(effort.tau) <= np.linalg.norm(tau) * (1.0 + 1e-9)
    again = world.accelerations(q, v, effort.tau).acceleration
    assert_allclose(again, a, atol=1e-8 * np.abs(a).max())
    needed = rnea(world.model, q, v, a)
    assert_allclose(effort.tau + world.rows_at(q).jacobian.T @ effort.forces, needed, atol=1e-9 * np.abs(needed).max())


def parallelogram():
    """A four-bar of equal cranks of length 1, upright, in reduced coordinates; its coupler is horizontal and stays so."""
    builder = ModelBuilder()
    for name, parent, x in (("left", "world", 0.0), ("right", "world", 1.0), ("coupler", "left", 0.0)):
        builder.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), center_of_mass=(0.5, 0, 0) if x == 0.0 else (0, 0, 0))
        place = (x, 0, 0) if parent == "world" else (0, 0, 1)
        builder.add_joint(name, "revolute", parent=parent, child=name, axis=(0, 1, 0), position=place)
    return World(builder.build(), [Ball("loop", Frame("right", (0, 0, 1)), Frame("coupler", (1, 0, 0)))])


@pytest.mark.parametrize("drive", ["left", "right", "coupler"])
def test_any_one_drive_moves_a_parallelogram_and_does_the_same_work(drive):
    world, q = parallelogram(), np.zeros(3)
    v = world.impact(q, [1.0, 0.0, 0.0]).velocity
    assert_allclose(v, v[0] * np.array([1.0, 1.0, -1.0]), atol=1e-12)
    a = world.accelerations(q, v, [1.0, 2.0, 5.0]).acceleration
    effort, all_of_them = world.inverse_dynamics(q, v, a, actuated=[drive]), world.inverse_dynamics(q, v, a)
    assert_allclose(effort.tau @ v, all_of_them.tau @ v, rtol=1e-12)
    assert np.count_nonzero(effort.tau) == 1
    assert np.linalg.norm(all_of_them.tau) < np.linalg.norm(effort.tau)


def test_what_cannot_be_is_refused_by_name():
    world, q = parallelogram(), np.zeros(3)
    with pytest.raises(ConstraintError, match="'loop' forbids this motion"):
        world.inverse_dynamics(q, np.zeros(3), [1.0, 0.0, 0.0])
    with pytest.raises(ConstraintError, match="cannot make the motion"):
        world.inverse_dynamics(q, np.zeros(3), np.zeros(3), actuated=[])
    with pytest.raises(KeyError, match="nobody"):
        world.inverse_dynamics(q, np.zeros(3), np.zeros(3), actuated=["nobody"])
    with pytest.raises(ValueError, match="weights"):
        world.inverse_dynamics(q, np.zeros(3), np.zeros(3), weights=-1.0)


def test_weights_move_effort_from_one_drive_to_another():
    world, q = parallelogram(), np.zeros(3)
    a = world.accelerations(q, np.zeros(3), [1.0, 1.0, 0.0]).acceleration
    strong = world.inverse_dynamics(q, np.zeros(3), a, weights=[10.0, 1.0, 1.0]).tau
    assert abs(strong[0]) > 5.0 * abs(strong[1])


@pytest.mark.plain
def test_a_prescribed_motion_has_the_force_of_forward_dynamics_at_each_time():
    """The crank is driven by a row, a servo follows a target of its own; no joint has a drive."""
    path = Spline([0.0, 1.0, 2.0], [0.0, 0.5, 0.2])
    loop = parallelogram()
    servo = Servo("servo", "right", Spline([0.0, 2.0], [0.4, 0.1], 0.3), stiffness=30.0, damping=2.0)
    world = World(loop.model, [*loop.constraints, PrescribedMotion("drive", "left", path), servo])
    for t in (0.0, 0.6, 1.9):
        q, v, _ = world.close(np.zeros(3), time=t)
        a, forces = world.accelerations(q, v, np.zeros(3), time=t)
        effort = world.inverse_dynamics(q, v, a, actuated=(), time=t)
        assert_allclose(effort.tau, 0.0, atol=1e-12)
        assert_allclose(world["drive"].forces(effort), world["drive"].forces(forces), rtol=1e-8)
        assert_allclose(world["servo"].forces(effort), world["servo"].forces(forces), rtol=1e-8)
    with pytest.raises(ConstraintError, match="'drive' forbids this motion"):
        world.inverse_dynamics(q, v, a, time=0.6)
