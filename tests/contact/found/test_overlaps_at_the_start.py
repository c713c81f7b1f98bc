"""Shapes that overlap as a motion begins: they part gently, and where joints or walls hold them they stay as they are."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import Model, ModelBuilder, kinetic_energy
from pluecker.contact import World
from pluecker.contact.geometry import Box, Capsule, Collider, HalfSpace, Surface, urdf_colliders
from tests.contact.found.worlds import UPRIGHT, G

H = 0.001
SURFACE = Surface(friction=0.7)
LINK = """<link name="{0}"><inertial><mass value="{1}"/>
<inertia ixx="{2}" iyy="{2}" izz="{2}" ixy="0" ixz="0" iyz="0"/></inertial>{3}</link>"""
SHAPE = """<collision><origin xyz="0 0 {0}"/><geometry>{1}</geometry></collision>"""
JOINT = """<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="{3}"/>
<axis xyz="{4}"/></joint>"""


def leg(k, x, y):
    """A hip that turns about x, without a shape, a thigh and a shank."""
    thigh, shank = SHAPE.format(-0.1, '<box size="0.04 0.04 0.2"/>'), SHAPE.format(-0.12, '<sphere radius="0.08"/>')
    links = LINK.format(f"hip{k}", 0.3, 0.001, "") + LINK.format(f"thigh{k}", 1.0, 0.01, thigh)
    joints = JOINT.format(f"out{k}", "base", f"hip{k}", f"{x} {y} 0", "1 0 0")
    joints += JOINT.format(f"ahead{k}", f"hip{k}", f"thigh{k}", "0 0 0", "0 1 0")
    joints += JOINT.format(f"knee{k}", f"thigh{k}", f"shank{k}", "0 0 -0.2", "0 1 0")
    return links + LINK.format(f"shank{k}", 0.3, 0.001, shank) + joints


def dog(y=0.112, places=(0.2, -0.2)):
    """A robot whose thighs overlap its base, by 8 mm unless said otherwise, as in files whose shapes were made by hand."""
    base = LINK.format("base", 5.0, 0.1, SHAPE.format(0.0, f'<box size="{2.0 * max(places) + 0.1} 0.2 0.1"/>'))
    legs = (leg(k, x, side * y) for k, (x, side) in enumerate((x, s) for x in places for s in (1, -1)))
    return f'<robot name="dog">{base}{"".join(legs)}</robot>'


def dog_on_a_floor(text, ignored=False):
    """The world, and the dog 1 cm above its floor."""
    model = Model.from_urdf(text, floating_base=True)
    q = np.zeros(model.nq)
    q[2:4] = 0.41, 1.0
    floor = Collider("floor", HalfSpace(), "world", SURFACE)
    return World(model, shapes=[floor, *urdf_colliders(text, SURFACE, ignore_overlaps_at=q if ignored else None)]), q


def deepest(world, q):
    """Return the deepest penetration of all shapes in a configuration, m."""
    return -min(world.found_contacts.collision.find(q).gap, default=0.0)


@pytest.mark.slow
def test_a_thigh_that_joints_hold_in_its_base_stays_there_and_the_robot_falls_as_it_would():
    """At the height of the hip's axis no motion of the joint parts them, however fast it is."""
    world, q = dog_on_a_floor(dog())
    assert deepest(world, q) == pytest.approx(0.008)
    motion = world.simulate(q, np.zeros(world.model.nv), 40 * H, H)  # it raises what it does not solve
    np.testing.assert_allclose(motion.v[:, 5], -G * H * np.arange(41), atol=1e-9)
    assert deepest(world, motion.q[-1]) == pytest.approx(0.008, rel=1e-3)


@pytest.mark.slow
def test_so_do_those_of_a_robot_with_twenty_four_legs():
    """288 multipliers: what has no solution took a minute a step to be told."""
    world, q = dog_on_a_floor(dog(places=0.2 * np.arange(-5.5, 6.0)))
    motion = world.simulate(q, np.zeros(world.model.nv), 3 * H, H)
    np.testing.assert_allclose(motion.v[:, 5], -G * H * np.arange(4), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("y", "turn"), [(0.102, 0.01), (0.092, 0.3)])
def test_what_is_deeper_and_turned_is_not_thrown_apart(y, turn):
    """Every step is solved; with an arm of a millimetre, 0.1 m/s would be 100 rad/s."""
    world, q = dog_on_a_floor(dog(y))
    q[7:] += turn * np.random.default_rng(1).normal(size=12)
    motion = world.simulate(q, np.zeros(world.model.nv), 30 * H, H)
    speed = min(1.0, 10.0 * deepest(world, q))  # of recovery
    arm = 0.02 * np.cos(np.abs(q[7:]).max())  # half a thigh, as it is turned
    assert np.abs(motion.v[:, 6:]).max() < speed / arm + 1.0
    assert deepest(world, motion.q[-1]) < 1.05 * deepest(world, q)


