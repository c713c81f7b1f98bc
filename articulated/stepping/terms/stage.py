"""The forces that act at some instant of a step: of control, and of springs, cables and wrenches on the bodies."""

from typing import NamedTuple

from pluecker.articulated.algorithms.configuration.integrate import difference_kernel
from pluecker.articulated.forces.applied_forces import WORK, element_forces, link_wrench
from pluecker.articulated.forces.packing import element_count
from pluecker.articulated.forces.world_motion import TRANSFORM, VELOCITY, world_motion
from pluecker.articulated.model.layout import body, body_count, clear, link_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.terms.scenario import elements
from pluecker.spatial.algebra.vectors import add, load_vector, store_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store, tail

__all__ = ["Given", "stage_torque", "stage_workspace", "stage_wrenches"]


class Given(NamedTuple):
    """Givens of a step, as views of scalar arrays.

    Attributes:
        q, v: the state at its beginning, to which the law of control refers.
        law: the joint forces of control during the step, ``u, R, P, D`` of nv numbers each, see :func:`stage_torque`; of
            some integrators of worlds the time and angles over turns behind them.
        f_ext: wrenches on the bodies in their coordinates, 6 numbers each; an array without entries where there are none.
    """

    q: Array
    v: Array
    law: Array
    f_ext: Array


@kernel
def stage_torque(m, s, given, q, v, tau):
    """tau = u + s R - P d - D (v - v0), with d the displacement from q0 to q: the law that holds since the time s ago"""
    nv, law = velocity_count(m), given.law
    difference_kernel(m, given.q, q, tau, tau)
    for k in range(nv):
        x = load(law, k) + s * load(law, nv + k) - load(law, 2 * nv + k) * load(tau, k)
        store(tau, k, x - load(law, 3 * nv + k) * (load(v, k) - load(given.v, k)))


@kernel
def stage_wrenches(m, c, q, v, f_ext, f, ws):
    """f = f_ext, if there are any, and the wrenches of springs, cables and others, on each body in its coordinates"""
    n = link_count(m)
    if len(f_ext) > 0:
        for k in range(6 * body_count(m)):
            store(f, k, load(f_ext, k))
    else:
        clear(f, 6 * body_count(m))
    if element_count(elements(c)) == 0:
        return
    X = tail(ws, 1)
    V = tail(X, TRANSFORM * (n + 1))
    loads = tail(V, VELOCITY * (n + 1))
    world_motion(m, q, v, X, V)
    element_forces(elements(c), X, V, loads, n, ws)
    for i in range(1, n + 1):
        if body(m, i) >= 0:
            k = 6 * body(m, i)
            store_vector(f, k, add(load_vector(f, k), link_wrench(i, X, loads)))


def stage_workspace(model: Model) -> int:
    """Count the numbers of scratch memory that :func:`stage_wrenches` needs."""
    return WORK * (model.n_links + 1)
