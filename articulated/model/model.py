"""The model of a mechanism: constant, checked, and the same thing for every algorithm; and its builder, by hand."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pluecker.articulated.errors import ModelError
from pluecker.articulated.model import layout
from pluecker.articulated.model.assembly import assemble
from pluecker.articulated.model.consistency import as_array, check_fields, joint_tree
from pluecker.articulated.model.description import Description
from pluecker.articulated.model.drawing import draw_tree
from pluecker.articulated.model.joints import JOINT_TYPES, quaternion_places
from pluecker.articulated.model.records import (
    JOINT_ARRAYS,
    Joint,
    ModelFields,
    coordinate_names,
    known,
    listing,
)
from pluecker.articulated.model.trees import (
    CoordinateTree,
    Tree,
    ancestor_table,
    coordinate_tree,
    factor_sizes,
    list_trees,
    row_table,
    tree_table,
)
from pluecker.articulated.model.urdf import is_text, read_urdf
from pluecker.spatial.errors import ArgumentTypeError, UnknownNameError, shown
from pluecker.spatial.functions.arguments import as_numbers
from pluecker.spatial.properties import cached_property

__all__ = ["Joint", "Model", "ModelBuilder", "listing", "without_friction"]

Array = NDArray[np.float64]


class Ready:
    """Base class with slots for the prepared data of calls with a single state, and with a few, by algorithm and then by
    key.

    The algorithms fill them as they run. Python reads them with each call, from a slot in half the time of a property.
    """

    __slots__ = ("few", "ready")
    ready: dict[Any, dict[Any, Any]]
    few: dict[Any, dict[Any, Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Model(ModelFields, Ready):
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
        urdf: the file that the model was read from, or its text, from which pictures take shapes; None if it was built.
            Equality does not depend on it.
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.type == "Array":
                object.__setattr__(self, field.name, as_array(field.name, getattr(self, field.name)))
        check_fields(self)
        for slot in Ready.__slots__:
            object.__setattr__(self, slot, {})

    # ---------------------------------------------------------------------------------------------------- construction

    @classmethod
    def from_urdf(
        cls,
        path_or_text: str | os.PathLike[str],
        *,
        floating_base: bool = False,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        check_inertia: bool = True,
        mimic: bool = True,
    ) -> Model:
        """Read a URDF file; meshes are not loaded.

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
        """
        source, description = read_urdf(path_or_text, floating_base, gravity, check_inertia, mimic)
        try:
            return cls(**assemble(description), urdf=remembered(path_or_text))
        except ModelError as error:
            raise ModelError(f"{source}: {error}") from None

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
                raise ArgumentTypeError(f"Model.replace: cannot replace {shown(key)}; it takes {', '.join(allowed)}")
            if key == "name":
                continue
            array = as_numbers("Model.replace", key, value)
            if key in JOINT_ARRAYS:
                n = getattr(self, JOINT_ARRAYS[key][0])
                if array.shape not in ((), (1,), (n,)):
                    raise ModelError(f"Model.replace: {key} has shape {array.shape}, expected a number or ({n},)")
                array = np.broadcast_to(array, (n,))
            changes[key] = array
        return replace(self, **changes)

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

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        """The trees of the mechanism: bodies on different ones do not feel each other, and the inertia matrix has a block
        for each. Trees that mimic joints tie together count as one."""
        return list_trees(self.coordinate_tree, self.links, self.body_names)

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
        return coordinate_names(self.joints, "q_labels")

    @cached_property
    def v_names(self) -> tuple[str, ...]:
        """A name for each entry of v: the joint's, with ``.wx``, ``.vx``, ... behind it where the joint has several."""
        return coordinate_names(self.joints, "v_labels")

    @cached_property
    def q_is_angle(self) -> NDArray[np.bool_]:
        """True for entries of q that are angles (in rad) rather than lengths (in m) or parts of quaternions, ``(nq,)``."""
        owners = [joint for joint in self.joints if joint.mimic is None]
        return np.array([unit == "rad" for joint in owners for unit in JOINT_TYPES[joint.type].q_units], dtype=bool)

    @cached_property
    def _joint_by_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    def joint(self, name: str) -> Joint:
        """The joint of that name. KeyError, with the names there are, if there is none."""
        check_is_name("Model.joint", name)
        if name not in self._joint_by_name:
            raise UnknownNameError(f"no joint {shown(name)} moves; there are {known(name, self._joint_by_name)}")
        return self._joint_by_name[name]

    def q_slice(self, joint: str) -> slice:
        """Return the joint's slice of q. KeyError for an unknown name, and for a mimic joint, which has no coordinates."""
        found = self._owner(joint)
        return slice(found.q_start, found.q_start + JOINT_TYPES[found.type].nq)

    def v_slice(self, joint: str) -> slice:
        """Return the joint's slice of v. KeyError for an unknown name, and for a mimic joint, which has no coordinates."""
        found = self._owner(joint)
        return slice(found.v_start, found.v_start + JOINT_TYPES[found.type].nv)

    def _owner(self, name: str) -> Joint:
        found = self.joint(name)
        if found.mimic is not None:
            source, multiplier, offset = found.mimic
            rule = f"{multiplier:g} q + {offset:g}" if offset else f"{multiplier:g} q"
            raise UnknownNameError(
                f"joint {shown(name)} has no coordinates: it is at {rule} with q that of {shown(source)}; ask for that"
            )
        return found

    @cached_property
    def _body_numbers(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.body_names)}

    @cached_property
    def _frame_numbers(self) -> dict[str, int]:
        return {name: k for k, (name, _) in enumerate(self.frames)}

    def body_index(self, body: str) -> int:
        """The number of a moving body: its place in ``f_ext`` and in the results by body. KeyError if there is none."""
        check_is_name("Model.body_index", body)
        number = self._body_numbers.get(body)
        if number is not None:
            return number
        if body in self._frame_numbers:
            carrier = self.frames[self._frame_numbers[body]][1]
            where = shown(self.body_names[carrier]) if carrier >= 0 else "the world"
            raise UnknownNameError(
                f"{shown(body)} is no moving body: it is fixed to {where}; it can be asked for as a frame"
            )
        raise UnknownNameError(f"no body {shown(body)}; there are {known(body, self.body_names)}")

    def frame_offsets(self, names: Iterable[str]) -> tuple[NDArray[np.intp], Array]:
        """Return for each named frame the number of its body, -1 for the world, and its placement there, (n, 4, 4)."""
        if isinstance(names, str) or not isinstance(names, Iterable) or getattr(names, "shape", None) == ():
            raise ArgumentTypeError(f"frames is {shown(names)}, expected names of frames")
        chosen = []
        for name in names:
            check_is_name("frames", name)
            if name not in self._frame_numbers:
                raise UnknownNameError(f"no frame {shown(name)}; there are {known(name, self._frame_numbers)}")
            chosen.append(self._frame_numbers[name])
        return np.array([self.frames[k][1] for k in chosen], dtype=np.intp), self.frame_placements[chosen]

    def quaternion_slices(self) -> dict[str, slice]:
        """Return, by name of each joint that has a quaternion, the slice of q that holds it."""
        return dict(self._quaternions)

    @cached_property
    def _quaternions(self) -> dict[str, slice]:
        firsts = {joint.name: (joint.q_start, JOINT_TYPES[joint.type].quaternion) for joint in self.joints}
        return {name: slice(q + p, q + p + 4) for name, (q, p) in firsts.items() if p is not None}

    def rotation_vector_slices(self) -> dict[str, slice]:
        """Return, by name of each joint with exponential coordinates, the slice of q that holds them."""
        return {
            joint.name: slice(joint.q_start, joint.q_start + 3) for joint in self.joints if joint.type == "exponential"
        }

    # --------------------------------------------------------------------------------------------------------- kernels

    @cached_property
    def packed(self) -> Array:
        """The model as kernels read it: one flat array, see :mod:`pluecker.articulated.model.layout`."""
        header, links, freedoms = np.zeros(layout.HEADER), self.links.copy(), self.freedoms.ravel()
        table = np.concatenate([self.armature, self.damping, self.friction, self.stiffness])
        first = layout.HEADER + links.size
        header[layout.GRAVITY : layout.GRAVITY + 3] = self.gravity
        trees, rows = tree_table(self.coordinate_tree), row_table(self.coordinate_tree)
        quaternions = quaternion_places(self.links)
        parts = [freedoms, table, self.rest_position, trees, rows, self.coordinate_tree.row_of_freedom.view(np.float64)]
        parts.append(np.array([len(quaternions), *quaternions], dtype=np.int64).view(np.float64))
        parts.append(ancestor_table(self.coordinate_tree))
        places = (first + np.cumsum([0, *map(len, parts)])).tolist()
        sizes = self.n_links, self.nq, self.nv, self.n_bodies
        flags = self.armature.any(), self.damping.any() or self.friction.any(), self.stiffness.any()
        factors = factor_sizes(self.coordinate_tree).sum(), self.coordinate_tree.shared
        header.view(np.int64)[list(layout.INTEGERS_OF_HEADER)] = *sizes, *places[:3], *flags, *places[3:8], *factors
        links.view(np.int64)[:, layout.INTEGERS_OF_LINK] = self.links[:, layout.INTEGERS_OF_LINK]
        packed = np.concatenate([header, links.ravel(), *parts])
        packed.flags.writeable = False
        return packed

    @cached_property
    def coordinate_tree(self) -> CoordinateTree:
        """The rows of the inertia matrix: which coordinates meet in it, and where they are packed."""
        return coordinate_tree(self.links)

    @cached_property
    def tables(self) -> dict[Any, Any]:
        """Cache of data derived from the model (workspace sizes, scenarios, visual shapes), by key; filled on demand."""
        return {}

    @cached_property
    def plans(self) -> dict[Any, Any]:
        """Cache of the algorithms' plans for this model, by algorithm and key; filled as they run."""
        return {}

    # ------------------------------------------------------------------------------------------------- equality, pickle

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        values = (getattr(self, field.name) for field in fields(self) if field.name != "urdf")
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
        counts = f"nq = {self.nq}, nv = {self.nv}, n_bodies = {self.n_bodies}"
        tree = joint_tree(self).tolist()
        roots = [joint.parent for joint, (parent, _) in zip(self.joints, tree, strict=True) if parent == -1]
        moving = {name for name, body in self.frames if body >= 0}
        world = next((name for name in roots if name not in self._frame_numbers), "world")
        while world in moving:  # nothing says what the world is called where all that stands on it is fixed to it
            world += "_"
        return draw_tree(f"Model {self.name!r}: {counts}, {self.mass:.6g} kg", world, self.joints, tree, self.frames)


