"""Building by hand: what cannot be is refused early, and by name."""

import numpy as np
import pytest

from pluecker import PlueckerError
from pluecker.articulated import ModelBuilder, ModelError
from pluecker.spatial import ArgumentTypeError

BODY = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}
HINGE = {"type": "revolute", "parent": "world", "child": "a", "axis": (0, 0, 1)}


def body(**options):
    return lambda b: b.add_body("a", **(BODY | options))


def joint(**options):
    return lambda b: b.add_joint("j", **(HINGE | options))


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (body(mass=-1.0), "body 'a': mass is -1"),
        (body(mass=np.nan), "body 'a': mass is NaN"),
        (body(mass=np.inf), "body 'a': mass is inf"),
        (body(mass=10**400), "body 'a': mass is an integer of 1329 bits, which overflows float64"),
        (body(mass=[1.0]), r"body 'a': mass has shape \(1,\), expected a number"),
        (body(mass=1e308, center_of_mass=(1e200, 0, 0)), "body 'a': its moments about the origin overflow"),
        (body(inertia=[1.7e308, 1.7e308, -1.7e308]), "body 'a'.*none can be negative"),
        (body(inertia=[1e-300, 1e-300, 3e-300], mass=0.0), "body 'a': mass 0 with principal moments"),
        (body(center_of_mass=(0, 0)), r"body 'a': center_of_mass has shape \(2,\), expected three"),
        (body(center_of_mass=(0, 0, np.inf)), "body 'a': center_of_mass"),
        (body(inertia=[1.0, 1.0, 2.1]), "body 'a'.*none can exceed the sum of the other two"),
        (body(inertia=[1.0, 1.0, -0.1]), "body 'a'.*none can be negative"),
        (body(inertia=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "body 'a': the inertia matrix is not symmetric"),
        (body(inertia=[1.0, 1.0]), r"body 'a': inertia has shape \(2,\), expected"),
        (body(inertia=[1.0, 1.0, np.nan]), "body 'a': inertia holds"),
        (body(mass=0.0), "body 'a': mass 0 with principal moments"),
        (lambda b: b.add_body("world", **BODY), "body 'world': that is the name of the world"),
        (lambda b: b.add_body("", **BODY), "the name of a body is empty"),
        (lambda b: [b.add_body("a"), b.add_body("a")], "body 'a' is there already"),
        (joint(type="rotary"), "joint 'j': unknown type 'rotary'; there are 'fixed', 'revolute'"),
        (joint(axis=(0, 0, 0)), "joint 'j': axis is zero"),
        (joint(axis=None), "joint 'j': a revolute joint needs an axis"),
        (joint(axis=(0, 1)), r"joint 'j': axis has shape \(2,\), expected three"),
        (joint(axis=(0, 0, np.inf)), "joint 'j': axis is .*finite"),
        (joint(rotation=np.full((3, 3), 1e200)), "joint 'j': rotation is no rotation matrix"),
        (joint(rotation=[1e200, 0, 0, 0]), "joint 'j': the quaternion .* has length"),
        (joint(type="helical", pitch=np.inf), "joint 'j': pitch is inf"),
        (joint(mimic=("k", 1, np.inf)), "joint 'j': offset is inf"),
        (joint(parent=""), "joint 'j': parent is empty"),
        (joint(axis=(0, 0, np.nan)), "joint 'j': axis is .*finite"),
        (joint(type="spherical"), "joint 'j': a spherical joint has no axis"),
        (joint(type="universal"), "joint 'j': a universal joint needs a second axis, axis2"),
        (joint(axis2=(1, 0, 0)), "joint 'j': a revolute joint has one axis"),
        (joint(type="planar", axis2=(0, 0, 2)), "joint 'j': the part of axis2 in the plane is zero"),
        (joint(type="helical"), "joint 'j': a helical joint needs a pitch"),
        (joint(pitch=0.1), "joint 'j': only a helical joint has a pitch"),
        (joint(parent="b", child="world"), "joint 'j': the child is 'world'"),
        (joint(parent="a"), "joint 'j': parent and child are the same body, 'a'"),
        (joint(rotation=np.eye(2)), "joint 'j': rotation has shape"),
        (joint(rotation=2 * np.eye(3)), "joint 'j': rotation is no rotation matrix"),
        (joint(rotation=-np.eye(3)), "joint 'j': rotation is no rotation matrix"),
        (joint(rotation=[1, 1, 0, 0]), r"joint 'j': the quaternion \[w, x, y, z\].*has length 1.41421356"),
        (joint(position=(1, 2)), "joint 'j': position has shape"),
        (joint(damping=-0.1), "joint 'j': damping is -0.1, expected numbers from 0.0 up"),
        (joint(armature=[1, 2]), r"joint 'j': armature has shape \(2,\), expected a number or 1 of them"),
        (joint(lower_limit=1.0, upper_limit=0.0), "joint 'j': lower_limit .* is above upper_limit"),
        (joint(type="cylindrical", mimic=("k", 1, 0)), "joint 'j': a cylindrical joint cannot mimic"),
        (joint(mimic=("k", np.nan, 0)), "joint 'j': multiplier is NaN"),
        (lambda b: [joint()(b), joint()(b)], "joint 'j' is there already"),
        (lambda b: [b.add_frame("f", "a"), b.add_frame("f", "a")], "frame 'f' is there already"),
    ],
)
def test_what_is_wrong_by_itself_is_refused_when_it_is_added(add, message):
    with pytest.raises(ModelError, match=message):
        add(ModelBuilder())


