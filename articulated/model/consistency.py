"""Consistency of a model's fields, checked so that no kernel ever reads or writes where it should not.

A model may be made by other hands than the builder's: by :func:`dataclasses.replace`, or from an edited pickle. Kernels
check nothing; they follow the numbers of the link records. So what those numbers must be is worked out here from the
joints alone, for all links at once, and compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.errors import ModelError
from pluecker.articulated.model import layout
from pluecker.articulated.model.joints import JOINT_TYPES, are_rotations, contradictory, native_kind
from pluecker.articulated.model.records import (
    JOINT_ARRAYS,
    MAY_BE_INFINITE,
    Joint,
    ModelFields,
    coordinate_names,
    listing,
)
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.functions.arguments import as_numbers

__all__ = ["as_array", "check_fields", "joint_tree"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
ROTATION_SLACK = 1e-6  # of the length of a quaternion
LARGEST_NUMBER = float(np.finfo(np.float64).max)
EXPECTED = (
    layout.KIND, layout.OWNER, layout.IQ, layout.IV, layout.COUNT, layout.RATIO, layout.OFFSET,
)  # fmt: skip


def as_array(name: str, value: Any) -> Array:
    """Copy an array field of a model into a read-only array."""
    array = as_numbers("Model", name, value)
    array.flags.writeable = False
    return array


def check_fields(model: ModelFields) -> None:
    """Refuse fields that contradict each other or themselves.

    Raises:
        TypeError: a field of another type.
        ModelError: anything else; the message names the field, and the joint or body.
    """
    check_types(model)
    check_joints(model)
    tree = joint_tree(model)
    check_parents(model, tree)
    check_frames(model)
    check_arrays(model)


def refuse(wrong: Any, message: str) -> None:
    """Raise :class:`ModelError` with this message if ``wrong`` is true."""
    if wrong:
        raise ModelError(message)


# ------------------------------------------------------------------------------------------------------------------ names


def check_types(model: ModelFields) -> None:
    """Check the types of all fields but the arrays, which :func:`as_array` has converted before."""
    if not isinstance(model.name, str):
        raise ArgumentTypeError(f"Model: name is {shown(model.name)}, expected a string")
    if not isinstance(model.urdf, str | None):
        raise ArgumentTypeError(f"Model: urdf is {shown(model.urdf)}, expected a string or None")
    for field in ("joints", "body_names", "frames"):
        value = getattr(model, field)
        if not isinstance(value, tuple):
            raise ArgumentTypeError(f"Model: {field} is {shown(value)}, expected a tuple")
    for name in model.body_names:
        check_name("the name of a body", name)
    for joint in model.joints:
        check_joint_types(joint)
    for frame in model.frames:
        if not isinstance(frame, tuple) or len(frame) != 2 or not is_integer(frame[1]):
            raise ArgumentTypeError(f"Model: a frame is {shown(frame)}, expected (name, number of its body)")
        check_name("the name of a frame", frame[0])


def check_name(what: str, name: Any) -> None:
    """Check that a name is a string that is not empty."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"Model: {what} is {shown(name)}, expected a string")
    if not name:
        raise ModelError(f"Model: {what} is empty")


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer by its type; True and False are not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_joint_types(joint: Any) -> None:
    """Check the types of one joint's fields, of which an unpickled joint may lack some."""
    if not isinstance(joint, Joint):
        raise ArgumentTypeError(f"Model: a joint is {shown(joint)}, expected a Joint")
    fields = vars(joint)
    for field in ("name", "type", "parent", "child"):
        check_name(f"the {field} of a joint", fields.get(field))
    for field in ("q_start", "v_start"):
        if not is_integer(fields.get(field)):
            what = f"{field} of joint {shown(joint.name)} is {shown(fields.get(field))}"
            raise ArgumentTypeError(f"Model: {what}, expected an integer")
    mimic = fields.get("mimic")
    if mimic is None:
        return
    numbers: tuple[Any, ...] = (
        mimic[1:] if isinstance(mimic, tuple) and len(mimic) == 3 and isinstance(mimic[0], str) else (None,)
    )
    what = f"Model: mimic of joint {shown(joint.name)} is {shown(mimic)}, expected (joint, multiplier, offset)"
    if not all(isinstance(x, (float, np.floating)) or is_integer(x) for x in numbers):
        raise ArgumentTypeError(what)
    if not all(abs(x) <= LARGEST_NUMBER for x in numbers):
        raise ModelError(f"{what} with finite numbers")


