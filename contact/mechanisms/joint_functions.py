"""Joints of a model as functions between two frames: those that hold, and those that are its coordinates.

With frame 1 the joint's on the parent and frame 2 the body's own, which coincide without displacement:

===========================  ===============================================  =============================================
joint                        what holds                                       coordinates
===========================  ===============================================  =============================================
revolute, continuous         three OFFSETs, two ALIGNs across the axis        TURN
prismatic                    two OFFSETs, three ALIGNs                        OFFSET
helical                      two OFFSETs, two ALIGNs, OFFSET - pitch TURN     TURN
cylindrical                  two OFFSETs, two ALIGNs                          TURN, OFFSET
universal                    three OFFSETs, ALIGN of both axes                TURN of each axis about the other
planar                       one OFFSET, two ALIGNs                           two OFFSETs, TURN
spherical                    three OFFSETs                                    three SPINs
exponential                  three OFFSETs                                    three ROTATIONs
Euler angles                 three OFFSETs                                    TURN, ANGLE, TURN
free                         nothing                                          three SPINs, three SLIPs
===========================  ===============================================  =============================================

The angle of a TURN is known up to whole turns, and of two sets of Euler angles ANGLE knows only the nearer one. So the sides
from which they count are put where they are zero in a reference configuration. In gimbal lock the bodies do not know the
first Euler angle and the third one: a mechanism whose angles have rotors, and so pass through it, has no equal among free
bodies there, and no step beyond is found (:mod:`~pluecker.contact.mechanisms.running`). Rotation vectors change to the
equivalent beyond half a turn, as those of exponential joints do; springs on them pull the shortest way from rest.

Sources: Haug, *Computer-aided kinematics and dynamics of mechanical systems* (1989), chapter 9; RBDA section 4.4 for the
coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pluecker.articulated.forces.packing import WORLD, world_names
from pluecker.articulated.model import layout
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.model.records import Joint
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import ALIGN, ANGLE, OFFSET, ROTATION, SLIP, SPIN, TURN, Frame, Function, Row
from pluecker.contact.errors import ConstraintError
from pluecker.spatial.errors import shown

__all__ = ["Coordinate", "JointShape", "joint_shapes", "tilde", "world_of"]

PARALLEL = 1e-9  # sine of the angle between axes in line
UNITS = np.eye(3)


@dataclass(frozen=True)
class Coordinate:
    """A coordinate as a function: ``sign phi + start``."""

    function: Function
    sign: float = 1.0
    start: float = 0.0


@dataclass(frozen=True, eq=False)
class JointShape:
    """The geometry of a joint between two bodies.

    Attributes:
        joint: its record in the model.
        body: the number of the body that it carries.
        parent: the number of the body that carries it, -1 for the world.
        first, second: the joint's frame on the parent, and the body's own.
        axes: unit axes of the parts of its chain, in either frame at no displacement.
        turning: of each part, whether it turns.
        pitch: of a helical joint.
        ratio, offset: of a mimic joint, else 1 and 0.
    """

    joint: Joint
    body: int
    parent: int
    first: Frame
    second: Frame
    axes: Array
    turning: tuple[bool, ...]
    pitch: float
    ratio: float
    offset: float

    @property
    def kind(self) -> str:
        """Type of the joint."""
        return self.joint.type

    @property
    def chain(self) -> bool:
        """True if it is made of joints of one freedom."""
        return JOINT_TYPES[self.kind].rate_is_velocity

    @property
    def nq(self) -> int:
        """Number of coordinates that say where it is."""
        return JOINT_TYPES[self.kind].nq

    @property
    def nv(self) -> int:
        """Number of its freedoms."""
        return JOINT_TYPES[self.kind].nv

    # ---------------------------------------------------------------------------------------------------- displacements

    def numbers(self, q: Array) -> Array:
        """Select its own coordinates from those of the model, ``(..., nq)``; of a mimic joint compute its displacement."""
        own = q[..., self.joint.q_start : self.joint.q_start + self.nq]
        return self.ratio * own + self.offset if self.joint.mimic is not None else own

    def rotation(self, x: Array) -> Array:
        """Compute the rotation from the body to the joint's frame, of a joint made of a chain, ``(..., 3, 3)``."""
        R = np.broadcast_to(UNITS, (*x.shape[:-1], 3, 3))
        for k, u in enumerate(self.axes):
            if self.turning[k]:
                R = R @ about(u, x[..., k])
        return R

    def motions(self, x: Array) -> Array:
        """Compute S in body coordinates, ``(..., 6, nv)``, of a joint made of a chain."""
        columns = []
        after = np.broadcast_to(UNITS, (*x.shape[:-1], 3, 3))  # of the parts behind
        for k in range(len(self.axes) - 1, -1, -1):
            u = np.einsum("...ji,j->...i", after, self.axes[k])
            none = np.zeros_like(u)
            columns.append(np.concatenate([u, self.pitch * u] if self.turning[k] else [none, u], axis=-1))
            if self.turning[k]:
                after = about(self.axes[k], x[..., k]) @ after
        return np.stack(columns[::-1], axis=-1)

    def duals(self, x: Array) -> Array:
        """Compute wrenches D in body coordinates with ``D^T S = 1``, ``(..., 6, nv)``: of unit forces on its coordinates.

        A turn is driven by a moment, a slide by a force; screws by a moment.
        """
        if self.kind in ("spherical", "free"):
            return np.broadcast_to(np.eye(6)[:, : self.nv], (*x.shape[:-1], 6, self.nv))
        if self.kind == "exponential":
            D = np.zeros((*x.shape[:-1], 6, 3))
            D[..., :3, :] = np.swapaxes(inverse_exponential(x), -1, -2)
            return D
        S = self.motions(x)
        D = np.zeros_like(S)
        turns = list(self.turning)
        for part, own in ((slice(0, 3), turns), (slice(3, 6), [not turn for turn in turns])):
            if any(own):
                k = np.flatnonzero(own)
                D[..., part, k] = np.swapaxes(np.linalg.pinv(S[..., part, :][..., k]), -1, -2)
        return D

    # --------------------------------------------------------------------------------------------------------- functions

    def held(self) -> tuple[tuple[Function, ...], tuple[Row, ...]]:
        """Return the functions and rows that hold; the screw of a helical joint is not among them."""
        functions = [self.make(OFFSET, axis_1=d) for d in self.held_directions()]
        if self.kind == "universal":
            u1, u2 = self.axes
            functions.append(self.make(ALIGN, axis_1=u1, axis_2=u2))
            rows = [Row(((k, 1.0),)) for k in range(3)]
            return tuple(functions), (*rows, Row(((3, 1.0),), offset=float(u1 @ u2)))
        if self.kind not in ("spherical", "exponential", "free") and not self.kind.startswith("euler"):
            u = self.axis
            e = across(u)
            functions += [self.make(ALIGN, axis_1=d, axis_2=u) for d in (e, np.cross(u, e))]
            if self.kind == "prismatic":
                functions.append(self.make(ALIGN, axis_1=e, axis_2=np.cross(u, e)))
        return tuple(functions), tuple(Row(((k, 1.0),)) for k in range(len(functions)))

    @property
    def axis(self) -> Array:
        """Axis about or along which it moves; the normal of a planar joint."""
        return self.axes[-1]

    def held_directions(self) -> Array:
        """Return the directions along which the origins may not part, ``(n, 3)``."""
        if self.kind == "free":
            return UNITS[:0]
        if self.kind == "planar":
            return self.axes[2:]
        if self.kind in ("prismatic", "helical", "cylindrical"):
            e = across(self.axis)
            return np.stack([e, np.cross(self.axis, e)])
        return UNITS

    def make(self, kind: int, *, back: bool = False, **axes: Array) -> Function:
        """Make a function between both frames, or from the second to the first."""
        frames = (self.second, self.first) if back else (self.first, self.second)
        a = {name: tuple(float(x) for x in values) for name, values in axes.items()}
        return Function(kind, *frames, **a)  # type: ignore[arg-type]

    def coordinates(self, q: Array) -> tuple[Coordinate, ...]:
        """Make one coordinate for each freedom; turns count from the reference configuration ``q``."""
        x = self.numbers(q)
        if self.kind in ("spherical", "free"):
            spins = [Coordinate(self.make(SPIN, axis_2=u)) for u in UNITS]
            return (*spins, *(Coordinate(self.make(SLIP, axis_2=u)) for u in UNITS if self.kind == "free"))
        if self.kind == "exponential":
            return tuple(Coordinate(f) for f in self.rotation_vector(UNITS))
        if self.kind.startswith("euler"):
            a, b, c = self.axes
            return self.turn(0, c, x), self.middle(x), self.turn(2, a, x)
        if self.kind == "universal":
            a, b = self.axes
            if np.linalg.norm(np.cross(a, b)) < PARALLEL:
                raise ConstraintError(f"joint {shown(self.joint.name)}: the axes of a universal joint are in line")
            return self.turn(0, b, x), self.turn(1, a, x)
        return tuple(
            self.turn(k, across(u), x) if self.turning[k] else Coordinate(self.make(OFFSET, axis_1=u))
            for k, u in enumerate(self.axes)
        )

    def turn(self, k: int, d: Array, x: Array) -> Coordinate:
        """Make the turn of part ``k``: of a direction of the second frame about an axis of the first, or back."""
        u, R = self.axes[k], self.rotation(x)
        last = len(self.axes) > 1 and k == len(self.axes) - 1 and self.turning[0]  # others turn before it
        y = R.T @ d if last else R @ d
        e = y - (y @ u) * u
        e = e / np.linalg.norm(e)
        f = self.make(TURN, back=last, axis_1=u, axis_2=d, side_1=e)
        return Coordinate(f, -1.0 if last else 1.0, float(x[k]))

    def middle(self, x: Array) -> Coordinate:
        """Make the second of three Euler angles, by the angle between the first axis and the third one."""
        a, b, c = self.axes
        n = np.cross(a, self.rotation(x) @ c)
        sign = 1.0 if n @ (about(a, x[0]) @ b) > 0.0 else -1.0
        angle = float(np.arctan2(np.linalg.norm(n), a @ self.rotation(x) @ c))
        return Coordinate(self.make(ANGLE, axis_1=a, axis_2=c), sign, float(x[1]) - sign * angle)

    def coordinates_near(self, rest: Array) -> tuple[Coordinate, ...]:
        """Make the rotation vector of an exponential joint, of its equivalents that which is nearest to another vector."""
        x, y, z = (float(number) for number in rest)
        return tuple(Coordinate(replace(f, near=(x, y, z))) for f in self.rotation_vector(UNITS))

    def rotation_vector(self, axes: Array) -> tuple[Function, ...]:
        """Make the components of the vector of the turn from ``axes``, columns in the first frame, to the body."""
        return tuple(self.make(ROTATION, axis_1=axes[:, 2], side_1=axes[:, 0], axis_2=u) for u in UNITS)


