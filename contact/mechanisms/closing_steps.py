"""A search for a configuration in which constraints hold, compiled, for one world of few coordinates.

A mechanism of ten coordinates has matrices on which each operation of NumPy's takes as long as a step, and a call from
Python takes longer than the rows. So all steps from one start are one function, :func:`reach`. The laws of rows are an array
``(3, r)``: 1 where a row holds, and the ends of its range, infinite where it has none.

Axes can be turned around: where ``d_1 . d_2 = 0`` holds, but not as it was meant. The second frame's z axis is along the
first's where its components along x and y there are zero; but these are zero, too, where it points the other way. A
constraint with two such rows, or three, means the side on which both frames have the same axes. On the other side the error
``sin`` of the angle is continued as ``2 - sin``, so that it grows up to half a turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.algorithms.configuration.integrate import integrate_kernel
from pluecker.articulated.algorithms.frames.forward_kinematics import (
    FORWARD_KINEMATICS,
    forward_kinematics,
    forward_kinematics_kernel,
)
from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import ALIGN, Frame, Function
from pluecker.contact.friction.solving.direct import Direct
from pluecker.contact.instants.rows_at import ROWS_AT, rows_at_kernel
from pluecker.contact.mechanisms.constrained import Constrained, Flags
from pluecker.spatial.dense.ldl import factorize_ldl, invert_ldl, solve_ldl
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.views import view

__all__ = [
    "ACROSS", "DAMPED", "FIRST", "GAIN", "ITERATIONS", "LARGEST_DAMPING", "LEAST", "LONGEST", "NEAREST", "PROBE", "ROUNDED",
    "SLACK", "SLOWEST", "Found", "Laws", "Pairs", "Rows", "Searched", "bend_metric", "damping_after",
    "measure_errors", "reach_errors", "step_within_limits",
]  # fmt: skip

ITERATIONS = 100  # of Levenberg and Marquardt from one start, and of the search for the nearest configuration
# Shares of the errors: a step that takes less away counts for nothing, and one that promises less is left for another start.
# With 0.03 a pose of a seven-joint arm takes 56 evaluations, with 0.01 it takes 62, with 0.1 it takes 51; means over 300
# poses.
SLOWEST, GAIN = 1e-4, 3e-2
LONGEST = 1.0  # rad: of a turn in one step, so that none is made for which there is no reason
FIRST, LARGEST_DAMPING = 1e-3, 1e8  # of Levenberg and Marquardt
SLACK = 1e-13  # m or rad: rounding, beside limits
DAMPED = 1e-11  # of the largest diagonal entry: directions in which the constraints say no more
# Of a diagonal entry: with smaller pivots rows are next to dependent, and what is asked for is of least norm. An error of
# 1e-16 / 1e-7 of a step is made good by the next one.
DEPENDENT = 1e-7
INDEPENDENT = 10.0 * DEPENDENT  # of the largest diagonal entry: so much damping makes no pivot smaller than that
SHORT = 0.1  # of an error that has a direction
NEAREST = 1e-9  # of the distance: a step that is shorter leads nowhere
PROBE = 1e-6  # rad or m, of differences
ROUNDED = 1e-12  # of an energy, a step of so little of it: what it gains is of the order of rounding
ACROSS = 100.0  # times B and curvature: chosen, far more than couples what is along the constraints and across them
LEAST = 1e-300  # of what a length is divided by: a row that moves nothing has none, or one of rounding
Indices = NDArray[np.int64]
NO_PLACEMENTS = np.zeros((0, 4, 4))


class Found(NamedTuple):
    """Numbers that ``rows_at`` finds, and how a search takes them.

    Attributes:
        numbers: errors, Jacobian and bias of all rows, in the order of kernels.
        asked: what each row is to be.
        place: of each row among those of kernels.
        moving: the coordinates that may move.
    """

    numbers: Array
    asked: Array
    place: Indices
    moving: Indices


class Pairs(NamedTuple):
    """Pairs of axes that are aligned.

    Attributes:
        T: placements of their frames.
        frames, axes, rows: see :class:`Flips`.
    """

    T: Array
    frames: Indices
    axes: Array
    rows: Indices


class Rows(NamedTuple):
    """Rows of constraints in a configuration.

    Attributes:
        J: by the coordinates that may move, ``(r, n)``.
        values, errors: ``(r,)``.
        laws: ``(3, r)``.
    """

    J: Array
    values: Array
    errors: Array
    laws: Array


class Searched(NamedTuple):
    """Data that a search reads, of one world, and its workspace.

    Attributes:
        m, w: the model, and the rows, as kernels read them.
        c: the frames of axes, for their placements.
        found: what ``rows_at`` finds, in memory of its own.
        turning: which of the coordinates that may move are turns.
        pairs: of axes, with memory for placements.
        laws: of rows, ``(3, r)``.
        none: zeros, ``(nv,)``.
        J: memory for a Jacobian.
        q, whole: for a configuration and a velocity.
        ws: for kernels; steps: for steps.
    """

    m: Array
    w: Array
    c: Array
    found: Found
    turning: Flags
    pairs: Pairs
    laws: Array
    none: Array
    J: Array
    q: Array
    whole: Array
    ws: Array
    steps: Array


@called_kernel
def continue_errors(T, frames, axes, rows, values, J):
    """Continue the errors of axes that are turned around, and their Jacobian, in place: s becomes ``(2/|s| - 1) s``

    ``T`` are the placements of frames, ``axes`` those of both in them; a number behind the last is that of the world.
    ``rows`` are the one or two rows of each pair of axes, -1 in place of the second.
    """
    for g in range(len(frames)):
        dot = 0.0
        for i in range(3):
            d1, d2 = axes[g, i], axes[g, 3 + i]
            if frames[g, 0] < len(T):
                A = T[frames[g, 0]]
                d1 = A[i, 0] * axes[g, 0] + A[i, 1] * axes[g, 1] + A[i, 2] * axes[g, 2]
            if frames[g, 1] < len(T):
                B = T[frames[g, 1]]
                d2 = B[i, 0] * axes[g, 3] + B[i, 1] * axes[g, 4] + B[i, 2] * axes[g, 5]
            dot += d1 * d2
        if dot >= 0.0:
            continue
        first, second = rows[g]
        a, b = values[first], values[second] if second >= 0 else 0.0
        size = np.sqrt(a * a + b * b)
        u, w = (a / size, b / size) if size > 0.0 else (1.0, 0.0)
        across = (2.0 - size) / max(size, SHORT)
        values[first] = (2.0 - size) * u
        if second >= 0:
            values[second] = (2.0 - size) * w
        for i in range(J.shape[1]):
            x, y = J[first, i], J[second, i] if second >= 0 else 0.0
            along = (across + 1.0) * (u * x + w * y)
            J[first, i] = across * x - along * u
            if second >= 0:
                J[second, i] = across * y - along * w


@called_kernel
def sizes_of_errors(found, pairs, rows):
    """Store values and Jacobian of all rows from what ``rows_at`` found, in the order of constraints and by the coordinates
    that may move; compute the errors, the root of the sum of their squares, the largest one, and its row

    A row that holds has its value as its error, another one what is beyond its range.
    """
    numbers, asked, place, moving = found
    J, values, errors, laws = rows
    r, n = J.shape
    nv = len(numbers) // max(r, 1) - 2
    for k in range(r):
        values[k] = numbers[place[k]] - asked[k]
        first = r + place[k] * nv
        for i in range(n):
            J[k, i] = numbers[first + moving[i]]
    continue_errors(pairs.T, pairs.frames, pairs.axes, pairs.rows, values, J)
    square, largest, worst = 0.0, 0.0, 0
    for k in range(r):
        e = values[k] if laws[0, k] != 0.0 else min(values[k] - laws[1, k], 0.0) + max(values[k] - laws[2, k], 0.0)
        errors[k] = e
        square += e * e
        if abs(e) > largest:
            largest, worst = abs(e), k
    return np.sqrt(square), largest, worst


@called_kernel
def best_step(rows, inverse, wanted, damping, turning, longest, p, multiplier, ws):
    """Find the p that minimises ``1/2 (p - wanted)^T B (p - wanted)`` with linear errors zero and within linear limits, and
    its multipliers, of all rows; return the size of the linear errors that it leaves, -1 where rows are next to dependent.
    Then shorten it, so that no turn in it is longer than that

    ``inverse`` is that of B. Limits are added where p would leave them, and left out again where they would pull. Damped,
    it is the least sum of squares of the errors left, divided by the damping and the largest diagonal entry of
    ``J B^-1 J^T``, and of the step. Rows that are next to dependent get as much damping as that takes.
    """
    size = -1.0
    if damping > 0.0:
        size = step_on_rows(rows, inverse, wanted, damping, p, multiplier, ws)
    if size < 0.0 and damping < INDEPENDENT:
        damping = INDEPENDENT if damping > 0.0 else 0.0
        size = step_on_rows(rows, inverse, wanted, damping, p, multiplier, ws)
    largest = 0.0
    for i in range(len(p)):
        if turning[i] and abs(p[i]) > largest:
            largest = abs(p[i])
    if largest > longest:
        for i in range(len(p)):
            p[i] *= longest / largest
    return size


@called_kernel
def step_on_rows(given, inverse, wanted, damping, p, multiplier, ws):
    """Find the step of :func:`best_step` with the damping that is given, and no more of it"""
    J, values, errors, laws = given
    r, n = J.shape
    S, W, x = ws[: r * r], ws[r * r : r * (r + n)], ws[r * (r + n) : r * (r + n + 1)]
    on, rows = ws[r * (r + n + 1) : r * (r + n + 2)], ws[r * (r + n + 2) : r * (r + n + 3)]
    known = ws[r * (r + n + 3) : r * (r + n + 4)]  # 1 where W has that row
    limited = 0
    for k in range(r):
        known[k] = 0.0
        on[k] = 0.0 if laws[0, k] != 0.0 or errors[k] == 0.0 else np.copysign(1.0, errors[k])
        limited += np.isfinite(laws[1, k]) or np.isfinite(laws[2, k])
    for _ in range(2 * limited + 2):
        m = 0
        for k in range(r):
            multiplier[k] = 0.0
            if laws[0, k] == 0.0 and on[k] == 0.0:
                continue
            rows[m] = k
            if known[k] == 0.0:
                known[k] = 1.0
                for i in range(n):
                    w = 0.0
                    for j in range(n):
                        w += inverse[i, j] * J[k, j]
                    W[k * n + i] = w
            ahead = 0.0
            for i in range(n):
                ahead += J[k, i] * wanted[i]
            end = 0.0 if laws[0, k] != 0.0 else (laws[2, k] if on[k] > 0.0 else laws[1, k])
            x[m] = end - values[k] - ahead
            m += 1
        for a in range(m):
            for b in range(a + 1):
                s = 0.0
                for i in range(n):
                    s += J[int(rows[a]), i] * W[int(rows[b]) * n + i]
                S[a * m + b] = s
        largest = DAMPED
        for a in range(m):
            largest = max(largest, S[a * m + a])
        for a in range(m):
            S[a * m + a] += damping * largest
        factorize_ldl(S, m, DEPENDENT)
        solve_ldl(S, m, x)
        for i in range(n):
            p[i] = wanted[i]
        for a in range(m):
            if not np.isfinite(x[a]):
                return -1.0
            k = int(rows[a])
            multiplier[k] = x[a]
            for i in range(n):
                p[i] += W[k * n + i] * x[a]
        farthest, beyond, side, pulled, pulling = SLACK, -1, 0.0, SLACK, -1
        for k in range(r):
            if laws[0, k] != 0.0:
                continue
            if on[k] != 0.0:
                if on[k] * multiplier[k] > pulled:
                    pulled, pulling = on[k] * multiplier[k], k
                continue
            change = values[k]
            for i in range(n):
                change += J[k, i] * p[i]
            over = max(change - laws[2, k], laws[1, k] - change)
            if over > farthest:
                farthest, beyond = over, k
                side = 1.0 if change > laws[2, k] else -1.0
        if beyond >= 0:
            on[beyond] = side
        elif pulling >= 0:
            on[pulling] = 0.0
        else:
            break
    square = 0.0
    for k in range(r):
        e = values[k]
        for i in range(n):
            e += J[k, i] * p[i]
        if laws[0, k] == 0.0:
            e = min(e - laws[1, k], 0.0) + max(e - laws[2, k], 0.0)
        square += e * e
    return np.sqrt(square)


def damping_of_next(damping, gained):
    """Return the damping of the next step of Levenberg and Marquardt's method, after one that gained or did not"""
    return max(damping * 0.1, 1e-12) if gained else damping * 8.0


