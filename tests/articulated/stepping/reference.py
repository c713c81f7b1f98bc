"""The motion by SciPy, at a tolerance near rounding: nothing of it is shared with the integrators but the forces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from pluecker.articulated import Model, aba, applied_forces, difference
from pluecker.articulated.simulation.smooth import configuration_rate

Array = NDArray[np.float64]


def exact_motion(
    model: Model, q: Array, v: Array, duration: float, law: Array | None = None, f_ext: Any = None, elements: Any = (),
    *, times: Any = None, tol: float = 1e-13,
) -> tuple[Array, Array]:  # fmt: skip
    """The state at the end, or at the times; exponential coordinates must stay within a turn."""
    law = np.zeros((4, model.nv)) if law is None else law.reshape(4, model.nv)

    def normalized(q: Array) -> Array:
        q = q.copy()
        for part in model.quaternion_slices().values():
            q[part] /= np.linalg.norm(q[part])
        return q

    def rate(t: float, y: Array) -> Array:
        q1, v1 = normalized(y[: model.nq]), y[model.nq :]
        tau = law[0] + t * law[1] - law[2] * difference(model, q, q1) - law[3] * (v1 - v)
        if elements:
            tau = tau + applied_forces(model, elements, q1, v1).joint_force
        return np.concatenate([configuration_rate(model, q1, v1), aba(model, q1, v1, tau, f_ext)])

    found = solve_ivp(
        rate, (0.0, duration), np.concatenate([q, v]), method="DOP853", rtol=max(tol, 3e-14), atol=tol, t_eval=times
    )
    assert found.success
    y = found.y[:, -1] if times is None else found.y.T
    if times is not None:
        return np.array([normalized(x[: model.nq]) for x in y]), y[:, model.nq :]
    return normalized(y[: model.nq]), y[model.nq :]
