"""Motion under joint forces that are given at any times, with dry friction: from sample to sample, by events."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pluecker.articulated.errors import LimitWarning, SimulationError
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.simulation.follow_motion import whole
from pluecker.articulated.simulation.simulate import simulate
from pluecker.articulated.stepping.control.control import TimeTable
from pluecker.articulated.trajectory.trajectory import Trajectory

__all__ = ["follow_intervals"]


def follow_intervals(
    model: Model, q: Array, v: Array, time: Array, tau: Array, *, progress: Callable[[Iterable[int]], Any] = iter
) -> Trajectory:
    """The motion from the state ``q, v`` under joint forces ``(n, nv)``, linear between their times ``(n,)``.

    Joints with dry friction stick and slide (:mod:`~pluecker.articulated.stepping.adaptive.adaptive`); position limits are
    passed over. The accelerations are means of the intervals, the last one that of the interval before.

    Raises:
        SimulationError: the motion cannot be followed to its end; the message says at what time.
        KeyboardInterrupt: Ctrl-C.
    """
    states = [(q, v)]
    for k in progress(range(len(time) - 1)):
        length = float(time[k + 1] - time[k])
        control = TimeTable(np.array([0.0, length]), tau[k : k + 2])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LimitWarning)  # of states between, and of each pair of rows again
                motion = whole(
                    simulate,
                    model,
                    *states[-1],
                    length,
                    length,
                    control=control,
                    limits=False,
                    integrator="dormand_prince",
                    record=(),
                )
        except SimulationError as error:
            why = str(error).partition(": ")[2]
            raise SimulationError(f"simulate: between t = {time[k]:.6g} s and {time[k + 1]:.6g} s: {why}") from None
        found: Any = motion
        states.append((found.q[-1], found.v[-1]))
    q_all, v_all = (np.array([state[part] for state in states]) for part in (0, 1))
    rates = np.diff(v_all, axis=0) / np.diff(time)[:, None] if len(time) > 1 else np.zeros((1, model.nv))
    return Trajectory(time, q_all, v_all, np.concatenate([rates, rates[-1:]])[: len(time)], tau, model=model)
