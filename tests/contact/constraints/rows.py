"""Rows of constraints, without those of the model's own joints."""

from typing import NamedTuple

import numpy as np

from pluecker.contact import World


class Rows(NamedTuple):
    """Rows in the order of the constraints that were given."""

    J: np.ndarray
    errors: np.ndarray
    biases: np.ndarray  # Jdot v


def rows_at(world, q, v) -> Rows:
    """All rows in one state, at a time when motions over it are uniform."""
    rows = world.rows_at(q, v, time=-1.0)
    return Rows(rows.jacobian, rows.error, rows.bias)


def rows_of(model, constraints, q, v) -> Rows:
    """Return the rows of records of constraints."""
    return rows_at(World(model, constraints, limits=False), q, v)
