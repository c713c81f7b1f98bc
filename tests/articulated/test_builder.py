"""Building by hand: what cannot be is refused early, and by name."""

import numpy as np
import pytest

from pluecker.articulated import ModelBuilder, ModelError

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
        (body(mass="heavy"), "body 'a': mass is 'heavy', expected a number"),
        (body(center_of_mass=(0, 0)), r"body 'a': center_of_mass is \(0, 0\), expected three"),
        (body(center_of_mass=(0, 0, np.inf)), "body 'a': center_of_mass"),
        (body(inertia=[1.0, 1.0, 2.1]), "body 'a'.*none can exceed the sum of the other two"),
        (body(inertia=[1.0, 1.0, -0.1]), "body 'a'.*none can be negative"),
        (body(inertia=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "body 'a': the inertia matrix is not symmetric"),
        (body(inertia=[1.0, 1.0]), r"body 'a': inertia has shape \(2,\), expected"),
        (body(inertia=[1.0, 1.0, np.nan]), "body 'a': inertia holds"),
        (body(mass=0.0), "body 'a': mass 0 with principal moments"),
        (lambda b: b.add_body("world", **BODY), "body 'world': that is the name of the world"),
        (lambda b: b.add_body("", **BODY), "a body needs a name"),
        (lambda b: b.add_body(3, **BODY), "a body needs a name, got 3"),
        (lambda b: [b.add_body("a"), b.add_body("a")], "body 'a' is there already"),
        (joint(type="rotary"), "joint 'j': unknown type 'rotary'; there are 'fixed', 'revolute'"),
        (joint(axis=(0, 0, 0)), "joint 'j': axis is zero"),
        (joint(axis=None), "joint 'j': a revolute joint needs an axis"),
        (joint(axis=(0, 1)), "joint 'j': axis is .*expected three"),
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
        (joint(position=(1, 2)), "joint 'j': position is"),
        (joint(damping=-0.1), "joint 'j': damping is -0.1, expected numbers from 0.0 up"),
        (joint(armature=[1, 2]), "joint 'j': armature is .*expected a number or 1 of them"),
        (joint(stifness=1.0), "joint 'j': unknown property 'stifness'; there are 'armature'"),
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
    ],
)
def test_what_is_wrong_together_is_refused_when_it_is_built(describe, message):
    builder = ModelBuilder()
    describe(builder)
    with pytest.raises(ModelError, match=message):
        builder.build()


def test_an_impossible_inertia_can_be_accepted():
    builder = ModelBuilder()
    builder.add_body("a", mass=1.0, inertia=[1.0, 1.0, 2.1], check=False)
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
    for scale in (1.0, 1e-6, 1e6):
        builder = ModelBuilder()
        builder.add_body("a", **BODY)
        builder.add_joint("j", **(HINGE | {"axis": scale * np.array([1.0, -2.0, 2.0])}))
        models.append(builder.build())
    np.testing.assert_allclose(models[1].links, models[0].links, atol=1e-15)
    np.testing.assert_allclose(models[2].links, models[0].links, atol=1e-15)