def check_unique(what: str, names: Sequence[str]) -> None:
    """Check that no name is there twice."""
    if len(set(names)) < len(names):
        name = Counter(names).most_common(1)[0][0]
        raise ModelError(f"Model: {what} {shown(name)} is there twice; names are used once")


def check_joints(model: ModelFields) -> None:
    """Check that each moving joint carries a body of its own, and that its coordinates follow those of the one before."""
    check_unique("joint", [joint.name for joint in model.joints])
    check_unique("body", model.body_names)
    children = [joint.child for joint in model.joints]
    check_unique("the child of a joint,", children)
    odd = set(model.body_names).symmetric_difference(children)
    refuse(odd, f"Model: {listing(sorted(odd))}: each body is the child of a joint, and each child a body")
    starts: dict[str, tuple[int, int]] = {}
    nq = nv = 0
    for joint in model.joints:
        kind = JOINT_TYPES.get(joint.type)
        if kind is None or not kind.nv:
            moving = listing(name for name, kind in JOINT_TYPES.items() if kind.nv)
            raise ModelError(f"Model: joint {shown(joint.name)}: unknown type {shown(joint.type)}; there are {moving}")
        if joint.mimic is None:
            starts[joint.name] = nq, nv
            nq, nv = nq + kind.nq, nv + kind.nv
    types = {joint.name: JOINT_TYPES[joint.type] for joint in model.joints}
    for joint in model.joints:
        source = joint.name if joint.mimic is None else joint.mimic[0]
        if source not in starts:
            raise ModelError(f"Model: joint {shown(joint.name)} mimics {shown(source)}, which has no coordinates")
        if joint.mimic is not None and not (types[source].one_freedom and types[joint.name].one_freedom):
            both = f"{shown(joint.name)} and {shown(source)}"
            raise ModelError(f"Model: joints {both} have several freedoms; only joints with one can mimic each other")
        if (joint.q_start, joint.v_start) != starts[source]:
            found = f"{shown(joint.q_start)} in q and {shown(joint.v_start)} in v"
            raise ModelError(f"Model: joint {shown(joint.name)} begins at {found}, expected {starts[source]}")


# ---------------------------------------------------------------------------------------------------------------- records


def joint_tree(model: ModelFields) -> Integers:
    """Find for each joint the numbers of the body that carries it, -1 for the world, and of its own, from the link records.

    Raises:
        ModelError: the records are not those of the joints.
    """
    check_shapes(model)
    links, n = model.links, len(model.body_names)
    parent, body = link_numbers(links, n)
    link_of_body = np.zeros(n, dtype=np.int64)
    link_of_body[body[1:][body[1:] >= 0]] = 1 + np.flatnonzero(body[1:] >= 0)
    index = {name: k for k, name in enumerate(model.body_names)}
    child = np.array([index[joint.child] for joint in model.joints], dtype=np.int64)
    expected, first = expected_records(model, parent, body, link_of_body[child])
    for column, values in expected.items():
        contradicted = 1 + np.flatnonzero(links[1:, column] != values)[:1]
        refuse(len(contradicted), f"Model: entry {column} of links{contradicted.tolist()} contradicts its joint")
    count = links[1:, layout.COUNT].astype(np.int64)
    ends = np.cumsum(count)
    refuse(
        (links[1:, layout.FIRST] != ends - count).any() or len(model.freedoms) != count.sum(),
        "Model: links and freedoms have different numbers of freedoms",
    )
    check_constants(model)
    body[0] = -1
    return np.stack([body[parent[first]], child], axis=1)


