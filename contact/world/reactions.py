"""Wrenches on bodies from the forces along the rows of a world's constraints, and what the joints of its model carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pluecker.articulated.algorithms.dynamics.rnea import joint_forces
from pluecker.articulated.algorithms.frames.forward_kinematics import forward_kinematics
from pluecker.articulated.running.arguments import Array
from pluecker.contact.constraints.frames import body_number
from pluecker.contact.constraints.relation import COORDINATE, USER
from pluecker.contact.instants.wrenches import FUNCTION_WRENCHES
from pluecker.contact.world.running import run

if TYPE_CHECKING:
    from pluecker.contact.world.constrained import Constrained
    from pluecker.contact.world.world import World

__all__ = ["body_wrenches", "function_forces", "joint_reactions", "largest_wrench"]


def function_forces(world: Constrained, forces: Array) -> Array:
    """Compute the force along each function of all constraints, ``(..., n_functions)``, from those along their rows."""
    total = np.zeros((*forces.shape[:-1], world.packed.n_functions))
    row = 0
    for part, own in zip(world.parts, world.packed.functions, strict=True):
        for r in part.rows:
            for k, c in r.terms:
                total[..., own[k]] += c * forces[..., row]
            row += 1
    return total


def body_wrenches(
    world: Constrained, q: Array, forces: Array, receivers: Sequence[Sequence[int]] | None = None
) -> Array:
    """Compute the wrenches of constraints on the bodies, in body coordinates, ``(..., n_bodies, 6)``.

    Args:
        world: the mechanism and its constraints.
        q: configuration, ``(..., nq)``.
        forces: along all rows, ``(..., n_rows)``.
        receivers: of each function the bodies whose share is counted; all if None.
    """
    model = world.model
    g = function_forces(world, forces)
    T = forward_kinematics(model, q)
    units = run(world, FUNCTION_WRENCHES, (q,))
    total = np.zeros((*np.broadcast_shapes(T.shape[:-3], g.shape[:-1]), model.n_bodies, 6))
    for k, f in enumerate(f for part in world.parts for f in part.functions):
        if f.kind in (COORDINATE, USER):
            continue
        p, n, force = np.split(units[..., k, :], 3, axis=-1)
        for frame, sign in ((f.first, -1.0), (f.second, 1.0)):
            assert frame is not None
            b = body_number(world.model, frame.name)
            if b >= 0 and (receivers is None or b in receivers[k]):
                s = sign * g[..., k, None]
                moment = n + np.cross(p - T[..., b, :3, 3], force)
                total[..., b, :3] += s * np.einsum("...ji,...j->...i", T[..., b, :3, :3], moment)
                total[..., b, 3:] += s * np.einsum("...ji,...j->...i", T[..., b, :3, :3], force)
    return total


def largest_wrench(world: Constrained, q: Array, forces: Array) -> float:
    """Compute the largest number among the wrenches of single functions, for forces along all rows."""
    units = run(world, FUNCTION_WRENCHES, (q,))
    wrenches = np.abs(units[..., 3:]).max(axis=-1) * np.abs(function_forces(world, forces))
    return float(wrenches.max(initial=0.0))


def joint_reactions(world: World, q: Array, v: Array, result: Any, f_ext: Array | None = None) -> Array:
    """Compute the wrench through the joint of each body, from its parent, in body coordinates, ``(..., n_bodies, 6)``.

    As :func:`~pluecker.articulated.joint_forces`, with the wrenches of the constraints among those from outside.
    """
    outside = body_wrenches(world, q, result.forces)
    return joint_forces(world.model, q, v, result.acceleration, outside if f_ext is None else outside + f_ext)
