"""The rest of a step once its smooth part is known: contacts found, impulses that obey the law, and the new state.

    A (v+ - v_free) = J^T r        u = J v+ + what surfaces move        r, u - least obey the law of each contact and row

Contacts are found in the configuration at the beginning of the step, as far as bodies come in it: with the velocities before
it, with v_free, and where impulses make them faster than both, once more with these. Impulses begin with those of
the step before, found by the contacts' names; where these solve the problem still, they are taken as they are.

Sources: Moreau (1999); Stewart, Trinkle (1996); Anitescu, Potra (1997).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from pluecker.articulated.model import layout
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.contact.errors import ProblemError
from pluecker.contact.friction.problem.natural_map import ROUNDING
from pluecker.contact.friction.problem.operator import factored
from pluecker.contact.friction.problem.prepared import scales
from pluecker.contact.friction.problem.problem import Problem
from pluecker.contact.friction.problem.sets import Sets
from pluecker.contact.friction.results.result import Result
from pluecker.contact.friction.solving.solver import Solver
from pluecker.contact.friction.sparse.blocks import BlockMatrix, Indices
from pluecker.contact.geometry.collision import Collision, Contacts
from pluecker.contact.piles.blocks import (
    add_transposed,
    contact_matrix,
    frames_of,
    joined,
    roots_of,
    sets_of,
    size_of,
    times,
    times_inverse,
)
from pluecker.contact.piles.constraint_rows import ConstraintRows, row_table, rows_of_constraints
from pluecker.contact.piles.impacts import impulses_with_impact
from pluecker.contact.piles.jacobian import links_of_bodies, ways_of
from pluecker.contact.piles.laws import are_hit, friction_in_force, least_velocity, softness_of
from pluecker.contact.piles.moves import move, move_along_rows
from pluecker.contact.piles.places import counts_of, kept_numbers, pieces_of, placements_of
from pluecker.contact.piles.reach import reach_of
from pluecker.contact.piles.warm_start import NOTHING, Remembered, remembered_forces
from pluecker.contact.rows.packing import Packed

__all__ = ["PileStep", "Touch"]

SPARE = 1.25  # chosen: of the way that velocities without impulses lead, so that most steps look for contacts once
# What ``auto`` is asked for as a share of the accuracy, so that what it nearly reaches is good enough, and iterations: of
# what is small, which full matrices mostly solve at once and to many digits, and of what is not.
AIM_OF_SMALL, AIM, ITERATIONS = 0.1, 0.3, 40000
# What is small, and is solved by the impulses of the step before, but not to that share of the accuracy, gets more digits of
# them, in so many iterations: not fewer, for which full matrices are left out. Measured: a box in a gripper moves by
# 6e-11 m in 100 s then, and by 4e-7 m in 2 s without, for what is pressed together is about to buckle, and turns on as long
# as its impulses are taken as they are. Small piles that fall and settle take a tenth more time.
POLISH, POLISHING = 1e-5, 300
SMALL = 240  # multipliers: chosen, of problems that full matrices mostly solve at once, and to many digits
FAR = 10.0  # times the largest velocity of a row: limits that are farther away are not reached, or looked at once more
ATTEMPT = POLISHING  # iterations in which what is small is solved, mostly in a few, or is looked at once more
THROWN = 10.0  # times the largest velocity that was there or is asked for, chosen: impulses seldom make faster ones
# Compliance of contacts, beside what moves them, by which it is seen what they cannot do. That of soft engines (0.05 to
# 0.1): with 0.001 a thigh of 40 mm that is 28 mm in its robot's base is thrown out with 44 rad/s, and with this with 17.
YIELDING = 0.1
DEEP = 0.01  # of all velocities that were there, chosen: what parts more slowly is seldom what a large problem fails at
LACK = 0.5  # of the fastest parting that is asked for, chosen: where less lacks, it is tried in all iterations first
WITHIN = 1e-4  # of what is lacking: by more, so that rounding leaves what is possible possible
SEARCHES = 4  # for contacts in one step, at most


def nearer_limits(offset: Array, before: Array, free: Array, sets: Sets) -> Array:
    """Cut the offsets of limits that are far out of reach: errors are shares of the largest of them."""
    first = sets.start[:-1]
    ends = (sets.lower == 0.0) & np.isinf(sets.upper) & (sets.sizes[:, 0] == 0)
    ends |= (sets.upper == 0.0) & np.isinf(sets.lower)
    reach = FAR * max(float(np.abs(before).max(initial=0.0)), float(np.abs(free).max(initial=0.0)))
    near = offset.copy()
    near[first[ends]] = np.clip(offset[first[ends]], -reach, reach)
    return near


@dataclass(frozen=True, eq=False)
class Touch:
    """Contacts of a step, with their forces.

    Attributes:
        found: the contacts, in the configuration at the beginning of the step.
        force, moment: on the second body, mean over the step, ``(K, 3)``; world axes, N and N m.
        slip: velocity of the second body against the first one at the point, at the end of the step, ``(K, 3)``; m/s.
        friction: Coulomb's coefficient that was in force, ``(K,)``.
        result: of the solver; None where nothing touched and no row was there.
    """

    found: Contacts
    force: Array
    moment: Array
    slip: Array
    friction: Array
    result: Result | None


@dataclass(eq=False)
class PileStep:
    """Steps of one world, one after the other.

    Attributes:
        model: without dry friction, which is rows.
        packed: the constraints.
        collision: the colliders.
        law: of contacts.
        impacts: the law of impacts, ``newton`` or ``poisson``.
        recovery, recovery_speed: at which rate depths are undone, and at most at which speed; 1/s and m/s.
        accuracy: that is tolerated of the law, as ``tol`` of :func:`~pluecker.contact.solve`; a tenth is aimed at.
        threads: for islands.
        remembered: forces of the contacts of the step before.
        touch: what touched in the last step.
        every: of so many steps what touched in the first one is kept; none if 0.
        kept: what touched in these, a list, or what they are appended to as to one.
    """

    model: Model
    packed: Packed
    collision: Collision
    law: str
    impacts: str
    recovery: float
    recovery_speed: float
    accuracy: float
    threads: int | None = None
    remembered: Remembered = NOTHING
    touch: Touch | None = None
    every: int = 0
    kept: Any = field(default_factory=list)
    taken: int = 0
    ready: dict[tuple[float, int, str], Solver] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.ways, self.links = ways_of(self.model), links_of_bodies(self.model)
        self.counts = counts_of(self.packed.array)
        self.places = pieces_of(self.model, self.counts)
        self.table = row_table(self.packed, self.ways) if self.packed.n_rows else None
        self.size = size_of(self.collision.rows)
        masses = self.model.links[:, layout.INERTIA]
        masses = masses[masses > 0.0]
        self.masses = masses.max(initial=1.0) / masses.min(initial=masses.max(initial=1.0))
        self.memory = max(place.stop for place in self.places.values())

    def finish(self, h: float, q: Array, v: Array, free: Array, memory: Array) -> tuple[Array, Array, float]:
        """Compute the state at the end of the step, and the error as a share of what is tolerated.

        Args:
            h: the step; s.
            q, v: the state at its beginning.
            free: the velocity at its end without impulses.
            memory: what the smooth part has found, whose first numbers last, and are changed.
        """
        with np.errstate(all="ignore"):  # of motions that have run away, whose errors are not finite
            return self.finished(h, q, v, free, memory)

    def finished(self, h: float, q: Array, v: Array, free: Array, memory: Array) -> tuple[Array, Array, float]:
        """Compute what :meth:`finish` returns; what overflows is infinite or NaN."""
        piece = {name: memory[where] for name, where in self.places.items()}
        X, C, order = piece["links"], piece["columns"], self.ways.v
        rows = self.rows(piece)
        T = self.collision.on_bodies(placements_of(X, self.links))
        before, x = v[order], free[order]
        far = SPARE * np.maximum(*(self.reach(T, h, y, X, C) for y in (before, x)))
        roots = roots_of(piece["inverse"], self.ways)
        found = self.collision.find_placed(T, far)
        begun = self.remembered
        for _ in range(SEARCHES):
            after, error, impulses = self.solve(h, before, x, found, rows, piece, roots, begun)
            self.remember()
            now, seen = self.reach(T, h, after, X, C), found
            if not (now > far).any():
                break
            far = np.maximum(far, SPARE * now)
            found = self.collision.find_placed(T, far)
            if len(found) == len(seen):  # more reach finds what less reach found, and more
                break
        v_end = np.empty_like(v)
        v_end[order] = after
        moments = piece["moments"]
        if rows is None:
            memory[0] += h
            return *move(self.model, h, q, v_end, moments), error
        last = kept_numbers(self.counts)
        rates = self.linear_rates(after, piece["jacobian"])
        q1, v1, kept, gap = move_along_rows(self.model, self.packed, h, q, v_end, moments, memory[:last].copy(), rates)
        memory[:last] = kept
        memory[self.places["impulses"]] = impulses
        return q1, v1, max(error, gap) if gap == gap else gap

    def rows(self, piece: dict[str, Array]) -> ConstraintRows | None:
        """Return the rows of the constraints; None where there are none."""
        if self.table is None:
            return None
        names = ("jacobian", "compliance", "asked", "laws", "softness")
        return rows_of_constraints(self.table, *(piece[name] for name in names))

    def reach(self, T: Array, h: float, v: Array, X: Array, C: Array) -> Array:
        """Compute how far colliders come with a velocity, row by row."""
        return reach_of(self.collision, T, h, v, self.ways, X, C)

    def solve(
        self, h: float, before: Array, free: Array, found: Contacts, rows: ConstraintRows | None,
        piece: dict[str, Array], roots: Array | None, begun: Remembered,
    ) -> tuple[Array, float, Array]:  # fmt: skip
        """Compute the velocity with impulses, row by row, the error, and the impulses along the rows of constraints.

        ``begun`` is what was remembered as the step began.
        """
        K, size = len(found), self.size
        impulses = np.zeros(self.counts.rows)
        if not K and (rows is None or not len(rows.heights)):
            none = np.zeros((0, 3))
            self.touch, self.remembered = Touch(found, none, none, none, np.zeros(0), None), NOTHING
            return free, 0.0, impulses
        frames, links = frames_of(found.normal), (piece["links"], piece["columns"])
        J = joined(contact_matrix(found.bodies, frames, found.point, size, self.ways, *links), rows)
        T = times_inverse(J, piece["inverse"], self.ways)
        G = None if roots is None else times_inverse(J, roots, self.ways)
        m = int(J.rows[-1])
        b, speed = np.zeros(m), np.zeros(m)
        times(J, free, b)
        times(J, before, speed)
        moved, least = np.zeros(m), np.zeros(m)
        own = np.arange(0, size * K, size)[:, None] + np.arange(3)
        moved[own] = np.einsum("kij,kj->ki", frames, found.surface_velocity)
        u = b + moved
        normal, poisson = own[:, 0], self.impacts == "poisson"
        along = (speed + moved)[normal], u[normal]
        least[normal] = least_velocity(found, h, self.recovery, self.recovery_speed, *along, poisson)
        hit = poisson and bool(are_hit(found, h, *along).any())
        compliance, linear = np.zeros(m), np.zeros(m, bool)
        compliance[normal] = softness_of(found, h)
        returned = found.restitution if poisson else np.zeros(K)
        if rows is not None:
            least[size * K :], compliance[size * K :] = rows.asked, rows.compliance
            linear[size * K :], hit = rows.row < self.counts.linear, hit or rows.hit
            returned = np.concatenate([returned, rows.returned])
        friction = found.friction.copy()
        friction[:, 0] = friction_in_force(found, frames, (speed + moved)[own[:, 1:]], begun)
        sets, operator = sets_of(friction, size, rows), factored(J, T, compliance, G)
        start = np.zeros(m)
        old = h * remembered_forces(found, self.remembered)
        start[own] = np.einsum("kij,kj->ki", frames, old[:, :3])
        if size > 3:
            turned = np.einsum("kij,kj->ki", frames, old[:, 3:])
            for a in range(3, size):
                start[own[:, 0] + a] = turned[:, (a - 2) % 3]
        if rows is not None:
            start[size * K :] = np.where(linear[size * K :], piece["impulses"][rows.row], 0.0)

        def obeyed(start: Array, most: int) -> tuple[Array, Result, float]:
            """Multipliers, what the solver found, and the error, of what is asked for as it stands"""
            offset = u - least
            near = nearer_limits(offset, speed, u, sets)
            problem, found = Problem(operator, near, sets), partial(self.solved, most=most)
            if hit:
                return impulses_with_impact(problem, speed + moved, least, linear, returned, found)
            result = found(problem, start)
            if result.multipliers[near != offset].any():  # a limit is reached that seemed to be out of reach
                result = found(Problem(operator, offset, sets), result.multipliers)
            return result.multipliers, result, result.errors.largest

        def moved_by(r: Array) -> tuple[Array, Array, bool]:
            """The velocity with multipliers, that of all rows, and whether they are those of a motion"""
            after, end = free.copy(), np.zeros(m)
            add_transposed(T, np.ascontiguousarray(r), after)
            times(J, after, end)
            end += moved
            return after, end, bool(np.abs(end[: size * K]).max(initial=0.0) <= THROWN * max(fastest, asked))

        fastest, asked = max(np.abs(x).max(initial=0.0) for x in (u, speed + moved)), least[normal].max(initial=0.0)
        parting = normal[least[normal] > self.accuracy * max(fastest, asked)]
        hidden = max(friction.max(initial=0.0), self.masses) * ROUNDING > 1.0  # rounding hides what a solver could find
        most = ATTEMPT if hidden else ITERATIONS
        first = ATTEMPT if m <= SMALL else most
        if m > SMALL and asked > DEEP * fastest:  # all iterations take minutes where there is no solution
            slower = self.possible(J, T, G, compliance, sets, least, moved, normal)
            if (least[normal] - slower).max() > LACK * asked:
                least[normal] = slower
        r, result, error = obeyed(start, first)
        after, end, gentle = moved_by(r)
        if len(parting) and error < np.inf and (error > self.accuracy or not gentle):
            slower = self.possible(J, T, G, compliance, sets, least, moved, normal)
            if first < most and (least[normal] - slower).max() <= LACK * asked:
                r, result, error = obeyed(start, most)
                after, end, gentle = moved_by(r)
            if not (error <= self.accuracy and gentle):
                least[normal] = slower
                r, result, error = obeyed(start, most)
                after, end, _ = moved_by(r)
        elif first < most and error > AIM_OF_SMALL * self.accuracy:
            r, result, error = obeyed(start, most)
            after, end, _ = moved_by(r)
        force = np.einsum("kij,ki->kj", frames, r[own]) / h
        moment = np.zeros((K, 3))
        for a in range(3, size):
            moment += r[own[:, 0] + a][:, None] * frames[:, (a - 2) % 3] / h
        slip = np.einsum("kij,ki->kj", frames, end[own])
        self.touch = Touch(found, force, moment, slip, friction[:, 0], result)
        if rows is not None:
            np.add.at(impulses, rows.row, r[size * K :])
        return after, error / self.accuracy, impulses

    def possible(
        self, J: BlockMatrix, T: BlockMatrix, G: BlockMatrix | None, compliance: Array, sets: Sets, least: Array,
        moved: Array, normal: Indices,
    ) -> Array:  # fmt: skip
        """Least velocities along normals that bodies can have, ``(K,)``; m/s.

        Shapes that overlap across a joint, or in a slot that is too narrow, cannot part as fast as is asked for, or only by
        throwing their bodies. What is lacking is what contacts lack that yield a little, of bodies at rest, in the convex
        law: the velocities with which it is solved show that a solution of Coulomb's law exists.
        """
        s, yielding = scales(factored(J, T, compliance, G), sets)[normal], np.zeros(len(least))
        yielding[normal] = np.where(compliance[normal] > 0.0, 0.0, YIELDING / s**2)
        law = "frictionless" if self.law == "frictionless" else "ccp"
        problem = Problem(factored(J, T, compliance + yielding, G), moved - least, sets)
        r = self.solver(problem, AIM_OF_SMALL * self.accuracy, ITERATIONS, law).solve().multipliers
        return np.asarray((least - (1.0 + WITHIN) * yielding * r)[normal])

    def solved(self, problem: Problem, start: Array, most: int) -> Result:
        """Solve a problem by ``auto``, from the start, in so many iterations at most."""
        small = problem.size <= SMALL
        aim = AIM_OF_SMALL if small or self.law == "lcp" else AIM
        best = self.solver(problem, aim * self.accuracy, most, self.law).solve(warm_start=start)
        if small and best.iterations == 0 and best.errors.largest > POLISH * self.accuracy:
            solver = self.solver(problem, POLISH * self.accuracy, POLISHING, self.law)
            found = solver.solve(warm_start=best.multipliers)
            best = found if found.errors.largest < best.errors.largest else best
        return best

    def solver(self, problem: Problem, aim: float, most: int, law: str) -> Solver:
        """Return a solver that is ready for the pattern, which is often that of the step before."""
        solver = self.ready.get((aim, most, law))
        if solver is not None:
            try:
                solver.update(problem)
                return solver
            except ProblemError:
                pass
        solver = Solver(problem, law, tol=aim, max_iterations=most, threads=self.threads)
        self.ready[aim, most, law] = solver
        return solver

    def remember(self) -> None:
        """Remember the forces that were found last, from which the next search begins."""
        touch = self.touch
        assert touch is not None
        found, acting = touch.found, (touch.force != 0.0).any(axis=1)
        names = np.concatenate([found.colliders, found.feature[:, None]], axis=1)[acting]
        self.remembered = Remembered(names, np.concatenate([touch.force, touch.moment], axis=1)[acting])

    def remembered_now(self) -> Remembered:
        """Return the forces from which the next search begins."""
        return self.remembered

    def go_back(self, remembered: Remembered) -> None:
        """Go back to the forces that were remembered then."""
        self.remembered = remembered

    def keep(self) -> None:
        """Keep the contacts of the last step, if its turn is to be kept; of a step in pieces, those of the last piece."""
        assert self.touch is not None
        if self.every and self.taken % self.every == 0:
            self.kept.append(self.touch)
        self.taken += 1

    def linear_rates(self, v: Array, jacobian: Array) -> Array:
        """Compute J v of all linear rows, those included that hold nothing."""
        assert self.table is not None
        n = self.counts.linear
        own = self.table.owner < n
        return np.bincount(self.table.owner[own], (jacobian * v[self.table.column])[own], n).astype(np.float64)
