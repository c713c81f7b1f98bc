"""Jdot v of contacts between shapes, whose places move over both bodies: by differences of J v along the motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.configuration.integrate import integrate
from pluecker.contact.constraints.relation import TOUCH, TOUCH_TURN
from pluecker.contact.instants.rows_at import RowsAt
from pluecker.spatial.functions.arguments import as_numbers, finite

if TYPE_CHECKING:
    from pluecker.contact.world.instants import Instants

__all__ = ["with_touching_bias"]

STEP = 6e-6  # the third root of the rounding 2e-16


def with_touching_bias(world: Instants, q: ArrayLike, v: ArrayLike, rows: RowsAt) -> RowsAt:
    """Set the bias of contacts between shapes in the rows of a state, to some nine digits; return the rows."""
    velocity = as_numbers("World.rows_at", "v", v)
    own = [
        k
        for k, (row, part) in enumerate((row, part) for part in world.parts for row in part.rows)
        if part.functions[row.terms[0][0]].kind in (TOUCH, TOUCH_TURN)
    ]
    largest = np.abs(velocity).max(axis=-1, initial=1e-300)[..., None]  # whose square may overflow
    with np.errstate(over="ignore"):
        speed = largest * np.linalg.norm(velocity / largest, axis=-1)[..., None]
    if not own or not speed.any():
        return rows
    way = STEP * velocity / np.where(speed > 0.0, speed, 1.0)
    ends = [world.rows_at(integrate(world.model, q, sign * way)).jacobian[..., own, :] for sign in (1.0, -1.0)]
    with np.errstate(over="ignore", invalid="ignore"):
        rows.bias[..., own] = np.einsum("...ij,...j->...i", ends[0] - ends[1], velocity) * speed / (2.0 * STEP)
    return finite("World.rows_at", rows)