@called_kernel
def rows_in(s, q):
    """Store what ``rows_at`` finds in a configuration"""
    r, nv, found = len(s.found.asked), len(s.none), s.found.numbers
    rows = found[:r], found[r : r * (nv + 1)], found[r * (nv + 1) :]
    rows_at_kernel(view(s.m), view(s.w), view(q), view(s.none), view(rows[0]), view(rows[1]), view(rows[2]), view(s.ws))


@called_kernel
def errors_in(s, q, values, J, errors):
    """Compute values, Jacobian and errors of all rows in a configuration; return what :func:`sizes_of_errors` does"""
    rows_in(s, q)
    forward_kinematics_kernel(view(s.m), view(s.c), view(q), view(s.pairs.T.reshape(-1)), view(s.ws))
    return sizes_of_errors(s.found, s.pairs, Rows(J, values, errors, s.laws))


@called_kernel
def configuration_after(s, q, step, ahead):
    """Store the configuration after a step of the coordinates that may move"""
    for i in range(len(step)):
        s.whole[s.found.moving[i]] = step[i]
    integrate_kernel(view(s.m), view(q), view(s.whole), view(ahead), view(s.ws))


@called_kernel
def copy(to, source):
    """Copy numbers, without memory of its own"""
    for k in range(len(to)):
        to[k] = source[k]


