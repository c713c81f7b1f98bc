"""Parts of a drawing of a mechanism, in numbers: rods from joint to joint, joint axes, solids of equal inertia, and
lines between bodies.

Sources: the axis of a twist, RBDA section 2.2; moments of a homogeneous ellipsoid and box, any table of inertias, such as
Meriam and Kraige, *Engineering Mechanics: Dynamics*, appendix D.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.frames.forward_kinematics import body_velocities, forward_kinematics
from pluecker.articulated.errors import ModelError
from pluecker.articulated.forces.packing import is_world
from pluecker.articulated.model import layout
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.overlays import Lines
from pluecker.spatial.errors import UnknownNameError, shown

__all__ = [
    "SHORTEST_ROD",
    "Axes",
    "Rod",
    "Solid",
    "Tie",
    "body_placements",
    "joint_axes",
    "rods",
    "solids",
    "ties",
    "transformed",
]

Array = NDArray[np.float64]
BALLS = ("free", "spherical", "exponential")  # which have no axis of their own
SHORTEST_ROD = 1e-6  # m: a rod that is shorter is none
SLACK = 1e-4  # of its length: a rope whose ends are nearer than that is slack
PIECES = 12  # of a rope that hangs
NEGLIGIBLE_ENTRY = 1e-9  # of the largest: an entry of a twist that is rounding


class Rod(NamedTuple):
    """A straight line from a point of one body to a point of another, or of the same; -1 is the world."""

    first: int
    start: Array
    second: int
    end: Array


class Axes(NamedTuple):
    """Joint axes at one configuration, in world coordinates: a point on each, its direction, and whether it is slid along.

    ``balls`` are the origins of joints that turn about any axis.
    """

    points: Array
    directions: Array
    slides: NDArray[np.bool_]
    balls: Array


@dataclass(frozen=True, eq=False)
class Solid:
    """The homogeneous solid that moves as a body does: its mass, where its centre of mass is, and its principal axes.

    Attributes:
        body: its number.
        mass: kg.
        center: centre of mass, on the body; m.
        axes: principal axes as columns, on the body.
        ellipsoid: semi-axes of the ellipsoid of equal mass and inertia; m.
        box: edges of the box of equal mass and inertia; m.
    """

    body: int
    mass: float
    center: Array
    axes: Array
    ellipsoid: Array
    box: Array


@dataclass(frozen=True, eq=False)
class Tie:
    """Lines between bodies of a model.

    Attributes:
        lines: as they were given.
        first, second: of each end the body, -1 for the world, ``(k,)``, and the point there, ``(k, 3)``; m.
        down: where ropes hang, a unit vector.
    """

    lines: Lines
    first: tuple[NDArray[np.intp], Array]
    second: tuple[NDArray[np.intp], Array]
    down: Array

    def ends(self, T: Array) -> tuple[Array, Array]:
        """Return both ends, ``(..., k, 3)`` each, for placements of bodies and the world, ``(..., n + 1, 4, 4)``."""
        first, second = (transformed(T[..., bodies, :, :], points) for bodies, points in (self.first, self.second))
        return first, second

    def slack(self, T: Array) -> NDArray[np.bool_]:
        """Return which are ropes that are longer than their ends are apart, ``(..., k)``."""
        start, end = self.ends(T)
        apart = np.linalg.norm(end - start, axis=-1)
        if self.lines.shape != "rope" or self.lines.lengths is None:
            return np.zeros(apart.shape, np.bool_)
        return np.asarray(apart < np.asarray(self.lines.lengths) * (1.0 - SLACK), np.bool_)

    def ways(self, T: Array) -> Array:
        """Points along them, ``(..., k, m, 3)``: two, or of ropes more, which hang in parabolas about as long as they are.

        With ends a distance d apart on one level, a parabola of depth s has the length ``sqrt(d^2 + 16 s^2 / 3)`` where it
        is flat.
        """
        start, end = self.ends(T)
        if self.lines.shape != "rope" or self.lines.lengths is None:
            return np.stack([start, end], axis=-2)
        apart = np.linalg.norm(end - start, axis=-1)
        over = np.maximum(np.asarray(self.lines.lengths) ** 2 - apart**2, 0.0)
        depth = np.where(self.slack(T), np.sqrt(3.0 / 16.0 * over), 0.0)
        t = np.linspace(0.0, 1.0, PIECES + 1)[:, None]
        straight = start[..., None, :] + t * (end - start)[..., None, :]
        return straight + 4.0 * t * (1.0 - t) * (depth[..., None, None] * self.down)


def ties(model: Model, lines: Lines) -> Tie:
    """Lines on the bodies of a model.

    Raises:
        KeyError: there is no frame of such a name.
        ValueError: it is ``"world"``, and a link that moves.
    """
    found = []
    for side in (0, 1):
        ends = [pair[side] for pair in lines.ends]
        names = [name for name, _ in ends]
        try:
            known = [name for name in names if not is_world(model, name)]
            carried = dict(zip(known, zip(*model.frame_offsets(known), strict=True), strict=True))
        except (ModelError, UnknownNameError) as error:
            raise type(error)(f"Lines {shown(lines.label)}: {error.args[0]}") from None
        bodies = np.array([carried[name][0] if name in carried else -1 for name in names], dtype=np.intp)
        points = [transformed(carried[name][1], point) if name in carried else point for name, point in ends]
        found.append((bodies, np.reshape(points, (-1, 3))))
    weight = float(np.linalg.norm(model.gravity))
    down = model.gravity / weight if weight > 0.0 else np.array([0.0, 0.0, -1.0])
    return Tie(lines, found[0], found[1], down)


def body_placements(model: Model, q: Array) -> Array:
    """Compute placements of the bodies and, last, the world, ``(..., n_bodies + 1, 4, 4)``, so that index -1 is right."""
    T = np.zeros((*q.shape[:-1], model.n_bodies + 1, 4, 4))
    if model.n_bodies:
        T[..., :-1, :, :] = forward_kinematics(model, q)
    T[..., -1, :, :] = np.eye(4)
    return T


def transformed(T: Array, p: Array) -> Array:
    """Apply placements ``T`` to points ``p``."""
    return np.einsum("...ij,...j->...i", T[..., :3, :3], p) + T[..., :3, 3]


def rods(model: Model) -> list[Rod]:
    """List rods from joint to joint, and from the last joints to their body's outermost frame or, else, centre of mass."""
    carriers = dict(model.frames)
    zero = np.zeros(3)
    found, ends = [], set(range(model.n_bodies))
    for joint in model.joints:
        parent, child = carriers.get(joint.parent, -1), model.body_index(joint.child)
        ends.discard(parent)
        if joint.type != "free":
            found.append(Rod(parent, zero, child, zero))
    tips, middles = outermost_points(model), {solid.body: solid.center for solid in solids(model)}
    for body in sorted(ends):
        tip = tips.get(body, zero)
        tip = middles.get(body, zero) if np.linalg.norm(tip) < SHORTEST_ROD else tip
        if np.linalg.norm(tip) >= SHORTEST_ROD:
            found.append(Rod(body, zero, body, tip))
    return found


