"""Inertias of bodies of uniform density: boxes, spheres, cylinders, cones, tetrahedra, closed meshes (course, section 45).

Each function returns the 6x6 spatial inertia about the origin of the shape's own frame;
:func:`~pluecker.spatial.functions.coordinates.transform_inertia` takes it elsewhere, and inertias of parts add. Shapes
differ in where the centre of mass is, and in the mean squares ``S / m`` of the coordinates about it. The rotational
inertia follows, ``I_C = tr(S) 1 - S``.

=========================  =======================================================  =====================================
function                   frame                                                    mean squares along x, y, z
=========================  =======================================================  =====================================
:func:`box`                centre                                                   ``a^2/12, b^2/12, c^2/12``
:func:`rod`                centre, along z                                          ``0, 0, l^2/12``
:func:`ellipsoid`          centre                                                   ``a^2/5, b^2/5, c^2/5``
:func:`sphere`             centre                                                   ``r^2/5`` each
:func:`spherical_shell`    centre                                                   ``r^2/3`` each
:func:`cylinder`           centre, axis z                                           ``r^2/4, r^2/4, l^2/12``
:func:`capsule`            centre, axis z                                           of a cylinder and two half spheres
:func:`cone`               centre of the base, apex at ``z = h``; ``c_z = h/4``     ``3 r^2/20, 3 r^2/20, 3 h^2/80``
:func:`tetrahedron`        that of its vertices; ``c = sum p_i / 4``                ``sum (p_i - c)(p_i - c)^T / 20``
:func:`mesh`               that of its vertices                                     of tetrahedra with signed volumes
=========================  =======================================================  =====================================
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, MissingFileError, shown
from pluecker.spatial.extras import require
from pluecker.spatial.functions.arguments import NOT_TOGETHER, Array, as_floats, composed, finite, number_at, why_apart
from pluecker.spatial.functions.bases import entry
from pluecker.spatial.functions.consistency import is_consistent, rotational_inertia
from pluecker.spatial.functions.rigid_body import spatial_inertia

__all__ = [
    "box", "capsule", "cone", "cylinder", "ellipsoid", "mesh", "rod", "sphere", "spherical_shell", "tetrahedron",
]  # fmt: skip

FLAT = 64.0 * float(np.finfo(float).eps)  # a volume below that part of what it is a difference of is rounding


def positive(function: str, **values: tuple[ArrayLike, tuple[int, ...]]) -> list[Array]:
    """The arguments as arrays of positive numbers."""
    result = []
    for name, (value, shape) in values.items():
        array = as_floats(function, name, value, shape)
        if not (array > 0.0).all():
            raise ArgumentValueError(
                f"{function}: {number_at(name, array, ~(array > 0.0))}, expected a positive number"
            )
        result.append(array)
    return result


def batch(function: str, names: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the result, less that of one inertia."""
    try:
        return np.broadcast_shapes(*shapes)
    except NOT_TOGETHER as error:
        raise ArgumentValueError(
            f"{function}: the leading axes of {names} {why_apart(error)}: {list(shapes)}"
        ) from None


def body(function: str, names: str, mass: Array, squares: Sequence[Array], height: Array | float = 0.0) -> Array:
    """The inertia from the mean squares along x, y, z (or z alone), the principal axes; the centre of mass is on z."""
    shape = batch(function, names, mass.shape, *(square.shape for square in squares))
    S, center = np.zeros((*shape, 3, 3)), np.zeros((*shape, 3))
    for i, square in enumerate(squares, 3 - len(squares)):
        S[..., i, i] = mass * square
    center[..., 2] = height
    return spatial_inertia(mass, center, rotational_inertia(S))


@composed
def box(mass: ArrayLike, size: ArrayLike) -> Array:
    """The inertia of a solid box, about its centre.

    Args:
        mass: ``(...)``, positive; kg.
        size: the lengths of the edges along x, y, z, ``(..., 3)``, positive; m.

    Returns:
        ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite, positive real numbers of these shapes.

    Source: ``I_xx = m (b^2 + c^2) / 12``.

    Example:
        >>> np.diag(box(12.0, [3.0, 2.0, 1.0]))
        array([ 5., 10., 13., 12., 12., 12.])
    """
    mass, size = positive("box", mass=(mass, ()), size=(size, (3,)))
    return body("box", "mass and size", mass, [size[..., i] ** 2 / 12.0 for i in range(3)])