def reach(s, inverse, tol, least, q, values, J, errors, ahead):
    """Find a configuration where everything holds, from one start ``q``, in place; or the one from which no step promises a
    share of the errors larger than ``least``: steps of Levenberg and Marquardt, each the smallest one in M

    Returns the size of the errors there, the largest one and its row; a size of -1 where NumPy has to go on, at ``q``: rows
    are dependent, or numbers overflow. ``inverse`` is that of M. Where everything holds, ``ahead`` takes the Jacobians a
    small step ahead in each coordinate, ``(n, r, n)``.
    """
    (r, n), rows = J.shape, Rows(J, values, errors, s.laws)
    step, other = s.steps[:n], s.steps[n : n + r]
    beyond, multiplier, rest = s.steps[n + r : n + 2 * r], s.steps[n + 2 * r : n + 3 * r], s.steps[n + 3 * r :]
    size, worst, k = errors_in(s, q, values, J, errors)
    damping = FIRST
    for _ in range(ITERATIONS):
        if worst <= tol or not np.isfinite(size):
            break
        # the damping goes with the errors, so that the last steps are Newton's
        damped, wanted = damping * min(1.0, size), s.none[:n]
        left = best_step(rows, inverse, wanted, damped, s.turning, LONGEST, step, multiplier, rest)
        if not left >= 0.0:
            return -1.0, worst, k
        if left > size * (1.0 - least):
            break
        configuration_after(s, q, step, s.q)
        found, largest, row = errors_in(s, s.q, other, s.J, beyond)
        if not np.isfinite(found):
            return -1.0, worst, k
        gained = found < size * (1.0 - SLOWEST)
        if gained:
            size, worst, k = found, largest, row
            copy(q, s.q)
            copy(values, other)
            copy(errors, beyond)
            copy(J.reshape(-1), s.J.reshape(-1))
        elif damping > LARGEST_DAMPING:
            break
        damping = damping_of_next(damping, gained)
    if not np.isfinite(size):
        return -1.0, worst, k
    if worst <= tol:
        for i in range(n):
            step[i] = 0.0
        for i in range(n):
            step[i] = PROBE
            configuration_after(s, q, step, s.q)
            step[i] = 0.0
            rows_in(s, s.q)
            for row in range(r):
                first = r + s.found.place[row] * len(s.none)
                for j in range(n):
                    ahead[i, row, j] = s.found.numbers[first + s.found.moving[j]]
    return size, worst, k


