"""The ``collision`` elements of URDF files as colliders.

Boxes, spheres, cylinders and capsules become shapes of that kind; meshes become their hulls, read by trimesh (extra
``mesh``).
URDF: http://wiki.ros.org/urdf/XML/link.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from pluecker.articulated.model.urdf import check_elements, is_text, numbers, parse, read_source
from pluecker.articulated.pictures.visuals import find_mesh, origin
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.shapes import Box, Capsule, ConvexHull, Cylinder, Shape, Sphere
from pluecker.contact.geometry.surfaces import Collider, Surface
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.functions.elementwise import Array

__all__ = ["urdf_colliders"]

ORIGIN = ("xyz", "rpy")


def urdf_colliders(path_or_text: str | os.PathLike[str], surface: Surface | None = None) -> tuple[Collider, ...]:
    """The colliders that the ``collision`` elements of a URDF file describe, in its order.

    A collider has the name of its element; where it has none, that of its link with a number, as ``"shin.0"``. All
    belong to the group of the robot's name.

    Args:
        path_or_text: path of a URDF file, or its text; ``model.urdf`` is that of a model that was read from one.
        surface: of all colliders; URDF has none. :class:`Surface` of its defaults if None.

    Returns:
        Colliders on frames that have the names of links.

    Raises:
        ModelError: the file is no URDF.
        GeometryError: a shape is unknown or cannot be, a mesh file is not found or cannot be read; the message names
            the link.
        MissingExtraError: there is a mesh, and trimesh is not installed (extra ``mesh``).

    Source: the URDF specification, elements ``link``, ``collision`` and ``geometry``.

    Example:
        >>> from pluecker.contact.geometry import urdf_colliders
        >>> text = '''<robot name="r"><link name="base"><collision><origin xyz="0 0 1"/><geometry><box size="1 1 2"/>
        ... </geometry></collision></link></robot>'''
        >>> [(found.name, found.shape, found.frame.position) for found in urdf_colliders(text)]
        [('base.0', Box(size=(1.0, 1.0, 2.0)), (0.0, 0.0, 1.0))]
    """
    surface = Surface() if surface is None else surface
    if not isinstance(surface, Surface):
        raise ArgumentTypeError(f"urdf_colliders: surface is {shown(surface)}, expected a Surface")
    source, text = read_source(path_or_text)
    root = parse(source, text)
    check_elements(source, root)
    folder = None if isinstance(path_or_text, str) and is_text(path_or_text) else Path(path_or_text).parent.absolute()
    group = root.get("name") or "robot"
    found: list[Collider] = []
    taken: set[str] = set()
    for link in root.findall("link"):
        for k, element in enumerate(link.findall("collision")):
            frame = link.attrib["name"]
            label = f"{source}: link {shown(frame)}: collision {k}"
            for j, shape in enumerate(read_shapes(label, element, folder)):
                name = element.get("name") or f"{frame}.{k}"
                name = name if j == 0 else f"{name}.{j}"
                while name in taken:
                    name += "_"
                taken.add(name)
                T = origin(element.find("origin"))
                check_origin(label, element.find("origin"))
                found.append(Collider(name, shape, Frame(frame, T[:3, 3], T[:3, :3]), surface, groups=group))
    return tuple(found)


def check_origin(label: str, element: ElementTree.Element | None) -> None:
    """Refuse an origin that is no three numbers."""
    for key in ORIGIN:
        if element is not None and element.get(key) is not None:
            attribute(label, element, key, 3)


def attribute(label: str, element: ElementTree.Element, key: str, count: int) -> Any:
    """The numbers of an attribute."""
    text = element.get(key)
    values = None if text is None else numbers(text)
    if values is None or len(values) != count or not np.isfinite(values).all():
        came = "nothing" if text is None else shown(text)
        expected = "a finite number" if count == 1 else f"{count} finite numbers"
        raise GeometryError(f"{label}: {key} of <{element.tag}> is {came}, expected {expected}")
    return values if count > 1 else float(values[0])


def read_shapes(label: str, collision: ElementTree.Element, folder: Path | None) -> list[Shape]:
    """The shapes of one element: one, or the parts of a mesh."""
    geometry = collision.find("geometry")
    element = None if geometry is None else next(iter(geometry), None)
    if element is None:
        raise GeometryError(f"{label}: has no shape, expected <geometry> with one")
    try:
        if element.tag == "box":
            return [Box(attribute(label, element, "size", 3))]
        if element.tag == "sphere":
            return [Sphere(attribute(label, element, "radius", 1))]
        if element.tag in ("cylinder", "capsule"):
            kind = Cylinder if element.tag == "cylinder" else Capsule
            return [kind(attribute(label, element, "radius", 1), attribute(label, element, "length", 1))]
        if element.tag == "mesh":
            scale = attribute(label, element, "scale", 3) if element.get("scale") else np.ones(3)
            return [ConvexHull(vertices * scale) for vertices in read_vertices(label, element, folder)]
    except GeometryError as error:
        text = str(error)
        raise GeometryError(text if text.startswith(label) else f"{label}: {text}") from None
    raise GeometryError(f"{label}: unknown shape <{element.tag}>, expected box, sphere, cylinder, capsule or mesh")


def read_vertices(label: str, element: ElementTree.Element, folder: Path | None) -> list[Array]:
    """The vertices of each part of a mesh file."""
    name = element.get("filename") or ""
    path = find_mesh(name, folder)
    if path is None:
        raise GeometryError(f"{label}: the mesh file {shown(name)} is not found")
    trimesh = require("trimesh", "mesh", "reading the meshes of colliders")
    try:
        parts = trimesh.load_scene(path).dump()
    except PlueckerError:
        raise
    except Exception as error:  # trimesh has as many as there are formats, and those of the packages that read them
        raise GeometryError(f"{label}: the mesh file {shown(name)} cannot be read: {shown(error)}") from None
    found = [np.array(part.vertices, np.float64) for part in parts if len(getattr(part, "vertices", ()))]
    if not found:
        raise GeometryError(f"{label}: the mesh file {shown(name)} has no vertices")
    return found
