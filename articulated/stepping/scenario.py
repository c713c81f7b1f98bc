"""What acts on a mechanism while it moves, and is the same in all states of a batch: one flat array, as the model is.

==========  ======================================================================================
part        contents
==========  ======================================================================================
header      where the other parts begin
elements    springs, cables and wrenches, :mod:`~pluecker.articulated.forces.packing`
body rows   where the rows of the Jacobian of all bodies are, see
            :func:`~pluecker.articulated.algorithms.frames.jacobian_rows.row_table`
==========  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pluecker.articulated.algorithms.frames.jacobian_rows import row_table
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.forces.packing import as_elements, pack_elements
from pluecker.articulated.model.layout import FRICTION as FRICTION_COLUMN
from pluecker.articulated.model.layout import HAS_LOSSES, VELOCITIES
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.spatial.compiled.decorators import kernel
from pluecker.spatial.scalars.operations import load_integer, tail

__all__ = ["body_rows", "elements", "pack_scenario", "smooth_model"]

ELEMENTS, BODY_ROWS = 0, 7
HEADER = 8


@kernel
def elements(c):
    """The springs, cables and wrenches."""
    return tail(c, load_integer(c, ELEMENTS))


@kernel
def body_rows(c):
    """Where the rows of the Jacobian of all bodies are."""
    return tail(c, load_integer(c, BODY_ROWS))


def pack_scenario(model: Model, elements: Element | Sequence[Element] = ()) -> Array:
    """The array of a scenario."""
    parts = [pack_elements(model, as_elements("simulate", elements))]
    header = np.zeros(HEADER)
    places = HEADER + np.cumsum([0, *map(len, parts)])
    header.view(np.int64)[: len(parts)] = places[:-1]
    header.view(np.int64)[BODY_ROWS] = places[-1]
    return np.concatenate([header, *parts, row_table(model).packed])


def smooth_model(model: Model) -> Array:
    """The packed model without dry friction, whose forces are no function of the state."""
    packed = model.packed.copy()
    numbers = packed.view(np.int64)
    first = numbers[VELOCITIES] + FRICTION_COLUMN * model.nv
    packed[first : first + model.nv] = 0.0
    numbers[HAS_LOSSES] = model.damping.any()
    return packed
