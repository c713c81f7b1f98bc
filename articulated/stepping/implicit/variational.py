"""A variational integrator, the discrete Euler-Lagrange equations of a tree in linear time: "variational".

The action of one step is that of constant body velocities, with forces half at its start and half at its end,

    p + h/2 F(q, v~) = p^-(q, q1)           p1 = p^+(q, q1) + h/2 F(q1, v~)          v~ = displacement / h

with p = H(q) v, and p^-, p^+ the discrete momenta at both ends as joints see them
(:mod:`~pluecker.articulated.stepping.implicit.discrete_momentum`). The first is solved for q1, the second gives v1 =
H(q1)^-1 p1. So momenta that symmetries keep are kept, to rounding; the map from (q, p) to (q1, p1) is symplectic, and energy
has no trend; run backwards it returns, and its order is two. Velocities in F are the mean v~ at both ends, so that this
holds with damping. Armature has the momentum ``A v~``: the package's equation of motion has ``A dv/dt`` for it also where v
is no rate of coordinates, and that follows from no action.

The first equation is solved by a quasi-Newton iteration with H(q)/h in place of the derivative, which leaves out what is
of order ``|w| h``; its factor is that which gave v at the end of the step before. The residual is measured in energy:
its share of the velocity, ``sqrt(r . H^-1 r)``, is compared with that of the motion.

Rows that hold a mechanism besides its joints (:class:`StepRows`) add impulses along J(q), with which they hold at q1, and
along J(q1), with which they hold for v1.

Sources: Marsden and West (2001), sections 1.5 and 3.2; Lee, Liu, Park and Srinivasa (2016), algorithms 1 and 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from pluecker.articulated.algorithms.dynamics.passive import add_passive_force
from pluecker.articulated.algorithms.inertia.inertia_factor import (
    factor_numbers,
    factor_workspace,
    factorize_trees,
    solve_factorized,
    solve_workspace,
)
from pluecker.articulated.model.joint_displacement import mean_velocity, move_displacement
from pluecker.articulated.model.layout import (
    ARMATURE,
    body_count,
    clear,
    configuration_count,
    link_count,
    owns_coordinates,
    velocity_count,
    velocity_table,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.explicit.motion_rate import arrive
from pluecker.articulated.stepping.implicit.discrete_momentum import (
    LINK,
    begin,
    move_bodies,
    scale_of_momenta,
    sum_end,
    sum_start,
)
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.stage import stage_torque, stage_workspace, stage_wrenches
from pluecker.spatial.dense.laws import larger
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, select, smaller, sqrt, store, tail, within

__all__ = ["TOLERANCE", "VARIATIONAL", "StepRows", "make_variational", "variational_memory", "variational_numbers"]

TOLERANCE = 1e-12  # of the velocity: what counts as solved
GOAL = 1e-15  # where the iteration ends, if it gets there
SLOWER = 0.9  # of the error before: what falls less, once it is below the tolerance, is rounding
SAME = 1e-26  # of the square of a difference in q: it comes from quaternions that are brought to unit length once more
MOST_ITERATIONS = 60  # iterations: with |w| h = 0.5 they halve the error


class Acting(NamedTuple):
    """Forces that act at one end of a step, as views of scalar arrays.

    Attributes:
        mean: the mean velocity of the step.
        force, wrenches: joint forces less passive ones, and wrenches on the bodies, with that velocity.
    """

    mean: Array
    force: Array
    wrenches: Array


class StepRows(NamedTuple):
    """Rows that hold a mechanism besides its joints, as kernels; ``rows`` is memory of theirs, the last argument scratch.

    Attributes:
        numbers: ``numbers(m, c)``, how many that memory has.
        begin: ``begin(m, c, s, law, factor, q, v, rows, ws)``: the rows at q, a time s after the step began.
        clear: ``clear(m, c, rows)``: no impulses.
        add_springs: ``add_springs(m, c, s, law, v, force, rows)``: the forces of rows that are springs and dampers.
        add_impulses: ``add_impulses(m, c, r, rows)``: r less the impulses that the rows have.
        hold: ``hold(m, c, h, law, factor, q1, mean, x, rows, ws)``: the correction x with which rows hold at its end, and
            their impulses; the error that is left, as :data:`TOLERANCE` counts it.
        land: ``land(m, c, h, law, factor, v1, rows, ws)``: v1 as the rows want it, begun at q1.
    """

    numbers: Callable[..., Any]
    begin: Callable[..., Any]
    clear: Callable[..., Any]
    add_springs: Callable[..., Any]
    add_impulses: Callable[..., Any]
    hold: Callable[..., Any]
    land: Callable[..., Any]


@kernel
def no_numbers(m, c):
    """None"""
    return 0


@kernel
def begin_none(m, c, s, law, factor, q, v, rows, ws):
    """A tree has none"""


@kernel
def clear_none(m, c, rows):
    """None"""


@kernel
def add_no_springs(m, c, s, law, v, force, rows):
    """None"""


@kernel
def add_no_impulses(m, c, r, rows):
    """None"""


@kernel
def hold_none(m, c, h, law, factor, q1, mean, x, rows, ws):
    """Nothing to hold"""
    return 0.0 * load(x, 0)


@kernel
def land_free(m, c, h, law, factor, v1, rows, ws):
    """v1 as it is"""


def make_variational(rows_of_step: StepRows) -> Callable[..., Any]:
    """The kernel of a step of mechanisms with such rows."""
    numbers, begin_rows, clear_impulses, add_springs, add_impulses, hold_rows, land_rows = rows_of_step

    @kernel
    def variational_step(m, c, h, given, q1, v1, memory, ws):
        """One step: the displacement, by iteration; then the momentum at its end, and the velocity that has it"""
        nv, (q, v, law, _) = velocity_count(m), given
        u, r, mean, force = ws, tail(ws, nv), tail(ws, 2 * nv), tail(ws, 3 * nv)
        acting = Acting(mean, force, tail(ws, 4 * nv))
        links = tail(acting.wrenches, 6 * body_count(m))
        rows = tail(links, LINK * (link_count(m) + 1))
        rest = tail(rows, numbers(m, c))
        factor = tail(memory, 1 + configuration_count(m))
        factorize_once(m, q, SAME, memory, rest)
        begin(m, q, v, links)
        begin_rows(m, c, 0.0 * h, law, factor, q, v, rows, rest)
        clear_impulses(m, c, rows)
        clear(u, nv)
        move(m, h, q, v, u)
        error = 0.0 * load(v, 0) + 1.0
        for _ in range(MOST_ITERATIONS):
            previous = error
            mean_velocities(m, h, q, u, q1, mean)
            forces(m, c, 0.0 * h, given, q, acting, rest)
            add_springs(m, c, 0.0 * h, law, mean, force, rows)
            residual(m, h, q, v, u, acting, r, links)
            add_impulses(m, c, r, rows)
            error = correction(m, h, factor, force, r, links, rest)
            error = larger(error, hold_rows(m, c, h, law, factor, q1, mean, r, rows, rest))
            stalled = smaller(SLOWER * previous, error)
            idle = select(smaller(error, TOLERANCE), select(stalled, 0.0 * error, error), error)
            move(m, -h, q, r, u)  # the last one too: what is left of an error of 1e-15 in each step would add up
            if within(idle, GOAL):
                break
        move_bodies(m, q, u, links)
        mean_velocities(m, h, q, u, q1, mean)
        forces(m, c, h, given, q1, acting, rest)
        factorize_once(m, q1, 0.0, memory, rest)
        begin_rows(m, c, h, law, factor, q1, mean, rows, rest)
        add_springs(m, c, h, law, mean, force, rows)
        momentum(m, h, acting, q1, r, links)
        solve_factorized(m, factor, r, rest)
        land_rows(m, c, h, law, factor, r, rows, rest)
        clear(u, nv)
        land(m, q1, r, u, mean, v1)
        return error / TOLERANCE

    return variational_step


@kernel
def move(m, s, q, v, u):
    """u += s v"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            move_displacement(m, i, s, q, v, u)


