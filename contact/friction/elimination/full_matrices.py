"""Elimination of few rows with full matrices, since SciPy's sparse ones take 20 us before they begin (measured).

Components stay separate as they do in sparse matrices: the entries between them are zeros.

Source: as in :mod:`~pluecker.contact.friction.elimination.factor` and
:mod:`~pluecker.contact.friction.elimination.elimination`.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.elimination.block_rows import backward, forward
from pluecker.contact.friction.elimination.pattern import Pattern
from pluecker.contact.friction.problem.operator import Operator
from pluecker.contact.friction.sparse.blocks import Indices, to_full
from pluecker.spatial.functions.elementwise import Array

__all__ = ["combine_full", "coupling_full", "energies_full", "is_small", "solve_full", "taken_by_rows"]

LARGEST = 120_000  # numbers of N, and of J, at most: 200 rows on 100 bodies


def is_small(operator: Operator) -> bool:
    """Return whether full matrices are faster, which they are for few rows and few columns of J."""
    rows = len(operator.compliance)
    return rows * max(rows, int(operator.J.columns[-1])) <= LARGEST


def solve_full(pattern: Pattern, L: Array, columns: Array, half: bool = False) -> Array:
    """Solve for all columns, ``(n_B, k)``; with ``half`` multiply them by L^-1 alone."""
    X = np.array(columns, order="C")
    n, k = X.shape
    at, width = np.arange(n) * k, np.full(len(pattern.factor.order), k)
    forward(pattern.factor, L, at, width, X.reshape(-1))
    if not half:
        backward(pattern.factor, L, at, width, X.reshape(-1))
    return X


def combine_full(pattern: Pattern, L: Array, full: Array, root: Array, dependent: Indices) -> Array:
    """Compute :func:`~pluecker.contact.friction.elimination.factor.combinations` with full matrices, ``(n_B, k)``."""
    n, k = len(full), len(dependent)
    Z = np.zeros((n, k))
    Z[dependent, np.arange(k)] = 1.0
    for _ in range(2):  # the second time for the digits that the first one lost
        Z -= solve_full(pattern, L, full @ Z)
    Z *= root[:, None]
    if np.isfinite(Z).all():
        for c in np.unique(pattern.component[dependent]):
            part = np.ix_(pattern.component == c, pattern.component[dependent] == c)
            Z[part] = np.linalg.qr(Z[part])[0]
    return Z


def energies_full(operator: Operator, rows: Indices, z: Array) -> Array:
    """Compute z'Nz of each column of z, from the impulses J'z, ``(k,)``"""
    J, T = (to_full(B)[rows] for B in (operator.J, operator.T))
    return np.asarray(((J.T @ z) * (T.T @ z)).sum(axis=0) + operator.compliance[rows] @ (z * z))


def coupling_full(operator: Operator, pattern: Pattern) -> Array:
    """Return N between bilateral rows and the others, N_BC."""
    if operator.is_factored:
        return np.asarray(to_full(operator.T)[pattern.rows] @ to_full(operator.J)[pattern.kept].T)
    return np.asarray(to_full(operator.N)[np.ix_(pattern.rows, pattern.kept)])


def taken_by_rows(pattern: Pattern, L: Array, N_BC: Array) -> Array:
    """Compute N_CB N_BB^+ N_BC, component by component"""
    Y, m = solve_full(pattern, L, N_BC, half=True), N_BC.shape[1]
    taken = np.zeros((m, m))
    for c in range(pattern.components):
        rows = pattern.component == c
        mine = np.flatnonzero((N_BC[rows] != 0.0).any(axis=0))
        part = Y[np.ix_(rows, mine)]
        taken[np.ix_(mine, mine)] += part.T @ part
    return taken
