"""Problems with blocks of any size in any order, which the constructors of the package do not make.

They take contacts of one size, and rows after them. Other problems are made here of the parts that a ``Problem`` consists
of: matrices in blocks, the operator, the sets. No other test makes problems of parts, so that these may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse

from pluecker.contact import Problem
from pluecker.contact.friction.problem import operator, sets
from pluecker.contact.friction.sparse import blocks

SIZES = {1: (0, 0, 0), 2: (1, 0, 0), 3: (2, 0, 0), 5: (2, 2, 0), 6: (2, 2, 1)}  # of the discs, by the contact's size


def blocks_of(A: Any, rows: Any, columns: Any) -> Any:
    """A matrix in blocks, whose first rows and columns, and their numbers, are given."""
    return blocks.from_scipy(scipy.sparse.csr_matrix(A), rows, columns)


def sparse_of(B: Any) -> Any:
    """A matrix in blocks as one of SciPy."""
    return blocks.to_scipy(B)


def sets_of(sizes: Any, friction: Any, lower: Any, upper: Any) -> Any:
    """Cones and intervals: sizes of the discs (n, 3), their coefficients (n, 3), bounds (n,)."""
    return sets.make_sets(sizes, friction, lower, upper)


def cone(size: int, friction: Any) -> Any:
    """The set of one contact of a size; of the coefficients, (3,), those count that it has a disc for."""
    return sets_of([SIZES[size]], [np.where(np.array(SIZES[size]) > 0, friction, 0.0)], [0.0], [np.inf])


def of_matrix(N: Any, b: Any, K: Any, compliance: Any = None) -> Problem:
    """The problem of a matrix, (m, m), an array or a sparse matrix; the compliance, (m,), stays outside of it."""
    b = np.asarray(b, float)
    soft = np.zeros(len(b)) if compliance is None else np.asarray(compliance, float)
    return Problem(operator.assembled(blocks_of(N, K.start, K.start), soft), b, K)


def of_factors(J: Any, T: Any, columns: Any, b: Any, K: Any, compliance: Any) -> Problem:
    """The problem of N = J T'; ``columns`` are the first column of each body, and their number."""
    return Problem(operator.factored(blocks_of(J, K.start, columns), blocks_of(T, K.start, columns), compliance), b, K)


def of_two_factors(problem: Problem) -> Problem:
    """Give a problem that has J M^-1/2 alone the two matrices J and J M^-1."""
    return replace(problem, operator=problem.operator._replace(G=blocks.empty_blocks()))


def beside_each_other(problems: Sequence[Problem], compliance: float = 0.0) -> Problem:
    """Problems of bodies that do not touch, as one, by factors; a compliance that rises from zero to the one given."""
    J, T = (scipy.sparse.block_diag([sparse_of(getattr(p.operator, name)) for p in problems]) for name in ("J", "T"))
    names = ("sizes", "friction", "lower", "upper")
    K = sets_of(*(np.concatenate([getattr(p.sets, name) for p in problems]) for name in names))
    b = np.concatenate([p.offset for p in problems])
    return of_factors(J, T, np.arange(0, J.shape[1] + 1, 6), b, K, np.linspace(0.0, compliance, len(b)))
