"""Rigid-body inertias at build time: checks, shifts and sums. Matrices in NumPy, where clarity counts and speed does not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.errors import ModelError

__all__ = ["Inertia", "check_mass", "refuse_impossible"]

Array = NDArray[np.float64]

RELATIVE_SLACK = 1e-6  # of the largest principal moment: files are rounded
ABSOLUTE_SLACK = 1e-12  # m^2, times the mass


@dataclass(frozen=True)
class Inertia:
    """Mass, first moment and rotational inertia about the frame's origin."""

    mass: float
    moment: Array
    about_origin: Array

    @staticmethod
    def zero() -> Inertia:
        return Inertia(0.0, np.zeros(3), np.zeros((3, 3)))

    @staticmethod
    def at_center_of_mass(mass: float, center: Array, about_center: Array) -> Inertia:
        """Construct from the inertia about the centre of mass, by the parallel-axes theorem."""
        x, y, z = center.tolist()
        hx, hy, hz = mass * x, mass * y, mass * z
        shift = np.array(
            [
                [hy * y + hz * z, -hx * y, -hx * z],
                [-hx * y, hx * x + hz * z, -hy * z],
                [-hx * z, -hy * z, hx * x + hy * y],
            ]
        )
        return Inertia(mass, np.array([hx, hy, hz]), about_center + shift)

    def carried(self, R: Array, p: Array) -> Inertia:
        """Transform to a frame in which this inertia's frame has the axes ``R`` (columns) and the origin ``p``."""
        h = R @ self.moment
        shift = 2.0 * (p @ h) * np.eye(3) - np.outer(p, h) - np.outer(h, p)
        shift += self.mass * (p @ p * np.eye(3) - np.outer(p, p))
        return Inertia(self.mass, h + self.mass * p, R @ self.about_origin @ R.T + shift)

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.mass + other.mass, self.moment + other.moment, self.about_origin + other.about_origin)

    def is_finite(self) -> bool:
        """Return whether all numbers are finite, so that nothing has overflowed."""
        return math.isfinite(self.mass) and bool(
            np.isfinite(self.moment).all() and np.isfinite(self.about_origin).all()
        )


def check_mass(label: str, mass: float) -> None:
    """Check that a mass is a finite number, not negative."""
    if not math.isfinite(mass) or mass < 0.0:
        raise ModelError(f"{label}: mass is {mass}, expected a finite number of kg, not negative")


def refuse_impossible(label: str, mass: float, inertia: Array, advice: str) -> None:
    """Refuse an inertia about the centre of mass that no distribution of mass has.

    Principal moments A, B, C of a body are not negative, none exceeds the sum of the two others, and a body without mass
    has none (RBDA section 2.13 on what an inertia may be; Traversaro et al. 2016 on full physical consistency).
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = inertia.tolist()
    size = max(map(abs, (xx, xy, xz, yx, yy, yz, zx, zy, zz)))
    if size == 0.0:
        return
    if max(abs(xy / size - yx / size), abs(xz / size - zx / size), abs(yz / size - zy / size)) > RELATIVE_SLACK:
        raise ModelError(f"{label}: the inertia matrix is not symmetric: {inertia.tolist()}")
    if xy == xz == yz == 0.0:
        a, b, c = sorted((xx / size, yy / size, zz / size))
    else:
        a, b, c = np.linalg.eigvalsh(inertia / size).tolist()  # divided, so that no sum of them overflows
    slack = RELATIVE_SLACK + ABSOLUTE_SLACK * mass / size
    moments = f"principal moments {a * size:.4g}, {b * size:.4g}, {c * size:.4g} kg m^2"
    if mass == 0.0:
        raise ModelError(f"{label}: mass 0 with {moments}: a body without mass has no inertia; {advice}")
    if a < -slack:
        raise ModelError(f"{label}: {moments}: none can be negative; {advice}")
    if c > a + b + slack:
        raise ModelError(f"{label}: {moments}: none can exceed the sum of the other two; {advice}")