def bend(ahead, rows, multiplier, B, inverse, found, found_inverse, ws):
    """Find B less the curvature of the constraints with these multipliers, and its inverse; return whether it is positive
    definite

    ``ahead`` are the Jacobians a small step ahead in each coordinate, ``(n, r, n)``. Across the constraints anything can be
    added, since steps there are given: so much that it is positive definite, if it is so along them. The step before may
    have met a limit that its end is not at, whose multiplier counts as zero, in place.
    """
    J, values, _, laws = rows
    r, n = J.shape
    K, C, A, lengths = ws[: n * n], ws[n * n : 2 * n * n], ws[2 * n * n : 3 * n * n], ws[3 * n * n :]
    longest = 0.0
    for k in range(r):
        if laws[0, k] == 0.0 and not (values[k] < laws[1, k] + NEAREST or values[k] > laws[2, k] - NEAREST):
            multiplier[k] = 0.0
        if laws[0, k] == 0.0 and multiplier[k] == 0.0:
            continue
        lengths[k] = 0.0
        for i in range(n):
            for j in range(n):
                lengths[k] += J[k, i] * inverse[i, j] * J[k, j]
        longest = max(longest, lengths[k])
    for i in range(n):
        for j in range(n):
            K[i * n + j] = A[i * n + j] = 0.0
    for k in range(r):
        if laws[0, k] == 0.0 and multiplier[k] == 0.0:
            continue
        length = max(lengths[k], max(ROUNDED * longest, LEAST))
        for i in range(n):
            for j in range(n):
                K[i * n + j] += multiplier[k] * (ahead[i, k, j] - J[k, j]) / PROBE
                A[i * n + j] += J[k, i] * J[k, j] / length
    for i in range(n):
        for j in range(i + 1):
            K[i * n + j] = K[j * n + i] = K[i * n + j] + K[j * n + i]
    square = 0.0  # the sum of the squares of the eigenvalues of B^-1 K, which are real
    for i in range(n):
        for j in range(n):
            c = 0.0
            for k in range(n):
                c += inverse[i, k] * K[k * n + j]
            C[i * n + j] = c
    for i in range(n):
        for j in range(n):
            square += C[i * n + j] * C[j * n + i]
    size = np.sqrt(max(square, 0.0))
    for i in range(n):
        for j in range(n):
            found[i, j] = B[i, j] - 0.5 * K[i * n + j] + ACROSS * (1.0 + size) * A[i * n + j]
            C[i * n + j] = found[i, j]
    factorize_ldl(C, n, 0.0)
    for i in range(n):
        if not C[i * n + i] < np.inf:
            return False
    invert_ldl(C, n, found_inverse.reshape(-1))
    return True