@composed
def rod(mass: ArrayLike, length: ArrayLike) -> Array:
    """The inertia of a thin rod along z, about its centre. Its moment about z is zero: the matrix is singular.

    Args:
        mass: ``(...)``, positive; kg.
        length: ``(...)``, positive; m.

    Returns:
        ``(..., 6, 6)``, positive semidefinite.

    Raises:
        TypeError, ValueError: not arrays of finite, positive real numbers.

    Source: ``I_xx = m l^2 / 12``.
    """
    mass, length = positive("rod", mass=(mass, ()), length=(length, ()))
    return body("rod", "mass and length", mass, [length**2 / 12.0])


@composed
def ellipsoid(mass: ArrayLike, semi_axes: ArrayLike) -> Array:
    """The inertia of a solid ellipsoid, about its centre.

    Args:
        mass: ``(...)``, positive; kg.
        semi_axes: half the diameters along x, y, z, ``(..., 3)``, positive; m.

    Returns:
        ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite, positive real numbers of these shapes.

    Source: ``I_xx = m (b^2 + c^2) / 5``.
    """
    mass, axes = positive("ellipsoid", mass=(mass, ()), semi_axes=(semi_axes, (3,)))
    return body("ellipsoid", "mass and semi_axes", mass, [axes[..., i] ** 2 / 5.0 for i in range(3)])


@composed
def sphere(mass: ArrayLike, radius: ArrayLike) -> Array:
    """The inertia of a solid sphere, about its centre.

    Args:
        mass: ``(...)``, positive; kg.
        radius: ``(...)``, positive; m.

    Returns:
        ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite, positive real numbers.

    Source: ``I_xx = 2 m r^2 / 5``.
    """
    mass, radius = positive("sphere", mass=(mass, ()), radius=(radius, ()))
    return body("sphere", "mass and radius", mass, [radius**2 / 5.0] * 3)


@composed
def spherical_shell(mass: ArrayLike, radius: ArrayLike) -> Array:
    """The inertia of a thin hollow sphere, about its centre.

    Args:
        mass: ``(...)``, positive; kg.
        radius: ``(...)``, positive; m.

    Returns:
        ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite, positive real numbers.

    Source: ``I_xx = 2 m r^2 / 3``.
    """
    mass, radius = positive("spherical_shell", mass=(mass, ()), radius=(radius, ()))
    return body("spherical_shell", "mass and radius", mass, [radius**2 / 3.0] * 3)


@composed
def cylinder(mass: ArrayLike, radius: ArrayLike, length: ArrayLike) -> Array:
    """The inertia of a solid cylinder along z, about its centre.

    Args:
        mass: ``(...)``, positive; kg.
        radius: ``(...)``, positive; m.
        length: ``(...)``, positive; m.

    Returns:
        ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite, positive real numbers.

    Source: ``I_zz = m r^2 / 2``, ``I_xx = m (3 r^2 + l^2) / 12``.
    """
    mass, r, l = positive("cylinder", mass=(mass, ()), radius=(radius, ()), length=(length, ()))
    return body("cylinder", "mass, radius and length", mass, [r**2 / 4.0, r**2 / 4.0, l**2 / 12.0])


@composed
def capsule(mass: ArrayLike, radius: ArrayLike, length: ArrayLike) -> Array:
    """The inertia of a solid capsule along z, about its centre: a cylinder with half a sphere on each end.

    Args:
        mass: of all three parts together, ``(...)``, positive; kg.
        radius: of the cylinder and of the half spheres, ``(...)``, positive; m.
        length: of the cylinder alone, the distance of the centres of the half spheres, ``(...)``, not negative; m. The whole
            body is ``length + 2 radius`` long.

    Returns:
        ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers; mass or radius not positive, length negative.

    Source: the mean squares of the parts, weighted by their volumes ``l : 4 r / 3``. Of a half sphere of centre ``l / 2``,
        ``mean (z + l / 2)^2 = r^2 / 5 + 3 r l / 8 + l^2 / 4``.
    """
    mass, r = positive("capsule", mass=(mass, ()), radius=(radius, ()))
    l = as_floats("capsule", "length", length, ())
    if (l < 0.0).any():
        raise ArgumentValueError(f"capsule: length is {l[l < 0.0].flat[0]}, expected a number that is not negative")
    names = "mass, radius and length"
    batch("capsule", names, mass.shape, r.shape, l.shape)
    ends = 4.0 * r / (3.0 * l + 4.0 * r)  # the spheres' part of the volume
    across = (1.0 - ends) * r**2 / 4.0 + ends * r**2 / 5.0
    along = (1.0 - ends) * l**2 / 12.0 + ends * (r**2 / 5.0 + 3.0 * r * l / 8.0 + l**2 / 4.0)
    return body("capsule", names, mass, [across, across, along])


