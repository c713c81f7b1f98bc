"""A compliance of contacts in proportion to what resists them: forces of hyperstatic problems become unique.

Four legs of a table share its weight in infinitely many ways: N is singular, and ``r' N r`` does not tell between them. With

    c_i = share D_i,    D_i the mean diagonal entry of block N_ii  (the inverse of an effective mass, m/s per N s)

added to the diagonal of each contact i, N + c is positive definite. The share is a number: in scaled multipliers
(:mod:`~pluecker.contact.friction.problem.prepared`) it is what is added to all of the diagonal.

Source: K. Erleben, "Stable, robust, and versatile multibody dynamics animation", thesis (2004), regularisation by the
diagonal; source document 000 (docs/sources.md), the mixing of forces (K_cfm).
"""

from __future__ import annotations

import numpy as np

from pluecker.contact.friction.problem.operator import Operator, diagonal_of
from pluecker.contact.friction.problem.sets import Sets
from pluecker.spatial.engine.parallel.interruption import answering
from pluecker.spatial.functions.elementwise import Array

__all__ = ["with_share"]


def with_share(operator: Operator, sets: Sets, share: float) -> Operator:
    """Return the operator with c_i added for each contact, those without friction included; rows stay as they are."""
    start, diagonal = sets.start, np.empty(int(sets.start[-1]))
    answering(diagonal_of, operator, diagonal)
    contacts = (sets.sizes[:, 0] > 0) | ((sets.lower == 0.0) & np.isposinf(sets.upper))
    blocks = np.repeat(np.arange(len(start) - 1), np.diff(start))
    own = np.bincount(blocks, diagonal - operator.compliance, len(start) - 1) / np.diff(start)
    compliance: Array = operator.compliance + share * np.where(contacts, np.maximum(own, 0.0), 0.0)[blocks]
    return operator._replace(compliance=compliance, is_soft=int(compliance.any()))
