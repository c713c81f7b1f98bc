"""Messages for simulations that could not be completed."""

from __future__ import annotations

import numpy as np

from pluecker.articulated.algorithms.dynamics.aba import aba
from pluecker.articulated.errors import SimulationError, SingularInertiaError
from pluecker.articulated.model.model import Model
from pluecker.articulated.simulation.preparation import Preparation
from pluecker.articulated.simulation.steps import Outcome
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.spatial.errors import PlueckerError, shown

__all__ = ["NO_MEASURE", "failure", "measured"]

NO_MEASURE = 1e200  # from which an error says that there is no step at all, and not how far one is off


def failure(model: Model, outcome: Outcome, prepared: Preparation, trajectory: Trajectory) -> SimulationError:
    """Make the error for a step that could not be taken, or for control or a recording that failed; with the trajectory."""
    schedule, dynamics, batch = prepared.schedule, prepared.dynamics, prepared.batch
    if outcome.failed is None:
        end = getattr(outcome.error, "time", None)
        if end is None:
            end = float(trajectory.time[-1]) if trajectory.time is not None and len(trajectory) else 0.0
        ended = SimulationError(str(outcome.error), trajectory, end)
        ended.__cause__ = outcome.error
        return ended
    time = dynamics.since + outcome.failed * schedule.step
    where = f" in state {', '.join(map(str, np.unravel_index(outcome.state, batch)))} of the batch" if batch else ""
    nq, nv, x = model.nq, model.nv, outcome.x[outcome.state]
    q, v, tau, error = x[:nq], x[nq : nq + nv], x[nq + nv : nq + 2 * nv], float(x[nq + 6 * nv])
    cause: BaseException | None = outcome.error
    try:
        found = dynamics.explain(q, v, tau, error, time, schedule.step) if np.isfinite(tau).all() else None
    except PlueckerError as reason:
        found, cause = str(reason), reason.__cause__
    beginning = f"simulate: the motion cannot be followed beyond t = {time:.6g} s{where}: "
    if not np.isfinite(tau).all():
        k = int(np.argmin(np.isfinite(tau)))
        why = f"control gives {tau[k]} for {shown(model.v_names[k])}"
    elif found is not None:
        why = found
    elif np.isfinite(error):
        more = "" if prepared.on_unsolved == "substep" else ", on_unsolved='substep' or 'continue'"
        why = f"the step is not solved, its error is {measured(error, 'times what is tolerated')}; try a smaller step{more}"
    else:
        why = f"its numbers overflow; the fastest joint is {fastest(model, v, schedule.step)}"
        try:
            aba(model, q, v, tau)
        except SingularInertiaError as reason:
            why = str(reason).partition(": ")[2]
        except PlueckerError:
            pass
        else:
            stable = dynamics.integrator.implicit
            why += "; a smaller step may follow it" if stable else "; a smaller step or semi_implicit may follow it"
    ended = SimulationError(beginning + why, trajectory, time)
    ended.__cause__ = cause
    return ended


def measured(error: float, unit: str) -> str:
    """Describe the size of a step's error in words."""
    return f"{error:.3g} {unit}" if error < NO_MEASURE else "beyond all measure"


def fastest(model: Model, v: np.ndarray, step: float) -> str:
    """Describe the fastest velocity coordinate: its name, its velocity, and how far it moves in a step."""
    k = int(np.argmax(np.abs(v)))
    return f"{shown(model.v_names[k])} at {v[k]:.3g}, {v[k] * step:.3g} in a step"
