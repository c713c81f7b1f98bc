"""Bilateral rows eliminated: the problem that is left, and their multipliers afterwards.

With B the bilateral rows, those with a compliance included, and C the contacts and all other rows,

    S = N_CC - N_CB N_BB^+ N_BC,    c = b_C - N_CB N_BB^+ b_B,    r_B = -N_BB^+ (b_B + N_BC r_C)

is a problem ``u_C = S r_C + c`` in the sets of C alone, which any method solves. ``S`` fills only between contacts that
bilateral rows connect. The multipliers that follow are refined with the operator itself, so that bilateral rows hold to
rounding, whatever the factor has lost.

*Redundant* rows have many multipliers for one motion: the least ``sum N_kk r_k^2`` is taken. *Contradictory* rows ask
for what no multipliers can give: their velocities are as small as possible, in ``sum u_k^2 / N_kk``, and
:class:`Recovered` names them.

Sources: S. Boyd and L. Vandenberghe, "Convex optimization" (2004), A.5.5, for the Schur complement; J. Garcia de Jalon and
M. D. Gutierrez-Lopez, "Multibody dynamics with redundant constraints and singular mass matrix" (2013), for which forces are
unique; G. H. Golub and C. F. Van Loan, "Matrix computations", sections 5.5 and 6.1, for least norms with weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pluecker.contact.friction.elimination.block_rows import forward, stack_rows
from pluecker.contact.friction.elimination.factor import Factor, factorize, spread
from pluecker.contact.friction.elimination.full_matrices import coupling_full, is_small, taken_by_rows
from pluecker.contact.friction.elimination.pattern import Pattern, bilateral_matrix, find_pattern
from pluecker.contact.friction.elimination.recovery import BilateralRows, Combinations, Refined, refine_rows
from pluecker.contact.friction.problem.operator import Operator, assembled, contiguous, multiply_factors
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import divided, make_sets
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices, empty_blocks, from_scipy, to_full, to_scipy
from pluecker.contact.friction.sparse.rounding import LOST
from pluecker.spatial.engine.parallel.interruption import answering
from pluecker.spatial.functions.elementwise import Array
from pluecker.spatial.lazily import scipy

__all__ = ["Elimination", "Recovered", "eliminate"]

EPS = float(np.finfo(np.float64).eps)
MOST_NUMBERS = 4e6  # numbers in the columns of contacts, and in S between them: beyond, iterations are cheaper
PROTECTED = 8.0 * EPS  # of a diagonal entry, added to S: its rounding, which could make it indefinite
CONTRADICTION = 1e-10  # of what rows are made of: no rounding, though rows be nearly dependent


@dataclass(frozen=True, eq=False)
class Recovered:
    """Multipliers of all rows.

    Attributes:
        multipliers: r, ``(m,)``.
        velocity: u = N r + b, ``(m,)``.
        contradictory: the rows that cannot hold, those that miss most first.
        residual: the largest velocity among them.
    """

    multipliers: Array
    velocity: Array
    contradictory: Indices
    residual: float


@dataclass(frozen=True, eq=False)
class Elimination:
    """Factorised bilateral rows of a problem, for any offset.

    Attributes:
        problem: that it was made from; its offset is not read.
        factor: of the bilateral rows, and which rows they are.
        left: the problem of the other blocks, with an offset of zeros.
        operator: of the problem, as compiled code takes it.
        combinations: Q of the factor.
        rounding: velocities of the bilateral rows that are rounding of those that an offset is the difference of, where
            bodies are known, ``(n_B,)``.
        held: rows of ``left`` that bilateral rows hold, ``(m_C,)``.
        diagonal: of N_CC, ``(m_C,)``.
    """

    problem: Problem
    factor: Factor
    left: Problem
    operator: Operator
    combinations: Combinations
    rounding: Array
    held: np.ndarray
    diagonal: Array

    @property
    def pattern(self) -> Pattern:
        """Pattern of the bilateral rows."""
        return self.factor.pattern

    def reduced(self, offset: Array) -> Problem:
        """Return the problem of the other blocks, ``u_C = S r_C + c``, for the offset b of all rows, ``(m,)``."""
        still = self.recover(offset, np.zeros(len(self.pattern.kept)))
        c = still.velocity[self.pattern.kept]
        if not self.held.any():
            return replace(self.left, offset=c)
        b = np.abs(offset).max(initial=0.0) + np.abs(still.velocity - offset).max(initial=0.0)
        c = np.where(self.held & (np.abs(c) <= CONTRADICTION * b), 0.0, c)
        return replace(self.left, offset=c, operator=self.bounded(c))

    def bounded(self, c: Array) -> Operator:
        """Return S, with a compliance where bilateral rows hold what a contact or limit would have to push away.

        Then there is no solution, and no bound to the multipliers of methods that look for one.
        """
        K, A = self.left.sets, self.left.operator
        top = K.start[:-1]
        pushed = self.held[top] & (((c[top] < 0.0) & np.isposinf(K.upper)) | ((c[top] > 0.0) & np.isneginf(K.lower)))
        if not pushed.any():
            return A
        soft = A.compliance.copy()
        soft[top[pushed]] += self.diagonal[top[pushed]]
        return A._replace(compliance=soft, is_soft=1)

    def recover(self, offset: Array, multipliers: Array) -> Recovered:
        """Compute the multipliers of all rows, from those of the other blocks, ``(m_C,)``, and the offset b, ``(m,)``."""
        pattern, factor, Q = self.pattern, self.factor, self.combinations
        A = self.operator._replace(velocity=np.zeros_like(self.operator.velocity))
        m, n = len(offset), len(pattern.rows)
        found = Refined(np.empty(m), np.empty(m), np.empty(n), np.empty(n))
        found.r[pattern.kept] = multipliers
        bilateral = BilateralRows(
            pattern.rows, pattern.component, pattern.components, pattern.factor, factor.L, factor.root,
            Q._replace(sums=np.empty_like(Q.sums)),
        )  # fmt: skip
        refine_rows(A, bilateral, np.array(offset), found)
        return Recovered(found.r, found.u, *self.contradictions(found.missed, found.made_of))

    def contradictions(self, missed: Array, made_of: Array) -> tuple[Indices, float]:
        """Find bilateral rows that cannot hold, beyond rounding of what they are computed from, and the largest velocity."""
        none: Indices = np.zeros(0, np.int64)
        if self.factor.Q is None:
            return none, 0.0
        wrong = np.flatnonzero(missed > CONTRADICTION * self.factor.root * made_of + self.rounding)
        if len(wrong) == 0:
            return none, 0.0
        order = wrong[np.argsort(-missed[wrong], kind="stable")]
        return self.pattern.rows[order], float(missed[order[0]])

    def divided(self, problem: Problem, exponent: int) -> Elimination:
        """Return the elimination of the problem divided by a power of two, ``2^exponent``."""
        left = replace(self.left, sets=divided(self.left.sets, exponent))
        return replace(self, problem=problem, left=left, rounding=np.ldexp(self.rounding, -exponent))


def rounding_of(problem: Problem, rows: Indices) -> Array:
    """Estimate the rounding of the velocities of these rows, ``(n_B,)``, of which their offset is a difference.

    It is ``64 eps |J| |v_free|`` where velocities of bodies are known, zero elsewhere.
    """
    if problem.free_velocity is None or not problem.operator.is_factored:
        return np.zeros(len(rows))
    J = abs((to_full if is_small(problem.operator) else to_scipy)(problem.operator.J)[rows])
    return np.asarray(64.0 * EPS * (J @ np.abs(problem.free_velocity).ravel()))


def combinations_of(factor: Factor) -> Combinations:
    """Convert Q of a factor to compressed rows, as compiled code takes it."""
    Q, n = factor.Q, len(factor.root)
    if Q is None:
        return Combinations(np.zeros(n + 1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
    if isinstance(Q, np.ndarray):
        row, column = np.nonzero(Q)
        first = np.searchsorted(row, np.arange(n + 1)).astype(np.int64)
        return Combinations(first, column.astype(np.int64), Q[row, column], np.zeros(Q.shape[1]))
    return Combinations(Q.indptr.astype(np.int64), Q.indices.astype(np.int64), np.array(Q.data), np.zeros(Q.shape[1]))


def eliminate(problem: Problem, pattern: Pattern | None = None) -> Elimination | None:
    """Factorise the bilateral rows of a problem.

    Args:
        problem: its operator and its sets are read, not its offset.
        pattern: that of a problem with the same blocks in the same places, whose numbers may be others; found unless given.

    Returns:
        Nothing where there are no bilateral rows, where so many contacts hang on each other through them that S is too large
        (``MOST``), or where the matrix is not positive semidefinite: then rows are solved as contacts are.
    """
    rows = find_pattern(problem) if pattern is None else pattern
    if rows is None:
        return None
    operator = contiguous(problem.operator)
    N = bilateral_matrix(operator, rows.bilateral, rows.rows, rows.group)
    factor = factorize(rows, N, operator, MOST_NUMBERS)
    if factor is None:
        return None
    complement = schur_complement(operator, factor)
    if complement is None:
        return None
    K, others = problem.sets, rows.others
    sets = make_sets(K.sizes[others], K.friction[others], K.lower[others], K.upper[others])
    names = tuple(problem.names[i] for i in others) if problem.names and len(others) else None
    left = Problem(complement[0], np.zeros(len(rows.kept)), sets, None, names)
    rounding = np.zeros(len(rows.rows)) if factor.Q is None else rounding_of(problem, rows.rows)
    return Elimination(problem, factor, left, operator, combinations_of(factor), rounding, *complement[1:])


def other_matrix(operator: Operator, pattern: Pattern) -> BlockMatrix:
    """Return N between the other blocks, without compliance."""
    blocks = pattern.others
    if operator.is_factored:
        each = np.arange(len(blocks) + 1, dtype=np.int64)
        J, T = (BlockMatrix(*answering(stack_rows, B, blocks, each)) for B in (operator.J, operator.T))
        return multiply_factors(J, T)
    heights = np.diff(operator.N.rows)[blocks]
    start = np.concatenate([[0], np.cumsum(heights)]).astype(np.int64)
    return from_scipy(to_scipy(operator.N)[pattern.kept][:, pattern.kept], start, start)


def coupling(operator: Operator, pattern: Pattern) -> scipy.sparse.csr_matrix:
    """Return N between bilateral rows and the others, N_BC."""
    if operator.is_factored:
        J, T = to_scipy(operator.J), to_scipy(operator.T)
        return scipy.sparse.csr_matrix(T[pattern.rows] @ J[pattern.kept].T)
    return scipy.sparse.csr_matrix(to_scipy(operator.N)[pattern.rows][:, pattern.kept])


def schur_complement(operator: Operator, factor: Factor) -> tuple[Operator, np.ndarray, Array] | None:
    """Compute S as an operator, the rows that bilateral rows hold, and the diagonal of N_CC.

    None where S is too large, or where contacts cause a velocity along Q, so that N is not semidefinite.
    """
    pattern = factor.pattern
    m, soft = len(pattern.kept), operator.compliance[pattern.kept].copy()
    held = np.zeros(m, np.bool_)
    if m == 0:
        return assembled(empty_blocks(), soft), held, np.zeros(0)
    N = other_matrix(operator, pattern)
    if is_small(operator):
        return full_complement(operator, factor, N)
    N_BC = coupling(operator, pattern)
    N_BC.eliminate_zeros()
    if N_BC.nnz == 0:
        return assembled(N, soft), held, np.zeros(m)
    Y = spread(pattern, N_BC, MOST_NUMBERS)
    if Y is None:
        return None
    whole = to_scipy(N)
    diagonal = whole.diagonal()
    if factor.Q is not None and not in_range(factor, N_BC, diagonal):
        return None
    forward(pattern.factor, factor.L, Y.at, Y.width, Y.data)
    row, column, data = [], [], []
    for c in np.flatnonzero(np.diff(Y.first)):
        mine = Y.column[Y.first[c] : Y.first[c + 1]]
        part = Y.data[Y.begin[c] : Y.begin[c + 1]].reshape(-1, len(mine))
        row.append(np.repeat(mine, len(mine)))
        column.append(np.tile(mine, len(mine)))
        data.append((part.T @ part).ravel())
    taken = scipy.sparse.coo_matrix((np.concatenate(data), (np.concatenate(row), np.concatenate(column))), shape=(m, m))
    S = scipy.sparse.csr_matrix(whole - taken.tocsr())
    S = scipy.sparse.csr_matrix(0.5 * (S + S.T))
    touched = np.zeros(m, np.bool_)
    touched[Y.column] = True
    held = touched & ~(S.diagonal() > LOST * diagonal)
    free = scipy.sparse.diags(np.where(held, 0.0, 1.0))
    soft += np.where(touched & ~held, PROTECTED * diagonal, 0.0)
    return assembled(from_scipy(free @ S @ free, N.rows, N.rows), soft), held, diagonal


def full_complement(operator: Operator, factor: Factor, N: BlockMatrix) -> tuple[Operator, np.ndarray, Array] | None:
    """Compute what :func:`schur_complement` does with full matrices; N is the matrix between the other blocks."""
    pattern = factor.pattern
    N_BC, soft = coupling_full(operator, pattern), operator.compliance[pattern.kept].copy()
    touched = (N_BC != 0.0).any(axis=0)
    if not touched.any():
        return assembled(N, soft), np.zeros(len(touched), np.bool_), np.zeros(len(touched))
    S = to_full(N)
    diagonal = S.diagonal().copy()
    if factor.Q is not None:
        rest = factor.Q.T @ (N_BC / factor.root[:, None] / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)))
        if not np.abs(rest).max() <= CONTRADICTION:
            return None
    S -= taken_by_rows(pattern, factor.L, N_BC)
    S = 0.5 * (S + S.T)
    held = touched & ~(S.diagonal() > LOST * diagonal)
    S[held], S[:, held] = 0.0, 0.0
    soft += np.where(touched & ~held, PROTECTED * diagonal, 0.0)
    return assembled(from_scipy(scipy.sparse.csr_matrix(S), N.rows, N.rows), soft), held, diagonal


def in_range(factor: Factor, N_BC: scipy.sparse.csr_matrix, diagonal: Array) -> bool:
    """Return whether contacts cause no velocity along Q, beyond rounding; this is so if N is semidefinite."""
    assert factor.Q is not None
    scale = scipy.sparse.diags(1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)))
    rest = factor.Q.T @ (scipy.sparse.diags(1.0 / factor.root) @ N_BC @ scale)
    return bool(rest.nnz == 0 or abs(rest).max() <= CONTRADICTION)
