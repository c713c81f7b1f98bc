"""Steps of mechanisms with rows that hold: loops closed, energy, orders, redundant and contradictory rows."""

from dataclasses import replace

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, SimulationError, frame_placement
from pluecker.contact.constraints import Ball, Coupling, Frame, Hinge, Motor, PrescribedMotion, Rod, Spline
from tests.contact.stepping.stepped import UPRIGHT, World, energy, gap, last, motion

LENGTH = 0.4
GROUND = 0.9


def rods(n, maximal, masses=None, angle=0.4):
    """A chain of rods that hangs from the world by hinges along -y, turned by an angle: reduced, or of free bodies."""
    b = ModelBuilder(gravity=(0.0, 0.0, -10.0))
    hinges = []
    q = []
    for k in range(n):
        m = 1.0 if masses is None else masses[k]
        name, before = f"rod {k}", "world" if k == 0 else f"rod {k - 1}"
        I = m * LENGTH**2 * np.array([0.01, 1 / 12, 1 / 12])
        b.add_body(name, mass=m, center_of_mass=(LENGTH / 2, 0, 0), inertia=I)
        end = (0.0 if k == 0 else LENGTH, 0.0, 0.0)
        if maximal:
            b.add_joint(f"free {k}", "free", parent="world", child=name)
            hinges.append(Hinge(f"hinge {k}", Frame(before, end, UPRIGHT), Frame(name, (0, 0, 0), UPRIGHT)))
            turn = np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0
            q += [LENGTH * k * np.cos(angle), 0.0, -LENGTH * k * np.sin(angle), *turn]
        else:
            b.add_joint(f"hinge {k}", "revolute", parent=before, child=name, axis=(0, 1, 0), position=end)
            q += [angle if k == 0 else 0.0]
    return World(b.build(), hinges), np.array(q)


def ends(world, q):
    """Return the position of the far end of each rod."""
    return np.array([frame_placement(world.model, q, name) @ [LENGTH, 0, 0, 1] for name in world.model.body_names])


@pytest.mark.slow
def test_reduced_and_maximal_chains_converge_to_each_other():
    """Their steps differ by what is of first order: with half the step, half as much. No hinge opens."""
    apart = []
    for h in (8e-3, 4e-3, 2e-3):
        (reduced, q), (maximal, x) = rods(2, False), rods(2, True)
        q, _ = last(reduced, q, np.zeros(2), h, round(0.16 / h))
        x, _ = last(maximal, x, np.zeros(12), h, round(0.16 / h))
        apart.append(np.abs(ends(reduced, q) - ends(maximal, x)).max())
        assert gap(maximal, x) < 1e-11
    ratios = np.divide(apart[:-1], apart[1:])
    assert (ratios > 1.7).all()


def four_bar():
    """A crank and a rocker of two links each, closed by a hinge; planar, about y."""
    b = ModelBuilder(gravity=(0.0, 0.0, -10.0))
    for name, parent, x, length in (
        ("crank", "world", 0.0, 0.3),
        ("coupler", "crank", 0.3, 0.8),
        ("rocker", "world", GROUND, 0.5),
    ):
        I = length**2 * np.array([0.01, 1 / 12, 1 / 12])
        b.add_body(name, mass=1.0, center_of_mass=(length / 2, 0, 0), inertia=I)
        b.add_joint(f"to {name}", "revolute", parent=parent, child=name, axis=(0, 1, 0), position=(x, 0, 0))
    model = b.build()
    crank, way = 1.0, np.array([GROUND, 0.0]) - 0.3 * np.array([np.cos(1.0), -np.sin(1.0)])
    d, direction = np.linalg.norm(way), np.arctan2(-way[1], way[0])
    coupler = direction - np.arccos((0.64 + d * d - 0.25) / (1.6 * d))
    far = 0.3 * np.array([np.cos(crank), -np.sin(crank)]) + 0.8 * np.array([np.cos(coupler), -np.sin(coupler)])
    rocker = np.arctan2(-far[1], far[0] - GROUND)
    return model, np.array([crank, coupler - crank, rocker])


PIN = Hinge("pin", Frame("coupler", (0.8, 0, 0), UPRIGHT), Frame("rocker", (0.5, 0, 0), UPRIGHT))
POINT = Ball("pin", Frame("coupler", (0.8, 0, 0)), Frame("rocker", (0.5, 0, 0)))


