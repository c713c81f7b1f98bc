"""The model of a mechanism: constant, checked, and the same thing for every algorithm."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.errors import ModelError
from pluecker.articulated.model import layout
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.spatial.errors import ArgumentTypeError, UnknownNameError
from pluecker.spatial.properties import cached_property

__all__ = ["Joint", "Model"]

Array = NDArray[np.float64]

# array of the model -> (its length, the smallest value allowed)
JOINT_ARRAYS = {
    "armature": ("nv", 0.0),
    "damping": ("nv", 0.0),
    "friction": ("nv", 0.0),
    "stiffness": ("nv", 0.0),
    "rest_position": ("nq", -np.inf),
    "lower_limit": ("nq", -np.inf),
    "upper_limit": ("nq", -np.inf),
    "velocity_limit": ("nv", 0.0),
    "effort_limit": ("nv", 0.0),
}
MAY_BE_INFINITE = ("lower_limit", "upper_limit", "velocity_limit", "effort_limit")


@dataclass(frozen=True)
class Joint:
    """A joint that moves: its type, the bodies it joins, and where its coordinates begin in q and v."""

    name: str
    type: str
    parent: str
    child: str
    q_start: int
    v_start: int
    mimic: tuple[str, float, float] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A mechanism: a tree of rigid bodies. Made by :class:`ModelBuilder` or :meth:`Model.from_urdf`; it never changes.

    Models are equal, and hash alike, if their contents are equal; they can be pickled. Bodies and joints keep the order in
    which they were given: it is the order of ``body_names``, of ``f_ext``, of ``q`` and ``v``.

    A *body* here is one that moves: bodies behind fixed joints are merged into the body that carries them (or into the
    world), and stay known as frames.

    Attributes:
        name: the name of the mechanism.
        gravity: acceleration of free fall in world axes, ``(3,)``; m/s^2.
        joint_names: joints that have coordinates, in the user's order.
        body_names: moving bodies, in the user's order.
        frame_names: all frames: bodies, merged bodies, frames of the user's.
        mimic: joints that follow another: ``{name: (source, multiplier, offset)}``, displacement = multiplier q + offset.
        armature: inertia of rotors, reflected through gears, ``(nv,)``; in rnea, crba, aba, kinetic_energy.
        damping: viscous friction, ``(nv,)``; N m s/rad or N s/m; in rnea, aba, bias_force.
        friction: dry friction, ``(nv,)``; N m or N, against the motion, zero at rest; in rnea, aba, bias_force.
        stiffness: of springs, ``(nv,)``; N m/rad or N/m; in rnea, aba, bias_force, potential_energy.
        rest_position: configuration in which the springs are relaxed, ``(nq,)``.
        lower_limit, upper_limit: position limits, ``(nq,)``, infinite where there is none; in random_configuration.
        velocity_limit, effort_limit: ``(nv,)``; kept for the user, no algorithm of this package enforces them.
    """

    name: str
    gravity: Array
    joints: tuple[Joint, ...]
    body_names: tuple[str, ...]
    frames: tuple[tuple[str, int], ...]  # name and body number, -1 for the world
    frame_placements: Array  # (n_frames, 4, 4) on that body
    links: Array  # link records, see layout
    freedoms: Array  # freedom records, see layout
    armature: Array
    damping: Array
    friction: Array
    stiffness: Array
    rest_position: Array
    lower_limit: Array
    upper_limit: Array
    velocity_limit: Array
    effort_limit: Array

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value = np.array(value, dtype=np.float64)
                value.flags.writeable = False
                object.__setattr__(self, field.name, value)
        self._check()

    # ---------------------------------------------------------------------------------------------------- construction

    @classmethod
    def from_urdf(
        cls,
        path_or_text: str | os.PathLike[str],
        floating_base: bool = False,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        check_inertia: bool = True,
        mimic: bool = True,
    ) -> Model:
        """Read a URDF file. Needs the extra ``urdf`` (yourdfpy); meshes are not loaded.

        Joints and bodies keep the order of the file. Mimic joints follow their source in every algorithm and have no
        coordinates of their own. Limits and dynamics of planar and floating joints, to which URDF gives no meaning, are
        not read.

        Args:
            path_or_text: path of a file, or the XML itself.
            floating_base: put a free joint called ``floating_base`` between the world and the root link; its
                coordinates come first.
            gravity: acceleration of free fall in world axes; m/s^2.
            check_inertia: whether to refuse inertias that no body can have. Files made by hand or by careless exporters
                hold many; False takes them as they are.
            mimic: whether joints with a <mimic> tag follow their source; False gives them coordinates of their own.

        Raises:
            ModelError: the file cannot be read as a robot; the message names the link or joint and what to do.
            MissingExtraError: yourdfpy is not installed.
        """
        from pluecker.articulated.model.urdf import load_urdf

        return load_urdf(path_or_text, floating_base, gravity, check_inertia, mimic)

    def replace(self, **changes: Any) -> Model:
        """A model like this one with another ``name``, ``gravity`` or joint arrays (``armature=``, ``damping=``, ...).

        A number stands for the same number everywhere.

        Raises:
            TypeError: something that cannot be replaced.
            ValueError: an array of the wrong length, or values that cannot be.
        """
        allowed = ("name", "gravity", *JOINT_ARRAYS)
        for key, value in changes.items():
            if key not in allowed:
                raise ArgumentTypeError(f"Model.replace: cannot replace {key!r}; it takes {', '.join(allowed)}")
            if key in JOINT_ARRAYS:
                changes[key] = np.broadcast_to(np.asarray(value, np.float64), (getattr(self, JOINT_ARRAYS[key][0]),))
            elif key == "gravity":
                changes[key] = np.asarray(value, np.float64)
        return replace(self, **changes)

    def _check(self) -> None:
        if self.gravity.shape != (3,) or not np.isfinite(self.gravity).all():
            raise ModelError(f"gravity must be three finite numbers, got {self.gravity.tolist()}")
        for name, (count, smallest) in JOINT_ARRAYS.items():
            array, n = getattr(self, name), getattr(self, count)
            if array.shape != (n,):
                raise ModelError(f"{name} has shape {array.shape}, expected ({n},)")
            bad = np.isnan(array) | (array < smallest)
            if name not in MAY_BE_INFINITE:
                bad |= np.isinf(array)
            if bad.any():
                k = int(np.argmax(bad))
                where = (self.q_names if count == "nq" else self.v_names)[k]
                raise ModelError(f"{name} of {where!r} is {array[k]}, expected a finite number from {smallest} up")
        crossed = self.lower_limit > self.upper_limit
        if crossed.any():
            k = int(np.argmax(crossed))
            limits = f"[{self.lower_limit[k]}, {self.upper_limit[k]}]"
            raise ModelError(
                f"the position limits of {self.q_names[k]!r} are {limits}: the lower one is above the upper"
            )
        for joint, part in self.quaternion_slices().items():
            length = np.linalg.norm(self.rest_position[part])
            if abs(length - 1.0) > 1e-6:
                raise ModelError(
                    f"rest_position: the quaternion of joint {joint!r} has length {length:.9g}, expected 1"
                )

    # ---------------------------------------------------------------------------------------------------------- counts

    @cached_property
    def nq(self) -> int:
        """Number of configuration coordinates."""
        return sum(JOINT_TYPES[joint.type].nq for joint in self.joints if joint.mimic is None)

    @cached_property
    def nv(self) -> int:
        """Number of velocity coordinates: the degrees of freedom."""
        return sum(JOINT_TYPES[joint.type].nv for joint in self.joints if joint.mimic is None)

    @cached_property
    def n_bodies(self) -> int:
        """Number of moving bodies."""
        return len(self.body_names)

    @cached_property
    def n_links(self) -> int:
        """Number of moving links inside: bodies, and the massless links of composite joints."""
        return len(self.links) - 1

    @cached_property
    def mass(self) -> float:
        """Mass of all moving bodies; kg."""
        return float(self.links[:, layout.INERTIA].sum())

    # ----------------------------------------------------------------------------------------------------------- names

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Joints that have coordinates, in the user's order."""
        return tuple(joint.name for joint in self.joints if joint.mimic is None)

    @cached_property
    def mimic(self) -> dict[str, tuple[str, float, float]]:
        """Joints that follow another: ``{name: (source, multiplier, offset)}``."""
        return {joint.name: joint.mimic for joint in self.joints if joint.mimic is not None}

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """Everything :func:`forward_kinematics` can be asked for: bodies, merged bodies, frames of the user's."""
        return tuple(name for name, _ in self.frames)

    @cached_property
    def q_names(self) -> tuple[str, ...]:
        """A name for each entry of q: the joint's, with ``.qw``, ``.x``, ... behind it where the joint has several."""
        return self._coordinate_names("q_labels")

    @cached_property
    def v_names(self) -> tuple[str, ...]:
        """A name for each entry of v: the joint's, with ``.wx``, ``.vx``, ... behind it where the joint has several."""
        return self._coordinate_names("v_labels")

    def _coordinate_names(self, labels: str) -> tuple[str, ...]:
        owners = [joint for joint in self.joints if joint.mimic is None]
        return tuple(
            f"{joint.name}.{label}" if label else joint.name
            for joint in owners
            for label in getattr(JOINT_TYPES[joint.type], labels)
        )

    @cached_property
    def q_is_angle(self) -> NDArray[np.bool_]:
        """For each entry of q, whether it is an angle (in rad) rather than a length (in m) or part of a quaternion."""
        angle = []
        for joint in self.joints:
            if joint.mimic is None:
                kind = JOINT_TYPES[joint.type]
                turns = joint.type in ("revolute", "continuous", "helical")
                angle += [turns if not label else label.startswith("angle") for label in kind.q_labels]
        return np.array(angle, dtype=bool)

    @cached_property
    def _joint_by_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    def joint(self, name: str) -> Joint:
        """The joint of that name. KeyError, with the names there are, if there is none."""
        try:
            return self._joint_by_name[name]
        except KeyError:
            raise UnknownNameError(f"no joint {name!r} moves; there are {listing(self._joint_by_name)}") from None

    def q_slice(self, joint: str) -> slice:
        """Where the joint's coordinates are in q. KeyError for an unknown name, and for a mimic joint, which has none."""
        found = self._owner(joint)
        return slice(found.q_start, found.q_start + JOINT_TYPES[found.type].nq)

    def v_slice(self, joint: str) -> slice:
        """Where the joint's coordinates are in v. KeyError for an unknown name, and for a mimic joint, which has none."""
        found = self._owner(joint)
        return slice(found.v_start, found.v_start + JOINT_TYPES[found.type].nv)

    def _owner(self, name: str) -> Joint:
        found = self.joint(name)
        if found.mimic is not None:
            source, multiplier, offset = found.mimic
            rule = f"{multiplier:g} q + {offset:g}" if offset else f"{multiplier:g} q"
            raise UnknownNameError(
                f"joint {name!r} has no coordinates: it is at {rule} with q that of {source!r}; ask for that"
            )
        return found

    def body_index(self, body: str) -> int:
        """The number of a moving body: its place in ``f_ext`` and in the results by body. KeyError if there is none."""
        try:
            return self.body_names.index(body)
        except ValueError:
            pass
        merged = dict(self.frames)
        if body in merged:
            carrier = self.body_names[merged[body]] if merged[body] >= 0 else "the world"
            raise UnknownNameError(
                f"{body!r} is no moving body: it is fixed to {carrier!r}; it can be asked for as a frame"
            )
        raise UnknownNameError(f"no body {body!r}; there are {listing(self.body_names)}")

    def frame_offsets(self, names: Sequence[str]) -> tuple[NDArray[np.intp], Array]:
        """For frames by name: the number of the body each is on, -1 for the world, and its placement there, (n, 4, 4)."""
        known = {name: k for k, name in enumerate(self.frame_names)}
        missing = [name for name in names if name not in known]
        if missing:
            raise UnknownNameError(f"no frame {missing[0]!r}; there are {listing(known)}")
        chosen = [known[name] for name in names]
        bodies = np.array([self.frames[k][1] for k in chosen], dtype=np.intp)
        return bodies, self.frame_placements[chosen]

    def quaternion_slices(self) -> dict[str, slice]:
        """For each joint that has a quaternion, where it is in q."""
        start = {"spherical": 0, "free": 3}
        return {
            joint.name: slice(joint.q_start + start[joint.type], joint.q_start + start[joint.type] + 4)
            for joint in self.joints
            if joint.type in start
        }

    # --------------------------------------------------------------------------------------------------------- kernels

    @cached_property
    def packed(self) -> Array:
        """The model as kernels read it: one flat array, see :mod:`pluecker.articulated.model.layout`."""
        header, links, freedoms = np.zeros(layout.HEADER), self.links.copy(), self.freedoms.ravel()
        table = np.concatenate([self.armature, self.damping, self.friction, self.stiffness])
        first = layout.HEADER + links.size
        header[layout.GRAVITY : layout.GRAVITY + 3] = self.gravity
        sizes = self.n_links, self.nq, self.nv, self.n_bodies
        places = first, first + len(freedoms), first + len(freedoms) + len(table)
        flags = self.armature.any(), self.damping.any() or self.friction.any(), self.stiffness.any()
        header.view(np.int64)[list(layout.INTEGERS_OF_HEADER)] = *sizes, *places, *flags
        links.view(np.int64)[:, layout.INTEGERS_OF_LINK] = self.links[:, layout.INTEGERS_OF_LINK]
        packed = np.concatenate([header, links.ravel(), freedoms, table, self.rest_position])
        packed.flags.writeable = False
        return packed

    @cached_property
    def plans(self) -> dict[Any, Any]:
        """What the algorithms have found out about this model, by algorithm: filled as they run."""
        return {}

    # ------------------------------------------------------------------------------------------------- equality, pickle

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        values = (getattr(self, field.name) for field in fields(self))
        # Adding zero makes -0.0 and 0.0 alike.
        return tuple((v.shape, (v + 0.0).tobytes()) if isinstance(v, np.ndarray) else v for v in values)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Model) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, tuple(getattr(self, field.name) for field in fields(self))

    # ----------------------------------------------------------------------------------------------------------- repr

    def __repr__(self) -> str:
        from pluecker.articulated.model.drawing import draw_tree

        return draw_tree(self)


def listing(names: Any, most: int = 20) -> str:
    """Names for a message, the first ``most`` of them."""
    names = list(names)
    text = ", ".join(map(repr, names[:most])) or "none"
    return text + (f" and {len(names) - most} more" if len(names) > most else "")
