"""Shapes that touch, in the compiled step of a world: closed forms of Coulomb's law, and what no frame may change.

One test calls the kernel that takes multipliers over from step to step: results are the same without, at a higher price.
"""

import pickle

import numpy as np
import pytest

from pluecker.articulated import body_velocities, forward_kinematics, integrate
from pluecker.contact import ConstraintError, World, contact_frames
from pluecker.contact.constraints import PointContact
from pluecker.contact.geometry import (
    Box,
    Collider,
    Collision,
    ConvexHull,
    Cylinder,
    HalfSpace,
    Mesh,
    ShapeContact,
    Sphere,
    Surface,
)
from pluecker.contact.rows import touching
from tests.contact.stepping.touching.touching import SHAPES, G, bodies, on_ground, world_velocity
from tests.models import free_bodies

REST = np.zeros(6)
SIDEWAYS = (0.5, 0.5, -0.5, 0.5)


@pytest.mark.parametrize("turned", [False, True])
def test_a_belt_takes_what_lies_on_it_to_its_own_speed_and_no_farther(turned):
    shape, height = SHAPES["box"]
    belt, box = (
        Collider("belt", HalfSpace(), "world", Surface(0.5, velocity=(0.3, -0.4, 0))),
        Collider("skin", shape, "box"),
    )
    names = ("skin", "belt") if turned else ("belt", "skin")
    world = World(bodies({"box": shape}), shapes=[belt, box], pairs=[names])
    motion = world.simulate([0, 0, height, 1, 0, 0, 0], REST, 0.2, 0.01, record="constraint_forces")
    np.testing.assert_allclose(world_velocity(motion), [0.3, -0.4, 0], atol=1e-8)
    k = 3  # it still slides, and the friction is against the slip
    contacts = motion.contacts_at(k)
    np.testing.assert_allclose(contacts.wrench("world", "box")[3:], 2 * G * np.array([0.3, -0.4, 1.0]), rtol=1e-6)
    assert (contacts.state == "sliding").all()
    assert motion.contacts_at(-2).state.tolist() == ["sticking"] * 4


def stack(turned=False):
    """A box of 1 kg on one of 3 kg on the ground."""
    shapes = {"lower": Box([0.4, 0.4, 0.2]), "upper": Box([0.2, 0.3, 0.2])}
    model = free_bodies(shapes, [3.0, 1.0], (0.02, 0.03, 0.04))
    colliders = [Collider("ground", HalfSpace(), "world"), *(Collider(f"{k} skin", s, k) for k, s in shapes.items())]
    pairs = [("ground", "lower skin"), ("upper skin", "lower skin") if turned else ("lower skin", "upper skin")]
    return World(model, shapes=colliders, pairs=pairs), np.array([0, 0, 0.1, 1, 0, 0, 0, 0.05, 0.02, 0.3, 1, 0, 0, 0])


@pytest.mark.parametrize("kinds", [("box", "box"), ("sphere", "box"), ("capsule", "sphere"), ("capsule", "capsule")])
def test_rows_are_the_rates_of_gaps_and_of_both_bodies_material(kinds):
    rng = np.random.default_rng(7)
    shapes = {f"{kind}{k}": SHAPES[kind][0] for k, kind in enumerate(kinds)}
    model = bodies(shapes)
    colliders = [
        Collider(f"skin {name}", shape, (name, 0.1 * rng.normal(size=3), SIDEWAYS)) for name, shape in shapes.items()
    ]
    world = World(model, [ShapeContact("touch", *colliders)])
    q = integrate(model, np.tile([0, 0, 0, 1.0, 0, 0, 0], 2), rng.normal(size=12))
    v = rng.normal(size=12)
    rows, step = world.rows_at(q, v), 1e-6
    ends = [world.rows_at(integrate(model, q, sign * step * v)) for sign in (1.0, -1.0)]
    near = rows.error[::3] < 1e3
    assert near.any()
    contacts = world.step(q, v, 1e-9).contacts
    T, twists = forward_kinematics(model, q), body_velocities(model, q, v)
    speeds = [
        T[k, :3, :3] @ twists[k, 3:] + np.cross(T[k, :3, :3] @ twists[k, :3], contacts.point - T[k, :3, 3])
        for k in (0, 1)
    ]
    slip = speeds[1] - speeds[0]
    frames = contact_frames(contacts.normal)
    along = np.einsum("kij,kj->ki", frames, slip)
    np.testing.assert_allclose((rows.jacobian @ v).reshape(-1, 3)[near], along, atol=1e-12)
    if kinds != ("box", "box"):  # nearest points: the gap changes with the material there
        change = (ends[0].error - ends[1].error)[::3][near] / (2 * step)
        np.testing.assert_allclose(change, along[:, 0], atol=1e-7)


