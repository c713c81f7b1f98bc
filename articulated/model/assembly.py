"""From a user's bodies and joints to the sorted tree that kernels walk.

Fixed joints are merged, composite joints are taken apart into 1-DoF links, and links are sorted depth-first so that a
parent comes before its children; the user's order of bodies and joints is kept outside, in the numbers that each link
record holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.errors import ModelError
from pluecker.articulated.model import layout
from pluecker.articulated.model.inertias import Inertia
from pluecker.articulated.model.joints import JOINT_TYPES, native_joint
from pluecker.articulated.model.model import JOINT_ARRAYS, Joint, Model, listing

if TYPE_CHECKING:
    from pluecker.articulated.model.builder import JointSpec, ModelBuilder

__all__ = ["assemble"]

Array = NDArray[np.float64]
EPSILON = (
    1e-13  # of the inertias that a pivot came from: rounding leaves up to TODO of them where there should be nothing
)


@dataclass
class Link:
    """A link while the tree is being put together. ``R``, ``p``: placement of the joint's frame on the parent link."""

    parent: int
    joint: JointSpec
    part: str  # of the joint type's chain: "revolute 0", "free", ...
    number: int  # of that part in the chain
    R: Array
    p: Array
    body: str | None
    inertia: Inertia = field(default_factory=Inertia.zero)


@dataclass
class Anchor:
    """Where a body is: on which link, and placed how."""

    link: int
    R: Array
    p: Array


def assemble(builder: ModelBuilder) -> Model:
    """Build the model that a :class:`ModelBuilder` describes."""
    ordered = depth_first(builder)
    links, anchors = place_links(builder, ordered)
    joints = number_joints(builder)
    owner = {joint.name: joint for joint in joints}
    moving = [name for name in builder.bodies if any(link.body == name for link in links)]
    records, freedoms = write_records(links, owner, {name: k for k, name in enumerate(moving)})
    frames, placements = place_frames(builder, anchors, links, moving)
    return Model(
        name=builder.name,
        gravity=builder.gravity,
        joints=tuple(joints),
        body_names=tuple(moving),
        frames=frames,
        frame_placements=placements,
        links=records,
        freedoms=freedoms,
        **gather_arrays(builder, joints),
    )


# --------------------------------------------------------------------------------------------------------------- the tree


def depth_first(builder: ModelBuilder) -> list[JointSpec]:
    """The joints, each after the joint that carries its parent, siblings in the user's order."""
    carrier: dict[str, JointSpec] = {}
    below: dict[str, list[JointSpec]] = {}
    for joint in builder.joints.values():
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in builder.bodies and name != builder.world:
                known = listing([builder.world, *builder.bodies])
                raise ModelError(f"joint {joint.name!r}: unknown {role} {name!r}; there are {known}")
        if joint.child in carrier:
            both = f"{carrier[joint.child].name!r} and {joint.name!r}"
            raise ModelError(
                f"body {joint.child!r} is the child of two joints, {both}; a tree has one path to each body"
            )
        carrier[joint.child] = joint
        below.setdefault(joint.parent, []).append(joint)
    for name in builder.bodies:
        if name not in carrier:
            raise ModelError(f"body {name!r} is the child of no joint; join it to {builder.world!r} or another body")
    ordered, stack = [], below.get(builder.world, [])[::-1]
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack += below.get(joint.child, [])[::-1]
    if len(ordered) < len(builder.joints):
        raise ModelError(f"joints form a cycle: {describe_cycle(carrier, {joint.name for joint in ordered})}")
    return ordered


def describe_cycle(carrier: dict[str, JointSpec], reached: set[str]) -> str:
    """The names along one cycle, found by walking from child to parent until a body comes again."""
    body = next(joint.child for joint in carrier.values() if joint.name not in reached)
    seen: list[str] = []
    while body not in seen:
        seen.append(body)
        body = carrier[body].parent
    cycle = seen[seen.index(body) :][::-1]
    steps = [f"{body!r}"] + [f"-> {name!r} (joint {carrier[name].name!r})" for name in cycle]
    return " ".join(steps) + "; a tree has none"


