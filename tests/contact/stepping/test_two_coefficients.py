"""Two coefficients of friction: what sticks holds more than what slides. Closed forms, named and found contacts alike."""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder
from pluecker.contact import ConstraintError, GeometryError, World
from pluecker.contact.constraints import PointContact
from pluecker.contact.geometry import Box, Collider, HalfSpace, ShapeContact, Sphere, Surface
from tests.conftest import COMPILED
from tests.contact.found.worlds import inertia, tilted
from tests.contact.stepping.touching.touching import G, bodies
from tests.models import one_body

MU, KINETIC = 0.6, 0.4
BOX = Box((0.4, 0.3, 0.1))
LIES = np.array([0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0])
STILL = np.zeros(6)
WAYS = ("points", "shapes", "found")
# Some motions with found contacts take further methods of solving, which are compiled in make everything only.
QUICK = ("points", "shapes", pytest.param("found", marks=pytest.mark.everything))
RECORDED = {"record": "constraint_forces"}


def block(way, slope=0.0, friction=MU, kinetic=KINETIC):
    """A world of a flat box of 2 kg on a plane, by four corners, by a pair of shapes, or by shapes that are found."""
    model = bodies({"box": BOX}, (G * np.sin(slope), 0.0, -G * np.cos(slope)))
    rubber = Surface(friction=friction, kinetic_friction=kinetic)
    ground, box = Collider("ground", HalfSpace(), "world", rubber), Collider("sides", BOX, "box", rubber)
    if way == "shapes":
        return World(model, [ShapeContact("touch", ground, box)])
    if way == "found":
        return World(model, shapes=[ground, box], accuracy=1e-9)
    corners = [(x, y, -0.05) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    return World(
        model,
        [
            PointContact(f"p{k}", "world", ("box", place), friction=friction, kinetic_friction=kinetic)
            for k, place in enumerate(corners)
        ],
    )


def pushed(force):
    """Return the forces that push the box along x at its lower face, so that it does not tip."""
    return [0.0, -0.05 * force, 0.0, force, 0.0, 0.0]


@pytest.mark.parametrize("way", WAYS)
def test_a_block_at_rest_slides_from_the_angle_of_its_static_friction_on_and_then_with_the_kinetic_one(way):
    limit = np.arctan(MU)
    held = block(way, limit - 1e-4).simulate(LIES, STILL, 0.05, 0.005)
    np.testing.assert_allclose(held.q[-1], LIES, atol=1e-9)
    slope, h, steps = limit + 1e-2, 0.005, 10
    motion = block(way, slope).simulate(LIES, STILL, steps * h, h)
    first = h * G * (np.sin(slope) - MU * np.cos(slope))  # the step in which it comes loose
    later = h * G * (np.sin(slope) - KINETIC * np.cos(slope))
    np.testing.assert_allclose(motion.v[1:, 3], first + later * np.arange(steps), rtol=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_a_block_that_slides_goes_on_where_one_at_rest_stays(way):
    slope = np.arctan(0.5 * (MU + KINETIC))
    world, v = block(way, slope), np.array([0.0, 0.0, 0.0, 0.01, 0.0, 0.0])
    np.testing.assert_allclose(world.simulate(LIES, STILL, 0.1, 0.005).q[-1], LIES, atol=1e-9)
    motion = world.simulate(LIES, v, 0.1, 0.005)
    np.testing.assert_allclose(motion.v[-1, 3], 0.01 + 0.1 * G * (np.sin(slope) - KINETIC * np.cos(slope)), rtol=1e-6)


@pytest.mark.parametrize("way", QUICK)
def test_a_block_brakes_by_kinetic_friction_and_then_holds_what_static_friction_holds(way):
    v0, h = 0.8, 0.002
    world = block(way)
    motion = world.simulate(LIES, [0, 0, 0, v0, 0, 0], 0.3, h)
    np.testing.assert_allclose(motion.q[-1, 0], v0**2 / (2.0 * KINETIC * G), atol=0.5 * h * v0 + 1e-6)
    np.testing.assert_allclose(motion.v[-1], 0.0, atol=1e-7)
    weight = 2.0 * G
    force = 0.5 * (MU + KINETIC) * weight
    holds = world.simulate(motion.q[-1], STILL, 0.1, h, control=pushed(force))
    np.testing.assert_allclose(holds.q[-1], motion.q[-1], atol=1e-8)
    gives = world.simulate(motion.q[-1], STILL, 0.1, h, control=pushed(1.001 * MU * weight))
    gain = 0.1 * (1.001 * MU - KINETIC) * G - h * (MU - KINETIC) * G  # the first step by the static coefficient
    np.testing.assert_allclose(gives.v[-1, 3], gain, rtol=1e-5)


def stick_slip(way, h, speed, stiffness):
    """Times at which a block on a spring comes loose from a belt that carries it along."""
    b = ModelBuilder(gravity=(0.0, 0.0, -G))
    b.add_body("slide", mass=1e-9, inertia=(1e-9, 1e-9, 1e-9))
    b.add_body("box", mass=2.0, inertia=inertia(BOX, 2.0))
    b.add_joint("x", "prismatic", "world", "slide", axis=(1, 0, 0), stiffness=stiffness)
    b.add_joint("z", "prismatic", "slide", "box", axis=(0, 0, 1))
    rubber = Surface(friction=MU, kinetic_friction=KINETIC)
    belt = Surface(friction=MU, kinetic_friction=KINETIC, velocity=(speed, 0.0, 0.0))
    shapes = [Collider("belt", HalfSpace(), "world", belt), Collider("sides", BOX, "box", rubber)]
    model = b.build()
    world = World(model, shapes=shapes) if way == "found" else World(model, [ShapeContact("touch", *shapes)])
    begin = MU * 2.0 * G / stiffness - 0.2 * speed  # 0.2 s before it comes loose
    motion = world.simulate([begin, 0.05], [speed, 0.0], 2.4, h)
    loose = motion.v[:, 0] < speed - 1e-3 * speed
    return motion.time[1:][loose[1:] & ~loose[:-1]]


def period_of_stick_slip(speed, stiffness, mass=2.0):
    """Return the period of a motion that is a sine about the kinetic load, and then goes along with the belt."""
    w, reach = np.sqrt(stiffness / mass), (MU - KINETIC) * mass * G / stiffness
    slips = 2.0 * (np.pi - np.arctan2(reach * w, speed))
    return slips / w + 2.0 * reach / speed


@pytest.mark.skipif(not COMPILED, reason="thousands of steps: compiled only")
@pytest.mark.parametrize("way", ["shapes", pytest.param("found", marks=pytest.mark.everything)])
def test_a_block_on_a_belt_sticks_and_slips_at_its_period_to_first_order_in_the_step(way):
    speed, stiffness = 0.05, 200.0
    period, errors = period_of_stick_slip(speed, stiffness), []
    for h in (0.004, 0.002, 0.001):
        times = stick_slip(way, h, speed, stiffness)
        errors.append(abs(np.diff(times[:2])[0] - period) / period)
    assert errors[0] < 0.02, errors
    assert errors[2] < 0.006, errors
    assert errors[2] < 0.7 * errors[0], errors


@pytest.mark.parametrize("way", WAYS)
def test_equal_coefficients_are_one_bit_for_bit(way):
    v = [0.1, 0.3, 2.0, 0.5, -0.2, 0.0]
    one = block(way, 0.3, MU, None).simulate(LIES, v, 0.2, 0.005)
    two = block(way, 0.3, MU, MU).simulate(LIES, v, 0.2, 0.005)
    np.testing.assert_array_equal(one.q, two.q)
    np.testing.assert_array_equal(one.v, two.v)


def ball(way):
    """A ball of 1 kg and 0.1 m on the ground, by each of the three ways."""
    model = bodies({"ball": Sphere(0.1)}, mass=1.0)
    rubber = Surface(friction=MU, kinetic_friction=KINETIC)
    shapes = [Collider("ground", HalfSpace(), "world", rubber), Collider("skin", Sphere(0.1), "ball", rubber)]
    if way == "found":
        return World(model, shapes=shapes, accuracy=1e-9)
    point = PointContact("touch", "world", "ball", radius=0.1, friction=MU, kinetic_friction=KINETIC)
    return World(model, [point if way == "points" else ShapeContact("touch", *shapes)])


@pytest.mark.parametrize(
    ("made", "q", "v"),
    [
        (lambda way: block(way, 0.35), LIES, [0.0, 0.0, 0.0, 0.4, 0.1, 0.0]),
        (ball, [0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], [1.0, -3.0, 2.0, 0.4, 0.1, 0.0]),
    ],
)
def test_named_and_found_contacts_move_alike(made, q, v):
    motions = [made(way).simulate(q, v, 0.15, 0.003) for way in WAYS]
    for other in motions[1:]:
        np.testing.assert_allclose(other.q, motions[0].q, atol=1e-7)
        np.testing.assert_allclose(other.v, motions[0].v, atol=1e-7)


@pytest.mark.parametrize("way", QUICK)
def test_a_foot_that_turns_about_its_point_keeps_its_grip(way):
    """A pole on its point falls, held by more than kinetic friction; the point stays where it is."""
    length = 1.0
    model, radius = one_body("pole", "free", 2.0, (0.0, 0.0, length), (0.02, 0.02, 0.02), gravity=(0.0, 0.0, -G)), 0.05
    rubber = Surface(friction=MU, kinetic_friction=0.05)
    shapes = [
        Collider("ground", HalfSpace(), "world", rubber), Collider("foot", Sphere(radius), "pole", rubber)
    ]  # fmt: skip
    world = {
        "points": lambda: World(
            model, [PointContact("p", "world", "pole", radius=radius, friction=MU, kinetic_friction=0.05)]
        ),
        "shapes": lambda: World(model, [ShapeContact("p", *shapes)]),
        "found": lambda: World(model, shapes=shapes, accuracy=1e-9),
    }[way]()
    tilt = 0.3
    q = np.array([0.0, 0.0, radius, np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0])
    motion = world.simulate(q, STILL, 0.3, 0.002, **RECORDED)
    angle = 2.0 * np.arctan2(motion.q[:, 5], motion.q[:, 3])
    assert angle[-1] > tilt + 0.1
    np.testing.assert_allclose(motion.q[:, 0], radius * (angle - tilt), atol=2e-3)  # it rolls; to first order
    assert "sliding" not in {word for k in range(len(motion)) for word in motion.contacts_at(k).state}


@pytest.mark.parametrize("way", WAYS)
def test_samples_have_the_coefficient_that_was_in_force(way):
    world = block(way)
    slides = world.simulate(LIES, [0, 0, 0, 1.0, 0, 0], 0.02, 0.005, **RECORDED).contacts_at(-2)
    np.testing.assert_allclose(slides.friction, KINETIC, rtol=1e-15)
    assert set(slides.state) == {"sliding"}
    control = pushed(0.5 * (MU + KINETIC) * 2.0 * G)
    lies = world.simulate(LIES, STILL, 0.02, 0.005, control=control, **RECORDED).contacts_at(-2)
    np.testing.assert_allclose(lies.friction, MU, rtol=1e-15)
    assert set(lies.state) == {"sticking"}


def contacts_of(way, first, second):
    """Return arguments of ``World`` for two colliders that touch: as a named pair, or as shapes whose contacts are found."""
    if way == "found":
        return {"shapes": [first, second], "accuracy": 1e-10}
    return {"constraints": [ShapeContact("touch", first, second)]}


@pytest.mark.parametrize("way", QUICK[1:])
def test_a_box_on_rails_brakes_and_holds_alike_in_reduced_and_in_maximal_coordinates(way):
    """It slides to a stop by kinetic friction, and stays where less than the static one pushes it."""
    b = ModelBuilder(gravity=(0.0, 0.0, -G))
    b.add_body("cart", mass=1.0, inertia=(0.01, 0.01, 0.01))
    b.add_body("box", mass=2.0, inertia=inertia(BOX, 2.0))
    b.add_joint("x", "prismatic", "world", "cart", axis=(1, 0, 0))
    b.add_joint("z", "prismatic", "cart", "box", axis=(0, 0, 1))
    rubber = Surface(friction=MU, kinetic_friction=KINETIC)
    shapes = Collider("ground", HalfSpace(), "world", rubber), Collider("sides", BOX, "box", rubber)
    world = World(b.build(), **contacts_of(way, *shapes))
    maximal, h, v0 = world.maximal(), 0.005, 0.3
    weight, push = 2.0 * G, 0.5 * (MU + KINETIC) * 2.0 * G
    q, v = np.array([0.0, 0.05]), np.array([v0, 0.0])
    own = world.simulate(q, v, 0.2, h, record="constraint_forces")
    other = maximal.world.simulate(*maximal.state(q, v), 0.2, h, record="constraint_forces")
    speeds = np.maximum(v0 - KINETIC * weight / 3.0 * own.time, 0.0)
    np.testing.assert_allclose(own.v[:, 0], speeds, atol=1e-7)
    np.testing.assert_allclose(other.q[:, 0], own.q[:, 0], atol=1e-7)
    np.testing.assert_allclose(other.v[:, 3], speeds, atol=1e-6)
    for motion in (own, other):  # each force is that of the step that begins at the sample
        assert set(motion.contacts_at(2).state) == {"sliding"}
        np.testing.assert_allclose(motion.contacts_at(2).friction, KINETIC, rtol=1e-15)
    tau = np.array([push, 0.0])
    held = [
        world.step(q, np.zeros(2), h, tau=tau),
        maximal.world.step(*maximal.state(q, np.zeros(2)), h, tau=maximal.forces(q, tau)),
    ]
    for step in held:
        np.testing.assert_allclose(step.v, 0.0, atol=1e-8)
        np.testing.assert_allclose(step.contacts.wrench("world", "box")[3:], [-push, 0.0, weight], atol=1e-5)


@pytest.mark.parametrize("way", QUICK[1:])
@pytest.mark.parametrize("speed", [0.0, 0.5])
def test_a_leg_that_slides_or_sticks_has_the_forces_that_it_has_in_maximal_coordinates(way, speed):
    """Equal to first order in the step, from the third one on: before, joints lag behind the velocities they begin with."""
    b = ModelBuilder(gravity=(0.0, 0.0, -G))
    b.add_body("body", mass=3.0, inertia=(0.1, 0.1, 0.1))
    b.add_joint("rail", "prismatic", "world", "body", axis=(0, 0, 1))
    b.add_body("shin", mass=1.0, center_of_mass=(0, 0, -0.2), inertia=(0.02, 0.02, 0.001))
    b.add_joint("knee", "revolute", "body", "shin", axis=(0, 1, 0))
    rubber = Surface(friction=MU, kinetic_friction=KINETIC)
    foot = Collider("foot", Sphere(0.02), ("shin", (0, 0, -0.4)), rubber)
    world = World(b.build(), **contacts_of(way, Collider("ground", HalfSpace(), "world", rubber), foot))
    angle, h = np.arctan(0.5 * (MU + KINETIC)), 1e-4  # between both cones of friction
    q = np.array([0.4 * np.cos(angle) + 0.02, angle])
    v = speed * np.array([-0.4 * np.sin(angle), 1.0])  # the foot stays on the ground
    maximal = world.maximal()
    own = world.simulate(q, v, 5 * h, h, record="constraint_forces")
    other = maximal.world.simulate(*maximal.state(q, v), 5 * h, h, record="constraint_forces")
    last = [motion.contacts_at(4) for motion in (own, other)]
    np.testing.assert_allclose(last[1].force, last[0].force, atol=10.0 * h)  # of 40 N
    for found, expected in zip(maximal.back(other.q[-1], other.v[-1]), (own.q[-1], own.v[-1]), strict=True):
        np.testing.assert_allclose(found, expected, atol=0.1 * h)
    assert {*last[0].state, *last[1].state} == {"sliding" if speed else "sticking"}
    if speed:
        np.testing.assert_allclose(np.hypot(*last[0].force[0, :2]), KINETIC * last[0].force[0, 2], rtol=1e-9)


def test_two_surfaces_have_the_mean_of_both_kinetic_coefficients():
    one, two = Surface(friction=0.9, kinetic_friction=0.4), Surface(friction=0.4)
    colliders = Collider("a", HalfSpace(), "world", one), Collider("b", BOX, "box", two)
    law = ShapeContact("touch", *colliders).law
    np.testing.assert_allclose([law.friction, law.kinetic_friction], [0.6, 0.4])
    given = ShapeContact("touch", *colliders, friction=0.3).law
    assert given.friction == given.kinetic_friction == 0.3
    both = ShapeContact("touch", *colliders, friction=0.3, kinetic_friction=0.1).law
    assert (both.friction, both.kinetic_friction) == (0.3, 0.1)


@pytest.mark.parametrize("kinetic", [0.7, -0.1, np.nan, "much"])
def test_what_would_rub_more_as_it_slides_is_refused(kinetic):
    skin = Collider("skin", BOX, "box")
    with pytest.raises((ConstraintError, TypeError, ValueError), match="kinetic_friction"):
        PointContact("p", "world", "box", friction=0.6, kinetic_friction=kinetic)
    with pytest.raises((GeometryError, TypeError, ValueError), match="kinetic_friction"):
        Surface(friction=0.6, kinetic_friction=kinetic)
    with pytest.raises((ConstraintError, TypeError, ValueError), match="kinetic_friction"):
        ShapeContact("p", Collider("g", HalfSpace(), "world"), skin, friction=0.6, kinetic_friction=kinetic)


def test_a_slope_that_is_tilted_itself_decides_as_gravity_that_is():
    slope = np.arctan(0.5 * (MU + KINETIC))
    rubber = Surface(friction=MU, kinetic_friction=KINETIC)
    model = bodies({"box": BOX})
    world = World(model, shapes=[Collider("g", HalfSpace(), tilted(slope), rubber), Collider("s", BOX, "box", rubber)])
    c, s = np.cos(slope), np.sin(slope)
    q = [0.05 * s, 0.0, 0.05 * c, np.cos(slope / 2), 0.0, np.sin(slope / 2), 0.0]
    rests = world.simulate(q, STILL, 0.05, 0.005)
    np.testing.assert_allclose(rests.q[-1], q, atol=1e-8)
    slides = world.simulate(q, [0, 0, 0, 0.02, 0, 0], 0.05, 0.005)
    np.testing.assert_allclose(slides.v[-1, 3], 0.02 + 0.05 * G * (s - KINETIC * c), rtol=1e-5)
