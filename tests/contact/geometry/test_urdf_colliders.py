"""Colliders of URDF files: against Pinocchio's geometry model, and what cannot be read."""

from __future__ import annotations

import numpy as np
import pytest

from pluecker.articulated import Model
from pluecker.contact import GeometryError
from pluecker.contact.geometry import Box, Capsule, Collision, Cylinder, Sphere, Surface, urdf_colliders

TEXT = """<robot name="arm"><link name="base"><collision name="foot"><origin xyz="0 0 0.5" rpy="0 1.5707963267948966 0"/>
<geometry><cylinder radius="0.1" length="1"/></geometry></collision></link>
<link name="rod"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
<collision><geometry><sphere radius="0.2"/></geometry></collision>
<collision><geometry><capsule radius="0.2" length="0.4"/></geometry></collision></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>
<origin xyz="0 0 1"/><axis xyz="0 1 0"/></joint>
</robot>"""


def test_elements_become_shapes_on_their_links():
    found = urdf_colliders(TEXT, Surface(friction=0.9))
    assert [each.name for each in found] == ["foot", "rod.0", "rod.1", "rod.2"]
    assert [each.shape for each in found] == [Cylinder(0.1, 1.0), Box((0.1, 0.2, 0.3)), Sphere(0.2), Capsule(0.2, 0.4)]
    assert {each.frame.name for each in found} == {"base", "rod"}
    assert all(each.groups == ("arm",) and each.surface.friction == 0.9 for each in found)
    assert np.allclose(found[0].placement, [[0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0.5], [0, 0, 0, 1]])
    model = Model.from_urdf(TEXT)
    assert len(Collision(model, found).find([0.0])) == 0  # of one family


def test_placements_are_those_of_pinocchio():
    pin = pytest.importorskip("pinocchio", reason="the peer (extra peers)")
    text = TEXT.replace(
        '<collision><geometry><capsule radius="0.2" length="0.4"/></geometry></collision>', ""
    )  # unknown to it
    model = Model.from_urdf(text)
    peer = pin.buildModelFromXML(text)
    shapes = pin.buildGeomFromUrdfString(peer, text, pin.GeometryType.COLLISION)
    collision = Collision(model, urdf_colliders(text))
    q = np.array([0.7])
    data, places = peer.createData(), shapes.createData()
    pin.updateGeometryPlacements(peer, data, shapes, places, np.array([np.cos(0.7), np.sin(0.7)]))
    for mine, theirs in zip(collision.placements(q), places.oMg, strict=True):
        assert np.allclose(mine, theirs.homogeneous, atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('<sphere radius="0.2"/>', '<sphere radius="-1"/>', "link 'rod': collision 1: Sphere: radius is -1"),
        ('<sphere radius="0.2"/>', "<sphere/>", "radius of <sphere> is nothing"),
        ('<sphere radius="0.2"/>', "<cone/>", "unknown shape <cone>"),
        ('<sphere radius="0.2"/>', "", "has no shape"),
        ('<sphere radius="0.2"/>', '<mesh filename="nowhere.stl"/>', "'nowhere.stl' is not found"),
        ('size="0.1 0.2 0.3"', 'size="0.1 nan 0.3"', "expected 3 finite numbers"),
        ('xyz="0 0 0.5"', 'xyz="0 0"', "xyz of <origin> is '0 0'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_the_name_of_its_link(old, new, words):
    assert old in TEXT
    with pytest.raises(GeometryError, match=words):
        urdf_colliders(TEXT.replace(old, new, 1))


def test_a_mesh_file_becomes_a_hull(tmp_path):
    trimesh = pytest.importorskip("trimesh", reason="it reads meshes (extra mesh)")
    trimesh.creation.box(extents=(1.0, 2.0, 3.0)).export(tmp_path / "box.stl")
    text = TEXT.replace('<sphere radius="0.2"/>', '<mesh filename="box.stl" scale="2 1 1"/>')
    (tmp_path / "robot.urdf").write_text(text)
    hull = urdf_colliders(tmp_path / "robot.urdf")[2].shape
    assert len(hull.vertices) == 8
    assert np.allclose(np.ptp(hull.vertices, axis=0), [2.0, 2.0, 3.0])


LEGS = """<robot name="dog"><link name="base"><collision><geometry><box size="0.5 0.2 0.1"/></geometry></collision></link>
{}</robot>"""
LEG = """<link name="hip{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link><link name="thigh{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.04 0.04 0.1"/></geometry></collision></link>
<joint name="out{0}" type="continuous"><parent link="base"/><child link="hip{0}"/><origin xyz="{1} {2} 0"/>
<axis xyz="1 0 0"/></joint>
<joint name="ahead{0}" type="continuous"><parent link="hip{0}"/><child link="thigh{0}"/><axis xyz="0 1 0"/></joint>"""
DOG = LEGS.format(LEG.format(1, 0.2, 0.112) + LEG.format(2, -0.2, 0.25))


@pytest.mark.plain
@pytest.mark.parametrize("base", [0, 7])
def test_colliders_that_overlap_in_a_configuration_ignore_each_other_alone(base):
    """A thigh that is 8 mm in the base, and one beside it."""
    model = Model.from_urdf(DOG, floating_base=base > 0)
    q = np.zeros(model.nq)
    q[3 if base else 0] = 1.0 if base else 0.0
    assert sorted(Collision(model, urdf_colliders(DOG)).find(q).gap.round(9))[0] == -0.008
    apart = urdf_colliders(DOG, ignore_overlaps_at=q)
    assert len(Collision(model, apart).find(q)) == 0
    q[base + 2] = np.pi  # the other leg is turned into the base
    inward = Model.from_urdf(DOG.replace("-0.2 0.25 0", "-0.2 0.11 0"), floating_base=base > 0)
    assert len(Collision(inward, apart).find(q))
    with pytest.raises(GeometryError, match=r"ignore_overlaps_at has shape \(3,\), expected \(4,\), or \(11,\)"):
        urdf_colliders(DOG, ignore_overlaps_at=np.zeros(3))


@pytest.mark.plain
def test_links_whose_collisions_an_srdf_file_disables_ignore_each_other(tmp_path):
    text = '<robot name="dog"><disable_collisions link1="thigh1" link2="base" reason="Default"/></robot>'
    (tmp_path / "dog.srdf").write_text(text)
    model = Model.from_urdf(DOG)
    for srdf in (text, tmp_path / "dog.srdf"):
        assert len(Collision(model, urdf_colliders(DOG, srdf=srdf)).find(np.zeros(4))) == 0
    other = text.replace("thigh1", "thigh2")
    assert len(Collision(model, urdf_colliders(DOG, srdf=other)).find(np.zeros(4)))
    for wrong, words in (("foot", "link1 of <disable_collisions> is 'foot'"), (None, "link1 of .* is nothing")):
        bad = text.replace(' link1="thigh1"', "" if wrong is None else f' link1="{wrong}"')
        with pytest.raises(GeometryError, match=words):
            urdf_colliders(DOG, srdf=bad)


@pytest.mark.plain
def test_there_may_be_as_many_groups_as_wanted():
    text = LEGS.format("".join(LEG.format(k, 0.2, 0.112) for k in range(80)))
    model = Model.from_urdf(text)
    found = urdf_colliders(text, ignore_overlaps_at=np.zeros(model.nq))
    assert len({name for each in found for name in each.groups}) > 64
    assert len(Collision(model, found).find(np.zeros(model.nq))) == 0