@pytest.mark.slow
@pytest.mark.parametrize("pin", [PIN, POINT])
def test_a_four_bar_is_of_order_one_and_stays_closed(pin):
    """Three rows of a hinge in a plane say nothing new, one of a ball: such loops are redundant, and closed all the same."""
    model, q0 = four_bar()
    world = World(model, [pin])
    ends_at = {}
    for h in (8e-3, 4e-3, 2e-3):
        q, _, error = motion(world, q0, np.zeros(3), h, round(0.16 / h))
        assert error <= 1.0
        assert max(gap(world, x) for x in q) < 1e-11
        ends_at[h] = q[-1]
    first = np.abs(ends_at[8e-3] - ends_at[4e-3]).max()
    assert 1.6 < first / np.abs(ends_at[4e-3] - ends_at[2e-3]).max() < 2.4


@pytest.mark.slow
@pytest.mark.parametrize(
    "maximal", [pytest.param(True, id="maximal"), pytest.param(False, id="reduced", marks=pytest.mark.everything)]
)
def test_the_energy_of_a_four_bar_is_off_by_what_is_of_first_order(maximal):
    """Half the step, half the error. With the constant masses of maximal coordinates the step is symplectic: no growth."""
    model, q0 = four_bar()
    world = World(model, [POINT])
    q0, v0 = world.maximal().state(q0, np.zeros(3)) if maximal else (q0, np.zeros(3))
    world = world.maximal().world if maximal else world
    E0 = energy(world.model, q0, v0)
    worst = []
    for h in (2e-3, 1e-3):
        q, v, error = motion(world, q0, v0, h, round(8.0 / h))
        assert error <= 1.0
        off = np.abs([energy(world.model, x, u) - E0 for x, u in zip(q[::5], v[::5], strict=True)])
        worst.append(off.max())
        assert not maximal or off[len(off) // 2 :].max() < 1.1 * off[: len(off) // 2].max()
    assert 1.6 < worst[0] / worst[1] < 2.4


def test_a_driven_four_bar_follows_its_closed_form():
    """The crank turns twice at a given speed; the rocker is where the triangle of the loop has it."""
    model, q0 = four_bar()
    turns = Spline([0.0, 1.0], [q0[0], q0[0] + 4 * np.pi], start_speed=4 * np.pi, end_speed=4 * np.pi)
    world = World(model, [POINT, PrescribedMotion("drive", "to crank", turns)])
    v0 = world.impact(q0, np.zeros(3)).velocity
    q, _, error = motion(world, q0, v0, 0.01, 100)
    assert error <= 1.0
    np.testing.assert_allclose(q[-1, 0] - q0[0], 4 * np.pi, rtol=1e-11)
    x = np.array([0.3 * np.cos(q[:, 0]), -0.3 * np.sin(q[:, 0])])
    way = np.array([GROUND, 0.0])[:, None] - x
    d = np.linalg.norm(way, axis=0)
    coupler = np.arctan2(-way[1], way[0]) - np.arccos((0.64 + d * d - 0.25) / (1.6 * d))
    far = x + 0.8 * np.array([np.cos(coupler), -np.sin(coupler)])
    rocker = np.arctan2(-far[1], far[0] - GROUND)
    np.testing.assert_allclose(np.exp(1j * q[:, 2]), np.exp(1j * rocker), rtol=0, atol=1e-9)


def test_a_door_on_three_hinges_swings_as_on_one():
    """Ten rows of fifteen say what others say; the forces are the smallest, and the door is free to turn."""
    ends_of = []
    for heights in ((0.0,), (-0.5, 0.0, 0.5)):
        b = ModelBuilder(gravity=(0.0, -3.0, -10.0))
        b.add_body("door", mass=5.0, center_of_mass=(0.4, 0.0, 0.0), inertia=(0.5, 0.7, 0.3))
        b.add_joint("free", "free", parent="world", child="door")
        hinges = [Hinge(f"hinge {z}", Frame("world", (0, 0, z)), Frame("door", (0, 0, z))) for z in heights]
        world = World(b.build(), hinges)
        q, v = last(world, [0, 0, 0, 1.0, 0, 0, 0], np.zeros(6), 0.01, 30)
        assert gap(world, q) < 1e-11
        ends_of.append(np.r_[q, v])
    np.testing.assert_allclose(ends_of[1], ends_of[0], rtol=0, atol=1e-9)


def test_rows_that_contradict_each_other_give_an_error():
    """Two motions of one coordinate: no velocity satisfies both."""
    b = ModelBuilder(gravity=(0.0, 0.0, 0.0))
    b.add_body("body", mass=1.0)
    b.add_joint("rail", "prismatic", parent="world", child="body", axis=(1, 0, 0))
    model = b.build()
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
