"""The solver of small problems as others call it: a separate function for one state, a part of what calls it for eight.

Of one state its code is the same in all worlds and in ``solve``, and a fourth of what the first step of a world compiles:
see :mod:`~pluecker.spatial.engine.memory.separate`. Its arguments are in a block at the beginning of its memory.
"""

from __future__ import annotations

from pluecker.contact.friction.dense.cone_problem import cone_problem_memory, solve_cone_problem
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at
from pluecker.spatial.engine.memory.separate import arrays_in, by_scalar, compiled_separately, put_arrays
from pluecker.spatial.engine.scalars.operations import load, store, tail

__all__ = ["cone_solver_memory", "solve_cone"]

ARRAYS = 7
EXACT, TOLERANCE, ITERATIONS = range(2 * ARRAYS, 2 * ARRAYS + 3)  # behind them in the block
BLOCK = 24


@kernel
def cone_solver_memory(n, numbers):
    """Return how many scalars of work :func:`solve_cone` takes for n rows, whose laws have so many numbers"""
    return BLOCK + cone_problem_memory(n, numbers)


@kernel
def solve_cone(W, b, kinds, laws, exact, tolerance, iterations, r, error, work):
    """The multipliers r in place, from a start, and of each state the error; how many iterations that took

    Arguments as those of :func:`~pluecker.contact.friction.dense.cone_problem.solve_cone_problem`, but for the size of
    ``work``.
    """
    solve_one = by_scalar(W, solve_separately, solve_here)
    return solve_one(W, b, kinds, laws, exact, tolerance, iterations, r, error, work)


@called_kernel
def solve_here(W, b, kinds, laws, exact, tolerance, iterations, r, error, work):
    """Solve the problem as :func:`solve_cone`, with code that is there once in each entry point"""
    return solve_cone_problem(W, b, kinds, laws, exact, tolerance, iterations, r, error, tail(work, BLOCK))


@kernel
def solve_separately(W, b, kinds, laws, exact, tolerance, iterations, r, error, work):
    """Solve the problem as :func:`solve_cone`, by the separately compiled function; its arguments are passed in ``work``"""
    place = address_of(work)
    block = integers_at(place, BLOCK)
    put_arrays(block, (W, b, kinds, laws, r, error, work))
    store(block, EXACT, int(exact))
    store(numbers_at(place, BLOCK), TOLERANCE, tolerance)
    store(block, ITERATIONS, iterations)
    return call_solver(place, 0)


def solve_cone_at(place, k):
    """Solve a problem whose arguments are in the block at an address; this is what is compiled separately"""
    block = integers_at(place, BLOCK)
    W, b, kinds, laws, r, error, work = arrays_in(block, ARRAYS)
    exact, tolerance = load(block, EXACT) != 0, load(numbers_at(place, BLOCK), TOLERANCE)
    return solve_here(W, b, kinds, laws, exact, tolerance, load(block, ITERATIONS), r, error, work)


call_solver = compiled_separately("pluecker_cone_solver", solve_cone_at)
