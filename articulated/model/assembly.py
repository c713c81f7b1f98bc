"""Assembly of a user's bodies and joints to the sorted tree that kernels walk.

Fixed joints are merged, composite joints are taken apart into 1-DoF links, and links are sorted depth-first so that a
parent comes before its children; the user's order of bodies and joints is kept outside, in the numbers that each link
record holds. All of it takes time in proportion to the number of bodies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.errors import ModelError
from pluecker.articulated.model import layout
from pluecker.articulated.model.description import Description, Inertia, JointSpec
from pluecker.articulated.model.joints import JOINT_TYPES, native_joint, native_kind
from pluecker.articulated.model.records import JOINT_ARRAYS, Joint, known
from pluecker.spatial.errors import shown

__all__ = ["assemble"]

Array = NDArray[np.float64]
EPSILON = 1e-13  # of the inertias that a pivot came from: what rounding may leave where there should be nothing
HEAD = [
    layout.PARENT, layout.BODY, layout.KIND, layout.OWNER, layout.IQ, layout.IV, layout.COUNT, layout.FIRST, layout.RATIO,
    layout.OFFSET,
]  # fmt: skip
DEFAULTS = {"lower_limit": -np.inf, "upper_limit": np.inf, "velocity_limit": np.inf, "effort_limit": np.inf}


@dataclass(frozen=True)
class Anchor:
    """Placement of a body on a link; ``place`` is None for the body that the link's own joint carries."""

    link: int
    place: tuple[Array, Array] | None = None  # its axes as columns, and its origin

    def at(self, R: Array, p: Array) -> tuple[Array, Array]:
        """Convert a placement on the body to one on the link."""
        if self.place is None:
            return R, p
        return self.place[0] @ R, self.place[1] + self.place[0] @ p


@dataclass
class Link:
    """A link while the tree is being put together. ``R``, ``p``: placement of the joint's frame on the parent link."""

    parent: int
    joint: JointSpec
    part: str  # of the joint type's chain: "revolute 0", "free", ...
    q: int  # index of the part's first coordinate among the joint's
    v: int
    R: Array
    p: Array
    body: str | None = None
    inertia: Inertia | None = None


def assemble(description: Description) -> dict[str, Any]:
    """Assemble the fields of the model that a description describes.

    Raises:
        ModelError: the bodies and joints do not make a tree that hangs on the world.
    """
    ordered = depth_first(description)
    joints = number_joints(description)
    with np.errstate(all="ignore"):  # what overflows is refused by name
        links, anchors = place_links(description, ordered)
        carried = {link.body for link in links}
        moving = [name for name in description.bodies if name in carried]
        numbers = {name: k for k, name in enumerate(moving)}
        records, freedoms = write_records(links, {joint.name: joint for joint in joints}, numbers)
        frames, placements = place_frames(description, anchors, links, numbers)
        return {
            "name": description.name,
            "gravity": description.gravity,
            "joints": tuple(joints),
            "body_names": tuple(moving),
            "frames": frames,
            "frame_placements": placements,
            "links": records,
            "freedoms": freedoms,
            **gather_arrays(description, joints),
        }


# --------------------------------------------------------------------------------------------------------------- the tree


def depth_first(description: Description) -> list[JointSpec]:
    """Sort the joints, each after the joint that carries its parent, siblings in the user's order."""
    bodies, world = description.bodies, description.world
    carrier: dict[str, JointSpec] = {}
    below: dict[str, list[JointSpec]] = {}
    for joint in description.joints.values():
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in bodies and name != world:
                there = known(name, [world, *bodies])
                raise ModelError(f"joint {shown(joint.name)}: unknown {role} {shown(name)}; there are {there}")
        if joint.child in carrier:
            both = f"{shown(carrier[joint.child].name)} and {shown(joint.name)}"
            raise ModelError(
                f"body {shown(joint.child)} is the child of two joints, {both}; a tree has one path to each body"
            )
        carrier[joint.child] = joint
        below.setdefault(joint.parent, []).append(joint)
    for name in bodies:
        if name not in carrier:
            raise ModelError(f"body {shown(name)} is the child of no joint; join it to {shown(world)} or another body")
    ordered, stack = [], below.get(world, [])[::-1]
    while stack:
        joint = stack.pop()
        ordered.append(joint)
        stack += below.get(joint.child, [])[::-1]
    if len(ordered) < len(description.joints):
        raise ModelError(f"joints form a cycle: {describe_cycle(carrier, {joint.name for joint in ordered})}")
    return ordered


