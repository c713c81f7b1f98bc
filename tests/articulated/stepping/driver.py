"""Steps taken one by one from Python, for tests of integrators alone."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba import config
from numpy.typing import NDArray

from pluecker.articulated import Model
from pluecker.articulated.stepping.terms.integrator import Integrator
from pluecker.articulated.stepping.terms.scenario import pack_scenario, smooth_model
from pluecker.spatial.compiled.decorators import entry_point
from pluecker.spatial.memory.views import view

Array = NDArray[np.float64]


@functools.cache
def step_on_views(integrator: Integrator) -> Callable[..., Any]:
    """The step of an integrator as compiled code calls it, on views of the arrays."""
    step = integrator.step
    if config.DISABLE_JIT:
        return step

    def take(m, c, h, q, v, law, f_ext, q1, v1, memory, ws):
        state, acting = (view(q), view(v)), (view(law), view(f_ext))
        return step(view(m), view(c), h, *state, *acting, view(q1), view(v1), view(memory), view(ws))

    # By its name the cache tells it from those of other integrators, made by the same lines.
    take.__name__ = take.__qualname__ = f"take_{integrator.name}_{integrator.listed}_{step.__name__}"
    return entry_point(take)


@functools.cache
def step_in_lanes(integrator: Integrator) -> Callable[..., Any]:
    """The same for eight states, on views of arrays ``(n, 8)``; it gives no error."""
    step = integrator.step

    def take_eight(m, c, h, q, v, law, f_ext, q1, v1, memory, ws):
        state, acting = (view(q), view(v)), (view(law), view(f_ext))
        step(view(m), view(c), h, *state, *acting, view(q1), view(v1), view(memory), view(ws))

    take_eight.__name__ = take_eight.__qualname__ = f"take_eight_{integrator.name}_{integrator.listed}_{step.__name__}"
    return entry_point(take_eight)


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
    step = step_on_views(integrator)
    for _ in range(steps):
        q1, v1 = np.full(model.nq, np.nan), np.full(model.nv, np.nan)
        error = step(m, c, h, q, v, control, wrenches, q1, v1, memory, ws)
        q, v = q1, v1
        yield q, v, float(error)
