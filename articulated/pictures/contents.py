"""Contents of a picture of a mechanism: the options, and the parts there are to draw; for matplotlib and for the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.overlays import Lines, Overlay, overlay_points
from pluecker.articulated.pictures.parts import SHORTEST_ROD, Rod, Solid, Tie, rods, solids, ties, transformed
from pluecker.articulated.pictures.visuals import Shape, visual_shapes
from pluecker.spatial.errors import ArgumentValueError

__all__ = [
    "AXIS_COLOURS",
    "COIL",
    "MIDDLE",
    "ROD",
    "SLIDES",
    "SOLID",
    "TURNS",
    "Contents",
    "Parts",
    "bounds",
    "parts_of",
    "reach",
]

Array = NDArray[np.float64]
AXIS_COLOURS = ("#d62728", "#2ca02c", "#1f77b4")
ROD, TURNS, SLIDES, SOLID, MIDDLE = "#5b6470", "#e07b00", "#8e44ad", "#3b7dd8", "#111111"
COIL = 0.02  # of the size: the radius of a spring
LARGEST_COORDINATE = 1e30  # m, of what can be drawn: matplotlib squares and divides


@dataclass(frozen=True)
class Contents:
    """Options of a picture; the fields are arguments of ``plot_mechanism``."""

    visuals: bool = True
    axes: bool = True
    frames: tuple[str, ...] = ()
    inertia: bool = False
    center_of_mass: bool = True


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of a mechanism that can be drawn.

    Attributes:
        shapes: surfaces of the URDF file's.
        rods: in place of links that have no shape, and to the ends of lines on them.
        boxes: in place of bodies that have neither shape nor length.
        solids: of all bodies that have mass.
        ties: lines between bodies, of the overlays.
    """

    shapes: list[Shape]
    rods: list[Rod]
    boxes: list[Solid]
    solids: list[Solid]
    ties: list[Tie]


def parts_of(model: Model, visuals: bool, overlays: Sequence[Overlay] = ()) -> Parts:
    """The parts of a mechanism, with the shapes of its URDF file or without, and lines that are shown with it."""
    shapes = visual_shapes(model) if visuals else []
    shaped = {shape.body for shape in shapes}
    drawn = [rod for rod in rods(model) if not {rod.first, rod.second} - {-1} <= shaped or is_bare(rod, shapes)]
    reached = shaped | {body for rod in drawn for body in (rod.first, rod.second)}
    all_solids = solids(model)
    boxes = [solid for solid in all_solids if solid.body not in reached]
    lines = [ties(model, overlay) for overlay in overlays if isinstance(overlay, Lines)]
    solid_of = {solid.body: solid for solid in boxes}
    ends = [
        end for tie in lines for bodies, points in (tie.first, tie.second) for end in zip(bodies, points, strict=True)
    ]
    drawn += [rod for body, p in ends if body not in shaped and (rod := stem(int(body), p, solid_of.get(body)))]
    return Parts(shapes, drawn, boxes, all_solids, lines)


def stem(body: int, point: Array, box: Solid | None) -> Rod | None:
    """Make the rod from a body that has no shape to the end of a line, if that is not at its origin, or in its box."""
    start = np.zeros(3) if box is None else box.center
    half = np.full(3, SHORTEST_ROD) if box is None else 0.5 * box.box + SHORTEST_ROD
    axes = np.eye(3) if box is None else box.axes
    inside = bool((np.abs(axes.T @ (point - start)) <= half).all())
    return None if body < 0 or inside else Rod(body, start, body, point)


def is_bare(rod: Rod, shapes: Sequence[Shape]) -> bool:
    """Return whether all shapes of a body are far from its joint, as a shin's foot, so that only a rod connects them."""
    if rod.first != rod.second:
        return False
    half = 0.5 * float(np.linalg.norm(rod.end))
    for shape in shapes:
        low, high = shape.surface[0].min(0), shape.surface[0].max(0)
        if shape.body == rod.first and np.linalg.norm(np.clip(0.0, low, high)) < half:
            return False
    return True


def reach(parts: Parts, T: Array, overlays: Sequence[Overlay]) -> Array:
    """Collect points whose bounding box contains all that is drawn, ``(m, 3)``.

    Args:
        parts: of the mechanism.
        T: placements of the bodies and, last, the world, in all configurations, ``(n, n_bodies + 1, 4, 4)``.
        overlays: what is shown with it.
    """
    on_world = parts.rods or T.shape[1] == 1 or any(shape.body < 0 for shape in parts.shapes)
    points = [T[:, : None if on_world else -1, :3, 3].reshape(-1, 3)]
    points += [transformed(T[:, rod.second], rod.end) for rod in parts.rods]
    points += [transformed(T[:, solid.body], solid.center) for solid in parts.solids]
    for shape in parts.shapes:
        corners = np.stack([shape.surface[0].min(0), shape.surface[0].max(0)])
        grid = np.stack(np.meshgrid(*corners.T, indexing="ij"), axis=-1).reshape(-1, 3)
        points += [transformed(T[:, shape.body], corner) for corner in grid]
    for solid in parts.boxes:
        for s in (-0.5, 0.5):
            points.append(transformed(T[:, solid.body], solid.center + solid.axes @ (s * solid.box)))
    points += [tie.ways(T).reshape(-1, 3) for tie in parts.ties]
    return np.concatenate([*points, overlay_points(overlays)])


def bounds(function: str, points: Array) -> tuple[Array, Array, float]:
    """Compute the bounding box of points: lowest and highest coordinates, and the longest edge, which is not zero.

    Raises:
        ValueError: they are too far away to be drawn.
    """
    low, high = points.min(0, initial=LARGEST_COORDINATE), points.max(0, initial=-LARGEST_COORDINATE)
    if not (np.abs([low, high]) < LARGEST_COORDINATE).all():
        raise ArgumentValueError(
            f"{function}: what is to be drawn reaches {LARGEST_COORDINATE:g} m or farther, and has no picture"
        )
    edge = max(float((high - low).max()), 1e-6 * float(np.abs(0.5 * (low + high)).max())) or 1.0
    return low, high, edge
