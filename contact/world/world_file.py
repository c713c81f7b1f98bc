"""Shapes and contacts of a world in the TOML file of its constraints.

The file is that of :mod:`~pluecker.contact.constraints.toml_file`. Besides constraints it has

=====================  ============================================================================================
table                  what it is
=====================  ============================================================================================
``[sphere.foot]``      a :class:`~pluecker.contact.geometry.Collider` of that name: ``half_space``, ``sphere``,
                       ``capsule``, ``box``, ``cylinder``, ``convex_hull``, ``mesh`` or ``height_field``, with the
                       attributes of the shape, and ``frame``, ``surface``, ``groups``, ``ignores``
``[surface.rubber]``   a :class:`~pluecker.contact.geometry.Surface`, which shapes name
``[contacts]``         ``pairs``, ``law``, ``impacts``, ``recovery``, ``recovery_speed``, ``accuracy`` of
                       :class:`~pluecker.contact.World`; with ``robot = true`` the ``collision`` elements of the robot's
                       URDF are shapes too, with the surface ``robot_surface``
=====================  ============================================================================================

A surface is the name of one, or a table such as ``{ friction = 0.8 }``. For example::

    [half_space.floor]
    frame = "world"
    surface = "rubber"

    [sphere.foot]
    radius = 0.02
    frame = { frame = "shin", position = [0.0, 0.0, -0.4] }
    surface = "rubber"

    [surface.rubber]
    friction = 0.9
    rolling_friction = 1e-3

    [contacts]
    pairs = [["floor", "foot"]]

Without ``pairs``, and by another law than Coulomb's, contacts are found in each step. Shapes come in the order of their
tables, those of one kind together.
"""

from __future__ import annotations

import os
from dataclasses import MISSING, fields
from typing import Any, NamedTuple

from pluecker.articulated.model.model import Model
from pluecker.contact.constraints.base import Constraint
from pluecker.contact.constraints.toml_file import Reader, Table, guarded, load_tables
from pluecker.contact.errors import ConstraintError
from pluecker.contact.geometry.shapes import (
    Box,
    Capsule,
    ConvexHull,
    Cylinder,
    HalfSpace,
    HeightField,
    Mesh,
    Sphere,
)
from pluecker.contact.geometry.surfaces import Collider, Surface
from pluecker.contact.geometry.urdf import urdf_colliders
from pluecker.spatial.errors import shown

__all__ = ["SHAPES", "WorldFile", "read_world_file"]

SHAPES: dict[str, type[Any]] = {
    "half_space": HalfSpace, "sphere": Sphere, "capsule": Capsule, "box": Box, "cylinder": Cylinder,
    "convex_hull": ConvexHull, "mesh": Mesh, "height_field": HeightField,
}  # fmt: skip
OF_COLLIDERS = ("frame", "surface", "groups", "ignores")
OF_WORLDS = ("pairs", "law", "impacts", "recovery", "recovery_speed", "accuracy")
OF_ROBOTS = ("robot", "robot_surface")


class WorldFile(NamedTuple):
    """Content of a file: constraints, and the other arguments of a world.

    Attributes:
        constraints: records.
        options: of :class:`~pluecker.contact.World`: shapes, and what is said of contacts.
    """

    constraints: tuple[Constraint, ...]
    options: dict[str, Any]


def read_world_file(path: str | os.PathLike[str], model: Model) -> WorldFile:
    """Read constraints and shapes from a TOML file; its format is described in :mod:`~pluecker.contact.world.world_file`.

    Args:
        path: of the file.
        model: whose URDF has collision elements, where the file asks for these.

    Raises:
        ConstraintError: as :func:`~pluecker.contact.constraints.read_constraints`; there is no surface or URDF that the file
            names.
        TypeError: ``path`` is no path.
    """
    content = load_tables(path, "World.from_file")
    shapes = (*SHAPES, "surface", "contacts")
    own, constraints = ({key: x for key, x in content.items() if (key in shapes) == mine} for mine in (True, False))
    return ShapeReader(os.fspath(path), constraints, own).read(model)


class ShapeReader(Reader):
    """Reader of one file, with the tables of shapes apart from those of constraints."""

    def __init__(self, path: str, constraints: Table, own: Table) -> None:
        super().__init__(path, constraints)
        self.own = own
        for kind, tables in own.items():
            if not isinstance(tables, dict):
                expected = "[contacts]" if kind == "contacts" else f"tables [{kind}.name]"
                raise ConstraintError(f"{path}: [{kind}] is {shown(tables)}, expected {expected}")
            for name, table in tables.items() if kind != "contacts" else ():
                if not isinstance(table, dict):
                    raise ConstraintError(f"{path}: [{kind}] has the key {shown(name)}, expected tables [{kind}.name]")

    def read(self, model: Model) -> WorldFile:
        """Read the whole file."""
        shapes = [
            self.collider(f"{self.path}: [{kind}.{name}]", name, SHAPES[kind], table)
            for kind, tables in self.own.items()
            if kind in SHAPES
            for name, table in tables.items()
        ]
        for name, table in self.own.get("surface", {}).items():  # also those that no shape names
            self.record(f"{self.path}: [surface.{name}]", Surface, table)
        where = f"{self.path}: [contacts]"
        options = self.table(where, self.own.get("contacts", {}), (*OF_WORLDS, *OF_ROBOTS))
        robot, surface = options.pop("robot", False), options.pop("robot_surface", None)
        if not isinstance(robot, bool):
            raise ConstraintError(f"{where}: robot is {shown(robot)}, expected true or false")
        if robot:
            if model.urdf is None:
                raise ConstraintError(f"{where}: robot is true, and model {model.name!r} was not read from a URDF")
            skin = Surface() if surface is None else self.surface(f"{where}: robot_surface", surface)
            shapes += urdf_colliders(model.urdf, skin)
        elif surface is not None:
            raise ConstraintError(f"{where}: robot_surface is given without robot = true")
        return WorldFile(self.constraints(), {"shapes": tuple(shapes), **options})

    def collider(self, where: str, name: str, kind: type[Any], table: Table) -> Collider:
        """Read a shape with a surface on a frame."""
        sizes = {each.name: each for each in fields(kind) if each.init}
        needed = [key for key, each in sizes.items() if each.default is MISSING]
        found = self.table(where, table, (*sizes, *OF_COLLIDERS), (*needed, "frame"))
        options: Table = {key: found[key] for key in ("groups", "ignores") if key in found}
        if "surface" in found:
            options["surface"] = self.surface(f"{where}: surface", found["surface"])
        frame = self.frame(f"{where}: frame", found["frame"])
        shape = guarded(where, lambda: kind(**{key: found[key] for key in sizes if key in found}))
        return guarded(where, lambda: Collider(name, shape, frame, **options))

    def surface(self, where: str, given: Any) -> Surface:
        """Read a surface: by the name of one of the file, or from a table of its own."""
        tables = self.own.get("surface", {})
        if isinstance(given, str):
            if given not in tables:
                known = ", ".join(tables) or "none"
                raise ConstraintError(f"{where}: no surface {shown(given)}; there are {known}")
            where, given = f"{self.path}: [surface.{given}]", tables[given]
        found: Surface = self.record(where, Surface, given)
        return found