def place_links(builder: ModelBuilder, ordered: list[JointSpec]) -> tuple[list[Link], dict[str, Anchor]]:
    """The links, sorted, with merged inertias; and where each body ended up. Link 0 is the world."""
    anchors = {builder.world: Anchor(0, np.eye(3), np.zeros(3))}
    links: list[Link] = []
    for joint in ordered:
        base = anchors[joint.parent]
        anchor = Anchor(base.link, base.R @ joint.rotation, base.p + base.R @ joint.position)
        chain = JOINT_TYPES[joint.type].chain
        for number, part in enumerate(chain):
            last = number == len(chain) - 1
            links.append(Link(anchor.link, joint, part, number, anchor.R, anchor.p, joint.child if last else None))
            anchor = Anchor(len(links), np.eye(3), np.zeros(3))
        anchors[joint.child] = anchor
        if anchor.link > 0:
            link = links[anchor.link - 1]
            link.inertia = link.inertia + builder.bodies[joint.child].carried(anchor.R, anchor.p)
    return links, anchors


def place_frames(
    builder: ModelBuilder, anchors: dict[str, Anchor], links: list[Link], moving: list[str]
) -> tuple[tuple[tuple[str, int], ...], Array]:
    """Names of all frames with the body each is on, and their placements there, (n, 4, 4)."""
    frames, placements = [], []
    placed = [(name, anchors[name]) for name in builder.bodies]
    for frame in builder.frames.values():
        if frame.name in builder.bodies:
            raise ModelError(f"frame {frame.name!r} has the name of a body")
        if frame.body not in anchors:
            known = listing([builder.world, *builder.bodies])
            raise ModelError(f"frame {frame.name!r}: unknown body {frame.body!r}; there are {known}")
        base = anchors[frame.body]
        placed.append((frame.name, Anchor(base.link, base.R @ frame.rotation, base.p + base.R @ frame.position)))
    numbers = {name: k for k, name in enumerate(moving)}
    for name, anchor in placed:
        body = links[anchor.link - 1].body if anchor.link > 0 else None
        frames.append((name, numbers[body] if body is not None else -1))
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = anchor.R, anchor.p
        placements.append(T)
    return tuple(frames), np.array(placements).reshape(-1, 4, 4)


# ------------------------------------------------------------------------------------------------------------ coordinates


def number_joints(builder: ModelBuilder) -> list[Joint]:
    """The moving joints in the user's order, with their places in q and v; a mimic joint has its source's."""
    starts: dict[str, tuple[int, int]] = {}
    nq = nv = 0
    moving = [joint for joint in builder.joints.values() if JOINT_TYPES[joint.type].nv > 0]
    for joint in moving:
        if joint.mimic is None:
            starts[joint.name] = nq, nv
            nq, nv = nq + JOINT_TYPES[joint.type].nq, nv + JOINT_TYPES[joint.type].nv
    joints = []
    for joint in moving:
        mimic = resolve_mimic(builder, joint)
        start = starts[joint.name if mimic is None else mimic[0]]
        joints.append(Joint(joint.name, joint.type, joint.parent, joint.child, *start, mimic))
    return joints


def resolve_mimic(builder: ModelBuilder, joint: JointSpec) -> tuple[str, float, float] | None:
    """The joint at the end of a chain of mimics, with multiplier and offset of the whole chain."""
    if joint.mimic is None:
        return None
    source, multiplier, offset = joint.mimic
    seen = [joint.name]
    while True:
        if source not in builder.joints:
            raise ModelError(
                f"joint {joint.name!r} mimics {source!r}, which is no joint; there are {listing(builder.joints)}"
            )
        found = builder.joints[source]
        if source in seen:
            raise ModelError(f"joint {joint.name!r} mimics itself: {' -> '.join([*seen, source])}")
        if (JOINT_TYPES[found.type].nq, JOINT_TYPES[found.type].nv) != (1, 1):
            raise ModelError(
                f"joint {joint.name!r} mimics {source!r}, a {found.type} joint; that must have one freedom"
            )
        if found.mimic is None:
            return source, multiplier, offset
        seen.append(source)
        source, factor, shift = found.mimic
        multiplier, offset = multiplier * factor, multiplier * shift + offset


def gather_arrays(builder: ModelBuilder, joints: list[Joint]) -> dict[str, Array]:
    """The arrays of the model from those of its joints; a mimic joint's act on the coordinate that it follows."""
    infinity = {"lower_limit": -np.inf, "upper_limit": np.inf, "velocity_limit": np.inf, "effort_limit": np.inf}
    owners = [joint for joint in joints if joint.mimic is None]
    arrays: dict[str, Array] = {}
    for name, (count, _) in JOINT_ARRAYS.items():
        parts = []
        for joint in owners:
            n = getattr(JOINT_TYPES[joint.type], count)
            parts.append(builder.joints[joint.name].arrays.get(name, np.full(n, infinity.get(name, 0.0))))
            if name == "rest_position" and joint.type in ("spherical", "free") and not parts[-1].any():
                parts[-1] = np.array([0.0] * (n - 4) + [1.0, 0.0, 0.0, 0.0])
        arrays[name] = np.concatenate(parts) if parts else np.empty(0)
    for joint in joints:
        if joint.mimic is not None:
            fold_mimic(arrays, builder.joints[joint.name].arrays, joint)
    return arrays


