"""How many contacts a second one iteration after the other gets through, how many bytes that is, and what memory allows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

from benchmarks.contact.problems import packing
from benchmarks.contact.report import ContactReport
from benchmarks.measuring.report import Bars, Report, seconds
from benchmarks.measuring.timing import Effort, interleaved, progress
from pluecker.contact.friction.first_order.apgd import run_apgd
from pluecker.contact.friction.first_order.lanes import FIXED, Layout, lay_out, run_large
from pluecker.contact.friction.first_order.memory import ITERATIONS as ITERATED
from pluecker.contact.friction.first_order.memory import PRODUCTS, Memory, make_memory
from pluecker.contact.friction.problem.prepared import Prepared, prepare
from pluecker.contact.friction.sparse.blocks import BlockMatrix
from pluecker.spatial.engine.compiled.decorators import OPTIONS
from pluecker.spatial.functions.elementwise import Array

__all__ = ["throughput"]

WAYS = ("apgd, matrix", "apgd, factors", "pgs, factors, eight contacts at a time")
ITERATIONS = 200
RATE = 20.0  # wanted: million contact-iterations a second
LARGE = 16_000_000  # numbers in each array of the triad, more than any cache holds
UNREACHED = 1e-300  # a tolerance, so that all iterations are made
WORD = 8
# Vectors of multipliers that an iteration reads or writes, one by one. Both passes read x, x-, N x, N x- and b; the first
# writes x+, the second reads it and writes N x+. Contact by contact there is one more place, written and read.
STEPPED, LOOKED, BESIDE = 6, 7, 2
READ_AND_WRITTEN = 9  # rows of a group in a sweep without momentum: b and x are read, x is written


@dataclass(frozen=True)
class Bytes:
    """Bytes that an iteration must move.

    Attributes:
        matrices: entries of N, or of J and J M^-1.
        places: of the blocks, their columns and where these begin.
        vectors: of multipliers, and of what the operator makes of them.
        rest: coefficients, scales and shifts of contacts, velocities of bodies.
    """

    matrices: int
    places: int
    vectors: int
    rest: int

    @property
    def total(self) -> int:
        """Sum of all of them."""
        return self.matrices + self.places + self.vectors + self.rest


@dataclass(frozen=True)
class Throughput:
    """One problem, one way.

    Attributes:
        contacts: their number.
        way: the method, how N is held, and how contacts are taken.
        rate: contacts times iterations a second, of the compiled loop, the best run.
        seconds: of one iteration.
        size: bytes that an iteration must move.
        bandwidth: bytes a second that a triad on as many bytes moves.
    """

    contacts: int
    way: str
    rate: float
    seconds: float
    size: Bytes
    bandwidth: float

    @property
    def reached(self) -> float:
        """The part of the bandwidth that an iteration reaches."""
        return self.size.total / self.seconds / self.bandwidth


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
    """Return the size of arrays in bytes."""
    return sum(array.nbytes for array in arrays)


def places_of(B: BlockMatrix) -> int:
    """Return the bytes of the places of a matrix's blocks."""
    return bytes_of(B.column, B.place, B.first, B.rows, B.columns, B.width)


def bytes_one_by_one(P: Prepared) -> Bytes:
    """Count the bytes of an iteration that takes contact by contact: with factors each pass reads one of them."""
    A, K, vector = P.A, P.K, bytes_of(P.b)
    matrices = (A.J, A.T) if A.is_factored else (A.N,)
    each_pass = bytes_of(K.start, K.friction, P.s) + WORD * (len(K.start) - 1)  # and the shift
    return Bytes(
        sum(B.data.nbytes for B in matrices), sum(places_of(B) for B in matrices), (STEPPED + LOOKED + BESIDE) * vector,
        2 * each_pass + 3 * bytes_of(A.velocity),
    )  # fmt: skip


def bytes_in_groups(laid: Layout) -> Bytes:
    """Count the bytes of a sweep of eight contacts at a time: velocities of bodies are read and written at each contact."""
    G = laid.groups
    each_row = len(G.sides) * WORD
    return Bytes(
        bytes_of(G.J) if G.J is G.T else bytes_of(G.J, G.T), bytes_of(G.sides), READ_AND_WRITTEN * each_row,
        FIXED * each_row + 2 * 8 * WORD * G.bodies,
    )  # fmt: skip


