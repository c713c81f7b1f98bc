"""The multipliers of bilateral rows, from those of the others: refined with the operator itself, in one compiled call.

    r_B := r_B - N_BB^+ u_B,    u = N r + b,

each component by itself, as long as its largest velocity at least halves: what the factor has lost is found again, and a
component is what it would be without the others, to the last bit. Multipliers and velocities are taken in units of the root
of the diagonal, without their parts along the combinations Q of rows that change nothing: so they have the least
``sum N_kk r_k^2``, and velocities that no multipliers can change are left alone.

Source: as in :mod:`~pluecker.contact.friction.elimination.elimination`; iterative refinement: N. J. Higham, "Accuracy and
stability of numerical algorithms" (SIAM, 2002), chapter 12.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pluecker.contact.friction.problem.operator import apply
from pluecker.contact.friction.sparse.blocks import Indices
from pluecker.contact.friction.sparse.cholesky import Symbolic, solve
from pluecker.spatial.engine.compiled.decorators import called_kernel, entry_point, kernel
from pluecker.spatial.functions.elementwise import Array

__all__ = ["BilateralRows", "Combinations", "Refined", "refine_rows"]

REFINEMENT_STEPS = 6  # of refinement, at most


class Combinations(NamedTuple):
    """Combinations Q as compressed rows.

    Attributes:
        first: where the entries of each row start, and their end, ``(n_B + 1,)``.
        column, data: of each entry.
        sums: place for Q'x, ``(k,)``.
    """

    first: Indices
    column: Indices
    data: Array
    sums: Array


class BilateralRows(NamedTuple):
    """Bilateral rows with the factor of their matrix.

    Attributes:
        rows, of, components: as :class:`~pluecker.contact.friction.elimination.pattern.Pattern` has them: the rows, the
            component of each, and the number of components.
        pattern, L, root: of the factor.
        Q: with a place of its own for sums.
    """

    rows: Indices
    of: Indices
    components: int
    pattern: Symbolic
    L: Array
    root: Array
    Q: Combinations


class Refined(NamedTuple):
    """Multipliers of all rows, and what becomes of them.

    Attributes:
        r: the multipliers, ``(m,)``; those of bilateral rows are written.
        u: the velocities, ``(m,)``; written.
        missed: of each bilateral row the velocity along Q, ``(n_B,)``; written.
        made_of: the lengths of b and r of its component, in units of the root, together, ``(n_B,)``; written.
    """

    r: Array
    u: Array
    missed: Array
    made_of: Array


@kernel
def along(Q, x, y):
    """y = Q Q'x"""
    for k in range(len(Q.sums)):
        Q.sums[k] = 0.0
    for i in range(len(x)):
        for k in range(Q.first[i], Q.first[i + 1]):
            Q.sums[Q.column[k]] += Q.data[k] * x[i]
    for i in range(len(x)):
        y[i] = 0.0
        for k in range(Q.first[i], Q.first[i + 1]):
            y[i] += Q.data[k] * Q.sums[Q.column[k]]


@kernel
def without_null(Q, x, work):
    """x -= Q Q'x"""
    if len(Q.sums) > 0:
        along(Q, x, work)
        for i in range(len(x)):
            x[i] -= work[i]


@called_kernel
def velocities(A, b, r, u):
    """u = N r + b"""
    rows = len(A.J.rows) - 1 if A.is_factored == 1 else len(A.N.rows) - 1
    apply(A, r, u, 0, rows, 0, len(A.velocity))
    for k in range(len(b)):
        u[k] += b[k]


@called_kernel
def component_lengths(of, x, largest, total):
    """Compute |x| of each component, in ``total``, without overflow of squares"""
    for c in range(len(total)):
        largest[c], total[c] = 0.0, 0.0
    for i in range(len(x)):
        largest[of[i]] = max(largest[of[i]], abs(x[i]))
    for i in range(len(x)):
        c = of[i]
        if largest[c] > 0.0 and largest[c] < np.inf:
            total[c] += (x[i] / largest[c]) ** 2
    for c in range(len(total)):
        total[c] = largest[c] * np.sqrt(total[c]) if largest[c] < np.inf else np.inf


def refine_rows(A, bilateral, b, refined):
    """Compute the bilateral multipliers, where the others are given; all velocities, and what is left along Q

    Args:
        A: the operator, with a place of its own for velocities of bodies.
        bilateral: :class:`BilateralRows`.
        b: the offset, ``(m,)``.
        refined: :class:`Refined`.
    """
    rows, of, components, pattern, L, root, Q = bilateral
    r, u, missed, made_of = refined
    n = len(rows)
    lack, change, work, kept = np.empty(n), np.empty(n), np.empty(n), np.zeros(n)
    best, size = np.full(components, np.inf), np.empty(components)
    better, going = np.zeros(components, np.bool_), np.zeros(components, np.bool_)
    for i in range(n):
        r[rows[i]] = 0.0
    velocities(A, b, r, u)
    for step in range(REFINEMENT_STEPS + 1):
        for i in range(n):
            lack[i] = u[rows[i]] / root[i]
        without_null(Q, lack, work)
        size[:] = 0.0
        for i in range(n):
            y, c = abs(lack[i]), of[i]
            if not y <= size[c] and size[c] == size[c]:  # NaN comes and stays
                size[c] = y
        more = False
        for c in range(components):
            better[c], going[c] = size[c] < best[c], size[c] <= 0.5 * best[c]
            more = more or going[c]
            best[c] = size[c] if better[c] else best[c]
        for i in range(n):
            kept[i] = r[rows[i]] if better[of[i]] else kept[i]
        if step == REFINEMENT_STEPS or not more:
            break
        for i in range(n):
            change[i] = lack[i] * root[i]
        solve(pattern, L, change)
        for i in range(n):
            change[i] = (r[rows[i]] - change[i]) * root[i]
        without_null(Q, change, work)
        for i in range(n):
            r[rows[i]] = change[i] / root[i] if going[of[i]] else kept[i]
        velocities(A, b, r, u)
    for i in range(n):
        r[rows[i]] = kept[i]
    velocities(A, b, r, u)
    if len(Q.sums) > 0:
        for i in range(n):
            lack[i], change[i] = b[rows[i]] / root[i], r[rows[i]] * root[i]
        component_lengths(of, lack, best, size)
        for i in range(n):
            made_of[i] = size[of[i]]
        component_lengths(of, change, best, size)
        for i in range(n):
            made_of[i] += size[of[i]]
            lack[i] = u[rows[i]] / root[i]
        along(Q, lack, missed)
        for i in range(n):
            missed[i] = abs(root[i] * missed[i])


refine_rows = entry_point(refine_rows, allocates=True)
