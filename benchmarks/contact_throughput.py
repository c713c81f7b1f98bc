"""How many contacts a second one iteration after the other gets through, and what memory allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from benchmarks.contact_problems import packing
from benchmarks.timing import Effort, interleaved
from pluecker.contact.problem.operator import Operator, apply
from pluecker.contact.problem.prepared import prepare
from pluecker.contact.solving.solve import solve
from pluecker.contact.sparse.blocks import BlockMatrix
from pluecker.spatial.compiled.decorators import OPTIONS
from pluecker.spatial.functions.elementwise import Array

__all__ = ["FORMS", "Throughput", "measure", "triad_bandwidth"]

FORMS = ("matrix", "factors")
ITERATIONS = 200
LARGE = 16_000_000  # numbers in each array of the triad, more than any cache holds
UNREACHED = 1e-300  # a tolerance, so that all iterations are made


@dataclass(frozen=True)
class Throughput:
    """One problem in one form.

    Attributes:
        contacts: their number.
        form: of the operator.
        rate: contacts times iterations a second, of apgd's compiled loop, the best run.
        products: of the operator with a vector, for each iteration.
        product: seconds.
        size: bytes that a product must move.
        bandwidth: bytes a second that a triad on as many bytes moves.
        share: of the time of an iteration that products take.
    """

    contacts: int
    form: str
    rate: float
    products: float
    product: float
    size: int
    bandwidth: float
    share: float

    @property
    def reached(self) -> float:
        """The part of the bandwidth that a product reaches."""
        return self.size / self.product / self.bandwidth


@njit(**OPTIONS)
def triad(a, b, c, s):
    """a = b + s c, as in STREAM"""
    for k in range(len(a)):
        a[k] = b[k] + s * c[k]


def triad_call(numbers: int) -> Callable[[], None]:
    """A call of the triad on three arrays."""
    a, b, c = (np.full(numbers, x) for x in (0.0, 1.0, 2.0))
    return lambda: triad(a, b, c, 3.0)


def triad_bandwidth(effort: Effort, numbers: int = LARGE) -> float:
    """Bytes a second of one core, 24 for each number, the best round: what is read and written, as STREAM counts."""
    return 24 * numbers / float(interleaved({"triad": triad_call(numbers)}, effort)["triad"].seconds.min())


def bytes_of(*arrays: Array) -> int:
    """Their size."""
    return sum(array.nbytes for array in arrays)


def matrix_bytes(B: BlockMatrix) -> int:
    """What a product reads of a matrix: entries, and where they are."""
    return bytes_of(B.data, B.column, B.place, B.first, B.rows, B.columns, B.width)


def product_bytes(A: Operator) -> int:
    """What a product must move: the matrices once, the vectors once, the velocities of the bodies written and read."""
    vectors = 3 * bytes_of(A.compliance)  # x, y and the compliance itself
    if A.is_factored:
        matrices = (A.J,) if A.T is A.J else (A.J, A.T)
        return sum(map(matrix_bytes, matrices)) + 2 * bytes_of(A.velocity) + vectors
    return matrix_bytes(A.N) + vectors


def measure(contacts: int, effort: Effort) -> list[Throughput]:
    """A packing with so many contacts, in both forms."""
    problem, found = packing(contacts), []
    for form in FORMS:
        solved = problem.assembled() if form == "matrix" else problem
        P, _ = prepare(solved, False)
        A, x, y = P.A, np.random.default_rng(0).normal(size=problem.size), np.zeros(problem.size)
        bounds = (0, problem.blocks, 0, len(A.velocity))
        size = product_bytes(A)
        calls: dict[str, Any] = {
            "product": lambda A=A, x=x, y=y, bounds=bounds: apply(A, x, y, *bounds),
            "triad": triad_call(size // 24),
        }
        times = interleaved(calls, effort)
        runs = [
            solve(
                problem, "ccp", "apgd", tol=UNREACHED, max_iterations=ITERATIONS, threads=1, separate=False, form=form
            )
            for _ in range(max(2, min(effort.rounds, 5)))
        ]
        run = min(runs, key=lambda result: result.stages[0].time)
        seconds, product = run.stages[0].time, times["product"].median
        found.append(
            Throughput(
                problem.blocks, form, problem.blocks * run.iterations / seconds, run.products / run.iterations, product,
                size, size / times["triad"].median, product * run.products / seconds,
            )
        )  # fmt: skip
    return found
