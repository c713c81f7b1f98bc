"""A model made by other hands than the builder's: its fields fit together, or it is refused; no kernel goes astray."""

import contextlib
import copyreg
import dataclasses
import pickle

import numpy as np
import pytest

from pluecker import PlueckerError
from pluecker.articulated import (
    Joint,
    Model,
    ModelBuilder,
    ModelError,
    aba,
    bias_force,
    crba,
    difference,
    forward_kinematics,
    integrate,
    neutral,
    random_configuration,
    rnea,
)
from pluecker.articulated.model import layout
from tests.mechanisms import random_description

CASES = 400
NUMBERS = (0.0, 1.0, -1.0, 2.0, 5.0, 0.5, 100.0, 1e9, -1e9, 2.0**53, 2.0**63, 1e300, np.nan, np.inf, -np.inf)
THINGS = (None, 3, 2.5, "x", "", b"x", (), [], {}, Model, object(), 10**400, "world", True, np.zeros(3), np.array("x"))


def tree():
    """All joint types, merged bodies, a mimic joint, frames."""
    builder = ModelBuilder("tree")
    description = random_description(7, 12)
    for name, body in description.bodies.items():
        builder.add_body(name, **body)
    for name, joint in description.joints.items():
        builder.add_joint(name, **joint)
    for name in ("plate", "finger"):
        builder.add_body(name, mass=0.1)
    builder.add_joint("weld", "fixed", "b3", "plate", position=(0, 0, 0.1))
    hinge = next(name for name, joint in description.joints.items() if joint["type"] == "revolute")
    builder.add_joint("follower", "prismatic", "plate", "finger", axis=(1, 1, 0), mimic=(hinge, -0.5, 0.1))
    builder.add_frame("eye", "b5", position=(0.1, 0, 0))
    return builder.build()


@pytest.fixture(scope="module")
def model():
    return tree()


def corrupt_array(array, rng):
    """Change numbers, rows, the shape or the type of an array."""
    way = rng.integers(8)
    array = np.array(array)
    if way < 3 and array.size:
        for _ in range(rng.integers(1, 3)):
            entry = rng.integers(array.size)
            array.flat[entry] = rng.choice([*NUMBERS, array.flat[entry] + 1.0, -array.flat[entry], rng.normal()])
    elif way == 3 and array.ndim == 2 and len(array):
        array[rng.integers(len(array)), rng.integers(min(10, array.shape[1]))] = rng.integers(-1, 8)
    elif way == 4:
        array = array[rng.permutation(len(array))]
    elif way == 5:
        array = array[: rng.integers(len(array) + 1)]
    elif way == 6:
        array = np.concatenate([array, array[-1:]])
    else:
        array = (array.T, array.ravel(), array.astype(np.float32), array.astype(complex), array[..., :1])[
            rng.integers(5)
        ]
    return array


def corrupt_joints(joints, rng):
    """Change a field of a joint, the order or the number of the joints, or their type."""
    joints = list(joints)
    way, k = rng.integers(5), rng.integers(len(joints))
    field = rng.choice([field.name for field in dataclasses.fields(Joint)])
    others = (*THINGS, -1, 7, 12, "b0", "free", "prismatic", "fixed", ("j0", 1.0, 0.0), ("j0", 1.0), ("x", np.nan, "y"))
    if way < 3:
        joints[k] = dataclasses.replace(joints[k], **{field: others[rng.integers(len(others))]})
    elif way == 3:
        joints = [joints[j] for j in rng.permutation(len(joints))][: rng.integers(1, len(joints) + 1)]
    else:
        joints[k] = (joints[0], None, vars(joints[k]), copyreg.__newobj__(Joint))[rng.integers(4)]
    return tuple(joints)


def corrupt_names(names, rng):
    names = list(names)
    k = rng.integers(len(names))
    if rng.integers(2):
        names[k] = (*THINGS, names[0], ("b0", 5), ("b0", -2), ("b0", 10**400), ("b0", 1.0), (3, 0))[
            rng.integers(len(THINGS) + 6)
        ]
    else:
        names = [names[j] for j in rng.permutation(len(names))][: rng.integers(1, len(names) + 1)]
    return tuple(names)


def corrupted(model, rng):
    """Change some fields of a model; return the changes."""
    fields = [field.name for field in dataclasses.fields(model)]
    likely = ["links"] * 8 + ["freedoms"] * 4 + ["joints"] * 6 + ["body_names", "frames"] * 3 + fields
    changes = {}
    for name in rng.choice(likely, rng.integers(1, 3)):
        value = getattr(model, name)
        if rng.random() < 0.1:
            changes[name] = THINGS[rng.integers(len(THINGS))]
        elif name == "joints":
            changes[name] = corrupt_joints(value, rng)
        elif isinstance(value, np.ndarray):
            changes[name] = corrupt_array(value, rng)
        elif isinstance(value, tuple):
            changes[name] = corrupt_names(value, rng)
    return changes


