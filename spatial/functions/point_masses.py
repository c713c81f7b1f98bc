"""Inertias as sums and as integrals over the mass: of particles, and of bodies whose density varies from place to place.

=============================================================  ==========================
formula                                                        function
=============================================================  ==========================
``m = sum m_k``, ``c = sum m_k p_k / m``,                      :func:`point_masses`
``I_C = sum m_k (d.d 1 - d d^T)`` with ``d = p_k - c``
``m = int rho dV``, and likewise, by quadrature                :func:`density_inertia`
=============================================================  ==========================

A quadrature is a set of points with weights; so the second is the first, with the masses ``w_k rho(x_k)``. Boxes have
Gauss-Legendre points along each edge. A tetrahedron is the image of a cube of which one face has shrunk to an edge and
that to a point; the Jacobian of that map goes into the weights of Gauss-Jacobi points (Stroud's conical product).

Sources: RBDA section 2.13; A. H. Stroud, *Approximate Calculation of Multiple Integrals* (1971), section 2.5; source
document 004, section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown
from pluecker.spatial.functions.arguments import Array, as_floats, as_integer, check_broadcast, composed, number_at
from pluecker.spatial.functions.consistency import rotational_inertia
from pluecker.spatial.functions.rigid_body import spatial_inertia

__all__ = ["DensityInertia", "density_inertia", "point_masses"]

MOST_POINTS = 64  # points along an edge: a density that needs more is better served by more cells


@by_value()
class DensityInertia(NamedTuple):
    """An integral over a density, and how well it is known.

    Attributes:
        inertia: ``(..., 6, 6)``, about the origin of the frame of the cells.
        error: for each entry the difference from the integral with two points fewer along each edge, ``(..., 6, 6)``. For
            a smooth density this is far more than the error of ``inertia``; where the density jumps inside a cell, it is
            about as large, and both become small only slowly.
    """

    inertia: Array
    error: Array


def not_negative(function: str, name: str, value: Array) -> Array:
    """The array, if no entry is negative."""
    if (value < 0.0).any():
        raise ArgumentValueError(
            f"{function}: {number_at(name, value, value < 0.0)}, expected a number that is not negative"
        )
    return value


def summed(function: str, masses: Array, positions: Array) -> Array:
    """The inertia of particles, ``(..., n)`` and ``(..., n, 3)``."""
    largest = masses.max(axis=-1, keepdims=True, initial=0.0)
    if not (largest > 0.0).all():
        raise ArgumentValueError(f"{function}: the mass is zero, expected some that is not: there is no centre of mass")
    share = masses / largest
    share = share / share.sum(axis=-1, keepdims=True)  # no sum of masses overflows before the last product
    mass = masses.sum(axis=-1)
    center = np.einsum("...n,...ni->...i", share, positions)
    d = positions - center[..., None, :]
    squares = np.einsum("...n,...ni,...nj->...ij", share, d, d)
    return spatial_inertia(mass, center, rotational_inertia(mass[..., None, None] * squares))


@composed
def point_masses(masses: ArrayLike, positions: ArrayLike) -> Array:
    """The inertia of particles that are joined rigidly, about the origin of the frame of their positions.

    Args:
        masses: ``(..., n)``, none negative, not all zero; kg.
        positions: ``(..., n, 3)``; m.

    Returns:
        ``(..., 6, 6)``; singular where all particles lie on one line.

    Raises:
        TypeError, ValueError: not arrays of finite real numbers of these shapes; a negative mass; no mass at all.

    Source: RBDA section 2.13; source document 004, section 3: ``I = sum m_k (p.p 1 - p p^T)``, with the products of
        inertia negative in all places.

    Example:
        >>> dumbbell = point_masses([1.0, 1.0], [[-0.5, 0, 0], [0.5, 0, 0]])
        >>> np.diag(dumbbell)
        array([0. , 0.5, 0.5, 2. , 2. , 2. ])
    """
    function = "point_masses"
    m, p = as_floats(function, "masses", masses, ()), as_floats(function, "positions", positions, (3,))
    if not m.ndim or p.ndim < 2 or not m.shape[-1] or m.shape[-1] != p.shape[-2]:
        raise ArgumentValueError(
            f"{function}: masses has shape {m.shape} and positions {p.shape}, expected (..., n) and (..., n, 3), n > 0"
        )
    check_broadcast(function, masses=(m, 1), positions=(p, 2))
    return summed(function, not_negative(function, "masses", m), p)


# ------------------------------------------------------------------------------------------------------------- quadrature


def unit_cube(n: int) -> tuple[Array, Array]:
    """Return points ``(n^3, 3)`` and weights of the integral over the unit cube: n Gauss-Legendre points along each edge"""
    x, w = np.polynomial.legendre.leggauss(n)
    x, w = 0.5 * (1.0 + x), 0.5 * w
    points = np.stack(np.meshgrid(x, x, x, indexing="ij"), axis=-1).reshape(-1, 3)
    return points, np.einsum("i,j,k->ijk", w, w, w).ravel()


def unit_tetrahedron(n: int) -> tuple[Array, Array]:
    """Return points ``(n^3, 3)`` and weights of the integral over the tetrahedron ``x, y, z >= 0, x + y + z <= 1``.

    By Gauss-Jacobi points of a, b, c in ``x = a, y = (1 - a) b, z = (1 - a)(1 - b) c``, with the Jacobian determinant
    ``(1 - a)^2 (1 - b)``.
    """
    from scipy.special import roots_jacobi

    (a, wa), (b, wb), (c, wc) = (
        (0.5 * (1.0 + x), w / 2.0 ** (k + 1)) for k in (2, 1, 0) for x, w in (roots_jacobi(n, k, 0),)
    )
    A, B, C = np.meshgrid(a, b, c, indexing="ij")
    points = np.stack([A, (1.0 - A) * B, (1.0 - A) * (1.0 - B) * C], axis=-1).reshape(-1, 3)
    return points, np.einsum("i,j,k->ijk", wa, wb, wc).ravel()


def quadrature(cells: Array, n: int) -> tuple[Array, Array]:
    """Points ``(k, 3)`` in all cells together, and their weights; m, m^3"""
    if cells.shape[-2] == 2:
        low, edges = cells[..., :1, :], np.abs(cells[..., 1:, :] - cells[..., :1, :])
        points, weights = unit_cube(n)
        low = np.minimum(low, cells[..., 1:, :])
        places, volume = low + edges * points, edges.prod(axis=-1)
    else:
        points, weights = unit_tetrahedron(n)
        edges = cells[..., 1:, :] - cells[..., :1, :]
        places, volume = cells[..., :1, :] + points @ edges, np.abs(np.linalg.det(edges))[..., None]
    return places.reshape(-1, 3), (volume * weights).ravel()


@composed
def density_inertia(density: Callable[[Array], Any], cells: ArrayLike, *, order: int = 6) -> DensityInertia:
    """The inertia of a body of varying density, integrated over boxes or tetrahedra.

    Args:
        density: a function of points ``(k, 3)``, in m, that gives the density there, ``(..., k)``, nowhere negative, in
            kg/m^3; leading axes of its result are those of the inertia.
        cells: what the body consists of: boxes along the axes by two opposite corners, ``(..., 2, 3)``, or tetrahedra by
            their vertices in any order, ``(..., 4, 3)``; m. Cells that overlap count twice.
        order: points along each edge of a cell, 3 to 64. Polynomials are integrated to rounding, a density of degree
            ``2 order - 3`` (in a box, in each coordinate; in a tetrahedron, in all together).

    Returns:
        ``(inertia, error)``, both ``(..., 6, 6)``.

    Raises:
        TypeError, ValueError: not an array of finite real numbers of that shape; a density that is no function, gives
            something else than one finite number for each point, is negative, or zero everywhere.

    Source: RBDA section 2.13, with the integrals of source document 004, section 3; Stroud (1971), section 2.5.

    Example:
        >>> body = density_inertia(lambda x: 6.0 * x[:, 2], [[0, 0, 0], [1, 1, 1]])  # a cube, heavier towards the top
        >>> float(body.inertia[5, 5].round(12)), float((body.inertia[1, 3] / 3.0).round(12))  # mass, height of its centre
        (3.0, 0.666666666667)
        >>> bool(body.error.max() < 1e-12)
        True
    """
    function = "density_inertia"
    if not callable(density):
        raise ArgumentTypeError(f"{function}: density is {shown(density)}, expected a function of points (k, 3)")
    n = as_integer(function, "order", order, 3, MOST_POINTS)
    corners = as_floats(function, "cells", cells, (3,))
    if corners.ndim < 2 or corners.shape[-2] not in (2, 4) or not corners.size:
        raise ArgumentValueError(
            f"{function}: cells has shape {corners.shape}, expected (..., 2, 3), boxes, or (..., 4, 3), tetrahedra"
        )
    better, worse = (integrated(function, density, corners, k) for k in (n, n - 2))
    return DensityInertia(better, np.abs(better - worse))


def integrated(function: str, density: Callable[[Array], Any], cells: Array, n: int) -> Array:
    """The inertia by ``n`` points along each edge."""
    points, weights = quadrature(cells, n)
    rho = as_floats(function, "the density", density(points.copy()), ())
    if rho.shape[-1:] != weights.shape:
        raise ArgumentValueError(
            f"{function}: density gives an array of shape {rho.shape}, expected (..., {len(points)}), one for each point"
        )
    return summed(function, not_negative(function, "the density", rho) * weights, points)
