"""Linearly implicit Euler: one step of Newton's method towards implicit Euler, with the stiffness and damping matrices.

The forces at the end of the step are those at its beginning, changed by K and D for the way ``h v1`` and the change of
velocity. What is left of the equations of motion is linear in the velocity:

    (H + h D + h^2 K) (v1 - v) = h (tau - c(q, v)) - h^2 K v        q1 = q + h v1

with tau all forces at the beginning of the step, but control at its end. Springs and gains are stable whatever the step, and
damped as implicit Euler damps them. H + h D + h^2 K is symmetric and positive definite; it is made in full, so that a step
costs about nv^3 / 6 products.

Free joints on the world are stepped in a frozen frame (:mod:`~pluecker.articulated.stepping.semi_implicit.free_roots`), so
that no energy comes from the turning of axes. Gyroscopic moments of free and spherical joints on the world are moved to the
middle of the step, as :mod:`~pluecker.articulated.stepping.semi_implicit.gyroscopic` has it, here with the inertia that
moments meet in H + h D + h^2 K.

Sources: Baraff, Witkin, "Large steps in cloth simulation" (1998), section 3; in joint coordinates Wang et al. (2019),
section 4 (docs/sources.md).
"""

from collections.abc import Callable
from typing import Any

from pluecker.articulated.algorithms.derivatives.rnea_derivatives import store_full_inertia_matrix
from pluecker.articulated.algorithms.dynamics.rnea import LINK, rnea_kernel
from pluecker.articulated.algorithms.inertia import crba
from pluecker.articulated.model.joints import has_constant_subspace, joint_transforms
from pluecker.articulated.model.layout import (
    body_count,
    clear,
    first_v,
    freedom_count,
    link_count,
    parent,
    velocity_count,
)
from pluecker.articulated.model.model import Model
from pluecker.articulated.stepping.semi_implicit.free_roots import (
    MOMENT,
    carried_moments,
    frame_acceleration,
    move_configuration,
)
from pluecker.articulated.stepping.semi_implicit.gyroscopic import change_by_midpoint
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.stage import stage_workspace, stage_wrenches
from pluecker.articulated.stepping.terms.stiffness import stiffness_and_damping, stiffness_workspace
from pluecker.spatial.algebra.inertia import symmetric_times
from pluecker.spatial.algebra.vectors import add3, cross3, dot3, load3, scale3, subtract3
from pluecker.spatial.dense.ldl import factorize_ldl, solve_ldl
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, store, tail

__all__ = ["LINEARLY_IMPLICIT", "hold_none", "linearly_implicit_numbers", "make_linearly_implicit", "solve_velocity"]

# Of its entry on the diagonal, a pivot that is rounding error. With springs it may be far smaller than where the inertia
# alone is factorised: what two bodies on a stiff spring move together is their mass beside h^2 k.
EPSILON = 1e-15


@kernel
def hold_none(m, c, h, q, v, law, A, x, ws):
    """A tree has no rows to hold"""


