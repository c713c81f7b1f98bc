"""RedMax's step: linearly implicit Euler with all matrices assembled from the Jacobian of the bodies, in body coordinates.

    (J' M J + h D + h^2 K) (v1 - v) = h (J' (f - M Jdot v) + tau) - h^2 K v        q1 = q + h v1

The twists of the bodies, and with them the velocity of a free joint, are in the axes of the body, and so are their rates:
the turning of these axes, ``- w x v``, is a force at the beginning of the step. That makes energy: a ball that turns at 50
rad/s while it flies gains a share (w h)^2 / 2 of its energy in each step. It is here for comparison with the energies that
are published for RedMax; :mod:`~pluecker.articulated.stepping.implicit.linearly_implicit` is for use.

Sources: Wang et al. (2019), section 4, and the programs that come with it; source document 002, section 4.2
(docs/sources.md).
"""

from collections.abc import Callable
from typing import Any

from pluecker.articulated.algorithms.redmax.redmax_dynamics import REDMAX_DYNAMICS, redmax_dynamics_kernel
from pluecker.articulated.model.layout import body_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.stepping.explicit.motion_rate import arrive
from pluecker.articulated.stepping.implicit.linearly_implicit import hold_none, solve_velocity
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import jacobian_table
from pluecker.articulated.stepping.terms.stage import stage_workspace, stage_wrenches
from pluecker.articulated.stepping.terms.stiffness import stiffness_and_damping, stiffness_workspace
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store, tail

__all__ = ["REDMAX", "make_redmax", "redmax_numbers"]


def make_redmax(hold_rows: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a step; ``hold_rows`` as of :func:`make_linearly_implicit`."""

    @kernel
    def redmax_step(m, c, h, given, q1, v1, memory, ws):
        """H and the forces from the Jacobian of all bodies and its rate"""
        nv, (q, v, law, f_ext) = velocity_count(m), given
        A, K, D = ws, tail(ws, nv * nv), tail(ws, 2 * nv * nv)
        b, f = tail(D, nv * nv), tail(D, nv * nv + nv)
        work = tail(f, 6 * body_count(m))
        stage_wrenches(m, c, q, v, f_ext, f, work)
        redmax_dynamics_kernel(m, jacobian_table(c), q, v, f, A, b, work)
        stiffness_and_damping(m, c, q, v, law, K, D, work)
        solve_velocity(m, h, v, law, A, K, D, b, v1)
        hold_rows(m, c, h, q, v, law, A, v1, work)
        for k in range(nv):
            store(b, k, h * load(v1, k))
        arrive(m, q, b, v1, q1, v1)
        return 0.0 * h

    return redmax_step


def redmax_numbers(model: Model, rows: int = 0) -> int:
    """How many numbers the step needs, with those of its rows."""
    work = max(rows, stage_workspace(model), REDMAX_DYNAMICS.workspace(model), stiffness_workspace(model))
    return 3 * model.nv**2 + model.nv + 6 * model.n_bodies + work


REDMAX = Integrator(
    "redmax",
    order=1,
    step=make_redmax(hold_none),
    workspace=lambda model, scenario: redmax_numbers(model),
    implicit=True,
)