def measured(found, pairs, rows):
    """Compute what :func:`sizes_of_errors` does, for Python"""
    return sizes_of_errors(found, pairs, rows)


def one_step(rows, inverse, wanted, damping, turning, longest, p, multiplier, ws):
    """Compute what :func:`best_step` does, for Python"""
    return best_step(rows, inverse, wanted, damping, turning, longest, p, multiplier, ws)


damping_after = damping_of_next
damping_of_next = kernel(damping_of_next)
measure_errors, step_within_limits = Direct(measured), Direct(one_step)
reach_errors, bend_metric = Direct(reach), Direct(bend)


class Flips:
    """The rows of a world that align axes, in groups: an axis, and the one or two rows that keep it.

    Attributes:
        names: of frames and bodies, whose placements are asked for.
        frames: of each group the places of its two frames in that list; behind its end for the world, ``(n, 2)``.
        axes: of each group, in both frames, ``(n, 6)``.
        rows: of each group, -1 in place of the second where there is one, ``(n, 2)``.
    """

    def __init__(self, world: Constrained, held: Flags) -> None:
        self.world = world
        self.groups: list[tuple[Frame, Frame, Array, tuple[int, ...]]] = []
        first_row = 0
        for part in world.parts:
            aligned: dict[tuple[Frame, Frame], list[tuple[int, Function]]] = {}
            for k, row in enumerate(part.rows):
                f = part.functions[row.terms[0][0]]
                if held[first_row + k] and len(row.terms) == 1 and f.kind == ALIGN and row.offset == 0.0:
                    assert f.first is not None
                    assert f.second is not None
                    aligned.setdefault((f.first, f.second), []).append((first_row + k, f))
            for (first, second), members in aligned.items():
                self.add(first, second, members)
            first_row += len(part.rows)
        pairs = [(first, second) for first, second, _, _ in self.groups]
        named = {frame.name for pair in pairs for frame in pair if frame.name in world.model.frame_names}
        self.names = tuple(sorted(named))
        places = {name: k for k, name in enumerate(self.names)}
        self.frames = np.array([[places.get(f.name, len(places)) for f in pair] for pair in pairs], dtype=np.int64)
        self.frames = self.frames.reshape(-1, 2)
        axes = [[frame.matrix @ axis for frame in (first, second)] for first, second, axis, _ in self.groups]
        self.axes = np.array(axes, dtype=np.float64).reshape(-1, 6)
        rows = [(own[0], own[1] if len(own) > 1 else -1) for _, _, _, own in self.groups]
        self.rows = np.array(rows, dtype=np.int64).reshape(-1, 2)

    def add(self, first: Frame, second: Frame, members: list[tuple[int, Function]]) -> None:
        """Add rows between the same frames: two with a common axis, and another one if there is one."""
        for key in ("axis_2", "axis_1"):
            axes = [getattr(f, key) for _, f in members]
            common = [axis for axis in axes if axes.count(axis) == 2]
            if common:
                pair = tuple(row for row, f in members if getattr(f, key) == common[0])
                self.groups.append((first, second, np.array(common[0]), pair))
                for row, f in members:
                    if row not in pair:
                        self.groups.append((first, second, np.array(f.axis_2), (row,)))
                return

    def placements(self, q: Array) -> Array:
        """Of the frames, ``(n, 4, 4)``."""
        return forward_kinematics(self.world.model, q, self.names) if self.names else NO_PLACEMENTS