@pytest.mark.slow
def test_a_robot_whose_overlaps_are_ignored_falls_and_lies_on_the_floor():
    world, q = dog_on_a_floor(dog(), ignored=True)
    assert deepest(world, q) == 0.0
    q[7:] += 0.2
    motion = world.simulate(q, np.zeros(world.model.nv), 0.5, 0.002)
    touch = world.simulate(motion.q[-1], motion.v[-1], 0.01, 0.002, record=("constraint_forces",)).contacts_at(1)
    assert (touch.normal_force > 0.0).any()
    assert deepest(world, motion.q[-1]) < 1e-4
    energy = [float(kinetic_energy(world.model, q, v)) for q, v in zip(motion.q, motion.v, strict=True)]
    assert max(energy) < G * 11.4 * 0.41  # what it could fall through


@pytest.mark.slow
def test_an_elbow_is_not_thrown_by_a_depth_that_its_arm_can_hardly_undo():
    """Points that touch are slow where a joint is not: no row gets ten times as fast as depths are undone, 1 m/s."""
    builder = ModelBuilder()
    for name, mass, middle, moments in (
        ("trunk", 30.0, 0.0, (1.0, 1.0, 0.6)), ("upper", 2.0, -0.14, (0.01, 0.01, 0.002)),
        ("fore", 1.5, -0.13, (0.008, 0.008, 0.001)),
    ):  # fmt: skip
        builder.add_body(name, mass=mass, center_of_mass=(0.0, 0.0, middle), inertia=moments)
    builder.add_joint("trunk", "free", "world", "trunk")
    builder.add_joint("shoulder", "spherical", "trunk", "upper", position=(0.0, 0.2, 0.2))
    limits = {"lower_limit": -2.4, "upper_limit": 0.0}
    builder.add_joint("elbow", "revolute", "upper", "fore", axis=(0, 1, 0), position=(0.0, 0.0, -0.28), **limits)
    shapes = [
        Collider("block", Box((0.3, 0.3, 0.3)), ("world", (0.0, 0.2, 0.0)), SURFACE),
        Collider("trunk", Box((0.2, 0.3, 0.5)), "trunk", SURFACE),
        Collider("upper", Capsule(0.04, 0.2), ("upper", (0.0, 0.0, -0.14)), SURFACE),
        Collider("fore", Capsule(0.035, 0.18), ("fore", (0.0, 0.0, -0.13)), SURFACE),
    ]
    world, turns = (
        World(builder.build(), shapes=shapes),
        np.array([[0.74, 0.19, -0.64, -0.1], [-0.23, -0.16, 0.41, -0.87]]),
    )
    q = np.concatenate([[0.26, 0.17, -0.07], *(turns / np.linalg.norm(turns, axis=1, keepdims=True)), [-0.23]])
    assert deepest(world, q) > 0.1
    after = world.step(q, np.zeros(10), H)
    assert abs(after.v[-1]) < 10.0
    assert deepest(world, after.q) < deepest(world, q)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1e-6, 1e-4, 4e-3])
@pytest.mark.parametrize("tilt", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("impacts", ["newton", "poisson"])
def test_a_cube_in_a_slot_that_is_too_narrow_is_not_thrown_out_of_it(depth, tilt, impacts):
    """Parallel walls cannot be parted, and out of those that open by little it would come ten times as fast."""
    builder = ModelBuilder()
    builder.add_body("cube", mass=1.0, inertia=(0.01, 0.01, 0.01))
    builder.add_joint("free", "free", "world", "cube")
    shapes = [Collider("cube", Box((0.1, 0.1, 0.1)), "cube", SURFACE)]
    for side in (1.0, -1.0):
        c, s = np.cos(tilt), side * np.sin(tilt)
        R = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        place = R @ [side * (0.55 - depth), 0.0, 0.0]
        shapes.append(Collider(f"wall{side:+}", Box((1.0, 1.0, 1.0)), ("world", place, R), SURFACE))
    world = World(builder.build(), shapes=shapes, impacts=impacts)
    motion = world.simulate([0.0, 0.0, 0.0, *UPRIGHT], np.zeros(6), 5 * H, H)
    assert np.abs(motion.v).max() < 2.0 * max(10.0 * deepest(world, motion.q[0]), 5 * H * G)