def make_linearly_implicit(hold_rows: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a step; ``hold_rows(m, c, h, q, v, law, A, x, ws)`` makes x what rows want, with the factor of A."""

    @kernel
    def linearly_implicit_step(m, c, h, given, q1, v1, memory, ws):
        """H from CRBA, c from the recursive Newton-Euler algorithm"""
        nv, (q, v, law, f_ext) = velocity_count(m), given
        A, K, D = ws, tail(ws, nv * nv), tail(ws, 2 * nv * nv)
        b, f = tail(D, nv * nv), tail(D, nv * nv + nv)
        moments = tail(f, 6 * body_count(m))
        x = tail(moments, MOMENT * (link_count(m) + 1))
        work = tail(x, nv)
        stage_wrenches(m, c, q, v, f_ext, f, work)
        joint_transforms(m, q, work, LINK)
        carried_moments(m, work, LINK, moments)
        frame_acceleration(m, v, moments, x)
        rnea_kernel(m, q, v, x, f, b, work)
        for k in range(nv):
            store(b, k, -load(b, k))
        store_full_inertia_matrix(m, q, A, work)
        stiffness_and_damping(m, c, q, v, law, K, D, work)
        solve_velocity(m, h, v, law, A, K, D, b, x)
        turn_by_midpoint(m, h, v, A, K, x)
        hold_rows(m, c, h, q, v, law, A, x, work)
        move_configuration(m, h, q, x, moments, b, q1, v1)
        return 0.0 * h

    return linearly_implicit_step


@kernel
def solve_velocity(m, h, v, law, A, K, D, b, v1):
    """v1 from (A + h D + h^2 K) (v1 - v) = h (b + tau_control(h)) - h^2 K v; A and b are lost"""
    nv = velocity_count(m)
    for k in range(nv):
        y = h * (load(b, k) + load(law, k) + h * load(law, nv + k))
        for j in range(nv):
            x = h * h * load(K, nv * k + j)
            y = y - x * load(v, j)
            accumulate(A, nv * k + j, h * load(D, nv * k + j) + x)
        store(b, k, y)
    factorize_ldl(A, nv, EPSILON)
    solve_ldl(A, nv, b)
    for k in range(nv):
        store(v1, k, load(v, k) + load(b, k))


@kernel
def turn_by_midpoint(m, h, v, A, C, x):
    """x += A^-1 (h g(w) - h g(middle)) with the gyroscopic moments g of free and spherical joints on the world

    Of each the three columns C of A^-1 that moments on it have; M is the inverse of their own rows.
    """
    nv = velocity_count(m)
    for i in range(1, link_count(m) + 1):
        if parent(m, i) == 0 and freedom_count(m, i) >= 3 and has_constant_subspace(m, i):
            j = first_v(m, i)
            for k in range(3):
                clear(tail(C, nv * k), nv)
                store(C, nv * k + j + k, 1.0)
                solve_ldl(A, nv, tail(C, nv * k))
            a, b, c = load3(C, j), load3(C, nv + j), load3(C, 2 * nv + j)
            M = invert_symmetric((a[0], a[1], a[2], b[1], b[2], c[2]))
            w = load3(v, j)
            explicit = subtract3(load3(x, j), w)
            p = add3(symmetric_times(M, explicit), scale3(h, cross3(w, symmetric_times(M, w))))
            turn = change_by_midpoint(M, h, w, p, explicit)
            moment = symmetric_times(M, subtract3(turn, explicit))
            for k in range(nv):
                y = load(C, k) * moment[0] + load(C, nv + k) * moment[1] + load(C, 2 * nv + k) * moment[2]
                accumulate(x, k, y)


@kernel
def invert_symmetric(S):
    """The inverse, (xx, xy, xz, yy, yz, zz) as the matrix itself"""
    a, b, c = (S[0], S[1], S[2]), (S[1], S[3], S[4]), (S[2], S[4], S[5])
    x, y, z = cross3(b, c), cross3(c, a), cross3(a, b)
    s = 1.0 / dot3(a, x)
    return s * x[0], s * x[1], s * x[2], s * y[1], s * y[2], s * z[2]


def linearly_implicit_numbers(model: Model, rows: int = 0) -> int:
    """How many numbers the step needs, with those of its rows."""
    work = (
        rows,
        stage_workspace(model),
        LINK * (model.n_links + 1),
        crba.workspace(model) + model.coordinate_tree.pairs,
        stiffness_workspace(model),
    )
    return 3 * model.nv**2 + 2 * model.nv + 6 * model.n_bodies + MOMENT * (model.n_links + 1) + max(work)


LINEARLY_IMPLICIT = Integrator(
    "linearly_implicit",
    order=1,
    step=make_linearly_implicit(hold_none),
    workspace=lambda model, scenario: linearly_implicit_numbers(model),
    implicit=True,
)
