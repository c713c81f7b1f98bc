"""Reading URDF files: what real files hold, and one clear error for each way in which a file can be bad."""

import logging

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pluecker.articulated import Model, ModelError, crba, forward_kinematics, kinetic_energy, neutral, rnea
from pluecker.articulated.robots import SEVEN_JOINT_ARM
from pluecker.spatial import ArgumentTypeError

INERTIAL = """<inertial><origin xyz="0.1 0 0.2" rpy="0.1 0.2 0.3"/><mass value="2"/>
  <inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial>"""


def link(name, inside=INERTIAL):
    return f'<link name="{name}">{inside}</link>'


def joint(name, parent, child, type="revolute", inside='<axis xyz="0 0 1"/>'):
    return f'<joint name="{name}" type="{type}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*parts, head="", attributes='name="r"'):
    return f"{head}<robot {attributes}>{''.join(parts)}</robot>"


ARM = [link("base"), link("a"), link("b"), joint("j1", "base", "a"), joint("j2", "a", "b", "prismatic")]

# --------------------------------------------------------------------------------------------------------- good files


def test_the_order_of_elements_does_not_matter():
    one = Model.from_urdf(robot(*ARM))
    two = Model.from_urdf(robot(*ARM[::-1]))
    assert one.joint_names == ("j1", "j2")
    assert two.joint_names == ("j2", "j1")
    assert two.body_names == ("b", "a")
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    np.testing.assert_allclose(rnea(two, q[::-1], v[::-1], a[::-1]), rnea(one, q, v, a)[::-1], rtol=1e-14)


def test_text_paths_and_encodings_are_read_alike(tmp_path):
    text = robot(*ARM, head='<?xml version="1.0" encoding="utf-8"?>\n<!-- a comment -->\n')
    expected = Model.from_urdf(text)
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path = tmp_path / f"{encoding}.urdf"
        path.write_bytes(text.replace("utf-8", encoding).encode(encoding))
        assert Model.from_urdf(path) == expected
        assert Model.from_urdf(str(path)) == expected
    assert Model.from_urdf("\ufeff \n" + text) == expected


