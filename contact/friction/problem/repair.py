"""Matrices that are positive semidefinite but for the digits that they were printed with.

A matrix printed with eight digits has eigenvalues down to some -1e-8 of its largest where it should have zeros. No positive
semidefinite matrix is nearer to a symmetric A, in the spectral norm, than its smallest eigenvalue is below zero, and
``A - min(eig A) I`` is as near as that. It has the pattern of A, which the nearest one in the norm of Frobenius has not, and
is what a slight compliance of all contacts would make of A.

Rows that are not joined, directly or through others, do not know of one another, and are repaired by themselves.

Source: P. R. Halmos, "Positive approximants of operators" (Indiana Univ. Math. J. 21, 1972); N. J. Higham, "Computing a
nearest symmetric positive semidefinite matrix" (Linear Algebra Appl. 103, 1988).
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.checks import check_semidefinite, eliminate
from pluecker.contact.friction.problem.sets import Sets
from pluecker.contact.friction.sparse.rounding import LOST
from pluecker.spatial.lazily import scipy

__all__ = ["repaired"]

DENSE = 1500  # rows up to which all eigenvalues are computed
CLOSE_TO_SMALLEST = 1.05  # how near a lack that was found by trying is to the smallest


def lack_of(A: scipy.sparse.csr_matrix) -> tuple[float, float]:
    """Return how far the smallest eigenvalue of a matrix is below zero, and the size of the largest.

    Of large matrices both are bounds from above: a shift that makes the matrix definite, and its norm.
    """
    if A.shape[0] <= DENSE:
        values = np.linalg.eigvalsh(A.toarray())
        largest = float(np.abs(values).max())
        lack = max(-float(values[0]), 0.0)
        return (lack + LOST * largest if lack else 0.0), largest
    norm = float(abs(A).sum(axis=1).max())  # not below the largest eigenvalue
    low, high = LOST * norm, norm
    while high > CLOSE_TO_SMALLEST * low:
        middle = np.sqrt(low * high)
        shifted = scipy.sparse.csc_matrix(A + middle * scipy.sparse.eye(A.shape[0]))
        low, high = (low, middle) if eliminate(shifted)[1] is None else (middle, high)
    return high, norm


def repaired(
    name: str, matrix: scipy.sparse.csr_matrix, sets: Sets, repair: float
) -> tuple[scipy.sparse.csr_matrix, float]:
    """Return a symmetric matrix that is positive semidefinite, but for rounding, and how far it was moved.

    Args:
        name: of the matrix, in messages.
        matrix: ``(m, m)``.
        sets: whose blocks its rows are.
        repair: how far it may be moved, as a part of the largest eigenvalue.

    Returns:
        The matrix itself and 0 where nothing is to be repaired; otherwise a new one, and the distance in the spectral norm.

    Raises:
        ProblemError: it would have to be moved further.
    """
    try:
        check_semidefinite(name, matrix, sets)
    except ProblemError:
        if repair == 0.0:
            raise
    else:
        return matrix, 0.0
    from scipy.sparse.csgraph import connected_components  # here: it takes long to import

    number, label = connected_components(matrix, directed=False)
    raised = np.zeros(matrix.shape[0])
    order = np.argsort(label, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(label, minlength=number))[:-1]):
        lack, largest = lack_of(scipy.sparse.csr_matrix(matrix[rows][:, rows]))
        if lack > repair * largest:
            i = int(np.searchsorted(sets.start, rows[0], "right")) - 1
            part = f"{lack / largest:.2g} of the largest" if largest > 0.0 else "not a number"
            raise ProblemError(
                f"{name} is not positive semidefinite: of the rows joined to those of block {i}, the smallest eigenvalue is "
                f"-{part}, expected no more than repair, {repair:.2g}, below zero"
            )
        raised[rows] = lack
    matrix = scipy.sparse.csr_matrix(matrix + scipy.sparse.diags(raised))
    check_semidefinite(name, matrix, sets)
    return matrix, float(raised.max())
