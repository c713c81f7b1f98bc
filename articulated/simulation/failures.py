"""Messages for simulations that could not be completed."""

from __future__ import annotations

import numpy as np

from pluecker.articulated.algorithms.dynamics.aba import aba
from pluecker.articulated.errors import SimulationError, SingularInertiaError
from pluecker.articulated.model.model import Model
from pluecker.articulated.simulation.preparation import Preparation
from pluecker.articulated.simulation.steps import FailedStep, Outcome
from pluecker.articulated.stepping.loop.task import ERROR
from pluecker.articulated.trajectory.samples import MotionFailure
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.spatial.errors import PlueckerError, shown

__all__ = ["NO_MEASURE", "failure", "failures_in_batch", "measured", "summary"]

EXPLAINED = (
    20  # motions of a batch that failed, of which constraints are asked for the reason: it takes milliseconds each
)
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
    time = dynamics.since + outcome.failed.step * schedule.step
    where = (
        f" in state {', '.join(map(str, np.unravel_index(outcome.failed.state, batch)))} of the batch" if batch else ""
    )
    why, cause = explained(model, outcome.failed, prepared)
    ended = SimulationError(
        f"simulate: the motion cannot be followed beyond t = {time:.6g} s{where}: {why}", trajectory, time
    )
    ended.__cause__ = outcome.error if cause is None else cause
    return ended


def failures_in_batch(model: Model, outcome: Outcome, prepared: Preparation) -> tuple[MotionFailure, ...]:
    """Describe the motions that failed in a batch whose others went on, the first one first."""
    found, since, step = [], prepared.dynamics.since, prepared.schedule.step
    for k, failed in enumerate(outcome.left):
        state = tuple(int(n) for n in np.unravel_index(failed.state, prepared.batch))
        why, _ = explained(model, failed, prepared, by_constraints=k < EXPLAINED)
        found.append(MotionFailure(state, since + failed.step * step, why))
    return tuple(found)


def summary(failures: tuple[MotionFailure, ...], function: str, size: int) -> str:
    """Make the warning of motions that failed."""
    first = failures[0]
    state = ", ".join(map(str, first.state))
    return (
        f"{function}: {len(failures)} of {size} motions cannot be followed to the end, state {state} of the batch not "
        f"beyond t = {first.time:.6g} s: {first.reason}; what is behind is NaN, and failures names all of them"
    )


def explained(
    model: Model, failed: FailedStep, prepared: Preparation, by_constraints: bool = True
) -> tuple[str, BaseException | None]:
    """Say why a step could not be taken; with what a user's function raised, if that is why."""
    dynamics, step = prepared.dynamics, prepared.schedule.step
    nq, nv, x, time = model.nq, model.nv, failed.x, dynamics.since + failed.step * step
    q, v, tau, error = x[:nq], x[nq : nq + nv], x[nq + nv : nq + 2 * nv], float(x[nq + 6 * nv + ERROR])
    found: str | None = None
    cause: BaseException | None = None
    try:
        if by_constraints and np.isfinite(tau).all():
            found = dynamics.explain(q, v, tau, error, time, step)
    except PlueckerError as reason:
        found, cause = str(reason), reason.__cause__
    if not np.isfinite(tau).all():
        k = int(np.argmin(np.isfinite(tau)))
        why = f"control gives {tau[k]} for {shown(model.v_names[k])}"
    elif found is not None:
        why = found
    elif np.isfinite(error):
        more = "" if prepared.on_unsolved == "substep" else ", on_unsolved='substep' or 'continue'"
        why = f"the step is not solved, its error is {measured(error, 'times what is tolerated')}; try a smaller step{more}"
    else:
        why = f"its numbers overflow; the fastest joint is {fastest(model, v, step)}"
        try:
            aba(model, q, v, tau)
        except SingularInertiaError as reason:
            why = str(reason).partition(": ")[2]
        except PlueckerError:
            pass
        else:
            stable = dynamics.integrator.implicit
            why += "; a smaller step may follow it" if stable else "; a smaller step or semi_implicit may follow it"
    return why, cause


def measured(error: float, unit: str) -> str:
    """Describe the size of a step's error in words."""
    return f"{error:.3g} {unit}" if error < NO_MEASURE else "beyond all measure"


def fastest(model: Model, v: np.ndarray, step: float) -> str:
    """Describe the fastest velocity coordinate: its name, its velocity, and how far it moves in a step."""
    k = int(np.argmax(np.abs(v)))
    return f"{shown(model.v_names[k])} at {v[k]:.3g}, {v[k] * step:.3g} in a step"