class Laws:
    """Constants of a search for a closed configuration, of one world.

    Attributes:
        world: with the rows.
        held: which rows hold.
        numbers: of each row 1 if it holds, and the ends of its range, infinite where it has none, ``(3, n_rows)``.
        limited: which rows have a range.
        flips: the rows that align axes; frames: of these, as kernels read them.
        turning: which velocities are those of turns.
        straight: whether all velocities are the rates of coordinates.
        box: position limits of the model that hold, infinite where there is none, twice ``(nq,)``.
        boxed: which coordinates have two of them.
        place: of each row among those of kernels.
        workspace: how many numbers kernels work with.
    """

    def __init__(self, world: Constrained) -> None:
        self.world, self.held, model = world, world.closed_rows, world.smooth
        ranges = [(row.lower, row.upper) if row.ranged else (-np.inf, np.inf) for row in world.laws]
        self.numbers = np.empty((3, len(ranges)))
        self.numbers[0], self.numbers[1:] = self.held, np.array(ranges, dtype=np.float64).reshape(-1, 2).T
        self.limited = np.isfinite(self.numbers[1:]).any(axis=0)
        self.flips = Flips(world, self.held)
        assert FORWARD_KINEMATICS.constants is not None
        self.frames = np.ascontiguousarray(FORWARD_KINEMATICS.constants(model, self.flips.names))
        self.turning = np.array([turns(model, k) for k in range(model.nv)], dtype=np.bool_)
        self.straight = all(JOINT_TYPES[joint.type].rate_is_velocity for joint in model.joints)
        ends = model.lower_limit, model.upper_limit
        self.box = ends if world.limits else (np.full(model.nq, -np.inf), np.full(model.nq, np.inf))
        self.boxed = np.isfinite(self.box).all(axis=0)
        self.place = np.asarray(world.packed.place, dtype=np.int64)
        self.workspace = max(
            ROWS_AT.workspace(model, world.packed), FORWARD_KINEMATICS.workspace(model, self.flips.names)
        )

    def searched(self, asked: Array, moving: Indices) -> Searched:
        """Return the data that a search reads, with a workspace of its own."""
        model, flips, r, n = self.world.smooth, self.flips, len(asked), len(moving)
        return Searched(
            m=model.packed,
            w=self.world.packed.array,
            c=self.frames,
            found=Found(np.empty(r * (model.nv + 2)), asked, self.place, moving),
            turning=self.turning[moving],
            pairs=Pairs(np.empty((len(flips.names), 4, 4)), flips.frames, flips.axes, flips.rows),
            laws=self.numbers,
            none=np.zeros(model.nv),
            J=np.empty((r, n)),
            q=np.empty(model.nq),
            whole=np.zeros(model.nv),
            ws=np.empty(self.workspace),
            steps=np.empty(max(r * (r + n + 4), 3 * n * n + r) + 3 * r + n),
        )


def turns(model: Model, v: int) -> bool:
    """Return whether a velocity is one of a turn."""
    for joint in model.joints:
        kind = JOINT_TYPES[joint.type]
        k = v - joint.v_start
        if joint.mimic is None and 0 <= k < kind.nv:
            return kind.q_units[k] == "rad" if kind.rate_is_velocity else k < 3
    return False