# ------------------------------------------------------------------------------------------- read from the records of links


def joint_shapes(model: Model) -> dict[int, JointShape]:
    """Find for each moving body, by its number, the joint that carries it."""
    records = model.links[:, layout.INTEGERS_OF_LINK].astype(np.int64)
    joints = {joint.child: joint for joint in model.joints}
    found = {}
    for body, name in enumerate(model.body_names):
        last = int(np.flatnonzero(records[1:, layout.BODY] == body)[0]) + 1
        joint = joints[name]
        parts = JOINT_TYPES[joint.type].chain
        links = [last]
        for _ in parts[1:]:
            links.insert(0, int(records[links[0], layout.PARENT]))
        found[body] = joint_shape(model, joint, body, links, int(records[links[0], layout.PARENT]))
    return found


def joint_shape(model: Model, joint: Joint, body: int, links: list[int], carrier: int) -> JointShape:
    """Read the geometry of a joint from the link records of its chain."""
    chain = [part.split()[0] for part in JOINT_TYPES[joint.type].chain]
    records = model.links[links]
    turning = tuple(motion != "prismatic" for motion in chain)
    E = rest_rotation(records[0], chain[0])
    axes, pitch = [], 0.0
    for record, motion in zip(records, chain, strict=True):
        if motion in ("revolute", "prismatic", "helical"):
            B = rest_rotation(record, motion)
            slide = B @ record[layout.SLIDE : layout.SLIDE + 3]
            u = slide if motion == "prismatic" else axis_of(record, B)
            axes.append(u / np.linalg.norm(u))
            pitch = float(slide @ axes[-1]) if motion == "helical" else 0.0
    parent = int(model.links[carrier, layout.BODY]) if carrier else -1
    name = model.body_names[parent] if parent >= 0 else world_of(model)
    place = tuple(float(x) for x in records[0, layout.PLACEMENT + 9 : layout.PLACEMENT + 12])
    rotation = tuple(tuple(float(x) for x in row) for row in E.T)
    first = Frame(name, place, rotation)
    ratio, offset = (1.0, 0.0) if joint.mimic is None else joint.mimic[1:]
    return JointShape(
        joint, body, parent, first, Frame(model.body_names[body]), np.array(axes).reshape(-1, 3), turning, pitch,
        ratio, offset,
    )  # fmt: skip


