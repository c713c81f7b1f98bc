"""The acceleration at some instant of a step, with all forces that act then: what explicit integrators ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pluecker.articulated.algorithms.dynamics.aba import ABA, ABA_WITH_MIMIC
from pluecker.articulated.model.layout import body_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.stepping.terms.stage import stage_torque, stage_workspace, stage_wrenches
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import tail

__all__ = ["SOLVERS", "acceleration_kernel", "acceleration_workspace"]

SOLVERS = {False: ABA, True: ABA_WITH_MIMIC}  # by whether mimic joints share coordinates


def acceleration_kernel(solver: Algorithm) -> Callable[..., Any]:
    """The kernel that computes accelerations with that algorithm."""
    forward_dynamics = solver.kernel

    @kernel
    def acceleration(m, c, s, q0, v0, q, v, law, f_ext, a, ws):
        """a at the state (q, v), a time ``s`` after the state (q0, v0) since which the law of control holds"""
        tau, f = ws, tail(ws, velocity_count(m))
        rest = tail(f, 6 * body_count(m))
        stage_torque(m, s, q0, v0, q, v, law, tau)
        stage_wrenches(m, c, q, v, f_ext, f, rest)
        forward_dynamics(m, q, v, tau, f, a, rest)

    return acceleration


def acceleration_workspace(solver: Algorithm) -> Callable[[Model], int]:
    """Count the numbers of scratch memory that the kernel needs."""

    def workspace(model: Model) -> int:
        return model.nv + 6 * model.n_bodies + max(stage_workspace(model), int(solver.workspace(model)))

    return workspace
