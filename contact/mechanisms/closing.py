"""The nearest configuration in which the constraints of a world hold.

    minimise  1/2 d^T M d,  d = from the given configuration to q        subject to  phi(q) = 0,  lower <= psi(q) <= upper

M is the inertia matrix in the given configuration: what has to be moved farther weighs less. First a configuration in which
everything holds is looked for, by the steps of Levenberg and Marquardt on the errors, each the smallest one in M; it may be
far away. From there, steps of sequential quadratic programming lead to the nearest one, each followed by the way back onto
the constraints, until the direction to the start is one that these forbid. They know the curvature of the constraints, and
so converge quadratically.

Axes that are to be parallel have no error where they point against each other either. So an error of theirs is continued
beyond a right angle, to 2 where they are turned around, and a result is looked at for axes that are.

This is the nearest configuration around the one that is found first; where there are many, another may be nearer.

Sources: Nocedal, Wright, *Numerical optimization* (2006), sections 10.3 and 18.1; Haug, *Computer-aided kinematics and
dynamics of mechanical systems* (1989), section 4.4, for positions of closed loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.algorithms.configuration.integrate import difference, integrate
from pluecker.articulated.algorithms.inertia.crba import crba
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.checks import names_in, plain_number
from pluecker.contact.errors import ClosureError, ConstraintError
from pluecker.contact.instants.motions_at import motions_at
from pluecker.contact.instants.rows_at import ROWS_AT
from pluecker.contact.mechanisms.closing_steps import (
    ACROSS,
    DAMPED,
    FIRST,
    GAIN,
    ITERATIONS,
    LARGEST_DAMPING,
    LEAST,
    LONGEST,
    NEAREST,
    PROBE,
    ROUNDED,
    SLACK,
    SLOWEST,
    Found,
    Laws,
    Pairs,
    Rows,
    Searched,
    bend_metric,
    damping_after,
    measure_errors,
    reach_errors,
    step_within_limits,
)
from pluecker.contact.mechanisms.constrained import Constrained, Flags
from pluecker.contact.mechanisms.errors_at import rows_at
from pluecker.contact.mechanisms.running import called, run
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError, PlueckerError, shown
from pluecker.spatial.functions.arguments import as_numbers
from pluecker.spatial.properties import cached_property

__all__ = ["Closed", "close_world"]

STARTS = 100  # the given configuration, some around it, farther and farther away, and others anywhere
AROUND = 4  # chosen: so many starts are around it. Of a seven-joint arm one start in three leads to a pose
SINGULAR = DAMPED  # of the largest: directions in which the constraints say no more
SMALL = 30_000  # rows, times coordinates squared: where steps are compiled, which NumPy's products of matrices overtake


@by_value()
class Closed(NamedTuple):
    """State in which the constraints of a world hold.

    Attributes:
        configuration: ``(nq,)``.
        velocity: the nearest one that the constraints allow, ``(nv,)``.
        residual: the largest error of a row that is left; m or rad.
    """

    configuration: Array
    velocity: Array
    residual: float


@dataclass
class Point:
    """Configuration with the errors there.

    Attributes:
        q: configuration; ahead: the Jacobians a small step ahead in each coordinate, ``(n, r, n)``, where they are known.
        values, jacobian: of all rows, phi and its gradient by the coordinates that may move.
        errors: of rows that hold and of limits, zero elsewhere.
        size: of the errors, the root of the sum of their squares.
        worst: the largest error of a row, and which row it is.
    """

    q: Array
    values: Array
    jacobian: Array
    errors: Array
    size: float
    worst: tuple[float, int]
    ahead: Array | None = None


class Metric:
    """A positive definite matrix and its inverse, which is computed when it is asked for, if it is not given."""

    def __init__(self, matrix: Array, inverse: Array | None = None) -> None:
        self.matrix = matrix
        if inverse is not None:
            self.inverse = inverse

    @cached_property
    def inverse(self) -> Array:
        """Of the matrix."""
        return np.ascontiguousarray(np.linalg.inv(self.matrix))


def metric_of(H: Array) -> Array:
    """Return an inertia matrix as a metric, which has no unit: its largest diagonal entry is one."""
    largest = np.diagonal(H).max(initial=0.0)
    return H / largest if 0.0 < largest < np.inf else H


def regular(H: Array) -> Array:
    """An inertia matrix with so much on its diagonal that what moves next to nothing does not make it singular."""
    found = np.array(H)
    d = found.reshape(-1)[:: len(H) + 1]
    d += SINGULAR * (d + d.max(initial=1.0))
    return found


class Closing:
    """Search of the nearest configuration for one world and one given configuration."""

    def __init__(self, world: Constrained, q: Array, fixed: Flags, time: float) -> None:
        self.world, self.model, self.start = world, world.model, q
        self.laws = world.once(Laws)
        self.time, self.still = time, np.zeros(self.model.nv)
        self.asked = motions_at(world.prescribed, world.n_rows, np.asarray(time)).value
        self.moving = np.flatnonzero(~fixed)
        self.turning = self.laws.turning[self.moving]
        self.partly = len(self.moving) < self.model.nv
        n, r = len(self.moving), len(self.asked)
        self.small = 0 < r * n * n <= SMALL
        self.none = np.zeros(n)
        self.metric = Metric(regular(metric_of(crba(self.model, q)[np.ix_(self.moving, self.moving)])))
        self.M = self.metric.matrix

    @cached_property
    def memory(self) -> Searched:
        """Data that compiled steps read, and their workspace."""
        return self.laws.searched(self.asked, self.moving)

    @cached_property
    def loose(self) -> Flags:
        """Entries of q that belong to joints that may move, ``(nq,)``."""
        fixed = np.ones(self.model.nv, dtype=np.bool_)
        fixed[self.moving] = False
        return loose_coordinates(self.model, fixed)

    # ---------------------------------------------------------------------------------------------------------- errors

    def at(self, q: Array) -> Point:
        """The errors in a configuration."""
        laws, flips, r = self.laws, self.laws.flips, len(self.asked)
        values, J, errors = np.empty(r), np.empty((r, len(self.moving))), np.empty(r)
        numbers = np.concatenate([part.reshape(-1) for part in self.rows(q)])
        found = Found(numbers, self.asked, laws.place, self.moving)
        pairs = Pairs(flips.placements(q), flips.frames, flips.axes, flips.rows)
        size, worst, k = measure_errors(found, pairs, Rows(J, values, errors, laws.numbers))
        return Point(q, values, J, errors, size, (worst, k))

    def rows(self, q: Array) -> tuple[Array, Array, Array]:
        """Compute error, Jacobian and bias of all rows; rows are in the order that kernels have."""
        try:
            found: tuple[Array, Array, Array] = run(self.world, ROWS_AT, (q, self.still))
        except ArgumentValueError:
            rows_at(self.world, q, time=self.time)  # says what is wrong
            raise
        return found

    def rows_ahead(self, q: Array) -> Array:
        """Compute the Jacobians of all rows by the coordinates that may move, a small step ahead in each, ``(n, r, n)``."""
        n = len(self.moving)
        steps = np.zeros((n, self.model.nv))
        steps[np.arange(n), self.moving] = PROBE
        J = self.rows(integrate(self.model, np.broadcast_to(q, (n, len(q))), steps))[1]
        return np.ascontiguousarray(J[:, self.laws.place[:, None], self.moving])

    def moved(self, q: Array, step: Array) -> Array:
        """Return the configuration after a step of the coordinates that may move."""
        if self.partly:
            whole = np.zeros(self.model.nv)
            whole[self.moving] = step
            return np.asarray(integrate(self.model, q, whole))
        return np.asarray(integrate(self.model, q, step))

    # ------------------------------------------------------------------------------------------------------- feasibility

    def feasible(self, q: Array, tol: float, least: float = GAIN) -> Point:
        """Find a configuration where everything holds, from one start; or the one from which no step promises a share of
        the errors larger than ``least``.
        """
        if self.small and not self.world.calls_python:
            point = self.reached(q, tol, least)
            if point.size >= 0.0:
                return point
            q = point.q
        point, damping = self.at(q), FIRST
        for _ in range(ITERATIONS):
            if point.worst[0] <= tol:
                break
            step, left = self.smallest_step(point, damping)
            if left > point.size * (1.0 - least):
                break
            ahead = self.at(self.moved(point.q, step))
            gained = ahead.size < point.size * (1.0 - SLOWEST)
            if gained:
                point = ahead
            elif damping > LARGEST_DAMPING:
                break
            damping = damping_after(damping, gained)
        return point

    def reached(self, q: Array, tol: float, least: float) -> Point:
        """Compute what :meth:`feasible` does, compiled; its size is -1 where NumPy has to go on."""
        n, r, q = len(self.moving), len(self.asked), np.array(q)
        values, J, errors, ahead = np.empty(r), np.empty((r, n)), np.empty(r), np.empty((n, r, n))
        size, worst, k = reach_errors(self.memory, self.metric.inverse, tol, least, q, values, J, errors, ahead)
        return Point(q, values, J, errors, size, (worst, k), ahead)

    def smallest_step(self, point: Point, damping: float) -> tuple[Array, float]:
        """The step, smallest in M, that takes the errors away as far as damping lets it, within the limits, and no farther
        than it may be; and the size of the linear errors that the whole of it leaves.
        """
        size = min(1.0, point.size)  # so that the damping goes with the errors, and the last steps are Newton's
        p, _, left = self.best_step(point, self.none, self.metric, damping * size, LONGEST)
        return p, left

    def best_step(
        self, point: Point, wanted: Array, metric: Metric, damping: float, longest: float = np.inf
    ) -> tuple[Array, Array, float]:
        """The p that minimises ``1/2 (p - wanted)^T B (p - wanted)`` with linear errors zero and within linear limits.

        Returns with it its multipliers x, of all rows: ``B (p - wanted) = J^T x``, and the size of the linear errors that it
        leaves. An active set: limits are added where p would leave them, and left out again where they would pull. No turn
        in p is longer than that, then.
        """
        if self.small:
            p, multiplier = np.empty(len(wanted)), np.empty(len(point.values))
            rows = Rows(point.jacobian, point.values, point.errors, self.laws.numbers)
            asked = metric.inverse, wanted, damping, self.turning, longest
            left = step_within_limits(rows, *asked, p, multiplier, self.memory.steps)
            if left >= 0.0:
                return p, multiplier, left
        held, limited = self.laws.held, self.laws.limited
        W = np.linalg.solve(metric.matrix, point.jacobian.T) if len(self.moving) else point.jacobian.T
        low, high = self.laws.numbers[1:] - point.values
        on = np.where(held, 0.0, np.sign(point.errors))  # 1 at the upper end, -1 at the lower
        p, multiplier = wanted, np.zeros(len(on))
        for _ in range(2 * int(limited.sum()) + 2):
            rows = held | (on != 0.0)
            target = np.where(held, -point.values, np.where(on > 0.0, high, low))[rows]
            A = point.jacobian[rows]
            S = A @ W[:, rows]
            S = S + damping * np.diagonal(S).max(initial=SINGULAR) * np.eye(len(S))
            multiplier = np.zeros(len(rows))
            multiplier[rows] = least_squares(S, target - A @ wanted)
            p = wanted + W[:, rows] @ multiplier[rows]
            change = point.jacobian @ p
            over = limited & ~rows & ((change > high + SLACK) | (change < low - SLACK))
            pulling = (on * multiplier > SLACK) & ~held
            if over.any():
                k = int(np.argmax(np.where(over, np.maximum(change - high, low - change), -np.inf)))
                on[k] = 1.0 if change[k] > high[k] else -1.0
            elif pulling.any():
                on[int(np.argmax(np.where(pulling, on * multiplier, -np.inf)))] = 0.0
            else:
                break
        change = point.jacobian @ p
        left = np.where(held, point.values + change, np.minimum(change - low, 0.0) + np.maximum(change - high, 0.0))
        turn = np.abs(p[self.turning]).max(initial=0.0)
        return p * (longest / turn) if turn > longest else p, multiplier, float(np.linalg.norm(left))

    # ----------------------------------------------------------------------------------------------------------- nearest

    def displacement(self, q: Array) -> Array:
        """Compute d, from the start to a configuration."""
        return np.asarray(difference(self.model, self.start, q))[..., self.moving]

    def displacement_rate(self, q: Array) -> Array:
        """How d changes with a step from ``q``, where velocities are not the rates of coordinates."""
        n = len(self.moving)
        steps = np.zeros((n, self.model.nv))
        steps[np.arange(n), self.moving] = PROBE
        ahead, behind = (
            self.displacement(integrate(self.model, np.broadcast_to(q, (n, len(q))), s)) for s in (steps, -steps)
        )
        return np.asarray((ahead - behind).T / (2.0 * PROBE))

    def nearest(self, point: Point, tol: float) -> Point:
        """From where everything holds to the nearest such place."""
        energy, share, multiplier, before = self.energy(point.q), 1.0, None, 0.0
        for _ in range(ITERATIONS):
            gradient, B = self.M @ self.displacement(point.q), self.metric
            if not self.laws.straight:
                D = self.displacement_rate(point.q)
                gradient, B = D.T @ gradient, Metric(regular(D.T @ self.M @ D))
            metric = B if multiplier is None else self.bent(point, B, multiplier)
            wanted = metric.inverse @ -gradient
            p, multiplier, _ = self.best_step(point, wanted, metric, 0.0)
            size = float(p @ B.matrix @ p)
            least = NEAREST**2 * max(2.0 * energy, NEAREST**2)
            if size <= least:
                break
            last = size <= ROUNDED * energy  # beside which the energy no longer tells what is nearer
            share = min(1.0, 4.0 * share)
            while share > 1e-6:
                ahead = self.feasible(self.moved(point.q, share * p), tol)
                reached = self.energy(ahead.q)
                if ahead.worst[0] <= tol and (last or reached < energy):
                    point, energy = ahead, reached
                    break
                share *= 0.5
            else:
                break
            if share == 1.0 and size * size <= least * before:  # shorter again by as much, the next one leads nowhere
                break
            before = size
        return point

    def bent(self, point: Point, B: Metric, multiplier: Array) -> Metric:
        """B less the curvature of the constraints with these multipliers, with which steps converge quadratically.

        Across the constraints anything can be added, since steps there are given: so much that it is positive definite, if
        it is so along them. Where it is not, B.
        """
        n, (low, high) = len(self.moving), self.laws.numbers[1:]
        ahead = self.rows_ahead(point.q) if point.ahead is None else point.ahead
        if self.small:
            matrix, inverse = np.empty((n, n)), np.empty((n, n))
            rows = Rows(point.jacobian, point.values, point.errors, self.laws.numbers)
            good = bend_metric(ahead, rows, multiplier, B.matrix, B.inverse, matrix, inverse, self.memory.steps)
            return Metric(matrix, inverse) if good else B
        at_end = (point.values < low + NEAREST) | (point.values > high - NEAREST)
        # the step before may have met a limit that its end is not at
        multiplier = np.where(self.laws.held | at_end, multiplier, 0.0)
        acting = self.laws.held | (multiplier != 0.0)
        K = multiplier @ (ahead - point.jacobian) / PROBE
        K += K.T
        A, curvature = point.jacobian[acting], B.inverse @ K
        size = np.sqrt(max(float(np.sum(curvature * curvature.T)), 0.0))  # of its eigenvalues, which are real
        lengths = np.sum((A @ B.inverse) * A, axis=1, keepdims=True)  # of rows, squared
        across = A.T @ (A / np.maximum(lengths, max(ROUNDED * lengths.max(initial=0.0), LEAST)))
        found = B.matrix - 0.5 * K + ACROSS * (1.0 + size) * across
        try:
            np.linalg.cholesky(found)
        except np.linalg.LinAlgError:
            return B
        return Metric(found)

    def energy(self, q: Array) -> float:
        """Compute ``1/2 d^T M d``."""
        d = self.displacement(q)
        return 0.5 * float(d @ self.M @ d)

    def velocity(self, q: Array, v: Array, time: float) -> Array:
        """Compute the velocity nearest to v, in the metric of H, with which all that holds is kept, ``(nv,)``.

            v+ = v + W (J W)^+ (rates - J v)        W = H^-1 J^T        H with the inertia of rotors

        Twice, so that what rounding left of the first time is taken away.
        """
        rows = self.world.laws
        rates = np.array([row.speed + (0.0 if row.motion is None else row.motion.at(time)[1]) for row in rows])
        if not (v.any() or rates.any()):
            return v
        held, rotor = self.world.held_rows, np.array([row.inertia for row in rows])
        jacobian = rows_at(self.world, q).jacobian
        J, H = jacobian[held], crba(self.model, q) + jacobian.T @ (rotor[:, None] * jacobian)
        W = np.linalg.solve(regular(metric_of(H)), J.T)
        for _ in range(2):
            v = v + W @ least_squares(J @ W, rates[held] - J @ v)
        return np.asarray(v)

    # ------------------------------------------------------------------------------------------------------------ starts

    def search(self, tol: float) -> tuple[Point, bool]:
        """Search from several starts for the nearest configuration; return it, or the best that was met, and whether all
        holds there.
        """
        rng = np.random.default_rng(0)
        best: Point | None = None
        for k in range(STARTS):
            point = self.feasible(self.another(k / AROUND, rng) if k else self.start, tol)
            if point.worst[0] <= tol:
                return self.nearest(point, tol), True
            if best is None or point.worst[0] < best.worst[0]:
                best = point
            if not len(self.moving):
                break
        assert best is not None
        best = self.feasible(best.q, tol, SLOWEST)  # whose way there may only be slow
        found = best.worst[0] <= tol
        return self.nearest(best, tol) if found else best, found

    def another(self, reach: float, rng: np.random.Generator) -> Array:
        """Draw another start: within a reach, in half turns or m, of the given configuration and the limits of joints, or
        anywhere within these where it is one or more.
        """
        lower, upper = self.laws.box
        q = self.moved(self.start, min(reach, 1.0) * np.pi * rng.uniform(-1.0, 1.0, len(self.moving)))
        drawn = rng.uniform(size=len(q))
        if reach >= 1.0:
            free = self.laws.boxed & self.loose
            q[free] = (lower + drawn * (upper - lower))[free]
        return np.where(self.loose, np.clip(q, lower, upper), q)


@called("World.close")
def close_world(
    world: Constrained, q: Any, v: Any = None, tol: float = 1e-11, fixed: object = (), time: float = 0.0
) -> Closed:
    """Compute what ``World.close`` returns."""
    model = world.model
    start = as_numbers("World.close", "q", q)
    if start.shape != (model.nq,):
        raise ConstraintError(f"World.close: q has shape {start.shape}, expected ({model.nq},)")
    tol, time = plain_number("World.close", "tol", tol), plain_number("World.close", "time", time)
    if not 0.0 < tol < 1.0:
        raise ConstraintError(f"World.close: tol is {tol:g}, expected a number above 0 and below 1; m or rad")
    if v is not None:
        rows_at(world, start, v, time=time)  # refuses what is wrong with it
    still = fixed_coordinates(world, fixed)
    wanted = np.zeros(model.nv) if v is None else np.asarray(v, dtype=np.float64)
    with np.errstate(all="ignore"):  # of lengths and masses whose products overflow: errors are measured
        closing = Closing(world, start, still, time)
        point, found = closing.search(tol)
        velocity = closing.velocity(point.q, wanted, time) if found else wanted
    if not found:
        name = world.names_of_rows[point.worst[1]]
        raise ClosureError(
            f"World.close: no configuration was found in which all constraints hold; in the best, constraint {shown(name)} "
            f"is off by {point.worst[0]:.3g} m or rad",
            point.q,
            point.worst[0],
            name,
        )
    return Closed(point.q, velocity, point.worst[0])


def least_squares(A: Array, b: Array) -> Array:
    """The least x with which A x is nearest to b.

    Raises:
        LinAlgError: a number is not finite, of which LAPACK would write to the terminal.
    """
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        raise np.linalg.LinAlgError("it has entries that are not finite")
    return np.asarray(np.linalg.lstsq(A, b, rcond=SINGULAR)[0])


def fixed_coordinates(world: Constrained, names: object) -> Flags:
    """Return which velocities belong to joints that stay where they are, ``(nv,)``."""
    fixed = np.zeros(world.model.nv, dtype=bool)
    for name in names_in("World.close", "fixed", names):
        try:
            fixed[world.model.v_slice(name)] = True
        except PlueckerError as error:
            raise type(error)(f"World.close: fixed: {error}") from None
    return fixed


def loose_coordinates(model: Model, fixed: Flags) -> Flags:
    """Return which entries of q belong to joints that may move, ``(nq,)``."""
    loose = np.zeros(model.nq, dtype=bool)
    for joint in model.joints:
        if joint.mimic is None:
            kind = JOINT_TYPES[joint.type]
            still = fixed[joint.v_start : joint.v_start + kind.nv].all()
            loose[joint.q_start : joint.q_start + kind.nq] = not still
    return loose
