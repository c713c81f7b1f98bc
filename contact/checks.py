"""What the data of a friction problem must be: each fault is one sentence that names the row."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg
from numpy.typing import ArrayLike

from pluecker.contact.blocks import Indices
from pluecker.contact.errors import ProblemError
from pluecker.contact.sets import DISCS, Sets
from pluecker.spatial.elementwise import Array

__all__ = [
    "as_coefficients",
    "as_matrix",
    "as_vector",
    "check_semidefinite",
    "check_symmetric",
    "inverse_times",
    "real_numbers",
]

SYMMETRIC = 1e-9  # relative asymmetry that is rounding
BODY = 6  # velocities of a body
NEGATIVE = 1e-9  # relative size of a negative eigenvalue that is rounding


def real_numbers(name: str, value: Any, what: str) -> Array:
    """A copy as float64; numbers in an array of objects are numbers, digits in strings and complex numbers are not."""
    try:
        array = np.asarray(value)
        if array.dtype.kind in "fiub" or (array.dtype.kind == "O" and array.ndim and not np.iscomplexobj(array)):
            return np.array(array, dtype=np.float64)
        held = f"{type(value).__name__} of {array.dtype}" if array.ndim else type(value).__name__
        if array.size == 0:
            return np.zeros(array.shape)
    except (TypeError, ValueError):
        held = type(value).__name__
    raise ProblemError(f"{name} is {held}, expected {what} of real numbers")


def as_vector(name: str, value: ArrayLike, size: int | None = None) -> Array:
    """A vector of finite numbers."""
    vector = real_numbers(name, value, "a vector")
    if vector.ndim != 1 or (size is not None and len(vector) != size):
        raise ProblemError(f"{name} has shape {vector.shape}, expected ({'n' if size is None else size},)")
    if not np.isfinite(vector).all():
        k = int(np.argmin(np.isfinite(vector)))
        raise ProblemError(f"{name}[{k}] is {vector[k]}, expected a finite number")
    return vector


def as_matrix(name: str, value: Any) -> scipy.sparse.csr_matrix:
    """A sparse matrix of finite numbers, from an array or a sparse matrix."""
    if not scipy.sparse.issparse(value):
        value = real_numbers(name, value, "a matrix")
        if value.ndim != 2:
            raise ProblemError(f"{name} has shape {value.shape}, expected a matrix")
    elif value.dtype.kind not in "fiub":
        raise ProblemError(f"{name} is a sparse matrix of {value.dtype}, expected real numbers")
    matrix = scipy.sparse.csr_matrix(value, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        k = int(np.argmin(np.isfinite(matrix.data)))
        i = int(np.searchsorted(matrix.indptr, k, "right")) - 1
        raise ProblemError(f"{name}[{i}, {matrix.indices[k]}] is {matrix.data[k]}, expected a finite number")
    return matrix


def as_coefficients(friction: ArrayLike, contacts: int | None = None) -> Array:
    """Coefficients of friction, rolling and spinning, ``(K, 3)``, zero where not given."""
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
    wrong = np.argwhere(~((given >= 0) & np.isfinite(given)))
    if len(wrong):
        k, kind = (int(index) for index in wrong[0])
        what = ("friction", "rolling friction", "spinning friction")[kind]
        raise ProblemError(f"contact {k}: {what} is {given[k, kind]}, expected a finite number that is not negative")
    full = np.zeros((len(given), DISCS))
    full[:, : given.shape[1]] = given
    return full


def check_symmetric(name: str, matrix: scipy.sparse.csr_matrix, symmetrise: bool) -> scipy.sparse.csr_matrix:
    """The symmetric part, where the rest is rounding or shall be dropped."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ProblemError(f"{name} is {matrix.shape}, expected a square matrix")
    rest = abs(matrix - matrix.T).tocoo()
    largest = abs(matrix).max() if matrix.nnz else 0.0
    if not symmetrise and rest.nnz and rest.data.max() > SYMMETRIC * largest:
        k = int(np.argmax(rest.data))
        i, j = int(rest.row[k]), int(rest.col[k])
        raise ProblemError(
            f"{name} is not symmetric: {name}[{i}, {j}] is {matrix[i, j]:.6g} and {name}[{j}, {i}] is {matrix[j, i]:.6g}"
            + ("; symmetrise=True takes the mean" if name == "W" else "")
        )
    return scipy.sparse.csr_matrix((matrix + matrix.T) * 0.5)


def check_semidefinite(name: str, matrix: scipy.sparse.csr_matrix, sets: Sets) -> None:
    """Refuse a symmetric matrix with a negative eigenvalue that is not rounding.

    An elimination of ``matrix + shift``, without exchange of rows, has only positive pivots where that is positive definite.
    """
    if matrix.shape[0] == 0:
        return
    diagonal = matrix.diagonal()
    scale = np.sqrt(np.maximum(diagonal, 0))
    largest = float(np.abs(matrix.data).max()) if matrix.nnz else 0.0
    if (diagonal < -NEGATIVE * largest).any():
        k = int(np.argmin(diagonal))
        raise ProblemError(f"{name} is not positive semidefinite: {name}[{k}, {k}] is {diagonal[k]:.6g}")
    scale[scale <= np.sqrt(NEGATIVE * largest)] = np.sqrt(largest) if largest > 0 else 1.0
    scaled = scipy.sparse.diags(1 / scale) @ matrix @ scipy.sparse.diags(1 / scale)
    shifted = (scaled + NEGATIVE * matrix.shape[0] * scipy.sparse.identity(matrix.shape[0])).tocsc()
    shifted.sort_indices()
    factors = scipy.sparse.linalg.splu(
        scipy.sparse.csc_matrix(shifted),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True, "Equil": False},
    )
    pivots = factors.U.diagonal()
    moved = not np.array_equal(factors.perm_r, factors.perm_c)
    if moved or not (pivots > 0).all():
        k = int(np.flatnonzero(factors.perm_c == int(np.argmin(pivots)))[0])
        i = int(np.searchsorted(sets.start, k, "right")) - 1
        raise ProblemError(f"{name} is not positive semidefinite: the elimination fails in row {k}, of block {i}")


def inverse_times(
    name: str, mass: scipy.sparse.csr_matrix, right: scipy.sparse.csc_matrix
) -> tuple[scipy.sparse.csr_matrix, Indices]:
    """M^-1 times a sparse matrix, and where the blocks of M start that no entry joins.

    Raises:
        ProblemError: M is not positive definite; the message names the rows of the block.
    """
    n = mass.shape[0]
    reach = np.arange(n)
    entries = mass.tocoo()
    np.maximum.at(reach, np.minimum(entries.row, entries.col), np.maximum(entries.row, entries.col))
    ends = np.flatnonzero(np.maximum.accumulate(reach) == np.arange(n)) + 1
    start = np.concatenate([[0], ends]).astype(np.int64)
    if n % BODY == 0 and np.isin(np.arange(0, n, BODY), start).all():
        start = np.unique(np.append(start[start % BODY == 0], n))
    inverses = []
    for first, last in pairwise(start):
        block = mass[first:last, first:last].toarray()
        try:
            factor = np.linalg.cholesky(block)
        except np.linalg.LinAlgError:
            raise ProblemError(f"{name} is not positive definite in rows {first} to {last - 1}") from None
        inverse = np.linalg.inv(factor)
        inverses.append(inverse.T @ inverse)
    inverse = scipy.sparse.block_diag(inverses, format="csr") if inverses else scipy.sparse.csr_matrix((0, 0))
    return scipy.sparse.csr_matrix(inverse @ right), start