def test_a_property_that_no_joint_has_is_a_wrong_argument():
    with pytest.raises(ArgumentTypeError, match="joint 'j': unknown property 'stifness'; there are 'armature'"):
        joint(stifness=1.0)(ModelBuilder())


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (lambda b: b.add_body(3, **BODY), "the name of a body is 3, expected a string"),
        (lambda b: b.add_joint(None, "fixed", "world", "a"), "the name of a joint is None, expected a string"),
        (lambda b: b.add_frame(["f"], "world"), r"the name of a frame is \['f'\], expected a string"),
        (lambda b: b.add_frame("f", 0), "frame 'f': body is 0, expected a string"),
        (body(mass="heavy"), "body 'a': mass must be an array of real numbers"),
        (body(mass="1"), "body 'a': mass must be an array of real numbers"),
        (body(mass=True), "body 'a': mass must be an array of real numbers"),
        (body(mass=None), "body 'a': mass must be an array of real numbers"),
        (body(mass=1j), "body 'a': mass must be an array of real numbers"),
        (body(center_of_mass=("0", "0", "1")), "body 'a': center_of_mass must be an array of real numbers"),
        (body(center_of_mass=np.array(["0", "0", "1"], object)), "body 'a': center_of_mass must be an array of real"),
        (body(center_of_mass=None), "body 'a': center_of_mass must be an array of real numbers"),
        (body(check_inertia=np.zeros(3)), r"body 'a': check_inertia is \[0.0, 0.0, 0.0\], expected True or False"),
        (body(inertia="abc"), "body 'a': inertia must be an array of real numbers"),
        (body(inertia=[[1, 2], [3]]), "body 'a': inertia is not a rectangular array"),
        (joint(type=["revolute"]), r"joint 'j': type is \['revolute'\], expected one of 'fixed'"),
        (joint(type=None), "joint 'j': type is None, expected one of 'fixed'"),
        (joint(parent=None), "joint 'j': parent is None, expected a string"),
        (joint(child=7), "joint 'j': child is 7, expected a string"),
        (joint(axis="abc"), "joint 'j': axis must be an array of real numbers"),
        (joint(axis=[True, False, False]), "joint 'j': axis must be an array of real numbers"),
        (joint(rotation="abc"), "joint 'j': rotation must be an array of real numbers"),
        (joint(position=None), "joint 'j': position must be an array of real numbers"),
        (joint(type="helical", pitch="steep"), "joint 'j': pitch must be an array of real numbers"),
        (joint(mimic=5), r"joint 'j': mimic is 5, expected \(joint, multiplier, offset\)"),
        (joint(mimic="abc"), r"joint 'j': mimic is 'abc', expected \(joint, multiplier, offset\)"),
        (joint(mimic=(1, 1, 0)), "joint 'j': the joint to mimic is 1, expected a string"),
        (joint(mimic=("k", "1", 0)), "joint 'j': multiplier must be an array of real numbers"),
        (joint(damping="x"), "joint 'j': damping must be an array of real numbers"),
        (joint(lower_limit=None), "joint 'j': lower_limit must be an array of real numbers"),
        (lambda b: ModelBuilder(3), "the name of a model is 3, expected a string"),
        (lambda b: ModelBuilder(world=None), "the name of the world is None, expected a string"),
        (lambda b: ModelBuilder(gravity="down"), "model 'model': gravity must be an array of real numbers"),
    ],
)
def test_a_wrong_type_is_a_type_error_of_ours(add, message):
    with pytest.raises(ArgumentTypeError, match=message):
        add(ModelBuilder())


def test_messages_are_short_whatever_comes():
    """No array and no name is shown as a whole."""
    calls = [
        lambda b: b.add_body("a" * 10**6, mass=-1.0),
        lambda b: b.add_body("a", mass=np.zeros(10**6)),
        lambda b: b.add_body("a", mass=10**5000),
        lambda b: b.add_body("a", center_of_mass=["x"] * 10**5),
        lambda b: b.add_joint("j", "r" * 10**6, "world", "a"),
        lambda b: b.add_joint("j", "free", "world", "a", damping=-np.ones(6)),
        lambda b: b.add_joint("j", "free", "world", "a", **{"d" * 10**6: 1.0}),
        lambda b: b.add_joint("j", "revolute", "world", "a", mimic=list(range(10**6))),
    ]
    for call in calls:
        with pytest.raises(PlueckerError) as caught:
            call(ModelBuilder())
        assert len(str(caught.value)) < 400