@kernel
def factorize_once(m, q, bound, memory, ws):
    """Factorize H(q) into ``memory``, unless its factor is there: entry 0 is 1 then, followed by its q and the factor"""
    nq = configuration_count(m)
    other = 1.0 - load(memory, 0)
    for k in range(nq):
        d = load(memory, 1 + k) - load(q, k)
        other = other + d * d
    if not within(other, bound):
        store(memory, 0, 0.0 * other + 1.0)
        for k in range(nq):
            store(memory, 1 + k, load(q, k))
        factorize_trees(m, q, tail(memory, 1 + nq), ws, tail(ws, 2 * velocity_count(m)))


@kernel
def mean_velocities(m, h, q, u, q1, mean):
    """q1 = q moved by u, and the mean velocity of all joints on the way"""
    for i in range(1, link_count(m) + 1):
        if owns_coordinates(m, i):
            mean_velocity(m, i, h, q, u, q1, mean)


@kernel
def forces(m, c, s, given, q, acting, ws):
    """F at ``q``, a time ``s`` after the step began, with the mean velocity: joint forces less passive ones, and wrenches"""
    nv, (mean, force, wrenches) = velocity_count(m), acting
    stage_wrenches(m, c, q, mean, given.f_ext, wrenches, ws)
    stage_torque(m, s, given, q, mean, force)
    clear(ws, nv)
    add_passive_force(m, q, mean, ws)
    for k in range(nv):
        accumulate(force, k, -load(ws, k))