@pytest.mark.parametrize("declared", ["ISO-8859-1", "utf-8"])
def test_the_encoding_that_a_file_declares_is_used(declared, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_bytes(robot(*ARM, head=f'<?xml version="1.0" encoding="{declared}"?><!-- für -->').encode(declared))
    assert Model.from_urdf(path) == Model.from_urdf(robot(*ARM))


def test_fixed_links_are_merged_and_stay_known_as_frames():
    text = robot(*ARM, link("tool", ""), joint("weld", "b", "tool", "fixed", '<origin xyz="0 0 0.5"/>'))
    model = Model.from_urdf(text)
    assert model.body_names == ("a", "b")
    assert set(model.frame_names) == {"base", "a", "b", "tool"}
    T = forward_kinematics(model, [0.3, 0.4], ["tool", "base"])
    np.testing.assert_allclose(T[0, :3, 3], [0, 0, 0.9], atol=1e-15)
    np.testing.assert_array_equal(T[1], np.eye(4))


def test_a_floating_base_comes_first_and_has_its_name():
    model = Model.from_urdf(robot(*ARM[::-1]), floating_base=True)
    assert model.joint_names[0] == "floating_base"
    assert (model.q_slice("floating_base"), model.v_slice("floating_base")) == (slice(0, 7), slice(0, 6))
    assert "base" in model.body_names
    assert model.mass == 6.0


def test_axes_of_an_inertia_are_turned_as_its_origin_says():
    """Roll, pitch and yaw are about fixed axes, in this order; a spin about a turned axis has the energy of that axis."""
    moments, spin = np.array([0.1, 0.2, 0.25]), 3.0
    inertia = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/>'
    for rpy in ([0.4, 0.0, 0.0], [0.0, -1.1, 0.0], [0.0, 0.0, 2.0], [0.4, -1.1, 2.0], [0.3, np.pi / 2, -0.2]):
        origin = f'<origin xyz="0 0 0" rpy="{rpy[0]} {rpy[1]} {rpy[2]}"/>'
        body = link("body", f'<inertial>{origin}<mass value="2"/>{inertia}</inertial>')
        model = Model.from_urdf(robot(body), floating_base=True)
        axes = Rotation.from_euler("xyz", rpy).as_matrix().T  # lower case: about fixed axes
        v = np.concatenate([spin * axes, np.zeros((3, 3))], axis=1)
        energy = kinetic_energy(model, neutral(model), v)
        np.testing.assert_allclose(energy, 0.5 * moments * spin**2, rtol=1e-14, err_msg=str(rpy))


def test_limits_damping_and_friction_are_read():
    inside = (
        '<axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping="5" friction="6"/>'
    )
    model = Model.from_urdf(robot(link("base"), link("a"), joint("j", "base", "a", inside=inside)))
    found = [
        getattr(model, name)[0]
        for name in ("lower_limit", "upper_limit", "velocity_limit", "effort_limit", "damping", "friction")
    ]
    assert found == [-1, 2, 3, 4, 5, 6]


def test_continuous_joints_have_no_position_limits():
    inside = '<axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="3" effort="4"/>'
    model = Model.from_urdf(robot(link("base"), link("a"), joint("j", "base", "a", "continuous", inside)))
    assert (model.lower_limit[0], model.upper_limit[0], model.velocity_limit[0]) == (-np.inf, np.inf, 3)


def test_planar_and_floating_joints_have_their_coordinates():
    text = robot(
        link("base"), link("a"), link("b"), joint("p", "base", "a", "planar"), joint("f", "a", "b", "floating", "")
    )
    model = Model.from_urdf(text)
    assert [model.joint(name).type for name in ("p", "f")] == ["planar", "free"]
    assert (model.nq, model.nv) == (10, 9)


def test_mimic_joints_follow_their_source_through_a_chain():
    text = robot(
        link("base"), link("a"), link("b"), link("c"), link("d"), joint("j1", "base", "a"),
        joint("j3", "base", "c", inside='<axis xyz="0 0 1"/><mimic joint="j2" multiplier="-1" offset="0.1"/>'),
        joint("j2", "base", "b", inside='<axis xyz="0 0 1"/><mimic joint="j1" multiplier="2"/>'),
        joint("j4", "base", "d", "fixed", '<mimic joint="nobody"/>'),
    )  # fmt: skip
    model = Model.from_urdf(text)
    assert model.joint_names == ("j1",)
    assert model.mimic == {"j3": ("j1", -2.0, 0.1), "j2": ("j1", 2.0, 0.0)}
    R = forward_kinematics(model, [0.3], ["c"])[0]
    np.testing.assert_allclose(np.arctan2(R[1, 0], R[0, 0]), -0.5)
    assert Model.from_urdf(text, mimic=False).joint_names == ("j1", "j3", "j2")


def test_links_without_inertia_weigh_nothing():
    model = Model.from_urdf(robot(link("base", ""), link("a", ""), link("b"), *ARM[3:]))
    assert model.mass == 2.0
    assert np.isfinite(crba(model, neutral(model))).all()


def test_shapes_sensors_and_macros_namespaces_are_passed_over():
    visual = '<visual><geometry><mesh filename="package://nowhere/mesh.dae"/><unheard-of/></geometry></visual>'
    text = robot(
        link("base", INERTIAL + visual + visual), *ARM[1:], '<gazebo><plugin name="p"/></gazebo><transmission/>',
        attributes='name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"',
    )  # fmt: skip
    assert Model.from_urdf(text) == Model.from_urdf(robot(*ARM))


def test_what_a_fixed_joint_does_not_need_is_passed_over():
    weld = joint("weld", "b", "tool", "fixed", '<axis xyz="up"/><limit/><mimic joint="weld" multiplier="x"/>')
    text = robot(*ARM, link("tool", ""))
    assert Model.from_urdf(text.replace("</robot>", weld + "</robot>")).joint_names == ("j1", "j2")


def test_elements_inside_each_other_without_end_are_passed_over():
    deep = "<x>" * 50_000 + "</x>" * 50_000
    text = robot(link("base"), link("a", INERTIAL.replace("<mass", deep + "<mass")), *ARM[2:])
    assert Model.from_urdf(text) == Model.from_urdf(robot(*ARM))


def test_a_link_may_be_called_world():
    model = Model.from_urdf(robot(link("world", ""), link("a"), joint("j", "world", "a")))
    assert model.body_names == ("a",)
    assert "world" in model.frame_names


def test_gravity_and_inertias_are_those_of_the_file():
    model = Model.from_urdf(robot(*ARM), gravity=(0, 0, -1.6))
    assert model.gravity[2] == -1.6
    arm = Model.from_urdf(SEVEN_JOINT_ARM)
    assert arm.mass == pytest.approx(4.970684 + 0.646926 + 3.228604 + 3.587895 + 1.225946 + 1.666555 + 0.735522)


# ---------------------------------------------------------------------------------------------------------- bad files

HEAVY = '<inertial><mass value="{}"/><inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial>'
BOMB = '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>'
FILE_ENTITY = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
TWO = [link("base"), link("a")]


def bad_joint(inside, type="revolute"):
    return robot(*TWO, joint("j", "base", "a", type, inside))


def bad_link(inside):
    return robot(link("base"), link("a", inside), joint("j", "base", "a"))


BAD = {
    "broken XML": (robot(*ARM)[:-3], r"broken XML, unclosed token: line 4"),
    "two roots": (robot(*ARM, link("island")), r"2 root links, 'base', 'island'; a robot has one"),
    "all in a cycle": (
        robot(*TWO, joint("j", "base", "a"), joint("k", "a", "base")), r"no root link.*joints 'k', 'j' form a cycle"
    ),
    "two parents, one of them a root": (
        robot(*TWO, link("b"), joint("j1", "base", "a"), joint("j2", "b", "a")),
        r"link 'a' is the child of two joints, 'j1' and 'j2'",
    ),
    "a link on itself": (
        robot(*ARM, link("c"), joint("j3", "c", "c")), r"joint 'j3': parent and child are the same body, 'c'"
    ),
    "a number too large": (bad_joint('<axis xyz="1e999 0 0"/>'), r"joint 'j': <axis xyz='1e999 0 0'>, expected finite"),
    "numbers of Python": (bad_joint('<axis xyz="0 0 1_0"/>'), r"joint 'j': <axis xyz='0 0 1_0'>, expected 3 numbers"),
    "numbers with commas": (bad_joint('<axis xyz="0,0,1"/>'), r"joint 'j': <axis xyz='0,0,1'>, expected 3 numbers"),
    "a mass too large": (
        bad_link(HEAVY.format("1e308", 1, 1, 1).replace("<mass", '<origin xyz="1e200 0 0"/><mass')),
        r"link 'a': its moments about the origin overflow",
    ),
    "an endless number": (bad_joint(f'<axis xyz="0 0 {"1" * 10**5}"/>'), r"joint 'j': <axis xyz='0 0 111.*finite"),
    "an endless name": (robot(link("a" * 10**5), link("a" * 10**5)), r"link 'aaa.* is there 2 times"),
    "a joint in a link": (robot(link("base", joint("j", "base", "a")), link("a")), r"2 root links, 'base', 'a'"),
    "a robot in a robot": (robot(robot(*ARM)), r"the robot has no <link>"),
    "a comment that never ends": (robot(*ARM) + "<!-- <!DOCTYPE", r"broken XML"),
    "two robots": (robot(*ARM) * 2, r"broken XML, junk after document element"),
    "a declaration after a comment": (robot("&c;", *ARM, head="<!-- <!DOCTYPE -->" + BOMB), r"document type declaration"),
    "a small declaration": (robot(*ARM, head="<!doctype robot>"), r"broken XML"),
    "a name of another space": (robot('<l:link name="l"/>', attributes='name="r" xmlns:l="x"'), r"the robot has no <link>"),
    "a cycle apart": (
        robot(*ARM, link("c"), link("d"), joint("k1", "c", "d"), joint("k2", "d", "c")),
        r"cycle: .*'c' \(joint 'k2'\)",
    ),
    "two parents": (robot(*ARM, joint("j3", "base", "b")), r"'b' is the child of two joints, 'j2' and 'j3'"),
    "unknown parent": (robot(*TWO, joint("j", "ghost", "a")), r"joint 'j': unknown parent link 'ghost'; there are 'base'"),
    "unknown child": (robot(*TWO, joint("j", "base", "ghost")), r"joint 'j': unknown child link 'ghost'"),
    "no parent": (robot(*TWO, '<joint name="j" type="fixed"><child link="a"/></joint>'), r"joint 'j': has no <parent"),
    "missing axis": (bad_joint(""), r"joint 'j': a revolute joint needs an axis; write <axis"),
    "zero axis": (bad_joint('<axis xyz="0 0 0"/>'), r"joint 'j': the axis is zero; give it a direction"),
    "axis of two numbers": (bad_joint('<axis xyz="0 1"/>'), r"joint 'j': <axis xyz='0 1'>, expected 3 numbers"),
    "axis of words": (bad_joint('<axis xyz="x y z"/>'), r"joint 'j': <axis xyz='x y z'>, expected 3 numbers"),
    "axis of NaN": (bad_joint('<axis xyz="nan 0 1"/>'), r"joint 'j': <axis"),
    "infinite origin": (bad_joint('<origin xyz="inf 0 0"/><axis xyz="0 0 1"/>'), r"joint 'j': <origin.*finite"),
    "no type": (robot(*TWO, '<joint name="j"><parent link="base"/><child link="a"/></joint>'), r"joint 'j': has no type"),
    "unknown type": (bad_joint("", "elbow"), r"joint 'j': unknown type 'elbow'; there are 'fixed'"),
    "crossed limits": (
        bad_joint('<axis xyz="0 0 1"/><limit lower="2" upper="1" effort="1" velocity="1"/>'),
        r"joint 'j': lower_limit \[2.0\] is above upper_limit \[1.0\]",
    ),
    "negative damping": (bad_joint('<axis xyz="0 0 1"/><dynamics damping="-1"/>'), r"joint 'j': damping is -1"),
    "mimic of nobody": (
        bad_joint('<axis xyz="0 0 1"/><mimic joint="ghost"/>'),
        r"joint 'j' mimics 'ghost', which is no joint; correct the name, or pass mimic=False",
    ),
    "mimic of itself": (bad_joint('<axis xyz="0 0 1"/><mimic joint="j"/>'), r"joint 'j' mimics itself"),
    "mimics in a circle": (
        robot(
            *ARM[:3], joint("j", "base", "a", inside='<axis xyz="0 0 1"/><mimic joint="k"/>'),
            joint("k", "a", "b", inside='<axis xyz="0 0 1"/><mimic joint="j"/>'),
        ),
        r"joint 'j' mimics itself: j -> k -> j",
    ),
    "mimic with three freedoms": (
        bad_joint('<axis xyz="0 0 1"/><mimic joint="j"/>', "planar"), r"joint 'j': a planar joint cannot mimic"
    ),
    "mimic without a name": (bad_joint('<axis xyz="0 0 1"/><mimic/>'), r"joint 'j': <mimic> names no joint"),
    "negative mass": (bad_link(HEAVY.format(-1, 1, 1, 1)), r"link 'a': mass is -1"),
    "mass of words": (bad_link(HEAVY.format("heavy", 1, 1, 1)), r"link 'a': <mass value='heavy'>, expected a number"),
    "no mass": (bad_link('<inertial><inertia ixx="1" iyy="1" izz="1"/></inertial>'), r"link 'a': <inertial> has no <mass"),
    "no inertia": (bad_link('<inertial><mass value="1"/></inertial>'), r"link 'a': <inertial> has no <inertia"),
    "half an inertia": (
        bad_link('<inertial><mass value="1"/><inertia ixx="1" iyy="1"/></inertial>'), r"link 'a': <inertia> has no izz"
    ),
    "too slender an inertia": (
        bad_link(HEAVY.format(1, 1, 1, 2.5)),
        r"link 'a': principal moments 1, 1, 2.5 .* sum of the other two; mend it, or pass check_inertia=False",
    ),
    "negative inertia": (bad_link(HEAVY.format(1, 1, 1, -1)), r"link 'a': .*none can be negative"),
    "inertia without mass": (bad_link(HEAVY.format(0, 1, 1, 1)), r"link 'a': mass 0 with"),
    "two inertials": (bad_link(INERTIAL * 2), r"link 'a': holds 2 <inertial> elements"),
    "two axes": (bad_joint('<axis xyz="0 0 1"/><axis xyz="1 0 0"/>'), r"joint 'j': holds 2 <axis> elements; one is allowed"),
    "two masses": (
        bad_link(HEAVY.format(1, 1, 1, 1).replace("<mass", '<mass value="2"/><mass')), r"link 'a': holds 2 <mass> elements"
    ),
    "a name twice": (robot(link("a"), link("a")), r"link 'a' is there 2 times"),
    "a joint's name twice": (robot(*ARM, joint("j1", "a", "b")), r"joint 'j1' is there 2 times"),
    "no name": (robot("<link/>"), r"a <link> has no name; write <link name="),
    "a joint without a name": (robot(*TWO, joint("", "base", "a")), r"a <joint> has no name; write <joint name="),
    "half a letter": (robot(link("\ud800")), r"broken XML"),
    "no links": (robot(), r"the robot has no <link>"),
    "entity bomb": (robot("&c;", *ARM, head=BOMB), r"document type declaration; URDF has none, remove"),
    "entity of a file": (robot("&x;", *ARM, head=FILE_ENTITY), r"document type declaration"),
    "macros": (
        robot('<xacro:macro name="m"/>', *ARM, attributes='name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"'),
        r"holds xacro macros; expand them first",
    ),
    "a MuJoCo file": ("<mujoco><worldbody/></mujoco>", r"this is a MuJoCo \(MJCF\) file, expected URDF"),
    "an SDF file": ('<sdf version="1.6"><model name="m"/></sdf>', r"this is an SDF file, expected URDF"),
    "other XML": ("<a><b/></a>", r"XML with the root element <a>, expected URDF"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_clear_error(name, tmp_path, caplog, capsys):
    text, message = BAD[name]
    path = tmp_path / "bad.urdf"
    path.write_text(text, errors="replace")
    for source in (text,) if "\ud800" in text else (text, path):
        with caplog.at_level(logging.DEBUG), pytest.raises(ModelError, match=message) as caught:
            Model.from_urdf(source)
        assert str(caught.value).startswith("URDF text: " if source is text else f"{path}: ")
        assert "\n" not in str(caught.value)
    assert not caplog.records
    assert capsys.readouterr() == ("", "")


def test_a_declaration_in_a_comment_is_none():
    for head in ("<!-- <!DOCTYPE robot> -->", "<?note <!DOCTYPE robot> ?>"):
        assert Model.from_urdf(robot(*ARM, head=head)) == Model.from_urdf(robot(*ARM))
    assert Model.from_urdf(robot(*ARM, "<note><![CDATA[<!DOCTYPE robot>]]></note>")) == Model.from_urdf(robot(*ARM))


def test_a_second_link_called_world_moves_like_any_other():
    """The tree is drawn from the records, not by looking for a name."""
    text = robot(link("base"), link("world"), joint("j", "base", "world"), link("tip"), joint("k", "world", "tip"))
    model = Model.from_urdf(text)
    assert model.body_names == ("world", "tip")
    assert [line.split()[0] for line in str(model).splitlines()[1:]] == ["world_", "world", "tip"]
    renamed = Model.from_urdf(text.replace("world", "arm"))
    q = [0.3, 0.4]
    np.testing.assert_array_equal(forward_kinematics(model, q), forward_kinematics(renamed, q))
    np.testing.assert_array_equal(
        forward_kinematics(model, q, ["base", "world", "tip"]), forward_kinematics(renamed, q, ["base", "arm", "tip"])
    )


@pytest.mark.parametrize("empty", ["", "  ", "\n\t", "\ufeff"])
def test_an_empty_text_is_no_path(empty):
    with pytest.raises(ModelError, match="takes a path or XML text, got an empty string"):
        Model.from_urdf(empty)


def test_options_of_another_type_are_type_errors_of_ours():
    with pytest.raises(ArgumentTypeError, match="gravity must be an array of real numbers"):
        Model.from_urdf(robot(*ARM), gravity="down")
    for flag in ("floating_base", "check_inertia", "mimic"):
        with pytest.raises(ArgumentTypeError, match=f"from_urdf: {flag} is 'yes', expected True or False"):
            Model.from_urdf(robot(*ARM), **{flag: "yes"})


@pytest.mark.parametrize("name", ["too slender an inertia", "negative inertia", "inertia without mass"])
def test_impossible_inertias_are_accepted_on_request(name):
    assert Model.from_urdf(BAD[name][0], check_inertia=False).nv == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\xff\xfe", "this is no text file, expected a URDF file"),
        (b"solid cube\n", "this is no XML, expected a URDF file: it begins with 'solid cube"),
        (b"", "this is no XML, expected a URDF file: it is empty"),
        (b"\xff\xfe\x00", "this is no text file"),
    ],
    ids=["picture", "text", "empty", "half a character"],
)
def test_a_file_of_another_kind_is_told_so(content, message, tmp_path):
    path = tmp_path / "file.urdf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message) as caught:
        Model.from_urdf(path)
    assert str(path) in str(caught.value)


def test_a_path_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"nowhere.urdf: cannot be read \(No such file"):
        Model.from_urdf(tmp_path / "nowhere.urdf")
    with pytest.raises(ModelError, match="this is a folder, expected a URDF file"):
        Model.from_urdf(tmp_path)
    with pytest.raises(ModelError, match="cannot be read") as caught:
        Model.from_urdf("x" * 5000)
    assert len(str(caught.value)) < 400
    with pytest.raises(ModelError, match="cannot be read"):
        Model.from_urdf("a\0b")
    with pytest.raises(TypeError, match="takes a path or XML text, got int"):
        Model.from_urdf(3)
