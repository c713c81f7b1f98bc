"""Semismooth Newton method on the equations of Fischer and Burmeister.

With ``phi(a, b) = a + b - sqrt(a^2 + b^2)``, which is zero where a >= 0, b >= 0, a b = 0 and nowhere else, a problem is the
system

==============================  =========================================================================
bounds of z_i                   Phi_i(z), with w = A z + b
==============================  =========================================================================
none                            ``w_i``
lower                           ``phi(z_i - lower_i, w_i)``
upper                           ``-phi(upper_i - z_i, -w_i)``
both                            ``phi(z_i - lower_i, -phi(upper_i - z_i, -w_i))``
both, and equal                 ``z_i - lower_i``
==============================  =========================================================================

The rows are one formula: a bound that recedes to infinity takes its phi with it. Newton's matrix is an element of Clarke's
generalised Jacobian, ``diag(p) + diag(q) A`` with p, q >= 0. Where a phi has both arguments zero it is the limit of the
Jacobian along a direction that moves these arguments (De Luca, Facchinei, Kanzow). A matrix that is singular, or whose
direction leads nowhere, is perturbed by a larger p: for P0 matrices that makes it regular. Last comes the gradient.

Sources: A. Fischer, "A special Newton-type optimization method" (1992); S. C. Billups, "Algorithms for complementarity
problems and generalized equations" (1995), for two bounds; T. De Luca, F. Facchinei, C. Kanzow, "A semismooth equation
approach to the solution of nonlinear complementarity problems" (1996), for the Jacobian; K. Erleben, "Numerical methods for
linear complementarity problems in physics-based animation" (2013).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse

from pluecker.contact.lcp.complementarity import LinearComplementarityProblem
from pluecker.contact.lcp.damped_newton import CAUTIOUS, damped_newton, steepest_descent
from pluecker.contact.lcp.linear_solve import factorize
from pluecker.contact.lcp.search import Search
from pluecker.spatial.functions.elementwise import Array

__all__ = ["FischerBurmeister", "derivative", "fischer_newton", "phi"]

MEMORY = 5  # iterates that the merit, which is smooth, is compared with


def phi(a: Array, b: Array) -> Array:
    """a + b - sqrt(a^2 + b^2), as 2 a b / (a + b + sqrt(a^2 + b^2)) where the difference would cancel"""
    r = np.hypot(a, b)
    s = a + b
    return np.where(s > 0.0, 2.0 * a * (b / np.where(s > 0.0, s + r, 1.0)), s - r)


def derivative(a: Array, b: Array, da: Array, db: Array) -> tuple[Array, Array]:
    """The derivatives of phi by a and by b; where a = b = 0, their limits along the direction (da, db)."""
    corner = (a == 0.0) & (b == 0.0)
    a, b = np.where(corner, da, a), np.where(corner, db, b)
    r = np.hypot(a, b)
    still = r == 0.0  # the direction does not move the arguments: any element of the generalised Jacobian
    a, b, r = np.where(still, -1.0, a), np.where(still, -1.0, b), np.where(still, np.sqrt(2.0), r)
    return one_less_cosine(a, b, r), one_less_cosine(b, a, r)


def one_less_cosine(a: Array, b: Array, r: Array) -> Array:
    """1 - a / r with r^2 = a^2 + b^2, without cancellation"""
    return np.where(a > 0.0, (b / r) * (b / (r + np.abs(a))), 1.0 - a / r)


class FischerBurmeister:
    """Phi and its generalised Jacobian for one problem."""

    def __init__(self, problem: LinearComplementarityProblem) -> None:
        self.problem = problem
        self.fixed = problem.lower == problem.upper
        self.low = np.isfinite(problem.lower) & ~self.fixed
        self.high = np.isfinite(problem.upper) & ~self.fixed
        self.lower, self.upper = np.where(self.low, problem.lower, 0.0), np.where(self.high, problem.upper, 0.0)

    def value(self, z: Array) -> Array:
        """Phi(z)"""
        w = self.problem.slack(z)
        g = np.where(self.high, -phi(self.upper - z, -w), w)
        value = np.where(self.low, phi(z - self.lower, g), g)
        return np.where(self.fixed, z - np.where(self.fixed, self.problem.lower, 0.0), value)

    def factors(self, z: Array) -> tuple[Array, Array]:
        """p and q of a generalised Jacobian ``diag(p) + diag(q) A``"""
        w = self.problem.slack(z)
        above, below = self.upper - z, z - self.lower
        g = np.where(self.high, -phi(above, -w), w)
        moved = (self.low & (below == 0.0) | self.high & (above == 0.0)).astype(float)
        dw = np.asarray(self.problem.A @ moved)
        p, q = derivative(above, -w, -moved, -dw)
        p, q = np.where(self.high, p, 0.0), np.where(self.high, q, 1.0)
        p1, q1 = derivative(below, g, moved, p * moved + q * dw)
        p, q = np.where(self.low, p1 + q1 * p, p), np.where(self.low, q1 * q, q)
        return np.where(self.fixed, 1.0, p), np.where(self.fixed, 0.0, q)

    def jacobian(self, p: Array, q: Array) -> Any:
        """diag(p) + diag(q) A"""
        if self.problem.is_sparse:
            return scipy.sparse.csr_matrix(scipy.sparse.diags(q) @ self.problem.A + scipy.sparse.diags(p))
        J = q[:, None] * self.problem.A
        J[np.diag_indices_from(J)] += p
        return J

    def directions(self, z: Array, value: Array) -> Iterator[tuple[Array, float]]:
        """Newton's direction, those of perturbed matrices, steepest descent."""
        p, q = self.factors(z)
        J = self.jacobian(p, q)
        gradient = np.asarray(J.T @ value)
        for shift in (0.0, *CAUTIOUS):
            solve = factorize(J if shift == 0.0 else self.jacobian(p + shift, q))
            if solve is not None:
                d = -solve(value)
                yield d, float(gradient @ d)
        yield steepest_descent(gradient, np.asarray(J @ gradient))


def fischer_newton(search: Search) -> tuple[str, str]:
    """Solve a linear complementarity problem with bounds by Newton's method on the equations of Fischer and Burmeister.

    Args:
        search: the problem, the start, the goal; the best point is left there. Each iteration solves one or a few linear
            systems with all n unknowns; a sparse A keeps them sparse.

    Returns:
        The status (``converged``, ``iteration limit`` or ``stalled``) and a message.

    Source: see the head of the file.
    """
    with np.errstate(all="ignore"):
        return damped_newton(FischerBurmeister(search.scaling.problem), search, MEMORY)