def timed(run: Callable[[Memory, Array, Array], object], P: Prepared, rounds: int) -> tuple[float, int, int]:
    """Seconds of the best run from zero, its iterations and products."""
    found = []
    for _ in range(rounds):
        memory, x, u = make_memory(len(P.b), 1, np.zeros(0)), np.zeros(len(P.b)), P.b.copy()
        began = time.perf_counter()
        run(memory, x, u)
        found.append((time.perf_counter() - began, int(memory.results[0, ITERATED]), int(memory.results[0, PRODUCTS])))
    return min(found)


def measure(contacts: int, effort: Effort) -> list[Throughput]:
    """A packing with so many contacts, in one island."""
    problem, found = packing(contacts), []
    for way in WAYS:
        P, _ = prepare(problem.assembled() if way == WAYS[0] else problem, False)
        laid = lay_out(P, 0) if way == WAYS[2] else None

        def run(memory: Memory, x: Array, u: Array, P: Prepared = P, laid: Layout | None = laid) -> None:
            if laid is None:
                run_apgd(P, 0, x, u, UNREACHED, ITERATIONS, memory, 0, 1)
            else:
                run_large(P, 0, x, u, UNREACHED, ITERATIONS, memory, 0, laid)

        seconds, iterations, products = timed(run, P, max(2, min(effort.rounds, 7)))
        size = bytes_one_by_one(P) if laid is None else bytes_in_groups(laid)
        triad = interleaved({"triad": triad_call(size.total // 24)}, effort)["triad"].median
        rate = problem.blocks * iterations / seconds
        found.append(Throughput(problem.blocks, way, rate, seconds / products, size, size.total / triad))
    return found


def throughput(effort: Effort, quick: bool, report: ContactReport) -> Report:
    """Contact-iterations a second on large packings."""
    table = Report(
        "contact_throughput", "Contacts times iterations a second: apgd and sweeps on one core",
        f"Random packings of spheres, {ITERATIONS} iterations, all in one island. The operator N of `u = N r + b` is held "
        "as a matrix, or as its factors: the Jacobian J and M^-1 J'. Sweeps take eight contacts at a time in islands of 200 "
        "and more.",
        ["contacts, way", "million contact-iterations / s", "an iteration", "bytes an iteration, each contact", "matrices",
         "places", "vectors", "rest", "bandwidth, as many bytes", "of it reached"],
    )  # fmt: skip
    counts = (2000,) if quick else (10_000, 30_000)
    found = [t for count in progress(counts, "rate") for t in measure(count, effort)]
    for t in found:
        size = t.size
        parts = [
            f"{part / t.contacts:.0f}" for part in (size.total, size.matrices, size.places, size.vectors, size.rest)
        ]
        table.rows.append(
            [f"{t.contacts}, {t.way}", f"{1e-6 * t.rate:.2f}", seconds(t.seconds), *parts, f"{1e-9 * t.bandwidth:.1f} GB/s",
             f"{100 * t.reached:.0f} %"]
        )  # fmt: skip
    table.charts = [
        Bars([f"{t.contacts} contacts, {t.way}" for t in found],
             {"an iteration": [1e-6 * t.rate for t in found]}, "million contacts times iterations, a second", RATE,
             f"aimed at: {RATE:g}", "longer is better; N is the operator of u = N r + b"),
    ]  # fmt: skip
    large = triad_bandwidth(effort, 1_000_000 if quick else 16_000_000)
    table.notes += [
        f"Bandwidth: a compiled triad a = b + s c on as many bytes as the iteration moves, 24 for each number; from memory "
        f"alone, on arrays that no cache holds, it is {1e-9 * large:.1f} GB/s.",
        "An iteration must read its matrices and where their blocks are, and read and write vectors of multipliers in two "
        "passes; with factors it must write and read the velocities of all bodies. The rate is that of the compiled loop "
        "without preparation, the best of a few runs, as STREAM counts: neighbours on a shared machine only make it less.",
    ]
    best = {t.contacts: max(1e-6 * s.rate for s in found if s.contacts == t.contacts) for t in found}
    for contacts, value in best.items():
        words = f"million contact-iterations a second, {contacts} contacts, the fastest way"
        report.target(words, RATE, value, at_least=True)
    return table
