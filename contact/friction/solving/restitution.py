"""Poisson's hypothesis: impact in two phases, of which the second returns a share of the normal impulse of the first.

*Compression* ends when the bodies no longer approach: the problem without restitution, with the impulses ``r^c``.
*Expansion* returns at least ``e r_n^c`` at each contact, and more where bodies would otherwise penetrate; its friction
has the whole normal impulse of the phase to rub with:

    u^c = N r^c + b,    u = N (r^c + r^e) + b
    0 <= r_n^e - p  _|_  u_n >= 0,    |r_t^e| <= mu r_n^e  against the sliding,    p = e r_n^c

The set of these multipliers is a cone cut off at the height p: a point, a disc and a cone, ``p n + disc(mu p) + K``. The
disc is the section of another cone at the height p, so that it takes a contact of its own, with the same tangents and a
normal that touches nothing else, ``0 <= r' _|_ c (r' - p) >= 0``. So expansion is one more friction problem, with
contacts in pairs, and any solver of friction problems solves it. That is exact in Coulomb's law, with circles and with
polygons; in the convex law r' exceeds p by ``mu |u_t| / c``.

Where one body hits one other without friction, Poisson's and Newton's hypotheses agree; where contacts act on one
another, they need not. With friction Newton's can gain energy, of one body on one contact even: a slanted rod that slides
as it hits, and sticks. Without friction no impact gains energy, whatever the coefficients of the contacts are. With
``x = r^e - p``, and what the complementary pairs leave of ``2 dT = r . (u^- + u^+)``,

    2 dT = p'Np - r^c'Nr^c - x'Nx <= 0

for x is the least point of ``1/2 x'Nx + x'(u^c + Np)`` over x >= 0, where that has the value ``- 1/2 x'Nx``, not above the
one that it has at ``r^c - p``.

Sources: Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 8; Anitescu and Potra,
"Formulating dynamic multi-rigid-body contact problems with friction as solvable linear complementarity problems"
(1997).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.contact.arguments import as_record, shown, type_of
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.dense.contact_law import returned_impulse
from pluecker.contact.friction.problem.checks import as_vector
from pluecker.contact.friction.problem.columns import as_column, entry_error
from pluecker.contact.friction.problem.operator import assembled
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import Sets, make_sets
from pluecker.contact.friction.solving.solve import solve
from pluecker.contact.friction.sparse.blocks import Indices, from_scipy
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["PoissonImpact", "expanded", "expansion_problem", "least_of_expansion", "poisson_restitution"]


@by_value()
@dataclass(frozen=True, eq=False)
class PoissonImpact:
    """An impact in two phases.

    Attributes:
        multipliers: the impulses of both phases together, ``(m,)``; ``problem.motion(multipliers)`` are the bodies
            after it.
        velocity: the relative velocities after it, ``(m,)``.
        compression: what the solver returned for the first phase.
        expansion: what it returned for the second, of the problem of :func:`expansion_problem`; None where nothing is
            returned.
    """

    multipliers: Array
    velocity: Array
    compression: Any
    expansion: Any


def poisson_restitution(
    problem: Problem, restitution: ArrayLike, *, solver: Callable[[Problem], Any] | None = None
) -> PoissonImpact:
    """Compute impulses and velocities of an impact by Poisson's hypothesis.

    Args:
        problem: without Newton's restitution in its offset: ``assemble_contacts(..., restitution=False)``. What acts
            within the step, gravity for example, is returned like the impact: a body at rest would hop with
            ``e g h``. A problem of the impact alone has bodies without wrench.
        restitution: e of the first blocks of the problem, which are contacts, from 0 to 1, ``(K,)``; the others have
            none.
        solver: takes a problem, returns a record with ``multipliers``; the exact law of Coulomb where not given.

    Returns:
        A :class:`PoissonImpact`.

    Raises:
        ArgumentTypeError: an argument of another type, or a solver that returns no multipliers.
        ProblemError: there are more coefficients than blocks, one that is not between 0
            and 1, or one for a row that is no contact.

    Source: Pfeiffer and Glocker (1996), chapter 8.

    Example:
        A ball of 2 kg hits the floor with 3 m/s, and leaves it with half of that.

        >>> from pluecker.contact import Bodies, ContactTable, assemble_contacts, poisson_restitution
        >>> floor_and_ball = Bodies(
        ...     [float("inf"), 2.0], [[0, 0, 0], [0.1, 0.1, 0.1]], [[0, 0, 0], [0, 0, 0.5]],
        ...     velocity=[[0] * 6, [0, 0, 0, 0, 0, -3.0]],
        ... )
        >>> table = ContactTable([[0, 1]], [[0, 0, 1]], [[0, 0, 0]], friction=0.3)
        >>> impact = poisson_restitution(assemble_contacts(floor_and_ball, table, 1e-3, restitution=False), [0.5])
        >>> impact.velocity.round(3) + 0.0, impact.multipliers.round(3) + 0.0
        (array([1.5, 0. , 0. ]), array([9., 0., 0.]))
    """
    as_record("problem", problem, Problem)
    if solver is not None and not callable(solver):
        raise ArgumentTypeError(f"solver is {shown(solver)}, expected a function of a Problem")
    if solver is None:

        def solver(problem: Problem) -> Any:
            return solve(problem, law="ncp")

    e = as_restitution(problem, restitution)
    compression = solver(problem)
    r = multipliers_of(compression, problem)
    p = least_of_expansion(problem.sets, r, e)
    if not p.any():
        return PoissonImpact(r, problem.velocity(r), compression, None)
    r, expansion = expanded(problem, r, p, solver)
    return PoissonImpact(r, problem.velocity(r), compression, expansion)


def least_of_expansion(sets: Sets, compression: Array, restitution: Array) -> Array:
    """Compute the least normal impulse of each block in the second phase, ``(blocks,)``, N s.

    Args:
        sets: of the problem.
        compression: the impulses of the first phase, ``(m,)``.
        restitution: Poisson's coefficient of each block, ``(blocks,)``.
    """
    p = np.zeros(len(restitution))
    store_returned(sets, compression, restitution, p)
    return p


def store_returned(K, r, e, p):
    """Store what each block returns of its normal impulse"""
    for i in range(len(p)):
        p[i] = returned_impulse(e[i], r[K.start[i]])


store_returned = entry_point(store_returned)


def expanded(problem: Problem, compression: Array, p: Array, solver: Callable[[Problem], Any]) -> tuple[Array, Any]:
    """Solve the second phase; return the multipliers of both, and what the solver found.

    Args:
        problem: that of the first phase, or that of a step before which an impact comes.
        compression: the impulses of the first phase, ``(m,)``.
        p: the least normal impulse of each block in the second, ``(blocks,)``.
        solver: of the problem of the second phase.
    """
    second, S, at_least = expansion_problem(problem, compression, p)
    found = solver(second)
    return compression + S @ multipliers_of(found, second) + at_least, found


def multipliers_of(result: Any, problem: Problem) -> Array:
    """Return the multipliers that the caller's solver found, checked, ``(m,)``, N s."""
    if not hasattr(result, "multipliers"):
        raise ArgumentTypeError(f"solver returned {type_of(result)}, expected a record with multipliers")
    return as_vector("multipliers of the solver", result.multipliers, problem.size)


