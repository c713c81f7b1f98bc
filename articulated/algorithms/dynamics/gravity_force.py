"""The gravity force: what the joints must do to hold the robot still against its weight.

Source: RBDA section 5.3, with the robot at rest.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.model.joints import add_joint_force, joint_transforms
from pluecker.articulated.model.layout import base_acceleration, clear, inertia, link_count, parent, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.algebra.inertia import rigid_times_motion
from pluecker.spatial.algebra.transforms import inverse_transform_force, load_transform, transform_motion
from pluecker.spatial.algebra.vectors import add, load_vector, store_vector
from pluecker.spatial.engine.compiled.decorators import kernel

__all__ = ["gravity_force"]

# the workspace: for each link its transform, acceleration and force
X, A, F = 0, 12, 18
LINK = 24


@kernel
def gravity_force_kernel(m, q, tau, ws):
    """RNEA at rest: a_i = X a_p, f_i = I a_i"""
    n = link_count(m)
    joint_transforms(m, q, ws, LINK)
    store_vector(ws, A, base_acceleration(m))
    clear(tau, velocity_count(m))
    for i in range(1, n + 1):
        w = LINK * i
        ai = transform_motion(load_transform(ws, w + X), load_vector(ws, LINK * parent(m, i) + A))
        store_vector(ws, w + A, ai)
        store_vector(ws, w + F, rigid_times_motion(inertia(m, i), ai))
    for i in range(n, 0, -1):
        w, p = LINK * i, LINK * parent(m, i)
        fi = load_vector(ws, w + F)
        add_joint_force(m, i, q, fi, tau)
        if p > 0:
            fp = inverse_transform_force(load_transform(ws, w + X), fi)
            store_vector(ws, p + F, add(load_vector(ws, p + F), fp))


GRAVITY_FORCE = Algorithm(
    "gravity_force",
    gravity_force_kernel,
    inputs=("q",),
    outputs=("tau",),
    workspace=lambda model: LINK * (model.n_links + 1),
)


def gravity_force(model: Model, q: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
    """Joint forces that balance the weight of the robot at rest: the gradient of its potential energy in gravity.

    Springs are not counted; :func:`bias_force` at zero velocity has them too.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``(..., nv)``; N m or N.

    Raises:
        ValueError, TypeError: as :func:`rnea`.

    Source: RBDA section 5.3, with ``v = a = 0``.
    """
    return GRAVITY_FORCE.call(model, (q,), out, threads)
