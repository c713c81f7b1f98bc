"""Scenario, what acts on a mechanism while it moves, the same in all states of a batch: one flat array, as the model is.

==========  ======================================================================================
part        contents
==========  ======================================================================================
header      where the other parts begin
elements    springs, cables and wrenches, :mod:`~pluecker.articulated.forces.packing`
rows        dry friction and limits of joints, :mod:`~pluecker.articulated.stepping.terms.rows`
jacobian    where the rows of the Jacobian of all bodies are,
            :func:`~pluecker.articulated.algorithms.frames.jacobian_rows.row_table`
more        what an integrator of another package reads
==========  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pluecker.articulated.algorithms.frames.jacobian_rows import row_table
from pluecker.articulated.forces.elements import Element
from pluecker.articulated.forces.packing import as_elements, pack_elements
from pluecker.articulated.model.layout import FRICTION as FRICTION_COLUMN
from pluecker.articulated.model.layout import HAS_LOSSES, VELOCITIES
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array
from pluecker.articulated.stepping.terms.rows import pack_rows
from pluecker.spatial.engine.compiled.decorators import kernel
from pluecker.spatial.engine.scalars.operations import load_integer, tail

__all__ = [
    "ELEMENTS",
    "ROWS",
    "elements",
    "jacobian_table",
    "more",
    "number_of",
    "pack_scenario",
    "rows",
    "smooth_model",
]

ELEMENTS, ROWS, JACOBIAN, MORE = 0, 1, 2, 3
HEADER = 8


@kernel
def elements(c):
    """Return the part with springs, cables and wrenches."""
    return tail(c, load_integer(c, ELEMENTS))


@kernel
def rows(c):
    """Return the part with dry friction and limits of joints."""
    return tail(c, load_integer(c, ROWS))


@kernel
def jacobian_table(c):
    """Return the part with the table of the rows of the Jacobian of all bodies."""
    return tail(c, load_integer(c, JACOBIAN))


@kernel
def more(c):
    """Return the part for an integrator of another package."""
    return tail(c, load_integer(c, MORE))


def number_of(part: int, scenario: Array) -> int:
    """Count the records in the part ``ELEMENTS`` or ``ROWS`` of a packed scenario."""
    integers = scenario.view(np.int64)
    return int(integers[integers[part]])


def pack_scenario(
    model: Model,
    elements: Element | Sequence[Element] = (),
    row_options: Mapping[str, Any] | None = None,
    more: Array | None = None,
) -> Array:
    """Pack a scenario into an array; ``row_options``: those of :func:`pack_rows`. Plain ones are kept with the model."""
    options = dict(row_options or {})
    if elements or set(options) - {"limits"}:
        scenario = make_scenario(model, elements, options)
    else:
        key = pack_scenario, options.get("limits", True)
        if key not in model.tables:
            model.tables[key] = make_scenario(model, (), options)
        scenario = model.tables[key].copy()
    if more is None:
        return scenario
    scenario.view(np.int64)[MORE] = len(scenario)
    return np.concatenate([scenario, more])


def make_scenario(model: Model, elements: Element | Sequence[Element], options: Mapping[str, Any]) -> Array:
    """Pack the parts of a scenario, one behind the other."""
    parts = [
        pack_elements(model, as_elements("simulate", elements)),
        pack_rows(model, **options),
        row_table(model).packed,
    ]
    header = np.zeros(HEADER)
    places = HEADER + np.cumsum([0, *map(len, parts)])
    header.view(np.int64)[: len(parts)] = places[:-1]
    return np.concatenate([header, *parts])


def smooth_model(model: Model) -> Array:
    """Return the packed model without dry friction, whose forces are no function of the state; to be read only."""
    kept: Array | None = model.tables.get(smooth_model)
    if kept is not None:
        return kept
    packed = model.packed.copy()
    numbers = packed.view(np.int64)
    first = numbers[VELOCITIES] + FRICTION_COLUMN * model.nv
    packed[first : first + model.nv] = 0.0
    numbers[HAS_LOSSES] = model.damping.any()
    model.tables[smooth_model] = packed
    return packed
