"""Pictures of vector fields: grids of points, and the field of a twist or of a wrench drawn on them (course, section 9).

:func:`~pluecker.course.screws.velocity_at` and :func:`~pluecker.course.screws.moment_at` evaluate a
field on a grid of any shape. Drawing needs the extra ``plot`` (matplotlib).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.course.screws import central_axis, moment_at, screw_axis, velocity_at
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.functions.arguments import Array, as_floats, as_integer, as_option, composed

__all__ = ["grid", "plot_field"]

KINDS = {
    "velocity": (
        "Velocity field", "velocity (m/s)", "screw axis",
        "{0:.3g} rad/s about the axis, {1:.3g} m/s along it", "translation, {1:.3g} m/s",
    ),
    "moment": (
        "Moment field", "moment (N m)", "central axis",
        "{0:.3g} N along the axis, {1:.3g} N m about it", "couple, {1:.3g} N m",
    ),
}  # fmt: skip
LETTERS = "xyz"
COLOURS = "viridis_r"  # the strongest arrows are the darkest
FILL = 0.9  # how much of the distance between two points the longest arrow takes
MOST_POINTS = 100  # points along an edge: nobody sees more, and a million arrows take memory for all
BARB = 0.35  # length of the head of an arrow in space, of the whole arrow
THIN = 1e-9  # what is smaller than this part of the largest arrow, or of the drawing, is not there
HUGE = 1e150  # of what is drawn: its square is in the range of float64


def grid(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> Array:
    """All points with these coordinates.

    Args:
        x: coordinates along x, ``(nx,)``, or one number, which gives the grid no axis of its own; m.
        y: the same along y.
        z: the same along z.

    Returns:
        ``(nx, ny, nz, 3)``; m. ``grid(x, y, 0)`` is ``(nx, ny, 3)``, a part of the plane z = 0.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers, or of more than one axis.

    Example:
        >>> grid([0, 1], [0, 1, 2], 0).shape
        (2, 3, 3)

    Source: course, section 9 (source document 001, docs/sources.md): a vector field has a vector at each point.
    """
    axes = []
    for name, values in (("x", x), ("y", y), ("z", z)):
        array = as_floats("grid", name, values, ())
        if array.ndim > 1:
            raise ArgumentValueError(f"grid: {name} has shape {array.shape}, expected a number or (n,)")
        axes.append(array)
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    return points.reshape(*(len(array) for array in axes if array.ndim), 3)


@composed
def plot_field(
    vector: ArrayLike,
    kind: str = "velocity",
    plane: str | ArrayLike | None = None,
    *,
    center: ArrayLike = (0.0, 0.0, 0.0),
    size: float = 2.0,
    count: int | None = None,
    ax: Any = None,
) -> Any:
    """Draw the velocity field of a twist or the moment field of a wrench, with its axis.

    Arrows have the colour of their magnitude; the longest spans nine tenths of the distance between points. In a plane, an
    arrow is what of the field lies in the plane; where something stands out of it, a dot (towards the viewer) or a cross
    (away) says so, and colour still tells the whole magnitude.

    Args:
        vector: one motion vector ``[w, v_O]`` (rad/s, m/s) or one force vector ``[n_O, f]`` (N m, N), ``(6,)``.
        kind: ``"velocity"`` of a motion vector, or ``"moment"`` of a force vector.
        plane: two of the letters x, y and z, to the right and upwards, as ``"xy"``; or a vector ``(3,)`` at right angles to
            the plane, towards the viewer: a drawing in that plane. None: a drawing in space.
        center: the middle of the drawing, ``(3,)``; m. A plane goes through it.
        size: length of an edge of the square or cube that is drawn; m.
        count: points along an edge, 2 to 100; 11 in a plane and 5 in space, if None.
        ax: where to draw: axes of matplotlib, those of a 3D projection for a drawing in space. A new figure, if None.

    Returns:
        The axes of matplotlib.

    Raises:
        MissingExtraError: matplotlib is not installed.
        TypeError, ValueError: an argument is not as described; the vector is zero and has no field to draw.

    Source: RBDA section 2.2; course, sections 9, 11, 14 and 22.
    """
    a = single("vector", vector, (6,))
    middle = single("center", center, (3,))
    edge = float(single("size", size, ()))
    if not a.any():
        raise ArgumentValueError("plot_field: vector is zero, and so is its field everywhere")
    kind = as_option("plot_field", "kind", kind, KINDS)
    if edge <= 0.0:
        raise ArgumentValueError(f"plot_field: size is {edge}, expected a length above zero")
    n = as_integer("plot_field", "count", (5 if plane is None else 11) if count is None else count, 2, MOST_POINTS)

    rows, names = (np.eye(3), list(LETTERS)) if plane is None else axes_of_plane(plane)
    dimensions = 3 if plane is None else 2
    axes = axes_to_draw_on(ax, dimensions)
    steps = np.linspace(-0.5 * edge, 0.5 * edge, n)
    points = rows @ middle + grid(steps, steps, steps if plane is None else 0.0).reshape(-1, 3)
    values = (velocity_at if kind == "velocity" else moment_at)(a, points @ rows) @ rows.T
    largest = np.abs(values).max()
    if not 1.0 / HUGE < largest < HUGE:
        raise ArgumentValueError(f"plot_field: the field has magnitudes of {largest:.0e}, whose squares leave float64")
    draw = draw_in_space if plane is None else draw_in_plane
    arrows = draw(axes, points, values, edge / (n - 1))

    title, unit, line_name, with_axis, without = KINDS[kind]
    direction, point, first, second = screw_axis(a) if kind == "velocity" else central_axis(a)
    text = (with_axis if first > 0.0 else without).format(float(first), float(second))
    reach = 0.5 * edge + 0.5 * edge / (n - 1)
    if first > 0.0:
        box = np.array([reach, reach, reach if plane is None else THIN * edge])
        ends = inside(rows @ direction, rows @ (point - middle), box)
        if ends is None:
            text += "; the axis is outside"
        else:
            ends = (ends + rows @ middle)[:, :dimensions]
            axes.plot(*ends.T, color="crimson", marker="o", markersize=5, label=line_name, zorder=3)
    for letter, name, c in zip(LETTERS[:dimensions], names, rows @ middle, strict=False):
        axes.set(**{f"{letter}label": f"{name} (m)", f"{letter}lim": (c - reach, c + reach)})
    axes.set_aspect("equal")
    axes.set_title(f"{title}\n{text}")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, frameon=False)
    axes.figure.colorbar(arrows, ax=axes, label=unit, shrink=0.75, pad=0.14 if plane is None else 0.03)
    return axes


def single(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """An input without leading axes."""
    array = as_floats("plot_field", name, value, shape)
    if array.shape != shape:
        raise ArgumentValueError(
            f"plot_field: {name} has shape {array.shape}, expected {shape}: one drawing shows one field"
        )
    return array


def axes_of_plane(plane: str | ArrayLike) -> tuple[Array, list[str]]:
    """The axes of a drawing as rows, to the right, upwards and towards the viewer; and the names of the first two."""
    if isinstance(plane, str):
        if len(plane) != 2 or plane[0] == plane[1] or any(letter not in LETTERS for letter in plane):
            raise ArgumentValueError(
                f"plot_field: plane is {shown(plane)}, expected two of the letters x, y and z, or a normal vector"
            )
        right, up = (np.eye(3)[LETTERS.index(letter)] for letter in plane)
        return np.stack([right, up, np.cross(right, up)]), list(plane)
    normal = single("plane", plane, (3,))
    if not normal.any():
        raise ArgumentValueError("plot_field: plane is a zero vector, expected one at right angles to the plane")
    normal = normal / np.abs(normal).max()
    normal = normal / np.linalg.norm(normal)
    right = np.cross([0.0, 0.0, 1.0], normal)  # horizontal, unless the plane is
    right = right / np.linalg.norm(right) if np.linalg.norm(right) > THIN else np.array([1.0, 0.0, 0.0])
    up = np.cross(normal, right)
    names = [f"along ({', '.join(f'{x:.2g}' for x in np.round(axis, 3) + 0.0)})" for axis in (right, up)]
    return np.stack([right, up, normal]), names


def axes_to_draw_on(ax: Any, dimensions: int) -> Any:
    """New axes, or those given, if they fit."""
    if ax is None:
        pyplot = require("matplotlib.pyplot", "plot", "plot_field")
        projection = {"projection": "3d"} if dimensions == 3 else {}
        return pyplot.subplots(figsize=(7.0, 5.6), layout="constrained", subplot_kw=projection)[1]
    if not hasattr(ax, "quiver"):
        raise ArgumentTypeError(f"plot_field: ax is {type(ax).__name__}, expected axes of matplotlib")
    if hasattr(ax, "get_zlim") != (dimensions == 3):
        wanted = (
            "axes of a 3D projection, or a plane" if dimensions == 3 else "plain axes for a plane, no 3D projection"
        )
        raise ArgumentValueError(f"plot_field: ax does not fit the drawing, expected {wanted}")
    return ax


def draw_in_space(axes: Any, points: Array, values: Array, spacing: float) -> Any:
    """Arrows in three dimensions: each is one line from its tail to the tip, to one barb, back, and to the other barb."""
    lines = require("mpl_toolkits.mplot3d.art3d", "plot", "plot_field").Line3DCollection
    size = np.linalg.norm(values, axis=-1)
    there = size > THIN * size.max()
    points, values, size = points[there], values[there] * (FILL * spacing / size.max()), size[there]
    side = np.cross(values, np.eye(3)[np.abs(values).argmin(axis=-1)])
    side *= 0.4 * np.linalg.norm(values, axis=-1, keepdims=True) / np.linalg.norm(side, axis=-1, keepdims=True)
    tip = points + values
    left, right = tip - BARB * (values - side), tip - BARB * (values + side)
    arrows = lines(np.stack([points, tip, left, tip, right], axis=1), array=size, cmap=COLOURS, linewidths=1.2)
    arrows.set_clim(0.0, size.max())
    axes.add_collection3d(arrows)
    return arrows


def draw_in_plane(axes: Any, points: Array, values: Array, spacing: float) -> Any:
    """Arrows for what lies in the plane, dots and crosses for what stands out of it."""
    size = np.linalg.norm(values, axis=-1)
    scale = size.max() / (FILL * spacing)
    style = {"cmap": COLOURS, "clim": (0.0, size.max())}
    x, y = points[:, :2].T
    arrows = axes.quiver(
        x, y, values[:, 0], values[:, 1], size, angles="xy", scale_units="xy", scale=scale, width=0.004, **style
    )
    signs = (("$\\odot$", "towards the viewer", values[:, 2]), ("$\\otimes$", "away from the viewer", -values[:, 2]))
    for marker, meaning, outward in signs:
        there = outward > THIN * size.max()
        if there.any():
            area = 120.0 * outward[there] / size.max()
            axes.scatter(x[there], y[there], area, size[there], marker=marker, linewidths=0.3, **style)
            axes.scatter([], [], 80.0, "black", marker=marker, label=meaning, linewidths=0.3)
    return arrows


def inside(direction: Array, point: Array, box: Array) -> Array | None:
    """The two ends of what of a line lies in the box ``|x| <= box``; None where the line misses it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = np.stack([(-box - point) / direction, (box - point) / direction])
    parallel = np.abs(direction) < THIN
    if (np.abs(point[parallel]) > box[parallel]).any():
        return None
    first, last = sides[:, ~parallel].min(axis=0).max(), sides[:, ~parallel].max(axis=0).min()
    return None if first > last else point + np.array([[first], [last]]) * direction
