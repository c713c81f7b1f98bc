"""The model: constant, comparable, picklable, and easy to ask."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from pluecker import PlueckerError
from pluecker.articulated import (
    Model,
    ModelBuilder,
    ModelError,
    bias_force,
    conventions,
    forward_kinematics,
    neutral,
    random_configuration,
)
from pluecker.spatial import ArgumentTypeError, UnknownNameError
from tests.mechanisms import random_description, random_state
from tests.models import one_body


@pytest.fixture(scope="module")
def model():
    return random_description(4, 12).build(name="tree")


def walker():
    builder = ModelBuilder("walker")
    for name, mass in (("left", 1.0), ("trunk", 5.0), ("foot", 0.0), ("right", 1.0)):
        builder.add_body(name, mass=mass, inertia=[0.1, 0.1, 0.1] if mass else None)
    builder.add_joint("left_hip", "revolute", "trunk", "left", axis=(0, 1, 0), damping=0.5)
    builder.add_joint("base", "free", "world", "trunk")
    builder.add_joint("sole", "fixed", "left", "foot", position=(0, 0, -1))
    builder.add_joint("right_hip", "spherical", "trunk", "right")
    builder.add_frame("camera", "trunk", position=(0.1, 0, 0.2))
    return builder.build()


def test_counts_and_names_follow_the_users_order():
    model = walker()
    assert (model.nq, model.nv, model.n_bodies) == (12, 10, 3)
    assert model.joint_names == ("left_hip", "base", "right_hip")
    assert model.body_names == ("left", "trunk", "right")
    assert model.frame_names == ("left", "trunk", "foot", "right", "camera")
    assert model.q_slice("left_hip") == slice(0, 1)
    assert model.q_slice("base") == slice(1, 8)
    assert model.v_slice("right_hip") == slice(7, 10)
    assert model.body_index("right") == 2
    assert model.q_names[:5] == ("left_hip", "base.x", "base.y", "base.z", "base.qw")
    assert model.v_names[1:3] == ("base.wx", "base.wy")
    assert model.mass == 7.0


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: m.q_slice("hip"), "no joint 'hip' moves; there are 'left_hip', 'base', 'right_hip'"),
        (lambda m: m.v_slice("sole"), "no joint 'sole' moves"),
        (lambda m: m.body_index("tail"), "no body 'tail'; there are 'left', 'trunk', 'right'"),
        (lambda m: m.body_index("foot"), "'foot' is no moving body: it is fixed to 'left'"),
        (lambda m: forward_kinematics(m, neutral(m), ["nose"]), "no frame 'nose'; there are 'left'"),
    ],
)
def test_an_unknown_name_is_answered_with_the_names_there_are(ask, message):
    with pytest.raises(KeyError, match=message):
        ask(walker())


def test_repr_draws_the_tree():
    assert repr(walker()).splitlines() == [
        "Model 'walker': nq = 12, nv = 10, n_bodies = 3, 7 kg",
        "world",
        "trunk     base: free, q[1:8], v[1:7]              with camera",
        "├─ left   left_hip: revolute, q[0]                with foot",
        "└─ right  right_hip: spherical, q[8:12], v[7:10]",
    ]


def test_repr_of_a_long_chain_stays_short():
    description = random_description(0, 300, kinds=("revolute",), branching=0.0)
    lines = repr(description.build()).splitlines()
    assert len(lines) < 130
    assert lines[-1].startswith("... and ")
    assert max(map(len, lines)) < 80


def test_the_name_of_the_world_may_be_that_of_a_body_elsewhere():
    """The root is where the tree begins, whatever it and the bodies are called."""
    for world, body in (("world", "a"), ("ground", "world"), ("ground", "a"), ("world", "model")):
        builder = ModelBuilder("m", world=world)
        builder.add_body(body)
        builder.add_body("plate")
        builder.add_body("tip", mass=1.0)
        builder.add_joint("j1", "revolute", world, body, axis=(0, 0, 1))
        builder.add_joint("weld", "fixed", body, "plate")
        builder.add_joint("j2", "revolute", "plate", "tip", axis=(0, 0, 1))
        head, *lines = str(builder.build()).splitlines()
        assert head.startswith("Model 'm'")
        assert [line.split()[0] for line in lines] == [world, body, "tip"]


def test_nothing_else_has_the_name_of_the_world():
    builder = ModelBuilder(world="ground")
    for add in (builder.add_body, lambda name: builder.add_frame(name, "ground")):
        with pytest.raises(ModelError, match="'ground': that is the name of the world"):
            add("ground")


def test_a_chain_of_many_bodies_is_built_drawn_and_searched():
    """No function recurses, and none looks at all bodies for each of them."""
    builder = ModelBuilder()
    n = 3000
    for k in range(n):
        builder.add_body(f"b{k}", mass=1.0)
        parent = f"b{k - 1}" if k else "world"
        builder.add_joint(f"j{k}", "revolute", parent, f"b{k}", axis=(0, 0, 1), position=(0.1, 0, 0))
    model = builder.build()
    assert len(str(model).splitlines()) < 130
    assert [model.body_index(name) for name in model.body_names] == list(range(n))
    assert pickle.loads(pickle.dumps(model)) == model


def test_of_many_names_those_that_look_alike_come_first():
    builder = ModelBuilder()
    for k in range(200):
        builder.add_body(f"finger_{k}", mass=1.0)
        builder.add_joint(f"knuckle_{k}", "prismatic", "world", f"finger_{k}", axis=(0, 0, 1))
    model = builder.build()
    for ask, near in (
        (lambda: model.body_index("fingr_173"), "'finger_173'"),
        (lambda: model.q_slice("knuckel_173"), "'knuckle_173'"),
        (lambda: model.frame_offsets(["fnger_173"]), "'finger_173'"),
    ):
        with pytest.raises(UnknownNameError, match=f"there are {near}") as caught:
            ask()
        assert len(str(caught.value)) < 600


@pytest.mark.parametrize("thing", [None, Model, "panda.urdf", 3, np.zeros(3)], ids=str)
def test_what_is_no_model_is_a_type_error_of_ours(thing):
    calls = [
        lambda: neutral(thing),
        lambda: random_configuration(thing),
        lambda: conventions.to_pinocchio_q(thing, thing, [0.0]),
        lambda: conventions.from_pinocchio_q(thing, thing, [0.0]),
        lambda: conventions.velocity_map_to_pinocchio(thing, thing),
        lambda: conventions.forces_to_pinocchio(thing, thing, [0.0]),
        lambda: conventions.velocity_map_to_pinocchio(walker(), thing),
    ]
    for call in calls:
        with pytest.raises(ArgumentTypeError, match="must be a p"):
            call()


def test_a_name_that_is_no_string_is_a_type_error_of_ours(model):
    for name in (None, 3, ["b1"], np.zeros(2)):
        for ask in (model.joint, model.q_slice, model.v_slice, model.body_index, lambda x: model.frame_offsets([x])):
            with pytest.raises(ArgumentTypeError, match="expected a string"):
                ask(name)
    for names in (None, 3, "b1", np.array("b1")):
        with pytest.raises(ArgumentTypeError, match="expected names of frames"):
            model.frame_offsets(names)


def test_neither_a_model_nor_its_copies_can_be_changed(model):
    for each in (model, copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        with pytest.raises(dataclasses.FrozenInstanceError):
            each.gravity = np.zeros(3)
        for name in ("gravity", "damping", "links", "packed", "rest_position", "lower_limit"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(each, name)[...] = 0.0


def test_a_model_does_not_keep_the_arrays_it_was_made_from():
    builder = ModelBuilder()
    gravity = builder.gravity
    builder.add_body("b", mass=1.0)
    builder.add_joint("j", "prismatic", "world", "b", axis=(0, 0, 1))
    model = builder.build()
    gravity[:] = 5.0
    assert model.gravity.tolist() == [0.0, 0.0, -9.81]


def test_models_of_equal_content_are_equal_and_others_are_not(model):
    assert walker() == walker()
    assert hash(walker()) == hash(walker())
    assert walker() != model
    assert walker() != walker().replace(damping=0.3)
    assert walker() != walker().replace(name="runner")
    assert walker() != "walker"


def test_replace_changes_what_it_says_and_nothing_else(model):
    before = pickle.dumps(model)
    light = model.replace(gravity=(0, 0, -1.62), damping=0.25, name="moon")
    assert light.gravity.tolist() == [0.0, 0.0, -1.62]
    assert light.name == "moon"
    np.testing.assert_array_equal(light.damping, np.full(model.nv, 0.25))
    np.testing.assert_array_equal(light.armature, model.armature)
    assert pickle.dumps(model) == before
    s = random_state(model, 2)
    difference = bias_force(light, s["q"], s["v"]) - bias_force(model.replace(gravity=(0, 0, -1.62)), s["q"], s["v"])
    np.testing.assert_allclose(difference, (0.25 - model.damping) * s["v"], atol=1e-11)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"links": 0}, TypeError, "cannot replace 'links'; it takes name, gravity, armature"),
        ({"gravity": (0, 0)}, ModelError, "gravity must be three finite numbers"),
        ({"gravity": (0, 0, np.nan)}, ModelError, "gravity must be three finite numbers"),
        ({"damping": -1.0}, ModelError, "damping of 'left_hip' is -1"),
        ({"armature": np.inf}, ModelError, "armature of 'left_hip' is inf"),
        ({"lower_limit": np.nan}, ModelError, "lower_limit of 'left_hip' is nan"),
        ({"lower_limit": 1.0, "upper_limit": -1.0}, ModelError, "position limits of 'left_hip'"),
        ({"rest_position": 0.0}, ModelError, "the quaternion of joint 'base' has length 0"),
        ({"damping": np.zeros(3)}, ModelError, r"damping has shape \(3,\), expected a number or \(10,\)"),
        ({"damping": "x"}, TypeError, "Model.replace: damping must be an array of real numbers"),
        ({"damping": True}, TypeError, "Model.replace: damping must be an array of real numbers"),
        ({"stiffness": None}, TypeError, "Model.replace: stiffness must be an array of real numbers"),
        ({"armature": 10**400}, PlueckerError, "Model.replace: armature"),
        ({"gravity": "down"}, TypeError, "Model.replace: gravity must be an array of real numbers"),
        ({"gravity": ("0", "0", "1")}, TypeError, "Model.replace: gravity must be an array of real numbers"),
        ({"name": 3}, TypeError, "name is 3, expected a string"),
    ],
)
def test_replace_refuses_what_cannot_be(changes, error, message):
    with pytest.raises(error, match=message):
        walker().replace(**changes)


def test_planar_joints_move_in_their_plane():
    builder = ModelBuilder()
    for name, axis in (("xy", (0, 0, 1)), ("tilted", (1, 2, -2))):
        builder.add_body(name, mass=1.0)
        builder.add_joint(name, "planar", "world", name, axis=axis)
    builder.add_body("given", mass=1.0)
    builder.add_joint("given", "planar", "world", "given", axis=(0, 0, 2), axis2=(0, 1, 5))
    model = builder.build()
    T = forward_kinematics(model, [0.3, 0.4, 0.5] * 3)
    np.testing.assert_allclose(T[0, :3, 3], [0.3, 0.4, 0.0], atol=1e-15)
    np.testing.assert_allclose(T[0, :2, 0], [np.cos(0.5), np.sin(0.5)], atol=1e-15)
    assert T[1, :3, 3] @ [1, 2, -2] == pytest.approx(0.0, abs=1e-15)
    assert np.linalg.norm(T[1, :3, 3]) == pytest.approx(0.5)
    np.testing.assert_allclose(T[2, :3, 3], [-0.4, 0.3, 0.0], atol=1e-15)


def test_helical_joints_travel_as_they_turn():
    T = forward_kinematics(one_body("nut", "helical", 1.0, axis=(0, 0, 3), pitch=0.1), [np.pi])[0]
    np.testing.assert_allclose(T, [[-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0.1 * np.pi], [0, 0, 0, 1]], atol=1e-15)
