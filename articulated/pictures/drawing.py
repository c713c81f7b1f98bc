"""Drawings of a mechanism on 3D axes of matplotlib.

A drawing has the same parts whether it stands alone or is one of an animation's: :class:`Drawing` makes room for all
configurations that will be shown, and draws one after the other.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.contents import (
    AXIS_COLOURS,
    COIL,
    MIDDLE,
    ROD,
    SLIDES,
    SOLID,
    TURNS,
    Contents,
    bounds,
    parts_of,
    reach,
)
from pluecker.articulated.pictures.figures import PURPOSE, as_label
from pluecker.articulated.pictures.overlays import (
    COLOURS,
    Arrows,
    Cones,
    Lines,
    Overlay,
    Points,
    marks,
    present,
    rgb,
)
from pluecker.articulated.pictures.parts import Tie, joint_axes, transformed
from pluecker.articulated.pictures.triangles import (
    Surface,
    ball,
    box,
    coarser,
    coil,
    cone,
    finer,
    joined,
    normals,
    turn_to,
)
from pluecker.articulated.pictures.visuals import Shape
from pluecker.spatial.extras import require

__all__ = ["CAMERA", "Drawing", "make_room", "space"]

Array = NDArray[np.float64]
MOST_TRIANGLES = 9000  # of a drawing: matplotlib sorts them all for each picture, and a page is no finer
FINE = 400  # of a box and its like: matplotlib sorts triangles by their middles, and large ones would cover near ones
FEWEST = 100  # of a shape: a cylinder stays one
CLEAR = 0.12  # of a cone, of which two sides are seen: it is to hide neither a contact nor a body
LIGHT = np.array([0.45, -0.6, 0.66])  # from where it comes, in world axes: from the front, above
SHADE = 0.45  # of a surface that is turned away from the light
WIDTHS = {"rod": 2.6, "rope": 1.4, "spring": 1.4, "joint": 1.4}  # of lines between bodies
OVER = 1e-3  # of the size: half a dot of a picture
PACKED = 3  # of 9: a sixth more bytes than 6, in half the time
CAMERA = (18.0, -58.0)
THIN = 1e-9  # of its extent: a surface that is flat
MOST_NUMBERS, APART = 5, 0.3  # along an edge of the room; inches that one needs, so that an edge seen end-on has none
LONGEST = 0.6  # of the axes' place in the figure, about: the longest edge of the room
FLATTEST = 0.6  # of the longest edge of the room: an edge is not drawn shorter, so that there is room for its numbers


def space(figure: Any, place: Any = 111) -> Any:
    """3D axes of a figure, on which what is drawn later covers what was drawn before."""
    require("mpl_toolkits.mplot3d", "plot", PURPOSE)
    return figure.add_subplot(place, projection="3d", computed_zorder=False)


class Drawing:
    """A mechanism on 3D axes, in one of several configurations.

    Args:
        ax: 3D axes of matplotlib.
        model, contents, overlays: what is drawn.
        q: the configurations, ``(n, nq)``.
        placements: of the bodies and the world there, ``(n, n_bodies + 1, 4, 4)``.
        triangles: of the shapes, about.
    """

    def __init__(
        self,
        ax: Any,
        model: Model,
        contents: Contents,
        overlays: Sequence[Overlay],
        q: Array,
        placements: Array,
        triangles: int = MOST_TRIANGLES,
    ) -> None:
        self.ax, self.model, self.contents, self.overlays, self.q = ax, model, contents, overlays, q
        self.placements = placements
        self.parts = parts_of(model, contents.visuals, overlays)
        self.collection = art3d()
        self.surface, self.body_of_vertex, self.colours, self.ground = coarse_shapes(
            model, self.parts.shapes, triangles
        )
        self.size = make_room(ax, reach(self.parts, placements, overlays))
        self.drawn: list[Any] = []

    # ------------------------------------------------------------------------------------------------------------ a film

    def at_rest(self) -> Any:
        """The dots of what no configuration changes, axes, numbers, legend; the figure is laid out for good."""
        figure, title = self.ax.figure, self.ax.title
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        for artist in (*self.drawn, title):
            artist.set_visible(False)
        figure.canvas.draw()
        for artist in (*self.drawn, title):
            artist.set_visible(True)
        return figure.canvas.copy_from_bbox(figure.bbox)

    def picture(self, behind: Any) -> bytes:
        """The configuration that is drawn, over what is behind it, as a PNG file."""
        canvas, image = self.ax.figure.canvas, require("PIL.Image", "plot", PURPOSE)
        canvas.restore_region(behind)
        renderer = canvas.get_renderer()
        for artist in sorted((*self.drawn, self.ax.title), key=lambda artist: artist.get_zorder()):
            if hasattr(artist, "do_3d_projection"):
                artist.do_3d_projection()
            artist.draw(renderer)
        file = io.BytesIO()
        image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]).save(file, format="png", compress_level=PACKED)
        return file.getvalue()

    # ---------------------------------------------------------------------------------------------------- one of them

    def draw(self, k: int) -> None:
        """Draw the configuration of that number, in place of the one that is there."""
        for artist in self.drawn:
            artist.remove()
        self.drawn = []
        T, contents = self.placements[k], self.contents
        self.draw_surfaces(T)
        for rod in self.parts.rods:
            self.line(
                np.stack([transformed(T[rod.first], rod.start), transformed(T[rod.second], rod.end)]),
                ROD,
                3.0,
                zorder=2,
            )
        if self.parts.rods:
            self.dots(T[sorted({rod.second for rod in self.parts.rods}), :3, 3], ROD, 4.5, zorder=2)
        for tie in self.parts.ties:
            self.draw_lines(tie, T)
        if contents.axes:
            self.draw_joint_axes(k)
        if contents.inertia:
            self.draw_ellipsoids(T)
        self.draw_frames(T)
        if contents.center_of_mass and self.parts.solids:
            m = np.array([solid.mass for solid in self.parts.solids])
            c = m @ np.array([transformed(T[solid.body], solid.center) for solid in self.parts.solids]) / m.sum()
            self.dots(c[None], "white", 9.0, zorder=8, markeredgecolor=MIDDLE, markeredgewidth=1.2)
            self.dots(c[None], MIDDLE, 9.0, zorder=9, label="centre of mass", marker="P", markeredgecolor="white")
        for overlay in self.overlays:
            if not isinstance(overlay, Lines):
                self.draw_overlay(overlay.at(k))

    def draw_surfaces(self, T: Array) -> None:
        """Draw shapes, and boxes for bodies that have neither shape nor length, with shading."""
        vertices, faces = self.surface
        world = transformed(T[self.body_of_vertex], vertices)
        under = self.ground
        self.triangles(world[faces[under]], self.colours[under], zorder=0.5)
        parts, colours = [world[faces[~under]]], [self.colours[~under]]
        for solid in self.parts.boxes:
            corners, sides = box(np.maximum(solid.box, 0.004 * self.size))
            parts.append(transformed(T[solid.body], corners @ solid.axes.T + solid.center)[sides])
            colours.append(np.broadcast_to(rgb(SOLID), (len(sides), 3)))
        self.triangles(np.concatenate(parts), np.concatenate(colours), zorder=1)

    def triangles(self, corners: Array, colours: Array, zorder: float, alpha: float = 1.0) -> None:
        """Draw flat triangles, darker where they face away from the light."""
        if not len(corners):
            return
        lit = SHADE + (1.0 - SHADE) * np.abs(normals(corners) @ (LIGHT / np.linalg.norm(LIGHT)))
        faces = np.concatenate([np.clip(colours, 0.0, 1.0) * lit[:, None], np.full((len(lit), 1), alpha)], axis=1)
        if alpha == 1.0:  # a little over their edges, so that there are no gaps: lines there would take as long again
            out = corners - corners.mean(axis=1, keepdims=True)
            corners = corners + out * (
                OVER * self.size / np.maximum(np.linalg.norm(out, axis=2, keepdims=True), 1e-300)
            )
        made = self.collection.Poly3DCollection(corners, facecolors=faces, linewidths=0.0, zorder=zorder)
        self.drawn.append(self.ax.add_collection3d(made))

    def draw_joint_axes(self, k: int) -> None:
        """Draw short lines along the joint axes, in one colour for joints that turn, in another for those that slide."""
        axes = joint_axes(self.model, self.q[k])
        half = 0.07 * self.size
        for kind, colour, label in (
            (False, TURNS, "axis of a turning joint"),
            (True, SLIDES, "axis of a sliding joint"),
        ):
            for point, along in zip(
                axes.points[axes.slides == kind], axes.directions[axes.slides == kind], strict=True
            ):
                self.line(np.stack([point - half * along, point + half * along]), colour, 1.8, zorder=4, label=label)
        if len(axes.balls):
            self.dots(axes.balls, TURNS, 7.0, zorder=4, label="ball joint", fillstyle="none")

    def draw_ellipsoids(self, T: Array) -> None:
        """Draw the ellipsoids of equal inertia, transparent."""
        for solid in self.parts.solids:
            vertices, faces = ball(np.maximum(solid.ellipsoid, 0.004 * self.size), rings=8)
            corners = transformed(T[solid.body], vertices @ solid.axes.T + solid.center)[faces]
            self.triangles(corners, np.broadcast_to(rgb(SOLID), (len(faces), 3)), zorder=5, alpha=0.16)

    def draw_frames(self, T: Array) -> None:
        """Draw the axes of frames in red, green and blue, and their names where they are few."""
        bodies, offsets = self.model.frame_offsets(self.contents.frames)
        for name, M in zip(self.contents.frames, T[bodies] @ offsets, strict=True):
            for j, colour in enumerate(AXIS_COLOURS):
                tip = M[:3, 3] + 0.09 * self.size * M[:3, j]
                label = f"axes of a frame: {'xyz'[j]}"
                self.line(np.stack([M[:3, 3], tip]), colour, 2.2, zorder=6, label=label)
            if len(self.contents.frames) <= 6:
                text = self.ax.text(*(M[:3, 3] + 0.03 * self.size), as_label(name), fontsize=8, zorder=10)
                self.drawn.append(text)

    def draw_lines(self, tie: Tie, T: Array) -> None:
        """Rods, ropes, springs or joints between bodies."""
        lines = tie.lines
        colour, width = COLOURS.get(lines.color, lines.color), WIDTHS[lines.shape]
        ways, slack = tie.ways(T), tie.slack(T)
        for which, stroke in ((~slack, "-"), (slack, "--")):
            chosen = list(ways[which])
            if lines.shape == "spring":
                chosen = [coil(way[0], way[-1], COIL * self.size) for way in chosen]
            if chosen:
                gap = np.full((1, 3), np.nan)
                self.line(
                    np.concatenate([part for way in chosen for part in (way, gap)][:-1]),
                    colour, width, zorder=3, linestyle=stroke,
                )  # fmt: skip
        if lines.shape == "joint" and len(ways):
            self.dots(ways.reshape(-1, 3), colour, 4.5, zorder=3)

    def draw_overlay(self, overlay: Points | Arrows | Cones) -> None:
        """Points, arrows or cones that are there."""
        there, colour = present(overlay), COLOURS.get(overlay.color, overlay.color)
        starts, ends = (x[there] for x in marks(overlay))
        if not len(starts):
            return
        if isinstance(overlay, Cones):
            vertices, faces = cone(overlay.slope * overlay.height, overlay.height)
            corners = [(vertices @ R.T + p)[faces] for R, p in zip(turn_to(ends - starts), starts, strict=True)]
            self.triangles(
                np.concatenate(corners),
                np.broadcast_to(rgb(overlay.color), (len(corners) * len(faces), 3)),
                zorder=1.5,
                alpha=CLEAR,
            )
            rim = vertices[len(vertices) // 3 : 2 * len(vertices) // 3]  # of what is turned, the middle ring
            for R, p in zip(turn_to(ends - starts), starts, strict=True):
                self.line(np.concatenate([rim, rim[:1]]) @ R.T + p, colour, 0.8, zorder=1.6)
        elif isinstance(overlay, Arrows):
            how = {"color": colour, "linewidth": 2.0, "arrow_length_ratio": 0.22, "zorder": 7}
            self.drawn.append(self.ax.quiver(*starts.T, *(ends - starts).T, **how))
        else:
            self.dots(starts, colour, 7.0, zorder=7)

    def line(self, points: Array, colour: str, width: float, **how: Any) -> None:
        self.drawn += self.ax.plot(*points.T, color=colour, linewidth=width, solid_capstyle="round", **how)

    def dots(self, points: Array, colour: str, size: float, **how: Any) -> None:
        style = {"marker": "o", "linestyle": "none", **how}
        self.drawn += self.ax.plot(*points.T, color=colour, markersize=size, **style)

    def explain(self, where: Any) -> None:
        """Add a legend, each label once: below the axes, or below the figure if it holds nothing else."""
        found = dict(zip(*reversed(self.ax.get_legend_handles_labels()), strict=True))
        for overlay in self.overlays:  # also of those that are there at another time
            lines = require("matplotlib.lines", "plot", PURPOSE)
            how: dict[str, Any] = {"linewidth": WIDTHS[overlay.shape] if isinstance(overlay, Lines) else 2.0}
            if isinstance(overlay, Points):
                how = {"marker": "o", "linestyle": "none"}
            elif isinstance(overlay, Lines) and overlay.shape == "joint":
                how |= {"marker": "o", "markersize": 4.5}
            colour = COLOURS.get(overlay.color, overlay.color)
            found[as_label(overlay.label)] = lines.Line2D([], [], color=colour, **how)
        if self.contents.inertia and self.parts.solids:
            patches = require("matplotlib.patches", "plot", PURPOSE)
            found["ellipsoid of equal mass and inertia"] = patches.Patch(color=SOLID, alpha=0.35)
        if self.parts.boxes:
            patches = require("matplotlib.patches", "plot", PURPOSE)
            found["box of equal mass and inertia"] = patches.Patch(color=SOLID)
        if not found:
            return
        if where is self.ax:
            place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.02)}
        else:
            place = {"loc": "outside lower center"}
        where.legend(found.values(), found.keys(), frameon=False, fontsize=8, ncols=3, **place)


def coarse_shapes(
    model: Model, shapes: Sequence[Shape], most: int
) -> tuple[Surface, NDArray[np.int64], Array, NDArray[np.bool_]]:
    """All shapes as one surface, with the body of each vertex; of each triangle the colour, and whether it is ground:
    of a plane in the world, which is behind all others. A model, which never changes, keeps them."""
    kept = "coarse visuals", len(shapes), most
    if kept not in model.tables:
        total = sum(len(shape.surface[1]) for shape in shapes) or 1
        surfaces, bodies, colours, ground = [], [np.zeros(0, np.int64)], [np.zeros((0, 3))], [np.zeros(0, np.bool_)]
        for shape in shapes:
            share = max(FEWEST, int(most * len(shape.surface[1]) / total))
            vertices, faces = finer(coarser(shape.surface, share), min(FINE, most // (2 * len(shapes))))
            colour = shape.colour if shape.colour.ndim == 1 else shape.colour.mean(axis=0)
            surfaces.append((vertices, faces))
            bodies.append(np.full(len(vertices), shape.body))
            colours.append(np.broadcast_to(colour, (len(faces), 3)))
            ground.append(np.full(len(faces), shape.body < 0 and is_plane(vertices)))
        model.tables[kept] = joined(surfaces), np.concatenate(bodies), np.concatenate(colours), np.concatenate(ground)
    found: tuple[Surface, NDArray[np.int64], Array, NDArray[np.bool_]] = model.tables[kept]
    return found


def is_plane(points: Array) -> bool:
    """Return whether points ``(n, 3)`` are all in one plane."""
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(spread[-1] <= THIN * spread[0])


def make_room(ax: Any, points: Array) -> float:
    """Set limits of 3D axes that hold the points, with equal scales; return the longest edge of their bounding box.

    Raises:
        ValueError: they are too far away to be drawn.
    """
    low, high, edge = bounds("plot_mechanism", points)
    middle = 0.5 * (low + high)
    half = 0.5 * np.maximum(high - low, FLATTEST * edge) + 0.04 * edge
    low, high = middle - half, middle + half
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    ax.set(xlabel="x in m", ylabel="y in m", zlabel="z in m")
    ax.set_box_aspect(2.0 * half, zoom=0.92)
    ax.tick_params(labelsize=8)
    ticker = require("matplotlib.ticker", "plot", PURPOSE)
    for axis, seen in zip((ax.xaxis, ax.yaxis, ax.zaxis), seen_lengths(ax, half), strict=True):
        axis.set_pane_color((0.97, 0.97, 0.98, 1.0))
        numbers = min(MOST_NUMBERS, int(seen / APART))
        axis.set_major_locator(ticker.MaxNLocator(numbers) if numbers else ticker.NullLocator())
    return edge


def seen_lengths(ax: Any, half: Array) -> Array:
    """How long the edges of a room look from where it is seen, about; inches."""
    elevation, azimuth = np.radians([ax.elev, ax.azim])
    sight = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    whole = LONGEST * float(min(ax.bbox.size)) / ax.figure.dpi
    seen: Array = whole * half / half.max() * np.sqrt(np.maximum(1.0 - sight**2, 0.0))
    return seen


def art3d() -> Any:
    return require("mpl_toolkits.mplot3d.art3d", "plot", PURPOSE)
