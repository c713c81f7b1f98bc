"""A mechanism as a user describes it: bodies, joints and frames, in any order, each checked by itself.

Inertias are checked, shifted and added here, as matrices in NumPy, where clarity counts and speed does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.errors import ModelError
from pluecker.articulated.model.joints import JOINT_TYPES, JointType
from pluecker.articulated.model.records import JOINT_ARRAYS, listing
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.functions.arguments import as_numbers

__all__ = ["Description", "FrameSpec", "Inertia", "JointSpec", "check_mass", "refuse_impossible"]

Array = NDArray[np.float64]
WORLD = "world"
ROTATION_SLACK = 1e-6  # by which a rotation may differ from one: files are rounded
PARALLEL = 1e-9  # sine of the angle between axes that count as parallel


@dataclass(frozen=True)
class JointSpec:
    """A joint as the user described it, checked by itself."""

    name: str
    type: str
    parent: str
    child: str
    axes: tuple[Array, ...]
    pitch: float
    rotation: Array
    position: Array
    mimic: tuple[str, float, float] | None
    arrays: dict[str, Array]


@dataclass(frozen=True)
class FrameSpec:
    """A frame as the user described it, checked by itself."""

    name: str
    body: str
    rotation: Array
    position: Array


class Description:
    """Collects bodies, joints and frames. See :class:`~pluecker.articulated.model.model.ModelBuilder`, which is one."""

    def __init__(self, name: str = "model", gravity: ArrayLike = (0.0, 0.0, -9.81), world: str = WORLD) -> None:
        check_name("the name of a model", name, empty=True)
        check_name("the name of the world", world)
        self.name = name
        self.gravity = vector(f"model {shown(name)}", "gravity", gravity)
        self.world = world
        self.bodies: dict[str, Inertia] = {}
        self.joints: dict[str, JointSpec] = {}
        self.frames: dict[str, FrameSpec] = {}

    def add_body(
        self,
        name: str,
        mass: float = 0.0,
        center_of_mass: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike | None = None,
        *,
        check_inertia: bool = True,
    ) -> None:
        """Add a rigid body.

        Args:
            name: its name, used once.
            mass: kg; zero for a body that only carries others.
            center_of_mass: in the body's frame, ``(3,)``; m.
            inertia: about the centre of mass, in axes parallel to the body's frame: three moments or a symmetric
                ``(3, 3)`` matrix; kg m^2. None for a point mass.
            check_inertia: whether to refuse an inertia that no body can have.
        """
        self._check_new(name, "body", self.bodies)
        label = f"body {shown(name)}"
        check_flag(f"{label}: check_inertia", check_inertia)
        mass = number(label, "mass", mass)
        check_mass(label, mass)
        center = vector(label, "center_of_mass", center_of_mass)
        matrix = np.zeros((3, 3)) if inertia is None else as_numbers(label, "inertia", inertia)
        if matrix.shape == (3,):
            matrix = np.diag(matrix)
        if matrix.shape != (3, 3):
            raise ModelError(f"{label}: inertia has shape {matrix.shape}, expected (3,) or (3, 3)")
        if not np.isfinite(matrix).all():
            raise ModelError(f"{label}: inertia holds {matrix.ravel().tolist()}, expected finite numbers")
        if check_inertia and inertia is not None:
            refuse_impossible(label, mass, matrix, "mend it, or pass check_inertia=False to take it as it is")
        body = Inertia.at_center_of_mass(mass, center, 0.5 * matrix + 0.5 * matrix.T)
        if not body.is_finite():
            raise ModelError(
                f"{label}: its moments about the origin overflow: mass {mass:g} kg, center_of_mass {center.tolist()} m"
            )
        self.bodies[name] = body

    def add_joint(
        self,
        name: str,
        type: str,
        parent: str,
        child: str,
        axis: ArrayLike | None = None,
        axis2: ArrayLike | None = None,
        *,
        pitch: float | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        mimic: tuple[str, float, float] | None = None,
        **arrays: ArrayLike,
    ) -> None:
        """Add a joint: it carries the frame of ``child`` on ``parent``.

        Args:
            name: its name, used once.
            type: ``fixed``, ``revolute``, ``continuous``, ``prismatic``, ``helical``, ``cylindrical``, ``universal``,
                ``spherical`` (a quaternion), ``exponential`` (a rotation vector), ``euler_xyx`` to ``euler_zyz`` (three
                angles about axes of the joint's frame that turn along, the first one first), ``planar`` or ``free``.
            parent, child: names of bodies, added before or after; the parent may be the world.
            axis: in the joint's frame, of any length but zero, however small or large; needed by all types but fixed, free
                and those of a ball. The normal of the plane for ``planar``.
            axis2: of ``universal``, the second axis, carried along by the first; of ``planar``, the direction of x in the
                plane (chosen if None).
            pitch: of ``helical``, travel per angle; m/rad.
            position, rotation: placement of the joint's frame, which is the child's frame at zero displacement, in the
                parent's frame: ``(3,)`` in m; ``(3, 3)`` with the joint's axes as columns, or a quaternion
                ``[w, x, y, z]``.
            mimic: ``(joint, multiplier, offset)``: the displacement follows that of another joint; both have one freedom.
            arrays: ``armature``, ``damping``, ``friction``, ``stiffness``, ``rest_position``, ``lower_limit``,
                ``upper_limit``, ``velocity_limit``, ``effort_limit``: a number, or one for each coordinate. A mimic
                joint's own count for its source, as its motion does.
        """
        self._check_new(name, "joint", self.joints)
        label = f"joint {shown(name)}"
        if not isinstance(type, str):
            raise ArgumentTypeError(f"{label}: type is {shown(type)}, expected one of {listing(JOINT_TYPES)}")
        if type not in JOINT_TYPES:
            raise ModelError(f"{label}: unknown type {shown(type)}; there are {listing(JOINT_TYPES)}")
        kind = JOINT_TYPES[type]
        check_name(f"{label}: parent", parent)
        check_name(f"{label}: child", child)
        if parent == child:
            raise ModelError(f"{label}: parent and child are the same body, {shown(parent)}")
        if child == self.world:
            raise ModelError(f"{label}: the child is {shown(child)}; the world can only be a parent")
        if kind.pitch and pitch is None:
            raise ModelError(f"{label}: a {type} joint needs a pitch, in m/rad")
        if not kind.pitch and pitch is not None:
            with_pitch = " or ".join(name for name, other in JOINT_TYPES.items() if other.pitch)
            raise ModelError(f"{label}: only a {with_pitch} joint has a pitch, this one is {type}")
        if mimic is not None:
            if not kind.one_freedom:
                raise ModelError(f"{label}: a {type} joint cannot mimic another; only joints with one freedom can")
            mimic = read_mimic(label, mimic)
        self.joints[name] = JointSpec(
            name,
            type,
            parent,
            child,
            joint_axes(label, type, axis, axis2),
            0.0 if pitch is None else finite_number(label, "pitch", pitch),
            rotation_matrix(label, rotation),
            vector(label, "position", position),
            mimic,
            joint_arrays(label, kind, arrays),
        )

    def add_frame(
        self, name: str, body: str, position: ArrayLike = (0.0, 0.0, 0.0), rotation: ArrayLike | None = None
    ) -> None:
        """Add a named frame that moves with ``body`` (or stands in the world), placed as a joint is."""
        self._check_new(name, "frame", self.frames)
        label = f"frame {shown(name)}"
        check_name(f"{label}: body", body)
        self.frames[name] = FrameSpec(name, body, rotation_matrix(label, rotation), vector(label, "position", position))

    def _check_new(self, name: Any, what: str, taken: Iterable[str]) -> None:
        check_name(f"the name of a {what}", name)
        if name in taken:
            raise ModelError(f"{what} {shown(name)} is there already; names are used once")
        if name == self.world and what != "joint":
            raise ModelError(
                f"{what} {shown(name)}: that is the name of the world; choose another, or ModelBuilder(world=...)"
            )


# ----------------------------------------------------------------------------------------------- reading what users write


def check_name(what: str, name: Any, empty: bool = False) -> None:
    """A name is a string that is not empty."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"{what} is {shown(name)}, expected a string")
    if not name and not empty:
        raise ModelError(f"{what} is empty")


def check_flag(what: str, value: Any) -> None:
    """True or False, or an integer that stands for them."""
    if not isinstance(value, (bool, int, np.bool_)):
        raise ArgumentTypeError(f"{what} is {shown(value)}, expected True or False")


def number(label: str, name: str, value: Any) -> float:
    """A number, perhaps infinite."""
    if type(value) in (float, int):
        try:
            result = float(value)
        except OverflowError:
            raise ModelError(f"{label}: {name} is {shown(value)}, which overflows float64") from None
    else:
        array = as_numbers(label, name, value)
        if array.shape != ():
            raise ModelError(f"{label}: {name} has shape {array.shape}, expected a number")
        result = float(array)
    if math.isnan(result):
        raise ModelError(f"{label}: {name} is NaN, expected a number")
    return result


def finite_number(label: str, name: str, value: Any) -> float:
    """A number that is not infinite."""
    result = number(label, name, value)
    if math.isinf(result):
        raise ModelError(f"{label}: {name} is {result}, expected a finite number")
    return result


def vector(label: str, name: str, value: ArrayLike) -> Array:
    """Three finite numbers, in an array of its own."""
    result = as_numbers(label, name, value)
    if result.shape != (3,):
        raise ModelError(f"{label}: {name} has shape {result.shape}, expected three numbers")
    if not np.isfinite(result).all():
        raise ModelError(f"{label}: {name} is {result.tolist()}, expected three finite numbers")
    return result


def unit(label: str, name: str, value: ArrayLike) -> Array:
    """The direction of an axis, of any length but zero."""
    axis = vector(label, name, value)
    largest = np.abs(axis).max()
    if largest == 0.0:
        raise ModelError(f"{label}: {name} is zero; give it a direction")
    axis = np.ldexp(axis, -np.frexp(largest)[1])  # by a power of two, exactly, so that no square leaves the range
    return axis / np.linalg.norm(axis)


def read_mimic(label: str, mimic: Any) -> tuple[str, float, float]:
    """The joint that another one follows, the multiplier and the offset."""
    if not isinstance(mimic, (tuple, list)) or len(mimic) != 3:
        raise ArgumentTypeError(f"{label}: mimic is {shown(mimic)}, expected (joint, multiplier, offset)")
    source, multiplier, offset = mimic
    check_name(f"{label}: the joint to mimic", source)
    return source, finite_number(label, "multiplier", multiplier), finite_number(label, "offset", offset)


def rotation_matrix(label: str, value: ArrayLike | None) -> Array:
    """A rotation from a matrix or a quaternion, refused where it is none."""
    if value is None:
        return np.eye(3)
    R = as_numbers(label, "rotation", value)
    with np.errstate(over="ignore", invalid="ignore"):
        if R.shape == (4,):
            length = float(np.linalg.norm(R))
            if not abs(length - 1.0) < ROTATION_SLACK:
                raise ModelError(
                    f"{label}: the quaternion [w, x, y, z] = {R.tolist()} has length {length:.9g}, expected 1"
                )
            w, x, y, z = R / length
            K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            return np.eye(3) + 2.0 * w * K + 2.0 * K @ K
        if R.shape != (3, 3):
            raise ModelError(f"{label}: rotation has shape {R.shape}, expected (3, 3), or (4,) for a quaternion")
        if not np.abs(R @ R.T - np.eye(3)).max() < ROTATION_SLACK or np.linalg.det(R) < 0.0:
            raise ModelError(f"{label}: rotation is no rotation matrix (its columns are the axes): {R.tolist()}")
    return R @ (1.5 * np.eye(3) - 0.5 * R.T @ R)  # Newton's step to the nearest rotation, whose error is the square


def joint_axes(label: str, type: str, axis: ArrayLike | None, axis2: ArrayLike | None) -> tuple[Array, ...]:
    """The unit axes of a joint, by the numbers that its chain in ``JOINT_TYPES`` refers to."""
    kind = JOINT_TYPES[type]
    if kind.axes == 0:
        if axis is not None or axis2 is not None:
            raise ModelError(f"{label}: a {type} joint has no axis")
        return ()
    if axis is None or (kind.axes == 2 and axis2 is None):
        raise ModelError(f"{label}: a {type} joint needs {'an axis' if axis is None else 'a second axis, axis2'}")
    if axis2 is not None and kind.axes < 2 and not kind.plane:
        raise ModelError(f"{label}: a {type} joint has one axis, no axis2")
    first = unit(label, "axis", axis)
    if kind.plane:
        return first, *axes_in_plane(label, first, axis2)
    return (first,) if axis2 is None else (first, unit(label, "axis2", axis2))


def axes_in_plane(label: str, normal: Array, axis2: ArrayLike | None) -> tuple[Array, Array]:
    """Two perpendicular directions in a plane, the first one along the part of ``axis2`` in it, if that is given."""
    if axis2 is None:  # the coordinate axis that the normal turns its back on most
        x = np.eye(3)[np.argmin(np.abs(normal))] if abs(normal[0]) > PARALLEL else np.array([1.0, 0.0, 0.0])
    else:
        x = unit(label, "axis2", axis2)
    x = x - (x @ normal) * normal
    length = float(np.linalg.norm(x))
    if length < PARALLEL:
        raise ModelError(f"{label}: the part of axis2 in the plane is zero; give it a direction")
    x = x / length
    return x, np.cross(normal, x)


def joint_arrays(label: str, kind: JointType, arrays: dict[str, ArrayLike]) -> dict[str, Array]:
    """The joint's share of the model's arrays, one entry for each of its coordinates."""
    result = {}
    for name, value in arrays.items():
        if name not in JOINT_ARRAYS:
            raise ArgumentTypeError(f"{label}: unknown property {shown(name)}; there are {listing(JOINT_ARRAYS)}")
        count = getattr(kind, JOINT_ARRAYS[name][0])
        array = as_numbers(label, name, value)
        if array.shape not in ((), (1,), (count,)):
            raise ModelError(f"{label}: {name} has shape {array.shape}, expected a number or {count} of them")
        low = JOINT_ARRAYS[name][1]
        if np.isnan(array).any() or (array < low).any():
            raise ModelError(f"{label}: {name} is {shown(array.tolist())}, expected numbers from {low} up")
        result[name] = np.broadcast_to(array, (count,)).copy()
    lower, upper = result.get("lower_limit"), result.get("upper_limit")
    if lower is not None and upper is not None and (lower > upper).any():
        raise ModelError(f"{label}: lower_limit {lower.tolist()} is above upper_limit {upper.tolist()}")
    return result


RELATIVE_SLACK = 1e-6  # of the largest principal moment: files are rounded
ABSOLUTE_SLACK = 1e-12  # m^2, times the mass


@dataclass(frozen=True)
class Inertia:
    """Mass, first moment and rotational inertia about the frame's origin."""

    mass: float
    moment: Array
    about_origin: Array

    @staticmethod
    def zero() -> Inertia:
        return Inertia(0.0, np.zeros(3), np.zeros((3, 3)))

    @staticmethod
    def at_center_of_mass(mass: float, center: Array, about_center: Array) -> Inertia:
        """Construct from the inertia about the centre of mass, by the parallel-axes theorem."""
        x, y, z = center.tolist()
        hx, hy, hz = mass * x, mass * y, mass * z
        shift = np.array(
            [
                [hy * y + hz * z, -hx * y, -hx * z],
                [-hx * y, hx * x + hz * z, -hy * z],
                [-hx * z, -hy * z, hx * x + hy * y],
            ]
        )
        return Inertia(mass, np.array([hx, hy, hz]), about_center + shift)

    def carried(self, R: Array, p: Array) -> Inertia:
        """Transform to a frame in which this inertia's frame has the axes ``R`` (columns) and the origin ``p``."""
        h = R @ self.moment
        shift = 2.0 * (p @ h) * np.eye(3) - np.outer(p, h) - np.outer(h, p)
        shift += self.mass * (p @ p * np.eye(3) - np.outer(p, p))
        return Inertia(self.mass, h + self.mass * p, R @ self.about_origin @ R.T + shift)

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.mass + other.mass, self.moment + other.moment, self.about_origin + other.about_origin)

    def is_finite(self) -> bool:
        """Return whether all numbers are finite, so that nothing has overflowed."""
        return math.isfinite(self.mass) and bool(
            np.isfinite(self.moment).all() and np.isfinite(self.about_origin).all()
        )


