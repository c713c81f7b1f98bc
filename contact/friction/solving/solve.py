"""One problem, any law, any solver: :func:`solve`; and any multipliers judged: :func:`errors_of`."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments import as_choice, as_record
from pluecker.contact.friction.problem.checks import as_vector
from pluecker.contact.friction.problem.prepared import scales
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.results.measures import Errors, all_errors, with_velocities
from pluecker.contact.friction.results.result import Result
from pluecker.contact.friction.solving.methods import CONES
from pluecker.contact.friction.solving.solver import Solver
from pluecker.contact.friction.solving.units import in_units

__all__ = ["errors_of", "solve"]


def solve(
    problem: Problem,
    law: str = "ncp",
    method: str = "auto",
    *,
    tol: float = 1e-6,
    max_iterations: int | None = None,
    warm_start: ArrayLike | None = None,
    directions: int | None = None,
    relaxation: float | None = None,
    momentum: str = "full",
    threads: int | None = None,
    separate: bool = True,
    form: str = "best",
    history: bool = False,
    on_unsolved: str = "return",
) -> Result:
    """Multipliers that satisfy a law, and how well they do.

    For many problems with the same pattern, a :class:`~pluecker.contact.friction.solving.solver.Solver` prepares once what
    this function prepares in each call; the results are the same, bit for bit.

    Args:
        problem: see :mod:`~pluecker.contact.friction.problem.problem`.
        law: ``frictionless``, ``lcp`` (a polygon in place of the circle), ``ccp`` (convex) or ``ncp`` (Coulomb's law).
        method: see :mod:`~pluecker.contact.friction.solving.methods`.
        tol: how well the law shall hold, see below.
        max_iterations: of all methods that take part together; the method's own number unless given: for ``auto`` a million,
            nearly all of them sweeps where nothing else helps.
        warm_start: multipliers to start from, ``(m,)``, N s; for example those of the last step.
        directions: sides of the polygon, in the law ``lcp``; 8, and 2 in the plane, unless given.
        relaxation: of ``psor``; its own choice unless given.
        momentum: of ``apgd``: ``full``, or ``nesterov``, the sequence that its paper has; see
            :mod:`~pluecker.contact.friction.first_order.apgd`.
        threads: for islands, and for its matrix; all cores from 1000 contacts on, unless given. Results do not depend on it,
            bit for bit. Sweeps over one island are those of one thread.
        separate: solve islands one by one; otherwise all together, with one error.
        form: of the operator: ``matrix``, ``factors``, or ``best``: the one with the cheaper product. Methods that
            factorise take the matrix. ``factors`` keeps bilateral rows among the others, iterated as contacts are.
        history: keep the error of each iteration.
        on_unsolved: what happens when the tolerance is not reached: ``return`` the result, which says so, or ``raise``
            an error that holds it.

    Bilateral rows, those without bounds, and linear soft ones, which have a compliance besides, are eliminated by a direct
    factor before any of these methods begins, and hold to rounding whatever ``tol`` is: ``errors.bilateral``, m/s or rad/s.
    Redundant ones have the multipliers with the least ``sum N_kk r_k^2``; contradictory ones are named in the message. Where
    joints connect so many contacts that what is left of N would fill (more than 2000 rows of contacts on one mechanism), and
    in the law ``lcp``, they are solved as contacts are. See :mod:`~pluecker.contact.friction.elimination.elimination`.

    Returns:
        A :class:`~pluecker.contact.friction.results.result.Result`: the best multipliers that were met, whether they are
        good enough or not. Where it says ``converged``, each contact and row obeys the law up to an error in velocity
        (``errors.velocity``, m/s; rad/s of rotations) of at most ``tol`` times the largest component of b and u, whatever
        the masses: a contact that sticks creeps with no more, one that is pressed parts or penetrates with no more, and an
        impulse that should not be changes its own contact's velocity by no more. The natural map, the same as a share of
        the root of the energy, is at most ``tol`` as well. Neither depends on the unit of mass. How far velocities are from
        those of the exact solution depends on the problem besides; multipliers may not be unique at all.

    Raises:
        ArgumentTypeError: an argument of another type.
        ProblemError: an unknown law, method or form, a law that the method cannot solve, a number that is out of its
            range, or a start of another length or with NaN.
        UnsolvedError: with ``on_unsolved="raise"``, the tolerance was not reached; its ``result`` is what was found.

    Source: design as in Acary, Bremond and Huber (2018): one problem, one error, many methods.

    Example:
        >>> from pluecker.contact import Problem, solve
        >>> sliding = Problem.from_delassus([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1.0, 3.0, 0.0], [0.5])
        >>> result = solve(sliding, "ncp", tol=1e-9)
        >>> result.status, result.multipliers.round(6).tolist()
        ('converged', [1.0, -0.5, 0.0])
    """
    began = time.perf_counter()
    solver = Solver(
        problem, law, method, tol=tol, max_iterations=max_iterations, directions=directions, relaxation=relaxation,
        momentum=momentum, threads=threads, separate=separate, form=form, history=history, on_unsolved=on_unsolved,
    )  # fmt: skip
    return solver._solve(began, None, warm_start)


def errors_of(problem: Problem, multipliers: ArrayLike, law: str = "ncp") -> Errors:
    """Compute all errors of multipliers, whichever solver found them.

    Args:
        problem: see :mod:`~pluecker.contact.friction.problem.problem`.
        multipliers: ``(m,)``, N s.
        law: ``frictionless``, ``ccp`` or ``ncp``.

    Raises:
        ArgumentTypeError: an argument of another type.
        ProblemError: another law, or multipliers of another length or with NaN.

    Source: see :mod:`~pluecker.contact.friction.results.measures`.

    Example:
        >>> from pluecker.contact import Problem, errors_of
        >>> sliding = Problem.from_delassus([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1.0, 3.0, 0.0], [0.5])
        >>> errors_of(sliding, [1.0, -0.5, 0.0]).natural_map, errors_of(sliding, [1.0, 0.0, 0.0]).dissipation
        (0.0, 0.5)
    """
    as_record("problem", problem, Problem)
    as_choice("law", law, CONES)
    r = as_vector("multipliers", multipliers, problem.size)
    problem = problem.with_friction(0.0) if law == "frictionless" else problem
    with np.errstate(all="ignore"):
        problem, start, exponent = in_units(problem, r, float(np.abs(r).max(initial=0.0)))
        r = r if start is None else start
        scale = scales(problem.operator, problem.sets)
        errors = all_errors(problem.sets, problem.offset, r, problem.unchecked_velocity(r), law, scale)
        return with_velocities(errors, exponent)
