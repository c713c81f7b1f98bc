"""The configuration in which no joint is displaced."""

from __future__ import annotations

import numpy as np

from pluecker.articulated.model.joints import JOINT_TYPES
from pluecker.articulated.model.model import Model
from pluecker.articulated.running.arguments import Array, as_model
from pluecker.spatial.errors import ArgumentTypeError, shown

__all__ = ["neutral"]


def neutral(model: Model, *, within_limits: bool = False) -> Array:
    """Zero displacement in every joint, and the unit quaternion; that may lie outside the position limits.

    Args:
        model: the mechanism.
        within_limits: whether coordinates outside their position limits are to be at the nearer one instead.

    Returns:
        ``(nq,)``.

    Raises:
        TypeError: ``model`` is not a model, ``within_limits`` is neither True nor False.

    Source: Sola, Deray, Atchuthan (2018), section II: each joint is at the identity of its group of displacements.
    """
    model = as_model("neutral", model)
    if not isinstance(within_limits, bool | np.bool_):
        raise ArgumentTypeError(f"neutral: within_limits is {shown(within_limits)}, expected True or False")
    q = np.array([x for joint in model.joints if joint.mimic is None for x in JOINT_TYPES[joint.type].neutral])
    return np.clip(q, model.lower_limit, model.upper_limit) if within_limits else q