@composed
def cone(mass: ArrayLike, radius: ArrayLike, height: ArrayLike) -> Array:
    """The inertia of a solid cone, about the centre of its base.

    The base lies in the plane z = 0, the apex at ``[0, 0, height]``, the centre of mass at ``[0, 0, height / 4]``.

    Args:
        mass: ``(...)``, positive; kg.
        radius: of the base, ``(...)``, positive; m.
        height: ``(...)``, positive; m.

    Returns:
        ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite, positive real numbers.

    Source: ``I_zz = 3 m r^2 / 10``; about the centre of mass ``I_xx = 3 m (4 r^2 + h^2) / 80``.
    """
    mass, r, h = positive("cone", mass=(mass, ()), radius=(radius, ()), height=(height, ()))
    across = 3.0 * r**2 / 20.0
    return body("cone", "mass, radius and height", mass, [across, across, 3.0 * h**2 / 80.0], h / 4.0)


# -------------------------------------------------------------------------------------------------------------- polyhedra


def outer(a: Array) -> Array:
    """a a^T"""
    return a[..., :, None] * a[..., None, :]


def mean_squares(corners: Array) -> Array:
    """The mean of ``x x^T`` over tetrahedra of the corners ``(..., 4, 3)``: (sum p_i p_i^T + q q^T) / 20, q = sum p_i"""
    return (np.swapaxes(corners, -1, -2) @ corners + outer(corners.sum(axis=-2))) / 20.0


@composed
def tetrahedron(mass: ArrayLike, vertices: ArrayLike) -> Array:
    """The inertia of a solid tetrahedron, about the origin of the frame of its vertices.

    Args:
        mass: ``(...)``, positive; kg.
        vertices: in any order, ``(..., 4, 3)``; m.

    Returns:
        ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; a mass that is not positive; vertices in
            one plane, within rounding.

    Source: ``S = m / 20 sum (p_i - c)(p_i - c)^T``.
    """
    (mass,) = positive("tetrahedron", mass=(mass, ()))
    p = as_floats("tetrahedron", "vertices", vertices, (4, 3))
    size = np.abs(p).max(axis=(-1, -2), keepdims=True)
    unit = p / np.where(size > 0.0, size, 1.0)  # no volume overflows, none vanishes
    edges = unit[..., 1:, :] - unit[..., :1, :]
    lengths = np.sort(np.linalg.norm(edges, axis=-1), axis=-1)
    rounding = FLAT * lengths[..., 2] * lengths[..., 1]
    flat = np.abs(np.linalg.det(edges)) <= rounding
    if flat.any():
        vertices = shown(p[tuple(np.argwhere(flat)[0])])
        raise ArgumentValueError(
            f"tetrahedron: the vertices {vertices} lie in one plane, expected a volume{entry(flat)}"
        )
    batch("tetrahedron", "mass and vertices", mass.shape, p.shape[:-2])
    center = p.mean(axis=-2)
    squares = mean_squares(p - center[..., None, :])
    return spatial_inertia(mass, center, rotational_inertia(mass[..., None, None] * squares))


