"""Steps of mechanisms with rows that hold: contradictions are an error by name, couplings hold at every step."""

from dataclasses import replace

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, SimulationError
from pluecker.contact.constraints import Coupling, Frame, Motor, PrescribedMotion, Rod, Spline
from tests.contact.stepping.stepped import World, motion
from tests.models import one_body


def test_rows_that_contradict_each_other_give_an_error():
    """Two motions of one coordinate: no velocity satisfies both."""
    model = one_body("body", "prismatic", 1.0, joint="rail", axis=(1, 0, 0), gravity=(0.0, 0.0, 0.0))
    first, second = (
        PrescribedMotion(name, "rail", Spline([0.0, 1.0], [0.0, x], x, x)) for name, x in (("a", 1.0), ("b", 2.0))
    )
    _, _, error = motion(World(model, [first, second]), [0.0], [0.0], 0.01, 1)
    assert error > 1e3
    _, _, error = motion(World(model, [first]), [0.0], [0.0], 0.01, 1)
    assert error <= 1.0
    rod = Rod("rod", "world", Frame("body", (0.0, 0.1, 0.0)), 0.05)
    _, _, error = motion(World(model, [rod]), [0.0], [0.0], 0.01, 1)
    assert error > 1e3


def test_motions_that_part_are_named_with_the_time():
    """Speeds contradict each other, or accelerations if motions begin from rest; the time is the memory's."""
    b = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    b.add_body("body", mass=1.0)
    b.add_joint("rail", "prismatic", parent="world", child="body", axis=(1, 0, 0))
    paths = [Spline([0.0, 1.0], [0.0, x]) for x in (1.0, 2.0)]
    world = World(b.build(), [PrescribedMotion(name, "rail", s) for name, s in zip("ab", paths, strict=True)])
    begun = world.simulate([0.0], [0.0], 0.01, 0.01, on_unsolved="continue").memory
    for time in (0.0, 0.03):
        memory = replace(begun, time=time, impulses=np.zeros(2))
        with pytest.raises(SimulationError, match=rf"t = {time:g} s: the constraints 'a', 'b' contradict each other"):
            world.step([0.0], [0.0], 0.01, memory=memory)
    for step in (0.0, -1.0, np.inf):
        with pytest.raises(ValueError, match=rf"World\.step: step is {step:g}, expected a"):
            world.step([0.0], [0.0], step)


def test_a_coupling_of_rates_holds_at_every_step():
    """Two joints, 2 : 1, with a motor on one: positions too, and the energy is the work of the motor."""
    b = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for k in range(2):
        b.add_body(f"wheel {k}", mass=1.0, inertia=(1.0, 1.0, 0.5))
        b.add_joint(f"turn {k}", "revolute", parent="world", child=f"wheel {k}", axis=(0, 0, 1))
    model = b.build()
    world = World(model, [Coupling("gear", (("turn 0", 2.0), ("turn 1", -1.0))), Motor("motor", "turn 0", 9.0, 1.0)])
    q, v, error = motion(world, [0.0, 0.0], [0.0, 0.0], 0.02, 50)
    assert error <= 1.0
    np.testing.assert_allclose(2.0 * q[:, 0], q[:, 1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(v[:, 0], 0.02 * np.arange(1, 51) / (0.5 + 4 * 0.5), rtol=1e-9)
