"""Preparation, found once for many problems of one pattern: operator, order, islands, scales, symbolic factors.

The *pattern* of a problem is what follows from which blocks there are and which of them meet in N, without any number:
the sizes of blocks, the form of the operator, and the places of its blocks. Of problems with one pattern, the numbers of
friction, bounds, N and b may differ.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from pluecker.contact.friction.elimination.elimination import Elimination, eliminate
from pluecker.contact.friction.elimination.pattern import Pattern, bilateral_blocks
from pluecker.contact.friction.first_order.sharing import WIDE, Layouts
from pluecker.contact.friction.problem.operator import Operator, assemble, contiguous, plain, prefers_matrix
from pluecker.contact.friction.problem.prepared import Order, Prepared, arrange, find_islands, find_order, scales
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import Sets, divided
from pluecker.contact.friction.results.measures import place_for_scaled
from pluecker.contact.friction.solving.islands.newton import Place, Roots, find_roots, make_place
from pluecker.contact.friction.solving.islands.running import workers_for
from pluecker.contact.friction.solving.methods import Options
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.contact.friction.sparse.symbolic import Symbolic
from pluecker.spatial.engine.parallel.interruption import interruptible, takes_long
from pluecker.spatial.engine.parallel.threads import available_cores
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Eliminated", "Preparation", "difference", "prepare_for", "prepare_rows"]


BOTH = WIDE  # blocks from which ``auto`` has factors for products and sweeps beside the matrix that it may factorise


@dataclass(frozen=True, eq=False)
class Preparation:
    """Problem made ready, all but its offset. Nothing in it changes, but that symbolic factors and layouts are added.

    Attributes:
        problem: as the caller gave it.
        operator: in the form that the method takes.
        sets: of the law that is solved.
        order: of blocks and islands.
        P: scaled, in that order, in the caller's units; its offset is zero.
        places: the original place of each multiplier, ``(m,)``.
        scale: s of each multiplier at its original place, ``(m,)``.
        bounded: whether there are bounds that are neither zero nor infinite, and so have units.
        patterns: symbolic factors of islands that are known, by their numbers.
        layouts: of large islands, see :mod:`~pluecker.contact.friction.first_order.sharing`.
        roots: for Newton's method, if the method has it and there are any.
        workspaces: of this method, those that no call uses at present.
    """

    problem: Problem
    operator: Operator
    sets: Sets
    order: Order
    P: Prepared
    places: Indices
    scale: Array
    bounded: bool
    patterns: dict[int, Symbolic] = field(default_factory=dict)
    layouts: Layouts = field(default_factory=dict)
    roots: Roots | None = None
    workspaces: list[Place] = field(default_factory=list)

    def fresh(self, size: int) -> tuple[Operator, Sets, Prepared]:
        """Copy what one call writes into of operator, sets and scaled problem: places for products, offset and bounds."""
        operator, sets, P = self.operator, self.sets, self.P
        A, K = P.A, P.K
        if operator.is_factored:
            operator = operator._replace(velocity=np.zeros_like(operator.velocity))
            A = A._replace(velocity=np.zeros_like(A.velocity))
        if self.bounded:
            sets = sets._replace(lower=sets.lower.copy(), upper=sets.upper.copy())
            K = K._replace(lower=K.lower.copy(), upper=K.upper.copy())
        return operator, sets, Prepared(A, K, np.empty(size), P.s, P.islands, P.sides)

    def take_place(self) -> Place:
        """Return a workspace of Newton's method that no other call has; it goes back to ``workspaces``."""
        assert self.roots is not None
        try:
            return self.workspaces.pop()
        except IndexError:
            return make_place(self.roots)

    def divided(self, exponent: int) -> Preparation:
        """Return the preparation with bounds divided by a power of two."""
        if not self.bounded or exponent == 0:
            return self
        return replace(self, sets=divided(self.sets, exponent), P=self.P._replace(K=divided(self.P.K, exponent)))

    def sets_for_errors(self) -> Sets:
        """Return the sets with place for scaled ones."""
        return place_for_scaled(self.sets)


@dataclass(frozen=True, eq=False)
class Eliminated:
    """Problem whose bilateral rows are factorised, and what is left of it.

    Attributes:
        problem: as the caller gave it.
        solved: the same, with the friction of the law.
        elimination: of its bilateral rows.
        scale: s of each multiplier, ``(m,)``.
        islands: of all rows; one where they are not separated.
        rest: what is left, made ready; None where no block is left.
        whole: all rows, made ready for Newton's method, which finds a start for what is left, under Coulomb's law; None
            where there are no roots.
    """

    problem: Problem
    solved: Problem
    elimination: Elimination
    scale: Array
    islands: int
    rest: Preparation | None
    whole: Preparation | None


def prepare_for(
    problem: Problem, options: Options, before: Preparation | Eliminated | None = None
) -> Preparation | Eliminated:
    """Make a problem ready; ``before``: another one with the same pattern."""
    solved = problem.with_friction(0.0) if options.law == "frictionless" and problem.sets.sizes.any() else problem
    old = before if isinstance(before, Eliminated) else None
    bilateral = bilateral_blocks(problem.sets)
    if options.form != "factors" and len(bilateral):  # that form keeps all rows
        same = old is not None and np.array_equal(bilateral_blocks(old.problem.sets), bilateral)
        pattern = old.elimination.pattern if old is not None and same else None
        elimination = interruptible(lambda: quietly(solved, pattern), takes_long(problem.size, problem.size))
        if elimination is not None:
            left, rest = elimination.left, None
            if left.blocks:
                alike = old is not None and old.rest is not None and same and not difference(old.elimination.left, left)
                rest = prepare_rows(left, options, old.rest if old is not None and alike else None)
            scale = scales(problem.operator, problem.sets)
            islands = len(find_islands(problem.operator)[2]) - 1 if options.separate else 1
            whole = prepare_whole(solved, options, scale) if left.blocks and options.law == "ncp" else None
            return Eliminated(problem, solved, elimination, scale, islands, rest, whole)
    kept = before if isinstance(before, Preparation) else None
    rows = prepare_rows(solved, options, kept)
    return rows if solved is problem else replace(rows, problem=problem)