@composed
def mesh(shape: Any, *, mass: ArrayLike | None = None, density: ArrayLike | None = None) -> Array:
    """The inertia of a solid with a closed surface of triangles, about the origin of the mesh's frame.

    Needs the extra ``mesh`` (trimesh), which reads files and knows whether a surface is closed.

    Args:
        shape: a ``trimesh.Trimesh``, or the path of a file that trimesh reads (STL, OBJ, PLY, OFF, GLB, ...); m. The faces
            turn outward, those of a cavity into the cavity.
        mass: ``(...)``, positive; kg. Either this or ``density``.
        density: ``(...)``, positive; kg/m^3.

    Returns:
        ``(..., 6, 6)``.

    Raises:
        MissingExtraError: trimesh is not installed.
        FileNotFoundError: there is no such file.
        TypeError: neither a mesh nor a path; both or none of mass and density.
        ValueError: mass or density not positive; a surface that is empty, open, of faces that disagree about the outside, or
            inside out.

    Source: the sum over the tetrahedra that faces make with one point, of signed volumes ``det(a, b, c) / 6``. The point is
        the middle of the mesh, so that no digits are lost where the frame is far away.

    Example:
        >>> import trimesh
        >>> inertia = mesh(trimesh.creation.box((3.0, 2.0, 1.0)), density=2.0)
        >>> np.allclose(inertia, box(12.0, [3.0, 2.0, 1.0]))
        True
    """
    if (mass is None) == (density is None):
        raise ArgumentTypeError(
            f"mesh: {'neither' if mass is None else 'both'} of mass and density given, expected one of them"
        )
    amount = positive("mesh", **({"density": (density, ())} if mass is None else {"mass": (mass, ())}))[0]
    triangles = closed_surface(shape)
    middle = 0.5 * (triangles.min(axis=(0, 1)) + triangles.max(axis=(0, 1)))
    corners = np.concatenate([np.zeros((len(triangles), 1, 3)), triangles - middle], axis=1)
    parts = np.linalg.det(corners[:, 1:]) / 6.0
    volume = finite("mesh", parts.sum())
    if not volume > FLAT * np.abs(parts).sum():
        raise ArgumentValueError(
            f"mesh: the volume is {volume:.6g} m^3, expected a positive one: the faces turn inward "
            "(trimesh's invert() turns them round), or the mesh is flat"
        )
    center = parts @ corners.sum(axis=1) / (4.0 * volume)
    squares = np.einsum("n,nij->ij", parts, mean_squares(corners)) / volume - outer(center)
    mass = amount * volume if mass is None else amount
    result = spatial_inertia(mass, middle + center, rotational_inertia(mass[..., None, None] * squares))
    if not is_consistent(result).all():
        raise ArgumentValueError(
            "mesh: no solid has this inertia: a part of the surface that is inside out lies outside the others"
        )
    return result


def closed_surface(shape: Any) -> Array:
    """The triangles of a mesh, ``(n, 3, 3)``, which must enclose a solid."""
    trimesh = require("trimesh", "mesh", "the inertia of a mesh")
    name = "the mesh"
    if isinstance(shape, (str, os.PathLike)):
        name = os.fspath(shape)
        if not os.path.isfile(name):
            raise MissingFileError(f"mesh: no such file: {name}")
        try:
            shape = trimesh.load(shape, force="mesh")
        except Exception as error:  # whatever its readers stumble over in a broken file
            raise ArgumentValueError(f"mesh: trimesh cannot read {name}: {shown(str(error))}") from None
    if not isinstance(shape, trimesh.Trimesh):
        raise ArgumentTypeError(
            f"mesh: shape is of type {type(shape).__name__}, expected a trimesh.Trimesh or the path of a file"
        )
    triangles = np.asarray(shape.triangles, dtype=np.float64)
    if not len(triangles):
        raise ArgumentValueError(f"mesh: {name} has no triangles")
    if not np.isfinite(triangles).all():
        raise ArgumentValueError(f"mesh: {name} has vertices that are not finite")
    if not shape.is_watertight:  # a file with a normal for each face has each vertex once for each face
        shape = shape.copy()
        shape.merge_vertices(merge_tex=True, merge_norm=True)
    if not shape.is_watertight:
        edges = np.unique(np.asarray(shape.edges_sorted), axis=0, return_counts=True)[1]
        raise ArgumentValueError(
            f"mesh: {name} is not closed: {np.count_nonzero(edges != 2)} of {len(edges)} edges do not join two faces, "
            "after vertices at the same place have been joined"
        )
    if not shape.is_winding_consistent:
        raise ArgumentValueError(
            f"mesh: the faces of {name} disagree about which side is outside (trimesh's fix_normals() helps)"
        )
    return triangles