def world_of(model: Model) -> str:
    """Return the name of the world in a model."""
    names = sorted(world_names(model) - set(model.frame_names), key=lambda name: name == WORLD)
    return names[0]


def rest_rotation(record: Array, motion: str) -> Array:
    """Return E of a link at no displacement."""
    B0 = record[layout.PLACEMENT : layout.PLACEMENT + 9].reshape(3, 3)
    if motion in ("revolute", "helical"):
        return B0 + record[layout.COSINE : layout.COSINE + 9].reshape(3, 3)
    return B0


def axis_of(record: Array, E: Array) -> Array:
    """Compute the axis of a turn, from ``B1 = -u~ E``."""
    K = -record[layout.SINE : layout.SINE + 9].reshape(3, 3) @ E.T
    return np.array([K[2, 1] - K[1, 2], K[0, 2] - K[2, 0], K[1, 0] - K[0, 1]]) * 0.5


# ---------------------------------------------------------------------------------------------------------------- rotations


def across(u: Array) -> Array:
    """Return a unit vector across another one."""
    e = np.cross(u, UNITS[np.argmin(np.abs(u))])
    return np.asarray(e / np.linalg.norm(e))


def tilde(u: Array) -> Array:
    """Compute the matrix of ``u x``, ``(..., 3, 3)``."""
    K = np.zeros((*u.shape[:-1], 3, 3))
    K[..., 2, 1], K[..., 0, 2], K[..., 1, 0] = u[..., 0], u[..., 1], u[..., 2]
    return K - np.swapaxes(K, -1, -2)


def about(u: Array, angle: Array) -> Array:
    """Compute the rotation about a unit vector, ``(..., 3, 3)``."""
    K = tilde(u)
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.asarray(UNITS + s * K + (1.0 - c) * (K @ K))


def inverse_exponential(r: Array) -> Array:
    """Compute J(r)^-1, from angular velocity in body coordinates to the rate of the rotation vector, ``(..., 3, 3)``."""
    K = tilde(r)
    y = (r * r).sum(axis=-1)
    small = y < 1e-4
    t = np.sqrt(np.where(small, 1.0, y))
    D = np.where(small, 1 / 12 + y / 720 + y * y / 30240, (1.0 - 0.5 * t / np.tan(0.5 * t)) / (t * t))
    return np.asarray(UNITS + 0.5 * K + D[..., None, None] * (K @ K))
