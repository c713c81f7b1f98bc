"""Steps taken one by one from Python, for tests of integrators alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated import Model
from pluecker.articulated.stepping.integrator import Integrator
from pluecker.articulated.stepping.scenario import pack_scenario, smooth_model

Array = NDArray[np.float64]


def take_steps(
    integrator: Integrator, model: Model, q: Any, v: Any, h: float, steps: int, law: Any = None, f_ext: Any = None,
    elements: Any = (), scenario: Array | None = None,
) -> Iterator[tuple[Array, Array, float]]:  # fmt: skip
    """The state after each step, and the error that was left."""
    m, c = smooth_model(model), pack_scenario(model, elements) if scenario is None else scenario
    integrator = integrator.serving(model, c)
    q, v = np.array(q, dtype=float), np.array(v, dtype=float)
    control = np.zeros(4 * model.nv) if law is None else np.asarray(law, dtype=float)
    wrenches = np.zeros(6 * model.n_bodies) if f_ext is None else np.asarray(f_ext, dtype=float).ravel()
    memory = np.zeros(integrator.memory(model, c))
    ws = np.full(integrator.workspace(model, c), np.nan)
    for _ in range(steps):
        q1, v1 = np.full(model.nq, np.nan), np.full(model.nv, np.nan)
        error = integrator.step(m, c, h, q, v, control, wrenches, q1, v1, memory, ws)
        q, v = q1, v1
        yield q, v, float(error)
