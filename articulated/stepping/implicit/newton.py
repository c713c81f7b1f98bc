"""One implicit stage of an integrator, by Newton's method with the exact derivative of the equations of motion.

Implicit Euler, backward differences and diagonally implicit Runge-Kutta methods all ask for the velocity v with

    r(v) = ID(q, v, a) - tau(q, v) = 0        q = q_b + g v        a = (v - v_b) / g

where ``q_b + g v`` is the motion from q_b at constant velocity, and q_b, v_b and g are the method's. The derivative of r by
v is made by dual numbers, eight columns at a time: inertia, Coriolis forces, springs, elements between bodies and control,
and how q moves with v, are all in it, so that the convergence is quadratic. Steps that would make the residual larger are
halved.

The stage is solved when r is what errors of v make of it that are within ``RELATIVE`` of the velocities, ``ABSOLUTE``
rad/s or m/s, or what rounding of q is in a velocity; then one more step is taken, with the same derivative, which leaves
about rounding.

Rows that hold a mechanism besides its joints (:class:`StageRows`) have multipliers x, which are unknown too:

    r(v, x) = ID(q, v, a) - tau - J(q)^T x = 0        miss(v) = phi(q_b + g v) / g = 0

Each step of the iteration then has the matrix ``[dr/dv, -J^T; J, e]``. J stands for the derivative of the miss: it differs
by the turn ``g w`` of joints that are not lines, and is exact for all others. With e, a billionth of what J lets the masses
yield, rows that say the same twice share their force.

Sources: Gear, Gupta, Leimkuhler (1985) and Hairer, Wanner (1996), section VII.3, for the equations; Wang et al. (2019),
section 4.3.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pluecker.articulated.algorithms.dynamics.rnea import LINK, rnea_kernel
from pluecker.articulated.model.joints import has_constant_subspace, integrate_joint
from pluecker.articulated.model.layout import (
    body_count,
    clear,
    configuration_count,
    first_q,
    first_v,
    freedom_count,
    link_count,
    owns_coordinates,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.terms.stage import stage_torque, stage_workspace, stage_wrenches
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.arrays import aligned
from pluecker.spatial.engine.memory.joined import as_rows, join
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import accumulate, load, part, store, tail

__all__ = [
    "ABSOLUTE",
    "MOST_ITERATIONS",
    "RELATIVE",
    "ROUNDING",
    "STAGE_OF_TREE",
    "Stage",
    "StageRows",
    "StageSolver",
    "displace",
    "make_stage_solver",
    "stage_solver_workspace",
]

# Of velocities: far below the error of a step, whatever its order, and far above rounding.
RELATIVE, ABSOLUTE = 1e-9, 1e-12
ROUNDING = 1e-15  # of coordinates, relative to the largest, four units in the last place
GAP = 1e-10  # of the mechanism's reach; where rows are independent, the last step leaves rounding of it
MOST_ITERATIONS = 30  # iterations: from the velocity before the step a smooth motion takes three to five
HALVINGS = 10


@kernel
def displace(m, q, d, out):
    """q + d on the manifold; exponential coordinates stay in their chart, so that the way to them is smooth"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            if has_constant_subspace(m, i):
                integrate_joint(m, i, q, d, out)
            else:
                for k in range(freedom_count(m, i)):
                    store(out, first_q(m, i) + k, load(q, first_q(m, i) + k) + load(d, first_v(m, i) + k))


class Stage(NamedTuple):
    """An implicit stage: it ends a time s after the step began, at ``q_b + g v`` with the acceleration ``(v - v_b) / g``.

    Attributes:
        s, g: s.
        qb, vb: views of scalar arrays.
    """

    s: float
    g: float
    qb: Array
    vb: Array


class StageRows(NamedTuple):
    """Rows that hold a mechanism besides its joints, as kernels.

    Attributes:
        count: ``count(c)``, how many multipliers there are.
        add_forces: ``add_forces(m, c, s, law, q, v, a, x, r, ws)``: r less the joint forces of the rows, those with the
            multipliers ``x`` and those that follow from the state; on dual numbers too.
        store_misses: ``store_misses(m, c, s, g, law, q, v, out, ws)``: how far each row is from holding, as a velocity.
        store_matrix: ``store_matrix(m, c, q, A, ws)``: the last rows and columns of the matrix ``A``, whose others are
            there; returns the mechanism's reach.
    """

    count: Callable[..., Any]
    add_forces: Callable[..., Any]
    store_misses: Callable[..., Any]
    store_matrix: Callable[..., Any]