def without_friction(model: Model) -> Model:
    """Copy a model without its dry friction. Nothing is checked again, which would take a thousand times as long."""
    found = object.__new__(Model)
    depending = {"tables", "plans", "_key", *(["packed"] if model.friction.any() else [])}
    vars(found).update({name: value for name, value in vars(model).items() if name not in depending})
    object.__setattr__(found, "friction", as_array("friction", np.zeros(model.nv)))
    for slot in Ready.__slots__:
        object.__setattr__(found, slot, {})
    return found


def remembered(path_or_text: str | os.PathLike[str]) -> str:
    """Return the text of a URDF file as it is, or its absolute path, which stays valid if the working directory changes."""
    text = os.fspath(path_or_text)
    return text if is_text(text) else os.path.abspath(text)


def check_is_name(function: str, name: Any) -> None:
    """Check that a name to be looked up is a string."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"{function}: a name is {shown(name)}, expected a string")


class ModelBuilder(Description):
    """Collects bodies, joints and frames, and builds a :class:`Model` of them.

    What is wrong by itself (a zero axis, a negative mass, a name used twice) is refused at once; what is wrong together
    (an unknown parent, a cycle, a body without a joint) when the model is built. Every error names
    the body or joint: a :class:`ModelError`, or a ``TypeError`` where something is of another type.

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

    def build(self) -> Model:
        """The model. The builder stays as it is and can build again.

        Raises:
            ModelError: the bodies and joints do not make a tree that hangs on the world.
        """
        return Model(**assemble(self))
