"""Shapes by themselves, each in a frame of its own: half-space, sphere, capsule, box, cylinder, hull, mesh, height field.

====================  =================================================================================================
shape                 where it is in its frame
====================  =================================================================================================
:class:`HalfSpace`    below the plane z = 0
:class:`Sphere`       about the origin
:class:`Capsule`      about z: a cylinder of the length, with a half sphere at either end
:class:`Cylinder`     about z, from -length/2 to length/2, as in URDF
:class:`Box`          about the origin, with these sides
:class:`ConvexHull`   the hull of points
:class:`Mesh`         triangles: their hull, or as they are given, for what does not move
:class:`HeightField`  heights over a grid about the origin
====================  =================================================================================================

Records check themselves: a negative radius, a flat hull, a number that is not finite is refused by name. Two shapes
with the same numbers are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pluecker.contact.errors import GeometryError
from pluecker.contact.geometry.checks import LARGEST_SIZE, length, lengths, numbers, points
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.properties import cached_property

__all__ = [
    "KINDS", "Box", "Capsule", "ConvexHull", "Cylinder", "HalfSpace", "HeightField", "Mesh", "Shape", "Sphere",
    "Vertices", "as_shape", "have_areas", "hull_of", "is_surface",
]  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """Base of all shapes."""

    kind: ClassVar[int] = -1

    @property
    def sizes(self) -> tuple[float, float, float]:
        """Sizes that kernels read: radius and half length, or half sides; m."""
        return (0.0, 0.0, 0.0)

    @property
    def center(self) -> tuple[float, float, float]:
        """Centre of a sphere around it, in its frame; m."""
        return (0.0, 0.0, 0.0)

    @property
    def radius_around(self) -> float:
        """Radius of a sphere around it; m. Infinite of a half-space."""
        raise NotImplementedError


@dataclass(frozen=True)
class HalfSpace(Shape):
    """All that is below the plane z = 0 of its frame: a floor, a wall.

    Example:
        >>> from pluecker.contact.geometry import HalfSpace
        >>> HalfSpace().radius_around
        inf
    """

    kind: ClassVar[int] = 0

    @property
    def radius_around(self) -> float:
        """Infinite: a half-space has no end."""
        return np.inf


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball about the origin of its frame.

    Attributes:
        radius: m.

    Raises:
        GeometryError: the radius is not a positive number.

    Example:
        >>> from pluecker.contact.geometry import Sphere
        >>> Sphere(-1.0)
        Traceback (most recent call last):
            ...
        pluecker.contact.errors.GeometryError: Sphere: radius is -1 m, expected a length from 1e-09 to 1e+09 m
    """

    radius: float
    kind: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", length("Sphere", "radius", self.radius))

    @property
    def sizes(self) -> tuple[float, float, float]:
        """(r, 0, 0)"""
        return (self.radius, 0.0, 0.0)

    @property
    def radius_around(self) -> float:
        """Radius of the sphere itself; m."""
        return self.radius


