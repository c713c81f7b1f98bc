"""Memory that methods write into: one record of arrays, and the names of their rows and columns.

Compiled code allocates nothing. So its workspace is allocated before, once for all islands, and handed on as one argument.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.spatial.functions.elementwise import Array

__all__ = [
    "BEST_U", "BEST_X", "ERROR", "FREE", "ITERATIONS", "MOMENTUM", "NESTEROV", "OWN", "PRODUCTS", "RELAXATION",
    "RHO", "ROWS_OF_WORK", "SCRATCH", "SHIFT", "SPENT", "STATE", "STEP", "ZERO", "Memory", "make_memory",
    "rows_apart",
]  # fmt: skip

# Rows of ``work``, vectors of all multipliers. The driver has the first five, methods what comes from FREE on; those that
# make the correction of Coulomb's law themselves keep their best pair where the driver keeps its own for others.
SHIFT, ZERO, SCRATCH, BEST_X, BEST_U, FREE = range(6)
RHO, ROWS_OF_WORK = 11, 12  # the steps of blocks, after six free rows

# Columns of ``states``, what a method remembers of an island from call to call.
STEP = 0  # a step length, or what says it; 0 at the beginning
SPENT = 1  # products of the operator
RELAXATION = 2  # of sweeps
NESTEROV = 3  # 1 where the caller asks for the published sequence of momentum of gradients
MOMENTUM = 4  # 1 where the caller asks for sweeps with momentum
OWN, STATE = 5, 16  # more of the method's own, up to the end

# Columns of ``results``, of all calls so far.
ERROR, ITERATIONS, PRODUCTS = range(3)


class Memory(NamedTuple):
    """Memory of a method, for all islands.

    Attributes:
        work: vectors of all multipliers, ``(ROWS_OF_WORK, m)`` and some columns more, in C order: rows are compiled as the
            vectors of multipliers are.
        states: what methods remember, ``(I, STATE)``.
        results: error, iterations, products, ``(I, 3)``; the error is infinite at first.
        history: the best error after each iteration, ``(k,)``; empty where nobody asks. A method sees it from the
            iterations on that were done before it.
    """

    work: Array
    states: Array
    results: Array
    history: Array


def make_memory(
    m: int, islands: int, history: Array, more: int = 0, relaxation: float = 1.0, nesterov: bool = False
) -> Memory:  # fmt: skip
    """Allocate the memory for so many multipliers and islands; ``more`` rows of work after those of methods."""
    states, results = np.zeros((islands, STATE)), np.zeros((islands, 3))
    states[:, RELAXATION], states[:, NESTEROV] = relaxation, nesterov
    results[:, ERROR] = np.inf
    return Memory(rows_apart(ROWS_OF_WORK + more, m), states, results, history)


def rows_apart(rows: int, columns: int) -> Array:
    """Allocate vectors of so many entries or a few more, so that equal indices are not at the same place of a page."""
    return np.zeros((rows, -(-columns // 512) * 512 + 40))
