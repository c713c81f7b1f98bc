"""Velocities and errors of an island with double precision, by which methods are judged, one after the other.

Source: as :mod:`~pluecker.contact.friction.problem.natural_map`.
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.first_order.runner import evaluate
from pluecker.contact.friction.problem.natural_map import natural_block
from pluecker.contact.friction.problem.operator import apply
from pluecker.contact.friction.problem.prepared import Prepared
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.engine.parallel.threads import map_in_threads
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Checks"]


def judge(P, exact, x, u, zero, work, errors):
    """Compute the squared natural map of each contact; return the error of all"""
    for i in range(len(errors)):
        errors[i] = natural_block(P.K, i, 0.0, exact, x, u, work)
    return evaluate(P, zero, x, u, exact, 0, len(errors), work)


judge = entry_point(judge)


class Checks:
    """Evaluation of velocities and errors of one island.

    Args:
        P: with its matrix; n contacts.
        law: 1 for Coulomb's law.

    Attributes:
        errors: the squared natural map of each contact, ``(n,)``, as the last call of :meth:`error` found them.
    """

    def __init__(self, P: Prepared, law: int) -> None:
        n = len(P.K.start) - 1
        self.P, self.law, self.errors = P, law, np.zeros(n)
        self.zero, self.work = np.zeros(n), np.empty(len(P.b))

    def velocity(self, x: Array, threads: int) -> Array:
        """Compute u = N x + b, ``(3 n,)``, of the multipliers x, ``(3 n,)``; each thread some of its rows."""
        n, u = len(self.errors), np.empty_like(x)
        map_in_threads(
            lambda k: apply(self.P.A, x, u, k * n // threads, (k + 1) * n // threads, 0, 0), range(threads), threads
        )
        u += self.P.b
        return u

    def error(self, x: Array, u: Array) -> float:
        """Compute the error of a pair, as :func:`~pluecker.contact.friction.first_order.runner.evaluate` has it."""
        return float(judge(self.P, self.law, x, u, self.zero, self.work, self.errors))