def quietly(problem: Problem, pattern: Pattern | None) -> Elimination | None:
    """Eliminate bilateral rows, in any thread: what overflows is seen in the errors."""
    with np.errstate(all="ignore"):
        return eliminate(problem, pattern)


def prepare_whole(problem: Problem, options: Options, scale: Array) -> Preparation | None:
    """Make all rows ready for Newton's method alone, by factors; None where it is not asked for, or there are no roots."""
    operator, sets = contiguous(problem.operator), Sets(*(plain(a, a.dtype.kind) for a in problem.sets))
    if not options.how.first or not operator.is_factored:
        return None
    order = find_order(operator, options.separate)
    P, places = arrange(operator, sets, np.zeros(problem.size), order)
    roots = find_roots(operator, sets, order, P, 0)
    if roots is None:
        return None
    return Preparation(problem, operator, sets, order, P, places, scale, is_bounded(sets), roots=roots)


def is_bounded(sets: Sets) -> bool:
    """Return whether there are bounds that are neither zero nor infinite, and so have units."""
    return any(bool(((bound != 0.0) & (abs(bound) != np.inf)).any()) for bound in (sets.lower, sets.upper))


def prepare_rows(problem: Problem, options: Options, before: Preparation | None = None) -> Preparation:
    """Make a problem ready as it is, bilateral rows and all."""
    operator, sets, form = problem.operator, problem.sets, options.form
    alone = prefers_matrix(operator)
    both = options.how.recipe and options.how.first and form == "best" and not alone and problem.blocks >= BOTH
    if not both and (options.how.matrix or form == "matrix" or (form == "best" and alone)):
        operator = assemble(operator)
    operator, sets = contiguous(operator), Sets(*(plain(a, a.dtype.kind) for a in sets))
    order = find_order(operator, options.separate) if before is None else before.order
    P, places = arrange(operator, sets, np.zeros(problem.size), order)
    if both:  # of factors in the new order, in which neighbours are near
        workers = min(workers_for(options.threads, problem.size), available_cores())
        P = P._replace(A=P.A._replace(N=assemble(P.A, workers).N))
    scale = np.ones(problem.size)
    scale[places] = P.s
    patterns = {} if before is None else before.patterns
    most = options.how.roots
    roots = find_roots(problem.operator, problem.sets, order, P, most) if most and problem.blocks else None
    return Preparation(problem, operator, sets, order, P, places, scale, is_bounded(sets), patterns, roots=roots)


def difference(old: Problem, new: Problem) -> str:
    """Describe the first difference between the patterns of two problems, for messages; empty where there is none."""
    if new.blocks != old.blocks:
        return f"it has {new.blocks} block{'' if new.blocks == 1 else 's'}, not {old.blocks}"
    wrong = np.flatnonzero(
        (new.sets.sizes != old.sets.sizes).any(axis=1) | (np.diff(new.sets.start) != np.diff(old.sets.start))
    )
    if len(wrong):
        k = int(wrong[0])
        return f"{new.label(int(new.sets.start[k])).split(',')[0]} has {size_of(new, k)}, not {size_of(old, k)}"
    if new.operator.is_factored != old.operator.is_factored:
        forms = "by its matrix", "by factors"
        return f"its operator is given {forms[new.operator.is_factored]}, not {forms[old.operator.is_factored]}"
    names = ("J", "T") if new.operator.is_factored else ("N",)
    for name in names:
        what = other_blocks(getattr(old.operator, name), getattr(new.operator, name), name)
        if what:
            return what
    return ""


def size_of(problem: Problem, k: int) -> str:
    """Describe the components of a block."""
    n = int(problem.sets.start[k + 1] - problem.sets.start[k])
    return f"{n} component{'' if n == 1 else 's'}" + ("" if problem.sets.sizes[k].any() else " and no friction")


def columns_of(B: BlockMatrix) -> str:
    """Describe how many columns there are."""
    return f"{int(B.columns[-1])} columns in {len(B.columns) - 1} blocks"


def other_blocks(old: BlockMatrix, new: BlockMatrix, name: str) -> str:
    """Describe the first difference in columns or places of blocks, for messages; empty where there is none."""
    if not np.array_equal(old.columns, new.columns):
        return f"{name} has {columns_of(new)}, not {columns_of(old)}"
    if np.array_equal(old.first, new.first) and np.array_equal(old.column, new.column):
        return ""
    for i in range(len(old.first) - 1):
        was, now = (set(B.column[B.first[i] : B.first[i + 1]].tolist()) for B in (old, new))
        more, less = sorted(now - was), sorted(was - now)
        if more:
            return f"{name} has a block in row {i} and column {more[0]}, where there was none"
        if less:
            return f"{name} has no block in row {i} and column {less[0]}, where there was one"
    return f"{name} has other blocks"
