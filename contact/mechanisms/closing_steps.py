"""Errors and steps of a search for a configuration in which constraints hold, compiled, for one world of few coordinates.

A mechanism of ten coordinates has matrices on which each operation of NumPy's takes as long as all of these functions. The
laws of rows are an array ``(3, r)``: 1 where a row holds, and the ends of its range, infinite where it has none.

Axes can be turned around: where ``d_1 . d_2 = 0`` holds, but not as it was meant. The second frame's z axis is along the
first's where its components along x and y there are zero; but these are zero, too, where it points the other way. A
constraint with two such rows, or three, means the side on which both frames have the same axes. On the other side the error
``sin`` of the angle is continued as ``2 - sin``, so that it grows up to half a turn.
"""

from __future__ import annotations

import numpy as np

from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.relation import ALIGN, Frame, Function
from pluecker.contact.friction.solving.direct import Direct
from pluecker.contact.mechanisms.constrained import Constrained, Flags
from pluecker.spatial.dense.ldl import factorize_ldl, solve_ldl
from pluecker.spatial.engine.compiled.decorators import called_kernel

__all__ = [
    "DAMPED", "SLACK", "Flips", "continue_turned", "measure_errors", "numbers_of_steps", "shorten_turns",
    "step_within_limits",
]  # fmt: skip

SLACK = 1e-13  # m or rad: rounding, beside limits
DAMPED = 1e-11  # of the largest diagonal entry: directions in which the constraints say no more
# Of a diagonal entry: with smaller pivots rows are next to dependent, and what is asked for is of least norm. An error of
# 1e-16 / 1e-7 of a step is made good by the next one.
DEPENDENT = 1e-7
INDEPENDENT = 10.0 * DEPENDENT  # of the largest diagonal entry: so much damping makes no pivot smaller than that
SHORT = 0.1  # of an error that has a direction
NO_PLACEMENTS = np.zeros((0, 4, 4))


def sizes_of_errors(values, laws, errors):
    """Compute the errors of all rows, the root of the sum of their squares, the largest one, and its row

    A row that holds has its value as its error, another one what is beyond its range.
    """
    square, largest, worst = 0.0, 0.0, 0
    for k in range(len(values)):
        e = values[k] if laws[0, k] != 0.0 else min(values[k] - laws[1, k], 0.0) + max(values[k] - laws[2, k], 0.0)
        errors[k] = e
        square += e * e
        if abs(e) > largest:
            largest, worst = abs(e), k
    return np.sqrt(square), largest, worst


def numbers_of_steps(n, r):
    """Return how many numbers :func:`step_within_limits` works with, for n coordinates and r rows"""
    return r * (r + n + 3)


def best_step(J, values, errors, laws, inverse, wanted, damping, p, multiplier, ws):
    """Find the p that minimises ``1/2 (p - wanted)^T B (p - wanted)`` with linear errors zero and within linear limits, and
    its multipliers, of all rows; return the size of the linear errors that it leaves, -1 where rows are next to dependent

    ``inverse`` is that of B. Limits are added where p would leave them, and left out again where they would pull. Damped,
    it is the least sum of squares of the errors left, divided by the damping and the largest diagonal entry of
    ``J B^-1 J^T``, and of the step. Rows that are next to dependent get as much damping as that takes.
    """
    if damping > 0.0:
        size = step_on_rows(J, values, errors, laws, inverse, wanted, damping, p, multiplier, ws)
        if size >= 0.0 or damping >= INDEPENDENT:
            return size
        damping = INDEPENDENT
    return step_on_rows(J, values, errors, laws, inverse, wanted, damping, p, multiplier, ws)


@called_kernel
def step_on_rows(J, values, errors, laws, inverse, wanted, damping, p, multiplier, ws):
    """Find the step of :func:`best_step` with the damping that is given, and no more of it"""
    r, n = J.shape
    S, W, x = ws[: r * r], ws[r * r : r * (r + n)], ws[r * (r + n) : r * (r + n + 1)]
    on, rows = ws[r * (r + n + 1) : r * (r + n + 2)], ws[r * (r + n + 2) : r * (r + n + 3)]
    limited = 0
    for k in range(r):
        on[k] = 0.0 if laws[0, k] != 0.0 or errors[k] == 0.0 else np.copysign(1.0, errors[k])
        limited += np.isfinite(laws[1, k]) or np.isfinite(laws[2, k])
    for _ in range(2 * limited + 2):
        m = 0
        for k in range(r):
            multiplier[k] = 0.0
            if laws[0, k] == 0.0 and on[k] == 0.0:
                continue
            rows[m] = k
            ahead = 0.0
            for i in range(n):
                w = 0.0
                for j in range(n):
                    w += inverse[i, j] * J[k, j]
                W[m * n + i] = w
                ahead += J[k, i] * wanted[i]
            end = 0.0 if laws[0, k] != 0.0 else (laws[2, k] if on[k] > 0.0 else laws[1, k])
            x[m] = end - values[k] - ahead
            m += 1
        for a in range(m):
            for b in range(m):
                s = 0.0
                for i in range(n):
                    s += J[int(rows[a]), i] * W[b * n + i]
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
            multiplier[int(rows[a])] = x[a]
            for i in range(n):
                p[i] += W[a * n + i] * x[a]
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


def shortened(step, turning, longest):
    """Shorten a step, in place, so that no turn in it is longer"""
    largest = 0.0
    for k in range(len(step)):
        if turning[k] and abs(step[k]) > largest:
            largest = abs(step[k])
    if largest > longest:
        for k in range(len(step)):
            step[k] *= longest / largest


measure_errors = Direct(sizes_of_errors)
step_within_limits = Direct(best_step)
continue_turned = Direct(continue_errors)
shorten_turns = Direct(shortened)


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
