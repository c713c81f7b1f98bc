"""The factor of bilateral rows: their rank, what they leave of others, and the multipliers that change no velocity.

    N_BB = L L',    a pivot that is rounding is left out: its row depends on those before it

A row is suspected where its pivot is a small part of its diagonal entry. The combination z of rows that it would depend on
shows whether it does: the impulses ``J'z`` of rows that are dependent cancel, to rounding; where a heavy body hangs on light
ones, pivots are as small, and impulses are not. If some do not cancel, smaller parts are tried.

Multipliers ``r + Z a`` have the same velocities for any a, Z being these combinations. Of all of them the one with the least
``sum N_kk r_k^2`` is taken: an energy, whatever units the rows have.

Source: N. J. Higham, "Accuracy and stability of numerical algorithms" (SIAM, 2002), section 10.3, for semidefinite matrices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pluecker.contact.friction.elimination.block_rows import backward, forward
from pluecker.contact.friction.elimination.full_matrices import combine_full, energies_full, is_small
from pluecker.contact.friction.elimination.pattern import Pattern
from pluecker.contact.friction.problem.operator import Operator
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices, to_full, to_scipy
from pluecker.contact.friction.sparse.cholesky import factor
from pluecker.spatial.engine.parallel.interruption_flag import state
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["Factor", "Pool", "factorize", "spread"]

SUSPECT = (1e-8, 1e-10, 1e-12, 1e-14)  # pivots, of their diagonal entries: what is tried
DEPENDENT = 1e-12  # N z of a combination of length one, in units of the diagonal, where only N is known
ENERGY = 1e-22  # z'Nz of such a combination, where it can be computed as a square


class Pool(NamedTuple):
    """Right-hand sides that are zero outside of some components, column by column.

    Attributes:
        at: where the columns of each row start among the numbers, ``(n_B,)``.
        width: how many columns each block of the factor has, in the order of elimination, ``(g,)``.
        first: where the columns of each component start in ``column``, and their end, ``(components + 1,)``.
        column: the columns, component by component.
        data: the numbers, for each component the rows with a number for each of its columns.
        begin: where each component starts in ``data``, ``(components + 1,)``.
    """

    at: Indices
    width: Indices
    first: Indices
    column: Indices
    data: Array
    begin: Indices


class Factor(NamedTuple):
    """N_BB = L L'.

    Attributes:
        pattern: of the rows.
        L: the numbers of the factor.
        root: the root of each diagonal entry of N_BB, ``(n_B,)``; of a row of zeros 1.
        dependent: the rows that were left out, as numbers in ``pattern.rows``.
        Q: the combinations that change nothing, times ``root``, orthonormal, ``(n_B, k)``, a full matrix where rows are
            few; none where k is zero.
    """

    pattern: Pattern
    L: Array
    root: Array
    dependent: Indices
    Q: Any


def spread(pattern: Pattern, columns: scipy.sparse.spmatrix, most: float = np.inf) -> Pool | None:
    """Spread sparse columns into right-hand sides, one in each component that a column touches; None for too many numbers.

    Args:
        pattern: of the rows.
        columns: ``(n_B, c)``.
        most: numbers that are allowed, and entries of the products of the columns of each component.
    """
    entries = scipy.sparse.coo_matrix(columns)
    there = entries.data != 0.0
    row, col, data = entries.row[there].astype(np.int64), entries.col[there].astype(np.int64), entries.data[there]
    component, c = pattern.component, max(columns.shape[1], 1)
    pairs, pair = np.unique(component[row] * c + col, return_inverse=True)
    of, column = np.divmod(pairs, c)
    wide = np.bincount(of, minlength=pattern.components)
    high = np.bincount(component, minlength=pattern.components)
    if max(float((wide.astype(float) * high).sum()), float((wide.astype(float) ** 2).sum())) > most:
        return None
    first, begin = (np.concatenate([[0], np.cumsum(n)]).astype(np.int64) for n in (wide, wide * high))
    order = np.argsort(component, kind="stable")
    inside = np.empty(len(order), np.int64)
    inside[order] = np.arange(len(order)) - (np.cumsum(high) - high)[component[order]]
    at = begin[component] + inside * wide[component]
    values = np.zeros(int(begin[-1]))
    values[at[row] + pair.reshape(-1) - first[component[row]]] = data
    width = wide[component[pattern.factor.start]].astype(np.int64)
    return Pool(at, width, first, column, values, begin)


def gathered(pattern: Pattern, pool: Pool, columns: int) -> scipy.sparse.csc_matrix:
    """Gather the numbers of a pool into a sparse matrix."""
    wide = np.diff(pool.first)[pattern.component]
    row = np.repeat(np.arange(len(wide)), wide)
    inside = np.arange(len(row)) - np.repeat(np.cumsum(wide) - wide, wide)
    col = pool.column[pool.first[pattern.component][row] + inside]
    entries = pool.data[pool.at[row] + inside]
    return scipy.sparse.csc_matrix((entries, (row, col)), shape=(len(wide), columns))


def solve_columns(
    pattern: Pattern, L: Array, columns: scipy.sparse.spmatrix, most: float
) -> scipy.sparse.csc_matrix | None:
    """Solve for sparse columns; return None where the solutions have too many numbers."""
    pool = spread(pattern, columns, most)
    if pool is None:
        return None
    forward(pattern.factor, L, pool.at, pool.width, pool.data)
    backward(pattern.factor, L, pool.at, pool.width, pool.data)
    return gathered(pattern, pool, columns.shape[1])


def factorize(pattern: Pattern, N: BlockMatrix, operator: Operator, most: float) -> Factor | None:
    """Factor N + compliance, and find its rank.

    None where the matrix is not semidefinite, beyond rounding, or where the combinations of dependent rows have more
    than ``most`` numbers.
    """
    S, compliance = pattern.factor, operator.compliance[pattern.rows]
    size = np.diff(pattern.group)
    group = np.repeat(np.arange(len(size)), size)
    local = np.arange(len(group)) - pattern.group[group]
    D = np.zeros(int(S.square[-1]))
    D[S.square[group] + local * (size[group] + 1)] = compliance
    # The pivots, in the order of the rows
    place = np.empty(len(size), np.int64)
    place[S.order] = S.pivot
    pivots = place[group] + local * (size[group] + 1)
    full: Any = None
    Q: Any
    L, root = np.empty(int(S.numbers[0])), np.empty(0)
    for tiny in SUSPECT:
        factor(S, N, N.data, D, tiny, L)
        if state[0]:  # interrupted: L is not a factor, and whoever comes next ends at once
            return None
        dependent = np.flatnonzero(L[pivots] == 0.0)
        if len(root) == 0:
            root = root_of_diagonal(pattern, N, compliance)
        if len(dependent) == 0:
            return Factor(pattern, L, root, dependent, None)
        if is_small(operator):
            full = to_full(N) + np.diag(compliance) if full is None else full
            Q = combine_full(pattern, L, full, root, dependent)
            right = np.isfinite(Q).all() and full_changes_nothing(operator, pattern, full, root, Q)
        else:
            full = scipy.sparse.csr_matrix(to_scipy(N) + scipy.sparse.diags(compliance)) if full is None else full
            Q = combinations(pattern, L, full, root, dependent, most)
            if Q is None:
                return None
            right = np.isfinite(Q.data).all() and changes_nothing(operator, pattern, full, root, Q)
        if right:
            return Factor(pattern, L, root, dependent, Q)
    return None


def changes_nothing(
    operator: Operator, pattern: Pattern, full: scipy.sparse.csr_matrix, root: Array, Q: scipy.sparse.csr_matrix
) -> bool:
    """Return whether all combinations of rows, the columns of Q divided by ``root``, change nothing, beyond rounding.

    Where J is known, the energy q'Nq is computed from the impulses J'q: it is the square of rounding then, and far above
    that where a pivot is small because of the masses. Of a matrix there is but N q, which tells less.
    """
    z = scipy.sparse.csr_matrix(scipy.sparse.diags(1.0 / root) @ Q)
    if not operator.is_factored:
        return bool(abs(scipy.sparse.diags(1.0 / root) @ (full @ z)).max() <= DEPENDENT)
    J, T = (to_scipy(B)[pattern.rows] for B in (operator.J, operator.T))
    soft = scipy.sparse.diags(operator.compliance[pattern.rows]) @ z
    energy = (J.T @ z).multiply(T.T @ z).sum(axis=0) + z.multiply(soft).sum(axis=0)
    return bool(np.abs(energy).max() <= ENERGY)


def full_changes_nothing(operator: Operator, pattern: Pattern, full: Array, root: Array, Q: Array) -> bool:
    """Return what :func:`changes_nothing` does, for full matrices."""
    z = Q / root[:, None]
    if not operator.is_factored:
        return bool(np.abs((full @ z) / root[:, None]).max() <= DEPENDENT)
    return bool(np.abs(energies_full(operator, pattern.rows, z)).max() <= ENERGY)


def root_of_diagonal(pattern: Pattern, N: BlockMatrix, compliance: Array) -> Array:
    """Return the root of each diagonal entry of N + compliance; 1 where that is zero."""
    row = np.repeat(np.arange(len(N.rows) - 1), np.diff(N.first))
    k = np.flatnonzero(row == N.column)
    size = np.diff(N.rows)[row[k]]
    top = np.repeat(N.rows[row[k]], size)
    inside = np.arange(len(top)) - np.repeat(np.cumsum(size) - size, size)
    d = compliance.copy()
    d[top + inside] += N.data[np.repeat(N.place[k], size) + inside * (np.repeat(size, size) + 1)]
    return np.sqrt(np.where(d > 0.0, d, 1.0))


def combinations(
    pattern: Pattern, L: Array, full: scipy.sparse.csr_matrix, root: Array, dependent: Indices, most: float
) -> scipy.sparse.csr_matrix | None:
    """Find for each dependent row what it is made of, ``N z = 0``; times ``root``, orthonormal, component by component."""
    n, k = full.shape[0], len(dependent)
    Z = scipy.sparse.csc_matrix((np.ones(k), (dependent, np.arange(k))), shape=(n, k))
    for _ in range(2):  # the second time for the digits that the first one lost
        change = solve_columns(pattern, L, full @ Z, most)
        if change is None:
            return None
        Z = scipy.sparse.csc_matrix(Z - change)
    pool = spread(pattern, scipy.sparse.diags(root) @ Z, most)
    if pool is None:
        return None
    for c in range(pattern.components):
        m = int(pool.first[c + 1] - pool.first[c])
        if m:
            part = pool.data[pool.begin[c] : pool.begin[c + 1]].reshape(-1, m)
            if np.isfinite(part).all():
                part[:] = np.linalg.qr(part)[0]
    return scipy.sparse.csr_matrix(gathered(pattern, pool, k))
