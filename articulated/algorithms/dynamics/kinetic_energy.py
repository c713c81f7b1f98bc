"""Kinetic energy, summed over the bodies.

Source: RBDA section 2.13, ``T = 1/2 sum v_i . I_i v_i``; course, section 56.1 (source document 001, docs/sources.md).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.model.joints import joint_motion, joint_transform
from pluecker.articulated.model.layout import ARMATURE, inertia, link_count, parent, velocity_count, velocity_table
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.inertia import rigid_times_motion
from pluecker.spatial.algebra.transforms import transform_motion
from pluecker.spatial.algebra.vectors import add, dot, load_vector, store_vector
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, load, store

__all__ = ["kinetic_energy"]


@kernel
def kinetic_energy_kernel(m, q, v, out, ws):
    """T = 1/2 sum v_i . I_i v_i + 1/2 sum armature v^2"""
    store_vector(ws, 0, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    store(out, 0, 0.0)
    for i in range(1, link_count(m) + 1):
        Xi = joint_transform(m, i, q)
        vi = add(transform_motion(Xi, load_vector(ws, 6 * parent(m, i))), joint_motion(m, i, q, v))
        store_vector(ws, 6 * i, vi)
        accumulate(out, 0, 0.5 * dot(vi, rigid_times_motion(inertia(m, i), vi)))
    for k in range(velocity_count(m)):
        accumulate(out, 0, 0.5 * velocity_table(m, ARMATURE, k) * load(v, k) * load(v, k))


KINETIC_ENERGY = Algorithm(
    "kinetic_energy",
    kinetic_energy_kernel,
    inputs=("q", "v"),
    outputs=(Field("energy", ()),),
    workspace=lambda model: 6 * (model.n_links + 1),
)


def kinetic_energy(
    model: Model, q: ArrayLike, v: ArrayLike, *, out: Array | None = None, threads: int | None = None
) -> Array:
    """Kinetic energy of the bodies, and of the rotors that ``armature`` stands for.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        v: velocity, ``(..., nv)``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``(...)``; J. For one state an array without axes.

    Raises:
        ValueError, TypeError: as :func:`rnea`.

    Source: RBDA section 2.13; course, section 56.1 (source document 001, docs/sources.md).
    """
    return KINETIC_ENERGY.call(model, (q, v), out, threads)
