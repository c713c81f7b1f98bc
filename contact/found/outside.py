"""Python's part in a step: shapes that have no compiled kernel, and problems that its own solver does not solve.

A step calls one function by its address, with the place of its workspace and what is asked; there all pieces of the step are
found by the plan, as the step finds them.

Source: Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996), chapter 8, for impacts in two phases.
"""

from __future__ import annotations

import ctypes
import threading
from math import sqrt
from typing import Any

import numpy as np

from pluecker.articulated.running.arguments import Array
from pluecker.contact.errors import ProblemError
from pluecker.contact.found import layout
from pluecker.contact.found.plan import Plan, Room
from pluecker.contact.found.problem import REACH_OF_LIMITS
from pluecker.contact.found.sharing import ASKED
from pluecker.contact.found.step import THROWN
from pluecker.contact.friction.dense.contact_law import least_in_impact
from pluecker.contact.friction.problem.natural_map import ROUNDING
from pluecker.contact.friction.problem.operator import factored
from pluecker.contact.friction.problem.prepared import scales
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import DISCS, Sets
from pluecker.contact.friction.results.result import Result
from pluecker.contact.friction.solving.restitution import expanded, least_of_expansion
from pluecker.contact.friction.solving.solver import Solver
from pluecker.contact.friction.sparse.blocks import BlockMatrix, multiply_row, multiply_row_transposed
from pluecker.contact.geometry.finding import table
from pluecker.contact.geometry.finding.finder import Finder
from pluecker.contact.rows import layout as rows_layout
from pluecker.spatial.engine.compiled.decorators import entry_point
from pluecker.spatial.engine.parallel.callbacks import is_over, keep

__all__ = ["Outside", "Pieces"]

# What ``auto`` is asked for as a share of the accuracy, so that what it nearly reaches is good enough, and iterations: of
# what is small, which full matrices mostly solve at once and to many digits, and of what is not.
AIM_OF_SMALL, AIM, ITERATIONS = 0.1, 0.3, 40000
SMALL = 240  # multipliers: chosen, of problems that full matrices mostly solve at once, and to many digits
ATTEMPT = 300  # iterations in which what is small is solved, mostly in a few, or is looked at once more
# Compliance of contacts, beside what moves them, by which it is seen what they cannot do. That of soft engines (0.05 to
# 0.1): with 0.001 a thigh of 40 mm that is 28 mm in its robot's base is thrown out with 44 rad/s, and with this with 17.
YIELDING = 0.1
DEEP = 0.01  # of all velocities that were there, chosen: what parts more slowly is seldom what a large problem fails at
LACK = 0.5  # of the fastest parting that is asked for, chosen: where less lacks, it is tried in all iterations first
WITHIN = 1e-4  # of what is lacking: by more, so that rounding leaves what is possible possible
LOOKED_AT = layout.TABLE_NUMBERS, layout.IMPULSES, layout.SPEED, layout.SET_FRICTION, layout.ANSWER


class Pieces:
    """Pieces of the workspace of a step, arrays on its memory."""

    def __init__(self, plan: Plan, room: Room, place: int) -> None:
        self.starts = plan.piece_ends(room)
        self.memory = np.ctypeslib.as_array((ctypes.c_double * self.starts[-1]).from_address(place))

    def __getitem__(self, which: int) -> Array:
        return self.memory[self.starts[which] : self.starts[which + 1]]

    def integers(self, which: int) -> Any:
        """View a piece as integers."""
        return self[which].view(np.int64)


