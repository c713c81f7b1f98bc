"""Rows of a world in a state: phi, Jacobian and bias of each, and errors by kind; and loops that are open at a start.

``World.rows_at`` has one number a row, phi; of a row with a limit that says where it is, and of itself is no error. Of
contacts between shapes, whose places move over both bodies, Jdot v is found by differences of J v along the motion.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.algorithms.configuration.integrate import integrate
from pluecker.articulated.algorithms.inertia.crba import crba
from pluecker.articulated.model.layout import link_count
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.contact.constraints.records.user import refuse_broken_functions
from pluecker.contact.constraints.relation import NORMAL, TOUCH, TOUCH_TURN
from pluecker.contact.errors import ConstraintError
from pluecker.contact.instants.motions_at import as_times, motions_at
from pluecker.contact.instants.rows_at import ROWS_AT, RowsAt, sorted_rows
from pluecker.contact.mechanisms.constrained import Constrained
from pluecker.contact.mechanisms.running import called, run
from pluecker.contact.rows.functions import function_value
from pluecker.contact.rows.jacobian import store_row_values
from pluecker.contact.rows.layout import function_count, touching_numbers
from pluecker.contact.rows.motion import PLACE, place_links
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import store, tail
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError, shown
from pluecker.spatial.functions.arguments import as_numbers, finite

__all__ = ["ErrorsAt", "as_on_open", "by_energy", "find_errors", "refuse_open_start", "rows_at"]

OPEN = 1e-2  # m or rad, chosen: drift, and configurations that were written down to three digits, have less
STEP = 6e-6  # the third root of the rounding 2e-16
RAISE, CLOSE = "raise", "close"


@by_value()
class ErrorsAt(NamedTuple):
    """Errors of a state, by kind of constraint; each is zero where there is nothing of its kind.

    Attributes:
        bilateral: the largest error of a row that holds, joints, loops and prescribed motions, ``(...)``; m or rad.
        limits: by how much the limit that is exceeded most is exceeded, ``(...)``; m or rad.
        contacts: the largest depth of a contact that is a constraint, ``(...)``; m.
    """

    bilateral: Array
    limits: Array
    contacts: Array


@called("World.rows_at")
def rows_at(
    world: Constrained, q: ArrayLike, v: ArrayLike | None = None, *, time: ArrayLike = 0.0, threads: int | None = None
) -> RowsAt:
    """Compute what ``World.rows_at`` returns."""
    inputs = q, np.zeros(world.model.nv) if v is None else v
    asked = motions_at(world.prescribed, world.n_rows, as_times("World.rows_at", time))
    try:
        rows = sorted_rows(world.packed, run(world, ROWS_AT, inputs, threads), asked)
        return rows if v is None else with_touching_bias(world, q, v, rows)
    except ArgumentValueError:
        refuse_broken_functions(world.model, world.parts, q)
        raise


def with_touching_bias(world: Constrained, q: ArrayLike, v: ArrayLike, rows: RowsAt) -> RowsAt:
    """Set the bias of contacts between shapes in the rows of a state, to some nine digits; return the rows."""
    velocity = as_numbers("World.rows_at", "v", v)
    own = [
        k
        for k, (row, part) in enumerate((row, part) for part in world.parts for row in part.rows)
        if part.functions[row.terms[0][0]].kind in (TOUCH, TOUCH_TURN)
    ]
    if not own or not velocity.any():
        return rows
    largest = np.abs(velocity).max(axis=-1, initial=1e-300)[..., None]  # whose square may overflow
    with np.errstate(over="ignore"):
        speed = largest * np.linalg.norm(velocity / largest, axis=-1)[..., None]
    way = STEP * velocity / np.where(speed > 0.0, speed, 1.0)
    ends = [rows_at(world, integrate(world.model, q, sign * way)).jacobian[..., own, :] for sign in (1.0, -1.0)]
    with np.errstate(over="ignore", invalid="ignore"):
        rows.bias[..., own] = np.einsum("...ij,...j->...i", ends[0] - ends[1], velocity) * speed / (2.0 * STEP)
    return finite("World.rows_at", rows)


def by_energy(world: Constrained, q: Array, J: Array) -> Array:
    """Compute ``J L^-T`` with ``H = L L^T``, ``(..., n, nv)``: rows as they are compared by energy, whatever their units."""
    L = np.linalg.cholesky(np.asarray(crba(world.model, q)))  # it has the armature
    return np.swapaxes(np.linalg.solve(L, np.swapaxes(J, -1, -2)), -1, -2)


@called("World.errors_at")
def find_errors(world: Constrained, q: ArrayLike, time: ArrayLike) -> ErrorsAt:
    """Compute what ``World.errors_at`` returns."""
    error, laws = rows_at(world, q, time=time).error, world.laws
    lower, upper = (np.array([getattr(row, key) for row in laws]) for key in ("lower", "upper"))
    limited = np.array([row.ranged and row.holonomic and not row.contact for row in laws], dtype=bool)
    normal = np.array([row.contact == NORMAL for row in laws], dtype=bool)
    kinds = (
        np.abs(error[..., world.closed_rows]),
        np.maximum(lower - error, error - upper)[..., limited],
        -error[..., normal],
    )
    return ErrorsAt(*(np.max(kind, axis=-1, initial=0.0) for kind in kinds))


def as_on_open(value: object) -> str:
    """Check ``on_open``: what is to be done about a start in which constraints are open."""
    if not isinstance(value, str) or value not in (RAISE, CLOSE):
        raise ArgumentValueError(f"simulate: on_open is {shown(value)}, expected '{RAISE}' or '{CLOSE}'")
    return value


def refuse_open_start(world: Constrained, q: Any, time: float, on_open: str) -> None:
    """Refuse a start in which constraints are open, by more than drift and rounding.

    Raises:
        ConstraintError: one is, and ``on_open`` is ``"raise"``.
    """
    closed = world.closed_rows
    start = np.asarray(q)
    if on_open == CLOSE or not closed.any() or start.dtype.kind not in "fiu" or start.shape[-1:] != (world.model.nq,):
        return
    if not start.size or not np.isfinite(start).all():
        return
    try:
        values = run(world, VALUES, (start,))[..., world.packed.place]
    except ArgumentValueError:  # quaternions, functions of the user's: the motion says what is wrong with them
        return
    gaps = np.abs(values - motions_at(world.prescribed, world.n_rows, np.asarray(time)).value)
    if not ((gaps > OPEN) & closed).any():
        return
    gaps = np.where(closed, gaps, 0.0).reshape(-1, gaps.shape[-1])
    state, row = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
    name = world.names_of_rows[row]
    where = f" in state {state} of the batch" if start.ndim > 1 else ""
    raise ConstraintError(
        f"simulate: the motion begins{where} with {shown(name)} open by {gaps[state, row]:.3g} m or rad, expected at most "
        f"{OPEN:g}; World.close(q) gives the nearest configuration in which all constraints hold, and with "
        f"on_open='{CLOSE}' the first step moves the bodies there"
    )


@kernel
def values_kernel(m, w, q, values, ws):
    """Compute phi of all rows; those of shapes that may touch mean nothing, since contacts are not looked for"""
    X, phi = ws, tail(ws, PLACE * (link_count(m) + 1) + touching_numbers(w))
    place_links(m, q, X)
    for k in range(function_count(w)):
        store(phi, k, function_value(w, k, q, X))
    store_row_values(w, phi, True, values)


VALUES = Algorithm(
    "World.simulate",
    values_kernel,
    inputs=("q",),
    outputs=(Field("values", (lambda model, packed: packed.n_rows,)),),
    constants=lambda model, packed: packed.array,
    workspace=lambda model, packed: PLACE * (model.n_links + 1) + packed.touching_numbers + packed.n_functions,
    lanes=False,  # which would take seconds to compile, for a look at a start
    listed=False,
)
