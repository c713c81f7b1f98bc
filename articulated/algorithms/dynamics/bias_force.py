"""The bias force: what the joints must do for no acceleration.

Source: RBDA section 6.1, ``C = ID(q, qd, 0)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.rnea import RNEA
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import LEFT_OUT, Algorithm
from pluecker.articulated.running.arguments import Array, as_model

__all__ = ["bias_force"]

BIAS_FORCE = Algorithm("bias_force", RNEA.kernel, RNEA.inputs, RNEA.outputs, RNEA.workspace)


def bias_force(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Joint forces that keep the acceleration zero: Coriolis, centrifugal and gravity forces, and the joints' own.

    With ``C`` this force and ``H`` the inertia matrix of :func:`crba`, ``tau = H a + C``: damping, friction, springs and
    ``f_ext`` count as in :func:`rnea`.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        f_ext: forces on the bodies from outside, ``(..., n_bodies, 6)``, in body coordinates.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        C, ``(..., nv)``; N m or N.

    Raises:
        ValueError, TypeError: as :func:`rnea`.

    Example:
        >>> from pluecker.articulated import ModelBuilder, bias_force
        >>> arm = ModelBuilder()
        >>> arm.add_body("rod", mass=2.0, center_of_mass=(0.5, 0, 0))
        >>> arm.add_joint("hinge", "revolute", parent="world", child="rod", axis=(0, 1, 0), damping=0.1)
        >>> bias_force(arm.build(), q=[0.0], v=[3.0])
        array([-9.51])

    Source: RBDA section 6.1.
    """
    at_rest = np.zeros(as_model("bias_force", model).nv)
    return BIAS_FORCE.call(model, (q, v, at_rest, LEFT_OUT if f_ext is None else f_ext), out, threads)