class Outside:
    """Function that the steps of a motion call.

    Attributes:
        plan: of the world.
        room: that steps have.
        needs: what they needed, and where the workspace of the last one is; they write there.
        threads: for problems that they do not solve.
    """

    def __init__(self, plan: Plan, threads: int | None = None) -> None:
        self.plan, self.threads, self.room = plan, threads, plan.room
        self.needs = np.zeros(layout.ROOM_SIZE, np.int64)
        self.seen: tuple[tuple[int, Room], tuple[Any, ...]] | None = None
        self.kept = threading.local()  # the states of a batch are shared among threads
        self.function = ASKED(self)
        self.address = ctypes.cast(self.function, ctypes.c_void_p).value or 0

    def __call__(self, what: float, place: int, *others: int) -> None:
        if not is_over():
            try:
                with np.errstate(all="ignore"):
                    (self.find, self.solve)[int(what)](Pieces(self.plan, self.room, place))
            except BaseException as error:  # it cannot go through compiled code
                keep(error)

    def last_table(self) -> tuple[Any, ...]:
        """View the contacts of the last step in its workspace, which often is that of the one before.

        Integers and numbers of the table; impulses, speeds, friction, and the answer.
        """
        place = self.needs.item(layout.LAST_STEP)
        if self.seen is None or self.seen[0] != (place, self.room):
            piece = Pieces(self.plan, self.room, place)
            self.seen = (place, self.room), (piece.integers(layout.TABLE_INTEGERS), *map(piece.__getitem__, LOOKED_AT))
        return self.seen[1]

    def packed_plan(self) -> Array:
        """Pack the plan, with as much room as there is."""
        return self.plan.pack(self.room, self.needs.ctypes.data, self.address)

    def grow(self) -> bool:
        """Make room for what steps needed; return whether there was too little."""
        needs = self.needs.tolist()
        if not any(n > has for n, has in zip(needs, self.room.numbers(), strict=False)):
            return False
        self.room = self.plan.room = self.room.grown(needs)
        return True

    def find(self, piece: Pieces) -> None:
        """Do what the search for contacts asks for, and say how it goes on: again, 1; no more, 0; without room, -1."""
        finder, answer = StepFinder(self, piece), piece[layout.ANSWER]
        again = finder.go_on(int(answer[layout.STATUS]), piece[layout.POSES], piece[layout.FAR])
        answer[layout.ERROR] = -1.0 if finder.lacking else float(again)

    def solve(self, piece: Pieces) -> None:
        """Solve the problem of a step, and write its impulses and the velocity."""
        task = Task(self, piece)
        r, error = task.impulses()
        piece[layout.IMPULSES][: len(r)] = r
        piece[layout.AFTER][:] = task.velocity(r)
        piece[layout.ANSWER][layout.ERROR] = error / self.plan.shapes.accuracy

    def solver(self, problem: Problem, aim: float, most: int, law: str) -> Solver:
        """Return a solver that is ready for the pattern, which is often that of the step before."""
        ready: dict[str, Solver] = self.kept.__dict__
        key = f"{aim} {most} {law}"
        solver = ready.get(key)
        if solver is not None:
            try:
                solver.update(problem)
                return solver
            except ProblemError:
                pass
        solver = Solver(problem, law, tol=aim, max_iterations=most, threads=self.threads)
        ready[key] = solver
        return solver


class StepFinder(Finder):
    """The search for contacts in the workspace of a step."""

    def __init__(self, outside: Outside, piece: Pieces) -> None:
        self.scene, self.outside, self.lacking = outside.plan.shapes.collision.scene, outside, False
        self.n, self.room, self.listed = len(self.scene.bodies), outside.room.contacts, outside.room.pairs
        self.work_f, self.work_i = piece[layout.FINDING_NUMBERS], piece.integers(layout.FINDING_INTEGERS)
        self.out_f, self.out_i = piece[layout.TABLE_NUMBERS], piece.integers(layout.TABLE_INTEGERS)

    def make_room(self, contacts: int, listed: int) -> None:
        """Record that a step needs more room."""
        needs, self.lacking = self.outside.needs, True
        needs[layout.NEEDS_CONTACTS] = max(needs[layout.NEEDS_CONTACTS], contacts)
        needs[layout.NEEDS_PAIRS] = max(needs[layout.NEEDS_PAIRS], listed)


