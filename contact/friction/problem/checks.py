"""Checks of the data of a friction problem: each fault is one sentence that names the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments import real_numbers, sparse_numbers
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.operator import Operator, diagonal_of
from pluecker.contact.friction.problem.sets import DISCS, Sets
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.spatial.engine.parallel.interruption import answering
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = [
    "HUGE",
    "as_coefficients",
    "as_matrix",
    "as_vector",
    "check_components",
    "check_semidefinite",
    "check_size",
    "check_symmetric",
    "eliminate",
]

FLOAT = np.dtype(np.float64)
HUGE = 1e150  # of data: the product of two such numbers is still far from the end of float64
KINDS = ("friction", "rolling friction", "spinning friction")
NEGLIGIBLE = 1e-9  # of diagonal entries: asymmetry of their rows, and what may be missing there, that are rounding
ROUNDING = 1e-14  # of the largest entry that a row is joined to: nothing below it can be told from rounding


def check_numbers(values: Array, largest: float) -> tuple[int, str] | None:
    """Find a number that is not finite, or else one that is too large; return its index and what was expected, else None."""
    if (np.abs(values) <= largest).all() and np.isfinite(values).all():
        return None
    infinite = ~np.isfinite(values)
    if infinite.any():
        return int(np.argmax(infinite)), "a finite number"
    return int(np.argmax(np.abs(values) > largest)), f"no number above {largest:.0e}, whose products overflow"


def as_vector(name: str, value: ArrayLike, size: int | None = None, reason: str = "", largest: float = np.inf) -> Array:
    """Return a vector of finite numbers; ``reason`` says why it has that size."""
    if (
        type(value) is np.ndarray
        and value.dtype == FLOAT
        and value.shape == (size,)
        and (np.abs(value) <= largest).all()
    ):
        vector = value.copy()  # what comes in each step; all else is looked at below
        if largest < np.inf or np.isfinite(vector).all():
            return vector
    vector = real_numbers(name, value, "a vector")
    if vector.ndim != 1 or (size is not None and len(vector) != size):
        raise ProblemError(f"{name} has shape {vector.shape}, expected ({'n' if size is None else size},){reason}")
    wrong = check_numbers(vector, largest)
    if wrong is not None:
        k, expected = wrong
        raise ProblemError(f"{name}[{k}] is {vector[k]}, expected {expected}")
    return vector


def as_matrix(name: str, value: Any, largest: float = np.inf) -> scipy.sparse.csr_matrix:
    """Return a sparse matrix of finite numbers, from an array or a sparse matrix."""
    if not scipy.sparse.issparse(value):
        value = real_numbers(name, value, "a matrix")
        if value.ndim != 2:
            raise ProblemError(f"{name} has shape {value.shape}, expected a matrix")
        matrix = scipy.sparse.csr_matrix(value)
    else:
        matrix = sparse_numbers(name, value)
    wrong = check_numbers(matrix.data, largest)
    if wrong is not None:
        k, expected = wrong
        i = int(np.searchsorted(matrix.indptr, k, "right")) - 1
        raise ProblemError(f"{name}[{i}, {matrix.indices[k]}] is {matrix.data[k]}, expected {expected}")
    return matrix


def as_coefficients(friction: ArrayLike, contacts: int | None = None) -> Array:
    """Return coefficients of friction, rolling and spinning, ``(K, 3)``, zero where not given."""
    given = real_numbers("friction", friction, "an array")
    if given.ndim == 0 and contacts is not None:
        given = np.full(contacts, given)
    if given.ndim == 1:
        given = given[:, None]
    if given.ndim != 2 or given.shape[1] > DISCS or (contacts is not None and len(given) != contacts):
        expected = "K" if contacts is None else contacts
        raise ProblemError(
            f"friction has shape {given.shape}, expected ({expected},), ({expected}, 2) or ({expected}, 3)"
        )
    wrong = np.argwhere(~((given >= 0) & (given <= HUGE)))
    if len(wrong):
        k, kind = (int(index) for index in wrong[0])
        what = KINDS[kind]
        expected = "a finite number that is not negative" + (f", nor above {HUGE:.0e}" if given[k, kind] > 0 else "")
        raise ProblemError(f"contact {k}: {what} is {given[k, kind]}, expected {expected}")
    full = np.zeros((len(given), DISCS))
    full[:, : given.shape[1]] = given
    return full


def check_symmetric(name: str, matrix: scipy.sparse.csr_matrix, symmetrise: bool) -> scipy.sparse.csr_matrix:
    """Return the symmetric part of a matrix, where the rest is rounding or shall be dropped."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ProblemError(f"{name} is {matrix.shape}, expected a square matrix")
    rest = abs(matrix - matrix.T).tocoo()
    if not symmetrise and rest.nnz:
        root = np.sqrt(np.abs(matrix.diagonal()))
        allowed = np.maximum(NEGLIGIBLE * root[rest.row] * root[rest.col], ROUNDING * np.abs(matrix.data).max())
        if (rest.data > allowed).any():
            k = int(np.argmax(rest.data - allowed))
            i, j = int(rest.row[k]), int(rest.col[k])
            i, j = min(i, j), max(i, j)
            raise ProblemError(
                f"{name} is not symmetric: {name}[{i}, {j}] is {matrix[i, j]:.6g} and {name}[{j}, {i}] is "
                f"{matrix[j, i]:.6g}" + ("; symmetrise=True takes the mean" if name == "W" else "")
            )
    return scipy.sparse.csr_matrix(0.5 * matrix + 0.5 * matrix.T)


