"""Potential energy in gravity and in the springs of the joints."""

from __future__ import annotations

from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.dynamics.passive import add_spring_force
from pluecker.articulated.algorithms.frames.forward_kinematics import TRANSFORM, placements
from pluecker.articulated.model.layout import clear, gravity, has_springs, inertia, link_count, velocity_count
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.spatial.algebra.transforms import load_transform
from pluecker.spatial.algebra.vectors import add3, dot3, rotate_back, scale3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import accumulate, store, tail

__all__ = ["potential_energy"]


@kernel
def potential_energy_kernel(m, q, out, ws):
    """V = -sum g . (m_i r_i + E_i^T h_i) + 1/2 d^T K d"""
    n = link_count(m)
    placements(m, q, ws)
    store(out, 0, 0.0)
    for i in range(1, n + 1):
        E, r = load_transform(ws, TRANSFORM * i)
        mass, h, _ = inertia(m, i)
        accumulate(out, 0, -dot3(gravity(m), add3(scale3(mass, r), rotate_back(E, h))))
    if has_springs(m):
        force = tail(ws, TRANSFORM * (n + 1))
        clear(force, velocity_count(m))
        accumulate(out, 0, add_spring_force(m, q, force))


POTENTIAL_ENERGY = Algorithm(
    "potential_energy",
    potential_energy_kernel,
    inputs=("q",),
    outputs=(Field("energy", ()),),
    workspace=lambda model: TRANSFORM * (model.n_links + 1) + model.nv,
)


def potential_energy(model: Model, q: ArrayLike, *, out: Array | None = None, threads: int | None = None) -> Array:
    """Potential energy of the bodies in gravity, zero at the world's origin, and of the springs, zero at rest.

    What is fixed to the world does not count. The spring of a mimic joint counts up to a constant.

    Args:
        model: the mechanism.
        q: configuration, ``(..., nq)``.
        out: array that takes the result, C-ordered float64 of the result's shape; untouched where an error is raised.
        threads: how many threads share a batch, at least 1; all cores if None.

    Returns:
        ``(...)``; J. For one state an array without axes.

    Raises:
        ValueError, TypeError: as :func:`rnea`.

    Source: mechanics; its gradient is checked against :func:`gravity_force`.
    """
    return POTENTIAL_ENERGY.call(model, (q,), out, threads)