def outermost_points(model: Model) -> dict[int, Array]:
    """Find for each body the origin of the frame on it that is farthest from its own: a flange, a finger tip, a foot."""
    points: dict[int, list[Array]] = {}
    for (_, carrier), T in zip(model.frames, model.frame_placements, strict=True):
        points.setdefault(carrier, []).append(T[:3, 3])
    return {body: max(mine, key=lambda p: float(np.linalg.norm(p))) for body, mine in points.items()}


def joint_axes(model: Model, q: Array) -> Axes:
    """Compute the lines about which joints turn or along which they slide, at one configuration.

    The twist of a body relative to its parent, when one coordinate moves with unit speed, is a screw: ``w`` is the direction
    of its axis and ``w x v_O / |w|^2`` a point on it; where ``w = 0``, the joint slides along ``v_O``.
    """
    T = body_placements(model, q)
    points, directions, slides = [], [], []
    balls = [T[model.body_index(joint.child), :3, 3] for joint in model.joints if joint.type in BALLS[1:]]
    if model.nv:
        V = body_velocities(model, np.broadcast_to(q, (model.nv, model.nq)), np.eye(model.nv))
    carriers = dict(model.frames)
    for joint in model.joints:
        if joint.type in BALLS:
            continue
        parent, child = carriers.get(joint.parent, -1), model.body_index(joint.child)
        count = 1 if joint.mimic is not None else JOINT_TYPES[joint.type].nv
        for k in range(joint.v_start, joint.v_start + count):
            w, v = twist_in_world(V[k], T, child) - twist_in_world(V[k], T, parent)
            origin = T[child, :3, 3]
            if np.linalg.norm(w) > NEGLIGIBLE_ENTRY * np.linalg.norm(v):
                along = w / np.linalg.norm(w)
                point = np.cross(w, v) / (w @ w)
                point = point + along * (along @ (origin - point))  # next to the body
            else:
                along, point = v / (np.linalg.norm(v) or 1.0), origin
            points.append(point)
            directions.append(along)
            slides.append(np.linalg.norm(w) <= NEGLIGIBLE_ENTRY * np.linalg.norm(v))
    return Axes(
        np.reshape(points, (-1, 3)), np.reshape(directions, (-1, 3)), np.array(slides, bool), np.reshape(balls, (-1, 3))
    )


def twist_in_world(V: Array, T: Array, body: int) -> Array:
    """A body's velocity ``[w, v_O]`` in world coordinates, ``(2, 3)``; of the world zero."""
    if body < 0:
        return np.zeros((2, 3))
    R, p = T[body, :3, :3], T[body, :3, 3]
    w = R @ V[body, :3]
    return np.stack([w, R @ V[body, 3:] + np.cross(p, w)])


def solids(model: Model) -> list[Solid]:
    """Compute the solids of equal inertia, for the bodies that have mass.

    With principal moments A, B, C, an ellipsoid has the semi-axes ``a^2 = 5 (B + C - A) / (2 m)`` and so on, and a box the
    edges ``d^2 = 6 (B + C - A) / m``; what is negative by rounding, or in inertias that no body can have, is taken as zero.
    """
    found = []
    for link in model.links[1:]:
        body, (m, *rest) = int(link[layout.BODY]), link[layout.INERTIA : layout.INERTIA + 10]
        if body < 0 or not m > 0.0:
            continue
        c, J = np.array(rest[:3]) / m, np.array(rest[3:])[[[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
        moments, axes = np.linalg.eigh(J - m * (c @ c * np.eye(3) - np.outer(c, c)))
        axes[:, 0] *= np.sign(np.linalg.det(axes))
        thickness = np.maximum(moments.sum() - 2.0 * moments, 0.0)
        thickness[thickness < NEGLIGIBLE_ENTRY * thickness.max(initial=0.0)] = 0.0
        found.append(Solid(body, float(m), c, axes, np.sqrt(2.5 * thickness / m), np.sqrt(6.0 * thickness / m)))
    return found
