"""The wrenches of the functions of a world's constraints, for the forces along its rows.

A force r on a row is ``c_k r`` along each of its functions, and along a function the wrench (n, f) at p on the second body
and its opposite on the first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.contact.constraints.relation import COORDINATE, USER, Parts
from pluecker.contact.rows.functions import function_wrench
from pluecker.contact.rows.layout import KIND, function_count, function_entry
from pluecker.contact.rows.motion import PLACE, place_links
from pluecker.contact.rows.packing import Packed
from pluecker.contact.rows.touching import touch_pairs
from pluecker.spatial.algebra.vectors import store3
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load, store

__all__ = ["FUNCTION_WRENCHES", "wrench_on"]

WRENCH = 9  # numbers of each function: p, n, f in world axes


@kernel
def wrenches_kernel(m, w, q, out, ws):
    """Store p, n, f of each function; nothing of coordinates and users' functions"""
    place_links(m, q, ws)
    touch_pairs(w, ws, out)
    for k in range(function_count(w)):
        if function_entry(w, k, KIND) in (COORDINATE, USER):
            for j in range(WRENCH):
                store(out, WRENCH * k + j, 0.0 * load(q, 0))
        else:
            p, n, f = function_wrench(w, k, ws)
            store3(out, WRENCH * k, p)
            store3(out, WRENCH * k + 3, n)
            store3(out, WRENCH * k + 6, f)


def workspace(model: Model, packed: Packed) -> int:
    """Compute the size of the workspace of the kernel."""
    return PLACE * (model.n_links + 1) + packed.touching_numbers


FUNCTION_WRENCHES = Algorithm(
    "World.wrench",
    wrenches_kernel,
    inputs=("q",),
    outputs=(Field("wrenches", (lambda model, packed: packed.n_functions, WRENCH)),),
    constants=lambda model, packed: packed.array,
    workspace=workspace,
    listed=False,
)


def wrench_on(parts: Parts, signs: Sequence[int], units: Array, forces: Array, point: Array) -> Array:
    """Compute the wrench of one constraint on a body, in world axes about a point.

    Args:
        parts: of the constraint.
        signs: of each function 1 if it acts on the body as its second, -1 as its first, 0 if not at all.
        units: p, n, f of its functions, ``(..., functions, 9)``.
        forces: along its rows, ``(..., rows)``.
        point: in the world, ``(..., 3)``.
    """
    total = np.zeros((*np.broadcast_shapes(units.shape[:-2], forces.shape[:-1]), 6))
    for k, sign in enumerate(signs):
        own = [(r, c) for r, row in enumerate(parts.rows) for j, c in row.terms if j == k]
        if sign == 0 or not own:
            continue
        g = sign * sum(c * forces[..., r, None] for r, c in own)
        p, n, f = np.split(units[..., k, :], 3, axis=-1)
        total[..., :3] += g * (n + np.cross(p - point, f))
        total[..., 3:] += g * f
    return total