def expansion_problem(problem: Problem, compression: Array, p: Array) -> tuple[Problem, scipy.sparse.csr_matrix, Array]:
    """Make the problem of the second phase, and the map from its multipliers y: ``r^e = S y + p n``.

    Bounds of rows that are neither zero nor infinite, those of motors, are bounds of both phases together. Zero and
    infinity hold in each.

    Args:
        problem: that of the first phase.
        compression: the impulses of the first phase, ``(m,)``.
        p: the least normal impulse of each block in the second, ``(blocks,)``.
    """
    N, sets, m = problem.matrix(), problem.sets, problem.size
    start = sets.start
    at_least = np.zeros(m)
    at_least[start[:-1]] = p
    pairs = np.flatnonzero((p > 0.0) & (sets.friction > 0.0).any(axis=1))
    heights = np.diff(start)[pairs]
    ends = m + np.concatenate([[0], np.cumsum(heights)]).astype(np.int64)
    tangents = ranges(start[pairs] + 1, heights - 1)
    column = ranges(ends[:-1] + 1, heights - 1)
    total = int(ends[-1])
    S = scipy.sparse.csr_matrix(
        (np.ones(m + len(column)), (np.r_[np.arange(m), tangents], np.r_[np.arange(m), column])), shape=(m, total)
    )
    c = np.zeros(total)
    c[ends[:-1]] = np.maximum(N.diagonal()[start[pairs]], np.finfo(float).tiny)
    offset = S.T @ (N @ (compression + at_least) + problem.offset)
    offset[ends[:-1]] = -c[ends[:-1]] * p[pairs]
    lower, upper = (
        np.where(np.isfinite(bound) & (bound != 0.0), bound - compression[start[:-1]], bound)
        for bound in (sets.lower, sets.upper)
    )
    doubled = make_sets(
        np.concatenate([sets.sizes, sets.sizes[pairs]]),
        np.concatenate([sets.friction, sets.friction[pairs]]),
        np.concatenate([lower, np.zeros(len(pairs))]),
        np.concatenate([upper, np.full(len(pairs), np.inf)]),
    )
    names = None
    if problem.names:
        names = (*problem.names, *(f"{problem.names[k]}, friction of what is returned" for k in pairs))
    matrix = scipy.sparse.csr_matrix(S.T @ N @ S)
    operator = assembled(from_scipy((matrix + matrix.T) * 0.5, doubled.start, doubled.start), c)
    return Problem(operator, offset, doubled, None, names), S, at_least


def ranges(first: Indices, count: Indices) -> Indices:
    """Return first, first + 1, ..., of each count, one after the other."""
    before = np.cumsum(count) - count
    return np.repeat(first - before, count) + np.arange(int(count.sum()))


def as_restitution(problem: Problem, restitution: ArrayLike) -> Array:
    """Return coefficients from 0 to 1, one for each block, zero for those that are not given."""
    given = as_column("contact", "restitution", restitution)
    sets = problem.sets
    if len(given) > problem.blocks:
        raise ProblemError(
            f"restitution has {len(given)} entries, expected at most {problem.blocks}, one for each contact"
        )
    full = np.zeros(problem.blocks)
    full[: len(given)] = given
    for k in np.flatnonzero((full < 0.0) | (full > 1.0)):
        raise entry_error("contact", int(k), f"restitution is {full[k]}, expected 0 to 1")
    for k in np.flatnonzero((full > 0.0) & ~((sets.lower == 0.0) & np.isposinf(sets.upper))):
        raise ProblemError(f"{problem.label(int(sets.start[k]))} is no contact, its restitution is {full[k]}")
    return full
