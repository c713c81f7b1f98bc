"""Rows of the model's own joints: dry friction, and limits of joints with one freedom."""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.articulated.stepping.terms.rows import limited_positions
from pluecker.contact.constraints.relation import COORDINATE, Function, Parts, Row

__all__ = ["joint_rows"]


def joint_rows(model: Model, limits: bool = True) -> Parts:
    """Make one row for each coordinate with dry friction or with a limit."""
    functions: list[Function] = []
    rows: list[Row] = []
    for j, i in enumerate(limited_positions(model).tolist()):
        lower, upper = -np.inf, np.inf
        if limits and i >= 0:
            lower, upper = float(model.lower_limit[i]), float(model.upper_limit[i])
        friction = float(model.friction[j])
        if friction > 0.0 or np.isfinite(lower) or np.isfinite(upper):
            functions.append(Function(COORDINATE, coordinate=j, position=i))
            terms = ((len(rows), 1.0),)
            rows.append(Row(terms, lower=lower, upper=upper, friction=friction, ranged=True))
    return Parts(tuple(functions), tuple(rows))
