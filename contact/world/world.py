"""A world: a mechanism and constraints on it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import as_model
from pluecker.contact.constraints.checks import positive
from pluecker.contact.geometry.shape_contact import ShapeContact
from pluecker.contact.rows.joint_rows import joint_rows
from pluecker.contact.world.constrained import as_found_contacts, checked, pair_contacts, parts_of
from pluecker.contact.world.maximal import Maximal
from pluecker.contact.world.running import called
from pluecker.contact.world.simulation import Motions
from pluecker.contact.world.tree_joints import free_parts
from pluecker.contact.world.world_file import read_world_file
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError

__all__ = ["World"]


@by_value("model", "constraints", "limits", "found_contacts", "accuracy")
class World(Motions):
    """A mechanism and constraints on it, in any mixture of reduced and maximal coordinates.

    A world is immutable. Its state is ``(q, v)``, as of its model. A body on a free joint is in maximal coordinates, a body
    on a tree in reduced ones; constraints hold frames of bodies, of any two, and coordinates. Each constraint is a few rows,
    on which it has forces; the rows of all are counted in the order in which the constraints were given, and those of the
    model's own joints, dry friction and limits, come last.

    Worlds are equal, and hash alike, if model, constraints and shapes are; they can be copied and pickled.

    Args:
        model: the mechanism.
        constraints: records of :mod:`pluecker.contact.constraints`, each with a name of its own.
        limits: whether position limits of the model's joints hold.
        shapes: what may touch: records of :class:`~pluecker.contact.geometry.Collider`, or a
            :class:`~pluecker.contact.geometry.Collision` on this model, which says more about who ignores whom. Contacts are
            found in each step, however many there are, of one state or of each state of a batch. Shapes of one body, of a
            body and the one that carries it, and of groups that ignore each other do not touch; the world carries nobody.
        pairs: names of two shapes each: then only these touch, and each pair is a constraint,
            :class:`~pluecker.contact.geometry.ShapeContact`, after the others, called ``"first/second"``, whatever their
            groups. Eight states of a batch go at once.
        law: of contacts that are found, and of point contacts beside them: ``ncp``, Coulomb's, or ``ccp``, ``lcp``,
            ``frictionless``, as for :func:`~pluecker.contact.solve`. Where none are found all contacts have Coulomb's.
        impacts: of contacts that are found, and of pairs: ``"newton"``, or ``"poisson"``, by which no impact of one contact
            gains energy with friction; see :class:`~pluecker.contact.constraints.PointContact`.
        recovery: of contacts that are found, and of ``pairs``: at which rate depths are undone, as that of a
            :class:`~pluecker.contact.constraints.PointContact`, which has its own; 1/s. Where contacts are found, shapes
            that joints or walls hold in one another are parted only as far as these let them.
        recovery_speed: the largest speed at which they are undone; m/s, may be infinite.
        accuracy: the error of the law of contacts that is tolerated in a step, of points, of pairs, and of those that are
            found: by how much a contact misses it, as a velocity, beside the largest velocity of the step, as ``tol`` of
            :func:`~pluecker.contact.solve`. Where contacts are found, steps aim at a tenth of it, and few contacts have more
            digits; those of points and of pairs are solved nearly to rounding. Loops, and limits where there are no
            contacts, hold to 1e-10.

    Raises:
        TypeError: ``model`` is no model, something is no constraint.
        ValueError: two constraints have one name, a constraint cannot be on this model.
        KeyError: there is no frame, joint or shape of that name.

    Example:
        >>> from pluecker.articulated import ModelBuilder
        >>> from pluecker.contact import World, constraints
        >>> swing = ModelBuilder()
        >>> for side in ("left", "right"):
        ...     swing.add_body(side, mass=1.0, center_of_mass=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        ...     place = (0.0 if side == "left" else 1.0, 0, 0)
        ...     swing.add_joint(side, "revolute", parent="world", child=side, axis=(0, 1, 0), position=place)
        >>> rod = constraints.Rod("rod", ("left", (0, 0, -1)), ("right", (0, 0, -1)), length=1.0)
        >>> world = World(swing.build(), [rod])
        >>> world.accelerations(q=[0.0, 0.0], v=[0.0, 0.0], tau=[1.0, 0.0]).acceleration.round(3)
        array([1.429, 1.429])
    """

    def __init__(
        self,
        model: Model,
        constraints: Iterable[Any] = (),
        *,
        limits: bool = True,
        shapes: Any = (),
        pairs: Any = None,
        law: str = "ncp",
        impacts: str = "newton",
        recovery: float = 10.0,
        recovery_speed: float = 1.0,
        accuracy: float = 1e-6,
    ) -> None:
        self.model = as_model("World", model)
        fixed = () if pairs is None else pair_contacts(shapes, pairs, law, recovery, recovery_speed, impacts)
        self.constraints = checked((*checked(constraints), *fixed))
        if not isinstance(limits, (bool, np.bool_)):
            raise ArgumentTypeError(f"World: limits is a {type(limits).__name__}, expected True or False")
        self.limits, self.accuracy = bool(limits), positive("World", "accuracy", accuracy)
        named = any(isinstance(each, ShapeContact) for each in self.constraints)
        self.found_contacts = as_found_contacts(
            self.model, shapes, law, impacts, recovery, recovery_speed, self.accuracy, named, pairs is not None
        )
        self.parts = *(parts_of(each, self.model) for each in self.constraints), joint_rows(self.model, self.limits)

    @classmethod
    def from_urdf(
        cls,
        path_or_text: str | os.PathLike[str],
        *,
        constraints: str | os.PathLike[str] | Iterable[Any] = (),
        limits: bool = True,
        **options: Any,
    ) -> World:
        """Read a robot from a URDF file, with constraints, which URDF cannot say.

        Args:
            path_or_text: path of a file, or the XML itself.
            constraints: a TOML file, as of :meth:`from_file`, or records.
            limits: whether position limits of the robot's joints hold.
            options: of :meth:`Model.from_urdf`.

        Raises:
            ModelError, ConstraintError: a file cannot be read, or does not describe such a thing.
            MissingExtraError: yourdfpy is not installed.
        """
        model = Model.from_urdf(path_or_text, **options)
        if isinstance(constraints, (str, os.PathLike)):
            return cls.from_file(constraints, model, limits=limits)
        return cls(model, constraints, limits=limits)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], model: Model, *, limits: bool = True) -> World:
        """Read a world from a TOML file, whose format is that of :mod:`~pluecker.contact.world.world_file`.

        Args:
            path: of the file: constraints, as of :func:`~pluecker.contact.constraints.read_constraints`, shapes and pairs.
            model: the mechanism, whose bodies the file names.
            limits: whether position limits of the model's joints hold.

        Raises:
            ConstraintError: the file cannot be read or is no TOML; a table, a key or a value is not as it should be.
            TypeError, ValueError, KeyError: as World; the message names the file.

        Source: TOML 1.0, https://toml.io.

        Example:
            >>> import pathlib, tempfile
            >>> from pluecker.articulated import ModelBuilder
            >>> from pluecker.contact import World
            >>> builder = ModelBuilder()
            >>> builder.add_body("ball", mass=1.0)
            >>> builder.add_joint("rail", "prismatic", "world", "ball", axis=(0, 0, 1))
            >>> file = pathlib.Path(tempfile.mkdtemp(), "ball.toml")
            >>> lines = "half_space.floor.frame = 'world'", "sphere.skin = { radius = 0.1, frame = 'ball' }"
            >>> _ = file.write_text(chr(10).join(lines))
            >>> [collider.name for collider in World.from_file(file, builder.build()).found_contacts.collision.colliders]
            ['floor', 'skin']
        """
        found = read_world_file(path, as_model("World.from_file", model))
        try:
            return cls(model, found.constraints, limits=limits, **found.options)
        except PlueckerError as error:
            error.args = (f"{os.fspath(path)}: {error.args[0]}", *error.args[1:])
            raise

    def __reduce__(self) -> tuple[Any, ...]:
        found = {} if self.found_contacts is None else self.found_contacts.options()
        return made_again, (self.model, self.constraints, self.limits, {"accuracy": self.accuracy, **found})

    def __repr__(self) -> str:
        return f"World of model {self.model.name!r}: {len(self.constraints)} constraints, {self.n_rows} rows"

    @called("World.maximal")
    def maximal(self, reference: ArrayLike | None = None) -> Maximal:
        """Make the world in maximal coordinates: each body free, each joint a constraint under the joint's name.

        Accelerations are the same, and so are the net wrenches on bodies, and reactions where the motion determines them.
        Beyond half a turn, rotation vectors change to the equivalent ones, as they do in reduced coordinates. Euler angles
        are functions of where bodies are outside of gimbal lock alone, where the rates of the first and the third one have
        ``1 / sin`` of the angle between their axes: with armature, damping or springs of such joints, motions are followed
        until there, and end in an error that names the joint.

        Args:
            reference: configuration from which angles are counted, ``(nq,)``: springs and limits of joints that turn mean
                angles up to half a turn from there. The neutral one if None.

        Raises:
            ConstraintError: a body without mass or inertia, which cannot be free; a universal joint with its axes in line;
                springs of a joint that is free on a moving body; a constraint with the name of a joint.
            ValueError, TypeError: ``reference`` is no configuration.
        """
        free = free_parts(self, reference)
        world = type(self)(free.model, free.constraints, limits=self.limits, accuracy=self.accuracy, **free.options)
        return Maximal(world, self, free.reference, free.shapes, free.coordinates)


def made_again(model: Model, constraints: tuple[Any, ...], limits: bool, options: dict[str, Any]) -> World:
    """A world from what it is made of: of a copy all of that is copied together, the model of its shapes too."""
    return World(model, constraints, limits=limits, **options)
