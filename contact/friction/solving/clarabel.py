"""The convex problem through Clarabel, an interior-point solver for cones that nobody here wrote (extra ``cone``).

It serves as an oracle and for comparison; our own interior point is made for the blocks of contacts.

The problem is handed over in the units in which our own interior point works: the mean diagonal entry of each block is one,
and b is one at most, so that Clarabel's absolute tolerances mean the same for all problems. Only the tolerance of the gap
is made small. With a small one of the residuals, Clarabel takes a residual that grows a hundredfold between two iterations
for divergence, although both are rounding, and stops at once: that was at 5e-4 where its defaults reached 1e-9.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from pluecker.contact.friction.interior_point.cones import in_units_of_offset
from pluecker.contact.friction.problem.sets import DISCS, Sets, project
from pluecker.contact.friction.solving.held_shifts import by_shifts
from pluecker.contact.friction.solving.island import ConvexSolver, Island, on_islands
from pluecker.contact.friction.sparse.blocks import BlockMatrix, to_scipy
from pluecker.contact.friction.sparse.symbolic import Symbolic
from pluecker.spatial.engine.parallel.interruption_flag import state
from pluecker.spatial.extras import require
from pluecker.spatial.functions.elementwise import Array

__all__ = ["clarabel_ccp", "run_clarabel"]

GAP = 1e-15  # tolerance of the gap; the natural map is about its root where a contact slides


def cones(clarabel: Any, K: Sets) -> tuple[scipy.sparse.csc_matrix, Array, list[Any]]:
    """Write the sets as ``A x + s = c`` with s in cones, for x in the sets."""
    rows, columns, entries, c, kinds, n = [], [], [], [], [], 0

    def add(parts: list[tuple[int, float]], offset: float) -> None:
        nonlocal n
        for column, entry in parts:
            rows.append(n)
            columns.append(column)
            entries.append(entry)
        c.append(offset)
        n += 1

    for i in range(len(K.start) - 1):
        top = int(K.start[i])
        if K.sizes[i, 0] == 0:
            if K.lower[i] == K.upper[i]:
                add([(top, 1.0)], K.upper[i])
                kinds.append(clarabel.ZeroConeT(1))
                continue
            if K.lower[i] > -np.inf:
                add([(top, -1.0)], -K.lower[i])
                kinds.append(clarabel.NonnegativeConeT(1))
            if K.upper[i] < np.inf:
                add([(top, 1.0)], K.upper[i])
                kinds.append(clarabel.NonnegativeConeT(1))
            continue
        if not (K.friction[i] * K.sizes[i] > 0.0).any():  # others have it from their discs
            add([(top, -1.0)], 0.0)
            kinds.append(clarabel.NonnegativeConeT(1))
        row = top + 1
        for d in range(DISCS):
            size = int(K.sizes[i, d])
            if size and K.friction[i, d] == 0.0:
                for k in range(row, row + size):
                    add([(k, -1.0)], 0.0)
                kinds.append(clarabel.ZeroConeT(size))
                row += size
            elif size:
                add([(top, -float(K.friction[i, d]))], 0.0)
                for k in range(row, row + size):
                    add([(k, -1.0)], 0.0)
                kinds.append(clarabel.SecondOrderConeT(size + 1))
                row += size
    shape = n, int(K.start[-1])
    return scipy.sparse.csc_matrix((entries, (rows, columns)), shape=shape), np.array(c), kinds


def clarabel_ccp(
    N: BlockMatrix, b: Array, K: Sets, s: Array, start: Array, tolerance: float, limit: int,
    pattern: Symbolic | None = None,
) -> tuple[int, Array]:  # fmt: skip
    """Solve as :func:`.interior_point`, with its arguments and results."""
    clarabel = require("clarabel", "cone", "the method clarabel")
    b, inner, unit = in_units_of_offset(b, K)
    A, c, kinds = cones(clarabel, inner)
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_iter = False, limit
    settings.tol_gap_abs = settings.tol_gap_rel = GAP
    P = scipy.sparse.triu(to_scipy(N)).tocsc()
    solver = clarabel.DefaultSolver(P, b, A, c, kinds, settings)
    if hasattr(solver, "set_termination_callback"):  # not in old versions
        solver.set_termination_callback(lambda _: bool(state[0]))
    solution = solver.solve()
    x = np.array(solution.x) * unit
    if not np.isfinite(x).all():
        x = np.zeros(len(b))
    project(K, x, x)
    return int(solution.iterations), x


def with_clarabel(island: Island, tol: float) -> None:
    """Run Clarabel; for Coulomb's law with shifts held in turn."""
    by_shifts(island, tol, ConvexSolver("clarabel", clarabel_ccp))


run_clarabel = on_islands(with_clarabel)