class Task:
    """Problem of one step, and ways to solve it.

    Attributes:
        J, T: the rows, and these times A^-1.
        sets, least, moved, speed, offset, near, compliance: as the step has them.
    """

    def __init__(self, outside: Outside, piece: Pieces) -> None:
        self.outside, self.plan, plan = outside, outside.plan, outside.plan
        K, groups, m, blocks, numbers = piece.integers(layout.COUNTED)[:5].tolist()
        start, size = plan.ways.start, plan.size

        def part(which: int, n: int) -> Array:
            return piece[which][:n].copy()

        def indices(which: int, n: int) -> Any:
            return piece.integers(which)[:n].copy()

        rows, first = indices(layout.BLOCK_ROWS, groups + 1), indices(layout.BLOCK_FIRST, groups + 1)
        column, place = indices(layout.BLOCK_COLUMN, blocks), indices(layout.BLOCK_PLACE, blocks)
        widths, three = np.diff(start)[column], np.diff(rows) == 3
        owner, width = np.repeat(np.arange(groups), np.diff(first)), np.zeros(groups, np.int64)
        for n in (3, 6):
            other = np.bincount(owner[widths != n], minlength=groups)
            width[three & (other == 0) & (np.diff(first) > 0)] = n
        self.J = BlockMatrix(rows, start, first, column, place, part(layout.BLOCK_DATA, numbers), width)
        self.inverse = piece[layout.INVERSE].copy()
        self.T, roots = self.times_inverse(self.inverse), self.roots()
        self.G = None if roots is None else self.times_inverse(roots)
        discs = indices(layout.SET_SIZES, 3 * groups).reshape(-1, DISCS)
        friction = part(layout.SET_FRICTION, 3 * groups).reshape(-1, DISCS)
        self.sets = Sets(rows, discs, friction, part(layout.SET_LOWER, groups), part(layout.SET_UPPER, groups))
        self.least, self.moved, self.speed = (part(x, m) for x in (layout.LEAST, layout.MOVED, layout.SPEED))
        self.offset, self.compliance = part(layout.OFFSET, m), part(layout.COMPLIANCE, m)
        self.start, self.free = part(layout.IMPULSES, m), piece[layout.FREE].copy()
        self.normal = size * np.arange(K)
        answer, self.m = piece[layout.ANSWER], m
        self.fastest, self.asked = answer.item(layout.FASTEST), answer.item(layout.PARTING)
        self.hit = bool(answer[layout.HIT])
        self.near = self.nearer_limits()
        self.linear = np.zeros(m, bool)
        free = np.isinf(self.sets.lower) & np.isinf(self.sets.upper) & (discs[:, 0] == 0)
        self.linear[rows[:-1][free]] = True
        restitution = piece[layout.TABLE_NUMBERS][table.RESTITUTION * K : table.STIFFNESS * K]
        self.returned = np.zeros(groups)
        if plan.shapes.impacts == "poisson":
            self.returned[:K] = restitution
        self.add_returned(piece, groups, K)

    def nearer_limits(self) -> Array:
        """Return offsets in which limits are nearer that are far out of reach: errors are shares of the largest of them."""
        sets, near = self.sets, self.offset.copy()
        one_sided = (sets.lower == 0.0) & np.isinf(sets.upper) | np.isinf(sets.lower) & (sets.upper == 0.0)
        limits = sets.start[:-1][one_sided & (sets.sizes[:, 0] == 0)]
        far = REACH_OF_LIMITS * self.fastest
        near[limits] = np.clip(near[limits], -far, far)
        return near

    def add_returned(self, piece: Pieces, groups: int, K: int) -> None:
        """Add Poisson's coefficients of contacts of constraints."""
        owner, w = piece.integers(layout.OWNER), self.plan.packed.array
        place = int(w.view(np.int64)[rows_layout.ROWS])
        for g in range(K, groups):
            if self.sets.sizes[g, 0]:
                row = int(owner[self.sets.start[g]])
                self.returned[g] = w[place + rows_layout.ROW * row + rows_layout.ROW_RETURNED]

    def times_inverse(self, matrices: Array) -> BlockMatrix:
        """Multiply each block of J by the matrix of its tree."""
        J, ways, data = self.J, self.plan.ways, np.empty_like(self.J.data)
        times_trees(J.rows, J.first, J.column, J.place, J.data, ways.start, matrices, ways.square, data)
        return J._replace(data=data)

    def roots(self) -> Array | None:
        """Compute L of each tree with ``L L^T = A^-1``; None where rounding leaves none."""
        roots, ways = np.zeros_like(self.inverse), self.plan.ways
        return roots if factor_trees(self.inverse, ways.start, ways.square, roots) else None

    def velocity(self, r: Array) -> Array:
        """Compute the velocity at the end of the step with impulses, row by row of the trees."""
        after = self.free.copy()
        add_transposed(self.T, np.ascontiguousarray(r), after)
        return after

    def is_gentle(self, r: Array) -> bool:
        """Return whether velocities with these impulses are those of a motion."""
        end = np.zeros(self.m)
        times(self.J, self.velocity(r), end)
        fastest = np.abs(end + self.moved).max(initial=0.0)
        return bool(fastest <= THROWN * max(self.fastest, self.asked))

    def impulses(self) -> tuple[Array, float]:
        """Find impulses; return them, and the error.

        Contacts that are asked to part faster than their bodies can, or than is gentle, part as fast as these can.
        """
        plan, least = self.plan, self.least
        parting = self.normal[least[self.normal] > plan.shapes.accuracy * max(self.fastest, self.asked)]
        hidden = max(self.sets.friction[:, 0].max(initial=0.0), plan.mass_ratio) * ROUNDING > 1.0  # what could be found
        most = ATTEMPT if hidden else ITERATIONS
        first = ATTEMPT if self.m <= SMALL else most
        if (
            self.m > SMALL and self.asked > DEEP * self.fastest
        ):  # all iterations take minutes where there is no solution
            slower = self.possible()
            if (least[self.normal] - slower).max() > LACK * self.asked:
                self.ask(slower)
        r, error = self.obeyed(self.start, first)
        if len(parting) and error < np.inf and (error > plan.shapes.accuracy or not self.is_gentle(r)):
            slower = self.possible()
            if first < most and (least[self.normal] - slower).max() <= LACK * self.asked:
                r, error = self.obeyed(self.start, most)
            if not (error <= plan.shapes.accuracy and self.is_gentle(r)):
                self.ask(slower)  # impulses that were to do more than bodies can are no place to begin
                r, error = self.obeyed(np.zeros(self.m), most)
        elif first < most and error > AIM_OF_SMALL * plan.shapes.accuracy:
            r, error = self.obeyed(self.start, most)
        return r, error

    def ask(self, slower: Array) -> None:
        """Ask contacts to part more slowly."""
        for offset in (self.offset, self.near):
            offset[self.normal] += self.least[self.normal] - slower
        self.least[self.normal] = slower

    def obeyed(self, start: Array, most: int) -> tuple[Array, float]:
        """Find multipliers in so many iterations at most, with an impact before where there is one; and the error."""
        operator = factored(self.J, self.T, self.compliance, self.G)
        problem = Problem(operator, self.near, self.sets)
        if self.hit:
            return self.with_impact(problem, most)
        result = self.solved(problem, start, most)
        if result.multipliers[self.near != self.offset].any():  # a limit is reached that seemed to be out of reach
            result = self.solved(Problem(operator, self.offset, self.sets), result.multipliers, most)
        return result.multipliers, result.errors.largest

    def with_impact(self, problem: Problem, most: int) -> tuple[Array, float]:
        """Find the impulses of a step that an impact comes before, by Poisson's law, and the larger error of both problems.

        Compression is of the velocities before the step, and in it contacts do not more than part, rows without bounds keep
        the velocity that they have, and soft contacts have no impulses, as
        :mod:`~pluecker.contact.rows.ranges.impact_phases` has it. In the step contacts return at least their share.
        """
        first, zero = self.sets.start[:-1], np.zeros(self.m)
        asked = np.zeros(self.m)
        store_asked_in_impact(self.sets, self.least, asked)
        impact = Problem(problem.operator, np.where(self.linear, 0.0, self.speed - asked), self.sets)
        compression = self.solved(impact, zero, most)
        soft = np.repeat((self.compliance[first] > 0.0) & ~self.linear[first], np.diff(self.sets.start))
        r = np.where(soft, 0.0, compression.multipliers)
        p = least_of_expansion(self.sets, r, self.returned)
        r, expansion = expanded(problem, r, p, lambda second: self.solved(second, np.zeros(second.size), most))
        return r, float(np.maximum(compression.errors.largest, expansion.errors.largest))

    def possible(self) -> Array:
        """Compute least velocities along normals that bodies can have, ``(K,)``; m/s.

        Shapes that overlap across a joint, or in a slot that is too narrow, cannot part as fast as is asked for, or only by
        throwing their bodies. What is lacking is what contacts lack that yield a little, of bodies at rest, in the convex
        law: the velocities with which it is solved show that a solution of Coulomb's law exists.
        """
        normal, compliance = self.normal, self.compliance
        s = scales(factored(self.J, self.T, compliance, self.G), self.sets)[normal]
        yielding = np.zeros(self.m)
        yielding[normal] = np.where(compliance[normal] > 0.0, 0.0, YIELDING / s**2)
        law = "frictionless" if self.plan.shapes.law == "frictionless" else "ccp"
        problem = Problem(factored(self.J, self.T, compliance + yielding, self.G), self.moved - self.least, self.sets)
        solver = self.outside.solver(problem, AIM_OF_SMALL * self.plan.shapes.accuracy, ITERATIONS, law)
        return np.asarray((self.least - (1.0 + WITHIN) * yielding * solver.solve().multipliers)[normal])

    def solved(self, problem: Problem, start: Array, most: int) -> Result:
        """Solve a problem by ``auto``, from the start, in so many iterations at most."""
        aim = AIM_OF_SMALL if problem.size <= SMALL or self.plan.shapes.law == "lcp" else AIM
        solver = self.outside.solver(problem, aim * self.plan.shapes.accuracy, most, self.plan.shapes.law)
        return solver.solve(warm_start=start)