def fold_mimic(arrays: dict[str, Array], own: dict[str, Array], joint: Joint) -> None:
    """Let the properties of a mimic joint, at x = c q + b, act on the coordinate q of its source.

    Power balance gives c^2 for armature, damping and stiffness, and |c| for dry friction. Two springs on one coordinate
    are one, with its rest position in between. Position and velocity limits are the tighter ones, unless the position
    limits contradict each other: then the source's stand.
    """
    assert joint.mimic is not None
    _, c, b = joint.mimic
    q, v = joint.q_start, joint.v_start
    value = {name: float(array[0]) for name, array in own.items()}
    arrays["armature"][v] += c * c * value.get("armature", 0.0)
    arrays["damping"][v] += c * c * value.get("damping", 0.0)
    arrays["friction"][v] += abs(c) * value.get("friction", 0.0)
    if c == 0.0:
        return
    k0, k1 = arrays["stiffness"][v], c * c * value.get("stiffness", 0.0)
    if k1 > 0.0:
        rest = (value.get("rest_position", 0.0) - b) / c
        arrays["rest_position"][q] = (k0 * arrays["rest_position"][q] + k1 * rest) / (k0 + k1)
        arrays["stiffness"][v] = k0 + k1
    arrays["velocity_limit"][v] = min(arrays["velocity_limit"][v], value.get("velocity_limit", np.inf) / abs(c))
    ends = sorted([(value.get("lower_limit", -np.inf) - b) / c, (value.get("upper_limit", np.inf) - b) / c])
    lower, upper = max(ends[0], arrays["lower_limit"][q]), min(ends[1], arrays["upper_limit"][q])
    if lower <= upper:
        arrays["lower_limit"][q], arrays["upper_limit"][q] = lower, upper


# ---------------------------------------------------------------------------------------------------------------- records


def write_records(links: list[Link], owner: dict[str, Joint], numbers: dict[str, int]) -> tuple[Array, Array]:
    """The link records, with one for the world, and the freedom records, as the layout has them."""
    records = np.zeros((len(links) + 1, layout.LINK))
    freedoms: list[Array] = []
    scales = inertia_scales(links)
    for i, link in enumerate(links, start=1):
        joint = owner[link.joint.name]
        ratio, offset = (1.0, 0.0) if joint.mimic is None else joint.mimic[1:]
        kind, constants, columns = native_joint(link.part, link.joint.axes, link.joint.pitch, link.R, link.p, ratio)
        record = records[i]
        record[layout.PARENT], record[layout.KIND] = link.parent, kind
        record[layout.BODY] = -1 if link.body is None else numbers[link.body]
        record[layout.OWNER] = float(joint.mimic is None)
        record[layout.IQ], record[layout.IV] = joint.q_start + link.number, joint.v_start + link.number
        record[layout.COUNT], record[layout.FIRST] = len(columns), len(freedoms)
        record[layout.RATIO], record[layout.OFFSET] = ratio, offset
        record[layout.INERTIA : layout.INERTIA + 10] = link.inertia.ten_numbers()
        for start, values in constants.items():
            record[start : start + values.size] = values.ravel()
        mass, moment = scales[i]
        for S in columns:
            turn, slide = EPSILON * (S[:3] @ S[:3]), EPSILON * (S[3:] @ S[3:])
            freedoms.append(np.concatenate([S, [turn * moment + slide * mass, turn]]))
    return records, np.array(freedoms).reshape(-1, layout.FREEDOM)


def inertia_scales(links: list[Link]) -> list[tuple[float, float]]:
    """For each link and what it carries: the mass, and the largest moment of inertia that meets its joint from one link.

    That is the moment of a body about its own origin, or of all the mass beyond a joint at the end of the one link that
    leads there: joints in between yield, so that no longer lever is ever added up.
    """
    mass = [0.0] + [link.inertia.mass for link in links]
    moment = [0.0] + [max(0.0, float(np.trace(link.inertia.about_origin))) for link in links]
    for i in range(len(links), 0, -1):
        link = links[i - 1]
        mass[link.parent] += mass[i]
        moment[link.parent] = max(moment[link.parent], moment[i], float(link.p @ link.p) * mass[i])
    return list(zip(mass, moment, strict=True))