def links(*pairs):
    def add(builder):
        for name in sorted({name for pair in pairs for name in pair} - {"world"}):
            builder.add_body(name, **BODY)
        for k, (parent, child) in enumerate(pairs):
            builder.add_joint(f"j{k}", **(HINGE | {"parent": parent, "child": child}))

    return add


def with_frame(name, body):
    def add(builder):
        links(("world", "a"))(builder)
        builder.add_frame(name, body)

    return add


def far_away(joints):
    """Four bodies in a row, 1e308 m apart, the first of which move, the others are fixed to them."""

    def add(builder):
        for k in range(4):
            builder.add_body(f"b{k}", mass=1.0 if joints == 2 and k == 1 else 0.0)
            kind = {"type": "free"} if k == 0 and joints == 2 else {"type": "fixed"}
            builder.add_joint(
                f"j{k}", parent=f"b{k - 1}" if k else "world", child=f"b{k}", position=(1e308, 0, 0), **kind
            )
        if joints == 1:
            builder.add_body("tip", mass=1.0)
            builder.add_joint("tip", "revolute", "b3", "tip", axis=(0, 0, 1))

    return add


@pytest.mark.parametrize(
    ("describe", "message"),
    [
        (links(("world", "a"), ("a", "b"), ("c", "d"), ("d", "c")), r"cycle: .*'c' \(joint 'j3'\)"),
        (links(("a", "b"), ("b", "a")), "joints form a cycle: .*'a'.*'b'"),
        (links(("world", "b"), ("world", "a"), ("a", "b")), "body 'b' is the child of two joints, 'j0' and 'j2'"),
        (links(("a", "b")), "body 'a' is the child of no joint; join it to 'world'"),
        (joint(), "joint 'j': unknown child 'a'; there are 'world'"),
        (lambda b: [b.add_body("a"), joint(parent="ghost")(b)], "joint 'j': unknown parent 'ghost'"),
        (with_frame("f", "ghost"), "frame 'f': unknown body 'ghost'; there are 'world', 'a'"),
        (with_frame("a", "a"), "frame 'a' has the name of a body"),
        (far_away(joints=2), "body 'b0': its inertia, with the bodies fixed to it, overflows"),
        (far_away(joints=1), "joint 'tip': its position, pitch or multiplier, or what it carries, overflows"),
        (far_away(joints=0), "frame 'b1': its place on the body that carries it overflows"),
    ],
)
def test_what_is_wrong_together_is_refused_when_it_is_built(describe, message):
    builder = ModelBuilder()
    describe(builder)
    with pytest.raises(ModelError, match=message):
        builder.build()


def test_an_impossible_inertia_can_be_accepted():
    builder = ModelBuilder()
    builder.add_body("a", mass=1.0, inertia=[1.0, 1.0, 2.1], check_inertia=False)
    builder.add_joint("j", **HINGE)
    assert builder.build().links[1, 10] == 1.0


def test_a_refused_part_leaves_the_builder_as_it_was():
    builder = ModelBuilder()
    builder.add_body("a", **BODY)
    with pytest.raises(ModelError):
        builder.add_joint("j", **(HINGE | {"axis": (0, 0, 0)}))
    builder.add_joint("j", **HINGE)
    assert builder.build() == builder.build()


def test_axes_may_have_any_length_but_zero():
    models = []
    for scale in (1.0, 1e-6, 1e6, 1e-300, 1e307):
        builder = ModelBuilder()
        builder.add_body("a", **BODY)
        builder.add_joint("j", **(HINGE | {"axis": scale * np.array([1.0, -2.0, 2.0])}))
        models.append(builder.build())
    for model in models[1:]:
        np.testing.assert_allclose(model.links, models[0].links, atol=1e-15)


@pytest.mark.parametrize("length", [1e200, 1e308, 1e-200, 5e-324])
def test_the_squares_of_an_axis_may_leave_the_range_of_numbers(length):
    builder = ModelBuilder()
    builder.add_body("a", **BODY)
    builder.add_joint("j", "prismatic", "world", "a", axis=(length, length, 0.0))
    expected = np.array([0.0, 0.0, 0.0, 0.5**0.5, 0.5**0.5, 0.0])
    np.testing.assert_allclose(builder.build().freedoms[0, :6], expected, rtol=2e-16)


def test_rotations_that_are_rounded_are_made_rotations():
    """A matrix of seven digits, as files have them, is as good as one of sixteen where it stands in a long chain."""
    c, s = 0.8253356, 0.5646425  # cos and sin of 0.6, rounded
    builder = ModelBuilder()
    n = 200
    for k in range(n):
        builder.add_body(f"b{k}")
        parent = f"b{k - 1}" if k else "world"
        builder.add_joint(f"j{k}", "fixed", parent, f"b{k}", rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]])
    R = builder.build().frame_placements[-1, :3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(R[0, 0], np.cos(0.6 * n), atol=1e-5)  # 200 roundings of 5e-8