def test_the_bias_of_contacts_grows_with_the_square_of_velocities_as_far_as_numbers_go():
    world, q = on_ground("sphere")
    rng = np.random.default_rng(3)
    v = rng.normal(size=6)
    bias = world.rows_at(q, v).bias
    np.testing.assert_allclose(world.rows_at(q, 1e140 * v).bias, 1e280 * bias, atol=1e272)
    with pytest.raises(ValueError, match=r"World\.rows_at: .*overflows float64"):
        world.rows_at(q, 1e307 * v)
    assert world.rows_at(np.zeros((0, 7)), np.zeros((0, 6), dtype=[("a", "f8")])).bias.shape == (0, 3)


def test_tangents_in_a_step_are_those_of_contact_frames():
    """Rows of two balls on the velocity of the second one, whose axes are the world's."""
    ball = SHAPES["sphere"][0]
    model = bodies({"one": ball, "other": ball})
    world = World(model, [ShapeContact("touch", Collider("first", ball, "one"), Collider("second", ball, "other"))])
    normals = np.random.default_rng(0).normal(size=(100, 3))
    normals = np.concatenate([normals / np.linalg.norm(normals, axis=1)[:, None], np.eye(3), -np.eye(3)])
    q = np.tile([0, 0, 0, 1.0, 0, 0, 0, 0, 0, 0, 1.0, 0, 0, 0], (len(normals), 1))
    q[:, 7:10] = 0.2 * normals
    rows = world.rows_at(q, np.zeros((len(normals), 12)))
    np.testing.assert_allclose(rows.jacobian[:, :, 9:], contact_frames(normals), atol=1e-14)


def test_errors_of_named_contacts_are_shares_of_the_accuracy_of_their_world():
    """A larger accuracy changes no state; the same errors are smaller shares of it."""
    world, q = on_ground("box", 0.5)
    q[2], q[3:] = 0.15, [np.cos(0.2), np.sin(0.2), 0, 0]
    v = np.array([0.5, 0, 0, 0.3, 0.2, -1.0])
    worlds = [World(world.model, world.constraints, accuracy=accuracy) for accuracy in (1e-6, 1e-3)]
    assert worlds[0] == world != worlds[1]
    assert pickle.loads(pickle.dumps(worlds[1])) == worlds[1]
    assert worlds[1].maximal().world.accuracy == 1e-3
    motions = [each.simulate(q, v, 0.2, 0.01, record="error") for each in worlds]
    np.testing.assert_array_equal(motions[0].q, motions[1].q)
    errors = [motion.columns["error"] for motion in motions]
    assert 0.0 < errors[0].max() <= 1.0
    np.testing.assert_allclose(errors[1], 1e-3 * errors[0], rtol=1e-12)
    with pytest.raises(ConstraintError, match=r"World: accuracy is 0, expected"):
        World(world.model, world.constraints, accuracy=0.0)


