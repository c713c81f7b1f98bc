"""The solver of small problems, as others call it: of one state a function apart, of eight a part of whoever calls it.

Of one state its code is the same in all worlds and in ``solve``, and a fourth of what the first step of a world compiles:
see :mod:`~pluecker.spatial.memory.apart`. What it works on is written down in a block at the beginning of its memory.
"""

from __future__ import annotations

from collections.abc import Callable

from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.dense.cone_problem import cone_problem_memory, solve_cone_problem
from pluecker.spatial.memory.addresses import address_of, integers_at, numbers_at
from pluecker.spatial.memory.apart import apart, by_scalar
from pluecker.spatial.scalars.operations import load, store, tail

__all__ = ["compile_cone_solver", "cone_solver_memory", "solve_cone"]

NAME = "pluecker_cone_solver"
# the block: addresses, the lengths that are not known, and what is asked for
MATRIX, OFFSET, KINDS, LAWS, MULTIPLIERS, ERROR, WORK, ROWS, BLOCKS, NUMBERS, SIZE, EXACT, TOLERANCE, ITERATIONS = (
    range(14)
)
BLOCK = 16


@kernel
def cone_solver_memory(n, numbers):
    """How many scalars of work :func:`solve_cone` takes for n rows, whose laws have so many numbers"""
    return BLOCK + cone_problem_memory(n, numbers)


@kernel
def solve_cone(W, b, kinds, laws, exact, tolerance, iterations, r, error, work):
    """The multipliers r in place, from a start, and of each state the error; how many iterations that took

    Arguments as those of :func:`~pluecker.spatial.dense.cone_problem.solve_cone_problem`, but for the size of ``work``.
    """
    solve_one = by_scalar(W, solve_apart, solve_here)
    return solve_one(W, b, kinds, laws, exact, tolerance, iterations, r, error, work)


@kernel
def solve_here(W, b, kinds, laws, exact, tolerance, iterations, r, error, work):
    """The same as a part of whoever calls it"""
    return solve_cone_problem(W, b, kinds, laws, exact, tolerance, iterations, r, error, tail(work, BLOCK))


@kernel
def solve_apart(W, b, kinds, laws, exact, tolerance, iterations, r, error, work):
    """The same by the function apart"""
    place, rest = address_of(work), tail(work, BLOCK)
    block = integers_at(place, BLOCK)
    store(block, MATRIX, address_of(W))
    store(block, OFFSET, address_of(b))
    store(block, KINDS, address_of(kinds))
    store(block, LAWS, address_of(laws))
    store(block, MULTIPLIERS, address_of(r))
    store(block, ERROR, address_of(error))
    store(block, WORK, address_of(rest))
    store(block, ROWS, len(b))
    store(block, BLOCKS, len(kinds))
    store(block, NUMBERS, len(laws))
    store(block, SIZE, len(rest))
    store(block, EXACT, int(exact))
    store(numbers_at(place, BLOCK), TOLERANCE, tolerance)
    store(block, ITERATIONS, iterations)
    return call_solver(place, 0)


def solver() -> Callable[[int, int], int]:
    """The function apart."""

    def solve_cone_at(place, k):
        block, n = integers_at(place, BLOCK), load(integers_at(place, BLOCK), ROWS)
        return solve_cone_problem(
            numbers_at(load(block, MATRIX), n * n), numbers_at(load(block, OFFSET), n),
            numbers_at(load(block, KINDS), load(block, BLOCKS)), numbers_at(load(block, LAWS), load(block, NUMBERS)),
            load(block, EXACT) != 0, load(numbers_at(place, BLOCK), TOLERANCE), load(block, ITERATIONS),
            numbers_at(load(block, MULTIPLIERS), n), numbers_at(load(block, ERROR), 1),
            numbers_at(load(block, WORK), load(block, SIZE)),
        )  # fmt: skip

    return solve_cone_at


call_solver, compile_cone_solver = apart(NAME, solver)
