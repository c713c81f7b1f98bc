"""Problems as the inside of the solver has them: one island, scaled, with its matrix, and an island on its way.

Newton's equation, curves and parts are looked at there, because callers see only that a solution is found, which a wrong
matrix makes later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pluecker.contact import Problem
from pluecker.contact.friction.problem import prepared
from pluecker.contact.friction.solving import island
from pluecker.contact.friction.sparse import blocks

__all__ = ["island_of", "matrix_of", "one_island", "scaled"]


def one_island(problem: Problem) -> Any:
    """All blocks, touching or not, as one island."""
    P, _ = prepared.prepare(problem.assembled(), separate=False)
    return prepared.cut(P, 0)


def scaled(problem: Problem, multipliers: np.ndarray) -> np.ndarray:
    """Multipliers as the island of a problem has them."""
    P, places = prepared.prepare(problem.assembled(), separate=False)
    return multipliers[places] / P.s


def matrix_of(P: Any, values: np.ndarray | None = None) -> np.ndarray:
    """The matrix of an island, or one with other numbers in the same places, as a full matrix."""
    N = P.A.N if values is None else P.A.N._replace(data=values)
    return blocks.to_full(N)


def island_of(P: Any, limit: int = 5000) -> Any:
    """An island on its way from no multipliers, under Coulomb's law, with so many iterations."""
    begun = island.Island(P, 1, np.zeros(len(P.b)), P.b.copy(), np.zeros(0), limit)
    begun.take(begun.x.copy(), P.b.copy())
    return begun