def check_mass(label: str, mass: float) -> None:
    """Check that a mass is a finite number, not negative."""
    if not math.isfinite(mass) or mass < 0.0:
        raise ModelError(f"{label}: mass is {mass}, expected a finite number of kg, not negative")


def refuse_impossible(label: str, mass: float, inertia: Array, advice: str) -> None:
    """Refuse an inertia about the centre of mass that no distribution of mass has.

    Principal moments A, B, C of a body are not negative, none exceeds the sum of the two others, and a body without mass
    has none (RBDA section 2.13 on what an inertia may be; Traversaro et al. 2016 on full physical consistency).
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = inertia.tolist()
    size = max(map(abs, (xx, xy, xz, yx, yy, yz, zx, zy, zz)))
    if size == 0.0:
        return
    if max(abs(xy / size - yx / size), abs(xz / size - zx / size), abs(yz / size - zy / size)) > RELATIVE_SLACK:
        raise ModelError(f"{label}: the inertia matrix is not symmetric: {inertia.tolist()}")
    if xy == xz == yz == 0.0:
        a, b, c = sorted((xx / size, yy / size, zz / size))
    else:
        a, b, c = np.linalg.eigvalsh(inertia / size).tolist()  # divided, so that no sum of them overflows
    slack = RELATIVE_SLACK + ABSOLUTE_SLACK * mass / size
    moments = f"principal moments {a * size:.4g}, {b * size:.4g}, {c * size:.4g} kg m^2"
    if mass == 0.0:
        raise ModelError(f"{label}: mass 0 with {moments}: a body without mass has no inertia; {advice}")
    if a < -slack:
        raise ModelError(f"{label}: {moments}: none can be negative; {advice}")
    if c > a + b + slack:
        raise ModelError(f"{label}: {moments}: none can exceed the sum of the other two; {advice}")
