"""Errors of a state: of rows that hold, of limits and of contacts, each for itself; and loops that are open at a start.

``World.rows_at`` has one number a row, phi; of a row with a limit that says where it is, and of itself is no error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pluecker.articulated.model.layout import link_count
from pluecker.articulated.running.algorithm import Algorithm
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.running.fields import Field
from pluecker.contact.constraints.relation import NORMAL
from pluecker.contact.errors import ConstraintError
from pluecker.contact.instants.motions_at import motions_at
from pluecker.contact.rows.functions import function_value
from pluecker.contact.rows.jacobian import store_row_values
from pluecker.contact.rows.layout import function_count, touching_numbers
from pluecker.contact.rows.motion import PLACE, place_links
from pluecker.contact.world.determination import held_rows
from pluecker.contact.world.running import run
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import store, tail
from pluecker.spatial.equality import by_value
from pluecker.spatial.errors import ArgumentValueError, shown

if TYPE_CHECKING:
    from pluecker.contact.world.instants import Instants

__all__ = ["ErrorsAt", "as_on_open", "find_errors", "refuse_open_start"]

OPEN = 1e-2  # m or rad, chosen: drift, and configurations that were written down to three digits, have less
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


def find_errors(world: Instants, q: ArrayLike, time: ArrayLike) -> ErrorsAt:
    """Compute what ``World.errors_at`` returns."""
    error, laws = world.rows_at(q, time=time).error, world.laws
    lower, upper = (np.array([getattr(row, key) for row in laws]) for key in ("lower", "upper"))
    limited = np.array([row.ranged and row.holonomic and not row.contact for row in laws], dtype=bool)
    normal = np.array([row.contact == NORMAL for row in laws], dtype=bool)
    kinds = (
        np.abs(error[..., closed_rows(world)]),
        np.maximum(lower - error, error - upper)[..., limited],
        -error[..., normal],
    )
    return ErrorsAt(*(np.max(kind, axis=-1, initial=0.0) for kind in kinds))


def closed_rows(world: Instants) -> Array:
    """Return which rows hold phi itself, and not its rate alone, ``(n_rows,)``."""
    found: Array | None = world.tables.get(closed_rows)
    if found is None:
        holonomic = np.array([row.holonomic for row in world.laws], dtype=bool)
        found = world.tables[closed_rows] = held_rows(world) & holonomic
    return found


def as_on_open(value: object) -> str:
    """Check ``on_open``: what is to be done about a start in which constraints are open."""
    if not isinstance(value, str) or value not in (RAISE, CLOSE):
        raise ArgumentValueError(f"simulate: on_open is {shown(value)}, expected '{RAISE}' or '{CLOSE}'")
    return value


def refuse_open_start(world: Instants, q: Any, time: float, on_open: str) -> None:
    """Refuse a start in which constraints are open, by more than drift and rounding.

    Raises:
        ConstraintError: one is, and ``on_open`` is ``"raise"``.
    """
    closed = closed_rows(world)
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
    name = [name for name, part in zip((*world.names, "joints"), world.parts, strict=True) for _ in part.rows][row]
    where = f" in state {state} of the batch" if start.ndim > 1 else ""
    raise ConstraintError(
        f"simulate: the motion begins{where} with {shown(name)} open by {gaps[state, row]:.3g} m or rad, expected at most "
        f"{OPEN:g}; World.close(q) gives the nearest configuration in which all constraints hold, and with "
        f"on_open='{CLOSE}' the first step moves the bodies there"
    )


@kernel
def values_kernel(m, w, q, values, ws):
    """Compute phi of all rows; those of shapes that may touch have no meaning, as contacts are not searched for"""
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
