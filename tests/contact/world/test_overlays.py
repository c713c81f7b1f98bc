"""Pictures of worlds: frames of constraints, and their forces as arrows."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import Arrows, Cable, Cones, Lines, ModelBuilder, Points, PointSpring, Trajectory
from pluecker.contact import World
from pluecker.contact.constraints import Frame, Friction, Length, Limit, PointContact, Rod, Rope
from tests.contact.world.mechanisms import CRANK, slider_crank, slider_crank_state
from tests.models import one_body

URDF = """<robot name="two"><link name="base"/>
<link name="a"><inertial><mass value="1"/><origin xyz="0 0 -0.5"/><inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/>
</inertial></link>
<link name="b"><inertial><mass value="1"/><origin xyz="0 0 -0.5"/><inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/>
</inertial></link>
<joint name="ja" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
<joint name="jb" type="continuous"><parent link="base"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint>
</robot>"""  # noqa: E501
ROD = """[rod.coupler]
first = {frame = 'a', position = [0, 0, -1.0]}
second = {frame = 'b', position = [0, 0, -1.0]}
length = 1.0
"""


def test_forces_of_constraints_are_arrows_at_their_frames():
    world = slider_crank()
    q, v = slider_crank_state(0.4, 5.0)
    motion = world.simulate(q, v, 0.004, 0.001, integrator="rk4", record="constraint_forces")
    assert [type(each) for each in motion.overlays] == [Lines] + [Arrows] * 4
    assert (motion.overlays[0].shape, motion.overlays[0].label) == ("joint", "joints that are constraints")
    forces = motion.overlays[-1]
    assert forces.positions.shape == (5, 1, 3)
    np.testing.assert_allclose(forces.positions[:, 0, 0], motion.q[:, 2], atol=1e-12)  # on the slider
    # what drives the slider is the force of the pin along x, on its 3 kg
    a = world.accelerations(motion.q, motion.v, np.zeros(3)).acceleration[:, 2]
    np.testing.assert_allclose(forces.vectors[:, 0, 0], 3.0 * a, atol=1e-9)
    reach = np.abs(motion.q[:, 2]).max()
    assert forces.length * np.linalg.norm(forces.vectors, axis=-1).max() == pytest.approx(0.3 * reach, rel=0.01)
    assert motion[2:4].overlays[-1].vectors.shape == (2, 1, 3)
    (joints,) = world.simulate(q, v, 0.002, 0.001).overlays
    (pin,) = world.constraints
    assert joints.ends == (tuple((frame.name, frame.position) for frame in (pin.first, pin.second)),)
    assert World(world.model).overlays(Trajectory([0.0], q=[q])) == ()
    assert reach > CRANK
    assert not any(isinstance(each, Points) for each in motion.overlays)


def test_what_holds_a_distance_is_shown_as_a_rod_a_spring_or_a_rope():
    builder = ModelBuilder("rail")
    for name in ("a", "b"):
        builder.add_body(name, mass=1.0)
        builder.add_joint(name, "prismatic", "world", name, axis=(1, 0, 0))
    half = np.sqrt(0.5)
    turned = Frame("b", (0.0, 0.0, 0.3), [half, 0.0, 0.0, half])
    hook = ("world", (0.0, 0.0, 1.0))
    world = World(
        builder.build(),
        [
            Rod("rod", "a", turned, 2.0),
            Rod("spring", "a", "b", 0.5, stiffness=20.0),
            Rod("damper", "a", "b", 0.5, stiffness=0.0, damping=1.0),
            Rope("rope", hook, "a", 1.5),
            Limit("line", Length(hook, "b"), upper=2.5),
            Limit("prop", Length(hook, "b"), lower=0.5),
            Friction("brake", Length(hook, "b"), force=1.0),
            Limit("end", "a", upper=3.0),
        ],
    )
    found = {each.label: each for each in world.connections}
    assert all(isinstance(each, Lines) for each in world.connections)
    assert [(each.shape, len(each.ends)) for each in found.values()] == [
        ("rod", 1), ("spring", 1), ("rope", 2), ("rope", 3),
    ]  # fmt: skip
    assert found["rods"].ends == ((("a", (0.0, 0.0, 0.0)), ("b", (0.0, 0.0, 0.3))),)
    np.testing.assert_array_equal(found["ropes, dashed while slack"].lengths, [1.5, 2.5])
    assert found["lengths that are limited, driven or damped"].lengths is None
    first = world.overlays(Trajectory([0.0], q=[[0.0, 2.0]]))[0]
    assert (first.label, first.ends) == ("rods", found["rods"].ends)


@pytest.mark.plain
def test_springs_and_cables_among_elements_are_shown_with_the_motion():
    model = one_body("bob", "prismatic", 1.0, inertia=[0.01] * 3, joint="rail", axis=(0, 0, 1))
    world = World(model, [Rope("rope", ("world", (0.0, 0.0, 1.0)), "bob", 2.0)])
    hook, side = ("world", (0.0, 0.0, 0.5)), ("bob", (0.1, 0.0, 0.0))
    elements = (
        PointSpring(hook, "bob", 5.0),
        Cable([hook, side], 5.0, 0.7),
        Cable([hook, ("world", (0.3, 0.0, 0.0)), side], 5.0, 0.7),
    )
    motion = world.simulate([0.0], [0.0], 0.02, 0.01, elements=iter(elements))
    found = {each.label: each for each in motion.overlays}
    assert [(each.shape, len(each.ends)) for each in found.values()] == [
        ("rope", 1), ("spring", 1), ("rope", 1), ("rope", 2),
    ]  # fmt: skip
    assert found["springs between points"].ends == ((hook, ("bob", (0.0, 0.0, 0.0))),)
    assert found["cables, dashed while slack"].lengths.tolist() == [0.7]
    assert found["cables over several points"].ends[1] == (("world", (0.3, 0.0, 0.0)), side)


@pytest.mark.plain
def test_joints_are_shown_in_maximal_coordinates_too():
    builder = ModelBuilder("two")
    for name, parent, x in (("a", "world", 0.0), ("b", "a", 0.4)):
        builder.add_body(name, 1.0, (0.2, 0, 0), (0.1, 0.1, 0.1))
        builder.add_joint(f"to {name}", "revolute", parent, name, axis=(0, 1, 0), position=(x, 0, 0))
    world = World(builder.build(), [Rod("rod", "world", ("b", (0.4, 0.0, 0.0)), 0.8)])
    joints, rods = world.maximal().world.connections
    assert [(joints.shape, len(joints.ends)), (rods.shape, len(rods.ends))] == [("joint", 2), ("rod", 1)]
    assert joints.ends[1] == (("a", (0.4, 0.0, 0.0)), ("b", (0.0, 0.0, 0.0)))
    assert rods.ends == world.connections[0].ends


@pytest.mark.plain
def test_marks_of_a_small_body_in_a_wide_mechanism_are_no_larger_than_its_contacts_are_apart():
    builder = ModelBuilder("crane and box")
    builder.add_body("crane", mass=5.0, center_of_mass=(0, 0, 20.0))
    builder.add_joint("mast", "revolute", "world", "crane", axis=(0, 0, 1))
    builder.add_body("box", mass=1.0, inertia=[0.01] * 3)
    builder.add_joint("box", "free", "world", "box")
    corners = [(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    points = [PointContact(f"p{k}", "world", ("box", x), friction=0.5) for k, x in enumerate(corners)]
    world = World(builder.build(), points)
    q, v = np.array([[0.0, 1.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0]]), np.zeros((1, 7))
    forces = np.zeros((1, world.n_rows))
    forces[0, ::3] = 2.5
    found = world.overlays(Trajectory([0.0], q, v, columns={"constraint_forces": forces}))
    arrows = [each for each in found if isinstance(each, Arrows)]
    cones = [each for each in found if isinstance(each, Cones)]
    assert [each.label for each in arrows] == ["normals", "forces of contacts, the longest 2.5 N"]
    for each in arrows:
        assert 0.05 < each.length * np.nanmax(np.linalg.norm(each.vectors, axis=-1)) < 0.2
    assert [0.01 < each.height < 0.2 for each in cones] == [True]


def test_what_has_no_pictures_is_refused():
    world = slider_crank()
    q, _ = slider_crank_state(0.4, 5.0)
    with pytest.raises(TypeError, match="trajectory is a dict"):
        world.overlays({})
    with pytest.raises(ValueError, match="one motion"):
        world.overlays(Trajectory([0.0], q=np.array([[q], [q]])))


@pytest.mark.slow
def test_they_are_drawn():
    from pluecker.articulated import plot_mechanism

    world = slider_crank()
    q, v = slider_crank_state(0.4, 5.0)
    motion = world.simulate(q, v, 0.002, 0.001, record="constraint_forces")
    figure = plot_mechanism(world.model, motion.q[0], overlays=[each.at(0) for each in motion.overlays])
    assert figure is not None


def test_frames_that_are_the_same_are_shown_once():
    world = slider_crank()
    assert Frame("slider") == world.constraints[0].second
    q, _ = slider_crank_state(0.4, 5.0)
    axes = world.overlays(Trajectory([0.0], q=[q]))[1:]
    assert [each.positions.shape for each in axes] == [(1, 2, 3)] * 3
    for k, each in enumerate(axes):
        np.testing.assert_allclose(np.linalg.norm(each.vectors, axis=-1), 1.0, atol=1e-12)
        np.testing.assert_allclose(each.vectors[0, 1], np.eye(3)[k], atol=1e-12)  # the slider does not turn