# ------------------------------------------------------------------------------------------------------------------ kernels


def store_asked_in_impact(K, least, asked):
    """Store what is asked of all rows in the first phase of an impact, from what is asked in the step"""
    for i in range(len(K.start) - 1):
        for k in range(K.start[i], K.start[i + 1]):
            asked[k] = least[k]
        if K.sizes[i, 0] > 0:
            asked[K.start[i]] = least_in_impact(least[K.start[i]])


def times(J, x, y):
    """Compute y = J x"""
    for i in range(len(J.rows) - 1):
        multiply_row(J, i, x, y)


def add_transposed(T, r, x):
    """Add T^T r to x"""
    for i in range(len(T.rows) - 1):
        multiply_row_transposed(T, i, r, x)


def factor_trees(matrices, start, square, roots):
    """Compute the Cholesky factor of the matrix of each tree; return whether all of them have one"""
    for t in range(len(start) - 1):
        n, A = start[t + 1] - start[t], square[t]
        for i in range(n):
            for j in range(i + 1):
                x = matrices[A + i * n + j]
                for k in range(j):
                    x -= roots[A + i * n + k] * roots[A + j * n + k]
                if j < i:
                    roots[A + i * n + j] = x / roots[A + j * n + j]
                elif x > 0.0:
                    roots[A + i * n + i] = sqrt(x)
                else:
                    return False
    return True


def times_trees(rows, first, column, place, data, start, matrices, square, out):
    """Multiply each block by the matrix of its tree"""
    for i in range(len(rows) - 1):
        for k in range(first[i], first[i + 1]):
            t, p = column[k], place[k]
            n, q = start[t + 1] - start[t], square[t]
            for a in range(rows[i + 1] - rows[i]):
                for c in range(n):
                    x = 0.0
                    for d in range(n):
                        x += data[p + a * n + d] * matrices[q + d * n + c]
                    out[p + a * n + c] = x


store_asked_in_impact = entry_point(store_asked_in_impact)
times = entry_point(times)
add_transposed = entry_point(add_transposed)
factor_trees = entry_point(factor_trees)
times_trees = entry_point(times_trees)