@kernel
def residual(m, h, q, v, u, acting, r, links):
    """r = p^-(q, q1) - p - h/2 F, with armature"""
    nv, (mean, force, wrenches) = velocity_count(m), acting
    move_bodies(m, q, u, links)
    sum_start(m, q, h, wrenches, r, links)
    for k in range(nv):
        p = velocity_table(m, ARMATURE, k) * (load(mean, k) - load(v, k))
        accumulate(r, k, p - 0.5 * h * load(force, k))


@kernel
def correction(m, h, factor, force, r, links, ws):
    """r becomes H^-1 r, the error in velocity; returns its share in energy: of that of motion, gravity and joint forces"""
    nv = velocity_count(m)
    x, rest = ws, tail(ws, nv)
    for k in range(nv):
        store(x, k, load(r, k))
    solve_factorized(m, factor, r, rest)
    energy = 0.0 * load(r, 0)
    for k in range(nv):
        energy = energy + load(x, k) * load(r, k)
        store(x, k, load(force, k))
    solve_factorized(m, factor, x, rest)
    total = scale_of_momenta(m, h, links)
    for k in range(nv):
        total = total + h * h * load(force, k) * load(x, k)
    none = smaller(total, 1e-300)  # nothing moves and nothing acts: the error is zero too
    share = select(none, energy, energy / select(none, 0.0 * total + 1.0, total))
    return sqrt(select(smaller(share, 0.0), 0.0 * share, share))


@kernel
def momentum(m, h, acting, q1, p, links):
    """p1 = p^+(q, q1) + h/2 F"""
    mean, force, wrenches = acting
    sum_end(m, q1, h, wrenches, p, links)
    for k in range(velocity_count(m)):
        accumulate(p, k, velocity_table(m, ARMATURE, k) * load(mean, k) + 0.5 * h * load(force, k))


@kernel
def land(m, q1, v, nothing, before, v1):
    """The shorter of equivalent vectors, and the velocity with them"""
    arrive(m, q1, nothing, v, before, v1)
    for k in range(configuration_count(m)):
        store(q1, k, load(before, k))


def variational_numbers(model: Model, rows: int = 0, scratch: int = 0) -> int:
    """Four velocities, a wrench for each body, the links, and what forces, factors and solutions need; and what rows do"""
    rest = max(stage_workspace(model), factor_workspace(model), model.nv + solve_workspace(model), scratch)
    return rows + 5 * model.nv + model.nq + 6 * model.n_bodies + LINK * (model.n_links + 1) + rest


def variational_memory(model: Model, scenario: Array) -> int:
    """The factor of H, the configuration to which it belongs, and whether it is there"""
    return 1 + model.nq + factor_numbers(model)


VARIATIONAL = Integrator(
    "variational",
    order=2,
    step=make_variational(
        StepRows(no_numbers, begin_none, clear_none, add_no_springs, add_no_impulses, hold_none, land_free)
    ),
    workspace=lambda model, scenario: variational_numbers(model),
    memory=variational_memory,
)
