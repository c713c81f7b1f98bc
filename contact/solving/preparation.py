"""What is found once for many problems with the same pattern: operator, order, islands, scales, symbolic factors.

The *pattern* of a problem is what follows from which blocks there are and which of them meet in N, without any number:
the sizes of blocks, the form of the operator, and the places of its blocks. Of problems with one pattern, the numbers of
friction, bounds, N and b may differ.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pluecker.contact.problem.operator import Operator, apply, assemble, prefers_matrix
from pluecker.contact.problem.prepared import Order, Prepared, arrange, find_order
from pluecker.contact.problem.problem import Problem
from pluecker.contact.problem.sets import Sets
from pluecker.contact.solving.methods import Options
from pluecker.contact.sparse.blocks import BlockMatrix, Indices
from pluecker.contact.sparse.symbolic import Symbolic
from pluecker.spatial.functions.elementwise import Array

__all__ = ["Preparation", "difference", "prepare_for"]


@dataclass(frozen=True, eq=False)
class Preparation:
    """A problem made ready, all but its offset. Nothing in it changes, but that symbolic factors are added.

    Attributes:
        problem: as the caller gave it.
        operator: in the form that the method takes.
        sets: of the law that is solved.
        order: of blocks and islands.
        P: scaled, in that order, in the caller's units; its offset is zero.
        places: the original place of each multiplier, ``(m,)``.
        scale: s of each multiplier at its original place, ``(m,)``.
        patterns: symbolic factors of islands that are known, by their numbers.
    """

    problem: Problem
    operator: Operator
    sets: Sets
    order: Order
    P: Prepared
    places: Indices
    scale: Array
    patterns: dict[int, Symbolic] = field(default_factory=dict)

    def velocity(self, offset: Array, r: Array) -> Array:
        """N r + b, in the order of the problem."""
        u, velocity = np.empty(len(r)), np.zeros_like(self.operator.velocity)
        apply(self.operator._replace(velocity=velocity), r, u, 0, len(self.sets.start) - 1, 0, len(velocity))
        return u + offset

    def in_units(self, exponent: int, offset: Array) -> tuple[Prepared, Sets, Array]:
        """The scaled problem, the sets and the offset, with velocities and multipliers divided by a power of two."""
        b, P = np.ldexp(offset, -exponent), self.P
        A = (
            P.A._replace(velocity=np.zeros_like(P.A.velocity)) if P.A.is_factored else P.A
        )  # each call writes into its own
        P = P._replace(A=A, K=divided(P.K, exponent), b=b[self.places] * P.s)
        return P, divided(self.sets, exponent), b


def divided(K: Sets, exponent: int) -> Sets:
    """Bounds divided by a power of two."""
    return K._replace(lower=np.ldexp(K.lower, -exponent), upper=np.ldexp(K.upper, -exponent))


def prepare_for(problem: Problem, options: Options, before: Preparation | None = None) -> Preparation:
    """A problem made ready; ``before``: another one with the same pattern."""
    operator, sets = problem.operator, problem.sets
    if options.law == "frictionless":
        sets = sets._replace(friction=np.zeros_like(sets.friction))
    form = options.form
    if options.how.matrix or form == "matrix" or (form == "best" and prefers_matrix(operator)):
        operator = assemble(operator)
    order = find_order(operator, options.separate) if before is None else before.order
    P, places = arrange(operator, sets, np.zeros(problem.size), order)
    scale = np.ones(problem.size)
    scale[places] = P.s
    return Preparation(problem, operator, sets, order, P, places, scale, {} if before is None else before.patterns)


def difference(old: Problem, new: Problem) -> str:
    """What of the pattern of a new problem is not as it was, in words; nothing if all is."""
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
    """The components of a block, in words."""
    n = int(problem.sets.start[k + 1] - problem.sets.start[k])
    return f"{n} component{'' if n == 1 else 's'}" + ("" if problem.sets.sizes[k].any() else " and no friction")


def columns_of(B: BlockMatrix) -> str:
    """How many columns there are, in words."""
    return f"{int(B.columns[-1])} columns in {len(B.columns) - 1} blocks"


def other_blocks(old: BlockMatrix, new: BlockMatrix, name: str) -> str:
    """What of the places of blocks is not as it was."""
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
