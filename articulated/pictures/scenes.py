"""The scene that a browser shows: nodes of viser's for the parts of a mechanism, moved from one configuration to the next.

Bodies are frames of the scene, with their shapes below them. What joins two points (rods, joint axes, arrows) or stands at
one (marks) is a surface of unit size with a pose of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.pictures.contents import (
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
from pluecker.articulated.pictures.overlays import Arrows, Cones, Lines, Overlay, Points, marks, present, rgb
from pluecker.articulated.pictures.parts import Tie, body_placements, joint_axes, transformed
from pluecker.articulated.pictures.triangles import Surface, ball, box, coil, cone, cylinder, joined, tube, turn_to

__all__ = ["Scene"]

Array = NDArray[np.float64]
FIELD = np.radians(40.0)  # of view, vertical: little perspective
CAMERA = np.array([0.55, -0.75, 0.38])  # from where it is seen first: as by matplotlib, from the front, above
THIN = 0.008  # of the size of the scene: radius of a rod
LINES = {"rod": 1.2, "rope": 0.5, "spring": 0.5, "joint": 0.5}  # radii of lines between bodies, of a rod's
HALF_AXIS = 0.1  # of the size of the scene


def quaternion_of(R: Array) -> Array:
    """Convert a rotation matrix to a quaternion, w first."""
    from scipy.spatial.transform import Rotation  # here: it takes long to import

    quaternion: Array = np.roll(Rotation.from_matrix(R).as_quat(), 1)
    return quaternion


@dataclass
class Piece:
    """A node with a pose of its own, and what was last told of it: the browser is told again what changed only."""

    node: Any
    pose: tuple[float, ...] = ()

    def place(self, position: Array, R: Array, scale: tuple[float, float, float] | None = None) -> None:
        """Show it there."""
        quaternion = quaternion_of(R)
        pose = (*position.tolist(), *quaternion.tolist(), *(scale or ()))
        if not self.node.visible:
            self.node.visible = True
        if pose != self.pose:
            self.pose, self.node.position, self.node.wxyz = pose, position, quaternion
            if scale is not None:
                self.node.scale = scale

    def hide(self) -> None:
        if self.node.visible:
            self.node.visible = False


class Scene:
    """A mechanism in a scene of viser's.

    Args:
        server: the server whose scene it is.
        model: the mechanism.
        contents: what is visible at first.
        overlays: shown with it.
        q: configurations that will be shown, ``(n, nq)``, for which there is to be room.
        function: how errors begin.
    """

    def __init__(
        self, server: Any, model: Model, contents: Contents, overlays: Sequence[Overlay], q: Array, function: str
    ) -> None:
        self.server, self.api, self.model, self.overlays = server, server.scene, model, overlays
        T = body_placements(model, q)
        self.parts = parts_of(model, contents.visuals, overlays)
        self.low, self.high, self.size = bounds(function, reach(self.parts, T, overlays))
        self.groups: dict[str, list[Any]] = defaultdict(list)  # what is shown or hidden together
        self.api.set_up_direction("+z")
        self.add_ground()
        self.add_bodies(contents)
        r = THIN * self.size
        group = self.group("rods", True)
        rod = cylinder(r, 1.0)
        self.rods = [Piece(self.surface(f"{group}/{k}", rod, rgb(ROD))) for k in range(len(self.parts.rods))]
        joints = self.group("joint axes", contents.axes)
        axes = joint_axes(model, q[0])
        line = cylinder(0.6 * r, 2.0 * HALF_AXIS * self.size)
        colours = [rgb(SLIDES if slides else TURNS) for slides in axes.slides]
        self.axes = [Piece(self.surface(f"{joints}/{k}", line, colour)) for k, colour in enumerate(colours)]
        knob = ball(np.full(3, 2.5 * r))
        self.balls = [Piece(self.surface(f"{joints}/ball {k}", knob, rgb(TURNS), 0.5)) for k in range(len(axes.balls))]
        middle = self.group("centre of mass", contents.center_of_mass)
        self.middle = None
        if self.parts.solids:
            self.middle = Piece(self.surface(f"{middle}/point", ball(np.full(3, 2.0 * r)), rgb(MIDDLE)))
        self.lines = [self.add_lines(tie, T[0]) for tie in self.parts.ties]
        self.marks = [
            [] if isinstance(overlay, Lines) else self.add_marks(k, overlay) for k, overlay in enumerate(overlays)
        ]

    # -------------------------------------------------------------------------------------------------------------- nodes

    def group(self, name: str, visible: bool) -> str:
        """The path of a node that is shown or hidden with all below it; a word of the user's in it is no path."""
        path = "/" + name.replace("/", "_")
        self.groups[name] = [self.api.add_frame(path, show_axes=False, visible=visible)]
        return path

    def surface(self, path: str, surface: Surface, colour: Array, opacity: float | None = None) -> Any:
        """A node with a surface."""
        vertices, faces = surface
        shade = tuple(round(255 * x) for x in colour)
        return self.api.add_mesh_simple(
            path, vertices, faces, color=shade, opacity=opacity, side="double", flat_shading=True
        )

    def add_ground(self) -> None:
        """A grid at the height of the lowest point, with cells of 1, 0.1 or 0.01 m, ..., and where one looks from."""
        middle = 0.5 * (self.low + self.high)
        self.cell = float(10.0 ** np.floor(np.log10(0.5 * self.size)))
        width = self.cell * 2.0 * np.ceil(1.5 * self.size / self.cell)
        corner = self.cell * np.round(middle[:2] / self.cell)
        node = self.api.add_grid(
            "/ground", width=width, height=width, cell_size=self.cell, section_size=10.0 * self.cell,
            cell_color=(225, 228, 232), section_color=(190, 195, 200), position=(*corner, self.low[2] - 1e-3 * self.size),
        )  # fmt: skip
        self.groups["ground"] = [node]
        camera = self.server.initial_camera
        camera.look_at = middle
        camera.position = middle + 0.85 * self.size / np.tan(0.5 * FIELD) * CAMERA / np.linalg.norm(CAMERA)
        camera.fov = float(FIELD)
        camera.near, camera.far = 0.01 * self.size, 300.0 * self.size

    def add_bodies(self, contents: Contents) -> None:
        """A node for each body and for the world, with its shapes, its axes and its ellipsoid."""
        names = [*self.model.body_names, "world"]
        paths = [f"/bodies/{k} {name.replace('/', '_')}" for k, name in enumerate(names)]
        self.bodies = [Piece(self.api.add_frame(path, show_axes=False)) for path in paths]
        by_colour: dict[tuple[int, tuple[float, ...]], list[Surface]] = defaultdict(list)
        for shape in self.parts.shapes:
            colour = shape.colour if shape.colour.ndim == 1 else shape.colour.mean(axis=0)
            by_colour[shape.body, tuple(colour.tolist())].append(shape.surface)
        for k, ((body, colour), surfaces) in enumerate(by_colour.items()):
            node = self.surface(f"{paths[body]}/shape {k}", joined(surfaces), np.array(colour))
            self.groups["shapes"].append(node)
        for solid in self.parts.boxes:
            corners, sides = box(np.maximum(solid.box, 0.004 * self.size))
            surface = corners @ solid.axes.T + solid.center, sides
            self.groups["shapes"].append(self.surface(f"{paths[solid.body]}/box", surface, rgb(SOLID)))
        for solid in self.parts.solids:
            corners, sides = ball(np.maximum(solid.ellipsoid, 0.004 * self.size))
            surface = corners @ solid.axes.T + solid.center, sides
            node = self.surface(f"{paths[solid.body]}/inertia", surface, rgb(SOLID), 0.35)
            node.visible = contents.inertia
            self.groups["inertia"].append(node)
        wanted = contents.frames or self.model.body_names
        numbers, offsets = self.model.frame_offsets(wanted)
        for name, body, M in zip(wanted, numbers, offsets, strict=True):
            node = self.api.add_frame(
                f"{paths[body]}/axes of {name.replace('/', '_')}",
                axes_length=0.1 * self.size,
                axes_radius=0.5 * THIN * self.size,
                position=M[:3, 3],
                wxyz=quaternion_of(M[:3, :3]),
                visible=bool(contents.frames),
            )
            self.groups["frames"].append(node)

    def add_lines(self, tie: Tie, T: Array) -> list[list[Piece]]:
        """Nodes for each rod, rope or spring, of unit length; of a rope one for each piece between its points, of a joint
        two balls more."""
        lines, found = tie.lines, []
        path = self.group(f"{lines.label} ({self.overlays.index(lines) + 1})", True)
        r = LINES[lines.shape] * THIN * self.size
        for k, way in enumerate(tie.ways(T)):
            surface = cylinder(r, 1.0)
            if lines.shape == "spring":  # its wire is round at the length that it has first
                length = max(float(np.linalg.norm(way[1] - way[0])), 0.1 * self.size)
                vertices, faces = tube(coil(np.zeros(3), np.array([0.0, 0.0, length]), COIL * self.size), r)
                surface = vertices / [1.0, 1.0, length] - [0.0, 0.0, 0.5], faces
            names = [f"{path}/{k} {j}" for j in range(len(way) - 1)]
            found.append([Piece(self.surface(name, surface, rgb(lines.color))) for name in names])
            if lines.shape == "joint":
                dots = [f"{path}/{k} {end}" for end in ("first", "second")]
                knob = ball(np.full(3, 1.5 * THIN * self.size))
                found[-1] += [Piece(self.surface(name, knob, rgb(lines.color))) for name in dots]
        return found

    def add_marks(self, number: int, overlay: Points | Arrows | Cones) -> list[Piece]:
        """A node for each point, arrow or cone."""
        path = self.group(f"{overlay.label} ({number + 1})", True)
        r, opacity = 1.5 * THIN * self.size, None
        if isinstance(overlay, Points):
            surface = ball(np.full(3, 1.3 * r))
        elif isinstance(overlay, Arrows):  # 1 long; its head a fifth of it
            shaft, (tip, sides) = cylinder(0.5 * r, 0.8), cone(1.4 * r, 0.22)
            surface = joined([(shaft[0] + [0, 0, 0.4], shaft[1]), (tip * [1, -1, -1] + [0, 0, 1.0], sides)])
        else:
            surface, opacity = cone(overlay.slope * overlay.height, overlay.height), 0.2
        count = np.shape(overlay.positions)[-2]
        return [Piece(self.surface(f"{path}/{k}", surface, rgb(overlay.color), opacity)) for k in range(count)]

    # -------------------------------------------------------------------------------------------------------------- motion

    def show(self, q: Array, sample: int = 0) -> None:
        """Show a configuration ``(nq,)``, with the marks of a sample."""
        T = body_placements(self.model, q)
        axes = joint_axes(self.model, q)
        with self.server.atomic():
            for piece, M in zip(self.bodies, T, strict=True):
                piece.place(M[:3, 3], M[:3, :3])
            for piece, rod in zip(self.rods, self.parts.rods, strict=True):
                stretch(piece, transformed(T[rod.first], rod.start), transformed(T[rod.second], rod.end))
            for piece, point, R in zip(self.axes, axes.points, turn_to(axes.directions), strict=True):
                piece.place(point, R)
            for piece, point in zip(self.balls, axes.balls, strict=True):
                piece.place(point, np.eye(3))
            if self.middle is not None:
                m = np.array([solid.mass for solid in self.parts.solids])
                c = np.array([transformed(T[solid.body], solid.center) for solid in self.parts.solids])
                self.middle.place(m @ c / m.sum(), np.eye(3))
            for tie, lines in zip(self.parts.ties, self.lines, strict=True):
                for way, slack, pieces in zip(tie.ways(T), tie.slack(T), lines, strict=True):
                    show_line(pieces, way, bool(slack))
            for pieces, overlay in zip(self.marks, self.overlays, strict=True):
                if not isinstance(overlay, Lines):
                    show_marks(pieces, overlay.at(sample))