@kernel
def no_rows(c):
    """A tree has none."""
    return 0


@kernel
def no_forces(m, c, s, law, q, v, a, x, r, ws):
    """None"""


@kernel
def no_misses(m, c, s, g, law, q, v, out, ws):
    """None"""


@kernel
def no_matrix(m, c, q, A, ws):
    """Nothing"""
    return 0.0


@kernel
def tolerances(m, stage, v, A, n, size, tolerance):
    """|A| times the errors of the velocities that are tolerated; of rows, what is tolerated of gaps beside ``size``, too"""
    nv, largest, g = velocity_count(m), 1.0, stage.g
    for k in range(configuration_count(m)):
        largest = max(largest, abs(load(stage.qb, k)))
    for i in range(n):
        y = 0.0 if i < nv else GAP * size / g
        for j in range(nv):
            x = RELATIVE * (abs(load(v, j)) + abs(load(stage.vb, j))) + ABSOLUTE + ROUNDING * largest / g
            y += abs(load(A, n * i + j)) * x
        store(tolerance, i, y)


@kernel
def largest_share(r, tolerance, n):
    """Return the largest |r_k| / tolerance_k; infinite where r is no number"""
    share = 0.0
    for k in range(n):
        x = abs(load(r, k))
        if not x <= share * load(tolerance, k):
            share = x / load(tolerance, k) if load(tolerance, k) > 0.0 and x < np.inf else np.inf
    return share


@kernel
def solve_general(A, n, x):
    """x from A x = b, with b in x, by elimination with exchanges of rows; A is lost. False where A is singular"""
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(load(A, n * i + k)) > abs(load(A, n * p + k)):
                p = i
        if not abs(load(A, n * p + k)) > 0.0:
            return False
        for j in range(k, n if p != k else k):
            y = load(A, n * k + j)
            store(A, n * k + j, load(A, n * p + j))
            store(A, n * p + j, y)
        y = load(x, k)
        store(x, k, load(x, p))
        store(x, p, y)
        for i in range(k + 1, n):
            y = load(A, n * i + k) / load(A, n * k + k)
            for j in range(k + 1, n):
                accumulate(A, n * i + j, -y * load(A, n * k + j))
            accumulate(x, i, -y * load(x, k))
    for i in range(n - 1, -1, -1):
        y = load(x, i)
        for j in range(i + 1, n):
            y -= load(A, n * i + j) * load(x, j)
        store(x, i, y / load(A, n * i + i))
    return True


class StageSolver(NamedTuple):
    """The kernels of a stage: the residual, its derivative, and the iteration."""

    residual: Callable[..., Any]
    differentiate: Callable[..., Any]
    solve: Callable[..., Any]