@dataclass(frozen=True)
class Round(Shape):
    """Shape with a radius, and a length along z."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        label = type(self).__name__
        object.__setattr__(self, "radius", length(label, "radius", self.radius))
        object.__setattr__(self, "length", length(label, "length", self.length))

    @property
    def sizes(self) -> tuple[float, float, float]:
        """(r, l/2, 0)"""
        return (self.radius, 0.5 * self.length, 0.0)


@dataclass(frozen=True)
class Capsule(Round):
    """All within a radius of a segment of the z axis, about the origin.

    Attributes:
        radius: m.
        length: of the segment, between the centres of both caps; m. The whole is longer by two radii.

    Raises:
        GeometryError: a size is not a positive number.

    Example:
        >>> from pluecker.contact.geometry import Capsule
        >>> Capsule(radius=0.1, length=0.5).radius_around
        0.35
    """

    kind: ClassVar[int] = 2

    @property
    def radius_around(self) -> float:
        """Distance from the centre to the ends; m."""
        return self.radius + 0.5 * self.length


@dataclass(frozen=True)
class Box(Shape):
    """A box about the origin of its frame, along its axes.

    Attributes:
        size: the sides, ``(3,)``, m; as in URDF, twice those of MuJoCo.

    Raises:
        GeometryError: a side is not a positive number.

    Example:
        >>> from pluecker.contact.geometry import Box
        >>> Box((1.0, 2.0, 2.0)).radius_around
        1.5
    """

    size: Any
    kind: ClassVar[int] = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", lengths("Box", "size", self.size, 3))

    @property
    def sizes(self) -> tuple[float, float, float]:
        """Half sides; m."""
        return (0.5 * self.size[0], 0.5 * self.size[1], 0.5 * self.size[2])

    @property
    def radius_around(self) -> float:
        """Half the diagonal; m."""
        return float(np.linalg.norm(self.sizes))


@dataclass(frozen=True)
class Cylinder(Round):
    """A cylinder about the z axis, with the origin in its middle.

    Attributes:
        radius: m.
        length: along z; m.

    Raises:
        GeometryError: a size is not a positive number.
    """

    kind: ClassVar[int] = 4

    @property
    def radius_around(self) -> float:
        """Distance from the centre to the rims; m."""
        return float(np.hypot(self.radius, 0.5 * self.length))


@dataclass(frozen=True)
class Vertices(Shape):
    """Shape that is given by vertices."""

    vertices: Any

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return (type(self).__name__, self.vertices.tobytes())

    @property
    def surface(self) -> bool:
        """True if it is triangles alone, with no inside."""
        return isinstance(self, HeightField) or not getattr(self, "convex", True)

    @cached_property
    def center(self) -> tuple[float, float, float]:
        """Middle of a box around it; m."""
        return tuple((0.5 * (self.vertices.max(axis=0) + self.vertices.min(axis=0))).tolist())

    @cached_property
    def radius_around(self) -> float:
        """Distance from the centre to the farthest vertex; m."""
        return float(np.linalg.norm(self.vertices - np.array(self.center), axis=1).max())


@dataclass(frozen=True, eq=False)
class ConvexHull(Vertices):
    """The convex hull of points.

    Attributes:
        vertices: the points, ``(n, 3)``, m; kept are those on the hull, in their order.
        triangles: of the hull, outwards, ``(m, 3)``.

    Raises:
        GeometryError: fewer than four points, points in one plane, a number that is not finite.

    Example:
        >>> from pluecker.contact.geometry import ConvexHull
        >>> ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]).vertices.shape
        (4, 3)
    """

    triangles: Any = field(init=False, repr=False, default=None)
    kind: ClassVar[int] = 5

    def __post_init__(self) -> None:
        corners, faces = hull_of("ConvexHull", points("ConvexHull", "vertices", self.vertices, 4))
        object.__setattr__(self, "vertices", corners)
        object.__setattr__(self, "triangles", faces)


@dataclass(frozen=True, eq=False)
class Mesh(Vertices):
    """Triangles: their convex hull, or the surface as it is given.

    Attributes:
        vertices: ``(n, 3)``, m.
        triangles: numbers of three vertices each, ``(m, 3)``, counterclockwise from outside. Of a mesh that is taken as it
            is given, those without an area, whose corners are on one line, are left out.
        convex: whether the hull stands for it. If not, each triangle is a surface without an inside, which is for what does
            not move: what has passed it is not pushed back.

    Raises:
        GeometryError: a triangle names a vertex that is not there, no triangle has an area, a hull is flat, a number is not
            finite.
    """

    triangles: Any
    convex: bool = True
    kind: ClassVar[int] = 6

    def __post_init__(self) -> None:
        found = points("Mesh", "vertices", self.vertices, 3)
        given = numbers("Mesh", "triangles", self.triangles, (-1, 3))
        faces: Any = given.astype(np.int64)
        if not len(faces) or (faces != given).any() or faces.min() < 0 or faces.max() >= len(found):
            raise GeometryError(
                f"Mesh: triangles are {shown(self.triangles)}, expected numbers of {len(found)} vertices"
            )
        if not isinstance(self.convex, (bool, np.bool_)):
            raise ArgumentTypeError(f"Mesh: convex is {shown(self.convex)}, expected True or False")
        if self.convex:
            found, faces = hull_of("Mesh", found)
        else:
            faces = faces[have_areas(found[faces])]
            if not len(faces):
                raise GeometryError("Mesh: no triangle has an area, expected one or more that do")
        object.__setattr__(self, "vertices", found)
        object.__setattr__(self, "triangles", faces)
        object.__setattr__(self, "convex", bool(self.convex))

    def _key(self) -> tuple[Any, ...]:
        return (*super()._key(), self.triangles.tobytes(), self.convex)


@dataclass(frozen=True, eq=False)
class HeightField(Vertices):
    """Heights over a rectangular grid about the origin: ground that is not flat, and does not move.

    Each cell is two triangles, parted by the diagonal from its corner of least x and y. As with a :class:`Mesh` that is
    no hull, what has passed the surface is not pushed back.

    Attributes:
        heights: z over the grid, ``(rows, columns)``, m; along a row x grows, from row to row y.
        size: how long the grid is along x and y, ``(2,)``, m.
        vertices, triangles: of the surface, ``(n, 3)``.

    Raises:
        GeometryError: fewer than two rows or columns, a size that is not positive, a number that is not finite.

    Example:
        >>> from pluecker.contact.geometry import HeightField
        >>> HeightField([[0.0, 0.1], [0.0, 0.2]], (1.0, 1.0)).vertices[3].tolist()
        [0.5, 0.5, 0.2]
    """

    vertices: Any = field(init=False, repr=False, default=None)
    heights: Any = None
    size: Any = (1.0, 1.0)
    triangles: Any = field(init=False, repr=False, default=None)
    kind: ClassVar[int] = 7

    def __post_init__(self) -> None:
        z = numbers("HeightField", "heights", self.heights, (-1, -1))
        if min(z.shape) < 2:
            raise GeometryError(f"HeightField: heights have shape {z.shape}, expected two rows and columns or more")
        if np.abs(z).max() > LARGEST_SIZE:
            raise GeometryError(
                f"HeightField: heights go up to {np.abs(z).max():g} m, expected at most {LARGEST_SIZE:g} m"
            )
        z.setflags(write=False)
        size = lengths("HeightField", "size", self.size, 2)
        rows, columns = z.shape
        x, y = (np.linspace(-0.5 * a, 0.5 * a, n) for a, n in zip(size, (columns, rows), strict=True))
        vertices = np.stack([np.tile(x, rows), np.repeat(y, columns), z.ravel()], axis=1)
        vertices.setflags(write=False)
        k = (columns * np.arange(rows - 1)[:, None] + np.arange(columns - 1)).ravel()
        lower = np.stack([k, k + 1, k + columns + 1], axis=1)
        upper = np.stack([k, k + columns + 1, k + columns], axis=1)
        object.__setattr__(self, "heights", z)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", np.stack([lower, upper], axis=1).reshape(-1, 3))

    def _key(self) -> tuple[Any, ...]:
        return (*super()._key(), self.heights.shape)


KINDS = ("half-space", "sphere", "capsule", "box", "cylinder", "convex hull", "mesh", "height field")


def is_surface(shape: Shape) -> bool:
    """Return whether a shape is triangles alone, with no inside."""
    return isinstance(shape, Vertices) and shape.surface


def as_shape(label: str, key: str, value: Any) -> Shape:
    """Check that a value is a shape of one of these kinds."""
    if not isinstance(value, Shape) or value.kind < 0:
        raise ArgumentTypeError(f"{label}: {key} is {shown(value)}, expected a shape, as Sphere(0.1)")
    return value


FLAT = 1e-9  # of its extent: how thick a hull has to be
LINE = 1e-14  # twice the area of a triangle over the square of its longest side: coal is exact down to there


def hull_of(label: str, vertices: Array) -> tuple[Array, Any]:
    """Compute the vertices and the triangles of a convex hull, these outwards; refused where it is flat."""
    from scipy.spatial import ConvexHull as Hull
    from scipy.spatial import QhullError

    middle = 0.5 * (vertices.max(axis=0) + vertices.min(axis=0))
    extent = float(np.ptp(vertices, axis=0).max())
    values = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False) if extent > 0.0 else np.zeros(3)
    try:
        if not values[-1] > FLAT * values[0]:
            raise QhullError
        hull = Hull((vertices - middle) / extent)
    except (QhullError, ValueError):
        raise GeometryError(f"{label}: the points are all in one plane, expected a hull with a volume") from None
    used, places = np.unique(hull.simplices, return_inverse=True)
    faces = places.reshape(-1, 3)
    corners = vertices[used]
    normals = np.cross(corners[faces[:, 1]] - corners[faces[:, 0]], corners[faces[:, 2]] - corners[faces[:, 0]])
    inwards = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0.0
    faces[inwards] = faces[inwards][:, ::-1]
    corners.setflags(write=False)
    return corners, faces


def have_areas(corners: Array) -> Array:
    """Return which triangles ``(m, 3, 3)`` have an area, and are not on one line."""
    sides = np.roll(corners, -1, axis=1) - corners
    longest = np.linalg.norm(sides, axis=2).max(axis=1)
    return np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1) > LINE * longest * longest