def check_shapes(model: ModelFields) -> None:
    """Check shapes and values of the records: finite numbers, zeros for the world, no negative mass or threshold."""
    links, freedoms = model.links, model.freedoms
    for name, records, length in (("links", links, layout.LINK), ("freedoms", freedoms, layout.FREEDOM)):
        if records.ndim != 2 or records.shape[1] != length:
            raise ModelError(f"Model: {name} has shape {records.shape}, expected (..., {length})")
        bad = np.argwhere(~np.isfinite(records))[:1]
        refuse(len(bad), f"Model: {name} has an entry that is not finite, at {bad.tolist()}")
    refuse(not len(links) or links[0].any(), "Model: links does not begin with the world, all zeros")
    refuse((links[:, layout.INERTIA] < 0.0).any(), "Model: a mass in links is negative")
    refuse((freedoms[:, layout.THRESHOLD :] < 0.0).any(), "Model: a threshold in freedoms is negative")


def link_numbers(links: Array, n: int) -> tuple[Integers, Integers]:
    """Check and return the parent of each link, which comes before it, and its body, each of the ``n`` once, or -1."""
    parents, bodies = links[:, layout.PARENT], links[:, layout.BODY]
    last = np.maximum(np.arange(len(links)), 1) - 1
    refuse(
        not (np.isin(parents, np.arange(len(links))) & (parents <= last)).all(),
        "Model: links has a parent that does not come before its child",
    )
    carrying = np.sort(bodies[1:][bodies[1:] != -1.0])
    refuse(not np.array_equal(carrying, np.arange(n)), "Model: links does not have each body once")
    return parents.astype(np.int64), bodies.astype(np.int64)


def expected_records(
    model: ModelFields, parent: Integers, body: Integers, last: Integers
) -> tuple[dict[int, Array], Integers]:
    """Compute the entries that the link records must have according to the joints, and the first link of each joint.

    Args:
        model: the model, of which the joints are read.
        parent, body: the parent of each link, and its body or -1.
        last: for each joint the link of its body, at the end of its chain.

    Returns:
        By column of the record, an array with the value for each link but the world; and for each joint the number of its
        first link.
    """
    expected = {column: np.full(len(parent), np.nan) for column in EXPECTED}
    first = last.copy()
    seen = np.zeros(len(parent), dtype=np.int64)
    by_type: dict[str, list[int]] = {}
    for k, joint in enumerate(model.joints):
        by_type.setdefault(joint.type, []).append(k)
    for name, numbers in by_type.items():
        chain = [native_kind(part) for part in JOINT_TYPES[name].chain]
        joints, which = [model.joints[k] for k in numbers], np.array(numbers)
        starts = np.array([(joint.q_start, joint.v_start) for joint in joints], dtype=np.float64)
        rules = np.array([(1.0, 0.0) if joint.mimic is None else joint.mimic[1:] for joint in joints], dtype=np.float64)
        owner = np.array([joint.mimic is None for joint in joints], dtype=np.float64)
        link = last[which]
        for k in reversed(range(len(chain))):
            refuse(k < len(chain) - 1 and (body[link] != -1).any(), f"Model: a {name} joint has a body inside")
            np.add.at(seen, link, 1)
            first[which] = link
            before = sum(kind.nq for kind in chain[:k]), sum(kind.nv for kind in chain[:k])
            values = (chain[k].number, owner, *(starts + before).T, chain[k].nv, *rules.T)
            for column, value in zip(EXPECTED, values, strict=True):
                expected[column][link] = value
            link = parent[link]
    refuse((seen[1:] != 1).any() or seen[0], "Model: links has other links than those of the joints")
    return {column: values[1:] for column, values in expected.items()}, first


def check_constants(model: ModelFields) -> None:
    """Check that placements are rotations, and that motion subspaces are those of the placements."""
    links = model.links[1:]
    kinds = {native_kind(part) for kind in JOINT_TYPES.values() for part in kind.chain}
    for kind in kinds:
        which = np.flatnonzero(links[:, layout.KIND] == kind.number)
        if len(which):
            columns = links[which, layout.FIRST].astype(np.int64)[:, None] + np.arange(kind.nv)
            with np.errstate(all="ignore"):
                bad = contradictory(kind, links[which], model.freedoms[columns, : layout.THRESHOLD])
            refuse(bad.any(), f"Model: the constants in links[{1 + which[np.argmax(bad)]}] are those of no joint")


# ----------------------------------------------------------------------------------------------------- parents and frames