@pytest.mark.parametrize("rolling", [None, 1e-3])
def test_multipliers_are_taken_over_by_what_still_touches_with_the_same_feature(rolling):
    world, _ = on_ground("box", rolling_friction=rolling)
    w, slots = world.packed.array, world.packed.n_slots
    X = np.zeros(12 * 2 + world.packed.touching_numbers)  # behind the places of links those of contacts
    features, guess = np.array([4.0, 6.0, 5.0, 7.0]), np.arange(1.0, 13.0 if rolling is None else 21.0)
    places = X[24 : 24 + touching.TOUCH_SLOT * slots].reshape(slots, touching.TOUCH_SLOT)
    for k, (feature, gap) in enumerate([(5.0, 0.0), (4.0, -1e-3), (6.0, 10.0 * touching.NO_CONTACT), (9.0, 0.1)]):
        places[k, [touching.TOUCH_GAP, touching.TOUCH_FEATURE]] = gap, feature
    touching.recall_multipliers(w, X, features, guess, np.zeros(3 * slots))
    moments = [] if rolling is None else [17, 18, 13, 14, 0, 0, 0, 0]
    np.testing.assert_array_equal(guess, [7, 8, 9, 1, 2, 3, 0, 0, 0, 0, 0, 0, *moments])
    np.testing.assert_array_equal(features, [5, 4, 6, 9])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: ShapeContact("a", c["hull"], c["sheet"]), "a convex hull and a mesh have no fixed places"),
        (lambda c: ShapeContact("a", c["ground"], c["sheet"]), "a half-space and a mesh have no fixed places"),
        (lambda c: ShapeContact("a", c["tin"], c["sheet"]), "expected two shapes with an inside, one of them with an end"),
        (lambda c: ShapeContact("a", c["tin"], c["sheet"]), r"World\(model, shapes=...\) without pairs finds where surf"),
        (lambda c: ShapeContact("a", c["ground"], c["ball"], friction=-1.0), "friction is -1"),
        (lambda c: ShapeContact("a", c["ground"], c["ball"], rolling_friction=np.inf), "rolling_friction is inf"),
        (lambda c: ShapeContact("a", c["ground"], c["ball"], restitution=2.0), "restitution is 2"),
        (lambda c: ShapeContact("a", c["ground"], c["ball"], stiffness=1e3, restitution=0.5), "a soft contact"),
        (lambda c: ShapeContact("a", c["ground"], c["ball"], damping=1.0), "damping is 1 and stiffness infinite"),
        (lambda c: ShapeContact("a", "ground", c["ball"]), "expected a Collider"),
        (lambda c: ShapeContact("", c["ground"], c["ball"]), "name is empty"),
        (lambda c: World(c["model"], shapes=[c["ground"], c["ball"]], pairs=[("ground", "bell")]), "no shape 'bell'"),
        (lambda c: World(c["model"], shapes=[c["ground"], c["ground"]], pairs=[]), "two shapes are called 'ground'"),
        (lambda c: World(c["model"], shapes=[c["ground"], c["ball"]], pairs=["ground"]), "pairs hold 'ground'"),
        (lambda c: World(c["model"], shapes=[c["ball"]], pairs=[("ball", "ball")]), "are one shape"),
        (lambda c: World(c["model"], shapes=[c["ball"]], pairs=np.array("ball")), "expected pairs of names of shapes"),
        (lambda c: World(c["model"], shapes=np.array(1.0)), "expected records of Collider"),
        (lambda c: Collision(c["model"], np.array(1.0)), "expected records of Collider"),
        (lambda c: Collision(c["model"], [c["ball"]], ignored=np.array(1.0)), "expected pairs of names of colliders"),
        (lambda c: World(c["model"], pairs=[("ground", "ball")]), "no shape 'ground'; there are none"),
        (lambda c: World(c["model"], shapes=Collision(c["model"], [c["ground"], c["ball"]], ignored=[("ball", "ground")]),
                         pairs=[("ground", "ball")]), "'ground' and 'ball' are ignored by the Collision"),
        (lambda c: World(c["model"], [ShapeContact("a", c["ground"], c["ball"])], law="ccp"),
         "law is 'ccp', expected 'ncp': constraints between shapes have Coulomb's law; name the pairs"),
        (lambda c: World(c["model"], law="frictionless"), "law is 'frictionless', expected 'ncp': nothing touches"),
        (lambda c: World(c["model"], shapes=[c["ball"]], pairs=[], law="ccp"), "expected 'ncp': nothing touches"),
        (lambda c: World(c["model"], shapes=[c["ball"], c["other"]], pairs=[("ball", "other")], law="ccp"),
         "are both on the body 'sphere'"),
        (lambda c: World(c["model"], [PointContact("p", "world", "sphere", restitution=0.5, impacts="poisson")], law="ccp"),
         "impacts of 'p' is 'poisson', expected 'newton' with this law"),
        (lambda c: World(c["model"], shapes=[c["ground"], c["ball"]], pairs=[("ground", "ball"), ("ball", "ground")]),
         "come twice"),
        (lambda c: World(c["model"], [ShapeContact("a", c["ball"], c["other"])]), "are both on the body 'sphere'"),
    ],
)  # fmt: skip
def test_what_cannot_touch_is_refused_by_name(call, message):
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    given = {
        "model": bodies({"sphere": Sphere(0.1)}),
        "ground": Collider("ground", HalfSpace(), "world"),
        "ball": Collider("ball", Sphere(0.1), "sphere"),
        "other": Collider("other", Box([0.1] * 3), "sphere"),
        "tin": Collider("tin", Cylinder(0.1, 0.2), "sphere"),
        "hull": Collider("hull", ConvexHull(corners), "sphere"),
        "sheet": Collider("sheet", Mesh(corners, [[0, 1, 2]], convex=False), "sphere"),
    }
    with pytest.raises((ValueError, TypeError, KeyError), match=message):
        call(given)


def test_contacts_of_shapes_act_in_steps_alone():
    world, q = on_ground("sphere")
    with pytest.raises(ConstraintError, match="contacts act in steps"):
        world.accelerations(q, REST, REST)
    assert World(world.model, shapes=Collision(world.model, []), pairs=[]).n_rows == 0