def describe_cycle(carrier: dict[str, JointSpec], reached: set[str], most: int = 20) -> str:
    """List the names along one cycle, found by walking from child to parent until a body comes again."""
    body = next(joint.child for joint in carrier.values() if joint.name not in reached)
    seen: dict[str, int] = {}
    while body not in seen:
        seen[body] = len(seen)
        body = carrier[body].parent
    cycle = list(seen)[seen[body] :][::-1]
    steps = [shown(body)] + [f"-> {shown(name)} (joint {shown(carrier[name].name)})" for name in cycle[:most]]
    more = f" and {len(cycle) - most} more" if len(cycle) > most else ""
    return " ".join(steps) + more + "; a tree has none"


def place_links(description: Description, ordered: list[JointSpec]) -> tuple[list[Link], dict[str, Anchor]]:
    """List the links, sorted, with merged inertias, and the anchor of each body. Link 0 is the world, not in the list."""
    anchors = {description.world: Anchor(0)}
    links: list[Link] = []
    for joint in ordered:
        base = anchors[joint.parent]
        number, place = base.link, base.at(joint.rotation, joint.position)
        chain = JOINT_TYPES[joint.type].chain
        if not chain:  # the body becomes part of the link that carries it
            anchors[joint.child] = Anchor(number, place)
            if number > 0:
                link = links[number - 1]
                assert link.inertia is not None
                link.inertia = link.inertia + description.bodies[joint.child].carried(*place)
            continue
        q = v = 0
        for part in chain:
            links.append(Link(number, joint, part, q, v, *place))
            number, place = len(links), (np.eye(3), np.zeros(3))
            q, v = q + native_kind(part).nq, v + native_kind(part).nv
        links[-1].body, links[-1].inertia = joint.child, description.bodies[joint.child]
        anchors[joint.child] = Anchor(number)
    return links, anchors


def place_frames(
    description: Description, anchors: dict[str, Anchor], links: list[Link], numbers: dict[str, int]
) -> tuple[tuple[tuple[str, int], ...], Array]:
    """List the names of all frames with the body each is on, and their placements there, (n, 4, 4)."""
    origin = np.eye(3), np.zeros(3)
    placed = [(name, anchors[name].link, anchors[name].at(*origin)) for name in description.bodies]
    for frame in description.frames.values():
        if frame.name in description.bodies:
            raise ModelError(f"frame {shown(frame.name)} has the name of a body")
        if frame.body not in anchors:
            there = known(frame.body, [description.world, *description.bodies])
            raise ModelError(f"frame {shown(frame.name)}: unknown body {shown(frame.body)}; there are {there}")
        anchor = anchors[frame.body]
        placed.append((frame.name, anchor.link, anchor.at(frame.rotation, frame.position)))
    bodies = [-1] + [-1 if link.body is None else numbers[link.body] for link in links]
    placements = np.tile(np.eye(4), (len(placed), 1, 1))
    if placed:
        placements[:, :3, :3] = [place[0] for _, _, place in placed]
        placements[:, :3, 3] = [place[1] for _, _, place in placed]
    bad = np.flatnonzero(~np.isfinite(placements).all(axis=(1, 2)))
    if len(bad):
        raise ModelError(f"frame {shown(placed[bad[0]][0])}: its place on the body that carries it overflows float64")
    return tuple((name, bodies[link]) for name, link, _ in placed), placements


