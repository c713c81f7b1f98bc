"""Rigid-body inertias at build time: checks, shifts and sums. Matrices in NumPy, where clarity counts and speed does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.errors import ModelError

__all__ = ["Inertia", "check_inertia", "check_mass"]

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
        """From the inertia about the centre of mass, by the parallel-axes theorem."""
        return Inertia(
            mass, mass * center, about_center + mass * (center @ center * np.eye(3) - np.outer(center, center))
        )

    def carried(self, R: Array, p: Array) -> Inertia:
        """The same body seen from a frame in which this one has the axes ``R`` (columns) and the origin ``p``."""
        h = R @ self.moment
        shift = 2.0 * (p @ h) * np.eye(3) - np.outer(p, h) - np.outer(h, p)
        shift += self.mass * (p @ p * np.eye(3) - np.outer(p, p))
        return Inertia(self.mass, h + self.mass * p, R @ self.about_origin @ R.T + shift)

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.mass + other.mass, self.moment + other.moment, self.about_origin + other.about_origin)

    def ten_numbers(self) -> Array:
        """m, h, and J as xx, xy, xz, yy, yz, zz: the order of :mod:`pluecker.spatial.algebra.inertia`."""
        return np.concatenate([[self.mass], self.moment, self.about_origin[np.triu_indices(3)]])


def check_mass(body: str, mass: float) -> None:
    """A mass is a finite number, not negative."""
    if not np.isfinite(mass) or mass < 0.0:
        raise ModelError(f"body {body!r}: mass is {mass}, expected a finite number of kg, not negative")


def check_inertia(body: str, mass: float, inertia: Array, advice: str) -> None:
    """Refuse an inertia about the centre of mass that no distribution of mass has.

    Principal moments A, B, C of a body are not negative, none exceeds the sum of the two others, and a body without mass
    has none (RBDA section 2.13 on what an inertia may be; Traversaro et al. 2016 on full physical consistency).
    """
    if not np.isfinite(inertia).all():
        raise ModelError(f"body {body!r}: inertia holds {inertia.ravel().tolist()}, expected finite numbers")
    size = float(np.abs(inertia).max())
    if np.abs(inertia - inertia.T).max() > RELATIVE_SLACK * size:
        raise ModelError(f"body {body!r}: the inertia matrix is not symmetric: {inertia.tolist()}")
    a, b, c = np.linalg.eigvalsh(inertia)
    slack = RELATIVE_SLACK * size + ABSOLUTE_SLACK * mass
    moments = f"principal moments {a:.4g}, {b:.4g}, {c:.4g} kg m^2"
    if mass == 0.0 and size > 0.0:
        raise ModelError(f"body {body!r}: mass 0 with {moments}: a body without mass has no inertia; {advice}")
    if a < -slack:
        raise ModelError(f"body {body!r}: {moments}: none can be negative; {advice}")
    if c > a + b + slack:
        raise ModelError(f"body {body!r}: {moments}: none can exceed the sum of the other two; {advice}")
