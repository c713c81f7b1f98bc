"""Poisson's restitution where contacts are found: an impact, solved before the rest of the step.

In steps in which a contact with Poisson's coefficient is hit, as :mod:`~pluecker.contact.rows.impact_phases` has it, there
are two problems in place of one: compression, of the velocities before the step, and the step, in which contacts return at
least their share (:func:`~pluecker.contact.friction.solving.restitution.expansion_problem`).

Source: Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 8.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.results.result import Result
from pluecker.contact.friction.solving.restitution import expansion_problem
from pluecker.spatial.functions.elementwise import Array

__all__ = ["impulses_with_impact"]


def impulses_with_impact(
    problem: Problem,
    before: Array,
    least: Array,
    linear: NDArray[np.bool_],
    returned: Array,
    solve: Callable[[Problem, Array], Result],
) -> tuple[Array, Result, float]:
    """Solve both problems; return the multipliers of the step, what the solver found last, and the larger error of both.

    Args:
        problem: of the step.
        before: velocities before it, ``(m,)``; m/s.
        least: what is asked of them in the step, ``(m,)``; m/s. In the impact contacts do not more than part.
        linear: which rows have no bounds, ``(m,)``: they keep the velocity that they have.
        returned: Poisson's coefficient of each block, ``(blocks,)``.
        solve: the solver, of a problem and a start.
    """
    sets, compliance = problem.sets, problem.operator.compliance
    first = sets.start[:-1]
    asked, normal = least.copy(), first[sets.sizes[:, 0] > 0]
    asked[normal] = np.minimum(least[normal], 0.0)
    offset = np.where(linear, 0.0, before - asked)
    compression = solve(Problem(problem.operator, offset, sets), np.zeros(problem.size))
    soft = np.repeat((compliance[first] > 0.0) & ~linear[first], np.diff(sets.start))  # has no impulses in an impact
    r = np.where(soft, 0.0, compression.multipliers)
    p = returned * np.maximum(r[first], 0.0)
    second, S, at_least = expansion_problem(problem, r, p)
    expansion = solve(second, np.zeros(second.size))
    error = float(np.maximum(compression.errors.largest, expansion.errors.largest))
    return r + S @ expansion.multipliers + at_least, expansion, error
