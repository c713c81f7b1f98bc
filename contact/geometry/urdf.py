"""The ``collision`` elements of URDF files as colliders.

Boxes, spheres, cylinders and capsules become shapes of that kind; meshes become their hulls, read by trimesh (extra
``mesh``).
URDF: http://wiki.ros.org/urdf/XML/link.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.model.model import Model
from pluecker.articulated.model.urdf import check_elements, is_text, numbers, origin, parse, read_source
from pluecker.articulated.pictures.visuals import find_mesh
from pluecker.contact.constraints.relation import Frame
from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.collision import Collision
from pluecker.contact.geometry.shapes import Box, Capsule, ConvexHull, Cylinder, Shape, Sphere
from pluecker.contact.geometry.surfaces import Collider, Surface
from pluecker.spatial.errors import ArgumentTypeError, PlueckerError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.functions.arguments import as_numbers
from pluecker.spatial.functions.elementwise import Array

__all__ = ["urdf_colliders"]

ORIGIN = ("xyz", "rpy")
FREE = 7  # entries of a floating base in front of those of the joints


def urdf_colliders(
    path_or_text: str | os.PathLike[str],
    surface: Surface | None = None,
    *,
    ignore_overlaps_at: ArrayLike | None = None,
    srdf: str | os.PathLike[str] | None = None,
) -> tuple[Collider, ...]:
    """Read the colliders that the ``collision`` elements of a URDF file describe, in its order.

    A collider has the name of its element; where it has none, that of its link with a number, as ``"shin.0"``. All
    belong to the group of the robot's name. Shapes of files often overlap, a thigh and a hip, so that a step would push
    them apart: colliders of which this is known ignore each other, by a group of its own for each.

    Args:
        path_or_text: path of a URDF file, or its text; ``model.urdf`` is that of a model that was read from one.
        surface: of all colliders; URDF has none. :class:`Surface` of its defaults if None.
        ignore_overlaps_at: a configuration of ``Model.from_urdf(path_or_text)``, ``(nq,)``, with or without a floating
            base: colliders that overlap there ignore each other.
        srdf: path of an SRDF file, or its text: the colliders of links whose collisions its ``disable_collisions``
            elements disable ignore each other.

    Returns:
        Colliders on frames that have the names of links.

    Raises:
        ModelError: the file is no URDF.
        GeometryError: a shape is unknown or cannot be, a mesh file is not found or cannot be read; the message names
            the link. The SRDF file names no link, or one that is not there; the configuration has another length.
        MissingExtraError: there is a mesh, and trimesh is not installed (extra ``mesh``).

    Source: the URDF specification, elements ``link``, ``collision`` and ``geometry``; the SRDF specification, element
    ``disable_collisions``, http://wiki.ros.org/srdf.

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
    apart = (
        set() if srdf is None else disabled_pairs(srdf, {link.attrib["name"] for link in root.findall("link")}, found)
    )
    if ignore_overlaps_at is not None:
        apart |= overlapping_pairs(path_or_text, ignore_overlaps_at, found)
    return ignoring(found, apart)


def overlapping_pairs(path_or_text: Any, q: Any, colliders: list[Collider]) -> set[tuple[int, int]]:
    """Find the pairs of numbers of colliders that overlap in a configuration."""
    given = as_numbers("urdf_colliders", "ignore_overlaps_at", q)
    model = Model.from_urdf(path_or_text, check_inertia=False)
    if given.shape == (model.nq + FREE,):
        given = given[FREE:]
    if given.shape != (model.nq,):
        raise GeometryError(
            f"urdf_colliders: ignore_overlaps_at has shape {given.shape}, expected ({model.nq},), or ({model.nq + FREE},) "
            "with a floating base"
        )
    found = Collision(model, colliders).find(given)
    return {(min(i, j), max(i, j)) for i, j in found.colliders[found.gap < 0.0].tolist()}


def disabled_pairs(
    path_or_text: str | os.PathLike[str], links: set[str], colliders: list[Collider]
) -> set[tuple[int, int]]:
    """Find the pairs of numbers of colliders of links whose collisions an SRDF file disables."""
    source, text = read_source(path_or_text)
    root = parse(source, text)
    of_link: dict[str, list[int]] = {}
    for k, collider in enumerate(colliders):
        of_link.setdefault(collider.frame.name, []).append(k)
    found = set()
    for element in root.findall("disable_collisions"):
        pair = [element.get(key) for key in ("link1", "link2")]
        for key, name in zip(("link1", "link2"), pair, strict=True):
            if name not in links:
                came = "nothing" if name is None else shown(name)
                raise GeometryError(
                    f"{source}: {key} of <disable_collisions> is {came}, expected a link of the URDF file"
                )
        first, second = (of_link.get(name or "", []) for name in pair)
        found |= {(min(i, j), max(i, j)) for i in first for j in second if i != j}
    return found


def ignoring(colliders: list[Collider], pairs: set[tuple[int, int]]) -> tuple[Collider, ...]:
    """Return the colliders with groups so that pairs ignore each other: the first ignores a group of the second alone."""
    ignored: dict[int, set[int]] = {}
    for i, j in pairs:
        ignored.setdefault(i, set()).add(j)
    named = {j for later in ignored.values() for j in later}
    return tuple(
        replace(
            collider,
            groups=(*collider.groups, f"collider {collider.name}") if k in named else collider.groups,
            ignores=(*collider.ignores, *(f"collider {colliders[j].name}" for j in sorted(ignored.get(k, ())))),
        )
        for k, collider in enumerate(colliders)
    )


def check_origin(label: str, element: ElementTree.Element | None) -> None:
    """Refuse an origin that is no three numbers."""
    for key in ORIGIN:
        if element is not None and element.get(key) is not None:
            attribute(label, element, key, 3)


def attribute(label: str, element: ElementTree.Element, key: str, count: int) -> Any:
    """Parse the numbers of an attribute."""
    text = element.get(key)
    values = None if text is None else numbers(text)
    if values is None or len(values) != count or not np.isfinite(values).all():
        came = "nothing" if text is None else shown(text)
        expected = "a finite number" if count == 1 else f"{count} finite numbers"
        raise GeometryError(f"{label}: {key} of <{element.tag}> is {came}, expected {expected}")
    return values if count > 1 else float(values[0])


def read_shapes(label: str, collision: ElementTree.Element, folder: Path | None) -> list[Shape]:
    """Read the shapes of one element: one, or the parts of a mesh."""
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
    """Read the vertices of each part of a mesh file."""
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
