"""Linear complementarity problems with known solutions, and a search through all complementary bases."""

from __future__ import annotations

from itertools import product

import numpy as np

METHODS = ("lemke", "minmap_newton")  # of solve_lcp


def all_solutions(A, b, tol=1e-9):
    """Every solution that a regular complementary basis has, ``2^n`` bases, by plain NumPy."""
    n, found = len(b), []
    for pattern in product((False, True), repeat=n):
        I = np.flatnonzero(pattern)
        z = np.zeros(n)
        if len(I):
            block = A[np.ix_(I, I)]
            if np.linalg.cond(block) > 1e12:
                continue
            z[I] = np.linalg.solve(block, -b[I])
        w = A @ z + b
        size = tol * max(1.0, np.abs(z).max(initial=0.0))
        if (z >= -size).all() and (w >= -size).all() and not any(np.allclose(z, other, atol=1e-8) for other in found):
            found.append(z)
    return found


def positive_definite(rng, n):
    """Symmetric, positive definite"""
    B = rng.normal(size=(n, n))
    return B @ B.T / max(n, 1) + 0.1 * np.eye(n)


def monotone(rng, n):
    """Draw a positive definite matrix that is not symmetric."""
    S = rng.normal(size=(n, n))
    return positive_definite(rng, n) + S - S.T


def p_matrix(rng, n):
    """All principal minors are one; not positive semidefinite"""
    return np.tril(2.0 * rng.normal(size=(n, n)), -1) + np.eye(n)


def semidefinite(rng, n):
    """Symmetric, of half rank"""
    B = rng.normal(size=(n, max(n // 2, 1)))
    return B @ B.T


def skew_semidefinite(rng, n):
    """Positive semidefinite, neither symmetric nor regular on the diagonal"""
    S = rng.normal(size=(n, n))
    return S - S.T


def copositive(rng, n):
    """Positive entries, so that z.A z > 0 for z >= 0; as a rule with negative eigenvalues"""
    return rng.uniform(0.1, 1.0, size=(n, n))


def tied(rng, n):
    """Integers, semidefinite: ratios are often equal"""
    B = rng.integers(-1, 2, size=(n, max(n // 2, 1))).astype(float)
    return B @ B.T


FAMILIES = {
    "positive definite": positive_definite,
    "monotone": monotone,
    "P": p_matrix,
    "semidefinite": semidefinite,
    "skew": skew_semidefinite,
    "copositive": copositive,
    "tied": tied,
}
MONOTONE = ("positive definite", "monotone", "semidefinite", "skew", "tied")


def solvable(rng, A, degenerate=False):
    """b and a z that solves the problem with it; with ``degenerate`` some z_i and w_i are both zero."""
    n = len(A)
    value = rng.integers(1, 4, size=n).astype(float)
    kind = rng.integers(0, 3 if degenerate else 2, size=n)
    z, w = np.where(kind == 0, value, 0.0), np.where(kind == 1, value, 0.0)
    return w - A @ z, z


def mixed(rng, n, family=positive_definite):
    """A, b, lower, upper with rows of all five kinds: free, lower, upper, both, fixed."""
    A, b = family(rng, n), 2.0 * rng.normal(size=n)
    kind = rng.permutation(np.arange(n) % 5)
    low, width = rng.normal(size=n), rng.uniform(0.1, 1.0, size=n)
    lower = np.where((kind == 0) | (kind == 2), -np.inf, low)
    upper = np.where(kind < 2, np.inf, np.where(kind == 4, low, low + width))
    return A, b, lower, upper


def murty(n):
    """Murty's family: ones on the diagonal, twos below, ``b_i = -(2^n + ... + 2^(n-i+1))``; ``z = (2^n, 0, ...)``"""
    A = np.tril(np.full((n, n), 2.0), -1) + np.eye(n)
    return A, -np.cumsum(2.0 ** np.arange(n, 0, -1))
