"""Layout of the array that the compiled part of a step leaves for the rest of it: its pieces, one after the other.

==============  ========================================================================================================
piece           contents
==============  ========================================================================================================
time            s, one number
turns           angles over turns, as they are counted
impulses        along the rows of all constraints, in the order of their kernels
rotors          what the memory between steps has of them
==============  ========================================================================================================

These four last from step to step; what follows is found in each.

==============  ========================================================================================================
moments         of each link the mass that its joint carries and its first moment,
                :mod:`~pluecker.articulated.stepping.semi_implicit.free_roots`
inverse         A^-1 of each tree in the order of its rows, one after the other
links           where links are
columns         of each freedom how it moves its link
jacobian        J of the rows of constraints
values          of these rows
compliance      of linear rows
asked           of linear rows, the velocities that are asked for
laws            of rows with a range, nine numbers each
softness        of rows with a range, their compliance
==============  ========================================================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.semi_implicit.free_roots import MOMENT
from pluecker.articulated.stepping.terms.scenario import MORE
from pluecker.contact.rows import layout
from pluecker.contact.rows.motion import COLUMN, PLACE
from pluecker.contact.rows.ranges import LAW
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load_integer

__all__ = [
    "PIECES",
    "Counts",
    "counts_of",
    "inverse_sizes",
    "kept_count",
    "kept_numbers",
    "pieces_of",
    "placements_of",
    "rows_in",
    "sizes",
]

PIECES = (
    "time", "turns", "impulses", "rotors", "moments", "inverse", "links", "columns", "jacobian", "values", "compliance",
    "asked", "laws", "softness",
)  # fmt: skip


@kernel
def kept_count(w):
    """Return how many numbers last from step to step"""
    return 1 + load_integer(w, layout.N_TURNS) + layout.row_count(w) + load_integer(w, layout.N_ROTORS)


class Counts(NamedTuple):
    """Counts of the rows of constraints, and of what they have."""

    rows: int
    linear: int
    values: int
    turns: int
    rotors: int


def rows_in(scenario: Array) -> Array:
    """Return the constraints in a scenario, a view."""
    return scenario[scenario.view(np.int64)[MORE] :]


def counts_of(constraints: Array) -> Counts:
    """Read the counts of constraints as kernels read them."""
    w = constraints[: layout.HEADER].view(np.int64)
    return Counts(
        *(int(w[k]) for k in (layout.N_ROWS, layout.N_LINEAR, layout.N_VALUES, layout.N_TURNS, layout.N_ROTORS))
    )


def inverse_sizes(model: Model) -> Array:
    """Compute how many numbers the inverse of each tree has."""
    return np.diff(model.coordinate_tree.first_row) ** 2


def sizes(model: Model, counts: Counts) -> tuple[int, ...]:
    """Compute the sizes of all pieces, in their order."""
    ranged = counts.rows - counts.linear
    return (
        1, counts.turns, counts.rows, counts.rotors, MOMENT * (model.n_links + 1), int(inverse_sizes(model).sum()),
        PLACE * (model.n_links + 1), COLUMN * len(model.freedoms), counts.values, counts.rows, counts.linear,
        counts.linear, LAW * ranged, ranged,
    )  # fmt: skip


def kept_numbers(counts: Counts) -> int:
    """Compute how many numbers last from step to step."""
    return 1 + counts.turns + counts.rows + counts.rotors


def pieces_of(model: Model, counts: Counts) -> dict[str, slice]:
    """Return the slice of each piece; kept with the model."""
    key = pieces_of, counts
    found: dict[str, slice] | None = model.tables.get(key)
    if found is None:
        ends = np.cumsum(sizes(model, counts)).tolist()
        found = {name: slice(a, b) for name, a, b in zip(PIECES, [0, *ends[:-1]], ends, strict=True)}
        model.tables[key] = found
    return found


def placements_of(links: Array, at: NDArray[np.int64]) -> Array:
    """Compute the placements of bodies, ``(n, 4, 4)``, from those of links, E and the origin, and the link of each body."""
    E_r = links.reshape(-1, PLACE)[at]
    T = np.zeros((len(at), 4, 4))
    T[:, :3, :3] = E_r[:, :9].reshape(-1, 3, 3).transpose(0, 2, 1)
    T[:, :3, 3], T[:, 3, 3] = E_r[:, 9:], 1.0
    return T
