"""Building a model by hand: bodies, joints and frames, in any order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.errors import ModelError
from pluecker.articulated.model.inertias import Inertia, check_inertia, check_mass
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import JOINT_ARRAYS, Model, listing

__all__ = ["FrameSpec", "JointSpec", "ModelBuilder"]

Array = NDArray[np.float64]
WORLD = "world"


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


class ModelBuilder:
    """Collects bodies, joints and frames, and builds a :class:`Model` of them.

    What is wrong by itself (a zero axis, a negative mass, a name used twice) is refused at once; what is wrong together
    (an unknown parent, a cycle, a body without a joint) when the model is built. Every error is a :class:`ModelError`
    that names the body or joint.

    Args:
        name: the name of the mechanism.
        gravity: acceleration of free fall in world axes; m/s^2.
        world: what the fixed world is called.

    Example:
        >>> from pluecker.articulated import ModelBuilder
        >>> builder = ModelBuilder("pendulum")
        >>> builder.add_body("rod", mass=1.0, center_of_mass=(0, 0, -0.5))
        >>> builder.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), damping=0.1)
        >>> print(builder.build())
        Model 'pendulum': nq = 1, nv = 1, n_bodies = 1, 1 kg
        world
        rod    hinge: revolute, q[0]
    """

    def __init__(self, name: str = "model", gravity: ArrayLike = (0.0, 0.0, -9.81), world: str = WORLD) -> None:
        self.name = name
        self.gravity = vector("gravity", gravity)
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
        check: bool = True,
    ) -> None:
        """Add a rigid body.

        Args:
            name: its name, used once.
            mass: kg; zero for a body that only carries others.
            center_of_mass: in the body's frame, ``(3,)``; m.
            inertia: about the centre of mass, in axes parallel to the body's frame: three moments or a symmetric
                ``(3, 3)`` matrix; kg m^2. None for a point mass.
            check: whether to refuse an inertia that no body can have.
        """
        self._check_new(name, "body", self.bodies)
        if name == self.world:
            raise ModelError(
                f"body {name!r}: that is the name of the world; choose another, or ModelBuilder(world=...)"
            )
        mass = number(f"body {name!r}: mass", mass)
        check_mass(name, mass)
        center = vector(f"body {name!r}: center_of_mass", center_of_mass)
        matrix = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, dtype=np.float64)
        if matrix.shape == (3,):
            matrix = np.diag(matrix)
        if matrix.shape != (3, 3):
            raise ModelError(f"body {name!r}: inertia has shape {matrix.shape}, expected (3,) or (3, 3)")
        if check:
            check_inertia(name, mass, matrix, "mend it, or pass check=False to take it as it is")
        elif not np.isfinite(matrix).all():
            raise ModelError(f"body {name!r}: inertia holds {matrix.ravel().tolist()}, expected finite numbers")
        self.bodies[name] = Inertia.at_center_of_mass(mass, center, 0.5 * (matrix + matrix.T))

    def add_joint(
        self,
        name: str,
        type: str,
        parent: str,
        child: str,
        axis: ArrayLike | None = None,
        axis2: ArrayLike | None = None,
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
                ``spherical``, ``planar`` or ``free``.
            parent, child: names of bodies, added before or after; the parent may be the world.
            axis: in the joint's frame, of any length but zero; needed by all types but fixed, spherical and free. The
                normal of the plane for ``planar``.
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
        label = f"joint {name!r}"
        if type not in JOINT_TYPES:
            raise ModelError(f"{label}: unknown type {type!r}; there are {listing(JOINT_TYPES)}")
        kind = JOINT_TYPES[type]
        if parent == child:
            raise ModelError(f"{label}: parent and child are the same body, {parent!r}")
        if child == self.world:
            raise ModelError(f"{label}: the child is {child!r}; the world can only be a parent")
        if type == "helical" and pitch is None:
            raise ModelError(f"{label}: a helical joint needs a pitch, in m/rad")
        if type != "helical" and pitch is not None:
            raise ModelError(f"{label}: only a helical joint has a pitch, this one is {type}")
        if mimic is not None:
            if (kind.nq, kind.nv) != (1, 1):
                raise ModelError(f"{label}: a {type} joint cannot mimic another; only joints with one freedom can")
            mimic = (str(mimic[0]), number(f"{label}: multiplier", mimic[1]), number(f"{label}: offset", mimic[2]))
        self.joints[name] = JointSpec(
            name,
            type,
            parent,
            child,
            joint_axes(label, type, axis, axis2),
            0.0 if pitch is None else number(f"{label}: pitch", pitch),
            rotation_matrix(label, rotation),
            vector(f"{label}: position", position),
            mimic,
            joint_arrays(label, type, arrays),
        )

    def add_frame(
        self, name: str, body: str, position: ArrayLike = (0.0, 0.0, 0.0), rotation: ArrayLike | None = None
    ) -> None:
        """Add a named frame that moves with ``body`` (or stands in the world), placed as a joint is."""
        self._check_new(name, "frame", self.frames)
        label = f"frame {name!r}"
        self.frames[name] = FrameSpec(
            name, body, rotation_matrix(label, rotation), vector(f"{label}: position", position)
        )

    def build(self) -> Model:
        """The model. The builder stays as it is and can build again.

        Raises:
            ModelError: the bodies and joints do not make a tree that hangs on the world.
        """
        from pluecker.articulated.model.assembly import assemble

        return assemble(self)

    def _check_new(self, name: Any, what: str, known: Iterable[str]) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a {what} needs a name, got {name!r}")
        if name in known:
            raise ModelError(f"{what} {name!r} is there already; names are used once")


# ----------------------------------------------------------------------------------------------- reading what users write


def number(label: str, value: Any) -> float:
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{label} is {value!r}, expected a number") from None
    if np.isnan(result):
        raise ModelError(f"{label} is NaN, expected a number")
    return result


def vector(label: str, value: ArrayLike) -> Array:
    try:
        result = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{label} is {value!r}, expected three numbers") from None
    if result.shape != (3,) or not np.isfinite(result).all():
        raise ModelError(f"{label} is {value!r}, expected three finite numbers")
    return result


def unit(label: str, value: ArrayLike) -> Array:
    axis = vector(label, value)
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        raise ModelError(f"{label} is zero; give it a direction")
    return axis / length


def rotation_matrix(label: str, value: ArrayLike | None) -> Array:
    """A rotation from a matrix or a quaternion, refused where it is none."""
    if value is None:
        return np.eye(3)
    R = np.array(value, dtype=np.float64)
    if R.shape == (4,):
        length = float(np.linalg.norm(R))
        if not abs(length - 1.0) < 1e-6:
            raise ModelError(f"{label}: the quaternion [w, x, y, z] = {R.tolist()} has length {length:.9g}, expected 1")
        w, x, y, z = R / length
        K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return np.eye(3) + 2.0 * w * K + 2.0 * K @ K
    if R.shape != (3, 3):
        raise ModelError(f"{label}: rotation has shape {R.shape}, expected (3, 3), or (4,) for a quaternion")
    if not np.abs(R @ R.T - np.eye(3)).max() < 1e-6 or np.linalg.det(R) < 0.0:
        raise ModelError(f"{label}: rotation is no rotation matrix (its columns are the axes): {R.tolist()}")
    return R


def joint_axes(label: str, type: str, axis: ArrayLike | None, axis2: ArrayLike | None) -> tuple[Array, ...]:
    """The unit axes of a joint, by the numbers that its chain in ``JOINT_TYPES`` refers to."""
    needed = JOINT_TYPES[type].axes
    if needed == 0:
        if axis is not None or axis2 is not None:
            raise ModelError(f"{label}: a {type} joint has no axis")
        return ()
    if axis is None or (needed == 2 and axis2 is None):
        raise ModelError(f"{label}: a {type} joint needs {'an axis' if axis is None else 'a second axis, axis2'}")
    if axis2 is not None and type not in ("universal", "planar"):
        raise ModelError(f"{label}: a {type} joint has one axis, no axis2")
    first = unit(f"{label}: axis", axis)
    if type == "planar":
        if axis2 is None:  # the coordinate axis that the normal turns its back on most
            axis2 = np.eye(3)[np.argmin(np.abs(first))] if abs(first[0]) > 1e-9 else np.array([1.0, 0.0, 0.0])
        x = unit(f"{label}: axis2", axis2)
        x = unit(f"{label}: the part of axis2 in the plane", x - (x @ first) * first)
        return first, x, np.cross(first, x)
    if type == "universal":
        return first, unit(f"{label}: axis2", axis2 if axis2 is not None else ())
    return (first,)


def joint_arrays(label: str, type: str, arrays: dict[str, ArrayLike]) -> dict[str, Array]:
    """The joint's share of the model's arrays, one entry for each of its coordinates."""
    kind = JOINT_TYPES[type]
    result = {}
    for name, value in arrays.items():
        if name not in JOINT_ARRAYS:
            raise ModelError(f"{label}: unknown property {name!r}; there are {listing(JOINT_ARRAYS)}")
        count = getattr(kind, JOINT_ARRAYS[name][0])
        try:
            result[name] = np.broadcast_to(np.asarray(value, dtype=np.float64), (count,)).copy()
        except (TypeError, ValueError):
            raise ModelError(f"{label}: {name} is {value!r}, expected a number or {count} of them") from None
        low = JOINT_ARRAYS[name][1]
        if np.isnan(result[name]).any() or (result[name] < low).any():
            raise ModelError(f"{label}: {name} is {value!r}, expected numbers from {low} up")
    lower, upper = result.get("lower_limit"), result.get("upper_limit")
    if lower is not None and upper is not None and (lower > upper).any():
        raise ModelError(f"{label}: lower_limit {lower.tolist()} is above upper_limit {upper.tolist()}")
    return result
