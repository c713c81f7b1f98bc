"""Derivatives of forward dynamics by configuration, velocity and joint forces.

The acceleration a of forward dynamics is where inverse dynamics give the forces that act: ``rnea(q, v, a) = tau``. So

    da/dtau = H^-1      da/dq = -H^-1 dtau/dq      da/dv = -H^-1 dtau/dv

with the derivatives of inverse dynamics at that acceleration. The factors of H serve all three, eight columns at a time.

Sources: RBDA section 8.1; Carpentier, Mansard, "Analytical derivatives of rigid body dynamics algorithms" (2018), section 4.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.derivatives.rnea_derivatives import differentiate_rnea, move_links, rnea_workspace
from pluecker.articulated.algorithms.dynamics.passive import add_passive_force
from pluecker.articulated.algorithms.dynamics.rnea import RNEA, pass_force_on
from pluecker.articulated.algorithms.inertia.inertia_factor import (
    factor_numbers,
    factor_workspace,
    factorize_trees,
    refused_coordinate,
    solve_factorized,
    solve_workspace,
)
from pluecker.articulated.algorithms.redmax.column_blocks import plan_blocks
from pluecker.articulated.model.layout import clear, factor_size, link_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import LEFT_OUT, Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.engine.compiled.decorators import called_kernel, kernel
from pluecker.spatial.engine.memory.arrays import aligned
from pluecker.spatial.engine.memory.joined import as_rows
from pluecker.spatial.engine.scalars.lanes import WIDTH
from pluecker.spatial.engine.scalars.operations import load, part, store, tail

__all__ = ["aba_derivatives"]


@kernel
def aba_derivatives_kernel(m, c, q, v, tau, f_ext, dq, dv, dtau, ws):
    """Compute the acceleration, then the derivatives of inverse dynamics there, then solve for all columns by the factors"""
    nv = velocity_count(m)
    pivots, a, factor, rest = ws, tail(ws, 2 * nv), tail(ws, 3 * nv), tail(ws, 3 * nv + factor_size(m))
    factorize_trees(m, q, factor, pivots, rest)
    store_net_force(m, q, v, tau, f_ext, a, rest)
    solve_columns(m, factor, a, 1, 1.0, rest)
    differentiate_rnea(m, c, q, v, a, f_ext, dq, dv, rest)
    clear(dtau, nv * nv)
    for k in range(nv):
        store(dtau, nv * k + k, 1.0)
    for matrix, sign in ((dq, -1.0), (dv, -1.0), (dtau, 1.0)):
        solve_columns(m, factor, matrix, nv, sign, rest)


@kernel
def store_net_force(m, q, v, tau, f_ext, net, ws):
    """Compute tau - C: the joint forces less those that give no acceleration"""
    n, nv = link_count(m), velocity_count(m)
    zero, links = ws, tail(ws, nv)
    clear(zero, nv)
    clear(net, nv)
    move_links(m, q, v, zero, f_ext, links)
    for i in range(n, 0, -1):
        pass_force_on(m, i, q, net, links)
    add_passive_force(m, q, v, net)
    for k in range(nv):
        store(net, k, load(tau, k) - load(net, k))


@called_kernel
def solve_columns(m, factor, B, columns, sign, ws):
    """Compute B = sign H^-1 B, eight columns at a time"""
    nv = velocity_count(m)
    numbers = aligned(ws)
    x, rest = as_rows(part(numbers, 0, WIDTH * nv)), as_rows(tail(numbers, WIDTH * nv))
    for first in range(0, columns, WIDTH):
        n = min(WIDTH, columns - first)
        clear(x, nv)
        for r in range(nv):
            for k in range(n):
                store(numbers, WIDTH * r + k, sign * load(B, columns * r + first + k))
        solve_factorized(m, factor, x, rest)
        for r in range(nv):
            for k in range(n):
                store(B, columns * r + first + k, load(numbers, WIDTH * r + k) + 0.0)  # no -0


def workspace(model: Model) -> int:
    """Return the size of the workspace of :func:`aba_derivatives_kernel`, in numbers"""
    columns = WIDTH * (model.nv + solve_workspace(model) + 1)
    needed = factor_workspace(model), model.nv + RNEA.workspace(model), rnea_workspace(model), columns
    return 3 * model.nv + factor_numbers(model) + max(needed)


ABA_DERIVATIVES = Algorithm(
    "aba_derivatives",
    aba_derivatives_kernel,
    inputs=("q", "v", "tau", "f_ext"),
    outputs=(Field("da_dq", ("nv", "nv")), Field("da_dv", ("nv", "nv")), Field("da_dtau", ("nv", "nv"))),
    constants=plan_blocks,
    workspace=workspace,
    singular=refused_coordinate,
    lanes=False,
)


def aba_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: tuple[Array, Array, Array] | None = None,
    threads: int | None = None,
) -> tuple[Array, Array, Array]:
    """The derivatives of forward dynamics: how the acceleration changes with configuration, velocity and joint forces.

    The configuration is displaced in v's coordinates, as for :func:`rnea_derivatives`; what counts there counts here. The
    derivatives are exact; they are as accurate as the inertia matrix can be inverted.

    Args:
        model, q, v, tau, f_ext: as for :func:`aba`.
        out: three arrays that take the results, C-ordered float64; untouched where an argument is refused.
        threads: how many threads share a batch, at least 1; all cores if None.

    Leading axes broadcast.

    Returns:
        ``(da_dq, da_dv, da_dtau)``, each ``(..., nv, nv)``: row i is the acceleration i. The last is the inverse of the
        inertia matrix.

    Raises:
        ValueError, TypeError, SingularInertiaError: as :func:`aba`.

    Example:
        >>> from pluecker.articulated import ModelBuilder, aba_derivatives
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), damping=0.1)
        >>> aba_derivatives(arm.build(), q=[0.0], v=[0.0], tau=[0.0])
        (array([[0.]]), array([[-0.2]]), array([[2.]]))

    Source: Carpentier, Mansard, "Analytical derivatives of rigid body dynamics algorithms" (2018), section 4.
    """
    result: tuple[Array, Array, Array]
    result = ABA_DERIVATIVES.call(model, (q, v, tau, LEFT_OUT if f_ext is None else f_ext), out, threads)
    return result
