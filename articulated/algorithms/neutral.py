"""The configuration in which no joint is displaced."""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array

__all__ = ["neutral"]


def neutral(model: Model) -> Array:
    """Zero displacement in every joint, and the unit quaternion.

    It may lie outside the position limits.

    Args:
        model: the mechanism.

    Returns:
        ``(nq,)``.
    """
    q = np.zeros(model.nq)
    for part in model.quaternion_slices().values():
        q[part.start] = 1.0
    return q
