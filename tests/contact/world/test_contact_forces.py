"""Contacts in a step: forces balance momentum, states follow Coulomb's law, wrenches are Newton's and Euler's."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import Arrows, Cones, ModelBuilder, Points, body_jacobian
from pluecker.contact import ConstraintError, ContactForces, World
from pluecker.contact.constraints import PointContact
from pluecker.contact.geometry import Box, Sphere, Surface
from pluecker.spatial import ArgumentTypeError
from tests.contact.found.worlds import world_of

G = 9.81
NONE = 1e-8  # of the largest force: impulses of a step are known to 1e-10 of it
UP = np.array([0.0, 0.0, 1.0])


def two_boxes(friction=0.5, order=("lower", "upper")):
    """A box of 1 kg on one of 3 kg on the ground, and their contacts; bodies are added in either order."""
    b = ModelBuilder()
    for name in order:
        b.add_body(name, mass=3.0 if name == "lower" else 1.0, inertia=(0.02, 0.02, 0.02))
        b.add_joint(name, "free", "world", name)
    corners = [(x, y) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    contacts = [
        PointContact(f"{upper}{k}", (lower, (0, 0, z)), (upper, (x, y, -0.1)), friction=friction)
        for lower, z, upper in (("world", 0.0, "lower"), ("lower", 0.1, "upper"))
        for k, (x, y) in enumerate(corners)
    ]
    places = {"lower": [0, 0, 0.1, 1, 0, 0, 0], "upper": [0, 0, 0.3, 1, 0, 0, 0]}
    return World(b.build(), contacts), np.concatenate([places[name] for name in order]).astype(float)


@pytest.mark.parametrize("order", [("lower", "upper"), ("upper", "lower")])
def test_each_interface_carries_the_weight_above_and_the_push_below(order):
    world, q = two_boxes(order=order)
    tau = np.zeros(12)
    tau[world.model.v_slice("upper").start + 3] = 2.0  # N along x on the upper one, less than 0.5 of its weight
    contacts = world.step(q, np.zeros(12), 0.01, tau=tau).contacts
    assert contacts.state.tolist() == ["sticking"] * 8
    assert (contacts.bodies[:, 0] < contacts.bodies[:, 1]).all()
    for below, above, weight in (("world", "lower", 4.0 * G), ("lower", "upper", 1.0 * G)):
        on_upper = contacts.wrench(below, above, above)
        np.testing.assert_allclose(on_upper[3:], [-2.0, 0.0, weight], atol=1e-7)
        np.testing.assert_allclose(contacts.wrench(above, below, above), -on_upper, atol=1e-12)
    # the push at the height 0.3 and what answers it at 0.2: a moment about the middle of the upper box
    np.testing.assert_allclose(contacts.wrench("lower", "upper", "upper")[:3], [0.0, 0.0, 0.0], atol=1e-7)
    np.testing.assert_allclose(contacts.wrench("world", "upper", "world"), 0.0)
    assert contacts.between("world", "lower").sum() == contacts.between("upper", "lower").sum() == 4


def test_forces_of_contacts_are_the_generalised_forces_that_change_the_momentum():
    rng = np.random.default_rng(1)
    b = ModelBuilder(gravity=(0, 0, 0))
    b.add_body("hull", mass=2.0, inertia=(0.03, 0.02, 0.05))
    b.add_joint("hull", "free", "world", "hull")
    tilt = np.array([0.9, 0.1, -0.3, 0.2]) / np.linalg.norm([0.9, 0.1, -0.3, 0.2])
    plane = ("world", (0.1, 0.2, 0.0), tilt)
    world = World(b.build(), [PointContact("touch", plane, ("hull", (0.1, 0.05, -0.2)), radius=0.1, friction=0.1)])
    q = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    T = world["touch"].placement(q, world["touch"].record.first)
    gap = T[:3, 2] @ (np.array([0.1, 0.05, -0.2]) - T[:3, 3]) - 0.1
    q[:3] -= gap * T[:3, 2]
    v = rng.normal(size=6)
    v[3:] -= 2.0 * T[:3, 2]  # it comes
    step = 1e-6
    after = world.step(q, v, step)
    touch = after.contacts
    np.testing.assert_allclose(touch.normal[0], T[:3, 2], atol=1e-5)
    np.testing.assert_allclose(touch.gap, 0.0, atol=1e-11)
    J = body_jacobian(world.model, q).reshape(6, -1)
    H = np.diag([0.03, 0.02, 0.05, 2.0, 2.0, 2.0])
    wrench = touch.wrench("world", "hull", "hull")
    np.testing.assert_allclose(J.T @ wrench * step, H @ (after.v - v), atol=2e-5)  # H moves by 1e-6 in the step
    slip = touch.slip[0]
    lever = touch.point[0] - after.q[:3]
    np.testing.assert_allclose(slip, after.v[3:] + np.cross(after.v[:3], lever), atol=1e-5)
    assert abs(touch.slip[0] @ touch.normal[0]) < 1e-5
    assert touch.state[0] == "sliding"
    across = touch.friction_force[0]
    np.testing.assert_allclose(np.linalg.norm(across), 0.1 * touch.normal_force[0], rtol=1e-9)
    np.testing.assert_allclose(across / np.linalg.norm(across), -slip / np.linalg.norm(slip), atol=1e-5)
    np.testing.assert_allclose(touch.slip_velocity[0], slip, atol=1e-5)


def test_states_follow_the_rule():
    force = [[0, 0, 1.0], [0.5, 0, 1.0], [0.5, 0, 1.0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1.0]]
    slip = [[0.1, 0, 0], [-0.1, 0, 0], [0, 0, 0], [0, 0, 0.1], [0.3, 0, 0], [0, 0, 0], [0, 0, 0]]
    gap, friction = [0, 0, 0, 0, 0, 0.1, 0], [0.5] * 6 + [0.0]
    assert states(force, slip, gap, friction) == [
        "sticking", "sliding", "sticking", "open", "undetermined", "open", "sliding",
    ]  # fmt: skip


def states(force, slip, gap, friction):
    """Return the states of contacts of a body with the ground."""
    world, q = two_boxes()
    n = len(gap)
    on_ground, names, points = np.tile([-1, 0], (n, 1)), np.full((n, 2), ""), np.zeros((n, 3))
    return ContactForces(
        world.model, q, on_ground, names, np.array([UP] * n), np.array(force), points, np.array(gap, float), np.array(slip),
        np.array(friction),
    ).state.tolist()  # fmt: skip


def test_a_recorded_motion_has_at_each_sample_the_forces_of_the_step_that_begins_there():
    world, q = two_boxes(friction=0.1)
    v = np.zeros(12)
    v[world.model.v_slice("upper").start + 3] = 1.0
    motion = world.simulate(q, v, 0.05, 0.01, record="constraint_forces")
    assert len(motion.contacts) == 6
    memory, state = None, (q, v)
    for k in range(1, 6):
        after = world.step(*state, 0.01, memory=memory)
        *state, memory = after
        np.testing.assert_allclose(motion.contacts_at(k - 1).force, after.contacts.force, atol=1e-12)
        np.testing.assert_array_equal(motion.contacts_at(k).point, after.contacts.point)
    assert motion.contacts_at(-1).state.tolist() == ["sticking"] * 4 + ["sliding"] * 4
    assert [len(each) for each in motion.contacts[2:4]] == [8, 8]
    assert "4 sticking, 4 sliding" in repr(motion.contacts_at(1))
    with pytest.raises(IndexError, match="no sample 6"):
        motion.contacts_at(6)
    with pytest.raises(ConstraintError, match="constraint_forces"):
        world.simulate(q, v, 0.02, 0.01).contacts_at(0)


@pytest.mark.plain
def test_a_batch_of_steps_has_no_contacts():
    world, q = two_boxes()
    with pytest.raises(ConstraintError, match="one state"):
        _ = world.step(np.stack([q, q]), np.zeros((2, 12)), 0.01).contacts


def test_pictures_show_points_by_state_normals_cones_and_forces():
    world, q = two_boxes(friction=0.1)
    v = np.zeros(12)
    v[world.model.v_slice("upper").start + 3] = 1.0
    motion = world.simulate(q, v, 0.02, 0.01, record="constraint_forces")
    labels = {each.label: each for each in motion.overlays}
    assert [type(each) for each in motion.overlays] == [Points, Points, Arrows, Cones, Arrows]
    assert set(labels) >= {"sticking contacts", "sliding contacts", "normals", "cone of friction, 0.1"}
    assert np.isfinite(np.asarray(labels["sliding contacts"].positions)[:, 4:]).all()
    assert np.isnan(np.asarray(labels["sliding contacts"].positions)[1:, :4]).all()
    forces = motion.overlays[-1]
    longest = np.linalg.norm(forces.vectors, axis=-1).max() * forces.length
    assert 0.05 < longest < 0.3  # of boxes of 0.4 m together
    one = motion.contacts_at(1).overlays()
    assert [np.ndim(each.positions) for each in one] == [2] * 5
    with pytest.raises(ConstraintError, match="size"):
        motion.contacts_at(1).overlays(size=-1.0)


def test_samples_with_different_numbers_of_contacts_go_into_one_picture():
    """A ball falls to the floor."""
    world = world_of([Sphere(0.1)])
    motion = world.simulate([0, 0, 0.15, 1, 0, 0, 0], np.zeros(6), 0.2, 0.01, record="constraint_forces")
    counts = np.array([len(each) for each in motion.contacts])
    assert set(counts.tolist()) == {0, 1}
    none = motion.contacts_at(int(np.argmin(counts)))
    assert (len(none), repr(none), none.overlays()) == (0, "<ContactForces: no contacts>", ())
    assert motion.overlays
    for overlay in motion.overlays:
        assert overlay.positions.shape == (len(motion), 1, 3)
        assert np.isnan(np.asarray(overlay.positions)[counts == 0]).all()


def test_what_does_not_fit_is_refused():
    world, q = two_boxes()
    touch = world.step(q, np.zeros(12), 0.01).contacts
    parts = {name: getattr(touch, name) for name in touch.__dataclass_fields__}
    with pytest.raises(ConstraintError, match=r"force has shape \(7, 3\), expected \(8, 3\)"):
        ContactForces(**{**parts, "force": touch.force[:7]})
    with pytest.raises(ConstraintError, match="'gliding', expected open, sticking"):
        ContactForces(**{**parts, "state": np.array(["gliding"] * 8)})
    with pytest.raises(KeyError, match="nobody"):
        touch.wrench("world", "nobody")
    with pytest.raises(TypeError, match="no name of a body"):
        touch.wrench("world", 3)


@pytest.mark.parametrize("law", ["ncp", "ccp", "lcp", "frictionless"])
@pytest.mark.parametrize("angle", [0.0, 10.0, 22.5, 45.0])
def test_a_box_that_slides_is_said_to_slide_by_each_law(law, angle):
    """At 22.5 degrees the force that a polygon of eight sides allows is within the circle; without friction none is.

    Four corners are one more than determines their forces. Methods for cones press all four; one for complementarity
    problems may leave a corner without force, as the digits of the machine's BLAS have it, and that corner grazes.
    """
    world, a = world_of([Box((0.31, 0.17, 0.23))], Surface(friction=0.4), law=law), np.radians(angle)
    q, v = [0.0, 0.0, 0.115, 1, 0, 0, 0], [0.0, 0, 0, 2.0 * np.cos(a), 2.0 * np.sin(a), 0.0]
    contacts = world.step(q, v, 0.005).contacts
    bears = contacts.force[:, 2] > NONE * contacts.force.max()
    assert bears.sum() >= (3 if law == "lcp" else 4)
    assert contacts.state.tolist() == np.where(bears, "sliding", "undetermined").tolist()
    np.testing.assert_array_equal(contacts.friction, 0.0 if law == "frictionless" else 0.4)
    if law != "frictionless":
        held = world.step(q, [0.0] * 6, 0.005, tau=[0.0, 0, 0, 1.0, 0, 0]).contacts
        assert held.state.tolist() == ["sticking"] * 4


def test_samples_of_contacts_are_numbers():
    world = world_of([Box((0.2, 0.2, 0.2))], Surface(friction=0.4))
    motion = world.simulate([0, 0, 0.1, 1, 0, 0, 0], [0] * 6, 0.02, 0.01, record="constraint_forces")
    assert len(motion.contacts_at(np.int64(-1))) == 4
    for wrong in ("a", 1.5, None, True, slice(2)):
        with pytest.raises(
            ArgumentTypeError, match=r"WorldTrajectory.contacts_at: sample is .*, expected a whole number"
        ):
            motion.contacts_at(wrong)
