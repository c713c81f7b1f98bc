"""The velocity at the end of a semi-implicit step without impulses of rows, and the factors of its matrix.

The equation is that of :mod:`~pluecker.articulated.stepping.semi_implicit.semi_implicit`. What adds impulses to it needs the
factors: steps in which limits act, and those of worlds. For one state the code is the same in all of them, and is long: it
is a separate compiled function, see :mod:`~pluecker.spatial.engine.memory.separate`. Its arguments are in a block at the
beginning of its memory.

Functions that a step calls from several places, each compiled once: joints' transforms, Newton-Euler recursion.

Source: RBDA section 5.3.
"""

from __future__ import annotations

from pluecker.articulated.algorithms.dynamics import rnea
from pluecker.articulated.algorithms.dynamics.passive import add_armature_force, add_passive_force
from pluecker.articulated.algorithms.dynamics.rnea import RNEA, move_link, pass_force_on, start_from_world
from pluecker.articulated.algorithms.inertia import crba
from pluecker.articulated.algorithms.inertia.inertia_factor import (
    factor_workspace,
    factorize_placed,
    solve_workspace,
)
from pluecker.articulated.model.joints import joint_transforms
from pluecker.articulated.model.layout import DAMPING, STIFFNESS, clear, link_count, velocity_count, velocity_table
from pluecker.articulated.model.model import Model
from pluecker.articulated.stepping.semi_implicit.free_roots import carried_moments, frame_acceleration
from pluecker.articulated.stepping.semi_implicit.gyroscopic import solve_with_gyroscopic_moments
from pluecker.articulated.stepping.terms.stage import Given
from pluecker.spatial.algebra.transforms import load_transform, store_transform
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.addresses import address_of, integers_at, numbers_at
from pluecker.spatial.engine.memory.separate import arrays_in, by_scalar, compiled_separately, put_arrays
from pluecker.spatial.engine.scalars.operations import accumulate, load, part, store, tail

__all__ = [
    "add_joint_laws",
    "add_needed_force",
    "add_passive_forces",
    "free_velocity",
    "free_velocity_workspace",
    "place_links",
]

ARRAYS = 9
STEP = 2 * ARRAYS  # behind them in the block
BLOCK = 24


@kernel
def free_velocity(m, h, given, x, moments, factor, ws):
    """Compute x = v + dv, of free joints on the world in the frozen frame, and the factors of the matrix that was solved"""
    of_state = by_scalar(x, free_velocity_separately, free_velocity_here)
    of_state(m, h, given, x, moments, factor, ws)


@kernel
def free_velocity_separately(m, h, given, x, moments, factor, ws):
    """Compute :func:`free_velocity` of one state by the separate compiled function"""
    place, (q, v, law, f) = address_of(ws), given
    put_arrays(integers_at(place, BLOCK), (m, q, v, law, f, x, moments, factor, ws))
    store(numbers_at(place, BLOCK), STEP, h)
    call_free_velocity(place, 0)


def free_velocity_at(place, k):
    """Compute :func:`free_velocity` of the arguments in the block at an address; this is what is compiled separately"""
    m, q, v, law, f, x, moments, factor, ws = arrays_in(integers_at(place, BLOCK), ARRAYS)
    free_velocity_here(m, load(numbers_at(place, BLOCK), STEP), Given(q, v, law, f), x, moments, factor, ws)
    return 0


call_free_velocity = compiled_separately("pluecker_free_velocity", free_velocity_at)


@called_kernel
def free_velocity_here(m, h, given, x, moments, factor, ws):
    """Compute :func:`free_velocity` in code that is compiled with the caller"""
    nv, (q, v, law, f) = velocity_count(m), given
    added, pivots, rest = tail(ws, BLOCK), tail(ws, BLOCK + nv), tail(ws, BLOCK + 3 * nv)
    add_bias_force(m, q, v, f, moments, x, added, rest)
    add_passive_forces(m, q, v, x)
    add_joint_laws(m, h, v, law, x, added)
    keep_transforms(m, rest)
    factorize_placed(m, q, part(added, 0, nv), factor, pivots, rest)
    solve_with_gyroscopic_moments(m, h, v, factor, x, rest)
    for k in range(nv):
        accumulate(x, k, load(v, k))


@called_kernel
def add_passive_forces(m, q, v, tau):
    """tau += damping v + friction sign(v) + k(q), called from three places: most of it is for springs of balls"""
    add_passive_force(m, q, v, tau)


@kernel
def add_bias_force(m, q, v, f, moments, tau, a, ws):
    """tau = c(q, v) by the recursive Newton-Euler algorithm, of free joints on the world without w x v; ``a`` is scratch"""
    place_links(m, q, ws, rnea.LINK)
    carried_moments(m, ws, rnea.LINK, moments)
    frame_acceleration(m, v, moments, a)
    clear(tau, velocity_count(m))
    add_needed_force(m, q, v, a, f, tau, ws)
    add_armature_force(m, a, tau)


@kernel
def add_joint_laws(m, h, v, law, x, added):
    """x = h (u + h R - x - h (K + P) v), with the bias and passive forces in ``x``; added = h (D + D_c) + h^2 (K + P)"""
    nv = velocity_count(m)
    for k in range(nv):
        K = velocity_table(m, STIFFNESS, k) + load(law, 2 * nv + k)
        losses = velocity_table(m, DAMPING, k) + load(law, 3 * nv + k)
        store(added, k, h * (losses + h * K))
        store(x, k, h * (load(law, k) + h * load(law, nv + k) - load(x, k) - h * K * load(v, k)))


@kernel
def keep_transforms(m, ws):
    """Move the joints' transforms from the records of Newton-Euler to those of the inertia matrix, which are shorter"""
    for i in range(1, link_count(m) + 1):
        store_transform(ws, crba.LINK * i, load_transform(ws, rnea.LINK * i))


def free_velocity_workspace(model: Model) -> int:
    """Count the numbers of scratch memory of :func:`free_velocity`."""
    return BLOCK + 3 * model.nv + max(RNEA.workspace(model), factor_workspace(model), solve_workspace(model))


# functions that a step calls from several places, each compiled once: joints' transforms, Newton-Euler recursion


@called_kernel
def place_links(m, q, ws, record):
    """Compute the transforms of all joints, each at the start of its link's record, of length ``record``"""
    joint_transforms(m, q, ws, record)


@called_kernel
def add_needed_force(m, q, v, a, f, tau, ws):
    """Add to tau the forces that v and a need, less the wrenches ``f``; the workspace has the transforms of the joints"""
    start_from_world(m, ws)
    for i in range(1, link_count(m) + 1):
        move_link(m, i, q, v, a, f, ws)
    for i in range(link_count(m), 0, -1):
        pass_force_on(m, i, q, tau, ws)
