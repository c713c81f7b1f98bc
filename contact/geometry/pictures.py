"""Colliders in pictures: a model that is drawn with the shapes that touch, in place of rods and boxes of equal inertia."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.overlays import COLOURS, HEX, rgb
from pluecker.articulated.pictures.triangles import Surface, ball, box, cylinder, joined
from pluecker.articulated.pictures.visuals import Shape as Visual
from pluecker.articulated.pictures.visuals import visual_shapes
from pluecker.articulated.running.arguments import as_model
from pluecker.contact.arguments import can_be_listed
from pluecker.contact.constraints.checks import positive
from pluecker.contact.constraints.frames import body_of
from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.shapes import Box, Capsule, Cylinder, HalfSpace, Shape, Sphere
from pluecker.contact.geometry.surfaces import Collider
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.functions.arguments import as_numbers
from pluecker.spatial.functions.elementwise import Array

__all__ = ["draw_colliders"]

GROUND = "#dfe3e8"
TILES = 16  # of a half-space's rectangle, along its longer side
BODIES = ("#6ea1d4", "#e3b04b", "#8cc08a", "#c98bb9", "#d98268", "#7fbfc0", "#b0a27b", "#9a98cf")


def draw_colliders(
    model: Model, colliders: Iterable[Collider], *, ground: Any = 2.0, visuals: bool = False, colors: Any = None
) -> Model:
    """Return the model with colliders in its pictures: by ``plot_mechanism``, ``animate``, ``view``, and of its motions.

    It is equal to the model that was given, and moves as that. Bodies have different colours, the world is grey.

    Args:
        model: the mechanism.
        colliders: shapes on its frames.
        ground: the side of the square that is shown of a half-space, or the sides along its x and y axes, ``(2,)``; m.
        visuals: whether the shapes of the model's URDF file are shown too.
        colors: by the names of colliders ``"#rrggbb"``, or a name as of :class:`~pluecker.articulated.Points`; those
            that are not named have the colour of their body.

    Raises:
        TypeError: no model, no colliders, ``visuals`` is not True or False.
        ValueError: ``ground`` is not above 0, a color is none.
        KeyError: a frame is not there.

    Example:
        >>> from pluecker.articulated import ModelBuilder, plot_mechanism
        >>> from pluecker.contact.geometry import Collider, Sphere, draw_colliders
        >>> builder = ModelBuilder("ball")
        >>> builder.add_body("ball", mass=1.0, inertia=[0.004] * 3)
        >>> builder.add_joint("float", "free", parent="world", child="ball")
        >>> model = draw_colliders(builder.build(), [Collider("skin", Sphere(0.1), "ball")])
        >>> axes = plot_mechanism(model)  # doctest: +SKIP
    """
    model = as_model("draw_colliders", model)
    given = as_numbers("draw_colliders", "ground", ground)
    if given.shape not in ((), (2,)):
        raise GeometryError(f"draw_colliders: ground has shape {given.shape}, expected a number or (2,)")
    sides = np.array([positive("draw_colliders", "ground", side) for side in np.broadcast_to(given, (2,))])
    if not can_be_listed(colliders):
        raise ArgumentTypeError(f"draw_colliders: colliders is {shown(colliders)}, expected records of Collider")
    if not isinstance(visuals, (bool, np.bool_)):
        raise ArgumentTypeError(f"draw_colliders: visuals is {shown(visuals)}, expected True or False")
    chosen = as_colors(colors)
    found = list(visual_shapes(model)) if visuals else []
    for collider in colliders:
        if not isinstance(collider, Collider):
            raise ArgumentTypeError(f"draw_colliders: colliders hold {shown(collider)}, expected records of Collider")
        body = body_of(f"Collider {shown(collider.name)}", "frame", model, collider.frame)
        T = collider.placement
        if collider.frame.name in model.frame_names:
            T = model.frame_offsets([collider.frame.name])[1][0] @ T
        vertices, faces = surface_of(collider.shape, sides)
        colour = chosen.get(collider.name, GROUND if body < 0 else BODIES[body % len(BODIES)])
        found.append(Visual(body, (vertices @ T[:3, :3].T + T[:3, 3], faces), rgb(colour)))
    drawn = model.replace()
    drawn.tables["visuals"] = found
    return drawn


def as_colors(colors: Any) -> dict[str, str]:
    """Check colours by the names of colliders."""
    if colors is None:
        return {}
    if not isinstance(colors, Mapping):
        raise ArgumentTypeError(
            f"draw_colliders: colors is {shown(colors)}, expected colours by the names of colliders"
        )
    for name, color in colors.items():
        if not isinstance(color, str) or (color not in COLOURS and not HEX.fullmatch(color)):
            raise GeometryError(
                f"draw_colliders: the color of {shown(name)} is {shown(color)}, expected '#rrggbb' or one of "
                f"{', '.join(COLOURS)}"
            )
    return dict(colors)


def surface_of(shape: Shape, ground: Array) -> Surface:
    """Compute the triangles of a shape in its own frame; of a half-space a rectangle with the sides ``ground``."""
    if isinstance(shape, HalfSpace):
        return tiles(ground)
    if isinstance(shape, Sphere):
        return ball(np.full(3, shape.radius))
    if isinstance(shape, Box):
        return box(np.array(shape.size))
    if isinstance(shape, Cylinder):
        return cylinder(shape.radius, shape.length)
    if isinstance(shape, Capsule):
        return capsule(shape.radius, shape.length)
    vertices: Array = np.asarray(shape.vertices)  # type: ignore[attr-defined]
    return vertices, np.asarray(shape.triangles)  # type: ignore[attr-defined]


def tiles(sides: Array) -> Surface:
    """Make a rectangle of many triangles: matplotlib sorts them by their middles, and large ones would hide what
    is above.
    """
    n = np.maximum(1, np.round(TILES * sides / sides.max())).astype(np.int64)
    x, y = (np.linspace(-0.5 * side, 0.5 * side, k + 1) for side, k in zip(sides, n, strict=True))
    vertices = np.stack([*np.meshgrid(x, y, [0.0], indexing="ij")], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n[0]), np.arange(n[1]), indexing="ij")
    a = (i * (n[1] + 1) + j).reshape(-1)
    b, c, d = a + n[1] + 1, a + n[1] + 2, a + 1
    return vertices, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def capsule(radius: float, length: float) -> Surface:
    """Make a cylinder with a ball at each end."""
    points, faces = ball(np.full(3, radius))
    ends = [(points + np.array([0.0, 0.0, z]), faces) for z in (-0.5 * length, 0.5 * length)]
    return joined([cylinder(radius, length), *ends])