# ------------------------------------------------------------------------------------------------------------ coordinates


def number_joints(description: Description) -> list[Joint]:
    """List the moving joints in the user's order, with their first indices in q and v; a mimic joint has its source's."""
    mimics = resolve_mimics(description)
    starts: dict[str, tuple[int, int]] = {}
    nq = nv = 0
    moving = [joint for joint in description.joints.values() if JOINT_TYPES[joint.type].nv > 0]
    for joint in moving:
        if joint.mimic is None:
            starts[joint.name] = nq, nv
            nq, nv = nq + JOINT_TYPES[joint.type].nq, nv + JOINT_TYPES[joint.type].nv
    joints = []
    for joint in moving:
        mimic = mimics.get(joint.name)
        start = starts[joint.name if mimic is None else mimic[0]]
        joints.append(Joint(joint.name, joint.type, joint.parent, joint.child, *start, mimic))
    return joints


def resolve_mimics(description: Description) -> dict[str, tuple[str, float, float]]:
    """Find, for each mimic joint, the joint at the end of its chain, with multiplier and offset of the whole chain."""
    resolved: dict[str, tuple[str, float, float]] = {}
    for start in description.joints:
        chain: dict[str, tuple[str, float, float]] = {}
        name = start
        while name not in resolved and (mimic := description.joints[name].mimic) is not None:
            if name in chain:
                cycle = list(chain)[list(chain).index(name) :]
                circle = " -> ".join([*cycle[:20], *(["..."] if len(cycle) > 20 else []), name])
                raise ModelError(f"joint {shown(name)} mimics itself: {circle}")
            if mimic[0] not in description.joints:
                there = known(mimic[0], description.joints)
                raise ModelError(f"joint {shown(name)} mimics {shown(mimic[0])}, which is no joint; there are {there}")
            source = description.joints[mimic[0]].type
            if not JOINT_TYPES[source].one_freedom:
                raise ModelError(
                    f"joint {shown(name)} mimics {shown(mimic[0])}, a {source} joint; that must have one freedom"
                )
            chain[name] = mimic
            name = mimic[0]
        end, multiplier, offset = resolved.get(name, (name, 1.0, 0.0))
        for name, (_, factor, shift) in reversed(chain.items()):
            multiplier, offset = factor * multiplier, factor * offset + shift
            if not (math.isfinite(multiplier) and math.isfinite(offset)):
                raise ModelError(f"joint {shown(name)}: multiplier and offset of its chain of mimics overflow float64")
            resolved[name] = end, multiplier, offset
    return resolved


