"""Problems as the inside of the solver has them: one island, scaled, with its matrix and its roots, and on its way.

Parts are looked at there, because callers see only that a solution is found, which a wrong part makes later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pluecker.contact import Problem
from pluecker.contact.friction.problem import prepared
from pluecker.contact.friction.solving.islands import island, newton

__all__ = ["island_of", "one_island", "scaled"]


def one_island(problem: Problem) -> Any:
    """All blocks, touching or not, as one island."""
    matrix = problem.assembled()
    order = prepared.find_order(matrix.operator, False)
    P, _ = prepared.arrange(matrix.operator, matrix.sets, matrix.offset, order)
    roots = newton.find_roots(problem.operator, problem.sets, order, P, 0)
    return island.Whole(P, roots, {}, {}, 1)


def scaled(problem: Problem, multipliers: np.ndarray) -> np.ndarray:
    """Multipliers as the island of a problem has them."""
    P, places = prepared.prepare(problem.assembled(), separate=False)
    return multipliers[places] / P.s


def island_of(whole: Any, limit: int = 5000, threads: int = 1) -> Any:
    """An island on its way from no multipliers, under Coulomb's law, with so many iterations."""
    P = whole.P
    whole = whole._replace(threads=threads)
    begun = island.Island(P, 1, np.zeros(len(P.b)), P.b.copy(), np.zeros(0), limit, whole)
    begun.take(begun.x.copy(), P.b.copy())
    return begun
