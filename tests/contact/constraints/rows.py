"""Rows of constraints as dense arrays: J, their errors, and Jdot v."""

from typing import NamedTuple

import numpy as np

from pluecker.contact.world.packing import Packed, pack_constraints
from pluecker.contact.world.rows_at import ROWS_AT, sorted_rows


class Rows(NamedTuple):
    """In the order of the parts that were given."""

    J: np.ndarray
    errors: np.ndarray
    biases: np.ndarray  # Jdot v


def rows_at(model, packed: Packed, q, v) -> Rows:
    """All rows in one state."""
    errors, J, biases = sorted_rows(packed, ROWS_AT.call(model, (q, v), None, None, (packed,)))
    return Rows(J, errors, biases)


def rows_of(model, constraints, q, v) -> Rows:
    """Of records."""
    return rows_at(model, pack_constraints(model, [each.parts(model) for each in constraints]), q, v)