def gather_arrays(description: Description, joints: list[Joint]) -> dict[str, Array]:
    """Gather the arrays of the model from those of its joints; a mimic joint's act on the coordinate that it follows."""
    owners = [joint for joint in joints if joint.mimic is None]
    sizes = {count: sum(getattr(JOINT_TYPES[joint.type], count) for joint in owners) for count in ("nq", "nv")}
    arrays = {name: np.full(sizes[count], DEFAULTS.get(name, 0.0)) for name, (count, _) in JOINT_ARRAYS.items()}
    for joint in owners:
        kind = JOINT_TYPES[joint.type]
        own = description.joints[joint.name].arrays
        for name, values in own.items():
            start = joint.q_start if JOINT_ARRAYS[name][0] == "nq" else joint.v_start
            arrays[name][start : start + len(values)] = values
        if kind.quaternion is not None and not own.get("rest_position", np.zeros(1)).any():
            arrays["rest_position"][joint.q_start : joint.q_start + kind.nq] = kind.neutral
    for joint in joints:
        if joint.mimic is not None:
            fold_mimic(arrays, description.joints[joint.name].arrays, joint)
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
    """Write the link records, with one for the world, and the freedom records, as the layout has them."""
    records = np.zeros((len(links) + 1, layout.LINK))
    heads: list[tuple[float, ...]] = []
    columns: list[Array] = []
    first = 0
    for record, link in zip(records[1:], links, strict=True):
        joint = owner[link.joint.name]
        ratio, offset = (1.0, 0.0) if joint.mimic is None else joint.mimic[1:]
        kind, constants, S = native_joint(link.part, link.joint.axes, link.joint.pitch, link.R, link.p, ratio)
        body = -1 if link.body is None else numbers[link.body]
        places = joint.q_start + link.q, joint.v_start + link.v
        heads.append((link.parent, body, kind, joint.mimic is None, *places, len(S), first, ratio, offset))
        for start, values in constants.items():
            record[start : start + values.size] = values.ravel()
        columns.append(S)
        first += len(S)
    if links:
        records[1:, HEAD] = heads
        records[1:, layout.INERTIA : layout.INERTIA + 10] = ten_numbers(links)
    refuse_overflow(records, links)
    freedoms = np.zeros((first, layout.FREEDOM))
    if links:
        S = freedoms[:, : layout.THRESHOLD]
        S[...] = np.concatenate(columns)
        mass, moment = np.repeat(inertia_scales(links), [len(column) for column in columns], axis=0).T
        turn, slide = EPSILON * (S[:, :3] ** 2).sum(axis=1), EPSILON * (S[:, 3:] ** 2).sum(axis=1)
        freedoms[:, layout.THRESHOLD] = turn * moment + slide * mass
        freedoms[:, layout.WEIGHT] = turn
    refuse_overflow(freedoms, [link for link, S in zip(links, columns, strict=True) for _ in S])
    return records, freedoms


def ten_numbers(links: list[Link]) -> Array:
    """Pack the inertias of the links, (n, 10): m, h, and J as xx, xy, xz, yy, yz, zz; zeros inside a composite joint."""
    inertias = [Inertia.zero() if link.inertia is None else link.inertia for link in links]
    numbers = np.zeros((len(links), 10))
    if inertias:
        numbers[:, 0] = [inertia.mass for inertia in inertias]
        numbers[:, 1:4] = [inertia.moment for inertia in inertias]
        rows, columns = np.triu_indices(3)
        numbers[:, 4:] = np.stack([inertia.about_origin for inertia in inertias])[:, rows, columns]
    return numbers


def refuse_overflow(records: Array, links: list[Link]) -> None:
    """Refuse records that hold no finite numbers, in the name of the joint or body they are about."""
    bad = np.flatnonzero(~np.isfinite(records[len(records) - len(links) :]).all(axis=1))
    if not len(bad):
        return
    link = links[bad[0]]
    name = f"joint {shown(link.joint.name)}"
    if link.inertia is not None and not link.inertia.is_finite():
        raise ModelError(f"body {shown(link.body)}: its inertia, with the bodies fixed to it, overflows float64")
    raise ModelError(f"{name}: its position, pitch or multiplier, or what it carries, overflows float64")


def inertia_scales(links: list[Link]) -> Array:
    """Compute for each link and what it carries, (n, 2): the mass, and the largest moment of inertia that meets its joint
    from one link.

    That is the moment of a body about its own origin, or of all the mass beyond a joint at the end of the one link that
    leads there: joints in between yield, so that no longer lever is ever added up.
    """
    own = ten_numbers(links)
    mass = [0.0, *own[:, 0].tolist()]
    moment = [0.0, *np.maximum(0.0, own[:, [4, 7, 9]].sum(axis=1)).tolist()]
    squares = (np.array([link.p for link in links]) ** 2).sum(axis=1).tolist()
    for i in range(len(links), 0, -1):
        parent = links[i - 1].parent
        mass[parent] += mass[i]
        moment[parent] = max(moment[parent], moment[i], squares[i - 1] * mass[i])
    return np.array([mass[1:], moment[1:]]).T