def stretch(piece: Piece, start: Array, end: Array) -> None:
    """Put a cylinder of length 1 between two points."""
    step = end - start
    length = float(np.linalg.norm(step))
    piece.place(0.5 * (start + end), turn_to(step), (1.0, 1.0, max(length, 1e-9)))


def show_line(pieces: list[Piece], way: Array, slack: bool) -> None:
    """Put the pieces of a line along its way, of one that is slack every other one, and dots at its ends, if it has any."""
    for dot, point in zip(pieces[len(way) - 1 :], (way[0], way[-1]), strict=False):
        dot.place(point, np.eye(3))
    for j, (piece, start, end) in enumerate(zip(pieces, way[:-1], way[1:], strict=False)):
        if slack and j % 2:
            piece.hide()
        else:
            stretch(piece, start, end)


def show_marks(pieces: list[Piece], overlay: Points | Arrows | Cones) -> None:
    """Put the marks where they are; what is not there is hidden."""
    there = present(overlay)
    starts, ends = marks(overlay)
    for piece, shown, start, end in zip(pieces, there, starts, ends, strict=True):
        length = float(np.linalg.norm(end - start)) if shown else 0.0
        if not shown or (isinstance(overlay, Arrows) and length == 0.0):
            piece.hide()
        elif isinstance(overlay, Points):
            piece.place(start, np.eye(3))
        else:
            piece.place(start, turn_to(end - start), None if isinstance(overlay, Cones) else (1.0, 1.0, length))
