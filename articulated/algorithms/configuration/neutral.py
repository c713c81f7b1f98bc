"""The configuration in which no joint is displaced."""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array, as_model

__all__ = ["neutral"]


def neutral(model: Model) -> Array:
    """Zero displacement in every joint, and the unit quaternion.

    It may lie outside the position limits.

    Args:
        model: the mechanism.

    Returns:
        ``(nq,)``.

    Raises:
        TypeError: ``model`` is not a model.

    Source: Sola, Deray, Atchuthan (2018), section II: each joint is at the identity of its group of displacements.
    """
    as_model("neutral", model)
    return np.array([x for joint in model.joints if joint.mimic is None for x in JOINT_TYPES[joint.type].neutral])