def use(model):
    """Call what kernels do with a model; results need not be sensible, but every index has to be right."""
    n = {"nq": model.nq, "nv": model.nv, "bodies": model.n_bodies}
    q, v = neutral(model), np.linspace(-1.0, 1.0, n["nv"])
    for call in (
        lambda: rnea(model, q, v, v, np.ones((n["bodies"], 6))),
        lambda: aba(model, q, v, v),
        lambda: crba(model, q),
        lambda: bias_force(model, q, v),
        lambda: difference(model, q, integrate(model, q, v)),
        lambda: forward_kinematics(model, random_configuration(model, 0, 9), model.frame_names),
    ):
        with contextlib.suppress(PlueckerError):  # a singular inertia, numbers that overflow
            assert call() is not None
    assert repr(model)
    assert pickle.loads(pickle.dumps(model)) == model


def made(model, changes):
    """The changed model, or None and the reason."""
    try:
        return dataclasses.replace(model, **changes), ""
    except PlueckerError as error:
        return None, str(error)


def check_cases(model, first, count):
    refused = 0
    for seed in range(first, first + count):
        changes = corrupted(model, np.random.default_rng(seed))
        other, message = made(model, changes)
        assert len(message) < 600, (seed, changes)
        if other is None:
            refused += 1
        else:
            use(other)
    return refused


@pytest.mark.indices
def test_a_corrupted_model_is_refused_or_harmless(model):
    assert check_cases(model, 0, CASES) > CASES // 2


RECORDS = {
    "parent": ("links", (3, layout.PARENT), 7.0),
    "parent of itself": ("links", (3, layout.PARENT), 3.0),
    "half a parent": ("links", (3, layout.PARENT), 0.5),
    "body": ("links", (3, layout.BODY), 1e6),
    "kind": ("links", (3, layout.KIND), 9.0),
    "owner": ("links", (3, layout.OWNER), 0.0),
    "place in q": ("links", (3, layout.IQ), 1e6),
    "place in v": ("links", (3, layout.IV), -5.0),
    "count": ("links", (3, layout.COUNT), 1e9),
    "first": ("links", (3, layout.FIRST), 1e9),
    "ratio": ("links", (3, layout.RATIO), 2.0),
    "offset": ("links", (3, layout.OFFSET), 2.0),
    "mass": ("links", (3, layout.INERTIA), -1.0),
    "moment": ("links", (3, layout.INERTIA + 1), np.nan),
    "placement": ("links", (3, layout.PLACEMENT), 2.0),
    "the world": ("links", (0, layout.INERTIA), 2.0),
    "subspace": ("freedoms", (2, 1), 2.0),
    "threshold": ("freedoms", (2, layout.THRESHOLD), -1.0),
    "frame": ("frame_placements", (1, 0, 3), 2.0),
}


@pytest.mark.parametrize("name", RECORDS)
def test_each_number_of_a_record_is_checked(name, model):
    field, place, value = RECORDS[name]
    records = getattr(model, field).copy()
    records[place] = value
    with pytest.raises(ModelError):
        dataclasses.replace(model, **{field: records})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"links": np.zeros((1, 56))}, "links does not have each body once"),
        ({"links": np.zeros((14, 3))}, r"links has shape \(14, 3\)"),
        ({"freedoms": np.zeros((0, layout.FREEDOM))}, "different numbers of freedoms"),
        ({"body_names": ("a",)}, "each body is the child of a joint"),
        ({"frames": ()}, "frame_placements|as a frame on itself|parent of joint"),
        ({"armature": np.zeros(0)}, r"armature has shape \(0,\)"),
        ({"joints": ()}, "each body is the child of a joint"),
    ],
)
def test_fields_of_other_sizes_are_refused(changes, message, model):
    with pytest.raises(ModelError, match=message):
        dataclasses.replace(model, **changes)


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Model)])
def test_fields_of_other_types_are_type_errors(field, model):
    for value in {"name": (3, None), "urdf": (3, b"x")}.get(field, ("x", None)):
        with pytest.raises(TypeError) as caught:
            dataclasses.replace(model, **{field: value})
        assert isinstance(caught.value, PlueckerError)


def test_an_edited_pickle_is_refused(model):
    """Names and numbers changed in the file."""
    data = pickle.dumps(model, protocol=4)
    links = model.links.copy()
    links[4, layout.IQ] += 1e6
    edits = [(b"prismatic", b"prismatik"), (b"q_start", b"q_begin"), (model.links.tobytes(), links.tobytes())]
    for old, new in edits:
        assert old in data
        with pytest.raises(PlueckerError):
            pickle.loads(data.replace(old, new))


if __name__ == "__main__":  # python -m tests.articulated.model.test_consistency FIRST COUNT
    import sys

    print(check_cases(tree(), int(sys.argv[1]), int(sys.argv[2])), "refused")
