"""The shapes that a URDF file gives its links, read when a picture needs them, and not before.

Boxes, cylinders and spheres are made here; meshes are read by trimesh (extra ``mesh``; COLLADA needs pycollada too). What
cannot be had, a mesh that is not there or an extra that is not installed, is left out: its link is drawn as a rod. A file
that is there and has no triangles for trimesh is warned of, by the name of the link.

Source: the ``visual`` element of URDF, http://wiki.ros.org/urdf/XML/link.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.model.urdf import is_text, origin, parse, read_source, values
from pluecker.articulated.pictures.triangles import Surface, ball, box, cylinder
from pluecker.spatial.errors import shown
from pluecker.spatial.extras import MissingExtraError, require

__all__ = ["Shape", "visual_shapes"]

Array = NDArray[np.float64]
GREY = (0.72, 0.74, 0.78)
SHORTEST = 3  # numbers of a colour


@dataclass(frozen=True, eq=False)
class Shape:
    """A surface on a body.

    Attributes:
        body: its number, -1 for the world.
        surface: triangles in the body's frame; m.
        colour: red, green, blue from 0 to 1; one ``(3,)`` or one for each triangle ``(m, 3)``.
    """

    body: int
    surface: Surface
    colour: Array


def visual_shapes(model: Model) -> list[Shape]:
    """The visuals of the links of a model that was read from a URDF file, or those that it was given, on their bodies.

    Raises:
        ModelError: the file can no longer be read.
    """
    if "visuals" not in model.tables:  # a model never changes, and meshes take long to read
        if model.urdf is None:
            return []
        source, text = read_source(model.urdf)
        root = parse(source, text)
        folder = None if is_text(model.urdf) else Path(model.urdf).parent
        model.tables["visuals"] = list(shapes_of(model, root, folder))
    shapes: list[Shape] = model.tables["visuals"]
    return shapes


def shapes_of(model: Model, root: ElementTree.Element, folder: Path | None) -> Iterator[Shape]:
    """Yield the shapes of all links, link by link."""
    named = {
        element.get("name"): rgb for element in root.findall("material") if (rgb := colour_of(element, {})) is not None
    }
    places = {name: (body, T) for (name, body), T in zip(model.frames, model.frame_placements, strict=True)}
    meshes: dict[str, list[tuple[Surface, Array]]] = {}
    for link in root.findall("link"):
        if link.get("name") not in places:
            continue
        body, T = places[link.get("name", "")]
        for visual in link.findall("visual"):
            own = colour_of(visual.find("material"), named)
            M = T @ origin(visual.find("origin"))
            for (vertices, faces), colour in surfaces(visual.find("geometry"), folder, meshes, link.get("name", "")):
                yield Shape(body, (vertices @ M[:3, :3].T + M[:3, 3], faces), colour if own is None else own)


def surfaces(
    geometry: ElementTree.Element | None, folder: Path | None, meshes: dict[str, list[tuple[Surface, Array]]], link: str
) -> list[tuple[Surface, Array]]:
    """The surfaces of one visual, with the colours that a mesh file gives them; none of what is not understood."""
    if geometry is None or not len(geometry):
        return []
    element = geometry[0]
    grey = np.array(GREY)
    if element.tag == "mesh":
        scale = values(element, "scale", 3)
        name = element.get("filename", "")
        if name not in meshes:
            path = find_mesh(name, folder)
            meshes[name] = [] if path is None else read_mesh(path, link)
        s = np.ones(3) if scale is None else scale
        return [((v * s, f if s.prod() > 0 else f[:, ::-1]), colour) for (v, f), colour in meshes[name]]
    size, radius, length = values(element, "size", 3), values(element, "radius", 1), values(element, "length", 1)
    if element.tag == "box" and size is not None:
        return [(box(size), grey)]
    if element.tag == "sphere" and radius is not None:
        return [(ball(np.full(3, radius[0])), grey)]
    if element.tag == "cylinder" and radius is not None and length is not None:
        return [(cylinder(radius[0], length[0]), grey)]
    return []


# --------------------------------------------------------------------------------------------------------------- elements


def colour_of(material: ElementTree.Element | None, named: dict[str | None, Array]) -> Array | None:
    """The colour of a material, its own or that of its name."""
    if material is None:
        return None
    rgba = values(material.find("color"), "rgba", 4)
    return named.get(material.get("name")) if rgba is None else np.clip(rgba[:3], 0.0, 1.0)


# ----------------------------------------------------------------------------------------------------------------- meshes


def find_mesh(name: str, folder: Path | None) -> Path | None:
    """The file that a name means: a path from the URDF file's folder, or of ``package://``, looked for in the folders above.

    ``ROS_PACKAGE_PATH`` is looked through too. Names that lead to no file of this machine are None.
    """
    scheme, mark, rest = name.partition("://")
    if not mark:
        scheme, rest = "file", name
    if scheme not in ("package", "model", "file") or not rest or "\0" in rest:
        return None
    rest = unquote(rest) if mark else rest
    above = [] if folder is None else [folder, *folder.parents]
    if scheme == "file":
        candidates = [Path(rest)] if folder is None else [folder / rest]
    else:
        inside = rest.partition("/")[2]
        roots = [Path(root) for root in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if root]
        candidates = [root / rest for root in (*above, *roots)] + [root / inside for root in above if inside]
    for path in candidates:
        try:
            if path.is_file():
                return path
        except OSError:  # a name that is too long
            continue
    return None


def read_mesh(path: Path, link: str) -> list[tuple[Surface, Array]]:
    """The surfaces of a mesh file, each with its colours; none, with a warning, where trimesh has none of it."""
    try:
        trimesh = require("trimesh", "mesh", "drawing meshes")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of the packages that read files, not of the file
            scene = trimesh.load_scene(path)
            parts = scene.dump()
    except MissingExtraError:
        return []
    except Exception as error:  # trimesh has as many as there are formats, and those of the packages that read them
        warnings.warn(
            f"link {shown(link)} is drawn without {path.name}, which cannot be read: {shown(error)}", stacklevel=2
        )
        return []
    found = []
    for part in parts if isinstance(parts, (list, tuple)) else [parts]:
        vertices, faces = getattr(part, "vertices", None), getattr(part, "faces", None)
        if vertices is None or faces is None or not len(faces):
            continue
        surface = np.array(vertices, np.float64), np.array(faces, np.int64)
        if np.isfinite(surface[0]).all():
            found.append((surface, mesh_colour(part)))
    if not found:
        warnings.warn(
            f"link {shown(link)} is drawn without {path.name}, of which trimesh has no triangles", stacklevel=2
        )
    return found


def mesh_colour(part: Any) -> Array:
    """A colour for each triangle, or one for all; grey where the file has none."""
    visual = part.visual
    kind = getattr(visual, "kind", None)
    try:
        if kind == "texture":
            rgb = np.asarray(visual.material.main_color, np.float64)[:3] / 255.0
        elif kind in ("face", "vertex"):
            rgb = np.asarray(visual.face_colors, np.float64)[:, :3] / 255.0
        else:
            return np.array(GREY)
    except Exception:  # materials of some formats have no colour at all
        return np.array(GREY)
    same = rgb.ndim == 1 or bool((rgb == rgb[0]).all())
    return rgb if rgb.ndim == 1 else rgb[0] if same else rgb