def eliminate(matrix: scipy.sparse.csc_matrix) -> tuple[Any, int | None]:
    """Eliminate a symmetric matrix without exchange of rows; return also the row where it fails, if it is not definite.

    All pivots are positive if and only if the matrix is positive definite. The row is -1 where a pivot is zero.
    """
    matrix.sort_indices()
    try:
        from scipy.sparse.linalg import splu  # here: it takes long to import

        factors = splu(
            matrix,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True, "Equil": False},
        )
    except RuntimeError:  # a column of zeros is left
        return None, -1
    pivots = factors.U.diagonal()
    if np.array_equal(factors.perm_r, factors.perm_c) and (pivots > 0).all():
        return factors, None
    return factors, int(np.flatnonzero(factors.perm_c == int(np.argmin(pivots)))[0])


def check_semidefinite(name: str, matrix: scipy.sparse.csr_matrix, sets: Sets) -> None:
    """Refuse a symmetric matrix that is not positive semidefinite, but for rounding.

    Rounding is what vanishes if each diagonal entry is raised by 1e-9 of itself, or by 1e-14 of the largest entry among all
    rows that are joined to its own, directly or through others, where that is more. A row is so measured by its own size,
    how stiff the others may be, and a row of zeros by what it was computed from.
    """
    if matrix.shape[0] == 0:
        return
    from scipy.sparse.csgraph import connected_components  # here: it takes long to import

    number, label = connected_components(matrix, directed=False)
    joined = np.zeros(number)
    np.maximum.at(joined, label, abs(matrix).max(axis=1).toarray().ravel())
    diagonal, largest = matrix.diagonal(), joined[label]
    raised = np.where(largest > 0, diagonal + np.maximum(NEGLIGIBLE * diagonal, ROUNDING * largest), 1.0)
    if not (raised > 0).all():
        k = int(np.argmin(raised))
        raise ProblemError(f"{name} is not positive semidefinite: {name}[{k}, {k}] is {diagonal[k]:.6g}")
    scale = scipy.sparse.diags(1 / np.sqrt(raised))
    shifted = scale @ (matrix + scipy.sparse.diags(raised - diagonal)) @ scale
    failed = eliminate(scipy.sparse.csc_matrix(shifted))[1]
    if failed is not None:
        i = int(np.searchsorted(sets.start, failed, "right")) - 1
        where = f"the elimination fails in row {failed}, of block {i}" if failed >= 0 else "a pivot is zero"
        raise ProblemError(f"{name} is not positive semidefinite: {where}")


def check_components(friction: Array, sizes: Indices) -> None:
    """Refuse coefficients, ``(K, 3)``, of a friction that a contact has no component for."""
    for k, kind in np.argwhere((sizes == 0) & (friction != 0.0))[:1]:
        size = 1 + int(np.sum(sizes[k]))
        complaint = f"{KINDS[kind]} is {friction[k, kind]}, but a contact of size {size} has no component for it"
        raise ProblemError(f"contact {k}: {complaint}, expected 0")


def check_size(A: Operator, b: Array, name: Callable[[int], str]) -> None:
    """Refuse an operator and an offset that hold NaN, or numbers so large that products overflow.

    Args:
        A: with factors.
        b: the offset, ``(m,)``.
        name: what the multiplier of that number is called in messages.
    """
    sizes = [float(np.abs(values).max(initial=0.0)) for values in (A.J.data, A.T.data, b, A.compliance)]
    if max(sizes) <= HUGE and len(A.velocity) * sizes[0] * sizes[1] + sizes[3] <= HUGE:
        return
    d = np.zeros(len(b))
    with np.errstate(over="ignore", invalid="ignore"):
        answering(diagonal_of, A, d)
    for what, B in (("the Jacobian", A.J), ("the Jacobian times M^-1", A.T)):
        for p in np.flatnonzero(~(np.abs(B.data) <= HUGE))[:1]:
            i = int(np.searchsorted(B.first, np.searchsorted(B.place, p, "right") - 1, "right")) - 1
            raise too_large(name(int(B.rows[i])), what, B.data[p])
    for what, values in (("the diagonal entry of N", d), ("the offset", b)):
        for k in np.flatnonzero(~(np.abs(values) <= HUGE))[:1]:
            raise too_large(name(int(k)), what, values[k])


def too_large(name: str, what: str, value: float) -> ProblemError:
    """Make the error of a number of which products overflow."""
    return ProblemError(f"{name}: {what} is {value:.6g}, expected no number above {HUGE:.0e}, whose products overflow")