def make_stage_solver(rows: StageRows) -> StageSolver:
    """The kernels of a stage of mechanisms with such rows."""
    count_rows, add_forces, store_misses, store_matrix = rows

    @kernel
    def stage_residual(m, c, stage, given, v, x, r, ws):
        """r = ID(q, v, a) - tau - J^T x, with the forces of control at the end of the stage"""
        nq, nv, (s, g, qb, vb) = configuration_count(m), velocity_count(m), stage
        q, a = part(ws, 0, nq), tail(ws, nq)
        tau, f = tail(a, nv), tail(a, 2 * nv)
        work = tail(f, 6 * body_count(m))
        for k in range(nv):
            store(a, k, g * load(v, k))
        displace(m, qb, a, q)
        for k in range(nv):
            store(a, k, (load(v, k) - load(vb, k)) / g)
        stage_wrenches(m, c, q, v, given.f_ext, f, work)
        rnea_kernel(m, q, v, a, f, r, work)
        stage_torque(m, s, given, q, v, tau)
        for k in range(nv):
            accumulate(r, k, -load(tau, k))
        add_forces(m, c, s, given.law, q, v, a, x, r, work)

    @kernel
    def misses(m, c, stage, given, v, r, ws):
        """How far rows are from holding, behind the residual; ``ws`` then begins with q"""
        nq, nv = configuration_count(m), velocity_count(m)
        if count_rows(c) > 0:
            for k in range(nv):
                store(ws, nq + k, stage.g * load(v, k))
            displace(m, stage.qb, tail(ws, nq), ws)
            store_misses(m, c, stage.s, stage.g, given.law, ws, v, tail(r, nv), tail(ws, nq))

    @kernel
    def differentiate_residual(m, c, stage, given, v, x, r, A, ws):
        """r and the first rows of A, dr/dv, on as many dual numbers as there is room for"""
        nv, size = velocity_count(m), velocity_count(m) + count_rows(c)
        numbers = aligned(ws)
        n = len(numbers) // (WIDTH + 1)
        rows, values = as_rows(part(numbers, 0, WIDTH * n)), part(numbers, WIDTH * n, n)
        V = join(part(values, 0, nv), part(rows, 0, nv))
        R = join(part(values, nv, nv), part(rows, nv, nv))
        work = join(tail(values, 2 * nv), tail(rows, 2 * nv))
        for k in range(nv):
            store(values, k, load(v, k))
        for first in range(0, nv, WIDTH):
            count = min(WIDTH, nv - first)
            clear(numbers, WIDTH * nv)
            for k in range(count):
                store(numbers, WIDTH * (first + k) + k, 1.0)
            stage_residual(m, c, stage, given, V, x, R, work)
            for i in range(nv):
                for k in range(count):
                    store(A, size * i + first + k, load(numbers, WIDTH * (nv + i) + k))
        for i in range(nv):
            store(r, i, load(values, nv + i))

    @called_kernel
    def solve_stage(m, c, stage, given, v, ws):
        """v from a guess; returns the largest residual as a share of its tolerance, see the head of this file

        The share is infinite where there is nothing to go on from: forces overflow, or the matrix is singular.
        """
        nq, nv, n = configuration_count(m), velocity_count(m), velocity_count(m) + count_rows(c)
        A, r = ws, tail(ws, n * n)
        tolerance, trial = tail(r, n), tail(r, 2 * n)
        x = tail(r, 3 * n)
        work = tail(r, 4 * n - nv)
        share = np.inf
        clear(x, n - nv)
        for _ in range(MOST_ITERATIONS):
            differentiate_residual(m, c, stage, given, v, x, r, A, work)
            misses(m, c, stage, given, v, r, work)
            size = store_matrix(m, c, work, A, tail(work, nq))
            tolerances(m, stage, v, A, n, size, tolerance)
            share = largest_share(r, tolerance, n)
            if not share < np.inf or not solve_general(A, n, r):
                return np.inf
            if share <= 1.0:
                for k in range(nv):
                    accumulate(v, k, -load(r, k))
                return share
            t, better = 1.0, False
            for _ in range(HALVINGS):
                for k in range(nv):
                    store(trial, k, load(v, k) - t * load(r, k))
                for k in range(nv, n):
                    store(trial, k, load(x, k - nv) - t * load(r, k))
                stage_residual(m, c, stage, given, trial, tail(trial, nv), work, tail(work, n))
                misses(m, c, stage, given, trial, work, tail(work, n))
                better = largest_share(work, tolerance, n) < share
                if better:
                    break
                t *= 0.5
            if not better:
                return share
            for k in range(nv):
                store(v, k, load(trial, k))
            for k in range(nv, n):
                store(x, k - nv, load(trial, k))
        return share

    return StageSolver(stage_residual, differentiate_residual, solve_stage)


STAGE_OF_TREE = make_stage_solver(StageRows(no_rows, no_forces, no_misses, no_matrix))


def stage_solver_workspace(model: Model, rows: int = 0, forces: int = 0) -> int:
    """How many numbers a ``solve_stage`` needs, with so many multipliers, and so many numbers that their forces need."""
    n = model.nv + rows
    return n * n + 4 * n + WIDTH + (WIDTH + 1) * (2 * model.nv + residual_workspace(model, forces))


def residual_workspace(model: Model, forces: int = 0) -> int:
    """Of the residual."""
    work = max(LINK * (model.n_links + 1), stage_workspace(model), forces)
    return model.nq + 2 * model.nv + 6 * model.n_bodies + work