def check_parents(model: ModelFields, tree: Integers) -> None:
    """Check that each joint's parent is a frame on the body that the records give; the one that is no frame is the world."""
    carrier = dict(model.frames)
    world = None
    for joint, (parent, _) in zip(model.joints, tree.tolist(), strict=True):
        if joint.parent in carrier:
            good = carrier[joint.parent] == parent
        else:
            good = parent == -1 and world in (None, joint.parent)
            world = joint.parent
        if not good:
            raise ModelError(f"Model: the parent of joint {shown(joint.name)} is not {shown(joint.parent)} in links")


def check_frames(model: ModelFields) -> None:
    """Check that frames have unique names and placements on bodies, and that each body is a frame on itself."""
    check_unique("frame", [name for name, _ in model.frames])
    placements, n = model.frame_placements, len(model.body_names)
    expected = (len(model.frames), 4, 4)
    refuse(placements.shape != expected, f"Model: frame_placements has shape {placements.shape}, expected {expected}")
    for name, body in model.frames:
        if not -1 <= body < n:
            raise ModelError(f"Model: frame {shown(name)} is on body {shown(body)}, expected -1 to {n - 1}")
    places = {name: (k, body) for k, (name, body) in enumerate(model.frames)}
    found = [places.get(name, (0, -1)) for name in model.body_names]
    refuse([body for _, body in found] != list(range(n)), "Model: frames does not have each body as a frame on itself")
    last = np.abs(placements[:, 3] - [0.0, 0.0, 0.0, 1.0]).any(axis=1)
    with np.errstate(all="ignore"):
        bad = last | ~are_rotations(placements[:, :3, :3]) | ~np.isfinite(placements).all(axis=(1, 2))
        bad[[k for k, _ in found]] |= (placements[[k for k, _ in found]] != np.eye(4)).any(axis=(1, 2))
    if bad.any():
        name = shown(model.frames[int(np.argmax(bad))][0])
        raise ModelError(
            f"Model: the placement of frame {name} is no rotation and displacement, or not that of its body"
        )


# ----------------------------------------------------------------------------------------------------------------- arrays


def check_arrays(model: ModelFields) -> None:
    """Check gravity and the joint arrays, which a user may replace."""
    gravity = model.gravity
    refuse(
        gravity.shape != (3,) or not np.isfinite(gravity).all(),
        f"gravity must be three finite numbers, got {shown(gravity.tolist())}",
    )
    names = {"nq": coordinate_names(model.joints, "q_labels"), "nv": coordinate_names(model.joints, "v_labels")}
    for name, (count, smallest) in JOINT_ARRAYS.items():
        array, n = getattr(model, name), len(names[count])
        refuse(array.shape != (n,), f"{name} has shape {array.shape}, expected ({n},)")
        bad = np.isnan(array) | (array < smallest)
        if name not in MAY_BE_INFINITE:
            bad |= np.isinf(array)
        if bad.any():
            k = int(np.argmax(bad))
            raise ModelError(
                f"{name} of {shown(names[count][k])} is {array[k]}, expected a finite number from {smallest} up"
            )
    crossed = model.lower_limit > model.upper_limit
    if crossed.any():
        k = int(np.argmax(crossed))
        limits = f"[{model.lower_limit[k]}, {model.upper_limit[k]}]"
        raise ModelError(
            f"the position limits of {shown(names['nq'][k])} are {limits}: the lower one is above the upper"
        )
    check_rest_position(model)


def check_rest_position(model: ModelFields) -> None:
    """Check that the quaternions of the rest position have unit length."""
    joints = [joint for joint in model.joints if JOINT_TYPES[joint.type].quaternion is not None]
    if not joints:
        return
    starts = np.array([joint.q_start + (JOINT_TYPES[joint.type].quaternion or 0) for joint in joints])
    with np.errstate(over="ignore"):
        length = np.linalg.norm(model.rest_position[starts[:, None] + np.arange(4)], axis=1)
    k = int(np.argmax(np.abs(length - 1.0)))
    if not abs(length[k] - 1.0) <= ROTATION_SLACK:
        joint = shown(joints[k].name)
        raise ModelError(f"rest_position: the quaternion of joint {joint} has length {length[k]:.9g}, expected 1")
