"""Dependence of a simulation's result on the step: the same motion with steps half as long, and half of that."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.configuration.integrate import difference
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.articulated.simulation.follow_motion import whole
from pluecker.articulated.simulation.integrators import ADAPTIVE
from pluecker.articulated.simulation.simulate import simulate
from pluecker.articulated.simulation.smooth import as_tolerance
from pluecker.articulated.stepping.control.control import seconds
from pluecker.articulated.trajectory.trajectory import Trajectory
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentTypeError, ArgumentValueError, shown

__all__ = ["Convergence", "convergence"]

MOST_RUNS = 32  # the last one takes two thousand million times as long as the first
ONLY_ROUNDING = 1e-13  # relative to the largest number: what differs by less tells nothing of the order


@by_value()
@dataclass(frozen=True, eq=False)
class Convergence:
    """Differences between runs of one motion, each with half the step of the one before (or a tenth of the tolerance).

    Attributes:
        name: of what was made smaller, ``"step"`` or ``"tol"``.
        values: of each run.
        q_difference, v_difference: between a run and the next, the largest of any sample and coordinate, in v's coordinates;
            rad or m, rad/s or m/s.
        order: the power of the step, or of the tolerance, with which the differences of the last three runs fall; NaN where
            they differ by rounding alone. Of an integrator that keeps its tolerance it is near 1, whatever its own order.
        error: of q in the first run and in the last one, as the differences let expect; the last difference itself where
            they do not fall.
        trajectory: that of the last run.
    """

    name: str
    values: tuple[float, ...]
    q_difference: tuple[float, ...]
    v_difference: tuple[float, ...]
    order: float
    error: tuple[float, float]
    trajectory: Trajectory

    def __str__(self) -> str:
        head = f"{self.name:>12}  {'change of q':>12}  {'change of v':>12}"
        rows = [f"{self.values[0]:12.6g}"]
        rows += [
            f"{value:12.6g}  {q:12.3g}  {v:12.3g}"
            for value, q, v in zip(self.values[1:], self.q_difference, self.v_difference, strict=True)
        ]
        falls = "observed order" if self.name == "step" else "the error follows the tolerance with the power"
        end = f"{falls} {self.order:.2f}; error of q about {self.error[0]:.2g} at first, {self.error[1]:.2g} at last"
        return "\n".join([head, *rows, end])


def convergence(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    duration: float,
    step: float,
    *,
    runs: int = 3,
    every: int = 1,
    integrator: Any = "semi_implicit",
    tol: float = 1e-6,
    **options: Any,
) -> Convergence:
    """Simulate a motion with ``step``, with half of it, with a quarter, and compare the samples.

    Integrators that choose their steps themselves run with ``tol``, with a tenth, with a hundredth.

    Args:
        model: the mechanism.
        q, v: the state at the beginning, ``(..., nq)`` and ``(..., nv)``.
        duration: s.
        step: of the first run; s.
        runs: how many, 3 to 32.
        every: steps of the first run from one sample to the next.
        integrator: as for :func:`simulate`.
        tol: of the first run.
        options: others of :func:`simulate`.

    Returns:
        The differences from run to run, the observed order, an estimate of the error, and the trajectory of the last run.
        ``print`` shows a table.

    Raises:
        ValueError, TypeError, SimulationError: as :func:`simulate`.
        KeyboardInterrupt: Ctrl-C; runs of different lengths are not compared.

    Example:
        >>> from pluecker.articulated import ModelBuilder, convergence
        >>> pendulum = ModelBuilder()
        >>> pendulum.add_body("rod", mass=1.0, center_of_mass=(0, 0, -0.5))
        >>> pendulum.add_joint("pivot", "revolute", parent="world", child="rod", axis=(0, 1, 0))
        >>> found = convergence(pendulum.build(), [1.0], [0.0], duration=0.2, step=0.01)
        >>> round(found.order)
        1

    Source: Hairer, Norsett and Wanner (1993), section II.4 (extrapolation).
    """
    model = as_model("convergence", model)
    if isinstance(runs, bool) or not isinstance(runs, (int, np.integer)):
        raise ArgumentTypeError(f"convergence: runs is a {type(runs).__name__}, expected a whole number")
    if not 3 <= runs <= MOST_RUNS:
        raise ArgumentValueError(f"convergence: runs is {shown(runs)}, expected 3 to {MOST_RUNS}")
    h = seconds("convergence", "step", step)
    adaptive = isinstance(integrator, str) and integrator in ADAPTIVE
    tol = as_tolerance(tol, "convergence")
    values = tuple(tol / 10.0**k if adaptive else h / 2.0**k for k in range(runs))
    motions = []
    for k, value in enumerate(values):
        chosen = {"tol": value} if adaptive else {"every": every * 2**k}
        own = h if adaptive else value
        more = {**options, **({"every": every} if adaptive else {}), **chosen, "record": options.get("record", ())}
        motions.append(whole(simulate, model, q, v, duration, own, integrator=integrator, **more))
    q_all, v_all = ([getattr(motion, name) for motion in motions] for name in ("q", "v"))
    dq = tuple(largest(difference(model, a, b)) for a, b in itertools.pairwise(q_all))
    dv = tuple(largest(a - b) for a, b in itertools.pairwise(v_all))
    scale = max(1.0, largest(v_all[-1]) * float(duration))
    order, error = estimate(dq, scale, 10.0 if adaptive else 2.0)
    return Convergence("tol" if adaptive else "step", values, dq, dv, order, error, motions[-1])


def estimate(differences: tuple[float, ...], scale: float, ratio: float) -> tuple[float, tuple[float, float]]:
    """The order, and the errors of the first and of the last run, if the error is a power of what was made smaller."""
    before, last = differences[-2:]
    if not (ONLY_ROUNDING * scale < last < math.inf and 0.0 < before < math.inf):
        return math.nan, (sum(differences), last)
    order = math.log(before / last, ratio)
    if not order > 0.0:
        return order, (sum(differences), last)
    rest = last / (ratio**order - 1.0)
    return order, (sum(differences) + rest, rest)


def largest(x: Array) -> float:
    """The largest number, by its size; zero if there is none."""
    return float(np.abs(x).max(initial=0.0))
