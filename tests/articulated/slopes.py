"""Derivatives along a motion, by public functions alone: exact without compilation, by differences of compiled functions.

Dual numbers give all digits and cost seconds of compilation for each function; without compilation they cost nothing.
Central differences of fourth order need the function itself: with steps of 5e-4 they are in error by 1e-15 times the fifth
derivative, some 1e5 where bodies turn by some radians a second, and by rounding errors over the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pluecker.articulated import Model, derivative_of, integrate
from tests.articulated.state_by_state import by_state
from tests.conftest import COMPILED

STEP = 5e-4
WEIGHTS = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}
CLOSE = 1e-8 if COMPILED else 1e-11  # of the largest entry


def slope(function: Callable[..., Any], model: Model, direction: Any, wrt: str = "q", **given: Any) -> Any:
    """Differentiate the result along a direction of one input of one state, a configuration moved by ``integrate``.

    A tuple, if the function has several results.
    """
    if not COMPILED:
        found = derivative_of(function.__name__)(model, **given, wrt=wrt)
        return tuple(part @ direction for part in found) if isinstance(found, tuple) else found @ direction
    steps = STEP * np.array(list(WEIGHTS))[:, None] * direction
    moved = integrate(model, given[wrt], steps) if wrt.startswith("q") else given[wrt] + steps
    found = by_state(function)(model, **(given | {wrt: moved}))
    weights = np.array(list(WEIGHTS.values())) / STEP
    if isinstance(found, tuple):
        return tuple(np.tensordot(weights, part, 1) for part in found)
    return np.tensordot(weights, found, 1)


def slopes(function: Callable[..., Any], model: Model, wrt: str = "q", **given: Any) -> Any:
    """Take slopes in all directions that an input of ``nv`` numbers, or a configuration, can go: along a last axis."""
    if not COMPILED:
        return derivative_of(function.__name__)(model, **given, wrt=wrt)
    found = [slope(function, model, unit, wrt, **given) for unit in np.eye(model.nv)]
    if isinstance(found[0], tuple):
        return tuple(np.stack(parts, axis=-1) for parts in zip(*found, strict=True))
    return np.stack(found, axis=-1)
